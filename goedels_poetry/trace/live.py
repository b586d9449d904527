"""The live view: every run's tree growing, what is under way at this moment, and the time that is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from goedels_poetry.protocol.trials import WAITING, doing
from goedels_poetry.search.memory import log_path
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, subtree_range
from goedels_poetry.trace.terminal import Opener, Progress, console, one_line
from goedels_poetry.trace.tree import STYLES, method
from goedels_poetry.trace.wording import Worded, worded_detail

REDRAWS_PER_SECOND = 4
MOST_WORKING = 4
"""Jobs under way that are named of one run; the others are counted."""
WORK = {
    "formalizer": "a model writes the formal statement",
    "judge": "a look at premises and goal before any search",
    "prover": "looking for a direct proof",
    "verifier": "verifying what was found",
    "corrector": "repairing what was rejected",
    "retriever": "looking up lemmas",
    "sketcher": "looking for a decomposition",
    "decider": "choosing the next move",
    "backtrack": "backtracking",
    "decomposer": "making subgoals",
}
"""Agent -> what it does; others are called by their names."""
CHECKING = {
    NodeStatus.PROVED: "checking the proof",
    NodeStatus.REFUTED: "checking the counterexample",
}
"""What the checker does when the search has come to this on the root."""
BETWEEN = "getting ready for the next step"


@dataclass
class _Running:
    """What the live view knows of one run. Only nodes that an event named are read again."""

    started: float = field(default_factory=time.monotonic)
    reader: StoreReader | None = None
    theorem: str = ""
    language: str = ""
    nodes: dict[str, ProofNode] = field(default_factory=dict)
    last_at: float = field(default_factory=time.monotonic)
    seen: dict[tuple[str, str], float] = field(default_factory=dict)
    """Since when a job has been under way, as far as we have looked: by agent and goal."""

    def take(self, event: Event, opener: Opener) -> None:
        self.last_at = time.monotonic()
        if self.reader is None:
            self.reader = opener(event.run_id)
            self.theorem = str(self.reader.meta("statement") or "")
            self.language = str(self.reader.meta("language") or "")
        node = self.reader.find(event.node)
        if node is None:
            return
        before = self.nodes.get(node.id)
        self.nodes[node.id] = node
        if before is not None and before.generation != node.generation:
            low, high = subtree_range(node.id)
            for cut in [key for key in self.nodes if low <= key < high]:
                del self.nodes[cut]
        if node.strategy:
            for child in self.reader.children(node):
                self.nodes[child.id] = child

    def working(self) -> list[tuple[str, str, float]]:
        """(agent, goal, seconds) of every job under way, the longest first."""
        if self.reader is None:
            return []
        now = time.monotonic()
        jobs = self.reader.under_way()
        self.seen = {job: self.seen.get(job, now) for job in jobs}
        return sorted(((agent, node, now - self.seen[agent, node]) for agent, node in jobs), key=lambda job: -job[2])

    def close(self) -> None:
        if self.reader is not None:
            self.reader.close()


class LiveView(Progress):
    """The trees growing, what is under way, the budget. Redrawn a few times a second, clipped to the window."""

    def __init__(
        self, stream: IO[str], opener: Opener, total: int, limit_seconds: float | None, render: Worded
    ) -> None:
        self._console: Console = console(stream)
        self._opener = opener
        self._total = total
        self._limit = limit_seconds
        self._render = render
        self._done = 0
        self._began = time.monotonic()
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._live = self._new_live()

    def _new_live(self) -> Live:
        return Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()
        with self._lock:
            for running in self._running.values():
                running.close()

    def expect(self, total: int) -> None:
        """Shown as ``3 of 10 theorems done``."""
        self._total = total

    def event(self, name: str, event: Event) -> None:
        """Take what changed into the picture."""
        with self._lock:
            self._running.setdefault(name, _Running()).take(event, self._opener)

    def finished(self, name: str, result: RunResult) -> None:
        """The theorem leaves the picture; its result is printed by the caller."""
        with self._lock:
            self._done += 1
            self._began = time.monotonic()
            running = self._running.pop(name, None)
            if running is not None:
                running.close()

    def note(self, text: str) -> None:
        """A line above the picture."""
        self._console.print(Text(one_line(text)))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The picture makes room and comes back."""
        self._live.stop()
        try:
            yield
        finally:
            self._live = self._new_live()  # the old one would erase as many lines as it last drew
            self._live.start(refresh=True)

    def _draw(self) -> RenderableType:
        with self._lock:
            width, parts = self._console.width, list[RenderableType]()
            if self._total > 1:
                parts.append(Text(f"{self._done} of {self._total} theorems done"))
            if not self._running and self._done < self._total:
                waited = time.monotonic() - self._began
                parts.append(Text(one_line(f"now, {waited:.0f} s: reading the theorem", width), style="dim"))
            room = max(self._console.height - 2 - len(parts), 4) // max(len(self._running), 1)
            for name, running in self._running.items():
                parts.extend(picture(name, running, room, width, self._limit, self._render))
        return Group(*parts)


