"""Recursive calls with the conditions under which their value matters.

Why these conditions are sound for the existence of the defined function: order the evaluation of a body so that
the condition of an ``ite`` comes before its branches, and in ``and``, ``or``, ``=>`` first the parts without recursive
calls, then the others from left to right, stopping when the value is decided. Then a call is made only when all of
its path holds, so the body's value depends on the function only at the arguments listed here. If each of these is
below the caller's arguments in a well-founded order, whatever values the function has, the function exists and is
unique. Earlier calls may stand in a path or in arguments: they count as arbitrary values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.problem import Definition, Signature, components
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import Kind, Term, is_app, not_, substitute, symbols

# A bound on what a walk does, not on what it finds


class TooLarge(Exception):
    """More work than we are ready to do. ``args``: what is too large."""


class Work:
    """So many steps; ``spend`` raises `TooLarge` when they are used up.

    Counted, not timed: what a check comes to must not depend on the speed of the machine.
    """

    __slots__ = ("left", "what")

    def __init__(self, steps: int, what: str = "") -> None:
        self.left = steps
        self.what = what

    def spend(self, steps: int = 1) -> None:
        """Use up some of them."""
        self.left -= steps
        if self.left < 0:
            raise TooLarge(self.what)


MAX_STEPS = 2_000_000
"""Nodes that are visited for one body, and conditions on the paths to them."""


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
        TooLarge: more than ``MAX_STEPS`` steps on the way.
    """
    names = Names(body, *definition.params, reserved=reserved)
    work = Work(MAX_STEPS, definition.name)
    relevant: dict[Term, bool] = {}

    def calls(term: Term) -> bool:
        if term not in relevant:
            _mark(term, group, relevant, work)
        return relevant[term]

    result: dict[Call, None] = {}
    seen: set[tuple[Term, tuple[Term, ...], tuple[Term, ...]]] = set()  # a part may be shared by many places
    stack: list[tuple[Term, tuple[Term, ...], tuple[Term, ...]]] = [(body, (), definition.params)]
    while stack:
        term, path, variables = stack.pop()
        if not calls(term) or (term, path, variables) in seen:
            continue
        seen.add((term, path, variables))
        work.spend(1 + len(path))
        if term.binders:
            renaming = {v: names.fresh(v.name, v.sort) for v in term.binders}
            stack.append((substitute(term.body, renaming), path, (*variables, *renaming.values())))
            continue
        if term.name in group and term.kind is Kind.APP:
            result[Call(definition.name, term.name, term.args, path, variables)] = None
        if term.name == "ite":
            condition, then, otherwise = term.args
            stack.append((condition, path, variables))
            stack.append((then, extend(path, condition), variables))
            stack.append((otherwise, extend(path, not_(condition)), variables))
        elif term.name in ("and", "or", "=>"):
            stack.extend((a, p, variables) for a, p in _connective(term, path, calls, work))
        else:
            stack.extend((a, path, variables) for a in term.args)
    return list(result)


def recursive_groups(signature: Signature) -> list[list[str]]:
    """The defined functions, those together that call each other, dependencies first."""
    defined = {d.name for d in signature.definitions}
    callees = {d.name: sorted(symbols(d.body) & defined) for d in signature.definitions}
    return components(callees, callees.__getitem__)


def on_cycles(calls: Iterable[Call]) -> list[Call]:
    """The calls that lie on a cycle of the call graph: only these can repeat forever."""
    calls = list(calls)
    edges: dict[str, list[str]] = {}
    for call in calls:
        edges.setdefault(call.caller, []).append(call.callee)
        edges.setdefault(call.callee, [])
    component = {n: i for i, group in enumerate(components(edges, lambda n: edges[n])) for n in group}
    return [c for c in calls if component[c.caller] == component[c.callee]]


def _mark(term: Term, group: frozenset[str], relevant: dict[Term, bool], work: Work) -> None:
    """Enter for ``term`` and all below it whether a call of the group stands there."""
    stack = [term]
    while stack:
        top = stack[-1]
        waiting = [a for a in top.args if a not in relevant]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        work.spend(1 + len(top.args))
        relevant[top] = (top.kind is Kind.APP and top.name in group) or any(relevant[a] for a in top.args)


def _connective(
    term: Term, path: tuple[Term, ...], calls: Callable[[Term], bool], work: Work
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
        path = extend(path, going_on[i])
        work.spend(len(path))
    return result


def extend(path: tuple[Term, ...], condition: Term) -> tuple[Term, ...]:
    """The path with one more condition, taken apart where it is a conjunction."""
    parts = condition.args if is_app(condition, "and") else (condition,)
    if is_app(condition, "not") and is_app(condition.args[0], "or"):
        parts = tuple(not_(a) for a in condition.args[0].args)
    return (*path, *[p for p in parts if p not in path])
