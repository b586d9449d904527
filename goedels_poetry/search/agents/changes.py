"""The agents of changes: measure the file, propose the next change (a given one, or a model's), verify it, decide.

The decider chooses what is done with a verified change: keep, refine, another approach, roll back to a step. Code
computes the legal moves, a table prefers some. Keeping what breaks something that worked is never legal, nor is keeping
a change as progress that made nothing better. Where something is amiss a model is asked, if there is one; an illegal
choice gives way to the table. Every decision is recorded with its author and reason.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.changes import (
    Baseline,
    ChangeReport,
    NotApplicable,
    apply,
    baseline_for,
    plain,
    read_proposal,
    unified,
    verified,
)
from goedels_poetry.python.changes.baseline import COLLECTION
from goedels_poetry.python.changes.measuring import project_file, symptom_of
from goedels_poetry.python.changes.verification import MISSED, OPEN, REACHED
from goedels_poetry.search.agents.conversation import Message, conversation, say
from goedels_poetry.search.agents.decider import Advice
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable
from goedels_poetry.search.agents.guidance import NOTHING
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import ask_once
from goedels_poetry.search.tasks.base import REPORT
from goedels_poetry.search.tasks.change import (
    BASELINE,
    KEPT,
    PENDING,
    STATE,
    SURVEY,
    Change,
    Decision,
    Proposed,
    change_in,
    on_another_state,
    set_back,
    set_decision,
    set_no_change,
    set_proposed,
    set_report,
    set_surveyed,
    state_of,
    state_text,
    states,
    steps_of,
    unfenced,
)
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader, Txn
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, ProofNode, Queue

MOST_TEXT, MOST_ERROR, MOST_STORY, MOST_FAILURE, MOST_MORE = 60_000, 8_000, 12_000, 3_000, 12_000
"""Characters that are shown: of a file, of the error, of the steps so far, of one failure, of other files."""
AUTHOR, DECIDER = "corrector", "decider"
"""The roles that write changes and decide on them."""
MORE = "patches"
"""Fact of a run: changes that a person has added when it had ended."""
PATCH, MODEL, PERSON = "patch", "model", "person"
"""How the source of a step begins; who commits that a person goes back."""
NOTE = "(Your last reply could not be used: {}.)"

# -- what is shown ---------------------------------------------------------------------------------------------------


def error_of(task: Change) -> str:
    """The error, and the commands that show it."""
    parts = [task.error.strip()[:MOST_ERROR]]
    parts += [f"The test command is: {' '.join(task.tests)}"] if task.tests else []
    parts += [f"The command that shows the error is: {' '.join(task.run)}"] if task.run else []
    return "\n\n".join(filter(None, parts))


def found_before(base: Baseline) -> str:
    """What the baseline says, with the ends of the failures that show the error."""
    found = base.measured
    lines = [f"The file does not compile: {found.fault}"] if found.fault else []
    if found.tests:
        lines += [f"{len(found.passing())} tests pass; these fail:", *(f"- {name}" for name in found.failing()[:20])]
    shown = [(name, str(found.tests.get(name, {}).get("text", ""))) for name in base.targets[:4]]
    if found.run is not None and found.run["code"] != 0 and base.run:
        shown.append((f"$ {' '.join(base.run)}", str(found.run["text"])))
    lines += [f"\n```\n{title}\n{text[-MOST_FAILURE:]}\n```" for title, text in shown if text]
    return "\n".join([*lines, *(f"- {note}" for note in base.notes)]) or NOTHING


def shown_file(task: Change, text: str) -> str:
    """A state of the file in a block whose fence does not occur in it."""
    body = plain(text)
    if len(body) > MOST_TEXT:
        body = f"{body[:MOST_TEXT]}\n[... {len(body) - MOST_TEXT} more characters are not shown]"
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", body)), 3)
    return f"{fence}{'python' if task.case.is_python else ''}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}"


def other_files(task: Change, base: Baseline) -> str:
    """Files that the error is about: those of tests that show it, and those of its traceback."""
    paths = [target.partition("::")[0].removesuffix(COLLECTION) for target in base.targets]
    paths += [project_file(frame.file, task.case.files) for frame in symptom_of(task.error).frames]
    parts: list[str] = []
    room = MOST_MORE
    for path in dict.fromkeys(paths):
        text = task.case.files.get(path)
        if isinstance(text, str) and len(text) < room:
            parts.append(f"`{path}` (it stays as it is):\n\n```\n{plain(text)}\n```")
            room -= len(text)
    return "\n\n".join(parts) or NOTHING


def decision_variables(store: StoreReader, task: Change, node: ProofNode) -> dict[str, str]:
    """The variables of the prompt about a decision, but for the moves."""
    state = state_text(store, node, STATE, task.text)
    pending = store.load(node.refs[PENDING]) if PENDING in node.refs else None
    after = str(store.load(pending["text"])) if pending is not None else state
    applied = "with the change" if pending is not None else "the change could not be applied to it"
    change = unified(state, after, task.file)
    if not change:
        last: dict[str, Any] = next((e.entry for e in reversed(store.history(node.id)) if e.kind == "change"), {})
        change = str(store.load(last["change_ref"])) if "change_ref" in last else ""
    step = state_of(store, node, STATE)["step"]
    statement = f"Change the file {task.file} so that this is gone:\n\n{error_of(task)}"
    return {
        "statement": f"{statement}\n\nThe file as it is now ({applied}):\n\n{shown_file(task, after)}",
        "candidate": f"To the state after step {step}:\n\n```diff\n{change[:MOST_STORY]}```",
        "report": ChangeReport.from_json(store.load(node.refs[REPORT])).words,
        "history": "\n".join(story(store))[-MOST_STORY:] or NOTHING,
    }


def story(store: StoreReader) -> Iterator[str]:
    """Every step so far with its report and decision, oldest first."""
    for step in steps_of(store)[1:]:
        base = f"to the state after step {step.get('base', 0)}"
        yield f"- step {step['step']} ({step.get('source', '')}, {base}): {step.get('reason', '')}"
        if "move" in step:
            yield f"  decided by the {step['by']}: {step['move'].replace('_', ' ')}; {step['why']}"
            if step["to"] != step["step"]:
                yield f"  the file went back to the state after step {step['to']}"


def decided(store: StoreReader) -> str:
    """The last decision, for the author of the next change."""
    last = steps_of(store)[-1]
    to = last.get("to", 0)
    state = f"the state after step {to}" if to else "step 0, as it was before any change"
    said = {
        "keep_partial": "this is kept as partial progress; your next change builds on it.",
        "different": f"the file is back in {state}; try a different approach.",
        "roll_back": f"the file was rolled back to {state}; go on from there.",
    }
    refine = "your next change builds on this state of the file."
    return f"{said.get(str(last.get('move')), refine)} Why: {last.get('why', '')}"


# -- measuring, verifying, proposing ---------------------------------------------------------------------------------


@agent(queue=SURVEY, name="surveyor")
async def surveyor(node: ProofNode, deps: Deps) -> Apply:
    """Run everything that there is to run, twice where it is tests."""
    base = await baseline_for(deps.task_as(Change).case)
    return lambda txn: set_surveyed(txn, node, base.to_json(), _line(base))


def _line(base: Baseline) -> str:
    """One line for people."""
    found = base.measured
    parts = [f"{len(found.passing())} tests pass, {len(found.failing())} fail"] if found.tests else []
    parts += [f"it does not compile: {found.fault}"] if found.fault else []
    if base.targets:
        more = f" and {len(base.targets) - 1} more" if len(base.targets) > 1 else ""
        parts.append(f"the error shows in {base.targets[0]}{more}")
    elif base.run and found.run is not None and found.run["code"] != 0:
        parts.append(f"the error shows in: {' '.join(base.run)}")
    return "; ".join([*parts, *base.notes]) or "nothing was found by which a change could be judged"


@agent(queue=Queue.VERIFY, name="verifier")
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Verify against what was before any change, whatever state the change was applied to."""
    pending = await deps.load(node, PENDING)
    text = str(await deps.store.on_thread(deps.store.load, pending["text"]))
    report = await verified(deps.task_as(Change).case, Baseline.from_json(await deps.load(node, BASELINE)), text)
    return lambda txn: set_report(txn, node, report, int(pending["step"]))


