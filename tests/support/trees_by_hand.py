"""Trees in a store, built node by node, and the type of the fixture that makes frameworks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ROOT, ProofNode, Queue
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager

MakeFramework = Callable[..., GoedelsPoetryFramework]


class Tree:
    """A tree in a store of its own, built by hand, to look at single moves."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.store = ProofStore(path)
        self.settings = Settings(**settings)
        self.number = 0

    def do(self, move: Callable[[GoedelsPoetryStateManager, Txn], Any]) -> Any:
        """One commit in which ``move(manager, txn)`` runs; returns what it returns."""
        found: list[Any] = []

        def apply(txn: Txn) -> str:
            found.append(move(GoedelsPoetryStateManager(txn, self.settings), txn))
            return "done"

        self.number += 1
        self.store.commit(f"test:{self.number}", "test", ROOT, apply)
        return found[0]

    def put(self, *nodes: ProofNode) -> None:
        self.do(lambda _, txn: [txn.put(node) for node in nodes])

    def get(self, node_id: str) -> ProofNode:
        return self.store.get(node_id)


def chain(*decomposition_attempts: int) -> list[ProofNode]:
    """root <- child <- grandchild ...: each with the given attempts, the last one being decided upon."""
    nodes, node_id, parent = [], ROOT, None
    for depth, attempts in enumerate(decomposition_attempts):
        last = depth == len(decomposition_attempts) - 1
        nodes.append(
            ProofNode(
                id=node_id,
                statement=f"goal at depth {depth}",
                parent=parent,
                depth=depth,
                decomposition_attempts=attempts,
                pending=0 if last else 1,
                queue=Queue.DECIDE if last else None,
                strategy=None if last else "some strategy",
                fingerprint=None if last else f"fp:{depth}",
            )
        )
        node_id, parent = f"{node_id}.0_0000", node_id
    return nodes
