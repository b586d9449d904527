"""A limit of processor time around something of ours or of the contract's author."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """The time is over. No plain exception, so that tests that catch those do not catch it."""


_GRACE = (
    0.3  # seconds after the limit when something that Python cannot interrupt (sum(range(10**20))) ends the process
)


class Limit:
    """Not nested: the inner limit is the one that counts, and ends the outer one."""

    def __init__(self) -> None:
        self.running = False
        signal.signal(signal.SIGPROF, self._ring)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

    def _ring(self, *_: object) -> None:
        if self.running:
            raise TooLong

    @contextmanager
    def seconds(self, seconds: float) -> Iterator[None]:
        """Raise `TooLong` within the block after so many seconds of processor time."""
        self.running = True
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds + _GRACE)
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.05)
        try:
            yield
        finally:
            self.running = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
