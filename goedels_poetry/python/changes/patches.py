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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput

MAX_CHANGE = 1_000_000
"""Characters of a proposed change."""
BOM = "\ufeff"
_ENDS = re.compile(r"\r\n|\r|\n")
_HUNK = re.compile(r"^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@+)?(?: @@+)? ?(.*?)(?: ?@@+)?\s*$")
_FILES = re.compile(r"^--- (.+?)(?:\t.*)?\n\+\+\+ (.+?)(?:\t.*)?$")
_SEARCH = re.compile(r"^<{5,}\s*(?:SEARCH|ORIGINAL|OLD|HEAD)?\b.*$")
_MIDDLE = re.compile(r"^={5,}\s*$")
_REPLACE = re.compile(r"^>{5,}\s*(?:REPLACE|UPDATED|NEW)?\b.*$")
_NO_END = "\\ No newline"
_HEADS = ("diff --git ", "index ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity index")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_LIKE_THE_FILE = 0.3
"""How much a text that is no Python must have in common with the file (0 to 1) to be a new version of it."""
_SIMILAR = (0.9, 0.8, 0.8, 0.65)
"""How much one, two, three, and more lines must have in common (0 to 1) to be the same."""
_MARGIN = 0.06
"""By how much the most similar place must be better than the second."""
_LINES_COMPARED = 400_000
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


def _joined(lines: Sequence[str], ended: bool) -> str:
    return "\n".join(lines) + ("\n" if lines and ended else "")


def _like(original: str, changed: str) -> str:
    """A changed plain text with the line ends of the original, line by line where they are mixed, and its mark."""
    own = _ENDS.findall(original)
    usual = Counter(own).most_common(1)[0][0] if own else "\n"
    old, new = plain(original).split("\n"), changed.split("\n")
    ends = [usual] * (len(new) - 1)
    if len(set(own)) > 1:
        for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            size = min(block.size, len(own) - block.a, len(ends) - block.b)
            ends[block.b : block.b + max(size, 0)] = own[block.a : block.a + max(size, 0)]
    mark = BOM if original.startswith(BOM) else ""
    return mark + "".join(line + end for line, end in zip(new, [*ends, ""], strict=True))


def unified(before: str, after: str, name: str) -> str:
    """The difference of two texts for people and prompts: a unified diff; "" when they are equal."""
    old, new = (plain(text).splitlines(keepends=True) for text in (before, after))
    found = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END} at end of file\n" for line in found)


def _with_unit(line: str, old: str, new: str) -> str:
    steps = 0
    while line.startswith(old, steps * len(old)):
        steps += 1
    return new * steps + line[steps * len(old) :]


