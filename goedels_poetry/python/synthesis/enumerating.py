"""Terms from small to large, one for each behaviour: bottom-up enumeration with observational equivalence.

The method of Albarghouthi, Gulwani and Kincaid ("Recursive program synthesis", CAV 2013) and of Udupa, Raghavan,
Deshmukh, Mador-Haim, Martin and Alur ("TRANSIT: specifying protocols with concolic snippets", PLDI 2013): terms with
the same values at every point are interchangeable in larger terms, so only the first is kept.
"""

from __future__ import annotations

import itertools
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from goedels_poetry.protocol.enumeration import compositions
from goedels_poetry.python.synthesis.terms import (
    ATOM,
    BOOL,
    FAULT,
    FLOAT,
    INT,
    STR,
    UNARY,
    Operator,
    Term,
    Type,
    applied,
    list_of,
)

_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _POWER = 1, 2, 3, 4, 5, 10, 11, 13
_MAX_EXPONENT = 64


def operators(kinds: Iterable[Type], with_choice: bool = False) -> list[Operator]:
    """The productions among some types; ``with_choice``: conditional expressions too."""
    present = set(kinds)
    found: list[Operator] = []
    if INT in present:
        found += _integers()
    if FLOAT in present:
        found += _floats()
    if BOOL in present:
        found += _logic()
    if STR in present:
        found += _strings(present)
    for kind in sorted(present, key=str):
        if kind.name == "list":
            found += _lists(kind, present)
        elif kind.name == "tuple":
            found += _tuples(kind)
        if with_choice:
            found.append(
                Operator(
                    (kind, BOOL, kind), kind, lambda a, c, b: a if c else b, "{0} if {1} else {2}", _IF, (2, 2, _IF)
                )
            )
    return [one for one in found if one.gives in present and all(kind in present for kind in one.takes)]


def _infix(
    kinds: tuple[Type, Type], gives: Type, apply: Callable[..., Any], sign: str, level: int, commutes: bool = False
) -> Operator:
    left = level + 1 if level == _COMPARE else level
    return Operator(kinds, gives, apply, f"{{0}} {sign} {{1}}", level, (left, level + 1), commutes)


def _call(
    name: str, takes: tuple[Type, ...], gives: Type, apply: Callable[..., Any], cost: int = 1, commutes: bool = False
) -> Operator:
    places = ", ".join(f"{{{at}}}" for at in range(len(takes)))
    return Operator(takes, gives, apply, f"{name}({places})", ATOM, commutes=commutes, cost=cost)


def _after(
    kind: Type, gives: Type, apply: Callable[..., Any], rest: str, others: tuple[Type, ...] = (), cost: int = 1
) -> Operator:
    """A method, an index or a slice behind a term: ``{0}[-1]``, ``{0}.count({1})``."""
    return Operator((kind, *others), gives, apply, "{0}" + rest, ATOM, (ATOM, *(0 for _ in others)), cost=cost)


