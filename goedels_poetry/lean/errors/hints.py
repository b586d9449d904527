"""What a person does about an error of Lean in a file."""

from __future__ import annotations

import re

OWN = ("Init", "Std", "Lean")
"""Libraries that come with every Lean; the embedded one has no other."""
_NO_MODULE = re.compile(r"unknown module prefix '(?P<module>[^']+)'|file '.*' of module (?P<built>\S+) does not exist")
_TRACE = re.compile(r"\s*Hint: Type class instance resolution failures can be inspected with the .*? command\.", re.S)
_NO_PROGRAMS = "read-only file system (error code:"
_SOLVER = "the tactic runs another program, which this Lean cannot"
_WITHOUT = "bv_decide runs a SAT solver; bv_omega, decide, simp and grind run none, and a Lean of your own has one"
_MATHLIB = {
    "lemma": "`lemma` is Mathlib's: write `theorem`",
    "alias": "`alias` is Batteries': write a `theorem` with the new name",
}
"""Words that begin a command only where a library is imported."""


def worded(message: str, text: str, line: int, column: int) -> tuple[str, str | None]:
    """The message as a person needs it, and what to do about it where that is known.

    Args:
        message: Lean's own words.
        text: The file.
        line: Of the error, from 1.
        column: Of the error, from 0, in characters.
    """
    missing = _NO_MODULE.search(message)
    if missing:
        module = missing["module"] or missing["built"]
        return message.partition("\n")[0], about(module.partition(".")[0])
    if message.startswith(_NO_PROGRAMS):
        return _SOLVER, _WITHOUT
    message = _TRACE.sub("", message)
    lines = text.splitlines()
    if "expected command" in message and 0 < line <= len(lines):
        word = re.match(r"[\w']+", lines[line - 1][column:])
        return message, _MATHLIB.get(word[0]) if word else None
    return message, None


def about(library: str) -> str:
    """What a person does about an import of this library."""
    if library in OWN:
        return f"{library} has no such module"
    return (
        f"this Lean has no {library}; the embedded one has {', '.join(OWN[:-1])} and {OWN[-1]}. To use {library}, name "
        "a lake project that has it (setting lean.project, GOEDELS_POETRY__LEAN__PROJECT=FOLDER) or a Kimina server "
        "(lean.kimina_url); else leave the import out: omega, simp, grind and induction need none"
    )
