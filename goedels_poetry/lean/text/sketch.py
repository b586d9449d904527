"""A sketch is Lean text with holes. Lean says what each hole has to prove; each becomes a lemma that stands alone.

Nothing is ever spliced into tactics: a hole is replaced by the application of its lemma to the local variables.
"""

from __future__ import annotations

import hashlib
import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from goedels_poetry.lean.errors.classify import advice
from goedels_poetry.lean.runtime.protocol import (
    LOGIC_AXIOMS,
    THEOREMS,
    CheckRequest,
    CheckResult,
    Hole,
    HoleGoal,
    LeanRuntime,
    Message,
    constants_of,
)
from goedels_poetry.lean.text.task import Fact, Task, lemma_name, lemma_statement

# -- The goal before a tactic that failed --------------------------------------------------------------------------


GOAL_SIGN = "⊢"
MOST_GOALS = 2
"""Of a tactic that fails on several."""
MOST_CHARACTERS = 1500
"""Of what is shown; the hypotheses that stand nearest to the goal are kept."""


async def goal_before(lean: LeanRuntime, request: CheckRequest, seen: CheckResult) -> str:
    """Context and goal at the first error, as Lean shows them; "" where its message has them, or no tactic failed.

    The tactic is tried once more with a `sorry` behind it, and Lean says what that has to prove.

    Args:
        request: what Lean was asked.
        seen: what it answered, with errors.
    """
    failed = next(iter(seen.errors), None)
    if failed is None or GOAL_SIGN in failed.text:
        return ""
    place = _place(request.code, request.prefix, failed)
    if place is None:
        return ""
    start, end = place
    code = request.code[:start] + f"(first | ({request.code[start:end]}) | sorry)" + request.code[end:]
    # Positions of holes count from the prefix on.
    holes = (await lean.check(replace(request, code=code, holes=True, commands=False, declarations=False))).holes
    after = len(request.prefix) + start
    behind = len(request.prefix) + end + len(code) - len(request.code)
    goals = [g.goal for h in holes if h.tactic and after <= h.start < behind for g in h.goals]
    shown = "\n\n".join(_shortened(goal) for goal in dict.fromkeys(goals[:MOST_GOALS]))
    return f"The goal there:\n{shown}" if shown else ""


def _place(code: str, prefix: str, failed: Message) -> tuple[int, int] | None:
    """Where in the code the message points to, as offsets; None without an end, or outside of the code."""
    if failed.end_line is None or failed.end_column is None:
        return None
    above = prefix.count("\n")
    lines = code.splitlines(keepends=True)

    def offset(line: int, column: int) -> int | None:
        row = line - above - 1
        return sum(map(len, lines[:row])) + column if 0 <= row < len(lines) else None

    start, end = offset(failed.line, failed.column), offset(failed.end_line, failed.end_column)
    return (start, end) if start is not None and end is not None and start < end else None


def _shortened(goal: str) -> str:
    return goal if len(goal) <= MOST_CHARACTERS else f"…{goal[-MOST_CHARACTERS:]}"


# -- A sketch is Lean text with holes ------------------------------------------------------------------------------


Json = dict[str, Any]

