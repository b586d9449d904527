"""How long the page of a run of many goals takes to load, in a real Chromium: ``python scripts/bench_page.py [GOALS]``.

Makes the run through the store's own moves (a minute for 10,000 goals), writes its page, and opens it several times,
each time in an empty tab. ``interactive``: milliseconds from the beginning of the navigation until the page has drawn
its tree and listens to keys. Then how long one move of the slider and one search take. The bars: 2,000 ms and 20 MB.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from browser import Browser  # noqa: E402
from many_goals import many_goals  # noqa: E402

from goedels_poetry.store.proof_store import ProofStore  # noqa: E402
from goedels_poetry.trace.page.data import run_data  # noqa: E402
from goedels_poetry.trace.page.html import render  # noqa: E402

LOADS = 5
SLIDE = """
  const slider = document.getElementById('slider'), begun = performance.now(), moves = 10;
  for (let i = 1; i <= moves; i++) { slider.value = slider.max * i / moves; slider.dispatchEvent(new Event('input')); }
  return (performance.now() - begun) / moves
"""
SEARCH = """
  const search = document.getElementById('search'), begun = performance.now();
  search.value = '3 * k'; search.dispatchEvent(new Event('input'));
  return performance.now() - begun
"""


def main(goals: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        store = many_goals(Path(folder) / "run" / "proof.db", goals)
        print(f"made {goals} goals in {time.perf_counter() - begun:.1f} s")
        begun = time.perf_counter()
        with ProofStore(store, read_only=True) as opened:
            html = render(run_data(opened), title=f"{goals} goals")
        file = Path(folder) / "run.html"
        file.write_text(html, "utf-8")
        megabytes = file.stat().st_size / 1e6
        print(f"wrote its page in {time.perf_counter() - begun:.1f} s: {megabytes:.2f} MB")
        browser = Browser()
        try:
            loads = []
            for _ in range(LOADS):
                page = browser.new_page().open(file)
                loads.append(int(page.until(lambda page=page: page.js("return document.body.dataset.ready"))))
            print(f"interactive after {' '.join(map(str, loads))} ms")
            print(f"a move of the slider takes {page.js(SLIDE):.0f} ms, a search {page.js(SEARCH):.0f} ms")
            page.check()
        finally:
            browser.close()
    return int(max(loads) > 2_000 or megabytes > 20)


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
