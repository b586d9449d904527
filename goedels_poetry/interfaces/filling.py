"""Lean files with their holes filled by what runs have proved, and the whole checked.

What a run has proved about one theorem is a file that differs from the user's in that theorem alone. So each proof is
one edit of the user's text, and several go together; Lean's gate looks at what comes of it before anybody gets it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

from goedels_poetry.checker.certificate.archive import BadCertificate
from goedels_poetry.checker.lean.certify import LeanArchive, read_lean
from goedels_poetry.checker.lean.verify import Claim, FreshLean, verify
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, PRIVATE
from goedels_poetry.lean.runtime.tokens import tokenize
from goedels_poetry.lean.text.modules import own_text
from goedels_poetry.lean.text.source import normalised

HOLES = frozenset({"sorry", "admit"})
_NO_PROOF = frozenset({":=", "by", "sorry", "admit", "exact"})
"""Words of a theorem that is left open and no more."""
_NAMED, _NAMELESS = frozenset({"theorem", "lemma", "def", "abbrev"}), frozenset({"example", "instance"})


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
class Edit:
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
    own = own_text(raw)
    end = "\r\n" if own.count("\r\n") * 2 > own.count("\n") else "\n"
    try:
        return _filled(raw, archives, end)
    except Unfillable as fault:
        try:  # a file that ends with a statement: Lean was given it with a `:= sorry`
            return _filled(f"{raw.rstrip()}{end}  := sorry{end}", archives, end)
        except Unfillable:
            raise fault from None


def _filled(raw: str, archives: Sequence[LeanArchive], line_end: str) -> Filled:
    own = normalised(raw)
    edits = [difference(own, archive.proof) for archive in archives]
    opened = [difference(own, archive.original) for archive in archives]
    text, reference = _edited(own, edits), _edited(own, opened)
    new = _edited(raw, [_in_raw(raw, edit, line_end) for edit in edits])
    if normalised(new) != text:
        raise Unfillable("the line ends of the file do not survive")
    words = [(a, set(own[e.start : e.end].split()) - _NO_PROOF) for a, e in zip(archives, opened, strict=True)]
    begun = [a for a, some in words if not some <= set(a.proof.split())]
    names = tuple(archive.theorem for archive in archives)
    originals = (own,) if own == reference else (own, reference)
    replaced = tuple(archive.theorem.removeprefix(PRIVATE) for archive in begun)
    return Filled(new, text, originals, names, replaced, any(archive.proof == text for archive in archives))


def difference(old: str, new: str) -> Edit:
    """The one edit that makes the new text of the old one, as short as it can be."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    most -= start
    same = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return Edit(start, len(old) - same, new[start : len(new) - same])


def _edited(text: str, edits: Sequence[Edit]) -> str:
    """All edits at once; each speaks of the text as it is, and at least a line feed stands between two theorems."""
    ordered = sorted((e for e in edits if e.end > e.start or e.text), key=lambda edit: (edit.start, edit.end))
    if any(one.end >= other.start for one, other in pairwise(ordered)):
        raise Unfillable("two proofs change the same lines")
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _in_raw(raw: str, edit: Edit, line_end: str) -> Edit:
    """An edit of the text that Lean reads, as one of the user's file."""
    mark = len(raw) - len(raw.removeprefix("\ufeff"))
    ends = [found.start() - mark - number for number, found in enumerate(re.finditer("\r\n", raw))]
    start, end = (place + mark + bisect_left(ends, place) for place in (edit.start, edit.end))
    return Edit(start, end, edit.text.replace("\n", line_end))


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
