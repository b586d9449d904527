"""Terms as the translation makes them: folded where that is free, and what a computation does besides giving a value.

An *effect* is a term. Where no exception is allowed it is a Bool, "this returns"; otherwise it has the sort of
outcomes, one constructor for returning and one for each exception. A computation that never ends does not return.

What the translation does not follow exactly has one outcome, `INEXACT`: CPython may return there, with any value, or
raise anything. In a conclusion it is a failure (`Effects.returns`), in a hypothesis it excludes nothing
(`Effects.accepts`); no handler catches it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Sort,
    Term,
    and_,
    app,
    eq,
    implies,
    integer,
    is_app,
    ite,
    not_,
    or_,
    rebuild,
    tester,
)

OUTCOME = Sort("Outcome")
RETURNS = "returns"
INEXACT = "not.exact"
"""The outcome where CPython may do something else than what is translated. No contract allows it."""
C_INT, C_SIZE = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
"""Bounds of what CPython passes as an ``int`` and as a ``Py_ssize_t``."""


def cond(condition: Term, then: Term, otherwise: Term) -> Term:
    """If-then-else, as a connective where it is of truth values."""
    if is_app(condition, "not"):
        condition, then, otherwise = condition.args[0], otherwise, then
    if condition.kind is Kind.APP:
        then, otherwise = assume(then, condition, True), assume(otherwise, condition, False)
    if then.sort is BOOL and condition is not TRUE and condition is not FALSE and then is not otherwise:
        if then is TRUE:
            return or_([condition, otherwise])
        if otherwise is FALSE:
            return and_([condition, then])
        if then is FALSE:
            return and_([not_(condition), otherwise])
        if otherwise is TRUE:
            return implies(condition, then)
    return ite(condition, then, otherwise)


_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"<": ">", ">": "<", ">=": "<=", "<=": ">="}
MAX_ASSUMED = 20_000
"""Nodes of a term, as a tree, in which a condition is looked for."""


def assume(term: Term, condition: Term, holds: bool) -> Term:
    """``term`` where ``condition`` is known to hold, or not to: what it says is not asked again inside."""
    if not term.args or term.size > MAX_ASSUMED:
        return term
    facts: dict[Term, Term] = {}
    waiting = [(condition, holds)]
    while waiting:
        fact, true = waiting.pop()
        if is_app(fact, "not"):
            waiting.append((fact.args[0], not true))
        elif is_app(fact, "and" if true else "or"):
            waiting += [(part, true) for part in fact.args]
        elif fact.kind is Kind.APP:
            facts[fact] = TRUE if true else FALSE
            if fact.name in _OPPOSITE and len(fact.args) == 2:
                mirrored = app(_MIRRORED[fact.name], fact.args[::-1], BOOL)
                facts[mirrored] = facts[fact]
                for same in (fact, mirrored):
                    facts[app(_OPPOSITE[same.name], same.args, BOOL)] = FALSE if true else TRUE
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        known = facts.get(t)
        if known is not None:
            return known
        if not t.args or t.binders:
            return t
        done = memo.get(t)
        if done is None:
            args = tuple([go(a) for a in t.args])
            done = memo[t] = t if args == t.args else again(t, args)
        return done

    return go(term)


def again(term: Term, args: tuple[Term, ...]) -> Term:
    """``term`` with other arguments, folded."""
    if term.name == "ite":
        return cond(*args)
    if term.name == "and":
        return and_(args)
    if term.name == "or":
        return or_(args)
    if term.name == "not":
        return not_(args[0])
    if term.name == "=>" and len(args) == 2:
        return (
            TRUE
            if args[0] is FALSE or args[1] is TRUE
            else args[1]
            if args[0] is TRUE
            else cond(args[0], args[1], TRUE)
        )
    return rebuild(term, args)


def _constant(term: Term) -> int | None:
    value = term.value if term.kind is Kind.LIT else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def plus(a: Term, b: Term) -> Term:
    """``a + b``; constants are added up."""
    x, y = _constant(a), _constant(b)
    if x is not None and y is not None:
        return integer(x + y)
    if y is not None:
        base, constant = _split(a)
        return _offset(base, constant + y)
    return b if x == 0 else app("+", (a, b), INT)


def minus(a: Term, b: Term) -> Term:
    """``a - b``; constants are added up."""
    y = _constant(b)
    if y is not None:
        return plus(a, integer(-y))
    return negative(b) if _constant(a) == 0 else app("-", (a, b), INT)


def _split(term: Term) -> tuple[Term, int]:
    """A sum as a term and a constant."""
    if term.kind is Kind.APP and term.name in ("+", "-") and len(term.args) == 2:
        constant = _constant(term.args[1])
        if constant is not None:
            return term.args[0], constant if term.name == "+" else -constant
    return term, 0


def _offset(term: Term, constant: int) -> Term:
    if constant == 0:
        return term
    return app("+" if constant > 0 else "-", (term, integer(abs(constant))), INT)


def negative(a: Term) -> Term:
    """``-a``."""
    x = _constant(a)
    return integer(-x) if x is not None else app("-", (a,), INT)


def times(a: Term, b: Term) -> Term:
    """``a * b``."""
    x, y = _constant(a), _constant(b)
    if x is not None and y is not None and (x * y).bit_length() < 4_000:
        return integer(x * y)
    return b if x == 1 else a if y == 1 else app("*", (a, b), INT)


def compare(symbol: str, a: Term, b: Term) -> Term:
    """``<``, ``<=``, ``>`` or ``>=`` of integers."""
    x, y = _constant(a), _constant(b)
    if x is not None and y is not None:
        return TRUE if {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[symbol] else FALSE
    if y is not None:
        found = _length_at_least(a, y + 1 if symbol in (">", "<=") else y)
        if found is not None:
            return found if symbol in (">", ">=") else _refuted(found)
    elif x is not None and _length_at_least(b, 0) is not None:
        return compare({"<": ">", "<=": ">=", ">": "<", ">=": "<="}[symbol], b, a)
    # i < n + 1 is i <= n, and so on: the form that inductions over integers begin at
    step = {"<": ("+", "<="), ">=": ("+", ">"), "<=": ("-", "<"), ">": ("-", ">=")}[symbol]
    if is_app(b, step[0]) and len(b.args) == 2 and _constant(b.args[1]) == 1:
        return app(step[1], (a, b.args[0]), BOOL)
    return app(symbol, (a, b), BOOL)


def _length_at_least(length: Term, least: int) -> Term | None:
    """That a list is so long, by its form, where ``length`` is the length of one and the number is small."""
    if is_app(length, "+") and len(length.args) == 2:
        more = _constant(length.args[1])
        if more is not None:
            length, least = length.args[0], least - more
    if length.kind is not Kind.APP or not length.name.startswith("len.") or least > MAX_SEEN:
        return None
    (xs,), word = length.args, length.name.removeprefix("len.")
    tests: list[Term] = []
    for _ in range(least):
        tests.append(not_(tester(f"nil.{word}", xs)))
        xs = app(f"tail.{word}", (xs,), xs.sort)
    return and_(tests)


def _refuted(tests: Term) -> Term:
    return or_([not_(t) for t in tests.args]) if is_app(tests, "and") else not_(tests)


MAX_SEEN = 4


def equal(a: Term, b: Term) -> Term:
    """``a = b``, decided where both are literals, and for truth values without ``=`` where one is a literal."""
    if a is b:
        return TRUE
    if a.kind is Kind.LIT and b.kind is Kind.LIT:
        return FALSE
    for one, other in ((a, b), (b, a)):
        number = _constant(other)
        least = None if number is None else _length_at_least(one, number)
        more = None if number is None else _length_at_least(one, number + 1)
        if least is not None and more is not None:
            return and_([least, _refuted(more)])
        if one is TRUE:
            return other
        if one is FALSE:
            return not_(other)
    return eq(a, b)


def floor_div(a: Term, b: Term) -> Term:
    """``a // b`` of Python, for ``b`` other than 0: rounded down, whatever the signs are."""
    y = _constant(b)
    plain = app("div", (a, b), INT)
    if y == 0:
        return integer(0)  # it raises
    if y is not None:
        if y > 0:
            return a if y == 1 else plain
        return floor_div(negative(a), integer(-y))
    exact = equal(app("mod", (a, b), INT), integer(0))
    return cond(or_([compare(">", b, integer(0)), exact]), plain, minus(plain, integer(1)))


