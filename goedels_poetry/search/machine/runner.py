"""`MachineRunner`: the runs of one process, with the models, languages, checkers and memory that they share."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import threading
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, cast
from weakref import WeakValueDictionary

from typing_extensions import TypedDict, Unpack

from goedels_poetry import languages
from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import InvalidInput, Unavailable, UnknownLanguage, UnknownRun
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.sources import file_and_theorem, file_text
from goedels_poetry.models.accounting import SharedBudget
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.protocol.base import (
    Configurable,
    InOrder,
    JobPool,
    Language,
    SeveralTheorems,
    Spreading,
    Stated,
    Theorem,
)
from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.search.machine.background import Closed, call_in
from goedels_poetry.search.machine.checkpoints import LISTENED_TO, GraphOptions, OnChunk
from goedels_poetry.search.machine.kinds import KINDS, Extensions, id_of, registry_of, task_of
from goedels_poetry.search.machine.run import Run
from goedels_poetry.search.machine.session import Services, Subject
from goedels_poetry.search.memory import Memory, MemoryFiles, conversation, lemma_id
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.search.tasks.claim import Claim, Confirm, FormalTheorem
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Budgets, Settings
from goedels_poetry.store.derivation import derivation, lemma_body
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import OnEvent, RunResult
from goedels_poetry.store.runs import RunDir, Runs
from goedels_poetry.telemetry import span

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


CERTIFICATE = "certificate"
"""Folder of the certificate inside a run's folder."""
SECONDS = "seconds_elsewhere"
"""Metric of a run that was worked on elsewhere: seconds from when it was taken up to its result."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """All that determines a run, as JSON values."""

    run_id: str
    name: str
    language: str
    options: dict[str, Any]
    kind: str
    """Of the task; see `kinds`."""
    text: str
    identity: dict[str, Any]


class Elsewhere(Protocol):
    """Who works on runs in the place of this process."""

    async def run(self, place: RunDir, assignment: Assignment) -> RunResult:
        """Go on with the run in the folder ``place``, which the caller has locked, or begin it there.

        When this returns the folder has all that a run here would have left in it. An exception says nothing about
        the theorem, and leaves the folder as it was.
        """

    def interrupt(self, reason: str) -> None:
        """Stop every run at its next step boundary; from any thread."""


async def run_elsewhere(
    elsewhere: Elsewhere, place: RunDir, assignment: Assignment, out: Path | None, on_event: OnEvent | None
) -> RunResult:
    """One run, and what a caller expects of one: its events, though all at the end, and its certificate in ``out``.

    Raises:
        RunLocked: a process here works on it. OSError: the certificate cannot be put there.
    """
    # In a database whoever works on the run holds it, wherever that is; a folder comes here again, and is held here.
    with place.lock() if place.database is None else contextlib.nullcontext():
        finished = place.result() if place.is_finished() else None
        if finished is not None:
            return replace(finished, input=assignment.name)  # the same theorem under another name was quicker
        before = 0
        if place.has_tree():
            with place.open(read_only=True) as store:
                before = store.seq
        try:
            result = await elsewhere.run(place, assignment)
        finally:
            with contextlib.suppress(OSError):  # of a run that never began only the lock is there
                if [entry.name for entry in place.path.iterdir()] == ["lock"]:
                    (place.path / "lock").unlink()
                    place.path.rmdir()
        if on_event is not None and place.has_tree():
            with place.open(read_only=True) as store:
                for event in store.events(before):
                    on_event(replace(event, run_id=place.run_id))
        if out is not None and result.certificate is not None:
            copied = Path(shutil.copytree(result.certificate, out, dirs_exist_ok=True))
            result = replace(result, certificate=copied)
            place.write_card(result=result.to_json())
        return result


T = TypeVar("T")


class RunOptions(TypedDict, total=False):
    """Options of every kind of run."""

    name: str | None
    """The run's name in results; a file name also selects the language by its suffix. Default: path, or title."""
    fresh: bool
    """Begin a new run even if there is one."""
    resume: bool
    """Fail with :class:`UnknownRun` when there is no run to go on with."""
    out: Path | None
    """Directory for the certificate (default: inside the run's directory)."""
    on_event: OnEvent | None
    """Called in the event loop after every commit; must not block."""
    allowance: SharedBudget | None
    """What other runs with the same purpose leave of the budgets."""
    budgets: Budgets | None
    """Of this run, instead of those of the settings."""
    config: RunnableConfig | None
    """Callbacks, tags, metadata and run name for LangGraph, the agents and the models that they ask; the thread and the
    recursion limit are the run's own."""
    on_chunk: OnChunk | None
    """Called in the event loop with each mode and chunk of LangGraph's stream; an `Inner` of a graph inside of ours."""
    modes: tuple[str, ...]
    """Of that stream (default: "updates", "values")."""


