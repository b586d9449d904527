"""What the jobs of an agent have tried goes into the history of the goal: see `goedels_poetry.protocol.trials`."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import wraps

from goedels_poetry.protocol.trials import TrialLog, logging_trials
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.memory.tried import TRIALS, log_place
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import Txn

Work = Callable[[ProofNode, Deps], Awaitable[Apply]]

JOB_SECONDS = "job_seconds"
"""Name of a cost: wall seconds of a job, from its start until it has its result."""


def logged(work: Work) -> Work:
    """An agent's work that keeps what its language has tried; stands below ``@agent``.

    A job that raises leaves its log in its file, which the end of the run collects.
    """

    @wraps(work)
    async def logging(node: ProofNode, deps: Deps) -> Apply:
        began = time.monotonic()
        place = log_place(deps.store, work.__name__, node.id)
        with logging_trials(TrialLog(place)) as log:
            apply = await work(node, deps)
        if log.used:
            with suppress(OSError):  # there is none, or its name is too long for one
                os.unlink(place)
        deps.cost[JOB_SECONDS] = deps.cost.get(JOB_SECONDS, 0) + time.monotonic() - began
        kept = log.to_json()
        if not kept:
            return apply

        def applied(txn: Txn) -> str:
            outcome = apply(txn)
            txn.log(node.id, TRIALS, agent=work.__name__, **kept)
            return outcome

        return applied

    return logging
