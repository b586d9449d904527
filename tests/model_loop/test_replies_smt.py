"""Replies about SMT goals: every form that is offered is taken, what is refused says why, and no word is believed."""

import json
import re
from typing import Any

import pytest
import replies_page
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_server import Answer, Server
from named_texts import tables
from scripted_models import WithModel, fenced

from goedels_poetry import Verdict
from goedels_poetry.models.replies import problem_with
from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.jobs import replies
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.smt.notation.reply_forms import (
    EXAMPLES,
    INSTANCES_ALONE,
    PROOF_FORMAT,
    PROOF_SCHEMA,
    THEORY,
    Example,
)

TABLES = tables(__file__)

REV = EXAMPLES[0].goal
PROBLEM = THEORY + "(prove true)"
NIL = "(forall ((x List)) (= (append x nil) x))"
TURN = "(forall ((x List) (y List)) (= (rev (append x y)) (append (rev y) (rev x))))"


def read(reply: Any, goal: str = REV, theorem: str = PROBLEM) -> dict[str, Any]:
    """What the reader's process says, in this one."""
    return replies.read_candidate({"theorem": theorem, "statement": goal, "scope": [], "reply": reply})


def fingerprint(reply: Any, goal: str = REV) -> str:
    found = read(reply, goal)
    assert found["ok"], found["reason"]
    return str(found["value"]["sketch"]["fingerprint"])


# --------------------------------------------------------------------------------------------------- what is offered


@pytest.mark.parametrize("example", [*EXAMPLES, INSTANCES_ALONE], ids=lambda example: example.construct)
def test_every_example_of_prompts_and_documentation_is_read(example: Example) -> None:
    assert problem_with(example.reply, PROOF_SCHEMA) == ""
    found = read(example.text, example.goal)
    assert found["ok"], found["reason"]
    wanted = "refutation" if example.construct == "refuted" else "candidate" if example is INSTANCES_ALONE else "sketch"
    assert wanted in found["value"]
    assert example.text in PROOF_FORMAT


def test_the_page_about_replies_is_what_the_program_has() -> None:
    """``python tests/support/replies_page.py`` writes it."""
    text = replies_page.PAGE.read_text("utf-8")
    assert text == replies_page.page()
    shown = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    assert shown == [example.reply for example in (*EXAMPLES, INSTANCES_ALONE)]


# ------------------------------------------------------------------------------------------------ several spellings


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"cases": ["(>= (size xs) 1)"]}, {"cases": "(>= (size xs) 1)"}),
        ({"cases": ["xs"]}, {"cases": "|xs|"}),
        ({"induction": "xs"}, {"induction": {"on": "xs"}}),
        ({"induction": ["xs"]}, {"induction": {"on": ["|xs|"], "depth": "1"}}),
        ({"induction": {"on": ["xs"], "depth": 2}}, {"induction": {"on": "xs", "depth": "2"}}),
        ({"lemmas": [NIL]}, {"lemmas": [{"statement": NIL, "name": "L"}], "induction": None, "cases": []}),
        ({"lemmas": [NIL, {"statement": TURN, "uses": [0]}]}, {"lemmas": [{"statement": TURN, "uses": ["n"]},
                                                                         {"name": "n", "statement": NIL}]}),
        ({"lemmas": [NIL, {"statement": TURN, "uses": ["0"]}]}, {"lemmas": [NIL, {"statement": TURN, "uses": "L1"}]}),
        (
            {"induction": "xs", "instances": [{"of": "lemma", "name": 0, "at": ["xs"]}], "lemmas": [NIL]},
            {"induction": "xs", "instances": [{"of": "lemma", "name": "n", "at": {"x": "xs"}}],
             "lemmas": [{"name": "n", "statement": NIL}]},
        ),
    ],
)  # fmt: skip
def test_both_natural_spellings_are_taken(one: Any, other: Any) -> None:
    assert problem_with(other, PROOF_SCHEMA) == ""
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("reply", "words"),
    TABLES["test_what_is_refused_names_the_place_and_the_right_form"]
)  # fmt: skip
def test_what_is_refused_names_the_place_and_the_right_form(reply: Any, words: str) -> None:
    found = read(reply)
    assert not found["ok"]
    assert words in found["reason"]


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.text(max_size=12)
    | st.sampled_from(["xs", NIL, "(tail xs)", "|xs|", "rev", "(lambda ((x Int)) 0)", "H1", "F1", "hypothesis"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["statement", "uses", "on", "at", "of", "name", "value", "measure", "along", "depth", "xs"]),
        inner, max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from([*PROOF_SCHEMA["properties"]]), _ANY, max_size=5))
