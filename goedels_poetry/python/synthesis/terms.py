"""Terms of a typed grammar, enumerated from small to large, one for each behaviour (observational equivalence).

The method of Albarghouthi, Gulwani and Kincaid ("Recursive program synthesis", CAV 2013) and of Udupa et al.
("TRANSIT: specifying protocols with concolic snippets", PLDI 2013): terms with the same values at every point are
interchangeable in larger terms, so only the first is kept.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from goedels_poetry.kernel.refutation.values import compositions

Value = Any
MAX_INT, MAX_LENGTH = 10**60, 400
_MAX_EXPONENT, _MAX_RANGE = 64, 2_000
_RAISED = (ArithmeticError, LookupError, ValueError, TypeError)

# Types and values


class Type(NamedTuple):
    """``int``, ``bool``, ``str``, ``float``, ``list`` of one type, ``tuple`` of several."""

    name: str
    parts: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.parts))}]" if self.parts else self.name


INT, BOOL, STR, FLOAT = Type("int"), Type("bool"), Type("str"), Type("float")
_PLAIN = {"int": INT, "bool": BOOL, "str": STR, "float": FLOAT}
_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence")


def list_of(element: Type) -> Type:
    """The type of lists of a type."""
    return Type("list", (element,))


def of_annotation(node: ast.expr | None) -> Type | None:
    """The type that an annotation names; None where it names none of ours."""
    match node:
        case ast.Constant(value=str(text)):
            try:
                return of_annotation(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                return None
        case ast.Name(id=name):
            return _PLAIN.get(name)
        case ast.Subscript(value=ast.Name(id=base) | ast.Attribute(attr=base)):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            parts = tuple(map(of_annotation, inner))
            if None not in parts and base in _LISTS and len(parts) == 1:
                return Type("list", parts)
            if None not in parts and base in ("tuple", "Tuple"):
                return Type("tuple", parts)
    return None


def of_values(values: Sequence[Any]) -> Type | None:
    """The type that all of some literals have; None where there is none of ours."""
    kinds = {type(value) for value in values}
    if kinds == {list}:
        elements = [element for value in values for element in value]
        inner = of_values(elements) if elements else INT
        return list_of(inner) if inner else None
    if kinds == {tuple} and len({len(value) for value in values}) == 1:
        parts = tuple(map(of_values, zip(*values, strict=True)))
        return Type("tuple", parts) if parts and None not in parts else None
    if kinds == {int, float}:
        return FLOAT
    return _PLAIN.get(kinds.pop().__name__) if len(kinds) == 1 else None


def frozen(value: Any, kind: Type) -> Value:
    """A literal as a value of a type; raises ValueError: it is none."""
    if kind.name == "list" and isinstance(value, list):
        return tuple(frozen(part, kind.parts[0]) for part in value)
    if kind.name == "tuple" and isinstance(value, tuple) and len(value) == len(kind.parts):
        return tuple(map(frozen, value, kind.parts))
    if type(value).__name__ == kind.name:
        return value
    if kind == FLOAT and type(value) is int:
        return float(value)
    raise ValueError(f"{value!r} is no {kind}")


def literal(value: Value, kind: Type) -> str:
    """A value as Python source."""
    if kind.name == "list":
        return f"[{', '.join(literal(part, kind.parts[0]) for part in value)}]"
    if kind.name == "tuple":
        return f"({''.join(f'{text}, ' for text in map(literal, value, kind.parts))})"
    return repr(value)


def alike(one: Value, other: Value) -> bool:
    """Equal values of one type; floats up to rounding."""
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


# Terms


class _Fault:
    """The value of a term where Python would raise."""

    __slots__ = ()


FAULT: Final = _Fault()


@dataclass(frozen=True, slots=True)
class Operator:
    """One production of the grammar; ``template``: Python with ``{0}``, ``{1}``, ...; ``cost``: its part of a size."""

    takes: tuple[Type, ...]
    gives: Type
    apply: Callable[..., Value]
    template: str
    commutes: bool = False
    cost: int = 1


class Term:
    """A term with its values, one a point. Made by the hundred thousand: a plain class with slots.

    A leaf has a text, and of a constant ``operator`` is None and ``fixed`` its value.
    """

    __slots__ = ("arguments", "fixed", "kind", "operator", "size", "values", "written")

    def __init__(
        self,
        kind: Type,
        size: int,
        values: tuple[Value, ...],
        written: str = "",
        operator: Operator | None = None,
        arguments: tuple[Term, ...] = (),
        fixed: Value = FAULT,
    ) -> None:
        self.kind, self.size, self.values, self.written = kind, size, values, written
        self.operator, self.arguments, self.fixed = operator, arguments, fixed

    @property
    def text(self) -> str:
        """Python source with every part in parentheses; `ast.unparse` removes those that are not needed."""
        if self.operator is None:
            return f"({self.written})"
        return f"({self.operator.template.format(*(part.text for part in self.arguments))})"

    def run(self, names: Mapping[str, Value]) -> Value:
        """The value where names have these values; FAULT where Python would raise."""
        if self.operator is None:
            return names.get(self.written, self.fixed)
        arguments = [part.run(names) for part in self.arguments]
        return FAULT if any(value is FAULT for value in arguments) else applied(self.operator, arguments)

    def mentions(self, name: str) -> bool:
        """Whether a name stands in it."""
        return self.written == name or any(part.mentions(name) for part in self.arguments)


def applied(operator: Operator, arguments: Sequence[Value]) -> Value:
    """The operator's value; FAULT where it raises or the value is too large to go on with."""
    try:
        value = operator.apply(*arguments)
    except _RAISED:
        return FAULT
    if isinstance(value, int):
        return value if -MAX_INT < value < MAX_INT else FAULT
    if isinstance(value, str | tuple) and len(value) > MAX_LENGTH:
        return FAULT
    return FAULT if isinstance(value, complex) or value != value else value


