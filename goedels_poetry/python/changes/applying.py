"""From a file's text and a proposed change to the changed text: nothing of it happens, or all of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.python.changes.placing import Place, bodies, find, find_unmoved, first_line, nearest, shifted
from goedels_poetry.python.changes.proposals import Hunk, Proposal, definition_name, definitions
from goedels_poetry.python.changes.texts import indented_like, joined, like, lines_of, plain


class NotApplicable(GoedelsPoetryError):
    """The change cannot be applied to this text; the words say which part, why, and the nearest place."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A changed text."""

    text: str
    """Line ends and byte order mark as they were."""
    notes: tuple[str, ...] = ()
    """How it was applied where that was not as written, one line each."""

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed; then a note says so."""
        return any(note == SAME for note in self.notes)


TELLING = 12
"""Characters of a single line from which on it is no accident that it stands there already."""
SAME = "the change leaves the file as it is"


def apply(original: str, proposal: Proposal) -> Applied:
    """Apply a change.

    Args:
        original: the file as it is, line ends included.
        proposal: as it was read.

    Raises:
        NotApplicable: a part of it has no place here.
    """
    if proposal.deletes:
        raise NotApplicable("the change deletes the file")
    before = plain(original)
    notes = [f"it would also touch {name}: set aside" for name in proposal.set_aside]
    match proposal.form:
        case "file":
            after = plain(proposal.text)
        case "definitions":
            after, more = _with_definitions(before, proposal.text)
            notes += more
        case _:
            after, more = _with_hunks(before, proposal.hunks)
            notes += more
    if after == before:
        notes.append(SAME)
        return Applied(original, tuple(notes))
    return Applied(like(original, after), tuple(notes))


# -- hunks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    lines: tuple[str, ...]


def _with_hunks(before: str, hunks: Sequence[Hunk]) -> tuple[str, list[str]]:
    """All hunks, each looked for in the text as it was; they must not overlap."""
    lines = lines_of(before)
    edits: list[_Edit] = []
    notes: list[str] = []
    drift = 0
    for number, hunk in enumerate(_indented(lines, hunks), 1):
        what = f"part {number} of {len(hunks)}" if len(hunks) > 1 else "the change"
        edit, note, drift = _edit(lines, hunk, drift, what)
        if note:
            notes.append(f"{what}: {note}")
        if edit is not None:
            edits.append(edit)
    edits.sort(key=lambda each: (each.start, each.end))
    for one, other in pairwise(edits):
        if other.start < one.end:
            raise NotApplicable(f"two parts of the change are about the same lines (line {other.start + 1})")
    changed = list(lines)
    for edit in reversed(edits):
        changed[edit.start : edit.end] = edit.lines
    ended = next(
        (hunk.ended for hunk in reversed(hunks) if hunk.ended is not None), before.endswith("\n") or not before
    )
    return joined(changed, ended=ended), notes


def _indented(lines: Sequence[str], hunks: Sequence[Hunk]) -> list[Hunk]:
    """The hunks with tabs, or with spaces, as the text has them: what is meant by one is not found by the other."""
    said = [line for hunk in hunks for line in (*hunk.old, *hunk.new)]
    rest = iter(indented_like(lines, said))
    return [
        replace(hunk, old=tuple(islice(rest, len(hunk.old))), new=tuple(islice(rest, len(hunk.new)))) for hunk in hunks
    ]


def _edit(lines: Sequence[str], hunk: Hunk, drift: int, what: str) -> tuple[_Edit | None, str, int]:
    """One hunk as an edit; None where the text has it already. A drift of earlier hunks helps to find it."""
    if not hunk.old:
        return _insertion(lines, hunk, what), "", drift
    wanted = None if hunk.line is None else hunk.line + drift
    if wanted is None and hunk.section:
        wanted = next((n for n, line in enumerate(lines) if line.strip() == hunk.section), None)
    place = find(lines, hunk.old, wanted, hunk.context)
    if place is not None and place.how.startswith("lines that are similar") and _is_there(lines, hunk):
        place = None
    if place is None:
        if _is_there(lines, hunk):
            return None, "it is there already", drift
        raise NotApplicable(_lost(lines, hunk, what))
    note = f"applied at line {place.start + 1} but for {place.how}" if place.how else ""
    moved = place.start - place.skip_head - hunk.line if hunk.line is not None else drift
    if not note and hunk.line is not None and place.start != hunk.line + drift:
        note = f"applied at line {place.start + 1} instead of {hunk.line + drift + 1}"
    return _Edit(place.start, place.end, _new_lines(lines, hunk, place)), note, moved


def _without_edges(old: Sequence[str], new: Sequence[str]) -> Sequence[str]:
    """New lines without the empty ones at the edges that the old ones have too: those stand around the statements."""
    head = min(_empty(old), _empty(new))
    tail = min(_empty(old[::-1]), _empty(new[::-1]))
    return new[head : max(len(new) - tail, head)]


def _empty(lines: Sequence[str]) -> int:
    """How many of the first lines are empty."""
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))


def _new_lines(lines: Sequence[str], hunk: Hunk, place: Place) -> tuple[str, ...]:
    """What stands there afterwards; where lines of context differ in the file, the file's stay."""
    head, tail = hunk.context
    head, tail = max(head - place.skip_head, 0), max(tail - place.skip_tail, 0)
    new = hunk.new[place.skip_head : len(hunk.new) - place.skip_tail]
    if place.end - place.start != len(hunk.old) - place.skip_head - place.skip_tail:  # another layout
        return tuple(shifted(line, place.indent) for line in _without_edges(hunk.old, new))
    kept_head = lines[place.start : place.start + head]
    kept_tail = lines[place.end - tail : place.end] if tail else []
    core = new[head : len(new) - tail]
    inner = _inner_kept(lines[place.start + head : place.end - tail], hunk, place, core, head, tail)
    return (*kept_head, *inner, *kept_tail)


