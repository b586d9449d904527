"""The program in a model's reply, whatever it is wrapped in. Only form is mended: the reader says what is wrong.

Models show pieces and drafts before the program that they mean, so the last block counts that holds a whole one. Where
none does, but the pieces together do, they are put together in their order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from goedels_poetry.models.replies import Block, UnusableReply, blocks, json_objects, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.tasks.question import MAX_PROGRAM

UNCHANGED = "UNCHANGED"
"""What a model may answer, instead of the whole program again, when it stays with it."""
_GOAL = re.compile(r"\(\s*define-fun(?:-rec)?\s+\|?goal\b|\(\s*define-const\s+\|?goal\b")
_ASSERTS = re.compile(r"\(\s*assert\b")
_DECLARES = re.compile(r"\(\s*declare-|\(\s*define-sort\b")
_TOKEN = re.compile(r';[^\n]*|"[^"]*"|\|[^|]*\||[()]')
_PROGRAM_LINE = re.compile(r"^[ \t]*[(;]", re.MULTILINE)
_SECTIONS = ("sorts", "functions", "knowledge_base", "verifications", "rules", "optimization")


def program_in(reply: Reply, backend: str) -> str:
    """The program, as the model wrote it.

    Args:
        reply: what came back.
        backend: ``smt2`` or ``json``.

    Raises:
        UnusableReply: none, too long, or cut off: half a program may be readable, and mean something else.
    """
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (reply.finish == "length" and not fenced):
        raise UnusableReply("the reply is cut off before the end of the program")
    found = [block for block in fenced if block.text.strip()]
    program = (_json if backend == "json" else _smt2)(found, without_thinking(reply.text))
    if not program.strip():
        raise UnusableReply("the reply holds no program")
    if len(program) > MAX_PROGRAM:
        raise UnusableReply(f"the program is longer than {MAX_PROGRAM} characters")
    return program


def says_unchanged(reply: Reply) -> bool:
    """Whether the model stays with its program: its last word says so, and there is no block."""
    words = without_thinking(reply.text).split()
    return not blocks(reply.text) and bool(words) and words[-1].strip("`*.!\"'") == UNCHANGED


def _smt2(fenced: Sequence[Block], bare: str) -> str:
    if not fenced:
        return _bare_smt2(bare)
    pieces = [block.text for block in fenced if _is_smt2(block.text)]
    whole = [n for n, p in enumerate(pieces) if _is_balanced(p) and _GOAL.search(p) and _DECLARES.search(p)]
    if whole:
        return _nothing_left(pieces[whole[-1]], pieces[whole[-1] + 1 :])
    together = "\n".join(pieces)
    if len(pieces) > 1 and _is_balanced(together) and _GOAL.search(together) and _ASSERTS.search(together):
        return together
    with_goal = [piece for piece in pieces if _GOAL.search(piece)]
    return (with_goal or pieces or [fenced[-1].text])[-1]


def _nothing_left(program: str, rest: Sequence[str]) -> str:
    """The program, when what stands in further blocks behind it only repeats parts of it.

    Raises:
        UnusableReply: a premise there would be lost.
    """
    known = "".join(program.split())
    for piece in rest:
        for line in piece.splitlines():
            if _PROGRAM_LINE.match(line) and not line.strip().startswith(";") and "".join(line.split()) not in known:
                raise UnusableReply(
                    f"the block with the goal is followed by another one, with {line.strip()[:60]!r}: put the whole "
                    "program into one block"
                )
    return program


def _bare_smt2(text: str) -> str:
    """From the first line that looks like a command to the last bracket."""
    start = _PROGRAM_LINE.search(text)
    end = text.rfind(")")
    if start is None or end < start.start():
        raise UnusableReply("the reply holds no program")
    return text[start.start() : end + 1] + "\n"


def _is_smt2(text: str) -> bool:
    return _PROGRAM_LINE.search(text) is not None and not text.lstrip().startswith("{")


def _is_balanced(text: str) -> bool:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0:
            return False
    return depth == 0


def _json(fenced: Sequence[Block], bare: str) -> str:
    """The last object that is a program: in a block, or in the text where no block holds one."""
    for source in (*(block.text for block in reversed(fenced)), bare):
        whole = [program for text in json_objects(source) for program in _programs(text)]
        if whole:
            return whole[-1]
    pieces = [block.text for block in fenced if block.text.lstrip().startswith("{")]
    if pieces or fenced:
        return (pieces or [fenced[-1].text])[-1]
    start, end = bare.find("{"), bare.rfind("}")
    if start < 0 or end < start:
        raise UnusableReply("the reply holds no JSON object")
    return bare[start : end + 1]


def _programs(text: str) -> list[str]:
    """An object that is a program, or the programs that are wrapped in it: ``{"program": {...}}``."""
    return [text] if _is_program(text) else [inner for inner in json_objects(text[1:]) if _is_program(inner)]


def _is_program(text: str) -> bool:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and any(name in value for name in _SECTIONS)
