"""What an answer may be trusted with, and the certificates of programs."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server

from goedels_poetry.checker.certificate.archive import MANIFEST, canonical, sha256
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.logic.check import LogicArchive, check_logic
from goedels_poetry.checker.logic.jobs import write_logic
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import models_from
from goedels_poetry.models.requests import Request
from goedels_poetry.questions.confidence.model_tests import ProgramView, model_tests, stated_facts, view_of
from goedels_poetry.questions.confidence.sanity_tests import sanity_tests
from goedels_poetry.questions.confidence.score import BASE, FACTORS, FormalizationTest, Solve, confidence
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram, statement_of
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.questions.query_runner import SolverPair, read_program
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings, Settings
from goedels_poetry.smt.notation.infix import render

TEXT = (
    "Every baker rises early.",
    "Nobody who rises early is tired in the morning.",
    "Mona is a baker.",
    "Mona lives in Lyon.",
    "Some bakers live in Paris.",
    "Otto is not a baker.",
)
QUESTION = "Is the following statement true or false? Mona is not tired."
HEAD = """
(declare-sort Thing 0)
(declare-const mona Thing) (declare-const otto Thing) (declare-const lyon Thing) (declare-const paris Thing)
(declare-fun baker (Thing) Bool) (declare-fun rises_early (Thing) Bool) (declare-fun tired (Thing) Bool)
(declare-fun lives_in (Thing Thing) Bool)
"""
P1 = "(assert (! (forall ((x Thing)) (=> (baker x) (rises_early x))) :named p1 :sentence 1))"
P2 = "(assert (! (forall ((x Thing)) (=> (rises_early x) (not (tired x)))) :named p2 :sentence 2))"
P3 = "(assert (! (baker mona) :named p3 :sentence 3))"
P4 = "(assert (! (lives_in mona lyon) :named p4 :sentence 4))"
P5 = "(assert (! (exists ((x Thing)) (and (baker x) (lives_in x paris))) :named p5 :sentence 5))"
P6 = "(assert (! (not (baker otto)) :named p6 :sentence 6))"
GOAL = "(define-fun goal () Bool (not (tired mona)))"
RIGHT = "\n".join([HEAD, P1, P2, P3, P4, P5, P6, GOAL])

Examine = Callable[..., dict[str, FormalizationTest]]


@pytest.fixture(scope="module")
def solve() -> Iterator[Solve]:
    with SolverPair() as solvers:
        yield lambda program: decide(program, milliseconds=20_000, solvers=solvers)


@pytest.fixture(scope="module")
def tested(solve: Solve) -> Examine:
    """Tests by name of a program's text, or of ``RIGHT`` with parts replaced. What was tested is remembered."""

    @cache
    def run(
        program: str = RIGHT, *changes: tuple[str, str], question: str = QUESTION, text: Sequence[str] = TEXT
    ) -> dict[str, FormalizationTest]:
        for old, new in changes:
            assert old in program
            program = program.replace(old, new)
        read = read_smt2(program)
        return {test.name: test for test in sanity_tests(read, solve(read), question, text, solve)}

    return run


def outcomes(tests: Mapping[str, FormalizationTest], *but: str) -> set[tuple[str, str]]:
    return {(t.name, t.outcome) for t in tests.values() if t.outcome in ("warning", "failed") and t.name not in but}


def score(tests: Mapping[str, FormalizationTest], verdict: Verdict = Verdict.PROVED) -> float:
    return float(confidence(tests.values(), verdict)["score"])


# -- right programs and faulty ones ----------------------------------------------------------------------------------


def test_a_right_program_raises_no_warning_and_gets_high_confidence(tested: Examine) -> None:
    tests = tested()
    assert outcomes(tests) == set()
    assert confidence(tests.values(), Verdict.PROVED)["level"] == "high"


def test_an_open_question_raises_no_warning_for_being_open(tested: Examine) -> None:
    tests = tested(RIGHT, ("(not (tired mona))", "(tired otto)"), question="Otto is tired.")
    assert outcomes(tests) == set()
    assert tests["left open"].outcome == "passed"


