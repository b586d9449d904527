"""`GoedelsPoetryFramework`: build, run, resume and look at runs. What the command line and users call."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, Self, cast

from typing_extensions import Unpack

from goedels_poetry.checker.certificate.receipt import basis_of
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, UnknownLanguage, UnknownRun
from goedels_poetry.files import files_in, free_place
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages import SEARCHED
from goedels_poetry.languages.sources import file_and_theorem, file_text, passed_over
from goedels_poetry.models.client import Models
from goedels_poetry.plugins import RefusedPlugin
from goedels_poetry.protocol.base import Language
from goedels_poetry.search.machine.background import BackgroundLoop, Closed, call_in, is_watched
from goedels_poetry.search.machine.checkpoints import (
    ENDED,
    LISTENED_TO,
    RESULT,
    Inner,
    OnChunk,
    Snapshot,
    StreamMode,
    modes_of,
    read_history,
    read_state,
    stream_of,
)
from goedels_poetry.search.machine.embedding import Embedded, graph_of, node_of, tool_of
from goedels_poetry.search.machine.graph import draw
from goedels_poetry.search.machine.kinds import Extensions, PluginList, plugin_list, registry_of, run_id_of
from goedels_poetry.search.machine.runner import MachineRunner, RunOptions
from goedels_poetry.search.tasks.claim import Confirm
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Settings
from goedels_poetry.solvers.limits import SolverError
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.store.results import Event, OnEvent, RunResult, RunSummary
from goedels_poetry.store.runs import RunDir

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph

    from goedels_poetry.reasoning.backends import OpenAIClient
    from goedels_poetry.trace.tree import TreeView

P = ParamSpec("P")

_END: Any = object()
"""What a stream that has ended gives instead of a chunk."""


class RunArguments(RunOptions, total=False):
    """Arguments of :meth:`GoedelsPoetryFramework.arun`."""

    language: str | None
    options: dict[str, Any] | None
    informal: bool
    context: str
    confirm: Confirm | None
    steps: Sequence[str]
    round_trip: bool
    only_state: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """A verdict that the checker gives today, in a run of now or of earlier."""

    result: RunResult
    text: str
    """What the verdict is about: the theorem's own text, or the formal statement of a claim."""
    remembered: bool
    """Whether this is the claim of an earlier run, checked again now."""
    doubted: bool = False
    """Whether there was one whose certificate is not accepted, so that it was proved anew."""


CHECK_AGAIN = "goedels_poetry.checker.by_language:check_again"
RECHECK_SECONDS = 60.0
"""Seconds to check the claim of an earlier run again; when that is not enough it is proved anew."""


Source = str | os.PathLike[str]
"""A theorem's text, or the path of its file (a `Path`; a str is always a text)."""


