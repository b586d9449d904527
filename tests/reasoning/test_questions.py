"""Questions in words: answers, prompts and the sentences that say them."""

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from kept_languages import Ask, KeptLogic
from model_server import EMPTY, Answer, Server, server_error

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.checker import check_any
from goedels_poetry.models.prompts import Prompts
from goedels_poetry.models.replies import blocks
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.backends import BACKENDS
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.search.tasks.question import MAX_QUESTION, MAX_SENTENCES, Question, numbered, split

TEXT = "Every cat is soft. Sam is a cat. Tom is a dog."
HEAD = """(declare-sort T 0)
(declare-const sam T)
(declare-const tom T)
(declare-fun cat (T) Bool)
(declare-fun dog (T) Bool)
(declare-fun soft (T) Bool)
"""
P1 = "(assert (! (forall ((x T)) (=> (cat x) (soft x))) :named p1 :sentence 1))\n"
P2 = "(assert (! (cat sam) :named p2 :sentence 2))\n"
P3 = "(assert (! (dog tom) :named p3 :sentence 3))\n"


def goal(formula: str) -> str:
    return f"(define-fun goal () Bool {formula})\n"


RIGHT = HEAD + P1 + P2 + P3 + goal("(soft sam)")
OPEN = HEAD + P1 + P2 + P3 + goal("(soft tom)")


def fenced(program: str) -> Answer:
    return Answer(f"Here it is.\n\n```smt2\n{program}```")


@pytest.fixture
async def ask(language: KeptLogic) -> AsyncIterator[Ask]:
    """``await ask(server, text, **question)``: one question, of a framework of its own in one data directory."""

    async def one(server: Server, text: str = "Is Sam soft?", **told: Any) -> QueryResult:
        default = {"model": "scripted", "base_url": server.url, "retries": 0, **told.pop("model", {})}
        budgets = told.pop("budgets", {})
        settings = Settings(models={"default": default, "cache": False}, budgets=budgets)
        question = Question(text, **{"context": TEXT, "judged": False, **told})
        async with GoedelsPoetryFramework(settings, language=language) as framework:
            return await solve(framework, question)

    yield one


def outcomes(result: QueryResult) -> list[str]:
    return [entry["outcome"] for entry in result.history]


def said(server: Server, request: int = -1) -> str:
    """The last message of a request."""
    return str(server.requests[request]["messages"][-1]["content"])


def roles(server: Server, request: int = -1) -> list[str]:
    return [message["role"] for message in server.requests[request]["messages"]]


# -- the result ------------------------------------------------------------------------------------------------


async def test_an_answer_comes_with_all_that_it_rests_on(ask: Ask) -> None:
    world = '(assert (! (not (= sam tom)) :named w1 :world "Sam and Tom are two."))\n'
    asked = goal("(and (soft sam) (not (= sam tom)))")
    program = HEAD + P1 + P2 + P3 + world + asked
    with Server([fenced(program)]) as server:
        result = await ask(server, "Is Sam soft, and not Tom?")
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert result.program is not None and result.program.strip() == program.strip()
    assert [premise["name"] for premise in result.core or ()] == ["p1", "p2", "w1"]
    assert result.core is not None and result.core[1]["text"] == "Sam is a cat."
    assert [s["number"] for s in result.sentences] == [1, 2]
    assert result.assumptions == ("Sam and Tom are two.",)
    assert "soft(sam)" in result.goal_words and "(soft sam)" in result.goal
    assert (result.attempts, result.costs["calls"], outcomes(result)) == (1, 1, ["answer"])
    assert (result.trust_level, result.world, result.semantics) == ("L3", "open", "entailment")
    assert result.certificate is not None
    report = check_any(Path(result.certificate), result.program)
    assert (report.verdict, report.accepted) == (Verdict.PROVED, True)


