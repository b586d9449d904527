"""Whether a change does what it is for: does the file compile, is the error gone, do the tests pass, did nothing break?

No comparison of texts decides anything: what counts is what the changed file does in its project, beside what it did
before. `verify_change` does all of it anew from the evidence alone, which is what a checker needs.
"""

from __future__ import annotations

import ast
import asyncio
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes.baseline import Baseline, baseline_of, contract_faults, test_command
from goedels_poetry.python.changes.case import ChangeCase
from goedels_poetry.python.changes.comparing import NEW, Comparison
from goedels_poetry.python.changes.measuring import FAILED, Measured, Plan, compiled, laid_out, measure
from goedels_poetry.python.changes.report import MISSED, ChangeReport
from goedels_poetry.python.changes.surface import Surface, docstrings_of, functions_of, surface_of

MOST = 36
"""Inputs for one function."""
MOST_CONSTANTS = 6

_INTS = (0, 1, 2, -1, 3, 7, 10, -5, 100)
_FLOATS = (0.0, 1.0, -1.5, 2.25, 100.0)
_STRINGS = ("", "a", "abc", "a b", "A1", "  x ", "aba", "1,2", "hello world")
_BOOLS = (False, True)
_INT_LISTS: tuple[list[int], ...] = ([], [1], [2, 1], [1, 2, 3], [3, 1, 2, 1], [0, -1], [5, 5], [1, 2, 3, 4, 5])
_STRING_LISTS: tuple[list[str], ...] = ([], ["a"], ["b", "a"], ["a", "b", "a"], ["", "xy"])
_NAMED = (
    (
        re.compile(r"(xs|ys|items|values|nums|numbers|list|seq|data|arr|array|elements|points|rows|scores|prices)$"),
        "list",
    ),
    (re.compile(r"(s|st|text|string|name|word|line|path|title|msg|message|sep|prefix|suffix|char|key)$"), "str"),
    (re.compile(r"(words|lines|names|strings|parts|tokens)$"), "list[str]"),
    (re.compile(r"(flag|is_\w+|has_\w+|strict|verbose|reverse)$"), "bool"),
    (re.compile(r"(d|dict|mapping|counts|table|config|options|kwargs)$"), "dict"),
)
_TEXT_METHODS = frozenset(
    {"split", "strip", "lower", "upper", "replace", "startswith", "endswith", "join", "splitlines"}
)
_LIST_METHODS = frozenset({"append", "extend", "sort", "insert", "pop", "remove"})
_DICT_METHODS = frozenset({"items", "keys", "values", "get", "setdefault", "update"})


def inputs_for(one: ast.FunctionDef, other: ast.FunctionDef) -> list[str]:
    """Tuples of arguments as Python literals, the same for the same two functions; [] where none can be made."""
    arguments = one.args
    if arguments.vararg or arguments.kwarg or (arguments.kwonlyargs and None in arguments.kw_defaults):
        return []
    parameters = [*arguments.posonlyargs, *arguments.args]
    if not parameters or len(parameters) > 5:
        return ["()"] if not parameters else []
    constants = _constants((one, other))
    pools = [_values(parameter, one, constants) for parameter in parameters]
    if not all(pools):
        return []
    return [repr(tuple(chosen)) for chosen in itertools.islice(_diagonal(pools), MOST)]


def _diagonal(pools: Sequence[Sequence[object]]) -> Iterator[tuple[object, ...]]:
    """Combinations in the order of the sum of their places, so that every pool is walked along early."""
    for total in range(sum(len(pool) - 1 for pool in pools) + 1):
        yield from _of_sum(pools, total)


def _of_sum(pools: Sequence[Sequence[object]], total: int) -> Iterator[tuple[object, ...]]:
    first, rest = pools[0], pools[1:]
    if not rest:
        if total < len(first):
            yield (first[total],)
        return
    for place in range(min(total, len(first) - 1), -1, -1):
        for tail in _of_sum(rest, total - place):
            yield (first[place], *tail)


def _values(parameter: ast.arg, function: ast.FunctionDef, constants: dict[type, list[object]]) -> list[object]:
    kind = ast.unparse(parameter.annotation) if parameter.annotation is not None else _guess(parameter.arg, function)
    return _of_kind(kind, constants)


