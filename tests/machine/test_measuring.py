"""The scripts that say whether something grows, and whether goals wait for each other, judge what they see rightly."""

from __future__ import annotations

import gc
import importlib.util
import math
import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.store.shared_database import connect

BLOCKS = 50
"""Memory blocks for each run that has ended: what is kept in numbers that are bounded. Its tree alone has hundreds."""
OURS = "goedels_poetry."


def script(name: str) -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_script", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("figure", "at", "grows"),
    [
        ("own MB", lambda s: 80 + 5 * math.sin(s), False),
        ("own MB", lambda s: 80 + s / 4, True),
        ("own MB", lambda s: min(80 + s / 10, 90), False),  # it fills, and then stays
        ("handles", lambda s: 40 + s // 20, True),
        ("handles", lambda s: 40 + s % 7, False),
        ("children", lambda s: 4 + s // 25, True),
        ("kB a commit", lambda s: 10 + s / 100, True),
    ],
)
def test_what_rises_all_the_time_grows_and_what_moves_about_does_not(figure: str, at, grows: bool) -> None:  # type: ignore[no-untyped-def]
    endurance = script("endurance")
    watch = endurance.Watch(0)
    for s in range(0, 600, 10):
        watch.rows.append(dict.fromkeys(endurance.MARGINS, 1.0) | {"s": float(s), figure: at(s)})
    assert [line.partition(" grows")[0] for line in watch.growing()] == ([figure] if grows else [])


def test_no_theorem_of_an_endurance_run_comes_twice() -> None:
    endurance = script("endurance")
    made = [endurance.theorem(n, random.Random(n)) for n in range(300)]
    assert len({text for _, text, _ in made}) == 300
    assert len({kind for kind, _, _ in made}) == 7


def test_the_longest_chain_is_made_of_replies_that_need_each_other() -> None:
    barrier = script("bench_barrier")
    took = {"T": 1.0, "part 0": 2.0, "part 0.1": 3.0, "goal 1": 4.0, "goal 2": 1.5}
    replies = [barrier.Reply(goal, 0.0, 0.0, seconds) for goal, seconds in took.items()]
    replies.append(barrier.Reply("goal 2", 0.0, 0.0, 1.0))  # its correction
    assert barrier.chain(replies) == 1.0 + 2.0 + 3.0


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