async def test_a_finished_run_is_not_asked_again(ask: Ask) -> None:
    with Server([fenced(RIGHT)]) as server:
        first, second = await ask(server), await ask(server)
        assert server.calls == 1
    assert (second.answer, second.run_id, second.program) == (first.answer, first.run_id, first.program)


# -- the loop --------------------------------------------------------------------------------------------------


async def test_an_error_goes_back_with_its_line_in_one_conversation(ask: Ask) -> None:
    with Server([fenced(RIGHT.replace("(cat sam)", "(kat sam)")), fenced(RIGHT)]) as server:
        result = await ask(server)
        assert roles(server) == ["system", "user", "assistant", "user"]
        assert "line 8, column 13: unknown symbol `kat`" in said(server)
        assert "(assert (! (kat sam)" in said(server)
        assert "The program cannot be read" in said(server)
    assert (result.answer, outcomes(result)) == (True, ["unreadable", "answer"])


async def test_all_turns_are_kept_in_their_order(ask: Ask) -> None:
    wrong = [RIGHT.replace("(cat sam)", f"(kat{n} sam)") for n in (1, 2)]
    with Server([*map(fenced, wrong), Answer("I give up.")]) as server:
        await ask(server)
        texts = [message["content"] for message in server.requests[-1]["messages"]]
        assert roles(server) == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "kat1" in texts[2] and "`kat1`" in texts[3] and "kat2" in texts[4] and "`kat2`" in texts[5]


async def test_what_does_not_fit_is_left_out_between_the_prompt_and_the_last_program(ask: Ask) -> None:
    padding = "; a long remark\n" * 1_000
    wrong = [padding + RIGHT.replace("(cat sam)", f"(kat{n} sam)") for n in (1, 2)]
    with Server([*map(fenced, wrong), Answer("I give up.")]) as server:
        await ask(server, model={"context": 12_000, "max_tokens": 2_000})
        texts = [message["content"] for message in server.requests[-1]["messages"]]
        assert roles(server) == ["system", "user", "assistant", "user"]
    assert "[1] Every cat is soft." in texts[1] and "kat2" in texts[2] and "`kat2`" in texts[3]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (EMPTY, "the reply is empty"),
        (server_error(), "the server failed"),
        (Answer(body='{"choices": [{"message": {"role": "assistant", "content": null}}]}'), "the reply is empty"),
    ],
)
async def test_a_reply_without_words_costs_one_attempt_and_is_never_retried_as_it_was(
    ask: Ask, reply: Answer, words: str
) -> None:
    with Server([reply, fenced(OPEN)]) as server:
        result = await ask(server, "Is Tom soft?", max_attempts=2)
        first, second = server.requests
    assert (result.verdict, result.attempts, outcomes(result)) == (Verdict.UNKNOWN, 2, ["no reply", "open"])
    assert words in str(second["messages"][-1]["content"])
    assert second["messages"] != first["messages"] and second["temperature"] != first["temperature"]
    assert all(message["content"] for message in second["messages"])


async def test_when_all_attempts_are_bad_there_is_no_answer_and_the_reason_says_why(ask: Ask) -> None:
    with Server([fenced(HEAD + P1 + "(assert (soft\n" + goal("(soft sam)"))]) as server:
        result = await ask(server, max_attempts=2)
        assert server.calls == 2
    assert (result.answer, result.verdict, result.attempts, result.program) == (None, Verdict.UNKNOWN, 2, None)
    assert "all attempts are used up" in result.reason and len(result.history) == 2


async def test_contradictory_premises_go_back_with_their_sentences_and_answer_nothing(ask: Ask) -> None:
    contradiction = "(assert (! (not (soft sam)) :named p4 :sentence 3))\n"
    with Server([fenced(HEAD + P1 + P2 + contradiction + goal("(dog tom)"))]) as server:
        result = await ask(server, "Is Tom a dog?", max_attempts=2)
        assert "The premises contradict each other" in said(server)
        for line in ('- p1 (sentence 1: "Every cat is soft.")', '- p4 (sentence 3: "Tom is a dog.")'):
            assert line in said(server)
    assert (result.answer, result.verdict) == (None, Verdict.INCONSISTENT)
    assert [premise["name"] for premise in result.core or ()] == ["p1", "p2", "p4"]