def patches_of(store: StoreReader, task: Change) -> tuple[str, ...]:
    """Changes that were given, those that came later included."""
    return (*task.patches, *map(str, store.meta(MORE) or ()))


def used(store: StoreReader, source: str, since: int = 0) -> int:
    """How many changes of a source the run has seen."""
    later = store.history(ROOT)[since:]
    return sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(source) for e in later)


@agent(queue=(Queue.FORMALIZE, Queue.CORRECT), name="changer")
async def changer(node: ProofNode, deps: Deps) -> Apply:
    """The next change that was given; then one by a model."""
    task, store = deps.task_as(Change), deps.store
    given = await store.on_thread(_given, store, task, node)
    if given is not None:
        proposed, to = given

        def begun(txn: Txn) -> str:
            alone = f"the next change ({proposed.source}) fits this state alone"
            return set_proposed(txn, node if to is None else on_another_state(txn, node, to, alone), proposed)

        return begun
    if deps.has_model(AUTHOR):
        return await _ask(node, deps, task)
    return lambda txn: set_no_change(txn, node, "there is no further change to try")


def _given(store: ProofStore, task: Change, node: ProofNode) -> tuple[Proposed, int | None] | None:
    """The next change that was given, and the state to go back to for it; None where there is no other.

    It is applied to the present state, or else to the one that was kept last, or to the file as it was.
    """
    patches, number = patches_of(store, task), used(store, PATCH)
    if number >= len(patches):
        return None
    steps = [
        (int(state_of(store, node, name)["step"]), state_text(store, node, name, task.text)) for name in (STATE, KEPT)
    ]
    source, change = f"{PATCH} {number + 1}", unfenced(patches[number])
    tried = [
        proposal(task, change, text, source, step, pieces=False)
        for step, text in dict([*steps, (0, task.text)]).items()
    ]
    fits = next((each for each in tried if each.text is not None), tried[0])
    return replace(fits, change=patches[number]), None if fits.base == steps[0][0] else fits.base