def constant(value: Value, kind: Type, points: int, size: int = 1) -> Term:
    """A literal."""
    return Term(kind, size, (value,) * points, literal(value, kind), fixed=value)


# The grammar

_GRAMMAR = """
int, int -> int: {0} + {1} (commutes); {0} - {1}; {0} * {1} (commutes); {0} // {1}; {0} % {1}; {0} ** {1}
int, int -> int: max({0}, {1}) (commutes); min({0}, {1}) (commutes)
int -> int: -{0}; abs({0})
int, int -> bool: {0} < {1}; {0} <= {1}; {0} == {1} (commutes); {0} != {1} (commutes); {0} % {1} == 0
int -> bool: {0} % 2 == 0 (costs 2); {0} % 2 == 1 (costs 2); {0} > 0; {0} < 0
int -> str: str({0})
int -> float: float({0})
int, int -> list[int]: list(range({0}, {1})) (costs 2)
float, float -> float: {0} + {1} (commutes); {0} - {1}; {0} * {1} (commutes); {0} / {1}
float, float -> float: max({0}, {1}) (commutes); min({0}, {1}) (commutes)
float -> float: -{0}; abs({0})
float -> int: round({0}); int({0})
float, int -> float: {0} / {1}; {0} * {1}
float, float -> bool: {0} < {1}; {0} <= {1}
list[float] -> float: sum({0})
bool, bool -> bool: {0} and {1} (commutes); {0} or {1} (commutes)
bool -> bool: not {0}
str, str -> str: {0} + {1}
str, int -> str: {0} * {1}; {0}[{1}]; {0}[:{1}]; {0}[{1}:]
str -> str: {0}[::-1]; {0}[0]; {0}[-1]; {0}[1:]; {0}[:-1]
str -> str: {0}.upper(); {0}.lower(); {0}.strip(); {0}.title(); {0}.capitalize(); {0}.swapcase()
str -> bool: {0}.isdigit(); {0}.isalpha(); {0}.isupper(); {0}.islower(); {0}.isspace()
str -> int: len({0}); int({0})
str, str -> int: {0}.count({1})
str, str -> bool: {0}.startswith({1}); {0}.endswith({1}); {0} == {1} (commutes); {0} in {1}
str, str, str -> str: {0}.replace({1}, {2})
str -> list[str]: {0}.split(); list({0}); sorted({0})
str, list[str] -> str: {0}.join({1})
list[T] -> int: len({0})
list[T] -> T: {0}[0]; {0}[-1]
list[T], int -> T: {0}[{1}]
list[T] -> list[T]: {0}[::-1]; {0}[1:]; {0}[:-1]; {0}[:1]; {0}[::2]
list[T], int -> list[T]: {0}[:{1}]; {0}[{1}:]
list[T], list[T] -> list[T]: {0} + {1}
list[T], list[T] -> bool: {0} == {1} (commutes)
T, list[T] -> bool: {0} in {1}
list[T], T -> int: {0}.count({1}); {0}.index({1})
T -> list[T]: [{0}]
list[T] -> list[T]: list(dict.fromkeys({0}))
list[int] -> list[int]: sorted({0})
list[float] -> list[float]: sorted({0})
list[str] -> list[str]: sorted({0})
list[int] -> int: sum({0}); max({0}); min({0})
list[float] -> float: max({0}); min({0})
list[str] -> str: max({0}); min({0})
list[bool] -> bool: all({0}); any({0})
list[list[T]] -> list[T]: [y for x in {0} for y in x]
"""
"""Types of arguments and result, then what is written. T: the elements of any list among the types."""


