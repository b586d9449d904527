"""The solver processes of one prover, and what each of them has been told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.smt.context.budget import Budget
from goedels_poetry.smt.context.limits import INCREMENTAL, SAFETY_SECONDS
from goedels_poetry.smt.context.second_solver import SecondSolver
from goedels_poetry.solvers.limits import Answer, Limits
from goedels_poetry.solvers.spare import lend, take_back
from goedels_poetry.solvers.z3_process import Session, Z3Process

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
        return self._budget.spend(session.check("\n".join(lines), Limits(rlimit=rlimit, seconds=SAFETY_SECONDS)))

    def core(self, lines: Iterable[str], prelude: tuple[bool, bool], rlimit: int) -> Answer:
        """The same with an unsat core of the named assertions, in a session without lemmas."""
        if prelude not in self._core_sessions:
            text = "\n".join(self._obligations.prelude(*prelude))
            self._core_sessions[prelude] = self._cores.session(text, INCREMENTAL, cores=True)
        session = self._core_sessions[prelude]
        limits = Limits(rlimit=rlimit, seconds=SAFETY_SECONDS)
        return self._budget.spend(session.check("\n".join(lines), limits, "core"))

    def ask(self, script: str, rlimit: int, options: Mapping[str, str], seconds: float = SAFETY_SECONDS) -> Answer:
        """Pose a whole script to z3 in a fresh context, unless such a one has already shown it with no more work."""
        question = (script, tuple(sorted(options.items())))
        known = self._closed.get(question)
        if known is not None and known.rlimit_used is not None and known.rlimit_used <= rlimit:
            return known
        limits = Limits(rlimit=rlimit, seconds=seconds)
        answer = self._budget.spend(self._fresh.ask(script, limits, options=options))
        if answer.status == "unsat":
            if len(self._closed) >= _KEPT:
                self._closed.clear()
            self._closed[question] = answer
        return answer

    def ask_second(self, script: str, rlimit: int) -> Answer:
        """The same to cvc5."""
        return self._budget.spend(self._second.ask(script, rlimit))

    def second_believes(self, sequent: Sequent) -> bool:
        """See `SecondSolver.believes`; not counted, but within the time that is left."""
        return self._second.believes(self._obligations, sequent, self._budget.seconds_left())

    def _session(self, prelude: tuple[bool, bool], lemmas: tuple[Sequent, ...]) -> Session:
        kind = (*prelude, bool(lemmas))
        session = self._sessions.get(kind)
        if session is None:
            process = self._processes.get(kind) or self._processes.setdefault(kind, lend())
            lines = [*self._obligations.prelude(*prelude), *map(self._obligations.citation, lemmas)]
            session = self._sessions[kind] = process.session("\n".join(lines), INCREMENTAL)
        return session
