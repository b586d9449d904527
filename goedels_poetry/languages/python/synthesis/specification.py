"""What is asked for: a signature, points with the values or conditions that must hold there."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.python.synthesis.clauses import OutsideGrammar, holds, understood
from goedels_poetry.languages.python.synthesis.terms import FAULT
from goedels_poetry.languages.python.synthesis.types import (
    BOOL,
    INT,
    STR,
    Type,
    Value,
    alike,
    frozen,
    of_annotation,
    of_values,
)

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
    arguments = [
        argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    ]
    if function.args.vararg or function.args.kwarg:
        return None
    read = [found for example in examples if (found := _example(example, arguments)) is not None]
    nodes = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    kinds = [_kind(node.annotation, [values[at] for values, _ in read]) for at, node in enumerate(nodes)]
    gives = _kind(function.returns, [value for _, value in read])
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


def _kind(annotation: ast.expr | None, values: list[Any]) -> Type | None:
    """The type that is annotated; where none is, the type of the values."""
    return of_annotation(annotation) if annotation is not None else of_values(values)


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
    pools = [_values(kind) for kind in kinds]
    chance = random.Random(20)
    whole = list(itertools.islice(itertools.product(*pools), 4_000))
    chance.shuffle(whole)
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


def _values(kind: Type) -> list[Value]:
    if kind == INT:
        return [0, 1, 2, 3, -1, 5, -4, 7, 10, 17, 64]
    if kind == BOOL:
        return [False, True]
    if kind == STR:
        return ["", "a", "ab", "aba", "Hello world", "b2 c", "xyzzy"]
    if kind.name == "float":
        return [0.0, 1.0, -1.5, 2.25, 10.0]
    if kind.name == "list":
        inner = _values(kind.parts[0])
        picked = [
            [],
            inner[:1],
            inner[1:3],
            inner[2:0:-1] + inner[2:3],
            inner[:5],
            inner[4:] + inner[:2],
            inner[1:2] * 3,
        ]
        return [tuple(values) for values in picked]
    return [tuple(part) for part in itertools.islice(itertools.product(*(_values(part) for part in kind.parts)), 30)]


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
    found: list[tuple[Value, Type]] = [
        (int(number), INT) for number in re.findall(r"(?<![\w.])\d{1,9}(?![\w.]*\d)", words)
    ]
    found += [
        (text, STR) for pair in re.findall(r"'([^'\n]{1,20})'|\"([^\"\n]{1,20})\"", words) for text in pair if text
    ]
    if "vowel" in words.lower():
        found.append(("aeiou", STR))
    found = list(dict.fromkeys(found))
    expected = [value for value in wanted if value is not None]
    for value in expected:
        if (
            ((gives == STR and len(set(expected)) < len(expected)) or expected.count(value) > 1)
            and gives in (INT, STR)
            and (value, gives) not in found
        ):
            found.append((value, gives))
    for clause in clauses:
        for node in ast.walk(clause):
            if isinstance(node, ast.Constant) and type(node.value) in (int, str):
                pair = (node.value, INT if type(node.value) is int else STR)
                if pair not in found:
                    found.append(pair)
    return found[:10]