def operators(kinds: Iterable[Type], with_choice: bool = False) -> list[Operator]:
    """The productions among some types; ``with_choice``: conditional expressions too."""
    present = sorted(set(kinds), key=str)
    elements = [str(kind.parts[0]) for kind in present if kind.name == "list"]
    found: dict[Operator, None] = {}
    for line in _GRAMMAR.strip().splitlines():
        head, _, written = line.partition(": ")
        for element in elements if re.search(r"\bT\b", head) else [""]:
            *takes, gives = _types(re.sub(r"\bT\b", element, head))
            if {*takes, gives} <= set(present):
                found |= dict.fromkeys(_operator(tuple(takes), gives, text) for text in written.split("; "))
    for kind in present:
        if kind.name == "tuple":
            found[_operator(kind.parts, kind, f"({''.join(f'{{{at}}}, ' for at in range(len(kind.parts)))})")] = None
            found |= {_operator((kind,), part, f"{{0}}[{at}]"): None for at, part in enumerate(kind.parts)}
        if with_choice:
            found[_operator((kind, BOOL, kind), kind, "{0} if {1} else {2}")] = None
    return list(found)


@cache
def _types(head: str) -> tuple[Type, ...]:
    """The types of ``int, list[int] -> int``."""
    listed = re.split(r", (?![^\[]*\])| -> ", head)
    return tuple(kind for text in listed if (kind := of_annotation(ast.parse(text, mode="eval").body)) is not None)


@cache
def _operator(takes: tuple[Type, ...], gives: Type, written: str) -> Operator:
    """A production from what it writes; what it computes is that text, with limits."""
    template, _, note = written.partition(" (c")
    names = [f"_{at}" for at in range(len(takes))]
    guarded = re.sub(r"^\{0\} (\*\*?) \{1\}$", r"product({0}, {1}, '\1')", template).format(*names)
    function = eval(  # noqa: S307  our own text
        f"lambda {', '.join(names)}: {guarded}", {"range": limited_range, "int": _to_int, "product": _product}
    )
    apply = function if gives.name != "list" else lambda *arguments: tuple(function(*arguments))
    return Operator(takes, gives, apply, template, note.startswith("ommutes"), 2 if note.startswith("osts 2") else 1)


def _to_int(value: Any) -> int:
    if isinstance(value, str) and len(value) > 60:
        raise ValueError("too long to try")
    return int(value)


def limited_range(*bounds: int) -> range:
    """``range``; raises ValueError where it is too long to try."""
    if len(range(*bounds)) > _MAX_RANGE:
        raise ValueError("too long to try")
    return range(*bounds)


def limited_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent``; raises ValueError where it is too large to try."""
    if not isinstance(exponent, int) or not 0 <= exponent <= _MAX_EXPONENT or abs(base) > 10**9:
        raise ValueError("too large to try")
    return base**exponent


def limited_product(one: Any, other: Any) -> Any:
    """``one * other``; raises ValueError where a text or a list would be too long to try."""
    if not isinstance(one, int | float) and other > MAX_LENGTH:
        raise ValueError("too long to try")
    return one * other


def _product(one: Any, other: Any, sign: str) -> Any:
    return limited_power(one, other) if sign == "**" else limited_product(one, other)


_MAX_OF_SIZE = 6_000
"""Terms of one type and size that are kept: what comes later of that size is not built on."""


class Bank:
    """The terms found so far, by type and size; `grow` adds those of one more size."""

    def __init__(self, leaves: Iterable[Term], operators: Sequence[Operator], deadline: float) -> None:
        self._operators, self._deadline = operators, deadline
        self._terms: dict[tuple[Type, int], list[Term]] = {}
        self._seen: set[tuple[Type, tuple[object, ...]]] = set()
        self._waiting: dict[int, list[Term]] = {}
        for leaf in leaves:
            self.put(leaf)

    def put(self, term: Term) -> None:
        """A term made elsewhere, to be there from its size on."""
        self._waiting.setdefault(term.size, []).append(term)

    def grow(self, size: int) -> Iterator[Term | None]:
        """The new terms of a size, each as it is found, and None now and then; ends early when the time is over."""
        for leaf in self._waiting.pop(size, []):
            if self._is_kept(leaf):
                yield leaf
        for count, made in enumerate(self._made(size)):
            if made is not None and self._is_kept(made):
                yield made
            elif count & 127 == 127:
                yield None
                if time.monotonic() > self._deadline:
                    return

    def _made(self, size: int) -> Iterator[Term | None]:
        for one in self._operators:
            for sizes in compositions(size - one.cost, len(one.takes)) if size - one.cost >= len(one.takes) else ():
                if one.commutes and sizes[0] > sizes[1]:
                    continue
                banks = [self._terms.get(key, []) for key in zip(one.takes, sizes, strict=True)]
                for arguments in itertools.product(*banks):
                    values = tuple(
                        FAULT if any(value is FAULT for value in row) else applied(one, row)
                        for row in zip(*(part.values for part in arguments), strict=True)
                    )
                    useless = all(value is FAULT for value in values)
                    yield None if useless else Term(one.gives, size, values, "", one, arguments)

    def _is_kept(self, term: Term) -> bool:
        """Whether no smaller term behaves like it; then it is there for larger ones."""
        key = (term.kind, term.values)
        if key in self._seen:
            return False
        self._seen.add(key)
        of_size = self._terms.setdefault((term.kind, term.size), [])
        if len(of_size) < _MAX_OF_SIZE:
            of_size.append(term)
        return True
