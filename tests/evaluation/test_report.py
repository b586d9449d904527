"""Tables and pictures of odd names and of nothing at all; the pictures say what the numbers say."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from goedels_poetry.evaluation import Data, Outcome, Run, metrics, report
from goedels_poetry.evaluation.figures import Share, by_dataset, curve
from goedels_poetry.evaluation.plots import accuracy_plot, cost_plot, coverage_plot
from goedels_poetry.evaluation.report import page, shown
from goedels_poetry.evaluation.tables import table

SVG = "{http://www.w3.org/2000/svg}"
ODD = 'a|b <c> & "d" \x07\ud800\n' + "long " * 40


def outcome(dataset: str, number: int, gold: str, predicted: str, **more: Any) -> Outcome:
    return Outcome(f"q`{number}|{dataset}", str(number), dataset, gold, predicted, **more)  # type: ignore[arg-type]


def numbers(svg: str, shape: str, attribute: str) -> list[float]:
    return [
        float(found.get(attribute, "")) for found in ElementTree.fromstring(svg).iter(SVG + shape) if found.get("x")
    ]


def test_a_bar_is_as_long_as_its_share_and_the_whisker_is_its_interval() -> None:
    svg = accuracy_plot({"half": Share(5, 10, 0.2, 0.8), "all": Share(10, 10, 0.7, 1.0), "none": Share(0, 0, 0, 1)})
    half, whole = numbers(svg, "rect", "width")
    assert half == pytest.approx(whole / 2)
    left = numbers(svg, "rect", "x")[0]
    ends = [float(line.get("x1", "")) for line in ElementTree.fromstring(svg).iter(SVG + "line")]
    assert ends.count(pytest.approx(left + 0.2 * whole)) >= 1
    assert "50.0 % of 10" in svg
    assert "nothing asked" in svg


def test_the_curve_has_a_point_for_each_level_of_confidence() -> None:
    every = [outcome("D", n, "true", "true" if n else "false", score=n / 10) for n in range(4)]
    svg = coverage_plot({"D": curve(every)})
    assert len(ElementTree.fromstring(svg).findall(f"{SVG}circle")) == 4 + 1  # and one in the legend


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"money": 0.25, "tokens": 9}, "$ 0.2500"),
        ({"tokens": 1234}, "1,234 tokens"),
        ({"seconds": 2.5}, "2.5 s"),
        ({}, "0.0 s"),
    ],
)
def test_cost_is_money_where_prices_are_known(more: dict[str, Any], words: str) -> None:
    assert words in cost_plot({"D": metrics([outcome("D", 0, "true", "true", **more)])})


def test_odd_names_break_neither_tables_nor_pictures() -> None:
    every = [outcome(ODD, 0, "true", "false", reason="a\n| b"), outcome("E", 1, "uncertain", "unknown")]
    found = report(Run(tuple(every), 0, 2), Data(()), {"model": ODD})
    datasets = {name: metrics(part) for name, part in by_dataset(every).items()}
    for svg in (
        accuracy_plot({name: each.accuracy for name, each in datasets.items()}),
        coverage_plot({name: curve(part) for name, part in by_dataset(every).items()}),
        cost_plot(datasets),
    ):
        ElementTree.fromstring(svg)
    rows = [line for line in page(found).splitlines() if line.startswith("| ")]
    assert all(line.endswith(" |") for line in rows)
    assert len({line.replace("\\|", "").count("|") for line in shown(found)[:5]}) == 1


def test_nothing_at_all_is_shown_too() -> None:
    found = report(Run((), 3, 0, stopped="interrupted"), Data(()), {}, resume="again")
    assert shown(found)[-2:] == ["not finished (interrupted): 3 still to do, in no figure", "to go on: again"]
    assert "# Evaluation" in page(found)
    for svg in (accuracy_plot({}), coverage_plot({}), cost_plot({})):
        ElementTree.fromstring(svg)


def test_columns_stand_below_each_other() -> None:
    assert table(("a", "b"), [("x|y", "1"), ("z", "1000")]) == [
        "| a    |    b |",
        "| ---- | ---: |",
        "| x\\|y |    1 |",
        "| z    | 1000 |",
    ]
