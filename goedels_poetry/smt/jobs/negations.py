"""The proof that a theorem is false at values that a model has named, where evaluation alone cannot tell.

What no evaluator decides, as a hypothesis about all integers, is proved with the values put in, from definitions; so is
all else that the goal says there. The goal at these values is then false, and with it the goal. Where the values are
also those of declared functions, the theorem is that with definitions in their place, and its premises are conditions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.interpretation import Interpretation, as_condition, interpreted_theorem
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.schemas import Intro
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import FALSE, Term, and_, forall, implies, not_, substitute
from goedels_poetry.smt.context.budget import OutOfTime
from goedels_poetry.smt.notation.proof_json import query_to_json, scheme_to_json, show_sequent
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.preflight.facts import closed_context, proved_steps
from goedels_poetry.smt.rewriting.plan import key_of

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Negation:
    """The steps that end in the negated theorem, and what declared functions and constants are in it."""

    steps: list[Json]
    given: Interpretation | None

    def evidence(self) -> Json:
        """As a certificate is made of it."""
        return {"steps": self.steps, **({"interpretation": self.given.to_json()} if self.given else {})}


def proof_of_negation(
    text: str, given: Interpretation | None, constants: Mapping[str, Any], values: Mapping[str, Any], seed: int
) -> Negation | None:
    """The proof that the theorem of ``text`` is false; None when none was found, or values have no terms.

    Args:
        given: what declared functions are.
        constants: the values of declared constants.
        values: of the goal's outer variables, by the names that `goal_of` gives them.
    """
    plain = parse_problem(text)
    named = {n: to_term(plain.signature, plain.signature.functions[n][1], value) for n, value in constants.items()}
    if any(term is None for term in named.values()):
        return None
    functions = dict(given.functions) if given is not None else {}
    functions |= {name: ((), show(term)) for name, term in named.items() if term is not None}
    meaning = Interpretation(functions, {}) if functions else None
    try:
        problem = interpreted_theorem(text.encode(), plain, meaning)[1] if meaning is not None else plain
    except BadProof:
        return None
    steps = _steps(problem, as_condition(problem) if meaning is not None else problem, values, seed)
    return Negation(steps, meaning) if steps is not None else None


def _steps(problem: Problem, condition: Problem, values: Mapping[str, Any], seed: int) -> list[Json] | None:
    """The steps to the negated goal of ``condition``: that of ``problem``, or that its premises imply it."""
    goal = sequent_of(problem.goal, problem.signature.names)
    at = {v: to_term(problem.signature, v.sort, values[v.name]) for v in goal.vars}
    known = {v: term for v, term in at.items() if term is not None}
    if len(known) < len(at):
        return None
    parts = [substitute(part, known) for part in (*goal.hyps, not_(goal.concl))]
    premises = [p.formula for p in problem.premises] if condition is not problem else []
    names = condition.signature.names
    facts = [sequent_of(part, names) for part in dict.fromkeys((*premises, *parts))]
    context = closed_context(condition, seed)
    try:
        steps = proved_steps(context, facts)
        return None if steps is None else [*steps, *_put_together(condition, goal, known, facts)]
    except OutOfTime:
        return None
    finally:
        context.close()


def _put_together(condition: Problem, goal: Sequent, at: Mapping[Term, Term], facts: list[Sequent]) -> list[Json]:
    """From ``facts`` to the negation: the goal as a hypothesis is false at the values; so premises do not imply it."""
    whole = forall(goal.vars, implies(and_(goal.hyps), goal.concl))
    cites = tuple(dict.fromkeys(key_of(fact) for fact in facts))
    at_values = (Instance("hyp", "0", tuple(at[v] for v in goal.vars)),) if goal.vars else ()
    absurd, denied = Sequent((), (whole,), FALSE), Sequent((), (), not_(whole))
    steps = [_step(absurd, Query(cites, at_values)), _step(denied, None)]
    last = sequent_of(not_(condition.goal), condition.signature.names)
    if last.key is not denied.key:
        steps.append(_step(last, Query((*cites, key_of(denied)))))
    return [*steps[:-1], {**steps[-1], "statement": ""}]


def _step(sequent: Sequent, query: Query | None) -> Json:
    """A step of a finished tree by a query; without one, by introduction from the step before."""
    statement = show_sequent(sequent)
    if query is None:
        return {"id": statement, "statement": statement, "proof": None, "scheme": {"scheme": scheme_to_json(Intro())}}
    return {"id": statement, "statement": statement, "proof": {"query": query_to_json(query)}, "scheme": None}
