"""The symbolic sketcher: named strategies in order of cost, each giving plans for one goal."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Conjuncts, Intro, Scheme, SkolemHypothesis, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, is_app, rebuild
from goedels_poetry.protocol.trials import NOT_APPLIED, Status
from goedels_poetry.smt.conjecture.accumulators import general_statements
from goedels_poetry.smt.conjecture.continuations import ContinuationStatement, continuation_laws
from goedels_poetry.smt.conjecture.core_form import in_core_form, with_parts
from goedels_poetry.smt.conjecture.critics import critic_lemmas
from goedels_poetry.smt.conjecture.explore import Explorer
from goedels_poetry.smt.conjecture.failed_steps import from_failed_step, remaining_goals
from goedels_poetry.smt.conjecture.indices import (
    by_index,
    counts,
    said_of_indices,
    taken_apart,
    without_idle_hypotheses,
)
from goedels_poetry.smt.conjecture.interpret import interpreted, open_guards
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.loop_calls import accumulations, loop_calls, without_plain_functions
from goedels_poetry.smt.conjecture.loops import LoopStatement, loop_statements
from goedels_poetry.smt.conjecture.observers import changed_arrays, observations, related, truths
from goedels_poetry.smt.conjecture.relations import relation_plans
from goedels_poetry.smt.conjecture.witness import witness_plans
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, DIRECT, MODEL_SECONDS, PATIENT, QUICK, OutOfTime
from goedels_poetry.smt.induction.first import induction
from goedels_poetry.smt.induction.integers import integer_plans, short_proof
from goedels_poetry.smt.induction.structural import (
    constructor_split,
    general_variables,
    induction_variables,
    nested_induction,
)
from goedels_poetry.smt.invariants.invariants import Invariants
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.statements import match
from goedels_poetry.smt.rewriting.unfold import written_out

MAX_PATIENT = 3
"""Equations left over by a step of arithmetic that are given much time before anything else is tried."""
ASKING = 0.05
"""Of the time that is left, for whether lemmas that were not proved would do."""
MAX_ASKED = 2
"""Variables of a goal over which an induction is tried for that."""
MAX_DEPTH = 2
"""Loops inside of loops."""
PART = 0.15
"""Of the time that is left, for a way to prove a goal or what a step of a loop keeps."""
RELATIONS = 0.4
"""Of the time that is left, for equations among the loops of a goal."""
ASIDE, MOST_ASIDE = 0.03, 0.25
"""Of the time that is left, for what may help with a goal."""
PARTS = ((0.05, 0.0), (0.15, 0.6))
"""Of the time that is left, for one way to prove a part of a goal, and for all that stayed open before together; at
last with those that were proved as lemmas."""
STATEMENT, LEAST = 0.3, 1.0
"""Of that, for one statement about the states of a loop, and so many seconds anyway: it took longer to find."""
_Goal = TypeVar("_Goal")
IDLE_SECONDS = 0.05
"""What a strategy takes at most to find that there is nothing to try, when no solver was asked."""


@dataclass(frozen=True)
class Source:
    """Where conjectures for a goal come from.

    ``idea``: what `Sketcher` calls it where it is left out. ``deep``: lemmas of their own that their proofs may need.
    ``calls``: most queries for all. ``patient``: with more resources, for few on which others build, such as laws that
    permute arguments.
    """

    strategy: str
    guess: Callable[[ProverContext, Sequent], Iterable[Sequent]]
    idea: str = "lemmas"
    deep: int = 0
    calls: float = math.inf
    patient: bool = False


FAILED_STEP = Source("lemma-from-failed-step", from_failed_step, deep=2, calls=200)
SOURCES = (
    Source("observations", observations, "observations"),
    Source("strengthening", general_statements, patient=True),
    FAILED_STEP,
    Source("lemma-from-stuck-case", critic_lemmas, "stuck-cases", deep=1, calls=100),
)
"""Sources of lemmas in the order in which they are asked."""


class Sketcher:
    """Proposes plans for one goal, cheapest idea first.

    ``without`` names ideas to leave out, to see what the others are worth: ``loops``, ``invariants``,
    ``interpretation``, ``lemmas`` (all others), ``observations``, ``stuck-cases``, ``exploration``.
    """

    def __init__(self, context: ProverContext, without: Collection[str] = ()) -> None:
        self._context = context
        self._without = frozenset(without)
        self.library = Library(context)
        self._invariants = Invariants(context, self.library.establish)
        self._known: list[Sequent] = []
        self._seen: set[frozenset[str]] = set()
        self._parts: dict[str, Plan] = {}
        self._open: set[str] = set()
        self._share = PART
        self._depth = 0
        self._calls, self._began = 0, time.monotonic()

    def plans(self, sequent: Sequent) -> Iterator[Plan]:
        """All plans, in order. Complete ones have every case closed; others leave cases to the machine."""
        self._invariants.prepare()
        self._known = open_guards(self._context, self.library.establish)
        yield from self.closed_plans(sequent)
        yield from self.open_plans(sequent)

    def closed_plans(self, sequent: Sequent, *, halves: bool = True) -> Iterator[Plan]:
        """The goal taken apart by its form; then plans with every case closed.

        ``halves``: whether an equation of Booleans is taken apart into two implications, of which one or both are
        open. An induction often needs it as it is, so whoever has another idea should have the whole goal.
        """
        after_induction = []
        self._begin("core-form")
        for way in (in_core_form, with_parts):
            formed = way(self._context, sequent, self.library.establish)
            if formed is not None:
                for plan in self.closed_plans(formed[0]):
                    yield Plan(sequent, formed[1], (plan,), "core-form")
        numeric = self._context.shape.is_numeric(sequent)
        if numeric:
            yield from self._relations(sequent)
        self._begin("clauses")
        facts = [fact for fact in related(self._context, sequent) if key_of(fact) != key_of(sequent)]
        for alone, shared in PARTS:
            self._share = max(alone, shared / max(1, len(self._open)))
            self._open.clear()
            for fact in facts:
                self._part(fact)
            for proved in self._parts.values():
                self.library.establish(proved.sequent, self._proved)
            parts = taken_apart(self._context, sequent, self._close, self._part)
            if parts is None or parts.complete:
                break
        if parts is not None:
            yield parts
        if "loops" not in self._without:
            self._begin("loop-invariant")
            yield from self._loops(sequent)
            self._begin("by-index")
            indexed = self._within(PART, self._by_index, sequent)
            if indexed is not None and indexed.complete:
                yield indexed
        self._begin("introduction, skolem, conjunction")
        for plan in self._logical(sequent):
            if plan.strategy == "conjunction" and not plan.complete:
                yield from self._whole(sequent)
            if plan.complete or not is_app(sequent.concl, "=") or plan.strategy != "conjunction":
                yield plan
            elif halves and self._context.shape.mentions_unfolded(sequent):
                after_induction.append(plan)  # what is periodic is so in both directions at once
            elif halves:
                yield plan
        self._begin("definitions-written-out")
        yield from self._written_out(sequent)
        if self._context.problem.measures and "invariants" not in self._without:
            self._begin("invariants")
            yield from self._invariants.plans(sequent)  # an induction on a measure is slow to give up
        self._begin("witness")
        yield from witness_plans(self._context, sequent, self._simply)
        self._begin("induction")
        closed = self._timed(PART, lambda s: induction(self._context, s, rlimit=self._quick(s)), sequent)
        if closed is not None:
            yield closed
        if not numeric:
            yield from self._relations(sequent)
        yield from after_induction
        if "invariants" not in self._without:
            self._begin("invariants")
            yield from self._invariants.plans(sequent)
        if "interpretation" not in self._without:
            self._begin("interpretation")
            known = len(self.library.plans)
            yield from interpreted(self._context, self.library.establish, sequent, self._known)
            together = close_goal(self._context, sequent) if len(self.library.plans) > known else None
            if together is not None:  # with what was proved before
                yield replace(together, strategy="interpretation")
        if "lemmas" not in self._without:
            yield from self._with_lemmas(sequent)
        self._begin("patient-induction")
        yield from self._patient(sequent)
        self._end()

    def _begin(self, strategy: str) -> None:
        """A strategy has its turn: for the log of trials."""
        self._end()
        self._calls, self._began = self._context.budget.calls, time.monotonic()
        self._context.trials.begin(strategy)

    def _end(self) -> None:
        queries = self._context.budget.calls - self._calls
        result = f"no proof in {queries} queries" if queries else "no proof"
        idle = not queries and time.monotonic() - self._began < IDLE_SECONDS
        self._context.trials.end(Status.FAILED, NOT_APPLIED if idle else result)

    # ------------------------------------------------------------------------------------ strategies

    def _relations(self, sequent: Sequent) -> Iterator[Plan]:
        self._begin("equations-from-data")
        plans = relation_plans(self._context, sequent, self.library.establish)
        while (plan := self._timed(RELATIONS, lambda found: next(found, None), plans)) is not None:
            itself = [child for child in plan.children if child.key == plan.key]  # an equation that is the goal
            if not itself or itself[0].sequent.vars == sequent.vars:
                yield itself[0] if itself else plan

    def _proved(self, _: ProverContext, fact: Sequent) -> Plan | None:
        return self._parts.get(key_of(fact))

    def _part(self, sequent: Sequent) -> Plan | None:
        """A part of a goal, from the hypotheses that it needs as values say: it is a lemma for the others."""
        general = without_idle_hypotheses(self._context, sequent)
        key = key_of(general)
        plan = self._parts.get(key) or self._quickly(general)
        if plan is None:
            self._open.add(key)
            return None
        if plan.complete:
            self._parts[key] = plan
        query = Query((key,), (Instance("step", key, general.vars),), equations=False, quantified=False)
        return plan if general is sequent else Plan(sequent, query, (plan,), plan.strategy, plan.detail)

    def _quickly(self, sequent: Sequent) -> Plan | None:
        """A part of a goal, by the loops in it, by an induction or by index, each within a part of the time."""
        by_number = any(counts(self._context, f) for f in self._context.shape.reachable_functions(sequent.formula))
        ways = (self._by_index, self._simplest) if by_number else (self._simplest, self._by_index)
        return next((plan for way in ways if (plan := self._within(self._share, way, sequent)) is not None), None)

    def _within(
        self, part: float, prove: Callable[[_Goal], Plan | None], goal: _Goal, least: float = 0.0
    ) -> Plan | None:
        with suppress(OutOfTime), self._context.budget.part(part, least):
            return prove(goal)
        return None

    def _timed(self, part: float, prove: Callable[[_Goal], Plan | None], goal: _Goal) -> Plan | None:
        """`_within` a part of the seconds; a few queries are not shared out."""
        return self._within(1.0 if self._context.budget.counts_calls else part, prove, goal)

    def _simplest(self, sequent: Sequent) -> Plan | None:
        if self._observed(sequent) and (closed := close_goal(self._context, sequent)) is not None:
            return closed
        plan = next(self._loops(sequent), None) if "loops" not in self._without else None
        return plan or induction(self._context, sequent, full=False, rlimit=QUICK)

    def _by_index(self, sequent: Sequent) -> Plan | None:
        """The goal with recursions along lists by index, which is taken apart in its turn."""
        found = by_index(self._context, sequent, self.library.establish)
        if found is None:
            return None
        goal, query = found
        plan = self._apart(goal)
        return Plan(sequent, query, (plan,), "by-index") if plan is not None else None

    def _observed(self, sequent: Sequent) -> bool:
        """Prove what is seen of the containers that functions of the goal make; whether there is anything new."""
        functions = frozenset(self._context.shape.reachable_functions(sequent.formula))
        known, new = len(self.library.plans), functions not in self._seen
        self._seen.add(functions)
        if new:
            for fact in truths(self._context, sequent):
                self.library.establish(fact, self._aside)
        for fact in said_of_indices(self._context, sequent):
            self.library.attempt(fact)
        for fact in observations(self._context, sequent) if new else ():
            self.library.attempt(fact)
        return len(self.library.plans) > known

    def _aside(self, _: ProverContext, fact: Sequent) -> Plan | None:
        """A fact that may help, within a second, or a little of the time where that is more."""
        left = self._context.budget.seconds_left()
        return self._within(min(MOST_ASIDE, max(ASIDE, 1 / left if left > 0 else 0)), self._apart, fact)

    def _apart(self, sequent: Sequent) -> Plan | None:
        plan = self._close(sequent) or taken_apart(self._context, sequent, self._close, self._simplest)
        return plan if plan is not None and plan.complete else self._simplest(sequent) or plan

    def _close(self, sequent: Sequent) -> Plan | None:
        """A goal that was proved before, or that a query closes: with what was proved it would cite itself."""
        return self._parts.get(key_of(sequent)) or close_goal(self._context, sequent, QUICK)

    def _logical(self, sequent: Sequent) -> Iterator[Plan]:
        """Take the goal apart where its form says how."""
        schemes: list[tuple[str, Scheme]] = [
            ("introduction", Intro()),
            ("skolem", SkolemHypothesis()),
            ("conjunction", Conjuncts()),
        ]
        for name, scheme in schemes:
            if isinstance(scheme, Conjuncts) and not _is_conjunction(sequent):
                continue
            try:
                cases = instances(sequent, scheme, self._context.signature)
            except SchemeError:
                continue
            yield Plan(sequent, scheme, tuple(close_goal(self._context, case) or Plan(case) for case in cases), name)

    def _written_out(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal without calls of functions that are not recursive."""
        found = written_out(self._context.signature, sequent)
        if found is None:
            return
        context, (general, query) = self._context, found
        simply = Query(cites=tuple(context.lemmas))
        # z3 eliminates the equations in a context of its own only; nothing else is gained by it
        closed = context.holds_alone(general, simply, PATIENT, MODEL_SECONDS)
        second = not closed and context.shape.suits_second(general)
        plan = leaf(general, simply) if closed else close_goal(context, general) if second else None
        if plan is not None and context.holds(sequent, query, DIRECT, extra={plan.key: general}):
            yield Plan(sequent, query, (plan,), "definitions-written-out")

    def _loops(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal about the first state of a loop from one about every state that keeps an invariant."""
        context = self._context
        opened = without_plain_functions(context, sequent)
        if next(loop_calls(context, opened), None) is not None:
            self._observed(sequent)
        for statement in loop_statements(context, opened, self._inner):
            general = statement.general
            plan = self._within(STATEMENT, self._proof_of, statement, LEAST)
            if plan is None and [c for c in continuation_laws(context, general) if self.library.attempt(c)]:
                plan = self._within(STATEMENT, self._proof_of, statement, LEAST)
            if plan is None:
                continue
            extra = {key_of(general): general}
            for query in statement.queries(context, sequent):
                if context.holds(sequent, query, DIRECT, extra=extra):
                    yield Plan(sequent, query, (plan,), "loop-invariant", show(general.concl))
                    break
        laws = list(accumulations(context, opened))
        if key_of(sequent) in map(key_of, laws):  # it is no lemma of itself
            plan = induction(context, sequent, full=False, rlimit=CANDIDATE)
            if plan is not None:
                yield plan
        elif [law for law in laws if self.library.attempt(law)]:
            yield from self._again(sequent, "loop-accumulator")

    def _proof_of(self, statement: LoopStatement | ContinuationStatement) -> Plan | None:
        return statement.proof(self._context, self._quick(statement.general))

    def _inner(self, step: Sequent) -> bool:
        """Prove what a step keeps by the loop that it runs, as a lemma."""
        if self._depth >= MAX_DEPTH:
            return False
        self._depth += 1
        try:
            establish = self.library.establish
            return establish(step, lambda _, fact: self._within(PART, lambda f: next(self._loops(f), None), fact))
        finally:
            self._depth -= 1

    def _whole(self, sequent: Sequent) -> Iterator[Plan]:
        """A conjunction by one induction: each part may need the hypotheses of the others."""
        plan = induction(self._context, sequent, rlimit=QUICK) if is_app(sequent.concl, "and") else None
        if plan is not None:
            yield plan

    def _with_lemmas(self, sequent: Sequent) -> Iterator[Plan]:
        """Lemmas from each of `SOURCES`, then exploration; each source is followed by inductions."""
        for source in SOURCES:
            if source.idea not in self._without:
                self._begin(source.strategy)
                yield from self._from_source(source, sequent)
            if source.guess is general_statements and self._context.shape.mentions_unfolded(sequent):
                self._begin("lemma-from-failed-step")
                yield from self._left_over(sequent)
        if "exploration" not in self._without:
            self._begin("theory-exploration")
            yield from self._explored(sequent)

    def _from_source(self, source: Source, sequent: Sequent) -> Iterator[Plan]:
        """The goal by the conjectures of one source that are proved."""
        library, guesses = self.library, source.guess(self._context, sequent)
        for _ in library.attempt_all(guesses, source.deep, source.calls, patient=source.patient):
            yield from self._again(sequent, source.strategy)
        with suppress(OutOfTime), self._context.budget.part(ASKING):
            library.enough(partial(self._follows, sequent))

    def _follows(self, sequent: Sequent, fact: Sequent) -> bool:
        """Whether a goal follows from a fact that says something else: by one query, or an induction on a variable."""
        said = [fact.concl]
        if is_app(fact.concl, "="):
            said.append(rebuild(fact.concl, tuple(reversed(fact.concl.args))))
        if any(match(sequent.concl, each) is not None for each in said):
            return False  # the goal itself, under conditions or at some values
        context, key = self._context, key_of(fact)
        query = Query(cites=(*context.lemmas, key))

        def holds(case: Sequent) -> bool:
            return context.holds(case, query, CANDIDATE, extra={key: fact})

        schemes = [
            StructuralInduction(v.name, general_variables(sequent, v))
            for v in induction_variables(context, sequent)[:MAX_ASKED]
        ]
        cases = (instances(sequent, scheme, context.signature) for scheme in schemes)
        return holds(sequent) or any(all(map(holds, each)) for each in cases)

    def _left_over(self, sequent: Sequent) -> Iterator[Plan]:
        """What the step of a goal about numbers leaves over, with much time; each followed by induction."""
        context, library = self._context, self.library
        left = remaining_goals(context, sequent)
        for candidate in left[:MAX_PATIENT]:
            if self._establish(candidate, PATIENT):
                yield from self._again(sequent, "lemma-from-failed-step")
        if [c for c in changed_arrays(context, sequent) if self._establish(c, CANDIDATE)]:
            yield from self._again(sequent, "observations")
        for candidate in left:
            if library.attempt(candidate, 1, patient=True):
                yield from self._again(sequent, "lemma-from-failed-step")
        plan = induction(context, sequent)
        if plan is not None:
            yield plan

    def _establish(self, candidate: Sequent, rlimit: int) -> bool:
        """Prove a lemma about functions of numbers, unless it is false or says nothing new."""
        context = self._context
        if context.refutes(candidate) is not None or self.library.rules.joins(candidate):
            return False
        if context.holds(candidate, Query(cites=tuple(context.lemmas)), CANDIDATE // 2, known=True):
            return False
        return self.library.establish(candidate, lambda _, fact: short_proof(context, fact, rlimit))

    def _simply(self, sequent: Sequent) -> Plan | None:
        """A proof by one query or one induction, or None."""
        quick = self._quick(sequent)
        return close_goal(self._context, sequent, quick) or induction(self._context, sequent, rlimit=quick)

    def _quick(self, sequent: Sequent) -> int | None:
        """The resources of a first attempt: ground arithmetic is slow to give up, and may just need a lemma."""
        return QUICK if self._context.shape.mentions_unfolded(sequent) else None

    def _explored(self, sequent: Sequent) -> Iterator[Plan]:
        context, library = self._context, self.library
        functions = context.shape.reachable_functions(sequent.formula)
        explorer = Explorer(context, library.rules, functions, context.seed)
        for batch in explorer.conjectures():
            known, fresh = len(library.plans), 0
            for candidate in batch:
                if library.attempt(candidate):
                    fresh += 1
                    if fresh % 4 == 0:
                        yield from self._again(sequent, "theory-exploration", full=False)
            for candidate in explorer.implications():
                library.attempt(candidate)
            if len(library.plans) > known:
                library.retry()
                yield from self._again(sequent, "theory-exploration")
                yield from self._from_source(FAILED_STEP, sequent)

    def _patient(self, sequent: Sequent) -> Iterator[Plan]:
        """Induction once more, with all that was proved on the way and more resources for each case.

        Still more of them where cvc5, asked for a proof of its own, says that there is one.
        """
        plan = induction(self._context, sequent, rlimit=PATIENT)
        if plan is None and self._context.is_believed(sequent):
            plan = induction(self._context, sequent, rlimit=4 * PATIENT)
        if plan is not None:
            yield replace(plan, strategy="patient-induction", detail=f"{plan.strategy} {plan.detail}".strip())

    def _again(self, sequent: Sequent, strategy: str, full: bool = False) -> Iterator[Plan]:
        """The goal once more, now that there are new lemmas."""
        context = self._context
        plan = close_goal(context, sequent) or induction(context, sequent, full=full, rlimit=self._quick(sequent))
        if plan is not None:
            yield replace(plan, strategy=strategy, detail=f"{plan.strategy} {plan.detail}".strip())

    def open_plans(self, sequent: Sequent) -> Iterator[Plan]:
        """Sketches with open cases: the machine goes on with them."""
        context = self._context
        self._begin("case-split and open inductions")
        variables = induction_variables(context, sequent)
        for on in variables:
            plan = nested_induction(context, sequent, (on,), 1, keep=True)
            if plan is not None:
                yield plan
        for plan in integer_plans(context, sequent) if any(v.sort is INT for v in sequent.vars) else ():
            if not plan.complete:
                yield plan
        for on in variables:
            yield constructor_split(context, sequent, on)
        self._end()


def _is_conjunction(sequent: Sequent) -> bool:
    concl = sequent.concl
    return concl.kind is Kind.APP and (
        concl.name == "and" or (concl.name == "=" and concl.args[0].sort.name == "Bool" and len(concl.args) == 2)
    )
