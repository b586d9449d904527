"""What is asked for: a signature, points with the values or conditions that must hold there."""

from __future__ import annotations

import ast
import itertools
import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.synthesis.terms import (
    FAULT,
    INT,
    MAX_INT,
    MAX_LENGTH,
    STR,
    Type,
    Value,
    alike,
    frozen,
    limited_power,
    limited_product,
    limited_range,
    of_annotation,
    of_values,
)

# Clauses of a contract, interpreted


class _Unknown(Exception):
    """A clause says something that the interpreter does not know."""


_MAX_STEPS = 20_000
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: limited_product, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Div: operator.truediv, ast.Pow: limited_power, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Is: operator.eq, ast.IsNot: operator.ne, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{each.__name__: each for each in (len, abs, min, max, sum, all, any, int, str, bool, float)},
    **{"list": tuple, "tuple": tuple, "set": frozenset, "range": limited_range},
    "sorted": lambda xs: tuple(sorted(xs)),
    "reversed": lambda xs: tuple(xs)[::-1],
    "zip": lambda *several: tuple(zip(*several, strict=False)),
    "enumerate": lambda xs: tuple(enumerate(xs)),
}
_METHODS: dict[str, Callable[..., Any]] = {
    "count": lambda xs, x: xs.count(x),
    "index": lambda xs, x: xs.index(x),
    **{each.__name__: each for each in (str.upper, str.lower, str.startswith, str.endswith, str.isdigit, str.isalpha)},
}