@pytest.mark.parametrize(
    ("fault", "old", "new"),
    [
        ("guards", f"{P1}\n{P2}\n{P3}\n{P4}\n{P5}\n{P6}", "\n".join([P1.replace("=>", "and"), P2, P3])),
        ("guards", f"{P5}\n{P6}", P5.replace("exists", "forall")),
        ("polarity", GOAL, "(define-fun goal () Bool (tired mona))"),
        ("premise polarity", P6, P6.replace("(not (baker otto))", "(baker otto)")),
        ("premise polarity", P3, P3.replace("(baker mona)", "(not (baker mona))")),
        ("guards", P1, P1.replace("forall", "exists")),
        ("unused premises", P6, P6 + "(declare-fun blue (Int) Bool)(assert (blue 3))"),
    ],
)
def test_a_fault_is_named_and_lowers_the_score(tested: Examine, fault: str, old: str, new: str) -> None:
    right, faulty = tested(), tested(RIGHT, (old, new))
    assert right[fault].outcome == "passed"
    assert faulty[fault].outcome in ("warning", "failed")
    assert score(faulty) < score(right)


# -- the goal was put in ---------------------------------------------------------------------------------------------


def assumed(origin: str, formula: str = "(not (tired mona))") -> str:
    return f"\n(assert (! {formula} :named extra {origin}))\n{GOAL}"


@pytest.mark.parametrize(
    ("origin", "formula", "expected"),
    [
        (':world "Mona is not tired."', "(not (tired mona))", "failed"),
        ("", "(not (tired mona))", "warning"),
        (':world "She has slept."', "(=> (tired mona) false)", "failed"),
    ],
)
def test_a_goal_that_was_assumed_is_found_also_in_other_words(
    tested: Examine, origin: str, formula: str, expected: str
) -> None:
    tests = tested("\n".join([HEAD, P1, P3, assumed(origin, formula)]))
    assert tests["assumed goal"].outcome == expected
    assert tests["assumed goal"].about == ("extra",)


def test_a_goal_that_a_sentence_states_is_no_assumption(tested: Examine) -> None:
    tests = tested(RIGHT, (GOAL, "(define-fun goal () Bool (baker mona))"), question="Mona is a baker.")
    assert tests["assumed goal"].outcome == "passed"
    assert tests["assumed goal"].about == ("p3",)
    assert outcomes(tests) == set()


def test_the_question_itself_states_nothing(tested: Examine) -> None:
    asks = "Is Mona not tired?"
    tests = tested("\n".join([HEAD, P1, P3, assumed(":sentence 7")]), question=asks, text=(*TEXT, asks))
    assert tests["assumed goal"].outcome == "failed"


def test_knowledge_of_the_world_alone_is_told_from_some_of_it(tested: Examine) -> None:
    alone = tested("\n".join([HEAD, P1, assumed(':world "Nobody is tired."', "(forall ((x Thing)) (not (tired x)))")]))
    assert alone["world only"].outcome == "failed"
    some = tested(RIGHT, (P2, P2.replace(":sentence 2", ':world "Early risers are not tired."')))
    assert some["world only"].outcome == "warning"


def test_without_a_text_nothing_about_sentences_is_judged_and_confidence_is_not_high(tested: Examine) -> None:
    world = RIGHT
    for number in range(1, 7):
        world = world.replace(f":sentence {number}", f':world "{TEXT[number - 1]}"')
    tests = tested(world, text=())
    assert tests["text given"].outcome == "warning"
    assert tests["world only"].outcome == "skipped"
    assert confidence(tests.values(), Verdict.PROVED)["level"] == "medium"


# -- proofs of nothing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("(or (tired mona) (not (tired mona)))", "failed"),
        ("(exists ((x Thing)) (=> (tired x) (forall ((y Thing)) (tired y))))", "failed"),
        ("(=> (and (baker mona) (tired mona)) (lives_in mona paris))", "failed"),
        ("(> 7 5)", "warning"),
        ("(not (tired mona))", "passed"),
    ],
)
def test_goals_that_hold_by_their_form_or_for_want_of_cases_are_vacuous(
    tested: Examine, goal: str, expected: str
) -> None:
    assert tested(RIGHT, (GOAL, f"(define-fun goal () Bool {goal})"))["vacuous"].outcome == expected


