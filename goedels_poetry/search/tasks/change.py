"""A change to a file: what is wrong, which changes are proposed, and the moves of a run that decides on them.

The root carries everything: what was before, the present state of the file, the last state that was kept, the change
that is looked at and the report on it. States are numbered by steps: 0 is the file as it was, n what the n-th change
made of it. Every step stands in the history, with its text, its report and the decision on it, so any state can be had
again.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.models.replies import Block, UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.python.changes import ChangeCase, ChangeReport, evidence_of, plain, read_proposal, unified
from goedels_poetry.python.changes.patches import MAX_CHANGE
from goedels_poetry.python.changes.verification import REACHED
from goedels_poetry.search.tasks.base import REPORT, Task, Turn, attempted, to_decide, with_turns, without
from goedels_poetry.store.reads import StoreReader, Txn
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue

_MARKS = re.compile(r"^(<{5,}|>{5,}|={5,})", re.MULTILINE)
_SEARCHES = re.compile(r"^<{5,}\s*\w*.*$", re.MULTILINE)
_REPLACES = re.compile(r"^>{5,}\s*\w*.*$", re.MULTILINE)
_DIFF = re.compile(r"^(@@|--- |\+\+\+ |diff --git )", re.MULTILINE)


def change_in(reply: Reply) -> str:
    """The change that a reply proposes, as text for `read_proposal`; raises UnusableReply."""
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (reply.finish == "length" and not fenced):
        raise UnusableReply("the reply is cut off before the end of the change")
    change = _found([block for block in fenced if block.text.strip()], without_thinking(reply.text))
    if not change.strip():
        raise UnusableReply("the reply holds no change: neither search and replace blocks, nor a diff, nor Python")
    if len(change) > MAX_CHANGE:
        raise UnusableReply(f"the change is longer than {MAX_CHANGE} characters")
    return change


def unfenced(text: str) -> str:
    """The change in a text that somebody gives; a text with fences is read like a reply."""
    if re.search(r"^(```|~~~)", text, re.MULTILINE) and not _is_python(text):
        try:
            return change_in(Reply(text))
        except UnusableReply:
            return text
    return text


def _found(fenced: list[Block], bare: str) -> str:
    """Search and replace blocks, else diffs, else the last Python with those definitions that it lacks."""
    texts = [block.text for block in fenced]
    forms: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
        (_SEARCHES, lambda text: bool(_REPLACES.search(text)) and len(_MARKS.findall(text)) >= 3),
        (_DIFF, lambda text: not _is_python(text)),
    )
    for pattern, is_one in forms:
        if fenced:
            found = [text for text in texts if pattern.search(text) and is_one(text)]
        else:
            start = pattern.search(bare)
            found = [bare[start.start() :]] if start is not None and is_one(bare) else []
        if found:
            return "\n".join(found)
    if not fenced:
        return bare if _is_python(bare) else ""
    python = [block.text for block in fenced if block.tag in ("python", "py", "python3", "") and _is_python(block.text)]
    whole = [text for text in python if _defined(text) or re.search(r"^(import|from) ", text, re.MULTILINE)]
    if not whole:
        return (python or texts)[-1]
    known = _defined(whole[-1])
    before = [text for text in whole[:-1] if _defined(text) and not (_defined(text) & known)]
    return "\n\n\n".join([*before, whole[-1]])


def _defined(text: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.parse(text).body if isinstance(node, kinds)}


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


Json = dict[str, Any]

BASELINE, STATE, KEPT, PENDING = "baseline", "state", "kept", "candidate"
"""References of the root besides those of `attempts`: what was before; the present state; the last one kept; the change
that is looked at."""
SURVEY = Queue.CHECK_SEMANTICS
"""Where a run begins: what the file does now is found out."""

# -- looking ---------------------------------------------------------------------------------------------------------


def state_of(store: StoreReader, root: ProofNode, name: str) -> Json:
    """One of the root's states: ``{"step", "text" (a reference; missing: the file as it was), "report"?: JSON}``."""
    found: Json = store.load(root.refs[name]) if name in root.refs else {"step": 0}
    return found


def state_text(store: StoreReader, root: ProofNode, name: str, original: str) -> str:
    """The text of one of the root's states."""
    return _text(store, state_of(store, root, name), original)


def _text(store: StoreReader, state: Json, original: str) -> str:
    return str(store.load(state["text"])) if "text" in state else original


def states(store: StoreReader) -> dict[int, Json]:
    """Every state that a step left, kept or not."""
    changes = [entry.entry for entry in store.history(ROOT) if entry.kind == "change" and "file_ref" in entry.entry]
    return {0: {"step": 0}} | {int(e["step"]): {"step": int(e["step"]), "text": e["file_ref"]} for e in changes}


def text_of_step(store: StoreReader, step: int, original: str) -> str:
    """The file as a step left it; raises KeyError when there is no such state."""
    return _text(store, states(store)[step], original)


