"""Z3 as a persistent child process speaking SMT-LIB text, sessions over one prelude, and processes left for later.

What was measured (z3 5.4.0, Linux, one core of a shared machine):

* ``(set-option :rlimit N)`` bounds each ``check-sat`` by itself: N steps on top of the counter at its start
  (a check cut off at N = 100,000 left the counter at 100,019, the next one at 200,019). The context stays
  usable after the cut-off, and the next check in it answers. The reason given is "canceled" for rlimit and
  timeout alike, so we tell them apart by the counter.
* ``(reset)`` forgets declarations, assertions and recursive functions and sets the counter back to 1. It does
  *not* forget options (``produce-unsat-cores`` and ``smt.mbqi`` survive), so every option ever set is put
  back to its default.
* ``(reset)`` after any text with a ``match`` ends z3 5.4.0 with a segmentation fault, popped or not. Such a
  process is replaced instead (25 ms). Testers and selectors in place of ``match`` avoid that. So does
  defining, after a pop, a recursive function over a datatype again; hence a process is also replaced after
  a check whose own text defines one. In a prelude they cost nothing.
* After ``(reset)`` the same script costs the same number of steps to the last digit, in any order of
  questions. Inside a session (push/pop) statuses agreed but the counter wandered by some 10 % with the
  history, so a check near its rlimit may fall either way: there, the same *sequence* of checks repeats.
* One trip through the pipes costs 0.05 ms, a trivial check in a session 0.1 ms, ``(reset)`` about 1.4 ms.
"""

from __future__ import annotations

import math
import re
import secrets
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from goedels_poetry.solvers.child import Child, ChildDied, start_program
from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.process import (
    DEFAULT_LIMITS,
    SolverProcess,
    get_command,
    get_fault,
    script_fault,
    term_fault,
)

_REPLY = re.compile(r"\s*\(:rlimit (\d+)\)\s+(sat|unsat|unknown)\s+\(:rlimit (\d+)\)\s*")
_STATUS = re.compile(r'\s*(sat|unsat|unknown)\s+\(:reason-unknown "?(.*?)"?\)\s*', re.DOTALL)
_ERROR_START = re.compile(r"^\s*\(error\b", re.MULTILINE)
_ERROR = re.compile(r'^\s*\(error "(?:line (\d+) column (\d+): )?(.*?)"\)\s*$', re.MULTILINE | re.DOTALL)
_CUT_OFF = ("push canceled", "pop canceled", "canceled")
"""What z3 says when a limit strikes before the check begins."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]*")
_OPTION = re.compile(r"[A-Za-z][\w.:-]*")
_OPTION_VALUE = re.compile(r"[\w.+-]+")
_CHECK = "(get-info :rlimit)(check-sat)(get-info :rlimit)"
_UNSAFE = "match"
_UNSAFE_TO_POP = ("define-fun-rec", "define-funs-rec")
_NO_TIMEOUT = "4294967295"
_DEFAULTS: dict[str, str] = {}
"""What options are worth in a process that was asked nothing: to ask takes as long as a small query."""
_ADDRESS_SPACE_SLACK = 512 << 20  # code, stacks and the allocator's reserve, which -memory does not count
_MOST_SPARE = 4


@dataclass(frozen=True)
class Evidence:
    """A status with its evidence: the model of ``sat``, the assumptions that ``unsat`` needs, in z3's words."""

    answer: Answer
    model: str = ""
    core: str = ""


@cache
def z3_binary() -> str | None:
    """The path of the z3 program that the z3-solver wheel installed, or None."""
    places = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    package = find_spec("z3")  # found, not imported: that takes 0.1 s
    if package is not None and package.origin:
        folder = Path(package.origin).parent
        places += [folder / "bin", folder / "lib", *(parent / "bin" for parent in folder.parents)]
    return next((str(p / "z3") for p in places if (p / "z3").is_file()), None)


