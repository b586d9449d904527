"""Search for counterexamples by narrowing: a value is chosen only as far as the evaluation of the goal asks for it.

Variables begin as holes. The goal is evaluated lazily; where it needs to know a hole, the hole is filled with each
constructor (or small number) in turn, with holes for the fields. A hypothesis that is false already rules out all
values that look alike so far, which is what makes sparse hypotheses and long values tractable. Of several holes the
one that most parts of the goal wait for alone comes first. What is found is evaluated strictly.

Narrowing only where the evaluation needs it: Antoy, Echahed and Hanus, "A Needed Narrowing Strategy", 2000; as a search
for counterexamples: Runciman, Naylor and Lindblad, "SmallCheck and Lazy SmallCheck", 2008.

Lazy evaluation of terms with holes: a part of a value is evaluated when somebody asks for it, and only then.

It serves the search for counterexamples; what is claimed is computed by the strict evaluator.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from goedels_poetry.kernel.problem import Constructor, Signature
from goedels_poetry.kernel.refutation.evaluator import PLACES, Evaluator
from goedels_poetry.kernel.refutation.operations import OPERATIONS, Undecided, bitvector_operation, matches
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, LARGE, BitVector, Kind, Sort, Term
from goedels_poetry.smt.refutation.refute import Refuter

Frame: TypeAlias = list[Any]
Code: TypeAlias = Callable[[Frame], Any]

UNSET = object()
MOST_NEEDS = 300
"""Holes that are remembered of what an evaluation waits for."""


class Hole:
    """A part of a value that nobody has asked for; ``value`` is its head once chosen, with holes for the fields."""

    __slots__ = ("sort", "value")

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self.value: Any = UNSET


class Thunk:
    """An evaluation that is put off until its value is asked for; ``needs`` is what it was last stuck on."""

    __slots__ = ("code", "frame", "needs", "value")
    needs: Need | None

    def __init__(self, code: Code, frame: Frame) -> None:
        self.code = code
        self.frame = frame
        self.value: Any = UNSET
        self.needs = None


class Need(Exception):
    """The evaluation cannot go on without one of ``holes``; ``last`` are those that a part waits for alone."""

    def __init__(self, holes: tuple[Hole, ...], last: tuple[Hole, ...]) -> None:
        self.holes = holes
        self.last = last


@dataclass
class _Meter:
    """Evaluations that are left: in all, and before the next check ends."""

    left: int = 0
    of_check: int = 0


class Lazy:
    """Evaluates terms to their heads. What it has evaluated stands on ``trail``, so that it can be taken back."""

    def __init__(self, signature: Signature, evaluator: Evaluator) -> None:
        self._signature = signature
        self._evaluator = evaluator
        self._bodies: dict[str, Code] = {}
        self.meter = _Meter()
        self.trail: list[Thunk] = []

    def force(self, delayed: Any) -> Any:
        """The head of a value.

        Raises:
            Need: it depends on a hole. Undecided: it has none, or not within the bounds.
        """
        kind = type(delayed)
        if kind is Thunk:
            if delayed.value is not UNSET:
                return delayed.value
            self.meter.of_check -= 1
            if delayed.needs is not None:
                self.meter.of_check -= len(delayed.needs.holes) // 64
                if all(hole.value is UNSET for hole in delayed.needs.holes):
                    raise Need(delayed.needs.holes, delayed.needs.last)
            if self.meter.of_check < 0:
                raise Undecided("out of fuel")
            try:
                value = delayed.code(delayed.frame)
            except Need as need:
                delayed.needs = need
                self.trail.append(delayed)  # these may be holes of a choice that is taken back
                raise
            delayed.value = value
            self.trail.append(delayed)
            return value
        if kind is Hole:
            if delayed.value is UNSET:
                raise Need((delayed,), (delayed,))
            return delayed.value
        return delayed

    def whole(self, delayed: Any) -> Any:
        """The value with all its parts; raises as `force`."""
        value = self.force(delayed)
        if type(value) is tuple:
            self.meter.left -= 1
            return (value[0], *[self.whole(part) for part in value[1:]])
        return value

    def undo(self, mark: int) -> None:
        """Forget what was evaluated since the trail had length ``mark``."""
        while len(self.trail) > mark:
            thunk = self.trail.pop()
            thunk.value, thunk.needs = UNSET, None

    def slots(self, variables: Sequence[Term], terms: Sequence[Term]) -> dict[Term, int]:
        """Places in a frame for the variables, then for the calls: what was evaluated of a call is kept there."""
        defined = self._signature.definition
        calls = [t for term in terms for t in _outside_of_binders(term) if defined(t.name) is not None]
        return {term: slot for slot, term in enumerate(dict.fromkeys((*variables, *calls)))}

    def delay(self, term: Term, slots: dict[Term, int]) -> Code:
        """Code that puts off the evaluation of ``term``; variables, literals and constructors need none."""
        if term.kind is Kind.VAR:
            slot = slots[term]
            return lambda frame: frame[slot]
        if term.kind is Kind.LIT:
            value = term.value.value if isinstance(term.value, BitVector) else term.value
            return lambda frame: value
        if term in slots:
            return self._call(term, slots)
        code = self._compile(term, slots)
        if term.kind is Kind.APP and self._signature.constructor(term.name):
            return code
        return lambda frame: Thunk(code, frame)

    def compile(self, term: Term, slots: dict[Term, int]) -> Code:
        """Code for the head of ``term``; ``slots`` says where in a frame the variables and shared terms stand."""
        if term.kind in (Kind.VAR, Kind.LIT) or term in slots:
            delayed, force = self.delay(term, slots), self.force
            return lambda frame: force(delayed(frame))
        return self._compile(term, slots)

    def _compile(self, term: Term, slots: dict[Term, int]) -> Code:
        if term.kind is not Kind.APP or term.size > LARGE:  # whose code would not share what the term shares
            return self._strictly(term, slots)
        name = term.name
        if name == "ite":
            test, then, other = (self.compile(a, slots) for a in term.args)
            return lambda frame: then(frame) if test(frame) else other(frame)
        if name in ("and", "or"):
            return _junction([self.compile(a, slots) for a in term.args], name == "or")
        if name == "=>":
            *premises, last = (self.compile(a, slots) for a in term.args)
            return _junction([*[_negated(p) for p in premises], last], True)
        if self._signature.constructor(name):
            fields = [self.delay(a, slots) for a in term.args]
            return lambda frame: (name, *[field(frame) for field in fields])
        selector = self._signature.selector(name)
        if selector:
            return self._selection(self.compile(term.args[0], slots), selector[1].name, selector[2] + 1)
        return self._theory(term, slots)

    def _theory(self, term: Term, slots: dict[Term, int]) -> Code:
        name = term.name
        if name in self._signature.functions or name in ("select", "store", "const"):
            return self._strictly(term, slots)
        if name == "is":
            value, constructor = self.compile(term.args[0], slots), term.indices[0]
            return lambda frame: value(frame)[0] == constructor
        operands = [self.delay(a, slots) for a in term.args]
        if name in ("=", "distinct") and len(operands) == 2:
            left, right = operands
            wanted = name == "="
            return lambda frame: self._same(left(frame), right(frame)) is wanted
        bits = any(t.sort.name == "BitVec" for t in (term, *term.args[:1]))
        operation = bitvector_operation(term) if bits else None
        operation = operation or OPERATIONS.get(name)
        if operation is None or name in ("=", "distinct"):
            return self._strictly(term, slots)
        if operation is matches:
            operation = partial(matches, spend=self._spend)
        apply, force = operation, self.force
        if len(operands) == 2:
            left, right = operands
            return lambda frame: apply(*self._both(left(frame), right(frame)))
        return lambda frame: apply(*[force(operand(frame)) for operand in operands])

    def _spend(self, places: int) -> None:
        self.meter.of_check -= places // PLACES

    def _strictly(self, term: Term, slots: dict[Term, int]) -> Code:
        """By the strict evaluator, when all variables are known to their ends."""
        variables = tuple(v for v in slots if v in term.free)
        code: list[Any] = []

        def run(frame: Frame) -> Any:
            values = [self.whole(frame[slots[v]]) for v in variables]
            if not code:
                code.append(self._evaluator.compile(term, variables))
            self.meter.left -= 2
            return self._evaluator.run(code[0], values)

        return run

    def _selection(self, value: Code, constructor: str, position: int) -> Code:
        def select(frame: Frame) -> Any:
            head = value(frame)
            if head[0] != constructor:
                raise Undecided("a selector of another constructor")
            return self.force(head[position])

        return select

    def _call(self, term: Term, slots: dict[Term, int]) -> Code:
        """Code that puts off a call, once a frame."""
        args = [self.delay(a, slots) for a in term.args]
        slot, body = slots[term], self._body(term.name)

        def delayed(frame: Frame) -> Any:
            thunk = frame[slot]
            if thunk is None:
                thunk = frame[slot] = Thunk(body, [arg(frame) for arg in args])
            return thunk

        return delayed

    def _body(self, name: str) -> Code:
        body = self._bodies.get(name)
        if body is not None:
            return body
        made: list[tuple[Code, list[None]]] = []

        def run(frame: Frame) -> Any:
            if not made:
                definition = self._signature.definition(name)
                assert definition is not None
                slots = self.slots(definition.params, [definition.body])
                made.append((self.compile(definition.body, slots), [None] * (len(slots) - len(definition.params))))
            code, room = made[0]
            if len(frame) == arity:
                frame.extend(room)
            return code(frame)

        definition = self._signature.definition(name)
        assert definition is not None
        arity = len(definition.params)
        self._bodies[name] = run
        return run

    def _both(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Two heads that are of use together only."""
        try:
            one = self.force(left)
        except Need as need:
            try:
                self.force(right)
            except Need as other:
                raise Need((*need.holes, *other.holes), ()) from None
            raise
        return one, self.force(right)

    def _same(self, left: Any, right: Any) -> bool:
        """Whether two values are equal; any part that differs decides, known or not what stands beside it."""
        if left is right:
            return True
        self.meter.of_check -= 1
        if self.meter.of_check < 0:
            raise Undecided("out of fuel")
        one, other = self._both(left, right)
        if type(one) is not tuple or type(other) is not tuple:
            return bool(one == other)
        if one[0] != other[0]:
            return False
        blocked: Need | None = None
        for a, b in zip(one[1:], other[1:], strict=True):
            try:
                if not self._same(a, b):
                    return False
            except Need as need:
                blocked = need if blocked is None else either(blocked, need)
        if blocked is not None:
            raise blocked
        return True


def _outside_of_binders(term: Term) -> Iterator[Term]:
    """The applications in a term, each once."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        part = stack.pop()
        if part.kind is Kind.APP and part not in seen:
            seen.add(part)
            yield part
            stack.extend(part.args)


def _negated(code: Code) -> Code:
    return lambda frame: not code(frame)


def either(one: Need, other: Need) -> Need:
    """What two parts wait for, either of which may go on."""
    holes, last = one.holes + other.holes, one.last + other.last
    return Need(holes[:MOST_NEEDS], last[:MOST_NEEDS])


def _junction(codes: list[Code], stop: bool) -> Code:
    """``and``/``or``: any operand that decides counts, whatever the others wait for."""

    def run(frame: Frame) -> Any:
        blocked: Need | None = None
        undecided: Undecided | None = None
        for code in codes:
            try:
                if code(frame) is stop:
                    return stop
            except Need as need:
                blocked = need if blocked is None else either(blocked, need)
            except Undecided as reason:
                undecided = reason
        if blocked is not None:
            raise blocked
        if undecided is not None:
            raise undecided
        return not stop

    return run


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
