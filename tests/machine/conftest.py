"""Fixtures of the machine's tests: a data directory of their own and frameworks that are closed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for toy_language, which the kill test's processes import too

from toy_language import ToyLanguage

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.tree.state import ROOT, ProofNode, Queue
from goedels_poetry.tree.state_manager import GoedelsPoetryStateManager
from goedels_poetry.tree.store import ProofStore, Txn

MakeFramework = Callable[..., GoedelsPoetryFramework]


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))


@pytest.fixture
async def framework() -> AsyncIterator[MakeFramework]:
    """``framework(language, budgets={...}, **settings)``: a framework on the test's data directory."""
    made: list[GoedelsPoetryFramework] = []

    def make(language: Any = None, budgets: dict[str, Any] | None = None, **settings: Any) -> GoedelsPoetryFramework:
        if budgets is not None:
            settings["budgets"] = Budgets(**budgets)
        made.append(GoedelsPoetryFramework(Settings(**settings), language=language or ToyLanguage()))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


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


@pytest.fixture
def tree(tmp_path: Path) -> Any:
    trees: list[Tree] = []

    def make(*nodes: ProofNode, **settings: Any) -> Tree:
        made = Tree(tmp_path / f"tree{len(trees)}.db", **settings)
        trees.append(made)
        made.put(*nodes)
        return made

    yield make
    for each in trees:
        each.store.close()
