"""Many small programs in one z3, each in a scope of its own: what a fresh context costs is saved.

What was measured (z3 5.4.0, Linux, one core of a shared machine): ``(reset)`` and a first check take 2.2 ms, a scope
that is pushed, asked twice and popped again 0.5 ms. A pop takes declarations back, those of sorts and enumerations
included, so that the next program may use their names for other things. Datatypes whose constructors have fields and
recursive functions are taken back, too, but a later program that declares them again was seen to end z3 with a
segmentation fault: after such a program the process is reset. So it is after anything that did not go well, and
after every so many programs.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.process import DEFAULT_LIMITS, get_command, get_fault
from goedels_poetry.solvers.script import script_fault, term_fault
from goedels_poetry.solvers.z3_replies import error_answer, why_unknown

if TYPE_CHECKING:
    from goedels_poetry.solvers.child import Child
    from goedels_poetry.solvers.z3_process import Z3Process

SCOPES = 256
"""After so many programs the process is reset."""
_STATUS = re.compile(r'\s*(sat|unsat|unknown)\s+\(:reason-unknown "?(.*?)"?\)\s*', re.DOTALL)
_UNSAFE = re.compile(r"\(define-funs?-rec|\(declare-datatypes? [^\n]*\(\S+ \(\S+ ", re.DOTALL)
"""What a pop does not take back well: recursive functions, and constructors with fields."""


class Scope:
    """Checks over one prelude; made by ``Z3Process.scope``. Unsat cores can be got.

    It is z3's incremental solver that answers: fast, and weaker on nonlinear arithmetic and bit-vectors than ``ask``.
    """

    def __init__(self, process: Z3Process, prelude: str, options: Options) -> None:
        self._process = process
        self._prelude = prelude
        self._options = options
        self._fault = script_fault(prelude)

    def ask_each(self, extras: Sequence[str], limits: Limits = DEFAULT_LIMITS, get: Get = "none") -> tuple[Answer, ...]:
        """Check the prelude together with each extra, one after the other, all in one exchange.

        ``limits.seconds`` holds for each check. Only a status that stands alone counts; when the process is lost, all
        answers are those of the loss. ``get`` is asked for after each check and kept where there is something to get.
        """
        fault = self._fault or get_fault(get) or next((f for extra in extras if (f := script_fault(extra))), None)
        if fault:
            return tuple(Answer("error", fault) for _ in extras)
        status = "unsat" if get == "core" else "sat"
        return self._posed(extras, limits, get_command(get, status), status)

    def optimize(self, maximize: bool, term: str, limits: Limits = DEFAULT_LIMITS) -> Answer:
        """What z3 takes for the optimum of a term over the prelude, in ``output`` as ``(objectives …)``."""
        fault = self._fault or term_fault(term)
        if fault:
            return Answer("error", fault)
        command = f"({'maximize' if maximize else 'minimize'} {term})"
        answer = self._posed([command], limits, "(get-objectives)", "sat")[0]
        self._process._scope_depth = None  # nobody has looked into what a pop does to objectives
        return answer

    def _posed(self, extras: Sequence[str], limits: Limits, wanted: str, on: str) -> tuple[Answer, ...]:
        """One exchange. ``wanted`` is said after each check; what it prints is kept where the status is ``on``."""
        answers: list[Answer] = []

        def query(child: Child, deadline: float) -> Answer:
            answers[:] = self._talk(child, extras, limits, (wanted, on), deadline)
            return answers[-1]

        last = self._process._guarded(replace(limits, seconds=limits.seconds * len(extras)), query)
        if len(answers) < len(extras):
            return (last,) * len(extras)
        seconds = last.seconds / len(extras)
        return tuple(replace(answer, seconds=seconds) for answer in answers)

    def _talk(
        self, child: Child, extras: Sequence[str], limits: Limits, get: tuple[str, str], deadline: float
    ) -> list[Answer]:
        process = self._process
        depth = process._scope_depth
        if depth is None or process._scopes >= SCOPES:
            child, depth = process._renewed(child, limits, deadline), 0
        process._scope_depth = None  # stands until all has gone well
        process._session = None
        process._scopes += 1
        setup = process._set_options(child, limits, self._options, True, deadline)
        mark = secrets.token_hex(16)
        parts = ["(pop)" * depth, setup, "(push)\n", self._prelude]
        for extra in extras:
            echo = f'(echo "{mark}")'
            parts += ["\n(push)", extra, f"{echo}(check-sat)(get-info :reason-unknown){echo}{get[0]}{echo}(pop)"]
        reply = process._talk(child, "".join(parts), deadline, limits.output_bytes)
        sections = reply.split(mark)
        if len(sections) != 3 * len(extras) + 1:
            return [error_answer(reply.replace(mark, ""), 1)] * len(extras)
        answers: list[Answer] = []
        for number in range(len(extras)):
            before, status, got = sections[3 * number : 3 * number + 3]
            spoilt = answers and answers[-1].status == "error"
            answers.append(answers[-1] if spoilt else _answer(before, status, got, get))
        fine = not sections[-1].strip() and all(a.status in ("sat", "unsat") for a in answers)
        if fine and not _UNSAFE.search(self._prelude):
            process._scope_depth = 1
        return answers


def _answer(before: str, said: str, got: str, get: tuple[str, str]) -> Answer:
    shape = _STATUS.fullmatch(said)
    if before.strip() or shape is None:
        return error_answer(before + said, 1)
    status, reason = shape.groups()
    if status == "unknown":
        return Answer("unknown", why_unknown(reason, 0, DEFAULT_LIMITS))
    if not get[0] or status != get[1]:
        return Answer("sat" if status == "sat" else "unsat")
    if got.lstrip().startswith("(error"):
        return error_answer(got, 1)
    return Answer("sat" if status == "sat" else "unsat", "", got.strip())
