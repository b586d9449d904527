"""Whatever a theorem, a model or a plug-in says is shown and never executed; what cannot be seen is spelled."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Page
from trees_by_hand import Tree

from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue
from goedels_poetry.trace.page.data import content_security_policy, render, run_data

HOSTILE = {
    "script": "<script>window.pwned = 1</script>",
    "closing": "</script><script>window.pwned = 2</script>",
    "image": "<img src=x onerror='window.pwned = 3'>",
    "link": "javascript:window.pwned=4",
    "comment": "<!--<script>",
    "cdata": "]]></style><svg onload=window.pwned=5>",
    "quotes": "\"' onmouseover='window.pwned=6' `${window.pwned=7}` {{7*7}}",
    "template": "__proto__ constructor \\u003cscript\\u003e \u2028\u2029",
    "long": "x" * 100_000,
}
"""What is shown just as it is, apart from length and white space."""
SPELLED = {
    "nul": ("a\0b", "a␀b"),
    "right to left": ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
    "zero width": ("a\u200bb\ufeffc", "a⟨U+200B⟩b⟨U+FEFF⟩c"),
    "escape": ("\x1b[31mred", "␛[31mred"),
}


def hostile_run(folder: Path, text: str) -> Tree:
    """A run in which every text is this one."""
    tree = Tree(folder / "proof.db")
    tree.store.set_meta(run_id="ab", name=text, language=text, theorem=text, statement=text, task=["theorem", {}])
    tree.put(ProofNode(ROOT, text, queue=Queue.SKETCH))
    tree.do(lambda m, _: m.set_sketch(m._txn.get(ROOT), {"strategy": text, "fingerprint": text, "why": text}))
    tree.do(lambda m, _: m.set_failed_sketch(m._txn.get(ROOT), text, report={text: text}))
    tree.do(lambda m, _: m.set_decision(m._txn.get(ROOT), text, [text], text))

    def said(_, txn) -> None:
        exchange = {
            "messages": [[text, text]],
            "replies": [{"text": text, "error": "", "reason": text, "holds": False}],
        }
        txn.log(ROOT, "model", role=text, prompt=text, model=text, reasons=[text], exchange=txn.save(exchange))
        txn.log(ROOT, text, reason=text, thing={text: text})
        txn.log(
            ROOT, "trials", trials=[{"strategy": text, "what": text, "status": "failed", "result": text, "left": text}]
        )
        txn.put(replace(txn.get(ROOT), status=NodeStatus.FAILED, reason=text))

    tree.do(said)
    return tree


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [*HOSTILE, *SPELLED])
def test_text_stays_text_wherever_it_stands(browser_page: Page, tmp_path: Path, name: str) -> None:
    given, shown = SPELLED.get(name) or (HOSTILE[name], HOSTILE[name])
    with hostile_run(tmp_path, given).store as store:
        html = render(run_data(store), title=given)
    (tmp_path / "run.html").write_text(html, "utf-8")
    page = browser_page.open(tmp_path / "run.html")
    wanted = " ".join(shown.split())[:80]
    assert wanted in page.text("h1")
    assert page.texts(".row .statement")[0].startswith(wanted)
    for tab in ("proof", "stuck", "timeline", "theorem", "log", "goal"):
        page.click(f"#tab-{tab}")
        page.js("document.querySelectorAll('#panel details').forEach(fold => { fold.open = true; })")
    page.until(lambda: page.all(".bubble"), "the conversation")
    assert wanted in " ".join("".join(page.texts(".bubble")).split())
    assert page.js("return window.pwned") is None
    assert page.js("return document.scripts.length") == 4
    assert page.js("return document.querySelectorAll('img, svg, iframe, object, a[href^=javascript]').length") == 0


def test_the_file_has_no_markup_but_its_own(tmp_path: Path) -> None:
    for text in HOSTILE.values():
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        with hostile_run(folder, text).store as store:
            html = render(run_data(store), title=text)
        outside = re.sub(r"<script>\(\(\) => \{.*", "", html, flags=re.DOTALL)  # what is before our own script
        assert outside.count("<script") == outside.count("</script") == 3
        assert "pwned = 1<" not in outside.replace("&lt;script&gt;window.pwned = 1&lt;", "")
        assert not re.search(r"<(img|svg|!--)", outside)


def test_the_policy_lets_nothing_else_run(browser_page: Page, tmp_path: Path) -> None:
    with hostile_run(tmp_path, "plain").store as store:
        html = render(run_data(store), title="plain")
    (tmp_path / "run.html").write_text(html, "utf-8")
    page = browser_page.open(tmp_path / "run.html")
    page.expected_errors = ("Content Security Policy",)
    page.js(
        "const s = document.createElement('script'); s.textContent = 'window.pwned = 1'; document.body.append(s);"
        "const d = document.createElement('div'); d.innerHTML = '<img src=x onerror=\"window.pwned = 2\">';"
        "document.body.append(d);"
        "fetch('https://127.0.0.1:9/').catch(() => { window.refused = true; });"
    )
    page.until(lambda: page.js("return window.refused"), "the request to be refused")
    assert page.js("return window.pwned") is None
    assert page._requests == []


def test_only_a_live_page_may_ask_its_own_server() -> None:
    assert "connect-src" not in content_security_policy()
    assert "connect-src 'self'" in content_security_policy(live=True)
    assert all("unsafe" not in content_security_policy(live) for live in (False, True))
