"""Post-processors over the real wire: a scripted model server, real runs, a real solver, real kills.

The numbers M10 and M11 are the faults of ProofOfThought 1 that these tests are about.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kept_languages import Ask, KeptLogic
from model_server import EMPTY, Answer, Server

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.postprocessors import Decomposed, LeastToMost, SelfConsistency, SelfRefine
from goedels_poetry.reasoning.solving import solve_with
from goedels_poetry.reasoning.steps import PostProcessor
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.store.results import Event

TEXT = "Every cat is a mammal. Every mammal breathes. Tom is a cat. Jerry is a mouse."
ASKED = "Is Tom a mammal?"

HEAD = """(declare-sort Animal 0)
(declare-fun cat (Animal) Bool)
(declare-fun mouse (Animal) Bool)
(declare-fun mammal (Animal) Bool)
(declare-fun breathes (Animal) Bool)
(declare-const tom Animal)
(declare-const jerry Animal)
"""
P1 = "(assert (! (forall ((x Animal)) (=> (cat x) (mammal x))) :named p1 :sentence 1))\n"
P2 = "(assert (! (forall ((x Animal)) (=> (mammal x) (breathes x))) :named p2 :sentence 2))\n"
P3 = "(assert (! (cat tom) :named p3 :sentence 3))\n"
P4 = "(assert (! (mouse jerry) :named p4 :sentence 4))\n"
NOT_P3 = "(assert (! (not (cat tom)) :named p5 :sentence 3))\n"
GOAL = "(define-fun goal () Bool (mammal tom))\n"
PROVES = HEAD + P1 + P3 + GOAL
PROVES_WITH_MORE = HEAD + P1 + P2 + P3 + P4 + GOAL
REFUTES = HEAD + P1 + P3 + "(define-fun goal () Bool (not (mammal tom)))\n"
LEAVES_OPEN = HEAD + P1 + P4 + GOAL
CONTRADICTS_ITSELF = HEAD + P1 + P3 + NOT_P3 + GOAL
INVALID = HEAD + "(assert (dog tom))\n" + GOAL

FAULT = {"where": "(define-fun goal () Bool (mammal tom))", "fault": "the goal is not what is asked", "fix": "another"}
VAGUE = {"where": "the whole program", "fault": "I doubt that this is right", "fix": "think again"}

KINDS = {
    "critique": "name its faults, if it has any",
    "decompose": "Split the question below",
    "steps": "Lead to the question below",
    "refine": "A reader who compared your program",
}
Replies = Sequence[str | Answer] | Callable[[str], str | Answer]


def program(text: str) -> Answer:
    return Answer(f"Here it is.\n```smt2\n{text}```\n")


def critique(*faults: dict[str, str]) -> str:
    return json.dumps({"comparison": "I compared them.", "faults": list(faults)})


def split(*questions: str) -> str:
    return json.dumps({"reason": "so", "subquestions": list(questions)})


class Model:
    """Replies by what is asked for: of each kind in their order, the last one again and again."""

    def __init__(self, **replies: Replies) -> None:
        self._replies = replies
        self.asked: dict[str, list[str]] = {}

    def __call__(self, request: dict[str, Any]) -> Answer:
        whole = "\n".join(str(message["content"]) for message in request["messages"])
        kind = next((kind for kind, words in KINDS.items() if words in whole), "answer")
        told = self.asked.setdefault(kind, [])
        told.append(whole)
        replies = self._replies.get(kind, [EMPTY])
        reply = replies(whole) if callable(replies) else replies[min(len(told), len(replies)) - 1]
        if isinstance(reply, Answer):
            return reply
        return program(reply) if kind in ("answer", "refine") else Answer(reply)

    def calls(self, kind: str) -> int:
        return len(self.asked.get(kind, ()))


@pytest.fixture
async def ask(language: KeptLogic) -> AsyncIterator[Ask]:
    """``await ask(server, processor, ..., budgets={...}, **question)``: one question, of a framework of its own."""

    async def one(server: Server, *processors: PostProcessor, **told: Any) -> QueryResult:
        default = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0}
        budgets, on_event = {"wall_seconds": 60, **told.pop("budgets", {})}, told.pop("on_event", None)
        out = told.pop("out", None)
        settings = Settings(models={"default": default, "cache": False}, budgets=budgets)
        question = Question(**{"text": ASKED, "context": TEXT, "max_attempts": 1, "judged": False, **told})
        async with GoedelsPoetryFramework(settings, language=language) as framework:
            heard = partial(on_event, framework) if on_event is not None else None
            return await solve_with(framework, question, processors, out=out, on_event=heard)

    yield one


def outcomes(result: QueryResult) -> list[str]:
    return [step["outcome"] for step in result.steps]


# -- self-refine -----------------------------------------------------------------------------------------------


async def test_m10_a_vague_critique_overturns_no_proved_answer(ask: Ask) -> None:
    model = Model(answer=[PROVES], critique=[critique(VAGUE)], refine=[REFUTES])
    with Server(model) as server:
        result = await ask(server, SelfRefine(2))
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert outcomes(result) == ["vague critique", "vague critique"]
    assert model.calls("refine") == 0


async def test_m10_the_critique_sees_question_text_program_verdict_and_core(ask: Ask) -> None:
    model = Model(answer=[PROVES], critique=[critique()])
    with Server(model) as server:
        result = await ask(server, SelfRefine(2))
    (seen,) = model.asked["critique"]
    for words in (ASKED, "1. Every cat is a mammal.", PROVES.strip(), "verdict: proved", "rests on p1 (sentence 1)"):
        assert words in seen
    assert outcomes(result) == ["no fault found"]
    assert result.costs["calls"] == server.calls


@pytest.mark.parametrize("reply", ["", "It is all fine, I think.", '{"faults": "many"}'])
async def test_a_critique_that_cannot_be_used_costs_one_attempt_and_changes_nothing(ask: Ask, reply: str) -> None:
    model = Model(answer=[PROVES], critique=[reply], refine=[REFUTES])
    with Server(model) as server:
        result = await ask(server, SelfRefine(1))
    assert (result.answer, result.verdict, result.program) == (True, Verdict.PROVED, PROVES.strip())
    assert outcomes(result) == ["unusable critique"]
    assert model.calls("refine") == 0


async def test_m10_an_open_answer_is_replaced_by_a_new_proof_and_no_message_on_the_way_is_empty(
    ask: Ask, tmp_path: Path
) -> None:
    model = Model(
        answer=[LEAVES_OPEN], critique=[critique({**FAULT, "where": "sentence 3"}), critique()], refine=[PROVES]
    )
    with Server(model) as server:
        result = await ask(server, SelfRefine(2), out=tmp_path / "here" / "certificate")
        messages = [message for request in server.requests for message in request["messages"]]
        refining = next(r["messages"] for r in server.requests if KINDS["refine"] in r["messages"][-1]["content"])
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert outcomes(result) == ["answered", "no fault found"]
    assert all(message["content"].strip() for message in messages)
    assert refining[-2] == {"role": "assistant", "content": LEAVES_OPEN.strip()}
    assert result.certificate == str(tmp_path / "here" / "certificate")
    assert (tmp_path / "here" / "certificate" / "manifest.json").exists()
    assert result.attempts == 2
    assert [entry["verdict"] for entry in result.history] == ["unknown", "proved"]


async def test_m10_of_two_proofs_that_contradict_each_other_the_one_trusted_less_overturns_nothing(ask: Ask) -> None:
    model = Model(answer=[PROVES], critique=[critique(FAULT)], refine=[REFUTES])
    with Server(model) as server:
        result = await ask(server, SelfRefine(2))
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert outcomes(result) == ["kept: the other program is trusted less"]
    assert any("two programs contradict each other" in warning for warning in result.warnings)
    assert result.steps[0]["after"]["answer"] is False


# -- self-consistency ------------------------------------------------------------------------------------------


async def test_m11_two_against_two_is_no_answer_and_says_so(ask: Ask) -> None:
    model = Model(answer=[PROVES, REFUTES, PROVES_WITH_MORE, REFUTES])
    with Server(model) as server:
        result = await ask(server, SelfConsistency(4))
    assert (result.answer, result.verdict, result.program) == (None, Verdict.UNKNOWN, None)
    assert result.votes == {"true": 2, "false": 2}
    assert result.reason in ("no majority: 2 true, 2 false", "no majority: 2 false, 2 true")


async def test_m11_all_votes_are_reported_those_of_nothing_too_and_undecided_ones_do_not_elect(ask: Ask) -> None:
    model = Model(answer=[LEAVES_OPEN, CONTRADICTS_ITSELF, "", PROVES, INVALID])
    with Server(model) as server:
        result = await ask(server, SelfConsistency(5))
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert sum(result.votes.values()) == 5
    assert result.votes["true"] == 1
    assert result.votes["inconsistent"] == 1
    assert any("only 1 of 5 samples have an answer" in warning for warning in result.warnings)


async def test_what_is_reported_is_of_a_sample_with_the_winning_answer(ask: Ask) -> None:
    model = Model(answer=[REFUTES, PROVES, PROVES])
    with Server(model) as server:
        result = await ask(server, SelfConsistency(3))
    assert result.answer is True
    assert "goal () Bool (mammal tom)" in result.program
    assert result.goal == "(mammal tom)"
    assert result.certificate is not None
    assert result.run_id in result.certificate
    assert result.attempts == 3


async def test_no_sample_is_asked_for_that_cannot_change_the_answer(ask: Ask) -> None:
    with Server(Model(answer=[PROVES])) as server:
        result = await ask(server, SelfConsistency(5))
        assert server.calls == 3
    assert result.votes == {"true": 3}
    assert result.steps[-1]["not_asked"] == 2


# -- decomposed and least to most ------------------------------------------------------------------------------


def about_parts(whole: str) -> str:
    """Programs for the question whether Tom breathes, and for two questions below it."""
    asked = whole.rpartition("# Question")[2].split("# Form")[0]
    if "Is Tom a mammal?" in asked.split("earlier")[0]:
        return PROVES
    if "Does Jerry breathe?" in asked.split("earlier")[0]:
        return HEAD + P2 + P4 + "(define-fun goal () Bool (breathes jerry))\n"
    goal = "(define-fun goal () Bool (breathes tom))\n"
    if "Is Tom a mammal? Yes." in whole:
        derived = '(assert (! (mammal tom) :named d1 :derived "Is Tom a mammal? Yes."))\n'
        return HEAD + P2 + derived + goal
    return HEAD + P2 + goal


BREATHES = "Does Tom breathe?"


async def test_only_what_is_proved_of_the_parts_is_relied_on_and_it_is_listed_apart(ask: Ask) -> None:
    model = Model(decompose=[split("Is Tom a mammal?", "Does Jerry breathe?")], answer=about_parts)
    with Server(model) as server:
        result = await ask(server, Decomposed(3), text=BREATHES)
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert [(part["question"], part["verdict"], bool(part["derived"])) for part in result.subanswers] == [
        ("Is Tom a mammal?", "proved", True),
        ("Does Jerry breathe?", "unknown", False),
    ]
    assert {premise["name"] for premise in result.subanswers[0]["core"]} == {"p1", "p3"}
    assert {premise["name"] for premise in result.core} == {"p2", "d1"}
    final = model.asked["answer"][-1]
    assert "- Does Jerry breathe?\n" in final.partition("still open; assume nothing about them:")[2]
    assert result.costs["calls"] == server.calls == 4


@pytest.mark.parametrize("reply", ["I would rather not.", split(BREATHES)])
async def test_a_plan_that_cannot_be_used_leaves_the_question_whole(ask: Ask, reply: str) -> None:
    model = Model(decompose=[reply], answer=[PROVES])
    with Server(model) as server:
        result = await ask(server, Decomposed(3), text=BREATHES)
    assert result.verdict is Verdict.PROVED
    assert result.subanswers == ()
    assert any(warning.startswith("decomposed: asked as a whole") for warning in result.warnings)


async def test_each_step_is_told_what_is_proved_of_those_before_it_also_in_json(ask: Ask) -> None:
    def told(whole: str) -> Answer:
        base: dict[str, Any] = {
            "sorts": [{"name": "Animal", "type": "DeclareSort"}],
            "functions": [
                {"name": n, "domain": ["Animal"], "range": "BoolSort"} for n in ("cat", "mammal", "breathes")
            ],
            "constants": {"animals": {"sort": "Animal", "members": ["tom"]}},
        }
        x = {"forall": [{"name": "x", "sort": "Animal"}]}
        if "Is Tom a mammal? Yes." in whole:
            rule = {
                **x,
                "implies": {"antecedent": "mammal(x)", "consequent": "breathes(x)"},
                "name": "p2",
                "sentence": 2,
            }
            fact = {"name": "d1", "assertion": "mammal(tom)", "derived": "Is Tom a mammal? Yes."}
            goal = "breathes(tom)"
        else:
            rule = {**x, "implies": {"antecedent": "cat(x)", "consequent": "mammal(x)"}, "name": "p1", "sentence": 1}
            fact = {"name": "p3", "assertion": "cat(tom)", "sentence": 3}
            goal = "mammal(tom)"
        whole_program = {**base, "knowledge_base": [fact], "rules": [rule], "goal": goal}
        return Answer(f"```json\n{json.dumps(whole_program)}\n```")

    model = Model(steps=[split("Is Tom a mammal?")], answer=told, critique=[critique()])
    with Server(model) as server:
        result = await ask(server, LeastToMost(2), SelfRefine(1), text=BREATHES, backend="json")
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert {premise["name"] for premise in result.core} == {"p2", "d1"}
    assert [step["post"] for step in result.steps] == ["least_to_most", "self_refine"]
    assert ["Is Tom a mammal? Yes." in whole for whole in model.asked["answer"]] == [False, True]


# -- budgets, order, resuming ----------------------------------------------------------------------------------


async def test_tokens_are_a_limit_of_the_whole_question(ask: Ask) -> None:
    model = Model(answer=[PROVES], critique=[critique(FAULT)], refine=[PROVES_WITH_MORE])
    with Server(model) as server:
        alone = await ask(server)
        tokens = alone.costs["input_tokens"] + alone.costs["output_tokens"]
        result = await ask(server, SelfRefine(2), budgets={"model_tokens": tokens + 1})
        assert (model.calls("critique"), model.calls("refine")) == (1, 0)
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert outcomes(result) == ["stopped"]
    assert any(warning.startswith("the answer was not refined to the end") for warning in result.warnings)


async def test_what_was_stopped_goes_on_with_a_larger_budget_and_pays_for_nothing_twice(ask: Ask) -> None:
    model = Model(answer=[LEAVES_OPEN], critique=[critique(FAULT)], refine=[PROVES])
    with Server(model) as server:
        first = await ask(server, SelfRefine(1), budgets={"model_calls": 2})
        assert (first.verdict, outcomes(first)) == (Verdict.UNKNOWN, ["stopped"])
        second = await ask(server, SelfRefine(1))
        assert server.calls == 3
    assert (second.verdict, outcomes(second)) == (Verdict.PROVED, ["answered"])
    assert second.costs["calls"] == 3


async def test_an_interrupt_between_two_runs_is_one_of_all_runs_of_a_question(ask: Ask) -> None:
    model = Model(answer=[PROVES], critique=[critique(FAULT)], refine=[PROVES_WITH_MORE])

    def stop(framework: GoedelsPoetryFramework, event: Event) -> None:
        if event.agent == "framework" and event.outcome == "verdict: proved":
            framework.interrupt()

    with Server(model) as server:
        result = await ask(server, SelfRefine(2), on_event=stop)
        assert (model.calls("critique"), model.calls("refine")) == (0, 0)
    assert result.answer is True
    assert outcomes(result) == ["stopped"]
