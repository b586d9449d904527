"""`prove --diff` and `--write`: Lean files with their holes filled, and the whole checked.

What a run has proved about one theorem is a file that differs from the user's in that theorem alone. So each proof is
one edit of the user's text, and several go together; Lean's gate looks at what comes of it before anybody gets it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from goedels_poetry.checker.certificate.archive import BadCertificate
from goedels_poetry.checker.lean.certify import LeanArchive, read_lean
from goedels_poetry.checker.lean.verify import Claim, FreshLean, fresh_lean, verify
from goedels_poetry.cli.inputs import STDIN, Source
from goedels_poetry.cli.report import NotWritten, write_in_place
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, PRIVATE
from goedels_poetry.lean.runtime.tokens import tokenize
from goedels_poetry.lean.text.source import normalised
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.terminal import console, is_live, one_line, printable, say
from goedels_poetry.trace.wording import counterexample_lines

if TYPE_CHECKING:
    from rich.console import Console

    from goedels_poetry.checker.lean.verify import FreshLean
    from goedels_poetry.settings.declared import LeanSettings

LEAN = "lean"
SECONDS = 300.0
"""For the check of a whole file."""
MOST_LISTED = 20
"""Holes of a file that are listed."""
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
HOLES = frozenset({"sorry", "admit"})
_NO_PROOF = frozenset({":=", "by", "sorry", "admit", "exact"})
"""Words of a theorem that is left open and no more."""
_NAMED, _NAMELESS = frozenset({"theorem", "lemma", "def", "abbrev"}), frozenset({"example", "instance"})
_NO_NEWLINE = "\\ No newline at end of file\n"


class Unfillable(GoedelsPoetryError):
    """The file cannot be filled; the words say why."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A user's file with proofs in it; nothing has been checked of it as a whole."""

    raw: str
    """As it is to be written: byte order mark and line ends are the user's."""
    text: str
    """As Lean reads it."""
    originals: tuple[str, ...]
    """What it has to be compared with: the user's own file; and the same with all that is proved here left open, for
    a file whose unfinished proofs do not compile."""
    theorems: tuple[str, ...]
    """Constants that are proved here."""
    replaced: tuple[str, ...]
    """Those of them that had the beginning of a proof."""
    accepted: bool
    """Whether a certificate is about this very text, which the checker has then accepted as a whole."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


def filled(raw: str, certificates: Sequence[Path]) -> Filled:
    """The user's file with every proof that the certificates hold.

    Args:
        raw: the file, decoded and otherwise as it is.
        certificates: folders, each of a proof of one theorem of this very text.

    Raises:
        Unfillable: a certificate cannot be read, or the proofs do not go together.
    """
    try:
        archives = [read_lean(path) for path in certificates]
    except BadCertificate as problem:
        raise Unfillable(f"a certificate cannot be used: {problem}") from problem
    end = "\r\n" if raw.count("\r\n") * 2 > raw.count("\n") else "\n"
    try:
        return _filled(raw, archives, end)
    except Unfillable as fault:
        try:  # a file that ends with a statement: Lean was given it with a `:= sorry`
            return _filled(f"{raw.rstrip()}{end}  := sorry{end}", archives, end)
        except Unfillable:
            raise fault from None


def _filled(raw: str, archives: Sequence[LeanArchive], line_end: str) -> Filled:
    own = normalised(raw)
    edits = [_difference(own, archive.proof) for archive in archives]
    opened = [_difference(own, archive.original) for archive in archives]
    text, reference = _edited(own, edits), _edited(own, opened)
    new = _edited(raw, [_in_raw(raw, edit, line_end) for edit in edits])
    if normalised(new) != text:
        raise Unfillable("the line ends of the file do not survive")
    begun = [a for a, e in zip(archives, opened, strict=True) if set(own[e.start : e.end].split()) - _NO_PROOF]
    names = tuple(archive.theorem for archive in archives)
    originals = (own,) if own == reference else (own, reference)
    replaced = tuple(archive.theorem.removeprefix(PRIVATE) for archive in begun)
    return Filled(new, text, originals, names, replaced, any(archive.proof == text for archive in archives))


def _difference(old: str, new: str) -> _Edit:
    """The one edit that makes the new text of the old one, as short as it can be."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    most -= start
    same = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return _Edit(start, len(old) - same, new[start : len(new) - same])


