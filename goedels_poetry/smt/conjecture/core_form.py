"""A goal about functions of numbers in the form of `auxiliary.cores`, with the proof that it gives the goal.

And one without terms of a theory that equal a part of themselves: what is cut off from what was put together, as
``substr (x ++ y) 0 (len (x ++ y) - len y)``. A solver knows that of any ``x``, and does not find it where an induction
is about the calls that ``x`` is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.inductions import MeasureInduction, RecursionInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Kind, Term, and_, app, eq, subterms
from goedels_poetry.smt.auxiliary.cores import Former, cores
from goedels_poetry.smt.conjecture.data import FEWEST, Samples
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND
from goedels_poetry.smt.induction.recursion import closed_along
from goedels_poetry.smt.induction.structural import by_cases
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.statements import ordered_variables, replace_subterms


def in_core_form(
    context: ProverContext, sequent: Sequent, establish: Callable[..., bool]
) -> tuple[Sequent, Query] | None:
    """The goal in the form, and the query that gives it back; None where it is in the form or that is not shown.

    Args:
        establish: keeps the laws that are needed, see `Library.establish`.
    """
    standing = cores(context.signature)[0]
    if not standing or any(context.signature.definition(name) is None for name in standing.values()):
        return None  # of functions that have a definition only where somebody says what they are
    former = Former(context.signature, standing)
    goal = make_sequent(sequent.vars, map(former.form, sequent.hyps), former.form(sequent.concl))
    laws = _Laws(context, standing)
    if not former.replaced or not all(laws.shown(name, establish) for name in _names(former.replaced)):
        return None
    steps = (*former.put_in, *laws.at(former.replaced), Instance("step", key_of(goal), goal.vars))
    query = _by(steps)
    return (goal, query) if context.holds_alone(sequent, query, GROUND, extra={key_of(goal): goal}) else None


def _by(steps: Iterable[Instance]) -> Query:
    """The query of nothing but instances, each once."""
    once = tuple(dict.fromkeys(steps))
    cites = tuple(dict.fromkeys(step.name for step in once if step.of == "step"))
    return Query(cites, once, equations=False, quantified=False)


def _names(calls: Iterable[Term]) -> list[str]:
    return list(dict.fromkeys(call.name for call in calls))


class _Laws:
    """That functions equal those that stand for them, of functions that call each other together."""

    def __init__(self, context: ProverContext, standing: dict[str, str]) -> None:
        self._context = context
        self._standing = standing

    def law(self, name: str) -> Sequent:
        """``f x = core!f x``, and the same of all that call each other, over the parameters of the first."""
        signature = self._context.signature
        first = signature.definition(name)
        assert first is not None
        group = [d for d in signature.definitions if d.group == first.group]
        params = group[0].params
        equal = [eq(app(d.name, params, d.sort), app(self._standing[d.name], params, d.sort)) for d in group]
        return make_sequent(params, (), and_(equal))

    def at(self, calls: Iterable[Term]) -> list[Instance]:
        """The laws at calls."""
        return [Instance("step", key_of(self.law(call.name)), call.args) for call in calls]

    def shown(self, name: str, establish: Callable[..., bool]) -> bool:
        """Whether the law of a function is proved, those of what it calls first."""
        context, signature = self._context, self._context.signature
        law = self.law(name)
        own = [t.name for t in subterms(law.concl) if t.name in self._standing]

        def close(case: Sequent) -> Plan | None:
            former = Former(signature, self._standing, own)
            heads = [t for t in subterms(case.concl) if t.name in {*own, *(self._standing[n] for n in own)}]
            for call in heads:
                former.form(signature.unfolded(call))
            others = [call for call in former.replaced if call.name not in own]
            if not all(self.shown(other, establish) for other in _names(others)):
                return None
            unfolded = [Instance("def", call.name, call.args) for call in heads]
            steps = (*unfolded, *former.put_in, *self.at(others))
            query = _by(steps)
            return Plan(case, query, (), "query") if context.holds_alone(case, query, GROUND) else None

        def prove(_: ProverContext, fact: Sequent) -> Plan | None:
            heads = [t for t in subterms(fact.concl) if t.name in own]
            recursion = context.recursions.get(own[0])
            if len(heads) == 1:
                if recursion is None or not recursion.total:
                    return None
                return closed_along(context, fact, RecursionInduction(own[0], heads[0].args), close)
            calls = dict.fromkeys(c.args for t in heads for c in subterms(signature.unfolded(t)) if c.name in own)
            for scheme in (MeasureInduction(v, tuple(calls)) for v in fact.vars):
                plan = by_cases(context, fact, scheme, close, "measure-induction", show(scheme.measure))
                if plan is not None:
                    return plan
            return None

        return establish(law, prove, quiet=True)


def with_parts(
    context: ProverContext, sequent: Sequent, establish: Callable[..., bool]
) -> tuple[Sequent, Query] | None:
    """The goal with the parts in the place of the terms, and the query that gives it back; None where there are none.

    Values say which part of itself a term may equal, the solvers whether it does, whatever its calls are.
    """
    said = (sequent.concl, *sequent.hyps)
    terms = [t for t in dict.fromkeys(t for part in said for t in subterms(part)) if _is_of_theory(context, t)]
    if not terms or any(t.binders for part in said for t in subterms(part)):
        return None
    samples, steps, parts = Samples(context, sequent.vars), list[Instance](), dict[Term, Term]()
    for term in sorted(terms, key=lambda t: -t.size):
        values = samples.values(term)
        for part in dict.fromkeys(t for t in subterms(term) if t.sort is term.sort and t is not term):
            pairs = [pair for pair in zip(values, samples.values(part), strict=True) if None not in pair]
            if len(pairs) < FEWEST or any(x != y for x, y in pairs):
                continue
            law, at = _of_anything(context, eq(term, part))
            if establish(law, _by_theory, quiet=True):
                parts[term] = part
                steps.append(Instance("step", key_of(law), at))
                break
    if not parts:
        return None
    concl, *hyps = [replace_subterms(formula, parts) for formula in said]
    goal = make_sequent(sequent.vars, hyps, concl)
    query = _by((*steps, Instance("step", key_of(goal), goal.vars)))
    return (goal, query) if context.holds_alone(sequent, query, GROUND, extra={key_of(goal): goal}) else None


def _is_of_theory(context: ProverContext, term: Term) -> bool:
    """Whether it is a value of a theory that is made of others of its sort; of numbers a solver computes anyway."""
    plain = term.kind is Kind.APP and term.args and context.signature.type_of(term.name) is None
    return bool(plain) and term.sort not in (BOOL, INT, REAL) and context.signature.datatype(term.sort) is None


def _of_anything(context: ProverContext, formula: Term) -> tuple[Sequent, tuple[Term, ...]]:
    """The formula about any values in the place of its calls, and the values that make it the formula again."""
    calls = [t for t in subterms(formula) if t.kind is Kind.APP and context.signature.type_of(t.name) is not None]
    names = Names(formula, reserved=context.reserved)
    values = {call: names.fresh("part", call.sort) for call in dict.fromkeys(calls)}
    general = replace_subterms(formula, values) if values else formula
    calls_of = {value: call for call, value in values.items()}
    variables = ordered_variables(general)
    return make_sequent(variables, (), general), tuple(calls_of.get(v, v) for v in variables)


def _by_theory(context: ProverContext, fact: Sequent) -> Plan | None:
    query = Query(equations=False)
    closed = context.holds_alone(fact, query, GROUND) or context.holds_by_second(fact, query)
    return leaf(fact, query) if closed else None
