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

import re
import secrets
import sys
import sysconfig
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
)

_REPLY = re.compile(r"\s*\(:rlimit (\d+)\)\s+(sat|unsat|unknown)\s+\(:rlimit (\d+)\)\s*")
ERROR_START = re.compile(r"^\s*\(error\b", re.MULTILINE)
_ERROR = re.compile(r'^\s*\(error "(?:line (\d+) column (\d+): )?(.*?)"\)\s*$', re.MULTILINE | re.DOTALL)
_CUT_OFF = ("push canceled", "pop canceled", "canceled")
"""What z3 says when a limit strikes before the check begins."""
_OPTION = re.compile(r"[A-Za-z][\w.:-]*")
_OPTION_VALUE = re.compile(r"[\w.+-]+")
_CHECK = "(get-info :rlimit)(check-sat)(get-info :rlimit)"
_UNSAFE = "match"
UNSAFE_TO_POP = ("define-fun-rec", "define-funs-rec")
_NO_TIMEOUT = "4294967295"
_DEFAULTS: dict[str, str] = {}
"""What options are worth in a process that was asked nothing: to ask takes as long as a small query."""
_ADDRESS_SPACE_SLACK = 512 << 20  # code, stacks and the allocator's reserve, which -memory does not count


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
        if not found or before.strip() or shape is None or ERROR_START.search(reply):
            return error_answer(reply.replace(mark, ""), first_line)
        start, status, stop = shape.groups()
        used = int(stop) - int(start)
        if status == "unknown":
            printed = self._talk(child, "(get-info :reason-unknown)", deadline, limits.output_bytes)
            reason = printed.strip().removeprefix("(:reason-unknown").removesuffix(")").strip()
            return Answer("unknown", why_unknown(reason.strip('"'), used, limits), rlimit_used=used)
        output = ""
        if wanted := get_command(get, status):
            output = self._talk(child, wanted, deadline, limits.output_bytes)
            if ERROR_START.search(output):
                return error_answer(output, first_line)
        return Answer("sat" if status == "sat" else "unsat", "", output.strip(), rlimit_used=used)

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


_ahead: dict[Limits, Z3Process | None] = {}
"""Processes that nobody has used, by their limits; None where one was taken."""


def unused(limits: Limits) -> Z3Process:
    """A process that nobody has asked anything; it loads, or has loaded since the last job of this worker."""
    process = _ahead.get(limits) or Z3Process()
    _ahead[limits] = None
    process.begin(limits)
    return process


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
                return error_answer(printed, line)
            self._pending = ""
        answer = process._check(child, "(push)", extra, limits, get, deadline)
        if any(word in extra for word in UNSAFE_TO_POP):
            process._unsafe = True
        elif answer.rlimit_used is not None and answer.reason not in ("timeout", "memory"):  # else no push may stand
            self._pushed = True
            process._session = self
        return answer


def _timeout(limits: Limits) -> str:
    milliseconds = limits.seconds * 1000
    return str(max(1, int(milliseconds))) if milliseconds < int(_NO_TIMEOUT) else _NO_TIMEOUT


def why_unknown(reason: str, used: int, limits: Limits) -> str:
    """The solver's reason; ``used`` are the steps of the check."""
    if "memory" in reason:
        return "memory"
    if "resource limit" in reason or (limits.rlimit and used >= limits.rlimit and "cancel" in reason):
        return "rlimit"
    if reason in ("timeout", "canceled", "interrupted from keyboard"):
        return "timeout"
    return reason


def error_answer(reply: str, first_line: int) -> Answer:
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
