"""An index of premises in SQLite: BM25 as its full-text engine computes it, on disk or in memory.

Two kinds of tokens: *symbols* (``List.map``, ``#0``, ``List.map>List.append``; exact, as Lean gives them), and *words*
(``list``, ``map``; parts of names, docstrings and statements). The best by BM25 are ranked again: a lemma that
concludes something about functions that the goal has not is of little use, however many others it shares.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from goedels_poetry.protocol.base import Citable, Premise

_NOTATION = """
++ HAppend.hAppend  + HAdd.hAdd  - HSub.hSub  * HMul.hMul  / HDiv.hDiv  % HMod.hMod  ^ HPow.hPow  ∣ Dvd.dvd
= Eq  ≠ Ne  != bne  == BEq.beq  < LT.lt  > GT.gt  ≤ LE.le  <= LE.le  ≥ GE.ge  >= GE.ge  ∈ Membership.mem
∉ Membership.mem  :: List.cons  [] List.nil  ∧ And  ∨ Or  ¬ Not  ↔ Iff  ∃ Exists  ∘ Function.comp  && and
|| or  ! not  <+ List.Sublist  <+: List.IsPrefix  <:+ List.IsSuffix  <:+: List.IsInfix  ~ List.Perm
⊆ HasSubset.Subset  ∪ Union.union  ∩ Inter.inter  × Prod  &&& HAnd.hAnd  ||| HOr.hOr  ^^^ HXor.hXor
<<< HShiftLeft.hShiftLeft  >>> HShiftRight.hShiftRight
"""
"""Notation of core Lean, each sign before the name that it stands for."""
NOTATION = dict(zip(_NOTATION.split()[::2], _NOTATION.split()[1::2], strict=True))

KEYWORDS = frozenset(
    ["by", "do", "else", "end", "fun", "have", "if", "in", "let", "match", "show", "sorry", "then", "theorem", "lemma"]
)
PROSE = frozenset(["an", "are", "as", "be", "by", "for", "if", "in", "is", "it", "of", "that", "the", "then", "to"])
"""Words that say nothing about a premise."""

_NAME = r"[^\W\d][\w'!?₀-₉]*(?:\.[^\W\d][\w'!?₀-₉]*|\.[0-9]+)*"
_SIGNS = "|".join(re.escape(sign) for sign in sorted(NOTATION, key=len, reverse=True))
_PIECE = re.compile(rf"(?P<arrow>:=|=>|->|→|↦|<-|←|⟨|⟩)|(?P<name>@?{_NAME})|(?P<number>[0-9]+)|(?P<sign>{_SIGNS})")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def symbols_of(text: str) -> tuple[str, ...]:
    """Symbols of a piece of Lean text, notation resolved, each once: what can be seen without Lean."""
    found: dict[str, None] = {}
    for piece in _PIECE.finditer(text):
        if piece["name"]:
            name = piece["name"].removeprefix("@")
            if name not in KEYWORDS:
                found[name] = None
        elif piece["number"]:
            found[f"#{piece['number']}"] = None
        elif piece["sign"]:
            found[NOTATION[piece["sign"]]] = None
    return tuple(found)


def words_of(text: str) -> tuple[str, ...]:
    """Words of a name or of prose, in lower case: ``List.reverse_append'`` gives list, reverse, append."""
    return tuple(word for part in _PART.findall(text) if len(word := part.lower()) > 1 and word not in PROSE)


def encoded(symbols: Iterable[str]) -> str:
    """Symbols as one text of tokens that a full-text index keeps whole."""
    return " ".join(_encode(symbol) for symbol in symbols)


def _encode(symbol: str) -> str:
    return "s_" + re.sub(r"[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}_", symbol)


def tokens_of(query: str) -> tuple[str, ...]:
    """Tokens of a query: a pair ``A>B`` of symbols as it stands, anything else as symbols and as words, each once."""
    found: dict[str, None] = {}
    for piece in query.split():
        outer, arrow, inner = piece.partition(">")
        if arrow and _is_symbol(outer) and _is_symbol(inner):
            found[_encode(piece)] = None
            continue
        for symbol in (piece,) if _is_symbol(piece) else symbols_of(piece):
            found[_encode(symbol)] = None
            found.update(dict.fromkeys(words_of(symbol)))
    return tuple(found)


