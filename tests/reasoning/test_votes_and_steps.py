"""Several rounds of one question: votes, steps, second rounds."""

import importlib.util
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept_languages import Ask, KeptLogic
from model_server import Answer, Server
from named_texts import tables

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.errors import BudgetExceeded, InvalidInput
from goedels_poetry.models.accounting import Ledger
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.postprocessors import (
    Decomposed,
    LeastToMost,
    SelfConsistency,
    SelfRefine,
    SubAnswer,
    parse_option,
    post_processors,
)
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.reasoning.steps import Advice, PostProcessor, Tally, Task, chain
from goedels_poetry.search.questions.decider import faults_in, subquestions_in
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Budgets

TABLES = tables(__file__)

TRUE = QueryResult("?", True, Verdict.PROVED)
FALSE = QueryResult("?", False, Verdict.REFUTED)
UNKNOWN = QueryResult("?", None, Verdict.UNKNOWN)
INCONSISTENT = QueryResult("?", None, Verdict.INCONSISTENT)


def test_only_decided_samples_elect_but_all_are_counted() -> None:
    tally = Tally.of([UNKNOWN, TRUE, INCONSISTENT, UNKNOWN, TRUE], 5)
    assert tally.leaders == ("true",)
    assert tally.counts == {"unknown": 2, "true": 2, "inconsistent": 1}


def test_two_against_two_has_two_leaders_whoever_came_first() -> None:
    for order in itertools.permutations([TRUE, TRUE, FALSE, FALSE]):
        assert set(Tally.of(order, 4).leaders) == {"true", "false"}


@pytest.mark.parametrize("samples", range(1, 8))
def test_settled_means_that_no_further_votes_can_change_the_winner(samples: int) -> None:
    for asked in range(samples + 1):
        for votes in itertools.product([TRUE, FALSE, UNKNOWN], repeat=asked):
            ends = {
                Tally.of([*votes, *rest], samples).leaders
                if len(set(Tally.of([*votes, *rest], samples).leaders)) < 2
                else "tie"
                for rest in itertools.product([TRUE, FALSE, UNKNOWN], repeat=samples - asked)
            }
            assert Tally.of(votes, samples).settled == (len(ends) == 1), votes


def test_names_and_configurations_as_people_write_them() -> None:
    made = post_processors(["self-refine", "self_consistency"], {"self_refine": {"num_iterations": 3}})
    assert made == (SelfRefine(3), SelfConsistency(5))
    assert parse_option("self-consistency=7") == ("self_consistency", {"samples": 7})
    assert parse_option("decomposed") == ("decomposed", {})
    assert post_processors([Decomposed(2)]) == (Decomposed(2),)


