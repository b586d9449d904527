"""Ablations: what a search is worth without one of its ideas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from goedels_poetry.evaluation.questions import BadData
from goedels_poetry.settings.declared import Settings

NEVER = 1_000_000_000
"""So many failures no run has."""

ABLATIONS: Mapping[str, str] = {
    "decomposition": "no goal is sketched: direct attempts only",
    "bans": "a strategy that failed may be tried again",
    "repair": "a failed attempt is not corrected, the next one begins anew",
    "retrieval": "no premises are looked up",
    "bank": "nothing is learned from other runs",
    "refutation": "subgoals are not searched for counterexamples (SMT-LIB)",
    "exploration": "no lemmas are found by enumerating equations (SMT-LIB)",
}
"""Name -> what is left out. The two that say so are ideas of the search for SMT-LIB and change nothing elsewhere."""
OF_SMT = ("refutation", "exploration")


def names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names with commas between them, in the table's order.

    Raises:
        BadData: there is no such ablation.
    """
    given = [name.strip().lower() for text in texts for name in text.split(",") if name.strip()]
    for name in given:
        if name not in ABLATIONS:
            raise BadData(f"--without {name!r}: there are {', '.join(ABLATIONS)}")
    return tuple(name for name in ABLATIONS if name in given)


def without(settings: Settings, left_out: Iterable[str]) -> Settings:
    """The settings of runs that do without these ideas; see `options_without` for the rest."""
    changes: dict[str, Any] = {}
    for name in left_out:
        match name:
            case "decomposition":
                changes["budgets"] = settings.budgets.model_copy(update={"depth": 0})
            case "bans":
                changes |= {"ban_after_failures": NEVER, "ban_deterministic_after_failures": NEVER}
            case "repair":
                # As many attempts as before, each of them a pass of its own.
                passes = settings.prover_agent_max_pass * (1 + settings.prover_agent_max_self_corrections)
                changes |= {"prover_agent_max_self_corrections": 0, "prover_agent_max_pass": passes}
            case "retrieval":
                changes["retrieval"] = settings.retrieval.model_copy(update={"premises": 0})
            case "bank":
                changes["use_memory"] = False
    return settings.model_copy(update=changes) if changes else settings


def options_without(left_out: Iterable[str]) -> dict[str, Any]:
    """Options for the language: ideas that are its own."""
    own = [name for name in left_out if name in OF_SMT]
    return {"without": own} if own else {}
