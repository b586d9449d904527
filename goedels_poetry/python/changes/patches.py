"""Proposed changes to a text file: read in any form, found in a text that has moved on, applied whole or not at all.

Forms: unified diff, search and replace blocks, a whole file, some definitions. Old lines are looked for from strict to
loose: but for white space, as the same statements of Python, as the most similar lines. A wrong place is no danger:
what the changed text does decides, and not where a change went.
"""

from __future__ import annotations

import ast
import difflib
import posixpath
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.python.changes.surface import parsed

MAX_CHANGE = 1_000_000
"""Characters of a proposed change."""
BOM = "\ufeff"
_ENDS = re.compile(r"\r\n|\r|\n")
_HUNK = re.compile(r"^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@+)?(?: @@+)? ?(.*?)(?: ?@@+)?\s*$")
_FILES = re.compile(r"^--- (.+?)(?:\t.*)?\n\+\+\+ (.+?)(?:\t.*)?$")
_SEARCH = re.compile(r"^<{5,}\s*(?:SEARCH|ORIGINAL|OLD|HEAD)?\b.*$")
_MIDDLE = re.compile(r"^={5,}\s*$")
_REPLACE = re.compile(r"^>{5,}\s*(?:REPLACE|UPDATED|NEW)?\b.*$")
_NO_END = "\\ No newline"
_SIGNATURE = "-- "
_SIMILAR = (0.9, 0.8, 0.8, 0.65)
"""How much one, two, three, and more lines must have in common (0 to 1) to be the same."""
_LIKE_THE_FILE, _MARGIN = 0.3, 0.06
"""The same of a text that is no Python and of the file of which it is a new version; and by how much the most similar
place must be better than the second."""
_MOST_COMPARED = 400_000
"""Pairs of lines."""
SAME = "the change leaves the file as it is"


class NotApplicable(GoedelsPoetryError):
    """The change cannot be applied to this text; the message says which part, why, and the nearest place."""


# -- texts ----------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """The text with ``\\n`` at the end of every line and without a byte order mark: what changes are applied to."""
    return _ENDS.sub("\n", text.removeprefix(BOM))


def _lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _like(original: str, changed: str) -> str:
    """A changed plain text with the line ends of the original, line by line where they are mixed, and its mark."""
    own = _ENDS.findall(original)
    usual = Counter(own).most_common(1)[0][0] if own else "\n"
    old, new = plain(original).split("\n"), changed.split("\n")
    ends = [usual] * (len(new) - 1)
    if len(set(own)) > 1:
        for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            for at in range(min(block.size, len(own) - block.a, len(ends) - block.b)):
                ends[block.b + at] = own[block.a + at]
    mark = BOM if original.startswith(BOM) else ""
    return mark + "".join(line + end for line, end in zip(new, [*ends, ""], strict=True))


def unified(before: str, after: str, name: str) -> str:
    """The difference of two texts for people and prompts: a unified diff; "" when they are equal."""
    old, new = (plain(text).splitlines(keepends=True) for text in (before, after))
    found = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END} at end of file\n" for line in found)


def _step(lines: Sequence[str]) -> str:
    """One step of indentation; "" where there is none, or tabs and spaces are mixed."""
    begins = {line[0] for line in lines if line.strip() and line[0] in " \t"}
    if begins != {" "}:
        return "\t" if begins == {"\t"} else ""
    pairs = pairwise(line for line in lines if line.strip())
    steps = [_depth(below) - _depth(line) for line, below in pairs if line.rstrip().endswith(":")]
    return " " * min((step for step in steps if step > 0), default=4)


def _depth(line: str) -> int:
    """The columns before the first character."""
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())


