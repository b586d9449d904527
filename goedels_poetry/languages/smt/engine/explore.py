"""Theory exploration: equations between small terms that agree on values.

Terms over the functions a goal reaches are enumerated by size and grouped by the values they take in fixed
environments; each new term that falls into an old group gives an equation. In the manner of QuickSpec (Smallbone
et al., 2017); the proving of what is found is done elsewhere.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.languages.enumeration import compositions
from goedels_poetry.languages.smt.engine.lemmas import lemma
from goedels_poetry.languages.smt.engine.workbench import Workbench
from goedels_poetry.languages.smt.evaluate import Undecided
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Sort,
    Term,
    app,
    eq,
    implies,
    integer,
    is_app,
    not_,
    var,
)
from goedels_poetry.languages.smt.values import random_value

ENVIRONMENTS = 50
SIZES = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class _Operation:
    name: str
    args: tuple[Sort, ...]
    result: Sort


class Explorer:
    """Enumerates conjectures over ``functions``; the same ones for the same problem and seed."""

    def __init__(self, bench: Workbench, functions: Sequence[str], seed: int, *, terms: int = 6000) -> None:
        self._bench = bench
        self._limit = terms
        self._count = 0
        self._source = random.Random(seed + 7)
        self._by_size: dict[tuple[int, Sort], list[tuple[Term, tuple[Any, ...]]]] = {}
        self._classes: dict[tuple[Sort, tuple[Any, ...]], Term] = {}
        self._seen: set[Term] = set()
        signature = bench.signature
        typed = {f: signature.type_of(f) for f in functions if f not in bench.closures}
        operations = [_Operation(f, *t) for f, t in typed.items() if t]
        sorts = {s for o in operations for s in (*o.args, o.result)}
        for datatype in signature.datatypes:
            if datatype.sort in sorts:
                operations += [
                    _Operation(c.name, tuple(s for _, s in c.fields), datatype.sort) for c in datatype.constructors
                ]
        self._sorts = sorted({s for o in operations for s in (*o.args, o.result)} - {BOOL}, key=repr)
        compared = [
            s
            for s in self._sorts
            if any(o.args[:2] == (s, s) and o.result is BOOL and signature.definition(o.name) for o in operations)
        ]
        self._operations = [*operations, *[_Operation("=", (s, s), BOOL) for s in compared]]
        self._booleans: list[tuple[Term, tuple[Any, ...]]] = []
        self._variables = [var(f"{_stem(s)}{i}", s) for s in self._sorts for i in range(2)]
        self._frames = self._environments()

    def _environments(self) -> list[dict[Term, Any]]:
        source, signature = self._source, self._bench.signature
        return [
            {v: random_value(signature, v.sort, source.choice(SIZES), source) for v in self._variables}
            for _ in range(ENVIRONMENTS)
        ]

    def conjectures(self, largest: int = 7) -> Iterator[list[Sequent]]:
        """Batches of conjectures by the size of the larger side; small first."""
        for v in self._variables:
            self._add(v, tuple(f[v] for f in self._frames), 1)
        for constant in (TRUE, FALSE):
            self._add(constant, (constant is TRUE,) * ENVIRONMENTS, 1)
        if INT in self._sorts:
            for n in (0, 1):
                self._add(integer(n), (n,) * ENVIRONMENTS, 1)
        for operation in self._operations:
            if not operation.args:
                values = self._values(operation, ((),) * ENVIRONMENTS)
                if values is not None:
                    self._add(app(operation.name, (), operation.result), values, 1)
        for size in range(2, largest + 1):
            batch: list[Sequent] = []
            for operation in self._operations:
                if operation.args:
                    batch.extend(self._grow(operation, size))
            yield batch
            if self._count >= self._limit:
                return

    def implications(self, limit: int = 150) -> list[Sequent]:
        """Implications between small Boolean terms that hold in all environments."""
        literals = [(t, v) for t, v in self._booleans if t.size <= 4]
        literals += [(not_(t), tuple(not x for x in v)) for t, v in self._booleans if t.size <= 3]
        found: dict[Term, Sequent] = {}
        for premise, holds in literals:
            if sum(holds) < 6:
                continue
            for concl, values in self._booleans:
                if (
                    concl.size + premise.size > 10
                    or premise is concl
                    or (is_app(premise, "not") and premise.args[0] is concl)
                ):
                    continue
                if premise.free & concl.free and all(v or not h for h, v in zip(holds, values, strict=True)):
                    candidate = lemma(implies(premise, concl))
                    found.setdefault(candidate.key, candidate)
        return sorted(found.values(), key=lambda s: s.size)[:limit]

    # ---------------------------------------------------------------------------------------- growing

    def _grow(self, operation: _Operation, size: int) -> Iterator[Sequent]:
        constructor = self._bench.signature.constructor(operation.name)
        for sizes in compositions(size - 1, len(operation.args)):
            pools = [self._by_size.get((k, s), ()) for k, s in zip(sizes, operation.args, strict=True)]
            if not all(pools):
                continue
            for choice in itertools.product(*pools):
                if self._count >= self._limit:
                    return
                args = tuple(t for t, _ in choice)
                if operation.name == "=" and repr(args[0]) >= repr(args[1]):
                    continue
                term = app(operation.name, args, operation.result)
                if constructor and (not term.free or any(self._built(a) for a in args)):
                    continue
                values = self._values(operation, tuple(zip(*[v for _, v in choice], strict=True)))
                if values is None:
                    continue
                other = self._add(term, values, size)
                if other is not None:
                    yield from self._conjecture(operation, term, other)

    def _built(self, term: Term) -> bool:
        return bool(term.args) and self._bench.signature.constructor(term.name) is not None

    def _conjecture(self, operation: _Operation, term: Term, other: Term) -> Iterator[Sequent]:
        if operation.name == "=":
            if self._bench.signature.definition(other.name) is None:
                return
            formula = eq(other, term)
        elif other is TRUE:
            formula = term
        elif other is FALSE:
            formula = not_(term)
        else:
            formula = eq(term, other)
        candidate = lemma(formula)
        if candidate.key not in self._seen:
            self._seen.add(candidate.key)
            yield candidate

    def _values(self, operation: _Operation, rows: tuple[tuple[Any, ...], ...]) -> tuple[Any, ...] | None:
        values = []
        for row in rows:
            try:
                if operation.name == "=":
                    values.append(row[0] == row[1])
                else:
                    values.append(self._bench.evaluator.call(operation.name, row))
            except Undecided:
                return None
        return tuple(values)

    def _add(self, term: Term, values: tuple[Any, ...], size: int) -> Term | None:
        self._count += 1
        key = (term.sort, values)
        known = self._classes.get(key)
        if known is not None:
            return known
        self._classes[key] = term
        self._by_size.setdefault((size, term.sort), []).append((term, values))
        if term.sort is BOOL and term.args:
            self._booleans.append((term, values))
        return None


def _stem(sort: Sort) -> str:
    return (
        "".join(c for c in sort.name.lower() if c.isalpha())[:1]
        + "".join(c for c in sort.name if c.isdigit())[:1]
        + "v"
    )
