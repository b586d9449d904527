"""Trust in the formalization: tests of how well a program says what a text and a question say, and a score of them.

`examine` needs no model, `judge` asks one, `confidence` makes one number of their tests. None changes a verdict.
"""

from goedels_poetry.reasoning.trust.confidence import confidence
from goedels_poetry.reasoning.trust.examine import examine
from goedels_poetry.reasoning.trust.facts import stated_facts
from goedels_poetry.reasoning.trust.judging import Check, judge
from goedels_poetry.reasoning.trust.outcomes import Ask, Outcome, Solve, TrustTest
from goedels_poetry.reasoning.trust.shown import Shown, shown

__all__ = [
    "Ask",
    "Check",
    "Outcome",
    "Shown",
    "Solve",
    "TrustTest",
    "confidence",
    "examine",
    "judge",
    "shown",
    "stated_facts",
]
