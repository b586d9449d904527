"""Terms: where a pattern fits, how often terms occur, and formulas as closed statements with equal text when equal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import count

from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import Kind, Term, fresh_name, implies, is_app, rebuild, substitute, var

# Where a pattern fits a term, and how often terms occur


def match(pattern: Term, term: Term) -> dict[Term, Term] | None:
    """The substitution for the variables of ``pattern`` that makes it ``term``, or None (no binders inside)."""
    binding: dict[Term, Term] = {}
    stack = [(pattern, term)]
    while stack:
        p, t = stack.pop()
        if p.kind is Kind.VAR:
            if binding.setdefault(p, t) is not t or p.sort is not t.sort:
                return None
        elif p.kind is not t.kind or p.name != t.name or p.indices != t.indices or len(p.args) != len(t.args):
            return None
        elif p.binders or p.value != t.value:
            if p is not t:
                return None
        else:
            stack.extend(zip(p.args, t.args, strict=True))
    return binding


def occurrences(term: Term) -> dict[Term, int]:
    """How often each non-variable subterm occurs outside quantifiers, as a tree."""
    above: dict[Term, int] = {}  # how many of the terms right above each are still to be counted
    stack = [term] if term.kind is Kind.APP else []
    while stack:
        t = stack.pop()
        if t not in above:
            above[t] = 0
            stack.extend(a for a in reversed(t.args) if a.kind is Kind.APP)
    counts = dict.fromkeys(above, 0)
    for t in above:
        for a in t.args:
            if a in above:
                above[a] += 1
    ready = [term] if above else []
    counts.update(dict.fromkeys(ready, 1))
    while ready:
        t = ready.pop()
        for a in t.args:
            if a in above:
                counts[a] += counts[t]
                above[a] -= 1
                if not above[a]:
                    ready.append(a)
    return counts


def replace_subterm(term: Term, old: Term, new: Term) -> Term:
    """Replace every occurrence of ``old`` outside binders that capture its variables."""
    return replace_subterms(term, {old: new})


def replace_subterms(term: Term, replacements: Mapping[Term, Term]) -> Term:
    """Replace the largest of these subterms, outside binders that capture a variable of one of them."""
    memo = dict(replacements)
    least = min(old.size for old in replacements)
    free = frozenset[Term]().union(*[old.free for old in replacements])

    def go(t: Term) -> Term:
        done = memo.get(t)
        if done is None:
            if t.size < least or not t.args or (t.binders and not free.isdisjoint(t.binders)):
                return t
            done = memo[t] = rebuild(t, tuple([go(a) for a in t.args]))
        return done

    return go(term)


def lemma(formula: Term, hyps: tuple[Term, ...] = ()) -> Sequent:
    """A closed sequent for a formula with free variables."""
    named = _standard_names(implies_all(hyps, formula))
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


def implies_all(hyps: Sequence[Term], concl: Term) -> Term:
    """``h1 => (h2 => ... concl)``."""
    result = concl
    for hyp in reversed(hyps):
        result = implies(hyp, result)
    return result
