"""Questions in plain language and logic programs: answers, and what they rest on.

`proof_of_thought` answers questions (`solving` with the machine, `clients` with chat models of other libraries),
`backends` decides programs, `results` is what both return. `postprocessors` has the ways of asking more than once, made
of `steps`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use
from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning.steps import QueryResult

if TYPE_CHECKING:
    from goedels_poetry.reasoning.proof_of_thought import ProofOfThought
    from goedels_poetry.reasoning.solving import solve
    from goedels_poetry.search.tasks.question import Question

__getattr__, __dir__ = on_first_use(__name__)

__all__ = ["ProofOfThought", "QueryResult", "Question", "VerificationResult", "solve"]
