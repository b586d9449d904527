"""What is wrong where the wording does not say it: by the message's types, and by the code around its place.

A premise that was not supplied is reported as a type mismatch, mixed types as a missing instance. Each function looks
for one of these; None means that the wording is all there is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from goedels_poetry.lean.errors.families import ErrorCategory, family_of, with_one_quote
from goedels_poetry.lean.errors.names import Names
from goedels_poetry.lean.errors.reading import Said

_COMMAND = re.compile(
    r"(?:@\[|(?:private |protected |noncomputable |partial |unsafe |local |scoped )*"
    r"(?:theorem|lemma|def|example|instance|structure|class|inductive|abbrev|axiom|opaque|namespace|section|end|open|"
    r"variable|universe|import|set_option|macro|syntax|notation|infix|infixl|infixr|mutual|attribute|#\w+)\b)"
)
_BINDER = re.compile(r"[({\[⦃]([^(){}\[\]⦃⦄:]{1,500}):\s*([^(){}\[\]⦃⦄]{0,500})")
_INTRODUCED = re.compile(
    r"\b(?:theorem|lemma|def|abbrev|structure|inductive|class|have|let|obtain|intro|intros|rintro|fun|suffices)\b"
    r"[ \t⟨(]*([\w'.✝ \t,⟨⟩|]{1,200})"
)
_TYPE = re.compile(r"\b(?:structure|inductive|class|def|abbrev)\s+([\w'.]+)")
_WIDTH = 1_000
"""Characters before and after a place that are looked at; lines of proofs are shorter."""


class Code:
    """The text that Lean was given, or "" when it is not known. Each question is answered by reading it once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")

    def word_at(self, message: Said) -> str:
        """The word that a message points into or just behind; "" where there is none."""
        if message.line is None or message.column is None or not 1 <= message.line <= len(self.lines):
            return ""
        column = max(message.column, 0)
        start = max(column - _WIDTH, 0)
        line = self.lines[message.line - 1][start : column + _WIDTH]
        words = re.finditer(r"[^\W\d][\w']*", line)
        return next((word[0] for word in words if word.start() <= column - start <= word.end()), "")

    @cached_property
    def commands(self) -> list[int]:
        """The lines, from 1, on which a command begins."""
        return [number for number, line in enumerate(self.lines, 1) if _COMMAND.match(line)]

    @cached_property
    def sorts(self) -> dict[str, str]:
        """Every name that a binder binds, and its type; the first binder counts."""
        found: dict[str, str] = {}
        for binder in _BINDER.finditer(self.text):
            for name in binder[1].split():
                found.setdefault(name, binder[2].strip())
        return found

    @cached_property
    def names(self) -> Names:
        """Names that the text itself introduces. They are short: half alike is near."""
        introduced = [name for names in _INTRODUCED.findall(self.text) for name in re.findall(r"[\w'.✝]+", names)]
        return Names((*self.sorts, *introduced), alike=0.6)

    @cached_property
    def declared(self) -> frozenset[str]:
        """Names that the text declares as a type, a class or a function."""
        return frozenset(_TYPE.findall(self.text))


def culprit(message: Said, code: Code) -> ErrorCategory | None:
    """What is wrong by more than the wording; None where the wording is all there is."""
    text = message.text.strip()
    if _misses_premise(text, code) or _misses_law(text):
        return ErrorCategory.MISSING_PREMISE
    if _is_unknown(text):
        return ErrorCategory.UNKNOWN_IDENTIFIER
    if _has_no_premises(text):
        return ErrorCategory.TACTIC_FAILED
    return ErrorCategory.TYPE_MISMATCH if _mixes_types(text, code) else None


def _is_unknown(text: str) -> bool:
    """A name that there is not, taken for a variable of its own: its type is open, and new Leans say so in a hint."""
    applied = re.match(
        r"function expected at\n\s*[^\W\d?][\w.'✝]*[ ]*\n(?:but this )?term has type\n\s*\?[\w.]+(?:\n|\Z)",
        text,
        re.IGNORECASE,
    )
    return bool(applied or re.search(r"The identifier '[^'\n]+' is unknown, and", with_one_quote(text)))


def _has_no_premises(text: str) -> bool:
    """`apply` of a lemma without premises that says something else; Lean notes the full type where it has some."""
    plain = with_one_quote(text)
    found = re.match(r"tactic 'apply' failed[:,] could not unify the conclusion of[^\n]*\n([^\n]*)", plain, re.I)
    return found is not None and "?" not in found[1] and "The full type of" not in text


# -- instances ---------------------------------------------------------------------------------------------------

