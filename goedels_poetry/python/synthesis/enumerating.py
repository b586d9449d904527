"""Terms of the grammar, counted out from small to large, one for each behaviour: observational equivalence.

The method of Albarghouthi, Gulwani and Kincaid ("Recursive program synthesis", CAV 2013) and of Udupa, Raghavan,
Deshmukh, Mador-Haim, Martin and Alur ("TRANSIT: specifying protocols with concolic snippets", PLDI 2013): terms with
the same values at every point are interchangeable in larger terms, so only the first is kept.
"""

from __future__ import annotations

import ast
import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from goedels_poetry.protocol.enumeration import compositions

# Terms of the grammar

Value = Any


@dataclass(frozen=True, slots=True)
class Type:
    """``int``, ``bool``, ``str``, ``float``, ``list`` of one type, ``tuple`` of several."""

    name: str
    parts: tuple[Type, ...] = ()

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
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return of_annotation(ast.parse(node.value, mode="eval").body)
        except (SyntaxError, ValueError):
            return None
    if isinstance(node, ast.Name):
        return _PLAIN.get(node.id)
    if isinstance(node, ast.Subscript):
        base = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [of_annotation(part) for part in inner]
        known = tuple(part for part in parts if part is not None)
        if len(known) != len(parts):
            return None
        if base in _LISTS and len(known) == 1:
            return list_of(known[0])
        if base in ("tuple", "Tuple") and known:
            return Type("tuple", known)
    return None


def of_values(values: list[Any]) -> Type | None:
    """The type that all of some literals have; None where there is none of ours."""
    kinds = {type(value) for value in values}
    if not kinds:
        return None
    if kinds == {bool}:
        return BOOL
    if kinds == {int}:
        return INT
    if kinds == {str}:
        return STR
    if kinds <= {int, float}:
        return FLOAT
    if kinds == {list}:
        elements = [element for value in values for element in value]
        inner = of_values(elements) if elements else INT
        return list_of(inner) if inner else None
    if kinds == {tuple} and len({len(value) for value in values}) == 1 and values[0]:
        parts = [of_values([value[at] for value in values]) for at in range(len(values[0]))]
        known = tuple(part for part in parts if part is not None)
        return Type("tuple", known) if len(known) == len(parts) else None
    return None


def frozen(value: Any, kind: Type) -> Value:
    """A literal as a value of a type.

    Raises:
        ValueError: it is none.
    """
    if kind.name == "list" and isinstance(value, (list, tuple)):
        return tuple(frozen(part, kind.parts[0]) for part in value)
    if kind.name == "tuple" and isinstance(value, tuple) and len(value) == len(kind.parts):
        return tuple(frozen(part, inner) for part, inner in zip(value, kind.parts, strict=True))
    if kind == FLOAT and type(value) in (int, float):
        return float(value)
    if kind in (INT, BOOL, STR) and type(value).__name__ == kind.name:
        return value
    raise ValueError(f"{value!r} is no {kind}")


def literal(value: Value, kind: Type) -> str:
    """A value as Python source."""
    if kind.name == "list":
        return "[" + ", ".join(literal(part, kind.parts[0]) for part in value) + "]"
    if kind.name == "tuple":
        inner = [literal(part, one) for part, one in zip(value, kind.parts, strict=True)]
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"
    return repr(value)


def alike(one: Value, other: Value, kind: Type) -> bool:
    """Equal values; floats up to rounding."""
    if kind == FLOAT:
        return bool(abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other)))
    if kind.name == "list":
        inner = kind.parts[0]
        return len(one) == len(other) and all(alike(a, b, inner) for a, b in zip(one, other, strict=True))
    if kind.name == "tuple":
        return all(alike(a, b, part) for a, b, part in zip(one, other, kind.parts, strict=True))
    return bool(one == other)


ATOM: Final = 20
UNARY: Final = 12
MAX_INT = 10**60
MAX_LENGTH = 400


