"""The page of a run as a person meets it, in a real browser: clicks, keys, the slider. `browser_page` checks at the end
of every test that nothing was logged and nobody was asked."""

from collections.abc import Callable
from pathlib import Path

from browser import Page

from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import NodeStatus, ProofNode

PageOf = Callable[[Path], Path]

ROWS = (
    "return [...document.querySelectorAll('.row')]"
    ".map(row => [row.dataset.id, row.querySelector('.status').textContent])"
)
COLOURS = (
    "const canvas = document.querySelector('canvas'), pen = canvas.getContext('2d');"
    "return new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data).size"
)
SLIDE = (
    "const s = document.getElementById('slider'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));" + ROWS
)


def word(node: ProofNode) -> str:
    """What the page calls a goal's status."""
    if node.status is NodeStatus.OPEN and node.pending:
        return "split"
    return str(node.status)


def rows(page: Page) -> dict[str, str]:
    """Goal -> status of the rows that are drawn."""
    return dict(page.js(ROWS))


def selected(page: Page) -> str:
    return str(page.js("return document.querySelector('.row.selected')?.dataset.id"))


def test_the_page_shows_the_tree_the_verdict_and_what_it_cost(
    browser_page: Page, page_of: PageOf, backtracked: Path
) -> None:
    page = browser_page.open(page_of(backtracked))
    with ProofStore(backtracked, read_only=True) as store:
        assert rows(page) == {node.id: word(node) for node in store.nodes()}
    assert page.text(".badge") == "proved"
    assert "trust L3" in page.text(".trust")
    assert "f(n) = 2 * n" in page.text("h1")
    assert "solver call" in page.text(".spent")
    assert "1 backtrack" in page.text(".spent")
    assert page.js("return document.querySelector('.tree').getAttribute('role')") == "tree"
    levels = page.js(
        "return [...document.querySelectorAll('[role=treeitem]')].map(row => row.getAttribute('aria-level'))"
    )
    assert levels == [str(name.count(".") + 1) for name in rows(page)]


def test_the_slider_shows_the_tree_as_it_was_after_every_commit(
    browser_page: Page, page_of: PageOf, backtracked: Path
) -> None:
    page = browser_page.open(page_of(backtracked))
    with ProofStore(backtracked, read_only=True) as store:
        for seq in (*range(1, store.seq + 1), 1):
            assert dict(page.js(SLIDE, seq)) == {node.id: word(node) for node in store.nodes(as_of=seq)}, seq
            event = store.events(seq - 1)[0]
            assert f"{seq} / {store.seq}" in page.text(".story")
            assert page.text(".trust").startswith("at the end") == (seq < store.seq), "the verdict came last"
            assert event.agent in page.text(".story")


def test_a_goal_has_its_attempts_bans_decisions_and_the_conversation(
    browser_page: Page, page_of: PageOf, backtracked: Path
) -> None:
    page = browser_page.open(page_of(backtracked))
    with ProofStore(backtracked, read_only=True) as store:
        kinds = {kind for _, node, kind, _ in store.whole_history() if node == "0"}
        decisions = [
            entry["reason"] for _, node, kind, entry in store.whole_history() if (node, kind) == ("0", "decision")
        ]
        bans = store.bans("0")
    page.click(".row[data-id='0']")
    said = page.text("#panel")
    assert {"attempt", "sketch", "decision", "backtrack", "model"} <= kinds
    for title in ("attempt failed", "decision", "backtracked", "conversation with the model", "BANS IN FORCE"):
        assert title in said, title
    assert all(reason in said for reason in decisions)
    assert all(fingerprint in said for fingerprint in bans)
    assert not page.all(".bubble")
    page.js("document.querySelectorAll('.happening details').forEach(fold => { fold.open = true; })")
    page.until(lambda: page.all(".bubble.from-model"), "the conversation")
    assert "lemmas" in "".join(page.texts(".bubble.from-model"))
    before = page.js("return [...document.querySelectorAll('#panel details')].filter(fold => fold.open).length")
    page.press("]")
    assert (
        page.js("return [...document.querySelectorAll('#panel details')].filter(fold => fold.open).length")
        == before
        > 0
    )


def test_every_tab_shows_something_of_the_run(browser_page: Page, page_of: PageOf, backtracked: Path) -> None:
    page = browser_page.open(page_of(backtracked))
    expected = {
        "proof": "closed by",
        "stuck": "BACKTRACKS",
        "timeline": "sketcher",
        "theorem": "define-fun-rec",
        "log": "begun",
    }
    for tab, part in expected.items():
        page.click(f"#tab-{tab}")
        assert part in page.text("#panel"), tab
        assert page.js("return document.querySelector('[role=tab][aria-selected=true]').id") == f"tab-{tab}"
    page.click("#tab-proof")
    assert page.all(".code .tok-keyword")
    page.click("#tab-timeline")
    assert page.js(COLOURS) > 10
    page.click(".timeline button[aria-label='Zoom in']")
    page.click("#tab-log")
    page.click(".log tbody tr:nth-child(3) button")
    assert page.text(".story").startswith("3 / ")


def test_keys_walk_through_the_tree_fold_it_and_search_it(
    browser_page: Page, page_of: PageOf, six_hundred: Path
) -> None:
    page = browser_page.open(page_of(six_hundred))
    assert selected(page) == "0"
    page.press("j")
    page.press("ARROW_DOWN")
    second = selected(page)
    page.press("k")
    first = selected(page)
    assert first.count(".") == 1 < second.count(".") + 1
    page.press("ARROW_LEFT")
    assert page.js("return document.querySelector('.row.selected').getAttribute('aria-expanded')") == "false"
    page.press("ENTER")
    page.press("ARROW_RIGHT")
    assert selected(page).startswith(f"{first}.")
    page.press("END")
    assert selected(page) != first
    page.press("HOME")
    assert selected(page) == "0"
    page.press("/")
    page.type("#search", "g(59 * k)")
    page.until(lambda: " of " in page.text(".found"), "matches")
    page.press("ESCAPE")
    hit = selected(page)
    page.press("n")
    assert selected(page) != hit
    page.press("p")
    assert selected(page) == hit
    assert "g(59 * k)" in page.text(".row.selected mark")
    page.press("?")
    assert page.js("return document.getElementById('help').open") is True
    page.press("ESCAPE")
    page.until(lambda: not page.js("return document.getElementById('help').open"), "the end of help")


def test_of_ten_thousand_goals_only_those_on_the_screen_are_drawn(
    browser_page: Page, page_of: PageOf, ten_thousand: Path
) -> None:
    file = page_of(ten_thousand)
    assert file.stat().st_size < 20_000_000
    page = browser_page.open(file)
    assert "10,0" in page.text(".tally b")
    assert 10 < len(rows(page)) < 100
    page.js("document.querySelector('.tree').scrollTop = 150000")
    page.until(lambda: "0" not in rows(page), "the middle of the tree")
    assert len(rows(page)) < 100
    with ProofStore(ten_thousand, read_only=True) as store:
        last = store.nodes()[-1]
        seq = store.seq // 2
        then = {node.id: word(node) for node in store.nodes(as_of=seq)}
    page.press("END")
    assert rows(page)[last.id] == word(last)
    shown = dict(page.js(SLIDE, seq))
    assert shown.items() <= then.items()
    assert f"{len(then):,} goals" in page.text(".tally b")
    for tab in ("stuck", "timeline", "log"):
        page.click(f"#tab-{tab}")
        assert page.js("return document.getElementById('panel').getElementsByTagName('*').length") < 5_000, tab
