"""Numerals and operations on numbers: with the solver's integers, or with successors and functions that are defined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from goedels_poetry.languages.bridge.goals.expressions import Expr
from goedels_poetry.languages.bridge.goals.library import INT_EQUATIONS, NAT_EQUATIONS
from goedels_poetry.languages.bridge.goals.matching import Unreadable
from goedels_poetry.languages.bridge.goals.naming import Names
from goedels_poetry.languages.bridge.goals.script import Script
from goedels_poetry.languages.bridge.goals.sorts import NAT, Sorts, literal

MOST_UNARY = 12
"""The largest number that is written with constructors."""
_BITS = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "/": "bvudiv", "%": "bvurem", "neg": "bvneg"}
_BITS |= {"<=": "bvule", "<": "bvult", ">=": "bvuge", ">": "bvugt"}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Of one script."""

    script: Script
    sorts: Sorts
    names: Names
    unary: bool
    """Natural numbers are zero and successors."""

    def numeral(self, number: int, type_: Expr) -> str:
        """A number of the type Nat, Int or BitVec; raises :class:`Unreadable`."""
        if type_.head == "BitVec":
            width = literal(type_.operands[0]) or 0
            return f"(_ bv{number % (1 << width)} {width})"
        if type_.head == "Int" or not self.unary:
            self.sorts.sort(type_)
            return str(number)
        if number > MOST_UNARY:
            raise Unreadable("a large number")
        zero, _ = (m.name for m in self.sorts.made(NAT))
        text = zero
        for _ in range(number):
            text = self.successor(text)
        return text

    def successor(self, text: str) -> str:
        """Of a natural number."""
        if not self.unary:
            return f"(+ {text} 1)"
        return f"({self.sorts.made(NAT)[1].name} {text})"

    def operation(self, sign: str, type_: Expr, operands: list[str]) -> str:
        """On numbers of the type; raises :class:`Unreadable`."""
        if type_.head == "BitVec":
            if sign not in _BITS:
                raise Unreadable(f"the operation {sign} on bit-vectors")
            return f"({_BITS[sign]} {' '.join(operands)})"
        if sign in (">=", ">"):
            return self.operation("<=" if sign == ">=" else "<", type_, operands[::-1])
        if type_.head == "Nat" and self.unary:
            return self._unary(sign, operands)
        if sign in ("+", "*", "<=", "<") or (sign == "-" and type_.head == "Int"):
            return f"({sign} {' '.join(operands)})"
        if sign == "neg":
            return f"(- {operands[0]})"
        if sign == "^" and operands[1].isdigit() and int(operands[1]) <= 4:
            return f"(* {' '.join([operands[0]] * int(operands[1]))})" if int(operands[1]) > 1 else operands[0]
        name = self._defined(sign, INT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _unary(self, sign: str, operands: list[str]) -> str:
        zero, successor = (m.name for m in self.sorts.made(NAT))
        if sign == "+" and operands[1] == f"({successor} {zero})":
            return f"({successor} {operands[0]})"
        if sign == "<":
            return self._unary("≤", [f"({successor} {operands[0]})", operands[1]])
        name = self._defined("≤" if sign == "<=" else sign, NAT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _defined(self, sign: str, table: Mapping[str, str]) -> str:
        """The function that stands for an operation; it is defined when it is first wanted."""
        name = next((n for n, s in self.script.operations.items() if s == sign), "")
        if not name:
            if sign not in table:
                raise Unreadable(f"the operation {sign} on natural numbers")
            words = {"+": "plus", "*": "times", "-": "minus", "^": "power", "≤": "leq", "/": "quotient", "%": "modulo"}
            name = self.names.give(words.get(sign, sign))
            self.script.operations[name] = sign
            self.script.definitions[name] = ""
            parts = {"N": "Int"}
            if self.unary:
                zero, successor = self.sorts.made(NAT)
                parts = {"N": self.sorts.sort(NAT), "z": zero.name, "s": successor.name, "p": successor.selectors[0][0]}
                for other in ("+", "*"):
                    if f"{{{other}}}" in table[sign]:
                        parts[other] = self.script.call(self._defined(other, table), name)
            text = table[sign]
            for key, value in {"0": name, **parts}.items():
                text = text.replace(f"{{{key}}}", value)
            self.script.definitions[name] = text
        return self.script.call(name)
