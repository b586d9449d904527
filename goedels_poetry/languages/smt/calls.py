"""Recursive calls with the conditions under which their value matters.

Why these conditions are sound for the existence of the defined function: order the evaluation of a body so that
the condition of an ``ite`` comes before its branches, and in ``and``, ``or``, ``=>`` first the parts without recursive
calls, then the others from left to right, stopping when the value is decided. Then a call is made only when all of
its path holds, so the body's value depends on the function only at the arguments listed here. If each of these is
below the caller's arguments in a well-founded order, whatever values the function has, the function exists and is
unique. Earlier calls may stand in a path or in arguments: they count as arbitrary values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from goedels_poetry.languages.smt.problem import Definition, Signature
from goedels_poetry.languages.smt.sequent import Names
from goedels_poetry.languages.smt.terms import Kind, Term, app, is_app, not_, substitute, subterms

MAX_VISITED = 200_000


class TooLarge(Exception):
    """A body with more paths than we are ready to follow."""


@dataclass(frozen=True)
class Call:
    """``caller`` calls ``callee`` at ``args`` when ``path`` holds; all are terms over ``variables``, which are the
    caller's parameters and the quantified variables above the call."""

    caller: str
    callee: str
    args: tuple[Term, ...]
    path: tuple[Term, ...]
    variables: tuple[Term, ...]


def calls_of(definition: Definition, group: frozenset[str], body: Term, reserved: Iterable[str]) -> list[Call]:
    """The calls from ``body`` (equivalent to the definition's own) to members of ``group``.

    Raises:
        TooLarge: more than ``MAX_VISITED`` nodes on the way.
    """
    names = Names(body, *definition.params, reserved=reserved)
    relevant: dict[Term, bool] = {}

    def calls(term: Term) -> bool:
        found = relevant.get(term)
        if found is None:
            found = any(t.kind is Kind.APP and t.name in group for t in subterms(term))
            relevant[term] = found
        return found

    result: dict[Call, None] = {}
    stack: list[tuple[Term, tuple[Term, ...], tuple[Term, ...]]] = [(body, (), definition.params)]
    visited = 0
    while stack:
        term, path, variables = stack.pop()
        if not calls(term):
            continue
        visited += 1
        if visited > MAX_VISITED:
            raise TooLarge(definition.name)
        if term.binders:
            renaming = {v: names.fresh(v.name, v.sort) for v in term.binders}
            stack.append((substitute(term.body, renaming), path, (*variables, *renaming.values())))
            relevant.clear()  # terms are new; keep the table small
            continue
        if term.name in group and term.kind is Kind.APP:
            result[Call(definition.name, term.name, term.args, path, variables)] = None
        if term.name == "ite":
            condition, then, otherwise = term.args
            stack.append((condition, path, variables))
            stack.append((then, _extend(path, condition), variables))
            stack.append((otherwise, _extend(path, not_(condition)), variables))
        elif term.name in ("and", "or", "=>"):
            stack.extend((a, p, variables) for a, p in _connective(term, path, calls))
        else:
            stack.extend((a, path, variables) for a in term.args)
    return list(result)


def _connective(
    term: Term, path: tuple[Term, ...], calls: Callable[[Term], bool]
) -> list[tuple[Term, tuple[Term, ...]]]:
    args = term.args
    # what must hold of each part for the evaluation to go on after it
    if term.name == "and":
        going_on = list(args)
    elif term.name == "or":
        going_on = [not_(a) for a in args]
    else:
        going_on = [*args[:-1], not_(args[-1])]
    order = sorted(range(len(args)), key=lambda i: (calls(args[i]), i))
    result = []
    for i in order:
        result.append((args[i], path))
        path = _extend(path, going_on[i])
    return result


def _extend(path: tuple[Term, ...], condition: Term) -> tuple[Term, ...]:
    parts = condition.args if is_app(condition, "and") else (condition,)
    if is_app(condition, "not") and is_app(condition.args[0], "or"):
        parts = tuple(not_(a) for a in condition.args[0].args)
    return (*path, *[p for p in parts if p not in path])


