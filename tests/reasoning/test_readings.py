"""Answers below `proved` and `refuted`: what follows when the text is read in another way, and which way that is."""

import json
import time
from collections.abc import Iterator

import pytest
from model_server import Answer, Server

from goedels_poetry import Settings, Verdict
from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions import jobs
from goedels_poetry.questions.language import settled
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning import ProofOfThought, QueryResult
from goedels_poetry.reasoning.backends import JSONBackend, SMT2Backend

HEAD = """(declare-sort T 0)
(declare-const sam T) (declare-const tom T) (declare-const the_bird T)
(declare-fun bird (T) Bool) (declare-fun flies (T) Bool) (declare-fun swims (T) Bool)
(declare-const old Bool) (declare-const student Bool) (declare-const pass Bool)
"""
BIRDS_FLY = "(assert (! (forall ((x T)) (=> (bird x) (flies x))) :named p1 :sentence 1))\n"
OFTEN = (
    "(assert (! (exists ((x T)) (and (bird x) (flies x))) :named p1 :sentence 1))\n"
    "(assert (! (forall ((x T)) (=> (bird x) (flies x))) :named r1 :sentence 1 :reading {} :instead p1))\n"
    "(assert (! (bird sam) :named p2 :sentence 2))\n"
).format('"Often is taken for always."')
LIST = "(assert (! (=> old pass) :named p1 :sentence 1))(assert (! (=> student pass) :named p2 :sentence 2))\n"
NEITHER = "(assert (! (not (or old student)) :named p3 :sentence 3))\n"


@pytest.fixture(scope="module")
def smt2() -> Iterator[SMT2Backend]:
    with SMT2Backend() as backend:
        yield backend


def asking(goal: str) -> str:
    return f"(define-fun goal () Bool {goal})\n"


def test_a_program_may_use_any_names_and_any_number_of_them(smt2: SMT2Backend) -> None:
    head = "(declare-fun g (Int) Bool)(declare-fun f (Int Int) Bool)(assert (! (f 7 7) :named r2))\n"
    rule = "(assert (! (forall ((|of!0| Int) (y Int)) (=> (g |of!0|) (f y |of!0|))) :named r1))\n"
    found = smt2.execute(head + rule + asking("(=> (f 1 2) (g 2))"))
    (complete,) = found.readings
    assert "(and (= of!1 y) (= of!2 of!0) (g of!0))" in complete["premises"][0], "no variable of the rule is captured"
    things = [f"c{number}" for number in range(700)]
    many = "(declare-sort T 0)" + "".join(f"(declare-const {thing} T)" for thing in things)
    many += "(declare-fun r (T) Bool)(declare-fun s (T) Bool)(declare-fun |?| (T) Bool)"
    many += "(assert (! (forall ((x T)) (=> (r x) (s x))) :named p1))(assert (! (r c0) :named p2))"
    either = " ".join(f"(s {thing})" for thing in things)
    many += f"(assert (! (or {either}) :named p3))"
    began = time.monotonic()
    assert smt2.execute(many + asking("(|?| c1)")).verdict is Verdict.UNKNOWN
    assert time.monotonic() - began < 20, "700 names give 244,650 pairs, and a name without words names no kind"


@pytest.mark.parametrize(
    ("premises", "goal", "answer", "kind", "words"),
    [
        (OFTEN, "(flies sam)", True, "stated", "Often is taken for always."),
        (BIRDS_FLY, "(flies the_bird)", True, "kind", "the_bird is what its name says: bird"),
        (
            "(assert (! (or old student) :named p1 :sentence 1))(assert (! old :named p2 :sentence 1))",
            "(not student)",
            True,
            "choice",
            "`or` in p1 is a choice: not both",
        ),
        (LIST + NEITHER, "pass", False, "complete", "what is stated of pass (p1, p2) is complete"),
        (LIST + NEITHER, "(not pass)", True, "complete", "what is stated of pass (p1, p2) is complete"),
        (
            "(assert (! (swims sam) :named p1 :sentence 1))(assert (! (swims the_bird) :named p2 :sentence 1))",
            "(swims tom)",
            False,
            "complete",
            "what is stated of swims (p1, p2) is complete",
        ),
        (
            BIRDS_FLY + "(assert (! (swims sam) :named p2 :sentence 2))",
            "(swims tom)",
            False,
            "closed",
            "does not follow",
        ),
    ],
)
def test_what_the_program_leaves_open_may_follow_under_the_weakest_reading(
    smt2: SMT2Backend, premises: str, goal: str, answer: bool, kind: str, words: str
) -> None:
    result = smt2.execute(HEAD + premises + asking(goal))
    assert (result.verdict, result.answer) == (Verdict.UNKNOWN, None)
    assert (result.grade, result.reading_answer) == ("reading", answer)
    assert words in result.reading_assumptions[0] and len(result.reading_assumptions) == 1
    assert result.readings[0]["kind"] == kind
    assert result.verdict.exit_code == 1