def _indented_like(text: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Lines with tabs where the text is indented by tabs, and with spaces where it is by spaces; else as they are."""
    its, theirs = _step(text), _step(lines)
    if "" in (its, theirs) or its[0] == theirs[0]:
        return list(lines)
    return [re.sub(f"^(?:{theirs})+", lambda found: its * (len(found[0]) // len(theirs)), line) for line in lines]


# -- reading --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that give way to others. ``line``: where the old ones are, counted from 0, as the change says;
    ``section``: the definition that it names; ``ended``: whether the file's last line has an end afterwards."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int | None = None
    section: str = ""
    ended: bool | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one file. ``text``: the whole new file, or with ``pieces`` some definitions; "" where there are
    hunks. ``set_aside``: other files that it would touch; ``deletes``: whether it would delete the file."""

    hunks: tuple[Hunk, ...] = ()
    text: str = ""
    pieces: bool = False
    set_aside: tuple[str, ...] = ()
    deletes: bool = False


def read_proposal(change: str, current: str, file: str, *, link: str = "", pieces: bool = False) -> Proposal:
    """What a text proposes.

    Args:
        file: its path in the project, for changes that name several files.
        link: the path of a link to it by which it may be named as well; "" for none.
        pieces: a text that holds some definitions of the file, and not the others, stands for these definitions.

    Raises:
        InvalidInput: it is no change of any form, or one to other files alone.
    """
    if len(change) > MAX_CHANGE:
        raise InvalidInput(f"the change is longer than {MAX_CHANGE} characters")
    text = plain(change)
    lines = text.split("\n")
    if any(map(_HUNK.match, lines)):
        return _diff(lines, [file, link] if link else [file])
    if any(map(_SEARCH.match, lines)) and any(map(_REPLACE.match, lines)):
        return Proposal(_blocks(lines))
    if not text.strip():
        raise InvalidInput("the change is empty")
    tree = parsed(text) if file.endswith((".py", ".pyi", ".pyw")) else None
    alike = difflib.SequenceMatcher(None, _lines_of(text), _lines_of(current), autojunk=False).ratio()
    if not _is_program(tree) and (tree is not None or not current.strip() or alike < _LIKE_THE_FILE):
        raise InvalidInput("the change is none: neither a unified diff, nor search and replace blocks, nor a new file")
    if pieces and tree is not None and _is_part(tree, parsed(current)):
        return Proposal(text=text, pieces=True)
    return Proposal(text=text if text.endswith("\n") or not current.endswith("\n") else f"{text}\n")


def _diff(lines: Sequence[str], paths: Sequence[str]) -> Proposal:
    """The hunks for one file, by its paths; a diff without names of files is for it."""
    by_file: dict[str, list[Hunk]] = {}
    deleted = set()
    name, place = "", 0
    while place < len(lines):
        if names := _FILES.match("\n".join(lines[place : place + 2])):
            name = _name(names[2]) or _name(names[1])
            by_file.setdefault(name, [])
            deleted |= set() if _name(names[2]) else {name}
            place += 2
        elif head := _HUNK.match(lines[place]):
            body = list(_body(lines, place + 1, int(head[2] or 1) if head[1] else 0))
            place += 1 + len(body)
            hunk = _hunk(body, head)
            if hunk.old or hunk.new:
                by_file.setdefault(name, []).append(hunk)
        else:
            place += 1
    ours = [n for n in by_file if not n or any(_is_same_file(n, path, alone=len(by_file) == 1) for path in paths)]
    others = tuple(name for name in by_file if name not in ours)
    if not ours:
        raise InvalidInput(f"the diff is about {', '.join(others)}, and not about {' or '.join(paths)}")
    hunks = tuple(hunk for name in ours for hunk in by_file[name])
    if not hunks and not deleted & set(ours):
        raise InvalidInput("the diff holds no lines that are added or taken away")
    return Proposal(hunks, set_aside=others, deletes=bool(deleted & set(ours)))


def _name(written: str) -> str:
    """A path of a diff's head without the prefix of git; "" for no file."""
    name = written.strip().strip('"')
    return "" if name == "/dev/null" else re.sub(r"^[abiwco]/", "", name)


def _is_same_file(named: str, file: str, *, alone: bool) -> bool:
    """Whether a path in a diff means the file; the base name is enough where the diff is about no other."""
    one, other = posixpath.normpath(named.replace("\\", "/")), posixpath.normpath(file)
    whole = f"/{other}".endswith(f"/{one}") or f"/{one}".endswith(f"/{other}")
    return whole or (alone and posixpath.basename(one) == posixpath.basename(other))


def _body(lines: Sequence[str], place: int, stated: int) -> Iterator[str]:
    """The lines of a hunk: until something else begins."""
    old = 0
    for at in range(place, len(lines)):
        line = lines[at]
        # Models leave out the blank before a line of context; a head that says how many are missing is believed.
        other = bool(line) and line[0] not in " +-\\\t" and old >= stated
        if other or line == _SIGNATURE or line.startswith("diff --git ") or _HUNK.match(line):
            return
        if _FILES.match("\n".join(lines[at : at + 2])):
            return
        old += line[:1] not in ("+", "\\")
        yield line


def _hunk(body: list[str], head: re.Match[str]) -> Hunk:
    """One hunk; what its head counts is not believed, and empty lines at its end are between hunks."""
    while body and not body[-1]:
        body.pop()
    marked = [line if line and line[0] in "+-\\ " else f" {line}" for line in body]
    old = tuple(line[1:] for line in marked if line[0] in " -")
    new = tuple(line[1:] for line in marked if line[0] in " +")
    line = None if not head[1] else max(int(head[1]) - 1, 0) if old else int(head[1])
    unended = [marked[at - 1][0] for at, each in enumerate(marked) if each[0] == "\\" and at]
    return Hunk(old, new, line, head[4].strip(), (unended == ["-"]) if unended else None)


def _blocks(lines: Sequence[str]) -> tuple[Hunk, ...]:
    """``<<<<<<< SEARCH``, old lines, ``=======``, new lines, ``>>>>>>> REPLACE``, any number of times."""
    found: list[Hunk] = []
    part = ""
    sides: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        if not part and _SEARCH.match(line):
            part, sides = "old", {"old": [], "new": []}
        elif part == "old" and _MIDDLE.match(line):
            part = "new"
        elif part == "new" and _REPLACE.match(line):
            part, old = "", _trimmed(sides["old"])
            if not old:
                raise InvalidInput("a search and replace block searches for nothing", number)
            found.append(Hunk(tuple(old), tuple(sides["new"] if old == sides["old"] else _trimmed(sides["new"]))))
        elif part:
            sides[part].append(line)
    if part or not found:
        raise InvalidInput("a search and replace block needs its three marks, one a line: one is missing")
    return tuple(found)


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Lines without the blank ones at the edges."""
    said = [n for n, line in enumerate(lines) if line.strip()]
    return list(lines[said[0] : said[-1] + 1]) if said else []


def _is_program(tree: ast.Module | None) -> bool:
    """Whether there is more in it than names and literals: a word, alone, is Python, too."""
    body = tree.body if tree is not None else []
    return any(not isinstance(s, ast.Expr) or any(isinstance(n, ast.Call) for n in ast.walk(s)) for s in body)


def _is_part(tree: ast.Module, current: ast.Module | None) -> bool:
    """Whether it holds definitions of the file, imports, and nothing else, and not all definitions of the file."""
    ours, theirs = (_definitions(each).keys() if each is not None else set[str]() for each in (tree, current))
    only = all(isinstance(s, ast.Import | ast.ImportFrom | ast.Expr) or _definition_name(s) for s in tree.body)
    return only and bool(ours & theirs) and bool(theirs - ours)


def _definition_name(node: ast.stmt) -> str:
    """The name that a statement defines: a function, a class, or one constant; "" for others."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    return {name: node for node in tree.body if (name := _definition_name(node))}


# -- places ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Old lines found in a text: the first, the one behind the last, by how many columns they are further in there,
    and in what they differ from what the change says."""

    start: int
    end: int
    shift: int = 0
    how: str = ""


def _find(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> _Place | None:
    """Where the old lines are; ``wanted``: the line, counted from 0, where the change says that they are."""
    given, meant = ([line.strip() for line in some] for some in (lines, old))
    starts = [n for n in range(len(given) - len(meant) + 1) if any(meant) and given[n : n + len(meant)] == meant]
    shifts = {start: _shifts(old, lines[start:]) for start in starts}
    for which in ([s for s in starts if shifts[s] == {0}], [s for s in starts if len(shifts[s]) == 1]):
        if which:
            start = _one(which, wanted)
            shift = min(shifts[start]) if start is not None else 0
            return None if start is None else _Place(start, start + len(old), shift, "indentation" if shift else "")
    return _as_statements(lines, old, wanted) or _similar(lines, old, wanted)


def _shifts(old: Sequence[str], given: Sequence[str]) -> set[int]:
    """By how many columns the given lines are further in than the old ones."""
    return {_depth(one) - _depth(other) for one, other in zip(given, old, strict=False) if other.strip()}


def _one(starts: Sequence[int], wanted: int | None) -> int | None:
    """The only place, or the one nearest to the line that is named; None where that does not decide."""
    if len(starts) < 2 or wanted is None:
        return starts[0] if len(starts) == 1 else None
    first, second = sorted(starts, key=lambda start: abs(start - wanted))[:2]
    return None if abs(first - wanted) == abs(second - wanted) else first


def _as_statements(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> _Place | None:
    """The same statements of Python, however they are broken into lines, quoted, indented or commented."""
    part, tree = parsed(textwrap.dedent("\n".join(old)).strip("\n")), parsed("\n".join(lines))
    if part is None or tree is None or not part.body:
        return None
    meant = [ast.dump(each) for each in part.body]
    found: dict[int, int] = {}
    for body in _bodies(tree):
        for first in range(len(body) - len(meant) + 1):
            some = body[first : first + len(meant)]
            if [ast.dump(each) for each in some] == meant:
                found[_first_line(some[0]) - 1] = some[-1].end_lineno or 0
    start = _one(sorted(found), wanted)
    if start is None:
        return None
    shift = _depth(lines[start]) - _depth(next(line for line in old if line.strip()))
    return _Place(start, found[start], shift, "the layout of the same statements")


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    fields = [getattr(node, name, None) for node in ast.walk(tree) for name in ("body", "orelse", "finalbody")]
    return [body for body in fields if isinstance(body, list) and body and isinstance(body[0], ast.stmt)]


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _similar(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> _Place | None:
    ranked = _ranked(lines, old)
    said = sum(bool(line.strip()) for line in old)
    if not ranked or ranked[0][0] < _SIMILAR[min(max(said, 1), len(_SIMILAR)) - 1]:
        return None
    best, first = ranked[0]
    rivals = [n for likeness, n in ranked[1:] if best - likeness < _MARGIN and abs(n - first) >= len(old)]
    start = _one([first, *rivals], wanted)
    if start is None:
        return None
    meant, given = (next((line for line in some if line.strip()), "") for some in (old, lines[start:]))
    shift = _depth(given) - _depth(meant) if meant.strip() == given.strip() else 0
    return _Place(start, start + len(old), shift, f"lines that are similar ({best:.0%})")


def _ranked(lines: Sequence[str], old: Sequence[str]) -> list[tuple[float, int]]:
    """(likeness, start) of every place, best first; [] where there are too many to compare."""
    windows = len(lines) - len(old) + 1
    if windows < 1 or windows * len(old) > _MOST_COMPARED:
        return []
    given, meant = ([line.strip() for line in some] for some in (lines, old))
    likeness = {
        (one, other): 1.0 if one == other else difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
        for one in set(given)
        for other in set(meant)
    }
    weights = [len(line) + 1 for line in meant]
    ranked = [
        (sum(w * likeness[given[n + k], meant[k]] for k, w in enumerate(weights)) / sum(weights), n)
        for n in range(windows)
    ]
    return sorted(ranked, key=lambda each: (-each[0], each[1]))


# -- applying -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Applied:
    """A changed text, line ends and byte order mark as they were; ``notes``: in what it was applied otherwise."""

    text: str
    notes: tuple[str, ...] = ()


_Edit = tuple[int, int, tuple[str, ...]]
"""The first line, the one behind the last, and the lines that are there afterwards."""


def apply(original: str, proposal: Proposal) -> Applied:
    """Apply a change to a file as it is, line ends included. Raises NotApplicable: a part of it has no place here."""
    if proposal.deletes:
        raise NotApplicable("the change deletes the file")
    before = plain(original)
    notes = [f"it would also touch {name}: set aside" for name in proposal.set_aside]
    after = plain(proposal.text)
    if proposal.pieces:
        after = _with_definitions(before, proposal.text, notes)
    elif proposal.hunks:
        after = _with_hunks(before, proposal.hunks, notes)
    if after == before:
        return Applied(original, (*notes, SAME))
    return Applied(_like(original, after), tuple(notes))


def _with_hunks(before: str, hunks: Sequence[Hunk], notes: list[str]) -> str:
    """All hunks, each looked for in the text as it was; they must not overlap."""
    lines = _lines_of(before)
    written = iter(_indented_like(lines, [line for hunk in hunks for line in (*hunk.old, *hunk.new)]))
    edits: list[_Edit] = []
    drift = 0  # of earlier hunks, which helps to find the next one
    for number, hunk in enumerate(hunks, 1):
        old, new = ([next(written) for _ in side] for side in (hunk.old, hunk.new))
        what = f"part {number} of {len(hunks)}" if len(hunks) > 1 else "the change"
        wanted = None if hunk.line is None else hunk.line + drift
        if wanted is None and hunk.section:
            wanted = next((n for n, line in enumerate(lines) if line.strip() == hunk.section), None)
        if not old:
            at = len(lines) if hunk.line is None else hunk.line
            if at > len(lines):
                raise NotApplicable(f"{what} adds lines after line {at}, and the file has {len(lines)}")
            edits.append((at, at, tuple(new)))
            continue
        place = _find(lines, old, wanted)
        if place is None:
            raise NotApplicable(_lost(lines, old, what))
        if place.how:
            notes.append(f"{what}: applied at line {place.start + 1} but for {place.how}")
        edits.append((place.start, place.end, tuple(_new_lines(lines, old, new, place))))
        drift = place.start - hunk.line if hunk.line is not None else drift
    ended = next((h.ended for h in reversed(hunks) if h.ended is not None), before.endswith("\n") or not before)
    return _edited(lines, edits, ended=ended)


def _edited(lines: Sequence[str], edits: list[_Edit], *, ended: bool) -> str:
    edits.sort(key=lambda each: each[:2])
    for one, other in pairwise(edits):
        if other[0] < one[1]:
            raise NotApplicable(f"two parts of the change are about the same lines (line {other[0] + 1})")
    changed = list(lines)
    for start, end, new in reversed(edits):
        changed[start:end] = new
    return "\n".join(changed) + ("\n" if changed and ended else "")


def _new_lines(lines: Sequence[str], old: Sequence[str], new: Sequence[str], place: _Place) -> Iterator[str]:
    """What is there afterwards; lines that the change leaves as they are stay as the file has them."""
    given = lines[place.start : place.end]
    if len(given) != len(old):  # another layout
        yield from (_shifted(line, place.shift) for line in _without_edges(old, new))
        return
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from given[i:j] if tag == "equal" else (_shifted(line, place.shift) for line in new[k:m])


def _shifted(line: str, shift: int) -> str:
    if not shift or not line.strip():
        return line
    return " " * shift + line if shift > 0 else line.expandtabs()[min(-shift, _depth(line)) :]


def _without_edges(old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
    """New lines without the empty ones and comments at the edges that the old ones have too."""

    def empty(some: Sequence[str]) -> int:
        return next((n for n, line in enumerate(some) if line.strip() and line.strip()[0] != "#"), len(some))

    head, tail = min(empty(old), empty(new)), min(empty(old[::-1]), empty(new[::-1]))
    return new[head : max(len(new) - tail, head)]


def _lost(lines: Sequence[str], old: Sequence[str], what: str) -> str:
    first = next((line.strip() for line in old if line.strip()), "")
    where = ""
    for likeness, start in _ranked(lines, old)[:1]:
        if likeness > 0.3:
            where = f"; the nearest place is line {start + 1} ({likeness:.0%} alike): {lines[start].strip()[:80]!r}"
    return f"{what} has no place in the file: the lines from {first[:80]!r} on are not there{where}"


def _with_definitions(before: str, text: str, notes: list[str]) -> str:
    """The file with some of its definitions replaced, new ones behind them, and imports that it lacks."""
    lines, current = _lines_of(before), ast.parse(before)
    pieces, theirs = _indented_like(lines, _lines_of(text)), _definitions(current)
    known = {ast.dump(node) for body in _bodies(current) for node in body}
    edits: list[_Edit] = []
    added, imports, names = list[str](), list[str](), list[str]()
    for node in ast.parse(text).body:
        block = pieces[_first_line(node) - 1 : node.end_lineno]
        name = _definition_name(node)
        names += [name] if name else []
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports += block if ast.dump(node) not in known else []
        elif name in theirs:
            edits.append((_first_line(theirs[name]) - 1, theirs[name].end_lineno or 0, tuple(block)))
        elif name:
            added += ["", "", *block]
    last = max(end for _, end, _ in edits)
    edits += [(last, last, tuple(added))] if added else []
    if imports:
        behind = [n for n in current.body if not (isinstance(n, ast.ImportFrom) and n.module == "__future__")]
        first = _first_line(next((n for n in behind if not isinstance(n, ast.Expr)), behind[-1])) - 1
        edits.append((first, first, tuple(imports)))
    notes.append(f"read as new definitions of {', '.join(names)}")
    return _edited(lines, edits, ended=before.endswith("\n"))
