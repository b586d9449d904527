"""The agents of changes: measure the file, propose the next change (a given one, or a model's), verify it, decide.

The decider chooses what is done with a verified change: keep, refine, another approach, roll back to a step. Code
computes the legal moves, a table prefers some. Keeping what breaks something that worked is never legal, nor is keeping
a change as progress that made nothing better. Where something is amiss a model is asked, if there is one; an illegal
choice gives way to the table. Every decision is recorded with its author and reason.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
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
from goedels_poetry.python.changes.comparing import MISSED, OPEN, REACHED
from goedels_poetry.python.changes.measuring import project_file, symptom_of
from goedels_poetry.search.agents.conversation import Message, conversation, say
from goedels_poetry.search.agents.decider import PROMPT, Advice
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

MOST_TEXT = 60_000
"""Characters of a file that are shown."""
MOST_ERROR = 8_000
MOST_STORY = 12_000
MOST_FAILURE = 3_000
MOST_MORE = 12_000
"""Characters of other files that are shown."""


def error_of(task: Change) -> str:
    """The error, and the commands that show it."""
    parts = [task.error.strip()[:MOST_ERROR]] if task.error.strip() else []
    if task.tests:
        parts.append(f"The test command is: {' '.join(task.tests)}")
    if task.run:
        parts.append(f"The command that shows the error is: {' '.join(task.run)}")
    return "\n\n".join(parts)


def found_before(base: Baseline) -> str:
    """What the baseline says, with the ends of the failures that show the error."""
    found = base.measured
    lines = []
    if found.fault:
        lines.append(f"The file does not compile: {found.fault}")
    if found.tests:
        lines.append(f"{len(found.passing())} tests pass; these fail:")
        lines += [f"- {name}" for name in found.failing()[:20]]
    for name in base.targets[:4]:
        text = str(found.tests.get(name, {}).get("text", ""))
        if text:
            lines += ["", "```", name, text[-MOST_FAILURE:], "```"]
    if found.run is not None and found.run["code"] != 0 and base.run:
        lines += ["", "```", f"$ {' '.join(base.run)}", str(found.run["text"])[-MOST_FAILURE:], "```"]
    lines += [f"- {note}" for note in base.notes]
    return "\n".join(lines) or NOTHING


def shown_file(task: Change, text: str) -> str:
    """A state of the file in a block whose fence does not occur in it."""
    body = plain(text)
    if len(body) > MOST_TEXT:
        body = f"{body[:MOST_TEXT]}\n[... {len(body) - MOST_TEXT} more characters are not shown]"
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}{'python' if task.case.is_python else ''}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}"


def other_files(task: Change, base: Baseline) -> str:
    """Files that the error is about: those of tests that show it, and those of its traceback."""
    case = task.case
    paths = [target.partition("::")[0].removesuffix(" (collection)") for target in base.targets]
    frames = symptom_of(task.error).frames
    paths += [project_file(frame.file, case.files) for frame in frames]
    parts: list[str] = []
    room = MOST_MORE
    for path in dict.fromkeys(paths):
        text = case.files.get(path)
        if isinstance(text, str) and path != case.file and len(text) < room:
            parts.append(f"`{path}` (it stays as it is):\n\n```\n{plain(text)}\n```")
            room -= len(text)
    return "\n\n".join(parts) or NOTHING


def decision_variables(store: StoreReader, task: Change, node: ProofNode) -> dict[str, str]:
    """The variables of the prompt about a decision, but for the moves."""
    report = ChangeReport.from_json(store.load(node.refs[REPORT]))
    state = state_text(store, node, STATE, task.text)
    pending = store.load(node.refs[PENDING]) if PENDING in node.refs else None
    after = str(store.load(pending["text"])) if pending is not None else state
    step = state_of(store, node, STATE)["step"]
    applied = "with the change" if pending is not None else "the change could not be applied to it"
    statement = f"Change the file {task.file} so that this is gone:\n\n{error_of(task)}"
    return {
        "statement": f"{statement}\n\nThe file as it is now ({applied}):\n\n{shown_file(task, after)}",
        "candidate": f"To the state after step {step}:\n\n{_change(store, node, state, after, task)}",
        "report": report.words,
        "history": story(store),
    }


def _change(store: StoreReader, node: ProofNode, before: str, after: str, task: Change) -> str:
    difference = unified(before, after, task.file)
    if difference:
        return f"```diff\n{difference[:MOST_STORY]}```"
    last: dict[str, Any] = next((e.entry for e in reversed(store.history(node.id)) if e.kind == "change"), {})
    return str(store.load(last["change_ref"]))[:MOST_STORY] if "change_ref" in last else NOTHING


def story(store: StoreReader) -> str:
    """Every step so far with its report and decision, oldest first."""
    lines = []
    for step in steps_of(store)[1:]:
        lines.append(
            f"- step {step['step']} ({step.get('source', '')}, to the state after step {step.get('base', 0)}): "
            f"{step.get('reason', '')}"
        )
        if "move" in step:
            lines.append(f"  decided by the {step['by']}: {step['move'].replace('_', ' ')}; {step['why']}")
            if step["to"] != step["step"]:
                lines.append(f"  the file went back to the state after step {step['to']}")
    return "\n".join(lines)[-MOST_STORY:] or NOTHING


def decided(store: StoreReader) -> str:
    """The last decision as the author of the change is told."""
    last = steps_of(store)[-1]
    move, to = str(last.get("move", "refine")), last.get("to", 0)
    state = f"the state after step {to}" if to else "step 0, as it was before any change"
    said = {
        "refine": "your next change builds on this state of the file.",
        "keep_partial": "this is kept as partial progress; your next change builds on it.",
        "different": f"the file is back in {state}; try a different approach.",
        "roll_back": f"the file was rolled back to {state}; go on from there.",
    }
    return f"{said.get(move, said['refine'])} Why: {last.get('why', '')}"


AUTHOR = "corrector"
"""The role that writes changes."""
MORE = "patches"
"""Fact of a run: changes that a person has added when it had ended."""
PATCH, MODEL = "patch", "model"
"""How the source of a step begins."""


async def baseline_in(deps: Deps, node: ProofNode) -> Baseline:
    """What was before any change."""
    return Baseline.from_json(await deps.load(node, BASELINE))


def patches_of(store: StoreReader, task: Change) -> tuple[str, ...]:
    """Changes that were given, those that came later included."""
    return (*task.patches, *map(str, store.meta(MORE) or ()))


def used(store: StoreReader, source: str) -> int:
    """How many changes of a source the run has seen."""
    return sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(source) for e in store.history(ROOT))


@agent(queue=SURVEY, name="surveyor")
async def surveyor(node: ProofNode, deps: Deps) -> Apply:
    """Run everything that there is to run, twice where it is tests."""
    task = deps.task_as(Change)
    base = await baseline_for(task.case)
    return lambda txn: set_surveyed(txn, node, base.to_json(), _line(base))


def _line(base: Baseline) -> str:
    """One line for people."""
    found = base.measured
    parts = [f"{len(found.passing())} tests pass, {len(found.failing())} fail"] if found.tests else []
    if found.fault:
        parts.append(f"it does not compile: {found.fault}")
    if base.targets:
        parts.append(
            f"the error shows in {base.targets[0]}" + (f" and {n} more" if (n := len(base.targets) - 1) else "")
        )
    elif base.run and found.run is not None and found.run["code"] != 0:
        parts.append(f"the error shows in: {' '.join(base.run)}")
    return "; ".join([*parts, *base.notes]) or "nothing was found by which a change could be judged"


@agent(queue=Queue.VERIFY, name="verifier")
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Verify against what was before any change, whatever state the change was applied to."""
    task = deps.task_as(Change)
    pending = await deps.load(node, PENDING)
    text = await deps.store.on_thread(deps.store.load, pending["text"])
    report = await verified(task.case, await baseline_in(deps, node), str(text))
    return lambda txn: set_report(txn, node, report, int(pending["step"]))


