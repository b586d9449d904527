"""The command `prove`: a batch of theorems, several at a time, one bad one never stopping the rest."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry import languages
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.checker.registry import when_asked
from goedels_poetry.cli.configure import connected, seats_of, settings, settings_of
from goedels_poetry.cli.inputs import (
    STDIN,
    Confirmation,
    Source,
    Unreadable,
    attempt_read,
    certificate_folder,
    check_can_ask,
    claims,
    find,
    is_awaited,
    make_folder,
    read_beside,
)
from goedels_poetry.cli.options import BUDGETS
from goedels_poetry.cli.process import elapsed
from goedels_poetry.cli.report import (
    Report,
    Row,
    as_data,
    over,
    say_below,
    say_table,
    show,
    tally,
    units_note,
)
from goedels_poetry.cli.requests import Prove
from goedels_poetry.cli.run_errors import (
    INTERNAL_ERROR,
    Unusable,
    describe,
    failure_of,
    outage_of,
    save_log,
    worst_code,
)
from goedels_poetry.cli.session import guarded, live_progress, stoppable
from goedels_poetry.errors import GoedelsPoetryError, MissingTool, RunLocked, StoreError, UnknownLanguage
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.interfaces.formats import FormatName, Writer, place_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.sources import passed_over
from goedels_poetry.settings.declared import Budgets, Settings
from goedels_poetry.solvers.limits import processors
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.trace.proof_text import proof_text
from goedels_poetry.trace.terminal import Progress, counted, lines_to, one_line, printable, say

if TYPE_CHECKING:
    from goedels_poetry.cli.fill_sorry import Filling
    from goedels_poetry.cluster.seats import Seats
    from goedels_poetry.interfaces.since import Since

DEFAULT_TIMEOUT = 300.0
"""Seconds for a theorem where neither flag, environment nor file says: nobody waits for ever by accident."""
LEAN = ".lean"
SMT = "smt"
BESIDE = 2
"""Theorems that may be with the checker while the next one is searched, where there is a processor for it."""
GIVEN_UP = "a plug-in cancelled the work on it"
FIRST_TRY = {("framework", "begun"), ("judge", "open"), ("prover", "candidate"), ("verifier", "proved")}
"""What happens in a run that leaves nothing for the next one: no lemma, no strategy that was tried."""


def prove_all(request: Prove) -> int:
    """Run the batch; returns the exit code."""
    try:
        return guarded(lambda: _prove_all(request))
    except SystemExit:  # nothing of ours says so in there, and the code that it brings would mean something else
        say(lines_to(sys.stderr), "a plug-in tried to end the program")
        return INTERNAL_ERROR


def _prove_all(request: Prove) -> int:
    in_force = _settings(request)
    make_folder(request.out)
    if request.confirm:
        check_can_ask()
    context = read_beside("--context", request.context) if request.context is not None else ""
    lemmas = read_beside("--lemmas", request.lemmas) if request.lemmas is not None else ""
    sources = list(claims(request.inputs) if request.informal else find(request.inputs, languages.SEARCHED))
    if not sources:
        raise Unusable(f"no theorems in {', '.join(map(one_line, request.inputs))}")
    if request.cluster is not None and (request.by_script or request.confirm):
        raise Unusable("--record, --replay and --confirm are of one machine: leave out --cluster")
    _check_fillable(request, sources)
    if lemmas and request.language != SMT and any(source.file.endswith((LEAN, ".py", ".json")) for source in sources):
        raise Unusable("--lemmas states goals in SMT-LIB, for theorems in SMT-LIB")
    of_lean = any(source.file.endswith(LEAN) for source in sources) or request.language == "lean"
    if of_lean or request.lean or in_force.lean.proofs:
        from goedels_poetry.cli.lean import fetch_first  # not at the cost of other languages

        fetch_first(in_force.lean, quiet=request.quiet or request.as_json)
    # Read before signals are caught, so that Ctrl-C works while somebody types.
    typed = {source.file: attempt_read(source) for source in sources if is_awaited(source)}
    if request.since is not None:
        sources = [replace(source, named=source.file in typed) for source in sources]
    with connected(request.cluster) as ray:
        return asyncio.run(_Batch(request, in_force, sources, typed, context, lemmas).run(ray))


def _settings(request: Prove) -> Settings:
    limited = "wall_seconds" in request.budgets or settings().budgets.wall_seconds is not None
    return settings_of(
        request,
        timeout=None if limited else DEFAULT_TIMEOUT,
        max_concurrency=request.max_concurrency,
        symbolic_queries=request.symbolic_queries,
        model_first=request.model_first or None,
        use_memory=False if request.no_bank or request.by_script else None,
    )


def _check_fillable(request: Prove, sources: Sequence[Source]) -> None:
    """Raise `Unusable` where files are to be filled and nothing of this can be."""
    if not request.fills:
        return
    flag = "--write" if request.write else "--diff"
    if request.informal:
        raise Unusable(f"{flag} fills the holes of Lean files; a claim in words has none")
    if not any(source.file.endswith(LEAN) for source in sources) and request.language != "lean":
        names = ", ".join(one_line(source.name) for source in sources[:3])
        raise Unusable(f"{flag} fills holes (`sorry`), which only Lean files have: {names}")
    if request.write and any(source.file == STDIN for source in sources):
        raise Unusable("--write has no file to write where a theorem comes from standard input; use --diff")


def _without_traceback(reason: str) -> str:
    """A worker's error may bring its traceback along: that goes into the log, not to the person."""
    line, mark, _ = reason.partition("\nTraceback (most recent call last)")
    if not mark:
        return reason
    log = save_log(reason)
    return f"{line}; details in {log}" if log else line


