"""Do a theorem's hypotheses allow anything at all? A theorem about nothing is worth nothing.

Only the user's own text and our tactics are elaborated here. The answer never makes a proof: it is a warning, or it
raises the trust level.
"""

from __future__ import annotations

import time
from itertools import product
from typing import Literal

from goedels_poetry.checker.lean.original import Original, place_of
from goedels_poetry.kernel.lean import Stream
from goedels_poetry.kernel.lean.stream import Expr
from goedels_poetry.languages.lean.runtime import LOGIC_AXIOMS, CheckRequest, CheckResult, Hole, LeanPool

Premises = Literal["none", "satisfiable", "contradictory", "unknown"]
SECONDS = 15.0
"""For everything that is asked about one theorem."""
HEARTBEATS = 200_000
MOST_BINDERS = 12
FIRST_WAYS = 4
"""Witnesses that are tried before all the others: reading many of them takes Lean longer than trying them."""

_NO_PREMISE = "fail_if_success (have : ∃ p : Prop, p := by (refine Exists.intro ?w ?h; case h => assumption))"
_CONTRADICTION = "first | contradiction | omega | (simp_all; done) | grind | (apply Fin.elim0; assumption)"
_TYPES = frozenset({"Nat", "Int", "Bool", "List", "Option", "Prod", "String", "Char", "BitVec", "Array", "Unit"})
"""Types of the library's, with all their arguments given, that are no propositions."""
_NUMBERS = ("0", "1", "2", "3", "5", "10")
_DATA = (
    "exact [0]",
    "exact [PUnit.unit]",
    "exact Nat",
    "exact PUnit",
    "exact true",
    "exact PUnit.unit",
    "exact fun x => x",
    "exact fun _ => 0",
    "exact inferInstance",
    "exact default",
)
_CONSTRUCTED = "(constructor <;> first | exact 0 | constructor)"
_FACTS = ("decide", "omega", "(simp; done)", "trivial")
_STEPS = (1, 0, -1)


async def premises_of(lean: LeanPool, original: Original, constant: str, seconds: float = SECONDS) -> Premises:
    """What can be found out about the hypotheses of a theorem of the original.

    "none": it has none. "satisfiable": they hold for some values of its variables, by a proof that Lean accepts.
    "contradictory": `False` follows from them alone. "unknown": neither was found within ``seconds``.
    """
    until = time.monotonic() + seconds
    command = place_of(original, constant)
    if command is None or command.head < 0:
        return "unknown"
    if _speaks_of_data_alone(original.data, constant):
        return "none"
    prefix, head = original.text[: command.start], original.text[command.start : command.head]
    options: dict[str, bool | int] = {"maxHeartbeats": HEARTBEATS}

    async def ask(code: str) -> CheckResult:
        left = until - time.monotonic()
        if left <= 0:
            return CheckResult("timeout")
        asked = CheckRequest(code, prefix=prefix, seconds=left, options=options, holes=True, declarations=True)
        return await lean.check(asked)

    concluded = _only_hole(await ask(f"{head} := by\n  intros\n  sorry\n"))
    if concluded is None or concluded.goals[0].goal.endswith("⊢ False"):
        return "unknown"  # a theorem that says that its hypotheses contradict each other means it
    seen = await ask(f"{head} := by\n  intros\n  exfalso\n  {_CONTRADICTION}\n")
    if seen.ok and _proved(seen, constant):
        return "contradictory"
    if (await ask(f"{head} := by\n  intros\n  {_NO_PREMISE}\n  sorry\n")).ok:
        return "none"
    hole = _only_hole(await ask(f"{head} := by\n  intros\n  exfalso\n  sorry\n"))
    if hole is None or not hole.goals[0].statement or len(hole.goals[0].binders) > MOST_BINDERS:
        return "unknown"
    goal = hole.goals[0]
    universes = f".{{{', '.join(goal.levels)}}}" if goal.levels else ""
    name = f"{command.full_name()}_satisfiable"
    ways = _witnesses(len(goal.binders))
    for few in (ways[:FIRST_WAYS], ways[FIRST_WAYS:]):
        tactic = "\n".join(f"  | {way}" for way in few)
        claim = f"theorem _root_.{name}{universes} : ¬ ({goal.statement})"
        seen = await ask(f"{claim} := by\n  intro gp_none\n  first\n{tactic}\n")
        if seen.ok and _proved(seen, name):
            return "satisfiable"
    return "unknown"


def _speaks_of_data_alone(own: Stream, constant: str) -> bool:
    """Whether all that a theorem is about are values of types that plainly are types of data: no hypothesis at all.

    Told by the data. A type that the file declares under a name of the library's is one of the file's; it has to have
    constructors.
    """
    e = own.exprs[own.constants[constant][0].type]
    while e[0] == "forallE":
        if not _is_data(own, own.exprs[e[2]]):
            return False
        e = own.exprs[e[3]]
    return e[0] in ("app", "const")  # a proposition, and not one of the form `p → q`


def _is_data(own: Stream, type_: Expr) -> bool:
    while type_[0] == "app":
        type_ = own.exprs[type_[1]]
    if type_[0] != "const":
        return False
    name = own.names[type_[1]]
    if name not in own.constants:
        return name in _TYPES
    found = own.constants[name][0]
    e = own.exprs[found.type]
    return found.kind == "inductive" and bool(found.facts[3]) and e[0] == "sort" and own.levels[e[1]][0] == "succ"


def _only_hole(seen: CheckResult) -> Hole | None:
    return seen.holes[0] if seen.ok and len(seen.holes) == 1 and len(seen.holes[0].goals) == 1 else None


def _proved(seen: CheckResult, name: str) -> bool:
    return any(d.name == name and set(d.axioms) <= LOGIC_AXIOMS for d in seen.declarations)


def _witnesses(binders: int) -> list[str]:
    """Tactics that apply `gp_none` to small values, the likeliest first."""
    ways = []
    for made, first, step in product((False, True), range(len(_NUMBERS)), _STEPS):
        arguments = []
        for i in range(binders):
            number = f"exact {_NUMBERS[(first + step * i) % len(_NUMBERS)]}"
            data = (_CONSTRUCTED, *_DATA) if made else _DATA
            arguments.append(f"(by first | {' | '.join((number, *_FACTS, *data))})")
        ways.append(f"exact @gp_none {' '.join(arguments)}")
    return ways


__all__ = ["Premises", "premises_of"]