NOTE = "(Your last reply could not be used: {}.)"


@agent(queue=(Queue.FORMALIZE, Queue.CORRECT), name="changer")
async def changer(node: ProofNode, deps: Deps) -> Apply:
    """The next change that was given; then one by a model."""
    task, store = deps.task_as(Change), deps.store
    patches = await store.on_thread(patches_of, store, task)
    number = await store.on_thread(used, store, PATCH)
    if number < len(patches):
        proposed, to = await store.on_thread(_given, store, task, node, patches[number], number + 1)

        def begun(txn: Txn) -> str:
            alone = f"the next change ({proposed.source}) fits this state alone"
            return set_proposed(txn, node if to is None else on_another_state(txn, node, to, alone), proposed)

        return begun
    if deps.has_model(AUTHOR):
        return await _ask(node, deps, task)
    return lambda txn: set_no_change(txn, node, "there is no further change to try")


async def _ask(node: ProofNode, deps: Deps, task: Change) -> Apply:
    """Send, and see what came: one attempt in any case."""
    turns = await conversation(deps, node)
    text = await deps.store.on_thread(state_text, deps.store, node, STATE, task.text)
    base = int((await deps.store.on_thread(state_of, deps.store, node, STATE))["step"])
    prompt, words = await _message(node, deps, task, text, begun=bool(turns))
    done = await say(node, deps, Message(AUTHOR, prompt, words, turns), lambda reply: {"change": change_in(reply)})
    source = f"{MODEL}, attempt {await deps.store.on_thread(used, deps.store, MODEL) + 1}"
    proposed = Proposed(source, "", base=base, reason=done.round.reason)
    if done.value is not None:
        proposed = proposal(task, done.value["change"], text, source, base, pieces=True)

    def apply_(txn: Txn) -> str:
        done.round.log(txn, node)
        return set_proposed(txn, node, proposed, done.turns)

    return apply_


