"""A page that takes in updates shows what a page of the whole run shows."""

import json
from collections.abc import Callable
from pathlib import Path

from browser import Page
from many_goals import many_goals

from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.trace.page.data import render, run_data

PageOf = Callable[[Path], Path]
SEEN = """
  const seen = [document.querySelector('.tally').textContent, document.querySelector('.story').textContent];
  for (const row of document.querySelectorAll('.row')) seen.push(row.textContent);
  document.querySelectorAll('#panel details').forEach(fold => { fold.open = true; });
  seen.push(document.getElementById('panel').textContent);
  return seen
"""


def cut_after(data: dict, seq: int) -> dict:
    """The data as they would have been after a commit."""
    return data | {"seq": seq, "commits": [commit for commit in data["commits"] if commit[0] <= seq], "result": None}


def test_updates_bring_a_page_to_where_the_whole_one_is(
    browser_page: Page, page_of: PageOf, backtracked: Path, tmp_path: Path
) -> None:
    page = browser_page.open(page_of(backtracked))
    whole = page.js(SEEN)
    with ProofStore(backtracked, read_only=True) as store:
        data, last = run_data(store), store.seq
        steps = [0, last // 3, last // 2, last - 1]
        updates = [run_data(store, since) for since in steps[1:]]
    (tmp_path / "part.html").write_text(render(cut_after(data, steps[1]), title="part"), "utf-8")
    page.open("about:blank")
    page.open(tmp_path / "part.html")
    assert page.js("return goedelsPoetry.seq()") == steps[1]
    assert page.js("return goedelsPoetry.applyUpdate(arguments[0])", updates[-1]) is False, "it begins too late"
    upto = cut_after(updates[0], steps[2])
    for update in (upto, upto, updates[1], updates[0], updates[2]):
        assert page.js("return goedelsPoetry.applyUpdate(arguments[0])", update) is True
    assert page.js("return goedelsPoetry.seq()") == last
    assert page.js(SEEN) == whole


def test_a_person_who_looks_at_the_past_is_left_there(browser_page: Page, page_of: PageOf, tmp_path: Path) -> None:
    path = many_goals(tmp_path / "run" / "proof.db", 30)
    with ProofStore(path, read_only=True) as store:
        data, last = run_data(store), store.seq
        update = run_data(store, last - 2)
    (tmp_path / "part.html").write_text(render(cut_after(data, last - 2), title="part"), "utf-8")
    page = browser_page.open(tmp_path / "part.html")
    page.press("[")
    page.js("return goedelsPoetry.applyUpdate(arguments[0])", update)
    assert page.text(".story").startswith(f"{last - 3} / {last}")
    page.press("}")
    assert page.text(".story").startswith(f"{last} / {last}")


def test_data_are_json_and_an_update_has_only_what_is_new(backtracked: Path) -> None:
    with ProofStore(backtracked, read_only=True) as store:
        whole, last = run_data(store), run_data(store, store.seq - 1)
        nothing = run_data(store, store.seq)
    assert json.loads(json.dumps(whole)) == whole
    assert [commit[0] for commit in last["commits"]] == [whole["seq"]]
    assert (nothing["commits"], nothing["since"], nothing["seq"]) == ([], whole["seq"], whole["seq"])
    assert len(json.dumps(nothing["texts"])) < 10 < len(json.dumps(whole["texts"]))
    assert nothing["result"]["verdict"] == "proved"
