"""Does a function accept any input? A contract whose conditions contradict each other promises nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from goedels_poetry.checker.smt.portfolio import Z3_OPTIONS
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.python.translate.contracts import Clause, Contract
from goedels_poetry.python.translate.program import Program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.z3_process import Z3Process

LIMITS = Limits(rlimit=2_000_000, seconds=10.0)
"""For each attempt to show that no input is accepted: what counts is work, so that a check finds what a run found."""
ONE = "no input is accepted: requires {} never holds"
SEVERAL = "no input is accepted: these contradict each other: {}"


def contradictory(program: Program, function: str) -> tuple[str, ...]:
    """The conditions (texts) that no input satisfies together, as few as easily found; () where that is not shown.

    It is asked of a function whose contract has been proved: then its definitions, and with them those of the
    conditions, are known to mean something.
    """
    clauses = program.functions[function].contract.requires
    with suppress(SolverUnavailable), Z3Process() as solver:
        if not clauses or not _never_holds(solver, program, function, clauses):
            return ()
        core = list(clauses)
        for clause in clauses if len(clauses) > 1 else ():
            fewer = [c for c in core if c is not clause]
            if fewer and _never_holds(solver, program, function, fewer):
                core = fewer
        return tuple(c.text for c in core)
    return ()


def told(core: Sequence[str]) -> str:
    """The contradiction in a line."""
    return ONE.format(*core) if len(core) == 1 else SEVERAL.format("; ".join(f"requires {text}" for text in core))


def _never_holds(solver: Z3Process, program: Program, function: str, clauses: Sequence[Clause]) -> bool:
    """Whether ``requires`` these, ``ensures False`` is seen to hold: whatever the function does."""
    false = Clause("False", ast.Constant(False), 0, 0)
    functions = {  # what the others promise has been proved with the contract
        name: replace(f, contract=Contract(requires=f.contract.requires)) for name, f in program.functions.items()
    }
    contract = Contract(requires=tuple(clauses), ensures=(false,))
    functions[function] = replace(program.functions[function], contract=contract)
    problem = parse_problem(translate(replace(program, functions=MappingProxyType(functions)), function).text)
    goal = sequent_of(problem.goal, problem.signature.names)
    script = Context(problem).script_of(goal, Query(), {})
    return any(solver.ask(script, LIMITS, options=o).status == "unsat" for o in (Z3_OPTIONS[0], Z3_OPTIONS[-1]))
