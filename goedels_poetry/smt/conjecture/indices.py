"""Goals about every index: ``all i xs``, a recursion that asks something of each number on its way up.

A contract says ``all(P(j) for j in range(n))``; its translation is ``all i = (i < n => P i and all (i + 1))``. About a
loop that makes what ``P`` speaks of no induction along ``all`` succeeds. So the index becomes a variable: ``P j`` for
any ``j`` from the start on is a goal without a recursion of truth values, whose invariants need no quantifier either;
``all`` follows from it by one induction. Where ``all`` is a hypothesis, what it says of one index is a lemma.

A conclusion of several clauses is taken apart first: ``a or (b and c)`` are the goals ``b`` and ``c`` where not ``a``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.schemas import Conjuncts, Intro, instances
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    and_,
    app,
    implies,
    is_app,
    ite,
    not_,
    rebuild,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND, QUICK
from goedels_poetry.smt.induction.recursion import closed_along
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.rewriting.polynomials import polynomial
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

MOST_CLAUSES = 40


def taken_apart(context: ProverContext, sequent: Sequent, prove: Callable[[Sequent], Plan | None]) -> Plan | None:
    """A goal taken apart by its form into clauses about single indices, as far as that goes; None where it is one.

    Args:
        prove: tries a part; None leaves it open.
    """

    def further(part: Sequent) -> Plan:
        closed = close_goal(context, part, QUICK) if not is_app(part.concl, "and") else None
        return closed or taken_apart(context, part, prove) or prove(part) or halves(part) or Plan(part)

    def halves(part: Sequent) -> Plan | None:
        if not is_app(part.concl, "=") or part.concl.args[0].sort is not BOOL:
            return None
        cases = instances(part, Conjuncts(), context.signature)
        return Plan(part, Conjuncts(), tuple(further(case) for case in cases), "conjunction")

    for scheme in (Conjuncts(), Intro()) if not is_app(sequent.concl, "=") else ():
        with suppress(SchemeError):
            cases = instances(sequent, scheme, context.signature)
            return Plan(sequent, scheme, tuple(further(case) for case in cases), "conjunction")
    split = _by_branches(context, sequent.concl)
    parts = [make_sequent(sequent.vars, (*sequent.hyps, *hyps), concl) for hyps, concl in clauses(split)]
    if len(parts) <= MOST_CLAUSES and (len(parts) != 1 or parts[0].concl is not sequent.concl):
        plan = _from_clauses(context, sequent, parts)
        if plan is not None:
            return replace(plan, children=tuple(further(child.sequent) for child in plan.children))
    return _at_any_index(context, sequent, further)


def _by_branches(context: ProverContext, term: Term) -> Term:
    """A formula by the cases of a term in it of which one branch is a call of a recursive function."""
    if any(t.binders for t in subterms(term)) or term.kind is not Kind.APP:
        return term
    if term.name in ("and", "or", "=>", "not") or (term.name == "ite" and term.sort is BOOL):
        return rebuild(term, tuple(_by_branches(context, part) for part in term.args))
    for choice in subterms(term):
        if choice is not term and is_app(choice, "ite"):
            test, *branches = (_calls_recursion(context, part) for part in choice.args)
            if any(branches) and not test:
                yes, no = (replace_subterm(term, choice, branch) for branch in choice.args[1:])
                return ite(choice.args[0], _by_branches(context, yes), _by_branches(context, no))
    return term


def _calls_recursion(context: ProverContext, term: Term) -> bool:
    definitions = (context.signature.definition(t.name) for t in subterms(term) if t.kind is Kind.APP)
    return any(d is not None and d.recursive for d in definitions)


def _at_any_index(context: ProverContext, sequent: Sequent, further: Callable[[Sequent], Plan]) -> Plan | None:
    """The goal from one about any index; None where its conclusion is no such recursion, or values refute that goal."""
    call, positive = _signed(sequent.concl)
    ranged = every_index(context, call.name, positive) if call.kind is Kind.APP else None
    if ranged is None:
        return None
    names = Names(*sequent.vars, *sequent.hyps, call, reserved=context.reserved)
    index = names.fresh(ranged.index.name, INT)
    start = call.args[ranged.position]
    hyps = (*sequent.hyps, app("<=" if ranged.step > 0 else ">=", (start, index), BOOL))
    variables = (*sequent.vars, index)
    said = ranged.said(call, index)
    about = [make_sequent(variables, (*hyps, *given), concl) for given, concl in clauses(said)]
    if not about or any(context.refutes(part) is not None for part in about):
        return None
    args = tuple(index if i == ranged.position else a for i, a in enumerate(call.args))
    whole = app(call.name, args, BOOL)
    general = make_sequent(variables, hyps, whole if positive else not_(whole))
    keys = {key_of(part): part for part in about}

    def closed(case: Sequent) -> Plan | None:
        for unfolded in context.unfolder.unfoldings(make_sequent(case.vars, (), case.concl), (1,)):
            for cites in ((), tuple(keys)):
                instances = (*unfolded, *(Instance("step", key, keys[key].vars) for key in cites))
                query = Query(cites, instances, equations=False, quantified=False)
                if context.holds_alone(case, query, GROUND, extra=keys):
                    return Plan(case, query, tuple(further(keys[key]) for key in cites), "query")
        return None

    plan = closed_along(context, general, RecursionInduction(call.name, args, ()), closed)
    if plan is None:
        return None
    first = Instance("step", plan.key, tuple(start if v is index else v for v in general.vars))
    query = Query((plan.key,), (first,), equations=False, quantified=False)
    if not context.holds_alone(sequent, query, GROUND, extra={plan.key: general}):
        return None
    return Plan(sequent, query, (plan,), "any-index", index.name)


def _from_clauses(context: ProverContext, sequent: Sequent, parts: list[Sequent]) -> Plan | None:
    keys = {key_of(part): part for part in parts}
    steps = tuple(Instance("step", key, part.vars) for key, part in keys.items())
    query = Query(tuple(keys), steps, equations=False, quantified=False)
    if not context.holds_alone(sequent, query, GROUND, extra=keys):
        return None
    return Plan(sequent, query, tuple(Plan(part) for part in keys.values()), "clauses")


def said_of_indices(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What such recursions in a goal say of one index, as lemmas; also those in what is said."""
    waiting = [*sequent.hyps, not_(sequent.concl)]
    seen: set[tuple[str, bool]] = set()
    while waiting:
        call, positive = _signed(waiting.pop(0))
        ranged = every_index(context, call.name, positive) if call.kind is Kind.APP else None
        if ranged is None or (call.name, positive) in seen:
            continue
        seen.add((call.name, positive))
        whole = app(call.name, ranged.definition.params, BOOL)
        index = var("index", INT)
        reached = app("<=", (ranged.index, index) if ranged.step > 0 else (index, ranged.index), BOOL)
        for given, concl in clauses(ranged.said(whole, index)):
            yield lemma(concl, (whole if positive else not_(whole), reached, *given))
            waiting.append(concl)


