"""The symbolic sketcher: named strategies in order of cost, each giving plans for one goal."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import replace

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Conjuncts, Intro, Scheme, SkolemHypothesis, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, is_app
from goedels_poetry.protocol.trials import NOT_APPLIED, Status
from goedels_poetry.smt.arithmetic.divisors import (
    COMBINATION,
    MULTIPLE,
    combination_by_multiple,
    common_divisors,
    divides,
)
from goedels_poetry.smt.arithmetic.guarded import open_guards
from goedels_poetry.smt.arithmetic.interpret import interpreted
from goedels_poetry.smt.arithmetic.numeric import numeric_lemmas
from goedels_poetry.smt.arithmetic.remaining_goals import remaining_goals
from goedels_poetry.smt.conjecture.accumulators import general_statements
from goedels_poetry.smt.conjecture.catamorphisms import catamorphisms, fusions
from goedels_poetry.smt.conjecture.closures import closure_lemmas
from goedels_poetry.smt.conjecture.critics import critic_lemmas
from goedels_poetry.smt.conjecture.explore import Explorer
from goedels_poetry.smt.conjecture.failed_steps import from_failed_step, generalisations
from goedels_poetry.smt.conjecture.indices import shift_laws, step_laws
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.loops import accumulations, loop_statements, natural_results
from goedels_poetry.smt.conjecture.mutual import together
from goedels_poetry.smt.conjecture.starts import plans_along, scalings, start_laws
from goedels_poetry.smt.conjecture.states import advance_laws
from goedels_poetry.smt.conjecture.templates import templates
from goedels_poetry.smt.conjecture.witness import witness_plans
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.limits import CANDIDATE, DIRECT, MODEL_SECONDS, PATIENT, QUICK
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.first import induction
from goedels_poetry.smt.induction.integers import integer_plans, short_proof
from goedels_poetry.smt.induction.structural import constructor_split, induction_variables, nested_induction
from goedels_poetry.smt.invariants.invariants import Invariants
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.written_out import written_out

MAX_PATIENT = 3
"""Equations left over by a step of arithmetic that are given much time before anything else is tried."""

CRITIC_CALLS = 100
"""Queries for all lemmas from cases that inductions are stuck on."""

FAILED_STEP_CALLS = 200
"""Queries for one round of lemmas from failed steps, theirs included."""

MAX_STATE = 8
"""Variables in a law of a loop, which speaks of its whole state."""

IDLE_SECONDS = 0.05
"""What a strategy takes at most to find that there is nothing to try, when no solver was asked."""


class Sketcher:
    """Proposes plans for one goal, cheapest idea first.

    ``without`` names ideas to leave out, to see what the others are worth: ``loops``, ``invariants``,
    ``interpretation``, ``lemmas`` (all others), ``templates``, ``stuck-cases``, ``exploration``.
    """

    def __init__(self, context: ProverContext, without: Collection[str] = ()) -> None:
        self._context = context
        self._without = frozenset(without)
        self.library = Library(context)
        self._invariants = Invariants(context, self.library.establish)
        self._known: list[Sequent] = []
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
        if "lemmas" not in self._without:
            self._begin("common-divisor")
            yield from self._divided(sequent)
        if "loops" not in self._without:
            self._begin("loop-invariant")
            yield from self._loops(sequent)
        self._begin("mutual-induction")
        yield from self._mutual(sequent)
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
        closed = induction(self._context, sequent, rlimit=self._quick(sequent))
        if closed is not None:
            yield closed
        yield from after_induction
        if "invariants" not in self._without:
            self._begin("invariants")
            yield from self._invariants.plans(sequent)
        self._begin("generalisation")
        yield from self._generalised(sequent)
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

    def _divided(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal from what a function that it divides by does: its result divides its arguments."""
        context, establish = self._context, self.library.establish
        for *conditions, divisor in common_divisors(context, sequent):
            known = establish(MULTIPLE, close_goal) and establish(COMBINATION, combination_by_multiple)
            if known and establish(divisor, divides):
                for condition in conditions:
                    if context.refutes(condition) is None:
                        establish(condition, lambda _, fact: short_proof(context, fact, CANDIDATE))
                yield from self._again(sequent, "common-divisor")

    def _loops(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal about the first state of a loop from one about every state that keeps an invariant."""
        context = self._context
        yield from self._from_constants(sequent)
        if [law for law in shift_laws(context, sequent) if self._establish(law, CANDIDATE)]:
            yield from self._again(sequent, "loop-shift", full=True)
        for law in step_laws(context, sequent):
            self._establish(law, CANDIDATE)
        for statement in loop_statements(context, sequent, self.library.attempt):
            general, quick = statement.general, self._quick(statement.general)
            plan = statement.proof(context, quick)
            if plan is None and [c for c in natural_results(context, general) if self.library.attempt(c)]:
                plan = statement.proof(context, quick)
            if plan is None:
                continue
            extra = {key_of(general): general}
            for query in statement.queries(context, sequent):
                if context.holds(sequent, query, DIRECT, extra=extra):
                    yield Plan(sequent, query, (plan,), "loop-invariant", show(general.concl))
                    break
        known = [c for c in accumulations(context, sequent) if self.library.attempt(c)]
        if known + [c for c in advance_laws(context, sequent) if self.library.attempt(c, variables=MAX_STATE)]:
            yield from self._again(sequent, "loop-accumulator")

    def _from_constants(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal about a loop over numbers that begins at a constant, from what it makes of any start."""
        context, library = self._context, self.library
        moved = [start for start in start_laws(context, sequent) if library.attempt(start.law)]
        if [start for start in moved if library.establish(start.at_first, start.proof)]:
            for law in scalings(context, sequent):
                library.attempt(law)
            yield from plans_along(context, sequent, self._quick(sequent))

    def _whole(self, sequent: Sequent) -> Iterator[Plan]:
        """A conjunction by one induction: each part may need the hypotheses of the others."""
        plan = induction(self._context, sequent, rlimit=QUICK) if is_app(sequent.concl, "and") else None
        if plan is not None:
            yield plan

    def _mutual(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal by one induction with laws of the functions that its own calls, and that call it."""
        context = self._context
        for all_ in together(context, sequent):
            key = key_of(all_)
            if not context.holds(sequent, Query(cites=(key,)), DIRECT, extra={key: all_}):
                continue  # an induction costs far more than to see that laws with variables of their own are not used
            plan = induction(context, all_, full=False, rlimit=self._quick(all_))
            if plan is not None:
                yield Plan(sequent, Query(cites=(key,)), (plan,), "mutual-induction", show(all_.concl))

    def _generalised(self, sequent: Sequent) -> Iterator[Plan]:
        context = self._context
        for general in generalisations(context, sequent):
            if context.refutes(general) is not None:
                continue
            plan = induction(context, general)
            if plan is not None:
                query = Query(cites=(general_key := key_of(general),))
                if context.holds(sequent, query, DIRECT, extra={general_key: general}):
                    yield Plan(sequent, query, (plan,), "generalisation", show(general.concl))

    def _with_lemmas(self, sequent: Sequent) -> Iterator[Plan]:
        """Lemmas from the failed step, then common properties, then exploration; each followed by induction."""
        context, library = self._context, self.library
        self._begin("strengthening")
        for candidate in general_statements(context, sequent):
            if library.attempt(candidate, patient=True):
                yield from self._again(sequent, "strengthening")
        if context.shape.mentions_unfolded(sequent):
            self._begin("numeric-lemma")
            yield from self._numeric(sequent)
        self._begin("lemma-from-failed-step")
        yield from self._from_failed_steps(sequent)
        self._begin("lemma-template")
        functions = context.shape.reachable_functions(sequent.formula)
        common = () if "templates" in self._without else templates(context, functions)
        # They are few, and others build on them: a law that permutes its arguments may need more resources than a guess
        # is worth, and is lost for good when it is missed by a little.
        new = [library.attempt(candidate, patient=True) for candidate in common]
        if any(new):
            library.retry()
            yield from self._again(sequent, "lemma-template")
            yield from self._from_failed_steps(sequent)
        if "stuck-cases" not in self._without:
            self._begin("lemma-from-stuck-case")
            yield from self._by_critics(sequent, functions)
        if "exploration" not in self._without:
            self._begin("theory-exploration")
            yield from self._explored(sequent, functions)

    def _numeric(self, sequent: Sequent) -> Iterator[Plan]:
        """What the step leaves over, then what the values of functions of numbers show; each followed by induction."""
        context, library = self._context, self.library
        left = remaining_goals(context, sequent)
        for candidate in left[:MAX_PATIENT]:
            if self._establish(candidate, PATIENT):
                yield from self._again(sequent, "lemma-from-failed-step")
        for batch in numeric_lemmas(context, sequent):
            if [c for c in batch if self._establish(c, CANDIDATE)]:
                yield from self._again(sequent, "numeric-lemma")
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

    def _from_failed_steps(self, sequent: Sequent) -> Iterator[Plan]:
        for _ in self.library.attempt_all(from_failed_step(self._context, sequent)[:8], 2, FAILED_STEP_CALLS):
            yield from self._again(sequent, "lemma-from-failed-step")

    def _by_critics(self, sequent: Sequent, functions: list[str]) -> Iterator[Plan]:
        """What names of functions have in common, what functions make of constructors, what cases are stuck on."""
        context, library = self._context, self.library
        for candidate in closure_lemmas(context, sequent):
            library.attempt(candidate, 1)
        if [c for c in (*catamorphisms(context, functions), *fusions(context, functions)) if library.attempt(c)]:
            yield from self._again(sequent, "lemma-template")
        for _ in library.attempt_all(critic_lemmas(context, sequent), 1, CRITIC_CALLS):
            yield from self._again(sequent, "lemma-from-stuck-case")

    def _explored(self, sequent: Sequent, functions: list[str]) -> Iterator[Plan]:
        context, library = self._context, self.library
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
                yield from self._from_failed_steps(sequent)

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