async def _message(node: ProofNode, deps: Deps, task: Change, text: str, *, begun: bool) -> tuple[str, dict[str, str]]:
    """The prompt that is sent next, and its variables."""
    stored = await deps.load(node, REPORT)
    report = ChangeReport.from_json(stored) if stored is not None else None
    if not begun:
        base = await baseline_in(deps, node)
        tried = f"\n\nA change was tried before, and this came of it:\n\n{report.words}" if report is not None else ""
        more = other_files(task, base) + tried
        shown = {"file": task.file, "error": error_of(task), "text": shown_file(task, text), "more": more}
        return "change-initial", shown | {"found": found_before(base)}
    said = await deps.store.on_thread(decided, deps.store)
    note = NOTE.format(report.failed_application) if report is not None and not report.is_applied else ""
    told = report.words if report is not None else "A person went back to an earlier state of the file."
    return "change-report", {"report": told, "decision": said, "text": shown_file(task, text), "note": note}


def proposal(task: Change, change: str, text: str, source: str, base: int, *, pieces: bool) -> Proposed:
    """A change applied to a text, or why it cannot be."""
    try:
        applied = apply(text, read_proposal(change, plain(text), task.file, link=task.link, pieces=pieces))
    except (InvalidInput, NotApplicable) as problem:
        return Proposed(source, change, base=base, reason=str(problem))
    return Proposed(source, change, applied.text, base, applied.notes)


def _given(store: ProofStore, task: Change, node: ProofNode, patch: str, number: int) -> tuple[Proposed, int | None]:
    """A change that was given, applied to the present state, or else to the one that was kept last, or to the file."""
    source = f"{PATCH} {number}"
    change = unfenced(patch)
    present = int(state_of(store, node, STATE)["step"])
    kept = int(state_of(store, node, KEPT)["step"])
    failed = ""
    for step, text in {
        present: state_text(store, node, STATE, task.text),
        kept: state_text(store, node, KEPT, task.text),
        0: task.text,
    }.items():
        proposed = proposal(task, change, text, source, step, pieces=False)
        if proposed.text is not None:
            return replace(proposed, change=patch), None if step == present else step
        failed = failed or proposed.reason
    return Proposed(source, patch, base=present, reason=failed), None


PERSON = "person"
"""Who commits it."""


def go_back(data_dir: Path, run: str, step: int, patches: tuple[str, ...] = (), reason: str = "") -> str:
    """Record the decision; the run can then be resumed. Returns its id; raises UnknownRun, RunLocked, InvalidInput."""
    place = Runs(data_dir).get(run)
    with place.lock():
        store = place.open()
        try:
            if (store.meta("task") or [""])[0] != "change":
                raise InvalidInput(f"run {run} is about no change")
            said = reason or f"a person goes back to the state after step {step}"

            def move(txn: Txn) -> str:
                if patches:
                    txn.remember(MORE, [*(txn.store.meta(MORE) or ()), *patches])
                return set_back(txn, txn.get(ROOT), step, said)

            try:
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


