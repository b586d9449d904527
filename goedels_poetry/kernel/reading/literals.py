"""Literals as written: numbers, bit-vectors, strings with their escapes, negative and fractional numbers."""

from __future__ import annotations

import re
from fractions import Fraction

from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr, Source
from goedels_poetry.kernel.terms import REAL, STRING, BitVector, Term, bitvec, integer, lit
from goedels_poetry.kernel.theory import MAX_BITS

_BIT_VECTOR = re.compile(r"bv(0|[1-9][0-9]*)")
_MINUS = re.compile(r"-(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,999})?")
_ESCAPE = re.compile(r"\\u(?:\{([0-9a-fA-F]{1,5})\}|([0-9a-fA-F]{4}))")
_LAST_CHARACTER = 0x2FFFF


def atom_literal(source: Source, atom: Atom) -> Term | None:
    """The literal that a token is; None for a symbol.

    Raises:
        InvalidText: a keyword, or a string with a character outside SMT-LIB.
    """
    text = atom.text
    match atom.kind:
        case Lexeme.NUMERAL:
            return integer(int(text))
        case Lexeme.DECIMAL:
            return lit(Fraction(text), REAL)
        case Lexeme.BITS:
            hexadecimal = text[1] == "x"
            width = (len(text) - 2) * (4 if hexadecimal else 1)
            return lit(BitVector(int(text[2:], 16 if hexadecimal else 2), width), bitvec(width))
        case Lexeme.STRING:
            return lit(_unescaped(source, atom), STRING)
        case Lexeme.KEYWORD:
            source.fail(f"a term was expected here, got {text}", atom)
    return None


def _unescaped(source: Source, atom: Atom) -> str:
    def character(match: re.Match[str]) -> str:
        code = int(match[1] or match[2], 16)
        return _character(source, code, atom) if code <= _LAST_CHARACTER else match[0]

    text = _ESCAPE.sub(character, atom.text)
    if any(ord(c) > _LAST_CHARACTER for c in text):
        source.fail("a character beyond U+2FFFF is not in the alphabet of SMT-LIB strings", atom)
    return text


def _character(source: Source, code: int, at: Atom) -> str:
    if code > _LAST_CHARACTER or 0xD800 <= code <= 0xDFFF:
        source.fail(f"U+{code:04X} is not a character that is supported in strings", at)
    return chr(code)


def minus_literal(atom: Atom) -> Term | None:
    """``-3`` and ``-0.5`` as the numbers that solvers take these symbols for; None for any other symbol."""
    if atom.quoted or _MINUS.fullmatch(atom.text) is None:
        return None
    number = Fraction(atom.text)
    return lit(number, REAL) if "." in atom.text else integer(int(number))


def indexed_literal(source: Source, group: Group) -> Term | None:
    """``(_ bv5 8)`` and ``(_ char #x41)``; None for any other expression.

    Raises:
        InvalidText: a value that does not fit, a width out of range.
    """
    if len(group.items) != 3:
        return None
    _, name, index = group.items
    if not isinstance(name, Atom) or not isinstance(index, Atom):
        return None
    number = _BIT_VECTOR.fullmatch(name.text)
    if number and index.kind is Lexeme.NUMERAL:
        if len(index.text) > 6 or not 1 <= int(index.text) <= MAX_BITS or len(number[1]) > 4_000:
            source.fail(f"a bit-vector has 1 to {MAX_BITS:,} bits", index)
        value, bits = int(number[1]), int(index.text)
        if value >> bits:
            source.fail(f"{value} does not fit into {bits} bits", name)
        return lit(BitVector(value, bits), bitvec(bits))
    if name.text == "char" and index.kind is Lexeme.BITS and index.text.startswith("#x"):
        return lit(_character(source, int(index.text[2:], 16), index), STRING)
    return None


def number_literal(expr: Group) -> Term | None:
    """``(- 3)``, ``(/ 1 3)`` and ``(- (/ 1.0 3.0))`` as literals; None for any other expression."""
    items = expr.items
    head = items[0] if items else None
    if not isinstance(head, Atom) or head.text not in ("-", "/"):
        return None
    if _is_operator(expr, "-") and len(items) == 2:
        inner = _number(items[1]) if isinstance(items[1], Atom) else _fraction(items[1])
        if inner is None or inner == 0:
            return None
        return integer(-inner) if isinstance(inner, int) else lit(-inner, REAL)
    fraction = _fraction(expr)
    return None if fraction is None else lit(fraction, REAL)


def _fraction(expr: Group) -> Fraction | None:
    if len(expr.items) != 3 or not _is_operator(expr, "/"):
        return None
    top, bottom = _number(expr.items[1]), _number(expr.items[2])
    return Fraction(top) / Fraction(bottom) if top is not None and bottom else None


def _is_operator(expr: Group, name: str) -> bool:
    head = expr.items[0] if expr.items else None
    return isinstance(head, Atom) and head.kind is Lexeme.SYMBOL and head.text == name


def _number(expr: SExpr) -> int | Fraction | None:
    if isinstance(expr, Atom):
        if expr.kind is Lexeme.NUMERAL:
            return int(expr.text)
        if expr.kind is Lexeme.DECIMAL:
            return Fraction(expr.text)
    return None
