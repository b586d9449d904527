"""The process: how long it has run, and what Ctrl-C, TERM and a closed terminal do to it.

Commands that have something to finish listen (`session.Signals`). Before they do, while the program loads, and after
it, a signal ends the program with one line and the exit code that a shell gives.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

_LINE = b"interrupted\n"


class Ended(BaseException):
    """A signal asks for the end of the program; no `Exception`, so that nobody takes it for a failure of his own."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def listen() -> None:
    """Have TERM and HUP raise `Ended`, as Ctrl-C raises KeyboardInterrupt. What is ignored (``nohup``) stays ignored.

    Where Python can only report what was raised, in a callback for instance, it ends the program there and then.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)
    report = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, (KeyboardInterrupt, Ended)):
            _leave(code_after_signal(unraisable.exc_value))
        report(unraisable)

    sys.unraisablehook = hook


def leaving() -> None:
    """The result is known and written: from now on a signal has nothing to stop but the writing itself."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: _leave(128 + number))


def code_after_signal(error: BaseException) -> int:
    """The exit code of what a signal raised: 128 and the signal's number, as shells count."""
    return 128 + (error.number if isinstance(error, Ended) else signal.SIGINT)


def is_unsaid(end: SystemExit) -> bool:
    """Whether the parser of command lines ends the program because of a Ctrl-C, about which it says nothing."""
    caught = end.__context__
    return end.code == 128 + signal.SIGINT and caught is not None and isinstance(caught.__cause__, KeyboardInterrupt)


def say_interrupted() -> None:
    """The one line, where anybody is there to read it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(_LINE.decode())
        sys.stderr.flush()


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    raise Ended(number)


def _leave(code: int) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, _LINE)
    os._exit(code)


LOADED = time.monotonic()
"""When this file was loaded, the first of the command line: some 20 ms after the interpreter began. The process may be
older: a shell becomes the program (``sh -c "sleep 30; exec ..."``)."""
YOUNG = 60.0
"""Seconds: what was loaded longer than that before a command line begins was not loaded for it."""

_began: float | None = None


def begin() -> None:
    """A command line begins; the first one of a program began with it."""
    global _began  # noqa: PLW0603  one start a command line
    now = time.monotonic()
    _began = LOADED if _began is None and now - LOADED < YOUNG else now


def elapsed() -> float:
    """Seconds since the command line began; 0.0 where none has."""
    return 0.0 if _began is None else time.monotonic() - _began