_SHOWN = {
    "change": ("step", "base", "source", "notes", "reason"),
    "verification": ("goal", "broken", "better", "reason", "tests"),
    "decision": ("move", "to", "by", "why"),
}
"""Kind of history entry -> what a step shows of it."""


def steps_of(store: StoreReader) -> list[Json]:
    """Every change of a run, oldest first: ``{"step", "base", "source", "notes", "goal"?, "broken"?, "better"?,
    "reason", "move"?, "to"?, "by"?, "why"?, "seq"}``; step 0 is the file as it was."""
    found: dict[int, Json] = {0: {"step": 0, "source": "the file as it was"}}
    for entry in store.history(ROOT):
        step = int(entry.entry.get("step", 0))
        facts = {**entry.entry, "why": entry.entry.get("reason", "")}
        shown = {name: facts[name] for name in _SHOWN.get(entry.kind, ()) if name in facts}
        if entry.kind == "change":
            found[step] = {**shown, "seq": entry.seq}
        elif entry.kind == "verification" or step in found:
            found.setdefault(step, {"step": step}).update(shown)
    return list(found.values())


def last_step(store: StoreReader) -> int:
    """The number of the last change; 0 before the first."""
    return max((int(e.entry["step"]) for e in store.history(ROOT) if e.kind == "change"), default=0)


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
    step = last_step(txn.store) + 1
    refs = with_turns(txn, without(node.refs, PENDING), turns)
    entry: Json = {"step": step, "base": proposed.base, "source": proposed.source, "notes": list(proposed.notes)}
    if proposed.change:
        entry["change_ref"] = txn.save(proposed.change)
    node = attempted(txn, node, refs)
    if proposed.text is None:
        txn.log(node.id, "change", **entry, reason=proposed.reason)
        return set_report(txn, node, ChangeReport(failed_application=proposed.reason), step)
    text = txn.save(proposed.text)
    txn.log(node.id, "change", **entry, file_ref=text)
    pending = txn.save({"step": step, "text": text, "base": proposed.base, "source": proposed.source})
    txn.reason = "; ".join(proposed.notes)
    txn.put(replace(node, queue=Queue.VERIFY, refs={**refs, PENDING: pending}))
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
    """One of `search.agents.changes.MOVES`."""
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
    step, move = int(report["step"]), decision.move
    state, kept = (state_of(txn.store, node, name) for name in (STATE, KEPT))
    pending = txn.store.load(node.refs[PENDING]) if PENDING in node.refs else None
    if pending is not None and move in ("keep", "keep_partial", "refine"):
        state = {"step": step, "text": pending["text"]}
        if move != "refine":
            state["report"] = {name: value for name, value in report.items() if name != "failures"}
            kept = state
    elif move == "different" or (move == "roll_back" and decision.to is None):
        state = kept
    elif move == "roll_back" and decision.to is not None:
        state, kept = _gone_back(txn, node, decision.to)
    _record(txn, step, move, decision.by, state, legal, decision.reason)
    node = replace(node, refs=without(node.refs, PENDING) | {STATE: txn.save(state), KEPT: txn.save(kept)})
    if decision.goes_on and move not in ("keep", "stop"):
        txn.put(replace(node, queue=Queue.FORMALIZE if move in ("different", "roll_back") else Queue.CORRECT))
    else:
        _end(txn, node, kept, ChangeReport.from_json(kept.get("report", report)).reason, case)
    return f"roll back to step {state['step']}" if move == "roll_back" else move.replace("_", " ")


def _gone_back(txn: Txn, node: ProofNode, step: int) -> tuple[Json, Json]:
    """The state that a step left, and the last one kept: who goes back behind that takes it back, too."""
    state, kept = states(txn.store)[step], state_of(txn.store, node, KEPT)
    return state, state if int(kept["step"]) > step else kept


def _end(txn: Txn, node: ProofNode, kept: Json, why: str, case: ChangeCase | None = None) -> None:
    """The run ends with the state that was kept last; whether it is ``tested`` the checker says."""
    report = ChangeReport.from_json(kept["report"]) if "report" in kept else None
    line, verdict, evidence = why, Verdict.UNKNOWN, {}
    if case is not None and report is not None and report.is_tested:
        verdict, evidence = Verdict.TESTED, evidence_of(case, str(txn.store.load(kept["text"])))
    else:
        line = f"kept after step {kept['step']}: {why}" if kept["step"] else f"the file stays as it was: {why}"
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=line))
    txn.set_verdict(verdict, line, evidence)


def set_no_change(txn: Txn, node: ProofNode, reason: str) -> str:
    """Nobody has a change to propose any more: the run ends with what was kept."""
    kept = state_of(txn.store, node, KEPT)
    _record(txn, last_step(txn.store), "stop", "table", {"step": kept["step"]}, ["stop"], reason)
    _end(txn, node, kept, reason)
    return "no change"


