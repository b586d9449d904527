"""What the solver processes share: the gate of their text, framed messages, a child that is replaced when it fails.

A frame is four bytes of length, then so many bytes of JSON. In a race of two the first definite answer counts.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, Self

from goedels_poetry.solvers.child import KILLED, WHO_KILLS, Child, ChildDied, ChildFlood, ChildTimeout
from goedels_poetry.solvers.launch import memory_limit_mb
from goedels_poetry.solvers.limits import Answer, Finish, Get, Limits, Options, SolverUnavailable

HEADER = 4
MAX_FRAME = 1 << 30


class BrokenFrame(Exception):
    """The other side ended, or does not speak in frames."""


def pack(message: dict[str, Any]) -> bytes:
    """One message, framed. Raises TypeError or ValueError for what JSON cannot hold."""
    body = json.dumps(message, allow_nan=False).encode()
    if len(body) > MAX_FRAME:
        raise ValueError(f"a message of {len(body)} bytes is too long")
    return len(body).to_bytes(HEADER, "big") + body


def is_whole(received: bytearray) -> bool:
    """Whether exactly one frame was received. Raises BrokenFrame when it can never be."""
    if len(received) < HEADER:
        return False
    length = int.from_bytes(received[:HEADER], "big")
    if length > MAX_FRAME or len(received) > HEADER + length:
        raise BrokenFrame("not a frame")
    return len(received) == HEADER + length


def unpack(received: bytes | bytearray) -> dict[str, Any]:
    """The message in one whole frame. Raises BrokenFrame."""
    try:
        message = json.loads(received[HEADER:])
    except ValueError as error:
        raise BrokenFrame(str(error)) from error
    if not isinstance(message, dict):
        raise BrokenFrame("not a message")
    return message


# A lexical gate in front of every solver

ALLOWED_COMMANDS = frozenset(
    {
        "assert",
        "declare-const",
        "declare-datatype",
        "declare-datatypes",
        "declare-fun",
        "declare-sort",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
        "define-sort",
        "set-logic",
    }
)

# z3 reads a backslash inside |…| as an escape and #| as a comment, SMT-LIB does not: both are refused.
_ATOMS = re.compile(r'"(?:[^"]|"")*"|\|[^|\\]*\||;[^\n]*')
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NEEDS_ATOMS = re.compile(r'["|;]')
_PAREN = re.compile(r"[()]")
_COMMAND = re.compile(r"\(\s*([a-z][a-z0-9-]*)(?=[\s()])")


def _blank(match: re.Match[str]) -> str:
    """Replace an atom by something of the same shape: newlines stay where they are, so lines stay right."""
    text = match.group()
    if text[0] == ";":
        return ""
    return "_" + "\n" * text.count("\n")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def bare_text(text: str) -> tuple[str, str | None]:
    """The text without what may hide a parenthesis, and what is wrong with it."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return text, f"line {_line(text, error.start)}: not a character"
    if found := _CONTROL.search(text):
        return text, f"line {_line(text, found.start())}: control character"
    if "#|" in text:
        return text, f"line {_line(text, text.index('#|'))}: '#|' is not SMT-LIB"
    if not _NEEDS_ATOMS.search(text):
        return text, None
    bare = _ATOMS.sub(_blank, text)
    if found := re.search(r'["|]', bare):
        return bare, f"line {_line(bare, found.start())}: unclosed string or quoted symbol"
    return bare, None


def script_fault(text: str) -> str | None:
    """Say why the text is not a sequence of complete, allowed commands, or None when it is. Linear time."""
    bare, fault = bare_text(text)
    if fault:
        return fault
    depth = 0
    end = 0
    for paren in _PAREN.finditer(bare):
        at = paren.start()
        if bare[at] == "(":
            if depth == 0:
                command = _COMMAND.match(bare, at)
                if bare[end:at].strip():
                    return f"line {_line(bare, end)}: text outside a command"
                if command is None or command.group(1) not in ALLOWED_COMMANDS:
                    word = bare[at : at + 40].split("\n")[0]
                    return f"line {_line(bare, at)}: command not allowed: {word}"
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return f"line {_line(bare, at)}: ')' without '('"
            end = at + 1
    if depth:
        return f"line {_line(bare, len(bare))}: {depth} '(' not closed"
    if bare[end:].strip():
        return f"line {_line(bare, end)}: text outside a command"
    return None


def term_fault(text: str) -> str | None:
    """Say why the text is not one balanced term, or None when it is."""
    bare, fault = bare_text(text)
    if fault:
        return fault
    depth = 0
    for paren in _PAREN.finditer(bare):
        depth += 1 if bare[paren.start()] == "(" else -1
        if depth < 0:
            return "')' without '('"
    if depth or not bare.strip():
        return "not a term"
    return None


MEMORY_EXIT = 101
"""z3 ends with this code when it is out of memory; our own children do the same."""

DEFAULT_LIMITS = Limits()

