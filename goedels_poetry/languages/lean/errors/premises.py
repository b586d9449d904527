"""Whether a type mismatch is a premise that was not supplied: a term whose type still asks for proofs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from goedels_poetry.languages.lean.errors.code import Code

_MISMATCH = re.compile(r"\A[^\n]*type mismatch", re.IGNORECASE)
_SORT = re.compile(r" : (?:Prop|Type\b.*|Sort\b.*)\Z")
LOGIC = re.compile(r"[=<>≤≥≠∣∈∉∧∨¬↔⊆⊂∃]|\b(?:True|False|Decidable|Nonempty)\b")
"""What only stands in propositions."""
_DATA_WORDS = """
Nat Int Fin Bool String Char Float Unit Type Sort Rat Real Complex ℕ ℤ ℚ ℝ ℂ List Array Option Prod Sum Set
Vector BitVec Except IO Id Task Thunk Finset Multiset Subarray Substring Name Expr Syntax PUnit Empty UInt8
UInt16 UInt32 UInt64 USize ByteArray StateM ReaderM Subtype Sigma
"""
DATA = frozenset(_DATA_WORDS.split())
"""Types that are no propositions."""
_RELATIONS = ("↔", "∨", "∧", "=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "⊆", "⊂", "≈", "∼", "≡", "==", "!=")
"""Loosest first; the one that is found first, outside of brackets, is what a proposition says."""
_LONGEST = 4_000
"""Characters of a type that are looked at; longer ones say nothing here."""


def misses_premise(text: str, code: Code) -> bool:
    """Whether the term's type, after premises, ends in what is expected."""
    types = mismatched(text)
    if types is None:
        return False
    term, given, expected = types
    if term.startswith(("fun ", "λ ")):
        return False
    bound, binders, parts = _telescope(given)
    wanted = _telescope(expected)[2]
    missing = len(parts) - len(wanted)
    if missing < 0 or not parts:
        return False
    asked = [*parts[:missing], *binders]
    proofs = LOGIC.search(parts[-1]) and any(part.startswith("?") for part in parts[:missing])
    if not proofs and not any(_is_proposition(part, code) for part in asked):
        return False
    return all(_fits(part, want, bound) for part, want in zip(parts[missing:], wanted, strict=True))


def mismatched(text: str) -> tuple[str, str, str] | None:
    """The term of a mismatch, its type and the expected one, each on one line; None for other messages."""
    if not _MISMATCH.match(text):
        return None
    head, has, rest = text.partition("has type")
    given, but, rest = rest.partition("but is expected to have type")
    if not has or not but:
        return None
    expected = re.split(r"\nof sort|\nin the application|\n\n", rest.lstrip(), maxsplit=1)[0]
    given = re.split(r"\nof sort", given.strip("\n"), maxsplit=1)[0]
    if max(len(given), len(expected)) > _LONGEST:
        return None
    term = head.strip().rpartition("\n")[2].strip()
    return term, _in_one_line(given), _in_one_line(expected)


def _in_one_line(type_: str) -> str:
    return _SORT.sub("", " ".join(type_.split()))


def _telescope(type_: str) -> tuple[set[str], list[str], list[str]]:
    """The variables that a type binds in front, the types that are written at them, and its premises and conclusion."""
    bound: set[str] = set()
    types: list[str] = []
    while True:
        if type_.startswith("∀ "):
            binders, _, type_ = cut(type_[2:], ", ")
            types += re.findall(r"\([^():]* : ([^()]*)\)", binders)
            bound |= set(re.findall(r"[\w'✝]+", re.sub(r":[^)}\]]*", " ", binders)))
            continue
        dependent = re.match(r"[({\[⦃]([\w'✝ ]+) : ", type_)
        _, arrow, rest = cut(type_, " → ") if dependent else ("", "", "")
        if dependent is None or not arrow:
            break
        bound |= set(dependent[1].split())
        type_ = rest
    return bound, types, split(type_, " → ")


def cut(text: str, mark: str) -> tuple[str, str, str]:
    """Like ``str.partition`` at the first ``mark`` outside of all brackets."""
    place = next(_outside(text, mark), None)
    return (text, "", "") if place is None else (text[:place], mark, text[place + len(mark) :])


def split(text: str, mark: str) -> list[str]:
    """Like ``str.split``, outside of brackets; no empty parts."""
    parts, last = [], 0
    for place in _outside(text, mark):
        parts.append(text[last:place])
        last = place + len(mark)
    return [part for part in (*parts, text[last:]) if part]


def _outside(text: str, mark: str) -> Iterator[int]:
    """Where ``mark`` stands outside of all brackets."""
    depth = 0
    for place, letter in enumerate(text):
        if letter in "([{⟨⦃":
            depth += 1
        elif letter in ")]}⟩⦄":
            depth -= 1
        elif depth == 0 and letter == mark[0] and text.startswith(mark, place):
            yield place


def _fits(pattern: str, text: str, bound: set[str]) -> bool:
    """Whether something put for metavariables and bound variables could make the pattern the text.

    By what both say and their sides, not by Lean's own unification: sides with numbers may be equal by computation.
    """
    pattern, text = _bare(pattern), _bare(text)
    if pattern == text or _is_open(pattern.split(" ")[0], bound):
        return True
    for relation in _RELATIONS:
        mark = f" {relation} "
        left, found, right = cut(pattern, mark)
        wanted_left, there, wanted_right = cut(text, mark)
        if bool(found) != bool(there):
            return False
        if found:
            return _alike(left, wanted_left, bound) and _alike(right, wanted_right, bound)
    return pattern.split(" ")[0] == text.split(" ")[0] and _alike(pattern, text, bound)


def _alike(pattern: str, text: str, bound: set[str]) -> bool:
    pattern, text = _bare(pattern), _bare(text)
    if pattern == text or re.search(r"\d|\bsucc\b", pattern + text):
        return True
    return any(_is_open(word, bound) for word in re.findall(r"\?[\w.✝]*|[\w'✝]+", pattern)) or "?" in text


def _is_open(word: str, bound: set[str]) -> bool:
    return word.startswith("?") or word in bound


def _bare(text: str) -> str:
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _is_balanced(text[1:-1]):
        text = text[1:-1].strip()
    return text


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _is_proposition(text: str, code: Code) -> bool:
    text = _bare(text)
    if LOGIC.search(text) or text.startswith("∀"):
        return True
    if " → " in text:
        return _is_proposition(text.rsplit(" → ", 1)[1], code)
    head = text.split()[0] if text else ""
    if " " not in text and (sort := code.sorts.get(head)) is not None:
        return sort == "Prop"
    if head.startswith("?"):
        return False
    return head not in DATA and not re.fullmatch(r"[α-ωA-Z]\d*", head)