MOVES = {
    "keep": "the change is kept, and the work is done",
    "keep_partial": "the change is kept as partial progress, and the next one builds on it",
    "refine": "the next change builds on this state of the file",
    "different": "the file goes back to the state that was kept last, for a different approach",
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
    report, back = now.report, "it makes nothing better"
    if not report.is_applied:
        return (("refine", "it could not be applied; another one is asked for"), ("stop", MOVES["stop"]))
    if report.is_clean:
        return (("keep", "the goal is reached and nothing broke"),)
    if report.broken:
        back = f"it breaks what worked ({report.broken[0]})"
        reached = report.goal == REACHED
        wanted = ("refine", f"the goal is reached, but {back}") if reached else ("different", back)
    elif report.doubts:
        back = f"nobody has said that this is meant: {report.doubts[0]}"
        wanted = ("refine", back)
    elif report.goal == OPEN:
        back = "it changes nothing"
        wanted = ("keep", "nothing broke, and whether the goal is reached cannot be checked here")
    elif report.better:
        wanted = ("keep_partial", f"the goal is not reached, but nothing broke and {report.better[0]}")
    elif now.in_vain > 1:
        wanted = ("different", "the last changes made nothing better")
    else:
        wanted = ("refine", "nothing broke, and the goal is not reached")
    return wanted, ("roll_back", back)


def chosen_move(words: str, legal: Sequence[str]) -> tuple[str, int | None]:
    """The legal move that a model's words name, and the step that it names with it; ("", None) for none."""
    said = " ".join(re.sub(r"[_\-:.!\"'`*]", " ", words.lower()).split())
    named = re.fullmatch(r"(.*?)(?: (?:to )?(?:the )?(?:step|state|state after step))? ?(?:to )?(\d+)", said)
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

ROLE = "decider"

DECISION_SCHEMA = object_of("decision", closed=True, reason="string", decision="string")
"""No enumeration: a decision to go back names the step, in one's own words."""


@agent(queue=Queue.DECIDE, quick=True, role=ROLE, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or that of the table."""
    task = deps.task_as(Change)
    now = await deps.store.on_thread(situation, deps.store, deps, task, node)
    advice = await _advice(node, deps, task, now)

    def apply(txn: Txn) -> str:
        legal = legal_moves(now)
        move, why = preferred(now)
        by, to = "table", None
        if advice is not None:
            advice.round.log(txn, node)
            if advice.move:
                move, to, by, why = advice.move, advice.to, "model", advice.reason or MOVES[advice.move]
            else:
                why = f"{why} (the model's choice cannot be used: {advice.reason})"
        return set_decision(txn, node, task.case, Decision(move, why, by, to, now.goes_on), legal)

    return apply


def situation(store: StoreReader, deps: Deps, task: Change, node: ProofNode) -> Situation:
    """What the decision is about, as the store has it."""
    report = ChangeReport.from_json(store.load(node.refs[REPORT]))
    in_vain = 0
    for step in reversed(steps_of(store)[1:]):
        if step.get("goal") == REACHED or step.get("better") or step.get("move") == "different":
            break
        in_vain += 1
    kept = state_text(store, node, KEPT, task.text)
    same = PENDING in node.refs and store.load(store.load(node.refs[PENDING])["text"]) == kept
    return Situation(report, goes_on(store, deps, task), in_vain, same)


async def _advice(node: ProofNode, deps: Deps, task: Change, now: Situation) -> Advice | None:
    """The model's advice; None where there is no model, or nothing to choose."""
    choices = legal_moves(now)
    if not deps.has_model(ROLE) or now.report.is_clean or len(choices) < 2:
        return None
    known = await deps.store.on_thread(states, deps.store)
    words = await deps.store.on_thread(decision_variables, deps.store, task, node)
    words["moves"] = "\n".join(f"- {move}: {MOVES[move]}" for move in choices)

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        move, to = chosen_move(str(said.get("decision", "")), choices)
        reason = " ".join(str(said.get("reason", "")).split())[:300]
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(choices)}")
        if to is not None and to not in known:
            return Outcome(False, {}, f"there is no state after step {to}")
        return Outcome(True, {"move": move, "to": to, "reason": reason})

    done = await ask_once(deps, node, ROLE, PROMPT, words, DECISION_SCHEMA, read=read)
    return Advice(done, reason=done.reason) if done.winner is None else Advice(done, **done.winner.value)


def goes_on(store: StoreReader, deps: Deps, task: Change) -> bool:
    """Whether anybody can propose another change."""
    if used(store, PATCH) < len(patches_of(store, task)):
        return True
    if not deps.has_model(AUTHOR):
        return False
    entries = store.history(ROOT)
    back = max((n for n, e in enumerate(entries) if e.kind == "decision" and e.entry.get("by") == "person"), default=-1)
    later = entries[back + 1 :]  # changes that were given are no attempts of the model's
    given = sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(PATCH) for e in later)
    return store.root().attempts - given < task.max_attempts
