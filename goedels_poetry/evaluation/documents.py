"""Documents that questions are about: pages of HTML pieces, made into plain text."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from goedels_poetry.evaluation.questions import BadData, text_of

_BLOCKS = frozenset({"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "div", "table", "ul", "ol", "br"})
_HIDDEN = frozenset({"script", "style"})


def is_document(row: Any) -> bool:
    """Whether a row is a page of ConditionalQA: ``url``, ``title`` and ``contents``, and no question."""
    return isinstance(row, Mapping) and "contents" in row and "url" in row and "question" not in row


def read_document(row: Mapping[str, Any]) -> tuple[str, str]:
    """A page's address and its text, ``Document - TITLE:`` first; headings keep a mark, items of lists a dash."""
    pieces = row["contents"]
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise BadData('"contents" is a list of texts in HTML')
    body = [text for piece in pieces if (text := plain(piece))]
    return text_of(row, "url"), "\n\n".join([f"Document - {text_of(row, 'title', default='untitled')}:", *body])


def plain(html: str) -> str:
    """The words of a piece of HTML."""
    reader = _Words()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.words).split("\n"))
    return "\n".join(line for line in lines if line not in ("", "-", "##"))


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        if tag in _BLOCKS:
            self.words.append("\n")
        if tag == "li":
            self.words.append("- ")
        elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.words.append("## ")
        elif tag in ("td", "th"):
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data.replace("\n", " "))
