"""The candidate's process: calls the function on given inputs and says what came out. It knows no expected value.

So whatever the candidate does here amounts to answering something, and what it answers is judged in another process.
"""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import sys
import types

from . import stubs, values

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

FILE = "<candidate>"
MOST_OUTPUT = 10_000  # characters printed by one call that are kept
_AGAIN = 0.05  # seconds after which a candidate that swallowed its time limit is told again

_GRACE = 0.3  # seconds after which what Python cannot interrupt, or what swallows its limit, ends with its process


class _TooLong(BaseException):
    pass


class _Clock:
    """A limit of processor time, and four times that of time on the wall, for what sleeps."""

    def __init__(self) -> None:
        self.running = False
        signal.signal(signal.SIGPROF, self._ring)
        signal.signal(signal.SIGALRM, self._ring)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

    def start(self, seconds: float) -> None:
        self.running = True
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds + _GRACE)
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
        signal.setitimer(signal.ITIMER_REAL, 4 * seconds + 1, _AGAIN)

    def stop(self) -> None:
        self.running = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, *_: object) -> None:
        if self.running:
            raise _TooLong


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
        self.clock = _Clock()
        self.names: dict[str, Any] = {}

    def say(self, what: dict[str, Any]) -> None:
        line = f"{self.job['nonce']} {json.dumps(what)}\n".encode()
        while line:
            line = line[os.write(self.channel, line) :]

    def load(self) -> bool:
        module = types.ModuleType(values.MODULE)
        sys.modules[values.MODULE] = module
        self.names = module.__dict__
        try:
            self.clock.start(self.job["seconds"])
            try:
                exec(compile(self.job["source"], FILE, "exec", dont_inherit=True), self.names)  # noqa: S102  in the sandbox
            finally:
                self.clock.stop()
        except _TooLong:
            self.say({"loaded": {"k": "time", "t": self.job["seconds"]}})
            return False
        except BaseException as error:  # noqa: BLE001  whatever the candidate raises is an answer
            self.say({"loaded": _raised(error)})
            return False
        self.say({"loaded": {"k": "returned"}})
        return True

    def call(self, call: dict[str, Any], seconds: float) -> dict[str, Any]:
        printed = _Printed()
        sys.stdout = printed
        begun = _cpu()
        try:
            reader = values.Reader(self.names)
            chain = [
                ([reader.read(a) for a in args], {k: reader.read(v) for k, v in named}) for args, named in call["chain"]
            ]
        except BaseException as error:  # noqa: BLE001  a constructor of the module's own refuses the input
            return {**_raised(error), "input": True}
        try:
            self.clock.start(seconds)
            try:
                result = self.names[self.job["function"]]
                for args, named in chain:
                    result = result(*args, **named)
                after = [*chain[0][0], *chain[0][1].values()] if len(chain) == 1 else []
                data = values.write((*after, result), self.job["most"])
            finally:
                self.clock.stop()
        except _TooLong:
            return {"k": "time", "t": seconds}
        except BaseException as error:  # noqa: BLE001  whatever the candidate raises is an answer
            return {**_raised(error), "out": printed.getvalue(), "t": round(_cpu() - begun, 4)}
        return {"k": "returned", "v": data, "out": printed.getvalue(), "t": round(_cpu() - begun, 4)}

    def play(self) -> None:
        ends = _cpu() + self.job["budget"]
        slow = 0
        for number, call in enumerate(self.job["calls"]):
            generated = call.get("generated", False)
            if generated and (_cpu() > ends or (slow >= 3 and call.get("large"))):
                continue
            self.say({"start": number})
            outcome = self.call(call, min(call["seconds"], self.job["seconds"]))
            if call.get("twice") and outcome["k"] != "time" and outcome.get("t", 1) < 0.1:
                again = self.call(call, call["seconds"])
                if [again.get(key) for key in ("k", "v", "mro")] != [outcome.get(key) for key in ("k", "v", "mro")]:
                    outcome["again"] = again
            slow += outcome["k"] == "time"
            if len(outcome.get("out", "")) == 0:
                outcome.pop("out", None)
            self.say({"n": number, "outcome": outcome})
        self.say({"end": len(self.job["calls"])})


def main() -> None:
    """Read the job, do it, and leave without giving threads and exit handlers of the candidate a turn."""
    job = json.loads(sys.stdin.buffer.read())
    player = _Player(job)
    if job["recursion"]:
        sys.setrecursionlimit(job["recursion"])
    stubs.install()
    player.say({"ready": True})
    if player.load():
        player.play()
    os._exit(0)


__all__ = ["FILE", "main"]
