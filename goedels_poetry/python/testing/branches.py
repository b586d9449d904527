"""Inputs that a program's own conditions single out: a solver is asked when each of them holds, and when it does not.

The conditions are those of the theorem that the function's contract is translated to: what decides between two terms
there, on the path to it. An input counts for nothing by itself, and is tried like any other, in CPython.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.terms import BOOL, Kind, Term, and_, is_app, not_
from goedels_poetry.python.testing.checks import Checks
from goedels_poetry.python.testing.literals import from_literal
from goedels_poetry.python.translate.faults import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.python.translate.values import python_arguments
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.z3_process import Z3Process

MOST = 80
"""Questions."""
_LIMITS = Limits(rlimit=200_000, seconds=10.0)


@lru_cache(maxsize=16)
def branch_inputs(source: str, checks: Checks, steps: int) -> tuple[dict[str, Any], ...]:
    """Inputs in the harness's form, each once, as far as so many ``steps`` of the solver allow."""
    try:
        translation = translate(read_program(source), checks.function)
    except (PythonFault, OutsideFragment):
        return ()
    problem = parse_problem(translation.text)
    goal = problem.goal
    parts = goal.args if is_app(goal, "and") else (goal,)
    own = next((p for p in parts if tuple(b.name for b in p.binders) == translation.names), parts[-1])
    definitions = translation.text[: translation.text.rindex("(prove ")]
    declared = "\n".join(f"(declare-const {show_symbol(b.name)} {show_sort(b.sort)})" for b in own.binders)
    names = tuple(show_symbol(b.name) for b in own.binders)
    found: dict[str, dict[str, Any]] = {}
    asked: dict[Term, None] = {}
    for condition in _conditions(own.body if own.binders else own):
        asked.setdefault(condition)
    with suppress(SolverUnavailable), Z3Process() as solver:
        for condition in list(asked)[:MOST]:
            script = f"{definitions}{declared}\n(assert {show(condition)})"
            answer = solver.ask(script, _LIMITS, get=names)
            steps -= _LIMITS.rlimit if answer.rlimit_used is None else answer.rlimit_used
            if answer.status == "sat":
                with suppress(InvalidInput, ValueError, LookupError):
                    texts = python_arguments(translation, dict(_values(answer.output)))
                    found[repr(texts)] = {name: from_literal(text) for name, text in texts.items()}
            if steps < 0:
                break
    return tuple(found.values())


def _conditions(theorem: Term) -> Iterator[Term]:
    """What decides in the theorem, with the path to it: holding, and not holding. The shortest paths come first."""
    waiting: list[tuple[Term, tuple[Term, ...]]] = [(theorem, ())]
    for term, path in waiting:  # grows; breadth first
        if term.kind is not Kind.APP or len(waiting) > 10 * MOST:
            continue
        if term.sort is BOOL and term.name in ("and", "or", "=>"):
            held = path
            for part in term.args:
                waiting.append((part, held))
                held = (*held, not_(part) if term.name == "or" else part)
            continue
        if term.sort is BOOL and term.name not in ("not", "ite"):
            yield and_([*path, term])
            yield and_([*path, not_(term)])
        if term.name == "ite":
            test, then, otherwise = term.args
            waiting += [(test, path), (then, (*path, test)), (otherwise, (*path, not_(test)))]
        else:
            waiting += [(part, path) for part in term.args]


def _values(output: str) -> Iterator[tuple[str, str]]:
    """Names and terms of a solver's answer ``((n 5) (s "a"))``."""
    (answer,) = read(Source(output))
    for pair in answer.items if isinstance(answer, Group) else ():
        if isinstance(pair, Group) and isinstance(name := pair.items[0], Atom):
            value = pair.items[1]
            end = pair.end - 1 if isinstance(value, Atom) else value.end
            yield name.text, output[value.offset : end].strip()
