"""Posing obligations to solvers, each in a context that knows nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from goedels_poetry.solvers import Answer, Cvc5Process, Limits, SolverProcess, Z3Process

Options = Mapping[str, str]

Z3_OPTIONS: tuple[Options, ...] = (
    {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"},
    {},
)
"""E-matching alone first, which is what the search uses; then z3 as it comes."""

CVC5_OPTIONS: tuple[Options, ...] = ({}, {"enum-inst": "true"}, {"full-saturate-quant": "true"})


@dataclass
class Solvers:
    """One fresh process of each solver; a context manager that ends them."""

    first: SolverProcess
    second: SolverProcess | None
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
        return _first_definite(self.first, script, self.limits, Z3_OPTIONS)

    def confirms(self, script: str) -> Answer:
        """The second solver's answer (``unknown`` when there is none)."""
        if self.second is None:
            return Answer("unknown", "no second solver")
        return _first_definite(self.second, script, self.limits, CVC5_OPTIONS)


def _first_definite(solver: SolverProcess, script: str, limits: Limits, attempts: Sequence[Options]) -> Answer:
    answer = Answer("unknown", "not asked")
    for options in attempts:
        answer = solver.ask(script, limits, options=options)
        if answer.status != "unknown":
            break
    return answer


Progress = Callable[[str, Answer], None]