def _integers() -> list[Operator]:
    two = (INT, INT)
    return [
        _infix(two, INT, operator.add, "+", _ADD, True),
        _infix(two, INT, operator.sub, "-", _ADD),
        _infix(two, INT, operator.mul, "*", _MULTIPLY, True),
        _infix(two, INT, operator.floordiv, "//", _MULTIPLY),
        _infix(two, INT, operator.mod, "%", _MULTIPLY),
        Operator(two, INT, _power, "{0} ** {1}", _POWER, (_POWER + 1, UNARY)),
        Operator((INT,), INT, operator.neg, "-{0}", UNARY, (UNARY,)),
        _call("abs", (INT,), INT, abs),
        _call("max", two, INT, max, commutes=True),
        _call("min", two, INT, min, commutes=True),
        *(_infix(two, BOOL, apply, sign, _COMPARE) for apply, sign in ((operator.lt, "<"), (operator.le, "<="))),
        _infix(two, BOOL, operator.eq, "==", _COMPARE, True),
        _infix(two, BOOL, operator.ne, "!=", _COMPARE, True),
        Operator((INT,), BOOL, lambda a: a % 2 == 0, "{0} % 2 == 0", _COMPARE, (_MULTIPLY,), cost=2),
        Operator((INT,), BOOL, lambda a: a % 2 == 1, "{0} % 2 == 1", _COMPARE, (_MULTIPLY,), cost=2),
        Operator((INT,), BOOL, lambda a: a > 0, "{0} > 0", _COMPARE, (_ADD,)),
        Operator((INT,), BOOL, lambda a: a < 0, "{0} < 0", _COMPARE, (_ADD,)),
        Operator(two, BOOL, lambda a, b: a % b == 0, "{0} % {1} == 0", _COMPARE, (_MULTIPLY, _MULTIPLY + 1)),
        _call("str", (INT,), STR, str),
        _call("int", (STR,), INT, _to_int),
        Operator(two, list_of(INT), _range, "list(range({0}, {1}))", cost=2),
    ]


def _power(base: int, exponent: int) -> int:
    if not 0 <= exponent <= _MAX_EXPONENT or abs(base) > 10**9:
        raise ValueError("too large to try")
    return int(base**exponent)


def _to_int(text: str) -> int:
    if len(text) > 60:
        raise ValueError("too long to try")
    return int(text)


def _range(low: int, high: int) -> tuple[int, ...]:
    if high - low > 300:
        raise ValueError("too long to try")
    return tuple(range(low, high))


def _floats() -> list[Operator]:
    two = (FLOAT, FLOAT)
    return [
        _infix(two, FLOAT, operator.add, "+", _ADD, True),
        _infix(two, FLOAT, operator.sub, "-", _ADD),
        _infix(two, FLOAT, operator.mul, "*", _MULTIPLY, True),
        _infix(two, FLOAT, operator.truediv, "/", _MULTIPLY),
        Operator((FLOAT,), FLOAT, operator.neg, "-{0}", UNARY, (UNARY,)),
        _call("abs", (FLOAT,), FLOAT, abs),
        _call("max", two, FLOAT, max, commutes=True),
        _call("min", two, FLOAT, min, commutes=True),
        _call("sum", (list_of(FLOAT),), FLOAT, sum),
        _call("round", (FLOAT,), INT, round),
        _call("int", (FLOAT,), INT, int),
        _infix(two, BOOL, operator.lt, "<", _COMPARE),
        _infix(two, BOOL, operator.le, "<=", _COMPARE),
    ]


def _logic() -> list[Operator]:
    two = (BOOL, BOOL)
    return [
        Operator(two, BOOL, lambda a, b: a and b, "{0} and {1}", _AND, (_AND, _AND + 1), True),
        Operator(two, BOOL, lambda a, b: a or b, "{0} or {1}", _OR, (_OR, _OR + 1), True),
        Operator((BOOL,), BOOL, operator.not_, "not {0}", _NOT, (_NOT,)),
    ]


