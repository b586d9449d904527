"""The pages in a real Chromium: runs appear and go on by themselves, and no text of a run is ever markup or code."""

from __future__ import annotations

from browser import Page
from served import THEOREMS, ByHand, Served

from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode

HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "javascript:document.title='taken'",
    "\u202etxt.exe \x00 \x1b[31m ]]> --> &lt;b&gt; \udcff",
    "x" * 5_000,
)


def opened(page: Page, served: Served) -> Page:
    page.allowed = (f"127.0.0.1:{served.key.port}",)
    page.open(served.key.url)
    page.until(lambda: page.text("#count"), "the list")
    assert page.js("return location.href") == f"http://127.0.0.1:{served.key.port}/"
    assert page.js("return document.cookie") == ""
    return page


def test_a_theorem_is_pasted_proved_and_watched(served: Served, browser_page: Page) -> None:
    page = opened(browser_page, served)
    page.type("#text", (THEOREMS / "mirror_twice.smt2").read_text("utf-8"))
    page.type("#name", "twice <b>mirrored")
    page.type("#seconds", "60")
    page.click("#start")
    page.until(lambda: page.js("return location.pathname").startswith("/runs/"), "the page of the run")
    page.until(lambda: "proved" in page.text("body") and "ended" in page.text("body"), "the verdict")
    assert "twice <b>mirrored" in page.text("body")
    page.open(f"http://127.0.0.1:{served.key.port}/")
    page.until(lambda: "proved" in page.text("#runs"), "the run in the list")
    assert "twice <b>mirrored" in page.text("#runs")


def test_texts_of_runs_are_shown_and_never_executed(served: Served, browser_page: Page) -> None:
    hands = [ByHand(served.home, f"{number:012x}", name) for number, name in enumerate(HOSTILE, 0xF00000)]
    page = opened(browser_page, served)
    for name in HOSTILE[:4]:
        page.until(lambda name=name: any(name in text for text in page.texts("td.theorem")), name)
    assert page.all("#runs script, #runs img") == []
    page.type("#match", "taken")
    page.until(lambda: len(page.texts("td.theorem")) == 4, "the search")
    for hand in hands:
        page.open(f"http://127.0.0.1:{served.key.port}/runs/{hand.run.run_id}")
        page.until(lambda: page.js("return document.body.dataset.ready"), "the page of the run")
        page.until(lambda: "ended" in page.text("body"), "the end of the updates")
        assert page.js("return document.title") != "taken"
        assert page.all("img") == []
        hand.close()


def test_a_run_of_another_process_goes_on_before_ones_eyes(served: Served, browser_page: Page) -> None:
    hand = ByHand(served.home, "0ddba11f00d5", "somebody else's run")
    page = opened(browser_page, served)
    with hand.run.lock():
        page.until(lambda: "running" in page.text("#runs"), "the run in the list")
        page.open(f"http://127.0.0.1:{served.key.port}/runs/{hand.run.run_id}")
        page.until(lambda: page.js("return window.goedelsPoetry?.seq()") == 1, "its first commit")
        assert page.all("#stop") == [], "it is not this server's to stop"
        hand.commit(ProofNode(ROOT, language="toy", queue="decide", attempts=1))
        page.until(lambda: page.js("return goedelsPoetry.seq()") == 2, "a commit")
        hand.commit(ProofNode(ROOT, language="toy", status=NodeStatus.PROVED))
        page.until(lambda: page.js("return goedelsPoetry.seq()") == 3, "the last commit")
    page.until(lambda: "ended" in page.text("body"), "the end")
    hand.close()
