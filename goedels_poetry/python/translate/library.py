"""Functions on lists by their simplest recursive definitions, each defined when it is first used.

All are total: where Python raises, the value is whatever the recursion gives, and the effect of the call says so.
"""

from __future__ import annotations

from collections.abc import Callable

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Sort, Term, and_, app, integer, is_app, lit, or_, var
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate.build import compare, cond, equal, minus, plus
from goedels_poetry.python.translate.faults import OutsideFragment
from goedels_poetry.python.translate.registry import Defined, Registry
from goedels_poetry.python.translate.types import BOOL, INT, Type, list_of

Maker = Callable[[str, Term, Term, Term], Term]


class Library:
    """Functions on lists of one element type."""

    def __init__(self, registry: Registry, element: Type) -> None:
        self.registry, self.element = registry, element
        self.word = registry.word(element)
        self.sort = registry.sort(list_of(element))
        self.xs, self.rest = var("xs", self.sort), var("ys", self.sort)
        self.nil = registry.nil(element)

    def cons(self, head: Term, tail: Term) -> Term:
        """A list from its parts."""
        return self.registry.cons(self.element, head, tail)

    def is_nil(self, xs: Term) -> Term:
        """Whether it is empty."""
        return self.registry.is_nil(self.element, xs)

    def head(self, xs: Term) -> Term:
        """The first element."""
        return self.registry.head(self.element, xs)

    def tail(self, xs: Term) -> Term:
        """All but the first element."""
        return self.registry.tail(self.element, xs)

    def _call(
        self,
        base: str,
        args: tuple[Term, ...],
        params: tuple[Term, ...],
        sort: Sort,
        body: Callable[[Callable[..., Term]], Term],
    ) -> Term:
        name = f"{base}.{self.word}"

        def call(*inner: Term) -> Term:
            return app(name, inner, sort)

        self.registry.once(name, lambda: Defined(name, params, sort, body(call)))
        return call(*args)

    def define(self, name: str, params: tuple[Term, ...], sort: Sort, body: Term, args: tuple[Term, ...]) -> Term:
        """A call of a function that is defined when it is first used."""
        self.registry.once(name, lambda: Defined(name, params, sort, body))
        return app(name, args, sort)

    def _fold(self, base: str, xs: Term, sort: Sort, empty: Term, step: Callable[[Term, Term], Term]) -> Term:
        """Recursion on the list alone."""
        h, t = self.head(self.xs), self.tail(self.xs)
        return self._call(base, (xs,), (self.xs,), sort, lambda f: cond(self.is_nil(self.xs), empty, step(h, f(t))))

    def mapped(self, name: str, target: Library, element: Term, xs: Term) -> Term:
        """``element``, a term over `xs`, for each element of a list."""
        rest = app(name, (self.tail(self.xs),), target.sort)
        body = cond(self.is_nil(self.xs), target.nil, target.cons(element, rest))
        self.registry.once(name, lambda: Defined(name, (self.xs,), target.sort, body))
        return app(name, (xs,), target.sort)

    # --------------------------------------------------------------------------------------- functions

    def display(self, items: list[Term], tail: Term | None = None) -> Term:
        """The list of these elements."""
        result = self.nil if tail is None else tail
        for item in reversed(items):
            result = self.cons(item, result)
        return result

    def length(self, xs: Term) -> Term:
        """``len(xs)``."""
        count = 0
        while xs.kind is Kind.APP and xs.name == f"cons.{self.word}":
            xs, count = xs.args[1], count + 1
        if xs is self.nil:
            return integer(count)
        return plus(
            self._fold("len", xs, INTS, integer(0), lambda h, r: app("+", (integer(1), r), INTS)), integer(count)
        )

    def append(self, xs: Term, ys: Term) -> Term:
        """``xs + ys``."""
        if xs is self.nil or ys is self.nil:
            return ys if xs is self.nil else xs
        if xs.kind is Kind.APP and xs.name == f"cons.{self.word}":
            return self.cons(xs.args[0], self.append(xs.args[1], ys))
        a, b = self.xs, self.rest
        return self._call(
            "append",
            (xs, ys),
            (a, b),
            self.sort,
            lambda f: cond(self.is_nil(a), b, self.cons(self.head(a), f(self.tail(a), b))),
        )

    def nth(self, xs: Term, i: Term) -> Term:
        """``xs[i]`` for an index from 0 on."""
        if i.kind is Kind.LIT and isinstance(i.value, int) and i.value <= 8:
            for _ in range(i.value):
                xs = self.tail(xs)
            return self.head(xs)
        k, other = var("i", INTS), self.registry.default(self.element)
        step = minus(k, integer(1))
        return self._call(
            "nth",
            (xs, i),
            (self.xs, k),
            other.sort,
            lambda f: cond(
                self.is_nil(self.xs),
                other,
                cond(compare("<=", k, integer(0)), self.head(self.xs), f(self.tail(self.xs), step)),
            ),
        )

    def last(self, xs: Term) -> Term:
        """``xs[-1]``."""
        other, one = self.registry.default(self.element), self.is_nil(self.tail(self.xs))
        return self._fold("last", xs, other.sort, other, lambda h, r: cond(one, h, r))

    def front(self, xs: Term) -> Term:
        """``xs[:-1]``."""
        one = self.is_nil(self.tail(self.xs))
        return self._fold("front", xs, self.sort, self.nil, lambda h, r: cond(one, self.nil, self.cons(h, r)))

    def put_last(self, xs: Term, value: Term) -> Term:
        """``xs`` with ``value`` at -1."""
        v, t = var("v", value.sort), self.tail(self.xs)
        last = or_([self.is_nil(self.xs), self.is_nil(t)])
        return self._call(
            "put.last",
            (xs, value),
            (self.xs, v),
            self.sort,
            lambda f: cond(last, self.cons(v, self.nil), self.cons(self.head(self.xs), f(t, v))),
        )

    def put(self, xs: Term, i: Term, value: Term) -> Term:
        """``xs`` with ``value`` at ``i``, from 0 on."""
        k, v = var("i", INTS), var("v", value.sort)
        here, below = self.cons(v, self.tail(self.xs)), minus(k, integer(1))
        return self._call(
            "put",
            (xs, i, value),
            (self.xs, k, v),
            self.sort,
            lambda f: cond(
                self.is_nil(self.xs),
                self.nil,
                cond(
                    compare("<=", k, integer(0)),
                    here,
                    self.cons(self.head(self.xs), f(self.tail(self.xs), below, v)),
                ),
            ),
        )

    def _cut(self, base: str, xs: Term, n: Term, none: Term, some: Callable[[Callable[..., Term], Term], Term]) -> Term:
        k = var("n", INTS)
        below = minus(k, integer(1))

        def body(f: Callable[..., Term]) -> Term:
            rest = some(lambda t: f(t, below), self.xs)
            return cond(or_([compare("<=", k, integer(0)), self.is_nil(self.xs)]), none, rest)

        return self._call(base, (xs, n), (self.xs, k), self.sort, body)

    def take(self, xs: Term, n: Term) -> Term:
        """``xs[:n]``, nothing for ``n`` below 0."""
        return self._cut("take", xs, n, self.nil, lambda f, a: self.cons(self.head(a), f(self.tail(a))))

    def drop(self, xs: Term, n: Term) -> Term:
        """``xs[n:]``, all for ``n`` below 0."""
        if n.kind is Kind.LIT and isinstance(n.value, int) and n.value <= 3:
            for _ in range(n.value):
                xs = cond(self.is_nil(xs), self.nil, self.tail(xs))
            return xs
        return self._cut("drop", xs, n, self.xs, lambda f, a: f(self.tail(a)))

    def reverse(self, xs: Term) -> Term:
        """``xs[::-1]``."""
        if xs.kind is Kind.APP and xs.name == f"reverse.{self.word}":
            return xs.args[0]
        return self._fold("reverse", xs, self.sort, self.nil, lambda h, r: self.append(r, self.cons(h, self.nil)))

    def every(self, xs: Term, step: int) -> Term:
        """``xs[::step]``, for a small step from 2 on."""

        def body(f: Callable[..., Term]) -> Term:
            rest, tests = self.tail(self.xs), []
            for _ in range(step - 1):
                tests.append(rest)
                rest = self.tail(rest)
            result = f(rest)
            for some in reversed(tests):
                result = cond(self.is_nil(some), self.nil, result)
            return cond(self.is_nil(self.xs), self.nil, self.cons(self.head(self.xs), result))

        return self._call(f"every{step}", (xs,), (self.xs,), self.sort, body)

    def repeat(self, xs: Term, n: Term) -> Term:
        """``xs * n``."""
        k = var("n", INTS)
        if is_app(xs, f"cons.{self.word}") and xs.args[1] is self.nil:  # [x] * n
            value = xs.args[0]
            v = var("v", value.sort)
            return self._call(
                "repeat",
                (value, n),
                (v, k),
                self.sort,
                lambda f: cond(compare("<=", k, integer(0)), self.nil, self.cons(v, f(v, minus(k, integer(1))))),
            )
        return self._call(
            "repeat.all",
            (xs, n),
            (self.xs, k),
            self.sort,
            lambda f: cond(
                compare("<=", k, integer(0)), self.nil, self.append(self.xs, f(self.xs, minus(k, integer(1))))
            ),
        )

    def total(self, xs: Term) -> Term:
        """``sum(xs)`` of integers."""
        return self._fold("sum", xs, INTS, integer(0), lambda h, r: app("+", (h, r), INTS))

    def member(self, value: Term, xs: Term) -> Term:
        """``value in xs``."""
        v = var("v", value.sort)
        return self._call(
            "member",
            (value, xs),
            (v, self.xs),
            BOOLS,
            lambda f: cond(
                self.is_nil(self.xs), FALSE, cond(equal(v, self.head(self.xs)), TRUE, f(v, self.tail(self.xs)))
            ),
        )

    def count(self, value: Term, xs: Term) -> Term:
        """``xs.count(value)``."""
        v = var("v", value.sort)
        h, t = self.head(self.xs), self.tail(self.xs)
        return self._call(
            "count",
            (value, xs),
            (v, self.xs),
            INTS,
            lambda f: cond(
                self.is_nil(self.xs),
                integer(0),
                cond(equal(v, h), app("+", (integer(1), f(v, t)), INTS), f(v, t)),
            ),
        )

    def index(self, value: Term, xs: Term) -> Term:
        """``xs.index(value)``; the length where there is none."""
        v = var("v", value.sort)
        h, t = self.head(self.xs), self.tail(self.xs)
        return self._call(
            "index",
            (value, xs),
            (v, self.xs),
            INTS,
            lambda f: cond(or_([self.is_nil(self.xs), equal(v, h)]), integer(0), app("+", (integer(1), f(v, t)), INTS)),
        )

    def remove(self, value: Term, xs: Term) -> Term:
        """``xs`` without the first ``value``."""
        v = var("v", value.sort)
        h, t = self.head(self.xs), self.tail(self.xs)
        return self._call(
            "remove",
            (value, xs),
            (v, self.xs),
            self.sort,
            lambda f: cond(self.is_nil(self.xs), self.nil, cond(equal(v, h), t, self.cons(h, f(v, t)))),
        )

    def truths(self, xs: Term, every: bool) -> Term:
        """``all(xs)`` or ``any(xs)`` of truth values."""
        if every:
            return self._fold("all", xs, BOOLS, TRUE, lambda h, r: and_([h, r]))
        return self._fold("any", xs, BOOLS, FALSE, lambda h, r: or_([h, r]))

    # ------------------------------------------------------------------------------------------- order

    def least(self, xs: Term, greatest: bool = False) -> Term:
        """``min(xs)`` or ``max(xs)`` of a list that is not empty; the first of equal ones."""
        h, t = self.head(self.xs), self.tail(self.xs)

        def body(f: Callable[..., Term]) -> Term:
            if greatest:
                best = cond(less(self.registry, self.element, h, f(t)), f(t), h)
            else:
                best = cond(less(self.registry, self.element, f(t), h), f(t), h)
            return cond(self.is_nil(self.xs), other, cond(self.is_nil(t), h, best))

        other = self.registry.default(self.element)
        return self._call("max" if greatest else "min", (xs,), (self.xs,), other.sort, body)

    def sort_up(self, xs: Term) -> Term:
        """``sorted(xs)``, by insertion."""
        return self._fold("sorted", xs, self.sort, self.nil, self._insert)

    def _insert(self, value: Term, xs: Term) -> Term:
        v = var("v", value.sort)
        h, t = self.head(self.xs), self.tail(self.xs)
        before = less(self.registry, self.element, h, v)
        return self._call(
            "insert",
            (value, xs),
            (v, self.xs),
            self.sort,
            lambda f: cond(or_([self.is_nil(self.xs), not_less(before)]), self.cons(v, self.xs), self.cons(h, f(v, t))),
        )