def _strings(present: set[Type]) -> list[Operator]:
    words = list_of(STR)
    return [
        _infix((STR, STR), STR, operator.add, "+", _ADD),
        _infix((STR, INT), STR, _times, "*", _MULTIPLY),
        _call("len", (STR,), INT, len),
        _after(STR, STR, lambda s: s[::-1], "[::-1]"),
        _after(STR, STR, lambda s: s[0], "[0]"),
        _after(STR, STR, lambda s: s[-1], "[-1]"),
        _after(STR, STR, lambda s: s[1:], "[1:]"),
        _after(STR, STR, lambda s: s[:-1], "[:-1]"),
        _after(STR, STR, operator.getitem, "[{1}]", (INT,)),
        _after(STR, STR, lambda s, n: s[:n], "[:{1}]", (INT,)),
        _after(STR, STR, lambda s, n: s[n:], "[{1}:]", (INT,)),
        *(
            _after(STR, STR, getattr(str, name), f".{name}()")
            for name in ("upper", "lower", "strip", "title", "capitalize", "swapcase")
        ),
        *(
            _after(STR, BOOL, getattr(str, name), f".{name}()")
            for name in ("isdigit", "isalpha", "isupper", "islower", "isspace")
        ),
        _after(STR, INT, str.count, ".count({1})", (STR,)),
        _after(STR, BOOL, str.startswith, ".startswith({1})", (STR,)),
        _after(STR, BOOL, str.endswith, ".endswith({1})", (STR,)),
        _after(STR, STR, lambda s, a, b: s.replace(a, b), ".replace({1}, {2})", (STR, STR)),
        _infix((STR, STR), BOOL, operator.eq, "==", _COMPARE, True),
        Operator((STR, STR), BOOL, lambda a, b: a in b, "{0} in {1}", _COMPARE, (_COMPARE + 1, _COMPARE + 1)),
        _after(STR, words, lambda s: tuple(s.split()), ".split()"),
        _call("list", (STR,), words, tuple),
        _call("sorted", (STR,), words, lambda s: tuple(sorted(s))),
        _after(STR, STR, lambda s, xs: s.join(xs), ".join({1})", (words,)),
    ]


def _times(text: str, count: int) -> str:
    if count > 300:
        raise ValueError("too long to try")
    return text * count


def _lists(kind: Type, present: set[Type]) -> list[Operator]:
    element = kind.parts[0]
    found = [
        _call("len", (kind,), INT, len),
        _after(kind, element, lambda xs: xs[0], "[0]"),
        _after(kind, element, lambda xs: xs[-1], "[-1]"),
        _after(kind, element, operator.getitem, "[{1}]", (INT,)),
        _after(kind, kind, lambda xs: xs[::-1], "[::-1]"),
        _after(kind, kind, lambda xs: xs[1:], "[1:]"),
        _after(kind, kind, lambda xs: xs[:-1], "[:-1]"),
        _after(kind, kind, lambda xs, n: xs[:n], "[:{1}]", (INT,)),
        _after(kind, kind, lambda xs, n: xs[n:], "[{1}:]", (INT,)),
        _after(kind, kind, lambda xs: xs[:1], "[:1]"),
        _after(kind, kind, lambda xs: xs[::2], "[::2]"),
        _infix((kind, kind), kind, operator.add, "+", _ADD),
        _infix((kind, kind), BOOL, operator.eq, "==", _COMPARE, True),
        Operator((element, kind), BOOL, lambda x, xs: x in xs, "{0} in {1}", _COMPARE, (_COMPARE + 1, _COMPARE + 1)),
        _after(kind, INT, lambda xs, x: xs.count(x), ".count({1})", (element,)),
        _after(kind, INT, lambda xs, x: xs.index(x), ".index({1})", (element,)),
        Operator((element,), kind, lambda x: (x,), "[{0}]"),
    ]
    if _hashable(element):
        found.append(Operator((kind,), kind, lambda xs: tuple(dict.fromkeys(xs)), "list(dict.fromkeys({0}))"))
    if element in (INT, FLOAT, STR):
        found += [
            _call("sorted", (kind,), kind, lambda xs: tuple(sorted(xs))),
            _call("max", (kind,), element, max),
            _call("min", (kind,), element, min),
        ]
    if element == INT:
        found.append(_call("sum", (kind,), INT, sum))
    if element == BOOL:
        found += [_call("all", (kind,), BOOL, all), _call("any", (kind,), BOOL, any)]
    if element.name == "list":
        found.append(Operator((kind,), element, _joined, "[y for x in {0} for y in x]", needs=(2,)))
    return found


def _hashable(kind: Type) -> bool:
    return kind.name != "list" and all(_hashable(part) for part in kind.parts)


def _joined(lists: tuple[tuple[Any, ...], ...]) -> tuple[Any, ...]:
    return tuple(element for inner in lists for element in inner)


