"""Where the names of a function get their values: enough to see through names given to parts of an expression."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goedels_poetry.languages.python.fingerprint.syntax import LOOPS, bound, loads, pairs, targets, walk


@dataclass(frozen=True, slots=True)
class Source:
    """One assignment to a name from ``value``: ``how`` is "value", "update", "unpack" (a part), "for" (an element)."""

    value: ast.expr
    how: str


def sources(body: Iterable[ast.AST]) -> dict[str, list[Source]]:
    """What is assigned to each name anywhere below."""
    found: dict[str, list[Source]] = {}
    for node in walk(body):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            for name in bound(node.target):
                found.setdefault(name, []).append(Source(node.iter, "for"))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(Source(node.value, "update"))
        else:
            for target, value in pairs(node):
                how = "value" if isinstance(target, ast.Name) else "unpack"
                for name in bound(target):
                    found.setdefault(name, []).append(Source(value, how))
    return found


def opened(expression: ast.expr, known: dict[str, list[Source]], depth: int = 3) -> list[ast.expr]:
    """The expression and the expressions behind the names in it, ``depth`` steps back."""
    found, wave, seen = [expression], [expression], set[str]()
    for _ in range(depth):
        names = {name for part in wave for name in loads(part)} - seen
        seen |= names
        wave = [source.value for name in sorted(names) for source in known.get(name, ()) if source.how != "for"]
        found += wave
    return found


def depends(known: dict[str, list[Source]]) -> dict[str, set[str]]:
    """The names that each name's value depends on, over any number of steps."""
    direct = {name: {read for source in several for read in loads(source.value)} for name, several in known.items()}
    whole = {name: set(reads) for name, reads in direct.items()}
    for _ in range(min(len(whole), 8)):
        for reads in whole.values():
            reads |= {further for name in tuple(reads) for further in direct.get(name, ())}
    return whole


def loop_targets(body: Iterable[ast.AST]) -> set[str]:
    """The names that loops and comprehensions run through."""
    kinds = (ast.For, ast.AsyncFor, ast.comprehension)
    return {name for node in walk(body) if isinstance(node, kinds) for name in bound(node.target)}


def assigned(body: Iterable[ast.AST]) -> set[str]:
    """The names assigned below."""
    return {name for node in walk(body) for target in targets(node) for name in bound(target)}


def paths(body: Sequence[ast.stmt], wanted: frozenset[int], limit: int = 64) -> list[list[ast.AST]]:
    """The ways through statements, each with the nodes of ``wanted`` (by id) on it; those in loops stand twice."""
    open_ways: list[list[ast.AST]] = [[]]
    done: list[list[ast.AST]] = []
    for statement in body:
        fresh: list[list[ast.AST]] = []
        for way, ends in _through(statement, wanted, limit):
            (done if ends else fresh).extend(before + way for before in open_ways)
        open_ways = fresh[:limit]
        if not open_ways:
            break
    return (done + open_ways)[:limit]


def _through(statement: ast.stmt, wanted: frozenset[int], limit: int) -> list[tuple[list[ast.AST], bool]]:
    if isinstance(statement, ast.If):
        heads = _inside(statement.test, wanted)
        ways = [(head + way, ends) for head in heads for way, ends in _block(statement.body, wanted, limit)]
        return ways + [(head + way, ends) for head in heads for way, ends in _block(statement.orelse, wanted, limit)]
    if isinstance(statement, ast.Match):
        ways = [part for case in statement.cases for part in _block(case.body, wanted, limit)]
        return [*ways, ([], False)]
    if isinstance(statement, ast.Try):
        inner = _block([*statement.body, *statement.orelse, *statement.finalbody], wanted, limit)
        return inner + [part for handler in statement.handlers for part in _block(handler.body, wanted, limit)]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return _block(statement.body, wanted, limit)
    if isinstance(statement, LOOPS):
        found = [node for node in walk(statement) if id(node) in wanted]
        return [(found * 2, False)]
    ends = isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue))
    return [(way, ends) for way in _inside(statement, wanted)]


def _block(body: list[ast.stmt], wanted: frozenset[int], limit: int) -> list[tuple[list[ast.AST], bool]]:
    return [(way, bool(body) and _ends(body)) for way in paths(body, wanted, limit)]


def _ends(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def _inside(node: ast.AST, wanted: frozenset[int]) -> list[list[ast.AST]]:
    """The ways through an expression: one branch of a conditional, elements of a comprehension twice."""
    own = [node] if id(node) in wanted else []
    if isinstance(node, ast.IfExp):
        heads = _inside(node.test, wanted)
        return [head + way for head in heads for part in (node.body, node.orelse) for way in _inside(part, wanted)]
    ways: list[list[ast.AST]] = [own]
    repeated = isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp))
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inner = _inside(child, wanted)
        if inner != [[]]:
            ways = [before + after * (2 if repeated else 1) for before in ways for after in inner][:64]
    return ways
