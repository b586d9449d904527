"""Pictures of proof trees have a size that can be looked at, and notebooks show results, goals and trees."""

from __future__ import annotations

from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, child_id
from goedels_poetry.trace.tree import MAX_DRAWN, TreeView

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
