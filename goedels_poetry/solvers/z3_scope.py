"""Many small programs in one z3, each in a scope of its own: what a fresh context costs is saved.

What was measured (z3 5.4.0, Linux, one core of a shared machine): ``(reset)`` and a first check take 2.2 ms, a scope
that is pushed, asked twice and popped again 0.5 ms. A pop takes declarations back, those of sorts and enumerations
included, so that the next program may use their names for other things. Datatypes whose constructors have fields and
recursive functions are taken back, too, but a later program that declares them again was seen to end z3 with a
segmentation fault: after such a program the process is reset. So it is after anything that did not go well, and
after every so many programs.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from goedels_poetry.solvers.child import Child
from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.process import DEFAULT_LIMITS, get_command, get_fault
from goedels_poetry.solvers.script import script_fault, term_fault
from goedels_poetry.solvers.z3_replies import ERROR_START, error_answer, why_unknown

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]*")
SCOPES = 256
"""After so many programs the process is reset."""
_STATUS = re.compile(r'\s*(sat|unsat|unknown)\s+\(:reason-unknown "?(.*?)"?\)\s*', re.DOTALL)
_UNSAFE = re.compile(r"\(define-funs?-rec|\(declare-datatypes? [^\n]*\((?:[^\s()|]|\|[^|]*\|)+ \(")
"""What a pop does not take back well: recursive functions, and constructors with fields."""


@dataclass(frozen=True)
class Evidence:
    """A status with its evidence: the model of ``sat``, the assumptions that ``unsat`` needs, in z3's words."""

    answer: Answer
    model: str = ""
    core: str = ""


class Z3(Protocol):
    """What a scope needs of the process that it is opened in."""

    _scope: str | None
    _scopes: int

    def _guarded(self, limits: Limits, query: Callable[[Child, float], Answer]) -> Answer: ...
    def _renewed(self, child: Child, limits: Limits, deadline: float) -> Child: ...
    def _leave_session(self) -> None: ...
    def _set_options(self, child: Child, limits: Limits, options: Options, cores: bool, deadline: float) -> str: ...
    def _talk(self, child: Child, message: str, deadline: float, max_bytes: int) -> str: ...


