"""Several Leans for coroutines: a bounded number of processes, one request each at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, Message, ReplayRequest, ReplayResult
from goedels_poetry.solvers.worker_threads import WorkerThreads

# -- What a Lean knows that a proof could cite ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A declaration. Its symbols are names of constants, literals (``#0``) and pairs of a symbol and one of its
    argument's (``List.map>List.append``)."""

    name: str
    theorem: bool
    """Its type is a proposition."""
    conclusion: tuple[str, ...]
    context: tuple[str, ...]
    """Symbols of the types of its variables and hypotheses that the conclusion does not have."""


@dataclass(frozen=True, slots=True)
class Library:
    """The declarations of a text, and the theorems of its imports."""

    own: tuple[Constant, ...] = ()
    imported: tuple[Constant, ...] = ()


def read_library(answer: dict[str, Any]) -> Library | None:
    """The JSON answer of our drivers."""
    if answer.get("status") != "done":
        return None
    symbols = answer["symbols"]

    def constant(entry: list[Any]) -> Constant:
        name, theorem, conclusion, context = entry
        return Constant(
            name, bool(theorem), tuple([symbols[i] for i in conclusion]), tuple([symbols[i] for i in context])
        )

    return Library(tuple(map(constant, answer["own"])), tuple(map(constant, answer["imported"])))


# -- Several Leans for coroutines ----------------------------------------------------------------------------------


T = TypeVar("T")


class LeanWorker(Protocol):
    """One Lean for one thread at a time: a driver process, or a client of a server."""

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`."""

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`; a crash where this Lean cannot."""

    def library(self, prefix: str, code: str, imported: bool, seconds: float) -> Library | None:
        """What prefix + code declares, and on demand the theorems of the imports; None where this Lean cannot say."""

    def kill(self) -> None:
        """Make the request under way end now; from any thread."""

    def close(self) -> None:
        """Release everything; from the owning thread."""


class LeanPool:
    """At most ``size`` requests at once; processes start when they are first needed. See `LeanRuntime`."""

    def __init__(
        self, kind: str, version: str, make: Callable[[], LeanWorker], size: int = 1, *, trusted: bool = True
    ) -> None:
        """``trusted``: whether it may decide about a proof; a Lean that a stranger runs may not."""
        self.kind = kind
        self.version = version
        self.trusted = trusted
        self.busy = 0
        """Requests that are under way or wait."""
        self.started = False
        """It has answered something and was not closed."""
        self._threads = WorkerThreads(size, make)

    async def check(self, request: CheckRequest, urgency: int = 0) -> CheckResult:
        """As `LeanRuntime.check`; the smallest ``urgency`` is served first."""
        fault = _not_unicode(request.prefix + request.code) or _not_unicode(request.reference or "")
        if fault is not None:
            return CheckResult("done", messages=(fault,))
        return await self._run(lambda lean: lean.check(request), urgency)

    async def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`; a crash where this Lean cannot."""
        return await self._run(lambda lean: lean.replay(request))

    async def library(self, prefix: str, code: str, imported: bool, seconds: float) -> Library | None:
        """As `LeanWorker.library`."""
        return await self._run(lambda lean: lean.library(prefix, code, imported, seconds))

    async def _run(self, ask: Callable[[LeanWorker], T], urgency: int = 0) -> T:
        self.busy += 1
        try:
            answer = await self._threads.run(ask, urgency)
            self.started = True
            return answer
        finally:
            self.busy -= 1

    async def aclose(self) -> None:
        """Kill every process. Safe to call twice."""
        self.started = False
        await self._threads.aclose()


def _not_unicode(text: str) -> Message | None:
    """An error about a lone surrogate: no file can hold it, and on the way to Lean different ones would become one."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        before = text[: fault.start]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
        return Message("error", f"no character of Unicode: U+{ord(text[fault.start]):04X}", line, column)
    return None
