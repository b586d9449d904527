"""The agents that measure the file, propose the next change (a given one, or a model's) and verify it in a copy."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
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
from goedels_poetry.python.changes.measuring import project_file, symptom_of
from goedels_poetry.search.agents.conversation import Message, conversation, say
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import NOTHING
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.change import (
    BASELINE,
    KEPT,
    PENDING,
    STATE,
    SURVEY,
    Change,
    Proposed,
    change_in,
    on_another_state,
    set_back,
    set_no_change,
    set_proposed,
    set_report,
    set_surveyed,
    state_of,
    state_text,
    steps_of,
    unfenced,
)
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, ProofNode, Queue
from goedels_poetry.store.txn import Txn

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


ROLE = "corrector"
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
    if deps.has_model(ROLE):
        return await _ask(node, deps, task)
    return lambda txn: set_no_change(txn, node, "there is no further change to try")


async def _ask(node: ProofNode, deps: Deps, task: Change) -> Apply:
    """Send, and see what came: one attempt in any case."""
    turns = await conversation(deps, node)
    text = await deps.store.on_thread(state_text, deps.store, node, STATE, task.text)
    base = int((await deps.store.on_thread(state_of, deps.store, node, STATE))["step"])
    prompt, words = await _message(node, deps, task, text, begun=bool(turns))
    done = await say(node, deps, Message(ROLE, prompt, words, turns), lambda reply: {"change": change_in(reply)})
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
