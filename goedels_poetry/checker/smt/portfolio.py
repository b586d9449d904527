"""Posing obligations to solvers, each in a context that knows nothing of the others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Finish, Limits, SolverUnavailable
from goedels_poetry.solvers.z3_process import Z3Process, unused

Options = Mapping[str, str]

_E_MATCHING = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
Z3_OPTIONS: tuple[Options, ...] = (_E_MATCHING, {**_E_MATCHING, "smt.case_split": "3"}, {})
"""E-matching alone, which is what the search uses, with two ways to split cases; then z3 as it comes."""

CVC5_OPTIONS: tuple[Options, ...] = ({}, {"enum-inst": "true"}, {"full-saturate-quant": "true"})
"""In this order. Constant arrays need an option of their own besides."""

_AS_INTEGERS: Options = {"solve-bv-as-int": "sum"}
"""What is tried first on bit-vectors: sums of them are easy as sums of integers, and hard bit by bit."""

SHORT = 2.0
"""Seconds that each configuration of the first solver gets at first."""

CONFIRMING = 1.0
"""Seconds for each way to confirm what the other solver has decided: nearly all are confirmed in a tenth of that."""

PATIENCE = 20.0
"""Seconds for all that the second solver cannot decide; then it is no longer asked."""

FIRST_ALONE = 0.5
"""Seconds that the first solver has before the second one joins in; most obligations need a hundredth of that."""

LEAST = 0.2
"""Seconds that make it worth asking."""


_NOT_ASKED = Answer("unknown", "not asked")
_NO_TIME = "no time left for it"
_NO_PATIENCE = "not asked: too much time went into what could not be decided"


class Undecided(Exception):
    """Something could not be shown within the limits. ``args``: the reason."""


@dataclass
class Solvers:
    """One fresh process of each solver; a context manager that ends them."""

    first: Z3Process
    second: Cvc5Process | None
    limits: Limits
    until: float = math.inf
    """``time.monotonic`` after which the second solver is not asked any more."""
    patience: float = PATIENCE

    @classmethod
    def start(cls, limits: Limits, second: bool, until: float = math.inf) -> Solvers:
        """Processes that nobody has used before. They load while the theorem is read."""
        solvers = cls(unused(limits), Cvc5Process() if second else None, limits, until)
        if solvers.second is not None:
            solvers.second.begin(limits)  # it takes longer to load than most obligations to decide
        return solvers

    def __enter__(self) -> Solvers:
        return self

    def __exit__(self, *_: object) -> None:
        self.first.close()
        if self.second is not None:
            self.second.close()

    @property
    def cut_off(self) -> int:
        """How many queries so far ended for want of time, or with their process."""
        return self.first.cut_off + (self.second.cut_off if self.second is not None else 0)

    def decides(self, script: str) -> Finish:
        """The first definite answer of either solver: the first one alone for a moment, then both at once.

        ``winner`` is 0 for the first solver, 1 for the second one, None when neither can tell. A solver that crashes,
        cannot be run or refuses to read the script has not decided it.
        """
        if self.second is None:
            answer = self.refutes(script)
            return Finish(0 if answer.definite else None, answer)
        alone = min(FIRST_ALONE, self.limits.seconds)
        answer = next(self._first_answers(script, alone))
        if answer.definite:
            return Finish(0, answer)
        ours = (a for limits in _stages(self.limits) for a in self._first_answers(script, limits.seconds))
        from goedels_poetry.solvers.process import Runner, race  # what one solver decides needs no second

        return race(Runner(self.first, ours), Runner(self.second, self._second_answers(script, self.limits.seconds)))

    def refutes(self, script: str, *, short: bool = False) -> Answer:
        """The first solver's answer; ``unsat`` if any of its configurations says so. ``short``: do not insist."""
        stages = _stages(self.limits)[: 1 if short else None]
        return _first_definite(a for limits in stages for a in self._first_answers(script, limits.seconds))

    def confirms(self, script: str) -> Answer:
        """The second solver's answer to what the first one has decided (``unknown`` when there is none)."""
        if self.second is None:
            return Answer("unknown", "no second solver")
        return self._patiently(self._second_answers(script, min(CONFIRMING, self.limits.seconds)))

    def reconsiders(self, script: str) -> Answer:
        """The first solver's answer to what the second one has decided."""
        return self._patiently(self._first_answers(script, min(CONFIRMING, self.limits.seconds), self.until))

    def _patiently(self, answers: Iterator[Answer]) -> Answer:
        """The first definite one of the answers, at the cost of the patience when there is none."""
        if self.patience < LEAST:
            return Answer("unknown", _NO_PATIENCE)
        began = time.monotonic()
        answer = _first_definite(answers, Answer("unknown", _NO_TIME))
        if not answer.definite:
            self.patience -= time.monotonic() - began
        return answer

    def _first_answers(self, script: str, most: float, until: float = math.inf) -> Iterator[Answer]:
        """With ``most`` seconds for each way to ask, all of them before ``until``, as long as it can be run."""
        # z3's incremental solver, which is what a search with one context for all queries uses
        ways: list[Callable[[Limits], Answer]] = [
            lambda limits: self.first.session(script, Z3_OPTIONS[0]).check("", limits),
            *[lambda limits, o=o: self.first.ask(script, limits, options=o) for o in Z3_OPTIONS],
        ]
        for way in ways:
            seconds = min(most, until - time.monotonic())
            if seconds < LEAST and until < math.inf:
                return
            try:
                yield way(replace(self.limits, seconds=seconds))
            except SolverUnavailable as error:
                yield Answer("error", str(error), lost=True)
                return

    def _second_answers(self, script: str, most: float) -> Iterator[Answer]:
        """With ``most`` seconds for each way to ask."""
        assert self.second is not None
        more = {"arrays-exp": "true"} if "(as const " in script else {}
        for options in (*([_AS_INTEGERS] if "BitVec" in script else []), *CVC5_OPTIONS):
            seconds = min(most, self.until - time.monotonic())
            if seconds < LEAST:
                return
            try:
                yield self.second.ask(script, replace(self.limits, seconds=seconds), options={**options, **more})
            except SolverUnavailable as error:
                yield Answer("error", str(error), lost=True)
                return


def _stages(limits: Limits) -> list[Limits]:
    """A short time for every configuration, then the whole time."""
    return [replace(limits, seconds=SHORT), limits] if limits.seconds > SHORT else [limits]


def _first_definite(answers: Iterable[Answer], nothing: Answer = _NOT_ASKED) -> Answer:
    """The first answer that is a verdict, or the last one; ``nothing`` when there is none."""
    answer = nothing
    for answer in answers:
        if answer.definite:
            break
    return answer


def for_want_of_time(answer: Answer) -> bool:
    """Whether the same may be decided another time, on a machine that has less to do."""
    return answer.reason in ("timeout", "killed", _NO_TIME, _NO_PATIENCE) or answer.lost
