"""The scripts that say whether something grows, and whether goals wait for each other, judge what they see rightly."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path

from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.store.shared_database import connect

BLOCKS = 50
"""Memory blocks for each run that has ended: what is kept in numbers that are bounded. Its tree alone has hundreds."""
OURS = "goedels_poetry."


async def test_a_framework_keeps_nothing_of_runs_that_have_ended(framework: MakeFramework) -> None:
    language = ToyLanguage()
    fw = framework(language)
    blocks, ours = [], []
    for n in range(24):
        assert (await fw.arun(theorem(f"goal {n}"), name="t")).verdict is Verdict.PROVED
        if n % 12 == 11:
            language.goals.clear()  # what the toy itself writes down
            gc.collect()
            blocks.append(sys.getallocatedblocks())
            ours.append(Counter(kind for each in gc.get_objects() if OURS in str(kind := type(each))))
    assert len(fw._busy) == 0 and not fw._under_way
    assert blocks[1] - blocks[0] < 12 * BLOCKS
    assert [kind for kind, number in (ours[1] - ours[0]).items() if number >= 12] == []


def test_the_pages_of_a_shared_database_take_a_quarter_of_a_megabyte_however_much_is_read(tmp_path: Path) -> None:
    db = connect(tmp_path / "lemmas.db", "CREATE TABLE IF NOT EXISTS t(body TEXT)")
    assert db.execute("PRAGMA cache_size").fetchone() == (-256,)  # negative: kB
    db.close()
