"""Where the old lines of a change stand in a text that may have moved on since: the exact place, or the one meant.

The rules are tried from strict to loose, and the first that finds a place decides: as they stand; but for white space
at the ends of lines; but for indentation; but for a few lines of context at the edges; as the same statements, however
they are laid out; the most similar place, where it is clearly the most similar. Wherever two places fit equally well,
the one nearer to the line that the change names is taken, and none where it names no line. A wrong place is no danger:
what the changed text does decides, and not where a change went.
"""

from __future__ import annotations

import ast
import difflib
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FUZZ = 3
"""Lines of context at either edge that may be wrong."""
SIMILAR = (0.9, 0.8, 0.8, 0.72)
"""How much two blocks of one, two, three, and of more lines must have in common (0 to 1) to be the same."""
MARGIN = 0.06
"""By how much the best place must be better than the second."""
LINES_COMPARED = 400_000
"""Pairs of lines that a search for a similar place may compare."""


@dataclass(frozen=True, slots=True)
class Place:
    """Old lines found in a text."""

    start: int
    """First line, counted from 0."""
    end: int
    """The line behind the last."""
    indent: str = ""
    """White space to put before each new line, or, after ``-``, to take away from it."""
    skip_head: int = 0
    """Lines of the old block that stand outside the place: at its beginning, and at its end."""
    skip_tail: int = 0
    how: str = ""
    """In what it differs from what the change says; "" where it does not."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The place that comes closest, where none is close enough."""

    line: int
    """Counted from 1."""
    text: str
    likeness: float


def find(
    lines: Sequence[str], old: Sequence[str], wanted: int | None, context: tuple[int, int] = (0, 0)
) -> Place | None:
    """Where ``old`` stands in ``lines``.

    Args:
        lines: of the text.
        old: what is to be replaced, at least one line.
        wanted: the line, counted from 0, where the change says that it stands; None: it does not say.
        context: how many lines of ``old``, at its beginning and end, are only there to find the place.
    """
    for likeness, how in ((_as_it_is, ""), (_but_for_ends, "white space at the ends of lines")):
        if (start := _one(_matches(lines, old, likeness), wanted)) is not None:
            return Place(start, start + len(old), how=how)
    if (place := _reindented(lines, old, wanted)) is not None:
        return place
    if (place := _with_fuzz(lines, old, wanted, context)) is not None:
        return place
    if (place := _as_statements(lines, old, wanted)) is not None:
        return place
    return _similar(lines, old, wanted)


