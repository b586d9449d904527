"""A limit of processor time around something of ours, of the contract's author or of a candidate."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """The time is over. No plain exception, so that tests that catch those do not catch it."""


_GRACE = 0.3
"""Seconds after the limit when what Python cannot interrupt (sum(range(10**20))) ends the process."""
_AGAIN = 0.05
"""Seconds after which code that swallowed its limit is interrupted again."""


class Limit:
    """Not nested: the inner limit is the one that counts, and ends the outer one.

    ``wall``: four times the limit by the clock as well, for what sleeps.
    """

    def __init__(self, wall: bool = False) -> None:
        self.running, self.wall = False, wall
        signal.signal(signal.SIGPROF, self._ring)
        signal.signal(signal.SIGALRM, self._ring)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

    def _ring(self, *_: object) -> None:
        if self.running:
            raise TooLong

    @contextmanager
    def seconds(self, seconds: float) -> Iterator[None]:
        """Raise `TooLong` within the block after so many seconds of processor time."""
        self.running = True
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds + _GRACE)
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
        if self.wall:
            signal.setitimer(signal.ITIMER_REAL, 4 * seconds + 1, _AGAIN)
        try:
            yield
        finally:
            self.running = False
            for timer in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