def test_definitions_that_decide_alone_and_premises_that_say_nothing_are_warned_of(tested: Examine) -> None:
    defined = "(define-fun age () Int 35)(define-fun goal () Bool (> age 30))"
    assert "definitions" in tested(defined, text=())["vacuous"].text
    empty = tested(RIGHT, (P1, P1.replace("(rises_early x)", "(or (baker x) (rises_early x))")))["vacuous"]
    assert (empty.outcome, empty.about) == ("warning", ("p1",))


# -- limits ----------------------------------------------------------------------------------------------------------


def test_the_solver_is_asked_a_bounded_number_of_times_and_may_fail(solve: Solve) -> None:
    asked: list[LogicProgram] = []
    program = read_smt2(RIGHT)
    entailment = solve(program)

    def counted(each: LogicProgram) -> Entailment:
        asked.append(each)
        raise GoedelsPoetryError("no solver")

    tests = sanity_tests(program, entailment, QUESTION, TEXT, counted, max_queries=1)
    assert len(asked) == 1
    assert {test.name: test.outcome for test in tests}["vacuous"] == "skipped"
    assert sanity_tests(program, entailment, QUESTION, TEXT, counted, max_seconds=-1)[0].name == "text given"
    assert len(asked) == 1


# -- the score -------------------------------------------------------------------------------------------------------


def test_the_score_is_the_odds_times_the_factors_and_never_leaves_its_range() -> None:
    base = BASE[Verdict.PROVED]
    assert confidence([], Verdict.PROVED) == {"level": "high", "score": round(base / (1 + base), 3), "tests": []}
    one = FormalizationTest("polarity", "warning", "flipped?")
    found = confidence([one], Verdict.REFUTED)
    assert found["score"] == round(base * 0.1 / (1 + base * 0.1), 3)
    assert found["tests"] == [{"name": "polarity", "outcome": "warning", "words": "flipped?", "about": []}]
    everything = [FormalizationTest(name, outcome, "") for name, outcome in FACTORS]  # type: ignore[arg-type]
    assert 0 <= confidence(everything, Verdict.UNKNOWN)["score"] < 0.01
    assert confidence([one], Verdict.INVALID)["score"] == 0


# -- with a model ----------------------------------------------------------------------------------------------------

FACTS = {
    "facts": [
        {"sentence": 3, "words": "Mona is a baker", "formula": "(baker mona)"},
        {"sentence": 6, "words": "Otto is no baker", "formula": "(not (baker otto))"},
        {"sentence": 4, "words": "cannot be read", "formula": "(assert (lives_in mona lyon)"},
        {"sentence": 4, "words": "unknown name", "formula": "(sleeps mona)"},
        {"sentence": 99, "words": "no such sentence", "formula": "(tired mona)"},
    ]
}
WORDS = {"premises": ["Every baker rises early."] * 6, "goal": "Mona is not tired."}
AGREES = {"reason": "same", "same_goal": True, "answer_if_goal_holds": "yes", "same_text": True, "doubtful": []}


class Model:
    """A model behind a real server: one reply a prompt; an Ask that sends the packaged prompts."""

    def __init__(self, **replies: Any) -> None:
        self.replies = {"facts": FACTS, "words": WORDS, "compare": AGREES} | replies
        self.prompts: dict[str, str] = {}

    def answer(self, body: dict[str, Any]) -> Answer:
        prompt = "\n".join(message["content"] for message in body["messages"])
        kinds = {"Pick up to 6": "facts", "what this program takes": "words", "You compare texts": "compare"}
        kind = next(kind for mark, kind in kinds.items() if mark in prompt)
        self.prompts[kind] = prompt
        reply = self.replies[kind]
        return reply if isinstance(reply, Answer) else Answer(json.dumps(reply))

    def judge(self, solve: Solve, program: str = RIGHT, text: Sequence[str] = TEXT) -> dict[str, FormalizationTest]:
        async def run(server: Server) -> list[FormalizationTest]:
            own = ModelSettings(model="scripted", base_url=server.url, retries=0, timeout_seconds=20)
            models = models_from(Settings(models=ModelsSettings(default=own)))
            assert models is not None

            async def ask(prompt: str, variables: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any] | str:
                (reply,) = await models.ask(Request("judge", prompt, dict(variables), schema=dict(schema)))
                return reply.error or reply.parsed or {}

            async def check(facts: Sequence[Mapping[str, Any]]) -> FormalizationTest:
                return stated_facts(read, len(text), facts, solve)

            read = read_smt2(program)
            try:
                told = ProgramView.of(json.loads(json.dumps(view_of(read, QUESTION, text).to_json())))
                return await model_tests(told, ask, check)
            finally:
                await models.aclose()

        with Server(self.answer) as server:
            return {test.name: test for test in asyncio.run(run(server))}


