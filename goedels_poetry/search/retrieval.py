"""Premises for a goal: queries to all sources, their ranks merged, statements as the language prints them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError, one_line
from goedels_poetry.protocol.base import Citable, Goal, Premise, Searchable
from goedels_poetry.settings.declared import RetrievalSettings

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


def best_of(texts: Sequence[str], query: str) -> list[int]:
    """Numbers of texts in prose, from 0: those that share words with a query, best by BM25 first, then the others."""
    index = Index.of(Citable(str(number), docstring=text) for number, text in enumerate(texts))
    found = [int(premise.name) for premise in index.search(query, len(texts))]
    index.close()
    return list(dict.fromkeys((*found, *range(len(texts)))))


Source = Callable[[str], Awaitable[list[Premise]]]
"""Answers a query (names, notation, words, pairs ``outer>inner`` of symbols), best first."""

RANK_OFFSET = 60
"""Of reciprocal rank fusion: a place r counts 1 / (60 + r) (Cormack, Clarke and Büttcher, SIGIR 2009)."""
SPARE = 3
"""So many times more are ranked than wanted, for those that the goal may not cite after all."""
WEIGHTS = {"the file": 3.0}
"""Theorems near a goal were written for it more often than those of a library."""
CHOSEN = 2.0
"""Weight of a query that is not taken from the goal."""
MOST_FAILURES = 4
"""After so many a source is asked no more."""
MOST_KNOWN = 500
"""Answers kept, so that the next prompt about the same goal costs nothing."""
_IDENTIFIER = re.compile(r"[^\W\d][\w'.]*")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The premises of one search, and the queries that gave them."""

    premises: tuple[Premise, ...] = ()
    queries: tuple[str, ...] = ()


class PremiseSearch:
    """Search over all sources of a run. A source that fails is left out, with one warning."""

    def __init__(self, settings: RetrievalSettings, cache: Path | None = None) -> None:
        """``cache``: folder for indexes of libraries; default: below the user's cache folder."""
        self._settings = settings
        self._cache = cache or cache_folder()
        self._indexes: dict[str, Index | None] = {}
        self._building = asyncio.Lock()
        self._known: dict[tuple[Any, ...], SearchResult] = {}
        self._troubles: dict[str, str] = {}
        self._failures: Counter[str] = Counter()
        self._services = services(settings)

    def troubles(self) -> list[str]:
        """Warnings so far, one line for each source."""
        return list(self._troubles.values())

    async def find(
        self,
        language: Searchable,
        goal: Goal,
        queries: Sequence[str] = (),
        *,
        failed: str = "",
        earlier: Collection[str] = (),
    ) -> SearchResult:
        """Premises for a goal; never raises, and takes no longer than the settings say."""
        seconds, key = self._settings.seconds, (goal.theorem, str(goal.options), goal.statement, goal.scope)
        asked = (*key, tuple(queries), failed, tuple(earlier))
        if self._settings.premises and asked not in self._known:
            try:
                async with asyncio.timeout(seconds):
                    found = await self._find(language, goal, queries, failed, earlier)
            except Exception as fault:  # noqa: BLE001  the search for a proof goes on without
                late = f"no premises within {seconds:g} s; the search goes on without"
                words = (
                    late if isinstance(fault, TimeoutError) else f"premises could not be looked up: {one_line(fault)}"
                )
                self._troubles.setdefault(type(fault).__name__, words)
                return SearchResult()
            if len(self._known) >= MOST_KNOWN:
                self._known.pop(next(iter(self._known)))
            self._known[asked] = found
        return self._known.get(asked, SearchResult())

    async def _find(
        self, language: Searchable, goal: Goal, queries: Sequence[str], failed: str, earlier: Collection[str]
    ) -> SearchResult:
        wanted, before = await language.local_context(goal)
        wanted = _with_symbols(wanted)
        stuck = _with_symbols((await language.local_context(replace(goal, statement=failed)))[0]) if failed else None
        own = queries_for(wanted, stuck, {*earlier, *queries})
        asked = tuple(dict.fromkeys((*(q for q in queries if q not in earlier), *own)))
        limit = self._settings.premises
        indexes = {"the library": await self._library(language, goal), "the file": Index.of(before) if before else None}
        sources: list[tuple[str, Source]] = [
            (name, partial(_of_index, index, SPARE * limit)) for name, index in indexes.items() if index
        ]
        sources = [each for each in (*sources, *self._services) if self._failures[each[0]] < MOST_FAILURES]
        answers = await asyncio.gather(*(self._asked(name, source(q)) for q in asked for name, source in sources))
        weights = [WEIGHTS.get(name, 1.0) * (CHOSEN if q in queries else 1.0) for q in asked for name, _ in sources]
        ranked = [p for p in fused(answers, SPARE * limit, weights) if p.name != wanted.name]
        if not queries:  # nothing is asked for but what the goal is about
            symbols = (part for symbol in (*wanted.conclusion, *wanted.context) for part in symbol.split(">"))
            known = {name.partition(".")[0] for name in (*symbols, *_IDENTIFIER.findall(goal.theorem))}
            ranked = [p for p in ranked if p.source != "library" or "." not in p.name or _namespace(p) in known]
        statements = await language.stated(goal, [p.name for p in ranked])
        alike: dict[tuple[str, str], Premise] = {}
        for p in ranked:  # the same law of ten kinds of numbers is one premise: that of the kind that fits best
            if p.name in statements:
                p = replace(p, statement=statements[p.name])
                alike.setdefault(_law(p), p)
        return SearchResult(tuple(alike.values())[:limit], asked)

    async def _asked(self, name: str, answer: Awaitable[list[Premise]]) -> list[Premise]:
        try:
            return await answer
        except Exception as fault:  # noqa: BLE001  the other sources remain
            reason = str(fault) if isinstance(fault, SearchFailed) else one_line(fault)
            self._troubles.setdefault(name, f"{name} gave no premises: {reason}")
            self._failures[name] += 1
            return []

    async def _library(self, language: Searchable, goal: Goal) -> Index | None:
        library_id = await language.library_id(goal)
        async with self._building:
            key = library_id or goal.theorem
            if key not in self._indexes:
                self._indexes[key] = await self._opened(language, goal, library_id)
            return self._indexes[key]

    async def _opened(self, language: Searchable, goal: Goal, library_id: str) -> Index | None:
        file = self._cache / f"{sha256(f'{FORMAT} {library_id}'.encode()).hexdigest()[:16]}.db"
        kept = await asyncio.to_thread(Index.at, file) if library_id else None
        entries = await language.library(goal) if kept is None else None
        if entries is not None and library_id:
            try:
                await asyncio.to_thread(Index.write, file, entries)
                return await asyncio.to_thread(Index.at, file)
            except (OSError, sqlite3.Error) as fault:
                self._troubles.setdefault("cache", f"the index of the library is not kept: {one_line(fault)}")
        return kept if entries is None else await asyncio.to_thread(Index.of, entries)


