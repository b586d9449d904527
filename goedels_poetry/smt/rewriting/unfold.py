"""Defining equations by the instance: at the calls of a goal, then at the calls that these bring.

In the manner of Suter, Köksal and Kuncak, "Satisfiability Modulo Recursive Programs", 2011.

Functions that are not recursive written out.

A solver knows a definition as an equation of an uninterpreted function, and its theories simplify nothing inside of
such a function. So each call becomes a variable that equals the body; the goal follows by congruence.

Instances of lemmas at the calls of a goal: where unfolding is by the instance, lemmas are given so, too.

Patterns as in Detlefs, Nelson and Saxe, "Simplify: A Theorem Prover for Program Checking", 2005, which matches them
modulo equations; here terms are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations, islice

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.obligations import is_quantified
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, app, is_app, subterms
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.rewriting.statements import match, replace_subterms

MAX_INSTANCES = 64


class Unfolder:
    """Unfolds the defined functions of a signature."""

    def __init__(self, signature: Signature) -> None:
        self._signature = signature

    def unfoldings(self, sequent: Sequent, rounds: Iterable[int]) -> Iterator[tuple[Instance, ...]]:
        """Defining equations at the calls in the goal; then also at the calls that these bring, and so on.

        First only at those of the conclusion: the hypothesis of an induction is often about just what these bring,
        and products of further unknowns are what makes arithmetic hard.
        """
        instances: dict[Instance, None] = {}
        frontier: list[Term] = [t for part in (sequent.concl, *sequent.hyps) for t in self.calls(part)]
        first = tuple(Instance("def", t.name, t.args) for t in self.calls(sequent.concl))[:MAX_INSTANCES]
        if first and len(set(first)) < len(set(frontier)):
            yield first
        frontier, known = self.compute(frontier, instances), 0
        for _ in rounds:
            following: list[Term] = []
            for call in frontier:
                definition = self._signature.definition(call.name)
                instance = Instance("def", call.name, call.args)
                if definition is None or instance in instances or len(instances) >= MAX_INSTANCES:
                    continue
                instances[instance] = None
                following.extend(self.calls(self._body(call)))
            frontier = self.compute(following, instances)
            if len(instances) == known:
                return
            known = len(instances)
            yield tuple(instances)

    def compute(self, calls: list[Term], instances: dict[Instance, None]) -> list[Term]:
        """Unfold calls on numbers to the end, also those that only count by one: a body has just the branch taken.

        Returns:
            The other calls, those that such bodies bring included.
        """
        pending, left = list(calls), dict.fromkeys(c for c in calls if not self.runs(c))
        while pending and len(instances) < MAX_INSTANCES:
            call = pending.pop()
            instance = Instance("def", call.name, call.args)
            if not self.runs(call):
                left.setdefault(call)
            elif instance not in instances:
                instances[instance] = None
                pending += self.calls(self._body(call))
        return list(left)

    def runs(self, call: Term) -> bool:
        """Whether a term is a call that goes on in one way only: of what is not recursive, or decided by numbers."""
        definition = self._signature.definition(call.name)
        if definition is None or not definition.recursive:
            return definition is not None
        if not any(a.kind is Kind.LIT for a in call.args):
            return False
        if all(a.kind is Kind.LIT for a in call.args):
            return True
        return is_app(definition.body, "ite") and not is_app(self._body(call), "ite")

    def _body(self, call: Term) -> Term:
        body = self._signature.unfolded(call)
        return simplify(body, self._signature)

    def calls(self, term: Term) -> list[Term]:
        """Calls of defined functions whose arguments are not bound inside ``term``."""
        bound = {v for t in subterms(term) for v in t.binders}
        return [
            t
            for t in subterms(term)
            if t.kind is Kind.APP and self._signature.definition(t.name) is not None and t.free.isdisjoint(bound)
        ]

    def brought_by(self, unfoldings: Iterable[Instance]) -> list[Term]:
        """The calls in the bodies that are unfolded."""
        calls: list[Term] = []
        for unfolding in unfoldings:
            definition = self._signature.definition(unfolding.name)
            if definition is not None:
                calls += self.calls(self._body(app(definition.name, unfolding.args, definition.sort)))
        return calls


MAX_CALLS = 48
"""Different calls, those that bodies bring included."""


def written_out(signature: Signature, sequent: Sequent) -> tuple[Sequent, Query] | None:
    """The goal about the values of its calls, and the query that proves the goal from that one.

    None where there is no such call outside of quantifiers, or too many.
    """
    plain = {d.name: d for d in signature.definitions if not d.recursive}
    known = frozenset(sequent.vars)
    bodies: dict[Term, Term] = {}
    waiting = [*sequent.hyps, sequent.concl]
    while waiting:
        for term in subterms(waiting.pop()):
            if term.kind is Kind.APP and term.name in plain and term not in bodies and term.free <= known:
                definition = plain[term.name]
                bodies[term] = definition.at(term.args)
                waiting.append(bodies[term])
                if len(bodies) > MAX_CALLS:
                    return None
    if not bodies:
        return None
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, *bodies.values(), reserved=signature.names)
    values = {call: names.fresh("value", call.sort) for call in bodies}
    meaning = [app("=", (values[call], replace_subterms(body, values)), BOOL) for call, body in bodies.items()]
    hyps = [*meaning, *(replace_subterms(hyp, values) for hyp in sequent.hyps)]
    general = make_sequent((*sequent.vars, *values.values()), hyps, replace_subterms(sequent.concl, values))
    calls = {value: call for call, value in values.items()}
    step = Instance("step", key_of(general), tuple(calls.get(v, v) for v in general.vars))
    definitions = tuple(Instance("def", call.name, call.args) for call in bodies)
    quantified = any(map(is_quantified, sequent.hyps))
    return general, Query((step.name,), (*definitions, step), equations=False, quantified=quantified)


MAX_LEMMA_INSTANCES = 24


def lemma_instances(lemmas: Mapping[str, Sequent], calls: Iterable[Term]) -> tuple[Instance, ...]:
    """Each lemma at those of the ``calls`` that a term of its conclusion (or hypotheses) matches.

    A pattern is a term that mentions all variables of the lemma, so that a match gives the whole instance; then also
    two calls that do so together, as ``b^m`` and ``b^n`` do in ``b^(m + n) = b^m * b^n``.
    """
    calls = list(dict.fromkeys(calls))
    one = (
        Instance("step", key, tuple(binding[v] for v in lemma.vars))
        for key, lemma in lemmas.items()
        for pattern in _patterns(lemma)
        for call in calls
        if (binding := match(pattern, call)) is not None
    )
    two = (
        Instance("step", key, tuple(binding[v] for v in lemma.vars))
        for key, lemma in lemmas.items()
        for pair in _pairs(lemma)
        for binding in _together(pair, calls)
    )
    return tuple(islice(dict.fromkeys(chain(one, two)), MAX_LEMMA_INSTANCES))


def _together(pair: tuple[Term, Term], calls: list[Term]) -> Iterator[dict[Term, Term]]:
    """What makes the two patterns two of the calls."""
    first, second = ([b for c in calls if (b := match(p, c)) is not None] for p in pair)
    for left in first:
        for right in second:
            if all(left.get(v, t) is t for v, t in right.items()):
                yield {**left, **right}


def _pairs(lemma: Sequent) -> Iterator[tuple[Term, Term]]:
    """Two calls of one function in the conclusion that mention all variables together, though neither does alone."""
    variables = frozenset(lemma.vars)
    parts = [
        t
        for t in subterms(lemma.concl)
        if t.kind is Kind.APP and t.free and not t.free >= variables and not is_quantified(t) and _plain(t)
    ]
    for left, right in combinations(parts, 2):
        if left.name == right.name and left.free | right.free >= variables:
            yield left, right


def _plain(term: Term) -> bool:
    """Whether it is a call on variables, of which a match tells something."""
    return bool(term.args) and term.name not in _OPERATORS and all(a.kind is Kind.VAR for a in term.args)


_OPERATORS = frozenset({"+", "-", "*", "div", "mod", "=", "<", "<=", ">", ">=", "not", "and", "or", "=>", "/"})


def _patterns(lemma: Sequent) -> Iterator[Term]:
    variables = frozenset(lemma.vars)
    for part in (lemma.concl, *lemma.hyps):
        for term in subterms(part):
            if term.kind is Kind.APP and term.args and variables and variables <= term.free and not is_quantified(term):
                yield term