# -- what stays open -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [fenced(OPEN), Answer("It is really open.\n\n**UNCHANGED**")])
async def test_an_open_question_is_asked_once_more_with_a_countermodel_and_then_stands(
    ask: Ask, second: Answer
) -> None:
    with Server([fenced(OPEN), second]) as server:
        result = await ask(server, "Is Tom soft?", max_attempts=5)
        assert server.calls == 2
        assert "Neither the goal nor its negation follows" in said(server)
        assert "Here is a world in which all premises are true and the goal is false" in said(server)
        assert "answer with the one word UNCHANGED; that is a right answer then" in said(server)
    assert (result.answer, result.verdict, outcomes(result)) == (None, Verdict.UNKNOWN, ["open", "open"])
    assert result.countermodel_words and result.countermodel
    assert result.core is None


async def test_a_question_of_yes_or_no_is_asked_about_again_as_long_as_its_program_changes(ask: Ask) -> None:
    lacking = HEAD + P1 + P3 + goal("(soft sam)")
    with Server([fenced(lacking), fenced(lacking + "; and now?\n"), fenced(RIGHT)]) as server:
        result = await ask(server)
        assert "so suppose first that the text settles it" in said(server, 1)
    assert (result.answer, outcomes(result)) == (True, ["open", "open", "answer"])


async def test_an_unreadable_second_program_does_not_take_the_first_ones_verdict(ask: Ask) -> None:
    with Server([fenced(OPEN), fenced("(assert (soft tom\n")]) as server:
        result = await ask(server, "Is Tom soft?", max_attempts=2)
    assert (result.verdict, outcomes(result)) == (Verdict.UNKNOWN, ["open", "unreadable"])
    assert result.program is not None and result.program.strip() == OPEN.strip()


async def test_without_a_text_the_model_brings_facts_and_is_asked_for_a_missing_one(ask: Ask) -> None:
    fact = '(assert (! (forall ((x T)) (=> (cat x) (soft x))) :named w1 :world "Cats are soft."))\n'
    more = '(assert (! (cat sam) :named w2 :world "Sam is a cat."))\n'
    lacking, whole = (fenced(HEAD + fact + rest + goal("(soft sam)")) for rest in ("", more))
    with Server([lacking, lacking, whole]) as server:
        result = await ask(server, context="")
        assert "facts and rules must come from you" in said(server, 0)
        assert "A fact is missing" in said(server)
    assert (result.answer, result.assumptions) == (True, ("Cats are soft.", "Sam is a cat."))


async def test_world_knowledge_can_be_forbidden(ask: Ask) -> None:
    world = P2.replace(":sentence 2", ':world "Sam is a cat."')
    with Server([fenced(RIGHT.replace(P2, world)), fenced(RIGHT)]) as server:
        result = await ask(server, world_knowledge=False)
        assert "knowledge of the world, which this question does not allow" in said(server)
    assert (result.answer, result.assumptions) == (True, ())


# -- other readings ---------------------------------------------------------------------------------------------


async def test_of_several_choices_the_one_that_follows_is_the_answer(ask: Ask) -> None:
    choices = (("A", "Tom"), ("B", "Sam"))
    goals = "(define-fun goal-A () Bool (soft tom))\n(define-fun goal-B () Bool (soft sam))\n"
    with Server([fenced(RIGHT), fenced(HEAD + P1 + P2 + P3 + goals)]) as server:
        result = await ask(server, "Who is soft?", choices=choices)
        assert "A) Tom\nB) Sam" in said(server, 0)
        assert "define exactly these goals: goal-A, goal-B" in said(server)
    assert (result.answer, result.verdict) == ("B", Verdict.PROVED)
    assert [(o["name"], o["verdict"]) for o in result.options] == [("A", "unknown"), ("B", "proved")]
    assert result.trust_level is not None
    assert result.certificate is not None and check_any(Path(result.certificate), None).accepted


