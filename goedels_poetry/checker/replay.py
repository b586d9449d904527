"""Posing obligations to solvers, each in a context that knows nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from goedels_poetry.solvers import Answer, Cvc5Process, Limits, Z3Process

Options = Mapping[str, str]

Z3_OPTIONS: tuple[Options, ...] = (
    {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"},
    {},
)
"""E-matching alone first, which is what the search uses; then z3 as it comes."""

CVC5_OPTIONS: tuple[Options, ...] = ({}, {"enum-inst": "true"}, {"full-saturate-quant": "true"})

SHORT = 2.0
"""Seconds that each configuration gets at first."""


@dataclass
class Solvers:
    """One fresh process of each solver; a context manager that ends them."""

    first: Z3Process
    second: Cvc5Process | None
    limits: Limits

    @classmethod
    def start(cls, limits: Limits, second: bool) -> Solvers:
        """Processes that nobody has used before. They start with their first query."""
        return cls(Z3Process(), Cvc5Process() if second else None, limits)

    def __enter__(self) -> Solvers:
        return self

    def __exit__(self, *_: object) -> None:
        self.first.close()
        if self.second is not None:
            self.second.close()

    def refutes(self, script: str) -> Answer:
        """The first solver's answer; ``unsat`` if any of its configurations says so."""

        def pose(limits: Limits) -> Iterator[Answer]:
            yield self.first.ask(script, limits, options=Z3_OPTIONS[0])
            # the same in z3's incremental solver, which is what a search with one context for all queries uses
            yield self.first.session(script, Z3_OPTIONS[0]).check("", limits)
            yield self.first.ask(script, limits, options=Z3_OPTIONS[1])

        return self._first_definite(pose)

    def confirms(self, script: str) -> Answer:
        """The second solver's answer (``unknown`` when there is none)."""
        second = self.second
        if second is None:
            return Answer("unknown", "no second solver")
        return self._first_definite(
            lambda limits: (second.ask(script, limits, options=options) for options in CVC5_OPTIONS)
        )

    def _first_definite(self, pose: Callable[[Limits], Iterable[Answer]]) -> Answer:
        """The first answer that is not ``unknown``: all configurations get a short time, then all the whole."""
        answer = Answer("unknown", "not asked")
        stages = [replace(self.limits, seconds=SHORT), self.limits] if self.limits.seconds > SHORT else [self.limits]
        for limits in stages:
            for answer in pose(limits):
                if answer.status != "unknown":
                    return answer
        return answer
