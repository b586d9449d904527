"""The command ``prove``: a batch of theorems, several at a time, one bad one never stopping the rest."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry import languages
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.checker.registry import when_asked
from goedels_poetry.cli.clustered import connected, seats_of
from goedels_poetry.cli.configure import BadSettings, settings, settings_of
from goedels_poetry.cli.failures import INTERNAL_ERROR, INTERRUPTED, UNAVAILABLE, describe, save_log
from goedels_poetry.cli.formal import Confirmation, can_ask, claims
from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, certificate_folder, find, is_awaited, read, read_beside
from goedels_poetry.cli.prove_output import NOT_STARTED, Output
from goedels_poetry.cli.prove_request import Request
from goedels_poetry.cli.report import Report
from goedels_poetry.cli.resuming import resume_of
from goedels_poetry.cli.signals import Signals
from goedels_poetry.cli.verdicts import worst_code
from goedels_poetry.cli.waited import waited
from goedels_poetry.errors import GoedelsPoetryError, MissingTool, RunLocked, StoreError, UnknownLanguage
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.machine.runner import LOGIC
from goedels_poetry.models.accounting import PriceError
from goedels_poetry.models.prompts import PromptError
from goedels_poetry.models.record import RecordingError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.solvers.limits import SolverError
from goedels_poetry.solvers.processors import processors
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.trace.lines import Progress
from goedels_poetry.trace.progress import choose
from goedels_poetry.trace.terminal import is_live, lines_to, one_line, say
from goedels_poetry.trace.wording import worded
from goedels_poetry.tree.results import Event, RunResult

if TYPE_CHECKING:
    from goedels_poetry.cluster.seats import Seats

DEFAULT_TIMEOUT = 300.0
"""Seconds for a theorem where neither flag, environment nor file says: nobody waits for ever by accident."""
RECHECK_SECONDS = 60.0
"""Seconds to check the proof of an earlier run again; when that is not enough it is proved anew."""
CHECK_AGAIN = "goedels_poetry.checker.by_language:check_again"
PYTHON = "python"
LEAN = ".lean"
SMT = "smt"
BESIDE = 2
"""Theorems that may be with the checker while the next one is searched, where there is a processor for it."""
GIVEN_UP = "a plug-in cancelled the work on it"
FIRST_TRY = {("framework", "begun"), ("judge", "open"), ("prover", "candidate"), ("verifier", "proved")}
"""What happens in a run that leaves nothing for the next one: no lemma, no strategy that was tried."""


def prove_all(request: Request) -> int:
    """Run the batch; returns the exit code."""
    errors = lines_to(sys.stderr)
    try:
        in_force = _settings(request)
    except BadSettings as problem:
        say(errors, one_line(str(problem)))
        return Verdict.INVALID.exit_code
    if request.out is not None:
        try:
            request.out.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            say(errors, f"--out {one_line(str(request.out))}: {problem.strerror or problem}")
            return Verdict.INVALID.exit_code
    if request.confirm and not can_ask():
        say(errors, "--confirm needs a terminal to ask at; leave it out and read the formal statement in the result")
        return Verdict.INVALID.exit_code
    try:
        context = read_beside("--context", request.context) if request.context is not None else ""
    except Unreadable as problem:
        say(errors, one_line(problem.reason))
        return Verdict.INVALID.exit_code
    sources = list(claims(request.inputs) if request.informal else find(request.inputs, _suffixes()))
    if not sources:
        say(errors, f"no theorems in {', '.join(map(one_line, request.inputs))}")
        return Verdict.INVALID.exit_code
    if request.cluster is not None and (request.by_script or request.confirm):
        say(errors, "--record, --replay and --confirm are of one machine: leave out --cluster")
        return Verdict.INVALID.exit_code
    unfillable = _unfillable(request, sources)
    if unfillable:
        say(errors, unfillable)
        return Verdict.INVALID.exit_code
    of_lean = any(source.file.endswith(LEAN) for source in sources) or request.language == "lean"
    if of_lean or request.lean or in_force.lean.proofs:
        from goedels_poetry.cli.lean import fetch_first  # not at the cost of other languages

        try:
            fetch_first(in_force.lean, quiet=request.quiet or request.as_json)
        except BadSettings as problem:
            say(errors, str(problem))
            return Verdict.INVALID.exit_code
    # Read before signals are caught, so that Ctrl-C works while somebody types.
    awaited = {source.file: source for source in sources if is_awaited(source)}
    typed = {file: _attempt_read(source) for file, source in awaited.items()}
    try:
        with connected(request.cluster) as ray:
            return asyncio.run(_Batch(request, in_force, sources, typed, context).run(ray))
    except MissingTool as problem:
        say(errors, one_line(str(problem)))
        return UNAVAILABLE
    except (RecordingError, PriceError, PromptError) as problem:
        say(errors, one_line(str(problem)))
        return Verdict.INVALID.exit_code
    except asyncio.CancelledError:
        return INTERRUPTED
    except SystemExit:  # nothing of ours says so in there, and the code that it brings would mean something else
        say(errors, "a plug-in tried to end the program")
        return INTERNAL_ERROR


def _settings(request: Request) -> Settings:
    limited = "wall_seconds" in request.budgets or settings().budgets.wall_seconds is not None
    return settings_of(
        request,
        timeout=None if limited else DEFAULT_TIMEOUT,
        max_concurrency=request.max_concurrency,
        symbolic_queries=request.symbolic_queries,
        model_first=request.model_first or None,
        use_memory=None if request.use_memory and not request.by_script else False,
    )


def _unfillable(request: Request, sources: Sequence[Source]) -> str:
    """Why nothing of this can be filled; "" where something can, or where that is not asked for."""
    if not request.fills:
        return ""
    flag = "--write" if request.write else "--diff"
    if request.informal:
        return f"{flag} fills the holes of Lean files; a claim in words has none"
    if not any(source.file.endswith(LEAN) for source in sources) and request.language != "lean":
        names = ", ".join(one_line(source.name) for source in sources[:3])
        return f"{flag} fills holes (`sorry`), which only Lean files have: {names}"
    if request.write and any(source.file == STDIN for source in sources):
        return "--write has no file to write where a theorem comes from standard input; use --diff"
    return ""


def _suffixes() -> tuple[str, ...]:
    """File names that a folder is searched for; a .json file may be anything, and is a program when it is named."""
    return tuple(s for name, (_, suffixes) in languages.BUILT_IN.items() if name != LOGIC for s in suffixes)


def _attempt_read(source: Source) -> str | Unreadable:
    try:
        return read(source)
    except Unreadable as problem:
        return problem


def _without_traceback(reason: str) -> str:
    """A worker's error may bring its traceback along: that goes into the log, not to the person."""
    line, mark, _ = reason.partition("\nTraceback (most recent call last)")
    if not mark:
        return reason
    log = save_log(reason)
    return f"{line}; details in {log}" if log else line