def test_facts_of_the_text_follow_and_those_that_cannot_be_read_cost_only_themselves(solve: Solve) -> None:
    model = Model()
    tests = model.judge(solve)
    assert {test.outcome for test in tests.values()} == {"passed", "skipped"}
    assert len(tests["stated facts"].about) == 2
    assert score(tests) > 0.95
    assert all(formula not in model.prompts["facts"] for formula in ("assert (!", "(define-fun goal", "=> (baker"))
    assert "(declare-fun lives_in (Thing Thing) Bool)" in model.prompts["facts"]
    assert "4. Mona lives in Lyon." in model.prompts["facts"]


def test_a_flipped_premise_implies_the_opposite_of_a_fact_and_a_lost_one_does_not_imply_it(solve: Solve) -> None:
    flipped = Model().judge(solve, RIGHT.replace("(baker mona) :named p3", "(not (baker mona)) :named p3"))
    assert flipped["stated facts"].outcome == "failed"
    assert flipped["stated facts"].about == ("Mona is a baker: (baker mona)",)
    assert Model().judge(solve, RIGHT.replace(P3, ""))["stated facts"].outcome == "warning"


def test_the_program_is_put_into_words_without_labels_remarks_text_and_question(solve: Solve) -> None:
    model = Model()
    model.judge(solve, RIGHT.replace(":sentence 2", ':world "told you"') + "; the answer is yes\n")
    words = model.prompts["words"]
    for absent in ("told you", ":named", "p2", ":sentence", "the answer is yes", "Every baker", QUESTION):
        assert absent not in words
    assert "(define-fun goal () Bool (not (tired mona)))" in words
    compared = model.prompts["compare"]
    assert QUESTION in compared and TEXT[5] in compared and "(baker" not in compared


@pytest.mark.parametrize(
    ("said", "name", "outcome"),
    [
        ({"answer_if_goal_holds": "no"}, "answer polarity", "failed"),
        ({"answer_if_goal_holds": "neither"}, "answer polarity", "warning"),
        ({"same_goal": False}, "back-translation", "failed"),
        ({"same_text": False, "differences": ["all for some"]}, "back-translation", "warning"),
        ({"doubtful": ["nobody is ever tired"]}, "assumptions", "warning"),
    ],
)
def test_what_the_reader_finds_lowers_the_score(solve: Solve, said: dict[str, Any], name: str, outcome: str) -> None:
    tests = Model(compare=AGREES | said).judge(solve)
    assert tests[name].outcome == outcome
    assert score(tests) < score(Model().judge(solve))


def test_a_model_that_fails_leaves_only_its_own_tests_undecided(solve: Solve) -> None:
    tests = Model(words=Answer("I would rather not."), facts=FACTS).judge(solve)
    assert tests["stated facts"].outcome == "passed"
    assert {tests[name].outcome for name in ("back-translation", "answer polarity", "assumptions")} == {"skipped"}
    tests = Model(facts=Answer(status=500, body="{}")).judge(solve)
    assert tests["stated facts"].outcome == "skipped"
    assert tests["back-translation"].outcome == "passed"


