"""`GoedelsPoetryFramework`: build, run, resume and look at runs. What the command line and users call."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from goedels_poetry import languages
from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import InvalidInput, Unavailable, UnknownRun
from goedels_poetry.languages.base import Configurable, Language, SeveralTheorems, Theorem
from goedels_poetry.machine.learning import Memory
from goedels_poetry.machine.run import Allowance, Search
from goedels_poetry.memory import LemmaBank, StrategyStatistics, conversation
from goedels_poetry.models import Models, models_from
from goedels_poetry.settings import Settings
from goedels_poetry.tasks.claim import Claim, Confirm, check_claim
from goedels_poetry.tasks.question import Question, check_question
from goedels_poetry.tree.results import Event, RunResult, RunSummary
from goedels_poetry.tree.runs import RunDir, Runs, identity
from goedels_poetry.tree.state import Verdict
from goedels_poetry.tree.store import ProofStore

OnEvent = Callable[[Event], None]
T = TypeVar("T")

LOGIC = "logic"
"""The language of programs that answer questions."""
NAME_LENGTH = 80
"""Characters of a question in a list of runs."""
READ_GRACE = 1.0
"""Seconds that an interrupt leaves to the reading of a theorem: most are read by then, and the run can be resumed."""


class GoedelsPoetryFramework:
    """Proves theorems; keeps every run durable under ``settings.data_dir``.

    Several ``arun`` may be awaited at once on one framework and one event loop (they share the language's
    solver pool); the synchronous twins run on a loop of the framework's own. Close it after use, or use it as
    a context manager (``with`` for the synchronous twins, ``async with`` for the others).

    Args:
        settings: defaults, configuration file and environment when None.
        language: an instance to use for every run instead of the one found by name; closed by ``aclose``.
        models: language models by role, instead of those that the settings name; closed by ``aclose``.

    Raises:
        RecordingError, PriceError, PromptError: a file or folder that the settings name cannot be used.
    """

    def __init__(
        self, settings: Settings | None = None, *, language: Language | None = None, models: Models | None = None
    ) -> None:
        self.settings = settings or Settings()
        self.models = models if models is not None else models_from(self.settings)
        self._runs = Runs(self.settings.data_dir)
        self._given = language
        self._languages: dict[str, Language] = {}
        self._checkers = Checkers(self.settings.lean)
        self._bank: LemmaBank | None = None
        self._statistics: StrategyStatistics | None = None
        self._searches: list[Search] = []
        self._readings: set[asyncio.Future[Any]] = set()
        self._busy: dict[Path, asyncio.Lock] = {}
        self._active = 0
        self._interrupted = ""
        self._runner: asyncio.Runner | None = None

    # -- run -----------------------------------------------------------------------------------------------
    async def arun(
        self,
        source: str,
        *,
        name: str | None = None,
        language: str | None = None,
        options: dict[str, Any] | None = None,
        fresh: bool = False,
        resume: bool = False,
        out: Path | None = None,
        on_event: OnEvent | None = None,
        informal: bool = False,
        context: str = "",
        confirm: Confirm | None = None,
        steps: Sequence[str] = (),
        round_trip: bool = True,
        only_state: bool = False,
    ) -> RunResult:
        """Prove one theorem.

        An unfinished run of the same theorem, language, options and seed goes on; a finished one is returned
        as it stands.

        Args:
            source: the theorem's text.
            name: what to call it in results; a file name also selects the language by its suffix.
            language: name of the proof language; needed when ``name`` has no known suffix.
            options: handed to the language, e.g. ``{"assume_definitions": True}``; part of the run's id.
            fresh: begin a new run even if there is one.
            resume: fail with :class:`UnknownRun` when there is no run to go on with.
            out: directory for the certificate (default: inside the run's directory).
            on_event: called in the event loop after every commit; must not block.
            informal: ``source`` is a claim in plain words, which a model states in the language first. The verdict
                is about that formal statement; see ``RunResult.formalization``.
            context: for a claim: formal definitions, kept byte for byte before what the model writes.
            confirm: for a claim: asked about the formal statement before it is proved.
            steps: for a claim: its author's steps of a proof, in words; hints for models.
            round_trip: for a claim: have the formal text put back into words and these compared with the claim.
            only_state: for a claim: stop when there is a formal statement; the same call without it goes on.

        Raises:
            UnknownLanguage, UnknownRun, RunLocked. An invalid theorem is a result, not an exception.
        """
        spoken = self._language(language, name)
        meant = {"seed": self.settings.seed, "file": name or "", **(options or {})}
        # With other models it is another run: what the symbolic agents gave up on is not settled for them.
        asked: dict[str, Any] = {} if self.models is None else {"models": self.models.fingerprint}
        claim = Claim(source, context, confirm is not None, tuple(steps), round_trip, only_state) if informal else None
        if claim is not None:
            asked["claim"] = claim.identity
        prefix = identity(source, spoken.name, {**meant, **asked})
        latest = self._runs.latest(prefix)
        if resume and latest is None:
            raise UnknownRun(f"there is no run of {name or 'this theorem'} to resume (its id would be {prefix})")
        run = self._runs.nth(prefix, 1) if latest is None else latest
        if fresh and latest is not None:
            run = self._runs.new(prefix)
        return await self._run(run, spoken, source, meant, name or "", out, on_event, claim, confirm)

    async def aask(
        self,
        question: Question,
        *,
        name: str | None = None,
        fresh: bool = False,
        out: Path | None = None,
        on_event: OnEvent | None = None,
        allowance: Allowance | None = None,
    ) -> RunResult:
        """Have a question in plain language answered by a program that a model writes and the checker decides.

        An unfinished run of the same question, models and seed goes on; a finished one is returned as it stands.
        ``reasoning.answer_of`` puts question, run and result together.

        Args:
            question: what is asked.
            name: what to call it in lists of runs (default: its beginning).
            fresh: begin a new run even if there is one.
            out: directory for the certificate (default: inside the run's directory).
            on_event: called in the event loop after every commit; must not block.
            allowance: what other runs with the same purpose leave of the budgets.

        Raises:
            RunLocked. A question that cannot be asked here is a result (``invalid``), not an exception.
        """
        spoken = self._language(LOGIC, None)
        meant = {"seed": self.settings.seed, **question.options}
        asked = {"models": self.models.fingerprint if self.models is not None else {}, "question": question.identity}
        prefix = identity(question.text, spoken.name, {**meant, **asked})
        latest = self._runs.latest(prefix)
        run = self._runs.nth(prefix, 1) if latest is None else latest
        if fresh and latest is not None:
            run = self._runs.new(prefix)
        words = " ".join(question.text.split())
        shown = name if name is not None else words if len(words) <= NAME_LENGTH else f"{words[: NAME_LENGTH - 1]}…"
        return await self._run(
            run, spoken, question.text, meant, shown, out, on_event, question=question, allowance=allowance
        )

    def run(self, source: str, **kwargs: Any) -> RunResult:
        """Synchronous :meth:`arun`. SIGINT and SIGTERM stop cleanly: ``out_of_budget``, resumable."""
        return self._on_own_loop(self.arun(source, **kwargs))

    async def aresume(self, run_id: str, *, out: Path | None = None, on_event: OnEvent | None = None) -> RunResult:
        """Go on with a run, by its id or an unambiguous beginning of it, under the present budgets."""
        run = self._runs.get(run_id)
        with self.open_store(run.run_id) as store:
            source, language, options, name = (store.meta(m) for m in ("theorem", "language", "options", "name"))
            told, question = store.meta("claim"), store.meta("question")
        if source is None:
            raise UnknownRun(f"run {run.run_id} stopped before it began; start it again from its theorem")
        claim = Claim.again(source, told) if told is not None else None
        asked = Question.again(question) if question is not None else None
        spoken = self._language(language, None)
        return await self._run(run, spoken, source, options, name, out, on_event, claim, question=asked)

    def resume(self, run_id: str, **kwargs: Any) -> RunResult:
        """Synchronous :meth:`aresume`."""
        return self._on_own_loop(self.aresume(run_id, **kwargs))

    async def astream(self, source: str, **kwargs: Any) -> AsyncIterator[Event | RunResult]:
        """Like :meth:`arun`, as a stream: every event as it is committed, then the result."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.ensure_future(self.arun(source, **kwargs, on_event=events.put_nowait))
        task.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await task
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def theorems(self, source: str, *, name: str | None = None, language: str | None = None) -> tuple[str, ...]:
        """Names of the theorems of a text that are still to be proved, for ``options={"theorem": …}``.

        () where a text of the language states one theorem, and for a text that cannot be read.

        Raises:
            UnknownLanguage.
        """
        spoken = self._language(language, name)
        return await self._reading(spoken.theorems(source)) or () if isinstance(spoken, SeveralTheorems) else ()

    def interrupt(self, reason: str = "interrupted") -> None:
        """Ask every run of this framework to stop at the next step boundary. Safe in a signal handler."""
        self._interrupted = reason
        for search in self._searches:
            search.interrupt(reason)
        for reading in self._readings:
            reading.get_loop().call_later(READ_GRACE, reading.cancel)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Inside, runs belong together: an interrupt is one of those that are still to begin, too."""
        self._begin()
        try:
            yield
        finally:
            self._active -= 1

    def _begin(self) -> None:
        """Something is under way; what an earlier interrupt was about is over when nothing was."""
        if not self._active:
            self._interrupted = ""
        self._active += 1

    @contextlib.contextmanager
    def stopping_on_signals(self) -> Iterator[None]:
        """Inside, the first SIGINT or SIGTERM stops all runs cleanly; a second one acts as usual.

        Needs a running event loop in the main thread; elsewhere it does nothing.
        """
        loop, caught = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)

        def stop(number: signal.Signals) -> None:
            for each in caught:
                loop.remove_signal_handler(each)
            self.interrupt(f"interrupted by {number.name}")

        with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
            for number in caught:
                loop.add_signal_handler(number, stop, number)
        try:
            yield
        finally:
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                for number in caught:
                    loop.remove_signal_handler(number)

    # -- look ----------------------------------------------------------------------------------------------
    def runs(self) -> list[RunSummary]:
        """Every run of the data directory, latest first."""
        return [run.summary() for run in self._runs.all()]

    def result(self, run_id: str) -> RunResult:
        """The stored result of a run that has ended or stopped; raises :class:`UnknownRun`."""
        run = self._runs.get(run_id)
        result = run.result()
        if result is None:
            raise UnknownRun(f"run {run.run_id} has not ended yet; resume it to get a result")
        return result

    def open_store(self, run_id: str) -> ProofStore:
        """A read-only view of a run: ``nodes(as_of)``, ``events()``, ``history(node)``. Close it after use."""
        return ProofStore(self._runs.get(run_id).proof_db, read_only=True)

    def get_graph_stats(self, run_id: str) -> dict[str, int]:
        """``approach_failures``, ``forbidden_approaches`` and ``conversation_entries`` of a run."""
        with self.open_store(run_id) as store:
            return store.get_graph_stats()

    def conversation(self, run_id: str) -> list[dict[str, Any]]:
        """Everything that was asked, answered, tried and decided in a run, as JSON values; see ``memory``."""
        with self.open_store(run_id) as store:
            return conversation(store)

    def fork(self, run_id: str, seq: int) -> str:
        """A new run that stands where ``run_id`` stood after commit ``seq``; returns its id, for :meth:`aresume`."""
        run = self._runs.get(run_id)
        with ProofStore(run.proof_db, read_only=True) as store:
            if not 1 <= seq <= store.seq:
                raise ValueError(f"run {run.run_id} has the commits 1 to {store.seq}, not {seq}")
            other = self._runs.new(run.run_id.partition("-")[0])
            store.fork(other.proof_db, seq, run_id=other.run_id, forked_from=[run.run_id, seq]).close()
        card = run.card()
        other.write_card(run_id=other.run_id, **{fact: card.get(fact) for fact in ("name", "language", "started")})
        return other.run_id

    # -- close ---------------------------------------------------------------------------------------------
    async def aclose(self) -> None:
        """Close every language and database that this framework opened."""
        for language in (*self._languages.values(), *([self._given] if self._given else [])):
            await language.aclose()
        self._languages.clear()
        await self._checkers.aclose()
        if self.models is not None:
            await self.models.aclose()
        for memory in (self._bank, self._statistics):
            if memory is not None:
                memory.close()
        self._bank = self._statistics = None

    def close(self) -> None:
        """Synchronous :meth:`aclose`; also ends the framework's own event loop."""
        runner = self._runner or asyncio.Runner()
        self._runner = None
        with runner:
            runner.run(self.aclose())

    def __enter__(self) -> GoedelsPoetryFramework:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> GoedelsPoetryFramework:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    # -- inside --------------------------------------------------------------------------------------------
    def _on_own_loop(self, work: Coroutine[Any, Any, T]) -> T:
        if self._runner is None:
            self._runner = asyncio.Runner()

        async def until_done() -> T:
            with self.stopping_on_signals():
                return await work

        return self._runner.run(until_done())

    def _language(self, language: str | None, name: str | None) -> Language:
        if self._given is not None:
            return self._given
        wanted = language or languages.for_file(name or "")
        if wanted not in self._languages:
            made = self._languages[wanted] = languages.get(wanted)
            if isinstance(made, Configurable):
                made.configure(self.settings)
        return self._languages[wanted]

    def _memory(self) -> Memory:
        """Lemmas and statistics of earlier runs; they help but nothing depends on them."""
        if not self.settings.use_memory:
            return Memory()
        home = self.settings.data_dir
        problems: list[str] = []
        if self._bank is None:
            try:
                self._bank = LemmaBank(home / "lemmas.db")
            except sqlite3.Error as exc:
                problems.append(f"the lemma bank {home / 'lemmas.db'} is not used: {exc}")
        if self._statistics is None:
            try:
                self._statistics = StrategyStatistics(home / "strategies.db")
            except sqlite3.Error as exc:
                problems.append(f"the statistics {home / 'strategies.db'} are not used: {exc}")
        return Memory(self._bank, self._statistics, tuple(problems))

    async def _run(
        self,
        run: RunDir,
        language: Language,
        source: str,
        options: dict[str, Any],
        name: str,
        out: Path | None,
        on_event: OnEvent | None,
        claim: Claim | None = None,
        confirm: Confirm | None = None,
        question: Question | None = None,
        allowance: Allowance | None = None,
    ) -> RunResult:
        self._begin()
        try:
            theorem: Theorem | None
            if question is not None:
                if not run.is_finished():
                    check_question(question, self.models)
                theorem = Theorem(language.name, source, options, " ".join(source.split()))
            elif claim is None:
                try:
                    theorem = await self._reading(language.read(source, copy.deepcopy(options)))
                except TimeoutError as exc:
                    return _unread(name, language, f"{exc}, and the time for it is used up: give it more")
                except Unavailable as exc:
                    return _unread(name, language, f"{exc}; this says nothing about the text: try it again")
                if theorem is None:
                    return _unread(name, language, f"{self._interrupted} before the theorem was read")
                theorem = replace(theorem, text=source, options=options)  # what is proved is what was given
            else:
                if not run.is_finished():
                    check_claim(claim, language, self.models)
                theorem = Theorem(language.name, source, options, " ".join(source.split()))
            # Two inputs may be the same theorem: the second waits and finds the first one's result.
            async with self._busy.setdefault(run.path, asyncio.Lock()):
                with run.lock():
                    result = await self._search(
                        Search(
                            run,
                            language,
                            theorem,
                            name,
                            self.settings,
                            self._memory() if question is None else Memory(),
                            self._checkers,
                            on_event or _ignore,
                            self.models,
                            claim,
                            confirm,
                            question,
                            allowance,
                        ),
                        out,
                    )
        except InvalidInput as exc:
            where = {"line": exc.line, "column": exc.column, "hint": exc.hint}
            return RunResult(name, Verdict.INVALID, language=language.name, reason=str(exc), location=where)
        finally:
            self._active -= 1
        return replace(result, input=name)

    async def _reading(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What it returns; None when an interrupt has ended it."""
        reading = asyncio.ensure_future(work)
        self._readings.add(reading)
        try:
            return await reading
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not reading.cancelled() or (task is not None and task.cancelling()):
                raise
            return None
        finally:
            self._readings.discard(reading)

    async def _search(self, search: Search, out: Path | None) -> RunResult:
        if self._interrupted:
            search.interrupt(self._interrupted)
        self._searches.append(search)
        try:
            return await search.run(out)
        finally:
            self._searches.remove(search)


def _unread(name: str, language: Language, reason: str) -> RunResult:
    return RunResult(name, Verdict.OUT_OF_BUDGET, language=language.name, reason=reason)


def _ignore(event: Event) -> None:
    """Nobody listens."""


__all__ = ["GoedelsPoetryFramework"]