def _is_symbol(piece: str) -> bool:
    return bool(re.fullmatch(rf"{_NAME}|#[0-9]+", piece))


FORMAT = "1"
"""Part of the name of every file, so that a newer program builds its own."""
MOST_TOKENS = 120
_SCHEMA = """
CREATE TABLE premise(n INTEGER PRIMARY KEY, name TEXT NOT NULL, statement TEXT NOT NULL, docstring TEXT NOT NULL,
  source TEXT NOT NULL, symbols TEXT NOT NULL);
CREATE VIRTUAL TABLE found USING fts5(conclusion, context, words, content='', tokenize="unicode61 tokenchars '_'");
"""
_SEARCH = """
SELECT name, statement, docstring, source, symbols, bm25(found, 3.0, 1.0, 0.7) AS misfit
FROM found JOIN premise ON premise.n = found.rowid WHERE found MATCH ? ORDER BY misfit, n LIMIT ?
"""
REGARDED = 200
"""How many of the best by BM25 are ranked again by how much of their conclusion the query knows."""
UNKNOWN_COUNTS = 0.3
"""Weight of a premise whose conclusion shares nothing with the query, against 1.3 for one that is all known."""


class Index:
    """Premises that can be searched, from any thread."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._lock = threading.Lock()

    @classmethod
    def of(cls, entries: Iterable[Citable]) -> Index:
        """An index in memory."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        _fill(database, entries)
        return cls(database)

    @classmethod
    def at(cls, file: Path) -> Index | None:
        """The index in a file; None when there is none that can be read."""
        if not file.is_file():
            return None
        try:
            database = sqlite3.connect(
                f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            database.execute("SELECT count(*) FROM premise").fetchone()
        except sqlite3.Error:
            return None
        return cls(database)

    @staticmethod
    def write(file: Path, entries: Iterable[Citable]) -> None:
        """Build an index in a file, whole or not at all; raises OSError and sqlite3.Error."""
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        os.close(handle)
        try:
            database = sqlite3.connect(name)
            try:
                database.execute("PRAGMA journal_mode=OFF")
                _fill(database, entries)
            finally:
                database.close()
            Path(name).replace(file)
        finally:
            Path(name).unlink(missing_ok=True)

    def search(self, query: str, limit: int) -> list[Premise]:
        """The premises that fit best, best first."""
        tokens = tokens_of(query)[:MOST_TOKENS]
        if not tokens:
            return []
        asked = " OR ".join(f'"{token}"' for token in tokens)
        with self._lock:
            rows = self._database.execute(_SEARCH, (asked, max(limit, REGARDED))).fetchall()
        known = set(tokens)

        def misfit(row: tuple[Any, ...]) -> float:
            symbols = row[4].split()
            share = sum(symbol in known for symbol in symbols) / len(symbols) if symbols else 1.0
            return float(row[5]) * (UNKNOWN_COUNTS + share)

        return [Premise(*row[:4]) for row in sorted(rows, key=misfit)[:limit]]

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()


def _fill(database: sqlite3.Connection, entries: Iterable[Citable]) -> None:
    with database:
        database.executescript(_SCHEMA)
        for number, entry in enumerate(entries, start=1):
            conclusion = encoded(entry.conclusion or symbols_of(entry.statement))
            row = (number, entry.name, entry.statement, entry.docstring, entry.source, conclusion)
            database.execute("INSERT INTO premise VALUES(?, ?, ?, ?, ?, ?)", row)
            words = words_of(f"{entry.name} {entry.docstring} {entry.statement}")
            database.execute(
                "INSERT INTO found(rowid, conclusion, context, words) VALUES(?, ?, ?, ?)",
                (number, conclusion, encoded(entry.context), " ".join(words)),
            )
