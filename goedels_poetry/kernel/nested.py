"""Recursion on the result of a recursive call, as in McCarthy's 91 function: it needs a bound on the results.

Trusted code. For one function ``f`` with parameters ``p``, a measure ``m`` and a bound ``B(p, r)`` it is shown that

1. on each path through the body, every call is at arguments where ``m`` is smaller, given the bound for the calls
   inside of those arguments;
2. on each path the result keeps the bound, given the bound for all calls on that path.

Then, by induction on ``m``, evaluation ends at every ``p`` and its result keeps the bound: the calls of a path are
evaluated from the inside out, each is smaller by (1), so it ends and keeps the bound; and (2) passes the bound on.
Neither asks anything of ``f`` but the bounds that are named, so ``f`` is uninterpreted in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Term,
    and_,
    app,
    integer,
    is_app,
    not_,
    substitute,
    subterms,
    var,
)

MAX_BOUNDS = 60
MAX_PATHS = 32


@dataclass(frozen=True)
class Evidence:
    """The measure and the bound in words, and the sequents that were proved."""

    detail: str
    obligations: tuple[tuple[str, Sequent], ...]


@dataclass(frozen=True)
class _Path:
    """One way through the body: conditions, what it returns, and the calls of the function in that."""

    conditions: tuple[Term, ...]
    result: Term
    calls: tuple[Term, ...]


@dataclass(frozen=True)
class _Bound:
    """``result relation argument + constant`` for the argument at ``position``."""

    relation: str
    position: int
    constant: int

    def of(self, result: Term, args: tuple[Term, ...]) -> Term:
        limit = app("+", (args[self.position], integer(self.constant)), INT)
        return app(self.relation, (result, limit), BOOL)


def bounded_recursion(
    definition: Definition, measures: Iterable[Term], prove: Callable[[Sequent], bool]
) -> Evidence | None:
    """Evidence that a function with nested calls of itself terminates, or None.

    ``measures`` are Int terms over the parameters; ``prove`` as in `wellfounded.termination`.
    """
    paths = _paths(definition)
    if definition.sort is not INT or paths is None or not any(_inside(c, p) for p in paths for c in p.calls):
        return None
    measures = tuple(measures)
    for bound in islice(_bounds(definition), MAX_BOUNDS):
        words = show(bound.of(var("result", INT), definition.params))
        kept = [(f"{words} is kept", _keeps(definition, p, bound)) for p in paths]
        if not all(prove(s) for _, s in kept):
            continue
        for measure in measures:
            falls = [(f"{show(measure)} falls", s) for p in paths for s in _falls(definition, p, measure, bound)]
            if all(prove(s) for _, s in falls):
                return Evidence(f"the measure {show(measure)} falls, since {words}", (*kept, *falls))
    return None


def _bounds(definition: Definition) -> Iterator[_Bound]:
    """Bounds by the parameters and the numbers of the body, small numbers first."""
    literals = [t.value for t in subterms(definition.body) if t.kind is Kind.LIT and t.sort is INT]
    numbers = {n for n in literals if isinstance(n, int)}
    for constant in sorted({0, *numbers, *(-n for n in numbers)}, key=abs):
        for position, parameter in enumerate(definition.params):
            if parameter.sort is INT:
                yield _Bound(">=", position, constant)
                yield _Bound("<=", position, constant)


def _paths(definition: Definition) -> list[_Path] | None:
    """The paths through the outer ``ite`` of the body; None when calls stand where their order would matter."""
    found: list[_Path] = []
    stack: list[tuple[Term, tuple[Term, ...]]] = [(definition.body, ())]
    while stack:
        term, conditions = stack.pop()
        if is_app(term, "ite"):
            test, then, otherwise = term.args
            if _calls(definition, test):
                return None
            stack.append((otherwise, (*conditions, not_(test))))
            stack.append((then, (*conditions, test)))
            continue
        calls = _calls(definition, term)
        if len(found) >= MAX_PATHS or (
            calls and any(t.binders or t.sort is BOOL or is_app(t, "ite") for t in subterms(term))
        ):
            return None
        found.append(_Path(conditions, term, calls))
    return found


def _calls(definition: Definition, term: Term) -> tuple[Term, ...]:
    return tuple(t for t in subterms(term) if t.kind is Kind.APP and t.name == definition.name)


def _inside(call: Term, path: _Path) -> list[Term]:
    """The calls inside the arguments of a call."""
    below = {t for a in call.args for t in subterms(a)}
    return [c for c in path.calls if c in below]


def _keeps(definition: Definition, path: _Path, bound: _Bound) -> Sequent:
    given = [bound.of(c, c.args) for c in path.calls]
    return make_sequent(definition.params, (*path.conditions, *given), bound.of(path.result, definition.params))


def _falls(definition: Definition, path: _Path, measure: Term, bound: _Bound) -> Iterator[Sequent]:
    for call in path.calls:
        there = substitute(measure, dict(zip(definition.params, call.args, strict=True)))
        given = [bound.of(c, c.args) for c in _inside(call, path)]
        smaller = and_([app("<=", (integer(0), measure), BOOL), app("<", (there, measure), BOOL)])
        yield make_sequent(definition.params, (*path.conditions, *given), smaller)
