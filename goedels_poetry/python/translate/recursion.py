"""Functions that recurse along states: what they take besides is what their bodies mention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from goedels_poetry.kernel.terms import TRUE, Kind, Sort, Term, app, bottom_up, is_app, rebuild, substitute
from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.registry import SELF, Registry

MAX_PATHS = 200


def only_recursion(body: Term, name: str, unit: Term) -> bool:
    """Whether a body is ``unit`` when all calls of ``name`` in it are."""

    def change(t: Term, args: tuple[Term, ...]) -> Term:
        return unit if is_app(t, name) else _folded(rebuild(t, args), unit) if args else t

    return bottom_up(body, change) is unit


def _folded(term: Term, unit: Term) -> Term:
    if term.name == "ite" and term.args[1] is term.args[2]:
        return term.args[1]
    if term.name == "and" and all(a is TRUE for a in term.args):
        return TRUE
    if term.name == "or" and TRUE in term.args:
        return TRUE
    if term.name == "=>" and term.args[-1] is TRUE:
        return TRUE
    if term.name == "is" and term.args[0] is unit:
        return TRUE
    if term.name == "ite" and term.args[0] is TRUE:
        return term.args[1]
    return term


def falls(registry: Registry, body: Term, name: str, params: Sequence[Term]) -> bool:
    """Whether some parameter gets smaller at every call of ``name`` in a body that `only_recursion` accepts."""
    calls: list[tuple[Term, dict[Term, bool]]] = []
    if not _collect(body, name, {}, calls):
        return False
    return any(all(_smaller(registry, call.args[i], p, facts) for call, facts in calls) for i, p in enumerate(params))


def _collect(term: Term, name: str, facts: Mapping[Term, bool], calls: list[tuple[Term, dict[Term, bool]]]) -> bool:
    """The calls with the facts that hold where they are made; False for a call elsewhere than in a connective."""
    if len(calls) > MAX_PATHS:
        return False
    if is_app(term, name):
        calls.append((term, dict(facts)))
        return not any(_mentions(a, name) for a in term.args)
    if not _mentions(term, name):
        return True
    if term.name == "ite":
        test, then, otherwise = term.args
        return (
            not _mentions(test, name)
            and _collect(then, name, _with(facts, test, True), calls)
            and _collect(otherwise, name, _with(facts, test, False), calls)
        )
    if term.name in ("and", "or", "=>"):
        # operands are read from the left: what follows is reached where the former did not decide
        known: Mapping[Term, bool] = facts
        for operand in term.args:
            if not _collect(operand, name, known, calls):
                return False
            if not _mentions(operand, name):
                known = _with(known, operand, term.name != "or")
        return True
    return False


def _mentions(term: Term, name: str) -> bool:
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if is_app(t, name):
            return True
        stack.extend(t.args)
    return False


def _with(facts: Mapping[Term, bool], condition: Term, holds: bool) -> dict[Term, bool]:
    found = dict(facts)
    waiting = [(condition, holds)]
    while waiting:
        fact, true = waiting.pop()
        if is_app(fact, "not"):
            waiting.append((fact.args[0], not true))
        elif is_app(fact, "and" if true else "or"):
            waiting += [(part, true) for part in fact.args]
        elif fact.kind is Kind.APP:
            found[fact] = true
    return found


def _smaller(registry: Registry, arg: Term, param: Term, facts: Mapping[Term, bool]) -> bool:
    if param.sort.name == "Int":
        return _lower(arg, param, facts)
    return arg is not param and _part(registry, arg, param, facts)


def _part(registry: Registry, arg: Term, param: Term, facts: Mapping[Term, bool]) -> bool:
    """Whether ``arg`` is ``param`` or reached from it by selectors of constructors that it is built by."""
    while arg is not param:
        if arg.kind is not Kind.APP or len(arg.args) != 1:
            return False
        inner = arg.args[0]
        shape = registry.shapes.get(inner.sort.name)
        owner = next((c for c, fields in shape.constructors if arg.name in dict(fields)), None) if shape else None
        if shape is None or owner is None:
            return False
        others = [c for c, _ in shape.constructors if c != owner]
        is_owner = facts.get(app("is", (inner,), _BOOL, (owner,))) is True
        if not is_owner and not all(facts.get(app("is", (inner,), _BOOL, (c,))) is False for c in others):
            return False
        arg = inner
    return True


def _lower(arg: Term, param: Term, facts: Mapping[Term, bool]) -> bool:
    """Whether ``arg`` is below ``param``, which is above a constant, and at least something constant itself."""
    bounded = [b for b in (_bound(fact, true, param) for fact, true in facts.items()) if b is not None]
    if not bounded:
        return False
    if is_app(arg, "-") and len(arg.args) == 2 and arg.args[0] is param:
        return _number(arg.args[1]) >= 1
    if is_app(arg, "div") and len(arg.args) == 2 and arg.args[0] is param:
        return _number(arg.args[1]) >= 2 and max(bounded) >= 1
    return False


def _bound(fact: Term, true: bool, param: Term) -> int | None:
    """The least value that a fact leaves to ``param``."""
    if fact.name not in ("<", "<=", ">", ">=") or len(fact.args) != 2:
        return None
    a, b = fact.args
    word = fact.name
    if b is param and a.kind is Kind.LIT:
        a, b, word = b, a, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[word]
    if a is not param or b.kind is not Kind.LIT or not isinstance(b.value, int):
        return None
    if not true:
        word = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[word]
    return b.value + 1 if word == ">" else b.value if word == ">=" else None


def _number(term: Term) -> int:
    return term.value if term.kind is Kind.LIT and isinstance(term.value, int) else 0


_BOOL = TRUE.sort


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
    fixed = sorted((v for v in body.free if v not in states), key=lambda v: _order(v.name))
    body = _with_fixed(body, fixed)
    params = [states[i] for i in kept] + fixed
    name = frame.registry.define(base, params, sort, body)
    frame.registry.kept[name] = tuple(kept)
    return app(name, [*(entry[i] for i in kept), *fixed], sort)


def _order(name: str) -> tuple[int, str]:
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
    return bottom_up(body, lambda t, args: change(app(SELF, args, t.sort)) if is_app(t, SELF) else rebuild(t, args))