class Z3Process(SolverProcess):
    """One z3. ``ask`` gives each query a fresh context, ``session`` keeps a prelude for many checks."""

    name = "z3"

    def __init__(self) -> None:
        super().__init__()
        self._lines = 0  # newlines sent so far: z3 counts the lines of its whole input
        self._options: dict[str, str] = {}  # what is set in the child now
        self._defaults: dict[str, str] = {}  # what to put back, as this process says
        self._touched: set[str] = set()  # options ever set: a reset does not forget them
        self._session: Session | None = None  # whose prelude is loaded
        self._used = False  # something was said to the child since it was new
        self._unsafe = False  # it holds what a reset would not survive

    def session(self, prelude: str, options: Options | None = None, cores: bool = False) -> Session:
        """Open a session: prelude is loaded with its first check and again whenever the process was lost.

        options: e.g. ``{"auto_config": "false", "smt.mbqi": "false"}``. cores: unsat cores can be got.
        Several sessions may share a process, but each switch reloads a prelude.
        """
        return Session(self, prelude, options or {}, cores)

    def evidence(
        self,
        prelude: str,
        extras: Sequence[str],
        limits: Limits = DEFAULT_LIMITS,
        assuming: Sequence[Sequence[str]] = (),
    ) -> tuple[Evidence, ...]:
        """Check a prelude together with each extra, one after the other, all in one exchange.

        It is z3's incremental solver that answers: fast, and weaker on nonlinear arithmetic and bit-vectors than
        ``ask``. ``limits`` hold for each check; where there is an ``rlimit``, z3 is killed after ``seconds`` instead of
        stopping itself, since a timer for each check costs 0.2 ms. When the process is lost, all answers are those of
        the loss.

        Args:
            assuming: for each extra the Boolean constants that are assumed; those that an ``unsat`` needs are its core.
        """
        assumed = [tuple(names) for names in assuming] or [()] * len(extras)
        texts = (script_fault(text) for text in (prelude, *extras))
        names = (f"no name: {name}" for each in assumed for name in each if not _NAME.fullmatch(name))
        fault = next(filter(None, (*texts, *names)), None)
        if fault:
            return (Evidence(Answer("error", fault)),) * len(extras)
        found: list[Evidence] = []
        questions = list(zip(extras, assumed, strict=True))

        def query(child: Child, deadline: float) -> Answer:
            found[:] = self._evidence(child, prelude, questions, limits, deadline)
            return found[-1].answer

        last = self._guarded(replace(limits, seconds=limits.seconds * len(extras)), query)
        if len(found) < len(extras):
            return (Evidence(last),) * len(extras)
        seconds = last.seconds / len(extras)
        return tuple(replace(each, answer=replace(each.answer, seconds=seconds)) for each in found)

    def optimize(self, prelude: str, maximize: bool, term: str, limits: Limits = DEFAULT_LIMITS) -> Answer:
        """What z3 takes for the optimum of a term over the prelude, in ``output`` as ``(objectives …)``."""
        fault = script_fault(prelude) or term_fault(term)
        if fault:
            return Answer("error", fault)
        script = f"{prelude}\n({'maximize' if maximize else 'minimize'} {term})"
        return self._guarded(
            limits, lambda child, deadline: self._ask(child, script, limits, "objectives", {}, deadline)
        )

    def _start(self, memory_mb: int) -> Child:
        binary = z3_binary()
        if binary is None:
            raise OSError("its program is not here: pip install z3-solver")
        address_space = (memory_mb << 20) + _ADDRESS_SPACE_SLACK
        return start_program(binary, "-smt2", "-in", f"-memory:{memory_mb}", address_space=address_space)

    def _ping(self, child: Child, deadline: float) -> None:
        self._talk(child, "", deadline, 0)
        self._used = False

    def _lost(self) -> None:
        self._lines = 0
        self._options = {}
        self._used = self._unsafe = False
        self._session = None

    def _ask(self, child: Child, script: str, limits: Limits, get: Get, options: Options, deadline: float) -> Answer:
        child = self._renewed(child, limits, deadline)
        setup = self._set_options(child, limits, options, get == "core", deadline)
        return self._check(child, setup, script, limits, get, deadline)

    def _renewed(self, child: Child, limits: Limits, deadline: float) -> Child:
        """A child that knows nothing: this one after a reset, or a new one when a reset will not do."""
        self._session = None
        if not self._used:
            return child
        if not self._unsafe:
            try:
                printed = self._talk(child, "(reset)", deadline, limits.output_bytes)
            except ChildDied:
                if self._killed:
                    raise
                printed = "died"  # of what earlier queries left behind: no fault of this one
            if not printed.strip():
                self._options = {}
                self._used = False
                return child
        self._drop()
        return self._living(limits.memory_mb, deadline)

    def _set_options(self, child: Child, limits: Limits, options: Options, cores: bool, deadline: float) -> str:
        """Commands that bring every option ever set to what this query wants."""
        wanted = {
            "produce-unsat-cores": "true" if cores else "false",
            "rlimit": str(limits.rlimit),
            "timeout": _timeout(limits),
            **options,
        }
        asked = self._defaults if self._used else _DEFAULTS  # what has read texts speaks for itself alone
        for name, value in wanted.items():
            if not (_OPTION.fullmatch(name) and _OPTION_VALUE.fullmatch(value)):
                raise ValueError(f"not a solver option: {name}={value}")
            if name not in _DEFAULTS and name not in self._defaults:
                found = self._talk(child, f"(get-option :{name})", deadline, 10_000).strip()
                if found == "unsupported" or not _OPTION_VALUE.fullmatch(found):
                    raise ValueError(f"z3 has no option {name}")
                asked[name] = found
        self._touched |= wanted.keys()
        for name in self._touched:
            wanted.setdefault(name, self._defaults.get(name) or _DEFAULTS[name])
        changed = {name: value for name, value in wanted.items() if self._options.get(name) != value}
        self._options |= changed
        return "".join(f"(set-option :{name} {value})" for name, value in changed.items())

    def _check(self, child: Child, setup: str, text: str, limits: Limits, get: Get, deadline: float) -> Answer:
        """Send one check and read its answer. The reply must be exactly what one check can say."""
        first_line = self._lines + 2
        mark = secrets.token_hex(16)
        reply = self._talk(
            child,
            f'{setup}\n{text}\n(echo "{mark}"){_CHECK}',
            deadline,
            limits.output_bytes,
        )
        before, found, after = reply.partition(mark)
        shape = _REPLY.fullmatch(after)
        if not found or before.strip() or shape is None or _ERROR_START.search(reply):
            return _error_answer(reply.replace(mark, ""), first_line)
        start, status, stop = shape.groups()
        used = int(stop) - int(start)
        if status == "unknown":
            printed = self._talk(child, "(get-info :reason-unknown)", deadline, limits.output_bytes)
            reason = printed.strip().removeprefix("(:reason-unknown").removesuffix(")").strip()
            return Answer("unknown", _why_unknown(reason.strip('"'), used, limits), rlimit_used=used)
        output = ""
        if wanted := get_command(get, status):
            output = self._talk(child, wanted, deadline, limits.output_bytes)
            if _ERROR_START.search(output):
                return _error_answer(output, first_line)
        return Answer("sat" if status == "sat" else "unsat", "", output.strip(), rlimit_used=used)

    def _evidence(
        self,
        child: Child,
        prelude: str,
        questions: Sequence[tuple[str, tuple[str, ...]]],
        limits: Limits,
        deadline: float,
    ) -> list[Evidence]:
        child = self._renewed(child, limits, deadline)
        stops = replace(limits, seconds=math.inf) if limits.rlimit else limits
        setup = self._set_options(child, stops, {"produce-unsat-assumptions": "true"}, False, deadline)
        mark = secrets.token_hex(16)
        asked = "".join(_question(extra, assumed, f'(echo "{mark}")') for extra, assumed in questions)
        reply = self._talk(child, f"{setup}\n{prelude}{asked}", deadline, limits.output_bytes)
        sections = reply.split(mark)
        if len(sections) != 4 * len(questions) + 1:
            return [Evidence(_error_answer(reply.replace(mark, ""), 1))] * len(questions)
        found: list[Evidence] = []
        for number in range(len(questions)):
            spoilt = found and found[-1].answer.status == "error"
            found.append(found[-1] if spoilt else _evidence(*sections[4 * number : 4 * number + 4]))
        self._unsafe = True if any(word in extra for extra, _ in questions for word in _UNSAFE_TO_POP) else self._unsafe
        return found

    def _talk(self, child: Child, message: str, deadline: float, max_bytes: int) -> str:
        """Send commands and read all they print, up to an echo of a fresh random word nobody could guess."""
        nonce = secrets.token_hex(16)
        data = f'{message}\n(echo "{nonce}")\n'.encode()
        end = f"{nonce}\n".encode()
        self._lines += data.count(b"\n")
        self._used = True
        self._unsafe = self._unsafe or _UNSAFE in message
        reply = child.exchange(data, lambda got: got.endswith(end), deadline, max_bytes + len(end))
        return reply[: -len(end)].decode("utf-8", "replace")


