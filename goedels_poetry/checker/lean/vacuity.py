"""Are there arguments for a theorem at all? A theorem about nothing is worth nothing.

Values are looked for by a Lean that is not believed. What it finds is a theorem, `¬ ∀ …, False` over the arguments of
the user's, and comes as data: it has to say just that, and Lean's kernel has to accept it where nothing is elaborated.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from goedels_poetry.checker.lean.gate import Grounded, Leans, rests
from goedels_poetry.checker.lean.original import Original, Refusal, place_of, read_data
from goedels_poetry.lean.gate.compare import Comparison
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, CheckRequest, CheckResult, Hole, HoleGoal

if TYPE_CHECKING:
    from goedels_poetry.lean.text.witnesses import Proposal

Premises = Literal["none", "satisfiable", "contradictory", "unknown"]
SECONDS = 20.0
"""For everything that is asked about one theorem."""
HEARTBEATS = 200_000
MOST_NAMED = 8
_WITNESS = "goedels_poetry_arguments"
_CONTRADICTION = "first | contradiction | omega | (simp_all; done) | grind | (apply Fin.elim0; assumption)"


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found out about the arguments of a theorem."""

    premises: Premises
    """"none": it has none. "satisfiable": there are values for all of them at once, by a proof that Lean's kernel
    accepts. "contradictory": `False` follows from them, in the words of a Lean that is not believed."""
    unshown: tuple[str, ...] = ()
    """Arguments for which no values were found."""


async def premises_of(leans: Leans, original: Original, constant: str, seconds: float = SECONDS) -> Looked:
    """What can be found out about the arguments of a theorem of the original within ``seconds``."""
    # What searches is loaded where it is asked, and is on no list of what is trusted: Lean decides about its proposals.
    from goedels_poetry.lean.text.witnesses import WAVES, unshown

    until = time.monotonic() + seconds
    data, at = original.data, original.data.constants[constant][0].type
    if data.exprs[at][0] != "forallE":
        return Looked("none")
    while (e := data.exprs[at])[0] == "forallE":
        at = e[3]
    unknown = Looked("unknown", unshown(original.data, constant)[:MOST_NAMED])
    command = place_of(original, constant)
    if command is None or command.head < 0 or (e[0] == "const" and data.names[e[1]] == "False"):
        return unknown  # a theorem that says that its hypotheses contradict each other means it
    search = _Search(leans, original, constant, original.text[: command.start], until)
    head = original.text[command.start : command.head]
    hole = _only_hole(await search.ask(f"{head} := by\n  intros\n  exfalso\n  sorry\n"))
    if hole is None or not hole.goals[0].statement:
        return unknown
    found = await search.witness(hole.goals[0], WAVES[:1])
    if not found:
        seen = await search.ask(f"{head} := by\n  intros\n  exfalso\n  {_CONTRADICTION}\n")
        if seen.ok and _proved(seen, constant):
            return Looked("contradictory", unknown.unshown)
        found = await search.witness(hole.goals[0], WAVES[1:])
    return Looked("satisfiable") if found else unknown


@dataclass(frozen=True, slots=True)
class _Search:
    leans: Leans
    original: Original
    constant: str
    prefix: str
    until: float

    async def ask(self, code: str, macros: str = "") -> CheckResult:
        left = self.until - time.monotonic()
        if left <= 0:
            return CheckResult("timeout")
        options: dict[str, bool | int] = {"maxHeartbeats": HEARTBEATS}
        request = CheckRequest(
            code, self.prefix + macros, left, options, holes=not macros, declarations=not macros, export=bool(macros)
        )
        return await self.leans.elaborator.check(request)

    async def witness(self, goal: HoleGoal, waves: Iterable[tuple[int, int, str]]) -> bool:
        """Whether values are found for which the hypotheses hold, by a proof that Lean's kernel accepts."""
        from goedels_poetry.lean.text.witnesses import attempts, proposals, tactics

        levels = {u: int(re.search(rf"\bSort {re.escape(u)}\b", goal.statement) is not None) for u in goal.levels}
        statement = goal.statement
        for level, value in levels.items():
            statement = re.sub(rf"\b{re.escape(level)}\b", str(value), statement)
        claim = f"theorem _root_.{_WITNESS} : ¬ ({statement}) := by\n  intro gp_none\n"
        macros = tactics(self.original.data, self.constant)
        offered = proposals(self.original.data, self.constant, goal)
        tried: list[Proposal] = []
        for first, end, tactic in waves:
            tried += islice(offered, max(end - len(tried), 0))
            definitions: dict[str, list[Proposal]] = {}
            for proposal in tried[first:end]:
                definitions.setdefault(proposal.definitions, []).append(proposal)
            for text, some in definitions.items():
                seen = await self.ask(f"{text}{claim}  {attempts('gp_none', some, tactic)}\n", macros)
                if seen.ok:
                    with contextlib.suppress(TimeoutError):  # of this search: what it has not shown is not shown
                        if await self._accepted(seen, levels):
                            return True
        return False

    async def _accepted(self, seen: CheckResult, levels: dict[str, int]) -> bool:
        data = await read_data(seen, self.until)
        if isinstance(data, Refusal):
            return False
        comparison = Comparison(self.original.data, data, levels)
        if not await asyncio.to_thread(comparison.inhabited, self.constant, _WITNESS):
            return False
        nothing = Original("", (), {}, self.original.imports)  # so that no axiom is allowed
        return isinstance(await rests(self.leans, seen, "", nothing, data, (_WITNESS,), self.until), Grounded)


def _only_hole(seen: CheckResult) -> Hole | None:
    return seen.holes[0] if seen.ok and len(seen.holes) == 1 and len(seen.holes[0].goals) == 1 else None


def _proved(seen: CheckResult, name: str) -> bool:
    return any(d.name == name and set(d.axioms) <= LOGIC_AXIOMS for d in seen.declarations)
