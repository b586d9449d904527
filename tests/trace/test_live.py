"""Traces: of a run that goes on, of trials, of methods, as pictures."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from named_texts import tables
from rich.console import Console
from trees_by_hand import Tree, chain

from goedels_poetry.protocol.trials import (
    MOST_KEPT,
    MOST_TEXT,
    Status,
    TrialLog,
    doing,
    nearest,
    unfinished,
)
from goedels_poetry.search.memory import log_path
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, child_id
from goedels_poetry.trace.live import LiveView
from goedels_poetry.trace.tree import MAX_DRAWN, TreeView, method
from goedels_poetry.trace.wording import worded_method

TABLES = tables(__file__)


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


def test_a_request_that_is_out_is_shown_until_it_is_answered(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.put(*chain(0))
    begin(tree, "prover", ROOT)
    log = TrialLog(log_path(tree.store, "prover", ROOT))
    log.waiting("gpt-5, the sketcher")
    assert any(
        re.fullmatch(r"now, \d+ s: waiting for gpt-5, the sketcher, the theorem", s) for s in seen(tree, monkeypatch)
    )
    log.waiting("")
    assert any("looking for a direct proof" in line for line in seen(tree, monkeypatch))
    assert not log.trials, "it is nothing that was tried"


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


def test_a_log_is_bounded_and_counts_what_it_does_not_keep() -> None:
    log = TrialLog()
    log.begin("exploration")
    for number in range(1_000):
        status = Status.REFUTED if number % 2 else Status.FAILED
        log.tried(f"lemma {number}", status, "no", 0.001, lemma=True)
    log.end()
    assert len(log.trials) <= MOST_KEPT
    assert len(log.trials) + log.dropped == 1_001
    assert any(trial.strategy == "exploration" and not trial.what for trial in log.trials), (
        "the strategy itself is kept"
    )


def test_the_shortest_of_many_open_cases_are_kept_and_the_simplest_is_the_nearest() -> None:
    log = TrialLog()
    for number in range(100, 0, -1):
        log.tried(f"x{number}", Status.OPEN, "open", strategy="induction", left="x" * number)
    assert nearest(log.trials) == next(trial for trial in log.trials if trial.left == "x")
    assert max(len(trial.left) for trial in log.trials) < 50


def test_a_text_of_any_length_is_cut_and_half_a_formula_is_none() -> None:
    log = TrialLog()
    log.tried("w" * 9_999, Status.OPEN, "r" * 9_999, strategy="s", left="(" * 9_999)
    (trial,) = log.trials
    assert len(trial.what) == len(trial.result) == MOST_TEXT
    assert trial.left == ""


def test_others_see_what_a_job_is_at_and_after_its_end_what_it_had_tried(tmp_path: Path) -> None:
    path = tmp_path / "under_way" / "sketcher-0.jsonl"
    assert doing(path) is None
    assert not unfinished(path).trials
    log = TrialLog(path)
    log.begin("invariants")
    log.begin("theory-exploration")
    log.tried("a = b", Status.FAILED, "not proved", 0.1, lemma=True)
    log.at("b = c")
    seen = doing(path)
    assert seen is not None
    assert (seen.strategy, seen.what) == ("theory-exploration", "b = c")
    log.close()
    left = unfinished(path, now=seen.since + 7)
    assert [trial.strategy for trial in left.trials] == ["invariants", "theory-exploration", "theory-exploration"]
    assert left.trials[-1].status is Status.UNDER_WAY
    assert (left.trials[-1].what, left.trials[-1].seconds) == ("b = c", 7)


def test_a_file_that_is_cut_off_torn_or_no_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = TrialLog(path)
    log.begin("one")
    log.begin("two")
    log.close()
    path.write_bytes(path.read_bytes() + b'{"trial": {"strat')
    assert [trial.strategy for trial in unfinished(path).trials] == ["one", "two"]
    path.write_bytes(b'\xff\xfe no log at all\n[1, 2]\n{"trial": 1}\n{"at": "noon"}\n{"more": null}\n')
    assert not unfinished(path).trials
    assert doing(path) is None


def test_a_disk_that_takes_nothing_costs_nobody_a_proof(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = TrialLog(tmp_path / "file" / "log")
    log.begin("induction")
    log.end()
    assert [trial.strategy for trial in log.trials] == ["induction"]


@pytest.mark.parametrize(("fingerprint", "words"), TABLES["test_a_fingerprint_in_words"])
def test_a_fingerprint_in_words(fingerprint: str, words: str) -> None:
    assert worded_method(fingerprint) == words
    assert method(ProofNode("0", strategy=fingerprint.partition("(")[0], fingerprint=fingerprint)) == words


HOSTILE = '<script>alert(1)</script> & \x00 \udcff "quoted" `code` ]]>'


def wide(children: int, statement: str = "x = y and " * 60) -> list[ProofNode]:
    root = ProofNode(ROOT, strategy="case-split", fingerprint="case-split(" + "very long " * 20 + ")")
    below = [
        ProofNode(child_id(ROOT, 0, n), statement, parent=ROOT, depth=1, status=NodeStatus.PROVED)
        for n in range(children)
    ]
    return [root, *below]


def test_a_tree_shows_itself_and_nothing_of_it_is_markup() -> None:
    view = TreeView(tuple(wide(2, HOSTILE)), "the theorem")
    shown = view._repr_html_()
    assert "&lt;script&gt;" in shown and "<script" not in shown
    shown.encode("utf-8")
    assert str(view).splitlines()[0].startswith("0  the theorem")
    assert "and 11 more" in str(TreeView(tuple(wide(MAX_DRAWN + 10, "g")), "t"))
    assert "(no goals yet)" in str(TreeView(()))