class _Batch:
    """One call of ``prove``. Results are printed as they come."""

    def __init__(
        self,
        request: Request,
        in_force: Settings,
        sources: Sequence[Source],
        typed: dict[str, str | Unreadable],
        context: str,
    ) -> None:
        self._request = request
        self._settings = in_force
        self._sources = sources
        self._typed = typed
        self._context = context
        self._framework = GoedelsPoetryFramework(in_force, checkpoint_all=False)
        self._checkers = WorkerPool(1)
        self._progress: Progress = choose(
            sys.stderr,
            self._framework.open_store,
            len(sources),
            in_force.budgets.wall_seconds,
            worded,
            quiet=request.quiet or (request.as_json and not is_live(sys.stderr)),
        )
        self._confirm = Confirmation(self._progress) if request.confirm else None
        self._interrupted = False
        self._unread: OSError | None = None
        self._codes: list[int] = []
        self._output = Output(request, in_force, self._framework, self._progress)

    async def run(self, ray: Any = None) -> int:
        """Every theorem; returns the exit code of the worst outcome. ``ray``: a cluster, where one is asked for."""
        async with (
            self._framework,
            self._checkers,
            seats_of(ray, self._settings, self._request.jobs, self._progress.note) as seats,
        ):
            with self._progress, Signals(self._interrupt):
                sources = [each for source in self._sources for each in await self._theorems(source)]
                self._output.expect(sources, folder=not all(source.named for source in self._sources))
                self._progress.expect(len(sources))
                jobs = self._request.jobs if seats is None else await self._spread(seats, sources)
                async with asyncio.TaskGroup() as group:
                    if jobs == 1 or len(sources) == 1:
                        await self._in_order(sources, group)
                    else:
                        queue = iter(sources)
                        for _ in range(min(jobs, len(sources))):
                            group.create_task(self._work(queue))
                as_asked = self._unread is not None or await self._output.fill(lambda: self._interrupted)
        if self._unread is not None:
            raise self._unread
        self._output.end()
        if len(self._codes) < len(sources):  # nothing is said of some, and no outcome of others speaks for them
            return INTERNAL_ERROR
        return worst_code(self._codes) or (0 if as_asked else Verdict.UNKNOWN.exit_code)

    async def _spread(self, seats: Seats, sources: Sequence[Source]) -> int:
        """Several theorems are worked on elsewhere, each as a whole; of one alone the goals. How many at once."""
        from goedels_poetry.cluster.jobs import ClusterPool
        from goedels_poetry.cluster.runs import ClusterRuns

        room = await seats.room()
        if len(sources) == 1:
            self._framework.spread_over(ClusterPool(seats, self._settings))
        else:
            self._framework.elsewhere = ClusterRuns(seats, self._settings)
        return room

    def _interrupt(self) -> None:
        self._progress.note("stopping; press Ctrl-C once more to stop at once")
        self._stop()

    def _stop(self) -> None:
        self._interrupted = True
        self._framework.interrupt("interrupted")

    async def _theorems(self, source: Source) -> list[Source]:
        """The theorems that are meant: those named, else all that the file leaves open."""
        request = self._request
        if source.theorem or request.informal:
            return [source]
        if request.theorem:
            return [source.of(request.theorem)]
        try:
            text = self._text(source)
            if self._interrupted or isinstance(text, Unreadable):
                return [source]
            found = await self._framework.theorems(text, language=self._language(source))
        except (GoedelsPoetryError, OSError):
            return [source]  # the run will say why
        except Exception as problem:  # noqa: BLE001 - a language of a plug-in may raise anything
            self._progress.note(f"{source.name}: its theorems are not told apart: {describe(problem)}")
            return [source]
        if not found and not source.named and self._language(source) == PYTHON:
            return []  # a program like any other
        return [source.of(theorem) for theorem in found] if len(found) > 1 else [source]

    def _language(self, source: Source) -> str:
        """Named, or told by the file's name; for a claim, standard input and a pipe without a suffix the first one."""
        if self._request.language is not None:
            return self._request.language
        nameless = source.file == STDIN or (source.file in self._typed and not Path(source.file).suffix)
        return SMT if nameless or self._request.informal else languages.for_file(source.file)

    def _text(self, source: Source) -> str | Unreadable:
        text = self._typed[source.file] if source.file in self._typed else _attempt_read(source)
        if isinstance(text, str):
            self._output.read(source, text)
        return text

    async def _work(self, queue: Iterator[Source]) -> None:
        for source in queue:
            await self._complete(source)

    async def _in_order(self, sources: Sequence[Source], group: asyncio.TaskGroup) -> None:
        """One search at a time. What only the checker still works on is left to it, and told in its turn."""
        beside = BESIDE if processors() > 1 else 0
        under_way: deque[asyncio.Task[None]] = deque()
        for source in sources:
            searched = asyncio.Event()
            before = under_way[-1] if under_way else None
            under_way.append(group.create_task(self._complete(source, before, searched, alone=len(sources) == 1)))
            await searched.wait()
            while len(under_way) > beside:
                await asyncio.wait([under_way.popleft()])

    async def _complete(
        self,
        source: Source,
        before: asyncio.Task[None] | None = None,
        searched: asyncio.Event | None = None,
        *,
        alone: bool = False,
    ) -> None:
        """One theorem from its text to what is printed about it.

        Args:
            before: what has to be printed first.
            searched: is set when the next theorem may begin; what this one leaves for it is in the data directory then.
            alone: there is no other one.
        """
        began = time.monotonic()
        try:
            report = await self._one(source, searched)
        finally:
            if searched is not None:
                searched.set()
        seconds = (alone and waited()) or time.monotonic() - began
        if before is not None:
            await asyncio.wait([before])
        report = replace(self._output.completed(source, report, seconds), required=self._request.required)
        self._codes.append(report.exit_code)
        self._progress.finished(source.name, report.result)
        try:
            self._output.say(report)
        except OSError as error:  # nobody reads any more, or there is no room: stop, keep what is proved
            self._unread = error
            self._stop()

    async def _one(self, source: Source, searched: asyncio.Event | None) -> Report:
        """One theorem; whatever happens becomes a result."""
        if self._interrupted:
            return Report(RunResult(source.name, Verdict.OUT_OF_BUDGET, reason=NOT_STARTED))
        try:
            text = self._text(source)
            if isinstance(text, Unreadable):
                place = {"line": text.line, "column": text.column, "hint": None}
                return Report(RunResult(source.name, Verdict.INVALID, reason=text.reason, location=place))
            return await self._prove(source, text, searched)
        except UnknownLanguage as problem:
            return Report(RunResult(source.name, Verdict.INVALID, reason=str(problem)))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return Report(RunResult(source.name, Verdict.UNKNOWN, reason=GIVEN_UP))
        except Exception as error:  # noqa: BLE001 - a defect on one theorem must not stop the others
            if isinstance(error, GoedelsPoetryError) and not isinstance(error, (RunLocked, StoreError, MissingTool)):
                return Report(RunResult(source.name, Verdict.UNKNOWN, reason=str(error)))
            from goedels_poetry.cli.no_verdict import failure_of

            failure = failure_of(error, self._settings.data_dir)
            return Report(RunResult(source.name, Verdict.UNKNOWN, reason=failure.reason), failure=failure)

    async def _prove(self, source: Source, text: str, searched: asyncio.Event | None) -> Report:
        request, worked, first_try = self._request, False, True

        def listen(event: Event) -> None:
            nonlocal worked, first_try
            worked = True
            first_try = first_try and (event.agent, event.outcome) in FIRST_TRY
            self._progress.event(source.name, event)

        def asked() -> None:
            if searched is not None and worked and first_try:
                searched.set()

        async def search(fresh: bool) -> RunResult:
            return await self._framework.arun(
                text,
                name=source.name,
                language=self._language(source),
                options={
                    "assume_definitions": request.assume_definitions,
                    **({"theorem": source.theorem} if source.theorem else {}),
                },
                fresh=fresh,
                resume=request.resume,
                out=self._folder(source, text, fresh),
                on_event=listen,
                informal=request.informal,
                context=self._context,
                confirm=self._confirm,
                round_trip=request.round_trip,
            )

        if self._language(source) == SMT and self._framework.models is None:
            when_asked.set(asked)  # for the task that this theorem has
        # A finished run would neither write a recording nor be replayed.
        result = await search(request.fresh or (request.by_script and not request.resume))
        remembered = not worked and result.verdict in CLAIMS
        if remembered and not await self._still_holds(source, result, text):
            self._progress.note(f"{source.name}: the certificate of the earlier proof is not accepted; proving anew")
            result, remembered = await search(fresh=True), False
        skipped = remembered and result.verdict is Verdict.PROVED
        if result.verdict in CLAIMS and result.language == SMT and self._for_lean:
            from goedels_poetry.cli.prove_lean import with_lean_proof  # Lean's modules, for who asks for them

            stated = result.formalization["formal"] if result.formalization is not None else text
            result = await with_lean_proof(
                result,
                stated,
                self._settings.lean,
                request.lean_timeout,
                request.assume_definitions,
                self._progress.note,
            )
        result = replace(result, reason=_without_traceback(result.reason))
        resume = resume_of(request, self._settings.budgets, source.name, result)
        return Report(result, skipped=skipped, resume=resume, assumes=request.assume_definitions)

    @property
    def _for_lean(self) -> bool:
        """Whether proofs of SMT theorems are to be written for Lean, too."""
        return self._request.lean or self._settings.lean.proofs

    def _folder(self, source: Source, text: str, fresh: bool) -> Path | None:
        """Where the certificate goes; a fresh run never takes the place of a finished proof."""
        if self._request.out is None:
            return None
        folder = certificate_folder(self._request.out, source, text)
        place, number = folder, 1
        while fresh and place.exists():
            number += 1
            place = folder.with_name(f"{folder.name}-{number}")
        return place

    async def _still_holds(self, source: Source, result: RunResult, text: str) -> bool:
        """What the data directory remembers is no proof: the checker looks at the certificate again."""
        if result.certificate is None:
            return False
        if result.formalization is not None:
            text = result.formalization["formal"]
        payload = {
            "directory": str(result.certificate),
            "language": result.language,
            "theorem": text,
            "function": source.theorem,
            "assume_definitions": self._request.assume_definitions,
            "total_seconds": RECHECK_SECONDS,
        }
        try:  # in a process of its own, so that a signal can end it
            report = await self._checkers.run(CHECK_AGAIN, payload, RECHECK_SECONDS)
        except SolverError:
            return False
        return bool(report["verdict"] == result.verdict)