def _of_kind(kind: str, constants: dict[type, list[object]]) -> list[object]:
    """Values of an annotated type; [] for one that no literal has."""
    kind = kind.strip("'\"").replace("typing.", "")
    if "|" in kind and "[" not in kind.partition("|")[0]:
        found: list[object] = []
        for part in kind.split("|"):
            found += _of_kind(part.strip(), constants)
        return found
    if match := re.fullmatch(r"Optional\[(.+)\]", kind):
        return [None, *_of_kind(match[1], constants)]
    lower = re.sub(r"^(collections\.abc\.)?(Sequence|Iterable|Collection|MutableSequence|List)\b", "list", kind)
    lower = re.sub(r"^(Mapping|MutableMapping|Dict)\b", "dict", lower).replace(" ", "")
    more = {each: constants.get(each, []) for each in (int, float, str)}
    match lower:
        case "int":
            return [*_INTS[:5], *more[int], *_INTS[5:]]
        case "float" | "int|float" | "Number":
            return [*_INTS[:4], *_FLOATS[2:], *more[int], *more[float]]
        case "str":
            return [*_STRINGS[:4], *more[str], *_STRINGS[4:]]
        case "bool":
            return list(_BOOLS)
        case "None":
            return [None]
        case "bytes":
            return [b"", b"a", b"abc"]
        case "list[str]":
            return list(_STRING_LISTS)
        case "list" | "list[int]" | "list[float]" | "list[Any]" | "list[object]" | "list[T]":
            return list(_INT_LISTS)
        case "tuple" | "tuple[int,...]":
            return [tuple(each) for each in _INT_LISTS]
        case "tuple[int,int]":
            return [(0, 0), (1, 2), (2, 1), (-1, 3)]
        case "set" | "set[int]" | "frozenset[int]":
            return [set(each) for each in _INT_LISTS[1:]]
        case "list[list[int]]":
            return [[], [[1]], [[1, 2], [3, 4]], [[], [1]], [[0, 1], [1, 0]]]
        case "list[tuple[int,int]]":
            return [[], [(1, 2)], [(1, 3), (2, 4)], [(5, 6), (1, 2)], [(1, 1), (1, 1)]]
        case "dict" | "dict[str,int]" | "dict[str,Any]":
            return [{}, {"a": 1}, {"a": 1, "b": 2}, {"b": 0}]
        case "dict[int,int]":
            return [{}, {1: 2}, {1: 1, 2: 0}]
        case "" | "Any" | "object" | "T":
            return [*_INTS[:4], *_INT_LISTS[:4], *_STRINGS[:3], *more[int]]
        case _:
            return []


