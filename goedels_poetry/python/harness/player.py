"""The candidate's process: calls the function on given inputs and says what came out. It knows no expected value.

So whatever the candidate does here amounts to answering something, and what it answers is judged in another process.
A function that states its contract itself is another matter: the contract is evaluated here, on the objects that the
function was given and has returned, of which a closure, an identity or a default cannot be carried elsewhere.
"""

from __future__ import annotations

import io
import json
import linecache
import opcode
import os
import resource
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager

from . import stubs, values
from .contract import Evaluator, ResultType
from .oracle import Limit, TooLong

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

FILE = "<candidate>"
MOST_OUTPUT = 10_000  # characters printed by one call that are kept


# What a run shows besides its answer: lines that were reached, and contact with the machine. What a file, the
# environment or the network says, or that stack or memory have come to an end, is a fact about the place where it ran:
# a contract that seems broken there is not broken for that.

_WITHIN = frozenset(
    {"import", "compile", "exec", "object", "code", "function", "sys", "gc", "marshal", "pickle", "array"}
)
"""Subjects of audit events (PEP 578) that stay within the interpreter; every other one reaches out of it."""
_IMPORT = "<frozen importlib"
_RAISE = opcode.opmap["RAISE_VARARGS"]
_PLACE = (MemoryError, RecursionError, ImportError)
"""Exceptions that tell of the place where something runs; so do those of the system, which have an error number."""
_SYSTEM = frozenset(
    {"posix", "nt", "pwd", "grp", "resource", "select", "_socket", "_posixsubprocess", "_multiprocessing"}
)
"""The modules of CPython through which a program sees the operating system. What is another one in each run (clocks,
the number of the process) shows itself when runs are compared."""
_BARREN = 40
"""Runs without a new line, after which no more are followed."""


class _Environment(dict):  # type: ignore[type-arg]
    """The variables of the environment; each look at them is contact with the machine."""

    watch: Watch

    def __getitem__(self, key: Any) -> Any:
        self.watch.contact("the environment")
        return super().__getitem__(key)

    def __iter__(self) -> Any:
        self.watch.contact("the environment")
        return super().__iter__()


class _Input:
    """Standard input; there is none, which is no fault of what reads it."""

    def __init__(self, watch: Watch, inner: Any) -> None:
        self.watch, self.inner = watch, inner

    def __getattr__(self, name: str) -> Any:
        self.watch.contact("standard input")
        return getattr(self.inner, name)