def test_whatever_is_written_is_read_or_answered_with_one_reason(reply: Any) -> None:
    for function in (replies.read_candidate, replies.read_sketch):
        found = function({"theorem": PROBLEM, "statement": REV, "scope": [], "reply": reply})
        assert found["ok"] != bool(found["reason"])
        json.dumps(found["value"])


@pytest.mark.parametrize(
    "reply",
    [
        {"refuted": json.loads("[" * 500 + "]" * 500)},
        {"refuted": {"at": {"xs": "(cons 1 " * 900 + "nil" + ")" * 900}}},
        {"refuted": {"at": {"xs": "(cons 1" + "0" * 15_000 + " nil)"}}},
        {"lemmas": [{"statement": "(and " + "true " * 3_000 + ")"}]},
        {"induction": {"measure": "(+ " + "1 " * 5_000 + ")"}},
        {"instances": [{"of": "hypothesis", "at": {"xs": "xs"}}] * 41, "induction": "xs"},
    ],
)
def test_what_is_huge_or_deep_is_refused(reply: Any) -> None:
    found = read(reply)
    assert not found["ok"]
    assert len(found["reason"]) < 2_000


# ------------------------------------------------------------------------------------------------------- refutations


async def confirmed(smt: SmtLanguage, theorem: str, refuted: Any, statement: str = "") -> Outcome:
    goal = Goal(theorem, {}, "0", statement)
    found = await smt.read_sketch(goal, {"refuted": refuted})
    assert found.ok, found.reason
    return await smt.confirm_refutation(goal, found.value["refutation"])


