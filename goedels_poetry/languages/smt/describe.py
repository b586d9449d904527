"""An SMT goal in words for a language model."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.theory import declarations_and_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term
from goedels_poetry.languages.smt.reply_forms import PROOF_FORMAT, SKETCH_FORMAT

MAX_TEXT = 30_000
"""Characters of any one part of a description; a longer one is cut, and says so."""

TRIED_PROOFS = (
    "one solver query, induction (structural, integer, along functions) without lemmas, and a short search for lemmas."
)
TRIED_SKETCHES = """\
one solver query, induction (structural, integer, along functions), generalisation of repeated subterms, common
algebraic properties, and a search for small equations."""
"""What has failed before a model is asked for a proof or a sketch."""


def describe_goal(sequent: Sequent, facts: Iterable[Sequent]) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about a goal beside :func:`describe_problem`."""
    known = [f"F{n}: {show(fact.formula)}" for n, fact in enumerate(facts, 1)]
    return {"statement": _cut(_statement(sequent)), "facts": _cut("\n".join(known)) or "(none)"}


def describe_problem(problem: Problem) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about every goal of a problem."""
    signature = problem.signature
    return {
        "language": "SMT-LIB 2.6 (total functions; Int division and modulo as in SMT-LIB)",
        "definitions": _cut("\n".join(declarations_and_definitions(signature))) or "(none)",
        "premises": _cut("\n".join(f"{p.name}: {show(p.formula)}" for p in problem.premises)) or "(none)",
        "functions": ", ".join(sorted(signature.names)),
        "tried_proofs": TRIED_PROOFS,
        "tried_sketches": TRIED_SKETCHES,
        "proof_format": PROOF_FORMAT,
        "sketch_format": SKETCH_FORMAT,
    }


def _statement(sequent: Sequent) -> str:
    """Variables, hypotheses by number, conclusion."""
    lines = [f"variables: {_variables(sequent.vars)}"] if sequent.vars else []
    lines += [f"H{n}: {show(hyp)}" for n, hyp in enumerate(sequent.hyps, 1)]
    return "\n".join([*lines, f"show: {show(sequent.concl)}"])


def _variables(variables: Iterable[Term]) -> str:
    return " ".join(f"({show(v)} {show_sort(v.sort)})" for v in variables)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n[cut: {len(text)} characters in all]"


__all__ = [
    "describe_goal",
    "describe_problem",
]