async def test_in_a_closed_world_what_cannot_be_derived_is_false_and_the_result_says_so(ask: Ask) -> None:
    with Server([fenced(OPEN)]) as server:
        result = await ask(server, "Is Tom soft?", world="closed")
        assert "The world is closed" in said(server)
    assert (result.answer, result.world) == (False, "closed")
    assert any(assumption.startswith("closed world:") for assumption in result.assumptions)


async def test_the_older_reading_says_yes_to_what_may_be_true_and_certifies_nothing(ask: Ask) -> None:
    with Server([fenced(OPEN)]) as server:
        result = await ask(server, "Is Tom soft?", semantics="satisfiability")
    assert (result.answer, result.semantics, result.certificate) == (True, "satisfiability", None)
    assert any("older reading" in warning for warning in result.warnings)


async def test_the_json_language_has_the_same_loop(ask: Ask) -> None:
    right = """{"sorts": [{"name": "T", "type": "DeclareSort"}], "constants": {"t": {"sort": "T", "members": ["sam"]}},
 "functions": [{"name": "cat", "domain": ["T"], "range": "Bool"}, {"name": "soft", "domain": ["T"], "range": "Bool"}],
 "knowledge_base": [{"name": "p1", "assertion": "ForAll([x: T], Implies(cat(x), soft(x)))", "sentence": 1},
  {"name": "p2", "assertion": "cat(sam)", "sentence": 2}], "goal": "soft(sam)"}"""
    wrong = right.replace("cat(sam)", "kat(sam)")
    replies: Sequence[Answer] = [Answer(f"```json\n{program}\n```") for program in (wrong, right)]
    with Server(replies) as server:
        result = await ask(server, backend="json")
        assert "knowledge_base[1]" in said(server) and "kat" in said(server)
    assert (result.answer, result.backend, outcomes(result)) == (True, "json", ["unreadable", "answer"])
    assert result.certificate is not None and check_any(Path(result.certificate), right).accepted


# -- the judge ---------------------------------------------------------------------------------------------------


def reader(*, same_goal: bool) -> Callable[[dict[str, Any]], Answer]:
    """A model that writes the program, reads it and compares; a reader finds a fault in it or none."""
    words = {"premises": ["Every cat is soft.", "Sam is a cat.", "Tom is a dog."], "goal": "Sam is soft."}
    verdict = {"reason": "so", "same_goal": same_goal, "same_text": True, "differences": ["another goal"]}
    verdict |= {"answer_if_goal_holds": "yes", "doubtful": []}
    facts = {"facts": [{"sentence": 2, "words": "Sam is a cat.", "formula": "(cat sam)"}]}
    replies = {
        "Say in plain words what this program": words,
        "Does it say what was said, and ask what was asked?": verdict,
        "states literally": facts,
    }

    def answer(asked: dict[str, Any]) -> Answer:
        text = str(asked["messages"][-1]["content"])
        return next((Answer(json.dumps(reply)) for words, reply in replies.items() if words in text), fenced(RIGHT))

    return answer


@pytest.mark.parametrize("same_goal", [True, False])
async def test_a_fault_that_a_reader_finds_is_shown_to_the_model_once_and_changes_no_verdict(
    ask: Ask, same_goal: bool
) -> None:
    with Server(reader(same_goal=same_goal)) as server:
        result = await ask(server, judged=True, max_attempts=5)
        told = [said(server, number) for number in range(server.calls)]
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)
    assert sum("This was noticed" in text for text in told) == (0 if same_goal else 1)
    assert result.attempts == (1 if same_goal else 2)
    assert server.calls == (4 if same_goal else 5)  # the same program again is not read again
    (reading,) = [test for test in result.confidence["tests"] if test["name"] == "back-translation"]
    assert reading["outcome"] == ("passed" if same_goal else "failed")
    assert any(warning.startswith("back-translation:") for warning in result.warnings) is not same_goal


