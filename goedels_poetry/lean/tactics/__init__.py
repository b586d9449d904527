"""Symbolic agents for Lean: cheap proofs, decompositions and refutations without any model.

Who calls whom:

* `lean.agents` proves and sketches, `lean.refute` refutes. Each reads the goal and the file (`theory`), puts in the
  functions that hypotheses define, makes proposals, and has them tried in order by Lean.
* Proposals for proofs: `portfolio` (single tactics, hypotheses, witnesses), `structure` (a scheme's step, with its
  cases closed). Lemmas come from the engine of SMT-LIB (`lean.goals`).
* `lean.arithmetic` computes what proves or refutes goals over Nat and Int.
"""
