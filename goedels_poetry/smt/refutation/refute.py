"""Search for values under which a goal is false, simplest first.

All small values as in SmallCheck (Runciman, Naylor and Lindblad, "SmallCheck and Lazy SmallCheck", 2008), then random
ones and shrinking as in QuickCheck (Claessen and Hughes, "QuickCheck: A Lightweight Tool for Random Testing of Haskell
Programs", 2000).

Declared functions as fixed pseudo-random ones: a test needs values of theirs, whatever these are.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.refutation.evaluator import Code, Evaluator
from goedels_poetry.kernel.refutation.operations import ArrayValue, Built, Element, Undecided, Value, open_function
from goedels_poetry.kernel.refutation.values import random_value, shrink, small_values, to_term
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, REAL, STRING, Kind, Sort, Term, subterms, symbols
from goedels_poetry.smt.notation.infix import render

# Counterexamples in the problem's own terms

MOST_CALLS = 20


def show_value(signature: Signature, sort: Sort, value: Value) -> str:
    """A value as SMT-LIB text; elements of declared sorts get names like ``Elem!0``."""
    term = to_term(signature, sort, value)
    if term is not None:
        return show(term)
    if isinstance(value, ArrayValue):
        return "(an array over elements of a declared sort)"
    if isinstance(value, Element):
        return f"{value.sort.name}!{value.number}"
    if isinstance(value, Built):
        params, _ = signature.functions[value.function]
        return _application(signature, value.function, value.args, params)
    entry = signature.constructor(value[0])
    assert entry is not None
    return _application(signature, value[0], value[1:], [s for _, s in entry[1].fields])


def _application(signature: Signature, name: str, args: Sequence[Value], sorts: Sequence[Sort]) -> str:
    parts = [show_value(signature, s, v) for v, s in zip(args, sorts, strict=True)]
    return f"({name} {' '.join(parts)})" if parts else name


def show_assignment(signature: Signature, assignment: Mapping[Term, Any]) -> dict[str, Any]:
    """``{"values": {variable: text}, "text": "x = ..., y = ..."}``."""
    return show_values(signature, {v.name: (v.sort, value) for v, value in assignment.items()})


def show_values(
    signature: Signature, assignment: Mapping[str, tuple[Sort, Any]], besides: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """The same for named values with their sorts; ``short`` says long numbers and lists as people write them.

    ``values`` are SMT-LIB, ``text`` has them as people write them. ``besides``: SMT-LIB text of what else is told.
    """
    values = {name: show_value(signature, sort, value) for name, (sort, value) in assignment.items()} | dict(besides)
    short = {name: brief for name, (sort, value) in assignment.items() if (brief := in_short(signature, sort, value))}
    text = ", ".join(f"{n} = {render(v)}" for n, v in values.items()) or "no variables"
    return {"values": values, "text": text, **({"short": short} if short else {})}


def show_calls(signature: Signature, table: Mapping[tuple[str, tuple[Any, ...]], Any]) -> dict[str, str]:
    """What declared functions are where they were asked: ``{"f(1)": text}``, the first ones of many."""
    shown = {}
    for (name, args), value in list(table.items())[:MOST_CALLS]:
        params, result = open_function(signature, name)
        inputs = [render(show_value(signature, s, v)) for s, v in zip(params, args, strict=True)]
        shown[f"{name}({', '.join(inputs)})"] = show_value(signature, result, value)
    return shown


def in_short(signature: Signature, sort: Sort, value: Value) -> str:
    """``the number 3`` or ``the list [1, 0]`` for values of such datatypes; empty for others and for small ones."""
    shape = _shape(signature, sort)
    if shape is None or len(spine := _spine(shape, value)) < (3 if shape is _NUMBER else 2):
        return ""
    return f"the number {len(spine)}" if shape is _NUMBER else f"the list {_brief(signature, sort, value)}"


_NUMBER = -1


def _shape(signature: Signature, sort: Sort) -> int | None:
    """The position of the element in the cells of a list type; ``_NUMBER`` for numbers in unary; None for others."""
    datatype = signature.datatype(sort)
    if datatype is None or len(datatype.constructors) != 2:
        return None
    empty, cell = sorted(datatype.constructors, key=lambda c: len(c.fields))
    sorts = [s for _, s in cell.fields]
    if empty.fields or sorts.count(sort) != 1 or len(sorts) > 2:
        return None
    return _NUMBER if len(sorts) == 1 else 1 + (1 - sorts.index(sort))


def _spine(shape: int, value: Value) -> list[Value]:
    """The cells of a list or the successors of a number, from the outside."""
    cells = []
    while len(value) > 1:
        cells.append(value)
        value = value[1 if shape is _NUMBER else 3 - shape]
    return cells


def _brief(signature: Signature, sort: Sort, value: Value) -> str:
    shape = _shape(signature, sort)
    if shape is None:
        return str(value) if sort is INT else show_value(signature, sort, value)
    cells = _spine(shape, value)
    if shape is _NUMBER:
        return str(len(cells))
    entry = signature.constructor(cells[0][0]) if cells else None
    elements = [_brief(signature, entry[1].fields[shape - 1][1], cell[shape]) for cell in cells] if entry else []
    return f"[{', '.join(elements)}]"


WORK = 400_000
"""Fuel for one search: about a second."""

SHRINKING = 8_000
"""Work for making a counterexample simpler: a trial costs 20 and as much as the values are large."""

MAX_LETTERS = 3
"""Letters of the texts in a goal that further texts are made of."""

SIZES = (0, 1, 2, 3, 4, 5, 3, 6, 8)


class Refuter:
    """Tests sequents on values with one evaluator; everything is drawn from ``seed``."""

    def __init__(self, signature: Signature, evaluator: Evaluator, seed: int = 0) -> None:
        self.signature = signature
        self.evaluator = evaluator
        self.seed = seed
        self._small: dict[tuple[Sort, int], list[Any]] = {}
        self._random: dict[tuple[Sort, int], tuple[random.Random, list[Any]]] = {}

    def counterexample(self, sequent: Sequent, tests: int = 150) -> dict[Term, Any] | None:
        """An assignment that makes the hypotheses true and the conclusion false, shrunk; None when none was found.

        Small values in order first, then ``tests`` random ones of growing size.
        """
        try:
            hyps = [self.evaluator.compile(h, sequent.vars) for h in sequent.hyps]
            concl = self.evaluator.compile(sequent.concl, sequent.vars)
        except Undecided:
            return None
        undecided, limit = 0, self.evaluator.used + WORK
        for number, values in enumerate(self._candidates(sequent, tests)):
            verdict = self._falsifies(hyps, concl, values)
            if verdict:
                return dict(zip(sequent.vars, self._shrunk(sequent, hyps, concl, values), strict=True))
            undecided += verdict is None
            if self.evaluator.used > limit or (undecided > 60 and undecided > number * 0.9):
                return None
        return None

    def falsifies(self, sequent: Sequent, assignment: Mapping[Term, Any]) -> bool:
        """Whether the assignment is a counterexample."""
        try:
            hyps = [self.evaluator.compile(h, sequent.vars) for h in sequent.hyps]
            concl = self.evaluator.compile(sequent.concl, sequent.vars)
        except Undecided:
            return False
        return self._falsifies(hyps, concl, [assignment[v] for v in sequent.vars]) is True

    def shrunk(self, sequent: Sequent, assignment: Mapping[Term, Any]) -> dict[Term, Any] | None:
        """A counterexample as simple as can be found from ``assignment``; None when that is none."""
        if not self.falsifies(sequent, assignment):
            return None
        hyps = [self.evaluator.compile(h, sequent.vars) for h in sequent.hyps]
        concl = self.evaluator.compile(sequent.concl, sequent.vars)
        values = self._shrunk(sequent, hyps, concl, [assignment[v] for v in sequent.vars])
        return dict(zip(sequent.vars, values, strict=True))

    def _falsifies(self, hyps: list[Code], concl: Code, values: list[Any]) -> bool | None:
        """True, False, or None when a value is undecided."""
        try:
            for hyp in hyps:
                if not self.evaluator.run(hyp, values):
                    return False
            return not self.evaluator.run(concl, values)
        except Undecided:
            return None

    def _candidates(self, sequent: Sequent, tests: int) -> Iterator[list[Any]]:
        sorts = [v.sort for v in sequent.vars]
        each = 130 if len(sorts) == 1 else 9 if len(sorts) == 2 else 5 if len(sorts) == 3 else 3
        pools = [[*self.edges(sequent, s), *self._smallest(s, each)] for s in sorts]
        combinations = itertools.product(*pools)
        for values in itertools.islice(combinations, min(tests, each ** len(sorts)) + 10):
            yield list(values)
        for number in range(tests):
            yield [self._drawn(s, slot, number) for slot, s in enumerate(sorts)]

    def _smallest(self, sort: Sort, number: int) -> list[Any]:
        values = self._small.get((sort, number))
        if values is None:
            values = self._small[sort, number] = small_values(self.signature, sort, number)
        return values

    def _drawn(self, sort: Sort, slot: int, number: int) -> Any:
        """The random value number ``number`` for the variable number ``slot``: drawn once, the same in all searches."""
        if (sort, slot) not in self._random:
            self._random[sort, slot] = (random.Random(f"{self.seed} {sort!r} {slot}"), [])
        source, drawn = self._random[sort, slot]
        while len(drawn) <= number:
            drawn.append(random_value(self.signature, sort, SIZES[len(drawn) % len(SIZES)], source))
        return drawn[number]

    def edges(self, sequent: Sequent, sort: Sort) -> list[Any]:
        """Values near the literals of the goal and of the definitions it uses: where claims tend to break.

        Numbers next to each number, and the shortest texts over the letters of all texts.
        """
        terms = [*sequent.hyps, sequent.concl]
        used = set().union(*[symbols(t) for t in terms])
        terms += [d.body for d in self.signature.definitions if d.name in used]
        literals: set[Any] = {
            t.value for term in terms for t in subterms(term) if t.kind is Kind.LIT and t.sort is sort
        }
        if sort is INT:
            return sorted({n for value in literals if abs(value) > 2 for n in (value - 1, value, value + 1)})[:12]
        if sort is STRING:
            letters = sorted(set().union(*literals))[:MAX_LETTERS]
            return [*letters, *map("".join, itertools.product(letters, repeat=2))]
        return []

    def _shrunk(self, sequent: Sequent, hyps: list[Code], concl: Code, values: list[Any]) -> list[Any]:
        budget = SHRINKING // (20 + sum(map(_size, values)))
        progress = True
        while progress and budget > 0:
            progress = False
            for position, variable in enumerate(sequent.vars):
                for smaller in shrink(self.signature, variable.sort, values[position]):
                    budget -= 1
                    trial = [*values[:position], smaller, *values[position + 1 :]]
                    if self._falsifies(hyps, concl, trial):
                        values, progress = trial, True
                        break
                    if budget <= 0:
                        return values
        return values


def _size(value: Any) -> int:
    """The number of constructors and other parts."""
    return sum(map(_size, value)) if isinstance(value, tuple) else 1


SIZE = 2
"""Of the results: small, so that they are met again."""


def interpretation(problem: Problem, seed: int) -> Callable[[str, tuple[Any, ...]], Any]:
    """Values by name and arguments: the same for the same seed, whatever the order of calls.

    Of numbers every other one is one of those, not near 0, that the theorem speaks of.
    """
    known: dict[tuple[str, tuple[Any, ...]], Any] = {}
    numbers: dict[Sort, dict[Any, None]] = {INT: {}, REAL: {}}
    for term in (t for f in (problem.goal, *[p.formula for p in problem.premises]) for t in subterms(f)):
        if isinstance(term.value, int | Fraction) and term.sort in numbers and not -SIZE <= term.value <= SIZE:
            numbers[term.sort][term.value] = None

    def interpret(name: str, args: tuple[Any, ...]) -> Any:
        key = (name, args)
        if key not in known:
            digest = hashlib.blake2b(repr((seed, key)).encode(), digest_size=8).digest()
            source, sort = random.Random(digest), open_function(problem.signature, name)[1]
            far = numbers.get(sort) if digest[0] % 2 else None
            known[key] = source.choice([*far]) if far else random_value(problem.signature, sort, SIZE, source)
        return known[key]

    return interpret