def on_another_state(txn: Txn, node: ProofNode, step: int, reason: str) -> ProofNode:
    """The file goes back to a state because the next change, which somebody has given, fits there alone."""
    _record(txn, last_step(txn.store), "roll_back", "table", {"step": step}, ["roll_back"], reason)
    return replace(node, refs={**node.refs, STATE: txn.save(states(txn.store)[step])})


def _record(txn: Txn, step: int, move: str, by: str, state: Json, legal: Iterable[str], reason: str) -> None:
    """A decision, with the state that it leads to, before anything comes of it."""
    text = {"file_ref": state["text"]} if "text" in state else {}
    to = int(state["step"])
    txn.log(ROOT, "decision", step=step, move=move, by=by, to=to, legal=list(legal), reason=reason, **text)
    txn.reason = reason


def set_back(txn: Txn, node: ProofNode, step: int, reason: str) -> str:
    """A person goes back to an earlier state, and on from there; raises KeyError when there is no such state."""
    state, kept = _gone_back(txn, node, step)
    _record(txn, last_step(txn.store), "roll_back", "person", state, ["roll_back"], reason)
    txn.clear_verdict()
    refs = without(node.refs, PENDING, REPORT) | {STATE: txn.save(state), KEPT: txn.save(kept)}
    txn.put(replace(node, queue=Queue.FORMALIZE, status=NodeStatus.OPEN, attempts=0, reason=reason, refs=refs))
    return f"back to step {step}"


MAX_FILE, MAX_ATTEMPTS = 2_000_000, 6
"""Characters of a file that is changed; changes of a model."""
NOBODY = "no change is proposed: give one with --patch FILE, or a language model with --model NAME"
NOTHING_WRONG = "say what is wrong: --error TEXT, --test COMMAND or --run COMMAND"


@dataclass(frozen=True)
class Change(Task):
    """What is to be changed, and why."""

    kind: ClassVar[str] = "change"
    first_queue: ClassVar[str] = SURVEY

    text: str
    """The file, every character as it is."""
    file: str = "file.py"
    """Its path below the project's folder."""
    path: str = ""
    """Where it is on this machine."""
    link: str = ""
    """Its path where it was named by a link to it."""
    files: str = "{}"
    """The rest of the project as JSON; see `ChangeCase.files`."""
    executable: tuple[str, ...] = ()
    error: str = ""
    tests: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    """Proposed changes, in the order in which they are tried."""
    max_attempts: int = MAX_ATTEMPTS
    """Changes by a model, besides those that are given."""
    seconds: float = 60.0
    """Processor seconds for one run of the tests."""

    @cached_property
    def case(self) -> ChangeCase:
        """What is needed to verify a change."""
        rest, named = json.loads(self.files), (self.error, self.tests, self.run, self.meant, self.seconds)
        return ChangeCase(self.file, self.text, rest, self.executable, *named)

    @property
    def title(self) -> str:
        """See `Task`."""
        return f"change of {self.file}"

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        if len(self.text) > MAX_FILE:
            raise InvalidInput(f"{self.file} is longer than {MAX_FILE} characters")
        if not (self.error.strip() or self.tests or self.run):
            raise InvalidInput(NOTHING_WRONG)
        if not self.case.is_python and not (self.tests or self.run):
            raise InvalidInput(
                f"{self.file} is no Python file: it takes a test command (--test) to verify a change of it"
            )
        if self.max_attempts < 1 or self.seconds <= 0:
            raise InvalidInput("the numbers of attempts and of seconds must be positive")
        for number, patch in enumerate(self.patches, 1):
            try:  # one that is a change and has no place is an attempt
                read_proposal(unfenced(patch), plain(self.text), self.file, link=self.link)
            except InvalidInput as problem:
                what = f"patch {number}" if len(self.patches) > 1 else "the patch"
                raise InvalidInput(f"{what} cannot be used: {problem}") from None
        if not (self.patches or (models is not None and models.has("corrector"))):
            raise InvalidInput(NOBODY)

    async def read(self, language: Language, options: Json) -> Theorem:
        """See `Task`."""
        return Theorem(language.name, self.title, options, self.title)

    def submission(self, store: StoreReader) -> str:
        """See `Task`: the file as it was left."""
        return state_text(store, store.root(), KEPT, self.text)

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: the state that was left, how it came about, and the report on it."""
        root = store.root()
        kept = state_of(store, root, KEPT)
        text = _text(store, kept, self.text)
        told = {
            "file": self.file,
            "path": self.path,
            "state": int(kept["step"]),
            "text": text,
            "diff": unified(self.text, text, self.file),
            "report": kept.get("report"),
            "steps": steps_of(store),
        }
        return replace(result, answer={"change": told})
