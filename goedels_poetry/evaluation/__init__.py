"""How often answers are right, and at what price: data sets, a resumable runner, figures, tables, pictures.

Who calls whom:

* `pipeline` does the whole of it: `load` reads a data set (`formats` knows the rows, `documents` the pages that
  questions are about), `runner` puts each question to an answerer and writes `log`, `report` makes the folder.
* `answerers` are who is asked: the question machine, or the machine for theorems.
* `questions` and `outcome` are the data: a question with its gold label, and what became of it.
* `recorded` reads results that runs have left, each once, and says how two runs were made differently.
* `metrics` makes figures of outcomes and `compare` those of two runs, by the formulas of `statistics` (each names its
  source: Wilson's interval, McNemar's test, pass@k of Chen et al. 2021); `tables` and `plots` show them.
* For proofs: `problems` reads collections of theorems, `ablations` leaves out ideas of the search, `stand_in` answers
  in the place of a model. `categories` sorts endings and mistakes, `curves` is success against budget, `charts` draws
  both with matplotlib where that is installed; `html` makes one page of the report.
"""

from __future__ import annotations

from goedels_poetry.evaluation.compare import Compared, Comparison, PassAt, compare, pass_at
from goedels_poetry.evaluation.load import Data, load, sample
from goedels_poetry.evaluation.log import ANSWERS, AnswerLog
from goedels_poetry.evaluation.metrics import Metrics, Share, metrics
from goedels_poetry.evaluation.outcome import Outcome
from goedels_poetry.evaluation.pipeline import EvaluationPipeline
from goedels_poetry.evaluation.questions import BadData, GoldQuestion, Label
from goedels_poetry.evaluation.recorded import read_outcomes
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
