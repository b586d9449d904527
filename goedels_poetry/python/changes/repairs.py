"""Small repairs, where nobody proposes a change: mutants of the functions that the error is about, tried on the tests.

A mutant after which the tests that showed the error pass is a change like any other: whether it is right, the verifier
says. It takes the tests themselves to tell mutants apart, so there are none where the error shows in something else.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import itertools
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from goedels_poetry.python.changes.baseline import WHOLE_RUN, Baseline, test_command
from goedels_poetry.python.changes.case import ChangeCase, Command
from goedels_poetry.python.changes.measuring import laid_out, screened
from goedels_poetry.python.changes.texts import like, plain

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

MOST = 240
"""Mutants of one file."""
_FLIPS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+", "/", "**"),
    ast.Div: ("//", "*"),
    ast.FloorDiv: ("/", "%"),
    ast.Mod: ("//",),
}
_EMPTY = ("0", "None", "[]", '""', "False", "{}")
_GUARDED = (
    "ZeroDivisionError",
    "IndexError",
    "ValueError",
    "TypeError",
    "StatisticsError",
    "AttributeError",
    "KeyError",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed text, and what was done."""

    text: str
    words: str


def mutants(text: str, functions: Collection[str], lines: Collection[int], failure: str) -> Iterator[Mutant]:
    """Small changes, no text twice, at most :data:`MOST`.

    Args:
        text: of the file, plain; it can be parsed.
        functions: names of those that the error is about; none: all.
        lines: of the file that the failure names, counted from 1: they come first.
        failure: the message and the traceback.
    """
    seen = {text}
    for mutant in _all(_Source(text), functions, lines, failure):
        if mutant.text not in seen and len(seen) <= MOST:
            seen.add(mutant.text)
            yield mutant


