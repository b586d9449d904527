"""Posing obligations to solvers, each in a context that knows nothing of the others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from goedels_poetry.solvers import Answer, Cvc5Process, Limits, Z3Process

Options = Mapping[str, str]

_E_MATCHING = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
Z3_OPTIONS: tuple[Options, ...] = (_E_MATCHING, {**_E_MATCHING, "smt.case_split": "3"}, {})
"""E-matching alone, which is what the search uses, with two ways to split cases; then z3 as it comes."""

CVC5_OPTIONS: tuple[Options, ...] = ({}, {"enum-inst": "true"}, {"full-saturate-quant": "true"})
"""In this order. Constant arrays need an option of their own besides."""

SHORT = 2.0
"""Seconds that each configuration of the first solver gets at first, and each of the second solver at all."""

PATIENCE = 20.0
"""Seconds for all that the second solver cannot decide; then it is no longer asked."""

LEAST = 0.2
"""Seconds that make it worth asking."""


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
        """Processes that nobody has used before. They start with their first query."""
        return cls(Z3Process(), Cvc5Process() if second else None, limits, until)

    def __enter__(self) -> Solvers:
        return self

    def __exit__(self, *_: object) -> None:
        self.first.close()
        if self.second is not None:
            self.second.close()

    def refutes(self, script: str, *, short: bool = False) -> Answer:
        """The first solver's answer; ``unsat`` if any of its configurations says so. ``short``: do not insist."""

        def pose(limits: Limits) -> Iterator[Answer]:
            # z3's incremental solver, which is what a search with one context for all queries uses
            yield self.first.session(script, Z3_OPTIONS[0]).check("", limits)
            for options in Z3_OPTIONS:
                yield self.first.ask(script, limits, options=options)

        stages = _stages(self.limits)
        return _first_definite(pose, stages[:1] if short else stages)

    def confirms(self, script: str) -> Answer:
        """The second solver's answer (``unknown`` when there is none)."""
        if self.second is None:
            return Answer("unknown", "no second solver")
        if self.patience < LEAST:
            return Answer("unknown", "not asked: too much time went into what it could not decide")
        began = time.monotonic()
        answer = Answer("unknown", "no time left for it")
        more = {"arrays-exp": "true"} if "(as const " in script else {}
        for options in CVC5_OPTIONS:
            seconds = min(SHORT, self.limits.seconds, self.until - time.monotonic())
            if seconds < LEAST:
                break
            answer = self.second.ask(script, replace(self.limits, seconds=seconds), options={**options, **more})
            if answer.status != "unknown":
                return answer
        self.patience -= time.monotonic() - began
        return answer


def _stages(limits: Limits) -> list[Limits]:
    """A short time for every configuration, then the whole time."""
    return [replace(limits, seconds=SHORT), limits] if limits.seconds > SHORT else [limits]


def _first_definite(pose: Callable[[Limits], Iterable[Answer]], stages: Iterable[Limits]) -> Answer:
    """The first answer that is not ``unknown``."""
    answer = Answer("unknown", "not asked")
    for limits in stages:
        for answer in pose(limits):
            if answer.status != "unknown":
                return answer
    return answer