@pytest.mark.parametrize(
    ("wanted", "configs", "words"),
    [
        (["self_doubt"], {}, "there is no post-processor 'self_doubt'; there are self_refine"),
        (["decomposed", "decomposed"], {}, "named twice"),
        (["self_refine"], {"self_refine": {"rounds": 2}}, "has no option 'rounds'; it has iterations"),
        (["self_refine"], {"self_refine": {"iterations": 0}}, "iterations must be from 1 to 10, not 0"),
        (["self_refine"], {"self_refine": {"iterations": "2"}}, "iterations must be a number"),
        (["self_refine"], {"decomposed": {}}, "a configuration for decomposed"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_word_about_it(
    wanted: list[str], configs: dict[str, dict[str, int]], words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        post_processors(wanted, configs)


def test_a_word_of_the_command_line_that_is_no_post_processor_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no number"):
        parse_option("self-refine=many")


# -- steps -----------------------------------------------------------------------------------------------------


class Told:
    """A machine whose runs all say the same and take one second each; what it is asked is kept."""

    def __init__(self, *results: QueryResult, said: dict[str, Any] | None = None) -> None:
        self._results = list(results)
        self._said = said
        self.tasks: list[Task] = []

    async def answer(self, task: Task) -> QueryResult:
        self.tasks.append(task)
        result = self._results.pop(0) if len(self._results) > 1 else self._results[0]
        return replace(result, costs={"wall_seconds": 1.0, "solver_seconds": 0.5, "calls": 1})

    async def advise(self, task: Task) -> Advice:
        self.tasks.append(task)
        return Advice(self._said, "", {"wall_seconds": 1.0, "solver_seconds": 0.0, "calls": 1})


FAULTS = {"faults": [{"where": "p1", "fault": "it says more", "fix": "say less"}], "vague": 0, "message": "mend it"}
PARTS = {"subquestions": ["Is A so?", "Is B so?"]}


def trusted(result: QueryResult, score: float, program: str) -> QueryResult:
    return replace(result, program=program, confidence={"score": score})


@pytest.mark.parametrize(
    ("old", "new", "stands"),
    [
        (UNKNOWN, TRUE, True),
        (INCONSISTENT, FALSE, False),
        (TRUE, UNKNOWN, True),
        (TRUE, INCONSISTENT, True),
        (FALSE, UNKNOWN, False),
        (TRUE, trusted(FALSE, 0.5, "new"), None),
        (TRUE, trusted(FALSE, 0.55, "new"), None),
        (TRUE, trusted(FALSE, 0.7, "new"), False),
        (TRUE, trusted(FALSE, 0.3, "new"), True),
        (FALSE, trusted(TRUE, 0.7, "new"), True),
    ],
)
async def test_only_a_proof_of_a_program_that_is_trusted_more_overturns_a_proof(
    old: QueryResult, new: QueryResult, stands: bool | None
) -> None:
    machine = Told(trusted(old, 0.5, "old"), new if new.program else trusted(new, 0.9, "new"), said=FAULTS)
    result = await chain([SelfRefine(1)], machine)(Task(Question("?")))
    assert result.answer is stands
    assert result.costs["calls"] == 3
    assert {result.steps[0][which]["answer"] for which in ("before", "after")} == {old.answer, new.answer}


@pytest.mark.parametrize(
    ("processor", "said", "used"),
    [
        (SelfRefine(1), FAULTS, [0, 1, 2]),
        (SelfConsistency(3), None, [0, 0]),
        (Decomposed(2), PARTS, [0, 1, 1, 2]),
        (LeastToMost(2), PARTS, [0, 1, 2, 3]),
    ],
)
async def test_time_that_is_used_is_counted_along_steps_and_once_for_what_runs_at_once(
    processor: PostProcessor, said: dict[str, Any] | None, used: list[float]
) -> None:
    machine = Told(trusted(TRUE, 0.5, "a program"), said=said)
    result = await chain([processor], machine)(Task(Question("?")))
    assert [task.used_wall_seconds for task in machine.tasks] == used
    assert result.costs["wall_seconds"] == used[-1] + 1


def test_a_shared_ledger_stops_every_run_and_counts_none_twice() -> None:
    shared = Ledger(Budgets(model_calls=3))
    first = Ledger.of_run(shared.budgets, {"model_calls": 1.0}, shared)
    shared.join("first", first.spent)
    shared.join("first", first.spent)
    second = Ledger.of_run(shared.budgets, {}, shared)
    second.charge({"model_calls": 2.0}, {})
    assert (shared.spent["model_calls"], first.spent["model_calls"]) == (3, 1)
    with pytest.raises(BudgetExceeded):
        first.may_call()


@pytest.mark.parametrize(
    ("question", "result", "sentence"),
    [
        ("Is A so?", TRUE, "Is A so? Yes."),
        ("Is A so?", FALSE, "Is A so? No."),
        ("A is so.", TRUE, "A is so."),
        ("A is so.", FALSE, "It is false that: A is so."),
        ('Is "A" so?', TRUE, "Is 'A' so? Yes."),
        ("Which is so?", QueryResult("?", "B", Verdict.PROVED), "Which is so? Answer: B"),
        ("Is A so?", UNKNOWN, ""),
        ("Is A so?", INCONSISTENT, ""),
        ("Is A so?", replace(TRUE, confidence={"level": "low", "score": 0.2}), ""),
    ],
)
def test_what_may_be_relied_on_of_a_part(question: str, result: QueryResult, sentence: str) -> None:
    assert SubAnswer(1, question, result).sentence == sentence


async def test_what_a_part_assumes_its_whole_assumes_too() -> None:
    part = replace(TRUE, assumptions=("Whales are mammals.",), program="p")
    core = ({"name": "d1", "origin": "derived", "words": "Is A so? Yes.", "formula": "a"},)
    whole = replace(TRUE, core=core, assumptions=("derived: Is A so? Yes.",), program="q")
    result = await chain([Decomposed(1)], Told(part, whole, said=PARTS))(Task(Question("?")))
    assert result.assumptions == ("derived: Is A so? Yes.", "Whales are mammals.")


async def test_what_mends_a_program_may_rely_on_the_parts_that_it_was_written_for() -> None:
    machine = Told(
        trusted(TRUE, 0.5, "part"), trusted(UNKNOWN, 0.5, "old"), trusted(TRUE, 0.5, "new"), said=PARTS | FAULTS
    )
    result = await chain([Decomposed(1), SelfRefine(1)], machine)(Task(Question("?")))
    *_, critique, refinement = (task.question for task in machine.tasks)
    assert critique.known == refinement.known == ("Is A so? Yes.",)
    assert (result.answer, [part["derived"] for part in result.subanswers]) == (True, ["Is A so? Yes."])


async def test_the_post_processor_of_the_documentation_asks_again(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()
    example = next(block for block in page.split("```python\n") if "class AskAgain" in block).partition("```")[0]
    module = tmp_path / "asking_again.py"
    module.write_text(example.partition('ProofOfThought("gpt-5"')[0])
    spec = importlib.util.spec_from_file_location("asking_again", module)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    machine = Told(UNKNOWN, TRUE)
    result = await chain(post_processors([loaded.AskAgain()]), machine)(Task(Question("?")))
    assert (result.answer, result.costs["calls"]) == (True, 2)
    assert [(task.question.sample, task.used_wall_seconds) for task in machine.tasks] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(("where", "concrete"), TABLES["test_a_fault_counts_when_it_names_a_place_that_there_is"])
def test_a_fault_counts_when_it_names_a_place_that_there_is(where: str, concrete: bool) -> None:
    program = "(declare-const a Bool)(assert (! (cat tom) :named p2 :sentence 2))(define-fun goal () Bool a)"
    question = Question("Is it so?", "One. Two.", conversation=(("assistant", program), ("user", "proved")))
    said = {"faults": [{"where": where, "fault": "it says more", "fix": "say less"}]}
    found = faults_in(said, question)
    assert (len(found["faults"]), found["vague"]) == ((1, 0) if concrete else (0, 1))


def test_subquestions_are_asked_once_and_never_the_question_itself() -> None:
    question = Question("Sam is ill. Is Sam at home?", "One.", most=2)
    said = ["Is  Sam at home?", "Is Sam ill?", "is sam ILL?", "", "x" * 2_000, "Does Sam own a home?", "Is Sam old?"]
    assert subquestions_in({"subquestions": said}, question) == ["Is Sam ill?", "Does Sam own a home?"]


TEXT = "Kind people are often nice. Anne is kind. Red people are white. Bob is not nice."
HEAD = """(declare-sort T 0) (declare-const anne T) (declare-const bob T) (declare-fun kind (T) Bool)
(declare-fun nice (T) Bool) (declare-fun red (T) Bool) (declare-fun white (T) Bool)
"""
RULE = "(assert (! (forall ((x T)) (=> (kind x) (nice x))) :named p1 :sentence 1))\n"
ANNE = "(assert (! (kind anne) :named p2 :sentence 2))\n"
RED = "(assert (! (forall ((x T)) (=> (red x) (white x))) :named p3 :sentence 3))\n"
BOB = "(assert (! (not (nice bob)) :named p4 :sentence 4))\n"


def unguarded(rule: str) -> str:
    return rule.replace("forall", "exists")


def goal(formula: str) -> str:
    return f"(define-fun goal () Bool {formula})\n"


def fenced(*parts: str) -> Answer:
    return Answer(f"```smt2\n{''.join((HEAD, *parts))}```")


@pytest.fixture
async def ask(language: KeptLogic) -> AsyncIterator[Ask]:
    async def one(server: Server, text: str, **told: Any) -> QueryResult:
        models = {"default": {"model": "scripted", "base_url": server.url, "retries": 0}, "cache": False}
        question = Question(text, **{"context": TEXT, "judged": False, **told})
        async with GoedelsPoetryFramework(Settings(models=models), language=language) as framework:
            return await solve(framework, question)

    yield one


def said(server: Server, request: int = -1) -> str:
    return str(server.requests[request]["messages"][-1]["content"])


async def test_a_fault_of_a_premise_outside_of_the_proof_costs_no_reply_and_stands_in_the_result(ask: Ask) -> None:
    with Server([fenced(RULE, ANNE, unguarded(RED), goal("(nice anne)"))]) as server:
        result = await ask(server, "Anne is nice.")
        assert server.calls == 1
    assert result.answer is True
    assert any("p3" in warning for warning in result.warnings)


async def test_a_fault_of_a_premise_of_the_proof_is_told_with_its_words(ask: Ask) -> None:
    flipped = BOB.replace("(not (nice bob))", "(nice bob)")
    with Server([fenced(flipped, unguarded(RED), goal("(nice bob)")), Answer("UNCHANGED")]) as server:
        result = await ask(server, "Bob is nice.")
        assert server.calls == 2
        told = said(server)
    assert '- premise p4 (sentence 4: "Bob is not nice."): it negates something where its words do not' in told
    assert "p3" not in told
    assert result.answer is True


async def test_an_open_question_gets_one_message_with_all_that_was_found_and_is_not_asked_again(ask: Ask) -> None:
    program = fenced(unguarded(RULE), ANNE, goal("(nice anne)"))
    with Server([program, Answer("UNCHANGED")]) as server:
        result = await ask(server, "Anne is nice.", max_attempts=5)
        assert server.calls == 2
        told = said(server)
    assert "- nice holds of" in told
    assert 'premise p1 (sentence 1: "Kind people are often nice."): it has an implication under `exists`' in told
    assert result.answer is None
