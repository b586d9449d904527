"""`prove --diff` and `--write`: what the filled files of a batch differ in, shown or written."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from goedels_poetry.checker.lean.verify import fresh_lean
from goedels_poetry.cli.inputs import STDIN, Source
from goedels_poetry.cli.report import NotWritten, write_in_place
from goedels_poetry.interfaces.filling import Filled, Unfillable, filled, left_open, objection
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.text.modules import own_text
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
_NO_NEWLINE = "\\ No newline at end of file\n"


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
        proved = result.verdict in (Verdict.PROVED, Verdict.INCONSISTENT)  # with contradictory hypotheses, too
        if proved and result.language == LEAN and result.certificate is not None:
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
        old, new = own_text(known.text), own_text(whole.raw)
        if self.diff:
            self._diff(name, old, new)
        filled = f"{len(whole.theorems)} of {known.tried} open theorems filled"
        kept = not self.write or self._write(name, old, new, filled)
        if not self.write:
            how = "" if name == STDIN else "; nothing was written, --write does it"
            say(self.out, f"{printable(name)}: {filled}{how}")
        for theorem in whole.replaced:
            say(self.out, f"  the beginning of a proof of {one_line(theorem)} gave way to the whole one")
        still = list(left_open(own_text(whole.text), None if self.write else own_text(whole.originals[0])))
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
