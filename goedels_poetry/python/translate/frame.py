"""Where an expression is evaluated: the values of names, the effects so far; and points in a block of statements."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, integer, lit, not_, or_, var
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate.build import INEXACT, compare, cond, equal
from goedels_poetry.python.translate.contracts import OutsideFragment, outside
from goedels_poetry.python.translate.library import Library
from goedels_poetry.python.translate.module import (
    BOOL,
    CHANGEABLE,
    INT,
    NEVER,
    NONE,
    Type,
    holds_list,
    list_of,
    optional,
)
from goedels_poetry.python.translate.registry import Registry, kept_as


class Rules(Protocol):
    """How expressions are translated: what the files of expressions know of one another."""

    def expression(self, frame: Frame, node: ast.expr) -> Value:
        """The value of an expression; its effects are added to the frame."""

    def condition(self, frame: Frame, node: ast.expr) -> Term:
        """The truth of an expression."""

    def call(self, frame: Frame, node: ast.Call) -> Value:
        """The value of a call."""

    def apply(self, frame: Frame, name: str, args: list[Value], node: ast.AST) -> Value:
        """The value of a function of the module at arguments, its contract included."""

    def result_of(self, name: str, node: ast.AST) -> Type:
        """The type of what a function of the module gives."""

    def comprehension(self, frame: Frame, node: ast.ListComp | ast.GeneratorExp, purpose: str) -> Value:
        """A comprehension, as a list or put together for ``sum``, ``any`` or ``all``."""

    def listed(self, frame: Frame, node: ast.expr) -> Value:
        """The list of what an expression iterates over."""


class Retry(Exception):
    """Something about a type was found out: the function is translated again with it. ``place``: of the unknown."""

    def __init__(self, place: str, kind: Type) -> None:
        super().__init__(place)
        self.place, self.kind = place, kind


class NeedsClasses(Exception):
    """Outcomes have to be told apart in this translation."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a type. ``bound``: whether the variable has one; ``owned``: a list that nothing else refers to;
    ``natural``: an integer that is seen to be 0 or more; ``wide``: the value before a test told more of its type;
    ``exact``: an integer that is seen to be none of True and False."""

    kind: Type
    term: Term
    bound: Term = TRUE
    owned: bool = False
    natural: bool = False
    wide: Value | None = None
    exact: bool = False


@dataclass
class Frame:
    """Names and effects at one point of a function. ``local``: names that the function binds; of these ``env`` has the
    values. ``hint``: a type of elements for empty lists of which nothing is known. ``fixed`` says
    that nothing may be changed here, because it may not be reached: what it says is why. ``loops``: their number."""

    registry: Registry
    rules: Rules
    name: str
    local: frozenset[str]
    env: dict[str, Value]
    effect: Term
    guesses: Mapping[str, Type] = field(default_factory=dict)
    fixed: str = ""
    loops: int = 0
    hint: Type = INT
    clause: bool = False
    """Whether this is a condition of a contract."""

    def value(self, node: ast.expr) -> Value:
        """Evaluate an expression."""
        try:
            self.registry.spend()
            return self.rules.expression(self, node)
        except OutsideFragment as why:
            if why.line is None:
                outside(why.message, node, why.construct)
            raise

    def condition(self, node: ast.expr) -> Term:
        """Evaluate an expression for its truth."""
        self.registry.spend()
        return self.rules.condition(self, node)

    def known(self, value: Value) -> Value:
        """The value; if it is an empty list, dict or set of which nothing is known, some type of elements is taken.

        Raises:
            Retry: so.
        """
        for part in value.kind.args if value.kind.kind in CHANGEABLE else ():
            if part.kind == "unknown":
                raise Retry(part.name, self.hint)
        return value

    # ------------------------------------------------------------------------------------------ effects

    def check(self, condition: Term, exception: str) -> None:
        """``exception`` is raised here unless ``condition`` holds."""
        effects = self.registry.effects
        self.effect = effects.then(self.effect, effects.check(condition, exception))

    def exact_where(self, condition: Term) -> None:
        """Here the translation follows CPython only where ``condition`` holds; see `INEXACT`."""
        self.check(condition, INEXACT)

    def exact_within(self, number: Value, low: int | None, high: int | None) -> None:
        """CPython keeps this number in an integer of C: beyond these bounds it raises OverflowError."""
        term = number.term
        if low is not None and not number.natural:
            self.exact_where(compare("<=", integer(low), term))
        if high is not None:
            self.exact_where(compare("<=", term, integer(high)))

    def branch(self) -> Frame:
        """For what is evaluated only sometimes: a frame without effects of its own."""
        return replace(self, env=dict(self.env), effect=self.registry.effects.unit)

    def part(self, why: str) -> Frame:
        """The same for a part of an expression, where no list may be changed."""
        inner = self.branch()
        inner.fixed = why
        return inner

    def join(self, condition: Term, then: Frame | None, otherwise: Frame | None = None) -> None:
        """Take over the effects of what is evaluated only sometimes."""
        effects = self.registry.effects
        a, b = (effects.unit if f is None else f.effect for f in (then, otherwise))
        self.effect = effects.then(self.effect, effects.branch(condition, a, b))
        for inner in (then, otherwise):
            if inner is not None:
                self.share_as(inner)

    def share_as(self, inner: Frame) -> None:
        """What may be shared in a part may be shared after it."""
        for name, value in inner.env.items():
            own = self.env.get(name)
            if own is not None and own.owned and not value.owned:
                self.env[name] = replace(own, owned=False)

    # -------------------------------------------------------------------------------------------- types

    def library(self, element: Type) -> Library:
        """List functions."""
        if self.registry.module.is_incomparable(element):
            outside(f"a list of objects of `{element}`, which are not compared by their fields", None, "objects")
        return Library(self.registry, element)

    def unify(self, a: Type, b: Type, at: ast.AST, what: str = "") -> Type:
        """A type that both have values of.

        Raises:
            OutsideFragment: there is none. Retry: an unknown type is known now.
        """
        if a == b:
            return a
        for one, other in ((a, b), (b, a)):
            if one == NEVER:
                return other
        for one, other in ((a, b), (b, a)):
            if one.kind == "unknown":
                raise Retry(one.name, other)
        if {a.kind, b.kind} == {"int", "bool"}:
            return INT
        if NONE in (a, b):
            return optional(b if a == NONE else a)
        if "optional" in (a.kind, b.kind):
            x, y = (t.args[0] if t.kind == "optional" else t for t in (a, b))
            return optional(self.unify(x, y, at, what))
        if a.kind == b.kind and len(a.args) == len(b.args) and a.kind in ("list", "tuple"):
            args = tuple(self.unify(x, y, at, what) for x, y in zip(a.args, b.args, strict=True))
            if a.kind == "tuple" or args[0] in (a.args[0], b.args[0]):
                return Type(a.kind, args)
        if a.kind == b.kind and a.kind in ("dict", "set"):
            for x, y in zip(a.args, b.args, strict=True):
                self.unify(x, y, at, what)  # what is unknown is known then; different ones stay different
        kinds = {a.kind, b.kind}
        if kinds <= {"class", "union"}:
            for union in self.registry.module.unions.values():
                if all(t == union or t in union.args for t in (a, b)):
                    return union
        return outside(f"{what or 'this'} is {a} here and {b} there", at, "types")

    def coerce(self, value: Value, kind: Type, at: ast.AST, what: str = "") -> Value:
        """The value as one of type ``kind``.

        Raises:
            OutsideFragment: it is none. Retry: an unknown type is known now.
        """
        if value.kind == kind:
            return value
        if value.wide is not None and value.wide.kind == kind:
            return value.wide
        if self.unify(value.kind, kind, at, what) != kind:
            outside(f"{what or 'this'} is {value.kind}, where {kind} was expected", at, "types")
        return replace(value, kind=kind, wide=None, exact=False, term=self._coerced(value.term, value.kind, kind, at))

    def _coerced(self, term: Term, old: Type, new: Type, at: ast.AST) -> Term:
        registry = self.registry
        if old == NEVER:
            return registry.default(new)
        if old == new or (old.kind == "class" and new.kind == "union"):
            return term
        if old == BOOL and new == INT:
            return cond(term, integer(1), integer(0))
        if new.kind == "optional":
            inner = new.args[0]
            if old == NONE:
                return registry.none(inner)
            if old.kind == "optional":
                the = self._coerced(registry.the(old.args[0], term), old.args[0], inner, at)
                return cond(registry.is_none(old.args[0], term), registry.none(inner), registry.some(inner, the))
            return registry.some(inner, self._coerced(term, old, inner, at))
        if old.kind == "tuple":
            parts = [
                self._coerced(registry.item(term, old, i), a, b, at)
                for i, (a, b) in enumerate(zip(old.args, new.args, strict=True))
            ]
            return registry.construct(new, parts)
        if old.kind == "list":
            return self._coerced_list(term, old.args[0], new.args[0], at)
        return outside(f"{old} is no {new}", at, "types")

    def _coerced_list(self, term: Term, old: Type, new: Type, at: ast.AST) -> Term:
        """Element by element, where the elements are seen; else by a function."""
        a, b = self.library(old), self.library(new)
        items: list[Term] = []
        rest = term
        while rest.kind is Kind.APP and rest.name == f"cons.{a.word}":
            items.append(self._coerced(rest.args[0], old, new, at))
            rest = rest.args[1]
        if rest is not a.nil:
            from_xs = self._coerced(a.head(a.xs), old, new, at)
            name = f"as.{a.word}.{b.word}"
            rest = a.mapped(name, b, from_xs, rest)
            return b.display(items, rest)
        return b.display(items)

    def merge(self, condition: Term, then: Value, otherwise: Value, at: ast.AST, what: str = "") -> Value:
        """One value or the other; a variable that has none in a branch has whatever it has in the other."""
        if condition is TRUE or condition is FALSE:
            return then if condition is TRUE else otherwise
        bound = cond(condition, then.bound, otherwise.bound)
        if then.bound is FALSE or otherwise.bound is FALSE:
            return replace(otherwise if then.bound is FALSE else then, bound=bound)
        kind = self.unify(then.kind, otherwise.kind, at, what)
        a, b = self.coerce(then, kind, at, what), self.coerce(otherwise, kind, at, what)
        return Value(
            kind,
            cond(condition, a.term, b.term),
            bound,
            owned=a.owned and b.owned,
            natural=a.natural and b.natural,
            exact=a.exact and b.exact,
        )

    # ------------------------------------------------------------------------------------------- values

    def truth(self, value: Value, at: ast.AST) -> Term:
        """Whether Python takes the value for true."""
        kind, term, registry = value.kind, value.term, self.registry
        if kind == BOOL:
            return term
        if kind == INT:
            return cond(equal(term, integer(0)), FALSE, TRUE)
        if kind.kind == "str":
            return cond(equal(term, lit("", STRINGS)), FALSE, TRUE)
        if kind == NONE:
            return FALSE
        if kind.kind in CHANGEABLE:
            if any(a.kind == "unknown" for a in kind.args):
                return FALSE
            return not_(registry.is_nil(kind.args[0] if kind.kind == "list" else kept_as(kind), term))
        if kind.kind == "optional":
            inner = self.truth(Value(kind.args[0], registry.the(kind.args[0], term)), at)
            return and_([not_(registry.is_none(kind.args[0], term)), inner])
        own = self.registry.module.objects.get(kind.name)
        if own is not None and own.members.keys() & {"__bool__", "__len__"}:
            outside(f"the truth of an object of `{kind}`", at, "__bool__")
        return TRUE if kind.kind != "tuple" or kind.args else FALSE

    def narrow(self, test: ast.expr, holds: bool) -> None:
        """Take note of what a test tells of the types of variables."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.narrow(test.operand, not holds)
        elif isinstance(test, ast.BoolOp):
            if isinstance(test.op, ast.And) is holds:
                for part in test.values:
                    self.narrow(part, holds)
        elif isinstance(test, ast.Name):
            if holds:
                self._not_none(test.id)
        elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
            none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
            if none and isinstance(test.ops[0], ast.IsNot if holds else ast.Is):
                self._not_none(test.left.id)
        elif isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance" and holds:
            if "isinstance" in self.local or not self.registry.module.is_builtin("isinstance"):
                return
            if len(test.args) == 2 and isinstance(test.args[0], ast.Name) and isinstance(test.args[1], ast.Name):
                self._of_class(test.args[0].id, test.args[1].id)

    def _not_none(self, name: str) -> None:
        found = self.env.get(name)
        if found is not None and found.kind.kind == "optional":
            inner = found.kind.args[0]
            self.env[name] = Value(inner, self.registry.the(inner, found.term), found.bound, wide=found)

    def _of_class(self, name: str, wanted: str) -> None:
        self._not_none(name)
        found = self.env.get(name)
        if found is None or found.kind.kind != "union":
            return
        member = next((m for m in found.kind.args if m.name == wanted), None)
        if member is not None:
            self.env[name] = Value(member, found.term, found.bound, wide=found.wide or found)

    def present(self, value: Value, exception: str) -> Value:
        """What an optional value is when it is not None; else ``exception`` is raised."""
        if value.kind.kind != "optional":
            return value
        inner = value.kind.args[0]
        self.check(not_(self.registry.is_none(inner, value.term)), exception)
        return Value(inner, self.registry.the(inner, value.term))

    def integral(self, value: Value, node: ast.AST) -> Value:
        """The value as an integer: a truth value is one. Raises OutsideFragment: it is something else."""
        value = self.present(value, "TypeError")
        if value.kind == BOOL:
            return Value(INT, self.coerce(value, INT, node).term, natural=True)
        if value.kind == NEVER:
            return replace(value, kind=INT)
        if value.kind != INT:
            outside(f"an integer was expected here, got {value.kind}", node, "types")
        literal = value.term.value if value.term.kind is Kind.LIT else None
        return replace(value, natural=True) if isinstance(literal, int) and literal >= 0 else value

    def shares(self, kind: Type) -> bool:
        """Whether values of this type can share a list."""
        return holds_list(kind, self.registry.module.field_types())

    def is_own(self, value: Value) -> bool:
        """Whether nothing else refers to a value, nor to a list in it."""
        return value.owned and not any(self.shares(part) for part in value.kind.args)

    def share(self, node: ast.AST) -> None:
        """Variables whose lists something else may refer to from now on: those named in ``node``."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self.env and self.env[part.id].owned:
                self.env[part.id] = replace(self.env[part.id], owned=False)

    def unknown_list(self, node: ast.AST) -> Value:
        """An empty list, of what is found out later."""
        return self.unknown("list", node, 1)

    def unknown(self, word: str, node: ast.AST, count: int) -> Value:
        """An empty list, dict or set, of ``count`` types that are found out later."""
        place = f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
        names = [place, f"{place}#"][:count]
        kind = Type(word, tuple(self.guesses.get(n, Type("unknown", (), n)) for n in names))
        if any(part.kind == "unknown" for part in kind.args):
            return Value(kind, var(f"nil@{place}", self.registry.sort(list_of(INT))), owned=True)
        return Value(kind, self.registry.default(kind), owned=True)


@dataclass
class Flow:
    """A point in a block: the frame, and the conditions under which the block has been left before it."""

    frame: Frame
    returned: Term = FALSE
    value: Value | None = None
    broke: Term = FALSE
    continued: Term = FALSE

    @property
    def left(self) -> Term:
        """That this point is not reached."""
        return or_([self.returned, self.broke, self.continued])


@dataclass(frozen=True, slots=True)
class After:
    """What is live after a block, after the loop around it and at its next round; ``tail``: the function ends there."""

    end: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    continued: frozenset[str] = frozenset()
    tail: bool = False


class Blocks(Protocol):
    """Who follows statements: what loops and patterns know of it."""

    result: Type

    def run(self, statements: Sequence[ast.stmt], flow: Flow, after: After) -> None:
        """Follow statements."""

    def finish(self, flow: Flow, node: ast.AST) -> None:
        """The function ends here."""

    def fork(self, test: Term, flow: Flow, a: Flow, b: Flow, node: ast.AST) -> None:
        """Go on after one branch or the other."""

    def take(self, flow: Flow, inner: Flow) -> None:
        """Go on after the one branch that is taken."""
