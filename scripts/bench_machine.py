"""What one durable step of the machine costs, whatever the size of the tree; and reload and backtracking.

    python scripts/bench_machine.py [--sizes 100,5000,50000] [--steps 300] [--json]

Baseline in the same run: the whole tree pickled into a new file at every step, as goedels-poetry 2.0.6 does.
Every node has a statement of 500 characters and, once proved, a proof of 400. Times are medians, in ms.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry import Settings
from goedels_poetry.languages import Theorem
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import AgentSpec, Registry
from goedels_poetry.search.machine.graph import RECURSION_LIMIT, Machine, build
from goedels_poetry.search.machine.supervisor import Jobs, SupervisorAgent
from goedels_poetry.search.tasks.base import Statement
from goedels_poetry.search.tasks.claim import FormalTheorem
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ROOT, ProofNode, Queue, child_id
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager

FAN_OUT = 10
BARS = {"store step": 2.0, "machine step": 2.0, "reload 5,000": 300.0, "backtrack 5,000": 20.0}


def text(name: str, length: int) -> str:
    return (name + " lorem ipsum" * (length // 10))[:length]


def tree(size: int) -> list[ProofNode]:
    """A tree of ``size`` nodes, breadth first, whose leaves are queued to be proved."""
    nodes = [ProofNode(id=ROOT, statement=text(ROOT, 500))]
    for parent in nodes:
        room = min(FAN_OUT, size - len(nodes))
        if room <= 0:
            break
        names = [child_id(parent.id, 0, i) for i in range(room)]
        nodes += [
            ProofNode(id=n, parent=parent.id, depth=parent.depth + 1, statement=text(n, 500), key=n) for n in names
        ]
    parents = {node.parent for node in nodes}
    return [
        replace(node, pending=FAN_OUT) if node.id in parents else replace(node, queue=Queue.PROVE) for node in nodes
    ]


def plant(path: Path, nodes: list[ProofNode]) -> ProofStore:
    store = ProofStore(path)

    def apply(txn: Txn) -> str:
        for node in nodes:
            txn.put(node)
        return "planted"

    store.commit("init", "bench", ROOT, apply)
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store


def clock(fn: Callable[[], Any]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


def store_step(store: ProofStore, settings: Settings, steps: int) -> list[float]:
    """One agent step as the machine makes it: recorded as under way, then the move committed."""
    times = []
    for item in store.peek(Queue.PROVE, steps):

        def step(item: Any = item) -> None:
            key = f"prover:{item.node_id}@{item.seq}"
            store.begin_work([(key, "prover", item.node_id, item.seq)])
            node = store.get(item.node_id)
            candidate = {"text": text(item.node_id, 400)}
            store.commit(
                key,
                "prover",
                item.node_id,
                lambda txn: GoedelsPoetryStateManager(txn, settings).set_candidate(node, candidate),
                expect=item.seq,
                cost={"steps": 1, "solver_seconds": 0.01},
            )

        times.append(clock(step))
    return times


async def machine_step(store: ProofStore, settings: Settings, steps: int, graph_db: Path) -> list[float]:
    """Time between commits of the whole machine: supervisor, graph, checkpoints, store, one trivial agent."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    async def prover(node: ProofNode, deps: Deps) -> Apply:
        candidate = {"text": text(node.id, 400)}
        return lambda txn: deps.moves(txn).set_candidate(node, candidate)

    spec = AgentSpec("prover", (Queue.PROVE,), prover)
    registry = Registry({"prover": spec}, {Queue.PROVE: spec})
    theorem = Theorem("bench", "")
    deps = Deps(store, None, theorem, settings, FormalTheorem(""))  # type: ignore[arg-type]  # nobody asks the language
    jobs, stamps = Jobs(), [time.perf_counter()]
    supervisor = SupervisorAgent(store, registry, settings, jobs)

    def emit(event: object) -> None:
        stamps.append(time.perf_counter())
        if len(stamps) > steps:
            supervisor.stop("measured")

    statement = Statement(None, theorem)  # type: ignore[arg-type]
    machine = Machine(store, registry, deps, jobs, supervisor, emit, statement)
    async with AsyncSqliteSaver.from_conn_string(str(graph_db)) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous=NORMAL")
        graph = build(machine, checkpointer=saver)
        config = {"configurable": {"thread_id": "bench"}, "recursion_limit": RECURSION_LIMIT}
        await graph.ainvoke({"run_id": "bench"}, config, durability="async")
    # Collected results come in bursts (several agents a super-step), so a window is divided by its commits.
    window = 8
    return [(stamps[i + window] - stamps[i]) * 1e3 / window for i in range(0, len(stamps) - window, window)]


