"""Fixtures of the machine's tests: a data directory of their own and frameworks that are closed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage
from trees_by_hand import MakeFramework, Tree

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.store.state import ProofNode


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