def _edited(text: str, edits: Sequence[_Edit]) -> str:
    """All edits at once; each speaks of the text as it is, and at least a line feed stands between two theorems."""
    ordered = sorted((e for e in edits if e.end > e.start or e.text), key=lambda edit: (edit.start, edit.end))
    if any(one.end >= other.start for one, other in pairwise(ordered)):
        raise Unfillable("two proofs change the same lines")
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _in_raw(raw: str, edit: _Edit, line_end: str) -> _Edit:
    """An edit of the text that Lean reads, as one of the user's file."""
    mark = len(raw) - len(raw.removeprefix("\ufeff"))
    ends = [found.start() - mark - number for number, found in enumerate(re.finditer("\r\n", raw))]
    start, end = (place + mark + bisect_left(ends, place) for place in (edit.start, edit.end))
    return _Edit(start, end, edit.text.replace("\n", line_end))


async def objection(whole: Filled, fresh: FreshLean, seconds: float) -> str:
    """Why the gate does not accept the whole file as a proof of what is filled in; "" when it does.

    Statements and definitions have to be the user's, and each theorem may rest on Lean's three axioms and those that
    the file itself declares, and on nothing else.
    """
    if whole.accepted:
        return ""  # it is the file of a certificate, which the gate has seen whole
    reason = ""
    for original in whole.originals:
        try:
            report = await verify(fresh, Claim(whole.text, original, whole.theorems), seconds)
        except InvalidInput as problem:
            reason = reason or f"the file without the proofs is not valid: {problem}"
            continue
        except (GoedelsPoetryError, TimeoutError) as problem:
            return str(problem)
        if not report.accepted or report.verdict is not Verdict.PROVED:
            place = f"{report.place[0]}:{report.place[1]}: " if report.place else ""
            return f"{place}{'; '.join(report.reasons) or 'the gate does not accept it'}"
        own = {assumed.removeprefix("axiom ").partition(",")[0] for assumed in report.assumptions}
        foreign = sorted(set(report.axioms) - set(LOGIC_AXIOMS) - own)
        return f"it needs the axioms {', '.join(foreign)}" if foreign else ""
    return reason


def left_open(text: str, old: str | None = None) -> Iterator[tuple[int, str]]:
    """The holes that a text still has: the line, counted from 1, and what stands there.

    Args:
        text: as Lean reads it.
        old: what it was before it was filled: then lines are counted there, as nothing has been written.
    """
    lines = text.split("\n")
    there = _lines_in(old.split("\n"), lines) if old is not None else {}
    for number, whose in _holes(text).items():
        line = lines[number - 1].strip()
        yield there.get(number, number), line if whose in line else f"{line} ({whose})"


def _holes(text: str) -> dict[int, str]:
    """Lines with a hole, and the declaration that each is in: ``theorem NAME``."""
    words = [token for token in tokenize(text) if token.kind == "word"]
    found: dict[int, str] = {}
    whose = ""
    for token, following in pairwise([*words, None]):
        if token is not None and token.text in _NAMED and following is not None:
            whose = f"{token.text} {following.text}"
        elif token is not None and token.text in _NAMELESS:
            whose = token.text
        elif token is not None and token.text in HOLES:
            found.setdefault(token.line, whose)
    return found


