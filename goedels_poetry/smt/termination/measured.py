"""Measures for functions that are not seen to terminate, chosen by values; that they fall is proved in the search.

See `kernel.termination` for why such definitions can be used here. Candidates are sizes and integers and what
they come to together; pairs of them are compared from the left (Bulwahn, Krauss and Nipkow, "Finding Lexicographic
Orders for Termination Proofs in Isabelle/HOL", 2007, who choose by proofs, not by values).

How the functions of a problem call themselves that terminate.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.calls import TooLarge
from goedels_poetry.kernel.faults import GuardError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Definition, Measures, Problem, Signature
from goedels_poetry.kernel.reading import defining
from goedels_poetry.kernel.recursion import cases_along, guards, moved_variables, points_below
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import INT, TRUE, Term, app, integer, is_app, rebuild
from goedels_poetry.smt.auxiliary.folds import INVERSIONS
from goedels_poetry.smt.auxiliary.standard import SIZE, VALUE
from goedels_poetry.smt.termination.search import Termination, terminations_by_solver

SAMPLES = 30
MAX_TRIES = 90
SIZES = (3, 4, 5, 6, 8)
MAX_CHOICES = 60
LEAST = 0.3
"""Part of the sampled arguments at which a measure has to fall: some functions go on for ever on negative numbers."""

CALM = 0.9
"""Part of the sampled arguments at which nothing is called from which on equations are no condition of a call."""

Choice = dict[str, tuple[Term, ...]]


def with_measures(problem: Problem, seed: int = 0) -> Problem:
    """The problem with measures for those groups of definitions that are not seen to terminate, if any are likely.

    Those that the problem has already are tried first.
    """
    measures: Choice = {}
    given, problem = problem.measures, replace(problem, measures=MappingProxyType({}))
    for group in terminations_by_solver(Context(problem)).groups:
        if not group.ok:
            definitions = [d for name in group.group if (d := problem.signature.definition(name)) is not None]
            measures.update(_likely(problem, definitions, seed, given) or {})
    return replace(problem, measures=MappingProxyType(measures)) if measures else problem


def with_definitions(problem: Problem) -> Problem:
    """The problem with definitions of those declared functions that premises define and that terminate."""
    names = list(defining.definable(problem))
    while names:
        defined = defining.with_definitions(problem, names)
        open_ = [g.group for g in terminations_by_solver(Context(defined)).groups if not g.ok]
        left_out = {next((n for n in reversed(names) if n in group), "") for group in open_} & {*names}
        if not left_out:
            return defined
        names = [name for name in names if name not in left_out]
    return problem


def _likely(problem: Problem, group: Sequence[Definition], seed: int, given: Measures) -> Choice | None:
    """The first choice of measures that falls at all sampled arguments, or the one that falls at the most of them."""
    best: tuple[float, Choice] | None = None
    evaluator = Evaluator(problem.signature, problem.premises, fuel=4_000, circular=True)
    points = [_points(evaluator, definition, problem.signature, seed) for definition in group]
    never = {definition.name: (integer(0),) for definition in group}
    if _score(evaluator, problem.signature, group, never, points) > CALM:  # such arguments tell measures not apart
        calling = [replace(d, body=_without_equations(d.body)) for d in group]
        problem = replace(problem, signature=_redefined(problem.signature, calling))
    named = [{d.name: given[d.name] for d in group}] if all(d.name in given for d in group) else []
    for choice in itertools.chain(named, itertools.islice(_choices(problem.signature, group), MAX_CHOICES)):
        score = _score(evaluator, problem.signature, group, choice, points)
        if score == 1:
            return choice
        if score >= LEAST and (best is None or score > best[0]):
            best = score, choice
    return best[1] if best is not None else None


def _without_equations(term: Term) -> Term:
    """A body whose calls wait for no equation, such as an invariant: hardly any sample fulfils one."""
    if is_app(term, "ite"):
        return rebuild(term, tuple([_without_equations(a) for a in term.args]))
    if is_app(term, "=>") or is_app(term, "and"):
        parts = (TRUE if is_app(a, "=") else _without_equations(a) for a in term.args)
        return rebuild(term, tuple(parts))
    return term


def _redefined(signature: Signature, definitions: Sequence[Definition]) -> Signature:
    new = {d.name: d for d in definitions}
    return replace(signature, definitions=tuple(new.get(d.name, d) for d in signature.definitions))


def _choices(signature: Signature, group: Sequence[Definition]) -> Iterator[Choice]:
    """One measure for each function, then pairs compared from the left: of two measures, or of one and a rank."""
    single = [_measures(signature, d) for d in group]
    for terms in itertools.product(*single):
        yield {d.name: (t,) for d, t in zip(group, terms, strict=True)}
    if len(group) == 1:
        for pair in itertools.permutations(single[0], 2):
            yield {group[0].name: pair}
        return
    for ranks in itertools.product((0, 1), repeat=len(group)):
        if len(set(ranks)) > 1:
            for terms in itertools.product(*single):
                yield {d.name: (t, integer(r)) for d, t, r in zip(group, terms, ranks, strict=True)}


def _measures(signature: Signature, definition: Definition) -> list[Term]:
    """Sizes of arguments and integer arguments, sums and differences of two of them, pairs in the wrong order."""
    simple = [t for p in definition.params if (t := _integer(signature, p)) is not None]
    terms = dict.fromkeys(simple)
    for a, b in itertools.combinations(simple, 2):
        terms[app("+", (a, b), INT)] = None
    for a, b in itertools.permutations(simple, 2):
        terms[app("-", (a, b), INT)] = None
    for p in definition.params:
        if signature.definition(INVERSIONS + p.sort.name) is not None:
            terms[app(INVERSIONS + p.sort.name, (p,), INT)] = None
    return list(terms)


def _integer(signature: Signature, parameter: Term) -> Term | None:
    if parameter.sort is INT:
        return parameter
    for kind in (SIZE, VALUE):
        if signature.definition(kind + parameter.sort.name) is not None:
            return app(kind + parameter.sort.name, (parameter,), INT)
    return None


def _points(evaluator: Evaluator, definition: Definition, signature: Signature, seed: int) -> list[list[Any]]:
    """Arguments at which a function comes to an end, as far as there are enough: elsewhere no measure falls."""
    source = random.Random(seed + 31)
    points, ending = [], []
    for number in range(MAX_TRIES):
        size = SIZES[number % len(SIZES)]
        point = [random_value(signature, p.sort, size, source) for p in definition.params]
        points.append(point)
        with suppress(Undecided):
            evaluator.call(definition.name, tuple(point))
            ending.append(point)
        if len(ending) == SAMPLES:
            break
    return ending if len(ending) >= SAMPLES // 2 else points[:SAMPLES]


def _score(
    evaluator: Evaluator,
    signature: Signature,
    group: Sequence[Definition],
    measures: Measures,
    points: Sequence[Sequence[Sequence[Any]]],
) -> float:
    """The part of the sampled arguments at which the guard holds: of the function for which it is least."""
    try:
        conditions = guards(signature, measures)
    except GuardError:
        return 0
    scores = []
    for definition, sampled in zip(group, points, strict=True):
        held = total = 0
        code = evaluator.compile(conditions[definition.name], definition.params)
        for point in sampled:
            with suppress(Undecided):
                held += bool(evaluator.run(code, list(point)))
                total += 1
        scores.append(held / total if total >= SAMPLES // 2 else 0)
    return min(scores)


@dataclass(frozen=True)
class Recursion:
    """How a function calls itself.

    ``changed``: the positions of the parameters that some call changes. ``structural``: every call is on a field of
    the constructor that its one changing parameter was built by, so structural induction sees as much. ``total``:
    whether it was shown to terminate; else a measure falls for some arguments.
    """

    changed: frozenset[int]
    structural: bool
    total: bool


def recursions(signature: Signature, groups: Iterable[Termination], measures: Measures) -> dict[str, Recursion]:
    """How the functions call themselves that do, and terminate or have a measure."""
    known = {}
    for group in groups:
        for name in group.group:
            definition = signature.definition(name)
            if definition is not None and definition.recursive and (group.ok or name in measures):
                recursion = _recursion(definition, signature, total=group.ok)
                if recursion is not None:
                    known[name] = recursion
    return known


def _recursion(definition: Definition, signature: Signature, *, total: bool) -> Recursion | None:
    try:
        points = points_below(definition, signature)
    except TooLarge:
        return None
    moved = moved_variables(definition.params, points, definition)
    names = Names(definition.body, *definition.params, reserved=signature.names)
    cases = cases_along(definition, definition.params, moved, points, signature, names)
    if not any(case.below for case in cases):
        return None
    structural = len(moved) == 1 and all(
        there in case.here[v].args for case in cases for below in case.below for v, there in below.there.items()
    )
    return Recursion(frozenset(moved.values()), structural, total)
