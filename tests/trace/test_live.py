"""The live view names what is under way at this moment, on terminals of any width."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from trees_by_hand import Tree, chain

from goedels_poetry.protocol.trials import TrialLog
from goedels_poetry.search.memory import log_path
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import ROOT, ProofNode
from goedels_poetry.trace.live import LiveView


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def as_it_is(statement: str, _language: str) -> str:
    return statement


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    made = Tree(tmp_path / "proof.db")
    yield made
    made.store.close()


def seen(tree: Tree, monkeypatch: pytest.MonkeyPatch, columns: int = 80, limit: float | None = 300.0) -> list[str]:
    """The lines of a view that has been told of every event of a run."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")
    view = LiveView(Terminal(), lambda _: ProofStore(tree.store.path, read_only=True), 1, limit, as_it_is)
    for event in tree.store.events():
        view.event("theorem.smt2", event)
    drawn = Console(file=io.StringIO(), width=columns, markup=False, highlight=False)
    drawn.print(view._draw())
    view.__exit__()
    return str(drawn.file.getvalue()).splitlines()  # type: ignore[attr-defined]


def begin(tree: Tree, agent: str, node: str) -> None:
    revision = tree.store.revision(node)
    assert revision is not None
    assert tree.store.begin_work([(f"{agent}:{node}@{revision}", agent, node, revision)]) == [True]


def test_it_names_agent_goal_and_strategy_of_what_is_under_way(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.put(*chain(0, 0))
    begin(tree, "sketcher", "0.0_0000")
    log = TrialLog(log_path(tree.store, "sketcher", "0.0_0000"))
    log.begin("theory-exploration")
    log.at("(= (f x) x)")
    lines = seen(tree, monkeypatch)
    assert any(re.fullmatch(r"now, \d+ s: looking for a decomposition, goal 0.0_0000", line) for line in lines)
    assert any(line.startswith("     ") and line.endswith("s: theory-exploration: f(x) = x") for line in lines)
    assert re.search(r"\d+ s left", lines[0])
    log.close()


def test_the_tree_is_indented_by_depth(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.put(*chain(0, 0, 0))
    for node in ("0.0_0000", "0.0_0000.0_0000"):
        tree.store.commit(f"look:{node}", "decider", node, lambda txn, node=node: txn.put(txn.get(node)).id)
    shown = [line for line in seen(tree, monkeypatch) if "goal at depth" in line]
    indents = [len(line) - len(line.lstrip()) for line in shown]
    assert indents == [0, 2, 4]


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_no_line_is_wider_than_the_terminal(tree: Tree, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    tree.put(*chain(*[0] * 12))
    begin(tree, "prover", ROOT)
    log = TrialLog(log_path(tree.store, "prover", ROOT))
    log.begin("tactics", "simp_all [a, very, long, list, of, definitions, that, never, ends, at, all]")
    lines = seen(tree, monkeypatch, columns)
    assert max(map(len, lines)) <= columns
    assert len(lines) <= 24
    log.close()


def test_control_characters_of_a_theorem_reach_no_terminal(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.put(ProofNode(ROOT, "\x1b[2J\x07evil", strategy="\x1b[31m", fingerprint="x"))
    begin(tree, "prover", ROOT)
    log = TrialLog(log_path(tree.store, "prover", ROOT))
    log.begin("\x1b]0;title\x07", "\u202e")
    for line in seen(tree, monkeypatch):
        assert line.isprintable()
    log.close()
