"""What a test found out, and one number from many: the odds that an answer is right.

Every test multiplies the odds by the factor of its outcome, as if tests were independent. The score changes no
verdict.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram

Outcome = Literal["passed", "warning", "failed", "skipped"]
"""``failed``: most likely the program does not say what the text says; ``warning``: perhaps; ``skipped``: not known."""

Solve: TypeAlias = Callable[[LogicProgram], Entailment]
"""Decides a program within limits of its own; a second or two are enough for what the tests ask. Called in a thread."""

Ask: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, Any]], Awaitable["dict[str, Any] | str"]]
"""Fills in the prompt of that name, asks a model for an object of that JSON Schema; a text says why there is none."""


@dataclass(frozen=True, slots=True)
class FormalizationTest:
    """One question about how well a program says what was said in words."""

    name: str
    """One of the names in `confidence.FACTORS`."""
    outcome: Outcome
    text: str
    """One line for people."""
    about: tuple[str, ...] = ()
    """Premises, symbols, sentences or facts that it is about."""

    def to_json(self) -> dict[str, Any]:
        """As it stands in a result."""
        return {"name": self.name, "outcome": self.outcome, "words": self.text, "about": list(self.about)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> FormalizationTest:
        """The inverse of :meth:`to_json`."""
        return cls(data["name"], data["outcome"], data["words"], tuple(data["about"]))


Level = Literal["high", "medium", "low"]
HIGH, MEDIUM = 0.8, 0.5
"""Least scores of the levels."""

BASE = {Verdict.PROVED: 9.0, Verdict.REFUTED: 9.0, Verdict.UNKNOWN: 1.2, Verdict.INCONSISTENT: 0.1}
"""Odds before any test. What a solver had found to follow was right in 9 of 10 recorded answers of several models to
questions of five data sets; of 467 stories whose own formulas leave the conclusion open, 54 % are meant to. Premises
that contradict each other are nearly always a fault of the formalization."""


class Factor(NamedTuple):
    """What an outcome does to the odds of an answer, and why."""

    decided: float
    """When the verdict is ``proved`` or ``refuted``."""
    unknown: float
    reason: str


FACTORS: dict[tuple[str, str], Factor] = {
    ("text given", "warning"): Factor(0.4, 0.5, "4 of 5 such recorded answers were right, with formal texts 19 of 20"),
    ("left open", "warning"): Factor(1.0, 0.4, "more time might have decided it"),
    ("goal connected", "failed"): Factor(0.3, 0.3, "no premise speaks of anything that is asked"),
    ("goal connected", "warning"): Factor(0.8, 0.6, "a name of the question that no premise knows decides nothing"),
    ("unused premises", "warning"): Factor(0.95, 0.9, "texts do have sentences beside the point; little can be said"),
    ("assumed goal", "failed"): Factor(0.05, 1.0, "what was to be shown was put in"),
    ("assumed goal", "warning"): Factor(0.25, 1.0, "what was to be shown is a premise, and none says where it is from"),
    ("world only", "failed"): Factor(0.4, 1.0, "the text was given to be used"),
    ("world only", "warning"): Factor(0.8, 1.0, "knowledge of the world that was added may be wrong"),
    ("vacuous", "failed"): Factor(0.15, 0.8, "true by form or for want of cases: the question was hardly meant so"),
    ("vacuous", "warning"): Factor(0.7, 0.9, "definitions alone decide, or premises say nothing"),
    ("polarity", "warning"): Factor(0.1, 0.8, "a flipped goal gives the opposite answer"),
    ("premise polarity", "warning"): Factor(0.4, 0.5, "a flipped premise changes what follows"),
    ("guards", "warning"): Factor(0.4, 0.4, "`exists` over `=>` says next to nothing, `forall` over `and` too much"),
    ("stated facts", "passed"): Factor(1.5, 1.2, "what the text states follows"),
    ("stated facts", "warning"): Factor(0.8, 0.4, "something that the text states does not follow"),
    ("stated facts", "failed"): Factor(0.2, 0.3, "the negation of something that the text states follows"),
    ("back-translation", "passed"): Factor(2.0, 1.5, "a reader finds the question and the text in it"),
    ("back-translation", "warning"): Factor(0.6, 0.6, "a reader misses something of the text in it"),
    ("back-translation", "failed"): Factor(0.3, 0.4, "a reader finds something else in it"),
    ("answer polarity", "passed"): Factor(1.5, 1.0, "a reader agrees which answer the goal stands for"),
    ("answer polarity", "failed"): Factor(0.05, 0.7, "a reader takes the goal for the opposite of the question"),
    ("answer polarity", "warning"): Factor(0.7, 0.8, "a goal that answers neither yes nor no was perhaps not asked"),
    ("assumptions", "warning"): Factor(0.3, 0.9, "a reader doubts something that was assumed"),
    ("assumptions", "passed"): Factor(1.2, 1.0, "a reader doubts nothing that was assumed"),
}
"""By name of the test and outcome; what is not here changes nothing."""


def confidence(tests: Iterable[FormalizationTest], verdict: Verdict) -> dict[str, Any]:
    """``{"level": "high" | "medium" | "low", "score": chance from 0 to 1, "tests": [...]}``.

    Of a verdict that no base is known for (``invalid``, ``out_of_budget``) the score is 0.
    """
    tests = tuple(tests)
    odds = BASE.get(verdict, 0.0)
    for test in tests:
        factor = FACTORS.get((test.name, test.outcome))
        if factor is not None:
            odds *= factor.unknown if verdict is Verdict.UNKNOWN else factor.decided
    score = round(odds / (1 + odds), 3)
    return {"level": level(score), "score": score, "tests": [test.to_json() for test in tests]}


def level(score: float) -> Level:
    """The level of a score."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"