_SIMPLE = frozenset({"Nat", "Int", "Bool", "String", "Char", "Float", "Prop", "Unit"})
"""Types whose operations are all there: one that is missing was meant for another type."""


def _mixes_types(text: str, code: Code) -> bool:
    """An operation on different types, or a numeral of a type that has none: the types are wrong, no instance."""
    found = re.match(r"failed to synthesize[^\n]*\n\s*(?P<class>[\w.]+) (?P<arguments>[^\n]*)", text, re.IGNORECASE)
    arguments = _split(found["arguments"], " ") if found else []
    if found is None or not arguments:
        return False
    name = found["class"]
    if name == "OfNat":
        return not _is_variable(arguments[0], code)
    if name in ("HPow", "HSMul", "HShiftLeft", "HShiftRight"):
        odd = len(arguments) > 1 and (arguments[1] in _SIMPLE - {"Nat", "Int"} or "→" in arguments[1])
        return odd and not _is_variable(arguments[0], code)
    if re.fullmatch(r"H[A-Z]\w*", name) and len(arguments) == 3:
        known = {argument for argument in arguments if "?" not in argument}
        sorts = any(re.match(r"\(?(Sort|Type|Prop)\b", argument) for argument in arguments)
        return len(known) > 1 or sorts or any("→" in argument or argument in _SIMPLE for argument in known)
    if name in ("Neg", "GetElem", "GetElem?"):
        return arguments[0] in _SIMPLE
    return name == "Membership" and len(arguments) == 2 and arguments[1] in _SIMPLE - {"String"}


def _is_variable(type_: str, code: Code) -> bool:
    """Whether a type is a parameter of the theorem, for which instances are assumed, and not a type of its own."""
    if not re.fullmatch(r"[\w'✝]+", type_) or type_ in _DATA or type_ in code.declared:
        return False
    sort = code.sorts.get(type_)
    if sort is not None:
        return sort.startswith(("Type", "Sort"))
    return re.fullmatch(r"([^\W\d_]|[A-Z]')[\d₀-₉✝']*", type_) is not None


def _misses_law(text: str) -> bool:
    """`ac_rfl` on two sides that are the same up to order and brackets: an instance of a law is missing."""
    _, equality, rest = text.partition("equality lhs\n")
    left, differ, right = rest.partition("\nis not definitionally equal to rhs\n")
    if not equality or not differ or re.search(r" [-/%^]\s|::", text.partition("⊢")[0]):
        return False  # no operation of which any order and brackets could be the same
    sides = (sorted(re.findall(r"[^\s()]+", side)) for side in (left, right.split("\n\n")[0]))
    return next(sides) == next(sides)


# -- premises ----------------------------------------------------------------------------------------------------

_SORT = re.compile(r" : (?:Prop|Type\b.*|Sort\b.*)\Z")
_LOGIC = re.compile(r"[=<>≤≥≠∣∈∉∧∨¬↔⊆⊂∃]|\b(?:True|False|Decidable|Nonempty)\b")
"""What only stands in propositions."""
_DATA_WORDS = """
Nat Int Fin Bool String Char Float Unit Type Sort Rat Real Complex ℕ ℤ ℚ ℝ ℂ List Array Option Prod Sum Set Vector
BitVec Except IO Id Task Finset Multiset Name Expr Syntax PUnit Empty UInt8 UInt16 UInt32 UInt64 USize
"""
_DATA = frozenset(_DATA_WORDS.split())
"""Types that are no propositions."""
_RELATIONS = ("↔", "∨", "∧", "=", "≠", "<", "≤", ">", "≥", "∣", "∈", "∉", "⊆", "⊂", "≈", "∼", "≡", "==", "!=")
"""Loosest first; the one that is found first, outside of brackets, is what a proposition says."""
_LONGEST = 4_000
"""Characters of a type that are looked at; longer ones say nothing here."""


def _misses_premise(text: str, code: Code) -> bool:
    """Whether a type mismatch is of a term whose type, after premises, ends in what is expected."""
    found = re.match(
        r"[^\n]*type mismatch\b(?P<term>.*?)has type\b(?P<given>.*?)but is expected to have type\b(?P<wanted>.*)",
        text,
        re.IGNORECASE | re.DOTALL,
    )
    if found is None or re.search(r"(?:\A|\n)\s*(?:fun|λ) [^\n]*\s*\Z", found["term"]):
        return False
    wanted = re.split(r"\nof sort|\nin the application|\n\n", found["wanted"].lstrip(), maxsplit=1)[0]
    given = re.split(r"\nof sort", found["given"].strip("\n"), maxsplit=1)[0]
    if max(len(given), len(wanted)) > _LONGEST:
        return False
    premises, end = _telescope(given)
    expected, last = _telescope(wanted)
    missing = len(premises) - len(expected)
    asked = premises[: max(missing, 0)]
    proofs = _LOGIC.search(end) and any(premise.startswith("?") for premise in asked)
    return bool(asked) and bool(proofs or any(_is_proposition(p, code) for p in asked)) and _fits(end, last)