_CARRIED = (
    *("informal", "confirm", "no_round_trip", "assume_definitions", "model_first", "seed", "language", "context"),
    *("model", "base_url", "symbolic_queries", "record", "replay", "lemmas"),
)
"""What a command line says that belongs to the identity of its run, or that the run needs to go on the same way."""


def resume_of(request: Prove, budgets: Budgets, name: str, result: RunResult) -> str | None:
    """The command line that goes on with the theorem ``name``, with twice of each budget that ran out; None: none."""
    if result.verdict is not Verdict.OUT_OF_BUDGET or not result.run_id:
        return None
    words = ["goedels-poetry prove", STDIN if name == STDIN else shlex.quote(printable(name)), "--resume"]
    for option in _CARRIED:
        value = getattr(request, option)
        if value is not None and value is not False:
            flag = f"--{option.replace('_', '-')}"
            words.append(flag if value is True else f"{flag} {shlex.quote(str(value))}")
    for flag, (budget, ran_out) in BUDGETS.items():
        limit = getattr(budgets, budget)
        if limit is not None and ran_out in result.reason:
            used = result.metrics.get(budget, 0)
            words.append(f"{flag} {limit * 2:g}" if isinstance(limit, float) else f"{flag} {2 * max(limit, used)}")
    return " ".join(words)