async def test_a_goal_that_denies_what_the_question_does_not_is_pointed_out_without_any_judge(ask: Ask) -> None:
    with Server([fenced(RIGHT.replace(goal("(soft sam)"), goal("(not (soft sam))"))), fenced(RIGHT)]) as server:
        result = await ask(server, "Is the following statement true or false? Sam is soft.")
        assert "This was noticed" in said(server) and "the formula negates" in said(server)
    assert (result.answer, outcomes(result)) == (True, ["answer", "answer"])


async def test_an_answer_is_not_lost_when_the_budget_is_used_up_before_it_is_tested(ask: Ask) -> None:
    with Server(reader(same_goal=True)) as server:
        result = await ask(server, judged=True, budgets={"model_calls": 2})
        assert server.calls == 2
    assert (result.answer, result.verdict, result.trust_level) == (True, Verdict.PROVED, "L3")
    assert any("the formalisation was not tested: " in warning for warning in result.warnings)
    assert result.confidence == {}


async def test_a_server_with_structured_output_can_be_held_to_the_schema_of_programs(ask: Ask) -> None:
    said: dict[str, Any] = {"sorts": [], "functions": [], "goal": "soft", "goals": []}
    said["constants"] = [{"name": "soft", "sort": "Bool"}]
    unsaid = dict.fromkeys(("world", "derived", "reading", "instead"), "")
    said["knowledge_base"] = [{"name": "p1", "assertion": "soft", "sentences": [1], **unsaid}]
    said["optimization"] = {"constraints": [], "objectives": []}
    with Server([Answer('{"sorts": []}'), Answer(json.dumps(said))]) as server:
        result = await ask(server, backend="json", model={"structured": "on"})
        wanted = server.requests[0]["response_format"]
        assert "lacks 'functions'" in str(server.requests[1]["messages"][-1]["content"])
    assert (wanted["type"], wanted["json_schema"]["strict"]) == ("json_schema", True)
    assert (result.answer, outcomes(result)) == (True, ["reply", "answer"])


@pytest.mark.parametrize("dialect", ["smt2", "json"])
def test_every_example_is_decided_as_its_text_says_and_names_where_each_premise_comes_from(dialect: str) -> None:
    kinds = [Prompts().get(f"question-{dialect}-{kind}").text for kind in ("text", "case", "world")]
    examples = [block.text for kind in kinds for block in blocks(kind) if block.tag == dialect]
    with BACKENDS[dialect]() as backend:
        results = [backend.execute(example) for example in examples]
    assert [result.answer for result in results] == [False, True, False], [result.reason for result in results]
    assert [[premise["name"] for premise in result.core or ()] for result in results] == [
        ["p1", "p2", "p3"],
        ["p1", "p2", "w2"],
        ["w1", "w2", "w3"],
    ]
    assert all(premise["origin"] in ("text", "world") for result in results for premise in result.core or ())
    assert not any(result.warnings for result in results)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith paid $3.50. He left at 5 p.m. on Monday.", 2),
        ("The U.S. economy grew. J. R. Tolkien wrote it.", 2),
        ('"Is it?" she asked. It was not!', 2),
        ("See Fig. 3 and No. 5 (e.g. the second one). Yes.", 2),
        ("Vitamin C. It helps.", 2),
        ("The limit is 1,000.5 pounds, i.e. not much. More is taxed.", 2),
        ("LanguageA is a universal language\nIf one exists, they can talk.", 2),
        ("This sentence was broken\nin the middle of it. This one was not.", 2),
        ("What? No! Really...", 3),
        ("One sentence without an end", 1),
        ("", 0),
        (" \n\t\n ", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: int) -> None:
    assert len(split(text)) == sentences, split(text)


