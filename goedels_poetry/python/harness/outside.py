"""What a run of the candidate shows besides its answer: lines that were reached, and contact with the machine.

What a file, the environment or the network says, or that stack or memory have come to an end, is a fact about the place
where it ran: a contract that seems broken there is not broken for that.
"""

from __future__ import annotations

import opcode
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

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
