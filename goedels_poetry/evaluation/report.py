"""The report of a run: one JSON object, a Markdown page with its tables, and a line for every question."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError
from goedels_poetry.evaluation.answerers import QuestionAnswerer, setup_of
from goedels_poetry.evaluation.figures import (
    UNITS,
    Compared,
    Curve,
    Metrics,
    PassAt,
    Share,
    budgets,
    by_dataset,
    curves,
    metrics,
    pass_at,
)
from goedels_poetry.evaluation.load import Data, load, sample
from goedels_poetry.evaluation.outcome import LABELS, PREDICTED, RESULTS, SUMMARY, GoldQuestion, Outcome, to_lines
from goedels_poetry.evaluation.runner import (
    ANSWERS,
    INTERRUPTED,
    Answerer,
    AnswerLog,
    Limits,
    Run,
    Runner,
    check_answer,
)
from goedels_poetry.reasoning.proof_of_thought import ProofOfThought

# Figures as Markdown, for the terminal and the report

OVERALL = "all"
MAX_CELL = 60
"""Characters of a name in a table: beginning and end of longer ones."""
MAX_LISTED = 200
"""Wrong answers listed in a report; the results file has all."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table with aligned columns; the first is a name, the others are numbers."""
    cells = [[_cell(cell) for cell in row] for row in (head, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        return f"| {' | '.join((first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)))} |"

    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    return [line(cells[0]), f"| {' | '.join(rule)} |", *map(line, cells[1:])]


def _cell(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_CELL:
        text = f"{text[: MAX_CELL * 2 // 3]}…{text[len(text) - MAX_CELL // 3 :]}"
    return _escaped(text)


def _escaped(text: str) -> str:
    """On one line, with nothing in it that would break a table, or vanish from a page as a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")


def percent(value: float | None) -> str:
    """``87.5 %``; a dash of nothing."""
    return "–" if value is None else f"{100 * value:.1f} %"


def with_interval(share: Share) -> str:
    """``87.5 % (73.9–94.5)``."""
    if share.value is None:
        return "–"
    return f"{percent(share.value)} ({100 * share.low:.1f}–{100 * share.high:.1f})"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main_table(datasets: Mapping[str, Metrics]) -> list[str]:
    """One line a data set: how right."""
    head = ("data set", "n", "accuracy (95 %)", "coverage", "selective", "precision", "recall", "F1")

    def row(name: str, found: Metrics) -> Sequence[str]:
        number = str(found.questions) if found.samples == 1 else f"{found.questions} × {found.samples}"
        shares = (percent(found.coverage.value), percent(found.selective.value))
        means = map(_ratio, (found.macro_precision, found.macro_recall, found.macro_f1))
        return (name, number, with_interval(found.accuracy), *shares, *means)

    return table(head, (row(*each) for each in datasets.items()))


def outcome_table(datasets: Mapping[str, Metrics]) -> list[str]:
    """One line a data set: what went wrong, and at what price."""
    wrong = ("wrongly true", "wrongly false", "uncertain → unknown", "no answer")

    def wrongly(found: Metrics, said: str) -> str:
        return str(sum(row.get(said, 0) for label, row in found.confusion.items() if label != said))

    def row(name: str, found: Metrics) -> Sequence[str]:
        uncertain = f"{found.uncertain.right:g} of {found.uncertain.of}" if found.uncertain.of else "–"
        failed = str(sum(found.failures.values()))
        costs = (f"{found.calls.total:,.0f}", f"{found.tokens.total:,.0f}", f"{found.money.total:.4f}")
        median = f"{found.seconds.median:.1f}"
        return (name, wrongly(found, "true"), wrongly(found, "false"), uncertain, failed, *costs, median)

    head = ("data set", *wrong, "calls", "tokens", "US $", "s, median")
    return table(head, (row(*each) for each in datasets.items()))


def class_table(found: Metrics) -> list[str]:
    """Precision, recall and F1 of each class."""
    rows = [
        (label, str(score.gold), str(score.said), *map(_ratio, (score.precision, score.recall, score.f1)))
        for label, score in found.classes.items()
        if score.gold or score.said
    ]
    return table(("class", "gold", "answered", "precision", "recall", "F1"), rows)


def confusion_table(found: Metrics) -> list[str]:
    """Gold labels by what was answered."""
    said = [name for name in PREDICTED if any(name in row for row in found.confusion.values())]
    counted = [(label, found.confusion[label]) for label in LABELS if label in found.confusion]
    rows = [(label, *(str(counts.get(name, 0)) for name in said)) for label, counts in counted]
    return table(("gold \\ answered", *said), rows)


def calibration_table(found: Metrics) -> list[str]:
    """Accuracy of the answers true and false by level of confidence."""
    rows = [(level, str(share.of), with_interval(share)) for level, share in found.calibration.items()]
    return table(("confidence", "answered", "right (95 %)"), rows)


def grade_table(found: Metrics) -> list[str]:
    """Accuracy by grade of the answer, and of the best answers over all."""
    rows = [(grade, str(share.of), with_interval(share)) for grade, share in found.grades.items()]
    return table(
        ("grade", "answers", "right (95 %)"), [*rows, ("any", str(found.questions), with_interval(found.graded))]
    )


_COSTS = {
    "attempts": "attempts",
    "model calls": "calls",
    "tokens": "tokens",
    "US dollars": "money",
    "seconds": "seconds",
}


def cost_table(found: Metrics) -> list[str]:
    """Mean, median and 90 % quantile for each question or theorem, and the sum."""
    spreads = [(title, getattr(found, name)) for title, name in _COSTS.items()]
    rows = [
        (title, *(f"{each:,.4g}" for each in (spread.mean, spread.median, spread.p90)), f"{spread.total:,.6g}")
        for title, spread in spreads
    ]
    return table(("of each", "mean", "median", "p90", "sum"), rows)


def wrong_list(outcomes: Iterable[Outcome]) -> list[str]:
    """Every wrong answer and every failure, one a line."""
    wrong = [one for one in outcomes if not one.correct]
    lines = [
        f"- {_cell(one.dataset)} `{' '.join(one.id.split()).replace('`', '')}`"
        + (f", sample {one.sample + 1}" if one.sample else "")
        + f": {one.predicted}, gold {one.gold}"
        + (f": {_escaped(one.reason[:200])}" if one.reason else "")
        for one in wrong[:MAX_LISTED]
    ]
    return lines + ([f"- and {len(wrong) - MAX_LISTED} more"] if len(wrong) > MAX_LISTED else [])


def compare_table(compared: Compared) -> list[str]:
    """One line a data set: both accuracies, what only one has right, the p-value."""
    every = {**(compared.datasets if len(compared.datasets) > 1 else {}), OVERALL: compared.overall}
    rows = [
        (
            name,
            str(each.pairs),
            *map(with_interval, (each.first, each.second)),
            f"{100 * each.difference:+.1f}",
            *(str(len(ids)) for ids in (each.only_first, each.only_second)),
            f"{each.p:.4f}",
        )
        for name, each in every.items()
    ]
    return table(("data set", "pairs", "first", "second", "points", "only first", "only second", "McNemar p"), rows)


def kinds_table(title: str, datasets: Mapping[str, Mapping[str, int]]) -> list[str]:
    """One line a kind, one column a data set."""
    total: Counter[str] = Counter()
    for counts in datasets.values():
        total.update(counts)
    rows = [(kind, *(str(counts.get(kind, 0)) for counts in datasets.values())) for kind, _ in total.most_common()]
    return table((title, *datasets), rows)


_UNITS = {"seconds": "{:g} s", "calls": "{:,.0f} calls", "tokens": "{:,.0f} tokens", "money": "$ {:g}"}


def curve_table(unit: str, curves: Mapping[str, Curve]) -> list[str]:
    """Solved within a budget: one line a budget, one column a data set."""
    rows = [
        (_UNITS[unit].format(budget), *(with_interval(curve.at(budget)) for curve in curves.values()))
        for budget in budgets(list(curves.values()))
    ]
    return table(("solved within", *curves), rows)


def pass_table(found: Mapping[str, PassAt]) -> list[str]:
    """One line a set of theorems: pass@k for every k."""
    ks = sorted({k for each in found.values() for k in each.at})
    rows = []
    for name, each in found.items():
        few, most = each.samples
        shares = (each.at.get(k) for k in ks)
        cells = ("too few samples" if share is None else with_interval(share) for share in shares)
        rows.append((name, str(each.items), str(few) if few == most else f"{few}–{most}", str(each.solved), *cells))
    return table(("set", "items", "samples", "solved", *(f"pass@{k} (95 %)" for k in ks)), rows)


SCHEMA = 1
"""Version of the object that ``bench --json`` prints: docs/schema/bench-v1.json."""
PAGE = "report.md"


@dataclass(frozen=True, slots=True)
class Report:
    """A run with its figures."""

    run: Run
    data: Data
    setup: Mapping[str, Any]
    overall: Metrics
    datasets: dict[str, Metrics]
    pass_at: dict[str, PassAt] = field(default_factory=dict)
    """By data set, and over all; empty where it was not asked for."""
    proofs: bool = False
    """Whether theorems were proved instead of questions answered."""
    resume: str = ""
    """The command that goes on, where something is missing."""

    @property
    def curves(self) -> dict[str, dict[str, Curve]]:
        """Success against budget: unit -> data set, and all together, -> curve."""
        parts = _parts(self.run.outcomes)
        found = {name: curves(part) for name, part in parts.items()}
        units = [unit for unit in UNITS if any(unit in each for each in found.values())]
        return {unit: {name: each[unit] for name, each in found.items() if unit in each} for unit in units}

    @property
    def endings(self) -> dict[str, dict[str, int]]:
        """Data set -> how runs ended -> how often."""
        parts = _parts(self.run.outcomes)
        return {name: dict(Counter(o.ending or o.predicted for o in part)) for name, part in parts.items()}

    @property
    def mistakes(self) -> dict[str, dict[str, int]]:
        """Data set -> kind of failed attempt -> how often; {} when none failed."""
        found: dict[str, dict[str, int]] = {}
        for name, part in _parts(self.run.outcomes).items():
            counts: Counter[str] = Counter()
            for outcome in part:
                counts.update({} if outcome.repeated else dict(outcome.mistakes))
            found[name] = dict(counts.most_common())
        return found if any(found.values()) else {}

    def to_json(self) -> dict[str, Any]:
        """The object that ``bench --json`` prints."""
        return {
            "schema": SCHEMA,
            "kind": "proofs" if self.proofs else "questions",
            "setup": dict(self.setup),
            "data": {
                "files": self.data.files,
                "left_out": self.data.left_out,
                "notes": list(self.data.notes),
            },
            "overall": self.overall.to_json(),
            "datasets": {name: found.to_json() for name, found in self.datasets.items()},
            "pass_at": {name: found.to_json() for name, found in self.pass_at.items()},
            "curves": {
                unit: {name: curve.to_json() for name, curve in by_set.items()}
                for unit, by_set in (self.curves if self.proofs else {}).items()
            },
            "endings": self.endings if self.proofs else {},
            "mistakes": self.mistakes if self.proofs else {},
            "asked": self.run.asked,
            "missing": self.run.missing,
            "errors": self.run.errors,
            "stopped": self.run.stopped,
            "resume": self.resume or None,
        }


def report(
    run: Run,
    data: Data,
    setup: Mapping[str, Any],
    *,
    ks: Sequence[int] = (),
    proofs: bool = False,
    resume: str = "",
) -> Report:
    """The figures of a run; with ``ks`` also pass@k of the questions that have all their samples."""
    parts = by_dataset(run.outcomes)
    return Report(
        run,
        data,
        setup,
        metrics(run.outcomes),
        {name: metrics(found) for name, found in parts.items()},
        passes(run.outcomes, ks) if ks and run.outcomes else {},
        proofs,
        resume,
    )


def passes(outcomes: Sequence[Outcome], ks: Sequence[int]) -> dict[str, PassAt]:
    """pass@k by data set and, where there are several, over all."""
    parts = by_dataset(outcomes)
    found = {name: pass_at(part, ks) for name, part in parts.items()}
    return found if len(parts) == 1 else {**found, OVERALL: pass_at(outcomes, ks)}


def _parts(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes by data set and, where there are several, all together."""
    parts = by_dataset(outcomes)
    return parts if len(parts) < 2 else {**parts, OVERALL: list(outcomes)}


def shown(report: Report) -> list[str]:
    """What a terminal shows: the table, and what else one has to know to read it rightly."""
    every = _with_overall(report)
    lines = [] if report.proofs else [*main_table(every), "", *outcome_table(every)]
    if report.pass_at:
        lines += ["", *pass_table(report.pass_at)] if lines else pass_table(report.pass_at)
    if report.proofs and report.run.outcomes:
        lines += ["", *kinds_table("ended", report.endings)]
    lines += ["", *_facts(report)]
    return lines


def _with_overall(report: Report) -> dict[str, Metrics]:
    several = {OVERALL: report.overall} if len(report.datasets) != 1 else {}
    return {**report.datasets, **several}


def _facts(report: Report) -> Iterable[str]:
    found = report.overall
    if found.failures and not report.proofs:
        kinds = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in found.failures.items())
        yield f"no answer, counted as wrong: {kinds}"
    if found.cached:
        yield (
            f"{found.cached} replies came from the cache and are in no cost; with GOEDELS_POETRY__MODELS__CACHE=false "
            "all are asked for"
        )
    if found.conditions is not None:
        yield f"conditions, where the gold answer has some: F1 {found.conditions:.3f}"
    for reason, number in report.data.left_out.items():
        yield f"left out of the data: {reason}: {number}"
    for note in report.data.notes:
        yield f"note: {note}"
    if report.run.missing:
        yield f"not finished ({report.run.stopped}): {report.run.missing} still to do, in no figure"
    if report.run.errors:
        yield f"failed by an error, and asked again by the same command: {report.run.errors}"
    if report.resume:
        yield f"to go on: {report.resume}"


def page(report: Report) -> str:
    """The report as Markdown."""
    parts: list[str] = ["# Proofs" if report.proofs else "# Evaluation", "", *shown(report), ""]
    if report.proofs:
        parts += _proof_sections(report)
    else:
        parts += [
            "Accuracy is over all questions: what failed is wrong. *Coverage*: answered true or false; *selective*:",
            "right among those. Precision, recall and F1 are means over the classes that occur as gold answers. A gold",
            "answer “uncertain” is met by `unknown` only.",
            "",
        ]
    for name, found in _with_overall(report).items():
        parts += [f"## {' '.join(name.split())}", ""]
        if not report.proofs:
            parts += [*class_table(found), "", *confusion_table(found), ""]
            parts += [*grade_table(found), ""] if found.grades else []
            parts += [*calibration_table(found), ""] if set(found.calibration) - {"none"} else []
        parts += [*cost_table(found), ""]
    if wrong := wrong_list(report.run.outcomes):
        parts += ["## Not proved" if report.proofs else "## Wrong or without an answer", "", *wrong, ""]
    parts += ["## Setup", "", "```json", json.dumps(dict(report.setup), indent=1, default=str), "```", ""]
    return "\n".join(parts)


def _proof_sections(report: Report) -> list[str]:
    parts = [
        "## Success against budget",
        "",
        "A trial is one sample of one theorem; it counts from the budget on that it cost. Calls include replies from",
        "the cache. What is stopped at a limit is unsolved on all of its curve.",
        "",
    ]
    for unit, by_set in report.curves.items():
        if any(curve.costs for curve in by_set.values()):
            parts += [*curve_table(unit, by_set), ""]
    if report.mistakes:
        parts += ["## What went wrong on the way", "", *kinds_table("attempts that failed", report.mistakes), ""]
    return parts


def write(report: Report, folder: Path) -> None:
    """Results, summary and page; each file whole or not at all. Raises StoreError: a file cannot be written."""
    files = {
        RESULTS: to_lines(list(report.run.outcomes)),
        SUMMARY: json.dumps(report.to_json(), indent=1, default=str) + "\n",
        PAGE: page(report),
    }
    for name, text in files.items():
        temporary = folder / f".{name}.{os.getpid()}"
        try:
            temporary.write_text(text, "utf-8", newline="", errors="replace")
            temporary.replace(folder / name)
        except OSError as problem:
            with contextlib.suppress(OSError):
                temporary.unlink()
            why = f"{folder / name} cannot be written: {problem.strerror or problem}"
            raise StoreError(f"{why}; every answer is kept, and the same command writes the report") from problem


# The whole of it


class EvaluationPipeline:
    """Asks, keeps every answer at once, and writes the report. What is in the folder is not asked again.

    Args:
        asks: `ProofOfThought`, or any `Answerer`; not closed.
        output_dir: folder for ``answers.jsonl``, ``results.jsonl``, ``summary.json``, and ``report.md``.
        num_workers: questions asked at once.
        samples: answers to each question.
        pass_at: k's of pass@k; raises the number of samples where that is smaller.
        limits: of the whole run.
        proofs: whether theorems are proved, so that accuracy is no figure of interest.
        resume: the command that goes on, for the report.
    """

    def __init__(
        self,
        asks: ProofOfThought | Answerer,
        output_dir: Path | str = "evaluation_results",
        *,
        num_workers: int = 1,
        samples: int = 1,
        pass_at: Sequence[int] = (),
        limits: Limits | None = None,
        proofs: bool = False,
        resume: str = "",
        on_outcome: Callable[[Outcome], None] | None = None,
        on_note: Callable[[str], None] | None = None,
    ) -> None:
        self._answerer: Answerer = answerer_of(asks) if isinstance(asks, ProofOfThought) else asks
        self._folder = Path(output_dir)
        self._jobs, self._samples, self._ks = num_workers, max([samples, *pass_at]), pass_at
        self._limits, self._proofs, self._resume = limits, proofs, resume
        self._on_outcome = on_outcome
        self._on_note = on_note
        self._runner: Runner | None = None

    def evaluate(self, dataset: Path | str | Data | Iterable[GoldQuestion], **options: Any) -> Report:
        """Synchronous :meth:`aevaluate`, with the same options; Ctrl-C breaks it off, and the same call goes on."""
        return asyncio.run(self.aevaluate(dataset, **options))

    async def aevaluate(
        self,
        dataset: Path | str | Data | Iterable[GoldQuestion],
        *,
        form: str | None = None,
        facts: bool = False,
        max_samples: int | None = None,
        seed: int = 0,
        skip_existing: bool = True,
    ) -> Report:
        """Ask every question and write the report.

        Args:
            dataset: a file or folder, what `load` made of several, or questions.
            form, facts: of a file, see `load`.
            max_samples, seed: questions of each data set, see `sample`.
            skip_existing: False asks everything anew; earlier answers are kept aside.

        Raises:
            BadData: the data cannot be used, or the report not be written. RunLocked: another process uses the folder.
        """
        if isinstance(dataset, str | Path):
            dataset = load([dataset], form, facts=facts)
        data = dataset if isinstance(dataset, Data) else Data(tuple(dataset))
        with AnswerLog(self._folder / ANSWERS, fresh=not skip_existing, read=check_answer) as log:
            for note in log.notes:
                if self._on_note is not None:
                    self._on_note(note)
            self._runner = Runner(
                self._answerer,
                log,
                jobs=self._jobs,
                samples=self._samples,
                limits=self._limits,
                on_outcome=self._on_outcome,
            )
            run = await self._runner.run(sample(data.questions, max_samples, seed))
            resume = self._resume if run.missing or run.errors else ""
            found = report(run, data, self._answerer.setup, ks=self._ks, proofs=self._proofs, resume=resume)
            write(found, self._folder)
        return found

    def interrupt(self, reason: str = INTERRUPTED) -> None:
        """Begin no further question; what is under way is finished, and the report written."""
        if self._runner is not None:
            self._runner.interrupt(reason)


def answerer_of(asks: ProofOfThought) -> QuestionAnswerer:
    """`ProofOfThought` as an answerer, with all that its answers depend on."""
    return QuestionAnswerer(asks, setup_of(asks.settings, **asks.setup))
