"""Declared functions that premises define: ``forall xs. f(xs) = t``, or one such equation for each constructor.

Trusted code. Where the recursion that the equations describe terminates, one function alone satisfies them: so whatever
interprets the declared symbols such that the premises hold gives ``f`` the values that the definition gives it, and a
theorem about the definition is one about the premises. That it terminates is shown as for any other definition; a
certificate that names a function which is not shown to terminate is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.problem import Premise, Problem, Signature
from goedels_poetry.kernel.reading.declare import Body, order_definitions
from goedels_poetry.kernel.terms import Kind, Term, app, fresh_name, is_app, ite, substitute, subterms, tester, var

DEFINED = "defined"
"""The key of a certificate's evidence for the names of these functions."""
MAX_DECISIONS = 500
"""Cases that the patterns of one function come to."""


@dataclass(frozen=True)
class _Row:
    """An equation of a function, with what is left to be asked of its arguments: patterns by place."""

    premise: str
    patterns: Mapping[Term, Term]
    right: Term
    values: Mapping[Term, Term]


def definable(problem: Problem) -> tuple[str, ...]:
    """The declared functions that premises could define, in the order of these premises."""
    return tuple(_bodies(problem))


def with_definitions(problem: Problem, names: Sequence[str]) -> Problem:
    """The theorem with definitions of declared functions in place of the premises that give them.

    Raises:
        BadProof: no premises define a function of this name, or it occurs twice.
    """
    signature, found = problem.signature, _bodies(problem) if names else {}
    wrong = [name for i, name in enumerate(names) if name not in found or name in names[:i]]
    if wrong:
        raise BadProof(f"no premises define `{wrong[0]}`")
    given = {name: found[name][1] for name in names}
    bodies = {d.name: (d.params, d.sort, d.body) for d in signature.definitions}
    bodies |= {name: found[name][0] for name in names}
    functions = {name: sorts for name, sorts in signature.functions.items() if name not in given}
    used = {premise for premises in given.values() for premise in premises}
    return replace(
        problem,
        signature=replace(signature, functions=MappingProxyType(functions), definitions=order_definitions(bodies)),
        premises=tuple(p for p in problem.premises if p.name not in used),
        defined=MappingProxyType(given),
    )


def split_evidence(evidence: Any, problem: Problem) -> tuple[Any, Problem]:
    """The evidence of a proof without its part about definitions by premises, and the theorem with these.

    Raises:
        CodecError: the part is no list of names. BadProof: see `with_definitions`.
    """
    if not isinstance(evidence, dict) or DEFINED not in evidence:
        return evidence, problem
    match evidence[DEFINED]:
        case [_, *_] as names if all(isinstance(name, str) for name in names):
            rest = {key: value for key, value in evidence.items() if key != DEFINED}
            return rest, with_definitions(problem, names)
    raise CodecError("functions that premises define are listed by name")


def _bodies(problem: Problem) -> dict[str, tuple[Body, tuple[str, ...]]]:
    """What premises could define, with the names of these premises."""
    signature = problem.signature
    taken = {*signature.names, *(t.name for p in problem.premises for t in subterms(p.formula) if t.kind is Kind.VAR)}
    found: dict[str, tuple[Body, tuple[str, ...]]] = {}
    for name, equations in _equations(signature, problem.premises).items():
        sorts, sort = signature.functions[name]
        params = equations[0][1].args
        if any(p.kind is not Kind.VAR for p in params):
            params = tuple(var(fresh_name(f"x{i}!", taken), s) for i, s in enumerate(sorts))
        rows = [_Row(p, dict(zip(params, left.args, strict=True)), right, {}) for p, left, right in equations]
        body = _decided(signature, rows, [MAX_DECISIONS])
        if body is not None:
            found[name] = (params, sort, body), tuple(row.premise for row in rows)
    return found


def _equations(signature: Signature, premises: Iterable[Premise]) -> dict[str, list[tuple[str, Term, Term]]]:
    """``f(patterns)`` and what it equals, by function, with the name of the premise.

    An equation whose patterns are variables is the only one of its function: others are premises still. What stands on
    the right is defined where no declared function stands on the left, which the equation is rather about.
    """
    found: dict[str, list[tuple[str, Term, Term]]] = {}
    whole: set[str] = set()
    for premise in premises:
        formula, variables = premise.formula, frozenset[Term]()
        while formula.kind is Kind.FORALL:
            formula, variables = formula.body, variables | frozenset(formula.binders)
        sides: tuple[Term, ...] = formula.args if is_app(formula, "=") and len(formula.args) == 2 else ()
        about_left = bool(sides) and sides[0].kind is Kind.APP and _is_declared(signature, sides[0].name)
        for left, right in ((sides,) if about_left else (sides, sides[::-1])) if sides else ():
            if left.name in whole or not _is_head(signature, left, variables) or not right.free <= left.free:
                continue
            if all(argument.kind is Kind.VAR for argument in left.args):
                whole.add(left.name)
                found[left.name] = []
            found.setdefault(left.name, []).append((premise.name, left, right))
            break
    return found


def _is_declared(signature: Signature, name: str) -> bool:
    return name in signature.functions and signature.definition(name) is None


def _is_head(signature: Signature, term: Term, variables: frozenset[Term]) -> bool:
    """Whether a term is a declared function at constructors of variables, no variable twice."""
    if term.kind is not Kind.APP or not _is_declared(signature, term.name):
        return False
    seen: list[Term] = []
    waiting = list(term.args)
    while waiting:
        pattern = waiting.pop()
        if pattern.kind is Kind.VAR and pattern in variables:
            seen.append(pattern)
        elif pattern.kind is Kind.APP and signature.constructor(pattern.name) is not None:
            waiting += pattern.args
        else:
            return False
    return len(set(seen)) == len(seen)


def _decided(signature: Signature, rows: Sequence[_Row], left: list[int]) -> Term | None:
    """The value at the places where the rows apply; None unless exactly one does, whatever is there."""
    left[0] -= 1
    if left[0] < 0 or not rows:
        return None
    first = rows[0]
    place = next((p for p, pattern in first.patterns.items() if pattern.kind is Kind.APP), None)
    if place is None:
        values = {**first.values, **{pattern: p for p, pattern in first.patterns.items()}}
        return substitute(first.right, values) if len(rows) == 1 else None
    datatype = signature.datatype(place.sort)
    assert datatype is not None  # of the sort of a constructor
    body: Term | None = None
    for constructor in reversed(datatype.constructors):
        fields = [app(selector, (place,), sort) for selector, sort in constructor.fields]
        chosen = [row for row in (_opened(row, place, constructor.name, fields) for row in rows) if row is not None]
        branch = _decided(signature, chosen, left)
        if branch is None:
            return None
        body = branch if body is None else ite(tester(constructor.name, place), branch, body)
    return body


def _opened(row: _Row, place: Term, constructor: str, fields: Sequence[Term]) -> _Row | None:
    """The row where a constructor has built what is at the place; None where it does not apply."""
    pattern = row.patterns.get(place)
    if pattern is None:
        return row
    others = {p: t for p, t in row.patterns.items() if p is not place}
    if pattern.kind is Kind.VAR:
        return replace(row, patterns=others, values={**row.values, pattern: place})
    if pattern.name != constructor:
        return None
    return replace(row, patterns={**others, **dict(zip(fields, pattern.args, strict=True))})