async def _ask(node: ProofNode, deps: Deps, task: Change) -> Apply:
    """Send, and see what came: one attempt in any case."""
    store, turns = deps.store, await conversation(deps, node)
    text = await store.on_thread(state_text, store, node, STATE, task.text)
    step = int((await store.on_thread(state_of, store, node, STATE))["step"])
    source = f"{MODEL}, attempt {await store.on_thread(used, store, MODEL) + 1}"
    stored = await deps.load(node, REPORT)
    report = ChangeReport.from_json(stored) if stored is not None else None
    words = {"text": shown_file(task, text)}
    if turns:
        told = report.words if report is not None else "A person went back to an earlier state of the file."
        note = NOTE.format(report.failed_application) if report is not None and not report.is_applied else ""
        words |= {"report": told, "decision": await store.on_thread(decided, store), "note": note}
    else:
        base = Baseline.from_json(await deps.load(node, BASELINE))
        tried = f"\n\nA change was tried before, and this came of it:\n\n{report.words}" if report is not None else ""
        words |= {"file": task.file, "error": error_of(task), "found": found_before(base)}
        words["more"] = other_files(task, base) + tried
    message = Message(AUTHOR, "change-report" if turns else "change-initial", words, turns)
    done = await say(node, deps, message, lambda reply: {"change": change_in(reply)})
    proposed = Proposed(source, "", base=step, reason=done.round.reason)
    if done.value is not None:
        proposed = proposal(task, done.value["change"], text, source, step, pieces=True)

    def apply_(txn: Txn) -> str:
        done.round.log(txn, node)
        return set_proposed(txn, node, proposed, done.turns)

    return apply_


def proposal(task: Change, change: str, text: str, source: str, base: int, *, pieces: bool) -> Proposed:
    """A change applied to a text, or why it cannot be."""
    try:
        applied = apply(text, read_proposal(change, plain(text), task.file, link=task.link, pieces=pieces))
    except (InvalidInput, NotApplicable) as problem:
        return Proposed(source, change, base=base, reason=str(problem))
    return Proposed(source, change, applied.text, base, applied.notes)