class Session:
    """Many checks over one prelude, each in its own push/pop; made by ``Z3Process.session``.

    This is z3's incremental solver: faster per check, and weaker on nonlinear arithmetic, than ``ask``.
    """

    def __init__(self, process: Z3Process, prelude: str, options: Options, cores: bool) -> None:
        self._process = process
        self._prelude = prelude
        self._options = dict(options)
        self._cores = cores
        self._fault = script_fault(prelude)
        self._pending = ""  # texts the solver has not seen yet
        self._pushed = False

    def add(self, text: str) -> None:
        """Add declarations or assertions to the prelude for all later checks."""
        self._fault = self._fault or script_fault(text)
        self._prelude += "\n" + text
        self._pending += "\n" + text

    def check(self, extra: str, limits: Limits = DEFAULT_LIMITS, get: Get = "none") -> Answer:
        """Check the prelude together with extra, then forget extra. Errors and limits as in ``ask``."""
        fault = self._fault or script_fault(extra) or get_fault(get)
        if not fault and get == "core" and not self._cores:
            fault = "this session was opened without cores"
        if fault:
            return Answer("error", fault)
        return self._process._guarded(limits, lambda child, deadline: self._check(child, extra, limits, get, deadline))

    def _check(self, child: Child, extra: str, limits: Limits, get: Get, deadline: float) -> Answer:
        process = self._process
        if process._session is self:
            setup = "(pop)" if self._pushed else ""
            self._pushed = False
        else:
            child = process._renewed(child, limits, deadline)
            setup = ""
            self._pending = self._prelude
            self._pushed = False
        process._session = None  # stands until this check has gone well
        setup += process._set_options(child, limits, self._options, self._cores, deadline)
        if setup or self._pending:
            line = process._lines + 2
            printed = process._talk(child, f"{setup}\n{self._pending}", deadline, limits.output_bytes)
            if printed.strip():
                return _error_answer(printed, line)
            self._pending = ""
        answer = process._check(child, "(push)", extra, limits, get, deadline)
        if any(word in extra for word in _UNSAFE_TO_POP):
            process._unsafe = True
        elif answer.rlimit_used is not None and answer.reason not in ("timeout", "memory"):  # else no push may stand
            self._pushed = True
            process._session = self
        return answer


