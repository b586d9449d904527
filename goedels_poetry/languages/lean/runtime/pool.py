"""Several Leans for coroutines: a bounded number of processes, one request each at a time."""

from __future__ import annotations

from collections.abc import Callable

from goedels_poetry.languages.lean.runtime.driven import DrivenLean
from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, CheckResult
from goedels_poetry.solvers.crew import Crew


class LeanPool:
    """At most ``size`` requests at once; processes start when they are first needed. See `LeanRuntime`."""

    def __init__(self, kind: str, version: str, make: Callable[[], DrivenLean], size: int = 1) -> None:
        self.kind = kind
        self.version = version
        self._crew = Crew(size, make, "goedels-poetry-lean")

    async def check(self, request: CheckRequest, urgency: int = 0) -> CheckResult:
        """As `LeanRuntime.check`; the smallest ``urgency`` is served first."""
        return await self._crew.run(lambda lean: lean.check(request), urgency)

    async def evaluate(
        self, prefix: str, terms: list[str], arguments: list[list[str]], seconds: float
    ) -> list[list[str | None]]:
        """As `LeanRuntime.evaluate`."""
        values: list[list[str | None]] = await self._crew.run(
            lambda lean: lean.evaluate(prefix, terms, arguments, seconds)
        )
        return values

    async def aclose(self) -> None:
        """Kill every process. Safe to call twice."""
        await self._crew.aclose()


__all__ = ["LeanPool"]