class Scope:
    """Checks over one prelude; made by ``Z3Process.scope``.

    It is z3's incremental solver that answers: fast, and weaker on nonlinear arithmetic and bit-vectors than ``ask``.
    """

    def __init__(self, process: Z3, prelude: str, assuming: Sequence[str]) -> None:
        self._process = process
        self._prelude = prelude
        self._fault = script_fault(prelude) or next((f"no name: {a}" for a in assuming if not _NAME.fullmatch(a)), None)
        self._assuming = tuple(assuming)

    def ask_each(self, extras: Sequence[str], limits: Limits = DEFAULT_LIMITS, get: Get = "none") -> tuple[Answer, ...]:
        """Check the prelude together with each extra, one after the other, all in one exchange.

        ``limits`` hold for each check; where there is an ``rlimit``, z3 is not told of ``seconds`` and, when these are
        over, killed. Only a status that stands alone counts; when the process is lost, all answers are those of the
        loss. ``get`` is asked for after each check and kept where there is something to get.
        """
        fault = get_fault(get) or ("cores are got with evidence" if get == "core" else None)
        if fault:
            return tuple(Answer("error", fault) for _ in extras)
        after = (get_command(get, "sat"), "")
        found = self._posed([_Question(extra, self._assuming, after) for extra in extras], limits)
        return tuple(replace(e.answer, output=e.model) for e in found)

    def evidence(
        self, extras: Sequence[str], limits: Limits = DEFAULT_LIMITS, assuming: Sequence[Sequence[str]] = ()
    ) -> tuple[Evidence, ...]:
        """As ``ask_each``, with models, and with the assumptions that are needed.

        assuming: for each extra what is assumed with it, some of what the scope was opened with; else all of that.
        """
        per_extra = [frozenset(names) for names in assuming] or [frozenset(self._assuming)] * len(extras)
        after = ("(get-model)", "(get-unsat-assumptions)" if self._assuming else "")
        return self._posed(
            [
                _Question(extra, tuple([name for name in self._assuming if name in names]), after)
                for extra, names in zip(extras, per_extra, strict=True)
            ],
            limits,
        )

    def optimize(self, maximize: bool, term: str, limits: Limits = DEFAULT_LIMITS) -> Answer:
        """What z3 takes for the optimum of a term over the prelude, in ``output`` as ``(objectives …)``."""
        fault = term_fault(term)
        if fault:
            return Answer("error", fault)
        command = f"({'maximize' if maximize else 'minimize'} {term})"
        found = self._posed([_Question(command, self._assuming, ("(get-objectives)", ""), ours=True)], limits)[0]
        self._process._scope = None  # nobody has looked into what a pop does to objectives
        return replace(found.answer, output=found.model)

    def _posed(self, questions: Sequence[_Question], limits: Limits) -> tuple[Evidence, ...]:
        """One exchange."""
        fault = self._fault or next((f for q in questions if (f := q.fault)), None)
        if fault:
            return (Evidence(Answer("error", fault)),) * len(questions)
        found: list[Evidence] = []

        def query(child: Child, deadline: float) -> Answer:
            found[:] = self._talk(child, questions, limits, deadline)
            return found[-1].answer

        last = self._process._guarded(replace(limits, seconds=limits.seconds * len(questions)), query)
        if len(found) < len(questions):
            return (Evidence(last),) * len(questions)
        seconds = last.seconds / len(questions)
        return tuple(replace(e, answer=replace(e.answer, seconds=seconds)) for e in found)

    def _talk(self, child: Child, questions: Sequence[_Question], limits: Limits, deadline: float) -> list[Evidence]:
        process = self._process
        loaded, process._scope = process._scope, None  # stands until all has gone well
        if loaded == self._prelude:
            before = ""
        elif loaded is not None and process._scopes < SCOPES and not _UNSAFE.search(loaded):
            before = "(pop)"
        else:
            child, loaded, before = process._renewed(child, limits, deadline), None, ""
        process._leave_session()
        stops = replace(limits, seconds=math.inf) if limits.rlimit else limits  # a timer for each check costs 0.2 ms
        setup = process._set_options(child, stops, {"produce-unsat-assumptions": "true"}, False, deadline)
        if loaded != self._prelude:
            process._scopes += 1
            setup += f"(push)\n{self._prelude}"
        mark = secrets.token_hex(16)
        reply = process._talk(
            child, before + setup + "".join([q.text(mark) for q in questions]), deadline, limits.output_bytes
        )
        sections = reply.split(mark)
        if len(sections) != 4 * len(questions) + 1:
            return [Evidence(error_answer(reply.replace(mark, ""), 1))] * len(questions)
        found: list[Evidence] = []
        for number in range(len(questions)):
            spoilt = found and found[-1].answer.status == "error"
            found.append(found[-1] if spoilt else _evidence(*sections[4 * number : 4 * number + 4]))
        if not sections[-1].strip() and all(e.answer.status in ("sat", "unsat") for e in found):
            process._scope = self._prelude
        return found


@dataclass(frozen=True)
class _Question:
    """One check with what is asserted and assumed for it, and what is to be got when it is sat, when it is unsat."""

    extra: str
    assuming: tuple[str, ...]
    get: tuple[str, str]
    ours: bool = False
    """Whether ``extra`` is a command of our own making, which the lexical gate does not know."""

    @property
    def fault(self) -> str | None:
        return None if self.ours else script_fault(self.extra)

    def text(self, mark: str) -> str:
        echo = f'(echo "{mark}")'
        check = f"(check-sat-assuming ({' '.join(self.assuming)}))" if self.assuming else "(check-sat)"
        got = f"{echo}{self.get[0]}{echo}{self.get[1]}{echo}"
        return f"\n(push){self.extra}{echo}{check}(get-info :reason-unknown){got}(pop)"


def _evidence(before: str, replied: str, model: str, core: str) -> Evidence:
    """What the parts of a reply amount to. Of what is not there to be got z3 complains, which is of no account."""
    shape = _STATUS.fullmatch(replied)
    if before.strip() or shape is None:
        return Evidence(error_answer(before + replied, 1))
    status, reason = shape.groups()
    if status == "unknown":
        return Evidence(Answer("unknown", why_unknown(reason, 0, DEFAULT_LIMITS)))
    if status == "sat":
        return Evidence(Answer("sat"), model="" if ERROR_START.match(model) else model.strip())
    return Evidence(Answer("unsat"), core="" if ERROR_START.match(core) else core.strip())
