"""The change in a model's reply, whatever it is wrapped in; nothing is mended here."""

from __future__ import annotations

import ast
import re

from goedels_poetry.models.replies import Block, UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.python.changes.patches import MAX_CHANGE

_MARKS = re.compile(r"^(<{5,}|>{5,}|={5,})", re.MULTILINE)
_SEARCHES = re.compile(r"^<{5,}\s*\w*.*$", re.MULTILINE)
_REPLACES = re.compile(r"^>{5,}\s*\w*.*$", re.MULTILINE)
_DIFF = re.compile(r"^(@@|--- |\+\+\+ |diff --git )", re.MULTILINE)


def change_in(reply: Reply) -> str:
    """The change that a reply proposes, as text for `read_proposal`.

    Raises:
        UnusableReply: there is none, it is cut off, or too long.
    """
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (reply.finish == "length" and not fenced):
        raise UnusableReply("the reply is cut off before the end of the change")
    change = _found([block for block in fenced if block.text.strip()], without_thinking(reply.text))
    if not change.strip():
        raise UnusableReply("the reply holds no change: neither search and replace blocks, nor a diff, nor Python")
    if len(change) > MAX_CHANGE:
        raise UnusableReply(f"the change is longer than {MAX_CHANGE} characters")
    return change


def unfenced(text: str) -> str:
    """The change in a text that somebody gives; a text with fences is read like a reply."""
    if re.search(r"^(```|~~~)", text, re.MULTILINE) and not _is_python(text):
        try:
            return change_in(Reply(text))
        except UnusableReply:
            return text
    return text


def _found(fenced: list[Block], bare: str) -> str:
    searching = [block.text for block in fenced if _is_search(block.text)]
    if searching:
        return "\n".join(searching)
    if not fenced and _is_search(bare):
        return bare[next(_SEARCHES.finditer(bare)).start() :]
    diffs = [
        b.text for b in fenced if _DIFF.search(b.text) and (b.tag in ("diff", "patch", "") or not _is_python(b.text))
    ]
    if diffs:
        return "\n".join(diffs)
    if not fenced:
        start = _DIFF.search(bare)
        return bare[start.start() :] if start is not None else (bare if _is_python(bare) else "")
    python = [b.text for b in fenced if b.tag in ("python", "py", "python3", "") and _is_python(b.text)]
    whole = [text for text in python if re.search(r"^(async )?(def|class) |^@|^import |^from ", text, re.MULTILINE)]
    return _together(whole) if whole else (python or [fenced[-1].text])[-1]


def _together(texts: list[str]) -> str:
    """The last block; with those before it that define other things than it does."""
    last = texts[-1]
    known = _defined(last)
    before = [text for text in texts[:-1] if _defined(text) and not (_defined(text) & known)]
    return "\n\n\n".join([*before, last])


def _defined(text: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.parse(text).body if isinstance(node, kinds)}


def _is_search(text: str) -> bool:
    return bool(_SEARCHES.search(text) and _REPLACES.search(text) and len(_MARKS.findall(text)) >= 3)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
