"""Functions that recurse along states: what they take besides is what their bodies mention."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goedels_poetry.kernel.terms import Sort, Term, app, is_app, rebuild, substitute
from goedels_poetry.python.translate.ends import falls, only_recursion
from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.registry import SELF


def close(
    frame: Frame, base: str, states: Sequence[Term], entry: Sequence[Term], sort: Sort, body: Term, ending: bool = False
) -> Term:
    """Define a function whose ``body`` calls itself, as `SELF`, at new values of its ``states``; call it at ``entry``.

    ``ending``: it is an effect, and left out where it is seen to be none. States that its value does not
    depend on are left out; other variables of the body become parameters that stay.
    """
    needed = _needed(body, states)
    kept = [i for i, s in enumerate(states) if s in needed]
    effects = frame.registry.effects
    if ending and only_recursion(body, SELF, effects.unit) and falls(frame.registry, body, SELF, states):
        return effects.unit
    if not any(True for _ in _calls(body)):  # no recursion: the body itself, at the entry
        return substitute(body, dict(zip(states, entry, strict=True)))
    body = _cut(body, kept, len(states))
    fixed = sorted((v for v in body.free if v not in states), key=lambda v: _number(v.name))
    body = _with_fixed(body, fixed)
    params = [states[i] for i in kept] + fixed
    name = frame.registry.define(base, params, sort, body)
    return app(name, [*(entry[i] for i in kept), *fixed], sort)


def _number(name: str) -> tuple[int, str]:
    base, _, number = name.partition("@")
    return (int(number) if number.isdigit() else 0, base)


def _calls(body: Term) -> list[Term]:
    found: list[Term] = []
    seen: set[Term] = set()
    stack = [body]
    while stack:
        t = stack.pop()
        if t not in seen:
            seen.add(t)
            if is_app(t, SELF):
                found.append(t)
            stack.extend(t.args)
    return found


def _needed(body: Term, states: Sequence[Term]) -> set[Term]:
    """The states that the value depends on: mentioned outside of the recursion, or in the next value of such a one."""
    calls = _calls(body)
    memo: dict[Term, frozenset[Term]] = {}

    def outer(t: Term) -> frozenset[Term]:
        """Free variables but for those in the recursion's arguments."""
        found = memo.get(t)
        if found is None:
            if is_app(t, SELF):
                found = frozenset()
            elif t.args:
                found = frozenset().union(*[outer(a) for a in t.args])
            else:
                found = t.free
            memo[t] = found
        return found

    needed = outer(body) & set(states)
    while True:
        more = {
            v for c in calls for s, a in zip(states, c.args, strict=True) if s in needed for v in a.free if v in states
        }
        if more <= needed:
            return set(needed)
        needed = frozenset(needed | more)


def _cut(body: Term, kept: Sequence[int], count: int) -> Term:
    if len(kept) == count:
        return body
    return _rewritten(body, lambda c: app(SELF, [c.args[i] for i in kept], c.sort))


def _with_fixed(body: Term, fixed: Sequence[Term]) -> Term:
    return _rewritten(body, lambda c: app(SELF, [*c.args, *fixed], c.sort)) if fixed else body


def _rewritten(body: Term, change: Callable[[Term], Term]) -> Term:
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if not t.args and t.name != SELF:
            return t
        done = memo.get(t)
        if done is None:
            args = tuple([go(a) for a in t.args])
            made = app(SELF, args, t.sort) if is_app(t, SELF) else rebuild(t, args)
            done = memo[t] = change(made) if is_app(t, SELF) else made
        return done

    return go(body)
