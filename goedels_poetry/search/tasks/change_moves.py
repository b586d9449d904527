"""The moves of a run that verifies a change and decides on it, and what can be read of them afterwards.

The root carries everything: what was before, the present state of the file, the last state that was kept, the change
that is looked at and the report on it. States are numbered by steps: 0 is the file as it was, n what the n-th change
made of it. Every step stands in the history, with its text, its report and the decision on it, so any state can be had
again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.changes import ChangeCase, ChangeReport, evidence_of
from goedels_poetry.python.changes.comparing import REACHED
from goedels_poetry.search.tasks.attempts import REPORT, Turn, attempted, to_decide, with_turns, without
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue
from goedels_poetry.store.txn import Txn

Json = dict[str, Any]

BASELINE, STATE, KEPT, PENDING = "baseline", "state", "kept", "candidate"
"""References of the root besides those of `attempts`: what was before; the present state; the last one kept; the change
that is looked at."""
SURVEY = Queue.CHECK_SEMANTICS
"""Where a run begins: what the file does now is found out."""
AS_IT_WAS = "the file stays as it was"

# -- looking ---------------------------------------------------------------------------------------------------------


def state_of(store: StoreReader, root: ProofNode, name: str) -> Json:
    """One of the root's states: ``{"step", "text" (a reference; missing: the file as it was), "report"?: JSON}``."""
    if name not in root.refs:
        return {"step": 0}
    found: Json = store.load(root.refs[name])
    return found


def state_text(store: StoreReader, root: ProofNode, name: str, original: str) -> str:
    """The text of one of the root's states."""
    state = state_of(store, root, name)
    return str(store.load(state["text"])) if "text" in state else original


def steps_of(store: StoreReader) -> list[Json]:
    """Every change of a run, oldest first: ``{"step", "base", "source", "notes", "goal"?, "broken"?, "better"?,
    "reason", "move"?, "to"?, "by"?, "why"?, "seq"}``; step 0 is the file as it was."""
    found: dict[int, Json] = {0: {"step": 0, "source": "the file as it was"}}
    for entry in store.history(ROOT):
        facts = entry.entry
        step = int(facts.get("step", 0))
        match entry.kind:
            case "change":
                found[step] = {**_named(facts, "step", "base", "source", "notes", "reason"), "seq": entry.seq}
            case "verification":
                checked = _named(facts, "goal", "broken", "better", "reason", "tests")
                found.setdefault(step, {"step": step}).update(checked)
            case "decision" if step in found:
                found[step] |= {**_named(facts, "move", "to", "by"), "why": facts.get("reason", "")}
    return list(found.values())


def _named(facts: Json, *names: str) -> Json:
    return {name: facts[name] for name in names if name in facts}


def text_of_step(store: StoreReader, step: int, original: str) -> str:
    """The file as a step left it; raises KeyError when there is no such state."""
    return original if step == 0 else str(store.load(_ref_of_step(store, step)))


def _ref_of_step(store: StoreReader, step: int) -> str:
    for entry in store.history(ROOT):
        if entry.kind == "change" and entry.entry.get("step") == step and "file_ref" in entry.entry:
            return str(entry.entry["file_ref"])
    raise KeyError(step)


def last_step(history: Iterable[HistoryEntry]) -> int:
    """The number of the last change; 0 before the first."""
    return max((int(e.entry["step"]) for e in history if e.kind == "change"), default=0)


# -- moves -----------------------------------------------------------------------------------------------------------


