"""What `bench` does with questions and theorems alike: run them, show how that goes on, show the report."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.report import say_below
from goedels_poetry.cli.requests import Bench
from goedels_poetry.cli.run_errors import INTERNAL_ERROR
from goedels_poetry.cli.session import Signals, print_json
from goedels_poetry.evaluation import (
    Answerer,
    Data,
    EvaluationPipeline,
    Outcome,
    Report,
    sample,
)
from goedels_poetry.evaluation.outcome import digest
from goedels_poetry.evaluation.report import shown
from goedels_poetry.interfaces.formats import FormatName, Writer
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, is_live, lines_to, one_line, say

if TYPE_CHECKING:
    from rich.table import Table


DEFAULT_TIMEOUT = 300.0
"""Seconds for a question or a theorem, as for ``prove``."""
_PROVED = {"true": "proved", "false": "refuted"}
OnOutcome = Callable[[Outcome], None]


async def run(
    request: Bench, in_force: Settings, data: Data, answerer: Answerer, ks: Sequence[int], *, proofs: bool = False
) -> int:
    """Ask, or prove, what is not in the folder yet; write the report and show it. Returns the exit code."""
    names = [Path(path).name for path in request.paths]
    folder = request.out or in_force.data_dir / "bench" / digest(names, dict(answerer.setup))
    samples = max([request.samples or 1, *ks])
    data = replace(data, questions=tuple(sample(data.questions, request.limit, in_force.seed)))
    totals = Counter(question.dataset for question in data.questions)
    totals = Counter({name: number * samples for name, number in totals.items()})
    with live_view(totals, proofs=proofs, quiet=request.quiet or request.as_json) as on_outcome:
        pipeline = EvaluationPipeline(
            answerer,
            folder,
            num_workers=request.jobs or 1,
            samples=samples,
            pass_at=ks,
            limits=request.limits,
            proofs=proofs,
            resume=request.line,
            on_outcome=on_outcome,
            on_note=lambda text: note(request, text),
        )

        def stop() -> None:
            say(lines_to(sys.stderr), "finishing what is under way; press Ctrl-C once more to stop at once")
            pipeline.interrupt()

        with Signals(stop):
            found = await pipeline.aevaluate(data, skip_existing=not request.fresh)
    show(found, folder, request)
    below = [outcome.id for outcome in found.run.outcomes if request.required and outcome.predicted != "true"]
    say_below(lines_to(sys.stderr), request.required, below)
    if found.run.missing:
        return Verdict.OUT_OF_BUDGET.exit_code
    return Verdict.UNKNOWN.exit_code if found.run.errors or below else 0


def show(found: Report, folder: Path | None, request: Bench) -> None:
    """Print figures, and where the report is."""
    if request.form not in (FormatName.TEXT, FormatName.JSON):
        writer = Writer(request.form, sys.stdout.write)
        for outcome in found.run.outcomes:
            writer.add(_row(outcome))
        writer.end()
        return
    if request.as_json:
        print_json({**found.to_json(), "folder": str(folder) if folder is not None else None})
        return
    out = console(sys.stdout)
    for line in shown(found):
        say(out, one_line(line) if not line.startswith("|") else line)
    if folder is not None:
        say(out, f"report: {folder / 'report.md'}")


def _row(outcome: Outcome) -> dict[str, Any]:
    """A question or a theorem as a report; one that is answered as its author has it is as it should be."""
    verdict = {"true": Verdict.PROVED, "false": Verdict.REFUTED}.get(outcome.predicted)
    if verdict is None and outcome.predicted != "failed":
        verdict = Verdict(outcome.predicted)
    code = INTERNAL_ERROR if verdict is None else verdict.exit_code or Verdict.UNKNOWN.exit_code
    about = {"input": outcome.id, "verdict": verdict, "reason": outcome.reason, "seconds": outcome.seconds}
    return {**about, "exit_code": 0 if outcome.correct else code}


def note(request: Bench, text: str) -> None:
    """A line on standard error."""
    if not (request.quiet or request.as_json):
        say(console(sys.stderr), one_line(text))


class Tally:
    """What the table shows: counts by data set."""

    def __init__(self, totals: Counter[str], proofs: bool) -> None:
        self._totals, self._proofs = totals, proofs
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in totals}
        self._spent: Counter[str] = Counter()
        self._money = 0.0
        self._began = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        counts = self._counts.setdefault(outcome.dataset, Counter())
        counts.update(done=1, right=outcome.correct)
        counts[outcome.predicted] += 1
        self._spent.update(calls=outcome.calls, tokens=outcome.tokens)
        self._money += outcome.money

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each data set, and one for all when there are several."""
        rows = [self._row(name, counts, self._totals[name]) for name, counts in self._counts.items()]
        if len(rows) > 1:
            rows.append(self._row("all", sum(self._counts.values(), Counter()), self._totals.total()))
        return rows

    def _row(self, name: str, counts: Counter[str], total: int) -> tuple[str, ...]:
        share = f"{100 * counts['right'] / counts['done']:.0f} %" if counts["done"] else "–"
        kinds = ("true", "false", "unknown", "out_of_budget", "invalid", "failed")
        return (one_line(name, 30), f"{counts['done']}/{total}", share, *(str(counts[kind]) for kind in kinds))

    def table(self) -> Table:
        """As rich draws it, with what it has cost so far."""
        from rich.table import Table
        from rich.text import Text

        calls, tokens = self._spent["calls"], self._spent["tokens"]
        money = f", $ {self._money:.4f}" if self._money else ""  # what has no price is named before
        spent = f", {calls} calls, {tokens:,} tokens{money}" if calls else ""
        foot = f"{time.monotonic() - self._began:.0f} s{spent}"
        decided = ("proved", "refuted", "open") if self._proofs else ("true", "false", "unknown")
        table = Table(box=None, caption=foot, caption_justify="left", pad_edge=False)
        for title in ("set", "done", "right", *decided, "out of budget", "invalid", "errors"):
            table.add_column(Text(title), justify="left" if title == "set" else "right")
        for row in self.rows():
            table.add_row(*map(Text, row))
        return table


@contextmanager
def live_view(totals: Counter[str], *, proofs: bool, quiet: bool) -> Iterator[OnOutcome]:
    """What to call with each outcome while inside.

    Args:
        totals: data set -> how many outcomes it will have.
        proofs: whether theorems are proved.
        quiet: show nothing.
    """
    if quiet:
        yield lambda outcome: None
    elif is_live(sys.stderr):
        from rich.live import Live

        tally = Tally(totals, proofs)
        with Live(get_renderable=tally.table, console=console(sys.stderr), refresh_per_second=4, transient=True):
            yield tally.add
    else:
        yield _lines(totals.total(), proofs)


def _lines(total: int, proofs: bool) -> OnOutcome:
    errors = console(sys.stderr)
    number = 0

    def show(outcome: Outcome) -> None:
        nonlocal number
        number += 1
        if proofs:
            mark = _PROVED.get(outcome.predicted, outcome.predicted.replace("_", " "))
        else:
            right = "right" if outcome.correct else "no answer" if outcome.predicted == "failed" else "wrong"
            mark = f"{outcome.predicted}, gold {outcome.gold}: {right}"
        why = f": {one_line(outcome.reason, 100)}" if outcome.reason and not outcome.correct else ""
        say(errors, f"{number}/{total}  {one_line(outcome.id)}  {mark}{why}")

    return show
