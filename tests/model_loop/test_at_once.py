"""Many goals that need a model each: they ask at the same time, and the tree does not depend on who answers first."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import WithModel, prompt_of

from goedels_poetry import Verdict

GOALS = 12
CASES = " ".join(f"(c{n})" for n in range(GOALS))
THEOREM = f"""
(declare-datatypes ((D 0)) (({CASES})))
(declare-fun P (Int D) Bool)
(declare-fun Q (D) Bool)
(assert (! (forall ((x Int) (y Int) (d D)) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) d) (Q d))) :named rule))
(assert (! (forall ((d D)) (P 1017 d)) :named fact))
(prove (forall ((d D)) (Q d)))
"""


def answer(asked: dict[str, Any], slow_first: bool) -> Answer:
    """Splits the theorem, and names the instance that closes each case."""
    case = re.search(r"show: \(Q c(\d+)\)", prompt_of(asked))
    if case is None:
        return Answer(json.dumps({"lemmas": [], "cases": "d", "leave_open": True}))
    number = int(case[1])
    delay = 1 + 0.05 * (GOALS - number if slow_first else number)
    at = ["10", "1", f"c{number}"]
    return Answer(json.dumps({"instances": [{"of": "premise", "name": "rule", "at": at}]}), delay=delay)


async def test_every_goal_asks_at_once_and_the_tree_is_the_same_whoever_answers_first(with_model: WithModel) -> None:
    digests = set()
    for slow_first in (True, False):
        with Server(lambda asked, slow=slow_first: answer(asked, slow)) as server:
            framework = with_model(server, cache=False, model_first=True, max_concurrency=GOALS, use_memory=False)
            result = await framework.arun(THEOREM, name="cases.smt2", fresh=True)
            assert (result.verdict, server.most_at_once) == (Verdict.PROVED, GOALS)
            with framework.open_store(result.run_id) as store:
                digests.add(store.digest())
    assert len(digests) == 1


PARTS = """
(declare-datatypes ((D 0)) (((c0) (c1))))
(declare-fun P (Int D) Bool)
(declare-fun Q (D) Bool)
(assert (! (forall ((x Int) (y Int) (d D)) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) d) (Q d))) :named rule))
(assert (! (forall ((d D)) (P 1017 d)) :named fact))
(prove (and {parts}))
"""


@pytest.mark.parametrize(("parts", "shown"), [("(Q c0) (Q c1)", "(and (Q c0) (Q c1))"), ("(= c0 c0) (Q c1)", "(Q c1)")])
async def test_a_conjunction_is_one_question(with_model: WithModel, parts: str, shown: str) -> None:
    """About the whole, where several of its parts want an idea; else about the one that does."""

    def names_the_instances(asked: dict[str, Any]) -> Answer:
        at = [{"of": "premise", "name": "rule", "at": ["10", "1", f"c{number}"]} for number in range(2)]
        return Answer(json.dumps({"instances": at}))

    with Server(names_the_instances) as server:
        result = await with_model(server, use_memory=False).arun(PARTS.format(parts=parts), name="parts.smt2")
        assert result.verdict is Verdict.PROVED
        assert [f"show: {shown}" in prompt_of(asked) for asked in server.requests] == [True]
