"""Theory exploration: equations between small terms that agree on values.

Schemas, which are terms with holes for variables, are enumerated by size and grouped by the values they take when all
holes of a sort hold the same variable. Only within a group can there be an equation, and there the holes are filled in
all ways, most general first. Schemas that a proven equation makes smaller, or that equal an earlier one in general, are
not built upon.

Theory exploration in the manner of QuickSpec 2 (Smallbone, Johansson, Claessen and Algehed, "Quick Specifications for
the Busy Programmer", 2017), in the service of a proof as in HipSpec (Claessen, Johansson, Rosén and Smallbone,
"Automating Inductive Proofs using Theory Exploration", 2013); the proving is done by `library`.

Values of terms in fixed environments, each value known by a number: cheap to hash and to compare.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import OPERATIONS, Undecided
from goedels_poetry.kernel.refutation.values import compositions, random_value
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Sort,
    Term,
    app,
    eq,
    implies,
    integer,
    is_app,
    not_,
    rebuild,
    subterms,
    var,
)
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.refutation.refute import interpretation
from goedels_poetry.smt.rewriting.rules import Rules
from goedels_poetry.smt.rewriting.statements import lemma, match

Vector: TypeAlias = tuple[int, ...]
"""The number of a term's value in each environment."""

MOST_IMPLICATIONS = 150
ENVIRONMENTS = 48
SIZES = (0, 1, 2, 3, 4, 5)
FUEL = 1_000
"""Calls for one value: terms that need more are left out."""