LOGIC = "logic"
"""The language of programs that answer questions."""


RECOGNISED = 1_000_000
"""Characters of a text by which its language is recognised."""
AGAIN = "this says nothing about the text: try it again"
READ_GRACE = 1.0
"""Seconds that an interrupt leaves to the reading of a theorem: most are read by then, and the run can be resumed."""
OPTIONS = ("theorem", "assume_definitions", "without", "seed", "file", "lemmas")
"""What languages of theorems take of a caller; the command line gives all of them the same."""
_THEOREMS = frozenset({"smt", "lean", "python"})


class MachineRunner:
    """Begins, goes on with and interrupts runs; each is durable under ``settings.data_dir``.

    Several runs may be awaited at once, on one event loop or on several: they share the language's solver pool. Close
    it after use, or use it as a context manager.

    Args:
        settings: defaults, configuration file and environment when None.
        language: an instance to use for every run instead of the one found by name; closed by ``aclose``.
        models: language models by role, instead of those that the settings name; closed by ``aclose``.
        checkpoint_all: False: what is decided before anything is decomposed is decided without LangGraph, whose
            loading takes longer, and has no checkpoint; its state is that of its store.
        extensions: agents, strategies and languages that the caller brings, besides those of installed packages.

    Raises:
        RecordingError, PriceError, PromptError: a file or folder that the settings name cannot be used.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        language: Language | None = None,
        models: Models | None = None,
        checkpoint_all: bool = True,
        extensions: Extensions | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.elsewhere: Elsewhere | None = None
        """Who works on whole runs in the place of this process, a cluster say; the caller closes it."""
        self._pool: JobPool | None = None
        self.extensions = extensions or Extensions()
        self._checkpoint_all = checkpoint_all
        self.models = models if models is not None else models_from(self.settings)
        self._runs = Runs.of(self.settings)
        self._given = language
        self._languages: dict[str, Language] = {}
        self._registries: dict[str, Registry] = {}
        self._checkers = Checkers(self.settings.lean)
        self._memory = MemoryFiles(self.settings)
        self._under_way: list[Run] = []
        self._readings = Readings()
        self._busy: WeakValueDictionary[tuple[asyncio.AbstractEventLoop, Path], asyncio.Lock] = WeakValueDictionary()
        self._guard = threading.Lock()
        self._active = 0
        self._interrupted = ""
        self._closed = False

    # -- run -----------------------------------------------------------------------------------------------
    async def arun(
        self,
        source: str | os.PathLike[str],
        *,
        language: str | None = None,
        options: dict[str, Any] | None = None,
        informal: bool = False,
        context: str = "",
        confirm: Confirm | None = None,
        steps: Sequence[str] = (),
        round_trip: bool = True,
        only_state: bool = False,
        **more: Unpack[RunOptions],
    ) -> RunResult:
        """Prove one theorem.

        An unfinished run of the same theorem, language, options, seed, models and brought code goes on; a finished one
        is returned as it stands. Where a model could not be asked and nothing was decided, a new run begins.

        Args:
            source: the theorem's text, or the path of its file (a `Path`, also ``FILE:theorem``; a str is a text).
            language: name of the proof language; by default the one of ``name``'s suffix, else of the text.
            options: handed to the language, e.g. ``{"assume_definitions": True}``; part of the run's id.
            informal: ``source`` is a claim in plain words, which a model states in the language first. The verdict
                is about that formal statement; see ``RunResult.formalization``.
            context: for a claim: formal definitions, kept byte for byte before what the model writes.
            confirm: for a claim: asked about the formal statement before it is proved.
            steps: for a claim: its author's steps of a proof, in words; hints for models.
            round_trip: for a claim: have the formal text put back into words and these compared with the claim.
            only_state: for a claim: stop when there is a formal statement; the same call without it goes on.
            more: see `RunOptions`.

        Raises:
            UnknownLanguage, UnknownRun, RunLocked, Closed. OSError: there is no such file. An invalid theorem is a
                result, not an exception.
        """
        if not isinstance(source, str):
            source, named = await asyncio.to_thread(file_and_theorem, source)
            options = {**({"theorem": named} if named else {}), **(options or {})}
            more["name"] = os.fspath(source) if more.get("name") is None else more.get("name")
        name = more.get("name")
        try:
            text = source if isinstance(source, str) else await asyncio.to_thread(file_text, source, self.settings.lean)
        except InvalidInput as error:
            return RunResult(name or "", Verdict.INVALID, reason=str(error), location=error.location)
        task: Task = FormalTheorem(text)
        if informal:
            task = Claim(text, context, confirm, tuple(steps), round_trip, only_state)
        meant, spoken = (
            {"file": name or "", **(options or {})},
            self._language(language, name, "" if informal else text),
        )
        with self.together():
            if isinstance(spoken, InOrder) and not informal:
                try:
                    task = await self._after_others(text, spoken, meant, name or "", more)
                except InvalidInput as error:
                    about: dict[str, Any] = {"language": spoken.name, "location": error.location}
                    return RunResult(name or "", Verdict.INVALID, reason=str(error), **about)
                except Unavailable as error:
                    return RunResult(
                        name or "", Verdict.OUT_OF_BUDGET, language=spoken.name, reason=f"{error}; {AGAIN}"
                    )
            return await self.arun_task(task, spoken, meant, **more)

    async def own_text(self, text: str, language: str, options: dict[str, Any]) -> str:
        """What of a text a run is about: see `InOrder.goals`, also for what it raises."""
        spoken = self._language(language, None)
        found = await self._readings.of(spoken.goals(text, options)) if isinstance(spoken, InOrder) else None
        return text if found is None else found[0]

    async def _after_others(
        self, text: str, language: InOrder, options: dict[str, Any], name: str, more: RunOptions
    ) -> FormalTheorem:
        """A theorem with those before it in its text, and in ``options["lemmas"]``, as far as they are proved.

        Each is a run of its own, which has ended or goes on, under the same budgets. InvalidInput: see `InOrder.goals`.
        """
        self._must_be_open()
        found = await self._readings.of(language.goals(text, options))
        own, goals = found if found is not None else (text, ())
        known: list[tuple[str, str, list[dict[str, Any]]]] = []
        notes: dict[str, str] = {}
        file, spoken = name.removesuffix(f":{options.get('theorem')}"), cast(Language, language)
        for number, goal in enumerate(goals):
            usable = [lemma for lemma in known if lemma[1] not in (*goal.hide, *_misread(lemma, goals, goal))]
            lemmas = json.dumps(usable) if usable else ""
            if number == len(goals) - 1:
                return FormalTheorem(own, lemmas, tuple((note, one in goal.named) for one, note in notes.items()))
            choices = {**{k: v for k, v in options.items() if k != "lemmas"}, "theorem": goal.name}
            shared: RunOptions = {"allowance": more.get("allowance"), "on_event": more.get("on_event")}
            shared["budgets"] = more.get("budgets")
            shared["name"] = f"{file}:{goal.name}"
            result = await self.arun_task(FormalTheorem(goal.text, lemmas), spoken, choices, **shared)
            if result.verdict is not Verdict.PROVED:
                notes[goal.name] = (
                    f"`{goal.name}` is not used: it is {result.verdict}, not proved (run {result.run_id})"
                )
                continue
            with self.open_store(result.run_id) as store:
                ident = lemma_id(spoken.name, goal.key, goal.statement)
                known.append((ident, goal.name, lemma_body(derivation(store), ident, goal.statement, goal.key)))
        return FormalTheorem(own)

    async def aask(self, question: Question, **more: Unpack[RunOptions]) -> RunResult:
        """Have a question in plain language answered by a program that a model writes and the checker decides.

        An unfinished run of the same question, models and seed goes on; a finished one is returned as it stands.
        ``reasoning.answer_of`` puts question, run and result together.

        Raises:
            RunLocked. A question that cannot be asked here is a result (``invalid``), not an exception.
        """
        return await self.arun_task(question, self._language(LOGIC, None), question.options, **more)

    async def arun_task(
        self, task: Task, language: Language, options: dict[str, Any], **more: Unpack[RunOptions]
    ) -> RunResult:
        """One run, whatever it is about; see :meth:`arun` and :meth:`aask`.

        An unfinished run of the same task, language, options, models and seed goes on.

        Args:
            language: an open one; the caller closes it.
            options: for the language, besides the seed of the settings.
        """
        self._must_be_open()
        meant = {"seed": self.settings.seed, **options}
        prefix = id_of(task, language.name, meant, self.models, self.extensions.fingerprint)
        latest, name = self._runs.latest(prefix), more.get("name")
        if more.get("resume") and latest is None:
            raise UnknownRun(f"there is no run of {name or 'this theorem'} to resume (its id would be {prefix})")
        place = self._runs.nth(prefix, 1) if latest is None else latest
        if latest is not None and (more.get("fresh") or latest.is_unanswered()):
            place = self._runs.new(prefix)
        return await self._run(place, task, language, meant, name if name is not None else task.title, more)

    async def aresume(self, run_id: str, **more: Unpack[RunOptions]) -> RunResult:
        """Go on with a run, by its id or an unambiguous beginning of it, under the present budgets."""
        self._must_be_open()
        run = self._runs.get(run_id)
        with self.open_store(run.run_id) as store:
            task = task_of(store)
            language, options, name = (store.meta(fact) for fact in ("language", "options", "name"))
        if task is None:
            raise UnknownRun(f"run {run.run_id} stopped before it began; start it again from its theorem")
        if run.is_unanswered():
            run = self._runs.new(run.run_id.partition("-")[0])
        return await self._run(run, task, self._language(language, None), options, name, more)

    def spread_over(self, pool: JobPool) -> None:
        """Have ``pool``, which the caller closes, do the jobs of languages that let it: the goals of a run spread."""
        with self._guard:
            self._pool = pool
            for spoken in filter(None, (*self._languages.values(), self._given)):
                if isinstance(spoken, Spreading):
                    spoken.work_on(pool)

    def place(self, run_id: str) -> RunDir:
        """Where a run of that id is, or would be."""
        return self._runs.place(run_id)

    async def carry_out(self, place: RunDir, assignment: Assignment) -> RunResult:
        """One run in a folder of the caller's, for who works in the place of another process."""
        self._must_be_open()
        task = KINDS[assignment.kind].again(assignment.text, assignment.identity)
        spoken = self._language(assignment.language, None)
        return await self._run(place, task, spoken, assignment.options, assignment.name, {})

    async def theorems(self, source: str, *, name: str | None = None, language: str | None = None) -> tuple[str, ...]:
        """Names of the theorems of a text that are still to be proved, for ``options={"theorem": …}``.

        () where a text of the language states one theorem, and for a text that cannot be read.

        Raises:
            UnknownLanguage, Closed.
        """
        self._must_be_open()
        spoken = self._language(language, name, source)
        return await self._readings.of(spoken.theorems(source)) or () if isinstance(spoken, SeveralTheorems) else ()

    def interrupt(self, reason: str = "interrupted") -> None:
        """Ask every run of this framework to stop at the next step boundary.

        Safe in a signal handler, and in any thread.
        """
        self._interrupted = reason
        for run in tuple(self._under_way):
            run.interrupt(reason)
        self._readings.interrupt()
        if self.elsewhere is not None:
            self.elsewhere.interrupt(reason)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Inside, runs belong together: an interrupt is one of those that are still to begin, too."""
        with self._guard:
            if not self._active:  # what an earlier interrupt was about is over
                self._interrupted = ""
            self._active += 1
        try:
            yield
        finally:
            with self._guard:
                self._active -= 1

    # -- look ----------------------------------------------------------------------------------------------
    def open_store(self, run_id: str) -> ProofStore:
        """A read-only view of a run: ``nodes(as_of)``, ``events()``, ``history(node)``. Close it after use."""
        return self._runs.get(run_id).open(read_only=True)

    def conversation(self, run_id: str) -> list[dict[str, Any]]:
        """Everything that was asked, answered, tried and decided in a run, as JSON values; see ``memory``."""
        with self.open_store(run_id) as store:
            return conversation(store)

    # -- close ---------------------------------------------------------------------------------------------
    async def aclose(self) -> None:
        """Close every language and database that this framework opened; it takes no more work then."""
        if self._closed:
            return
        self._closed = True
        languages = (*self._languages.values(), *([self._given] if self._given else []))
        await asyncio.gather(*(language.aclose() for language in languages), self._checkers.aclose())
        self._languages.clear()
        if self.models is not None:
            await self.models.aclose()
        self._memory.close()
        self._runs.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    # -- inside --------------------------------------------------------------------------------------------
    def _language(self, language: str | None, name: str | None, text: str = "") -> Language:
        if self._given is not None:
            return self._given
        brought = self.extensions.languages
        if not language and not Path(name or "").suffix:
            language = languages.for_text(text[:RECOGNISED]) or None
        if not language and not name:
            known = ", ".join(languages.names(brought))
            words = 'say in which language the text is: name="x.smt2" or language="smt"; a file is given as a Path'
            raise UnknownLanguage(f"{words} (languages: {known})")
        wanted = language or languages.for_file(name or "", brought)
        with self._guard:
            if wanted not in self._languages:
                made = self._languages[wanted] = languages.get(wanted, brought)
                if isinstance(made, Configurable):
                    made.configure(self.settings)
                if self._pool is not None and isinstance(made, Spreading):
                    made.work_on(self._pool)
            return self._languages[wanted]

    def _must_be_open(self) -> None:
        if self._closed:
            raise Closed(f"this {type(self).__name__} is closed: make another one")

    async def _run(
        self, place: RunDir, task: Task, language: Language, options: dict[str, Any], name: str, more: RunOptions
    ) -> RunResult:
        about = {"run_id": place.run_id, "input": name, "language": language.name, "task": task.kind}
        try:
            with self.together(), span("goedels-poetry run", about) as attributes:
                result = replace(await self._checked_run(place, task, language, options, name, more), input=name)
                attributes |= {"verdict": "" if result.away else str(result.verdict), "trust_level": result.trust_level}
                return result
        except InvalidInput as exc:
            return RunResult(name, Verdict.INVALID, language=language.name, reason=str(exc), location=exc.location)

    async def _checked_run(
        self, place: RunDir, task: Task, language: Language, options: dict[str, Any], name: str, more: RunOptions
    ) -> RunResult:
        """The same of a task that may be one that cannot be worked on: then InvalidInput."""
        out, on_event = more.get("out"), more.get("on_event")
        out = None if out is None else out.absolute()  # it is looked for from other folders, too
        busy = self._busy.setdefault((asyncio.get_running_loop(), place.path), asyncio.Lock())  # kept by who has it
        if not place.is_finished():
            task.check(language, self.models)
            if self.elsewhere is not None:
                about = task.kind, task.text, task.identity
                sent = Assignment(place.run_id, name, language.name, options, *about)
                async with busy:
                    return await run_elsewhere(self.elsewhere, place, sent, out, on_event)
        theorem, late = None, ""
        try:
            theorem = await self._readings.of(_read(task, language, options))
        except TimeoutError as exc:
            late = f"{exc}, and the time for it is used up: give it more"
        except Unavailable as exc:
            late = f"{exc}; {AGAIN}"
        if theorem is None:
            reason = late or f"{self._interrupted} before the theorem was read"
            return RunResult(name, Verdict.OUT_OF_BUDGET, language=language.name, reason=reason)
        if task.kind not in self._registries:  # read once: plug-ins do not change while a process lives
            self._registries[task.kind] = registry_of(task.kind, self.extensions)
        budgets = more.get("budgets") or self.settings.budgets
        services = Services(
            settings=self.settings.model_copy(update={"budgets": budgets}),
            checkers=self._checkers,
            models=self.models,
            memory=self._memory.open() if task.learns else Memory(),
            budget=more.get("allowance") or SharedBudget.of_one_run(budgets),
            registry=self._registries[task.kind],
            on_event=on_event or (lambda event: None),
            graph=GraphOptions(
                more.get("config"),
                more.get("on_chunk"),
                self._checkpoint_all,
                more.get("modes", LISTENED_TO),
            ),
        )
        run = Run(place, Subject(task, language, theorem, name), services)
        # Two inputs may be the same theorem: the second waits and finds the first one's result.
        async with busy:
            with place.lock():
                if self._interrupted:
                    run.interrupt(self._interrupted)
                self._under_way.append(run)
                try:
                    return await run.run(out)
                finally:
                    self._under_way.remove(run)


def _misread(lemma: tuple[str, str, list[dict[str, Any]]], goals: Sequence[Stated], goal: Stated) -> list[str]:
    """The name of a lemma, where variables of its steps are called like what is declared between it and ``goal``."""
    own = next(each for each in goals if each.name == lemma[1])
    used = {word for step in lemma[2] for word in re.findall(r"[^\s()|]+", step["statement"])}
    return [] if used.isdisjoint({*goal.symbols} - {*own.symbols}) else [own.name]


class Readings:
    """Those under way, on whichever loops."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Future[Any]] = set()

    async def of(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What it returns; None when an interrupt has ended it."""
        reading = asyncio.ensure_future(work)
        self._under_way.add(reading)
        try:
            return await reading
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not reading.cancelled() or (task is not None and task.cancelling()):
                raise
            return None
        finally:
            self._under_way.discard(reading)

    def interrupt(self) -> None:
        """End them in a moment; in any thread."""
        for reading in tuple(self._under_way):
            loop = reading.get_loop()
            call_in(loop, partial(loop.call_later, READ_GRACE, reading.cancel))


async def _read(task: Task, language: Language, options: dict[str, Any]) -> Theorem:
    """See `Task.read`; RefusedPlugin for what a language of somebody else raises besides.

    Raises:
        InvalidInput: an option that no language of ours knows, which would change nothing.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if language.name in _THEOREMS and unknown:
        raise InvalidInput(f"options: there is no `{unknown[0]}`", hint=f"there are {', '.join(OPTIONS[:2])}")
    with languages.blaming(language, "read the text"):
        return await task.read(language, options)
