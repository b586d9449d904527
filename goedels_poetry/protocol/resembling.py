"""In which language a text seems to be written that another one cannot read: for a hint, nothing else."""

from __future__ import annotations

import re

from goedels_poetry.errors import InvalidInput

MAX_LOOKED_AT = 20_000
"""Characters."""
_COMMENTS = re.compile(r"(?s)/-.*?-/|\"(?:[^\"\\]|\\.)*\"|(?m:--[^\n]*$|^\s*;[^\n]*$|^\s*#(?![a-z])[^\n]*$)")
_LEAN = re.compile(
    r"(?m)^\s*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable)\s+)*"
    r"(?:(?:theorem|lemma|def|abbrev|axiom|instance|inductive|structure|example)\b[^\n]*(?:\n[^\n]*){0,12}?:="
    r"|(?:import|open|namespace)\s+[A-Z]\w*(?:\.\w+)*\s*$)"
)
_SMT = re.compile(r"\(\s*(?:set-logic|declare-[a-z]+|define-[a-z-]+|assert(?:-not)?|check-sat|prove)\b")
_PYTHON = re.compile(r"(?m)^(?:(?:async\s+)?def\s+\w+\([^\n]*:\s*$|from\s+[\w.]+\s+import\s|import\s+[a-z_][\w.]*\s*$)")
_JSON = re.compile(r"\s*\{\s*\"")


def resembles(text: str) -> str:
    """The name of the built-in language that a text looks like; "" when it is not clear."""
    head = text.removeprefix("\ufeff")[:MAX_LOOKED_AT]
    if _JSON.match(head):
        return "logic"
    bare = _COMMENTS.sub(" ", head)
    if bare.lstrip().startswith("("):
        return "smt" if _SMT.search(bare) else ""
    if _PYTHON.search(bare):
        return "python"
    return "lean" if _LEAN.search(bare) else ""


def with_language_hint(error: InvalidInput, text: str, read_as: str) -> InvalidInput:
    """The error, with a hint where the text looks like one of another language than it was ``read_as``."""
    other = resembles(text)
    if other and other != read_as:
        words = {"smt": "SMT-LIB", "lean": "Lean", "python": "Python", "logic": "a logic program in JSON"}[other]
        error.hint = f"this looks like {words}: --language {other}"
    return error
