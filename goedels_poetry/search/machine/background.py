"""An event loop in a thread of its own, on which synchronous faces wait: in scripts, notebooks and threads alike.

A notebook's thread has a loop that runs already, and several threads cannot share one that is not running. There is one
for each face, begun when it is first needed, ended with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from types import FrameType
from typing import Any, TypeVar

from goedels_poetry.errors import GoedelsPoetryError

T = TypeVar("T")

ENDING = 10.0
"""Seconds that cancelled work has to end its own processes."""


class Closed(GoedelsPoetryError, RuntimeError):
    """It was closed and takes no more work."""


class BackgroundLoop:
    """Any number of threads may give it work at once."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start it; cancelling the future cancels it; raises Closed, RuntimeError."""
        with self._lock:
            if self._closed or threading.current_thread() is self._thread:
                work.close()
                if self._closed:
                    raise self._gone()
                raise RuntimeError(f"a listener of this {self._what} waits for it: use the coroutine of the same name")
            if self._loop is None:
                self._loop, self._thread = self._started()
                weakref.finalize(self, _end, self._loop, self._thread)
            self._loop.call_soon_threadsafe(_may_block_here)
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _begun(self, work: Coroutine[Any, Any, T]) -> tuple[Future[T], threading.Event]:
        """`begin`, with what is set when the work has ended, also where its future is cancelled before that."""
        ended = threading.Event()

        async def noted() -> T:
            try:
                return await work
            finally:
                ended.set()

        try:
            return self.begin(noted()), ended
        except BaseException:
            work.close()
            raise

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """`run` for who waits in another loop, which is not blocked; cancelling waits until the work has ended."""
        future, ended = self._begun(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            with contextlib.suppress(Closed):
                await asyncio.wrap_future(self.begin(asyncio.sleep(0)))
            if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
                work.close()
            else:
                await asyncio.to_thread(ended.wait, ENDING)
            raise

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in its thread."""
        return threading.current_thread() is self._thread

    def run(self, work: Coroutine[Any, Any, T], interrupt: Callable[[str], None] | None = None) -> T:
        """Wait for it. What breaks off the waiting (Ctrl-C) cancels it, and waits until it has ended; raises Closed."""
        future, ended = self._begun(work)
        with stopping_on(interrupt) if interrupt is not None else contextlib.nullcontext():
            try:
                return future.result()
            except BaseException as error:
                future.cancel()
                with contextlib.suppress(Closed):  # the loop comes to the cancelling before it comes to this
                    self.begin(asyncio.sleep(0)).result()
                if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
                    work.close()
                else:  # so that the same can begin again: it holds its locks until it has ended
                    ended.wait(ENDING)
                if future.cancelled() and self._closed:
                    raise self._gone() from error
                raise

    def _started(self) -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
        loop = asyncio.new_event_loop()
        # A daemon, so that a program which forgets to close does not hang at its end.
        thread = threading.Thread(target=_run, args=(loop,), name=f"{self._what} loop", daemon=True)
        thread.start()
        return loop, thread

    def _gone(self) -> Closed:
        return Closed(f"this {self._what} is closed: make another one")

    @property
    def has_begun(self) -> bool:
        """Whether there is a thread to be ended."""
        return self._thread is not None

    def close(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        """Cancel what is under way, do ``last`` and end the loop. After that nothing is taken any more."""
        with self._lock:
            loop, thread, self._closed = self._loop, self._thread, True
            self._loop = self._thread = None
        if last is None and loop is None:
            return
        if loop is None or thread is None:  # a loop that runs here already could not wait for it
            loop, thread = self._started()
        try:
            asyncio.run_coroutine_threadsafe(_finish(last), loop).result()
        finally:
            _end(loop, thread)


def is_watched() -> bool:
    """Whether somebody forbids blocking calls in event loops: `blockbuster`, which `langgraph dev` turns on."""
    return time.sleep.__module__ == "blockbuster.blockbuster"


def _may_block_here() -> None:
    """Nobody else is served by this thread's loop: its blocking calls are nobody's business."""
    skip = getattr(sys.modules.get("blockbuster.blockbuster"), "_skip", None)
    if skip is not None:
        skip.value = True


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while True:
        try:
            return loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue  # the task that raised it passes it on to its caller, who waits for the loop


async def _finish(last: Coroutine[Any, Any, None] | None) -> None:
    await _cancel_all()
    if last is not None:
        await last
    await asyncio.get_running_loop().shutdown_asyncgens()
    await asyncio.get_running_loop().shutdown_default_executor()


async def _cancel_all() -> None:
    waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Stop the loop and let its thread go; nothing when that was done. At the end of the process, too."""
    if loop.is_closed() or threading.current_thread() is thread:
        return
    with contextlib.suppress(RuntimeError, TimeoutError, CancelledError):  # it ends meanwhile, or does not let go
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(ENDING)
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(loop.stop)
    thread.join(ENDING)
    if not thread.is_alive():
        loop.close()


def call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], Any]) -> None:
    """Call it in a loop: at once where we are in it, else as soon as it comes to it; never when it is closed."""
    with contextlib.suppress(RuntimeError):
        if asyncio.get_running_loop() is loop:
            call()
            return
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


# -- signals -------------------------------------------------------------------------------------------------------


def stopping_signals() -> tuple[signal.Signals, ...]:
    """The signals that ask for a clean end: Ctrl-C, SIGTERM, and a closed terminal unless it is ignored (``nohup``)."""
    hangup = getattr(signal, "SIGHUP", None)
    heard = hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *((hangup,) if heard else ()))


class Listeners:
    """The present handlers of `stopping_signals`, to be put back after a loop that has its own."""

    def __init__(self) -> None:
        self._handlers = {number: signal.getsignal(number) for number in stopping_signals()}
        self._wakeup = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)

    def restore(self) -> None:
        """Take the loop's handlers away and put theirs back. In the main thread, inside the loop."""
        loop = asyncio.get_running_loop()
        for number, handler in self._handlers.items():
            loop.remove_signal_handler(number)
            if handler is not None:  # else it is not Python's, and cannot be put back
                signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)


@contextlib.contextmanager
def stopping_on(interrupt: Callable[[str], None]) -> Iterator[None]:
    """Inside, the first of `stopping_signals` calls ``interrupt``; a second acts as usual. In the main thread alone."""
    before: dict[signal.Signals, Any] = {}

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    def stop(number: int, frame: FrameType | None) -> None:
        restore()
        interrupt(f"interrupted by {signal.Signals(number).name}")

    if threading.current_thread() is threading.main_thread():
        for number in stopping_signals():
            if signal.getsignal(number) is not None:  # else it is not Python's, and could not be put back
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        restore()
