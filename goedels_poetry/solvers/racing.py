"""Two solvers at one question: the first definite answer counts, and whoever is still at it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from queue import SimpleQueue

from goedels_poetry.solvers.limits import Answer, Finish, SolverUnavailable
from goedels_poetry.solvers.process import SolverProcess

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
