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
from goedels_poetry.kernel.inductions import RecursionInduction, StructuralInduction
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
    eq,
    implies,
    integer,
    is_app,
    ite,
    not_,
    rebuild,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.auxiliary.indexed import INDEXED
from goedels_poetry.smt.conjecture.data import FEWEST, Samples
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT, GROUND, QUICK
from goedels_poetry.smt.induction.recursion import closed_along
from goedels_poetry.smt.induction.structural import by_cases, general_variables
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.rewriting.polynomials import polynomial
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

MOST_CLAUSES = 40
MOST_LEVELS = 2


Prove = Callable[[Sequent], Plan | None]
"""Tries a part; None leaves it open."""


def taken_apart(context: ProverContext, sequent: Sequent, close: Prove, prove: Prove) -> Plan | None:
    """A goal taken apart by its form into clauses about single indices, as far as that goes; None where it is one.

    Args:
        close: tries a part before it is taken apart in its turn.
        prove: tries a part that is none of several.
    """

    def further(part: Sequent) -> Plan:
        closed = close(part) if not is_app(part.concl, "and") else None
        return closed or taken_apart(context, part, close, prove) or prove(part) or halves(part) or Plan(part)

    def halves(part: Sequent) -> Plan | None:
        if not is_app(part.concl, "=") or part.concl.args[0].sort is not BOOL:
            return None
        cases = instances(part, Conjuncts(), context.signature)
        return Plan(part, Conjuncts(), tuple(further(case) for case in cases), "conjunction")

    for scheme in (Conjuncts(), Intro()) if not is_app(sequent.concl, "=") else ():
        with suppress(SchemeError):
            cases = instances(sequent, scheme, context.signature)
            return Plan(sequent, scheme, tuple(further(case) for case in cases), "conjunction")
    opened, written = _opened(context, sequent.concl)
    split = _by_branches(context, opened)
    parts = [make_sequent(sequent.vars, (*sequent.hyps, *hyps), concl) for hyps, concl in clauses(split)]
    if len(parts) <= MOST_CLAUSES and (len(parts) != 1 or parts[0].concl is not sequent.concl):
        plan = _from_clauses(context, sequent, parts, written)
        if plan is not None:
            return replace(plan, children=tuple(further(child.sequent) for child in plan.children))
    return _at_any_index(context, sequent, further)


def _opened(context: ProverContext, term: Term) -> tuple[Term, list[Instance]]:
    """A formula with calls that only choose between cases, one of them a recursion, written out; and what they are."""
    written = []
    if not any(t.binders for t in subterms(term)):
        for call in [t for t in subterms(term) if t.kind is Kind.APP]:
            definition = context.signature.definition(call.name)
            if definition is not None and not definition.recursive and is_app(definition.body, "ite"):
                body = definition.at(call.args)
                if any(_calls_recursion(context, branch) for branch in body.args[1:]):
                    term = replace_subterm(term, call, body)
                    written.append(Instance("def", call.name, call.args))
    return term, written


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
    return any(_recurs(context, t) for t in subterms(term))


def _recurs(context: ProverContext, call: Term) -> bool:
    definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
    return definition is not None and definition.recursive


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


def _from_clauses(
    context: ProverContext, sequent: Sequent, parts: list[Sequent], written: list[Instance]
) -> Plan | None:
    keys = {key_of(part): part for part in parts}
    steps = (*written, *(Instance("step", key, part.vars) for key, part in keys.items()))
    query = Query(tuple(keys), steps, equations=False, quantified=False)
    if not context.holds_alone(sequent, query, GROUND, extra=keys):
        return None
    return Plan(sequent, query, tuple(Plan(part) for part in keys.values()), "clauses")


def without_idle_hypotheses(context: ProverContext, sequent: Sequent) -> Sequent:
    """The goal without those recursions of truth values among its hypotheses that no sample needs: it holds without."""
    tests = [hyp for hyp in sequent.hyps if _recurs(context, _signed(hyp)[0])]
    if not tests or any(t.binders for part in (sequent.concl, *sequent.hyps) for t in subterms(part)):
        return sequent
    samples = Samples(context, sequent.vars)
    kept = list(sequent.hyps)
    for hyp in tests:
        others = [h for h in kept if h is not hyp]
        new = samples.where([*others, not_(hyp)])
        enough = len(new or samples.where(others)) >= FEWEST
        if enough and samples.where([sequent.concl], new) == new:
            kept = others
    return make_sequent(sequent.vars, kept, sequent.concl) if len(kept) < len(sequent.hyps) else sequent


def by_index(context: ProverContext, sequent: Sequent, establish: Callable[..., bool]) -> tuple[Sequent, Query] | None:
    """The goal with recursions along lists by index, see `auxiliary.indexed`, and the query that gives it back.

    Args:
        establish: keeps the laws that are needed, see `Library.establish`.
    """
    formulas = (sequent.concl, *sequent.hyps)
    calls = dict.fromkeys(t for part in formulas for t in subterms(part) if t.kind is Kind.APP and not t.binders)
    laws: dict[str, Sequent] = {}
    steps: list[Instance] = []
    replaced: dict[Term, Term] = {}
    for call in calls:
        indexed = context.signature.definition(INDEXED + call.name)
        if indexed is None or not call.free <= frozenset(sequent.vars):
            continue
        whole = app(indexed.name, (*call.args, integer(0)), call.sort)
        if call.name not in laws:
            params = indexed.params[:-1]
            same = eq(app(call.name, params, call.sort), app(indexed.name, (*params, integer(0)), call.sort))
            law = make_sequent(params, (), same)
            if not establish(law, lambda c, fact, d=indexed: _indexed_law(c, fact, d, establish), quiet=True):
                continue
            laws[call.name] = law
        steps.append(Instance("step", key_of(laws[call.name]), call.args))
        replaced[call] = whole
    if not replaced:
        return None
    ordered = sorted(replaced, key=lambda t: -t.size)

    def opened(term: Term) -> Term:
        for call in ordered:
            term = replace_subterm(term, call, replaced[call])
        return term

    goal = make_sequent(sequent.vars, [opened(h) for h in sequent.hyps], opened(sequent.concl))
    steps.append(Instance("step", key_of(goal), goal.vars))
    query = Query((key_of(goal), *map(key_of, laws.values())), tuple(steps), equations=False, quantified=False)
    return (goal, query) if context.holds_alone(sequent, query, GROUND, extra={key_of(goal): goal}) else None