def _signed(term: Term) -> tuple[Term, bool]:
    """What is said or denied, and whether it is said."""
    return (term.args[0], False) if is_app(term, "not") else (term, True)


@dataclass(frozen=True)
class EveryIndex:
    """A recursion that says something of each number from one of its parameters on, or denies it of each.

    Attributes:
        positive: whether it says something of each number where it holds; else where it does not hold.
    """

    definition: Definition
    position: int
    step: int
    positive: bool
    _recursive: Term

    @property
    def index(self) -> Term:
        """The parameter that counts."""
        return self.definition.params[self.position]

    def said(self, call: Term, index: Term) -> Term:
        """What a call says of one index, the guard of the recursion included."""
        body = replace_subterm(self.definition.body, self._recursive, TRUE if self.positive else FALSE)
        args = (index if i == self.position else a for i, a in enumerate(call.args))
        said = substitute(body, dict(zip(self.definition.params, args, strict=True)))
        return said if self.positive else negated(said)


def every_index(context: ProverContext, name: str, positive: bool) -> EveryIndex | None:
    """The function where it is such a recursion, or None."""
    definition = context.signature.definition(name)
    if definition is None or definition.sort is not BOOL or not definition.recursive:
        return None
    calls = {t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == name}
    if len(calls) != 1:
        return None
    (call,) = calls
    moved = [i for i, p in enumerate(definition.params) if call.args[i] is not p]
    if len(moved) != 1 or definition.params[moved[0]].sort is not INT:
        return None
    index = definition.params[moved[0]]
    difference = polynomial(app("-", (call.args[moved[0]], index), INT))
    step = difference.get((), 0)
    return (
        EveryIndex(definition, moved[0], step, positive, call) if set(difference) == {()} and abs(step) == 1 else None
    )


def clauses(term: Term) -> list[tuple[tuple[Term, ...], Term]]:
    """Hypotheses and conclusion of each goal that a formula comes to; none where it is true."""
    if is_app(term, "and"):
        return [clause for part in term.args for clause in clauses(part)]
    if term is TRUE:
        return []
    if is_app(term, "=>"):
        return [((*term.args[:-1], *hyps), concl) for hyps, concl in clauses(term.args[-1])]
    if is_app(term, "or"):
        whole = [i for i, part in enumerate(term.args) if _is_compound(part)] or [len(term.args) - 1]
        others = tuple(not_(part) for i, part in enumerate(term.args) if i != whole[-1])
        return [((*others, *hyps), concl) for hyps, concl in clauses(term.args[whole[-1]])]
    if is_app(term, "ite") and term.sort is BOOL:
        test, yes, no = term.args
        return [
            ((condition, *hyps), concl)
            for condition, branch in ((test, yes), (not_(test), no))
            for hyps, concl in clauses(branch)
        ]
    return [((), term)]


def negated(term: Term) -> Term:
    """The negation with what is denied of the parts: ``not (a and b)`` is ``a => not b``."""
    if is_app(term, "and"):
        *first, last = term.args
        return implies(and_(first), negated(last))
    if is_app(term, "or"):
        return and_([negated(part) for part in term.args])
    if is_app(term, "=>"):
        return and_([*term.args[:-1], negated(term.args[-1])])
    if is_app(term, "ite"):
        return ite(term.args[0], negated(term.args[1]), negated(term.args[2]))
    return not_(term)


def _is_compound(term: Term) -> bool:
    return any(is_app(term, name) for name in ("and", "or", "=>", "ite"))
