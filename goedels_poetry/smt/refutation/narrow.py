"""Search for counterexamples by narrowing: a value is chosen only as far as the evaluation of the goal asks for it.

Variables begin as holes. The goal is evaluated lazily; where it needs to know a hole, the hole is filled with each
constructor (or small number) in turn, with holes for the fields. A hypothesis that is false already rules out all
values that look alike so far, which is what makes sparse hypotheses and long values tractable. Of several holes the
one that most parts of the goal wait for alone comes first. What is found is evaluated strictly.

Narrowing only where the evaluation needs it: Antoy, Echahed and Hanus, "A Needed Narrowing Strategy", 2000; as a search
for counterexamples: Runciman, Naylor and Lindblad, "SmallCheck and Lazy SmallCheck", 2008.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeAlias

from goedels_poetry.kernel.problem import Constructor
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Sort, Term
from goedels_poetry.smt.refutation.lazy import UNSET, Hole, Lazy, Need, Thunk, either
from goedels_poetry.smt.refutation.refute import Refuter

Choice: TypeAlias = tuple[int, str, Any]

BOUNDS = (2, 3, 4, 5, 6, 8, 10, 14, 300, 300)
"""How large all values together may be, round by round: constructors with fields, and numbers that are not small.

In the last round the holes are filled in the order of the evaluation."""
NUMBERS = 12
FREE = 3
"""So many numbers cost nothing; the others count as constructors."""


class Exhausted(Exception):
    """The work that a round may do is done."""


class Narrowing:
    """The search on one sequent; what it finds is a counterexample by the judgement of ``refuter``."""

    def __init__(self, sequent: Sequent, refuter: Refuter) -> None:
        self._signature = signature = refuter.signature
        self._sequent = sequent
        self._refuter = refuter
        self._numbers = list(dict.fromkeys((0, 1, 2, -1, 3, *refuter.edges(sequent, INT), *range(4, NUMBERS), -2)))
        self._random = random.Random(refuter.seed)
        self._lazy = Lazy(signature, refuter.evaluator)
        slots = self._lazy.slots(sequent.vars, [*sequent.hyps, sequent.concl])
        self._holes = [Hole(v.sort) for v in sequent.vars]
        frame = [*self._holes, *[None] * (len(slots) - len(self._holes))]
        self._hyps = [Thunk(self._lazy.compile(h, slots), frame) for h in sequent.hyps]
        self._concl = Thunk(self._lazy.compile(sequent.concl, slots), frame)
        self._bound = 0
        self._cut = False
        self._check_fuel = 0

    def run(self, work: int) -> dict[Term, Any] | None:
        """A counterexample, or None. ``work`` counts evaluations, some 300,000 a second."""
        meter = self._lazy.meter
        self._evaluate_constants()
        for number, bound in enumerate(BOUNDS):
            if work <= 0:
                return None
            share = work if number == len(BOUNDS) - 1 else max(work // 2, 2_000)
            meter.left, self._bound, self._cut = share, bound, False
            self._check_fuel = 200 + 120 * bound
            try:
                assignment = self._dive(0, number)
                if assignment is not None or not self._cut:
                    return assignment  # nothing was left out on account of the bound
            except (Exhausted, RecursionError):
                self._clear()
            work -= share - max(meter.left, 0)
        return None

    def _evaluate_constants(self) -> None:
        """What depends on no variable is evaluated once for all."""
        self._check_fuel, self._lazy.meter.left = 100_000, 100_000
        try:
            self._decided()
        except (Need, Exhausted):
            self._lazy.trail.clear()

    def _clear(self) -> None:
        self._lazy.undo(0)
        for hole in self._holes:
            hole.value = UNSET

    def _dive(self, used: int, number: int) -> dict[Term, Any] | None:
        try:
            if not self._decided():
                return None
            values = {v: self._filled(h) for v, h in zip(self._sequent.vars, self._holes, strict=True)}
            return values if self._refuter.falsifies(self._sequent, values) else None
        except Need as need:
            in_order = number == len(BOUNDS) - 1 or not need.last
            hole = need.holes[0] if in_order else max(need.last, key=need.last.count)
        mark = len(self._lazy.trail)
        for cost, head, value in self._choices(hole.sort, number):
            if used + cost > self._bound:
                self._cut = True
                continue
            hole.value = self._headed(head, value)
            assignment = self._dive(used + cost, number)
            if assignment is not None:
                return assignment
            self._lazy.undo(mark)
            hole.value = UNSET
        return None

    def _decided(self) -> bool:
        """Whether the goal is false whatever stands in the holes. Raises Need when that is not known."""
        meter = self._lazy.meter
        meter.of_check = self._check_fuel
        blocked: Need | None = None
        try:
            for position, part in enumerate((*self._hyps, self._concl)):
                try:
                    if bool(self._lazy.force(part)) is (position == len(self._hyps)):
                        return False
                except Need as need:
                    blocked = need if blocked is None else either(blocked, need)
        except (Undecided, RecursionError):
            return False
        finally:
            meter.left -= self._check_fuel - meter.of_check + 3
        if meter.left < 0:
            raise Exhausted
        if blocked is not None:
            raise blocked
        return True

    def _choices(self, sort: Sort, number: int) -> Iterator[Choice]:
        """What a hole may be: its cost, a constructor or nothing, a value where there is no constructor."""
        datatype = self._signature.datatype(sort)
        if datatype is not None:
            plain = self._enumeration(sort)
            choices: list[Choice] = [
                (min(i, 1) if plain else self._pieces(c), c.name, None) for i, c in enumerate(datatype.constructors)
            ]
        else:
            choices = [(int(i >= FREE), "", value) for i, value in enumerate(self._scalars(sort, number))]
        choices.sort(key=lambda choice: choice[0])
        if number % 3 == 2:
            self._random.shuffle(choices)
        return iter(choices)

    def _pieces(self, constructor: Constructor) -> int:
        """The fields of a constructor that will need constructors of their own."""
        datatypes = [s for _, s in constructor.fields if self._signature.datatype(s) is not None]
        return sum(not self._enumeration(s) for s in datatypes)

    def _enumeration(self, sort: Sort) -> bool:
        datatype = self._signature.datatype(sort)
        return datatype is not None and not any(c.fields for c in datatype.constructors)

    def _scalars(self, sort: Sort, number: int) -> list[Any]:
        if sort.name in ("Int", "Real", "String", "Array") or (sort.name == "BitVec" and sort.indices[0] > 2):
            self._cut = True
        if sort is INT:
            return self._numbers[: 2 + number // 2]
        if sort.name == "BitVec":
            top = 1 << sort.indices[0]
            edges = (0, 1, top - 1, top >> 1, 2, *self._numbers)
            return list(dict.fromkeys(n for n in edges if 0 <= n < top))[: 5 + number]
        return small_values(self._signature, sort, 2 + number)

    def _headed(self, head: str, value: Any) -> Any:
        if not head:
            return value
        entry = self._signature.constructor(head)
        assert entry is not None
        return (head, *[Hole(sort) for _, sort in entry[1].fields])

    def _filled(self, hole: Hole) -> Any:
        if hole.value is UNSET:
            return small_values(self._signature, hole.sort, 1)[0]
        if isinstance(hole.value, tuple):
            return (hole.value[0], *[self._filled(part) for part in hole.value[1:]])
        return hole.value
