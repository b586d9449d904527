"""Induction on the size of datatype values: the hypothesis at whatever smaller arguments the unfolded goal speaks of.

The cases of the variables are unfolded; where a call of the goal comes up again with arguments that are smaller, going
by constructors and by the sizes of results that are known, the hypothesis is wanted. So it serves where no function
calls itself at all the points that are wanted: ``flat (merge p q)`` at ``merge (merge a q) b``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from goedels_poetry.languages.smt.calls import extend
from goedels_poetry.languages.smt.engine.induct import general_beside, induction_variables
from goedels_poetry.languages.smt.engine.plan import Plan, leaf
from goedels_poetry.languages.smt.engine.rewrite import match
from goedels_poetry.languages.smt.engine.workbench import Workbench
from goedels_poetry.languages.smt.problem import Constructor
from goedels_poetry.languages.smt.schemas import ConstructorSplit, SchemeError, SizeInduction, instances
from goedels_poetry.languages.smt.sequent import Names, Sequent
from goedels_poetry.languages.smt.terms import (
    Kind,
    Term,
    and_,
    app,
    is_app,
    replace_subterm,
    substitute,
    subterms,
    tester,
)
from goedels_poetry.languages.smt.wellfounded import structural_sizes

MAX_POINTS = 12
MAX_VARIABLES = 3
MAX_BRANCHES = 16
MAX_SHAPES = 12
MAX_UNFOLDED = 200
FUEL = 16
"""Unfoldings of one term: a step needs one or two for each function."""

Point = tuple[Term, ...]


def size_plans(bench: Workbench, sequent: Sequent, rlimit: int | None = None) -> Iterator[Plan]:
    """Plans by induction on the size of one variable, or of two together, all of whose cases the solver closes."""
    variables = induction_variables(bench, sequent)[:MAX_VARIABLES]
    for on in [*[(v,) for v in variables], *combinations(variables, 2)]:
        scheme = size_scheme(bench, sequent, on)
        plan = by_size(bench, sequent, scheme, on, rlimit) if scheme is not None else None
        if plan is not None:
            yield plan


def by_size(
    bench: Workbench, sequent: Sequent, scheme: SizeInduction, on: tuple[Term, ...], rlimit: int | None = None
) -> Plan | None:
    """The induction, then the cases of its variables; None when one stays open."""
    try:
        (step,) = instances(sequent, scheme, bench.signature)
    except SchemeError:
        return None
    inner = _by_constructors(bench, step, on, rlimit)
    detail = f"{' '.join(scheme.on)} at {len(scheme.at)}: {scheme.at!r}"
    return Plan(sequent, scheme, (inner,), "size-induction", detail) if inner is not None else None


def _by_constructors(bench: Workbench, sequent: Sequent, on: tuple[Term, ...], rlimit: int | None) -> Plan | None:
    if not on:
        query = bench.direct(sequent, rlimit)
        return leaf(sequent, query) if query is not None else None
    if on[0] not in sequent.vars:
        return _by_constructors(bench, sequent, on[1:], rlimit)
    scheme = ConstructorSplit(on[0].name)
    children = []
    for case in instances(sequent, scheme, bench.signature):
        child = _by_constructors(bench, case, on[1:], rlimit)
        if child is None:
            return None
        children.append(child)
    return Plan(sequent, scheme, tuple(children), "case-split", on[0].name)


def size_scheme(bench: Workbench, sequent: Sequent, on: tuple[Term, ...]) -> SizeInduction | None:
    """The induction on ``on`` with its points; None when no smaller arguments come up."""
    names = general_beside(sequent, on)
    general = tuple(v for v in sequent.vars if v.name in names)
    patterns = [
        t
        for t in subterms(sequent.concl)
        if t.kind is Kind.APP and t.free >= frozenset(on) and bench.signature.definition(t.name) is not None
    ]
    patterns = [p for p in patterns if not any(q is not p and q in p.args for q in patterns)]
    points: dict[Point, None] = {}
    for condition, here, back in _shapes(bench, sequent, on):
        for branch in _branches(bench, substitute(sequent.concl, here), MAX_BRANCHES):
            for found in _matches(patterns, branch, on, general):
                terms = tuple(substitute(_folded(t, here), back) for t in found)
                if all(t.free <= frozenset(sequent.vars) - frozenset(general) for t in terms):
                    points.setdefault((condition, *terms))
    sizes = structural_sizes(bench.signature)
    smaller = []
    for point in points:
        loss = sizes.loss(on, point[1:], extend((), point[0]))
        if loss is not None and loss > 0:
            smaller.append(point)
    if not any(bench.signature.definition(t.name) for p in smaller for term in p[1:] for t in subterms(term)):
        return None  # parts of the values alone: structural induction has these, or one along a function
    return SizeInduction(tuple(v.name for v in on), tuple(smaller[:MAX_POINTS]), names)


def _shapes(
    bench: Workbench, sequent: Sequent, on: tuple[Term, ...]
) -> Iterator[tuple[Term, dict[Term, Term], dict[Term, Term]]]:
    """For each way to build the variables: the condition, what they become, and the new variables as selectors."""
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=bench.reserved)
    options: list[list[tuple[Term, Constructor]]] = []
    for variable in on:
        datatype = bench.signature.datatype(variable.sort)
        options.append([(variable, c) for c in datatype.constructors] if datatype else [])
    for number, choice in enumerate(product(*options)):
        if number >= MAX_SHAPES:
            return
        here, back, tests = {}, {}, []
        for variable, constructor in choice:
            fields = [names.fresh(variable.name, sort) for _, sort in constructor.fields]
            here[variable] = app(constructor.name, fields, variable.sort)
            back.update(
                {f: app(name, (variable,), sort) for f, (name, sort) in zip(fields, constructor.fields, strict=True)}
            )
            tests.append(tester(constructor.name, variable))
        if back:
            yield and_(tests), here, back


def _folded(term: Term, here: dict[Term, Term]) -> Term:
    """The term with what the variables became as the variables."""
    for variable, shape in here.items():
        term = replace_subterm(term, shape, variable) if shape.args else term
    return term


def _branches(bench: Workbench, term: Term, limit: int) -> list[Term]:
    """The term unfolded, without ``ite``: one for each way that conditions can go."""
    done: list[Term] = []
    waiting = [bench.rewriter.normal(term, FUEL)]
    while waiting:
        whole = waiting.pop()
        choice = next(
            (t for t in subterms(whole) if is_app(t, "ite") and not any(s.binders for s in subterms(t))), None
        )
        if choice is None or whole.size > MAX_UNFOLDED or len(done) + len(waiting) >= limit:
            done.append(whole)
            continue
        for branch in (choice.args[2], choice.args[1]):
            waiting.append(bench.rewriter.normal(replace_subterm(whole, choice, branch), FUEL))
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
