"""Equations from data: what holds among the calls of a goal at every value of a number, read off the first values.

Two programs with loops are run from 0 on. All equations among their values, up to a degree, are the null space of a
matrix with one row for each value. They are assumed together and thinned until one induction proves those that are
left; the goal then follows from them, or not. Where a goal divides by numbers, it is taken apart by remainders first,
so that each part is about polynomials.

Equations by linear algebra: Sharma, Gupta, Hariharan, Aiken and Nori, "A Data Driven Approach for Algebraic Loop
Invariants", 2013. Thinning: Flanagan and Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from math import lcm

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.inductions import IntInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Conjuncts, instances
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, and_, app, eq, integer, substitute, subterms
from goedels_poetry.smt.conjecture.data import SPARE, equations
from goedels_poetry.smt.conjecture.loop_calls import without_plain_functions
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND
from goedels_poetry.smt.rewriting.plan import Plan
from goedels_poetry.smt.rewriting.polynomials import divisors, normal, polynomial
from goedels_poetry.smt.rewriting.statements import lemma
from goedels_poetry.smt.rewriting.unfold import lemma_instances

MOST_CALLS = 10
MOST_FEATURES = 40
MOST_REMAINDERS = 12
MOST_ROUNDS = 6
"""Of writing out calls and bringing what comes of it into normal form."""
BASES = (0, 1)
"""Equations may hold from a later value on."""
WIDTHS = (1, 2)
DEGREE = 3
MOST_VARIABLES = 3
"""Of a closed form."""

Prove = Callable[[ProverContext, Sequent], Plan | None]
Establish = Callable[[Sequent, Prove], bool]


def relation_plans(context: ProverContext, sequent: Sequent, establish: Establish) -> Iterator[Plan]:
    """The goal from equations about one of its numbers, where an induction proves them.

    Args:
        establish: keeps a lemma that is proved so, such as the closed form of a loop.
    """
    goal = without_plain_functions(context, sequent)
    if len(sequent.vars) != 1 or sequent.vars[0].sort is not INT or sequent.concl.sort is not BOOL:
        return
    (on,) = sequent.vars
    for name in reversed(context.shape.reachable_functions(goal.formula)):  # inner loops first
        definition = context.signature.definition(name)
        if definition is not None and definition.recursive:
            for fact in closed_forms(context, app(name, definition.params, definition.sort)):
                establish(fact, _by_one_induction)
    remainders = lcm(*divisors(goal.concl))
    if remainders == 1 or remainders > MOST_REMAINDERS:
        yield from _by_equations(context, sequent, on)
        return
    k = Names(on, sequent.concl, *sequent.hyps, reserved=context.reserved).fresh("k", INT)
    parts: list[Plan] = []
    for remainder in range(remainders):
        at = {on: app("+", (app("*", (integer(remainders), k), INT), integer(remainder)), INT)}
        part = make_sequent((k,), [substitute(h, at) for h in sequent.hyps], substitute(sequent.concl, at))
        plan = next(_by_equations(context, part, k), None)
        if plan is None:
            return
        parts.append(plan)
    there = app("div", (on, integer(remainders)), INT)
    query = Query(
        tuple(plan.key for plan in parts),
        tuple(Instance("step", plan.key, (there,)) for plan in parts),
        equations=False,
        quantified=False,
    )
    if context.holds_alone(sequent, query, GROUND, extra={plan.key: plan.sequent for plan in parts}):
        yield Plan(sequent, query, tuple(parts), "equations-from-data", f"remainders by {remainders}")


def _by_equations(context: ProverContext, sequent: Sequent, on: Term) -> Iterator[Plan]:
    """The goal from equations among its calls: linear ones first, from which those of products are proved."""
    goal = _core(context, sequent)
    atoms = list(dict.fromkeys((*_calls(context, goal, on), *_atoms(goal))))
    facts: list[Plan] = []
    for number, level in enumerate(zip(*(_levels(context, goal, on, atoms, base) for base in BASES), strict=True)):
        base, found = max(zip(BASES, level, strict=True), key=lambda pair: (len(pair[1]), -pair[0]))
        if not found or (number > 2 and _query(context, sequent, [*facts, Plan(_fact(on, found, base))], [on]) is None):
            continue
        proofs = (_proved(context, on, found, base, width, facts) for width in WIDTHS)
        plan = next((p for p in proofs if p is not None), None)
        if plan is not None:
            facts.append(plan)
            query = _query(context, sequent, facts, [on])
            if query is not None:
                yield Plan(sequent, query, tuple(facts), "equations-from-data", show(plan.sequent.concl))


def _core(context: ProverContext, sequent: Sequent) -> Term:
    """The conclusion in normal form, without calls that can go on in one way only, as far as that comes to an end."""
    concl = sequent.concl
    for _ in range(MOST_ROUNDS):
        written = without_plain_functions(context, make_sequent(sequent.vars, (), concl))
        again = normal(written.concl, context.signature)
        if again is concl:
            break
        concl = again
    return concl


def _query(
    context: ProverContext, sequent: Sequent, facts: Sequence[Plan], at: Sequence[Term], depth: int = 1
) -> Query | None:
    """A query that gives a sequent from facts ``at`` terms, or None."""
    extra = {fact.key: fact.sequent for fact in facts}
    for query in _queries(context, sequent, (depth, depth + 1), facts, at):
        if context.holds_alone(sequent, query, GROUND, extra=extra):
            return query
    return None


def _queries(
    context: ProverContext, sequent: Sequent, depths: Sequence[int], facts: Sequence[Plan], at: Sequence[Term]
) -> Iterator[Query]:
    """Facts ``at`` terms; also with the definitions at the calls of a conclusion, so often at those that these bring.

    Lemmas at such calls come last.
    """
    known = [Instance("step", fact.key, (term,)) for fact in facts for term in at]
    cites = [fact.key for fact in facts]
    if known:
        yield Query(tuple(cites), tuple(known), equations=False, quantified=False)
    calls = context.unfolder.calls(sequent.concl)
    alone = make_sequent(sequent.vars, (), sequent.concl)
    rounds = list(context.unfolder.unfoldings(alone, range(max(depths)))) or [()]
    for unfolded in dict.fromkeys(rounds[min(depth, len(rounds)) - 1] for depth in depths):
        yield Query(tuple(cites), (*known, *unfolded), equations=False, quantified=False)
        if more := lemma_instances(context.lemmas, [*calls, *context.unfolder.brought_by(unfolded)]):
            both = tuple(dict.fromkeys([*cites, *(i.name for i in more)]))
            yield Query(both, (*known, *unfolded, *more), equations=False, quantified=False)


# ------------------------------------------------------------------------------------------------------------ features


def _levels(context: ProverContext, goal: Term, on: Term, atoms: Sequence[Term], base: int) -> Iterator[list[Term]]:
    """Equations, those among few and simple terms first; what one determines takes no part in later ones."""
    after = {on: app("+", (on, integer(1)), INT)}
    determined: set[Term] = set()
    goals: list[Term] = []

    def solved(features: Iterable[Term]) -> list[Term]:
        columns = list(dict.fromkeys([*(f for f in features if f not in determined), *goals]))
        if len(columns) > MOST_FEATURES:
            return []
        found = equations(context, columns, (on,), ([n] for n in range(base, base + len(columns) + SPARE)))
        determined.update(found)
        return list(found.values())

    plain = [integer(1), on, *atoms]
    yield solved(plain)
    atoms = [a for a in atoms if a not in determined]
    square = [_times(on, on), *(_times(on, a) for a in atoms)]
    yield solved([*plain, *square])
    yield solved([*plain, *(substitute(a, after) for a in atoms)])
    goals = [app("*", m, INT) for side in goal.args for m in polynomial(side) if len(m) > 1]
    pairs = [_times(a, b) for a, b in combinations_with_replacement(atoms, 2)]
    yield solved([*plain, *square, _times(_times(on, on), on), *pairs])


def _atoms(term: Term) -> Iterator[Term]:
    """What a polynomial is made of, numbers and the variable apart."""
    if term.sort is not INT:
        for part in term.args:
            yield from _atoms(part)
    else:
        yield from (t for monomial in polynomial(term) for t in monomial if t.kind is Kind.APP and t.free)


def _calls(context: ProverContext, goal: Term, on: Term) -> list[Term]:
    """Calls of recursive functions in the goal, those that their bodies bring, and those defined together with them."""
    found: dict[Term, None] = {}
    waiting = [t for t in subterms(goal) if t.sort is INT]
    while waiting and len(found) < MOST_CALLS:
        call = waiting.pop(0)
        definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
        if definition is None or not definition.recursive or definition.sort is not INT:
            continue
        if call in found or not call.free <= {on}:
            continue
        found[call] = None
        for other in context.signature.definitions:
            if other.group == definition.group and [p.sort for p in other.params] == [a.sort for a in call.args]:
                waiting.append(app(other.name, call.args, other.sort))
        body = definition.at(call.args)
        brought = subterms(_core(context, make_sequent((on,), (), eq(body, integer(0)))))
        waiting += [t for t in brought if t.kind is Kind.APP and not _mentions(t, context, definition.group)]
    return sorted(found, key=lambda call: call.size)


def _mentions(term: Term, context: ProverContext, group: int) -> bool:
    """Whether there is a call of functions that are defined together."""
    definitions = (context.signature.definition(t.name) for t in subterms(term) if t.kind is Kind.APP)
    return any(d is not None and d.group == group for d in definitions)


def _times(a: Term, b: Term) -> Term:
    return app("*", (a, b), INT)


def closed_forms(context: ProverContext, call: Term) -> Iterator[Sequent]:
    """A call of numbers that is a polynomial where its first variable is not negative, or linear in the others."""
    variables = tuple(dict.fromkeys(a for a in call.args if a.kind is Kind.VAR))
    if call.sort is not INT or not 1 <= len(variables) <= MOST_VARIABLES or any(v.sort is not INT for v in variables):
        return
    monomials = [integer(1)]
    for degree in range(1, DEGREE + 1):
        powers = combinations_with_replacement(variables, degree)
        monomials += [m[0] if degree == 1 else app("*", m, INT) for m in powers]
    points = sorted(
        product(range(16 if len(variables) == 1 else 8), repeat=len(variables)), key=lambda p: (sum(p), p[::-1])
    )
    found = equations(context, [*monomials, call], variables, points[: 2 * (len(monomials) + SPARE)])
    if call not in found and len(variables) > 1:
        rest = variables[1:]
        zero = dict.fromkeys(rest, integer(0))
        starts = [(v, substitute(call, {**zero, v: integer(1)})) for v in rest]
        first = substitute(call, zero)
        columns = [first, *(_times(v, t) for v, start in starts for t in (first, start)), call]
        found = equations(context, columns, variables, points[: 2 * (len(columns) + SPARE)])
    if call in found:
        yield lemma(found[call], (app(">=", (variables[0], integer(0)), BOOL),))


# ----------------------------------------------------------------------------------------------------------- induction


def _fact(on: Term, facts: Sequence[Term], base: int) -> Sequent:
    return make_sequent((on,), (app(">=", (on, integer(base)), BOOL),), and_(facts))


def _closed(
    context: ProverContext, case: Sequent, depth: int, facts: Sequence[Plan] = (), at: Sequence[Term] = ()
) -> Plan | None:
    query = _query(context, case, facts, at, depth)
    if query is None:
        return None
    return Plan(case, query, tuple(fact for fact in facts if fact.key in query.cites), "query")


def _by_one_induction(context: ProverContext, fact: Sequent) -> Plan | None:
    """A closed form, by induction on the number that is said to be not negative."""
    on = fact.hyps[0].args[0]
    scheme = IntInduction(on.name, integer(0), (), True, 1)
    children = [_closed(context, case, 1) for case in instances(fact, scheme, context.signature)]
    done = [c for c in children if c is not None]
    return Plan(fact, scheme, tuple(done), "integer-induction", on.name) if len(done) == len(children) else None


def _proved(
    context: ProverContext, on: Term, found: Sequence[Term], base: int, width: int, facts: Sequence[Plan]
) -> Plan | None:
    """The equations that one induction proves together from earlier ``facts``; those that it does not keep are dropped.

    Args:
        base: from where on they hold.
    """
    scheme = IntInduction(on.name, integer(base), (), True, width)
    depth = width * max(_speed(t, on) for e in found for t in subterms(e) if t.kind is Kind.APP and t.sort is INT)
    before = [on, *(app("-", (on, integer(back)), INT) for back in range(1, width + 1))]
    points = [[on], *([integer(base + offset)] for offset in range(width)), before]
    kept = list(found)
    while kept:
        fact = _fact(on, kept, base)
        children = []
        cases = instances(fact, scheme, context.signature)
        for case, at in reversed(list(zip(cases, points, strict=True))):
            child = _closed(context, case, depth, facts, at)
            if child is None and len(kept) > 1:
                split = instances(case, Conjuncts(), context.signature)
                parts = [_closed(context, part, depth, facts, at) for part in split]
                if len(parts) == len(kept):
                    kept = [e for e, part in zip(kept, parts, strict=True) if part is not None]
                done = [part for part in parts if part is not None]
                child = Plan(case, Conjuncts(), tuple(done), "conjunction") if len(done) == len(parts) else None
            if child is None:
                break
            children.append(child)
        else:
            detail = f"{on.name} from {base} by {width}"
            return Plan(fact, scheme, tuple(reversed(children)), "integer-induction", detail)
        if len(kept) == len(fact.concl.args) or fact.concl.name != "and":
            return None
    return None


def _speed(call: Term, on: Term) -> int:
    """How fast the first argument of a call counts."""
    counter = call.args[0] if call.args else on
    return max([abs(c) for m, c in polynomial(counter).items() if on in m] if counter.sort is INT else [], default=1)