class _Source:
    """A text with places in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = text.split("\n")

    def put(self, node: ast.AST, new: str) -> str:
        """The text with a node replaced."""
        start = self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return self.text[:start] + new + self.text[end:]

    def insert(self, line: int, new: str) -> str:
        """The text with lines put before a line, counted from 1."""
        return "\n".join([*self._lines[: line - 1], new, *self._lines[line - 1 :]])

    def _offset(self, line: int, column: int) -> int:
        before = sum(len(each) + 1 for each in self._lines[: line - 1])
        return before + len(self._lines[line - 1].encode("utf-8")[:column].decode("utf-8"))


def _all(source: _Source, functions: Collection[str], lines: Collection[int], failure: str) -> Iterator[Mutant]:
    yield from _names(source, failure)
    chosen = [node for node in ast.walk(source.tree) if isinstance(node, FunctionNode)]
    wanted = {name.rpartition(".")[2] for name in functions}
    chosen = [node for node in chosen if not wanted or node.name in wanted]
    guarded = any(name in failure for name in _GUARDED)
    if guarded:
        for function in chosen:
            yield from _guards(source, function)
    nodes = [node for function in chosen for node in ast.walk(function) if hasattr(node, "lineno")]
    near = [node for node in nodes if node.lineno in lines]
    for group in (near, [node for node in nodes if node not in near]):
        for node in group:
            yield from _at(source, node)
    for function in chosen:
        yield from _returns(source, function)
        if not guarded:
            yield from _guards(source, function)


def _at(source: _Source, node: ast.AST) -> Iterator[Mutant]:
    """What may be wrong with one expression."""

    def said(new: str) -> Mutant:
        line = node.lineno  # type: ignore[attr-defined]
        return Mutant(source.put(node, new), f"line {line}: {ast.unparse(node)} -> {new}")

    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other in _FLIPS.get(type(op), ()):
                yield said(f"{ast.unparse(left)} {other} {ast.unparse(right)}")
        case ast.Constant(value=bool(value)):
            yield said(str(not value))
        case ast.Constant(value=int(value)):
            yield said(str(value + 1))
            yield said(str(value - 1))
        case ast.BoolOp(op=op, values=values):
            joiner = " or " if isinstance(op, ast.And) else " and "
            yield said("(" + joiner.join(map(ast.unparse, values)) + ")")
        case ast.BinOp(left=left, op=op, right=right):
            one, two = _operand(left), _operand(right)
            if isinstance(op, ast.Add | ast.Sub) and isinstance(right, ast.Constant) and right.value == 1:
                yield said(ast.unparse(left))
            for other in _OPERATORS.get(type(op), ()):
                yield said(f"{one} {other} {two}")
            if not isinstance(op, ast.Add | ast.Mult):
                yield said(f"{two} {_sign(op)} {one}")
        case ast.Call(func=func, args=args, keywords=keywords) if args:
            name = ast.unparse(func)
            if name == "range" and not isinstance(args[-1], ast.BinOp):
                for step in ("+ 1", "- 1"):
                    yield said(f"range({', '.join([*map(ast.unparse, args[:-1]), f'{ast.unparse(args[-1])} {step}'])})")
            if name == "len":
                yield said(f"({ast.unparse(node)} - 1)")
                yield said(f"({ast.unparse(node)} + 1)")
            if len(args) == 2 and not keywords:
                yield said(f"{name}({ast.unparse(args[1])}, {ast.unparse(args[0])})")
            if name in ("min", "max"):
                rest = ", ".join(map(ast.unparse, args))
                yield said(f"{'max' if name == 'min' else 'min'}({rest})")
        case ast.Subscript(value=value, slice=place) if not isinstance(place, ast.Slice | ast.Tuple):
            if not isinstance(place, ast.Constant):
                for step in ("- 1", "+ 1"):
                    yield said(f"{ast.unparse(value)}[{ast.unparse(place)} {step}]")
        case ast.Slice(lower=lower, upper=upper) if upper is not None or lower is not None:
            low, high = (ast.unparse(each) if each is not None else "" for each in (lower, upper))
            for step in ("+ 1", "- 1"):
                if high:
                    yield said(f"{low}:{high} {step}")
                if low:
                    yield said(f"{low} {step}:{high}")
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield said(ast.unparse(operand))
        case ast.If(test=test) | ast.While(test=test):
            yield Mutant(source.put(test, f"not ({ast.unparse(test)})"), f"line {test.lineno}: the condition negated")


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    simple = isinstance(node, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute)
    return text if simple else f"({text})"


def _sign(op: ast.operator) -> str:
    return {ast.Sub: "-", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}.get(type(op), "-")


def _guards(source: _Source, function: FunctionNode) -> Iterator[Mutant]:
    """``if not argument: return ...`` before anything else, for each argument."""
    docstring = ast.get_docstring(function) is not None
    body = function.body[1:] if docstring else function.body
    if not body:
        return
    first = body[0]
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args) if each.arg not in ("self", "cls")]
    space = " " * first.col_offset
    for name in names:
        for value in _EMPTY:
            guard = f"{space}if not {name}:\n{space}    return {value}"
            words = f"{function.name}: return {value} where {name} is empty, zero or None"
            yield Mutant(source.insert(first.lineno, guard), words)


def _returns(source: _Source, function: FunctionNode) -> Iterator[Mutant]:
    """A last expression that is not returned."""
    last = function.body[-1]
    if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant | ast.Yield | ast.Await):
        new = f"return {ast.unparse(last.value)}"
        yield Mutant(source.put(last, new), f"line {last.lineno}: the result is returned")
    if isinstance(last, ast.Assign | ast.For | ast.While) and isinstance(last, ast.Assign):
        name = ast.unparse(last.targets[0])
        end = (last.end_lineno or last.lineno) + 1
        text = source.insert(end, f"{' ' * last.col_offset}return {name}")
        yield Mutant(text, f"{function.name}: {name} is returned")


def _names(source: _Source, failure: str) -> Iterator[Mutant]:
    """Names that are not defined: a module that is not imported, or a slip in the name of something that is there."""
    for missing in dict.fromkeys(re.findall(r"name '(\w+)' is not defined", failure)):
        if missing in sys.stdlib_module_names:
            yield Mutant(source.insert(_behind_head(source.tree), f"import {missing}"), f"import {missing}")
        known = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)} - {missing}
        known |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
        known |= {node.name for node in ast.walk(source.tree) if isinstance(node, FunctionNode | ast.ClassDef)}
        for name in difflib.get_close_matches(missing, sorted(known | set(dir(builtins))), n=4, cutoff=0.5):
            pattern = rf"(?<![\w.]){missing}(?!\w)"
            yield Mutant(re.sub(pattern, name, source.text), f"{missing} -> {name}")
    for kind, missing in dict.fromkeys(re.findall(r"'?(\w+)'?(?: object)? has no attribute '(\w+)'", failure)):
        there = dir(getattr(builtins, kind, object))
        used = {node.attr for node in ast.walk(source.tree) if isinstance(node, ast.Attribute)}
        for name in difflib.get_close_matches(missing, sorted({*there, *used} - {missing}), n=4, cutoff=0.5):
            yield Mutant(re.sub(rf"\.{missing}(?!\w)", f".{name}", source.text), f".{missing} -> .{name}")


def _behind_head(tree: ast.Module) -> int:
    """The line, counted from 1, before which another import goes."""
    line = 1
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            return node.lineno if node.lineno > line and not docstring else max(line, 1)
        line = (node.end_lineno or node.lineno) + 1
    return line


SECONDS = 30.0
"""For all mutants of a file, by the clock."""
AT_ONCE = 40
"""Mutants that one process tries, one after the other."""


async def first_repair(case: ChangeCase, base: Baseline, skip: int) -> tuple[str, str] | None:
    """The first mutant after which the tests that showed the error pass: its text, and what was done.

    Args:
        case: what is to be mended.
        base: what was before.
        skip: how many such mutants have been proposed already.

    Raises:
        Unavailable: there is no sandbox here.
    """
    command = test_command(case)
    targets = [name for name in base.targets if name != WHOLE_RUN]
    if command is None or command.kind == "other" or not targets or base.measured.fault:
        return None
    if command.kind == "pytest":
        ids = [name for name in targets if not name.endswith(" (collection)")]
        arguments = ids or sorted({name.removesuffix(" (collection)") for name in targets})
        command = Command("pytest", tuple(arguments), command.root_on_path, command.path)
    left, found = SECONDS, 0
    candidates = _candidates(case, base)
    async with laid_out(case) as tree:
        while left > 0 and (batch := list(itertools.islice(candidates, AT_ONCE))):
            texts = [like(case.before, mutant.text) for mutant in batch]
            good, seconds = await screened(
                case, texts, command, targets, tree, left, plugins=base.measured.plugins, enough=skip + 1 - found
            )
            left -= seconds
            for number in good:
                if found == skip:
                    return texts[number], batch[number].words
                found += 1
    return None


def _candidates(case: ChangeCase, base: Baseline) -> itertools.chain[Mutant]:
    """Mutants of the functions that the error is about, then of the others."""
    items = [base.measured.tests.get(name, {}) for name in base.targets]
    failure = "\n".join(f"{item.get('message', '')}\n{item.get('text', '')}" for item in items)
    name = re.escape(case.file.rpartition("/")[2])
    lines = {int(number) for number in re.findall(rf'{name}(?:", line |:)(\d+)', failure)}
    text = plain(case.before)
    first = mutants(text, base.related, lines, failure)
    if not base.related:
        return itertools.chain(first)
    known = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    others = known - {each.rpartition(".")[2] for each in base.related}
    return itertools.chain(first, mutants(text, others, lines, failure) if others else ())
