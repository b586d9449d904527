"""Trust in the formalization: tests of how well a program says what a text and a question say, and a score of them.

`examine` needs no model, `judge` asks one, `confidence` makes one number of their tests. None changes a verdict.
"""

from goedels_poetry.reasoning.trust.confidence import confidence
from goedels_poetry.reasoning.trust.examine import examine
from goedels_poetry.reasoning.trust.judging import judge
from goedels_poetry.reasoning.trust.outcomes import Ask, Outcome, Solve, TrustTest

__all__ = ["Ask", "Outcome", "Solve", "TrustTest", "confidence", "examine", "judge"]