def _timeout(limits: Limits) -> str:
    milliseconds = limits.seconds * 1000
    return str(max(1, int(milliseconds))) if milliseconds < int(_NO_TIMEOUT) else _NO_TIMEOUT


def _question(extra: str, assumed: Sequence[str], echo: str) -> str:
    """One check, and what it gives: status, model, core, with a mark before each."""
    check = f"(check-sat-assuming ({' '.join(assumed)}))" if assumed else "(check-sat)"
    core = "(get-unsat-assumptions)" if assumed else ""
    return f"\n(push){extra}\n{echo}{check}(get-info :reason-unknown){echo}(get-model){echo}{core}{echo}(pop)"


def _evidence(before: str, replied: str, model: str, core: str) -> Evidence:
    """What the parts of a reply amount to. Of what is not there to be got z3 complains, which does not count."""
    shape = _STATUS.fullmatch(replied)
    if before.strip() or shape is None:
        return Evidence(_error_answer(before + replied, 1))
    status, reason = shape.groups()
    if status == "unknown":
        return Evidence(Answer("unknown", _why_unknown(reason, 0, DEFAULT_LIMITS)))
    if status == "sat":
        return Evidence(Answer("sat"), model="" if _ERROR_START.match(model) else model.strip())
    return Evidence(Answer("unsat"), core="" if _ERROR_START.match(core) else core.strip())


def _why_unknown(reason: str, used: int, limits: Limits) -> str:
    """The solver's reason; ``used`` are the steps of the check."""
    if "memory" in reason:
        return "memory"
    if "resource limit" in reason or (limits.rlimit and used >= limits.rlimit and "cancel" in reason):
        return "rlimit"
    if reason in ("timeout", "canceled", "interrupted from keyboard"):
        return "timeout"
    return reason


def _error_answer(reply: str, first_line: int) -> Answer:
    """The answer to a reply that holds more than one status: its first message, with the caller's line."""
    if found := _ERROR.search(reply):
        line, column, message = found.groups()
        if "out of memory" in message:
            return Answer("unknown", "memory")
        if message in _CUT_OFF:
            return Answer("unknown", "timeout")
        if "resource limit" in message:  # used up by assertions, before there is anything to check
            return Answer("unknown", "rlimit")
        place = f"line {int(line) - first_line + 1} column {column}: " if line else ""
        return Answer("error", place + message)
    return Answer("error", f"unexpected reply: {reply.strip()[:200]!r}")


# -- processes that one job of a worker leaves to the next -----------------------------------------------------
# A reset costs a tenth of a start and finds the same. For searches only: a check has processes that nobody has used.

_spare: list[Z3Process] = []


def lend() -> Z3Process:
    """A process that was handed back, or a new one; what it knew is forgotten with the first question."""
    return _spare.pop() if _spare else Z3Process()


def take_back(process: Z3Process) -> None:
    """Keep it for the next job, unless there are enough."""
    if process.pid is not None and len(_spare) < _MOST_SPARE:
        _spare.append(process)
    else:
        process.close()


@contextmanager
def borrowed() -> Iterator[Z3Process]:
    """One for as long as this lasts."""
    process = lend()
    try:
        yield process
    finally:
        take_back(process)