def _indented_like(text: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Lines with tabs where the text is indented by tabs, and with spaces where it is by spaces; else as they are."""
    its, theirs = _unit(text), _unit(lines)
    if "" in (its, theirs) or its[0] == theirs[0]:
        return list(lines)
    return [_with_unit(line, theirs, its) for line in lines]


def _unit(lines: Sequence[str]) -> str:
    """One step of indentation; "" where there is none, or tabs and spaces are mixed."""
    begins = {line[0] for line in lines if line.strip() and line[0] in " \t"}
    if begins != {" "}:
        return "\t" if begins == {"\t"} else ""
    said = [line for line in lines if line.strip()]
    depths = [len(line) - len(line.lstrip(" ")) for line in said]
    steps = [b - a for line, (a, b) in zip(said, pairwise(depths), strict=False) if line.rstrip().endswith(":")]
    return " " * min((step for step in steps if step > 0), default=4)


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
        change: the text, in any form.
        current: the file as it is, plain.
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
    if any(_HUNK.match(line) for line in lines):
        return _diff(lines, (file, link) if link else (file,))
    if any(_SEARCH.match(line) for line in lines) and any(_REPLACE.match(line) for line in lines):
        return Proposal(_blocks(lines))
    if not text.strip():
        raise InvalidInput("the change is empty")
    tree = _parsed(text) if file.endswith((".py", ".pyi", ".pyw")) else None
    alike = difflib.SequenceMatcher(None, _lines_of(text), _lines_of(current), autojunk=False).ratio()
    if not _is_program(tree) and (tree is not None or not current.strip() or alike < _LIKE_THE_FILE):
        raise InvalidInput("the change is none: neither a unified diff, nor search and replace blocks, nor a new file")
    if pieces and tree is not None and _is_part(tree, _parsed(current)):
        return Proposal(text=text, pieces=True)
    return Proposal(text=text if text.endswith("\n") or not current.endswith("\n") else f"{text}\n")


def _diff(lines: Sequence[str], file: Sequence[str]) -> Proposal:
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
            hunk, place = _hunk(lines, place, head)
            if hunk.old or hunk.new:
                by_file.setdefault(name, []).append(hunk)
        else:
            place += 1
    ours = [n for n in by_file if not n or any(_is_same_file(n, path, alone=len(by_file) == 1) for path in file)]
    others = tuple(name for name in by_file if name not in ours)
    if not ours:
        raise InvalidInput(f"the diff is about {', '.join(others)}, and not about {' or '.join(file)}")
    hunks = tuple(hunk for name in ours for hunk in by_file[name])
    gone = any(name in deleted for name in ours)
    if not hunks and not gone:
        raise InvalidInput("the diff holds no lines that are added or taken away")
    return Proposal(hunks, set_aside=others, deletes=gone)


def _name(written: str) -> str:
    """A path of a diff's head without the prefix of git; "" for no file."""
    name = written.strip().strip('"')
    return "" if name == "/dev/null" else re.sub(r"^[abiwco]/", "", name)


def _is_same_file(named: str, file: str, *, alone: bool) -> bool:
    """Whether a path in a diff means the file; the base name is enough where the diff is about no other."""
    one, other = posixpath.normpath(named.replace("\\", "/")), posixpath.normpath(file)
    whole = one == other or other.endswith(f"/{one}") or one.endswith(f"/{other}")
    return whole or (alone and posixpath.basename(one) == posixpath.basename(other))


def _hunk(lines: Sequence[str], place: int, head: re.Match[str]) -> tuple[Hunk, int]:
    """One hunk, and the line behind it. Its counts are believed only where they fit what follows."""
    counts = (int(head[2] or 1), int(head[4] or 1)) if head[1] else None
    body = list(_body(lines, place + 1, counts))
    end = place + 1 + len(body)
    while body and not body[-1].strip() and counts != _sizes(body):  # blank lines between hunks, or at the end
        body.pop()
    marked = [line if line and line[0] in "+-\\ " else f" {line}" for line in body]
    old = tuple(line[1:] for line in marked if line[0] in " -")
    new = tuple(line[1:] for line in marked if line[0] in " +")
    stated = int(head[1]) if head[1] else None
    line = None if stated is None else max(stated - 1, 0) if old else stated
    return Hunk(old, new, line, (head[5] or "").strip(), _ended(marked)), end


def _ended(marked: Sequence[str]) -> bool | None:
    """What the marks about the end of the last line come to."""
    before = [marked[n - 1][0] for n, line in enumerate(marked) if line[0] == "\\" and n]
    return (before == ["-"]) if before else None


def _body(lines: Sequence[str], place: int, counts: tuple[int, int] | None) -> Iterator[str]:
    """The lines of a hunk: as many as its head says, or until something else begins."""
    taken: list[str] = []
    for at in range(place, len(lines)):
        line = lines[at]
        if counts is not None and _sizes(taken) == counts and not line.startswith(_NO_END):
            return
        lacks = counts is not None and any(have < want for have, want in zip(_sizes(taken), counts, strict=True))
        if _HUNK.match(line) or line.startswith(_HEADS):
            return
        # Models leave out the blank before a line of context; a head that says how many are missing is believed.
        other = _FILES.match("\n".join(lines[at : at + 2])) or (line and line[0] not in " +-\\\t")
        if other and not lacks:
            return
        taken.append(line)
        yield line


def _sizes(body: Sequence[str]) -> tuple[int, int]:
    """Lines of the old and of the new side."""
    signs = [line[:1] or " " for line in body]
    same = sum(sign not in "+-\\" for sign in signs)
    return same + signs.count("-"), same + signs.count("+")


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
            part, old, new = "", _trimmed(sides["old"]), sides["new"]
            if not old:
                raise InvalidInput("a search and replace block searches for nothing", number)
            found.append(Hunk(tuple(old), tuple(new if old == sides["old"] else _trimmed(new))))
        elif part:
            sides[part].append(line)
    if part or not found:
        raise InvalidInput("a search and replace block needs its three marks, one a line: one is missing")
    return tuple(found)


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Lines without the blank ones at the edges."""
    said = [n for n, line in enumerate(lines) if line.strip()]
    return list(lines[said[0] : said[-1] + 1]) if said else []


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except _UNREADABLE:
        return None


def _is_program(tree: ast.Module | None) -> bool:
    """Whether there is more in it than names and literals: a word, alone, is Python, too."""
    body = tree.body if tree is not None else []
    return any(not isinstance(s, ast.Expr) or any(isinstance(n, ast.Call) for n in ast.walk(s)) for s in body)


def _is_part(tree: ast.Module, current: ast.Module | None) -> bool:
    """Whether it holds definitions of the file, imports, and nothing else, and not all definitions of the file."""
    if current is None:
        return False
    ours, theirs = _definitions(tree), _definitions(current)
    others = (ast.Import, ast.ImportFrom, ast.Expr)
    only = all(isinstance(s, others) or _definition_name(s) for s in tree.body)
    return only and bool(ours.keys() & theirs.keys()) and bool(theirs.keys() - ours.keys())


def _definition_name(node: ast.stmt) -> str:
    """The name that a statement defines: a function, a class, or one constant; "" for others."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    return {name: node for node in tree.body if (name := _definition_name(node))}


# -- places ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Old lines found in a text: the first, the one behind the last, how much further in (after ``-`` further out),
    and in what they differ from what the change says."""

    start: int
    end: int
    indent: str = ""
    how: str = ""


def _find(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> _Place | None:
    """Where ``old`` is, but for white space; ``wanted``: the line, counted from 0, where the change says that it is."""
    starts = _matches(lines, old, str.rstrip)
    if starts:
        start = _one(starts, wanted)
        return None if start is None else _Place(start, start + len(old))
    shifts = {start: shift for start in _matches(lines, old, str.strip) if (shift := _shift(lines, old, start))}
    start = _one(list(shifts), wanted)
    return None if start is None else _Place(start, start + len(old), shifts[start], "indentation")


def _matches(lines: Sequence[str], old: Sequence[str], form: Callable[[str], str]) -> list[int]:
    given, meant = [form(line) for line in lines], [form(line) for line in old]
    starts = range(len(given) - len(meant) + 1)
    return [n for n in starts if any(meant) and given[n] == meant[0] and given[n : n + len(meant)] == meant]


def _one(starts: Sequence[int], wanted: int | None) -> int | None:
    """The only place, or the one nearest to the line that is named; None where that does not decide."""
    if len(starts) < 2 or wanted is None:
        return starts[0] if len(starts) == 1 else None
    first, second = sorted(starts, key=lambda start: abs(start - wanted))[:2]
    return None if abs(first - wanted) == abs(second - wanted) else first


def _shift(lines: Sequence[str], old: Sequence[str], start: int) -> str:
    """By what the lines from ``start`` are indented more than the old ones; "" when that is not one and the same."""
    pairs = zip(old, lines[start:], strict=False)
    shifts = {_shift_between(meant, given) for meant, given in pairs if given.strip()}
    return shifts.pop() if len(shifts) == 1 else ""


def _shift_between(one: str, other: str) -> str:
    """What has to precede ``one`` to be indented as ``other``; after ``-`` what has to be taken away."""
    old, new = (line.expandtabs()[: len(line.expandtabs()) - len(line.expandtabs().lstrip())] for line in (one, other))
    return new[len(old) :] if len(new) >= len(old) else "-" + old[len(new) :]


def _shifted(line: str, indent: str) -> str:
    if not indent or not line.strip():
        return line
    if not indent.startswith("-"):
        return indent + line
    wide = line.expandtabs()
    return wide[min(len(indent) - 1, len(wide) - len(wide.lstrip())) :]


def _as_statements(lines: Sequence[str], old: Sequence[str], wanted: int | None) -> _Place | None:
    """The same statements of Python, however they are broken into lines, quoted, indented or commented."""
    part, tree = _parsed(textwrap.dedent("\n".join(old)).strip("\n")), _parsed("\n".join(lines))
    if part is None or tree is None or not part.body:
        return None
    meant = [ast.dump(each) for each in part.body]
    found: dict[int, int] = {}
    for body in _bodies(tree):
        shapes = [ast.dump(each) for each in body]
        for first in range(len(body) - len(meant) + 1):
            if shapes[first : first + len(meant)] == meant:
                start = _first_line(body[first]) - 1
                found[start] = body[first + len(meant) - 1].end_lineno or start + 1
    chosen = _one(sorted(found), wanted)
    if chosen is None:
        return None
    shift = _shift_between(next(line for line in old if line.strip()), lines[chosen])
    return _Place(chosen, found[chosen], shift, "the layout of the same statements")


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
    shift = _shift_between(meant, given) if meant.strip() == given.strip() else ""
    return _Place(start, start + len(old), shift, f"lines that are similar ({best:.0%})")


def _ranked(lines: Sequence[str], old: Sequence[str]) -> list[tuple[float, int]]:
    """(likeness, start) of every place, best first; [] where there are too many to compare."""
    windows = len(lines) - len(old) + 1
    if windows < 1 or windows * len(old) > _LINES_COMPARED:
        return []
    likeness = {
        (given, meant): difflib.SequenceMatcher(None, given, meant, autojunk=False).ratio() if given != meant else 1.0
        for given in {line.strip() for line in lines}
        for meant in {line.strip() for line in old}
    }
    weights = [len(line.strip()) + 1 for line in old]
    ranked = [
        (sum(w * likeness[lines[n + k].strip(), old[k].strip()] for k, w in enumerate(weights)) / sum(weights), n)
        for n in range(windows)
    ]
    return sorted(ranked, key=lambda each: (-each[0], each[1]))


# -- applying -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Applied:
    """A changed text, line ends and byte order mark as they were; ``notes``: in what it was applied otherwise."""

    text: str
    notes: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed; then a note says so."""
        return SAME in self.notes


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    lines: tuple[str, ...]


def apply(original: str, proposal: Proposal) -> Applied:
    """Apply a change to a file as it is, line ends included.

    Raises:
        NotApplicable: a part of it has no place here.
    """
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
    rest = iter(_indented_like(lines, [line for hunk in hunks for line in (*hunk.old, *hunk.new)]))
    edits: list[_Edit] = []
    drift = 0
    for number, hunk in enumerate(hunks, 1):
        old, new = (tuple(islice(rest, len(side))) for side in (hunk.old, hunk.new))
        what = f"part {number} of {len(hunks)}" if len(hunks) > 1 else "the change"
        edit = _edit(lines, replace(hunk, old=old, new=new), drift, what, notes)
        edits.append(edit)
        drift = edit.start - hunk.line if hunk.line is not None and hunk.old else drift
    ended = next((h.ended for h in reversed(hunks) if h.ended is not None), before.endswith("\n") or not before)
    return _joined(_edited(lines, edits), ended)


def _edited(lines: Sequence[str], edits: list[_Edit]) -> list[str]:
    edits.sort(key=lambda each: (each.start, each.end))
    for one, other in pairwise(edits):
        if other.start < one.end:
            raise NotApplicable(f"two parts of the change are about the same lines (line {other.start + 1})")
    changed = list(lines)
    for edit in reversed(edits):
        changed[edit.start : edit.end] = edit.lines
    return changed


def _edit(lines: Sequence[str], hunk: Hunk, drift: int, what: str, notes: list[str]) -> _Edit:
    """One hunk as an edit; a drift of earlier hunks helps to find it."""
    if not hunk.old:
        at = len(lines) if hunk.line is None else hunk.line
        if at > len(lines):
            raise NotApplicable(f"{what} adds lines after line {at}, and the file has {len(lines)}")
        return _Edit(at, at, hunk.new)
    wanted = None if hunk.line is None else hunk.line + drift
    if wanted is None and hunk.section:
        wanted = next((n for n, line in enumerate(lines) if line.strip() == hunk.section), None)
    place = _find(lines, hunk.old, wanted) or _as_statements(lines, hunk.old, wanted)
    place = place or _similar(lines, hunk.old, wanted)
    if place is None:
        raise NotApplicable(_lost(lines, hunk, what))
    if place.how:
        notes.append(f"{what}: applied at line {place.start + 1} but for {place.how}")
    return _Edit(place.start, place.end, tuple(_new_lines(lines, hunk, place)))


def _new_lines(lines: Sequence[str], hunk: Hunk, place: _Place) -> Iterator[str]:
    """What is there afterwards; lines that the change leaves as they are stay as the file has them."""
    given = lines[place.start : place.end]
    if len(given) != len(hunk.old):  # another layout
        yield from (_shifted(line, place.indent) for line in _without_edges(hunk.old, hunk.new))
        return
    matcher = difflib.SequenceMatcher(None, hunk.old, hunk.new, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield from given[i:j]
        else:
            yield from (_shifted(line, place.indent) for line in hunk.new[k:m])


def _without_edges(old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
    """New lines without the empty ones and comments at the edges that the old ones have too."""

    def empty(some: Sequence[str]) -> int:
        return next((n for n, line in enumerate(some) if line.strip() and line.strip()[0] != "#"), len(some))

    head, tail = min(empty(old), empty(new)), min(empty(old[::-1]), empty(new[::-1]))
    return new[head : max(len(new) - tail, head)]


def _lost(lines: Sequence[str], hunk: Hunk, what: str) -> str:
    first = next((line.strip() for line in hunk.old if line.strip()), "")
    where = ""
    for likeness, start in _ranked(lines, hunk.old)[:1]:
        if likeness > 0.3:
            where = f"; the nearest place is line {start + 1} ({likeness:.0%} alike): {lines[start].strip()[:80]!r}"
    return f"{what} has no place in the file: the lines from {first[:80]!r} on are not there{where}"


def _with_definitions(before: str, text: str, notes: list[str]) -> str:
    """The file with some of its definitions replaced, new ones behind them, and imports that it lacks."""
    lines = _lines_of(before)
    pieces = _indented_like(lines, _lines_of(text))
    current = ast.parse(before)
    theirs = _definitions(current)
    known = {ast.dump(node) for body in _bodies(current) for node in body}
    edits: list[_Edit] = []
    added: list[str] = []
    imports: list[str] = []
    names: list[str] = []
    for node in ast.parse(text).body:
        block = tuple(pieces[_first_line(node) - 1 : node.end_lineno])
        name = _definition_name(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports += block if ast.dump(node) not in known else ()
        elif name in theirs:
            edits.append(_Edit(_first_line(theirs[name]) - 1, theirs[name].end_lineno or 0, block))
        elif name:
            added += ["", "", *block]
        names += [name] if name else []
    last = max(edit.end for edit in edits)
    edits += [_Edit(last, last, tuple(added))] if added else []
    if imports:
        behind = [n for n in current.body if not (isinstance(n, ast.ImportFrom) and n.module == "__future__")]
        first = next((n for n in behind if not isinstance(n, ast.Expr)), behind[-1])
        edits.append(_Edit(_first_line(first) - 1, _first_line(first) - 1, tuple(imports)))
    notes.append(f"read as new definitions of {', '.join(names)}")
    return _joined(_edited(lines, edits), before.endswith("\n"))