class _Batch:
    """One call of ``prove``. Results are printed as they come."""

    def __init__(
        self,
        request: Prove,
        in_force: Settings,
        sources: Sequence[Source],
        typed: dict[str, str | Unreadable],
        context: str,
        lemmas: str,
    ) -> None:
        self._request = request
        self._lemmas = lemmas
        self._jobs = request.jobs or (1 if request.cluster is None else 0)
        self._settings = in_force
        self._sources = sources
        self._typed = typed
        self._context = context
        self._framework = GoedelsPoetryFramework(in_force, checkpoint_all=False)
        self._progress = live_progress(request, self._framework.open_store, len(sources), in_force.budgets.wall_seconds)
        self._confirm = Confirmation(self._progress) if request.confirm else None
        self._interrupted = ""
        self._unread: OSError | None = None
        self._codes: list[int] = []
        self._since: Since | None = None
        if request.since is not None:
            from goedels_poetry.interfaces import since  # only where somebody asks for it

            self._since = since.Since(request.since)
        self._unchanged = 0
        self._below: list[str] = []
        self._passed_over: list[str] = []
        self._output = Output(request, in_force, self._framework, self._progress)

    async def run(self, ray: Any = None) -> int:
        """Every theorem; returns the exit code of the worst outcome. ``ray``: a cluster, where one is asked for."""
        async with (
            self._framework,
            seats_of(ray, self._settings, self._jobs, self._progress.note) as seats,
        ):
            with stoppable(self._progress, self._stop), self._within(self._request.total):
                sources = [each for source in self._sources for each in await self._theorems(source)]
                if not sources and not self._interrupted and self._since is None:
                    places = ", ".join(map(one_line, self._request.inputs))
                    raise Unusable(f"nothing to prove in {places}; passed over: {over(self._passed_over)}")
                self._output.expect(sources, folder=not all(source.named for source in self._sources))
                self._progress.expect(len(sources))
                jobs = self._jobs if seats is None else await self._spread(seats, sources)
                async with asyncio.TaskGroup() as group:
                    if jobs == 1 or len(sources) == 1:
                        await self._in_order(sources, group)
                    else:
                        queue = iter(sources)
                        for _ in range(min(jobs, len(sources))):
                            group.create_task(self._work(queue))
                as_asked = self._unread is not None or await self._output.fill(lambda: bool(self._interrupted))
        if self._unread is not None:
            raise self._unread
        self._output.end(self._passed_over)
        self._remark()
        if len(self._codes) < len(sources):  # nothing is said of some, and no outcome of others speaks for them
            return INTERNAL_ERROR
        return worst_code(self._codes) or (0 if as_asked else Verdict.UNKNOWN.exit_code)

    async def _spread(self, seats: Seats, sources: Sequence[Source]) -> int:
        """Several theorems are worked on elsewhere, each as a whole; of one alone the goals. How many at once."""
        from goedels_poetry.cluster.runs import ClusterPool, ClusterRuns

        room = await seats.room()
        if len(sources) == 1:
            self._framework.spread_over(ClusterPool(seats))
        else:
            self._framework.elsewhere = ClusterRuns(seats, self._settings)
        return room

    def _stop(self, why: str = "interrupted") -> None:
        self._interrupted = why
        self._framework.interrupt(why)

    @contextmanager
    def _within(self, seconds: float | None) -> Iterator[None]:
        """Inside, the batch is stopped when its command has run for so long; None: no limit."""
        why, left = f"interrupted: the {seconds or 0:g} s of --total are used up", max((seconds or 0) - elapsed(), 0.0)
        timer = None if seconds is None else asyncio.get_running_loop().call_later(left, self._stop, why)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()

    def _remark(self) -> None:
        """What was left out by ``--since``, and what is less than ``--require`` asks for."""
        errors = lines_to(sys.stderr)
        if self._unchanged and not self._request.quiet:
            say(errors, f"{counted(self._unchanged, 'theorem')} unchanged since {one_line(str(self._request.since))}")
        say_below(errors, self._request.required, self._below)

    async def _theorems(self, source: Source) -> list[Source]:
        """The theorems that are meant: those named, else all that the file leaves open."""
        request = self._request
        if request.informal:
            return [source]
        if source.theorem or request.theorem:
            named = source if source.theorem else source.of(request.theorem or "")
            text = self._text(source) if self._since is not None else ""
            return [named] if isinstance(text, Unreadable) else self._changed([named], text)
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
        if not source.named:
            over = passed_over(source.file, self._language(source), text)
            self._passed_over += over or ()
            if not found and over is not None:
                return []  # a program like any other, or finished
        every = [source.of(theorem) for theorem in found] if len(found) > 1 else [source]
        return self._changed(every, text, found)

    def _changed(self, sources: list[Source], text: str, names: Sequence[str] = ()) -> list[Source]:
        """Those that ``--since`` leaves of the theorems of one file; raises `Unusable`."""
        file = sources[0].file
        if self._since is None or file in self._typed:
            return sources
        from goedels_poetry.interfaces.since import BadRevision

        by_name = dict(zip([source.theorem for source in sources] if len(names) != 1 else names, sources, strict=True))
        try:
            beside = [each for each in (self._request.lemmas, self._request.context) if each is not None]
            if not all(map(self._since.is_unchanged, beside)):
                return sources
            left = self._since.may_differ(file, text, self._language(sources[0]), tuple(by_name))
        except BadRevision as problem:
            raise Unusable(str(problem)) from None
        self._unchanged += len(sources) - len(left)
        return [by_name[name] for name in left]

    def _language(self, source: Source) -> str:
        """Named, or told by the file's name; for a claim, standard input and a pipe without a suffix the first one."""
        if self._request.language is not None:
            return self._request.language
        nameless = source.file == STDIN or (source.file in self._typed and not Path(source.file).suffix)
        return SMT if nameless or self._request.informal else languages.for_file(source.file)

    def _text(self, source: Source) -> str | Unreadable:
        text = self._typed[source.file] if source.file in self._typed else attempt_read(source)
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
        seconds = (alone and elapsed()) or time.monotonic() - began
        if before is not None:
            await asyncio.wait([before])
        report = replace(self._output.completed(source, report, seconds), required=self._request.required)
        self._codes.append(report.exit_code)
        if self._request.required is not None and report.exit_code != 0:
            verdict = report.result.verdict_text if report.failure is None else report.failure.title
            self._below.append(f"{source.name} ({verdict.replace('_', ' ')})")
        self._progress.finished(source.name, report.result)
        try:
            self._output.say(report)
        except OSError as error:  # nobody reads any more, or there is no room: stop, keep what is proved
            self._unread = error
            self._stop()

    async def _one(self, source: Source, searched: asyncio.Event | None) -> Report:
        """One theorem; whatever happens becomes a result."""
        if self._interrupted:
            return Report(RunResult(source.name, Verdict.OUT_OF_BUDGET, reason=f"{NOT_STARTED}{self._interrupted}"))
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

        options = {
            "assume_definitions": request.assume_definitions,
            **({"theorem": source.theorem} if source.theorem else {}),
            **({"lemmas": self._lemmas} if self._lemmas and self._language(source) == SMT else {}),
        }

        if self._language(source) == SMT and self._framework.models is None:
            when_asked.set(asked)  # for the task that this theorem has
        fresh = request.fresh or (request.by_script and not request.resume)  # a finished run would not be replayed
        found = await self._framework.aprove(
            text,
            name=source.name,
            fresh=fresh,
            language=self._language(source),
            options=options,
            resume=request.resume,
            out=certificate_folder(request.out, source, text, fresh=fresh),
            on_event=listen,
            informal=request.informal,
            context=self._context,
            confirm=self._confirm,
            round_trip=not request.no_round_trip,
        )
        if found.doubted:
            self._progress.note(f"{source.name}: the certificate of the earlier proof is not accepted; proved anew")
        result, text = found.result, found.text
        skipped = found.remembered and result.verdict is Verdict.PROVED
        if result.verdict in CLAIMS and result.language == SMT and self._for_lean:
            from goedels_poetry.cli.export import with_lean_proof  # Lean's modules, for who asks for them

            result = await with_lean_proof(
                result,
                text,
                self._settings.lean,
                request.lean_timeout,
                request.assume_definitions,
                self._progress.note,
            )
        if request.proofs:
            from goedels_poetry.interfaces.proof_levels import with_proof_objects  # for who asks for them

            result = await with_proof_objects(result, text, request.assume_definitions, self._progress.note)
        warnings = (*result.warnings, *units_note(result, self._settings.budgets))
        result = replace(result, reason=_without_traceback(result.reason), warnings=warnings)
        resume = resume_of(request, self._settings.budgets, source.name, result)
        failure = outage_of(result)
        return Report(result, skipped=skipped, resume=resume, assumes=request.assume_definitions, failure=failure)

    @property
    def _for_lean(self) -> bool:
        """Whether proofs of SMT theorems are to be written for Lean, too."""
        return self._request.lean or self._settings.lean.proofs


