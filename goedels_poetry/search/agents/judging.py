"""What came of a job on a model's reply: it holds, it is refused, or our own code has failed.

A failure of our own says nothing about the reply: the same reply is tried again, and it is never held against it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from goedels_poetry.errors import BudgetExceeded, InvalidInput, is_passing, one_line
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.search.agents.deps import Deps, Fault

OURS = "a fault of this program, not of the reply"
"""Begins the reason of a fault."""
TRIES = 2
"""How often a job is done on the same reply when our own code fails."""


async def outcome_of(deps: Deps, who: str, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """The outcome of ``work``, or a fault after `TRIES` of them, each noted under ``who``.

    Every exception is a fault of ours but `InvalidInput`, which refuses the reply.

    Raises:
        BudgetExceeded, and whatever says that a tool is missing or the system lacks resources: nothing was tried.
    """
    found = Outcome(False)
    for _ in range(TRIES):
        try:
            found = deps.charge(await work())
        except InvalidInput as error:
            return Outcome(False, {}, str(error))
        except Exception as error:
            if isinstance(error, BudgetExceeded) or is_passing(error):
                raise
            found = Outcome(False, {}, one_line(error), fault=True)
        if not found.fault:
            break
        fault = Fault(who, "", found.reason)
        if fault not in deps.faults:
            deps.faults.append(fault)
    return replace(found, reason=f"{OURS}: {found.reason}") if found.fault else found
