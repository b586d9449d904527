"""Prompts about a goal: the goal itself, what was tried and how it ended, what is banned and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from goedels_poetry.errors import OUT_OF_TIME
from goedels_poetry.models.requests import Request, RetryConfig
from goedels_poetry.protocol.base import Goal, ModelGuided
from goedels_poetry.protocol.trials import ENOUGH, Status, Trial, nearest
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.memory import TRIALS
from goedels_poetry.search.tasks.claim import Claim
from goedels_poetry.store.state import ProofNode

MAX_STORY = 8_000
MAX_ENTRY = 1_500
MAX_BANS = 30
"""Characters of the history, of one entry of it, and number of bans that a prompt shows; the latest count."""

NOTHING = "(nothing)"

NOT_REPAIRED = "; not repaired: "
"""Between why a sketch was rejected and why its repair failed."""

PROOF_PROMPTS = ("prover-", "repair-unproved", "repair-timeout", "repair-invalid", "repair-lean")
"""Prompts whose rounds count as proof attempts of a model."""

SKETCH_PROMPTS = ("decomposer-", "repair-false-lemma", "repair-gap")
"""Prompts whose rounds count as sketches of a model."""

UNREADABLE = "reply-unreadable"
"""The prompt that sends a reply back that cannot be read."""

REJECTED = "reply-rejected"
"""The prompt for the further samples of a round, after the first one's failure."""


def rounds_so_far(goal: Goal, *prompts: str, generation: int | None = None) -> int:
    """How many rounds with these prompts (names, or beginnings of names) a goal has had."""
    return sum(
        entry["kind"] == "model"
        and entry["prompt"].startswith(prompts)
        and (generation is None or entry["generation"] == generation)
        for entry in goal.history
    )


async def last_reply(deps: Deps, goal: Goal, *, read: bool = False) -> str:
    """What a model wrote last about how to prove a goal, whole; "" when there is none.

    ``read``: the last reply that could be read as a proposal, where there is one.
    """
    latest = ""
    for entry in reversed(goal.history):
        if entry["kind"] == "model" and entry["prompt"].startswith((*PROOF_PROMPTS, *SKETCH_PROMPTS, UNREADABLE)):
            replies = (await deps.store.on_thread(deps.store.load, entry["exchange"]))["replies"]
            latest = latest or _first(reply["text"] for reply in replies)
            found = _first(reply["text"] for reply in replies if reply["holds"]) if read else latest
            if found:
                return found
    return latest


def _first(texts: Iterable[str]) -> str:
    return next((text.strip() for text in texts if text.strip()), "")[:MAX_STORY]


def story(history: Sequence[dict[str, Any]], shown_beside: str = "") -> str:
    """What was tried on a goal, oldest first, in words; the beginning is left out when it is too long.

    What was tried several times with the same end stands there once, with the number of times.
    """
    told = Counter(_attempts(history, shown_beside))
    kept: list[str] = []
    length = 0
    for line, times in reversed(told.items()):
        line = f"{line} ({times} times)" if times > 1 else line
        length += len(line)
        if length > MAX_STORY:
            kept.append("(earlier attempts are left out)")
            break
        kept.append(line)
    return "\n".join(reversed(kept)) or NOTHING


def _attempts(history: Sequence[dict[str, Any]], shown_beside: str) -> Iterator[str]:
    """Each attempt in words, with how it ended."""
    ended = [entry for entry in history if entry["kind"] in ("attempt", "rejected")]
    ends = [shown_beside, *map(_reason, ended)]
    if ended and _begins_alike(_reason(ended[-1]), shown_beside):  # the report says the same at length
        shown_beside = f"{shown_beside}\n{_reason(ended[-1])}"
    sketch = "a sketch"
    for entry in history:
        reason = _reason(entry)
        match entry["kind"]:
            case "sketch":
                sketch = shown_sketch(entry.get("sketch"))
            case "attempt" if reason not in shown_beside:
                yield f"- a direct proof: {reason}"
            case "rejected" if reason not in shown_beside:
                yield f"- {sketch}\n  {'' if reason.startswith(OUT_OF_TIME) else 'rejected: '}{reason}"
            case "backtrack":
                subgoal = str(entry.get("statement", ""))[:MAX_ENTRY]
                yield f"- {sketch}\n  given up, for it led to {subgoal}: {_lost(entry)}"
            case "model" if entry.get("role") not in ("formalizer", "judge"):  # how it was found is no way to prove it
                for said in dict.fromkeys(str(reason)[:MAX_ENTRY] for reason in entry["reasons"]):
                    if not any(said in end for end in ends):
                        yield f"- a reply that could not be used: {said}"


def _reason(entry: dict[str, Any]) -> str:
    return str(entry.get("reason", ""))[:MAX_ENTRY]


