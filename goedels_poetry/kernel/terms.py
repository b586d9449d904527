"""Sorts and terms of SMT-LIB 2.6: immutable, interned, compared by identity of structure.

Every other module of the SMT language works on these. ``let`` and ``match`` do not exist here: the parser
expands the first and turns the second into testers and selectors, so that one core language is left to trust.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from fractions import Fraction
from itertools import islice
from threading import RLock
from typing import ClassVar, NamedTuple, TypeAlias
from weakref import WeakValueDictionary


class BitVector(NamedTuple):
    """A bit-vector literal: an unsigned ``value`` below ``2**width``."""

    value: int
    width: int


_INTERNING = RLock()
"""Held while a sort or a term is entered: two threads that make the same one get the same one."""

Index: TypeAlias = int | str
Value: TypeAlias = bool | int | Fraction | str | BitVector


class Sort:
    """A sort: a name, numeral indices (``(_ BitVec 8)``) and argument sorts (``(Array Int Int)``)."""

    __slots__ = ("__weakref__", "args", "indices", "name")
    name: str
    indices: tuple[int, ...]
    args: tuple[Sort, ...]
    _table: ClassVar[WeakValueDictionary[tuple[str, tuple[int, ...], tuple[Sort, ...]], Sort]] = WeakValueDictionary()

    def __new__(cls, name: str, indices: tuple[int, ...] = (), args: tuple[Sort, ...] = ()) -> Sort:
        """The one sort of this name, indices and arguments."""
        key = (name, indices, args)
        found = cls._table.get(key)
        if found is None:
            with _INTERNING:
                found = cls._table.get(key)
                if found is None:
                    found = object.__new__(cls)
                    found.name, found.indices, found.args = key
                    cls._table[key] = found
        return found

    def __reduce__(self) -> tuple[type[Sort], tuple[str, tuple[int, ...], tuple[Sort, ...]]]:
        return Sort, (self.name, self.indices, self.args)

    def __repr__(self) -> str:
        if self.indices:
            return f"(_ {self.name} {' '.join(map(str, self.indices))})"
        return f"({self.name} {' '.join(map(repr, self.args))})" if self.args else self.name


BOOL, INT, REAL, STRING, REGLAN = (Sort(name) for name in ("Bool", "Int", "Real", "String", "RegLan"))


def bitvec(width: int) -> Sort:
    """The sort ``(_ BitVec width)``."""
    return Sort("BitVec", (width,))


def array(index: Sort, element: Sort) -> Sort:
    """The sort ``(Array index element)``."""
    return Sort("Array", (), (index, element))


class Kind(IntEnum):
    """The five shapes a term can have."""

    VAR = 0  # a bound variable or a fresh constant of a sequent
    APP = 1  # a declared, defined or theory symbol applied to zero or more arguments
    LIT = 2
    FORALL = 3
    EXISTS = 4


class Term:
    """An interned term. ``a is b`` holds exactly when ``a`` and ``b`` are structurally equal.

    ``name`` is the symbol (VAR, APP), ``indices`` those of an indexed symbol such as ``(_ extract 7 0)`` or a
    tester ``(_ is cons)``; ``args`` the arguments of APP, or the one-element body of a quantifier; ``binders``
    the bound variables of a quantifier; ``value`` that of a literal; ``size`` the number of nodes as
    a tree, in which what is shared counts as often as it occurs: a number of any length (see `distinct`).
    """

    __slots__ = ("__weakref__", "_free", "args", "binders", "indices", "kind", "name", "size", "sort", "value")
    kind: Kind
    name: str
    indices: tuple[Index, ...]
    args: tuple[Term, ...]
    binders: tuple[Term, ...]
    value: Value | None
    sort: Sort
    size: int
    _free: frozenset[Term] | None
    _table: ClassVar[WeakValueDictionary[tuple[object, ...], Term]] = WeakValueDictionary()

    def __reduce__(self) -> tuple[object, ...]:
        return _make, (self.kind, self.name, self.indices, self.args, self.binders, self.value, self.sort)

    @property
    def body(self) -> Term:
        """The body of a quantified term."""
        return self.args[0]

    @property
    def free(self) -> frozenset[Term]:
        """The free variables."""
        if self._free is None:
            if self.kind is Kind.VAR:
                self._free = frozenset((self,))
            else:
                inner: frozenset[Term] = frozenset().union(*[a.free for a in self.args]) if self.args else frozenset()
                self._free = inner - frozenset(self.binders) if self.binders else inner
        return self._free

    def __repr__(self) -> str:
        """For whoever looks for a mistake; `printer.show` writes SMT-LIB."""
        if self.size > LARGE:
            return f"<a term of {self.size} nodes>"
        head = self.name or (self.kind.name.lower() if self.args else repr(self.value))
        return f"({' '.join([head, *map(repr, (*self.binders, *self.args))])})" if self.args else head


def _make(
    kind: Kind,
    name: str,
    indices: tuple[Index, ...],
    args: tuple[Term, ...],
    binders: tuple[Term, ...],
    value: Value | None,
    sort: Sort,
) -> Term:
    key = (kind, name, indices, args, binders, value.__class__, value, sort)
    found = Term._table.get(key)
    if found is not None:
        return found
    size = 1 + len(binders) + sum([a.size for a in args])
    with _INTERNING:
        found = Term._table.get(key)
        if found is not None:
            return found
        found = object.__new__(Term)
        found.kind, found.name, found.indices, found.args = kind, name, indices, args
        found.binders, found.value, found.sort = binders, value, sort
        found.size = size
        found._free = None
        Term._table[key] = found
    return found


def var(name: str, sort: Sort) -> Term:
    """A variable (bound by a quantifier or sequent that lists it)."""
    return _make(Kind.VAR, name, (), (), (), None, sort)


def app(name: str, args: Iterable[Term], sort: Sort, indices: tuple[Index, ...] = ()) -> Term:
    """``name`` applied to ``args``; the caller (parser or smart constructor) vouches for the sort."""
    return _make(Kind.APP, name, indices, tuple(args), (), None, sort)


def lit(value: Value, sort: Sort) -> Term:
    """A literal: bool, int, Fraction (Real), BitVector or str."""
    return _make(Kind.LIT, "", (), (), (), value, sort)


TRUE, FALSE = lit(True, BOOL), lit(False, BOOL)


def integer(value: int) -> Term:
    """An Int literal; negative values are literals here and print as ``(- n)``."""
    return lit(value, INT)


def eq(left: Term, right: Term) -> Term:
    """``left = right``, folded when the sides are the same term."""
    return TRUE if left is right else app("=", (left, right), BOOL)


def not_(term: Term) -> Term:
    """Negation, with double negations and constants removed."""
    if term is TRUE:
        return FALSE
    if term is FALSE:
        return TRUE
    if term.kind is Kind.APP and term.name == "not":
        return term.args[0]
    return app("not", (term,), BOOL)


def and_(terms: Iterable[Term]) -> Term:
    """Flattened conjunction, each part once; TRUE when empty."""
    return _flattened("and", TRUE, FALSE, terms)


def or_(terms: Iterable[Term]) -> Term:
    """Flattened disjunction, each part once; FALSE when empty."""
    return _flattened("or", FALSE, TRUE, terms)


def _flattened(name: str, unit: Term, zero: Term, terms: Iterable[Term]) -> Term:
    parts: list[Term] = []
    for term in terms:
        if term is zero:
            return zero
        if term is not unit:
            parts.extend(term.args if is_app(term, name) else (term,))
    parts = list(dict.fromkeys(parts))  # else parts that are shared would be doubled again and again
    return unit if not parts else parts[0] if len(parts) == 1 else app(name, parts, BOOL)


def implies(premise: Term, conclusion: Term) -> Term:
    """``premise => conclusion`` with trivial sides folded."""
    if premise is TRUE or conclusion is TRUE:
        return conclusion
    return app("=>", (premise, conclusion), BOOL)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """If-then-else, folded on a constant condition or equal branches."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    return app("ite", (condition, then, otherwise), then.sort)


