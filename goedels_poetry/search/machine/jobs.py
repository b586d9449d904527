"""Long work under way: started by one short step, collected by another, so that no goal waits for another's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field

from goedels_poetry.search.agents.deps import Apply, Fault
from goedels_poetry.search.agents.registry import AgentSpec
from goedels_poetry.store.state import ProofNode


@dataclass(slots=True)
class Job:
    """One agent at work on one node."""

    key: str
    spec: AgentSpec
    node: ProofNode
    seq: int
    task: asyncio.Task[Apply]
    cost: dict[str, float] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


class Jobs:
    """The jobs of one run in this process. Only its event loop touches them.

    Args:
        places: how many may be at work at once.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._jobs: dict[str, Job] = {}
        self._nodes: set[tuple[str, int]] = set()
        self._wake = asyncio.Event()

    def are_apart(self, spec: AgentSpec) -> bool:
        """Whether an agent's jobs take none of the places: who checks has as many of his own, unless one thing is to be
        done after the other.
        """
        return spec.checks and self.places > 1

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, key: str) -> bool:
        return key in self._jobs

    def start(
        self,
        key: str,
        spec: AgentSpec,
        node: ProofNode,
        seq: int,
        work: Awaitable[Apply],
        cost: dict[str, float],
        faults: list[Fault],
    ) -> None:
        """Run ``work`` as a task of its own."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._wake.set())
        self._jobs[key] = Job(key, spec, node, seq, task, cost, faults)
        self._nodes.add((node.id, seq))

    def finished(self) -> list[Job]:
        """Jobs whose result can be collected."""
        return [job for job in self._jobs.values() if job.task.done()]

    def unfinished(self) -> list[Job]:
        """Jobs that are at work."""
        return [job for job in self._jobs.values() if not job.task.done()]

    def pop(self, key: str) -> Job | None:
        """Take a job out, finished or not."""
        job = self._jobs.pop(key, None)
        if job is not None:
            self._nodes.discard((job.node.id, job.seq))
        return job

    def holds(self, node_id: str, seq: int) -> bool:
        """Whether a node, as it was at that revision, has a job."""
        return (node_id, seq) in self._nodes

    def sharable_keys(self) -> set[str]:
        """Canonical keys that somebody is trying to prove right now with nothing from outside to cite."""
        return {job.node.key for job in self._jobs.values() if job.node.key and not job.node.scoped}

    def wake(self) -> None:
        """Make :meth:`wait` return."""
        self._wake.set()

    async def wait(self, seconds: float | None) -> None:
        """Until any job is done, somebody calls :meth:`wake`, or the time is over."""
        if not self.finished():
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                return
        self._wake.clear()

    async def cancel_below(self, prefixes: Iterable[str]) -> list[str]:
        """Cancel the jobs of nodes that were cut off; returns their keys."""
        lost = [job for job in self._jobs.values() if job.node.id.startswith(tuple(prefixes))]
        return await self._cancel(lost)

    async def cancel_all(self) -> list[str]:
        """Cancel everything that is under way; returns the keys."""
        return await self._cancel(list(self._jobs.values()))

    async def _cancel(self, jobs: list[Job]) -> list[str]:
        for job in jobs:
            self.pop(job.key)
            job.task.cancel()
        await asyncio.gather(*(job.task for job in jobs), return_exceptions=True)
        return [job.key for job in jobs]