async def _of_index(index: Index, many: int, query: str) -> list[Premise]:
    return await asyncio.to_thread(index.search, query, many)


def fused(answers: Sequence[Sequence[Premise]], limit: int, weights: Sequence[float] = ()) -> list[Premise]:
    """Answers merged by reciprocal rank, each with its weight (default 1); of equal names the first is kept."""
    scores: dict[str, float] = {}
    known: dict[str, Premise] = {}
    for answer, weight in zip(answers, weights or [1.0] * len(answers), strict=True):
        for rank, name in enumerate(dict.fromkeys(found.name for found in answer), start=1):
            known.setdefault(name, next(found for found in answer if found.name == name))
            scores[name] = scores.get(name, 0.0) + weight / (RANK_OFFSET + rank)
    return [known[name] for name in sorted(scores, key=lambda name: -scores[name])[:limit]]


def _law(premise: Premise) -> tuple[str, str]:
    """Name and statement without the namespace: the same for `Nat.mul_assoc` and `Int8.mul_assoc`."""
    if "." not in premise.name or premise.source != "library":
        return premise.name, ""
    namespace = _namespace(premise)
    return premise.name.removeprefix(f"{namespace}."), re.sub(rf"\b{re.escape(namespace)}\b", "", premise.statement)


def _namespace(premise: Premise) -> str:
    return premise.name.partition(".")[0]


def _with_symbols(statement: Citable) -> Citable:
    """A statement whose symbols the language cannot say gets those that its text shows."""
    return statement if statement.conclusion else replace(statement, conclusion=symbols_of(statement.statement))


