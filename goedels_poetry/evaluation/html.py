"""The report as one HTML page: the text of the Markdown page, with its pictures inside and nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; display: block;
  overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid #888; }
pre { background: #f6f6f6; padding: .8rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #161616; } th, td { border-color: #444; } pre { background: #222; }
  svg { background: #fff; }
}
"""
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)\Z")
_CELLS = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([|<])")


def page_of(markdown: str, pictures: Mapping[str, str], title: str) -> str:
    """One page.

    Args:
        markdown: headings, paragraphs, lists, tables, fenced blocks and pictures on lines of their own; all else is
            shown as it is, and nothing in it becomes mark-up.
        pictures: SVG by file name; they stand in the page where the text names them.
    """
    body = "\n".join(_blocks(markdown.split("\n"), pictures))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _blocks(lines: Sequence[str], pictures: Mapping[str, str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        picture = _PICTURE.match(line.strip())
        end = at + 1
        if line.startswith("```"):
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            yield f"<pre>{escape(chr(10).join(lines[at + 1 : end]))}</pre>"
            end += 1
        elif line.startswith("|"):
            end = _while(lines, at, "|")
            yield _table(lines[at:end])
        elif line.startswith("- "):
            end = _while(lines, at, "- ")
            yield "<ul>" + "".join(f"<li>{_inline(item[2:])}</li>" for item in lines[at:end]) + "</ul>"
        elif picture is not None:
            if picture[2] in pictures:
                yield f"<figure>{pictures[picture[2]]}</figure>"
        elif heading := re.match(r"(#{1,4}) (.*)", line):
            level = len(heading[1])
            yield f"<h{level}>{_inline(heading[2])}</h{level}>"
        elif line.strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(("|", "#", "- ", "```", "![")):
                end += 1
            yield f"<p>{_inline(' '.join(lines[at:end]))}</p>"
        at = end


def _while(lines: Sequence[str], at: int, beginning: str) -> int:
    while at < len(lines) and lines[at].startswith(beginning):
        at += 1
    return at


def _table(lines: Sequence[str]) -> str:
    rows = [[_inline(cell.strip()) for cell in _CELLS.split(line)[1:-1]] for line in lines]
    head, body = rows[0], rows[2:]
    cells = "".join(f"<th>{cell}</th>" for cell in head)
    shown = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{shown}</tbody></table>"


def _inline(text: str) -> str:
    """Code and emphasis; everything else literally."""
    shown = escape(_ESCAPED.sub(r"\1", text))
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", shown)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", shown)