def picture(name: str, running: _Running, room: int, width: int, limit: float | None, render: Worded) -> list[Text]:
    """A run in at most ``room`` lines (four at least) of ``width`` columns: figures, what is under way, the tree."""
    lines = [_heading(name, running, limit), *_now(running)]
    shown = _worth_showing(running.nodes, max(room - len(lines) - 1, 1))
    for node in shown:
        line = Text("  " * min(node.depth, 8))
        line.append(f"{node.id.rsplit('.', 1)[-1]} ", style="dim")
        line.append(f"{node.status} ", style=STYLES[node.status])
        line.append(f"by {method(node)}: " if node.strategy else "", style="cyan")
        line.append(one_line(render(node.statement or running.theorem, node.language)))
        lines.append(line)
    if len(running.nodes) > len(shown):
        lines.append(Text(f"  ... {len(running.nodes) - len(shown)} more goals", style="dim"))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _heading(name: str, running: _Running, limit: float | None) -> Text:
    """Time, how much of the time is left, how many goals are proved, name."""
    seconds = time.monotonic() - running.started
    clock = f"{seconds:.0f} s" + (f", {max(limit - seconds, 0):.0f} s left" if limit else "")
    proved = sum(node.status is NodeStatus.PROVED for node in running.nodes.values())
    return Text(f"{clock}, {proved} of {len(running.nodes)} goals proved: {one_line(name)}", style="bold")


def _now(running: _Running) -> list[Text]:
    """What is under way at this moment."""
    lines: list[str] = []
    jobs = running.working()
    for agent, node, seconds in jobs[:MOST_WORKING]:
        at = f"goal {node}" if node != ROOT else "the theorem"
        said = doing(log_path(running.reader, agent, node)) if running.reader is not None else None
        work = WORK.get(agent, agent)
        if said is not None and said.strategy == WAITING:
            work, seconds, said = f"{WAITING} {said.what}", time.time() - said.since, None
        lines.append(f"now, {max(seconds, 0):.0f} s: {one_line(work)}, {at}")
        if said is not None and said.strategy:
            what = f": {one_line(worded_detail(said.strategy, said.what, running.language))}" if said.what else ""
            lines.append(f"     {max(time.time() - said.since, 0):.0f} s: {one_line(said.strategy)}{what}")
    if len(jobs) > MOST_WORKING:
        lines.append(f"     and {len(jobs) - MOST_WORKING} more jobs")
    if not jobs:
        root = running.nodes.get(ROOT)
        what = CHECKING.get(root.status, BETWEEN) if root is not None else BETWEEN
        lines.append(f"now, {time.monotonic() - running.last_at:.0f} s: {what}")
    return [Text(line, style="dim") for line in lines]


def _worth_showing(nodes: dict[str, ProofNode], room: int) -> list[ProofNode]:
    """Open goals and the path to them come first when there is no room for all."""
    ordered = [nodes[key] for key in sorted(nodes)]
    if len(ordered) <= room:
        return ordered
    keep: set[str] = set()
    for node in sorted(ordered, key=lambda n: (n.status is not NodeStatus.OPEN, n.depth)):
        if len(keep) >= room - 1:
            break
        keep.add(node.id)
    return [node for node in ordered if node.id in keep]
