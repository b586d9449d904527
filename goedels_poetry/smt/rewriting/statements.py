"""Formulas as closed statements whose variables have standard names, so that equal lemmas get equal text."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import count

from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import Kind, Term, fresh_name, implies, is_app, substitute, var


def lemma(formula: Term, hyps: tuple[Term, ...] = ()) -> Sequent:
    """A closed sequent for a formula with free variables."""
    named = _standard_names(_implies_all(hyps, formula))
    body = named
    conditions: list[Term] = []
    while is_app(body, "=>") and len(conditions) < len(hyps):
        conditions.append(body.args[0])
        body = body.args[1]
    return make_sequent(ordered_variables(named), conditions, body)


def apart(sequent: Sequent, names: Set[str]) -> Sequent:
    """The same with other names for variables that are called like a symbol, which no text could tell apart."""
    taken = {*names, *[v.name for v in sequent.vars]}
    renaming: dict[Term, Term] = {}
    for variable in sequent.vars:
        if variable.name in names:
            name = fresh_name(variable.name, taken)
            taken.add(name)
            renaming[variable] = var(name, variable.sort)
    if not renaming:
        return sequent
    variables = [renaming.get(v, v) for v in sequent.vars]
    hyps = [substitute(hyp, renaming) for hyp in sequent.hyps]
    return Sequent(tuple(variables), tuple(hyps), substitute(sequent.concl, renaming))


def ordered_variables(term: Term) -> list[Term]:
    """Free variables in order of first occurrence."""
    variables: dict[Term, None] = {}
    seen: set[tuple[Term, frozenset[Term]]] = set()

    def go(t: Term, bound: frozenset[Term]) -> None:
        if (t, bound) in seen:
            return
        seen.add((t, bound))
        if t.kind is Kind.VAR:
            if t not in bound:
                variables.setdefault(t)
        else:
            inner = bound | frozenset(t.binders) if t.binders else bound
            for a in t.args:
                if a.free:
                    go(a, inner)

    go(term, frozenset())
    return list(variables)


def _standard_names(term: Term) -> Term:
    """Rename free variables by order of occurrence."""
    taken: set[str] = set()
    fresh: dict[Term, Term] = {}
    for variable in ordered_variables(term):
        stem = re.sub(r"[^A-Za-z]", "", variable.name)[:3].lower() or "v"
        for number in count():
            name = f"{stem}{number}"
            if name not in taken:
                break
        taken.add(name)
        fresh[variable] = var(name, variable.sort)
    return substitute(term, fresh)


def _implies_all(hyps: tuple[Term, ...], concl: Term) -> Term:
    """``h1 => (h2 => ... concl)``."""
    result = concl
    for hyp in reversed(hyps):
        result = implies(hyp, result)
    return result
