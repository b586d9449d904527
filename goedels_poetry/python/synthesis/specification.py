"""What is asked for: a signature, points with the values or conditions that must hold there."""

from __future__ import annotations

import ast
import itertools
import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.synthesis.enumerating import (
    FAULT,
    INT,
    MAX_INT,
    MAX_LENGTH,
    STR,
    Type,
    Value,
    alike,
    frozen,
    of_annotation,
    of_values,
)


class OutsideGrammar(Exception):
    """A clause says something that this interpreter does not know."""


_MAX_STEPS = 20_000


def _power(base: Any, exponent: Any) -> Any:
    if not isinstance(exponent, int) or not -64 <= exponent <= 64:
        raise ValueError("too large to try")
    return base**exponent


def _product(left: Any, right: Any) -> Any:
    numbers = [side for side in (left, right) if isinstance(side, int | float)]
    if len(numbers) < 2 and max(numbers, default=0) > MAX_LENGTH:
        raise ValueError("too long to try")
    return left * right


def _range(*bounds: Any) -> range:
    if len(range(*bounds)) > _MAX_STEPS:
        raise ValueError("too long to try")
    return range(*bounds)


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: _product, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Div: operator.truediv, ast.Pow: _power, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.eq,
    ast.IsNot: operator.ne, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{each.__name__: each for each in (len, abs, min, max, sum, all, any, int, str, bool, float)},
    "sorted": lambda xs: tuple(sorted(xs)),
    "list": tuple,
    "tuple": tuple,
    "set": frozenset,
    "reversed": lambda xs: tuple(xs)[::-1],
    "range": _range,
    "zip": lambda *several: tuple(zip(*several)),  # noqa: B905  as Python has it
    "enumerate": lambda xs: tuple(enumerate(xs)),
}
_METHODS: dict[str, Callable[..., Any]] = {
    "count": lambda xs, x: xs.count(x),
    "index": lambda xs, x: xs.index(x),
    **{each.__name__: each for each in (str.upper, str.lower, str.startswith, str.endswith, str.isdigit, str.isalpha)},
}
_KNOWN = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call, ast.Constant, ast.Name, ast.Subscript,
    ast.Slice, ast.List, ast.Tuple, ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.Attribute, ast.expr_context,
    ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip


