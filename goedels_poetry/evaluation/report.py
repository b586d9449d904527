"""The report of a run: one JSON object, a Markdown page, and a line for every question."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError
from goedels_poetry.evaluation import tables
from goedels_poetry.evaluation.figures import UNITS, Curve, Metrics, PassAt, by_dataset, curves, metrics, pass_at
from goedels_poetry.evaluation.load import Data
from goedels_poetry.evaluation.outcome import RESULTS, Outcome, to_lines
from goedels_poetry.evaluation.recorded import SUMMARY
from goedels_poetry.evaluation.runner import Run

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
    return found if len(parts) == 1 else {**found, tables.OVERALL: pass_at(outcomes, ks)}


def _parts(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes by data set and, where there are several, all together."""
    parts = by_dataset(outcomes)
    return parts if len(parts) < 2 else {**parts, tables.OVERALL: list(outcomes)}


def shown(report: Report) -> list[str]:
    """What a terminal shows: the table, and what else one has to know to read it rightly."""
    every = _with_overall(report)
    lines = [] if report.proofs else [*tables.main_table(every), "", *tables.outcome_table(every)]
    if report.pass_at:
        lines += ["", *tables.pass_table(report.pass_at)] if lines else tables.pass_table(report.pass_at)
    if report.proofs and report.run.outcomes:
        lines += ["", *tables.kinds_table("ended", report.endings)]
    lines += ["", *_facts(report)]
    return lines


def _with_overall(report: Report) -> dict[str, Metrics]:
    several = {tables.OVERALL: report.overall} if len(report.datasets) != 1 else {}
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
            parts += [*tables.class_table(found), "", *tables.confusion_table(found), ""]
            parts += [*tables.calibration_table(found), ""] if set(found.calibration) - {"none"} else []
        parts += [*tables.cost_table(found), ""]
    if wrong := tables.wrong_list(report.run.outcomes):
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
            parts += [*tables.curve_table(unit, by_set), ""]
    if report.mistakes:
        parts += ["## What went wrong on the way", "", *tables.kinds_table("attempts that failed", report.mistakes), ""]
    return parts


def write(report: Report, folder: Path) -> None:
    """Results, summary and page; each file whole or not at all.

    Raises:
        StoreError: a file cannot be written.
    """
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
