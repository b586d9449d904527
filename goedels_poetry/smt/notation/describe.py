"""An SMT goal in words for a language model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature, reached
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term
from goedels_poetry.smt.notation.reply_forms import PROOF_FORMAT, SKETCH_FORMAT

MAX_TEXT = 30_000
"""Characters of any one part of a description; a longer one is cut, and says so."""

_COMMENT = re.compile(r"\"[^\"]*\"|\|[^|]*\||;[^\r\n]*")

TRIED_PROOFS = (
    "Automatic methods have failed on it: one solver query, induction (structural, integer, along functions) without "
    "lemmas, and a short search for lemmas."
)
TRIED_SKETCHES = """\
Automatic methods have failed on it: one solver query, induction (structural, integer, along functions),
generalisation of repeated subterms, common algebraic properties, and a search for small equations."""
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
        "premises": _cut("\n".join(f"{p.name}: {show(p.formula)}" for p in problem.premises)) or "(none)",
        "functions": ", ".join(sorted(signature.names)),
        "tried_proofs": TRIED_PROOFS,
        "tried_sketches": TRIED_SKETCHES,
        "proof_format": PROOF_FORMAT,
        "sketch_format": SKETCH_FORMAT,
    }


def describe_definitions(problem: Problem, formulas: Iterable[Term], text: str) -> str:
    """The declarations and definitions that ``formulas`` rest on; definitions as they stand in the ``text``."""
    signature = problem.signature
    names = reached(signature, list(formulas))
    shown = [d for d in signature.definitions if d.name in names]
    written = _written(text) if text.isascii() else {}
    lines = printer.declarations(replace(signature, definitions=()))
    for _, group in groupby(shown, lambda d: d.group):
        some = tuple(group)
        lines += [written[some[0].name]] if some[0].name in written else definitions(Signature(definitions=some))
    return _cut("\n".join(lines)) or "(none)"


def _written(text: str) -> dict[str, str]:
    """Definitions of single functions by name, each in one line and without comments."""
    source = Source(text)
    found = {}
    for command in read(source):
        match command:
            case Group(items=[Atom(text="define-fun" | "define-fun-rec"), Atom(text=name, quoted=False), *_]):
                plain = _COMMENT.sub(
                    lambda part: "" if part[0][0] == ";" else part[0], source.text[command.offset : command.end]
                )
                found[name] = " ".join(plain.split())
    return found


def _statement(sequent: Sequent) -> str:
    """Variables, hypotheses by number, conclusion."""
    lines = [f"variables: {_variables(sequent.vars)}"] if sequent.vars else []
    lines += [f"H{n}: {show(hyp)}" for n, hyp in enumerate(sequent.hyps, 1)]
    return "\n".join([*lines, f"show: {show(sequent.concl)}"])


def _variables(variables: Iterable[Term]) -> str:
    return " ".join(f"({show(v)} {show_sort(v.sort)})" for v in variables)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n[cut: {len(text)} characters in all]"
