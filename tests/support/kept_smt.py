"""SMT-LIB for many tests of a process: its solvers stay, and what a theorem was judged to be is looked for once.

The tests of models prove a handful of theorems dozens of times, and most of what such a run costs is the search for a
counterexample before any model is asked. What the judge finds is tested where it is not remembered.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from goedels_poetry.languages.smt.language import SmtLanguage
from goedels_poetry.solvers import WorkerPool


class _Remembering:
    """The pool of a language that judges the same theorem under the same options once."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._judged: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def run(self, job: str, payload: dict[str, Any], *limits: Any) -> Any:
        if not job.endswith(":judge"):
            return await self._pool.run(job, payload, *limits)
        asked = json.dumps({name: value for name, value in payload.items() if name != "log"}, sort_keys=True)
        if asked not in self._judged:
            self._judged[asked] = await self._pool.run(job, payload, *limits)
        return copy.deepcopy(self._judged[asked])


class KeptSmt(SmtLanguage):
    """Its solver processes serve several tests: starting them takes longer than most of them."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._pool = _Remembering(self._pool)  # type: ignore[assignment]

    async def aclose(self) -> None:
        """Not yet."""

    async def finish(self) -> None:
        await super().aclose()


__all__ = ["KeptSmt"]
