"""What the strategies work with on one problem: a solver session, an evaluator, rewrite rules, proven lemmas."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Kind, Sort, Term, subterms, symbols
from goedels_poetry.kernel.wellfounded import Termination
from goedels_poetry.languages.smt.engine.induction.terminating import Recursion, recursions, terminations
from goedels_poetry.languages.smt.engine.plan import Plan, key_of, leaf
from goedels_poetry.languages.smt.engine.refutation.refute import Refuter
from goedels_poetry.languages.smt.engine.rewriting.ground import lemma_instances
from goedels_poetry.languages.smt.engine.rewriting.rewrite import Rewriter
from goedels_poetry.languages.smt.engine.rewriting.unfold import Unfolder
from goedels_poetry.languages.smt.engine.second import SURE, SecondSolver, multiplies, suits
from goedels_poetry.solvers import Answer, Limits, Session, Z3Process

DIRECT = 30_000
"""Resource units of z3 for one attempt at a goal: about 0.05 s. 99 of 100 queries that succeed need less."""

PATIENT = 120_000
"""The same when everything else has failed."""

GROUND = 400_000
"""The same for ground arithmetic, which is slower to give up."""

QUICK = 20_000
"""For a first attempt at a goal of ground arithmetic, where three times as much is given to each unfolding."""

CANDIDATE = 15_000
"""The same for a lemma that is only a guess."""

SAFETY_SECONDS = 3.0
ROUNDS = (1, 2, 3)
INCREMENTAL = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
CONFIGURATIONS: tuple[tuple[Mapping[str, str], int], ...] = (
    (INCREMENTAL, 200_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 200_000),
    ({}, 400_000),
    (INCREMENTAL, 4_000_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 4_000_000),
)
"""Ways to ask in a fresh context, with resource limits. z3 can run away in one and answer at once in another."""


class OutOfTime(Exception):
    """The deadline of the job has passed, or its number of queries is used up."""


@dataclass
class Spent:
    """What a job has used so far."""

    calls: int = 0
    seconds: float = 0.0


class Workbench:
    """Everything the strategies share for one problem. One process each, blocking; close it when done.

    ``deadline`` is a ``time.monotonic`` value after which `OutOfTime` is raised at the next query; so is it when
    the job has posed ``most_calls`` queries, a limit that is the same on every machine.
    """

    def __init__(self, problem: Problem, *, seed: int = 0, deadline: float | None = None) -> None:
        self.problem = problem
        self.signature = problem.signature
        self.seed = seed
        self.deadline = deadline
        self.most_calls: int | None = None
        self.spent = Spent()
        self.lemmas: dict[str, Sequent] = {}
        self.quiet: dict[str, Sequent] = {}
        """Facts that a query may cite, but that no solver is told unasked: they would lead it astray."""
        self.by_rewriting: Callable[[Sequent], Query | None] | None = None
        self.limits: dict[str, tuple[Term, ...]] = {}
        """Of measured functions: where their guards were proved, over their parameters."""
        self.triggers: dict[str, Term] = {}
        """For lemmas by key, the call where they are wanted, if it does not stand in them."""
        self.reserved = problem.signature.names
        self.context = Context(problem)
        self.equations = self.context.equations
        self.rewriter = Rewriter(problem.signature, self.equations)
        self.evaluator = Evaluator(
            problem.signature, problem.premises, interpret=interpretation(problem, seed), fuel=6_000, circular=True
        )
        self.closures = frozenset(self.evaluator.closures)
        self.refuter = Refuter(problem.signature, self.evaluator, seed)
        self._processes: dict[tuple[bool, bool, bool], Z3Process] = {}
        self._fresh = Z3Process()
        self._second = SecondSolver()
        self._unfolder = Unfolder(problem.signature)
        self._cores = Z3Process()
        self._core_sessions: dict[tuple[bool, bool], Session] = {}
        self._sessions: dict[tuple[bool, bool, bool], Session] = {}
        self._recursive_positions = _recursive_positions(self)
        self.unfolded = frozenset(
            d.name
            for d in problem.signature.definitions
            if d.recursive and not any(name == d.name for name, _ in self._recursive_positions)
        )

    def begin(self, deadline: float | None) -> None:
        """Forget the lemmas, costs and solver contexts of the job before; the processes stay."""
        self.deadline = deadline
        self.most_calls = None
        self.spent = Spent()
        self.lemmas = {}
        self.quiet = {}
        self.by_rewriting = None
        self.limits = {}
        self.triggers = {}
        self._core_sessions.clear()
        self._sessions.clear()  # what z3 has seen changes what it finds: each job begins alike

    def close(self) -> None:
        """Stop the solvers."""
        for process in (self._fresh, self._cores, *self._processes.values()):
            process.close()
        self._second.close()

    # ----------------------------------------------------------------------------------------- facts

    def recursive_datatype(self, sort: Sort) -> bool:
        """Whether induction over ``sort`` makes sense: a datatype."""
        return self.signature.datatype(sort) is not None

    @cached_property
    def terminations(self) -> tuple[Termination, ...]:
        """What is known of the termination of the definitions."""
        return terminations(self.context)

    @cached_property
    def recursions(self) -> dict[str, Recursion]:
        """The functions that call themselves and were shown to terminate."""
        return recursions(self.signature, self.terminations)

    def recurses_on(self, function: str, position: int) -> bool:
        """Whether a defining equation of ``function`` has a constructor pattern at ``position``."""
        return (function, position) in self._recursive_positions

    def refutes(self, sequent: Sequent, tests: int = 80) -> dict[Term, Any] | None:
        """A counterexample found by testing, or None.

        Goals with quantified hypotheses are not tested, nor those that rest on functions for which the tests have
        found values that the premises forbid.
        """
        self._check_time()
        if any(t.binders for hyp in sequent.hyps for t in subterms(hyp)):
            return None
        if self._misread and not self._misread.isdisjoint(self._rests_on(sequent.formula)):
            return None
        return self.refuter.counterexample(sequent, tests)

    @cached_property
    def _misread(self) -> frozenset[str]:
        """Declared functions whose values in tests make a premise false, or that a premise ties to such a one."""
        found: set[str] = set()
        groups: list[set[str]] = []
        for premise in self.problem.premises:
            if premise.name not in self.evaluator.defining:
                declared = {f for f in self._rests_on(premise.formula) if self.signature.definition(f) is None}
                groups.append(declared)
                fact = sequent_of(premise.formula, self.reserved)
                if declared and self.refuter.counterexample(fact, 60) is not None:
                    found |= declared
        # With the right values of a misread function a premise may ask for other values of those beside it.
        pending = groups
        while spreading := [group for group in pending if not group.isdisjoint(found)]:
            found.update(*spreading)
            pending = [group for group in pending if group.isdisjoint(found)]
        return frozenset(found)

    def _rests_on(self, term: Term) -> set[str]:
        """Symbols in ``term`` and in the definitions that it leads to."""
        found: set[str] = set()
        pending = [term]
        while pending:
            for name in (symbols(pending.pop()) & self.reserved) - found:
                found.add(name)
                definition = self.signature.definition(name)
                pending += [] if definition is None else [definition.body]
        return found

    # --------------------------------------------------------------------------------------- queries

    def closed(self, sequent: Sequent, rlimit: int | None = None) -> Plan | None:
        """The goal closed by one query as in `direct`, or None."""
        query = self.direct(sequent, rlimit)
        return leaf(sequent, query) if query is not None else None

    def direct(self, sequent: Sequent, rlimit: int | None = None) -> Query | None:
        """A query that closes the goal, or None: equations as axioms first, then ground unfoldings.

        All lemmas of the bench may be used; `minimal` finds out which were.
        """
        query = Query(cites=tuple(self.lemmas))
        if self.holds(sequent, query, rlimit or DIRECT, known=True):
            return query
        if self.by_rewriting is not None:
            rewritten = self.by_rewriting(sequent)
            if rewritten is not None and self.holds(sequent, rewritten, rlimit or DIRECT):
                return rewritten
        if (
            suits(sequent, bits=self._speaks_of_bits, products=self._multiplies)
            and (by_second := self._by_second(sequent)) is not None
        ):
            return by_second
        if self.mentions_unfolded(sequent):
            kinds = (False,) if self._only_ground(sequent) else (False, True)
            rounds = ROUNDS if rlimit is None or rlimit > QUICK else ROUNDS[:2]
            for instances in self.unfoldings(sequent, rounds):
                for quantified in kinds:
                    query = Query((), instances, equations=quantified, quantified=quantified)
                    if self.holds(sequent, query, (rlimit and 3 * rlimit) or GROUND):
                        return query
                for query in self._with_lemmas(sequent, instances):
                    if self.holds(sequent, query, (rlimit and 3 * rlimit) or GROUND):
                        return query
        return self.by_models(sequent) if sequent.concl.kind is Kind.EXISTS else None

    def _with_lemmas(self, sequent: Sequent, unfoldings: tuple[Instance, ...]) -> Iterable[Query]:
        """Unfoldings together with the lemmas: at the calls that there are, and in general."""
        lemmas = {key: s for key, s in self.lemmas.items() if self.mentions_unfolded(s)}
        calls = [t for part in (sequent.concl, *sequent.hyps) for t in self._unfolder.calls(part)]
        at = lemma_instances(lemmas, [*calls, *self._unfolder.brought_by(unfoldings)])
        if at:
            yield Query(tuple(dict.fromkeys(i.name for i in at)), (*unfoldings, *at), equations=False, quantified=False)
        if lemmas:
            yield Query(tuple(self.lemmas), unfoldings)

    @cached_property
    def _speaks_of_bits(self) -> bool:
        """Whether there are bit-vectors in the problem at all."""
        return any("BitVec" in line for line in self.context.definitions) or any(
            t.sort.name == "BitVec" for t in subterms(self.problem.goal)
        )

    @cached_property
    def _multiplies(self) -> bool:
        """Whether unknowns are multiplied anywhere in the problem."""
        return any(map(multiplies, (self.problem.goal, *[d.body for d in self.signature.definitions])))

    def is_believed(self, sequent: Sequent) -> bool:
        """Whether cvc5 finds a proof by induction of its own, which we cannot see: then more effort is worth while."""
        self._check_time()
        if not sequent.vars:  # nothing to induct on
            return False
        left = math.inf if self.deadline is None else self.deadline - time.monotonic()
        return self._second.believes(self.context, sequent, left)

    def _by_second(self, sequent: Sequent) -> Query | None:
        """A query that cvc5 closes, for goals that are rather for it than for z3."""
        if not self.mentions_unfolded(sequent):
            attempts = [Query(cites=tuple(self.lemmas))]
        else:
            unfoldings = list(self.unfoldings(sequent, ROUNDS[:2]))
            attempts = [Query((), instances, equations=False) for instances in unfoldings]
            if self.lemmas and unfoldings:
                attempts += list(self._with_lemmas(sequent, unfoldings[-1]))[:1]
        return next((q for q in attempts if self._asked_second(sequent, q, self.lemmas).status == "unsat"), None)

    def _asked_second(
        self, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent], rlimit: int | None = None
    ) -> Answer:
        self._check_time()
        script = self.context.script_of(sequent, query, earlier)
        answer = self._second.ask(script, rlimit) if rlimit else self._second.ask(script)
        self.spent.calls += 1
        self.spent.seconds += answer.seconds
        return answer

    def by_models(self, sequent: Sequent) -> Query | None:
        """A query that z3 closes as it comes, with instantiation by models: for goals full of quantifiers.

        It is slow to give up, so `direct` uses it for existential conclusions only, which E-matching cannot close.
        """
        attempts = [Query(cites=tuple(self.lemmas))]
        if self.mentions_unfolded(sequent):
            attempts += [Query((), i, equations=False) for i in self.unfoldings(sequent, (1, 2))]
        for query in attempts:
            self._check_time()
            script = self.context.script_of(sequent, query, self.lemmas)
            answer = self._fresh.ask(script, Limits(rlimit=GROUND, seconds=1.0))
            self.spent.calls += 1
            self.spent.seconds += answer.seconds
            if answer.status == "unsat":
                return query
        return None

    def holds(
        self,
        sequent: Sequent,
        query: Query,
        rlimit: int,
        *,
        known: bool = False,
        extra: Mapping[str, Sequent] = MappingProxyType({}),
    ) -> bool:
        """Pose one query. ``known``: it cites all lemmas of the bench, which the solver already has.

        ``extra`` are further facts that the query may cite.
        """
        self._check_time()
        if known:
            lines = self.context.check(sequent, replace(query, cites=()))
        else:
            lines = self.context.check(sequent, query, {**self.quiet, **self.lemmas, **extra})
        session = self._session(query.equations, query.quantified, known and bool(self.lemmas))
        answer = session.check("\n".join(lines), Limits(rlimit=rlimit, seconds=SAFETY_SECONDS))
        self.spent.calls += 1
        self.spent.seconds += answer.seconds
        if answer.status == "error":
            raise RuntimeError(f"the solver refused a query of ours: {answer.reason}")
        return answer.status == "unsat"

    def holds_alone(self, sequent: Sequent, query: Query, rlimit: int) -> bool:
        """Pose one query in a context of its own, where z3 simplifies before it searches: for ground arithmetic."""
        self._check_time()
        script = self.context.script_of(sequent, query, self.lemmas)
        answer = self._fresh.ask(script, Limits(rlimit=rlimit, seconds=SAFETY_SECONDS))
        self.spent.calls += 1
        self.spent.seconds += answer.seconds
        return answer.status == "unsat"

    def confirms(self, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent]) -> Answer:
        """Pose one query as the checker will: a fresh context, the whole script, to either solver."""
        script = self.context.script_of(sequent, query, earlier)
        if suits(sequent, bits=self._speaks_of_bits, products=self._multiplies):
            answer = self._asked_second(sequent, query, earlier, SURE)
            if answer.status == "unsat":
                return answer
        answer = Answer("unknown", "not asked")
        for options, rlimit in CONFIGURATIONS:
            answer = self._fresh.ask(script, Limits(rlimit=rlimit, seconds=SAFETY_SECONDS), options=options)
            self.spent.calls += 1
            self.spent.seconds += answer.seconds
            if answer.status == "unsat":
                break
        return answer

    def minimal(self, sequent: Sequent, query: Query, rlimit: int = 4 * DIRECT) -> Query:
        """The query with just the cites it needs (none when it does without)."""
        if not query.cites:
            return query
        core = self._core(sequent, query, rlimit)
        if core is not None and len(core) < len(query.cites) and self.holds(sequent, _citing(query, core), rlimit):
            query = _citing(query, core)
        elif self.holds(sequent, bare := _citing(query, ()), rlimit):
            return bare
        kept = list(query.cites)
        for cite in list(kept):
            trial = [c for c in kept if c != cite]
            if self.holds(sequent, _citing(query, tuple(trial)), CANDIDATE):
                kept = trial
        return _citing(query, tuple(kept))

    def _core(self, sequent: Sequent, query: Query, rlimit: int) -> tuple[str, ...] | None:
        """The cites that z3 has used, or None when it does not find the proof again."""
        self._check_time()
        facts = {**self.quiet, **self.lemmas}
        named = {self.context.citation(facts[cite]): f"cite.{number}" for number, cite in enumerate(query.cites)}
        lines = [
            f"(assert (! {line.removeprefix('(assert ')[:-1]} :named {named[line]}))" if line in named else line
            for line in self.context.check(sequent, query, facts)
        ]
        kind = (query.equations, query.quantified)
        if kind not in self._core_sessions:
            prelude = "\n".join(self.context.prelude(*kind))
            self._core_sessions[kind] = self._cores.session(prelude, INCREMENTAL, cores=True)
        answer = self._core_sessions[kind].check(
            "\n".join(lines), Limits(rlimit=rlimit, seconds=SAFETY_SECONDS), "core"
        )
        self.spent.calls += 1
        self.spent.seconds += answer.seconds
        if answer.status != "unsat":
            return None
        used = set(answer.output.strip("()").split())
        return tuple(cite for cite in query.cites if named[self.context.citation(facts[cite])] in used)

    def add_lemma(self, sequent: Sequent) -> str:
        """Let all later queries use a lemma; returns its key."""
        key = key_of(sequent)
        if key not in self.lemmas:
            self.lemmas[key] = sequent
            for (_, _, with_lemmas), session in self._sessions.items():
                if with_lemmas:
                    session.add(self.context.citation(sequent))
        return key

    def _session(self, equations: bool, quantified: bool, with_lemmas: bool) -> Session:
        name = (equations, quantified, with_lemmas)
        found = self._sessions.get(name)
        if found is None:
            process = self._processes.setdefault(name, Z3Process())
            prelude = list(self.context.prelude(equations, quantified))
            if with_lemmas:
                prelude += [self.context.citation(sequent) for sequent in self.lemmas.values()]
            found = self._sessions[name] = process.session("\n".join(prelude), INCREMENTAL)
        return found

    # ------------------------------------------------------------------------------------ unfoldings

    def unfoldings(self, sequent: Sequent, rounds: Iterable[int] = ROUNDS) -> Iterator[tuple[Instance, ...]]:
        """See `Unfolder.unfoldings`."""
        return self._unfolder.unfoldings(sequent, rounds)

    def _only_ground(self, sequent: Sequent) -> bool:
        """Whether equations, premises and hypotheses have nothing to say beyond what is given by the instance."""
        return self._ground_context and not any(t.binders for hyp in sequent.hyps for t in subterms(hyp))

    @cached_property
    def _ground_context(self) -> bool:
        return self.context.prelude(True, True) == self.context.prelude(False, False)

    def mentions_unfolded(self, sequent: Sequent) -> bool:
        """Whether there are calls that only `unfoldings` unfold: of functions that recur on numbers."""
        return bool(self.unfolded) and any(
            t.kind is Kind.APP and t.name in self.unfolded
            for part in (sequent.concl, *sequent.hyps)
            for t in subterms(part)
        )

    def on_time(self) -> None:
        """Called by whoever works for long without a query.

        Raises:
            OutOfTime: see the class.
        """
        self._check_time()

    def _check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime
        if self.most_calls is not None and self.spent.calls >= self.most_calls:
            raise OutOfTime


def _citing(query: Query, cites: tuple[str, ...]) -> Query:
    """The query with fewer cites, without the instances of the others."""
    instances = tuple(i for i in query.instances if i.of != "step" or i.name in cites)
    return replace(query, cites=cites, instances=instances)


def _recursive_positions(bench: Workbench) -> frozenset[tuple[str, int]]:
    return frozenset(
        (equation.function, position)
        for equation in bench.equations
        for position, argument in enumerate(equation.lhs.args)
        if argument.kind is not Kind.VAR
    )


def interpretation(problem: Problem, seed: int) -> Callable[[str, tuple[Any, ...]], Any]:
    """Declared functions as fixed pseudo-random ones: the same for the same seed, whatever the order of calls."""
    import hashlib
    import random

    from goedels_poetry.kernel.refutation.values import random_value

    known: dict[tuple[str, tuple[Any, ...]], Any] = {}

    def interpret(name: str, args: tuple[Any, ...]) -> Any:
        key = (name, args)
        if key not in known:
            digest = hashlib.blake2b(repr((seed, key)).encode(), digest_size=8).digest()
            source = random.Random(digest)
            known[key] = random_value(problem.signature, problem.signature.functions[name][1], 2, source)
        return known[key]

    return interpret