class Watch:
    """``touched``: what of the machine the run has reached, "" for nothing; ``always``: while the module was loaded.

    ``seen``: lines of ``file`` that ran.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.touched = self.always = ""
        self.seen: set[int] = set()
        self.barren = 0
        self.tracing = False

    def begin(self) -> None:
        """Watch from now on; it cannot be ended."""
        variables = _Environment(os.environ._data)  # type: ignore[attr-defined]
        variables.watch = self
        os.environ._data = variables  # type: ignore[attr-defined]
        sys.stdin = _Input(self, sys.stdin)
        sys.addaudithook(self._audited)

    def _audited(self, event: str, _: Any) -> None:
        if event.partition(".")[0] not in _WITHIN and event != "builtins.id":
            self.contact(event)

    def contact(self, what: str) -> None:
        """Note what was reached, unless an import did it: modules are read from files."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename.startswith(_IMPORT):
                return
            frame = frame.f_back
        self.touched = what

    @contextmanager
    def lines(self, wanted: bool) -> Iterator[None]:
        """Note which lines of the file run within the block, as long as there are new ones."""
        if not wanted or self.barren > _BARREN:
            yield
            return
        before = len(self.seen)
        self.tracing = True
        sys.settrace(self._entered)
        sys.setprofile(self._called)
        try:
            yield
        finally:
            sys.settrace(None)
            sys.setprofile(None)
            self.tracing = False
        self.barren = 0 if len(self.seen) > before else self.barren + 1

    def _called(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call" and getattr(arg, "__module__", None) in _SYSTEM and arg is not os.getpid:
            self.contact(f"{arg.__module__}.{arg.__name__}")

    def _entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._stepped if frame.f_code.co_filename == self.file else None

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.seen.add(frame.f_lineno)
        elif event == "exception" and self._of_the_place(*arg):
            self.touched = arg[0].__name__
        return self._stepped

    def _of_the_place(self, kind: type, error: Any, trace: Any) -> bool:
        """Whether an exception tells of the place where the file runs; not one that the file itself raises."""
        while trace.tb_next is not None:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        if code.co_filename == self.file and code.co_code[trace.tb_lasti] == _RAISE:
            return False
        return issubclass(kind, _PLACE) or (isinstance(error, OSError) and error.errno is not None)

    def weighed(self, verdict: dict[str, Any]) -> dict[str, Any]:
        """A verdict; that something is wrong does not count where the run has reached out of the interpreter."""
        if self.tracing and sys.gettrace() is None:  # Python ends it where the stack has no frame left for it
            self.touched = RecursionError.__name__
        if self.touched and verdict["v"] in ("broken", "raised", "mistyped"):
            return {"v": "touched", "what": self.touched, "as": verdict}
        return verdict


# Calls


class _Printed(io.StringIO):
    def write(self, text: str) -> int:
        return super().write(text) if self.tell() + len(text) <= MOST_OUTPUT else len(text)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _raised(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)[:300]
    except BaseException:  # noqa: BLE001  the exception is the candidate's own, and so is its text
        message = ""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return {"k": "raised", "mro": [str(c.__name__) for c in type(error).__mro__], "message": message, "line": line}


class _Player:
    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.channel = os.dup(1)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        self.clock = Limit(wall=True)
        self.names: dict[str, Any] = {}
        self.contract: Evaluator | None = None
        self.watch = Watch(FILE)

    def say(self, what: dict[str, Any]) -> None:
        line = f"{self.job['nonce']} {json.dumps(what)}\n".encode()
        while line:
            line = line[os.write(self.channel, line) :]

    def load(self) -> bool:
        module = types.ModuleType(values.MODULE)
        sys.modules[values.MODULE] = module
        self.names = module.__dict__
        self.names["__file__"] = FILE
        linecache.cache[FILE] = (len(self.job["source"]), None, self.job["source"].splitlines(True), FILE)
        try:
            if self.job["contract"] is not None:
                self.watch.begin()
            with self.clock.seconds(self.job["seconds"]):
                exec(compile(self.job["source"], FILE, "exec", dont_inherit=True), self.names)  # noqa: S102  in the sandbox
        except TooLong:
            self.say({"loaded": {"k": "time", "t": self.job["seconds"]}})
            return False
        except BaseException as error:  # noqa: BLE001  whatever the candidate raises is an answer
            self.say({"loaded": _raised(error)})
            return False
        self.watch.always = self.watch.touched
        if self.job["contract"] is not None:
            job, own = self.job["contract"], frozenset([*self.job["contract"]["aliases"], *self.names])
            self.contract = Evaluator(job, ResultType(job["returns"], own), self.names)
        self.say({"loaded": {"k": "returned"}})
        return True

    def read(self, call: dict[str, Any]) -> list[tuple[list[Any], dict[str, Any]]]:
        """The arguments of a call, and of calls of what it returns; made of the module's own classes."""
        reader, steps = values.Reader(self.names), call["chain"]
        return [([reader.read(a) for a in args], {k: reader.read(v) for k, v in named}) for args, named in steps]

    def function(self) -> Any:
        """The function without what checks its own contract, which is evaluated here."""
        found = self.names[self.job["function"]]
        return found.__wrapped__ if hasattr(found, "__contract__") else found

    def call(self, call: dict[str, Any], seconds: float) -> dict[str, Any]:
        printed = _Printed()
        sys.stdout = printed
        begun = _cpu()
        try:
            chain = self.read(call)
        except BaseException as error:  # noqa: BLE001  a constructor of the module's own refuses the input
            return {**_raised(error), "input": True}
        try:
            with self.clock.seconds(seconds):
                result = self.function()
                for args, named in chain:
                    result = result(*args, **named)
                after = [*chain[0][0], *chain[0][1].values()] if len(chain) == 1 else []
                data = values.write((*after, result), self.job["closely"] * values.MOST_NODES)
        except TooLong:
            return {"k": "time", "t": seconds}
        except BaseException as error:  # noqa: BLE001  whatever the candidate raises is an answer
            return {**_raised(error), "out": printed.getvalue(), "t": round(_cpu() - begun, 4)}
        return {"k": "returned", "v": data, "out": printed.getvalue(), "t": round(_cpu() - begun, 4)}

    # ---- a function that states its own contract ------------------------------------------------------------------

    def judged(self, call: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Verdicts on ``times`` calls with the same input, and whether the answers were the same each time."""
        begun = _cpu()
        verdict, answer = self.once(call, seconds)
        runs, same, spent = [verdict], True, _cpu() - begun
        least = 2 if call["times"] > 2 else 1  # of one that is looked at closely the second run, which is traced, too
        while len(runs) < (call["times"] if spent < 0.1 else least) and verdict["v"] not in ("time", "outside"):
            with self.watch.lines(len(runs) == 1):
                verdict, again = self.once(call, seconds)
            runs.append(verdict)
            same = same and again == answer
        return {"k": "judged", "runs": runs, "same": same, "t": round(spent, 4)}

    def once(self, call: dict[str, Any], seconds: float) -> tuple[dict[str, Any], Any]:
        """What the contract says of one call; with data by which answers are compared."""
        assert self.contract is not None
        self.watch.touched = self.watch.always
        try:
            ((args, named),) = self.read(call)
            function = self.function()
            given = dict(zip(self.contract.parameters, args, strict=False))
            given |= named
            if len(given) < len(self.contract.parameters):
                given = self.contract.completed({**_defaults(function), **given})
            allowed = self.timed(lambda: self.contract.allowed(given) if self.contract.requires(given) else None)
        except TooLong:
            return {"v": "slow"}, None
        except BaseException:  # noqa: BLE001  a constructor of the module's own refuses the input
            return {"v": "outside"}, None
        if allowed is None:
            return {"v": "outside"}, None
        try:
            if self.contract.captures:
                self.timed(lambda: self.contract.enter(given))
            result = self.timed(lambda: function(*args, **named), seconds)
        except TooLong:
            return {"v": "time", "seconds": seconds}, None
        except BaseException as error:  # noqa: BLE001  whatever the function raises is an answer
            raised = _raised(error)
            verdict = self.contract.of_exception(raised, [name for name in allowed if self.is_a(error, name)])
            if verdict["v"] == "ok" and self.contract.kept:
                verdict = self.contract.after_exception(given)
            return self.watch.weighed(verdict), raised["mro"]
        try:
            most, whole = self.job["closely"] * values.MOST_NODES, (*args, *named.values(), result)
            verdict, answer = self.timed(
                lambda: (self.contract.of_result(given, result), values.write(whole, most)), 2 * self.job["patience"]
            )
        except TooLong:
            return {"v": "slow"}, None
        except BaseException as error:  # noqa: BLE001  what is no Exception, raised by a clause
            return {"v": "slow", "why": type(error).__name__}, None
        return self.watch.weighed(verdict), answer

    def timed(self, action: Any, seconds: float = 0.0) -> Any:
        """Do it, within ``seconds`` or, of a contract, within what the job allows; else raise `TooLong`."""
        with self.clock.seconds(seconds or self.job["patience"]):
            return action()

    def is_a(self, error: BaseException, name: str) -> bool:
        """Whether an exception is of the class that a name means in the module."""
        try:
            return isinstance(error, eval(name, self.names))  # noqa: S307  in the sandbox
        except Exception:  # noqa: BLE001  the name means nothing here
            return False

    def play(self) -> None:
        """Each line has the outcome of the last call and the number of the one that begins now."""
        ends = _cpu() + self.job["budget"]
        slow: int = 0
        last: dict[str, Any] = {}
        for number, call in enumerate(self.job["calls"]):
            generated = call.get("generated", False)
            if generated and (_cpu() > ends or (slow >= 3 and call.get("large"))):
                continue
            self.say({**last, "start": number})
            seconds = min(call["seconds"], self.job["seconds"])
            if self.contract is not None and generated:
                outcome = self.judged(call, seconds)
                slow += outcome["runs"][0]["v"] in ("time", "slow")
                last = {"n": number, "outcome": outcome}
                continue
            outcome = self.call(call, seconds)
            if call.get("times", 1) > 1 and outcome["k"] != "time" and outcome.get("t", 1) < 0.1:
                again = self.call(call, call["seconds"])
                if [again.get(key) for key in ("k", "v", "mro")] != [outcome.get(key) for key in ("k", "v", "mro")]:
                    outcome["again"] = again
            slow += outcome["k"] == "time"
            if len(outcome.get("out", "")) == 0:
                outcome.pop("out", None)
            last = {"n": number, "outcome": outcome}
        self.say({**last, "end": len(self.job["calls"]), "lines": sorted(self.watch.seen)})


def _defaults(function: Any) -> dict[str, Any]:
    """The default values of a function's parameters, the objects themselves."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names = code.co_varnames[: code.co_argcount]
    last = zip(reversed(names), reversed(function.__defaults__ or ()), strict=False)
    return {**dict(last), **(function.__kwdefaults__ or {})}


def main() -> None:
    """Read the job, do it, and leave without giving threads and exit handlers of the candidate a turn."""
    job = json.loads(sys.stdin.buffer.read())
    player = _Player(job)
    if job["recursion"]:
        sys.setrecursionlimit(job["recursion"])
    stubs.install(job["checked"])
    player.say({"ready": True})
    if player.load():
        player.play()
    os._exit(0)
