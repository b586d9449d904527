"""Inputs that a program's own conditions single out, by a solver and, where it is installed, by CrossHair.

The conditions are those of the theorem that the function's contract is translated to: what decides between two terms
there, on the path to it. CrossHair runs the function on symbols, in the sandbox. An input counts for nothing by itself,
and is tried like any other, in CPython.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.terms import BOOL, Kind, Term, and_, is_app, not_
from goedels_poetry.python.testing.checks import Checks, from_literal
from goedels_poetry.python.testing.literals import python_arguments
from goedels_poetry.python.testing.reading import Subject
from goedels_poetry.python.testing.running import HARNESS, contract_files
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.sandbox import SandboxLimits, run_python_async
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.worker import borrowed

_CHECK = "crosshair_checks_this"
_PROGRAM = """\
import sys
sys.path.insert(0, ".")
from crosshair.main import main
from harness import stubs
stubs.install()
main(["check", "--analysis_kind=asserts", "--per_condition_timeout", "{seconds:g}", "subject.py"])
"""
_REPORT = re.compile(rf"when calling ({_CHECK}\(.*\))(?: \(which returns .*\))?$", re.MULTILINE)
_MB = 3072  # of address space: it loads z3
_MOST = 5


@cache
def is_there() -> bool:
    """Whether this interpreter has CrossHair."""
    return find_spec("crosshair") is not None


async def suggested_inputs(subject: Subject, checks: Checks, seconds: float) -> list[dict[str, Any]]:
    """Inputs on which CrossHair believes that the contract fails; none where it has nothing to say.

    Args:
        seconds: of processor time for the search, beside half a second for loading.
    """
    if not is_there() or not subject.parameters or not seconds:
        return []
    result = await run_python_async(
        _PROGRAM.format(seconds=seconds),
        files={**contract_files(), "subject.py": _text(subject, checks).encode()},
        packages=True,
        ours=HARNESS,
        limits=SandboxLimits(cpu_seconds=seconds + 4, wall_seconds=4 * seconds + 10, memory_mb=_MB),
    )
    found: list[dict[str, Any]] = []
    for call in _REPORT.findall(result.stdout.decode(errors="replace"))[:_MOST]:
        try:
            found.append(_arguments(subject, call))
        except (InvalidInput, SyntaxError, ValueError, RecursionError):
            continue  # an object that no literal writes
    return found


def _text(subject: Subject, checks: Checks) -> str:
    """The module with a function that asserts the contract in the form that CrossHair reads."""
    names = [p.name for p in subject.parameters]
    typed = ", ".join(f"{p.name}: {p.annotation}" if p.annotation else p.name for p in subject.parameters)
    passed = ", ".join(p.name if p.kind == "positional" else f"{p.name}={p.name}" for p in subject.parameters)
    lines = [f"def {_CHECK}({typed}):", *(f"    assert ({text}\n    )" for text in checks.requires or ("True",))]
    indent = "        " if checks.raises else "    "
    lines += ["    try:"] if checks.raises else []
    lines.append(f"{indent}result = {subject.node.name}({passed})")
    for exception, when in checks.raises:
        lines += [f"    except {exception}:", f"        assert ({when or 'True'}\n        )", "        return"]
    lines += [f"    assert ({text}\n    )" for text in checks.ensures if "result" not in names]
    return f"{subject.source}\n\n\n" + "\n".join(lines) + "\n"


def _arguments(subject: Subject, call: str) -> dict[str, Any]:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)  # the pattern says so
    names = [p.name for p in subject.parameters]
    texts = {name: ast.unparse(arg) for name, arg in zip(names, node.args, strict=False)}
    texts.update({k.arg: ast.unparse(k.value) for k in node.keywords if k.arg is not None})
    if set(texts) != set(names):
        raise InvalidInput("some arguments are missing")
    return {name: from_literal(text) for name, text in texts.items()}


MOST = 80
"""Questions."""
_RLIMIT = 200_000
_STEPS_A_SECOND = 400_000
"""What z3 does where it is not slow: a question that is may take the time of as many steps, and no more."""


@lru_cache(maxsize=16)
def branch_inputs(source: str, checks: Checks, steps: int) -> tuple[dict[str, Any], ...]:
    """Inputs in the harness's form, each once, as far as so many ``steps`` of the solver allow, and their time."""
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
    until = time.monotonic() + steps / _STEPS_A_SECOND
    with suppress(SolverUnavailable), borrowed() as solver:
        for condition in list(asked)[:MOST]:
            left = until - time.monotonic()
            if steps < 0 or left <= 0:
                break
            script = f"{definitions}{declared}\n(assert {show(condition)})"
            answer = solver.ask(script, Limits(rlimit=_RLIMIT, seconds=left), get=names)
            steps -= _RLIMIT if answer.rlimit_used is None else answer.rlimit_used
            if answer.status == "sat":
                with suppress(InvalidInput, ValueError, LookupError):
                    texts = python_arguments(translation, dict(_values(answer.output)))
                    found[repr(texts)] = {name: from_literal(text) for name, text in texts.items()}
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
