"""How often answers are right, and at what price: data sets, a resumable runner, figures, tables, pictures."""

from __future__ import annotations

from goedels_poetry.evaluation.compare import Compared, Comparison, PassAt, compare, pass_at
from goedels_poetry.evaluation.load import Data, load, sample
from goedels_poetry.evaluation.log import ANSWERS, AnswerLog
from goedels_poetry.evaluation.metrics import Metrics, Share, metrics
from goedels_poetry.evaluation.outcome import Outcome, read_outcomes
from goedels_poetry.evaluation.pipeline import EvaluationPipeline
from goedels_poetry.evaluation.questions import BadData, GoldQuestion, Label
from goedels_poetry.evaluation.report import Report, report, write
from goedels_poetry.evaluation.runner import Answerer, Limits, Run, Runner
from goedels_poetry.evaluation.statistics import mcnemar, pass_at_k, wilson

__all__ = [
    "ANSWERS",
    "AnswerLog",
    "Answerer",
    "BadData",
    "Compared",
    "Comparison",
    "Data",
    "EvaluationPipeline",
    "GoldQuestion",
    "Label",
    "Limits",
    "Metrics",
    "Outcome",
    "PassAt",
    "Report",
    "Run",
    "Runner",
    "Share",
    "compare",
    "load",
    "mcnemar",
    "metrics",
    "pass_at",
    "pass_at_k",
    "read_outcomes",
    "report",
    "sample",
    "wilson",
    "write",
]