def tester(constructor: str, term: Term) -> Term:
    """``((_ is constructor) term)``."""
    return app("is", (term,), BOOL, (constructor,))


def quantifier(kind: Kind, binders: Iterable[Term], body: Term) -> Term:
    """A quantified term just as given, unused binders and nesting included (`forall` and `exists` tidy up)."""
    return _make(kind, "", (), (body,), tuple(binders), None, BOOL)


def _quantified(kind: Kind, binders: Iterable[Term], body: Term) -> Term:
    bound = tuple(v for v in dict.fromkeys(binders) if v in body.free)
    if not bound:
        return body
    if body.kind is kind and not set(bound) & set(body.binders):
        bound, body = bound + body.binders, body.body
    return _make(kind, "", (), (body,), bound, None, BOOL)


def forall(binders: Iterable[Term], body: Term) -> Term:
    """Universal closure over ``binders``; unused ones are dropped (SMT-LIB sorts are never empty)."""
    return _quantified(Kind.FORALL, binders, body)


def exists(binders: Iterable[Term], body: Term) -> Term:
    """Existential closure over ``binders``; unused ones are dropped."""
    return _quantified(Kind.EXISTS, binders, body)


def is_app(term: Term, name: str) -> bool:
    """Whether ``term`` is an application of the symbol ``name``."""
    return term.kind is Kind.APP and term.name == name


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """``term`` with other arguments (of the same sorts)."""
    if args == term.args:
        return term
    return _make(term.kind, term.name, term.indices, args, term.binders, term.value, term.sort)


