"""Tables of odd names and of nothing at all."""

from __future__ import annotations

from typing import Any

from goedels_poetry.evaluation import Data, Outcome, Run, report
from goedels_poetry.evaluation.report import page, shown
from goedels_poetry.evaluation.tables import table

ODD = 'a|b <c> & "d" \x07\ud800\n' + "long " * 40


def outcome(dataset: str, number: int, gold: str, predicted: str, **more: Any) -> Outcome:
    return Outcome(f"q`{number}|{dataset}", str(number), dataset, gold, predicted, **more)  # type: ignore[arg-type]


def test_odd_names_break_no_table() -> None:
    every = [outcome(ODD, 0, "true", "false", reason="a\n| b"), outcome("E", 1, "uncertain", "unknown")]
    found = report(Run(tuple(every), 0, 2), Data(()), {"model": ODD})
    rows = [line for line in page(found).splitlines() if line.startswith("| ")]
    assert all(line.endswith(" |") for line in rows)
    assert len({line.replace("\\|", "").count("|") for line in shown(found)[:5]}) == 1


def test_nothing_at_all_is_shown_too() -> None:
    found = report(Run((), 3, 0, stopped="interrupted"), Data(()), {}, resume="again")
    assert shown(found)[-2:] == ["not finished (interrupted): 3 still to do, in no figure", "to go on: again"]
    assert "# Evaluation" in page(found)


def test_columns_stand_below_each_other() -> None:
    assert table(("a", "b"), [("x|y", "1"), ("z", "1000")]) == [
        "| a    |    b |",
        "| ---- | ---: |",
        "| x\\|y |    1 |",
        "| z    | 1000 |",
    ]
