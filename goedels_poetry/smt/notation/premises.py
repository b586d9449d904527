"""Premises and definitions as a reader finds them again: by name, line, and in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.commands import is_word
from goedels_poetry.kernel.reading.reader import Group, SExpr, Source, decode, read

MAX_SHOWN = 400
"""Characters of one formula."""
_DEFINITION = "definition-of-"
_COMMENT = re.compile(r"\"[^\"]*\"|\|[^|]*\||;[^\r\n]*")


def told(names: Iterable[str], problem: Problem, text: str | bytes) -> list[str]:
    """``name (line 3): formula`` for premises, and for definitions, which are called ``definition-of-f``.

    A name that is neither stays as it is.
    """
    wanted = list(names)
    if not wanted:
        return []
    source = Source(decode(text))
    commands = [c for c in read(source) if isinstance(c, Group)]
    known = {**_definitions(source, commands), **_premises(source, commands, problem)}
    return [f"{name} {known[name]}" if name in known else name for name in wanted]


def _premises(source: Source, commands: Iterable[Group], problem: Problem) -> Mapping[str, str]:
    asserted = [c for c in commands if is_word(c.items[0], "assert") and len(c.items) == 2]
    if len(asserted) == len(problem.premises) + 1:  # one of them is the goal
        here = [c for c in asserted if source.position(c.offset)[0] == problem.goal_line]
        negated = [c for c in here if _is_negation(_bare(c.items[1]))] or here
        asserted = [c for c in asserted if not negated or c is not negated[-1]]
    lines = [source.position(c.offset)[0] for c in asserted]
    if lines != [p.line for p in problem.premises]:
        return {p.name: f"(line {p.line}): {_short(show(p.formula))}" for p in problem.premises}
    return {
        p.name: f"(line {p.line}): {_written(source, _bare(c.items[1]))}"
        for p, c in zip(problem.premises, asserted, strict=True)
    }


def _definitions(source: Source, commands: Iterable[Group]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for command in commands:
        if not any(is_word(command.items[0], word) for word in ("define-fun", "define-fun-rec", "define-const")):
            continue
        name = getattr(command.items[1], "text", "") if len(command.items) > 1 else ""
        found[f"{_DEFINITION}{name}"] = f"(line {source.position(command.offset)[0]}): {_written(source, command)}"
    return found


def _bare(expr: SExpr) -> SExpr:
    """A formula without its attributes."""
    while isinstance(expr, Group) and len(expr.items) > 1 and is_word(expr.items[0], "!"):
        expr = expr.items[1]
    return expr


def _is_negation(expr: SExpr) -> bool:
    return isinstance(expr, Group) and bool(expr.items) and is_word(expr.items[0], "not")


def _written(source: Source, expr: SExpr) -> str:
    """As it stands in the text, in one line and without comments."""
    if not isinstance(expr, Group):
        return expr.text
    text = source.text[expr.offset : expr.end]
    return _short(" ".join(_COMMENT.sub(lambda found: "" if found[0][0] == ";" else found[0], text).split()))


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