class _Fault:
    """What a term has for a value where Python would raise."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "FAULT"


FAULT: Final = _Fault()
_RAISED = (ArithmeticError, LookupError, ValueError, TypeError)


@dataclass(frozen=True, slots=True)
class Operator:
    """One production of the grammar.

    Attributes:
        takes: the types of the arguments.
        apply: what it computes; may raise.
        template: Python with ``{0}``, ``{1}``, ...
        precedence: how tight it binds; ``needs``: how tight each argument must bind to stand without parentheses.
        cost: what it adds to the size of a term.
    """

    takes: tuple[Type, ...]
    gives: Type
    apply: Callable[..., Value]
    template: str
    precedence: int = ATOM
    needs: tuple[int, ...] = ()
    commutes: bool = False
    cost: int = 1


class Term:
    """A term with its values, one a point. Made by the hundred thousand: a plain class with slots."""

    __slots__ = ("arguments", "kind", "operator", "own", "precedence", "size", "values", "written")

    def __init__(
        self,
        kind: Type,
        size: int,
        values: tuple[Value, ...],
        operator: Operator | None = None,
        arguments: tuple[Term, ...] = (),
        written: str = "",
        own: Any = None,
        precedence: int = ATOM,
    ) -> None:
        self.kind, self.size, self.values = kind, size, values
        self.operator, self.arguments, self.written, self.own = operator, arguments, written, own
        self.precedence = operator.precedence if operator else precedence

    @property
    def text(self) -> str:
        """Python source."""
        if self.operator is None:
            return self.written
        needs = self.operator.needs or (0,) * len(self.arguments)
        parts = [
            f"({part.text})" if part.precedence < need else part.text
            for part, need in zip(self.arguments, needs, strict=True)
        ]
        return self.operator.template.format(*parts)

    @property
    def closed(self) -> str:
        """Python source that may be a branch of a conditional, or be followed by ``for``."""
        return f"({self.text})" if self.precedence < 2 else self.text

    def run(self, names: Mapping[str, Value]) -> Value:
        """The value where names have these values; FAULT where Python would raise.

        ``own`` of a leaf is a function of the names.
        """
        if self.operator is None:
            return self.own(names)
        arguments = []
        for part in self.arguments:
            value = part.run(names)
            if value is FAULT:
                return FAULT
            arguments.append(value)
        return applied(self.operator, arguments)

    def mentions(self, name: str) -> bool:
        """Whether a name stands in it."""
        if self.operator is None:
            return self.written == name
        return any(part.mentions(name) for part in self.arguments)


def applied(operator: Operator, arguments: list[Value]) -> Value:
    """The operator's value; FAULT where it raises or the value is too large to go on with."""
    try:
        value = operator.apply(*arguments)
    except _RAISED:
        return FAULT
    if isinstance(value, int):
        return FAULT if not -MAX_INT < value < MAX_INT else value
    if isinstance(value, (str, tuple)) and len(value) > MAX_LENGTH:
        return FAULT
    return FAULT if isinstance(value, complex) or value != value else value


def variable(name: str, kind: Type, values: tuple[Value, ...]) -> Term:
    """A name with its value at each point."""
    return Term(kind, 1, values, written=name, own=lambda names: names[name])


def constant(value: Value, kind: Type, points: int, size: int = 1) -> Term:
    """A literal."""
    text = literal(value, kind)
    bound = UNARY if text.startswith("-") else ATOM
    return Term(kind, size, (value,) * points, written=text, own=lambda _: value, precedence=bound)


_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _POWER = 1, 2, 3, 4, 5, 10, 11, 13
_MAX_EXPONENT, _MAX_MADE = 64, 300
_GRAMMAR = """
int, int -> int: {0} + {1} (commutes); {0} - {1}; {0} * {1} (commutes); {0} // {1}; {0} % {1}; {0} ** {1}
int, int -> int: max({0}, {1}) (commutes); min({0}, {1}) (commutes)
int -> int: -{0}; abs({0})
int, int -> bool: {0} < {1}; {0} <= {1}; {0} == {1} (commutes); {0} != {1} (commutes); {0} % {1} == 0
int -> bool: {0} % 2 == 0 (costs 2); {0} % 2 == 1 (costs 2); {0} > 0; {0} < 0
int -> str: str({0})
int, int -> list[int]: list(range({0}, {1})) (costs 2)
float, float -> float: {0} + {1} (commutes); {0} - {1}; {0} * {1} (commutes); {0} / {1}
float, float -> float: max({0}, {1}) (commutes); min({0}, {1}) (commutes)
float -> float: -{0}; abs({0})
float -> int: round({0}); int({0})
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
H -> H: list(dict.fromkeys({0}))
O -> O: sorted({0})
list[int] -> int: sum({0}); max({0}); min({0})
list[float] -> float: max({0}); min({0})
list[str] -> str: max({0}); min({0})
list[bool] -> bool: all({0}); any({0})
list[list[T]] -> list[T]: [y for x in {0} for y in x]
"""
"""Types of arguments and result, then what is written. T: any type whose lists are there; H: lists of what has a hash;
O: lists of numbers or texts."""


