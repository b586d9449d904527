"""What is wrong where the wording does not say it: by the message's types, and by the code around its place.

A premise that was not supplied is reported as a type mismatch, mixed types as a missing instance. Each function looks
for one of these; None means that the wording is all there is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
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
    if _misses_premise(text):
        return ErrorCategory.MISSING_PREMISE
    if _UNKNOWN.search(with_one_quote(text)):
        return ErrorCategory.UNKNOWN_IDENTIFIER
    return ErrorCategory.TYPE_MISMATCH if _mixes_types(text, code) else None


_UNKNOWN = re.compile(
    r"\Afunction expected at\n\s*[^\W\d?][\w.'✝]*[ ]*\n(?:but this )?term has type\n\s*\?[\w.]+(?:\n|\Z)"
    r"|The identifier '[^'\n]+' is unknown, and",
    re.IGNORECASE,
)
"""A name that there is not, taken for a variable of its own: its type is open, and new Leans say so in a hint."""
_MISMATCH = re.compile(
    r"[^\n]*type mismatch\b.*?has type\b(?P<given>.*?)but is expected to have type\b(?P<wanted>.*)",
    re.IGNORECASE | re.DOTALL,
)
_RELATION = re.compile("[=<>≤≥≠∣∈∧∨]")


def _misses_premise(text: str) -> bool:
    """Whether a type mismatch is of a term whose type has more premises than what is expected, and says a relation."""
    found = _MISMATCH.match(text)
    if found is None:
        return False
    given = found["given"].split("\nof sort")[0]
    wanted = re.split(r"\nof sort|\nin the application|\n\n", found["wanted"].lstrip(), maxsplit=1)[0]
    return given.count("→") > wanted.count("→") and _RELATION.search(given.rpartition("→")[2]) is not None


_SIMPLE = frozenset({"Nat", "Int", "Bool", "String", "Char", "Float", "Prop", "Unit"})
"""Types whose operations are all there: one that is missing was meant for another type."""
_SYNTHESIS = re.compile(r"failed to synthesize[^\n]*\n\s*(?P<class>[\w.]+) (?P<arguments>[^\n]*)", re.IGNORECASE)


def _mixes_types(text: str, code: Code) -> bool:
    """An operation on different types, or a numeral of a type that has none: the types are wrong, no instance."""
    found = _SYNTHESIS.match(text)
    if found is None:
        return False
    arguments = re.findall(r"\([^()]*\)|[^\s()]+", found["arguments"])
    if found["class"] == "OfNat":
        return bool(arguments) and not _is_variable(arguments[0], code)
    known = {argument for argument in arguments if "?" not in argument}
    if re.fullmatch(r"H[A-Z]\w*", found["class"]) and len(arguments) == 3:
        return len(known) > 1 or any("→" in argument or argument in _SIMPLE for argument in known)
    return found["class"] in ("Neg", "GetElem", "GetElem?", "Membership") and not _SIMPLE.isdisjoint(known)


def _is_variable(type_: str, code: Code) -> bool:
    """Whether a type is a parameter of the theorem, for which instances are assumed, and not a type of its own."""
    if not re.fullmatch(r"[\w'✝]+", type_) or type_ in _SIMPLE or type_ in code.declared:
        return False
    sort = code.sorts.get(type_)
    if sort is not None:
        return sort.startswith(("Type", "Sort"))
    return re.fullmatch(r"([^\W\d_]|[A-Z]')[\d₀-₉✝']*", type_) is not None


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
