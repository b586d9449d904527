"""What a person sees while runs go on: a view that redraws itself on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, TYPE_CHECKING, Protocol

from goedels_poetry.trace.terminal import console, is_live, lines_to, one_line, say
from goedels_poetry.tree.results import Event, RunResult
from goedels_poetry.tree.state import NodeStatus, ProofNode, subtree_range
from goedels_poetry.tree.store import StoreReader

if TYPE_CHECKING:  # what draws takes half as long to load as a small proof
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.text import Text

    from goedels_poetry.trace.tree import Render

REDRAWS_PER_SECOND = 4
ROUTINE = frozenset({"candidate", "no lemmas", "correct", "prove", "sketch"})
"""Outcomes that plain lines leave out: the next line about the goal tells what came of it. `trace` has them all."""
Opener = Callable[[str], StoreReader]
"""Run id -> a read-only view of its tree, which the caller closes."""


class Progress(Protocol):
    """Where a batch reports what happens. All methods are called in the event loop's thread."""

    def __enter__(self) -> Progress:
        """Begin to show."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop showing; what is on the screen then stays."""
        ...

    def expect(self, total: int) -> None:
        """There are so many theorems, now that the files have been looked into."""
        ...

    def event(self, name: str, event: Event) -> None:
        """A commit of the run of theorem ``name``."""
        ...

    def finished(self, name: str, result: RunResult) -> None:
        """The theorem has its answer."""
        ...

    def note(self, text: str) -> None:
        """Something else that the person should know."""
        ...

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, the terminal belongs to the caller, who may print results on it."""
        yield


class Silent(Progress):
    """Shows nothing but notes."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = lines_to(stream)

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def expect(self, total: int) -> None:
        """Nothing."""

    def event(self, name: str, event: Event) -> None:
        """Nothing."""

    def finished(self, name: str, result: RunResult) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """One line."""
        say(self._console, one_line(text))


class Lines(Silent):
    """One line an event, for pipes, logs and dumb terminals."""

    def __init__(self, stream: IO[str], several: bool) -> None:
        super().__init__(stream)
        self._several = several
        self._start = time.monotonic()

    def expect(self, total: int) -> None:
        """With several theorems, each line names its own."""
        self._several = total > 1

    def event(self, name: str, event: Event) -> None:
        """``seconds  theorem  node  agent: outcome (reason)``."""
        if event.outcome in ROUTINE:
            return
        seconds = f"{time.monotonic() - self._start:7.2f}s"
        who = f"  {one_line(name)}" if self._several else ""
        why = f" ({event.reason})" if event.reason else ""
        self.note(f"{seconds}{who}  {event.node}  {event.agent}: {event.outcome}{why}")

    def note(self, text: str) -> None:
        """One line; leading spaces stay."""
        say(self._console, text if text.isprintable() else one_line(text))


@dataclass
class _Running:
    """What the live view knows of one run. Only nodes that an event named are read again."""

    started: float = field(default_factory=time.monotonic)
    reader: StoreReader | None = None
    theorem: str = ""
    nodes: dict[str, ProofNode] = field(default_factory=dict)
    last: Event | None = None

    def take(self, event: Event, opener: Opener) -> None:
        self.last = event
        if self.reader is None:
            self.reader = opener(event.run_id)
            self.theorem = str(self.reader.meta("statement") or "")
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

    def close(self) -> None:
        if self.reader is not None:
            self.reader.close()


class LiveView(Progress):
    """The trees growing, the queues, the budget. Redrawn a few times a second, clipped to the window."""

    def __init__(
        self, stream: IO[str], opener: Opener, total: int, limit_seconds: float | None, render: Render
    ) -> None:
        self._console: Console = console(stream)
        self._opener = opener
        self._total = total
        self._limit = limit_seconds
        self._render = render
        self._done = 0
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._live = self._new_live()

    def _new_live(self) -> Live:
        from rich.live import Live

        return Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REDRAWS_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> LiveView:
        self._live.start()
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
            running = self._running.pop(name, None)
            if running is not None:
                running.close()

    def note(self, text: str) -> None:
        """A line above the picture."""
        from rich.text import Text

        self._console.print(Text(one_line(text)))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The picture makes room and comes back."""
        self._live.stop()
        try:
            yield
        finally:
            self._live = self._new_live()  # the old one would erase as many lines as it last drew
            self._live.start()

    def _draw(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        with self._lock:
            parts: list[RenderableType] = []
            if self._total > 1:
                parts.append(Text(f"{self._done} of {self._total} theorems done"))
            room = max(self._console.height - 2 - len(parts), 4) // max(len(self._running), 1)
            for name, running in self._running.items():
                parts.extend(_picture(name, running, max(room - 2, 2), self._console.width, self._limit, self._render))
        return Group(*parts)


def _picture(name: str, running: _Running, room: int, width: int, limit: float | None, render: Render) -> list[Text]:
    """Header, at most ``room`` lines of tree, and the queues."""
    from rich.text import Text

    from goedels_poetry.trace.tree import STYLES, method

    seconds = time.monotonic() - running.started
    clock = f"{seconds:.0f} s" + (f" of {limit:.0f} s" if limit else "")
    proved = sum(node.status is NodeStatus.PROVED for node in running.nodes.values())
    lines = [Text(one_line(f"{name}  {clock}  {proved} of {len(running.nodes)} goals proved", width), style="bold")]
    shown = _worth_showing(running.nodes, room)
    for node in shown:
        line = Text("  " * min(node.depth, 8))
        line.append(f"{node.id.rsplit('.', 1)[-1]} ", style="dim")
        line.append(f"{node.status} ", style=STYLES[node.status])
        line.append(f"by {method(node)}: " if node.strategy else "", style="cyan")
        line.append(one_line(render(node.statement or running.theorem)))
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    if len(running.nodes) > len(shown):
        lines.append(Text(f"  ... {len(running.nodes) - len(shown)} more goals", style="dim"))
    if running.last:
        queues = ", ".join(f"{queue} {n}" for queue, n in running.last.queues.items()) or "empty"
        lines.append(Text(one_line(f"queues: {queues}", width), style="dim"))
    return lines


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


def choose(
    stream: IO[str],
    opener: Opener,
    total: int,
    limit_seconds: float | None,
    render: Render,
    *,
    quiet: bool,
) -> Progress:
    """The live view where the stream is a terminal that can redraw, plain lines where it is not."""
    if quiet:
        return Silent(stream)
    if is_live(stream):
        return LiveView(stream, opener, total, limit_seconds, render)
    return Lines(stream, several=total > 1)