def _lines_in(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Where lines of the new text stand in the old one, both counted from 1."""
    same = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.b + at + 1: block.a + at + 1 for block in same for at in range(block.size)}


def difference(name: str, old: str, new: str) -> Iterator[str]:
    """A unified diff, line by line with their ends, that ``patch`` can apply."""
    for line in unified_diff(_lines(old), _lines(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"


def _lines(text: str) -> list[str]:
    """Only a line feed ends a line: nothing else does in a patch."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@dataclass(slots=True)
class _File:
    text: str
    changed: bool = False
    language: str = ""
    tried: int = 0
    without_verdict: int = 0
    """Of these, those that could not be worked on, for which the reason is told where it happened."""
    named: bool = False
    """Whether the user names it: then it is told that it has no holes."""
    certificates: list[Path] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    """Theorems that were refuted, with the values that do it."""


@dataclass(slots=True)
class Filling:
    """The files of one batch."""

    settings: LeanSettings
    write: bool
    """Write the files in place."""
    diff: bool
    """Print what would be changed."""
    out: Console
    """Where words go; a diff goes to standard output, or with them where ``diff_to_text``."""
    diff_to_text: bool = False
    _files: dict[str, _File] = field(default_factory=dict)

    def read(self, source: Source, text: str) -> None:
        """A theorem of a file is about to be proved, and this is what the file says now."""
        known = self._files.setdefault(source.file, _File(text))
        known.changed |= known.text != text
        known.named |= source.named

    def done(self, source: Source, result: RunResult, *, without_verdict: bool = False) -> None:
        """A theorem is done with, or could not be worked on."""
        known = self._files.get(source.file)
        if known is None:
            return
        known.tried += 1
        known.without_verdict += without_verdict
        known.language = result.language or known.language
        if result.verdict is Verdict.REFUTED:
            values = "; ".join(counterexample_lines(result.counterexample)) if result.counterexample else result.reason
            known.false.append(f"{source.name} ({values})")
        if result.verdict is Verdict.PROVED and result.language == LEAN and result.certificate is not None:
            known.certificates.append(result.certificate)

    async def finish(self, note: Callable[[str], None], stopped: Callable[[], bool] = lambda: False) -> bool:
        """Fill, check, show and write; whether all went as it was asked for.

        Args:
            note: is told what is being waited for.
            stopped: whether somebody wants no more of it; then nothing further is written.
        """
        results = [await self._file(name, known, note, stopped) for name, known in self._files.items()]
        return all(results)

    async def _file(self, name: str, known: _File, note: Callable[[str], None], stopped: Callable[[], bool]) -> bool:
        shown = printable(name)
        if not known.certificates and known.language not in ("", LEAN):
            if known.named:
                say(self.out, f"{shown}: there is nothing to fill in: only Lean files have holes")
            return True
        if not known.certificates:
            if known.without_verdict < known.tried:
                say(self.out, f"{shown}: there is nothing to fill in: no open theorem was proved")
            self._say_false(known)
            return False
        if known.changed:
            say(self.out, f"{shown} was changed while it was being worked on; nothing is filled in")
            return False
        try:
            whole = filled(known.text, known.certificates)
            if not whole.accepted:
                note(f"{shown}: checking the filled file as a whole")
            problem = await objection(whole, fresh_of(self.settings), SECONDS)
        except Unfillable as fault:
            problem = str(fault)
        if stopped():
            say(self.out, f"{shown}: interrupted; nothing is filled in")
            return False
        if problem:
            one = "; --theorem NAME fills in one at a time" if len(known.certificates) > 1 else ""
            say(
                self.out, f"{shown}: nothing is filled in: the file as a whole does not check: {one_line(problem)}{one}"
            )
            return False
        return self._show(name, known, whole)

    def _show(self, name: str, known: _File, whole: Filled) -> bool:
        if self.diff:
            self._diff(name, known.text, whole.raw)
        filled = f"{len(whole.theorems)} of {known.tried} open theorems filled"
        kept = not self.write or self._write(name, known.text, whole.raw, filled)
        if not self.write:
            how = "" if name == STDIN else "; nothing was written, --write does it"
            say(self.out, f"{printable(name)}: {filled}{how}")
        for theorem in whole.replaced:
            say(self.out, f"  the beginning of a proof of {one_line(theorem)} gave way to the whole one")
        still = list(left_open(whole.text, None if self.write else whole.originals[0]))
        for line, text in still[:MOST_LISTED]:
            say(self.out, f"  left open: {printable(name)}:{line}: {one_line(text, 100)}")
        if len(still) > MOST_LISTED:
            say(self.out, f"  left open: {len(still) - MOST_LISTED} more")
        self._say_false(known)
        return kept

    def _say_false(self, known: _File) -> None:
        """Which theorems stay open because nothing can prove them."""
        for text in known.false:
            say(self.out, f"  false: {one_line(text, 200)}")

    def _write(self, name: str, old: str, new: str, filled: str) -> bool:
        """Put the new text in the file's place; whether that was possible."""
        try:
            backup = write_in_place(Path(name), old, new)
        except (NotWritten, OSError) as problem:
            say(self.out, f"nothing was written: {one_line(str(problem))}")
            return False
        say(self.out, f"written: {printable(name)}, {filled}; what it was is in {printable(str(backup))}")
        return True

    def _diff(self, name: str, old: str, new: str) -> None:
        lines = list(difference("stdin" if name == STDIN else printable(name), old, new))
        if self.diff_to_text or is_live(sys.stdout):
            out = self.out if self.diff_to_text else console(sys.stdout)
            for line in lines:
                style = "" if self.diff_to_text else _COLOURS.get(line[:1], "")
                say(out, printable(line.rstrip("\n").expandtabs()), style=style)
        else:
            sys.stdout.writelines(lines)
        sys.stdout.flush()


def fresh_of(settings: LeanSettings) -> FreshLean:
    """Starts Leans that nothing has been asked of, of the kind that the settings ask for."""
    return partial(fresh_lean, settings)