def _clauses(texts: Sequence[str]) -> list[ast.expr]:
    """The clauses that are expressions, as trees."""
    found = []
    for text in texts:
        try:
            found.append(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # left to the tests of the caller
    return found


def _hold(clauses: Sequence[ast.expr], names: Mapping[str, Value]) -> bool:
    """Whether clauses hold for these values: one that raises does not, one that is not known here does."""
    for clause in clauses:
        try:
            if not _Interpreter().value(clause, names):
                return False
        except _Unknown:
            continue  # left to the tests of the caller
        except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
            return False
    return True


class _Interpreter:
    """One evaluation, with a limit on its steps."""

    def __init__(self) -> None:
        self._steps = 0

    def value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        """The value of an expression; raises what Python would, ValueError beyond the limits, and `_Unknown`."""
        self._steps += 1
        value = self._value(node, names)
        too_large = isinstance(value, int) and not -MAX_INT < value < MAX_INT
        too_long = isinstance(value, str | tuple) and len(value) > MAX_LENGTH * 10
        if self._steps > _MAX_STEPS or too_large or too_long:
            raise ValueError("too much to try")
        return value

    def _value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        def of(part: ast.expr | None) -> Any:
            return None if part is None else self.value(part, names)

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
                sides = [node.left, *node.comparators]
                pairs = zip(node.ops, itertools.pairwise(sides), strict=True)
                return all(_OPERATORS[type(order)](of(one), of(other)) for order, (one, other) in pairs)
            case ast.IfExp():
                return of(node.body if of(node.test) else node.orelse)
            case ast.Subscript(slice=ast.Slice() as place):
                return of(node.value)[of(place.lower) : of(place.upper) : of(place.step)]
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
        raise _Unknown(ast.dump(node))

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
        case ast.Tuple(elts=parts):
            pairs = [_bound(part, value) for part, value in zip(parts, item, strict=True)]
            return {name: value for pair in pairs for name, value in pair.items()}
    raise _Unknown(ast.dump(target))


# The task

_PROBES, _CONTRACT_POINTS = 6, 40


@dataclass(frozen=True, slots=True)
class Specification:
    """Types, points and what a result must be there.

    Attributes:
        points: values of the parameters; something is asked at the first ``asked`` ones, the others only tell terms
            apart that agree there.
        wanted: of an example, what is expected; of a point of a contract, FAULT.
        clauses: the contract's conditions on ``result``.
    """

    head: str
    names: tuple[str, ...]
    kinds: tuple[Type, ...]
    gives: Type
    points: tuple[tuple[Value, ...], ...]
    asked: int
    wanted: tuple[Value, ...]
    clauses: tuple[ast.expr, ...]
    constants: tuple[tuple[Value, Type], ...]
    _known: dict[tuple[int, Value], bool] = field(default_factory=dict, compare=False)

    def accepts(self, at: int, value: Value) -> bool:
        """Whether a value will do at a point."""
        if value is FAULT or (at < len(self.wanted) and not alike(value, self.wanted[at])):
            return False
        if not self.clauses:
            return at < len(self.wanted)
        key = (at, value)
        if key not in self._known:
            names = dict(zip(self.names, self.points[at], strict=True))
            self._known[key] = _hold(self.clauses, {**names, "result": value})
        return self._known[key]

    def mask(self, values: Sequence[Value]) -> int:
        """The points where the values will do, as bits."""
        return sum(1 << at for at in range(self.asked) if self.accepts(at, values[at]))

    @property
    def all(self) -> int:
        """The mask of what does everywhere."""
        return (1 << self.asked) - 1


def specification(
    signature: str, examples: Sequence[tuple[str, str]], contracts: Sequence[str], requires: Sequence[str], words: str
) -> Specification | None:
    """The task; None where it is outside of the grammar (types that we do not have, several kinds of results).

    Raises:
        InvalidInput: the signature or an example is no Python.
    """
    function, head = _function(signature)
    if function.args.vararg or function.args.kwarg:
        return None
    nodes = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = tuple(node.arg for node in nodes)
    read = [found for example in examples if (found := _example(example, names)) is not None]
    hints = [(node.annotation, [values[at] for values, _ in read]) for at, node in enumerate(nodes)]
    hints.append((function.returns, [value for _, value in read]))
    *given, gives = (of_values(values) if hint is None else of_annotation(hint) for hint, values in hints)
    kinds = tuple(kind for kind in given if kind is not None)
    if gives is None or len(kinds) != len(given):
        return None
    try:
        points = [tuple(map(frozen, values, kinds)) for values, _ in read]
        wanted = tuple(frozen(value, gives) for _, value in read)
    except ValueError:
        return None
    domain, ensured = _clauses(requires), _clauses(contracts)
    more = _more_points(kinds, points, domain, names)
    points += more if ensured else []
    asked = len(points)
    points += [point for point in more if point not in points][:_PROBES]
    constants = tuple(_constants(gives, wanted, [*domain, *ensured], words))
    return Specification(head, names, kinds, gives, tuple(points), asked, wanted, tuple(ensured), constants)


def _function(signature: str) -> tuple[ast.FunctionDef, str]:
    text = signature.strip().removesuffix("...").strip().removesuffix(":")
    try:
        (function,) = ast.parse(f"{text}: ...").body
    except (SyntaxError, ValueError, RecursionError):
        function = ast.Pass()
    if not isinstance(function, ast.FunctionDef):
        raise InvalidInput(f"not the head of a function: {signature!r}", hint="such as: def f(n: int) -> int")
    return function, f"{text}:"


def _example(example: tuple[str, str], names: Sequence[str]) -> tuple[list[Any], Any] | None:
    """Arguments in the parameters' order and the expected value; None if one of them is no literal."""
    try:
        call = ast.parse(example[0].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InvalidInput(f"an example is no call: {example[0]!r}") from error
    if not isinstance(call, ast.Call):
        raise InvalidInput(f"an example is no call: {example[0]!r}", hint='such as ("f(3)", "6")')
    try:
        given = dict(zip(names, map(ast.literal_eval, call.args), strict=False))
        given |= {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        expected = ast.literal_eval(example[1].strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    is_whole = set(given) == set(names) and len(call.args) <= len(names)
    return ([given[name] for name in names], expected) if is_whole else None


SAMPLES: dict[str, tuple[Value, ...]] = {
    "int": (0, 1, 2, 3, -1, 5, -4, 7, 10, 17, 64),
    "bool": (False, True),
    "str": ("", "a", "ab", "aba", "Hello world", "b2 c", "xyzzy"),
    "float": (0.0, 1.0, -1.5, 2.25, 10.0),
}
"""Some values of each plain type."""


def _more_points(
    kinds: tuple[Type, ...], points: Sequence[tuple[Value, ...]], domain: Sequence[ast.expr], names: Sequence[str]
) -> list[tuple[Value, ...]]:
    """Inputs in the domain besides the examples; without negative numbers where no example has one."""
    whole = list(itertools.islice(itertools.product(*map(_values, kinds)), 4_000))
    random.Random(20).shuffle(whole)
    natural = [kind == INT and bool(points) and all(p[at] >= 0 for p in points) for at, kind in enumerate(kinds)]
    inside = (
        point
        for point in dict.fromkeys(whole)
        if not any(only and value < 0 for only, value in zip(natural, point, strict=True))
        and _hold(domain, dict(zip(names, point, strict=True)))
    )
    return list(itertools.islice(inside, _CONTRACT_POINTS))


def _values(kind: Type) -> Sequence[Value]:
    if kind.name == "list":
        inner = tuple(_values(kind.parts[0]))
        return [(), inner[:1], inner[1:3], inner[2:0:-1] + inner[2:3], inner[:5], inner[4:] + inner[:2], inner[1:2] * 3]
    return SAMPLES.get(kind.name) or list(itertools.islice(itertools.product(*map(_values, kind.parts)), 30))


def _constants(
    gives: Type, wanted: Sequence[Value], clauses: Sequence[ast.expr], words: str
) -> Iterator[tuple[Value, Type]]:
    """Literals of words and clauses, and results that are expected more than once, at most ten."""
    found: list[Value] = [int(number) for number in re.findall(r"(?<![\w.])\d{1,9}(?![\w.]*\d)", words)]
    found += [one or two for one, two in re.findall(r"'([^'\n]{1,20})'|\"([^\"\n]{1,20})\"", words)]
    found += ["aeiou"] if "vowel" in words.lower() else []
    repeats = gives == STR and len(set(wanted)) < len(wanted)
    found += [v for v in wanted if gives in (INT, STR) and (repeats or list(wanted).count(v) > 1)]
    found += [node.value for clause in clauses for node in ast.walk(clause) if isinstance(node, ast.Constant)]
    for value in list(dict.fromkeys(each for each in found if type(each) in (int, str)))[:10]:
        yield value, INT if type(value) is int else STR
