"""What commands that search share: how they are refused, how Ctrl-C stops them, what they say meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from goedels_poetry.cli.run_errors import INTERRUPTED, Unusable, code_after_failure
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import PriceError
from goedels_poetry.models.prompts import PromptError
from goedels_poetry.models.record import RecordingError
from goedels_poetry.search.machine.background import Listeners, stopping_signals
from goedels_poetry.trace.terminal import Lines, Opener, Progress, Silent, is_live, lines_to, one_line, say
from goedels_poetry.trace.wording import worded

STOPPING = "stopping; press Ctrl-C once more to stop at once"


def guarded(
    work: Callable[[], int],
    *,
    otherwise: Verdict = Verdict.UNKNOWN,
    refused: Callable[[str], None] | None = None,
    on_cancel: Callable[[], None] = lambda: None,
    os_errors: bool = False,
) -> int:
    """The exit code of a command, where nothing keeps it from its work; else of that, which is said in one line.

    Args:
        work: what the command does.
        otherwise: whose exit code a failure has that has none of its own, e.g. another process is at it.
        refused: says why a command line cannot be carried out; None: on standard error.
        on_cancel: called where a second Ctrl-C has ended it.
        os_errors: whether a file that cannot be read or written is a refusal, too.
    """
    complain = refused or _complain
    try:
        return work()
    except (Unusable, InvalidInput, RecordingError, PriceError, PromptError) as problem:
        complain(str(problem))
    except OSError as problem:
        if not os_errors:
            raise
        complain(f"{problem.filename or ''}: {problem.strerror or problem}".removeprefix(": "))
    except GoedelsPoetryError as problem:
        _complain(str(problem))
        return code_after_failure(problem, otherwise.exit_code)
    except asyncio.CancelledError:
        on_cancel()
        return INTERRUPTED
    return Verdict.INVALID.exit_code


def _complain(text: str) -> None:
    say(lines_to(sys.stderr), one_line(text))


def progress_of(request: Any, *, several: bool = False) -> Progress:
    """Lines on standard error, or nothing but notes."""
    quiet = request.quiet or request.as_json
    return Silent(sys.stderr) if quiet else Lines(sys.stderr, several=several)


def live_progress(request: Any, opener: Opener, total: int, limit_seconds: float | None) -> Progress:
    """The live view where standard error can redraw it, plain lines where it cannot."""
    live = is_live(sys.stderr)
    if request.quiet or (request.as_json and not live):
        return Silent(sys.stderr)
    if live:
        from goedels_poetry.trace.live import LiveView  # what draws takes half as long to load as a small proof

        return LiveView(sys.stderr, opener, total, limit_seconds, worded)
    return Lines(sys.stderr, several=total > 1)


@contextlib.contextmanager
def stoppable(progress: Progress, interrupt: Callable[[], None]) -> Iterator[None]:
    """Inside, progress is shown; the first Ctrl-C interrupts, the second one cancels everything."""

    def stop() -> None:
        progress.note(STOPPING)
        interrupt()

    with progress, Signals(stop):
        yield


def print_json(data: Any) -> None:
    """One object, on one line."""
    sys.stdout.write(json.dumps(data, default=str) + "\n")
    sys.stdout.flush()


class Signals:
    """Inside, the first of `stopping_signals` calls ``stop``; a second one cancels everything."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._caught = stopping_signals()
        self._before: Listeners | None = None
        self._task: asyncio.Task[Any] | None = None
        self._asked = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._before = Listeners()
        for number in self._caught:
            asyncio.get_running_loop().add_signal_handler(number, self._first)

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            self._before.restore()
        for number in self._caught if self._asked else ():
            signal.signal(number, signal.SIG_IGN)  # on the way out already: one more must not kill us half-way

    def _first(self) -> None:
        self._asked = True
        self._stop()
        for number in self._caught:
            asyncio.get_running_loop().add_signal_handler(number, self._second)

    def _second(self) -> None:
        if self._task is not None:
            self._task.cancel()
