"""Questions in plain language and logic programs: answers, and what they rest on.

* `proof_of_thought` answers questions, `backends` decides programs; `results` is what both return.
* `solving` runs the machine in a thread of its own, `clients` takes chat models of other libraries.
* `runs` makes one run of the machine.
* `postprocessors` names the ways of asking more than once: `self_refine`, `self_consistency` (with `votes`),
  and two that divide a question (`parts`).
* `steps` is what these share: a step, a chain, side by side or in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use
from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning.results import QueryResult

if TYPE_CHECKING:
    from goedels_poetry.reasoning.proof_of_thought import ProofOfThought
    from goedels_poetry.reasoning.solving import solve
    from goedels_poetry.search.tasks.question import Question

_HOME_OF = {
    "ProofOfThought": "reasoning.proof_of_thought",
    "Question": "search.tasks.question",
    "solve": "reasoning.solving",
}
"""Brought in on first use: deciding a program needs nothing of the state machine."""

__getattr__, __dir__ = on_first_use(__name__, _HOME_OF, "goedels_poetry")


__all__ = ["ProofOfThought", "QueryResult", "Question", "VerificationResult", "solve"]
