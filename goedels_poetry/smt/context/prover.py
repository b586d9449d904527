"""What strategies work with on one problem: its shape, values to test on, proven lemmas, and single queries.

Goals and candidates tested on values (see `refutation.refute`) before anybody tries to prove them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import INT, Kind, Term, subterms, symbols
from goedels_poetry.protocol.trials import Status, TrialLog
from goedels_poetry.smt.context.sessions import (
    CONFIGURATIONS,
    DIRECT,
    RLIMIT,
    SAFETY_SECONDS,
    SORTS,
    SURE,
    Budget,
    SolverSessions,
    multiplies,
    suits,
)
from goedels_poetry.smt.refutation.refute import Refuter, interpretation
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.rewriting.rules import Rewriter
from goedels_poetry.smt.rewriting.unfold import Unfolder
from goedels_poetry.smt.termination.measured import Recursion, recursions
from goedels_poetry.smt.termination.search import Termination, terminations_by_solver
from goedels_poetry.solvers.limits import Answer

# What a problem is made of, as far as that decides how its goals are attempted


class ProblemShape:
    """Which functions recur on what, and which theories there are.

    ``defining``: names of the premises that the evaluator computes by, as if they were definitions.
    """

    def __init__(self, problem: Problem, obligations: Context, defining: Collection[str]) -> None:
        self._problem = problem
        self._signature = problem.signature
        self._obligations = obligations
        self._defining = defining
        self._recursive_positions = frozenset(
            (equation.function, position)
            for equation in obligations.equations
            for position, argument in enumerate(equation.lhs.args)
            if argument.kind is not Kind.VAR
        )
        self.unfolded = frozenset(
            d.name
            for d in problem.signature.definitions
            if d.recursive and not any(name == d.name for name, _ in self._recursive_positions)
        )
        """Functions that recur on numbers: no constructor says when, so their calls are unfolded by the instance."""

    def recurses_on(self, function: str, position: int) -> bool:
        """Whether a defining equation of ``function`` has a constructor pattern at ``position``."""
        return (function, position) in self._recursive_positions

    def mentions_unfolded(self, sequent: Sequent) -> bool:
        """Whether there are calls of `unfolded` functions."""
        return bool(self.unfolded) and any(
            t.kind is Kind.APP and t.name in self.unfolded
            for part in (sequent.concl, *sequent.hyps)
            for t in subterms(part)
        )

    def is_numeric(self, sequent: Sequent) -> bool:
        """Whether there are recursive functions, and all are of integers alone."""
        found = [self._signature.definition(name) for name in self.reachable_functions(sequent.formula)]
        sorts = {v.sort for d in found if d is not None and d.recursive for v in (*d.params, d.body)}
        return sorts == {INT}

    def only_ground(self, sequent: Sequent) -> bool:
        """Whether equations, premises and hypotheses have nothing to say beyond what is given by the instance."""
        return self._ground_context and not any(t.binders for hyp in sequent.hyps for t in subterms(hyp))

    def suits_second(self, sequent: Sequent) -> bool:
        """Whether cvc5 is rather to be asked than z3, see `second_solver.suits`."""
        return suits(sequent, sorts=self._speaks_of_sorts, products=self._multiplies)

    def rests_on(self, term: Term) -> set[str]:
        """Symbols in ``term`` and in the definitions that it leads to."""
        reached: set[str] = set()
        pending = [term]
        while pending:
            for name in (symbols(pending.pop()) & self._signature.names) - reached:
                reached.add(name)
                definition = self._signature.definition(name)
                pending += [] if definition is None else [definition.body]
        return reached

    def reachable_functions(self, term: Term) -> list[str]:
        """Declared and defined functions in ``term`` and in what defines them, premises included, nearest first."""
        described = {
            name: premise.formula
            for premise in self._problem.premises
            if premise.name in self._defining
            for name in symbols(premise.formula)
        }
        level: dict[str, int] = {}
        queue: list[str] = []

        def enter(t: Term, depth: int) -> None:
            for s in subterms(t):
                if s.kind is Kind.APP and self._signature.type_of(s.name) and s.name not in level:
                    level[s.name] = depth
                    queue.append(s.name)

        enter(term, 0)
        while queue:
            name = queue.pop(0)
            definition = self._signature.definition(name)
            if definition is not None:
                enter(definition.body, level[name] + 1)
            elif name in described:
                enter(described[name], level[name] + 1)
        return sorted(level, key=lambda f: level[f])

    @cached_property
    def _speaks_of_sorts(self) -> bool:
        """Whether any of the sorts for which cvc5 is better is in the problem at all."""
        return any(name in line for line in with_definitions(self._obligations) for name in SORTS) or any(
            t.sort.name in SORTS for t in subterms(self._problem.goal)
        )

    @cached_property
    def _multiplies(self) -> bool:
        """Whether unknowns are multiplied anywhere in the problem."""
        return any(map(multiplies, (self._problem.goal, *[d.body for d in self._signature.definitions])))

    @cached_property
    def _ground_context(self) -> bool:
        return self._obligations.prelude(True, True) == self._obligations.prelude(False, False)


FUEL = 6_000
"""Calls in the evaluation of one term."""


class ProverContext:
    """Everything the strategies share for one problem. One process each, blocking; close it when done.

    Fixed with the problem: ``problem``, ``signature``, definitions that statements have ``brought`` along, ``seed``,
    ``reserved`` names, defining ``equations``, the ``guards`` of measured functions, the ``shape``, a ``rewriter`` and
    an ``unfolder`` of definitions, an ``evaluator`` and the ``closures`` that it knows as values. Of the job at hand:
    its ``budget``, the ``lemmas`` that it has proved, and ``trials``, what it has tried. The methods test a goal on
    values or pose one query each; `attempts` puts several of them together.
    """

    def __init__(self, problem: Problem, *, seed: int = 0, brought: tuple[str, ...] = ()) -> None:
        self.problem = problem
        self.brought = brought
        self.signature = problem.signature
        self.seed = seed
        self.reserved = problem.signature.names
        self.trials = TrialLog()
        self._goal: Sequent | None = None
        self._obligations = Context(problem)
        self.equations = self._obligations.equations
        self.guards = self._obligations.guards
        self.rewriter = Rewriter(problem.signature, self.equations)
        self.unfolder = Unfolder(problem.signature)
        self.evaluator = Evaluator(
            problem.signature, problem.premises, interpret=interpretation(problem, seed), fuel=FUEL, circular=True
        )
        self.budget = Budget(lambda: self.evaluator.used)
        self.closures = frozenset(self.evaluator.closures)
        self.shape = ProblemShape(problem, self._obligations, self.evaluator.defining)
        self._tests = ValueTests(problem, self.evaluator, self.shape, seed)
        self._sessions = SolverSessions(self._obligations, self.budget)
        self._lemmas: dict[str, Sequent] = {}
        self._quiet: dict[str, Sequent] = {}
        self._domains: dict[str, tuple[Term, ...]] = {}
        self._triggers: dict[str, Term] = {}
        self._by_rewriting: Callable[[Sequent], Query | None] | None = None

    def begin(self, seconds: float | None = None, *, in_units: bool = False) -> None:
        """Forget lemmas, costs and solver contexts of the job before; the processes stay. It ends after ``seconds``.

        ``in_units``: these are counted in resource units.
        """
        self.budget.reset()
        self.budget.in_units = in_units
        self.budget.set_deadline(seconds)
        self.trials = TrialLog()
        self._goal = None
        self._lemmas.clear()
        self._quiet.clear()
        self._domains.clear()
        self._triggers.clear()
        self._by_rewriting = None
        self._sessions.forget()

    def close(self) -> None:
        """Stop the solvers."""
        self._sessions.close()

    # ----------------------------------------------------------------------------------------- trials

    def log_trials(self, goal: Sequent, log: TrialLog) -> None:
        """What is tried on this goal from now on goes into ``log``."""
        self._goal, self.trials = goal, log

    def note_open(
        self, sequent: Sequent, strategy: str, what: str, cases: Sequence[Sequent], of: int, began: float
    ) -> None:
        """A scheme has left some of its cases open. Counts when it was applied to the goal itself, and not to a lemma.

        Args:
            cases: the open ones that are known; ``of`` how many cases there are.
            began: when, by the monotonic clock.
        """
        if self._goal is not None and sequent.key is self._goal.key and cases:
            others = [
                case for case in cases if case.concl is not sequent.concl
            ]  # those under conditions say nothing new
            left = show(min(others, key=lambda case: case.size).formula) if others else ""
            stay = f"{len(cases)} of {of} cases stay open" if len(cases) > 1 else f"a case of {of} stays open"
            seconds = time.monotonic() - began
            self.trials.tried(what, Status.OPEN, stay, seconds, strategy=strategy, left=left)

    # ------------------------------------------------------------------------------------ termination

    @cached_property
    def terminations(self) -> tuple[Termination, ...]:
        """What is known of the termination of the definitions."""
        return terminations_by_solver(self._obligations).groups

    @cached_property
    def recursions(self) -> dict[str, Recursion]:
        """The functions that call themselves and terminate or have a measure."""
        return recursions(self.signature, self.terminations, self.problem.measures)

    # ----------------------------------------------------------------------------------------- lemmas

    @property
    def lemmas(self) -> Mapping[str, Sequent]:
        """What was proved in this job, by key, in order: every solver session knows it."""
        return MappingProxyType(self._lemmas)

    def add_lemma(self, lemma: Sequent, *, quiet: bool = False) -> str:
        """Let all later queries use a proven lemma; returns its key.

        ``quiet``: queries may cite it, but no solver is told unasked; it would lead them astray.
        """
        key = key_of(lemma)
        if quiet:
            self._quiet[key] = lemma
        elif key not in self._lemmas:
            self._lemmas[key] = lemma
            self._sessions.add_lemma(lemma)
        return key

    def restrict(self, function: str, conditions: tuple[Term, ...]) -> None:
        """The guard of a measured function is proved where its parameters fulfil these ``conditions``."""
        self._domains[function] = conditions

    def domain(self, function: str) -> tuple[Term, ...] | None:
        """The conditions given to `restrict`; None where no guard was proved."""
        return self._domains.get(function)

    def want_at(self, lemma: Sequent, call: Term) -> None:
        """A lemma is wanted at a ``call`` that does not stand in it."""
        self._triggers[key_of(lemma)] = call

    def wanted_at(self, lemma: Sequent) -> Term | None:
        """The call given to `want_at`."""
        return self._triggers.get(key_of(lemma))

    def rewrite_by(self, query: Callable[[Sequent], Query | None]) -> None:
        """Let `by_rewriting` use ``query``, which knows the rewrite rules of the job."""
        self._by_rewriting = query

    def by_rewriting(self, sequent: Sequent) -> Query | None:
        """The instances by which both sides of a goal are rewritten to the same, or None; no solver has seen it."""
        return self._by_rewriting(sequent) if self._by_rewriting is not None else None

    # ----------------------------------------------------------------------------- values and queries

    def refutes(self, sequent: Sequent, tests: int = 80) -> dict[Term, Any] | None:
        """A counterexample found by testing, or None; see `ValueTests.counterexample`."""
        self.budget.check()
        return self._tests.counterexample(sequent, tests)

    def holds(
        self,
        sequent: Sequent,
        query: Query,
        rlimit: int,
        *,
        known: bool = False,
        extra: Mapping[str, Sequent] = MappingProxyType({}),
    ) -> bool:
        """Pose one query in a session. ``known``: it cites all `lemmas`, which the solver already has.

        ``extra`` are further facts that the query may cite.

        Raises:
            OutOfTime: see `Budget.check`; so do all methods that pose a query, but for `confirms`.
            RuntimeError: the solver did not understand the query.
        """
        self.budget.check()
        if known:
            lines = self._obligations.check(sequent, replace(query, cites=()))
        else:
            lines = self._obligations.check(sequent, query, {**self._quiet, **self._lemmas, **extra})
        lemmas = self._lemmas.values() if known else ()
        answer = self._sessions.check(lines, (query.equations, query.quantified), lemmas, rlimit)
        if answer.status == "error":
            raise RuntimeError(f"the solver refused a query of ours: {answer.reason}")
        return answer.status == "unsat"

    def holds_alone(
        self,
        sequent: Sequent,
        query: Query,
        rlimit: int,
        seconds: float = SAFETY_SECONDS,
        *,
        extra: Mapping[str, Sequent] = MappingProxyType({}),
    ) -> bool:
        """Pose one query in a context of its own, where z3 simplifies before it searches: for ground arithmetic."""
        self.budget.check()
        script = self._obligations.script_of(sequent, query, {**self._quiet, **self._lemmas, **extra})
        return self._sessions.ask(script, rlimit, {}, seconds).status == "unsat"

    def holds_by_second(self, sequent: Sequent, query: Query) -> bool:
        """Pose one query to cvc5."""
        self.budget.check()
        script = self._obligations.script_of(sequent, query, self._lemmas)
        return self._sessions.ask_second(script, RLIMIT).status == "unsat"

    def core(self, sequent: Sequent, query: Query, rlimit: int) -> tuple[str, ...] | None:
        """The cites of a query that z3 has used, or None when it does not find the proof again."""
        self.budget.check()
        facts = {**self._quiet, **self._lemmas}
        named = {self._obligations.citation(facts[cite]): f"cite.{number}" for number, cite in enumerate(query.cites)}
        lines = [
            f"(assert (! {line.removeprefix('(assert ')[:-1]} :named {named[line]}))" if line in named else line
            for line in self._obligations.check(sequent, query, facts)
        ]
        answer = self._sessions.core(lines, (query.equations, query.quantified), rlimit)
        if answer.status != "unsat":
            return None
        used = set(answer.output.strip("()").split())
        return tuple(cite for cite in query.cites if named[self._obligations.citation(facts[cite])] in used)

    def confirms(self, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent]) -> Answer:
        """Pose one query as the checker will: a fresh context, the whole script, to either solver."""
        script = self._obligations.script_of(sequent, query, earlier)
        if self.shape.suits_second(sequent):
            self.budget.check()
            answer = self._sessions.ask_second(script, SURE)
            if answer.status == "unsat":
                return answer
        answer = Answer("unknown", "not asked")
        for options, rlimit in CONFIGURATIONS:
            answer = self._sessions.ask(script, rlimit, options)
            if answer.status == "unsat":
                break
        return answer

    def closes_alone(self, sequent: Sequent) -> bool:
        """Whether the goal is proved at once by nothing but premises and equations, in a fresh context."""
        self.budget.check()
        options, _ = CONFIGURATIONS[0]
        script = self._obligations.script_of(sequent, Query(), {})
        return self._sessions.ask(script, DIRECT, options).status == "unsat"

    def is_believed(self, sequent: Sequent) -> bool:
        """Whether cvc5 finds a proof by induction of its own, which we cannot see: then more effort is worth while."""
        self.budget.check()
        return bool(sequent.vars) and self._sessions.second_believes(sequent)  # without variables nothing to induct on


MISREADING_TESTS = 60


class ValueTests:
    """Tests sequents of one problem with its evaluator."""

    def __init__(self, problem: Problem, evaluator: Evaluator, shape: ProblemShape, seed: int) -> None:
        self._problem = problem
        self._evaluator = evaluator
        self._shape = shape
        self._refuter = Refuter(problem.signature, evaluator, seed)

    def counterexample(self, sequent: Sequent, tests: int) -> dict[Term, Any] | None:
        """A counterexample found by testing, or None.

        Goals with quantified hypotheses are not tested, nor those that rest on functions for which the tests have
        found values that the premises forbid.
        """
        if any(t.binders for hyp in sequent.hyps for t in subterms(hyp)):
            return None
        if self._misread and not self._misread.isdisjoint(self._shape.rests_on(sequent.formula)):
            return None
        return self._refuter.counterexample(sequent, tests)

    @cached_property
    def _misread(self) -> frozenset[str]:
        """Declared functions whose values in tests make a premise false, or that a premise ties to such a one."""
        misread: set[str] = set()
        groups: list[set[str]] = []
        signature = self._problem.signature
        for premise in self._problem.premises:
            if premise.name not in self._evaluator.defining:
                declared = {f for f in self._shape.rests_on(premise.formula) if signature.definition(f) is None}
                groups.append(declared)
                fact = sequent_of(premise.formula, signature.names)
                if declared and self._refuter.counterexample(fact, MISREADING_TESTS) is not None:
                    misread |= declared
        # With the right values of a misread function a premise may ask for other values of those beside it.
        pending = groups
        while spreading := [group for group in pending if not group.isdisjoint(misread)]:
            misread.update(*spreading)
            pending = [group for group in pending if group.isdisjoint(misread)]
        return frozenset(misread)
