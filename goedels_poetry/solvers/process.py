"""What the solver processes share: a child that is replaced when it fails, and fails one query alone."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Self

from goedels_poetry.solvers.child import Child, ChildDied, ChildFlood, ChildTimeout
from goedels_poetry.solvers.frames import BrokenFrame
from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.script import script_fault, term_fault

MEMORY_EXIT = 101
"""z3 ends with this code when it is out of memory; our own children do the same."""

DEFAULT_LIMITS = Limits()

Query = Callable[[Child, float], Answer]
"""The part of a query that talks to the child, given the child and the deadline in time.monotonic seconds."""


def out_of_memory(death: ChildDied) -> bool:
    """Whether a child ended because it could not get more memory."""
    said = death.output[-4096:] + death.complaints
    words = (b"out of memory", b"bad_alloc", b"MemoryError", b"Cannot allocate memory")
    return death.code == MEMORY_EXIT or any(word in said for word in words)


def get_fault(get: Get) -> str | None:
    """Say why this is not something to ask for after the status, or None."""
    if isinstance(get, str):
        return None if get in ("none", "model", "core") else f"nothing can be got by {get!r}"
    if not get:
        return "no term to evaluate"
    return next((f"term {term!r}: {fault}" for term in get if (fault := term_fault(term))), None)


def get_command(get: Get, status: str) -> str:
    """The SMT-LIB command that gets it after this status, or "" when there is nothing to get."""
    if get == "core":
        return "(get-unsat-core)" if status == "unsat" else ""
    if get == "none" or status != "sat":
        return ""
    if get == "model":
        return "(get-model)"
    return f"(get-value ({' '.join(get)}))"


class SolverProcess(ABC):
    """One real, persistent solver process; blocking. Starts with the first query, and again after a loss.

    Use from one thread at a time; ``kill`` may be called from any. A context manager that closes at its end.
    """

    name: str

    def __init__(self) -> None:
        self._child: Child | None = None
        self._memory_mb = 0
        self._lock = threading.Lock()
        self._busy = False
        self._killed = False
        self.starts = 0
        """How many processes were started so far; one more than the number of losses."""

    def ask(
        self, script: str, limits: Limits = DEFAULT_LIMITS, get: Get = "none", options: Options | None = None
    ) -> Answer:
        """Pose one query in a context that knows nothing of earlier ones.

        script: declarations, definitions and assertions; the one ``check-sat`` is ours. Anything else, any
        message beside the status, any reply out of shape is status "error". A limit, a crash or a kill is
        never "unsat": it fails this query alone, and the next one meets a working process.
        """
        fault = script_fault(script) or get_fault(get)
        if fault:
            return Answer("error", fault)
        settings = options or {}
        return self._guarded(limits, lambda child, deadline: self._ask(child, script, limits, get, settings, deadline))

    @abstractmethod
    def _start(self, memory_mb: int) -> Child: ...

    @abstractmethod
    def _ask(
        self, child: Child, script: str, limits: Limits, get: Get, options: Options, deadline: float
    ) -> Answer: ...

    @abstractmethod
    def _lost(self) -> None:
        """Called when the child is gone: forget what it knew."""

    def _guarded(self, limits: Limits, query: Query) -> Answer:
        """Run a query on a living child and turn every way to lose that child into an answer."""
        began = time.monotonic()
        with self._lock:
            self._busy, self._killed = True, False
        try:
            child = self._living(limits.memory_mb)
            answer = query(child, began + limits.seconds + limits.grace)
            if answer.reason == "memory":  # it may live on with no room left
                self._drop()
        except ChildTimeout:
            self._drop()
            answer = Answer("unknown", "timeout")
        except ChildFlood:
            self._drop()
            answer = Answer("error", f"the answer is longer than {limits.output_bytes} bytes")
        except ChildDied as death:
            self._drop()
            answer = self._post_mortem(death)
        except BrokenFrame as fault:
            self._drop()
            answer = Answer("error", f"unexpected reply: {fault}")
        except BaseException:  # Ctrl-C between sending and reading: the stream is out of step
            self._drop()
            raise
        finally:
            self._busy = False
        return replace(answer, seconds=time.monotonic() - began)

    def _post_mortem(self, death: ChildDied) -> Answer:
        if self._killed:
            return Answer("unknown", "killed")
        if out_of_memory(death):
            return Answer("unknown", "memory")
        return Answer("error", f"{self.name} crashed: {death}")

    def _living(self, memory_mb: int) -> Child:
        if self._child is not None and (self._memory_mb != memory_mb or not self._child.alive):
            self._drop()
        if self._child is None:
            self._child = self._start(memory_mb)
            self._memory_mb = memory_mb
            self.starts += 1
            if self._killed:  # while it started
                self._child.kill()
        return self._child

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()
            self._lost()

    def ask_each(
        self,
        prelude: str,
        extras: Sequence[str],
        limits: Limits = DEFAULT_LIMITS,
        options: Options | None = None,
    ) -> tuple[Answer, ...]:
        """Pose one query for each extra, all over the same prelude; each has these limits."""
        return tuple(self.ask(f"{prelude}\n{extra}", limits, options=options) for extra in extras)

    @property
    def pid(self) -> int | None:
        """The process id of the running child, if there is one."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def kill(self) -> None:
        """End the process now, from any thread; a query under way answers "unknown", reason "killed"."""
        with self._lock:
            self._killed = self._busy
            child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Kill the process and release its pipes; it starts again when asked again."""
        self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
