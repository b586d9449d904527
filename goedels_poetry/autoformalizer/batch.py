"""A data set through an executor: several items at once, one bad one never stopping the rest; what it all came to."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from goedels_poetry.autoformalizer.executor import AutoformalizationExecutor
from goedels_poetry.autoformalizer.items import Item
from goedels_poetry.autoformalizer.outcome import AutoformalizationResult
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import Event, OnEvent

OnResult = Callable[[AutoformalizationResult], None]
NOT_STARTED = "not started: interrupted"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a data set came to."""

    items: int = 0
    successes: int = 0
    attempts: int = 0
    """Rounds of the formalizer."""
    errors: dict[str, int] = field(default_factory=dict)
    """How often something was rejected, by category, most frequent first."""
    verdicts: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    """Requests that were sent to models."""
    cache_hits: int = 0
    """Replies for which nobody was asked."""
    tokens: int = 0
    money: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    """Sum over the items; less has passed where several were worked on at once."""

    @property
    def rate(self) -> float:
        """Successes among the items, 0 to 1."""
        return self.successes / self.items if self.items else 0.0

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {**asdict(self), "rate": round(self.rate, 4)}


async def autoformalize_all(
    executor: AutoformalizationExecutor,
    items: Iterable[Item],
    *,
    concurrency: int = 1,
    fresh: bool = False,
    on_result: OnResult | None = None,
    on_event: Callable[[Item, Event], None] | None = None,
) -> list[AutoformalizationResult]:
    """Every item's result, in the order of the items.

    The same call goes on with what was interrupted: items that are done cost no model and no solver again. After
    ``executor.interrupt()`` no further item is begun.

    Args:
        executor: does the work.
        items: e.g. from `load_items`.
        concurrency: items worked on at once.
        fresh: begin every item anew.
        on_result: called with each result as it comes.
        on_event: called after every commit of an item's run.
    """
    queue: Iterator[tuple[int, Item]] = iter(enumerate(items))
    done: dict[int, AutoformalizationResult] = {}

    async def work() -> None:
        for number, item in queue:
            listen = partial(on_event, item) if on_event is not None else None
            result = _unbegun(item) if executor.interrupted else await _one(executor, item, fresh, listen)
            done[number] = result
            if on_result is not None:
                on_result(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, concurrency)):
            group.create_task(work())
    return [done[number] for number in sorted(done)]


async def _one(
    executor: AutoformalizationExecutor, item: Item, fresh: bool, listen: OnEvent | None
) -> AutoformalizationResult:
    try:
        return await executor.aautoformalize(item, fresh=fresh, on_event=listen)
    except (GoedelsPoetryError, OSError) as problem:
        return _without_run(item, Verdict.UNKNOWN, str(problem))


def _unbegun(item: Item) -> AutoformalizationResult:
    return _without_run(item, Verdict.OUT_OF_BUDGET, NOT_STARTED)


def _without_run(item: Item, verdict: Verdict, reason: str) -> AutoformalizationResult:
    return AutoformalizationResult(
        False, None, 0, 0.0, item_id=item.id, statement=item.statement, verdict=str(verdict), reason=reason
    )


def summarize(results: Iterable[AutoformalizationResult]) -> Summary:
    """The sums over results."""
    every = list(results)
    categories = Counter(error.category for result in every for error in result.errors_encountered)

    def total(name: str) -> float:
        return sum(result.metrics.get(name, 0.0) for result in every)

    return Summary(
        items=len(every),
        successes=sum(result.success for result in every),
        attempts=sum(result.attempts for result in every),
        errors=dict(categories.most_common()),
        verdicts=dict(Counter(result.verdict for result in every).most_common()),
        calls=int(total("calls")),
        cache_hits=int(total("cache_hits")),
        tokens=int(total("tokens")),
        money=total("money"),
        seconds=sum(result.total_time for result in every),
    )
