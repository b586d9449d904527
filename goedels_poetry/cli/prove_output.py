"""What ``prove`` prints: a page or a JSON object for each theorem, filled files, the table and the count at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from goedels_poetry.cli.inputs import Source
from goedels_poetry.cli.prove_request import Request
from goedels_poetry.cli.report import Report, show, to_json
from goedels_poetry.cli.waited import waited
from goedels_poetry.errors import StoreError
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.lines import Progress
from goedels_poetry.trace.proof_text import proof_text
from goedels_poetry.trace.terminal import lines_to, say

if TYPE_CHECKING:
    from goedels_poetry.cli.filling import Filling

NOT_STARTED = "not started: interrupted"
"""The reason of a theorem that Ctrl-C kept from being begun."""


class Output:
    """Of one batch. With ``--diff`` standard output is the patch alone, and what people read goes to standard error."""

    def __init__(
        self, request: Request, in_force: Settings, framework: GoedelsPoetryFramework, progress: Progress
    ) -> None:
        self._several = False
        self._order: dict[str, int] = {}
        self._request = request
        self._framework = framework
        self._progress = progress
        self._out = lines_to(sys.stderr if request.diff and not request.as_json else sys.stdout)
        self._rows: list[tuple[str, Verdict, str, float | None, str]] = []
        """What will make each row of the table."""
        self._filling = self._to_fill(in_force) if request.fills else None

    def _to_fill(self, in_force: Settings) -> Filling:
        from goedels_poetry.cli.filling import Filling  # what fills nothing does without

        request = self._request
        words = lines_to(sys.stderr) if request.as_json else self._out
        return Filling(in_force.lean, request.write, request.diff, words, diff_to_words=request.as_json)

    def expect(self, sources: Sequence[Source], *, folder: bool) -> None:
        """These theorems will come; of several, or of a ``folder``, a table ends it."""
        self._several = folder or len(sources) > 1
        self._order = {source.name: number for number, source in enumerate(sources)}

    def read(self, source: Source, text: str) -> None:
        """A file says this now, and theorems of it are about to be proved."""
        if self._filling is not None:
            self._filling.read(source, text)

    def completed(self, source: Source, report: Report, seconds: float) -> Report:
        """The report with its proof, or with what speaks of the goals left open, and the seconds that it took."""
        result, begun = report.result, report.result.reason != NOT_STARTED
        failed = report.failure.title if report.failure is not None else ""
        waited_for = seconds if begun else None
        self._rows.append((source.name, result.verdict, result.trust_level or "", waited_for, failed))
        if self._filling is not None:
            self._filling.done(source, result, without_verdict=report.failure is not None)
        asked = self._request.proof
        report = self._seen(replace(report, show_proof=asked, seconds=waited_for))
        return report if asked is False else replace(report, proof=proof_text(report.result, report.theorem))

    def _seen(self, report: Report) -> Report:
        """With what the run's store says: opened once, which takes longer than what is read there.

        A store that cannot be read takes nothing from a result: its certificate is what counts.
        """
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
            if goals and result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET):
                from goedels_poetry.trace.explain import explain_lines  # what is proved needs none of it

                explained = explain_lines(store, goals[0])
        left = tuple(replace(goal, statement=goal.statement or theorem) for goal in result.open_goals)
        told = replace(result, open_goals=left)
        return replace(report, result=told, theorem=theorem, goals=goals, explained=explained)

    def say(self, report: Report) -> None:
        """Print a page, or an object."""
        with self._progress.paused():
            if self._request.as_json:
                sys.stdout.write(to_json(report) + "\n")
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

    def end(self) -> None:
        """After several theorems, or a folder: the table, and the count as the last line of all."""
        if not self._several:
            return
        from goedels_poetry.cli.tally import Row, say_table, say_tally  # what is alone has no table

        rows = sorted((Row(*row) for row in self._rows), key=lambda row: self._order.get(row.name, 0))
        seconds = waited() or sum(row.seconds or 0.0 for row in rows)
        if not self._request.as_json:
            say_table(self._out, rows)
            say_tally(self._out, rows, seconds)
        elif not self._request.quiet:
            say_tally(lines_to(sys.stderr), rows, seconds)