def not_less(term: Term) -> Term:
    """The negation of a comparison, as one."""
    flipped = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    if term.kind is Kind.APP and term.name in flipped and len(term.args) == 2:
        return app(flipped[term.name], term.args, BOOLS)
    return cond(term, FALSE, TRUE)


def less(registry: Registry, kind: Type, a: Term, b: Term, or_equal: bool = False) -> Term:
    """``a < b`` or ``a <= b``: integers, truth values, texts, and tuples and lists of them lexicographically.

    Raises:
        OutsideFragment: another type.
    """
    if kind == INT:
        return compare("<=" if or_equal else "<", a, b)
    if kind == BOOL:
        return cond(a, b, TRUE) if or_equal else and_([cond(a, FALSE, TRUE), b])
    if kind.kind == "str":  # by the numbers of their letters, in Python as in SMT-LIB
        return app("str.<=" if or_equal else "str.<", (a, b), BOOLS)
    if kind.kind == "tuple":
        result = TRUE if or_equal else FALSE
        for i in reversed(range(len(kind.args))):
            x, y = registry.item(a, kind, i), registry.item(b, kind, i)
            result = cond(equal(x, y), result, less(registry, kind.args[i], x, y))
        return result
    if kind.kind == "list":
        library = Library(registry, kind.args[0])
        x, y = library.xs, library.rest
        heads = library.head(x), library.head(y)
        last = library.is_nil(x) if or_equal else and_([library.is_nil(x), cond(library.is_nil(y), FALSE, TRUE)])
        first = less(registry, kind.args[0], *heads)
        name = f"{'at.most' if or_equal else 'less'}.{library.word}"
        both = or_([library.is_nil(x), library.is_nil(y)])
        go = app(name, (library.tail(x), library.tail(y)), BOOLS)
        body = cond(both, last, cond(equal(*heads), go, first))
        registry.once(name, lambda: Defined(name, (x, y), BOOLS, body))
        return app(name, (a, b), BOOLS)
    raise OutsideFragment(f"`<` of {kind} is not covered", construct="comparison")


