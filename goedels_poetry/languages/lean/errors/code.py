"""The text that Lean was given, as far as a message's meaning depends on it."""

from __future__ import annotations

import re
from functools import cached_property

from goedels_poetry.languages.lean.errors.names import Names

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


class Code:
    """The text that Lean was given, or "" when it is not known. Each question is answered by reading it once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")

    def at(self, line: int | None, column: int | None) -> tuple[str, str]:
        """The line of a place before and after its column; two empty texts when there is no such place."""
        if line is None or column is None or not 1 <= line <= len(self.lines):
            return "", ""
        whole, column = self.lines[line - 1], max(column, 0)
        return whole[max(column - _WIDTH, 0) : column], whole[column : column + _WIDTH]

    @cached_property
    def commands(self) -> list[int]:
        """The lines, from 1, on which a command begins."""
        return [number for number, line in enumerate(self.lines, 1) if _COMMAND.match(line)]

    @cached_property
    def sorts(self) -> dict[str, str]:
        """Every name that a binder binds, and what stands behind its colon; the first binder counts."""
        found: dict[str, str] = {}
        for binder in _BINDER.finditer(self.text):
            for name in binder[1].split():
                found.setdefault(name, binder[2].strip())
        return found

    @cached_property
    def names(self) -> Names:
        """Names that the text itself introduces, as far as its words show it. They are short: half alike is near."""
        introduced = [name for names in _INTRODUCED.findall(self.text) for name in re.findall(r"[\w'.✝]+", names)]
        return Names((*self.sorts, *introduced), alike=0.6)

    @cached_property
    def declared(self) -> frozenset[str]:
        """Names that the text declares as a type, a class or a function."""
        return frozenset(_TYPE.findall(self.text))


_WIDTH = 1_000
"""Characters before and after a place that are looked at; lines of proofs are shorter."""
