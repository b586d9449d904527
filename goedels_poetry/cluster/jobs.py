"""The jobs of one large run on the seats of a cluster: its goals spread, while its tree and its machine stay here.

The boundary is that of a `WorkerPool`: a public function of ours on JSON. What it is asked on another machine it
answers there; a job that was lost with its node is asked again. Jobs on goals of Lean need a seat with a Lean.
"""

from __future__ import annotations

import json
from typing import Any

from goedels_poetry.cluster.runs import settings_json
from goedels_poetry.cluster.seats import LEAN, SOLVERS, Seats
from goedels_poetry.errors import MissingTool, Unavailable
from goedels_poetry.lean.text.away import JOB as LEAN_JOB
from goedels_poetry.settings.declared import Settings
from goedels_poetry.solvers.limits import JobCrashed, JobMemory, JobTimeout, SolverError, SolverUnavailable

_LOG = "log"
"""Of a payload: a file of this machine that a job writes to as it goes. What was tried comes back with the result."""
_OURS = (JobCrashed, JobMemory, JobTimeout, SolverUnavailable, SolverError, MissingTool, Unavailable)
_ERRORS: dict[str, type[Exception]] = {kind.__name__: kind for kind in _OURS}


class ClusterPool:
    """Has the face of a `WorkerPool`; ``seats`` belong to the caller. ``settings`` are what a Lean there has."""

    def __init__(self, seats: Seats, settings: Settings) -> None:
        self._seats = seats
        self._settings = settings_json(settings)

    async def run(
        self, function: str, payload: dict[str, Any], seconds: float = 60.0, memory_mb: int = 4096, urgency: int = 0
    ) -> Any:
        """See `WorkerPool.run`."""
        sent = json.dumps({name: value for name, value in payload.items() if name != _LOG})
        if function == LEAN_JOB:
            told = await self._seats.call(LEAN, "lean", self._settings, sent, seconds, urgency=urgency)
        else:
            told = await self._seats.call(SOLVERS, "job", function, sent, seconds, memory_mb, urgency=urgency)
        reply = json.loads(told)
        if "error" in reply:
            name, *words = reply["error"]
            raise _ERRORS.get(name, SolverError)(*words)
        return reply["result"]

    async def aclose(self) -> None:
        """Nothing is held here."""
