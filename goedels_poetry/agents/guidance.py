"""What agents tell a language model about a goal: the goal itself, what was tried, what is banned and why."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from goedels_poetry.agents.registry import Deps
from goedels_poetry.languages.base import Goal, ModelGuided
from goedels_poetry.models import Request, RetryConfig
from goedels_poetry.tasks.claim import Claim
from goedels_poetry.tree.state import ProofNode

MAX_STORY = 8_000
MAX_ENTRY = 1_500
MAX_BANS = 30
"""Characters of the history, of one entry of it, and number of bans that a prompt shows; the latest count."""

NOTHING = "(nothing)"


def guide_of(deps: Deps, *roles: str) -> ModelGuided | None:
    """The language as one that models can work in, when any of ``roles`` has a model; else None."""
    language = deps.language
    return language if isinstance(language, ModelGuided) and any(map(deps.has_model, roles)) else None


def rounds_so_far(goal: Goal, *prompts: str, generation: int | None = None) -> int:
    """How many rounds with these prompts (names, or beginnings of names) a goal has had."""
    return sum(
        entry["kind"] == "model"
        and entry["prompt"].startswith(prompts)
        and (generation is None or entry["generation"] == generation)
        for entry in goal.history
    )


async def request_for(
    deps: Deps,
    node: ProofNode,
    goal: Goal,
    role: str,
    prompt: str,
    attempt: int,
    schema: dict[str, Any] | None,
    **variables: str,
) -> Request:
    """A scheduled request about a goal, with the variables that every prompt may use."""
    assert isinstance(deps.language, ModelGuided)
    told = hints(deps) + story(goal.history)
    common = {**await deps.language.describe(goal), "history": told, "banned": bans(goal.history)}
    request = Request(
        role=role,
        prompt=prompt,
        variables={**common, **variables},
        attempt=attempt,
        schema=schema,
        node=node.id,
        seed=deps.settings.seed,
    )
    return schedule(deps).scheduled(request)


def hints(deps: Deps) -> str:
    """The steps of a proof that a claim came with, for the prompts about its goals; "" without any."""
    claim = deps.task
    if not isinstance(claim, Claim) or not claim.steps:
        return ""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(claim.steps, 1))
    return f"The author of the theorem suggests these steps of a proof:\n{steps[:MAX_STORY]}\n\n"


def schedule(deps: Deps) -> RetryConfig:
    """Attempts, beams and temperatures of this run."""
    chosen = deps.settings.schedule
    return RetryConfig(chosen.max_attempts, chosen.beam, chosen.temperature, chosen.max_tokens)


def story(history: Iterable[dict[str, Any]]) -> str:
    """What was tried on a goal, oldest first, in words; the beginning is left out when it is too long."""
    lines = [line for line in map(_told, history) if line]
    kept: list[str] = []
    length = 0
    for line in reversed(lines):
        length += len(line)
        if length > MAX_STORY:
            kept.append("(earlier attempts are left out)")
            break
        kept.append(line)
    return "\n".join(reversed(kept)) or NOTHING


def _told(entry: dict[str, Any]) -> str:
    reason = str(entry.get("reason", ""))[:MAX_ENTRY]
    match entry["kind"]:
        case "attempt":
            return f"- direct proof: {reason}"
        case "sketch":
            return f"- sketch: {shown_sketch(entry.get('sketch'))}"
        case "rejected":
            return f"  rejected: {reason}"
        case "backtrack":
            return f"  given up: {reason}\n  the subgoal was {str(entry.get('statement', ''))[:MAX_ENTRY]}"
        case "model" if entry.get("role") not in (
            "formalizer",
            "judge",
        ):  # how the theorem was found is no way to prove it
            told = dict.fromkeys(str(r)[:MAX_ENTRY] for r in entry["reasons"])
            return "\n".join(f"- reply to {entry['prompt']}: {r}" for r in told)
    return ""


def shown_sketch(sketch: Any) -> str:
    """A sketch in one line: its name, and the statements that it leads to."""
    if not isinstance(sketch, dict):
        return "unknown"
    children = sketch.get("children", ())
    statements = [str(child.get("words") or child.get("statement", "")) for child in children]
    goals = f"; subgoals: {' ; '.join(statements)}" if statements else ""
    return f"{sketch.get('strategy', 'unknown')}{goals}"[:MAX_ENTRY]


def bans(history: Iterable[dict[str, Any]]) -> str:
    """The strategies that are banned on a goal, with the evidence."""
    banned: dict[str, dict[str, Any]] = {}
    sketches: dict[str, Any] = {}
    for entry in history:
        match entry["kind"]:
            case "sketch":
                sketches[entry["fingerprint"]] = entry.get("sketch")
            case "ban":
                banned[entry["fingerprint"]] = entry
            case "lift":
                banned.pop(entry["fingerprint"], None)
    lines = []
    for fingerprint, ban in list(banned.items())[-MAX_BANS:]:
        what = shown_sketch(sketches[fingerprint]) if fingerprint in sketches else str(ban["strategy"])
        lines.append(
            f"- {what}\n  failed {ban.get('failures', 1)} times, last because: {str(ban['reason'])[:MAX_ENTRY]}"
        )
    return "\n".join(lines) or NOTHING


def failed_subgoal(goal: Goal) -> dict[str, str]:
    """The variables of the backtrack prompts: the subgoal that failed last, why, and its last errors."""
    last: dict[str, Any] = next((entry for entry in reversed(goal.history) if entry["kind"] == "backtrack"), {})
    return {
        "failed_statement": str(last.get("statement") or NOTHING)[:MAX_ENTRY],
        "failed_reason": str(last.get("reason") or NOTHING)[:MAX_ENTRY],
        "failed_report": shown(last.get("report")),
    }


def reported(reason: str, report: Any) -> str:
    """Why something was rejected and what the verifier reports, each once."""
    if isinstance(report, dict) and "refuted_child" in report:
        return reason  # the counterexample stands in it
    text = shown(report)
    return reason if text == NOTHING or text in reason else f"{reason}\n{text}"


def shown(value: Any) -> str:
    """A report or candidate as text for a prompt."""
    if value is None or value == {}:
        return NOTHING
    if isinstance(value, dict) and isinstance(value.get("report"), str):
        return str(value["report"])[:MAX_STORY]
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1)
    return text[:MAX_STORY]


__all__ = [
    "NOTHING",
    "bans",
    "failed_subgoal",
    "guide_of",
    "reported",
    "request_for",
    "rounds_so_far",
    "schedule",
    "shown",
    "shown_sketch",
    "story",
]
