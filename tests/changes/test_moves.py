"""Which moves are legal after a verification, and which one the table makes: nothing here runs anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goedels_poetry.python.changes import ChangeReport
from goedels_poetry.python.changes.verification import MISSED, OPEN, REACHED
from goedels_poetry.search.agents.changes import MOVES, Situation, chosen_move, legal_moves, preferred

CLEAN = ChangeReport(goal=REACHED, better=("test_a is well",))
BROKEN = replace(CLEAN, broken=("test_b fails",))
DOUBTFUL = replace(CLEAN, doubts=("last is different",))
PARTIAL = ChangeReport(goal=MISSED, better=("test_a is well",))
IN_VAIN = ChangeReport(goal=MISSED)
UNCHECKED = ChangeReport(goal=OPEN)
LOST = ChangeReport(failed_application="no place")
TABLE = [
    (CLEAN, "keep", "keep"),
    (BROKEN, "refine", "roll_back"),
    (replace(IN_VAIN, broken=("test_b fails",)), "different", "roll_back"),
    (DOUBTFUL, "refine", "roll_back"),
    (PARTIAL, "keep_partial", "keep_partial"),
    (IN_VAIN, "refine", "roll_back"),
    (UNCHECKED, "keep", "keep"),
    (LOST, "refine", "stop"),
]


@pytest.mark.parametrize(("report", "with_another", "at_the_end"), TABLE)
def test_the_table_makes_a_legal_move(report: ChangeReport, with_another: str, at_the_end: str) -> None:
    for goes_on, expected in ((True, with_another), (False, at_the_end)):
        now = Situation(report, goes_on)
        move, why = preferred(now)
        assert move == expected and move in legal_moves(now) and why


def test_after_two_changes_in_vain_another_approach_is_tried() -> None:
    assert preferred(Situation(IN_VAIN, True, in_vain=1))[0] == "refine"
    assert preferred(Situation(IN_VAIN, True, in_vain=2))[0] == "different"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("keep", ("keep", None)),
        ("`Refine`.", ("refine", None)),
        ("keep_partial", ("keep_partial", None)),
        ("Keep as partial progress", ("keep_partial", None)),
        ("different approach", ("different", None)),
        ("roll back", ("roll_back", None)),
        ("Rollback to step 2", ("roll_back", 2)),
        ("roll_back: 0", ("roll_back", 0)),
        ("roll back to the state after step 1.", ("roll_back", 1)),
        ("keep rolling", ("", None)),
        ("", ("", None)),
        ("delete everything", ("", None)),
    ],
)
def test_a_models_words_name_a_move_or_none(words: str, expected: tuple[str, int | None]) -> None:
    assert chosen_move(words, tuple(MOVES)) == expected