def set_surveyed(txn: Txn, node: ProofNode, baseline: Json, words: str) -> str:
    """What was before is known: a change is proposed next."""
    ref = txn.save(baseline)
    txn.log(node.id, "baseline", reason=words, baseline_ref=ref)
    txn.reason = words
    txn.put(replace(node, queue=Queue.FORMALIZE, refs={**node.refs, BASELINE: ref}))
    return "measured"


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change that somebody proposes."""

    source: str
    """"patch 1", "model", "repair"."""
    change: str
    """As it was given."""
    text: str | None = None
    """The file with it; None where it could not be applied."""
    base: int = 0
    """The state that it was applied to."""
    notes: tuple[str, ...] = ()
    reason: str = ""
    """Why it could not be applied."""


def set_proposed(txn: Txn, node: ProofNode, proposed: Proposed, turns: Iterable[Turn] | None = None) -> str:
    """There is a change: it is verified next, or where it has no place the decider is asked."""
    step = _last(txn) + 1
    refs = with_turns(txn, node.refs, turns)
    entry: Json = {"step": step, "base": proposed.base, "source": proposed.source, "notes": list(proposed.notes)}
    if proposed.change:
        entry["change_ref"] = txn.save(proposed.change)
    node = attempted(txn, node, refs)
    if proposed.text is None:
        txn.log(node.id, "change", **entry, reason=proposed.reason)
        refs.pop(PENDING, None)
        report = ChangeReport(failed_application=proposed.reason)
        return set_report(txn, replace(node, refs=refs), report, step)
    text = txn.save(proposed.text)
    txn.log(node.id, "change", **entry, file_ref=text)
    refs[PENDING] = txn.save({"step": step, "text": text, "base": proposed.base, "source": proposed.source})
    txn.reason = "; ".join(proposed.notes)
    txn.put(replace(node, queue=Queue.VERIFY, refs=refs))
    return f"step {step}: {proposed.source}"


def set_report(txn: Txn, node: ProofNode, report: ChangeReport, step: int) -> str:
    """A change was verified: the decider is asked."""
    ref = txn.save({"step": step, **report.to_json()})
    txn.log(
        node.id,
        "verification",
        step=step,
        goal=report.goal if report.is_applied else "not applied",
        broken=list(report.broken),
        better=list(report.better),
        tests=[report.tests_before, report.tests_passed],
        reason=report.reason,
        report_ref=ref,
    )
    if report.breaks or report.goal != REACHED:
        txn.log(node.id, "failure", step=step, reason=report.reason)
    to_decide(txn, node, {**node.refs, REPORT: ref}, report.reason)
    return "verified" if report.is_applied else "not applied"


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with a change."""

    move: str
    """One of `search.changes.moves.MOVES`."""
    reason: str
    by: str
    """"table", "model" or "person"."""
    to: int | None = None
    """For a roll back: the state to go back to; None: the last one that was kept."""
    goes_on: bool = False
    """Whether another change is asked for."""


def set_decision(txn: Txn, node: ProofNode, case: ChangeCase, decision: Decision, legal: Iterable[str]) -> str:
    """Make a move. It is recorded with its reason before anything comes of it."""
    report: Json = txn.store.load(node.refs[REPORT])
    step = int(report["step"])
    state, kept = (state_of(txn.store, node, name) for name in (STATE, KEPT))
    pending = txn.store.load(node.refs[PENDING]) if PENDING in node.refs else None
    if decision.move in ("keep", "keep_partial") and pending is not None:
        state = kept = {"step": step, "text": pending["text"], "report": _short(report)}
    elif decision.move == "refine" and pending is not None:
        state = {"step": step, "text": pending["text"]}
    elif decision.move == "different":
        state = kept
    elif decision.move == "roll_back":
        state = kept if decision.to is None else _state_at(txn, decision.to)
        if decision.to is not None and int(kept["step"]) > decision.to:
            kept = state  # whoever goes back behind what was kept takes that back, too
    _record(txn, step, decision.move, decision.by, state, legal, decision.reason)
    refs = without(node.refs, PENDING)
    refs |= {STATE: txn.save(state), KEPT: txn.save(kept)}
    node = replace(node, refs=refs)
    outcome = decision.move.replace("_", " ")
    if decision.move == "roll_back":
        outcome = f"roll back to step {state['step']}"
    if decision.goes_on and decision.move not in ("keep", "stop"):
        afresh = decision.move in ("different", "roll_back")
        txn.put(replace(node, queue=Queue.FORMALIZE if afresh else Queue.CORRECT))
        return outcome
    _end(txn, node, case, kept, report, decision.reason)
    return outcome