def test_several_readings_together_decide_what_none_does_alone_and_those_that_are_not_needed_are_left_out(
    smt2: SMT2Backend,
) -> None:
    more = '(assert (! (swims tom) :named r2 :sentence 2 :reading "Tom swims, as everybody does."))'
    result = smt2.execute(HEAD + OFTEN.replace("(bird sam)", "(swims sam)") + more + asking("(flies the_bird)"))
    assert result.reading_answer is True
    assert result.reading_assumptions == ("Often is taken for always.", "the_bird is what its name says: bird")


def test_readings_of_one_kind_that_contradict_each_other_give_no_answer_and_are_all_listed(smt2: SMT2Backend) -> None:
    two = '(assert (! (flies tom) :reading "so"))(assert (! (not (flies tom)) :reading "or so"))'
    result = smt2.execute(HEAD + BIRDS_FLY + two + asking("(or (flies tom) (swims tom) (swims sam) false)"))
    assert result.grade == "reading"  # only one of them decides this goal
    result = smt2.execute(HEAD + BIRDS_FLY + two + asking("(= (flies tom) (=> (swims tom) (swims tom)))"))
    assert (result.grade, result.reading_answer, len(result.readings)) == ("open", None, 2)


def test_a_reading_that_contradicts_the_text_is_none(smt2: SMT2Backend) -> None:
    result = smt2.execute(HEAD + BIRDS_FLY + "(assert (not (bird the_bird)))" + asking("(flies the_bird)"))
    assert [reading["kind"] for reading in result.readings] == ["complete"]


@pytest.mark.parametrize(
    ("premises", "goal", "words"),
    [
        ("(assert (! (xor old student) :named p1 :sentence 1))(assert old)", "(not student)", "both may hold in p1"),
        (
            "(assert (! (= pass (or old student)) :named p1 :sentence 1))(assert (not old))(assert (not student))",
            "(not pass)",
            "p1 says what is enough, not all that is",
        ),
        (
            BIRDS_FLY + '(assert (! (exists ((x T)) (bird x)) :named r :sentence 1 :reading "some" :instead p1))'
            "(assert (bird sam))",
            "(flies sam)",
            "some",
        ),
    ],
)
def test_a_proved_answer_that_depends_on_how_the_text_is_read_says_so(
    smt2: SMT2Backend, premises: str, goal: str, words: str
) -> None:
    result = smt2.execute(HEAD + premises + asking(goal))
    assert (result.grade, result.answer, result.reading_answer) == ("proved", True, None)
    assert [(reading["words"], reading["answer"]) for reading in result.readings] == [(words, None)]


def test_a_proved_answer_rests_on_no_reading(smt2: SMT2Backend) -> None:
    said = '(assert (! (flies sam) :named r1 :sentence 1 :reading "so"))'
    result = smt2.execute(HEAD + BIRDS_FLY + said + asking("(flies sam)"))
    assert (result.verdict, result.grade) == (Verdict.UNKNOWN, "reading")
    assert [p.name for p in read_smt2(HEAD + BIRDS_FLY + said + asking("(flies sam)")).premises] == ["p1"]
    contradiction = '(assert (! false :named r1 :sentence 1 :reading "nonsense"))'
    assert smt2.execute(HEAD + BIRDS_FLY + contradiction + asking("(flies sam)")).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        ('(! old :reading "a" :world "b")', ":world and :reading of one premise"),
        ("(! old :reading 3)", ":reading takes words in double quotes"),
        ("(! old :instead p1)", ":instead without :reading"),
        ('(! old :reading "a" :objective true)', ":objective of a reading"),
        ('(! old :reading "a" :instead p9)', "no premise is named p9"),
    ],
)
def test_a_reading_that_cannot_be_used_is_refused(assertion: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_smt2(HEAD + LIST + f"(assert {assertion})" + asking("pass"))


def test_the_same_in_json() -> None:
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "constants": {"t": {"sort": "T", "members": ["sam"]}},
        "functions": [{"name": f, "domain": ["T"], "range": "Bool"} for f in ("bird", "flies")],
        "knowledge_base": [
            {"name": "p1", "assertion": "Exists([x: T], And(bird(x), flies(x)))", "sentence": 1},
            {"name": "p2", "assertion": "bird(sam)", "sentence": 2},
            {"assertion": "ForAll([x: T], Implies(bird(x), flies(x)))", "reading": "Often is always.", "instead": "p1"},
        ],
        "goal": "flies(sam)",
    }
    with JSONBackend() as backend:
        result = backend.execute(json.dumps(program))
        assert (result.grade, result.reading_answer, result.readings[0]["without"]) == ("reading", True, ["p1"])
        program["knowledge_base"][2]["instead"] = "p7"  # type: ignore[index]
        assert "no premise is named p7" in backend.execute(json.dumps(program)).reason