class Shapes:
    """What a path tells about which constructors terms were built by."""

    def __init__(self, path: Iterable[Term], signature: Signature) -> None:
        self._signature = signature
        self._is: dict[Term, str] = {}
        self._is_not: dict[Term, set[str]] = {}
        self._sizes: dict[Term, Size] = {}
        self.contradictory = False
        for fact in path:
            positive = not is_app(fact, "not")
            atom = fact if positive else fact.args[0]
            found = self._test(atom)
            if found is None:
                continue
            subject, constructor = found
            if positive:
                self.contradictory |= self._is.setdefault(subject, constructor) != constructor
            else:
                self._is_not.setdefault(subject, set()).add(constructor)
        for subject, constructor in self._is.items():
            self.contradictory |= constructor in self._is_not.get(subject, ())

    def _test(self, atom: Term) -> tuple[Term, str] | None:
        if is_app(atom, "is"):
            return atom.args[0], str(atom.indices[0])
        if is_app(atom, "=") and len(atom.args) == 2:
            for subject, value in (atom.args, atom.args[::-1]):
                if value.kind is Kind.APP and not value.args and self._signature.constructor(value.name):
                    return subject, value.name
        return None

    def constructor(self, term: Term) -> str | None:
        """The constructor that ``term`` must have been built by, if the path tells."""
        datatype = self._signature.datatype(term.sort)
        if datatype is None:
            return None
        if term in self._is:
            return self._is[term]
        excluded = self._is_not.get(term, set())
        left = [c.name for c in datatype.constructors if c.name not in excluded]
        return left[0] if len(left) == 1 else None

    def size(self, term: Term) -> Size:
        """Number of constructors in the value of ``term``, as far as its shape is known."""
        found = self._sizes.get(term)
        if found is None:
            found = self._sizes[term] = self._size(term)
        return found

    def _size(self, term: Term) -> Size:
        if self._signature.datatype(term.sort) is None:
            return Size(0, {})
        if term.kind is Kind.APP and self._signature.constructor(term.name):
            return sum_of(map(self.size, term.args), 1)
        name = self.constructor(term)
        entry = self._signature.constructor(name) if name is not None else None
        if entry is None:
            return Size(0, {term: 1})
        return sum_of((self.size(app(s, (term,), sort)) for s, sort in entry[1].fields), 1)


@dataclass(frozen=True)
class Size:
    """``constant`` plus the sizes of terms of unknown shape, each times its (positive) number."""

    constant: int
    unknown: Mapping[Term, int]

    def least_excess(self, other: Size) -> int | None:
        """The least that this can be larger than ``other``; None when it can be smaller without bound.

        A value has at least one constructor.
        """
        difference = dict(self.unknown)
        for term, number in other.unknown.items():
            difference[term] = difference.get(term, 0) - number
        if any(number < 0 for number in difference.values()):
            return None
        return self.constant - other.constant + sum(difference.values())


def sum_of(sizes: Iterable[Size], constant: int = 0) -> Size:
    """The sum of sizes."""
    unknown: dict[Term, int] = {}
    for size in sizes:
        constant += size.constant
        for term, number in size.unknown.items():
            unknown[term] = unknown.get(term, 0) + number
    return Size(constant, unknown)


def alternatives(terms: tuple[Term, ...], path: tuple[Term, ...]) -> list[tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """The values that terms with ``ite`` on top can have, each with the path extended by its conditions."""
    for i, term in enumerate(terms):
        if is_app(term, "ite"):
            condition, then, otherwise = term.args
            return [
                *alternatives((*terms[:i], then, *terms[i + 1 :]), _extend(path, condition)),
                *alternatives((*terms[:i], otherwise, *terms[i + 1 :]), _extend(path, not_(condition))),
            ]
    return [(terms, path)]