def range_list(registry: Registry, low: Term, high: Term, step: int) -> Term:
    """``list(range(low, high, step))``."""
    library = Library(registry, INT)
    i, n = var("i", INTS), var("n", INTS)
    name = "range" if step == 1 else f"range.{'down' if step < 0 else 'up'}{abs(step)}"
    more = compare("<" if step > 0 else ">", i, n)
    body = cond(more, library.cons(i, app(f"{name}.int", (plus(i, integer(step)), n), library.sort)), library.nil)
    registry.once(f"{name}.int", lambda: Defined(f"{name}.int", (i, n), library.sort, body))
    return app(f"{name}.int", (low, high), library.sort)


def backwards(registry: Registry, text: Term) -> Term:
    """``text[::-1]``: the last character of what is left comes first."""
    s, i = var("s", STRINGS), var("i", INTS)
    last = minus(i, integer(1))
    letter = app("str.at", (s, last), STRINGS)
    body = cond(
        compare("<=", i, integer(0)),
        lit("", STRINGS),
        app("str.++", (letter, app("backwards.str", (s, last), STRINGS)), STRINGS),
    )
    registry.once("backwards.str", lambda: Defined("backwards.str", (s, i), STRINGS, body))
    return app("backwards.str", (text, app("str.len", (text,), INTS)), STRINGS)


def power(registry: Registry, base: Term, exponent: Term) -> Term:
    """``base ** exponent`` for an exponent from 0 on."""
    b, n = var("b", INTS), var("n", INTS)
    body = cond(
        compare("<=", n, integer(0)), integer(1), app("*", (b, app("power.int", (b, minus(n, integer(1))), INTS)), INTS)
    )
    registry.once("power.int", lambda: Defined("power.int", (b, n), INTS, body))
    return app("power.int", (base, exponent), INTS)


def greatest_divisor(registry: Registry, a: Term, b: Term) -> Term:
    """``math.gcd(a, b)`` for numbers from 0 on."""
    x, y = var("a", INTS), var("b", INTS)
    body = cond(compare("<=", y, integer(0)), x, app("gcd.int", (y, app("mod", (x, y), INTS)), INTS))
    registry.once("gcd.int", lambda: Defined("gcd.int", (x, y), INTS, body))
    return app("gcd.int", (a, b), INTS)
