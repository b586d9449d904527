"""One goal, one induction: the first kind that the solver can close all cases of; and induction on sizes.

On the size of datatype values, the hypothesis is wanted where a call of the unfolded goal comes up again with arguments
that are smaller, going by constructors and by the known sizes of results (Walther, "On Proving the Termination of
Algorithms by Machine", 1994): ``flat (merge p q)`` at ``merge (merge a q) b``, where no function calls itself at that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice

from goedels_poetry.kernel.calls import extend
from goedels_poetry.kernel.equations import constructor_cases
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import SizeInduction
from goedels_poetry.kernel.schemas import ConstructorSplit, instances
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.sizes import Sizes, counting_twice
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, and_, app, is_app, substitute, subterms, tester
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.descent import descent_plans
from goedels_poetry.smt.induction.integers import integer_plans
from goedels_poetry.smt.induction.recursion import recursion_plans
from goedels_poetry.smt.induction.structural import by_cases, general_beside, induction_variables, structural_plans
from goedels_poetry.smt.rewriting.plan import Plan, detail_of
from goedels_poetry.smt.rewriting.statements import match, replace_subterm
from goedels_poetry.smt.termination.search import structural_sizes, weightings


def induction(context: ProverContext, sequent: Sequent, *, full: bool = True, rlimit: int | None = None) -> Plan | None:
    """The first induction all of whose cases the solver closes: structural, along a function, over an integer."""
    plan = structural_plans(context, sequent, full=full, rlimit=rlimit)
    if plan is None:
        plan = next(recursion_plans(context, sequent, rlimit, full=full), None)
    if plan is None and context.problem.measures:
        plan = next(descent_plans(context, sequent), None)
    if plan is None:
        plan = next(size_plans(context, sequent, rlimit), None)
    if plan is None and any(v.sort is INT for v in sequent.vars):
        plan = next((p for p in integer_plans(context, sequent, rlimit) if p.complete), None)
    return plan


MAX_POINTS = 12
MAX_VARIABLES = 3
MAX_BRANCHES = 16
MAX_SHAPES = 12
MAX_DEEPER = 2
LEVELS = 2
"""Constructors that are taken off the variables in a case that stays open."""
MAX_WEIGHTS = 8
MAX_UNFOLDED = 200
FUEL = 16
"""Unfoldings of one term: a step needs one or two for each function."""

Point = tuple[Term, ...]


def size_plans(context: ProverContext, sequent: Sequent, rlimit: int | None = None) -> Iterator[Plan]:
    """Plans by induction on the size of one variable, or of two together, all of whose cases the solver closes."""
    variables = induction_variables(context, sequent)[:MAX_VARIABLES]
    for on in [*[(v,) for v in variables], *combinations(variables, 2)]:
        scheme = size_scheme(context, sequent, on)
        plan = by_size(context, sequent, scheme, on, rlimit) if scheme is not None else None
        if plan is not None:
            yield plan


def by_size(
    context: ProverContext, sequent: Sequent, scheme: SizeInduction, on: tuple[Term, ...], rlimit: int | None = None
) -> Plan | None:
    """The induction, then the cases of its variables; None when one stays open."""
    try:
        (step,) = instances(sequent, scheme, context.signature, structural_sizes(context.signature))
    except SchemeError:
        return None
    split = tuple(v for v in on if any(v in condition.free for condition, *_ in scheme.at))
    inner = _by_constructors(context, step, split, frozenset(step.vars), rlimit)
    detail = f"{' '.join(scheme.on)} at {len(scheme.at)}: {detail_of(scheme.at)}"
    return Plan(sequent, scheme, (inner,), "size-induction", detail) if inner is not None else None


def _by_constructors(
    context: ProverContext,
    sequent: Sequent,
    split: tuple[Term, ...],
    known: frozenset[Term],
    rlimit: int | None,
    levels: int = LEVELS,
) -> Plan | None:
    """The cases of ``split``; where one stays open, those of a field of the same sort, one that is not ``known``."""
    split = tuple(v for v in split if v in sequent.vars)
    if not split:
        closed = close_goal(context, sequent, rlimit)
        if closed is not None:
            return closed
        deeper = [v for v in sequent.vars if v not in known and context.signature.datatype(v.sort) is not None]
        tries = (_by_constructors(context, sequent, (v,), known, rlimit, levels - 1) for v in deeper[:MAX_DEEPER])
        return next((plan for plan in tries if plan is not None), None) if levels > 1 else None
    first, rest = split[0].name, split[1:]

    def closed_case(case: Sequent) -> Plan | None:
        return _by_constructors(context, case, rest, known, rlimit, levels)

    return by_cases(context, sequent, ConstructorSplit(first), closed_case, "case-split", first)


def size_scheme(context: ProverContext, sequent: Sequent, on: tuple[Term, ...]) -> SizeInduction | None:
    """The induction on ``on`` with its points; None when no smaller arguments come up."""
    names = general_beside(sequent, on)
    general = tuple(v for v in sequent.vars if v.name in names)
    patterns = [
        t
        for t in subterms(sequent.concl)
        if t.kind is Kind.APP and t.free >= frozenset(on) and context.signature.definition(t.name) is not None
    ]
    patterns = [p for p in patterns if not any(q is not p and q in p.args for q in patterns)]
    points: dict[Point, None] = {}
    for condition, here, back in _shapes(context, sequent, on, patterns[0]) if patterns else ():
        for branch in _branches(context, substitute(sequent.concl, here), MAX_BRANCHES):
            for point in _matches(patterns, branch, on, general):
                terms = tuple(_folded(t, back) for t in point)
                if all(t.free <= frozenset(sequent.vars) - frozenset(general) for t in terms):
                    points.setdefault((condition, *terms))
    plain = _smaller(structural_sizes(context.signature), on, points)
    for weights in ({}, *islice(weightings(context.signature, [v.sort for v in on]), MAX_WEIGHTS)):
        smaller = _smaller(counting_twice(context.signature, weights), on, points) if weights else plain
        useful = any(context.signature.definition(t.name) for p in smaller for term in p[1:] for t in subterms(term))
        if useful if not weights else len(smaller) > len(plain):
            at = tuple(smaller[:MAX_POINTS])
            return SizeInduction(tuple(v.name for v in on), at, names, tuple(weights))
    return None  # parts of the values alone: structural induction has these, or one along a function


def _smaller(sizes: Sizes, on: tuple[Term, ...], points: Iterable[Point]) -> list[Point]:
    """The points that lose a constructor, each under as few conditions as that needs."""

    def falls(tests: tuple[Term, ...], terms: tuple[Term, ...]) -> bool:
        loss = sizes.loss(on, terms, tests)
        return loss is not None and loss > 0

    smaller: dict[Point, None] = {}
    for condition, *rest in points:
        tests, terms = extend((), condition), tuple(rest)
        if falls(tests, terms):
            for test in reversed(tests):
                fewer = tuple(t for t in tests if t is not test)
                tests = fewer if falls(fewer, terms) else tests
            smaller.setdefault((and_(tests), *terms))
    return list(smaller)


def _shapes(
    context: ProverContext, sequent: Sequent, on: tuple[Term, ...], call: Term
) -> Iterator[tuple[Term, dict[Term, Term], dict[Term, Term]]]:
    """For each case of ``call``: the condition, what the variables become, and the new variables as selectors."""
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=context.reserved)
    body = context.signature.unfolded(call)
    whole = app(call.name, on, BOOL)  # only there to carry the variables
    for built, _ in constructor_cases(whole, body, on, context.signature, names)[:MAX_SHAPES]:
        back: dict[Term, Term] = {}
        tests = [t for v, shape in zip(on, built.args, strict=True) for t in _tests(context, v, shape, back)]
        if back:
            yield and_(tests), dict(zip(on, built.args, strict=True)), back


def _tests(context: ProverContext, subject: Term, shape: Term, back: dict[Term, Term]) -> Iterator[Term]:
    """What says that ``subject`` is built like ``shape``; the variables in that go into ``back``."""
    entry = context.signature.constructor(shape.name) if shape.kind is Kind.APP else None
    if entry is None:
        if shape is not subject:
            back[shape] = subject
        return
    yield tester(shape.name, subject)
    if shape.args:
        back[shape] = subject
    for part, (selector, sort) in zip(shape.args, entry[1].fields, strict=True):
        yield from _tests(context, app(selector, (subject,), sort), part, back)


def _folded(term: Term, back: dict[Term, Term]) -> Term:
    """The term in the variables of the goal: what shapes and their parts are, larger ones first."""
    for part in sorted(back, key=lambda p: -p.size):
        term = replace_subterm(term, part, back[part])
    return term


def _branches(context: ProverContext, term: Term, limit: int) -> list[Term]:
    """The term unfolded, without ``ite``: one for each way that conditions can go."""
    done: list[Term] = []
    waiting = [context.rewriter.normal(term, FUEL)]
    while waiting:
        whole = waiting.pop()
        choice = next(
            (t for t in subterms(whole) if is_app(t, "ite") and not any(s.binders for s in subterms(t))), None
        )
        if choice is None or whole.size > MAX_UNFOLDED or len(done) + len(waiting) >= limit:
            done.append(whole)
            continue
        for branch in (choice.args[2], choice.args[1]):
            waiting.append(context.rewriter.normal(replace_subterm(whole, choice, branch), FUEL))
    return done


def _matches(
    patterns: list[Term], branch: Term, on: tuple[Term, ...], general: tuple[Term, ...]
) -> Iterator[tuple[Term, ...]]:
    """What ``on`` stands for where a call of the goal comes up in ``branch``."""
    for term in subterms(branch):
        for pattern in patterns:
            binding = match(pattern, term) if term.kind is Kind.APP else None
            if binding is not None and all(v is t or v in on or v in general for v, t in binding.items()):
                yield tuple(binding[v] for v in on)
