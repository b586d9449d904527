"""Premises for a goal: queries to all sources, their ranks merged, statements as the language prints them."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from goedels_poetry.errors import one_line
from goedels_poetry.protocol.base import Citable, Goal, Premise, Searchable
from goedels_poetry.search.retrieval.index import FORMAT, Index
from goedels_poetry.search.retrieval.remote import LeanExploreRetriever, LoogleRetriever, SearchFailed
from goedels_poetry.search.retrieval.retrievers import BM25Retriever, fused, premise
from goedels_poetry.search.retrieval.tokens import symbols_of
from goedels_poetry.settings.declared import RetrievalSettings

# The theorems of a lake project, read as text

MARKS = ("lakefile.lean", "lakefile.toml")
MOST_FILES = 2_000
MOST_BYTES = 500_000
"""Of one file; a larger one is left out."""
MOST_STATEMENT = 2_000

_COMMENT = re.compile(r"/-(?!-)[\s\S]*?-/|(?<!/)--[^\n]*")
_LINE = re.compile(
    r"^[ \t]*(?:(?P<docstring>/--[\s\S]*?-/)[ \t\n]*)?(?:@\[[^\]]*\][ \t\n]*)*"
    r"(?:(?P<open>namespace)[ \t]+(?P<space>\S+)|(?P<section>(?:noncomputable[ \t]+)?section)\b[ \t]*\S*|(?P<end>end)\b"
    r"|(?:(?:protected|noncomputable|nonrec|public)[ \t]+)*(?:theorem|lemma)[ \t]+"
    r"(?P<name>[^\s:({\[⦃]+)(?P<statement>[\s\S]*?)"
    r"(?=:=|^[ \t]*\||\n[ \t]*\n|\Z))",
    re.MULTILINE,
)


def project_of(file: Path) -> Path | None:
    """The folder of the lake project that a file belongs to."""
    return next((folder for folder in file.resolve().parents if any((folder / m).is_file() for m in MARKS)), None)


def theorems_of_project(file: Path) -> list[Citable]:
    """The theorems of the other files of a file's project; [] when it belongs to none, or there is no such file."""
    root = project_of(file) if file.is_file() else None
    if root is None:
        return []
    return [
        theorem for other in _files(root, file.resolve()) for theorem in _theorems(other, str(other.relative_to(root)))
    ]


def _files(root: Path, but: Path) -> Iterator[Path]:
    found = (
        f for f in sorted(root.rglob("*.lean")) if not any(part.startswith(".") for part in f.relative_to(root).parts)
    )
    for number, file in enumerate(found):
        if number >= MOST_FILES:
            return
        if file != but and file.name != MARKS[0]:
            yield file


def _theorems(file: Path, where: str) -> Iterator[Citable]:
    try:
        if file.stat().st_size > MOST_BYTES:
            return
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return  # not to be read, so nothing to be cited
    yield from theorems_of_text(text, f"project: {where}")


def theorems_of_text(text: str, source: str) -> Iterator[Citable]:
    """The theorems that a Lean text states, as it writes them, with full names."""
    text = _COMMENT.sub("", text)
    spaces: list[str] = []
    for found in _LINE.finditer(text):
        if found["open"]:
            spaces.append(found["space"])
        elif found["section"]:
            spaces.append("")
        elif found["end"]:
            del spaces[-1:]
        else:
            name = ".".join([space for space in spaces if space] + [found["name"].removeprefix("_root_.")])
            statement = " ".join(found["statement"].split())[:MOST_STATEMENT]
            docstring = " ".join((found["docstring"] or "").removeprefix("/--").removesuffix("-/").split())
            yield Citable(name, statement=statement, docstring=docstring, source=source)


# What to search for, from the goal alone

EVERYWHERE = frozenset({"Eq", "Nat", "List", "Bool", "Prop", "Type", "Bool.true", "Exists", "And", "Iff", "Not", "Or"})
"""Symbols that say little about what a goal is about."""
AT_ONCE = 2