class GoedelsPoetryFramework(MachineRunner):
    """Proves theorems; keeps every run durable under ``settings.data_dir``.

    ``run``, ``resume`` and ``stream`` work everywhere: in scripts, in notebooks, and in any number of threads at once.
    They wait for an event loop in a thread of the framework's own. Several ``arun`` may be awaited at once.
    Close it after use, or use it as a context manager (``with`` for the synchronous twins, ``async with`` for the
    others).

    Args:
        settings: defaults, configuration file and environment when None.
        language: an instance to use for every run instead of the one found by name; closed by ``aclose``.
        models: instead of those that the settings name: a model's name, any LangChain chat model, chat models by role,
            a client of OpenAI's with a ``model`` in the settings, or `Models`, which are closed by ``aclose``.
        agents: functions with ``@agent``, or modules of some: for the runs of this framework alone.
        strategies: functions with ``@strategy``, likewise.
        languages: classes or instances of proof languages, found by name and suffix, likewise.
        checkpoint_all: False: what is decided before anything is decomposed is decided without LangGraph, whose
            loading takes longer, and has no checkpoint; its state is that of its store.

    Raises:
        RecordingError, PriceError, PromptError: a file or folder that the settings name cannot be used.
        RefusedPlugin: an agent, a strategy or a language is not what it should be. UnusableClient: ``models`` is
            nothing that can be asked.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        language: Language | None = None,
        models: Models | BaseChatModel | Mapping[str, BaseChatModel] | OpenAIClient | str | None = None,
        agents: Iterable[Any] = (),
        strategies: Iterable[Any] = (),
        languages: Iterable[Any] = (),
        checkpoint_all: bool = True,
    ) -> None:
        in_force = settings or Settings()
        asked = models if models is None or isinstance(models, Models) else None
        if models is not None and asked is None:
            from goedels_poetry.reasoning.backends import models_of, settings_with  # which few need

            name = in_force.models.default.model
            in_force = settings_with(in_force, models, name)
            asked = models_of(models, name, in_force, "models")
        extensions = Extensions.of(agents, strategies, languages)
        if language is not None and extensions.languages:
            raise RefusedPlugin("language= serves every run, so that languages= would never be used: give one of them")
        super().__init__(
            in_force, language=language, models=asked, checkpoint_all=checkpoint_all, extensions=extensions
        )
        self._background = BackgroundLoop(type(self).__name__)
        self._rechecks: WorkerPool | None = None

    # -- run -----------------------------------------------------------------------------------------------
    async def arun(self, source: Source, **arguments: Unpack[RunArguments]) -> RunResult:
        """See `MachineRunner.arun`; in a thread of our own where the caller's loop is watched for blocking calls."""
        return await self._unwatched(super().arun, source, arguments)

    async def aresume(self, run_id: str, **arguments: Unpack[RunOptions]) -> RunResult:
        """See `MachineRunner.aresume`, and :meth:`arun`."""
        return await self._unwatched(super().aresume, run_id, cast(RunArguments, arguments))

    async def aask(self, question: Question, **arguments: Unpack[RunOptions]) -> RunResult:
        """See `MachineRunner.aask`, and :meth:`arun`."""
        return await self._unwatched(super().aask, question, cast(RunArguments, arguments))

    async def _unwatched(
        self, work: Callable[..., Coroutine[Any, Any, RunResult]], about: Source | Question, arguments: RunArguments
    ) -> RunResult:
        if self._background.is_here or not is_watched():
            return await work(about, **arguments)
        return await self._beside(work, about, **arguments)

    async def _proved(self, source: Source, **arguments: Unpack[RunArguments]) -> RunResult:
        return (await self.aprove(source, **arguments)).result

    async def _beside(
        self,
        work: Callable[..., Coroutine[Any, Any, RunResult]],
        about: Source | Question,
        **arguments: Unpack[RunArguments],
    ) -> RunResult:
        """A run in a thread of our own; what listens is called in the caller's loop."""
        loop = asyncio.get_running_loop()
        heard, taken, asked = arguments.get("on_event"), arguments.get("on_chunk"), arguments.get("confirm")
        if heard is not None:
            arguments["on_event"] = _in_loop(loop, heard)
        if taken is not None:
            arguments["on_chunk"] = _in_loop(loop, taken)
        if asked is not None:

            def confirm(stated: dict[str, Any]) -> Awaitable[bool]:
                return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(asked(stated)), loop))

            arguments["confirm"] = confirm
        return await self._background.wait(work(about, **arguments))

    async def arun_many(
        self, sources: Source | Iterable[Source], *, at_once: int = 2, **arguments: Unpack[RunArguments]
    ) -> list[RunResult]:
        """The result of each theorem, in order: of a text, a file or a folder (a `Path`), or of several of them.

        A folder stands for its theorems as in ``goedels-poetry prove FOLDER``, a file or text with several for all of
        them (``FILE:theorem`` in `RunResult.input`). Every other argument is one of :meth:`arun`.
        """
        limit = asyncio.Semaphore(at_once)

        async def one(source: Source, theorem: str, language: str) -> RunResult:
            own = arguments.copy()
            if theorem:
                own["language"], own["options"] = language, {**(arguments.get("options") or {}), "theorem": theorem}
                if not isinstance(source, str):
                    own["name"] = f"{os.fspath(source)}:{theorem}"
            async with limit:
                try:
                    return await self.arun(source, **own)
                except (GoedelsPoetryError, OSError) as problem:  # one that cannot be begun does not stop the others
                    verdict = Verdict.INVALID if isinstance(problem, UnknownLanguage) else Verdict.UNKNOWN
                    return RunResult("" if isinstance(source, str) else os.fspath(source), verdict, reason=str(problem))

        given = [sources] if isinstance(sources, str | os.PathLike) else sources
        meant = [each for source in given for each in await self._meant(source, arguments.get("language"))]
        return list(await asyncio.gather(*(one(*each) for each in meant)))

    async def _meant(self, source: Source, language: str | None) -> list[tuple[Source, str, str]]:
        """The theorems that something stands for, each with its name and language where its text has several."""
        folder = not isinstance(source, str) and await asyncio.to_thread(os.path.isdir, source)
        places: Sequence[Source] = await asyncio.to_thread(files_in, source, SEARCHED) if folder else [source]
        meant: list[tuple[Source, str, str]] = []
        for place in places:
            several: tuple[str, ...] = ()
            spoken = ""
            with contextlib.suppress(GoedelsPoetryError, OSError, ValueError):  # the run will say why
                lean = self.settings.lean
                text = place if isinstance(place, str) else await asyncio.to_thread(file_text, place, lean)
                spoken = self._language(language, None if isinstance(place, str) else os.fspath(place), text).name
                several = await self.theorems(text, language=spoken)
                if folder and not several and passed_over(os.fspath(place), spoken, text) is not None:
                    continue  # a program like any other, or finished
            meant += [(place, theorem, spoken) for theorem in (several if len(several) > 1 else ("",))]
        return meant

    def run_many(
        self, sources: Source | Iterable[Source], *, at_once: int = 2, **arguments: Unpack[RunArguments]
    ) -> list[RunResult]:
        """Synchronous :meth:`arun_many`, as :meth:`run` is of `arun`."""
        return self._background.run(self.arun_many(sources, at_once=at_once, **arguments), self.interrupt)

    def run(self, source: Source, **arguments: Unpack[RunArguments]) -> RunResult:
        """Synchronous :meth:`arun`, from any thread and in a notebook.

        Where the main thread waits, the first SIGINT (Ctrl-C, "interrupt" of a notebook) or SIGTERM stops cleanly:
        ``out_of_budget``, resumable.
        """
        return self._background.run(self.arun(source, **arguments), self.interrupt)

    def resume(self, run_id: str, **arguments: Unpack[RunOptions]) -> RunResult:
        """Synchronous :meth:`aresume`, as :meth:`run` is of `arun`."""
        return self._background.run(self.aresume(run_id, **arguments), self.interrupt)

    async def aprove(self, source: Source, **more: Unpack[RunArguments]) -> Answered:
        """:meth:`arun`, where no file is believed: what an earlier run claims is checked again, else proved anew.

        Raises:
            as :meth:`arun`; InvalidInput of a text that an agent or plug-in has changed meanwhile.
        """
        listener, options, worked = more.get("on_event"), more.get("options") or {}, set[str]()

        def listen(event: Event) -> None:
            worked.add(event.run_id)  # of goals before this one, too, which are runs of their own
            if listener is not None:
                listener(event)

        more["on_event"] = listen
        result = await self.arun(source, **more)
        text = source if isinstance(source, str) else ""
        if not isinstance(source, str):
            file, named = await asyncio.to_thread(file_and_theorem, source)
            options = {**({"theorem": named} if named else {}), **options}
            with contextlib.suppress(InvalidInput):  # the result says why
                text = await asyncio.to_thread(file_text, file, self.settings.lean)
        if result.verdict not in CLAIMS:
            return Answered(result, text, remembered=False)
        formal = result.formalization["formal"] if result.formalization is not None else None
        about = formal if formal is not None else await self.own_text(text, result.language, options)
        if result.run_id in worked:
            return Answered(result, about, remembered=False)
        report = await self._rechecked(result, about, options)
        if report is not None and report["verdict"] == result.verdict:
            return Answered(replace(result, checked=basis_of(report)), about, remembered=True)
        out = more.get("out")
        more |= {"out": free_place(out) if out is not None else None, "fresh": True}
        result = await self.arun(source, **more)
        return Answered(result, about, remembered=False, doubted=True)

    async def _rechecked(self, result: RunResult, text: str, options: dict[str, Any]) -> dict[str, Any] | None:
        """What the checker says today, in a process of its own; None where it says nothing."""
        if result.certificate is None:
            return None
        payload = {
            "directory": str(result.certificate),
            "language": result.language,
            "theorem": text,
            "function": options.get("theorem", ""),
            "assume_definitions": options.get("assume_definitions", False),
            "total_seconds": RECHECK_SECONDS,
        }
        try:
            self._rechecks = self._rechecks or WorkerPool(1)
            report: dict[str, Any] = await self._rechecks.run(CHECK_AGAIN, payload, RECHECK_SECONDS)
        except SolverError:
            return None
        return report

    async def astream(
        self,
        source: Source,
        *,
        stream_mode: StreamMode | Sequence[StreamMode] | None = None,
        subgraphs: bool = False,
        **arguments: Unpack[RunArguments],
    ) -> AsyncGenerator[Any, None]:
        """Like :meth:`arun`, as a stream. Closing it stops the run, which can be resumed.

        Args:
            source: the theorem's text or path; the other arguments are those of :meth:`arun`.
            stream_mode: as in LangGraph: "updates" (``{node: update}``), "values" (the state), "custom" (every
                `Event`), whose last chunk has the verdict; "messages", "tasks", "checkpoints", "debug"; or several of
                them (then ``(mode, chunk)``). None: every `Event`, then the `RunResult`.
            subgraphs: as in LangGraph: the namespace comes first, and graphs that agents run are heard, too.

        Raises:
            ValueError: there is no such mode.
        """
        modes = ("custom",) if stream_mode is None else modes_of(stream_mode)
        arguments["modes"] = (*LISTENED_TO, *(mode for mode in modes if mode not in ENDED))
        begin = partial(self._listened_to, source, arguments)
        async with contextlib.aclosing(stream_of(begin, modes, verdict=stream_mode is not None)) as stream:
            async for mode, chunk in stream:
                if stream_mode is None:
                    yield chunk
                elif mode != RESULT and (subgraphs or not isinstance(chunk, Inner)):
                    place, chunk = chunk if isinstance(chunk, Inner) else ((), chunk)
                    said = chunk if isinstance(stream_mode, str) else (mode, chunk)
                    if subgraphs:
                        said = (place, chunk) if isinstance(stream_mode, str) else (place, mode, chunk)
                    yield said

    def stream(
        self,
        source: Source,
        *,
        stream_mode: StreamMode | Sequence[StreamMode] | None = None,
        subgraphs: bool = False,
        **arguments: Unpack[RunArguments],
    ) -> Iterator[Any]:
        """Synchronous :meth:`astream`, as :meth:`run` is of `arun`: the run goes on while chunks are looked at."""
        chunks = self.astream(source, stream_mode=stream_mode, subgraphs=subgraphs, **arguments)

        async def further() -> Any:
            return await anext(chunks, _END)

        try:
            while (chunk := self._background.run(further(), self.interrupt)) is not _END:
                yield chunk
        finally:
            with contextlib.suppress(Closed):  # which has ended it
                self._background.run(_ended(chunks))

    async def _listened_to(
        self, source: Source, arguments: RunArguments, on_event: OnEvent, on_chunk: OnChunk
    ) -> RunResult:
        """:meth:`arun` with two listeners more."""
        heard = arguments.copy()
        heard["on_event"] = _both(arguments.get("on_event"), on_event)
        heard["on_chunk"] = _both(arguments.get("on_chunk"), on_chunk)
        return await self.arun(source, **heard)

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

    def get_graph_stats(self, run_id: str) -> dict[str, int]:
        """``approach_failures``, ``forbidden_approaches`` and ``conversation_entries`` of a run."""
        with self.open_store(run_id) as store:
            return store.get_graph_stats()

    def fork(self, run_id: str, seq: int) -> str:
        """A new run that stands where ``run_id`` stood after commit ``seq``; returns its id, for :meth:`aresume`."""
        run = self._runs.get(run_id)
        with run.open(read_only=True) as store:
            if not 1 <= seq <= store.seq:
                raise ValueError(f"run {run.run_id} has the commits 1 to {store.seq}, not {seq}")
            other = self._runs.new(run.run_id.partition("-")[0])
            store.fork(other.proof_db, seq, run_id=other.run_id, forked_from=[run.run_id, seq]).close()
        card = run.card()
        other.write_card(run_id=other.run_id, **{fact: card.get(fact) for fact in ("name", "language", "started")})
        return other.run_id

    def tree(self, run: str | RunResult, *, as_of: int | None = None) -> TreeView:
        """The proof tree, now or after commit ``as_of``: ``nodes`` as data; raises UnknownRun."""
        from goedels_poetry.trace.tree import TreeView

        with self.open_store(run_id_of(run)) as store:
            return TreeView.of(store, as_of=as_of)

    def page(self, run: str | RunResult) -> str:
        """The run as one HTML document that needs nothing else, as ``trace RUN --html``; raises UnknownRun."""
        from goedels_poetry.trace.page.data import render, run_data

        place = self._place(run)
        with self.open_store(place.run_id) as store:
            return render(run_data(store), title=f"{place.card().get('name') or place.run_id}")

    def delete_run(self, run_id: str) -> int:
        """Delete a run that nobody works on; returns its size in bytes; raises UnknownRun, RunLocked."""
        return self._runs.delete(run_id)

    # -- as LangGraph users look at it -----------------------------------------------------------------------
    def graph(self, kind: str = "theorem") -> CompiledStateGraph[Any, Any, Any, Any]:
        """The compiled LangGraph graph, plug-ins included: to be drawn and looked at. It belongs to no run.

        Its nodes are the supervisor and the agents; ``metadata`` of an agent's node has its ``queues``, what its
        failure costs (``on_failure``) and its ``plugin``. An edge from the supervisor is labelled with the queues.

        ``kind``: what runs are about: "theorem", "claim", "question", "code" or "change"; KeyError for others.
        """
        graph = draw(registry_of(kind, self.extensions))
        # LangGraph's own display for notebooks sends the graph to a server outside to have it drawn.
        vars(graph)["_repr_mimebundle_"] = lambda **_: {"text/plain": repr(graph)}
        return graph

    def get_state(self, run: str | RunnableConfig) -> Snapshot:
        """The newest checkpoint of a run, or the one that a config names, with the node tree of that moment.

        Args:
            run: a run's id, or ``{"configurable": {"thread_id": run id, "checkpoint_id": ...}}`` as snapshots have it.

        Raises:
            UnknownRun, StoreError. GoedelsPoetryError: there is no such checkpoint.
        """
        return read_state(self._place(run), run if isinstance(run, Mapping) else None, self.extensions)

    def get_state_history(
        self,
        run: str | RunnableConfig,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[Snapshot]:
        """Every checkpoint of a run, newest first, over all its starts.

        ``filter``: only checkpoints with this metadata, e.g. ``{"source": "input"}``; ``before``: only those older than
        the one that this config names; ``limit``: so many at most.
        """
        place = self._place(run)
        return read_history(place, filter=filter, before=before, limit=limit, extensions=self.extensions)

    def _place(self, run: str | RunnableConfig | RunResult) -> RunDir:
        return self._runs.get(run_id_of(run))

    def plugins(self) -> PluginList:
        """What packages and the caller have added, and what of it is not used, as `goedels-poetry doctor` says it."""
        return plugin_list(self.extensions)

    # -- inside other graphs ---------------------------------------------------------------------------------
    def as_node(
        self, source: str = "theorem", result: str = "result", **arguments: Unpack[RunArguments]
    ) -> Runnable[Any, Any]:
        """A node for a LangGraph graph: proves ``state[source]``, writes ``state[result]`` (a `RunResult` as JSON).

        Every commit goes to the stream mode "custom". The other arguments are those of :meth:`arun`.
        """
        return node_of(self._embedded, source, result, arguments)

    def as_tool(self, **arguments: Unpack[RunArguments]) -> BaseTool:
        """A LangChain tool ``prove(theorem, language)`` for agents; its artifact is the `RunResult` as JSON."""
        return tool_of(self._embedded, arguments)

    def as_graph(self, *, interrupts: bool = False) -> CompiledStateGraph[Any, Any, Any, Any]:
        """A graph over `ProofState` (``theorem``, ``language``, ``informal``, ``seconds``, ``result``).

        With ``interrupts`` it asks whether a formal statement is meant, and for more seconds when they are used up.
        """
        return graph_of(self._embedded, interrupts)

    @property
    def _embedded(self) -> Embedded:
        def limited(arguments: dict[str, Any]) -> dict[str, Any]:
            seconds = arguments.pop("seconds", None)
            budgets = self.settings.budgets.model_copy(update={"wall_seconds": seconds})
            return {**arguments, "budgets": budgets} if seconds is not None else arguments

        return Embedded(
            lambda source, **arguments: self._background.run(
                self._proved(source, **limited(arguments)), self.interrupt
            ),
            lambda source, **arguments: self._beside(self._proved, source, **limited(arguments)),
        )

    # -- close ---------------------------------------------------------------------------------------------
    def close(self) -> None:
        """Synchronous :meth:`aclose`, from any thread and in a notebook."""
        self._background.close(None if self._closed else self._aclosed())

    async def aclose(self) -> None:
        """Stop what is under way for synchronous callers, then close what was opened; it takes no more work then."""
        if is_watched() and self._background.has_begun:  # what was opened belongs to that thread's loop
            await asyncio.to_thread(self.close)
            return
        if self._background.has_begun:
            await asyncio.to_thread(self._background.close)
        self._background.close()
        await self._aclosed()

    async def _aclosed(self) -> None:
        if self._rechecks is not None:
            await self._rechecks.aclose()
        await super().aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _in_loop(loop: asyncio.AbstractEventLoop, listener: Callable[P, None]) -> Callable[P, None]:
    """What has a listener called in a loop."""

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        call_in(loop, partial(listener, *args, **kwargs))

    return call


async def _awaited(work: Awaitable[bool]) -> bool:
    return await work


async def _ended(chunks: AsyncGenerator[Any, None]) -> None:
    await chunks.aclose()


def _both(given: Callable[P, None] | None, ours: Callable[P, None]) -> Callable[P, None]:
    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        ours(*args, **kwargs)
        if given is not None:
            given(*args, **kwargs)

    return call
