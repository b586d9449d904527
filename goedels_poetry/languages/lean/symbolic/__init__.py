"""Symbolic agents for Lean: cheap proofs, decompositions and refutations without any model."""

from goedels_poetry.languages.lean.symbolic.agents import prove, sketch
from goedels_poetry.languages.lean.symbolic.attempts import Proposal
from goedels_poetry.languages.lean.symbolic.refute import Refutation, refute

__all__ = ["Proposal", "Refutation", "prove", "refute", "sketch"]