# -- of a question -----------------------------------------------------------------------------------------------


def result_of(program: str, **requirements: object) -> VerificationResult:
    wanted = {"numbers": [1, 2, 3], "asked": [3], "text": True, "world_knowledge": True, "choices": [], "known": []}
    payload = {"text": program, "options": settled(program, {}), "requirements": {**wanted, **requirements}}
    return jobs.answer(payload)["value"]["result"]  # type: ignore[no-any-return]


def test_where_uncertain_is_an_answer_nothing_is_false_for_not_being_said() -> None:
    program = HEAD + LIST + NEITHER + asking("pass")
    assert result_of(program)["grade"] == "reading"
    assert result_of(program, may_stay_open=True)["grade"] == "open"


@pytest.mark.parametrize(
    "reading",
    [
        '(assert (! (flies sam) :sentence 1 :reading "It flies." :instead p1))',
        '(assert (! (and old (not (flies sam))) :sentence 1 :reading "It does not." :instead p1))',
        '(assert (! (bird sam) :sentence 3 :reading "The question takes it for granted."))',
        '(assert (! (bird sam) :sentence 1 :reading "It is a further fact."))',
        '(assert (! (forall ((x T)) (flies x)) :sentence 2 :reading "Another sentence says so." :instead p1))',
    ],
)
def test_a_reading_that_says_what_is_asked_or_renders_no_sentence_that_tells_is_not_tried(reading: str) -> None:
    again = BIRDS_FLY + '(assert (! (forall ((x T)) (bird x)) :sentence 1 :reading "All are." :instead p1))'
    assert result_of(HEAD + again + asking("(bird sam)"), may_stay_open=True)["grade"] == "reading"
    found = result_of(HEAD + BIRDS_FLY + reading + asking("(flies sam)"), may_stay_open=True)
    assert (found["grade"], found["readings"]) == ("open", ())


def ask(server: Server, question: str, tmp_path: object, **options: object) -> QueryResult:
    settings = Settings(
        home=tmp_path, models={"default": {"model": "m", "base_url": server.url, "retries": 0}, "cache": False}
    )
    with ProofOfThought(settings=settings, judged=False, max_attempts=1, **options) as pot:  # type: ignore[arg-type]
        return pot.query(question, "Birds fly. Sam is odd.")


def test_a_question_has_the_grade_too_and_the_model_is_asked_for_its_word_only_on_request(tmp_path: object) -> None:
    open_ = Answer(f"```smt2\n{HEAD}{BIRDS_FLY}{asking('(swims sam)')}```")
    uncertain = "Is this true, false or uncertain? Sam swims."
    with Server([open_]) as server:
        result = ask(server, "Does Sam swim?", tmp_path)
        assert (result.answer, result.grade, result.graded_answer) == (None, "reading", False)
        assert result.to_json()["grade"] == "reading"
    with Server([open_]) as server:
        assert ask(server, uncertain, tmp_path).grade == "open"
        assert server.calls == 1
    word = Answer('```json\n{"reason": "Odd birds do.", "answer": "Yes."}\n```')
    with Server([open_, word]) as server:
        result = ask(server, uncertain + " Say.", tmp_path, postprocessors=["best-guess"])
    assert (result.answer, result.verdict, result.grade, result.graded_answer) == (
        None,
        Verdict.UNKNOWN,
        "likely",
        True,
    )
    assert result.steps[-1]["reason"] == "Odd birds do." and result.exit_code == 1


@pytest.mark.parametrize("reply", ["I do not know.", '```json\n{"reason": "", "answer": "perhaps"}\n```'])
def test_a_word_that_is_neither_yes_nor_no_is_none(reply: str, tmp_path: object) -> None:
    open_ = Answer(f"```smt2\n{HEAD}{BIRDS_FLY}{asking('(swims sam)')}```")
    with Server([open_, Answer(reply)]) as server:
        result = ask(server, "True, false or uncertain? Sam swims.", tmp_path, postprocessors=["best_guess"])
    assert (result.grade, result.graded_answer, result.steps[-1]["outcome"]) == ("open", None, "no usable reply")
