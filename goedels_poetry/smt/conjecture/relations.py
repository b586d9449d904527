"""Equations from data: what holds among the calls of a goal at every value of a number, read off the first values.

Two programs with loops are run from 0 on. All equations among their values, up to a degree, are the null space of a
matrix with one row for each value. They are assumed together and thinned until one induction proves those that are
left; the goal then follows from them, or not.

Equations by linear algebra: Sharma, Gupta, Hariharan, Aiken and Nori, "A Data Driven Approach for Algebraic Loop
Invariants", 2013. Thinning: Flanagan and Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import isqrt, lcm

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.schemas import Conjuncts, instances
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, and_, app, eq, integer, substitute, subterms
from goedels_poetry.smt.conjecture.loops import without_plain_functions
from goedels_poetry.smt.context.budget import PATIENT
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

MOST_CALLS = 8
MOST_FEATURES = 40
SPARE = 8
"""Values beyond as many as there are features: an equation that holds there, too, is hardly by chance."""
LARGEST = 10**6
"""Coefficient of an equation that anybody would believe."""
MOST_BITS = 6_000
BASES = (0, 1)
"""Equations may hold from a later value on."""
WIDTHS = (1, 2)
DEPTHS = range(6)
"""How often calls are unfolded in a step: as often as the goal counts faster than the induction."""
PRIME = 2**127 - 1


def relation_plans(context: ProverContext, sequent: Sequent) -> Iterator[Plan]:
    """The goal from equations about one of its numbers, where an induction proves them."""
    goal = without_plain_functions(context, sequent)
    for on in sequent.vars:
        if on.sort is not INT or len(sequent.vars) > 1:
            continue
        seen: set[tuple[Term, ...]] = set()
        for features in _feature_sets(context, goal, on):
            for base in BASES:
                found = tuple(_equations(context, on, features, base))
                if not found or found in seen:
                    continue
                seen.add(found)
                if _query(context, sequent, _fact(on, found, base)) is None:
                    continue
                for width in WIDTHS:
                    plan = _proved(context, on, found, base, width)
                    query = _query(context, sequent, plan.sequent) if plan is not None else None
                    if plan is not None and query is not None:
                        yield Plan(sequent, query, (plan,), "equations-from-data", show(plan.sequent.concl))


def _query(context: ProverContext, sequent: Sequent, fact: Sequent) -> Query | None:
    """The goal from a fact about its variable, or None."""
    key = key_of(fact)
    at = Instance("step", key, fact.vars)
    for unfolded in context.unfolder.unfoldings(sequent, DEPTHS):
        query = Query((key,), (at, *unfolded), equations=False, quantified=False)
        if context.holds(sequent, query, PATIENT, extra={key: fact}):
            return query
    return None


def _feature_sets(context: ProverContext, goal: Sequent, on: Term) -> Iterator[list[Term]]:
    """Terms whose values are compared: from few and simple ones to products."""
    atoms = list(dict.fromkeys((*_calls(context, goal, on), *_atoms(goal.concl))))
    after = {on: app("+", (on, integer(1)), INT)}
    plain = [integer(1), on, *atoms]
    square = [_times(on, on), *(_times(on, a) for a in atoms)]
    cubes = [_times(_times(on, on), on), *(_times(a, b) for a, b in combinations_with_replacement(atoms, 2))]
    for features in (
        plain,
        [*plain, *square],
        [*plain, *(substitute(a, after) for a in atoms)],
        [*plain, *square, *cubes],
    ):
        if len(features) <= MOST_FEATURES:
            yield features


def _atoms(term: Term) -> Iterator[Term]:
    """What a polynomial is made of, numbers and the variable apart."""
    if term.sort is not INT or (term.kind is Kind.APP and term.name in ("+", "-", "*")):
        for part in term.args:
            yield from _atoms(part)
    elif term.kind is Kind.APP and term.free:
        yield term


def _calls(context: ProverContext, goal: Sequent, on: Term) -> list[Term]:
    """Calls of recursive functions in the goal, and of those that are defined together with them."""
    found: dict[Term, None] = {}
    waiting = [t for t in subterms(goal.concl) if t.sort is INT]
    while waiting and len(found) < MOST_CALLS:
        call = waiting.pop(0)
        definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
        if definition is None or not definition.recursive or call in found or not call.free <= {on}:
            continue
        found[call] = None
        for other in context.signature.definitions:
            if other.group == definition.group and [p.sort for p in other.params] == [a.sort for a in call.args]:
                waiting.append(app(other.name, call.args, other.sort))
    return sorted(found, key=lambda call: call.size)


def _times(a: Term, b: Term) -> Term:
    return app("*", (a, b), INT)


# ------------------------------------------------------------------------------------------------------ linear algebra


def _equations(context: ProverContext, on: Term, features: Sequence[Term], base: int) -> Iterator[Term]:
    """What the values of the features have in common from ``base`` on."""
    evaluator = context.evaluator
    rows: list[list[int]] = []
    try:
        codes = [evaluator.compile(f, (on,)) for f in features]
        for value in range(base, base + len(features) + SPARE):
            row = [evaluator.run(code, [value]) for code in codes]
            if any(n.bit_length() > MOST_BITS for n in row):
                break
            rows.append(row)
    except Undecided:
        pass
    if len(rows) < len(features) + SPARE // 2:
        return
    for solution in null_space(rows):
        if max(map(abs, solution)) <= LARGEST:
            yield _equation(features, solution)


def null_space(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """A basis of the integer vectors that are orthogonal to all rows: each column by those before it.

    Computed modulo a prime, lifted to fractions, and kept where it is right.
    """
    matrix = [[n % PRIME for n in row] for row in rows]
    width, pivots = len(rows[0]), []
    for column in range(width):
        at = len(pivots)
        pivot = next((i for i in range(at, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        inverse = pow(matrix[at][column], -1, PRIME)
        matrix[at] = [n * inverse % PRIME for n in matrix[at]]
        for i, row in enumerate(matrix):
            if i != at and (factor := row[column]):
                matrix[i] = [(n - factor * m) % PRIME for n, m in zip(row, matrix[at], strict=True)]
        pivots.append(column)
    for column in range(width):
        if column not in pivots:
            fractions = {p: _fraction(-matrix[i][column] % PRIME) for i, p in enumerate(pivots)} | {column: (1, 1)}
            scale = lcm(*(below for _, below in fractions.values()))
            solution = [0] * width
            for place, (above, below) in fractions.items():
                solution[place] = above * scale // below
            if all(sum(a * b for a, b in zip(solution, row, strict=True)) == 0 for row in rows):
                yield solution


def _fraction(residue: int) -> tuple[int, int]:
    """The fraction of small numbers that a residue is (Wang, "A p-adic algorithm for univariate fractions", 1981)."""
    bound = isqrt(PRIME // 2)
    (r, s), (t, u) = (PRIME, 0), (residue, 1)
    while t > bound:
        quotient = r // t
        (r, s), (t, u) = (t, u), (r - quotient * t, s - quotient * u)
    return (t, u) if u > 0 else (-t, -u)


def _equation(features: Sequence[Term], solution: Sequence[int]) -> Term:
    """``3 * f x + x = 2 * g x``: positive coefficients on both sides."""
    sides: tuple[list[Term], list[Term]] = ([], [])
    for feature, factor in zip(features, solution, strict=True):
        if factor:
            sides[factor < 0].append(_multiple(abs(factor), feature))
    return eq(*(_sum(side) for side in sides))


def _multiple(factor: int, term: Term) -> Term:
    if factor == 1:
        return term
    return integer(factor) if term is integer(1) else _times(integer(factor), term)


def _sum(terms: Sequence[Term]) -> Term:
    return integer(0) if not terms else terms[0] if len(terms) == 1 else app("+", terms, INT)


# ----------------------------------------------------------------------------------------------------------- induction


def _fact(on: Term, equations: Sequence[Term], base: int) -> Sequent:
    return make_sequent((on,), (app(">=", (on, integer(base)), BOOL),), and_(equations))


def _closed(context: ProverContext, case: Sequent) -> Plan | None:
    """A case by the definitions at its calls, and at those that these bring."""
    for unfolded in context.unfolder.unfoldings(case, DEPTHS):
        query = Query((), unfolded, equations=False, quantified=False)
        if context.holds(case, query, PATIENT):
            return leaf(case, query)
    return None


def _proved(context: ProverContext, on: Term, equations: Sequence[Term], base: int, width: int) -> Plan | None:
    """The equations that one induction proves together, from 0 on; those that it does not keep are dropped."""
    scheme = IntInduction(on.name, integer(base), (), True, width)
    kept = list(equations)
    while kept:
        fact = _fact(on, kept, base)
        try:
            cases = instances(fact, scheme, context.signature)
        except SchemeError:
            return None
        again, children = list(kept), []
        for case in reversed(cases):
            parts = instances(case, Conjuncts(), context.signature) if len(kept) > 1 else [case]
            plans = [_closed(context, part) for part in parts]
            again = [e for e, plan in zip(kept, plans, strict=True) if plan is not None and e in again]
            if len(again) < len(kept):
                break
            done = [p for p in plans if p is not None]
            children.append(Plan(case, Conjuncts(), tuple(done), "conjunction") if len(kept) > 1 else done[0])
        if len(again) == len(kept):
            return Plan(fact, scheme, tuple(reversed(children)), "integer-induction", f"{on.name} from {base} by {width}")
        kept = again
    return None
