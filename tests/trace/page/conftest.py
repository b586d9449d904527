"""Runs to look at: a real one that backtracks and asks a model, and one of ten thousand goals."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import browser, browser_page  # noqa: F401
from many_goals import many_goals
from model_server import Server
from scripted_models import DOUBLE, every_role

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.trace.page.data import render, run_data

PageOf = Callable[[Path], Path]


@pytest.fixture(scope="session")
def backtracked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store of a run that was proved after its first sketch had led nowhere, with every role of a model asked."""
    home = tmp_path_factory.mktemp("home")
    with Server(every_role) as server:
        model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 60.0}
        settings = Settings(
            home=home,
            symbolic_queries=0,
            ban_after_failures=1,
            budgets={"wall_seconds": 300},
            models={"default": model, "cache": False},
        )
        with GoedelsPoetryFramework(settings) as framework:
            result = framework.run(DOUBLE, name="double.smt2")
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.run_dir is not None
    assert result.metrics["backtracks"] > 0
    yield result.run_dir / "proof.db"


@pytest.fixture(scope="session")
def six_hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose tree is longer than a screen."""
    return many_goals(tmp_path_factory.mktemp("some") / "run" / "proof.db", 600, fan=60, proved=0.03)


@pytest.fixture(scope="session")
def ten_thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of ten thousand goals."""
    return many_goals(tmp_path_factory.mktemp("many") / "run" / "proof.db", 10_000, fan=60, proved=0.03)


@pytest.fixture(scope="session")
def page_of() -> PageOf:
    """Write the page of a store, as ``trace --html`` does; it is made once."""

    def write(store: Path) -> Path:
        path = store.with_name("run.html")
        if not path.exists():
            with ProofStore(store, read_only=True) as opened:
                path.write_text(render(run_data(opened), title="a run"), "utf-8")
        return path

    return write
