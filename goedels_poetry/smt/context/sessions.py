"""The solver processes of one prover, and what a job may use of queries and time.

cvc5 as the first one asked, for the kinds of goals that it closes and z3 does not.

Measured on the failed queries of our arithmetic goals (z3 with 60,000 to 400,000 steps): of 27 with an existential
conclusion that are true, cvc5 closed 24, each within 4,000 steps and 0.02 s; of 19 sums of bit-vectors 12 (all, as
sums of integers); of 80 about products of integers none, but remainders of products it finds where z3 does not. Of
strings it closes in 0.1 s what z3 does not in 10 s (a key split again at its first separator). So it is asked first,
and with few steps, for these kinds, and not at all for others; a race would only cost twice.

Its own induction is that of Reynolds and Kuncak, "Induction for SMT Solvers", 2015.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, is_app, not_, subterms
from goedels_poetry.protocol.base import UNITS_A_SECOND
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Limits
from goedels_poetry.solvers.worker import lend, take_back
from goedels_poetry.solvers.z3_process import Session, Z3Process

# What a job may use, and what it has used so far

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

MODEL_SECONDS = 1.0
"""The same for instantiation by models, which may run away."""

ROUNDS = (1, 2, 3)
"""How often the calls that unfoldings bring are unfolded themselves."""

INCREMENTAL = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
"""Options of z3 for sessions: many short queries over one prelude, quantifiers by triggers alone."""

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


UNITS_A_CALL, UNITS_OF_FUEL, UNITS_OF_SECOND = 3_000, 3, 10
"""For a query whatever it takes, for a step of our evaluator, for a unit of cvc5."""
SLACK = 20.0
"""How much longer than usual a solver may take where units are counted and not seconds."""


class Budget:
    """Counts queries against a limit, and time against a deadline; neither limit is there unless it is set.

    ``calls`` and ``seconds`` are the queries posed and the time that solvers took for them, ``units`` the resources:
    steps of both solvers and of our evaluator (``fuel`` says how many), the same on a busy machine and on a quiet one.
    """

    def __init__(self, fuel: Callable[[], int] = lambda: 0) -> None:
        self._fuel = fuel
        self.reset()

    def reset(self) -> None:
        """As it began: nothing used, nothing limited."""
        self.calls = 0
        self.seconds = 0.0
        self._units, self._fuel_before = 0, self._fuel()
        self.in_units = False
        self._deadline: float | None = None
        self._horizon = math.inf
        self._most_calls: int | None = None

    @property
    def units(self) -> int:
        """Resource units that were used."""
        return self._units + UNITS_OF_FUEL * (self._fuel() - self._fuel_before)

    def now(self) -> float:
        """Seconds by a clock; where ``in_units`` is set, those that the units count as."""
        return self.units / UNITS_A_SECOND if self.in_units else time.monotonic()

    def limits(self, rlimit: int, seconds: float) -> Limits:
        """Of one query: where units are counted, a busy machine has time for them."""
        return Limits(rlimit=rlimit, seconds=seconds * SLACK if self.in_units else seconds)

    def set_deadline(self, seconds: float | None) -> None:
        """So many ``seconds`` from now, or none."""
        self._deadline = self.now() + seconds if seconds is not None else None

    def expect(self, seconds: float) -> None:
        """Share out so many ``seconds`` from now where a part is given away; the whole does not end with them."""
        self._horizon = self.now() + seconds

    def limit_calls(self, calls: int | None) -> None:
        """So many more queries, or any number of them. The same on every machine, unlike a deadline."""
        self._most_calls = self.calls + calls if calls is not None else None

    @property
    def counts_calls(self) -> bool:
        """Whether queries are limited by number: a few are no time to be shared out."""
        return self._most_calls is not None

    @contextmanager
    def part(self, most: float, least: float = 0.0) -> Iterator[None]:
        """At most a part of what is left, 0 to 1, inside; what is not used of it is there afterwards.

        ``least``: seconds that there are anyway, for the last step of what took long to find.
        """
        calls, deadline, now = self._most_calls, self._deadline, self.now()
        if calls is not None:
            self._most_calls = self.calls + int(max(0, calls - self.calls) * most)
        if self.seconds_left() < math.inf:
            self._deadline = now + max(least, self.seconds_left() * most)
        try:
            yield
        finally:
            self._most_calls, self._deadline = calls, deadline

    def spend(self, answer: Answer, units: int = 1) -> Answer:
        """Count a query that was answered; ``units`` for each of the solver's own."""
        self.calls += 1
        self.seconds += answer.seconds
        self._units += UNITS_A_CALL + units * (answer.rlimit_used or 0)
        return answer

    def seconds_left(self) -> float:
        """Until the deadline, or else until what is expected; infinite without either."""
        return (self._horizon if self._deadline is None else self._deadline) - self.now()

    def check(self) -> None:
        """To be called before a query, and by whoever works for long without one. Raises OutOfTime: nothing is left."""
        if self._deadline is not None and self.now() > self._deadline:
            raise OutOfTime
        if self._most_calls is not None and self.calls >= self._most_calls:
            raise OutOfTime


