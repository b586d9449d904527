"""Auxiliary functions that proofs may speak of besides the problem's own: what values of datatypes come to as integers.

``size!D`` counts the recursive constructors of a value: the length of a list, the number of nodes of a tree. Where the
functions of a problem compute with something else (binary numbers, integers as a sign and a number), ``value!D`` is a
linear valuation under which they become sums, differences or products, found by trying small coefficients on values.
What the elements of containers come to is in `folds`, recursions by index are in `indexed`, in one form in `cores`.
The same problem gives the same functions, so every process that reads the theorem knows them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.problem import Datatype, Definition, Problem, Signature, components
from goedels_poetry.kernel.reading.certificate import with_auxiliaries
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.terms import INT, Sort, Term, app, integer, ite, tester, var
from goedels_poetry.smt.auxiliary.cores import CORE, cores
from goedels_poetry.smt.auxiliary.folds import KINDS, folds
from goedels_poetry.smt.auxiliary.indexed import INDEXED, indexed

SIZE = "size!"
VALUE = "value!"
SAMPLES = 12
MAX_CANDIDATES = 3_000

Weights = Mapping[str, tuple[int, tuple[int, ...]]]
"""For each constructor: the constant, and the factor of each field (0 where it does not count)."""


def is_auxiliary(name: str) -> bool:
    """Whether a function looks like one of ours."""
    return name.startswith((SIZE, VALUE, INDEXED, CORE, *KINDS))


def with_standard_auxiliaries(problem: Problem) -> Problem:
    """The problem over a signature that has the auxiliary functions as well."""
    return with_auxiliaries(problem, standard_auxiliaries(problem))


def standard_auxiliaries(problem: Problem) -> tuple[Definition, ...]:
    """The auxiliary functions of a problem, sizes first."""
    signature = problem.signature
    definitions: list[Definition] = []
    names: dict[Sort, str] = {}
    group = max((d.group for d in signature.definitions), default=-1)
    for mutual in _recursive(signature):
        group += 1
        names.update({d.sort: _name(SIZE, d.sort, signature) for d in mutual})
        definitions += [_definition(d, names, _sizes(d, mutual), group, recursive=True) for d in mutual]
    weights: dict[Sort, Weights] = {}
    for datatype in signature.datatypes:
        valuation = _valuation(problem, datatype, weights)
        if valuation is not None:
            group += 1
            weights[datatype.sort] = valuation
            names[datatype.sort] = _name(VALUE, datatype.sort, signature)
            recursive = any(s is datatype.sort for c in datatype.constructors for _, s in c.fields)
            definitions.append(_definition(datatype, names, valuation, group, recursive=recursive))
        elif datatype.sort in names:
            weights[datatype.sort] = _sizes(datatype, [datatype])
    definitions += folds(problem, group + 1)
    definitions += indexed(problem, max((d.group for d in definitions), default=group) + 1)
    group = max((d.group for d in definitions), default=group) + 1
    definitions += [replace(d, group=group + d.group) for d in cores(signature)[1]]
    taken = signature.names
    return tuple(d for d in definitions if d.name not in taken)


def _name(kind: str, sort: Sort, signature: Signature) -> str:
    return kind + sort.name


def _recursive(signature: Signature) -> list[list[Datatype]]:
    """Datatypes that contain themselves, with those they are mutually recursive with."""
    by_sort = {d.sort: d for d in signature.datatypes}

    def inside(sort: Sort) -> list[Sort]:
        return [s for c in by_sort[sort].constructors for _, s in c.fields if s in by_sort]

    groups = components(by_sort, inside)
    return [[by_sort[s] for s in group] for group in groups if len(group) > 1 or group[0] in inside(group[0])]


def _sizes(datatype: Datatype, mutual: Iterable[Datatype]) -> Weights:
    counted = {d.sort for d in mutual}
    return {
        c.name: (int(any(s in counted for _, s in c.fields)), tuple(int(s in counted) for _, s in c.fields))
        for c in datatype.constructors
    }


def _definition(
    datatype: Datatype, names: Mapping[Sort, str], weights: Weights, group: int, *, recursive: bool
) -> Definition:
    subject = var("x", datatype.sort)
    body: Term | None = None
    for constructor in reversed(datatype.constructors):
        constant, factors = weights[constructor.name]
        summands = [
            _times(factor, app(names[sort], (app(selector, (subject,), sort),), INT))
            for factor, (selector, sort) in zip(factors, constructor.fields, strict=True)
            if factor
        ]
        if constant or not summands:
            summands.insert(0, integer(constant))
        value = summands[0] if len(summands) == 1 else app("+", summands, INT)
        body = value if body is None else ite(tester(constructor.name, subject), value, body)
    assert body is not None
    return Definition(names[datatype.sort], (subject,), INT, body, group, recursive)


def _times(factor: int, term: Term) -> Term:
    return term if factor == 1 else app("*", (integer(factor), term), INT)


# -------------------------------------------------------------------------------- valuations found by values

_LAWS: Mapping[int, tuple[Callable[..., int], ...]] = {
    1: (lambda a: a + 1, lambda a: a - 1, lambda a: 2 * a, lambda a: -a),
    2: (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b),
}
"""What a function of one or two arguments may come to, for a valuation to be worth having."""


def _valuation(problem: Problem, datatype: Datatype, known: Mapping[Sort, Weights]) -> Weights | None:
    """Weights under which values stay apart and functions become laws of arithmetic; None when sizes do as well."""
    sort = datatype.sort
    if len(datatype.constructors) < 2 or any(
        len(c.fields) > 1 or any(s is not sort and s not in known for _, s in c.fields) for c in datatype.constructors
    ):
        return None
    tables = _tables(problem, sort)
    if not tables:
        return None
    values = small_values(problem.signature, sort, SAMPLES)
    best: tuple[int, Weights] | None = None
    for weights in itertools.islice(_weights(datatype), MAX_CANDIDATES):
        measure = _measure({**known, sort: weights}, problem.signature)
        if len({measure(sort, v) for v in values}) < len(values):
            continue
        score = sum(_lawful(table, sort, measure) for table in tables)
        if score and (best is None or score > best[0]):
            best = score, weights
    if best is None or best[1] == _sizes(datatype, [datatype]):
        return None
    return best[1]


def _weights(datatype: Datatype) -> Iterator[Weights]:
    options = []
    for constructor in datatype.constructors:
        factors: Iterable[tuple[int, ...]] = [(1,), (2,), (-1,)] if constructor.fields else [()]
        options.append([(constant, f) for f in factors for constant in (0, 1, -1)])
    for choice in itertools.product(*options):
        yield {c.name: w for c, w in zip(datatype.constructors, choice, strict=True)}


def _tables(problem: Problem, sort: Sort) -> list[list[tuple[tuple[Any, ...], Any]]]:
    """Arguments and results of the functions from ``sort`` to ``sort`` with one or two arguments."""
    evaluator = Evaluator(problem.signature, problem.premises, fuel=3_000)
    values = small_values(problem.signature, sort, 7)
    tables = []
    for definition in problem.signature.definitions:
        sorts = {p.sort for p in definition.params} | {definition.sort}
        if sorts == {sort} and len(definition.params) in _LAWS:
            try:
                rows = itertools.product(values, repeat=len(definition.params))
                tables.append([(row, evaluator.call(definition.name, row)) for row in rows])
            except Undecided:
                continue
    return tables


def _lawful(table: list[tuple[tuple[Any, ...], Any]], sort: Sort, measure: Callable[[Sort, Any], int]) -> bool:
    rows = [(tuple(measure(sort, a) for a in args), measure(sort, result)) for args, result in table]
    return any(all(law(*args) == result for args, result in rows) for law in _LAWS[len(rows[0][0])])


def _measure(weights: Mapping[Sort, Weights], signature: Signature) -> Callable[[Sort, Any], int]:
    def measure(sort: Sort, value: Any) -> int:
        constant, factors = weights[sort][value[0]]
        entry = signature.constructor(value[0])
        assert entry is not None
        for factor, part, (_, inner) in zip(factors, value[1:], entry[1].fields, strict=True):
            if factor:
                constant += factor * measure(inner, part)
        return constant

    return measure
