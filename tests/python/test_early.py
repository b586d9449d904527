"""What is found of a theorem while its function is still being tested: used where it fits, and only there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from goedels_poetry.python.early import EarlyAnswers, open_goals
from goedels_poetry.smt.jobs import symbolic

LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
"""
TRUE = f"{LISTS}(prove (forall ((x L)) (= (join x none) x)))"
FALSE = f"{LISTS}(prove (forall ((x L)) (= (join x x) x)))"
FACT = ["fact", "(sequent ((x L)) () (= (join none x) x))"]


def question(theorem: str, **more: Any) -> dict[str, Any]:
    return {"theorem": theorem, "statement": "", "scope": [], "attempt": 0, "seed": 0, "without": [], **more}


def asked(theorem: str, seconds: int = 60) -> tuple[EarlyAnswers, bool]:
    jobs = {"prove": symbolic.prove, "sketch": symbolic.sketch}

    async def ask(name: str, payload: dict[str, Any]) -> dict[str, Any]:
        return jobs[name]({**payload, "seconds": seconds})

    early = EarlyAnswers()
    return early, asyncio.run(early.search(ask, question(theorem), 1))


def test_a_whole_proof_serves_whoever_asks_first_whatever_is_known_by_then() -> None:
    early, whole = asked(TRUE)
    assert whole
    assert early.take("prove", question(TRUE, log="somewhere")) is not None
    answer = early.take("sketch", question(TRUE, scope=[FACT], banned=[]))
    assert answer is not None and answer["ok"]
    assert open_goals(answer["value"]["sketch"]) == []
    assert early.take("sketch", question(TRUE, banned=[])) is None, "it is given once"


@pytest.mark.parametrize("other", [{"banned": ["that one"]}, {"banned": [], "attempt": 1}, {"banned": [], "seed": 7}])
def test_another_question_is_asked_anew(other: dict[str, Any]) -> None:
    early, _ = asked(TRUE)
    assert early.take("sketch", question(TRUE, **other)) is None


def test_what_leaves_something_open_serves_the_same_question_alone() -> None:
    early, whole = asked(FALSE, seconds=1)
    assert not whole
    assert early.take("sketch", question(FALSE, scope=[FACT], banned=[])) is None
    direct = early.take("prove", question(FALSE))
    assert direct is not None and not direct["ok"]