def queries_for(goal: Citable, failed: Citable | None, earlier: Collection[str]) -> tuple[str, ...]:
    """The next queries that were not asked before, best first; () when there is nothing left to ask.

    In this order: the goal; the subgoal that failed last; what the failed subgoal has and the goal has not; each
    function of either by itself, with its arguments.
    """
    wanted = [_word_query(goal.conclusion, goal.context)]
    if failed is not None:
        wanted.insert(0, _word_query(failed.conclusion, failed.context))
        mine = {*goal.conclusion, *goal.context}
        wanted.append(_word_query(tuple(s for s in failed.conclusion if s not in mine), ()))
    for statement in (failed, goal):
        if statement is not None:
            wanted += [_about(name, statement) for name in _functions(statement)]
    fresh = [query for query in dict.fromkeys(wanted) if query and query not in earlier]
    return tuple(fresh[:AT_ONCE])


def _word_query(conclusion: tuple[str, ...], context: tuple[str, ...]) -> str:
    return " ".join((*conclusion, *context))


def _functions(statement: Citable) -> list[str]:
    names = [s for s in (*statement.conclusion, *statement.context) if ">" not in s and not s.startswith("#")]
    return [name for name in names if name not in EVERYWHERE]


def _about(name: str, statement: Citable) -> str:
    pairs = [s for s in (*statement.conclusion, *statement.context) if name in s.split(">") and ">" in s]
    return " ".join((name, *pairs))


SPARE = 3
"""So many times more are ranked than wanted, for those that the goal may not cite after all."""
WEIGHTS = {"the file": 3.0, "the project": 1.5}
"""What stands near a goal was written for it more often than what a library has."""
CHOSEN = 2.0
"""The same for a query that somebody has thought of."""
MOST_FAILURES = 4
"""After so many a source is asked no more: each may have cost half of the time of a search."""
_IDENTIFIER = re.compile(r"[^\W\d][\w'.]*")
MOST_KNOWN = 500
"""Answers kept, so that the next prompt about the same goal costs nothing."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search gave."""

    premises: tuple[Premise, ...] = ()
    queries: tuple[str, ...] = ()