def counts(context: ProverContext, function: str) -> bool:
    """Whether each recursive call of a function has some number greater or less by one."""
    definition, recursion = context.signature.definition(function), context.recursions.get(function)
    if definition is None or recursion is None:
        return False
    calls = {t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == function}
    numbers = [i for i in recursion.changed if definition.params[i].sort is INT]
    return any(all(abs(_difference(c.args[i], definition.params[i])) == 1 for c in calls) for i in numbers)


def _difference(term: Term, other: Term) -> int:
    """By which constant a number is greater than another one; 0 where that is no constant."""
    difference = polynomial(app("-", (term, other), INT))
    return difference.get((), 0) if set(difference) == {()} else 0


def _indexed_law(
    context: ProverContext, law: Sequent, indexed: Definition, establish: Callable[..., bool]
) -> Plan | None:
    """``f xs = indexed!f xs 0`` by an induction on the list: behind one element more an index is greater by one."""
    *given, index = indexed.params
    along, by = (context.recursions.get(side.name) for side in law.concl.args)
    moved = along.changed - by.changed if along is not None and by is not None else frozenset()
    if len(moved) != 1:
        return None
    (at,) = moved
    datatype = context.signature.datatype(given[at].sort)
    assert datatype is not None
    more = next(c for c in datatype.constructors if c.fields)
    names = Names(*indexed.params, reserved=context.reserved)
    fields = [given[at] if sort is given[at].sort else names.fresh("x", sort) for _, sort in more.fields]
    longer = app(more.name, fields, given[at].sort)
    before = app("-", (index, integer(1)), INT)
    shorter = app(indexed.name, (*given, before), indexed.sort)
    args = (*(longer if i == at else p for i, p in enumerate(given)), index)
    shifted = lemma(eq(app(indexed.name, args, indexed.sort), shorter), (app("<=", (integer(1), index), BOOL),))
    lengths = [
        lemma(app("<=", (integer(0), t), BOOL))
        for t in dict.fromkeys(subterms(indexed.body))
        if t.sort is INT and t.args == (given[at],)
    ]

    def closed(case: Sequent, cites: tuple[str, ...]) -> Plan | None:
        for unfolded in context.unfolder.unfoldings(case, (1, 2)):
            query = Query(cites, unfolded)
            if context.holds(case, query, DIRECT):
                return Plan(case, query, (), "query")
        return None

    def along_index(context: ProverContext, fact: Sequent) -> Plan | None:
        call = fact.concl.args[0]
        return closed_along(context, fact, RecursionInduction(call.name, call.args), lambda case: closed(case, ()))

    if not establish(shifted, along_index, quiet=True):
        return None
    cites = (key_of(shifted), *(key_of(fact) for fact in lengths if establish(fact, _on_first)))
    on = law.concl.args[0].args[at]
    scheme = StructuralInduction(on.name, general_variables(law, on))
    return by_cases(context, law, scheme, lambda case: closed(case, cites), "structural-induction")


def _on_first(context: ProverContext, fact: Sequent) -> Plan | None:
    """By an induction on the first variable."""
    scheme = StructuralInduction(fact.vars[0].name, ())
    return by_cases(context, fact, scheme, lambda case: close_goal(context, case, QUICK), "structural-induction")


def said_of_indices(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What such recursions in a goal say of one index, as lemmas; where that is another one, also of two indices."""
    seen: set[tuple[str, bool]] = set()

    def about(call: Term, positive: bool, hyps: tuple[Term, ...], level: int) -> Iterator[Sequent]:
        ranged = every_index(context, call.name, positive) if call.kind is Kind.APP else None
        if ranged is None or level > MOST_LEVELS:
            return
        index, start = var(f"index{level}", INT), call.args[ranged.position]
        reached = app("<=", (start, index) if ranged.step > 0 else (index, start), BOOL)
        for given, concl in clauses(ranged.said(call, index)):
            inner, said = _signed(concl)
            yield from generally(inner, said)
            yield lemma(concl, (*hyps, reached, *given))
            yield from about(inner, said, (*hyps, reached, *given), level + 1)

    def generally(call: Term, positive: bool) -> Iterator[Sequent]:
        ranged = every_index(context, call.name, positive) if call.kind is Kind.APP else None
        if ranged is not None and (call.name, positive) not in seen:
            seen.add((call.name, positive))
            whole = app(call.name, ranged.definition.params, BOOL)
            yield from about(whole, positive, (whole if positive else not_(whole),), 0)

    for part in (*sequent.hyps, not_(sequent.concl)):
        yield from generally(*_signed(part))


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
    step = _difference(call.args[moved[0]], index)
    return EveryIndex(definition, moved[0], step, positive, call) if abs(step) == 1 else None


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
