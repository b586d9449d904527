"""A text cut into numbered sentences, so that premises can say which of them they render.

Every line is looked at once. Headings are kept, without a number, because they say what the sentences below them are
about; each item of a list is a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_SENTENCES = 2_000
"""Further text goes into the last sentence: nothing is lost, but it cannot be told apart."""

_HEADING = re.compile(r"#{1,6}\s")
_DOCUMENT = re.compile(r"(?i)document\s*[-:–]")
_ITEM = re.compile(r"(?:[-*•–·]|\d{1,3}[.)]|\(?[a-zA-Z][)])\s+(?=\S)")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)")
_OPENING = "\"'“‘(["
_TITLES = "mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres messrs mt ft inc ltd corp"
_OTHERS = "vs cf eg ie e.g i.e viz approx ca fig figs eq eqs sec ch vol ed eds pp u.s u.k u.s.a u.n e.u ph.d m.d b.sc"
_MONTHS = "jan feb mar apr jun jul aug sep sept oct nov dec"
_NEVER_LAST = frozenset(f"{_TITLES} {_OTHERS}".split())
"""Abbreviations, without their last dot, that a sentence goes on behind."""
_BEFORE_A_NUMBER = frozenset(f"no nos nr p art para {_MONTHS}".split())
"""Those that a number follows; before anything else they end a sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, heading or item of a list."""

    text: str
    number: int | None = None
    """From 1; None for a heading, which nothing can rest on."""
    asked: bool = False
    """Whether it is the sentence that asks: what it takes for granted may be used, what it asks may not."""


def split(text: str) -> list[str]:
    """The sentences of a text in order, headings with their ``#``, items of lists with their mark."""
    return [sentence for line in _lines(text) for sentence in _of_line(line)]


def numbered(texts: Iterable[str], first: int = 1) -> tuple[Sentence, ...]:
    """Sentences with their numbers, from ``first`` on; headings have none."""
    found: list[Sentence] = []
    number = first
    for text in texts:
        if is_heading(text):
            found.append(Sentence(text))
        elif number - first >= MAX_SENTENCES:
            last = next(n for n in range(len(found) - 1, -1, -1) if found[n].number is not None)
            found[last] = Sentence(f"{found[last].text} {text}", found[last].number)
        else:
            found.append(Sentence(text, number))
            number += 1
    return tuple(found)


def is_heading(text: str) -> bool:
    """Whether a line is a heading: marked as one, or the title of a document."""
    return bool(_HEADING.match(text)) or (text.endswith(":") and bool(_DOCUMENT.match(text)))


def _lines(text: str) -> Iterator[str]:
    """Lines without the space around them; one that was broken in the middle of a sentence is put together again."""
    waiting = ""
    for raw in text.splitlines():
        line = " ".join(raw.split())
        goes_on = waiting and line[:1].islower() and not _ITEM.match(line) and waiting[-1] not in ".!?:;"
        if goes_on and not is_heading(waiting):
            waiting = f"{waiting} {line}"
            continue
        if waiting:
            yield waiting
        waiting = line
    if waiting:
        yield waiting


def _of_line(line: str) -> Iterator[str]:
    if is_heading(line):
        yield line
        return
    begin = 0
    mark = _ITEM.match(line)
    for end in _END.finditer(line, mark.end() if mark else 0):
        if _ends_here(line, begin, end):
            yield line[begin : end.end()].strip()
            begin = end.end()
    if rest := line[begin:].strip():
        yield rest


def _ends_here(line: str, begin: int, end: re.Match[str]) -> bool:
    """Whether a sentence ends at a mark: not behind an abbreviation, nor before something written small."""
    following = line[end.end() :].lstrip()
    start = following.lstrip(_OPENING)[:1]
    if not start or start.islower():
        return False
    if end[0][0] != ".":
        return True
    word = line[begin : end.start()].rsplit(None, 1)[-1:] or [""]
    last = word[0].lstrip(_OPENING).lower()
    if last in _NEVER_LAST:
        return False
    if last in _BEFORE_A_NUMBER and start.isdigit():
        return False
    initial = len(last) == 1 and last.isalpha() and last != "i" and word[0].lstrip(_OPENING).isupper()
    # "J. Smith" and "F. D. Roosevelt", but "Vitamin C. It ...": an initial stands first or behind another name's part.
    return not (initial and _looks_like_a_name(line[begin : end.start() - 1], following))


def _looks_like_a_name(before: str, following: str) -> bool:
    previous = before.split()[-1:]
    behind_a_name = not previous or previous[0][:1].isupper() or previous[0].endswith(".")
    first = following.split(None, 1)[0].lower().strip(",.")
    return behind_a_name and first not in _BEGINNINGS


_STARTS = "the a an it he she they we you this that these those if all no some every each there"
_BEGINNINGS = frozenset(_STARTS.split())
"""Words that begin a sentence, not a surname."""
