"""An SMT goal in words for a language model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.problem import Definition, Problem, Signature
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term, alpha, app, eq, forall, rebuild
from goedels_poetry.smt.notation.readable import show_definitions, show_readable
from goedels_poetry.smt.notation.reply_forms import PROOF_FORMAT, SKETCH_FORMAT

MAX_TEXT = 30_000
"""Characters of any one part of a description; a longer one is cut, and says so."""

TRIED_PROOFS = (
    "Automatic methods have failed on it: one solver query, induction (structural, integer, along functions) without "
    "lemmas, and a short search for lemmas."
)
TRIED_SKETCHES = """\
Automatic methods have failed on it: one solver query, induction (structural, integer, along functions),
generalisation of repeated subterms, common algebraic properties, and a search for small equations."""
"""What has failed before a model is asked for a proof or a sketch."""


def describe_goal(sequent: Sequent, facts: Iterable[Sequent], signature: Signature | None = None) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about a goal beside :func:`describe_problem`.

    ``signature``: over which it is written; without it terms stand as they are, without ``match``.
    """
    known = [f"F{n}: {_shown(fact.formula, signature)}" for n, fact in enumerate(facts, 1)]
    return {"statement": _cut(_statement(sequent, signature)), "facts": _cut("\n".join(known)) or "(none)"}


def describe_problem(problem: Problem) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about every goal of a problem."""
    signature = problem.signature
    return {
        "language": "SMT-LIB 2.6 (total functions; Int division and modulo as in SMT-LIB)",
        "premises": _cut("\n".join(f"{p.name}: {_shown(p.formula, signature)}" for p in problem.premises)) or "(none)",
        "functions": ", ".join(sorted(signature.names)),
        "tried_proofs": TRIED_PROOFS,
        "tried_sketches": TRIED_SKETCHES,
        "proof_format": PROOF_FORMAT,
        "sketch_format": SKETCH_FORMAT,
    }


def describe_definitions(problem: Problem, formulas: Iterable[Term], own: int) -> str:
    """What ``formulas`` rest on: declarations and definitions; the other functions that there are, by name.

    ``own``: how many definitions the theorem has; those after them are helpers of ours.
    """
    signature = problem.signature
    names = reached(signature, list(formulas))
    shown = [d for d in signature.definitions if d.name in names]
    lines = printer.declarations(replace(signature, definitions=()))
    lines += show_definitions(signature, shown)
    lines += _notes(signature, shown, own)
    return _cut("\n".join(lines)) or "(none)"


def _notes(signature: Signature, shown: Sequence[Definition], own: int) -> list[str]:
    """What is to be known of functions beside their definitions, as comments."""
    notes = []
    for group in _equal(shown):
        notes.append(f"; {' and '.join(group)} are the same function: their definitions differ by name only")
    other = [d for d in signature.definitions[:own] if d not in shown]
    if other:
        notes.append(f"; defined too, but nothing here rests on them: {', '.join(_typed(d) for d in other)}")
    helpers = [_helper(d) for d in signature.definitions[own:] if d not in shown and _kind(d) in HELPERS]
    if helpers:
        notes.append(f"; lemmas may use these helpers as well: {'; '.join(helpers)}")
    return notes


def _typed(definition: Definition) -> str:
    sorts = " ".join(show_sort(p.sort) for p in definition.params)
    return f"{show_symbol(definition.name)} ({sorts}) {show_sort(definition.sort)}"


HELPERS = {
    "size": "the number of its constructors that contain others",
    "occurrences": "how often the element stands in it",
    "low": "the element is a lower bound of it",
    "high": "the element is an upper bound of it",
    "sorted": "it is in order",
    "search": "it is a search tree",
}
"""What helpers compute, by the beginnings of their names; those that need a page are not offered."""


def _kind(definition: Definition) -> str:
    return definition.name.partition("!")[0]


def _helper(definition: Definition) -> str:
    """A helper with what it computes."""
    return f"{_typed(definition)}, {HELPERS[_kind(definition)]}"


def _equal(definitions: Iterable[Definition]) -> list[list[str]]:
    """Groups of functions whose definitions are the same but for the names of function and parameters."""
    by_body: dict[Term, list[str]] = {}
    for d in definitions:
        body = _renamed(d.body, d.name)
        key = alpha(forall(d.params, eq(app("itself!", d.params, d.sort), body))) if d.params else body
        by_body.setdefault(key, []).append(show_symbol(d.name))
    return [names for names in by_body.values() if len(names) > 1]


def _renamed(term: Term, name: str) -> Term:
    """The term with calls of one function under a name that no function has."""
    done: dict[Term, Term] = {}
    stack = [term]
    while stack:
        top = stack[-1]
        waiting = [a for a in top.args if a not in done]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        args = tuple(done[a] for a in top.args)
        mine = top.name == name and not top.binders
        done[top] = app("itself!", args, top.sort) if mine else rebuild(top, args) if args else top
    return done[term]


def _statement(sequent: Sequent, signature: Signature | None) -> str:
    """Variables, hypotheses by number, conclusion."""
    lines = [f"variables: {_variables(sequent.vars)}"] if sequent.vars else []
    lines += [f"H{n}: {_shown(hyp, signature)}" for n, hyp in enumerate(sequent.hyps, 1)]
    return "\n".join([*lines, f"show: {_shown(sequent.concl, signature)}"])


def _shown(term: Term, signature: Signature | None) -> str:
    return show_readable(term, signature) if signature is not None else show(term)


def _variables(variables: Iterable[Term]) -> str:
    return " ".join(f"({show(v)} {show_sort(v.sort)})" for v in variables)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n[cut: {len(text)} characters in all]"
