"""Symbolic agents for Lean: cheap proofs, decompositions and refutations without any model.

Who calls whom:

* `agents` has the three: prove, sketch, refute. Each reads what the text gives (`theory`, and `world` for the functions
  of a goal), makes proposals, and has them tried in order by `attempts`, which asks Lean.
* Proposals for proofs: `portfolio` (single tactics, hypotheses, witnesses), `structure` (a step of `schemes`, with its
  cases closed), `explore` (by lemmas that nobody has stated).
* Theory exploration (Claessen, Johansson, Rosén and Smallbone 2013, Automating inductive proofs using theory
  exploration): `pool` enumerates terms over given functions and groups them by their `values` on samples, `conjectures`
  and `laws` turn the groups into equations, `shapes` says which terms are worth it, `orders` which way round equations
  rewrite, `lemmas` makes them lemmas that Lean reads.
* `arithmetic` computes what proves or refutes goals over Nat and Int.
* `refute` tries small values. `terms` and `types` are Lean's terms and types as trees.
"""

from goedels_poetry.languages.lean.symbolic.agents import at_once, prove, sketch
from goedels_poetry.languages.lean.symbolic.attempts import Proposal
from goedels_poetry.languages.lean.symbolic.refute import Refutation, refute, refuted_at

__all__ = ["Proposal", "Refutation", "at_once", "prove", "refute", "refuted_at", "sketch"]
