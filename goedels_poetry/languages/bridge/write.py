"""The file: what the theorem says, the steps that are needed, the theorem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goedels_poetry.kernel.bridge.theory import TAIL, LeanTheory
from goedels_poetry.kernel.derivation import Step
from goedels_poetry.languages.bridge.orders import COUNT
from goedels_poetry.languages.bridge.replay import Fact, Found
from goedels_poetry.languages.bridge.writing import Writing, in_section, indented, name_of


def endings(writing: Writing, last: Step) -> list[str]:
    """Tactic blocks that may prove the theorem from the last step."""
    step = writing.step(last.id)
    return [
        f"intros\nfirst | exact {step} | (apply {step} <;> assumption) | (apply {step} <;> simp_all) | grind",
        f"have _l := {step}\nintros\ngrind",
        f"have _l := {step}\nsimp_all",
        f"simpa using {step}",
    ]


def written(
    theory: LeanTheory,
    writing: Writing,
    steps: Sequence[Step],
    found: Mapping[str, Found],
    ending: str,
    facts: Sequence[Fact],
) -> str:
    """The whole text. ``ending``: the tactics that prove the theorem from the last step; ``facts``: what the steps
    rest on besides one another."""
    proved = [_step(writing, s, found[s.id]) for s in steps if s.id in found]
    return (
        "\n".join(
            [
                f"{theory.comment}{theory.header}",
                "section",
                *([writing.context] if writing.context else []),
                "",
                *_counted(writing, facts, [found[s.id].text for s in steps if s.id in found]),
                *[in_section(f.before, f"{f.stated} := by\n{indented(f.text)}\n") for f in facts],
                *proved,
                "end",
                "",
                f"{theory.statement} := by",
                indented(ending),
            ]
        )
        + TAIL
    )


def _counted(writing: Writing, facts: Sequence[Fact], texts: Sequence[str]) -> list[str]:
    """The size functions where they are spoken of."""
    whole = " ".join([*texts, *(f"{f.stated} {f.text}" for f in facts)])
    needed = COUNT in whole or any(f.before for f in facts)
    return [writing.orders.text] if writing.orders is not None and needed else []


def _step(writing: Writing, step: Step, found: Found) -> str:
    text = f"{writing.theorem(name_of(step.id), step.sequent)} := by\n{indented(found.text)}\n"
    patterns = writing.patterns(found.cites) if "grind" in found.text else []
    return in_section([*writing.before(step.id), *patterns], text)
