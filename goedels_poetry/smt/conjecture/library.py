"""Lemmas proved on the way to a goal: tested on values first, and tried again when there are more of them.

The loop of HipSpec (Claessen, Johansson, Rosén and Smallbone, "Automating Inductive Proofs using Theory Exploration",
2013): test, drop what follows by rewriting, prove by one induction, keep, and try again what failed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term, is_app
from goedels_poetry.protocol.trials import ENOUGH, Status
from goedels_poetry.smt.conjecture.critics import critic_lemmas
from goedels_poetry.smt.conjecture.failed_steps import from_failed_step
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, PATIENT
from goedels_poetry.smt.induction.first import induction
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.rules import Rules
from goedels_poetry.smt.rewriting.statements import apart

TESTS = 80
"""Values on which a candidate is tested before anybody tries to prove it."""

UNPROVED = f"true in {TESTS} tests, not proved"

SUGGESTED = 12
"""Lemmas that were not proved of which is asked, at a time, whether they would do."""

CHANCES = 4
"""How often a candidate that failed is tried again, when there are new lemmas."""

MAX_LAW = 9
"""Size of laws that are kept although they follow without an induction."""

MAX_VARIABLES = 4
"""Variables of a candidate; of more, a guess is hardly ever a law."""

RETRIED = 12
"""How many of them at a time."""


class Library:
    """Lemmas proved on the way, smallest first; what has been tried is not tried again."""

    def __init__(self, context: ProverContext) -> None:
        self._context = context
        self.plans: dict[str, Plan] = {}
        self.rules = Rules(context.signature, context.rewriter)
        self.rules.add_premises(context.problem.premises, context.reserved)
        self._hopes = Rules(context.signature, context.rewriter)
        self._hopes.add_premises(context.problem.premises, context.reserved)
        for fact in context.lemmas.values():
            self.rules.add(fact)
            self._hopes.add(fact)
        context.rewrite_by(self.rules.query)
        self._tried: set[str] = set()
        self._failed: dict[str, Sequent] = {}
        self._chances: dict[str, int] = {}
        self._refused: set[str] = set()
        self._false: set[str] = set()
        self._asked: dict[str, bool] = {}
        self._most_calls = math.inf

    def attempt(
        self,
        candidate: Sequent,
        deep: int = 0,
        *,
        patient: bool = False,
        again: bool = False,
    ) -> bool | None:
        """Test and prove a candidate: True when it is new and proved, False when useless, None when it failed.

        One that was tried before is only looked at ``again`` on request, or when lemmas of its own may be found.
        """
        context, key = self._context, key_of(candidate)
        candidate = apart(candidate, context.reserved)
        if key in self.plans or key in self._false:
            return False
        if key in self._tried and not (deep or again):
            return None
        new = key not in self._tried
        self._tried.add(key)
        if len(candidate.vars) > MAX_VARIABLES or self.rules.joins(candidate):
            self._failed.pop(key, None)
            return False
        if new and (values := context.refutes(candidate, TESTS)) is not None:
            self._false.add(key)
            self._note_refuted(candidate, values)
            return False
        if not (deep or again or patient) and self._hopes.joins(candidate):
            return None  # it follows from others that nobody could prove
        query = Query(cites=tuple(context.lemmas))
        if context.holds(candidate, query, CANDIDATE // 2, known=True):
            # A solver makes no case distinction at the terms where such a law will be needed.
            if not candidate.hyps and candidate.size <= MAX_LAW and not is_app(candidate.concl, "=>"):
                self._keep(key, candidate, leaf(candidate, query), quiet=not _simplifies(candidate))
            return False
        began = time.monotonic()
        context.trials.at(show(candidate.formula))
        plan = self._prove(candidate, deep, PATIENT if patient else CANDIDATE)
        self._note(candidate, plan is not None, time.monotonic() - began)
        if plan is None:
            if not again:
                self._failed[key] = candidate
                self._chances[key] = CHANCES
                self._hopes.add(candidate)
            return None
        self._keep(key, candidate, plan)
        return True

    def _note_refuted(self, candidate: Sequent, values: dict[Term, Any]) -> None:
        trials = self._context.trials
        if trials.wants(Status.REFUTED):  # there may be thousands, and to print one takes as long as to refute it
            shown = show_assignment(self._context.signature, values)["text"]
            trials.tried(show(candidate.formula), Status.REFUTED, f"false for {shown}", lemma=True)

    def _note(self, candidate: Sequent, proved: bool, seconds: float | None) -> None:
        open_result = ENOUGH if self._asked.get(key_of(candidate)) else UNPROVED
        status, result = (Status.PROVED, "proved") if proved else (Status.FAILED, open_result)
        self._context.trials.tried(show(candidate.formula), status, result, seconds, lemma=True)

    def enough(self, follows: Callable[[Sequent], bool]) -> None:
        """Say of the smallest lemmas that were not proved whether the goal ``follows`` from them; of each once."""
        waiting = [(key, c) for key, c in self._failed.items() if key not in self._asked]
        for key, candidate in sorted(waiting, key=lambda item: item[1].size)[:SUGGESTED]:
            self._asked[key] = follows(candidate) and self._context.refutes(candidate, 5 * TESTS) is None
            self._note(candidate, False, None)

    def _keep(self, key: str, fact: Sequent, plan: Plan, *, quiet: bool = False) -> None:
        self.plans[key] = plan
        self._failed.pop(key, None)
        self._context.add_lemma(fact, quiet=quiet)
        self.rules.add(fact)
        self._hopes.add(fact)

    def attempt_all(
        self, candidates: Iterable[Sequent], deep: int, most_calls: float, *, patient: bool = False
    ) -> Iterator[Sequent]:
        """Attempt candidates in turn, with at most so many queries in all; yields those that were proved."""
        context, left = self._context, most_calls
        for candidate in candidates:
            before = context.budget.calls
            self._most_calls = before + left
            proved = left > 0 and self.attempt(candidate, deep, patient=patient)
            left -= context.budget.calls - before
            self._most_calls = math.inf
            if proved:
                yield candidate

    def _prove(self, candidate: Sequent, deep: int, rlimit: int) -> Plan | None:
        context = self._context
        plan = induction(context, candidate, full=False, rlimit=rlimit)
        if plan is None and deep:
            for step in _steps(context, candidate):
                if context.budget.calls >= self._most_calls:
                    break
                if self.attempt(step, deep - 1):
                    plan = induction(context, candidate, full=False, rlimit=CANDIDATE)
                    if plan is not None:
                        break
        return plan

    def establish(
        self, fact: Sequent, prove: Callable[[ProverContext, Sequent], Plan | None], *, quiet: bool = False
    ) -> bool:
        """Keep a fact that others are going to cite; whether ``prove`` has proved it, now or before.

        ``quiet``: no solver knows it unasked.
        """
        key, fact = key_of(fact), apart(fact, self._context.reserved)
        if key not in self.plans and key not in self._refused:
            plan = prove(self._context, fact)
            if plan is None or not plan.complete:
                self._refused.add(key)
                return False
            self._keep(key, fact, plan, quiet=quiet)
        return key in self.plans

    def retry(self) -> bool:
        """Try the smallest failed candidates again after new lemmas; True when any was proved."""
        any_new, again = False, True
        while again:
            again = False
            waiting = [(k, c) for k, c in self._failed.items() if self._chances[k] > 0]
            for key, candidate in sorted(waiting, key=lambda item: item[1].size)[:RETRIED]:
                self._chances[key] -= 1
                if self.attempt(candidate, again=True):
                    again = any_new = True
        return any_new


def _simplifies(candidate: Sequent) -> bool:
    """Whether a candidate is a small law that only makes terms smaller, such as ``plus x zero = x``."""
    concl = candidate.concl
    if not is_app(concl, "="):
        return False
    small, large = sorted(concl.args, key=lambda t: t.size)
    return small.size + 1 < large.size and small.size <= 2 and small.free <= large.free


def _steps(context: ProverContext, candidate: Sequent) -> Iterator[Sequent]:
    """What the inductions of a candidate are stuck on; the second kind is looked for only after the first."""
    yield from from_failed_step(context, candidate)[:6]
    yield from critic_lemmas(context, candidate)[:4]