def _short(report: Json) -> Json:
    """A report without the texts of failures."""
    return {name: value for name, value in report.items() if name != "failures"}


def _state_at(txn: Txn, step: int) -> Json:
    """The state that a step left; that step need not have been kept."""
    try:
        return {"step": step, "text": _ref_of_step(txn.store, step)} if step else {"step": 0}
    except KeyError:
        raise ValueError(f"there is no state after step {step}") from None


def _end(txn: Txn, node: ProofNode, case: ChangeCase, kept: Json, report: Json, reason: str) -> None:
    """The run ends with the state that was kept last; whether it is ``tested`` the checker says."""
    of_kept = ChangeReport.from_json(kept["report"]) if "report" in kept else None
    if of_kept is not None and of_kept.is_tested:
        text = str(txn.store.load(kept["text"]))
        txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=of_kept.reason))
        txn.set_verdict(Verdict.TESTED, of_kept.reason, evidence_of(case, text))
        return
    if of_kept is not None:
        line = f"kept after step {kept['step']}: {of_kept.reason}"
    else:
        line = f"{AS_IT_WAS}: {report_line(report)}"
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=line))
    txn.set_verdict(Verdict.UNKNOWN, line, {})


def report_line(report: Json) -> str:
    """The one line of a stored report."""
    return ChangeReport.from_json(report).reason


def set_no_change(txn: Txn, node: ProofNode, reason: str) -> str:
    """Nobody has a change to propose any more: the run ends with what was kept."""
    kept = state_of(txn.store, node, KEPT)
    _record(txn, _last(txn), "stop", "table", {"step": kept["step"]}, ["stop"], reason)
    line = f"kept after step {kept['step']}: {reason}" if kept["step"] else f"{AS_IT_WAS}: {reason}"
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=line))
    txn.set_verdict(Verdict.UNKNOWN, line, {})
    return "no change"


def on_another_state(txn: Txn, node: ProofNode, step: int, reason: str) -> ProofNode:
    """The file goes back to a state because the next change, which somebody has given, fits there alone."""
    state = _state_at(txn, step)
    _record(txn, _last(txn), "roll_back", "table", {"step": step}, ["roll_back"], reason)
    return replace(node, refs={**node.refs, STATE: txn.save(state)})


def _record(txn: Txn, step: int, move: str, by: str, state: Json, legal: Iterable[str], reason: str) -> None:
    """A decision, with the state that it leads to, before anything comes of it."""
    text = {"file_ref": state["text"]} if "text" in state else {}
    to = int(state["step"])
    txn.log(ROOT, "decision", step=step, move=move, by=by, to=to, legal=list(legal), reason=reason, **text)
    txn.reason = reason


def _last(txn: Txn) -> int:
    return last_step(txn.store.history(ROOT))


def set_back(txn: Txn, node: ProofNode, step: int, reason: str) -> str:
    """A person goes back to an earlier state, and on from there; raises ValueError when there is no such state."""
    state = _state_at(txn, step)
    _record(txn, _last(txn), "roll_back", "person", state, ["roll_back"], reason)
    txn.clear_verdict()
    kept = state if int(state_of(txn.store, node, KEPT)["step"]) > step else state_of(txn.store, node, KEPT)
    refs = without(node.refs, PENDING, REPORT)
    refs |= {STATE: txn.save(state), KEPT: txn.save(kept)}
    node = replace(node, queue=Queue.FORMALIZE, status=NodeStatus.OPEN, attempts=0, reason=reason, refs=refs)
    txn.put(node)
    return f"back to step {step}"
