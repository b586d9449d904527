"""What models cost: prices, the counters of a run by role and goal, and the limits on them."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from goedels_poetry.errors import BudgetExceeded, GoedelsPoetryError
from goedels_poetry.files import is_no_file
from goedels_poetry.models.requests import Reply, Usage
from goedels_poetry.settings.declared import Budgets

MILLION = 1_000_000
AWAY = "model_away"
"""Counter of requests that a model has not answered because it could not be reached."""
LIMITED = ("model_calls", "model_tokens", "money")
"""Counters that budgets of models limit."""


class PriceError(GoedelsPoetryError):
    """The price table cannot be read."""


Dollars = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Price:
    """US dollars for a million tokens."""

    input: Dollars = 0.0
    output: Dollars = 0.0
    cached_input: Dollars | None = None
    """None: as ``input``."""

    def of(self, usage: Usage) -> float:
        """What a usage costs."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        cheap = self.input if self.cached_input is None else self.cached_input
        whole = (usage.input_tokens - cached) * self.input + cached * cheap + usage.output_tokens * self.output
        return whole / MILLION


class Prices:
    """A price table: ours, with the entries of a user's file on top."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        self._table = dict(table)

    @classmethod
    def load(cls, file: Path | None = None) -> Prices:
        """Our table and, when there is such a file, the user's; raises :class:`PriceError`."""
        ours = Path(__file__).with_name("prices.toml").read_text(encoding="utf-8")
        table = _read(ours, "prices.toml")
        if file is not None and file.exists():
            if is_no_file(file):
                raise PriceError(f"{file} is no file")
            try:
                table |= _read(file.read_text(encoding="utf-8"), str(file))
            except (OSError, UnicodeDecodeError) as problem:
                raise PriceError(f"{file} cannot be read: {problem}") from problem
        return cls(table)

    def of(self, model: str) -> Price | None:
        """Price of a model by its name, or by the longest entry that its name goes on from with ``-``, ``:`` or ``@``.

        A provider in front (``openai/gpt-5``) is passed over when the whole name is not in the table.
        """
        for name in (model, model.rpartition("/")[2]):
            fits = [entry for entry in self._table if name == entry or name.startswith((f"{entry}-2", f"{entry}@"))]
            if fits:
                return self._table[max(fits, key=len)]
        return None


_TABLE = TypeAdapter(dict[str, Price])


def _read(text: str, file: str) -> dict[str, Price]:
    try:
        return _TABLE.validate_python(tomllib.loads(text).get("models", {}))
    except ValidationError as problem:
        wrong = problem.errors()[0]
        place = ".".join(map(str, wrong["loc"]))
        raise PriceError(f"{file}: models.{place} = {wrong['input']!r:.60} is not a price") from problem
    except tomllib.TOMLDecodeError as problem:
        raise PriceError(f"{file} is not a price table: {problem}") from problem


