"""What declared functions and sorts could be so that premises hold: simple terms first, then what a solver suggests.

These are suggestions: whoever uses them has the premises proved, and the goal evaluated, under the interpretation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from goedels_poetry.kernel.faults import TextTooLong
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Problem, Signature, reached
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.interpretation import Interpretation
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.refutation.values import small_values, to_term
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Sort,
    Term,
    app,
    eq,
    integer,
    is_app,
    ite,
    not_,
    substitute,
    subterms,
    symbols,
    var,
)
from goedels_poetry.smt.refutation.models import functions_of_model
from goedels_poetry.smt.refutation.refute import Refuter
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

TRIALS = 400
"""Functions that are tried, one after the other, for one theorem."""
TESTS = 30
FUEL = 2_000
MODEL = 300_000
"""Resource units of z3 for one model: some tenths of a second."""
MODEL_SECONDS = 3.0
MOST_OF_ONE = 24
"""Templates for one function."""
MOST_FUNCTIONS = 6


@dataclass(frozen=True)
class OpenThings:
    """The declared functions and sorts that premises speak of, and the premises."""

    functions: tuple[str, ...]
    sorts: tuple[Sort, ...]


def open_things(problem: Problem) -> OpenThings:
    """What an interpretation has to say something of: all that premises and their definitions lead to."""
    signature = problem.signature
    names = reached(signature, [p.formula for p in problem.premises])
    functions = [n for n in signature.functions if n in names and signature.definition(n) is None]
    spoken = {s for n in functions for s in (*signature.functions[n][0], signature.functions[n][1])}
    for premise in problem.premises:
        pending = [premise.formula]
        while pending:
            term = pending.pop()
            spoken |= {term.sort, *[v.sort for v in term.binders]}
            pending += term.args
    return OpenThings(tuple(functions), tuple(s for s in signature.sorts if s in spoken))


def templates(problem: Problem, things: OpenThings) -> Iterator[Interpretation]:
    """Terms for all open functions under which the premises were not seen to be false, simple ones first."""
    if not 1 <= len(things.functions) <= MOST_FUNCTIONS:
        return
    goal = reached(problem.signature, [problem.goal])  # what matters for it is varied first, so it comes last
    rows = {name: tuple(_terms(problem, name)) for name in sorted(things.functions, key=lambda n: n in goal)}
    if not all(rows.values()):
        return
    trials = itertools.count()
    for chosen in _assigned(problem, rows, {}, lambda: next(trials) < TRIALS):
        yield Interpretation({n: _told(params, body) for n, (params, body) in chosen.items()}, {})


Meaning = tuple[tuple[Term, ...], Term]
"""Parameters and body."""


def _told(params: Sequence[Term], body: Term) -> tuple[tuple[str, ...], str]:
    return tuple(p.name for p in params), show(body)


def _assigned(
    problem: Problem,
    rows: Mapping[str, tuple[Meaning, ...]],
    chosen: dict[str, Meaning],
    go_on: Callable[[], bool],
) -> Iterator[dict[str, Meaning]]:
    """All choices that the premises do not rule out, function by function."""
    if len(chosen) == len(rows):
        yield dict(chosen)
        return
    name = list(rows)[len(chosen)]
    for meaning in rows[name]:
        if not go_on():
            return
        now = {**chosen, name: meaning}
        if _may_hold(problem, now, name):
            yield from _assigned(problem, rows, now, go_on)


def _may_hold(problem: Problem, chosen: Mapping[str, Meaning], last: str) -> bool:
    """Whether no premise that is decided with ``last``, and speaks of it, is false at small values."""
    signature = _with(problem.signature, chosen)
    refuter = Refuter(signature, Evaluator(signature, fuel=FUEL))
    for premise in problem.premises:
        names = reached(signature, [premise.formula])
        if last not in names or any(n in names and n not in chosen for n in problem.signature.functions):
            continue
        if refuter.counterexample(_sequent(premise.formula, signature), TESTS) is not None:
            return False
    return True


def _sequent(formula: Term, signature: Signature) -> Sequent:
    return sequent_of(formula, signature.names)


def _with(signature: Signature, chosen: Mapping[str, Meaning]) -> Signature:
    """The signature in which these functions are defined."""
    functions = {n: f for n, f in signature.functions.items() if n not in chosen}
    added = tuple(Definition(n, ps, b.sort, b, -1 - i, False) for i, (n, (ps, b)) in enumerate(chosen.items()))
    return replace(signature, functions=MappingProxyType(functions), definitions=(*added, *signature.definitions))


def _terms(problem: Problem, name: str) -> Iterator[Meaning]:
    """Bodies for one function, simple ones first; what a premise says that it is, alone where there is that."""
    signature = problem.signature
    sorts, result = signature.functions[name]
    params = tuple(_parameter(problem, i, s) for i, s in enumerate(sorts))
    for premise in problem.premises:
        body = _said(signature, premise.formula, name, params)
        if body is not None:
            yield params, body
            return
    found: dict[Term, None] = {}
    for body in itertools.chain(
        _plain(signature, params, result),
        _by_elements(signature, params, result),
        _spoken_of(problem, name, params),
        _arithmetic(problem, params, result),
    ):
        if len(found) < MOST_OF_ONE and body not in found:
            found[body] = None
            yield params, body


def _parameter(problem: Problem, number: int, sort: Sort) -> Term:
    name = "xyzuvw"[number] if number < 6 else f"x{number}"
    while name in problem.signature.names:
        name += "_"
    return var(name, sort)


def _said(signature: Signature, formula: Term, name: str, params: tuple[Term, ...]) -> Term | None:
    """``t`` of a premise ``forall xs. f(xs) = t`` in which ``t`` is made of theories and constructors alone."""
    binders, inner = (formula.binders, formula.body) if formula.kind is Kind.FORALL else ((), formula)
    if not (is_app(inner, "=") and len(inner.args) == 2):
        return None
    for left, right in (inner.args, inner.args[::-1]):
        if is_app(left, name) and set(left.args) <= set(binders) and len(set(left.args)) == len(left.args):
            built = [c for d in signature.datatypes for c in d.constructors]
            known = {name for c in built for name in (c.name, *[field for field, _ in c.fields])}
            if right.free <= set(left.args) and (symbols(right) & signature.names) <= known and not _binds(right):
                return substitute(right, dict(zip(left.args, params, strict=True)))
    return None


def _by_elements(signature: Signature, params: Sequence[Term], result: Sort) -> Iterator[Term]:
    """From element to element of an enumeration in a circle, or which of them it is: as a number, as a truth value."""
    for param in params:
        elements = _enumeration(signature, param.sort)
        if len(elements) < 2:
            continue
        if result is param.sort:
            yield _cases(param, elements, [*elements[1:], elements[0]])
        elif result is INT:
            yield _cases(param, elements, [integer(n) for n in range(len(elements))])
        elif result is BOOL:
            yield from (eq(param, element) for element in elements)


def _enumeration(signature: Signature, sort: Sort) -> list[Term]:
    datatype = signature.datatype(sort)
    if datatype is None or any(c.fields for c in datatype.constructors):
        return []
    return [app(c.name, (), sort) for c in datatype.constructors]


def _cases(param: Term, elements: Sequence[Term], values: Sequence[Term]) -> Term:
    body = values[-1]
    for element, value in reversed(list(zip(elements[:-1], values[:-1], strict=True))):
        body = ite(eq(param, element), value, body)
    return body


def _spoken_of(problem: Problem, name: str, params: tuple[Term, ...]) -> Iterator[Term]:
    """What premises compare the function with, and numbers beside that: ``str.len x`` of ``f x >= str.len x``."""
    signature = problem.signature
    declared = {n for n in signature.functions if signature.definition(n) is None}
    defined = {d.name for d in signature.definitions}
    for premise in problem.premises:
        parts = list(subterms(premise.formula))
        for call in [t for t in parts if is_app(t, name) and len(set(t.args)) == len(t.args)]:
            if any(a.kind is not Kind.VAR for a in call.args):
                continue
            for t in parts:
                if t.sort is not call.sort or t.kind is Kind.VAR or not t.free or not t.free <= set(call.args):
                    continue
                if t.sort is BOOL or _binds(t) or symbols(t) & (declared | defined):
                    continue
                body = substitute(t, dict(zip(call.args, params, strict=True)))
                yield body
                if body.sort is INT:
                    yield app("+", (body, integer(1)), INT)


def _binds(term: Term) -> bool:
    return bool(term.binders) or any(_binds(a) for a in term.args)


def _plain(signature: Signature, params: Sequence[Term], result: Sort) -> Iterator[Term]:
    """Arguments, small values, constructors of arguments."""
    yield from (p for p in params if p.sort is result)
    yield from (t for v in small_values(signature, result, 3) if (t := to_term(signature, result, v)) is not None)
    datatype = signature.datatype(result)
    for constructor in datatype.constructors if datatype else ():
        pools = [[p for p in params if p.sort is s] or _smallest(signature, s) for _, s in constructor.fields]
        yield from (app(constructor.name, args, result) for args in itertools.islice(itertools.product(*pools), 3))


def _smallest(signature: Signature, sort: Sort) -> list[Term]:
    terms = [to_term(signature, sort, v) for v in small_values(signature, sort, 1)]
    return [t for t in terms if t is not None]


def _arithmetic(problem: Problem, params: Sequence[Term], result: Sort) -> Iterator[Term]:
    """``a*x + b`` and its like for numbers; comparisons for truth values; negation."""
    numbers = [p for p in params if p.sort is INT]
    if result is INT:
        for sign, step in (("+", 1), ("-", 1), ("+", 2)):
            yield from (app(sign, (p, integer(step)), INT) for p in numbers)
        yield from (app("-", (p,), INT) for p in numbers)
        yield from (app("*", (integer(2), p), INT) for p in numbers)
        yield from (app("+", pair, INT) for pair in itertools.combinations(numbers, 2))
        yield from (_larger(a, b) for a, b in itertools.combinations(numbers, 2))
        yield from (_larger(p, integer(0)) for p in numbers)
        yield from (_larger(p, app("-", (p,), INT)) for p in numbers)
        yield from (app("+", (app("*", (integer(2), p), INT), integer(1)), INT) for p in numbers)
        yield from (app("*", pair, INT) for pair in itertools.combinations_with_replacement(numbers, 2))
    if result is BOOL:
        same = [pair for pair in itertools.combinations(params, 2) if pair[0].sort is pair[1].sort]
        yield from (eq(a, b) for a, b in same)
        yield from (app(r, pair, BOOL) for pair in itertools.combinations(numbers, 2) for r in ("<=", "<", ">=", ">"))
        yield from (app(r, (p, integer(0)), BOOL) for p in numbers for r in (">=", ">", "="))
        yield from (not_(p) for p in params if p.sort is BOOL)


def _larger(a: Term, b: Term) -> Term:
    return ite(app(">=", (a, b), BOOL), a, b)


# --------------------------------------------------------------------------------------------------- solver


def suggested_functions(problem: Problem, things: OpenThings, *, goal: bool) -> Interpretation | None:
    """What z3 takes the open functions for so that the premises hold, and with ``goal`` that is false."""
    if not things.functions:
        return None
    context = Context(problem)
    denied = [not_(problem.goal)] if goal else []
    formulas = [*[p.formula for p in problem.premises], *denied]
    if not goal:  # what premises do not rest on only takes time
        names = reached(problem.signature, formulas)
        used = tuple(d for d in problem.signature.definitions if d.name in names)
        context = Context(replace(problem, goal=problem.premises[0].formula, signature=_only(problem.signature, used)))
    try:
        asserted = [f"(assert {context.encoding.text(f)})" for f in formulas]
    except (TextTooLong, ValueError):
        return None
    script = "\n".join((*with_definitions(context), *asserted))
    with borrowed() as z3:
        answer = z3.ask(script, Limits(rlimit=MODEL, seconds=MODEL_SECONDS), get="model")
    if answer.status != "sat":
        return None
    found = functions_of_model(answer.output, problem.signature, things.functions)
    return Interpretation(found, {}) if found else None


def _only(signature: Signature, definitions: tuple[Definition, ...]) -> Signature:
    return replace(signature, definitions=definitions)
