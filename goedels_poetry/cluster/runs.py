"""Whole runs, each on a seat of a cluster, and the jobs of one large run on its seats.

The folder of a run goes there and comes back (see `search.machine.elsewhere`). The boundary for jobs is that of a
`WorkerPool`: a public function of ours on JSON. A job that was lost with its node is asked again.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import Any

from goedels_poetry.cluster.seats import LEAN, SOLVERS, Seats, TurnedAway
from goedels_poetry.cluster.worker import named_store, packed, to_json, unpack
from goedels_poetry.errors import Unavailable
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.machine.background import call_in
from goedels_poetry.search.machine.runner import CERTIFICATE, SECONDS, Assignment
from goedels_poetry.settings.declared import Settings
from goedels_poetry.solvers.limits import SolverError, SolverUnavailable
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.runs import RunDir

_SECRET = ("api_key", "store_url")
"""How the names of settings end that no message may hold; a node has its own."""
NOT_BEGUN = "interrupted before a seat was free; the same command begins it"
_OF_THIS_MACHINE = ("home", "prompts_dir")


class ClusterRuns:
    """The runs of one process; see `Elsewhere`. Runs learn nothing from others: which node has what would show.

    Args:
        seats: open ones.
        settings: of all runs.
    """

    def __init__(self, seats: Seats, settings: Settings) -> None:
        self._seats = seats
        self._settings = settings_json(settings)
        self._store = named_store(settings)
        self._loop = asyncio.get_running_loop()

    async def run(self, place: RunDir, assignment: Assignment) -> RunResult:
        """See `Elsewhere.run`."""
        kind = LEAN if assignment.language == "lean" else SOLVERS
        files = await asyncio.to_thread(packed, place.path) if place.database is None else {}
        sent = self._settings, self._store, to_json(assignment), files
        try:
            told, files = await self._seats.call(kind, "run", *sent)
        except TurnedAway:
            return RunResult(assignment.name, Verdict.OUT_OF_BUDGET, language=assignment.language, reason=NOT_BEGUN)
        reply = json.loads(told)
        if "error" in reply:
            raise Unavailable(reply["error"])
        result = RunResult.from_json(reply["result"])
        if files or place.database is not None:
            result = _at_home(result, place)
            await asyncio.to_thread(unpack, files, place.path)
            retry = bool(place.card().get("retry"))
            place.write_card(result=result.to_json(), retry=retry, unanswered=bool(place.card().get("unanswered")))
        elif result.verdict is Verdict.PROVED:
            raise Unavailable("a node says proved and sends no proof")
        return replace(result, metrics={**result.metrics, SECONDS: reply["seconds"]})

    def interrupt(self, reason: str) -> None:
        """See `Elsewhere.interrupt`."""
        call_in(self._loop, partial(self._interrupt, reason))

    def _interrupt(self, reason: str) -> None:
        self._seats.turn_away()
        self._seats.tell("interrupt", reason)


def settings_json(settings: Settings) -> str:
    """What a worker is told: all but secrets and what names a place on this machine. Runs there learn from no other."""
    told = _without_secrets(settings.model_dump(mode="json", exclude=set(_OF_THIS_MACHINE)))
    told["use_memory"] = False
    told["lean"]["workers"] = 1
    return json.dumps(told, sort_keys=True)


def _without_secrets(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_secrets(inside) for name, inside in value.items() if not name.endswith(_SECRET)}


def _at_home(result: RunResult, place: RunDir) -> RunResult:
    """The result with the paths of this machine."""
    certificate = place.path / CERTIFICATE if result.certificate is not None else None
    if certificate is not None and result.run_dir is not None and result.certificate is not None:
        certificate = place.path / result.certificate.relative_to(result.run_dir)
    return replace(result, certificate=certificate, run_dir=place.path)


# -- the jobs of one large run: its goals are spread, its tree and its machine stay here -----------------------------

_LOG = "log"
"""Of a payload: a file of this machine that a job writes to as it goes. What was tried comes back with the result."""
_OURS = (JobCrashed, JobMemory, JobTimeout, SolverUnavailable, SolverError)
_ERRORS: dict[str, type[Exception]] = {kind.__name__: kind for kind in _OURS}


class ClusterPool:
    """Has the methods of a `WorkerPool`; ``seats`` belong to the caller."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    async def run(
        self, function: str, payload: dict[str, Any], seconds: float = 60.0, memory_mb: int = 4096, urgency: int = 0
    ) -> Any:
        """See `WorkerPool.run`."""
        sent = json.dumps({name: value for name, value in payload.items() if name != _LOG})
        told = await self._seats.call(SOLVERS, "job", function, sent, seconds, memory_mb, urgency=urgency)
        reply = json.loads(told)
        if "error" in reply:
            name, *words = reply["error"]
            raise _ERRORS.get(name, SolverError)(*words)
        return reply["result"]

    async def aclose(self) -> None:
        """Nothing is held here."""