def floor_mod(a: Term, b: Term) -> Term:
    """``a % b`` of Python, for ``b`` other than 0: it has the sign of ``b``."""
    y = _constant(b)
    plain = app("mod", (a, b), INT)
    if y == 0:
        return integer(0)
    if y is not None:
        return plain if y > 0 else negative(floor_mod(negative(a), integer(-y)))
    exact = equal(plain, integer(0))
    return cond(or_([compare(">", b, integer(0)), exact]), plain, plus(plain, b))


@dataclass
class Effects:
    """Effects, put together. ``classes`` are the exceptions met, when they are told apart; else None."""

    classes: dict[str, None] | None = None
    unit: Term = field(init=False)
    inexact: bool = False  # an inexact outcome was met that a Bool does not tell from an exception

    def __post_init__(self) -> None:
        self.unit = TRUE if self.classes is None else app(RETURNS, (), OUTCOME)

    @property
    def sort(self) -> Sort:
        """Of effects."""
        return self.unit.sort

    def raised(self, name: str) -> Term:
        """That an exception is raised for sure."""
        if self.classes is None:
            self.inexact = self.inexact or name == INEXACT
            return FALSE
        if name == INEXACT:
            return app(INEXACT, (), OUTCOME)
        self.classes.setdefault(name)
        return app(f"raises.{name}", (), OUTCOME)

    def check(self, condition: Term, name: str) -> Term:
        """``name`` is raised unless ``condition`` holds."""
        if condition is TRUE:
            return self.unit
        raised = self.raised(name)
        return condition if self.classes is None else cond(condition, self.unit, raised)

    def returns(self, effect: Term) -> Term:
        """That nothing is raised."""
        if self.classes is None or effect is self.unit:
            return TRUE if effect is self.unit else effect
        return self.is_outcome(RETURNS, effect)

    def accepts(self, effect: Term, truth: Term) -> Term:
        """That a condition with this effect is not known to be false: as a hypothesis it may not exclude more."""
        return or_([self.is_outcome(INEXACT, effect), and_([self.returns(effect), truth])])

    def is_outcome(self, name: str, effect: Term) -> Term:
        """That an outcome is the one of this name."""
        known = effect.name in (RETURNS, INEXACT) or effect.name.startswith("raises.")  # no function is called so
        if effect.kind is Kind.APP and not effect.args and known:
            return TRUE if effect.name == name else FALSE
        if is_app(effect, "ite"):
            return cond(effect.args[0], self.is_outcome(name, effect.args[1]), self.is_outcome(name, effect.args[2]))
        return tester(name, effect)

    def then(self, *effects: Term) -> Term:
        """One after the other: the first exception counts."""
        if self.classes is None:
            known: list[Term] = []
            for effect in effects:
                for fact in known:
                    if fact.kind is Kind.APP:
                        effect = assume(effect, fact, True)
                known.append(effect)
            return and_(known)
        result = self.unit
        for effect in reversed(effects):
            result = self._two(effect, result)
        return result

    def _two(self, first: Term, second: Term) -> Term:
        if first is self.unit or second is self.unit:
            return second if first is self.unit else first
        if first.kind is Kind.APP and not first.args:
            return first
        if is_app(first, "ite"):
            test, a, b = first.args
            if a is self.unit and not b.args:
                return cond(test, second, b)
            if b is self.unit and not a.args:
                return cond(test, a, second)
        return cond(tester(RETURNS, first), second, first)

    def branch(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """One effect or the other."""
        return cond(condition, then, otherwise)