_OF_SAT = {"model": "(get-model)", "objectives": "(get-objectives)"}
_OF_UNSAT = {"core": "(get-unsat-core)", "proof": "(get-proof)"}
START_SECONDS = 10.0
"""Until a fresh process must have answered something, where the query itself has so long."""

Query = Callable[[Child, float], Answer]
"""The part of a query that talks to the child, given the child and the deadline in time.monotonic seconds."""


def out_of_memory(death: ChildDied) -> bool:
    """Whether a child ended because it could not get more memory."""
    printed = death.output[-4096:] + death.complaints
    words = (b"out of memory", b"bad_alloc", b"MemoryError", b"Cannot allocate memory")
    return death.code == MEMORY_EXIT or any(word in printed for word in words)


def last_output(death: ChildDied) -> str:
    """The end of what a child said on standard error."""
    return death.complaints.decode("utf-8", "replace").strip()


def get_fault(get: Get) -> str | None:
    """Say why this is not something to ask for after the status, or None."""
    if isinstance(get, str):
        return None if get in ("none", "model", *_OF_UNSAT) else f"nothing can be got by {get!r}"
    if not get:
        return "no term to evaluate"
    return next((f"term {term!r}: {fault}" for term in get if (fault := term_fault(term))), None)


def get_command(get: Get, status: str) -> str:
    """The SMT-LIB command that gets it after this status, or "" when there is nothing to get."""
    if isinstance(get, str) and get in _OF_UNSAT:
        return _OF_UNSAT[get] if status == "unsat" else ""
    if get == "none" or status != "sat":
        return ""
    if get in _OF_SAT:
        return _OF_SAT[get]
    return f"(get-value ({' '.join(get)}))"


