"""Candidates without a model: small functions that fit the examples, in order of size, tested briefly one by one.

A third of the examples is held back: a function that fits the others and passes these, too, is more than a list of
them. Whatever comes of it goes through the same verifier as a function by a model. An input on which one candidate
fails is tried first on the next (counterexample-guided inductive synthesis: Solar-Lezama et al., ASPLOS 2006).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.synthesis.search import synthesise
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.code.strategies import Forbidden, candidate_of, strategy_of, why_banned
from goedels_poetry.search.tasks.code import CodeTask, Pair
from goedels_poetry.search.tasks.code_moves import SYNTHESIS

BRIEF, LONG = 2.0, 6.0
"""Seconds of one enumeration before a model is asked, and where there is none."""
MOST_BRIEF, MOST_LONG = 3, 12
"""Candidates that are tested."""
FEWEST = 4
"""Examples, of fewer of which none is held back."""
ENOUGH = 3
"""How much has to speak for a function that was enumerated, where a model could be asked instead."""
TOO_LITTLE = "enumeration: too few checks to tell the function that is meant from others that fit"
MOST_ROUNDS = 4
"""Enumerations without a model: each later one knows the inputs on which earlier candidates failed."""
WEAK = "the function was enumerated to fit the examples, and few other checks speak for it: look at it"


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier enumerations and tests came to."""

    seed: int
    digests: frozenset[str] = frozenset()
    """Candidates that were tried."""
    failing: tuple[Mapping[str, str], ...] = ()
    """Inputs on which one failed."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an enumeration came to."""

    candidate: dict[str, Any] | None
    note: str
    """One line for people."""
    passes: bool = False
    """Whether the candidate has passed a quick test."""


async def enumerated(task: CodeTask, forbidden: Sequence[Forbidden], known: Known, *, brief: bool) -> Found:
    """See `_enumerated`. Who stops waiting for it ends the search, which has a thread of its own."""
    given_up = threading.Event()
    try:
        return await _enumerated(task, forbidden, known, brief=brief, given_up=given_up.is_set)
    finally:
        given_up.set()


async def _enumerated(
    task: CodeTask, forbidden: Sequence[Forbidden], known: Known, *, brief: bool, given_up: Callable[[], bool]
) -> Found:
    """The first candidate that passes a quick test.

    Where a model can be asked (``brief``) more has to speak for it than that it fits; without one the smallest
    candidate is given in any case, so that there is something to show.
    """
    shown, held = _split(task.examples)
    weak = _weight(task, held) < ENOUGH
    if brief and weak:
        return Found(None, TOO_LITTLE)
    failing = [dict(each) for each in known.failing]
    tried, first = set(known.digests), None
    most, seconds = (MOST_BRIEF, BRIEF) if brief else (MOST_LONG, LONG)
    for examples in dict.fromkeys([shown] if brief else [shown, task.examples]):
        fitting = _texts(task, examples, forbidden, seconds, given_up)
        for _ in range(most):
            text = await asyncio.to_thread(next, fitting, None)
            if text is None:
                break
            candidate = candidate_of(text, task, SYNTHESIS) | ({"note": WEAK} if weak else {})
            if candidate["digest"] in tried:
                continue
            tried.add(candidate["digest"])
            first = first or candidate
            if await _passes(task, candidate, known.seed, failing):
                return Found(
                    candidate, f"enumeration: small function {_number(tried, known)} passes a quick test", True
                )
    number = _number(tried, known)
    return Found(None if brief else first, f"enumeration: {number} small functions fit, none passes every check")


def _number(tried: set[str], known: Known) -> int:
    return len(tried) - len(known.digests)


async def _passes(task: CodeTask, candidate: dict[str, Any], seed: int, failing: list[dict[str, str]]) -> bool:
    """A quick test; inputs that fail are added to ``failing``."""
    inputs = [dict(each) for each in failing]
    report = await test_candidate(candidate["source"], task.checks, seed=seed, inputs=inputs, effort="quick")
    failing += [dict(r.input) for r in report.results if not r.passed and r.input and r.input not in failing]
    return report.passed


def _split(examples: tuple[Pair, ...]) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Examples to fit, and those that are held back."""
    if len(examples) < FEWEST:
        return examples, ()
    held = examples[2::3]
    return tuple(pair for pair in examples if pair not in held), held


def _weight(task: CodeTask, held: Sequence[Pair]) -> int:
    """How much speaks for a function that fits: checks that the enumeration has not seen."""
    guessed = sum(1 if expected in ("True", "False") else 2 for _, expected in held)
    return guessed + len(task.ensures) + ENOUGH * (len(task.tests) + len(task.properties))


def _texts(
    task: CodeTask,
    examples: Sequence[Pair],
    forbidden: Sequence[Forbidden],
    seconds: float,
    given_up: Callable[[], bool],
) -> Iterator[str]:
    """The functions of the enumeration that are not banned, until the time is over."""
    deadline = time.monotonic() + seconds
    with suppress(InvalidInput):  # types that are not enumerated
        found = synthesise(
            task.signature,
            examples,
            seconds=seconds,
            contracts=_contracts(task),
            words=task.task,
            given_up=given_up,
        )
        for text in found:
            if not why_banned(strategy_of(task.whole(text), task.function), forbidden):
                yield text
            if time.monotonic() > deadline:
                return


def _contracts(task: CodeTask) -> tuple[str, ...]:
    """The contract as conditions on every input: nothing is asked where it is not allowed, or where it may raise."""
    free = [f"not ({text})" for text in task.requires] + [f"({when})" for _, when in task.raises if when]
    return tuple(" or ".join([*free, f"({text})"]) for text in task.ensures)
