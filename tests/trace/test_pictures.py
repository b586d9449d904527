"""Pictures of proof trees have a size that can be looked at, and notebooks show results, goals and trees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import OpenGoal, RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, child_id
from goedels_poetry.trace.tree import MAX_DRAWN, MOST_LINES, WRAP, TreeView, picture

HOSTILE = '<script>alert(1)</script> & \x00 \udcff "quoted" `code` ]]>'


def wide(children: int, statement: str = "x = y and " * 60) -> list[ProofNode]:
    root = ProofNode(ROOT, strategy="case-split", fingerprint="case-split(" + "very long " * 20 + ")")
    below = [
        ProofNode(child_id(ROOT, 0, n), statement, parent=ROOT, depth=1, status=NodeStatus.PROVED)
        for n in range(children)
    ]
    return [root, *below]


def test_labels_are_wrapped_and_cut() -> None:
    drawn = picture(wide(3), "the theorem").dot()
    labels = re.findall(r'label="(.*?)"', drawn)
    lines = [line for label in labels for line in label.split("\\n")]
    assert len(labels) == 7
    assert max(map(len, lines)) <= WRAP
    assert max(label.count("\\n") for label in labels) <= MOST_LINES
    assert any(line.endswith("...") for line in lines)
    boxes = re.findall(r'\["(.*?)"\]', picture(wide(3), "the theorem").mermaid())
    assert max(len(re.sub(r"#\d+;", "x", line)) for box in boxes for line in box.split("<br/>")) <= WRAP


@pytest.mark.parametrize(("children", "down"), [(0, True), (3, True), (40, False)])
def test_a_wide_tree_is_drawn_to_the_right(children: int, down: bool) -> None:
    nodes = wide(children)
    assert f"rankdir={'TB' if down else 'LR'}" in picture(nodes, "").dot()
    assert picture(nodes, "").mermaid().startswith(f"flowchart {'TD' if down else 'LR'}")


def test_a_result_shows_its_verdict_what_speaks_against_it_and_what_is_open() -> None:
    goals = tuple(OpenGoal(f"0.0_{n:04d}", f"goal {n}", 1, HOSTILE) for n in range(60))
    result = RunResult(
        HOSTILE,
        Verdict.REFUTED,
        "0123456789ab",
        reason=HOSTILE,
        trust_level="L2",
        counterexample={HOSTILE: HOSTILE, "n": 3},
        open_goals=goals,
        warnings=(HOSTILE,),
        certificate=Path("/a/<b>"),
        metrics={"steps": 7, "models": {}},
    )
    shown = result._repr_html_()
    assert ">refuted</span> <b>L2</b>" in shown
    assert "n: 3" in shown and "steps: 7" in shown and "60 open goals" in shown and "and 10 more" in shown
    assert "<script" not in shown and "<b>L2</b>" in shown and "/a/&lt;b&gt;" in shown
    shown.encode("utf-8")
    assert len(RunResult("x" * 10**6, Verdict.UNKNOWN, reason="y" * 10**6)._repr_html_()) < 20_000


def test_a_goal_and_a_tree_show_themselves_and_nothing_of_them_is_markup() -> None:
    nodes = wide(2, HOSTILE)
    for shown in (nodes[1]._repr_html_(), TreeView(tuple(nodes), "the theorem")._repr_html_()):
        assert "&lt;script&gt;" in shown and "<script" not in shown
        shown.encode("utf-8")
    view = TreeView(tuple(nodes), "the theorem")
    assert view._repr_html_().count("<details open>") == 1
    assert view._repr_html_().index("the theorem") < view._repr_html_().index("alert")
    assert str(view).splitlines()[0].startswith("0  the theorem")
    many = TreeView(tuple(wide(MAX_DRAWN + 10, "g")), "t")
    assert "and 11 more" in many._repr_html_()
    assert "(no goals yet)" in TreeView(())._repr_html_()