def go_back(data_dir: Path, run: str, step: int, patches: tuple[str, ...] = (), reason: str = "") -> str:
    """Record the decision; the run can then be resumed. Returns its id; raises UnknownRun, RunLocked, InvalidInput."""
    place = Runs(data_dir).get(run)

    def move(txn: Txn) -> str:
        if patches:
            txn.remember(MORE, [*(txn.store.meta(MORE) or ()), *patches])
        return set_back(txn, txn.get(ROOT), step, reason or f"a person goes back to the state after step {step}")

    with place.lock():
        store = place.open()
        try:
            if (store.meta("task") or [""])[0] != "change":
                raise InvalidInput(f"run {run} is about no change")
            store.commit(f"back:{store.seq}", PERSON, ROOT, move)
        except KeyError:
            raise InvalidInput(f"there is no state after step {step}") from None
        finally:
            store.close()
        certificate = place.path / "certificate"
        if certificate.exists():  # what was checked before is kept, and makes room for what will be
            free = (certificate.with_name(f"certificate-{number}") for number in itertools.count(1))
            certificate.rename(next(path for path in free if not path.exists()))
        place.write_card(retry=True)
    return place.run_id


# -- deciding --------------------------------------------------------------------------------------------------------

MOVES = {
    "keep": "done: the change is kept, and the work ends",
    "keep_partial": "not done, but better: this state is kept, later ones go back to it, and another change follows",
    "refine": "not done: another change follows on top of this one, which is not kept for that",
    "different": "not done: the file goes back to the state that was kept last, for a different approach",
    "roll_back": "the file goes back to an earlier state: the one kept last, or say which: roll back to step N",
    "stop": "nobody has another change: the state that was kept last remains",
}
"""move -> what it does."""
SYNONYMS = {
    "keep": ("keep", "accept", "keep the change", "keep this change", "done"),
    "keep_partial": ("keep partial", "keep as partial progress", "partial", "partial progress", "keep progress"),
    "refine": ("refine", "make additional changes", "additional changes", "correct", "repair"),
    "different": ("different", "different approach", "another approach", "try another approach", "new approach"),
    "roll_back": ("roll back", "rollback", "revert", "undo"),
    "stop": ("stop", "give up"),
}
"""move -> words that a model may use for it."""
_AT_STEP = re.compile(r"(.*?)(?: (?:to )?(?:the )?(?:step|state|state after step))? ?(?:to )?(\d+)")


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision is about."""

    report: ChangeReport
    goes_on: bool
    """Whether anybody can propose another change."""
    in_vain: int = 0
    """How many of the last changes, this one included, reached nothing and made nothing better."""
    is_same: bool = False
    """Whether the change leaves the file as the state that was kept last has it."""


def legal_moves(now: Situation) -> tuple[str, ...]:
    """Moves that may be made, in the order of :data:`MOVES`."""
    report = now.report
    sound = report.is_applied and not report.broken
    allowed = {
        "keep": sound and report.goal != MISSED and not (now.is_same and report.goal == OPEN),
        "keep_partial": sound and report.goal == MISSED and bool(report.better) and not now.is_same,
        "refine": now.goes_on,
        "different": now.goes_on,
        "roll_back": report.is_applied,
        "stop": not now.goes_on and not report.is_applied,
    }
    return tuple(move for move, is_legal in allowed.items() if is_legal)


def preferred(now: Situation) -> tuple[str, str]:
    """The move of the table, always a legal one, and why."""
    legal = legal_moves(now)
    return next(((move, why) for move, why in _wanted(now) if move in legal), (legal[-1], MOVES[legal[-1]]))


def _wanted(now: Situation) -> Sequence[tuple[str, str]]:
    report = now.report
    reached, doubts = report.goal == REACHED, report.doubts
    breaks = f"it breaks what worked ({report.broken[0]})" if report.broken else ""
    amiss = breaks or (f"nobody has said that this is meant: {doubts[0]}" if doubts else "")
    table = (
        (not report.is_applied, "refine", "it could not be applied; another one is asked for"),
        (report.is_clean, "keep", "the goal is reached and nothing broke"),
        (breaks and reached, "refine", f"the goal is reached, but {breaks}"),
        (breaks, "different", breaks),
        (doubts, "refine", amiss),
        (report.goal == OPEN, "keep", "nothing broke, and whether the goal is reached cannot be checked here"),
        (report.better, "keep_partial", f"the goal is not reached, but nothing broke and {(*report.better, '')[0]}"),
        (now.in_vain > 1, "different", "the last changes made nothing better"),
        (True, "refine", "nothing broke, and the goal is not reached"),
    )
    wanted = next((move, why) for holds, move, why in table if holds)
    back = amiss or ("it changes nothing" if report.goal == OPEN else "it makes nothing better")
    return wanted, ("roll_back", back)


def chosen_move(words: str, legal: Sequence[str]) -> tuple[str, int | None]:
    """The legal move that a model's words name, and the step that it names with it; ("", None) for none."""
    said = " ".join(re.sub(r"[_\-:.!\"'`*]", " ", words.lower()).split())
    named = _AT_STEP.fullmatch(said)
    bare = named[1].removesuffix(" to") if named is not None else said
    move = next((m for m in legal if bare == m.replace("_", " ") or bare in SYNONYMS[m]), "")
    return move, int(named[2]) if named is not None and move == "roll_back" else None


