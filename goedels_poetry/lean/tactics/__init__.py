"""Symbolic agents for Lean: cheap proofs, decompositions and refutations without any model.

Who calls whom:

* `agents` has the three: prove, sketch, refute. Each reads the goal and the file (`theory`), makes proposals, and has
  them tried in order by `attempts`, which asks Lean.
* Proposals for proofs: `portfolio` (single tactics, hypotheses, witnesses), `structure` (a step of `schemes`, with its
  cases closed). Lemmas come from the engine of SMT-LIB (`bridge.goals`).
* `arithmetic` computes what proves or refutes goals over Nat and Int.
* `refute` tries small values. `types` are Lean's types as trees.
"""

from goedels_poetry.lean.agents import at_once, prove, sketch
from goedels_poetry.lean.refute import Refutation, refute, refuted_at
from goedels_poetry.lean.tactics.attempts import Proposal

__all__ = ["Proposal", "Refutation", "at_once", "prove", "refute", "refuted_at", "sketch"]