def find_unmoved(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> int | None:
    """The line where ``old`` stands just so, but for white space at the ends of lines."""
    return _one(_matches(lines, old, _but_for_ends), wanted)


def nearest(lines: Sequence[str], old: Sequence[str]) -> Nearest | None:
    """The place that looks most like ``old``; None where nothing does."""
    ranked = _ranked(lines, old)
    if not ranked:
        return None
    likeness, start = ranked[0]
    return Nearest(start + 1, lines[start].strip(), likeness) if likeness > 0.3 else None


# -- the same lines -------------------------------------------------------------------------------------------------


def _as_it_is(line: str) -> str:
    return line


def _but_for_ends(line: str) -> str:
    return line.rstrip()


def _but_for_edges(line: str) -> str:
    return line.strip()


def _matches(lines: Sequence[str], old: Sequence[str], likeness: Callable[[str], str]) -> list[int]:
    meant = [likeness(line) for line in old]
    given = [likeness(line) for line in lines]
    last = len(given) - len(meant)
    return [
        start for start in range(last + 1) if given[start] == meant[0] and given[start : start + len(meant)] == meant
    ]


def _one(starts: Sequence[int], wanted: int | None) -> int | None:
    """The only place, or the one nearest to the line that is named; None where that does not decide."""
    if len(starts) < 2 or wanted is None:
        return starts[0] if len(starts) == 1 else None
    by_distance = sorted(starts, key=lambda start: abs(start - wanted))
    first, second = by_distance[:2]
    return None if abs(first - wanted) == abs(second - wanted) else first


def _reindented(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> Place | None:
    """The same lines, all of them further in or further out by the same white space."""
    if not any(line.strip() for line in old):
        return None
    starts = {start: shift for start in _matches(lines, old, _but_for_edges) if (shift := _shift(lines, old, start))}
    start = _one(list(starts), wanted)
    if start is None:
        return None
    return Place(start, start + len(old), indent=starts[start], how="indentation")


def _shift(lines: Sequence[str], old: Sequence[str], start: int) -> str:
    """By what the lines from ``start`` are indented more than the old ones; "" when that is not one and the same."""
    shifts = set()
    for given, meant in zip(lines[start:], old, strict=False):
        if given.strip():
            shifts.add(shift_between(meant, given))
    return shifts.pop() if len(shifts) == 1 else ""


def shift_between(one: str, other: str) -> str:
    """What has to stand before ``one`` to be indented as ``other``; after ``-`` what has to be taken away."""
    old, new = (line.expandtabs()[: len(line.expandtabs()) - len(line.expandtabs().lstrip())] for line in (one, other))
    return new[len(old) :] if len(new) >= len(old) else "-" + old[len(new) :]


def shifted(line: str, indent: str) -> str:
    """A line with the indentation of a :class:`Place`."""
    if not indent or not line.strip():
        return line
    if not indent.startswith("-"):
        return indent + line
    wide = line.expandtabs()
    return wide[min(len(indent) - 1, len(wide) - len(wide.lstrip())) :]


# -- lines at the edges that have changed -----------------------------------------------------------------------------


def _with_fuzz(lines: Sequence[str], old: Sequence[str], wanted: int | None, context: tuple[int, int]) -> Place | None:
    """As ``patch`` does: without some of the lines that are only there to find the place."""
    for fuzz in range(1, FUZZ + 1):
        for head, tail in ((fuzz, fuzz), (0, fuzz), (fuzz, 0)):
            head, tail = min(head, context[0]), min(tail, context[1])
            core = old[head : len(old) - tail]
            if not (head or tail) or not any(line.strip() for line in core):
                continue
            near = None if wanted is None else wanted + head
            found = find_plainly(lines, core, near)
            if found is not None:
                how = f"{head + tail} lines of context" + (f", {found.how}" if found.how else "")
                return Place(found.start, found.end, found.indent, head, tail, how)
    return None


def find_plainly(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> Place | None:
    """Like :func:`find`, by lines that are the same but for white space."""
    start = find_unmoved(lines, old, wanted)
    return Place(start, start + len(old)) if start is not None else _reindented(lines, old, wanted)


# -- the same statements ----------------------------------------------------------------------------------------------


def _as_statements(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> Place | None:
    """The same statements of Python, however they are broken into lines, quoted, indented or commented."""
    meant = statements(old)
    if not meant:
        return None
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: dict[int, tuple[int, int]] = {}
    for body in bodies(tree):
        shapes = [ast.dump(each) for each in body]
        for first in range(len(body) - len(meant) + 1):
            if shapes[first : first + len(meant)] == meant:
                start = first_line(body[first]) - 1
                found[start] = (start, body[first + len(meant) - 1].end_lineno or start + 1)
    chosen = _one(sorted(found), wanted)
    if chosen is None:
        return None
    start, end = found[chosen]
    shift = shift_between(next(line for line in old if line.strip()), lines[start])
    return Place(start, end, indent=shift, how="the layout of the same statements")


def statements(lines: Sequence[str]) -> list[str]:
    """What the statements of some lines come to, however they are indented; [] where they are none."""
    try:
        body = ast.parse(textwrap.dedent("\n".join(lines)).strip("\n")).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [ast.dump(each) for each in body]


def bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    """Every list of statements below a node."""
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                found.append(body)
    return found


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


# -- the most similar place -------------------------------------------------------------------------------------------


def _similar(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> Place | None:
    ranked = _ranked(lines, old)
    said = sum(bool(line.strip()) for line in old)
    if not ranked or ranked[0][0] < SIMILAR[min(max(said, 1), len(SIMILAR)) - 1]:
        return None
    best, start = ranked[0]
    rivals = [other for likeness, other in ranked[1:] if best - likeness < MARGIN and abs(other - start) >= len(old)]
    if rivals:
        near = _one([start, *rivals], wanted)
        if near is None:
            return None
        start = near
    first = next((line for line in old if line.strip()), "")
    given = next((line for line in lines[start : start + len(old)] if line.strip()), "")
    shift = shift_between(first, given) if first.strip() == given.strip() else ""
    return Place(start, start + len(old), indent=shift, how=f"lines that are similar ({best:.0%})")


def _ranked(lines: Sequence[str], old: Sequence[str]) -> list[tuple[float, int]]:
    """(likeness, start) of every place, best first; [] where there are too many to compare."""
    windows = len(lines) - len(old) + 1
    if windows < 1 or windows * len(old) > LINES_COMPARED:
        return []
    cache: dict[tuple[str, str], float] = {}

    def like(one: str, other: str) -> float:
        one, other = one.strip(), other.strip()
        if one == other:
            return 1.0
        if (one, other) not in cache:
            matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
            quick = matcher.real_quick_ratio()
            cache[one, other] = matcher.ratio() if quick > 0.5 else 0.0
        return cache[one, other]

    weights = [len(line.strip()) + 1 for line in old]
    total = sum(weights)
    ranked = [
        (sum(w * like(lines[start + n], old[n]) for n, w in enumerate(weights)) / total, start)
        for start in range(windows)
    ]
    return sorted(ranked, key=lambda each: (-each[0], each[1]))