def pickled_step(nodes: list[ProofNode], folder: Path, steps: int) -> list[float]:
    def step(i: int) -> None:
        nodes[-1] = replace(nodes[-1], attempts=i)
        (folder / f"state{i % 4}.pkl").write_bytes(pickle.dumps(nodes))

    return [clock(lambda i=i: step(i)) for i in range(steps)]  # type: ignore[misc]


def reload(path: Path) -> None:
    with ProofStore(path) as store:
        store.nodes()
        store.queue_lengths()


def backtrack(store: ProofStore, settings: Settings) -> float:
    """Root's whole subtree is cut because one leaf failed."""
    leaf = store.peek(Queue.PROVE, 1)[0]
    node = store.get(leaf.node_id)
    only_root = settings.model_copy(update={"decomposer_agent_max_self_corrections": 1})

    def apply(txn: Txn) -> str:
        moves = GoedelsPoetryStateManager(txn, only_root)
        for ancestor in store.ancestors(node):
            if ancestor.parent is not None:
                txn.put(replace(ancestor, decomposition_attempts=1))
        assert moves._handle_failed_sketch(node) is not None
        return "backtracked"

    took = clock(lambda: store.commit("backtrack", "bench", ROOT, apply))
    assert len(store.nodes()) == 1
    return took


def measure(size: int, steps: int, folder: Path, settings: Settings) -> dict[str, float]:
    nodes = tree(size)
    path = folder / f"{size}.db"
    store = plant(path, nodes)
    many = min(steps, size // 3)
    times = store_step(store, settings, many)
    row = {
        "nodes": size,
        "store step": statistics.median(times),
        "store step p95": sorted(times)[len(times) * 95 // 100],
    }
    row["machine step"] = statistics.median(
        asyncio.run(machine_step(store, settings, many, folder / f"{size}.graph.db"))
    )
    store.close()
    row["reload"] = statistics.median(clock(lambda: reload(path)) for _ in range(5))
    store = ProofStore(path)
    row["backtrack"] = backtrack(store, settings)
    store.close()
    row["pickled step"] = statistics.median(pickled_step(nodes, folder, 7 if size > 10_000 else 30))
    file = folder / "state0.pkl"
    row["pickled reload"] = clock(lambda: pickle.loads(file.read_bytes()))  # noqa: S301  our own file of a moment ago
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,5000,50000")
    parser.add_argument("--steps", type=int, default=300, help="steps timed for each size")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), max_concurrency=8)
        for size in sizes:
            gc.collect()
            rows.append(measure(size, arguments.steps, Path(folder), settings))
    if arguments.json:
        print(json.dumps(rows))
        return
    columns = list(rows[0])
    print("times in ms; baseline: the whole tree pickled at every step")
    print(" | ".join(f"{name:>14}" for name in columns))
    for row in rows:
        print(" | ".join(f"{row[name]:>14,.3f}" if name != "nodes" else f"{row[name]:>14,}" for name in columns))
    first, last = rows[0], rows[-1]
    for name in ("store step", "machine step"):
        print(
            f"{name}: {last[name]:.2f} ms at {last['nodes']:,} nodes (bar {BARS[name]:g}),"
            f" {last[name] / first[name]:.2f} times that at {first['nodes']:,} (bar 2)"
        )


if __name__ == "__main__":
    main()