class PremiseSearch:
    """Search over all sources of a run. What fails is left out and named once."""

    def __init__(self, settings: RetrievalSettings, cache: Path | None = None) -> None:
        """``cache``: folder for indexes of libraries; default: below the user's cache folder."""
        self._settings = settings
        self._cache = cache or cache_folder()
        self._indexes: dict[str, Index | None] = {}
        self._building = asyncio.Lock()
        self._projects: dict[str, BM25Retriever | None] = {}
        self._known: dict[tuple[Any, ...], SearchResult] = {}
        self._troubles: dict[str, str] = {}
        self._failures: Counter[str] = Counter()
        self._remote = _remote(settings)

    def troubles(self) -> list[str]:
        """What failed so far, one line for each source."""
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
        """Premises for a goal; never raises, and takes no longer than the settings say.

        Args:
            queries: asked before those that come from the goal itself.
            failed: statement of the subgoal for which other premises are wanted.
            earlier: queries that are not asked again.
        """
        if not self._settings.premises:
            return SearchResult()
        key = (goal.theorem, str(goal.options), goal.statement, goal.scope, tuple(queries), failed, tuple(earlier))
        if key not in self._known:
            try:
                async with asyncio.timeout(self._settings.seconds):
                    found = await self._find(language, goal, queries, failed, earlier)
            except TimeoutError:
                self._trouble("time", f"no premises within {self._settings.seconds:g} s; the search goes on without")
                return SearchResult()
            except Exception as fault:  # noqa: BLE001  whatever a source does, the search for a proof goes on
                self._trouble("premises", f"premises could not be looked up: {one_line(fault)}")
                return SearchResult()
            if len(self._known) >= MOST_KNOWN:
                self._known.pop(next(iter(self._known)))
            self._known[key] = found
        return self._known[key]

    async def ranked(
        self, language: Searchable, goal: Goal, lemmas: list[dict[str, Any]], queries: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Lemmas ``{"id", "statement", …}`` of earlier runs, those that fit best first; all of them, whatever fails."""
        try:
            wanted = _with_symbols((await language.local_context(goal))[0])
            entries = [Citable(lemma["id"], statement=lemma["statement"], source="bank") for lemma in lemmas]
            bank = BM25Retriever.of(entries, limit=len(lemmas))
            answers = [await bank.ainvoke(query) for query in (*queries, *queries_for(wanted, None, ()))]
        except Exception as fault:  # noqa: BLE001  an order that cannot be found is no reason to stop
            self._trouble("bank", f"lemmas of earlier runs could not be ranked: {one_line(fault)}")
            return lemmas
        place = {d.metadata["name"]: n for n, d in enumerate(fused(answers, len(lemmas)))}
        return sorted(lemmas, key=lambda lemma: place.get(lemma["id"], len(lemmas)))

    async def _find(
        self, language: Searchable, goal: Goal, queries: Sequence[str], failed: str, earlier: Collection[str]
    ) -> SearchResult:
        wanted, before = await language.local_context(goal)
        wanted = _with_symbols(wanted)
        stuck = _with_symbols((await language.local_context(replace(goal, statement=failed)))[0]) if failed else None
        own = queries_for(wanted, stuck, {*earlier, *queries})
        asked = tuple(dict.fromkeys((*(q for q in queries if q not in earlier), *own)))
        sources = await self._sources(language, goal, before)
        answers = await asyncio.gather(
            *(self._asked(name, source.ainvoke(query)) for query in asked for name, source in sources)
        )
        limit = self._settings.premises
        weights = [WEIGHTS.get(name, 1.0) * (CHOSEN if q in queries else 1.0) for q in asked for name, _ in sources]
        ranked = [premise(d) for d in fused(answers, SPARE * limit, weights) if d.metadata["name"] != wanted.name]
        if not queries:  # nobody has asked for anything else than what the goal is about
            spoken_of = _namespaces(wanted, goal.theorem)
            ranked = [p for p in ranked if p.source != "library" or _concerns(p.name, spoken_of)]
        return SearchResult(await _stated(language, goal, ranked, limit), asked)

    async def _sources(
        self, language: Searchable, goal: Goal, before: list[Citable]
    ) -> list[tuple[str, BaseRetriever]]:
        many = SPARE * self._settings.premises
        found: list[tuple[str, BaseRetriever]] = []
        library = await self._library(language, goal)
        if library is not None:
            found.append(("the library", BM25Retriever(index=library, limit=many)))
        if before:
            found.append(("the file", BM25Retriever.of(before, many)))
        project = await self._project(str(goal.options.get("file") or ""), many)
        if project is not None:
            found.append(("the project", project))
        found += self._remote
        return [(name, source) for name, source in found if self._failures[name] < MOST_FAILURES]

    async def _asked(self, name: str, asked: Coroutine[Any, Any, list[Document]]) -> list[Document]:
        try:
            return await asked
        except Exception as fault:  # noqa: BLE001  one source that fails leaves the others
            reason = str(fault) if isinstance(fault, SearchFailed) else one_line(fault)
            self._trouble(name, f"{name} gave no premises: {reason}")
            self._failures[name] += 1
            return []

    async def _library(self, language: Searchable, goal: Goal) -> Index | None:
        library_id = await language.library_id(goal)
        key = library_id or goal.theorem
        async with self._building:
            if key not in self._indexes:
                self._indexes[key] = await self._opened(language, goal, library_id)
            return self._indexes[key]

    async def _opened(self, language: Searchable, goal: Goal, library_id: str) -> Index | None:
        file = self._cache / f"{sha256(f'{FORMAT} {library_id}'.encode()).hexdigest()[:16]}.db"
        kept = await asyncio.to_thread(Index.at, file) if library_id else None
        if kept is not None:
            return kept
        entries = await language.library(goal)
        if entries is None:
            return None
        if library_id:
            try:
                await asyncio.to_thread(Index.write, file, entries)
                return await asyncio.to_thread(Index.at, file)
            except (OSError, sqlite3.Error) as fault:
                self._trouble("cache", f"the index of the library is not kept: {one_line(fault)}")
        return await asyncio.to_thread(Index.of, entries)

    async def _project(self, name: str, many: int) -> BM25Retriever | None:
        file = re.sub(r"(\.lean):[^/]*$", r"\1", name)  # FILE.lean:theorem
        if file and file not in self._projects:
            theorems = await asyncio.to_thread(theorems_of_project, Path(file))
            self._projects[file] = BM25Retriever.of(theorems, many) if theorems else None
        return self._projects.get(file)

    def _trouble(self, what: str, reason: str) -> None:
        self._troubles.setdefault(what, reason)


async def _stated(language: Searchable, goal: Goal, ranked: list[Premise], limit: int) -> tuple[Premise, ...]:
    """The best of them, with the statements that the language prints; what it does not know is left out.

    The theorems of a project stay as they are written there: the goal's file need not import them.
    """
    statements = await language.stated(goal, [p.name for p in ranked])
    known = [
        replace(p, statement=statements[p.name]) if p.name in statements else p
        for p in ranked
        if p.name in statements or (p.source.startswith("project") and p.statement)
    ]
    alike: dict[tuple[str, str], Premise] = {}
    for each in known:  # the same law of ten kinds of numbers is one premise: that of the kind that fits best
        alike.setdefault(_law(each), each)
    return tuple(alike.values())[:limit]


def _law(premise: Premise) -> tuple[str, str]:
    """Name and statement without the namespace: the same for `Nat.mul_assoc` and `Int8.mul_assoc`."""
    namespace, _, name = premise.name.partition(".")
    if not name or premise.source != "library":
        return premise.name, ""
    return name, re.sub(rf"\b{re.escape(namespace)}\b", "", premise.statement)


def _namespaces(wanted: Citable, text: str) -> frozenset[str]:
    """First parts of the names that a goal and the file that it stands in speak of: ``Nat`` of ``Nat.add``."""
    symbols = (part for symbol in (*wanted.conclusion, *wanted.context) for part in symbol.split(">"))
    return frozenset(name.partition(".")[0] for name in (*symbols, *_IDENTIFIER.findall(text)))


def _concerns(name: str, spoken_of: frozenset[str]) -> bool:
    """Whether a theorem is of no type in particular, or of one that is spoken of: most have their twin for others."""
    namespace, dot, _ = name.partition(".")
    return not dot or namespace in spoken_of


def _with_symbols(statement: Citable) -> Citable:
    """A statement whose symbols the language cannot say gets those that its text shows."""
    return statement if statement.conclusion else replace(statement, conclusion=symbols_of(statement.statement))


def _remote(settings: RetrievalSettings) -> list[tuple[str, BaseRetriever]]:
    found: list[tuple[str, BaseRetriever]] = []
    many, seconds = settings.premises, settings.seconds / 2
    loogle = settings.loogle_url or os.environ.get("LOOGLE_URL")
    if loogle:
        found.append(("Loogle", LoogleRetriever(base=loogle, limit=many, seconds=seconds)))
    explore = settings.leanexplore_url or os.environ.get("LEANEXPLORE_URL")
    if explore:
        given = settings.leanexplore_api_key
        key = given.get_secret_value() if given else os.environ.get("LEANEXPLORE_API_KEY", "")
        found.append(("LeanExplore", LeanExploreRetriever(base=explore, api_key=key, limit=many, seconds=seconds)))
    return found


def cache_folder() -> Path:
    """Where indexes of libraries are kept: ``goedels_poetry/premises`` below the user's cache folder."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "goedels_poetry" / "premises"
