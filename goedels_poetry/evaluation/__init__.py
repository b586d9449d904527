"""How often answers are right, and at what price: data sets, a resumable runner, figures, tables, pictures.

Who calls whom:

* `report` does the whole of it: `load` reads a data set, `runner` puts each question to an
  answerer and keeps a log, `report` makes the folder.
* `answerers` are who is asked: the question machine, or the machine for theorems, also without ideas of the search.
* `outcome` has the data: a question with its gold label, and what became of it.
* `outcome` also reads results that runs have left, each once, and says how two runs were made differently.
* `figures` counts outcomes and compares runs; `report` has its tables.
* For proofs: `problems` reads collections of theorems.
"""

from __future__ import annotations

from goedels_poetry.evaluation.figures import (
    Compared,
    Comparison,
    Metrics,
    PassAt,
    Share,
    compare,
    mcnemar,
    metrics,
    pass_at,
    pass_at_k,
    wilson,
)
from goedels_poetry.evaluation.load import Data, load, sample
from goedels_poetry.evaluation.outcome import BadData, GoldQuestion, Label, Outcome, read_outcomes
from goedels_poetry.evaluation.report import EvaluationPipeline, Report, report, write
from goedels_poetry.evaluation.runner import ANSWERS, Answerer, AnswerLog, Limits, Run, Runner

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