def no_change(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """One attempt is used up, as by a change that cannot be applied."""
    set_proposed(txn, node, Proposed("nobody", "", reason=reason))
    return ERROR


def not_verified(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The change could not be verified: it counts as one that could not be applied."""
    step = int(txn.store.load(node.refs[PENDING])["step"])
    set_report(txn, node, ChangeReport(failed_application=f"it could not be verified: {reason}"), step)
    return ERROR


def stop(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The run ends with the state that was kept last."""
    set_no_change(txn, node, reason)
    return ERROR


FAILURES = FailureTable.of(
    {Queue.FORMALIZE: no_change, Queue.CORRECT: no_change, Queue.VERIFY: not_verified}, otherwise=stop
)

PROMPT = "change-decision"
DECISION_SCHEMA = object_of("decision", closed=True, reason="string", decision="string")
"""No enumeration: a decision to go back names the step, in one's own words."""


@agent(queue=Queue.DECIDE, quick=True, role=DECIDER, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or that of the table."""
    task = deps.task_as(Change)
    by_model = deps.has_model(AUTHOR)
    now = await deps.store.on_thread(situation, deps.store, task, node, by_model=by_model)
    advice = await _advice(node, deps, task, now)

    def apply(txn: Txn) -> str:
        move, why = preferred(now)
        by, to = "table", None
        if advice is not None:
            advice.round.log(txn, node)
            if advice.move:
                move, to, by, why = advice.move, advice.to, "model", advice.reason or MOVES[advice.move]
            else:
                why = f"{why} (the model's choice cannot be used: {advice.reason})"
        return set_decision(txn, node, task.case, Decision(move, why, by, to, now.goes_on), legal_moves(now))

    return apply


def situation(store: StoreReader, task: Change, node: ProofNode, *, by_model: bool) -> Situation:
    """What the decision is about, as the store has it; ``by_model``: a model can propose another change."""
    in_vain = 0
    for step in reversed(steps_of(store)[1:]):
        if step.get("goal") == REACHED or step.get("better") or step.get("move") == "different":
            break
        in_vain += 1
    entries = store.history(ROOT)
    back = max((n for n, e in enumerate(entries) if e.kind == "decision" and e.entry.get("by") == PERSON), default=-1)
    attempts = store.root().attempts - used(store, PATCH, back + 1)  # changes that were given are none of the model's
    goes_on = used(store, PATCH) < len(patches_of(store, task)) or (by_model and attempts < task.max_attempts)
    kept = state_text(store, node, KEPT, task.text)
    same = PENDING in node.refs and store.load(store.load(node.refs[PENDING])["text"]) == kept
    return Situation(ChangeReport.from_json(store.load(node.refs[REPORT])), goes_on, in_vain, same)


async def _advice(node: ProofNode, deps: Deps, task: Change, now: Situation) -> Advice | None:
    """The model's advice; None where there is no model, or nothing to choose."""
    choices = legal_moves(now)
    if not deps.has_model(DECIDER) or now.report.is_clean or len(choices) < 2:
        return None
    known = await deps.store.on_thread(states, deps.store)
    words = await deps.store.on_thread(decision_variables, deps.store, task, node)
    words["moves"] = "\n".join(f"- {move}: {MOVES[move]}" for move in choices)

    async def read(reply: Reply) -> Outcome:
        said: dict[str, Any] = reply.parsed or {}
        move, to = chosen_move(str(said.get("decision", "")), choices)
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(choices)}")
        if to is not None and to not in known:
            return Outcome(False, {}, f"there is no state after step {to}")
        return Outcome(True, {"move": move, "to": to, "reason": " ".join(str(said.get("reason", "")).split())[:300]})

    done = await ask_once(deps, node, DECIDER, PROMPT, words, DECISION_SCHEMA, read=read)
    return Advice(done, reason=done.reason) if done.winner is None else Advice(done, **done.winner.value)