class SolverProcess(ABC):
    """One real, persistent solver process; blocking. Starts with the first query, and again after a loss.

    Use from one thread at a time; ``kill`` may be called from any. A context manager that closes at its end.
    """

    name: str

    def __init__(self) -> None:
        self._child: Child | None = None
        self._memory_mb = 0
        self._greeted = False
        self._lock = threading.Lock()
        self._busy = False
        self._killed = False
        self.starts = 0
        """How many processes were started so far; one more than the number of losses."""
        self.cut_off = 0
        """How many queries so far ended for want of time, or with their process: they may go well another time."""

    def ask(
        self, script: str, limits: Limits = DEFAULT_LIMITS, get: Get = "none", options: Options | None = None
    ) -> Answer:
        """Pose one query in a context that knows nothing of earlier ones.

        script: declarations, definitions and assertions; the one ``check-sat`` is ours. Anything else, any
        message beside the status, any reply out of shape is status "error". A limit, a crash or a kill is
        never "unsat": it fails this query alone, and the next one meets a working process. What ends with its process
        is asked once more in a fresh one. Raises SolverUnavailable when that one cannot answer anything.
        """
        fault = script_fault(script) or get_fault(get)
        if fault:
            return Answer("error", fault)
        settings = options or {}
        return self._guarded(limits, lambda child, deadline: self._ask(child, script, limits, get, settings, deadline))

    def begin(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Start the process, if there is none, and do not wait for it: it loads while something else is done."""
        if self._child is None:
            with contextlib.suppress(SolverUnavailable):  # told when something is asked
                self._child = self._started(limits.memory_mb)

    @abstractmethod
    def _start(self, memory_mb: int) -> Child: ...

    @abstractmethod
    def _ask(
        self, child: Child, script: str, limits: Limits, get: Get, options: Options, deadline: float
    ) -> Answer: ...

    @abstractmethod
    def _ping(self, child: Child, deadline: float) -> None:
        """Ask the child something that it always answers."""

    @abstractmethod
    def _lost(self) -> None:
        """Called when the child is gone: forget what it knew."""

    def _guarded(self, limits: Limits, query: Query) -> Answer:
        """Run a query on a living child and turn every way to lose that child into an answer."""
        began = time.monotonic()
        deadline = began + limits.seconds + limits.grace
        with self._lock:
            self._busy, self._killed = True, False
        try:
            try:
                answer = self._posed(limits, query, deadline)
            except ChildDied as death:
                answer = self._post_mortem(death, limits) or self._again(limits, query, deadline)
        finally:
            self._busy = False
        self.cut_off += answer.reason == "timeout"
        return replace(answer, seconds=time.monotonic() - began)

    def _posed(self, limits: Limits, query: Query, deadline: float) -> Answer:
        """Run a query. Raises ChildDied, and SolverUnavailable; the child is gone then."""
        try:
            child = self._living(limits.memory_mb, deadline)
            answer = query(child, deadline)
            if answer.reason == "memory":  # it may live on with no room left
                self._drop()
        except ChildTimeout:
            self._drop()
            return Answer("unknown", "timeout")
        except ChildFlood:
            self._drop()
            return Answer("error", f"the answer is longer than {limits.output_bytes} bytes")
        except BrokenFrame as fault:
            self._drop()
            return Answer("error", f"unexpected reply: {fault}")
        except BaseException:  # Ctrl-C between sending and reading: the stream is out of step
            self._drop()
            raise
        return answer

    def _again(self, limits: Limits, query: Query, deadline: float) -> Answer:
        """What was killed from outside goes well in a fresh process; where the solver has a defect it ends again.

        A defect is no SIGKILL, and no limit of ours is: that is the machine's, which has no room for this query now.
        """
        try:
            return self._posed(limits, query, deadline)
        except ChildDied as death:
            self.cut_off += 1
            if answer := self._post_mortem(death, limits):
                return answer
            if death.code == KILLED:
                raise SolverUnavailable(f"{self.name} was killed again and again; {WHO_KILLS}") from None
            self._probe(limits.memory_mb)
            return Answer("error", f"{self.name} crashed: {death}", lost=True)

    def _post_mortem(self, death: ChildDied, limits: Limits) -> Answer | None:
        """What a death amounts to that was to be expected; None for others."""
        if self._killed:
            return Answer("unknown", "killed")
        if not out_of_memory(death):
            return None
        self._probe(limits.memory_mb)
        return Answer("unknown", "memory")

    def _probe(self, memory_mb: int) -> None:
        """Raise SolverUnavailable when a fresh child does not answer either: then the query is not to blame."""
        try:
            self._living(memory_mb)
        except ChildTimeout:  # of ours, then: else that would be no answer
            self._drop()
        except ChildDied as death:
            self._drop()
            if not self._killed:
                raise SolverUnavailable(f"{self.name} cannot be run: {_why(death)}") from None

    def _living(self, memory_mb: int, deadline: float = math.inf) -> Child:
        """The child, or a new one that has answered something. Raises ChildDied, ChildTimeout, SolverUnavailable."""
        if self._child is not None and (self._memory_mb != memory_mb or not self._child.alive):
            self._drop()
        if self._child is None:
            try:
                self._child = self._started(memory_mb)
            except SolverUnavailable:
                self.cut_off += 1
                raise
            if self._killed:  # while it started
                self._child.kill()
        if not self._greeted:
            self._greet(self._child, deadline)
            self._greeted = True
        return self._child

    def _started(self, memory_mb: int) -> Child:
        try:
            child = self._start(memory_mb)
        except (OSError, RuntimeError) as fault:  # no file handle, no memory, no thread to be had
            raise SolverUnavailable(f"{self.name} cannot be started: {fault}") from fault
        self._memory_mb, self._greeted = memory_mb, False
        self.starts += 1
        return child

    def _greet(self, child: Child, deadline: float) -> None:
        latest = time.monotonic() + START_SECONDS
        try:
            self._ping(child, min(latest, deadline))
        except ChildTimeout:
            if deadline < latest or self._killed:
                raise
            self.cut_off += 1
            self._drop()
            raise SolverUnavailable(f"{self.name} does not answer within {START_SECONDS:g} s") from None

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()
            self._lost()

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


def _why(death: ChildDied) -> str:
    """How a child ended that should have started, its last line, and what the system allows it."""
    lines = last_output(death).splitlines()
    limit = memory_limit_mb()
    parts = [str(death), *lines[-1:], *([f"ulimit -v leaves it {limit} MB"] if limit is not None else [])]
    return "; ".join(parts)


_RETRY_SECONDS = 0.02


@dataclass(frozen=True)
class Runner:
    """A process, and what it answers when asked in one way after the other; the next way only when it is needed."""

    process: SolverProcess
    answers: Iterator[Answer]


def race(*runners: Runner) -> Finish:
    """Let each runner answer until one says ``sat`` or ``unsat``; that one wins, the others are killed.

    A killed process starts again with its next query. Who wins is a matter of time, so where a result has to repeat,
    answers must be bounded by steps and it must not matter who gave them.

    Raises: what asking raises.
    """
    done: SimpleQueue[tuple[int, Answer | BaseException]] = SimpleQueue()
    over = threading.Event()

    def run(number: int, runner: Runner) -> None:
        answer = Answer("unknown", "not asked")
        try:
            for answer in runner.answers:
                if answer.definite or over.is_set():
                    break
            done.put((number, answer))
        except SolverUnavailable as error:  # the others are asked, too
            done.put((number, Answer("error", str(error), lost=True)))
        except BaseException as error:  # noqa: BLE001 - raised again where the race is awaited
            done.put((number, error))

    threads = [threading.Thread(target=run, args=item, daemon=True) for item in enumerate(runners)]
    for thread in threads:
        thread.start()
    last = Answer("unknown", "not asked")
    try:
        for _ in runners:
            number, answer = done.get()
            if isinstance(answer, BaseException):
                raise answer
            if answer.definite:
                return Finish(number, answer)
            last = answer
    finally:
        over.set()
        for thread, runner in zip(threads, runners, strict=True):
            while thread.is_alive():  # a kill may come just before there is something to kill
                runner.process.kill()
                thread.join(_RETRY_SECONDS)
    return Finish(None, last)