class Table:
    """Value vectors of terms over ``variables``; environments are drawn from ``source``."""

    def __init__(self, context: ProverContext, variables: Sequence[Term], source: random.Random) -> None:
        signature = context.signature
        self._evaluator = Evaluator(
            signature, context.problem.premises, interpretation(context.problem, context.seed), FUEL, circular=True
        )
        self._values: list[Any] = []
        self._numbers: dict[tuple[bool, Any], int] = {}
        self._calls: dict[str, dict[Vector, int | None]] = {}
        self._vectors: dict[Term, Vector | None] = {}
        self.true, self.false = self._number(True), self._number(False)
        for v in variables:
            drawn = [random_value(signature, v.sort, source.choice(SIZES), source) for _ in range(ENVIRONMENTS)]
            self._vectors[v] = tuple(map(self._number, drawn))

    def vector(self, term: Term) -> Vector | None:
        """The values of ``term``, or None where one is undecided."""
        if term in self._vectors:
            return self._vectors[term]
        values: Vector | None
        if term.kind is Kind.LIT:
            values = (self._number(term.value),) * ENVIRONMENTS
        else:
            vectors = [self.vector(a) for a in term.args]
            given = [v for v in vectors if v is not None]
            values = self._apply(term, given) if len(given) == len(vectors) else None
        self._vectors[term] = values
        return values

    def _apply(self, term: Term, vectors: list[Vector]) -> Vector | None:
        rows = zip(*vectors, strict=True) if vectors else [()] * ENVIRONMENTS
        if term.name == "=":
            return tuple([self.true if a == b else self.false for a, b in rows])
        known = self._calls.setdefault(term.name, {})
        numbers: list[int] = []
        for row in rows:
            number = known[row] if row in known else known.setdefault(row, self._call(term.name, row))
            if number is None:
                return None
            numbers.append(number)
        return tuple(numbers)

    def _call(self, name: str, row: Vector) -> int | None:
        args = tuple([self._values[n] for n in row])
        operation = OPERATIONS.get(name) if name not in self._evaluator.signature.names else None
        try:
            value = operation(*args) if operation else self._evaluator.call(name, args)
        except Undecided:
            return None
        return self._number(value)

    def _number(self, value: Any) -> int:
        key = (isinstance(value, bool), value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self._values.append(value)
        return number


LARGEST, LARGEST_NUMERIC = 7, 4
"""Size of the largest terms, with datatypes and without: laws of numbers alone are better found from their values."""

VARIABLES = 4
"""Different variables of a sort in one equation."""

FILLINGS = 256
"""Ways to fill the holes of one schema; beyond, fewer variables are used."""

MEMBERS = 12
"""Schemas of one group that a new one is compared with."""


@dataclass(frozen=True)
class _Operation:
    name: str
    args: tuple[Sort, ...]
    result: Sort


class _Schema:
    """A term whose variable occurrences are holes. ``one`` has the first variable of the sort in each."""

    def __init__(self, one: Term, explorer: Explorer) -> None:
        self.one = one
        self.holes = [v.sort for v in _leaves(one)]
        self._explorer = explorer

    def filled(self, variables: Sequence[Term]) -> Term:
        """The term with these variables, from left to right."""
        return _fill(self.one, iter(variables))

    @cached_property
    def general(self) -> Term:
        """With different variables in all holes."""
        counts: dict[Sort, int] = {}
        variables = []
        for sort in self.holes:
            number = counts.get(sort, 0)
            counts[sort] = number + 1
            variables.append(self._explorer.variable(sort, number))
        return self.filled(variables)

    def distinct(self) -> list[Term]:
        """All fillings up to renaming of variables, most general first."""
        fillings: list[tuple[int, list[Term]]] = []

        def go(variables: list[Term], counts: dict[Sort, int]) -> None:
            if len(variables) == len(self.holes):
                fillings.append((-len(set(variables)), variables))
                return
            sort = self.holes[len(variables)]
            used = counts.get(sort, 0)
            for number in range(min(used + 1, self._width)):
                more = {**counts, sort: used + 1} if number == used else counts
                go([*variables, self._explorer.variable(sort, number)], more)

        go([], {})
        return [self.filled(variables) for _, variables in sorted(fillings, key=lambda pair: pair[0])]

    def fillings(self, width: int) -> Iterator[Term]:
        """All fillings with the first ``width`` variables of each sort."""
        pools = [[self._explorer.variable(s, n) for n in range(width)] for s in self.holes]
        for variables in itertools.product(*pools):
            yield self.filled(variables)

    @cached_property
    def _width(self) -> int:
        return next((w for w in range(VARIABLES, 1, -1) if w ** len(self.holes) <= FILLINGS), 1)

    @cached_property
    def by_values(self) -> dict[Vector, list[Term]]:
        """All fillings, by the values they take."""
        terms: dict[Vector, list[Term]] = {}
        for term in self.fillings(self._width):
            values = self._explorer.table.vector(term)
            if values is not None:
                terms.setdefault(values, []).append(term)
        return terms


class Explorer:
    """Enumerates conjectures over ``functions``; the same ones for the same problem, seed and proven lemmas."""

    def __init__(
        self, context: ProverContext, rules: Rules, functions: Sequence[str], seed: int, *, schemas: int = 4000
    ) -> None:
        self._context = context
        self._rules = rules
        self._laws: dict[tuple[str, str], list[Term]] = {}
        self._limit = schemas
        self._count = 0
        self._by_size: dict[tuple[int, Sort], list[_Schema]] = {}
        self._groups: dict[tuple[Sort, Vector], list[_Schema]] = {}
        self._seen: set[Term] = set()
        self._operations = self._collect(functions)
        self._sorts = sorted({s for o in self._operations for s in (*o.args, o.result)} - {BOOL}, key=repr)
        self._variables = {s: [var(f"{_stem(s)}{i}", s) for i in range(2 * VARIABLES)] for s in self._sorts}
        every = [v for s in self._sorts for v in self._variables[s]]
        self.table = Table(context, every, random.Random(seed + 7))

    def _collect(self, functions: Sequence[str]) -> list[_Operation]:
        """The functions, the constructors of their datatypes, equality where they decide it, and sums of measures."""
        signature = self._context.signature
        typed = {f: signature.type_of(f) for f in functions if f not in self._context.closures}
        operations = [_Operation(f, *t) for f, t in typed.items() if t]
        sorts = {s for o in operations for s in (*o.args, o.result)}
        for datatype in signature.datatypes:
            if datatype.sort in sorts:
                operations += [
                    _Operation(c.name, tuple(s for _, s in c.fields), datatype.sort) for c in datatype.constructors
                ]
        compared = [
            s
            for s in sorted(sorts - {BOOL}, key=repr)
            if any(o.args[:2] == (s, s) and o.result is BOOL and signature.definition(o.name) for o in operations)
        ]
        measured = any(o.result is INT and any(signature.datatype(s) for s in o.args) for o in operations)
        sums = [_Operation("+", (INT, INT), INT)] if measured else []
        return [*operations, *[_Operation("=", (s, s), BOOL) for s in compared], *sums]

    def variable(self, sort: Sort, number: int) -> Term:
        """A variable of a sort, from 0."""
        return self._variables[sort][number]

    def conjectures(self) -> Iterator[list[Sequent]]:
        """Batches of conjectures by the size of the larger side; small first."""
        inductive = any(self._context.signature.datatype(s) for s in self._sorts)
        constants = [TRUE, FALSE, *([integer(0), integer(1)] if INT in self._sorts else [])]
        constants += [app(o.name, (), o.result) for o in self._operations if not o.args]
        for term in (*[self._variables[s][0] for s in self._sorts], *constants):
            values = self.table.vector(term)
            if values is not None:
                self._keep(_Schema(term, self), values, 1)
        for size in range(2, (LARGEST if inductive else LARGEST_NUMERIC) + 1):
            batch: list[Sequent] = []
            for operation in self._operations:
                if operation.args:
                    batch.extend(self._grow(operation, size))
            yield sorted(batch, key=lambda s: s.size)
            if self._count >= self._limit:
                return

    def implications(self) -> list[Sequent]:
        """Implications between small Boolean terms that hold in all environments."""
        atoms: dict[Vector, Term] = {}
        for (size, sort), schemas in sorted(self._by_size.items(), key=lambda item: item[0][0]):
            if sort is BOOL and size <= 5:
                for schema in schemas:
                    for term in schema.fillings(2) if schema.one.args and len(schema.holes) <= 5 else ():
                        values = self.table.vector(term)
                        if values is not None:
                            atoms.setdefault(values, term)
        true, all_of_them = self.table.true, (1 << ENVIRONMENTS) - 1
        truths = [(t, sum(1 << i for i, n in enumerate(values) if n == true)) for values, t in atoms.items()]
        literals = [(t, v) for t, v in truths if t.size <= 4]
        literals += [(not_(t), all_of_them & ~v) for t, v in truths if t.size <= 3]
        pairs = [
            (concl.size + premise.size, premise, concl)
            for premise, holds in literals
            if holds.bit_count() >= 6
            for concl, values in truths
            if holds & ~values == 0 and premise is not concl and not_(premise) is not concl
        ]
        candidates: dict[Term, Sequent] = {}
        for size, premise, concl in sorted(pairs, key=lambda pair: pair[0]):
            if size <= 10 and premise.free & concl.free:
                candidate = lemma(implies(premise, concl))
                candidates.setdefault(candidate.key, candidate)
                if len(candidates) == MOST_IMPLICATIONS:
                    break
        return list(candidates.values())

    # ---------------------------------------------------------------------------------------- growing

    def _grow(self, operation: _Operation, size: int) -> Iterator[Sequent]:
        for sizes in compositions(size - 1, len(operation.args)):
            pools = [self._by_size.get((k, s), ()) for k, s in zip(sizes, operation.args, strict=True)]
            if not all(pools):
                continue
            for choice in itertools.product(*pools):
                if self._count >= self._limit:
                    return
                yield from self._consider(operation, [s.one for s in choice], size)

    def _consider(self, operation: _Operation, args: list[Term], size: int) -> Iterator[Sequent]:
        term = app(operation.name, args, operation.result)
        if operation.name in ("=", "+") and show(args[0]) > show(args[1]):
            return
        if operation.name == "+" and any(a.kind is Kind.LIT and a.value == 0 for a in args):
            return
        if not term.free or (self._builds(term) and any(self._builds(a) for a in args)):
            return
        schema = _Schema(term, self)
        if len(schema.holes) > 2 * VARIABLES or self._rules.reducible(schema.general):
            return
        values = self.table.vector(term)
        if values is None:
            return
        self._count += 1
        self._context.budget.check()
        subsumed = False
        for other in (*self._groups.get((term.sort, values), ())[:MEMBERS], schema):
            for left, right in self._relate(schema, other):
                subsumed |= left is schema.general and other is not schema
                yield from self._conjecture(operation, left, right)
            if subsumed:
                return
        self._keep(schema, values, size)

    def _keep(self, schema: _Schema, values: Vector, size: int) -> None:
        self._groups.setdefault((schema.one.sort, values), []).append(schema)
        self._by_size.setdefault((size, schema.one.sort), []).append(schema)

    def _builds(self, term: Term) -> bool:
        return bool(term.args) and self._context.signature.constructor(term.name) is not None

    def _relate(self, schema: _Schema, other: _Schema) -> list[tuple[Term, Term]]:
        """Equal fillings of two schemas, without those that are instances of more general ones."""
        laws: list[tuple[Term, Term]] = []
        general = schema.distinct()
        if schema.general not in general:
            general.insert(0, schema.general)
        for left in general:
            values = self.table.vector(left)
            if values is None:
                continue
            for right in other.by_values.get(values, ()):
                if right is left or not right.free <= left.free:
                    continue
                if not any(match(app("=", law, BOOL), app("=", (left, right), BOOL)) for law in laws):
                    laws.append((left, right))
                break
        return laws

    def _says_less(self, formula: Term) -> bool:
        """Whether an earlier conjecture says it of all terms; otherwise this one is kept to compare others with."""
        sides = formula.args if is_app(formula, "=") else (formula, formula)
        for one, other in (sides, sides[::-1]):
            for law in self._laws.get((_head(one), _head(other)), ()):
                if match(law, app("=", (one, other), BOOL)) is not None:
                    return True
        self._laws.setdefault((_head(sides[0]), _head(sides[1])), []).append(app("=", sides, BOOL))
        return False

    def _conjecture(self, operation: _Operation, term: Term, other: Term) -> Iterator[Sequent]:
        if operation.name == "=":
            if self._context.signature.definition(other.name) is None:
                return
            formula = eq(other, term)
        elif other is TRUE:
            formula = term
        elif other is FALSE:
            formula = not_(term)
        else:
            formula = eq(term, other)
        candidate = lemma(formula)
        speaks = any(t.kind is Kind.APP and t.name in self._context.reserved for t in subterms(formula))
        if not speaks or candidate.key in self._seen:
            return
        self._seen.add(candidate.key)
        if not self._says_less(candidate.concl) and not self._rules.joins(candidate):
            yield candidate


def _head(term: Term) -> str:
    return term.name if term.kind is Kind.APP else ""


def _leaves(term: Term) -> Iterator[Term]:
    if term.kind is Kind.VAR:
        yield term
    for a in term.args:
        yield from _leaves(a)


def _fill(term: Term, variables: Iterator[Term]) -> Term:
    if term.kind is Kind.VAR:
        return next(variables)
    return rebuild(term, tuple([_fill(a, variables) for a in term.args])) if term.free else term


def _stem(sort: Sort) -> str:
    return (
        "".join(c for c in sort.name.lower() if c.isalpha())[:1]
        + "".join(c for c in sort.name if c.isdigit())[:1]
        + "v"
    )