NOT_STARTED = "not started: "
"""How the reason of a theorem begins that Ctrl-C or a limit kept from being begun."""


class Output:
    """Of one batch. With ``--diff`` standard output is the patch alone, and what people read goes to standard error."""

    def __init__(
        self, request: Prove, in_force: Settings, framework: GoedelsPoetryFramework, progress: Progress
    ) -> None:
        self._several = False
        self._order: dict[str, int] = {}
        self._request = request
        self._framework = framework
        self._progress = progress
        self._out = lines_to(sys.stderr if request.diff and not request.as_json else sys.stdout)
        self._rows: list[Row] = []
        self._texts: dict[str, str] = {}
        self._writer = Writer(request.form, sys.stdout.write) if request.as_json else None
        self._filling: Filling | None = None
        if request.fills:
            from goedels_poetry.cli.fill_sorry import Filling  # what fills nothing does without

            text = lines_to(sys.stderr) if request.as_json else self._out
            self._filling = Filling(in_force.lean, request.write, request.diff, text, diff_to_text=request.as_json)

    def expect(self, sources: Sequence[Source], *, folder: bool) -> None:
        """These theorems will come; of several, or of a ``folder``, a table ends it."""
        self._several = folder or len(sources) > 1
        self._order = {source.name: number for number, source in enumerate(sources)}

    def read(self, source: Source, text: str) -> None:
        """A file says this now, and theorems of it are about to be proved."""
        if self._request.form not in (FormatName.TEXT, FormatName.JSON):
            self._texts[source.file] = text
        if self._filling is not None:
            self._filling.read(source, text)

    def completed(self, source: Source, report: Report, seconds: float) -> Report:
        """The report with its proof, or with what speaks of the goals left open, and the seconds that it took."""
        result, begun = report.result, not report.result.reason.startswith(NOT_STARTED)
        text, language = self._texts.get(source.file, ""), result.language
        report = replace(report, place=place_of(text, language, source.theorem) if text and language else None)
        failed = report.failure.title if report.failure is not None else ""
        waited_for = seconds if begun else None
        self._rows.append(Row(source.name, result.verdict, result.trust_level or "", waited_for, failed))
        if self._filling is not None:
            self._filling.done(source, result, without_verdict=report.failure is not None)
        asked = self._request.proof
        report = self._seen(replace(report, show_proof=asked, seconds=waited_for))
        return report if asked is False else replace(report, proof=proof_text(report.result, report.theorem))

    def _seen(self, report: Report) -> Report:
        """With what the run's store says, opened once; one that cannot be read takes nothing from a result."""
        result = report.result
        if not result.run_id:
            return report
        try:
            return self._with_tree(report)
        except StoreError as problem:
            warnings = (*result.warnings, f"the proof tree cannot be shown: {problem}")
            return replace(report, result=replace(result, warnings=warnings))

    def _with_tree(self, report: Report) -> Report:
        result = report.result
        with self._framework.open_store(result.run_id) as store:
            theorem = str(store.meta("statement") or result.input)
            goals = [] if self._request.as_json else store.nodes()
            explained: Sequence[str] = ()
            if goals:
                from goedels_poetry.trace.explain import explain_lines, hint_lines

                is_open = result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET)
                explained = (explain_lines if is_open else hint_lines)(store, goals[0])
        left = tuple(replace(goal, statement=goal.statement or theorem) for goal in result.open_goals)
        told = replace(result, open_goals=left)
        return replace(report, result=told, theorem=theorem, goals=goals, explained=explained)

    def say(self, report: Report) -> None:
        """Print a page, or an object."""
        with self._progress.paused():
            if self._writer is not None:
                self._writer.add(as_data(report))
            else:
                show(self._out, report)
                if self._several:
                    say(self._out, "")
            sys.stdout.flush()

    async def fill(self, stopped: Callable[[], bool]) -> bool:
        """Fill the files where that is asked for; whether all went as it was asked. ``stopped``: by the user."""
        if self._filling is None:
            return True
        if stopped():
            self._progress.note("interrupted: no file is filled in")
            return False
        note = (lambda _: None) if self._request.quiet else self._progress.note
        with self._progress.paused():
            return await self._filling.finish(note, stopped)

    def end(self, passed_over: Sequence[str]) -> None:
        """After several theorems, or a folder: what was passed over, the table, and the count at the end."""
        if self._writer is not None:
            self._writer.end()
            sys.stdout.flush()
        if not self._several:
            return
        if passed_over:
            out = lines_to(sys.stderr) if self._request.as_json else self._out
            for line in passed_over if self._request.verbose else ():
                say(out, f"  {printable(line)}")
            say(out, f"passed over: {over(passed_over)}{'' if self._request.verbose else '; -v names them'}")
        rows = sorted(self._rows, key=lambda row: self._order.get(row.name, 0))
        seconds = elapsed() or sum(row.seconds or 0.0 for row in rows)
        if not self._request.as_json:
            say_table(self._out, rows)
            say(self._out, tally(rows, seconds))
        elif not self._request.quiet:
            say(lines_to(sys.stderr), tally(rows, seconds))