RLIMIT = 10_000
"""Resource units of cvc5 for one attempt: up to about 0.1 s."""

SURE = 100_000
"""The same for a query that was closed before."""

BELIEF = 1_000_000
"""The same for one attempt with its own induction: about two seconds."""

SECONDS = 3.0
BELIEF_SECONDS = 6.0
_INDUCTION = {"quant-ind": "true", "conjecture-gen": "true", "full-saturate-quant": "true"}


SORTS = frozenset({"BitVec", "String"})
"""Sorts about which it proves more than z3."""


def suits(sequent: Sequent, *, sorts: bool, products: bool) -> bool:
    """Whether a goal is of a kind for which cvc5 is better: existential, about `SORTS` or remainders of products.

    ``sorts``, ``products``: whether there can be any.
    """
    if sequent.concl.kind is Kind.EXISTS:
        return True
    if products and any(t.kind is Kind.APP and t.name in ("mod", "div") for t in subterms(sequent.concl)):
        return True
    return sorts and any(t.sort.name in SORTS for part in (sequent.concl, *sequent.hyps) for t in subterms(part))


def multiplies(term: Term) -> bool:
    """Whether a term multiplies integers of which two are not numbers."""
    return any(is_app(t, "*") and sum(a.kind is not Kind.LIT for a in t.args) > 1 for t in subterms(term))


class SecondSolver:
    """One cvc5 process, started when it is first needed."""

    def __init__(self) -> None:
        self._process = Cvc5Process()

    def ask(self, script: str, limits: Limits) -> Answer:
        """Its answer; ``unknown`` also when it does not read the script."""
        options = {"solve-bv-as-int": "sum"} if "BitVec" in script else {}
        answer = self._process.ask(script, limits, options=options)
        return Answer("unknown", answer.reason, seconds=answer.seconds) if answer.status == "error" else answer

    def believes(self, context: Context, sequent: Sequent, limits: Limits) -> Answer:
        """``unsat`` where cvc5 proves a goal with its own induction and its own conjectures.

        That is no proof for us, since nobody sees its steps; it says that the goal is worth more effort.
        """
        # closed, since of a goal about constants there is nothing to induct on
        denied = f"(assert {context.encoding.text(not_(sequent.formula))})"
        lines = (*with_definitions(context), *named_premises(context), denied)
        return self._process.ask("\n".join(lines), limits, options=_INDUCTION)

    def close(self) -> None:
        """Stop the process."""
        self._process.close()


_KEPT = 16
"""Answers of fresh contexts that are remembered: a goal is tried, and then its candidate is verified."""