@dataclass
class Ledger:
    """What one run has spent on models, and how much it may spend. One event loop uses it.

    ``model_calls``, ``model_tokens`` and ``money`` are the budgets' names; ``model_calls:prover`` and the like are
    the shares of the roles. Replies from a cache cost nothing; those of a recording cost what they cost then, so
    that a replayed run stops where the recorded one did.
    """

    budgets: Budgets = field(default_factory=Budgets)
    spent: dict[str, float] = field(default_factory=dict)
    under_way: int = 0
    """Requests that are being answered."""
    at_work: int = 1
    """How many parts of the run do something else than wait; the run itself is one, each of its jobs another."""
    shared: Ledger | None = None
    """What several runs with one purpose have spent together; its limits hold beside those of this run."""
    _joined: set[str] = field(default_factory=set)
    _since: float = 0.0
    _unclaimed: float = 0.0
    """Model time that no request has been charged with yet."""

    @classmethod
    def of_run(cls, budgets: Budgets, spent: Mapping[str, float], shared: Ledger | None = None) -> Ledger:
        """The ledger of a run that begins, or goes on with what it has spent so far; ``shared`` with other runs."""
        names = {name: amount for name, amount in spent.items() if name.startswith(("model_", "money"))}
        return cls(budgets, names, shared=shared)

    def join(self, run_id: str, spent: Mapping[str, float]) -> None:
        """Count what a run had spent before it came to share this ledger; once for each run."""
        if run_id not in self._joined:
            self._joined.add(run_id)
            self.charge({name: amount for name, amount in spent.items() if name in LIMITED}, {})

    def may_call(self) -> None:
        """Raise :class:`BudgetExceeded` when a limit is reached: then no further request may be sent."""
        if self.shared is not None:
            self.shared.may_call()
        limits, calls = self.budgets, self.spent.get("model_calls", 0)
        if limits.model_calls is not None and calls >= limits.model_calls:
            raise BudgetExceeded("model_calls", f"{limits.model_calls} model calls are used up")
        if limits.model_tokens is not None and self.spent.get("model_tokens", 0) >= limits.model_tokens:
            raise BudgetExceeded("model_tokens", f"{limits.model_tokens} model tokens are used up")
        if limits.money is not None and self.spent.get("money", 0) >= limits.money:
            raise BudgetExceeded("money", f"the money for models is used up ({limits.money:g} dollars)")

    def begin(self) -> float:
        """A request is sent; returns seconds of model time, see :meth:`_claim`."""
        seconds = self._claim()
        self.under_way += 1
        return seconds

    def end(self) -> float:
        """A request is answered or given up; returns seconds of model time, see :meth:`_claim`."""
        seconds = self._claim()
        self.under_way -= 1
        return seconds

    def _claim(self) -> float:
        """Model time since the last claim: seconds in which at least one request was under way, however many."""
        seconds, self._unclaimed = self._unclaimed + self._tick(), 0.0
        return seconds

    @contextmanager
    def working(self) -> Iterator[None]:
        """Inside, a part of the run is at work."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside, a part that was at work can only wait: for a reply, or for other parts."""
        self._count(-1)
        try:
            yield
        finally:
            self._count(1)

    def _count(self, change: int) -> None:
        self._unclaimed += self._tick()
        self.at_work += change

    def _tick(self) -> float:
        """Model time since the last change; what of it was spent on waiting alone is counted besides."""
        now = time.monotonic()
        seconds, self._since = now - self._since, now
        if not self.under_way:
            return 0.0
        if self.at_work <= 0:
            self.spent["model_waiting_seconds"] = self.spent.get("model_waiting_seconds", 0.0) + seconds
        return seconds

    def charge(self, amounts: Mapping[str, float], cost: dict[str, float]) -> None:
        """Count amounts for the run and for one job."""
        for name, amount in amounts.items():
            if amount:
                self.spent[name] = self.spent.get(name, 0) + amount
                cost[name] = cost.get(name, 0) + amount
        if self.shared is not None:
            self.shared.charge({name: amount for name, amount in amounts.items() if name in LIMITED}, {})


@dataclass(frozen=True, slots=True)
class SharedBudget:
    """What one of several runs with one purpose may spend: the budgets hold for all of them together."""

    ledger: Ledger
    """What they have spent on models."""
    used_wall_seconds: float = 0.0
    used_solver_seconds: float = 0.0
    """By the runs before this one."""

    @classmethod
    def of_one_run(cls, budgets: Budgets) -> SharedBudget:
        """The budget of a run that shares it with no other."""
        return cls(Ledger(budgets))

    @property
    def used(self) -> dict[str, float]:
        """Seconds by budget."""
        return {"wall_seconds": self.used_wall_seconds, "solver_seconds": self.used_solver_seconds}


def amounts(role: str, reply: Reply) -> dict[str, float]:
    """Counters of one reply but for its calls, which are counted as they are made: for the run, and for its role."""
    usage = reply.usage
    own = {
        "model_tokens": float(usage.input_tokens + usage.output_tokens),
        "model_tokens_in": float(usage.input_tokens),
        "model_tokens_out": float(usage.output_tokens),
        "model_tokens_cached": float(usage.cached_tokens),
        "money": usage.money,
        "model_unpriced": float(usage.unpriced),
        "model_latency": reply.seconds,
        "model_faults": float(bool(reply.error)),
        AWAY: float(reply.away),
        "model_replies": 1.0,
        "model_replies_from_cache": float(reply.cached),
    }
    return own | {f"{name}:{role}": amount for name, amount in own.items()}