def test_hostile_facts_cost_nothing_but_themselves(solve: Solve) -> None:
    deep = "(not " * 5_000 + "(baker mona)" + ")" * 5_000
    bomb = "(let ((a (baker mona))) " + "".join("(let ((a (and a a))) " for _ in range(60)) + "a" + ")" * 61
    texts = [deep, bomb, '(include "/etc/passwd")', "(check-sat)", "true", "mona", "(exists ((x Thing)) x)", "\x00", ""]
    facts = [{"sentence": 1, "words": "x", "formula": text} for text in texts]
    assert Model(facts={"facts": facts}).judge(solve)["stated facts"].outcome == "skipped"


# -- in a run --------------------------------------------------------------------------------------------------------


TWO = "(declare-const p Bool)(declare-const q Bool)"
CHOICES = f"{TWO}(assert p)(assert (not q))(define-fun goal-A () Bool p)(define-fun goal-B () Bool q)"
FOLLOWS = f"{TWO}(assert p)(define-fun goal () Bool p)"


def certified(folder: Path, program: str, claim: str = "proved", choice: str = "", world: str = "open") -> Path:
    """A certificate with all its hashes right, whatever it claims."""
    statement = statement_of(read_program(program, "smt2"))
    write_logic(folder, LogicArchive(program, "smt2", claim, choice, world, 5_000, 5_000, statement, {}), {})
    return folder


def edited(folder: Path, **entries: Any) -> CheckReport:
    """What the checker says when entries of the manifest are changed and its hash is made to fit."""
    manifest = {**json.loads((folder / MANIFEST).read_text("utf-8")), **entries}
    del manifest["manifest_sha256"]
    manifest["manifest_sha256"] = sha256(canonical(manifest))
    copy = folder.with_name("edited")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    (copy / MANIFEST).write_bytes(canonical(manifest))
    return check_logic(copy)


@pytest.mark.parametrize(
    ("program", "claim", "choice", "world", "found"),
    [
        (FOLLOWS, "refuted", "", "open", Verdict.UNKNOWN),
        (f"{TWO}(assert p)(assert (not p))(define-fun goal () Bool p)", "proved", "", "open", Verdict.INCONSISTENT),
        (f"{TWO}(assert p)(define-fun goal () Bool q)", "refuted", "", "open", Verdict.UNKNOWN),
        (CHOICES, "proved", "", "open", Verdict.UNKNOWN),
        (CHOICES, "proved", "B", "open", Verdict.UNKNOWN),
        ("(declare-const x Int)(assert (> x 3))(maximize x)", "proved", "", "open", Verdict.UNKNOWN),
    ],
)
def test_a_claim_that_does_not_hold_is_not_accepted(
    tmp_path: Path, program: str, claim: str, choice: str, world: str, found: Verdict
) -> None:
    report = check_logic(certified(tmp_path / "c", program, claim, choice, world))
    assert (report.verdict, report.accepted) == (found, False)


def test_the_report_says_which_choice_follows_and_what_the_optimum_is(tmp_path: Path) -> None:
    report = check_logic(certified(tmp_path / "choice", CHOICES, choice="A"))
    assert report.accepted
    assert "of the choices only A follows" in report.notes
    report = check_logic(certified(tmp_path / "best", "(declare-const x Int)(assert (< x 3))(maximize x)"))
    assert report.accepted
    assert "maximum of x: 2" in report.notes
    both = "(declare-const x Int)(assert (> x 3))(maximize x)(define-fun goal () Bool (> x 2))"
    assert "maximum of x: none is shown (unbounded)" in check_logic(certified(tmp_path / "both", both)).notes


def test_a_manifest_of_wrong_kinds_is_refused_and_a_limit_without_end_is_none(tmp_path: Path) -> None:
    folder = certified(tmp_path / "c", FOLLOWS)
    for entries in ({"dialect": {}}, {"claim": []}, {"world": 5}, {"choice": None}, {"milliseconds": True}):
        assert edited(folder, **entries).refused, entries
    assert edited(folder, statement="q").refused
    assert edited(folder, milliseconds=10**400).accepted


def test_things_that_differ_in_pairs_are_not_shown_as_a_chain() -> None:
    assert render("(distinct a b c)") == "distinct(a, b, c)"
    assert render("(distinct a b)") == "a != b"