class SolverSessions:
    """A z3 session for each kind of prelude, one for unsat cores, a z3 for single scripts, and cvc5.

    Processes start when they are first needed. Every answer is counted by ``budget``.
    """

    def __init__(self, obligations: Context, budget: Budget) -> None:
        self._obligations = obligations
        self._budget = budget
        self._processes: dict[tuple[bool, bool, bool], Z3Process] = {}
        self._sessions: dict[tuple[bool, bool, bool], Session] = {}
        self._core_sessions: dict[tuple[bool, bool], Session] = {}
        self._second = SecondSolver()
        self._closed: dict[tuple[str, tuple[tuple[str, str], ...]], Answer] = {}

    @cached_property
    def _fresh(self) -> Z3Process:
        return lend()

    @cached_property
    def _cores(self) -> Z3Process:
        return lend()

    def forget(self) -> None:
        """Begin new sessions in the old processes: what z3 has seen changes what it finds, and jobs begin alike."""
        self._core_sessions.clear()
        self._sessions.clear()

    def close(self) -> None:
        """Stop cvc5, and leave the others to the next theorem."""
        used = [vars(self)[name] for name in ("_fresh", "_cores") if name in vars(self)]
        for process in (*used, *self._processes.values()):
            take_back(process)
        self._second.close()

    def add_lemma(self, lemma: Sequent) -> None:
        """Tell the sessions that know the lemmas another one."""
        for (_, _, knows_lemmas), session in self._sessions.items():
            if knows_lemmas:
                session.add(self._obligations.citation(lemma))

    def check(self, lines: Iterable[str], prelude: tuple[bool, bool], lemmas: Iterable[Sequent], rlimit: int) -> Answer:
        """Pose one query in the session of this ``prelude`` (equations, quantified), which knows these ``lemmas``."""
        session = self._session(prelude, tuple(lemmas))
        return self._budget.spend(session.check("\n".join(lines), self._budget.limits(rlimit, SAFETY_SECONDS)))

    def core(self, lines: Iterable[str], prelude: tuple[bool, bool], rlimit: int) -> Answer:
        """The same with an unsat core of the named assertions, in a session without lemmas."""
        if prelude not in self._core_sessions:
            text = "\n".join(self._obligations.prelude(*prelude))
            self._core_sessions[prelude] = self._cores.session(text, INCREMENTAL, cores=True)
        session = self._core_sessions[prelude]
        limits = self._budget.limits(rlimit, SAFETY_SECONDS)
        return self._budget.spend(session.check("\n".join(lines), limits, "core"))

    def ask(self, script: str, rlimit: int, options: Mapping[str, str], seconds: float = SAFETY_SECONDS) -> Answer:
        """Pose a whole script to z3 in a fresh context, unless such a one has already shown it with no more work."""
        question = (script, tuple(sorted(options.items())))
        known = self._closed.get(question)
        if known is not None and known.rlimit_used is not None and known.rlimit_used <= rlimit:
            return known
        limits = self._budget.limits(rlimit, seconds)
        answer = self._budget.spend(self._fresh.ask(script, limits, options=options))
        if answer.status == "unsat":
            if len(self._closed) >= _KEPT:
                self._closed.clear()
            self._closed[question] = answer
        return answer

    def ask_second(self, script: str, rlimit: int) -> Answer:
        """The same to cvc5."""
        return self._budget.spend(self._second.ask(script, self._budget.limits(rlimit, SECONDS)), UNITS_OF_SECOND)

    def second_believes(self, sequent: Sequent) -> bool:
        """See `SecondSolver.believes`, within the time that is left."""
        limits = self._budget.limits(BELIEF, max(0.0, min(self._budget.seconds_left(), BELIEF_SECONDS)))
        answer = self._second.believes(self._obligations, sequent, limits)
        return self._budget.spend(answer, UNITS_OF_SECOND).status == "unsat"

    def _session(self, prelude: tuple[bool, bool], lemmas: tuple[Sequent, ...]) -> Session:
        kind = (*prelude, bool(lemmas))
        session = self._sessions.get(kind)
        if session is None:
            process = self._processes.get(kind) or self._processes.setdefault(kind, lend())
            lines = [*self._obligations.prelude(*prelude), *map(self._obligations.citation, lemmas)]
            session = self._sessions[kind] = process.session("\n".join(lines), INCREMENTAL)
        return session
