"""The whole of it: questions through an answerer into a folder with answers and a report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from goedels_poetry.evaluation.answerers import QuestionAnswerer, setup_of
from goedels_poetry.evaluation.load import Data, load, sample
from goedels_poetry.evaluation.outcome import GoldQuestion, Outcome
from goedels_poetry.evaluation.report import Report, report, write
from goedels_poetry.evaluation.runner import ANSWERS, INTERRUPTED, Answerer, AnswerLog, Limits, Runner, check_answer
from goedels_poetry.reasoning.proof_of_thought import ProofOfThought


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
        on_outcome: called with each outcome as it comes.
        on_note: called with what a person should know about the folder.
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