def test_headings_have_no_number_and_items_of_lists_have_one_each() -> None:
    text = "Document - Passes:\n## Who can get one\n\nThese apply:\n\n- you are over 64\n1. you live here. Now.\n"
    found = [(s.number, s.text) for s in numbered(split(text))]
    assert found == [
        (None, "Document - Passes:"),
        (None, "## Who can get one"),
        (1, "These apply:"),
        (2, "- you are over 64"),
        (3, "1. you live here."),
        (4, "Now."),
    ]


def test_nothing_of_a_very_long_text_is_lost() -> None:
    words = [f"Number {n} is here." for n in range(MAX_SENTENCES + 50)]
    found = numbered(split(" ".join(words)))
    assert len(found) == MAX_SENTENCES
    assert " ".join(s.text for s in found) == " ".join(words)


def test_the_case_of_a_question_can_be_cited_and_so_can_what_it_takes_for_granted() -> None:
    text = "Scenario: I am 70. I moved here.\n\nQuestion: I owe 1600, can I borrow more?"
    question = Question(text, "You can borrow.")
    assert [(s.number, s.text, s.asked) for s in question.sentences] == [
        (1, "You can borrow.", False),
        (2, "I am 70.", False),
        (3, "I moved here.", False),
        (4, "I owe 1600, can I borrow more?", True),
    ]
    assert question.asked == "I owe 1600, can I borrow more?"


@pytest.mark.parametrize(
    "text",
    [
        "Is the following statement true or false? Sam is soft.",
        "Assuming all premises are true, is the following statement true or false?\nStatement: Sam is soft.",
        "Sam is soft.",
        "Consider this claim. Sam is soft. Would you say so?",
        "Sam is soft. Is that true?",
        "Sam is soft. Does it follow from the text?",
    ],
)
def test_a_statement_that_is_to_be_judged_is_never_a_fact(text: str) -> None:
    question = Question(text, "Every cat is soft.")
    assert [s.text for s in question.sentences if not s.asked] == ["Every cat is soft."]
    assert not any("Sam" in s.text and not s.asked for s in question.sentences)


async def test_of_a_long_text_the_sections_that_share_words_with_the_question_are_read_and_the_others_named(
    ask: Ask,
) -> None:
    sections = [f"# Part {n}\n" + f"The weather of day {n} was fair. " * 120 for n in range(60)]
    sections.insert(41, "# Cats\nEvery cat is soft. Sam is a cat.")
    long = "\n".join(sections)
    assert len(long) > MAX_QUESTION
    program = RIGHT.replace(P3, "")
    with Server([fenced(program.replace("sentence 1", "sentence 2401"))]) as server:
        result = await ask(server, "Is Sam, the cat, soft?", context=long, max_attempts=1)
        read = str(server.requests[0]["messages"][-1]["content"])
    assert "Sam is a cat." in read and len(read) < MAX_QUESTION + 30_000
    (notice,) = [warning for warning in result.warnings if "not read" in warning]
    assert (
        re.match(r"\d+ of 1\d\d sections of the text were not read, it is too long: ", notice) and "Cats" not in notice
    )

    night = "The dogs of the quarter bark all night long until the sun comes up. "
    short = "# Cats\nEvery cat is soft. Sam is a cat.\n# Dogs\n" + night * 450
    with Server([fenced(program)]) as server:
        told = await ask(server, "Is the cat soft?", context=short, model={"context": 12_000}, max_attempts=1)
        read = str(server.requests[0]["messages"][-1]["content"])
    assert "Every cat is soft." in read and read.count("The dogs") < 300 and told.answer is True
    assert any("sections of the text were not read" in warning for warning in told.warnings)
