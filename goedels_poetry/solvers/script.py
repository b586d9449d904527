"""A lexical gate in front of every solver: whole commands, from a short list, that cannot swallow ours.

It is no parser. It only makes sure that a text is a sequence of complete ``( … )`` commands that declare,
define or assert, so that what we append after it (``check-sat``, ``echo``) is read as we wrote it.
"""

from __future__ import annotations

import re

ALLOWED_COMMANDS = frozenset(
    {
        "assert",
        "declare-const",
        "declare-datatype",
        "declare-datatypes",
        "declare-fun",
        "declare-sort",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
        "define-sort",
        "set-logic",
    }
)

# z3 reads a backslash inside |…| as an escape and #| as a comment, SMT-LIB does not: both are refused.
_ATOMS = re.compile(r'"(?:[^"]|"")*"|\|[^|\\]*\||;[^\n]*')
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NEEDS_ATOMS = re.compile(r'["|;]')
_PAREN = re.compile(r"[()]")
_PAREN_OR_NEWLINE = re.compile(r"[()\n]")
_COMMAND = re.compile(r"\(\s*([a-z][a-z0-9-]*)(?=[\s()])")


def _blank(match: re.Match[str]) -> str:
    """Replace an atom by something of the same shape: newlines stay where they are, so lines stay right."""
    text = match.group()
    if text[0] == ";":
        return ""
    return "_" + "\n" * text.count("\n")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _bare(text: str) -> tuple[str, str | None]:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return text, f"line {_line(text, error.start)}: not a character"
    if found := _CONTROL.search(text):
        return text, f"line {_line(text, found.start())}: control character"
    if "#|" in text:
        return text, f"line {_line(text, text.index('#|'))}: '#|' is not SMT-LIB"
    if not _NEEDS_ATOMS.search(text):
        return text, None
    bare = _ATOMS.sub(_blank, text)
    if found := re.search(r'["|]', bare):
        return bare, f"line {_line(bare, found.start())}: unclosed string or quoted symbol"
    return bare, None


def script_fault(text: str) -> str | None:
    """Say why the text is not a sequence of complete, allowed commands, or None when it is. Linear time."""
    bare, fault = _bare(text)
    if fault:
        return fault
    depth = 0
    end = 0
    for paren in _PAREN.finditer(bare):
        at = paren.start()
        if bare[at] == "(":
            if depth == 0:
                command = _COMMAND.match(bare, at)
                if bare[end:at].strip():
                    return f"line {_line(bare, end)}: text outside a command"
                if command is None or command.group(1) not in ALLOWED_COMMANDS:
                    word = bare[at : at + 40].split("\n")[0]
                    return f"line {_line(bare, at)}: command not allowed: {word}"
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return f"line {_line(bare, at)}: ')' without '('"
            end = at + 1
    if depth:
        return f"line {_line(bare, len(bare))}: {depth} '(' not closed"
    if bare[end:].strip():
        return f"line {_line(bare, end)}: text outside a command"
    return None


def term_fault(text: str) -> str | None:
    """Say why the text is not one balanced term, or None when it is."""
    bare, fault = _bare(text)
    if fault:
        return fault
    depth = 0
    for paren in _PAREN.finditer(bare):
        depth += 1 if bare[paren.start()] == "(" else -1
        if depth < 0:
            return "')' without '('"
    if depth or not bare.strip():
        return "not a term"
    return None


def command_lines(text: str) -> list[int]:
    """The line, from 1, on which each top-level command of a faultless script begins."""
    bare, _ = _bare(text)
    lines = []
    line, depth = 1, 0
    for mark in _PAREN_OR_NEWLINE.finditer(bare):
        if mark.group() == "\n":
            line += 1
        elif mark.group() == "(":
            if depth == 0:
                lines.append(line)
            depth += 1
        else:
            depth -= 1
    return lines