def understood(text: str) -> ast.expr | None:
    """The clause as a tree, if every construct in it is one that `holds` knows; else None."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if all(isinstance(node, _KNOWN) for node in ast.walk(tree)) else None


def holds(clause: ast.expr, names: Mapping[str, Value]) -> bool:
    """Whether a clause holds for these values; a clause that raises does not.

    Raises:
        OutsideGrammar: it has something that this interpreter does not know.
    """
    try:
        return bool(_Interpreter().value(clause, names))
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError):
        return False


class _Interpreter:
    """One evaluation, with a limit on its steps."""

    def __init__(self) -> None:
        self._steps = 0

    def value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise ValueError("too many steps")
        value = self._value(node, names)
        if isinstance(value, int) and not -MAX_INT < value < MAX_INT:
            raise ValueError("too large")
        if isinstance(value, str | tuple | range) and len(value) > MAX_LENGTH * 10:
            raise ValueError("too long")
        return value

    def _value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        def of(part: ast.expr) -> Any:
            return self.value(part, names)

        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.BoolOp():
                value: Any = None
                for part in node.values:
                    value = of(part)
                    if bool(value) is isinstance(node.op, ast.Or):
                        break
                return value
            case ast.UnaryOp(op=sign) if type(sign) in _OPERATORS:
                return _OPERATORS[type(sign)](of(node.operand))
            case ast.BinOp(op=sign) if type(sign) in _OPERATORS:
                return _OPERATORS[type(sign)](of(node.left), of(node.right))
            case ast.Compare():
                sides = [of(node.left)]
                for order, part in zip(node.ops, node.comparators, strict=True):
                    sides.append(of(part))
                    if not _OPERATORS[type(order)](*sides[-2:]):
                        return False
                return True
            case ast.IfExp():
                return of(node.body if of(node.test) else node.orelse)
            case ast.Subscript(slice=ast.Slice() as place):
                bounds = (None if part is None else of(part) for part in (place.lower, place.upper, place.step))
                return of(node.value)[slice(*bounds)]
            case ast.Subscript():
                return of(node.value)[of(node.slice)]
            case ast.List() | ast.Tuple():
                return tuple(map(of, node.elts))
            case ast.GeneratorExp() | ast.ListComp():
                return tuple(self._elements(node.elt, node.generators, names))
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FUNCTIONS and name not in names:
                return _FUNCTIONS[name](*map(of, node.args))
            case ast.Call(func=ast.Attribute(value=owner, attr=name), keywords=[]) if name in _METHODS:
                return _METHODS[name](of(owner), *map(of, node.args))
        raise OutsideGrammar(ast.unparse(node))

    def _elements(self, element: ast.expr, parts: list[ast.comprehension], names: Mapping[str, Value]) -> Iterator[Any]:
        if not parts:
            yield self.value(element, names)
            return
        first, *rest = parts
        for item in self.value(first.iter, names):
            inner = {**names, **_bound(first.target, item)}
            if all(self.value(test, inner) for test in first.ifs):
                yield from self._elements(element, rest, inner)


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    match target:
        case ast.Name(id=name):
            return {name: item}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            pairs = [_bound(part, value) for part, value in zip(parts, item, strict=True)]
            return {name: value for pair in pairs for name, value in pair.items()}
    raise OutsideGrammar(type(target).__name__)


_PROBES = 6
_CONTRACT_POINTS = 40


@dataclass(frozen=True, slots=True)
class Specification:
    """Types, points and what a result must be there.

    Attributes:
        points: values of the parameters; something is asked at the first ``asked`` ones, the others only tell terms
            apart that agree there.
        wanted: of an example, what is expected; of a point of a contract, None.
        accepts: whether a value will do at a point.
    """

    head: str
    names: tuple[str, ...]
    kinds: tuple[Type, ...]
    gives: Type
    points: tuple[tuple[Value, ...], ...]
    asked: int
    wanted: tuple[Value | None, ...]
    accepts: Callable[[int, Value], bool]
    constants: tuple[tuple[Value, Type], ...]

    def mask(self, values: Sequence[Value]) -> int:
        """The points where the values will do, as bits."""
        found = 0
        for at in range(self.asked):
            if values[at] is not FAULT and self.accepts(at, values[at]):
                found |= 1 << at
        return found

    @property
    def all(self) -> int:
        """The mask of what does everywhere."""
        return (1 << self.asked) - 1


def specification(
    signature: str,
    examples: Sequence[tuple[str, str]],
    contracts: Sequence[str],
    requires: Sequence[str],
    words: str = "",
) -> Specification | None:
    """The task; None where it is outside of the grammar (types that we do not have, several kinds of results).

    Raises:
        InvalidInput: the signature or an example is no Python.
    """
    function, head = _function(signature)
    if function.args.vararg or function.args.kwarg:
        return None
    nodes = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    arguments = [node.arg for node in nodes]
    read = [found for example in examples if (found := _example(example, arguments)) is not None]
    hints = [(node.annotation, [values[at] for values, _ in read]) for at, node in enumerate(nodes)]
    hints.append((function.returns, [value for _, value in read]))
    *kinds, gives = (of_values(values) if hint is None else of_annotation(hint) for hint, values in hints)
    known = tuple(kind for kind in kinds if kind is not None)
    if gives is None or len(known) != len(kinds):
        return None
    try:
        points = [tuple(frozen(value, kind) for value, kind in zip(values, known, strict=True)) for values, _ in read]
        wanted: list[Value | None] = [frozen(value, gives) for _, value in read]
    except ValueError:
        return None
    domain = [clause for text in requires if (clause := understood(text)) is not None]
    ensured = [clause for text in contracts if (clause := understood(text)) is not None]
    more = _more_points(known, points, domain, arguments)
    checks = len(points)
    if ensured:
        points += more[:_CONTRACT_POINTS]
        wanted += [None] * (len(points) - checks)
    asked = len(points)
    points += [point for point in more if point not in points][:_PROBES]
    return Specification(
        head,
        tuple(arguments),
        known,
        gives,
        tuple(points),
        asked,
        tuple(wanted),
        _judge(arguments, points, wanted, gives, ensured),
        tuple(_constants(gives, wanted, [*domain, *ensured], words)),
    )


def _function(signature: str) -> tuple[ast.FunctionDef, str]:
    text = signature.strip().removesuffix("...").strip().removesuffix(":")
    try:
        body = ast.parse(f"{text}: ...").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"not the head of a function: {signature!r}", hint="such as: def f(n: int) -> int"
        ) from error
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise InvalidInput(f"not the head of a function: {signature!r}", hint="such as: def f(n: int) -> int")
    return body[0], f"{text}:"


def _example(example: tuple[str, str], names: list[str]) -> tuple[list[Any], Any] | None:
    """Arguments in the parameters' order and the expected value; None if one of them is no literal."""
    try:
        call = ast.parse(example[0].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InvalidInput(f"an example is no call: {example[0]!r}") from error
    if not isinstance(call, ast.Call):
        raise InvalidInput(f"an example is no call: {example[0]!r}", hint='such as ("f(3)", "6")')
    try:
        given = dict(zip(names, (ast.literal_eval(argument) for argument in call.args), strict=False))
        given |= {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        expected = ast.literal_eval(example[1].strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    if set(given) != set(names) or len(call.args) > len(names):
        return None
    return [given[name] for name in names], expected


def _more_points(
    kinds: tuple[Type, ...], points: list[tuple[Value, ...]], domain: list[ast.expr], names: list[str]
) -> list[tuple[Value, ...]]:
    """Inputs beside the examples, small ones first, in the domain, like the examples where those say how."""
    whole = list(itertools.islice(itertools.product(*map(_values, kinds)), 4_000))
    random.Random(20).shuffle(whole)
    nonnegative = [
        kind == INT and bool(points) and all(point[at] >= 0 for point in points) for at, kind in enumerate(kinds)
    ]
    found: list[tuple[Value, ...]] = []
    for point in whole:
        if any(only and value < 0 for only, value in zip(nonnegative, point, strict=True)):
            continue
        try:
            inside = all(holds(clause, dict(zip(names, point, strict=True))) for clause in domain)
        except OutsideGrammar:
            inside = True
        if inside and point not in found:
            found.append(point)
        if len(found) >= _CONTRACT_POINTS:
            break
    return found


_SAMPLES: dict[str, list[Value]] = {
    "int": [0, 1, 2, 3, -1, 5, -4, 7, 10, 17, 64],
    "bool": [False, True],
    "str": ["", "a", "ab", "aba", "Hello world", "b2 c", "xyzzy"],
    "float": [0.0, 1.0, -1.5, 2.25, 10.0],
}


def _values(kind: Type) -> list[Value]:
    if kind.name == "list":
        inner = _values(kind.parts[0])
        most, turned = inner[4:] + inner[:2], inner[2:0:-1] + inner[2:3]
        return [tuple(part) for part in ([], inner[:1], inner[1:3], turned, inner[:5], most, inner[1:2] * 3)]
    return _SAMPLES.get(kind.name) or list(itertools.islice(itertools.product(*map(_values, kind.parts)), 30))


def _judge(
    names: list[str], points: list[tuple[Value, ...]], wanted: list[Value | None], gives: Type, ensured: list[ast.expr]
) -> Callable[[int, Value], bool]:
    known: dict[tuple[int, Value], bool] = {}

    def accepts(at: int, value: Value) -> bool:
        expected = wanted[at]
        if expected is not None and not alike(value, expected, gives):
            return False
        if not ensured:
            return expected is not None
        key = (at, value)
        if key not in known:
            known[key] = _all_hold(ensured, {**dict(zip(names, points[at], strict=True)), "result": value})
        return known[key]

    return accepts


def _all_hold(clauses: list[ast.expr], names: dict[str, Value]) -> bool:
    for clause in clauses:
        try:
            if not holds(clause, names):
                return False
        except OutsideGrammar:
            continue  # left to the tests of whoever asked
    return True


def _constants(
    gives: Type, wanted: list[Value | None], clauses: list[ast.expr], words: str
) -> list[tuple[Value, Type]]:
    """Literals of words and clauses, and results that are expected more than once (two of a text at least)."""
    found: list[tuple[Value, Type]] = [(int(n), INT) for n in re.findall(r"(?<![\w.])\d{1,9}(?![\w.]*\d)", words)]
    quoted = re.findall(r"'([^'\n]{1,20})'|\"([^\"\n]{1,20})\"", words)
    found += [(text, STR) for pair in quoted for text in pair if text]
    if "vowel" in words.lower():
        found.append(("aeiou", STR))
    expected = [value for value in wanted if value is not None] if gives in (INT, STR) else []
    repeats = gives == STR and len(set(expected)) < len(expected)
    found += [(value, gives) for value in expected if repeats or expected.count(value) > 1]
    literals = [node.value for clause in clauses for node in ast.walk(clause) if isinstance(node, ast.Constant)]
    found += [(value, INT if type(value) is int else STR) for value in literals if type(value) in (int, str)]
    return list(dict.fromkeys(found))[:10]
