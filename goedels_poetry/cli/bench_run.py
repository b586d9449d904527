"""What ``bench`` does with questions and theorems alike: run them through the pipeline and show the report."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goedels_poetry.cli.bench_view import shown as view
from goedels_poetry.cli.configure import Flags
from goedels_poetry.cli.signals import Signals
from goedels_poetry.evaluation import Answerer, Data, EvaluationPipeline, Limits, Report, sample
from goedels_poetry.evaluation.questions import digest
from goedels_poetry.evaluation.report import shown
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, one_line, say

DEFAULT_TIMEOUT = 300.0
"""Seconds for a question or a theorem, as for ``prove``."""


@dataclass(frozen=True)
class Request(Flags):
    """What the command line asks for."""

    paths: list[str]
    line: str = ""
    """The command line itself: what goes on with a run that stopped."""
    dataset: str | None = None
    asking: dict[str, Any] = field(default_factory=dict)
    """How questions are asked: ``backend``, ``semantics``, ``world``, …; only those given."""
    post: list[str] = field(default_factory=list)
    """Post-processors: ``self-consistency=5``."""
    facts: bool = False
    limit: int | None = None
    jobs: int = 1
    """At once; 0: as many as the cluster has room for."""
    cluster: str | None = None
    """Of theorems: where they are worked on, when not here; see `goedels_poetry.cluster`."""
    samples: int | None = None
    pass_at: str | None = None
    compare: bool = False
    limits: Limits = field(default_factory=Limits)
    """Of the whole run."""
    without: tuple[str, ...] = ()
    """Of theorems: ideas that the search does without; see `evaluation.ablations`."""
    bank: bool = False
    """Of theorems: learn from earlier ones."""
    split: str | None = None
    """Of rows of problems: those of this split only."""
    stand_in: float | None = None
    """Competence of the stand-in that is asked in the place of a model."""


async def run(
    request: Request, in_force: Settings, data: Data, answerer: Answerer, ks: Sequence[int], *, proofs: bool = False
) -> int:
    """Ask, or prove, what is not in the folder yet; write the report and show it. Returns the exit code."""
    names = [Path(path).name for path in request.paths]
    folder = request.out or in_force.data_dir / "bench" / digest(names, dict(answerer.setup))
    samples = max([request.samples or 1, *ks])
    data = replace(data, questions=tuple(sample(data.questions, request.limit, in_force.seed)))
    totals = Counter(question.dataset for question in data.questions)
    totals = Counter({name: number * samples for name, number in totals.items()})
    with view(totals, proofs=proofs, quiet=request.quiet or request.as_json) as on_outcome:
        pipeline = EvaluationPipeline(
            answerer,
            folder,
            num_workers=request.jobs,
            samples=samples,
            pass_at=ks,
            limits=request.limits,
            proofs=proofs,
            resume=request.line,
            on_outcome=on_outcome,
            on_note=lambda text: note(request, text),
        )

        def stop() -> None:
            note(request, "finishing what is under way; press Ctrl-C once more to stop at once", always=True)
            pipeline.interrupt()

        with Signals(stop):
            found = await pipeline.aevaluate(data, skip_existing=not request.fresh)
    show(found, folder, request)
    if found.run.missing:
        return Verdict.OUT_OF_BUDGET.exit_code
    return Verdict.UNKNOWN.exit_code if found.run.errors else 0


def show(found: Report, folder: Path | None, request: Request) -> None:
    """Print figures, and where the report is."""
    if request.as_json:
        print_json({**found.to_json(), "folder": str(folder) if folder is not None else None})
        return
    out = console(sys.stdout)
    for line in shown(found):
        say(out, one_line(line) if not line.startswith("|") else line)
    if folder is not None:
        say(out, f"report: {folder / 'report.md'}")


def print_json(data: Mapping[str, Any]) -> None:
    """One object, on one line."""
    sys.stdout.write(json.dumps(data, default=str) + "\n")
    sys.stdout.flush()


def note(request: Request, text: str, *, always: bool = False) -> None:
    """A line on standard error."""
    if always or not (request.quiet or request.as_json):
        say(console(sys.stderr), one_line(text))
