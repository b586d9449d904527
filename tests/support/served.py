"""A real server on loopback in a thread of the test's process, and clients that speak plain HTTP to it."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.serve.access import Key
from goedels_poetry.serve.server import Limits, serve
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode

SECONDS = 60
"""How long anything may take on a machine that does five other things."""
THEOREMS = Path(__file__).parents[2] / "theorems" / "smt"


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    """A server that runs, and one client of it."""

    home: Path
    key: Key
    stop: Callable[[], None]
    reports: list[str] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        **headers: str,
    ) -> Answer:
        """One request. ``token``: "" the server's own, None none; ``_`` in names of headers stands for ``-``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            named["Authorization"] = f"Bearer {token or self.key.token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            named.setdefault("Content-Type", "application/json")
        client = http.client.HTTPConnection("127.0.0.1", self.key.port, timeout=SECONDS)
        try:
            client.request(method, path, body, named)
            got = client.getresponse()
            return Answer(got.status, got.read(), {name.lower(): value for name, value in got.getheaders()})
        finally:
            client.close()

    def listen(self, run_id: str, since: int = 0, **headers: str) -> Events:
        """Server-sent events of a run."""
        client = http.client.HTTPConnection("127.0.0.1", self.key.port, timeout=SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["Authorization"] = f"Bearer {self.key.token}"
        client.request("GET", f"/api/runs/{run_id}/events?since={since}", headers=named)
        return Events(client, client.getresponse())

    def prove(self, name: str, **more: Any) -> Answer:
        """Start a theorem of the folder."""
        return self.ask("POST", "/api/runs", {"text": (THEOREMS / name).read_text("utf-8"), "name": name, **more})

    def end_of(self, run_id: str) -> dict[str, Any]:
        """Wait until a run has ended; the run."""
        return wait_for(lambda: (run := self.ask("GET", f"/api/runs/{run_id}").json())["status"] != "running" and run)


@dataclass
class Events:
    client: http.client.HTTPConnection
    answer: http.client.HTTPResponse

    def next(self) -> tuple[str, int | None, Any]:
        """(name, id, data) of the next event."""
        facts: dict[str, str] = {}
        while line := self.answer.readline().decode("ascii").rstrip("\n"):
            name, _, value = line.partition(": ")
            facts[name] = value
        assert "data" in facts, "the stream has ended"
        return facts.get("event", ""), int(facts["id"]) if "id" in facts else None, json.loads(facts["data"])

    def to_the_end(self) -> list[tuple[str, int | None, Any]]:
        found = [self.next()]
        while found[-1][0] != "end":
            found.append(self.next())
        assert self.answer.read() == b""
        return found

    def close(self) -> None:
        self.answer.close()
        self.client.close()


def wait_for(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + SECONDS
    while not (value := holds()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return value


@contextmanager
def serving(home: Path, **limits: Any) -> Iterator[Served]:
    started: list[Served] = []
    reports: list[str] = []
    ready = threading.Event()

    async def main() -> None:
        stopping, loop = asyncio.Event(), asyncio.get_running_loop()

        def answer(key: Key) -> None:
            started.append(Served(home, key, lambda: loop.call_soon_threadsafe(stopping.set), reports))
            ready.set()

        settings = Settings(home=home, use_memory=False)
        await serve(settings, Limits(**limits), ready=answer, report=reports.append, stopping=stopping)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    assert ready.wait(SECONDS)
    try:
        yield started[0]
    finally:
        started[0].stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


class ByHand:
    """A run that a test writes, as another process would: it holds the lock, and commits when it is told to."""

    def __init__(self, home: Path, run_id: str, name: str = "by hand") -> None:
        (run,) = [Runs(home).nth(run_id, 1)]
        self.run = run
        run.path.mkdir(parents=True)
        self.store = ProofStore(run.proof_db)
        self.store.set_meta(run_id=run_id, name=name, language="toy", statement="the theorem", theorem="t", options={})
        run.write_card(run_id=run_id, name=name, language="toy", started=time.time())
        self.commit(ProofNode(ROOT, language="toy", queue="prove"))

    def commit(self, node: ProofNode) -> int:
        def apply(txn: Txn) -> str:
            txn.put(node)
            return "put"

        seq = self.store.seq + 1
        self.store.commit(f"step:{seq}", "prover", node.id, apply)
        return seq

    def finish(self) -> int:
        return self.commit(ProofNode(ROOT, language="toy", status=NodeStatus.PROVED))

    def close(self) -> None:
        self.store.close()