def _telescope(type_: str) -> tuple[list[str], str]:
    """The premises of a type, those of binders included, and its conclusion; bound names become ``?name``."""
    rest = _SORT.sub("", " ".join(type_.split()))
    premises: list[str] = []
    while True:
        if rest.startswith("∀ "):
            at = next(_outside(rest, ", "), None)
            binders, body = (rest[2:at], rest[at + 2 :]) if at is not None else (rest, "")
        else:
            at = next(_outside(rest, " → "), None)
            binders, body = (rest[:at], rest[at + 3 :]) if at is not None else ("", "")
            if binders and not re.match(r"[({\[⦃][\w'✝ ]+ : ", binders):
                premises.append(binders)
                rest = body
                continue
        if not body:
            return premises, rest
        types = re.findall(r"\([^():]* : ([^()]*)\)", binders)
        premises += [each for each in types if _LOGIC.search(each)]
        for name in re.findall(r"[\w'✝]+", re.sub(r":[^)}\]]*", " ", binders)):
            body = re.sub(rf"(?<![\w?.']){re.escape(name)}(?![\w'])", f"?{name}", body)
        rest = body


def _split(text: str, mark: str) -> list[str]:
    """Like ``str.split``, outside of brackets; no empty parts."""
    parts, last = [], 0
    for place in _outside(text, mark):
        parts.append(text[last:place])
        last = place + len(mark)
    return [part for part in (*parts, text[last:]) if part]


def _outside(text: str, mark: str) -> Iterator[int]:
    """The places of ``mark`` outside of all brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{⟨⦃") - (letter in ")]}⟩⦄")
        if depth == 0 and text.startswith(mark, place):
            yield place


def _fits(pattern: str, text: str) -> bool:
    """Whether terms put for metavariables could make the pattern the text, by their relations and heads."""
    if pattern == text or pattern.startswith("?"):
        return True
    for relation in _RELATIONS:
        mark = f" {relation} "
        sides, wanted = _split(pattern, mark), _split(text, mark)
        if len(sides) > 1 or len(wanted) > 1:
            alike = all(_alike(a, b) for a, b in zip(sides, wanted, strict=False))
            return len(sides) > 1 and len(wanted) > 1 and alike
    return pattern.split(" ")[0] == text.split(" ")[0] and _alike(pattern, text)


def _alike(pattern: str, text: str) -> bool:
    """Sides with numbers may be equal by computation."""
    return pattern == text or "?" in pattern + text or bool(re.search(r"\d|\bsucc\b", pattern + text))


def _is_proposition(text: str, code: Code) -> bool:
    if _LOGIC.search(text) or text.startswith("∀"):
        return True
    head = next(iter(text.strip("() ").split()), "")
    sort = code.sorts.get(head) if " " not in text else None
    if sort is not None:
        return sort == "Prop"
    return not head.startswith("?") and head not in _DATA and not re.fullmatch(r"[α-ωA-Z]\d*", head)


# -- consequences ------------------------------------------------------------------------------------------------

NEAR = 12
"""Lines within which a parse error is taken for the end of the same declaration, where the code is not known."""
_PARSER = re.compile(
    r"\A(?:<input>:\d+:\d+: )?"
    r"(?:unexpected (?:token|identifier|end of input)|expected (?!type\b)|unterminated|missing end)"
)


class Consequences:
    """Which messages only follow from a parse error that cut their declaration off.

    Where the code does not show that it is the same declaration, a name that is not known stands for itself.
    """

    def __init__(self, messages: Sequence[Said], code: Code) -> None:
        self._code = code
        self._breaks = sorted({m.line for m in messages if m.severity == "error" and m.line and _PARSER.match(m.text)})

    def has(self, message: Said) -> bool:
        """Whether a parse error stands behind the message in the same declaration."""
        if message.line is None or not self._breaks or _PARSER.match(message.text):
            return False
        parse = next(iter(self._breaks[bisect_left(self._breaks, message.line) :]), None)
        if parse is None:
            return False
        if not self._code.text:
            return parse - message.line <= NEAR and family_of(message.text)[0] is not ErrorCategory.UNKNOWN_IDENTIFIER
        commands = self._code.commands
        following = commands[bisect_right(commands, message.line) :]
        return not following or following[0] > parse