SUM = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (not (= (sum n) 41616)))))
"""


@pytest.mark.parametrize("at", [{"n": "288"}, {"n": 288}, ["288"], "288", {"|n|": "(* 2 144)"}])
async def test_values_that_make_the_goal_false_refute_it_however_they_are_written(smt: SmtLanguage, at: Any) -> None:
    done = await confirmed(smt, SUM, {"at": at})
    assert done.value["refuted"]["values"] == {"n": "288"}
    assert done.value["detail"]["refuted_by"] == "counterexample"


async def test_a_run_ends_refuted_by_what_the_model_said_and_the_certificate_is_checked(with_model: WithModel) -> None:
    with Server(lambda asked: fenced({"refuted": {"at": {"n": "288"}, "because": "the 288th"}})) as server:
        result = await with_model(server, model_first=True).arun(SUM, name="sum.smt2")
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.certificate is not None and result.trust_level in ("L2", "L3")
    assert result.metrics["models"]["calls"] == 1


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"n": "3"}, "at n = 3 the goal holds"),
        ({"n": "-288"}, "at n = (- 288) H1 does not hold: (>= n 0)"),
        ({"n": "(sum 100000)"}, "the value of n cannot be computed"),
        ({"n": "(div 1 0)"}, "at n = 0 the goal holds"),
        ({"n": "100000"}, "it is undecided whether the conclusion holds"),
    ],
)
async def test_values_that_refute_nothing_are_answered_with_the_reason(smt: SmtLanguage, at: Any, words: str) -> None:
    done = await confirmed(smt, SUM, {"at": at})
    assert not done.ok
    assert words in done.reason
    assert not {"refuted", "open"} & done.value.keys()


OPEN_THINGS = """
(declare-sort G 0)
(declare-fun op (G G) G)
(declare-fun p (Int) Bool)
(declare-const c Int)
(assert (forall ((x G) (y G) (z G)) (= (op (op x y) z) (op x (op y z)))))
(assert (and (p 0) (> c 7)))
(prove (forall ((a G) (b G)) (=> (p c) (= (op a b) (op b a)))))
"""
LEFT = "(lambda ((x G) (y G)) x)"


async def test_declared_functions_constants_and_sorts_get_the_meaning_that_the_model_gives(smt: SmtLanguage) -> None:
    at = {"a": "g0", "b": "g1", "op": LEFT, "p": "(define-fun p ((x Int)) Bool (>= x 0))", "c": "8"}
    done = await confirmed(smt, OPEN_THINGS, {"at": at})
    assert done.ok, done.reason
    assert done.value["refuted"]["values"]["op"] == LEFT


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"c": "7"}, "the premise premise-2 does not hold"),
        ({"b": "g0"}, "the goal holds"),
        ({"op": "(lambda ((x G) (y G)) (op y x))"}, "not one term without op"),
        ({"p": "(lambda ((x Int)) (< x 5))"}, "H1 does not hold"),
    ],
)
async def test_a_countermodel_that_breaks_a_premise_is_none(smt: SmtLanguage, changed: Any, words: str) -> None:
    at = {"a": "g0", "b": "g1", "op": LEFT, "p": "(lambda ((x Int)) (>= x 0))", "c": "8"} | changed
    done = await confirmed(smt, OPEN_THINGS, {"at": at})
    assert not done.ok
    assert words in done.reason


# ----------------------------------------------------------------------------------- sketches that say where, reports


async def judged(smt: SmtLanguage, statement: str, **proposal: Any) -> Outcome:
    goal = Goal(PROBLEM, {}, "0.0", statement)
    found = await smt.read_sketch(goal, proposal)
    assert found.ok, found.reason
    return await smt.verify_sketch(goal, found.value["sketch"])


async def test_an_instance_of_the_hypothesis_and_of_a_lemma_is_used_in_the_cases(smt: SmtLanguage) -> None:
    example = next(example for example in EXAMPLES if example.construct == "instances")
    done = await judged(smt, example.goal, **example.reply)
    assert done.ok, done.reason
    step = done.value["sketch"]["children"][-1]
    kinds = {i["of"] for child in step["sketch"]["children"] for i in child["candidate"]["query"]["instances"]}
    assert {"hyp", "step"} <= kinds


async def test_conjunctions_are_proved_together_and_a_lemma_by_its_own_induction(smt: SmtLanguage) -> None:
    for construct in ("together", "lemma.induction"):
        example = next(example for example in EXAMPLES if example.construct == construct)
        done = await judged(smt, example.goal, **example.reply)
        assert done.ok, done.reason
        assert "sketch" in done.value["sketch"]["children"][0], "proved at once"


# -------------------------------------------------------------------------------------------------------- description


async def test_a_false_claim_of_falsehood_costs_a_call_and_no_proof(with_model: WithModel) -> None:
    """The model says so whenever it is asked; what the symbolic agents prove is proved all the same."""
    theorem = "(define-fun-rec d ((n Int)) Int (ite (<= n 0) 0 (+ 2 (d (- n 1)))))"
    theorem += "(prove (forall ((n Int)) (=> (>= n 0) (= (d n) (* 2 n)))))"
    with Server(lambda asked: Answer('{"refuted": {"at": {"n": "1"}, "because": "trust me"}}')) as server:
        result = await with_model(server, model_first=True).arun(theorem, name="d.smt2")
    assert result.verdict is Verdict.PROVED, result.reason