def _lost(entry: dict[str, Any]) -> str:
    """What became of the subgoal for which an approach was given up; its id says nothing to a model."""
    reason = _reason(entry)
    return reason.partition(" failed: ")[2] or reason


def shown_sketch(sketch: Any) -> str:
    """A sketch in one line: its name, and the statements that it leads to."""
    if not isinstance(sketch, dict):
        return "a sketch"
    strategy = str(sketch.get("strategy", "unknown")).removeprefix("model-").replace("-", " ")
    statements = [str(child.get("words") or child.get("statement", "")) for child in sketch.get("children", ())]
    goals = f" with the subgoals {' ; '.join(statements)}" if statements else ""
    return f"{strategy}{goals}"[:MAX_ENTRY]


def bans(history: Sequence[dict[str, Any]]) -> str:
    """The strategies that are banned on a goal, with the evidence where `story` does not give it."""
    banned: dict[str, dict[str, Any]] = {}
    sketches: dict[str, Any] = {}
    told = {_reason(entry) for entry in history if entry["kind"] == "rejected"}
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
        why = "see above" if _reason(ban) in told else f"last because {_lost(ban)}"
        failures = int(ban.get("failures", 1))
        lines.append(f"- {what}\n  failed {'once' if failures == 1 else f'{failures} times'}: {why}")
    return "\n".join(lines) or NOTHING


def failed_subgoal(goal: Goal) -> dict[str, str]:
    """The variables of the backtrack prompts: the subgoal that failed last, why, and its last errors."""
    last: dict[str, Any] = next((entry for entry in reversed(goal.history) if entry["kind"] == "backtrack"), {})
    return {
        "failed_statement": str(last.get("statement") or NOTHING)[:MAX_ENTRY],
        "failed_reason": _lost(last) or NOTHING,
        "failed_report": shown(last.get("report")),
    }


def reported(reason: str, report: Any) -> str:
    """Why something was rejected and what the verifier reports, each once."""
    if isinstance(report, dict) and "refuted_child" in report and "report" not in report:
        return reason  # the counterexample stands in it
    text = shown(report)
    if _begins_alike(reason, text):
        _, mark, unmended = reason.rpartition(NOT_REPAIRED)
        return text + (f"\n{mark.strip('; ')} {unmended}" if mark else "")
    return reason if text == NOTHING or text in reason else text if reason in text else f"{reason}\n{text}"


def _begins_alike(reason: str, report: str) -> bool:
    """Whether a reason is the first line of a report, which goes on with what the reason has put into one line."""
    first, _, rest = report.partition("\n")
    return bool(rest) and first.endswith(":") and reason.startswith(first)


def shown(value: Any) -> str:
    """A report or candidate as text for a prompt."""
    if value is None or value == {}:
        return NOTHING
    if isinstance(value, dict) and isinstance(value.get("report"), str):
        return str(value["report"])[:MAX_STORY]
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1)
    return text[:MAX_STORY]


def guide_of(deps: Deps, *roles: str) -> ModelGuided | None:
    """The language as one that models can work in, when any of ``roles`` has a model; else None."""
    language = deps.language
    return language if any(map(deps.has_model, roles)) and isinstance(language, ModelGuided) else None


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
    """A scheduled request about a goal, with the variables that every prompt may use, and ``variables`` besides.

    What their ``report`` says, the history does not say again.
    """
    assert isinstance(deps.language, ModelGuided)
    known = searched(goal.history)
    history = hints(deps) + known + story(goal.history, variables.get("report", ""))
    words = {"history": history, "banned": bans(goal.history), **await deps.language.describe(goal), **variables}
    for name in ("tried_proofs", "tried_sketches"):
        words[name] = f"{words.get(name, '')}\n\n{known}".strip()
    seed = deps.settings.seed
    return schedule(deps).scheduled(Request(role, prompt, words, attempt, schema=schema, node=node.id, seed=seed))


MOST_SEARCHED = 6
"""Lemmas of the search that a prompt shows."""


def searched(history: Sequence[dict[str, Any]]) -> str:
    """What automatic methods have found on a goal, as `show` has it; "" for nothing.

    The simplest case that they have left open, and lemmas that hold in every test; first those that would do.
    """
    found = [Trial.from_json(each) for entry in history if entry["kind"] == TRIALS for each in entry["trials"]]
    near = nearest(found)
    lines = [f"- nearest: {near.strategy} {near.what} leaves {near.left}"] if near is not None else []
    true = [
        t for t in found if t.lemma and t.status is Status.FAILED and not t.what.endswith("...") and "!" not in t.what
    ]
    true.sort(key=lambda trial: (trial.result != ENOUGH, len(trial.what)))
    lines += dict.fromkeys(f"- {trial.what}: {trial.result}" for trial in true[:MOST_SEARCHED])
    return "Automatic methods have come so far:\n" + "\n".join(lines) + "\n\n" if lines else ""


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
