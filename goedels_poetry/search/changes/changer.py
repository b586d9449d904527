"""The agents that measure the file, propose the next change (a given one, or a model's) and verify it in a copy."""

from __future__ import annotations

from dataclasses import replace

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes import (
    Baseline,
    ChangeReport,
    NotApplicable,
    apply,
    baseline_for,
    plain,
    read_proposal,
    verified,
)
from goedels_poetry.search.agents.conversation import Message, conversation, say
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.changes.wording import decided, first_variables, shown_file
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.search.tasks.change_extraction import change_in, unfenced
from goedels_poetry.search.tasks.change_moves import (
    BASELINE,
    KEPT,
    PENDING,
    STATE,
    SURVEY,
    Proposed,
    on_another_state,
    set_no_change,
    set_proposed,
    set_report,
    set_surveyed,
    state_of,
    state_text,
)
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ROOT, ProofNode, Queue
from goedels_poetry.store.txn import Txn

ROLE = "corrector"
"""The role that writes changes."""
MORE = "patches"
"""Fact of a run: changes that a person has added when it had ended."""
PATCH, MODEL = "patch", "model"
"""How the source of a step begins."""


def change_of(deps: Deps) -> Change:
    """The change that this run is about."""
    if not isinstance(deps.task, Change):
        raise InvalidInput("there is no file to change")
    return deps.task


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
    task = change_of(deps)
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
    task = change_of(deps)
    pending = await deps.load(node, PENDING)
    text = await deps.store.on_thread(deps.store.load, pending["text"])
    report = await verified(task.case, await baseline_in(deps, node), str(text))
    return lambda txn: set_report(txn, node, report, int(pending["step"]))


NOTE = "(Your last reply could not be used: {}.)"


@agent(queue=(Queue.FORMALIZE, Queue.CORRECT), name="changer")
async def changer(node: ProofNode, deps: Deps) -> Apply:
    """The next change that was given; then one by a model."""
    task, store = change_of(deps), deps.store
    patches = await store.on_thread(patches_of, store, task)
    number = await store.on_thread(used, store, PATCH)
    if number < len(patches):
        proposed, to = await store.on_thread(_given, store, task, node, patches[number], number + 1)
        return lambda txn: _begun(txn, node, proposed, to)
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
        words = first_variables(task, await baseline_in(deps, node), text)
        if report is not None:
            tried = f"A change was tried before, and this came of it:\n\n{report.words}"
            words["more"] = f"{words['more']}\n\n{tried}"
        return "change-initial", words
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


def _begun(txn: Txn, node: ProofNode, proposed: Proposed, to: int | None) -> str:
    if to is not None:
        node = on_another_state(txn, node, to, f"the next change ({proposed.source}) fits this state alone")
    return set_proposed(txn, node, proposed)