def _inner_kept(
    given: Sequence[str], hunk: Hunk, place: Place, core: Sequence[str], head: int, tail: int
) -> tuple[str, ...]:
    """New lines, those of the file where old and new say the same: a comment there that the change has not stays."""
    meant = hunk.old[place.skip_head : len(hunk.old) - place.skip_tail][head:]
    meant = meant[: len(meant) - tail] if tail else meant
    own: dict[str, list[str]] = {}
    for line, its in zip(meant, given, strict=False):
        own.setdefault(line, []).append(its)
    written = []
    for line in core:
        kept = own.get(line)
        written.append(kept.pop(0) if kept else shifted(line, place.indent))
    return tuple(written)


def _insertion(lines: Sequence[str], hunk: Hunk, what: str) -> _Edit:
    """Lines that are only added, without context: at the line that the change names, or at the end."""
    at = len(lines) if hunk.line is None else hunk.line
    if at > len(lines):
        raise NotApplicable(f"{what} adds lines after line {at}, and the file has {len(lines)}")
    return _Edit(at, at, hunk.new)


def _is_there(lines: Sequence[str], hunk: Hunk) -> bool:
    """Whether the text has the new lines already, and not by chance: lines that say something, and added ones."""
    added = [line for line in hunk.new if line not in hunk.old and line.strip()]
    said = [line for line in hunk.new if line.strip()]
    if not added or (len(said) < 2 and len(said[0].strip()) < TELLING):
        return False
    return find_unmoved(lines, hunk.new, hunk.line) is not None


def _lost(lines: Sequence[str], hunk: Hunk, what: str) -> str:
    first = next((line.strip() for line in hunk.old if line.strip()), "")
    near = nearest(lines, hunk.old)
    starts = [n for n, line in enumerate(lines) if line.strip() == first] if near is None else []
    where = ""
    if near is not None:
        where = f"; the nearest place is line {near.line} ({near.likeness:.0%} alike): {near.text[:80]!r}"
    elif starts:
        where = f"; its first line stands at line {starts[0] + 1}, and what follows is different"
    return f"{what} has no place in the file: the lines from {first[:80]!r} on are not there{where}"


# -- definitions ----------------------------------------------------------------------------------------------------


def _with_definitions(before: str, text: str) -> tuple[str, list[str]]:
    """The file with some of its definitions replaced, new ones behind them, and imports that it lacks."""
    lines = lines_of(before)
    pieces = indented_like(lines, lines_of(text))
    current, given = ast.parse(before), ast.parse(text)
    theirs = definitions(current)
    edits: list[_Edit] = []
    added: list[str] = []
    names: list[str] = []
    known = {ast.dump(node) for body in bodies(current) for node in body}
    imports: list[str] = []
    for node in given.body:
        block = tuple(pieces[first_line(node) - 1 : node.end_lineno])
        name = definition_name(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            if ast.dump(node) not in known:
                imports += block
        elif name in theirs:
            old = theirs[name]
            edits.append(_Edit(first_line(old) - 1, old.end_lineno or old.lineno, block))
            names.append(name)
        elif name:
            added += ["", "", *block]
            names.append(name)
    changed = list(lines)
    last = max(edit.end for edit in edits)
    if added:
        edits.append(_Edit(last, last, tuple(added)))
    if imports:
        at = _behind_imports(current)
        edits.append(_Edit(at, at, tuple(imports)))
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        changed[edit.start : edit.end] = edit.lines
    return joined(changed, ended=before.endswith("\n")), [f"read as new definitions of {', '.join(names)}"]


def _behind_imports(tree: ast.Module) -> int:
    """The line (from 0) where another import goes: behind ``from __future__`` ones and the docstring."""
    at = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
        at = node.end_lineno or at
    return at