def _guess(name: str, function: ast.FunctionDef) -> str:
    """What an argument without an annotation is, by what the function does with it, else by its name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            for methods, kind in ((_TEXT_METHODS, "str"), (_LIST_METHODS, "list"), (_DICT_METHODS, "dict")):
                if node.attr in methods:
                    return kind
    known = next((kind for pattern, kind in _NAMED if pattern.match(name)), "")
    if known:
        return known
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("len", "sum", "sorted"):
            listed = any(isinstance(each, ast.Name) and each.id == name for each in node.args)
            if listed:
                return "list"
        if isinstance(node, ast.For | ast.comprehension | ast.Subscript):
            walked = node.value if isinstance(node, ast.Subscript) else node.iter
            if isinstance(walked, ast.Name) and walked.id == name:
                return "list"
        if isinstance(node, ast.BinOp) and any(
            isinstance(x, ast.Name) and x.id == name for x in (node.left, node.right)
        ):
            return "int"
    return "int" if len(name) == 1 else ""


def _constants(functions: Sequence[ast.FunctionDef]) -> dict[type, list[object]]:
    """Numbers, with their neighbours, and strings that the functions mention."""
    found: dict[type, list[object]] = {int: [], float: [], str: []}
    for function in functions:
        for node in itertools.chain.from_iterable(map(ast.walk, function.body)):
            if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
                continue
            value = node.value
            if isinstance(value, int) and abs(value) < 10**12:
                near: list[object] = [value, value + 1, value - 1]
            elif isinstance(value, float | str) and len(str(value)) <= 20:
                near = [value]
            else:
                continue
            kept = found[type(value)]
            kept += [each for each in near if each not in kept and each not in _INTS]
    return {kind: values[:MOST_CONSTANTS] for kind, values in found.items()}


Json = dict[str, Any]


PATIENCE, LEAST_WALL = 8.0, 30.0
"""How many times as long as before the tests may take by the clock, and the seconds that they always have."""
AGAIN, MOST_SUSPECTS = 4, 5
"""How often the tests of the file as it was are run again, where at most so many fail that passed before."""
MOST_FUNCTIONS = 12
"""Functions that are compared on inputs."""


async def baseline_for(case: ChangeCase) -> Baseline:
    """The baseline of a case; see `baseline_of`."""
    async with laid_out(case) as tree:
        return await baseline_of(case, tree)


async def verified(case: ChangeCase, base: Baseline, after: str) -> ChangeReport:
    """Verify a new text of the file.

    Args:
        case: the project, the file, the error.
        base: what was before, of the same case.
        after: the new text of the file.

    Raises:
        Unavailable: there is no sandbox here.
    """
    fault = compiled(after, case.file) if case.is_python else {}
    if fault:
        return _uncompiled(case, base, fault)
    surface = _surface(case, after)
    inputs = _inputs(case, surface, after)
    plan = Plan(
        test_command(case),
        plugins=base.measured.plugins,
        run=base.run,
        doctests=tuple(_doctests(case.before, after)),
        inputs=inputs,
        beside=case.before,
        wall=max(LEAST_WALL, PATIENCE * base.measured.seconds),
    )
    async with laid_out(case) as tree:
        found = await measure(case, after, plan, tree)
        base = await _without_flaky(case, base, found, tree)
    faults = await contract_faults(after) if case.is_python and (base.contracts or "contract" in after) else {}
    return Comparison(case, base, after, found, surface, inputs, faults).report()


async def averify_change(evidence: Mapping[str, Any]) -> ChangeReport:
    """The report on ``{"change": {"case": ChangeCase as JSON, "after": new text}}``, everything measured anew.

    Raises:
        InvalidInput: the evidence is none. Unavailable: there is no sandbox here.
    """
    change = evidence.get("change")
    if not isinstance(change, Mapping) or not isinstance(change.get("case"), Mapping):
        raise InvalidInput("the evidence describes no change")
    after = change.get("after")
    if not isinstance(after, str):
        raise InvalidInput("the evidence has no new text of the file")
    case = ChangeCase.from_json(change["case"])
    return await verified(case, await baseline_for(case), after)


def verify_change(evidence: Mapping[str, Any]) -> ChangeReport:
    """Synchronous :func:`averify_change`. ``tested`` takes a report with `ChangeReport.is_tested`."""
    return asyncio.run(averify_change(evidence))


def evidence_of(case: ChangeCase, after: str) -> Json:
    """What `verify_change` needs."""
    return {"change": {"case": case.to_json(), "after": after}}


async def _without_flaky(case: ChangeCase, base: Baseline, found: Measured, tree: Path) -> Baseline:
    """The baseline without the tests that fail now, and now and then without the change as well.

    Only the file as it was is run again: a test that the change has made unsteady stays broken.
    """
    suspects = set(base.measured.passing()) & {*found.failing(), *found.unstable}
    if not suspects or len(suspects) > MOST_SUSPECTS or found.untrusted:
        return base
    plan = Plan(test_command(case), AGAIN, plugins=base.measured.plugins)
    again = await measure(case, case.before, plan, tree)
    flaky = {name for name in suspects if again.outcome(name) in FAILED or name in again.unstable}
    if again.untrusted or not flaky:
        return base
    note = f"{', '.join(sorted(flaky))} fails now and then without the change as well: set aside"
    measured = replace(base.measured, unstable=(*base.measured.unstable, *sorted(flaky)))
    return replace(base, measured=measured, notes=(*base.notes, note))


# -- what is to be measured -----------------------------------------------------------------------------------------


def _uncompiled(case: ChangeCase, base: Baseline, fault: Json) -> ChangeReport:
    said = f"{case.file} does not compile: {fault['fault']}"
    return ChangeReport(
        goal=MISSED,
        goal_words=(said,),
        broken=() if base.measured.fault else (said,),
        unchecked=("what does not compile was not run",),
        tests_before=len(base.measured.passing()),
    )


def _surface(case: ChangeCase, after: str) -> Surface:
    if not case.is_python:
        return Surface()
    try:
        return surface_of(case.before, after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Surface()


def _doctests(before: str, after: str) -> Iterable[tuple[str, str]]:
    """Docstrings as they were, and those that are other now."""
    old = dict(docstrings_of(before))
    yield from old.items()
    for name, text in docstrings_of(after):
        if old.get(name) != text:
            yield f"{name}{NEW}", text


def _inputs(case: ChangeCase, surface: Surface, after: str) -> dict[str, list[str]]:
    """Inputs for public functions that the change may alter: touched ones, and those that use them."""
    if not (surface.touched or surface.outside):
        return {}
    old, new = functions_of(ast.parse(case.before)), functions_of(ast.parse(after))
    altered = set(surface.touched) | set(surface.added) | set(surface.removed)
    found: dict[str, list[str]] = {}
    for name in new:
        if name not in old or "." in name or not new[name].is_public or name in surface.resigned:
            continue
        one, other = old[name].node, new[name].node
        if not (isinstance(one, ast.FunctionDef) and isinstance(other, ast.FunctionDef)) or one.decorator_list:
            continue
        if (altered & surface.below([name]) or surface.outside) and len(found) < MOST_FUNCTIONS:
            inputs = inputs_for(one, other)
            if inputs:
                found[name] = inputs
    return found