def operators(kinds: Iterable[Type], with_choice: bool = False) -> list[Operator]:
    """The productions among some types; ``with_choice``: conditional expressions too."""
    present = set(kinds)
    found: dict[Operator, None] = {}
    lists = [kind for kind in sorted(present, key=str) if kind.name == "list"]
    for line in _GRAMMAR.strip().splitlines():
        head, _, written = line.partition(": ")
        for text in _instances(head, lists):
            *takes, gives = (
                of_annotation(ast.parse(t, mode="eval").body) for t in re.split(r", (?![^\[]*\])| -> ", text)
            )
            if gives in present and all(kind in present for kind in takes):
                known = tuple(kind for kind in takes if kind is not None)
                found |= dict.fromkeys(_operator(known, gives, one) for one in written.split("; "))
    for kind in sorted(present, key=str):
        if kind.name == "tuple":
            places = "".join(f"{{{at}}}, " for at in range(len(kind.parts)))
            found[_operator(kind.parts, kind, f"({places if len(kind.parts) == 1 else places[:-2]})")] = None
            found |= {_operator((kind,), part, f"{{0}}[{at}]"): None for at, part in enumerate(kind.parts)}
        if with_choice:
            found[_operator((kind, BOOL, kind), kind, "{0} if {1} else {2}")] = None
    return [one for one in found if all(kind in present for kind in (*one.takes, one.gives))]


def _instances(head: str, lists: Sequence[Type]) -> list[str]:
    """The types with every list that there is in place of a letter."""
    if not re.search(r"\b[THO]\b", head):
        return [head]
    several = []
    for kind in lists:
        (element,) = kind.parts
        text = re.sub(r"\bT\b", str(element), head)
        text = re.sub(r"\bH\b", str(kind) if _hashable(element) else "None", text)
        several.append(re.sub(r"\bO\b", str(kind) if element in (INT, FLOAT, STR) else "None", text))
    return several


def _hashable(kind: Type) -> bool:
    return kind.name != "list" and all(_hashable(part) for part in kind.parts)


@cache
def _operator(takes: tuple[Type, ...], gives: Type, written: str) -> Operator:
    """A production from what it writes: how tight it binds and what it computes are read off the expression."""
    template, _, note = written.partition(" (costs ") if "(costs" in written else written.partition(" (commutes")
    names = [f"_{at}" for at in range(len(takes))]
    tree = ast.parse(template.format(*names), mode="eval")
    needs = {node.id: need for node, need in _needs(tree.body, 0) if node.id in names}
    function: Callable[..., Any] = _GUARDED.get((takes[-1], template)) or eval(  # noqa: S307  our own text
        f"lambda {', '.join(names)}: {ast.unparse(tree)}", {"range": _range, "int": _to_int}
    )
    apply = function if gives.name != "list" else lambda *arguments: tuple(function(*arguments))
    cost = int(note.rstrip(")")) if note and note != ")" else 1
    return Operator(takes, gives, apply, template, _level(tree.body), tuple(needs[n] for n in names), note == ")", cost)


def _level(node: ast.expr) -> int:
    match node:
        case ast.IfExp():
            return _IF
        case ast.BoolOp():
            return _OR if isinstance(node.op, ast.Or) else _AND
        case ast.UnaryOp():
            return _NOT if isinstance(node.op, ast.Not) else UNARY
        case ast.Compare():
            return _COMPARE
        case ast.BinOp():
            return {ast.Pow: _POWER, ast.Add: _ADD, ast.Sub: _ADD}.get(type(node.op), _MULTIPLY)
    return ATOM


def _needs(node: ast.AST, need: int) -> Iterator[tuple[ast.Name, int]]:
    """The names of an expression, each with how tight an expression in its place must bind."""
    if isinstance(node, ast.Name):
        yield node, need
        return
    own = _level(node) if isinstance(node, ast.expr) else ATOM
    for at, child in enumerate(
        part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr | ast.comprehension)
    ):
        match node:
            case ast.BinOp(op=ast.Pow()):
                inner = UNARY if at else own + 1
            case ast.BinOp() | ast.BoolOp() | ast.IfExp():
                inner = own + (at > 0 if not isinstance(node, ast.IfExp) else at < 2)
            case ast.Compare():
                inner = own + 1
            case ast.UnaryOp():
                inner = own
            case ast.Attribute() | ast.Subscript() if at == 0:
                inner = ATOM
            case ast.comprehension():
                inner = 2
            case ast.Tuple():
                inner = 1
            case _:
                inner = 0
        yield from _needs(child, inner)


def _power(base: int, exponent: int) -> int:
    if not 0 <= exponent <= _MAX_EXPONENT or abs(base) > 10**9:
        raise ValueError("too large to try")
    return int(base**exponent)


def _to_int(value: Any) -> int:
    if isinstance(value, str) and len(value) > 60:
        raise ValueError("too long to try")
    return int(value)


def _range(low: int, high: int) -> range:
    if high - low > _MAX_MADE:
        raise ValueError("too long to try")
    return range(low, high)


def _product(a: Any, b: int) -> Any:
    if isinstance(a, str) and b > _MAX_MADE:
        raise ValueError("too long to try")
    return a * b


_GUARDED: dict[tuple[Type, str], Callable[..., Any]] = {(INT, "{0} ** {1}"): _power, (INT, "{0} * {1}"): _product}
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
