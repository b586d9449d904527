"""How a benchmark goes on: a table that redraws itself on a terminal, one line for each outcome elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from goedels_poetry.evaluation import Outcome
from goedels_poetry.trace.terminal import console, is_live, one_line, say

if TYPE_CHECKING:
    from rich.table import Table

_PROVED = {"true": "proved", "false": "refuted"}
OnOutcome = Callable[[Outcome], None]


class Tally:
    """What the table shows: counts by data set."""

    def __init__(self, totals: Counter[str], proofs: bool) -> None:
        self._totals, self._proofs = totals, proofs
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in totals}
        self._calls = self._tokens = 0
        self._money = 0.0
        self._began = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        counts = self._counts.setdefault(outcome.dataset, Counter())
        counts["done"] += 1
        counts["right"] += outcome.correct
        counts["error"] += outcome.predicted == "failed"
        counts[outcome.predicted] += 1
        self._calls, self._tokens = self._calls + outcome.calls, self._tokens + outcome.tokens
        self._money += outcome.money

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each data set, and one for all when there are several."""
        rows = [self._row(name, counts, self._totals[name]) for name, counts in self._counts.items()]
        if len(rows) > 1:
            rows.append(self._row("all", sum(self._counts.values(), Counter()), self._totals.total()))
        return rows

    def _row(self, name: str, counts: Counter[str], total: int) -> tuple[str, ...]:
        share = f"{100 * counts['right'] / counts['done']:.0f} %" if counts["done"] else "–"
        kinds = ("true", "false", "unknown", "out_of_budget", "invalid", "failed")
        return (one_line(name, 30), f"{counts['done']}/{total}", share, *(str(counts[kind]) for kind in kinds))

    @property
    def head(self) -> tuple[str, ...]:
        """Titles of the columns."""
        decided = ("proved", "refuted", "open") if self._proofs else ("true", "false", "unknown")
        return ("set", "done", "right", *decided, "out of budget", "invalid", "errors")

    @property
    def foot(self) -> str:
        """What it has cost so far."""
        spent = f", {self._calls} calls, {self._tokens:,} tokens, $ {self._money:.4f}" if self._calls else ""
        return f"{time.monotonic() - self._began:.0f} s{spent}"

    def table(self) -> Table:
        """As rich draws it."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, caption=self.foot, caption_justify="left", pad_edge=False)
        for number, title in enumerate(self.head):
            table.add_column(Text(title), justify="left" if number == 0 else "right")
        for row in self.rows():
            table.add_row(*map(Text, row))
        return table


@contextmanager
def shown(totals: Counter[str], *, proofs: bool, quiet: bool) -> Iterator[OnOutcome]:
    """What to call with each outcome while inside.

    Args:
        totals: data set -> how many outcomes it will have.
        proofs: whether theorems are proved.
        quiet: show nothing.
    """
    if quiet:
        yield lambda outcome: None
    elif is_live(sys.stderr):
        from rich.live import Live

        tally = Tally(totals, proofs)
        with Live(get_renderable=tally.table, console=console(sys.stderr), refresh_per_second=4, transient=True):
            yield tally.add
    else:
        yield _lines(totals.total(), proofs)


def _lines(total: int, proofs: bool) -> OnOutcome:
    errors = console(sys.stderr)
    number = 0

    def show(outcome: Outcome) -> None:
        nonlocal number
        number += 1
        if proofs:
            mark = _PROVED.get(outcome.predicted, outcome.predicted.replace("_", " "))
        else:
            right = "right" if outcome.correct else "no answer" if outcome.predicted == "failed" else "wrong"
            mark = f"{outcome.predicted}, gold {outcome.gold}: {right}"
        why = f": {one_line(outcome.reason, 100)}" if outcome.reason and not outcome.correct else ""
        say(errors, f"{number}/{total}  {one_line(outcome.id)}  {mark}{why}")

    return show