def cache_folder() -> Path:
    """Folder of the indexes of libraries: ``goedels_poetry/premises`` below the user's cache folder."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "goedels_poetry" / "premises"


# -- queries -----------------------------------------------------------------------------------------------------

EVERYWHERE = frozenset({"Eq", "Nat", "List", "Bool", "Prop", "Type", "Bool.true", "Exists", "And", "Iff", "Not", "Or"})
"""Symbols that say little about what a goal is about."""
AT_ONCE = 2


def queries_for(goal: Citable, failed: Citable | None, earlier: Collection[str]) -> tuple[str, ...]:
    """The next queries that were not asked before, best first; () when there is nothing left to ask.

    In this order: the subgoal that failed last; the goal; the symbols that only the failed subgoal has; each function
    of either by itself, with its arguments.
    """
    wanted = [" ".join((*goal.conclusion, *goal.context))]
    if failed is not None:
        wanted.insert(0, " ".join((*failed.conclusion, *failed.context)))
        wanted.append(" ".join(s for s in failed.conclusion if s not in {*goal.conclusion, *goal.context}))
    for statement in filter(None, (failed, goal)):
        symbols = (*statement.conclusion, *statement.context)
        for name in symbols:
            if ">" not in name and not name.startswith("#") and name not in EVERYWHERE:
                wanted.append(" ".join((name, *(s for s in symbols if ">" in s and name in s.split(">")))))
    return tuple(query for query in dict.fromkeys(wanted) if query and query not in earlier)[:AT_ONCE]


# -- search services for Lean over HTTP ----------------------------------------------------------------------------

MOST_BYTES, MOST_TEXT = 2_000_000, 2_000
LOOGLE_NAMES = 3
"""Constants in one query: all of them must occur in a hit."""


class SearchFailed(GoedelsPoetryError):
    """A service gave no usable answer."""


def services(settings: RetrievalSettings) -> list[tuple[str, Source]]:
    """The services whose address is known."""
    found: list[tuple[str, Source]] = []
    many, seconds = settings.premises, settings.seconds / 2
    if base := settings.loogle_url or os.environ.get("LOOGLE_URL"):
        found.append(("Loogle", partial(loogle, base, many, seconds)))
    if base := settings.leanexplore_url or os.environ.get("LEANEXPLORE_URL"):
        given = settings.leanexplore_api_key
        key = given.get_secret_value() if given else os.environ.get("LEANEXPLORE_API_KEY", "")
        found.append(("LeanExplore", partial(leanexplore, base, key, many, seconds)))
    return found


async def loogle(base: str, limit: int, seconds: float, query: str) -> list[Premise]:
    """``GET BASE/json?q=…`` answers ``{"hits": [{"name", "type", "doc"}], …}``; a query is constants, or a pattern."""
    names = [piece for piece in query.split() if ">" not in piece and "#" not in piece]
    asked = query if "_" in names or "?" in query else ", ".join(names[:LOOGLE_NAMES])
    found = await _get(f"{base.rstrip('/')}/json", {"q": asked}, {}, seconds)
    return _hits(found.get("hits"), ("name", "type", "doc"), "loogle")[:limit]


async def leanexplore(base: str, api_key: str, limit: int, seconds: float, query: str) -> list[Premise]:
    """``GET BASE/search?q=…&limit=…`` (v2) answers ``{"results": [{"name", "docstring", "source_text"}], …}``."""
    text = " ".join(piece for piece in query.split() if ">" not in piece)
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    found = await _get(f"{base.rstrip('/')}/search", {"q": text, "limit": str(limit)}, headers, seconds)
    return _hits(found.get("results"), ("name", "source_text", "docstring"), "leanexplore")[:limit]


async def _get(address: str, parameters: dict[str, str], headers: dict[str, str], seconds: float) -> dict[str, Any]:
    """The JSON object at an address; raises :class:`SearchFailed`, and the errors of the connection."""
    from goedels_poetry.models.http import http_client  # brings the HTTP client

    server, found = address.rpartition("/")[0], None
    try:
        async with asyncio.timeout(seconds), http_client(MOST_BYTES) as client:
            answer = await client.get(address, params=parameters, headers=headers)
    except TimeoutError:
        raise SearchFailed(f"{server} did not answer within {seconds:g} s") from None
    if answer.status_code != 200:
        raise SearchFailed(f"{server} answered with HTTP {answer.status_code}")
    with suppress(ValueError):
        found = json.loads(answer.content)
    if not isinstance(found, dict):
        raise SearchFailed(f"{server} answered with something else than a JSON object")
    return found


def _hits(value: Any, fields: tuple[str, str, str], source: str) -> list[Premise]:
    """The hits that have a name, which is in the first of the fields; statement and docstring are in the others."""
    hits = [hit for hit in value if isinstance(hit, dict)] if isinstance(value, list) else []
    texts = [[str(hit.get(each) or "").strip()[:MOST_TEXT] for each in fields] for hit in hits]
    return [Premise(name, statement, docstring, source) for name, statement, docstring in texts if name]