def bottom_up(term: Term, change: Callable[[Term, tuple[Term, ...]], Term]) -> Term:
    """The term made anew from its leaves: ``change`` is given each subterm and its arguments, which are changed."""
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        done = memo.get(t)
        if done is None:
            done = memo[t] = change(t, tuple([go(a) for a in t.args]))
        return done

    return go(term)


def replaced(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Parts of a term replaced by others, such as constants by variables whose names no binder has."""
    return bottom_up(term, lambda t, args: mapping.get(t) or rebuild(t, args))


def fresh_name(base: str, taken: Iterable[str]) -> str:
    """``base`` with the smallest numeral suffix that is not in ``taken``."""
    used = taken if isinstance(taken, (set, frozenset, dict)) else set(taken)
    if base not in used:
        return base
    stem = base.rstrip("0123456789") or base
    number = 1
    while f"{stem}{number}" in used:
        number += 1
    return f"{stem}{number}"


def substitute(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Replace free variables, renaming bound ones where a name would be captured."""
    return _substitute(term, mapping, {}) if mapping else term


_Memos: TypeAlias = "dict[frozenset[tuple[Term, Term]], dict[Term, Term]]"
"""What has been done, for each mapping that holds under some binders."""


def _substitute(term: Term, mapping: Mapping[Term, Term], memos: _Memos) -> Term:
    memo = memos.setdefault(frozenset(mapping.items()), {})

    def go(t: Term) -> Term:
        if t.kind is Kind.VAR:
            return mapping.get(t, t)
        if not t.args or t.free.isdisjoint(mapping):
            return t
        done = memo.get(t)
        if done is None:
            done = _under_binders(t, mapping, memos) if t.binders else rebuild(t, tuple([go(a) for a in t.args]))
            memo[t] = done
        return done

    return go(term)


def _under_binders(term: Term, mapping: Mapping[Term, Term], memos: _Memos) -> Term:
    inner = {k: v for k, v in mapping.items() if k in term.free}
    names = {v.name for value in inner.values() for v in value.free}
    taken = names | {v.name for v in term.body.free} | {v.name for v in inner}
    binders = []
    for bound in term.binders:
        new = bound
        if bound.name in names:
            new = var(fresh_name(bound.name, taken), bound.sort)
            inner[bound] = new
        taken.add(new.name)
        binders.append(new)
    return _make(term.kind, "", (), (_substitute(term.body, inner, memos),), tuple(binders), None, BOOL)


def subterms(term: Term, seen: set[Term] | None = None) -> Iterator[Term]:
    """Every distinct subterm once, parents before children (quantified bodies included), but those ``seen`` before."""
    seen = set() if seen is None else seen
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        yield t
        stack.extend(reversed(t.args))


LARGE = 1_000
"""Nodes of a term, as a tree, from which on it pays to look for what is shared in it."""


def distinct(term: Term, most: int) -> int:
    """The number of distinct subterms; ``most`` when there are more."""
    return sum(1 for _ in islice(subterms(term), most))


def symbols(term: Term) -> set[str]:
    """Names of all function symbols applied in ``term``."""
    return {t.name for t in subterms(term) if t.kind is Kind.APP}


def alpha(term: Term) -> Term:
    """A copy whose bound variables have canonical names: alpha-equivalent terms become identical."""
    return _alpha(term, {}, 0, {})


_Seen: TypeAlias = "dict[tuple[Term, int, frozenset[tuple[Term, Term]]], Term]"
"""Copies by the number of variables bound above, and by what the bound ones among those in the term are called."""


def _alpha(term: Term, renaming: dict[Term, Term], depth: int, seen: _Seen) -> Term:
    if term.kind is Kind.VAR:
        return renaming.get(term, term)
    if not term.args:
        return term
    key = term, depth, frozenset((v, renaming[v]) for v in term.free if v in renaming)
    done = seen.get(key)
    if done is None:
        if not term.binders:
            done = rebuild(term, tuple([_alpha(a, renaming, depth, seen) for a in term.args]))
        else:
            binders = tuple(var(f"?{depth + i}", v.sort) for i, v in enumerate(term.binders))
            inner = {**renaming, **dict(zip(term.binders, binders, strict=True))}
            body = _alpha(term.body, inner, depth + len(binders), seen)
            done = _make(term.kind, "", (), (body,), binders, None, BOOL)
        seen[key] = done
    return done


MAX_RECURSION = 6_000
"""Frames of Python: 400 calls of a defined function within each other need 12 each. What is deeper is refused."""


def allow_recursion() -> None:
    """At least `MAX_RECURSION` frames from now on, for the whole process.

    One figure, as tools that set a limit for a while (Hypothesis) warn of any that they have not seen before.
    """
    if sys.getrecursionlimit() < MAX_RECURSION:
        sys.setrecursionlimit(MAX_RECURSION)
