"""Defining equations by the instance: at the calls of a goal, then at the calls that these bring.

In the manner of Suter, Köksal and Kuncak, "Satisfiability Modulo Recursive Programs", 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from goedels_poetry.kernel.derivation import Instance
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, app, is_app, substitute, subterms

MAX_INSTANCES = 48


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
        self._compute(frontier, instances)
        for _ in rounds:
            following: list[Term] = []
            for call in frontier:
                definition = self._signature.definition(call.name)
                instance = Instance("def", call.name, call.args)
                if definition is None or instance in instances or len(instances) >= MAX_INSTANCES:
                    continue
                instances[instance] = None
                following.extend(self.calls(self._body(call)))
            if not following and not frontier:
                return
            self._compute(following, instances)
            yield tuple(instances)
            frontier = following

    def _compute(self, calls: list[Term], instances: dict[Instance, None]) -> None:
        """Unfold calls on numbers to the end, also those that only count by one: a body has just the branch taken."""
        pending = [c for c in calls if self._runs(c)]
        while pending and len(instances) < MAX_INSTANCES:
            call = pending.pop()
            instance = Instance("def", call.name, call.args)
            if instance not in instances:
                instances[instance] = None
                pending += [c for c in self.calls(self._body(call)) if self._runs(c)]

    def _runs(self, call: Term) -> bool:
        """Whether numbers decide how a call goes on."""
        if all(a.kind is Kind.LIT for a in call.args):
            return True
        definition = self._signature.definition(call.name)
        if definition is None or not definition.recursive or not any(a.kind is Kind.LIT for a in call.args):
            return False
        return is_app(definition.body, "ite") and not is_app(self._body(call), "ite")

    def _body(self, call: Term) -> Term:
        definition = self._signature.definition(call.name)
        assert definition is not None
        body = substitute(definition.body, dict(zip(definition.params, call.args, strict=True)))
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