CHECK_SECONDS = 60.0
MOST_MESSAGES = 5
MOST_PASSED = 16
IN_PLACE = ("assumption", "rfl", "trivial", "omega", "simp_all", "decide", "grind", "exact ⟨_, rfl⟩", "exact?")
"""What is tried on a hole that cannot become a lemma, cheapest first."""
HELPER_KINDS = THEOREMS | {
    f"Lean.Parser.Command.{kind}" for kind in ("definition", "abbrev", "instance", "inductive", "structure")
}
"""What may be declared besides the theorem by text that is not the user's."""
_STRUCTURE = re.compile(
    r"\b(induction|cases|rcases|match|fun_induction|by_cases|constructor|calc|have|suffices|obtain|exists|refine|apply"
    r"|ext|funext|generalizing|with)\b(?:[ \t]+([\w.']+))?"
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a proof text: a reason when it is refused, else what it rests on."""

    reason: str = ""
    axioms: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names that its helpers declare."""


_PASSED: weakref.WeakKeyDictionary[LeanRuntime, dict[tuple[Task, str, str], Checked]] = weakref.WeakKeyDictionary()


async def check_proof(
    lean: LeanRuntime, task: Task, proof: str, helpers: str = "", seconds: float = CHECK_SECONDS
) -> Checked:
    """Whether ``proof`` proves the task from Lean's logic and the task's facts alone.

    What this Lean has just accepted it is not asked again: who has found a proof asks first, and the machine after him.
    """
    passed = _PASSED.setdefault(lean, {})
    known = (task, proof, helpers)
    if known not in passed:
        checked = await _check_proof(lean, task, proof, helpers, seconds)
        if checked.reason:
            return checked
        passed[known] = checked
        while len(passed) > MOST_PASSED:
            passed.pop(next(iter(passed)))
    return passed[known]


async def _check_proof(lean: LeanRuntime, task: Task, proof: str, helpers: str, seconds: float) -> Checked:
    code = task.code(proof, helpers)
    request = CheckRequest(code, prefix=task.prefix, seconds=seconds, commands=True, declarations=True)
    seen = await lean.check(request)
    reason = trouble(seen, task, code) or stray(seen, task)
    if reason:
        return Checked(await _with_goal(lean, request, seen, reason))
    own = [c for c in seen.commands if c.start >= len(task.prefix) and c.names]
    own_names = constants_of(own[-1].full_name(task.name))
    constant = next((d for d in seen.declarations if d.name in own_names), None)
    if constant is None:
        return Checked(f"{task.name} is not declared")
    stubs = {fact.name: fact.id for fact in task.facts}
    used = {axiom.rpartition(".")[2]: axiom for axiom in constant.axioms if axiom not in LOGIC_AXIOMS}
    foreign = sorted(axiom for short, axiom in used.items() if short not in stubs)
    if foreign:
        explained = "it has a `sorry`" if foreign == ["sorryAx"] else f"it rests on {', '.join(foreign)}"
        return Checked(f"{explained}, which is not allowed")
    names = tuple(name for c in own[len(task.facts) : -1] for name in c.names)
    return Checked("", constant.axioms, tuple(stubs[short] for short in used), names)


async def _with_goal(lean: LeanRuntime, request: CheckRequest, seen: CheckResult, reason: str) -> str:
    """Why a text is refused, and on what its tactic failed where Lean does not say so."""
    return "\n".join(filter(None, (reason, await goal_before(lean, request, seen))))


def trouble(seen: CheckResult, task: Task, code: str) -> str:
    """Lean's errors as text, lines counted from the text after the prefix, with advice; "" for none."""
    if seen.status != "done":
        return f"Lean gave no answer: {seen.error or seen.status}"
    above = task.prefix.count("\n")
    lines = [f"{m.line - above}:{m.column}: {m.text}" for m in seen.errors[:MOST_MESSAGES]]
    return "\n".join([*lines, advice(seen.errors, task.prefix + code)]) if lines else ""


def stray(seen: CheckResult, task: Task) -> str:
    """Text that breaks out of its place: anything but helper declarations and, last, the theorem."""
    own = [c for c in seen.commands if c.start >= len(task.prefix) and c.kind != "Lean.Parser.Command.eoi"]
    extra = own[len(task.facts) : -1]
    if not own or task.name not in own[-1].names:
        return f"something follows the proof of {task.name}"
    bad = next((c for c in extra if c.declaration not in HELPER_KINDS), None)
    return "" if bad is None else f"a command is not allowed here: {bad.declaration or bad.kind}"


# -- holes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A sketch whose holes Lean has described, or the reason why there is none."""

    sketch: Json = field(default_factory=dict)
    reason: str = ""


async def open_sketch(
    lean: LeanRuntime, task: Task, strategy: str, proof: str, helpers: str = "", fingerprint: str = "", **more: Any
) -> Opened:
    """The sketch as the machine knows it: children, and the text with each hole replaced by its lemma.

    A hole whose goal has no closed form (it waits for something else, or Lean cannot read back what it prints) is
    filled in place by a tactic that closes it there; where none does, the sketch is refused.
    """
    helpers = helpers.strip()
    while True:
        code = task.code(proof, helpers)
        request = CheckRequest(
            code, prefix=task.prefix, seconds=CHECK_SECONDS, holes=True, commands=True, declarations=True
        )
        seen = await lean.check(request)
        reason = trouble(seen, task, code) or stray(seen, task)
        places = _Places(len(task.prefix) + len(task.stubs), len(task.prefix) + len(code) - 1 - len(proof))
        holes = [hole for hole in seen.holes if hole.start >= len(task.prefix)]
        unstated = next((h for h in holes if not all(g.statement for g in h.goals) or not (h.goals or h.tactic)), None)
        if unstated is None:
            break
        # What waits for this hole may be an error now: `?n` stays open until a proof of `f ?n = 3` says what it is.
        filled = await _fill_in_place(lean, task, proof, helpers, places, unstated)
        if filled is None and not reason:
            goal = next((g.goal for g in unstated.goals if not g.statement), "a goal that Lean does not show")
            explained = "a hole cannot be stated as a lemma of its own, so it has to be proved where it stands"
            reason = f"{explained}; its goal is\n{goal}"
        if filled is None:
            return Opened(reason=await _with_goal(lean, request, seen, reason))
        proof, helpers = filled
    if reason:
        return Opened(reason=await _with_goal(lean, request, seen, reason))
    children: dict[str, int] = {}
    edits = places.sorted((hole, _filled(hole, children)) for hole in holes)
    statements = list(children)
    sketch = {
        "strategy": strategy,
        "fingerprint": fingerprint or skeleton(proof, statements),
        "deterministic": bool(more.get("deterministic", True)),
        "shape": str(more.get("shape", "")),
        "proof": proof,
        "helpers": helpers,
        "linked": {"proof": edited(proof, edits["proof"]), "helpers": edited(helpers, edits["helpers"])},
        "children": [{"statement": statement} for statement in statements],
    }
    return Opened(sketch)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where helpers and proof begin in the text that Lean sees."""

    helpers: int
    proof: int

    def sorted(self, holes: Iterable[tuple[Hole, str]]) -> dict[str, list[tuple[int, int, str]]]:
        """What goes where: edits of the helpers and of the proof."""
        edits: dict[str, list[tuple[int, int, str]]] = {"helpers": [], "proof": []}
        for hole, new in holes:
            where, start = ("proof", self.proof) if hole.start >= self.proof else ("helpers", self.helpers)
            edits[where].append((hole.start - start, hole.end - start, new))
        return edits


async def _fill_in_place(
    lean: LeanRuntime, task: Task, proof: str, helpers: str, places: _Places, hole: Hole
) -> tuple[str, str] | None:
    """Proof and helpers with the hole closed where it stands; None when nothing closes it."""
    for tactic in IN_PLACE:
        edits = places.sorted([(hole, f"({tactic})" if hole.tactic else f"(by {tactic})")])
        new = edited(proof, edits["proof"]), edited(helpers, edits["helpers"])
        if (await lean.check(CheckRequest(task.code(*new), prefix=task.prefix, seconds=CHECK_SECONDS))).ok:
            return new
    return None


def _filled(hole: Hole, children: dict[str, int]) -> str:
    """What stands in a hole's place; new statements are added to ``children``."""
    if not hole.goals:
        return "skip"  # a tactic that no goal reaches
    calls = []
    for goal in hole.goals:
        name, statement = lemma_statement(goal.statement, goal.levels)
        children.setdefault(statement, len(children))
        calls.append(call(name, goal, hole.tactic))
    calls = list(dict.fromkeys(calls))
    return calls[0] if len(calls) == 1 else f"(first {' '.join(f'| {call}' for call in calls)})"


def call(name: str, goal: HoleGoal, tactic: bool) -> str:
    """The lemma applied to the hole's local variables, in brackets so that it fits anywhere."""
    application = " ".join([f"@{name}", *(b.name for b in goal.binders if not b.let)])
    hidden = [b.name for b in goal.binders if b.hidden]
    rename = f"rename_i {' '.join(hidden)}; " if hidden else ""
    if tactic:
        return f"({rename}exact {application})"
    return f"(by {rename}exact {application})" if hidden else f"({application})"


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    """``text`` with each (start, end, new text) put in; they do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def skeleton(proof: str, statements: list[str]) -> str:
    """The fingerprint: structuring tactics with what they act on, and the subgoals."""
    tactics = " ".join(f"{m[1]}:{m[2] or ''}" for m in _STRUCTURE.finditer(proof))
    goals = hashlib.sha256("\n".join(sorted(statements)).encode()).hexdigest()[:12]
    kind = hashlib.sha256(tactics.encode()).hexdigest()[:8]
    return f"lean:{kind}:{goals}"


async def check_link(lean: LeanRuntime, task: Task, sketch: Json) -> Checked:
    """Whether the subgoals, taken for granted, prove the parent."""
    known = {fact.name for fact in task.facts}
    statements = [child["statement"] for child in sketch["children"]]
    new = (Fact(f"child {i}", lemma_name(s), s) for i, s in enumerate(statements))
    facts = (*task.facts, *(fact for fact in new if fact.name not in known))
    linked = sketch["linked"]
    return await check_proof(lean, replace(task, facts=facts), linked["proof"], linked["helpers"])