def _tuples(kind: Type) -> list[Operator]:
    places = ", ".join(f"{{{at}}}" for at in range(len(kind.parts)))
    comma = "," if len(kind.parts) == 1 else ""
    made = Operator(kind.parts, kind, lambda *parts: parts, f"({places}{comma})", needs=(1,) * len(kind.parts))
    taken = [_after(kind, part, _at(at), f"[{at}]") for at, part in enumerate(kind.parts)]
    return [made, *taken]


def _at(place: int) -> Callable[[tuple[Any, ...]], Any]:
    return lambda parts: parts[place]


MAX_OF_SIZE = 6_000
"""Terms of one type and size that are kept: what comes later of that size is not built on."""


class Bank:
    """The terms found so far, by type and size; `grow` adds those of one more size."""

    def __init__(self, leaves: Iterable[Term], operators: Sequence[Operator], deadline: float) -> None:
        self._operators, self._deadline = operators, deadline
        self._terms: dict[Type, dict[int, list[Term]]] = {}
        self._seen: set[tuple[Type, tuple[object, ...]]] = set()
        self._waiting: dict[int, list[Term]] = {}
        self._floats = any(FLOAT in (*one.takes, one.gives) for one in operators)
        for leaf in leaves:
            self._waiting.setdefault(leaf.size, []).append(leaf)

    def put(self, terms: Iterable[Term]) -> None:
        """Terms made elsewhere, to be there from their size on."""
        for term in terms:
            self._waiting.setdefault(term.size, []).append(term)

    def of(self, kind: Type, size: int) -> list[Term]:
        """The kept terms of a type and size."""
        return self._terms.get(kind, {}).get(size, [])

    def grow(self, size: int) -> Iterator[Term | None]:
        """The new terms of a size, each as it is found, and None now and then; ends early when the time is over."""
        for leaf in self._waiting.pop(size, []):
            yield from self._kept(leaf)
        for one in self._operators:
            arity = len(one.takes)
            if size - one.cost < arity:
                continue
            for sizes in compositions(size - one.cost, arity):
                if one.commutes and sizes[0] > sizes[1]:
                    continue
                yield from self._products(one, sizes, size)
                yield None
                if time.monotonic() > self._deadline:
                    return

    def _products(self, one: Operator, sizes: tuple[int, ...], size: int) -> Iterator[Term | None]:
        banks = [self.of(kind, part) for kind, part in zip(one.takes, sizes, strict=True)]
        for count, arguments in enumerate(itertools.product(*banks)):
            if count & 127 == 127:
                yield None
                if time.monotonic() > self._deadline:
                    return
            values = _pointwise(one, arguments)
            if values is not None:
                key = (one.gives, values)
                if key not in self._seen:
                    yield from self._kept(Term(one.gives, size, values, one, arguments))

    def _kept(self, term: Term) -> Iterator[Term]:
        key = (term.kind, term.values)
        if key in self._seen:
            return
        self._seen.add(key)
        of_size = self._terms.setdefault(term.kind, {}).setdefault(term.size, [])
        if len(of_size) < MAX_OF_SIZE:
            of_size.append(term)
        yield term
        if self._floats and term.kind == INT:
            values = tuple(value if value is FAULT or abs(value) > 2**53 else float(value) for value in term.values)
            same = Term(
                FLOAT, term.size, values, term.operator, term.arguments, term.written, term.own, term.precedence
            )
            yield from self._kept(same)


def _pointwise(one: Operator, arguments: tuple[Term, ...]) -> tuple[object, ...] | None:
    """The values at every point; None if none is a value."""
    columns = [term.values for term in arguments]
    values = []
    useful = False
    for row in zip(*columns, strict=True):
        if any(value is FAULT for value in row):
            values.append(FAULT)
            continue
        value = applied(one, list(row))
        useful = useful or value is not FAULT
        values.append(value)
    return tuple(values) if useful or not values else None
