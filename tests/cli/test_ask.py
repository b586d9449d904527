"""Questions on the command line: in words and as programs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from model_server import Answer, Server

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "answer-v1.json").read_text("utf-8"))
TEXT = "Every cat is soft. Sam is a cat."
PROGRAM = """```smt2
(declare-sort T 0)
(declare-const sam T)
(declare-fun cat (T) Bool)
(declare-fun soft (T) Bool)
(assert (! (forall ((x T)) (=> (cat x) (soft x))) :named p1 :sentence 1))
(assert (! (cat sam) :named p2 :world "Sam is a cat."))
(define-fun goal () Bool GOAL)
```"""


GOALS = {"Is Sam hard?": "(not (soft sam))", "Are all things cats?": "(forall ((x T)) (cat x))"}


def model(asked: dict[str, Any]) -> Answer:
    text = "\n".join(str(message["content"]) for message in asked["messages"])
    goal = next((goal for question, goal in GOALS.items() if question in text), "(soft sam)")
    return Answer(PROGRAM.replace("GOAL", goal))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(model) as running:
        yield running


def flags(server: Server) -> list[str]:
    return ["--model", "scripted", "--base-url", server.url, "--no-judge"]


def test_sentences_stand_apart_from_what_is_assumed_and_the_answer_ends_the_page(
    cli: Any, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "text.md").write_text(TEXT)
    ran = cli("ask", "Is Sam soft?", "--context", "text.md", *flags(server))
    lines = [line.strip() for line in ran.out.splitlines()]
    assert (ran.code, lines[-1]) == (0, "true (proved)  Is Sam soft?")
    assert lines.index("because:") + 1 == lines.index("[1] Every cat is soft.")
    assert lines.index("assumed, not in the text:") + 1 == lines.index("Sam is a cat.")
    assert any(line.startswith("trust level L3") for line in lines)
    assert "(define-fun goal () Bool (soft sam))" in lines
    assert "verifier: answer (the answer is true)" in ran.err

    (run,) = cli("runs", "--json").objects()
    assert (run["name"], run["verdict"], run["language"]) == ("Is Sam soft?", "proved", "logic")
    shown = [line.strip() for line in cli("show", run["run_id"]).out.splitlines()]
    assert "[1] Every cat is soft." in shown and "(define-fun goal () Bool (soft sam))" in shown
    (page,) = cli("show", run["run_id"], "--json").objects()
    assert (page["answer"]["answer"], page["answer"]["grade"]) == (True, "proved")
    assert "correct (4)  corrector" in cli("graph", "--questions").out
    assert "Sam is a cat." in cli("trace", run["run_id"], "--format", "conversation").out
    (certificate,) = [line.removeprefix("certificate: ") for line in lines if line.startswith("certificate: ")]
    checked = cli("check", certificate)
    assert (checked.code, checked.out.split()[0]) == (0, "proved")
    again = cli("ask", "Is Sam soft?", "--context", "text.md", *flags(server), "--out", "proofs", "--json")
    (elsewhere,) = (tmp_path / "proofs").iterdir()
    assert (again.objects()[0]["certificate"], server.calls) == (str(elsewhere), 1)
    assert cli("check", elsewhere).code == 0
    (Path(certificate) / "program.smt2").write_text(PROGRAM.replace("GOAL", "(cat sam)"))
    assert cli("check", certificate).code == 1


def test_no_is_another_exit_code_and_json_says_everything(cli: Any, server: Server) -> None:
    ran = cli("ask", "Is Sam hard?", "--context", "-", "--json", "--text-only", *flags(server), stdin=TEXT.encode())
    (said,) = ran.objects()
    jsonschema.validate(said, SCHEMA)
    assert (ran.code, said["verdict"], said["answer"]) == (1, "unknown", None)
    assert "does not allow" in said["history"][-1]["reason"]

    ran = cli("ask", "Is Sam hard?", "--context", "-", "--json", *flags(server), stdin=TEXT.encode())
    (said,) = ran.objects()
    assert (ran.code, said["exit_code"], said["verdict"], said["answer"]) == (3, 3, "refuted", False)
    assert said.keys() == set(SCHEMA["required"])
    jsonschema.validate(said, SCHEMA)
    assert ran.err == ""


def test_an_open_question_shows_a_world_in_which_it_is_false(cli: Any, server: Server) -> None:
    ran = cli("ask", "Are all things cats?", "--context", "-", *flags(server), stdin=TEXT.encode())
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "unknown  Are all things cats?"
    assert "a world of the premises in which it is false:" in ran.out
    assert "follows under a reading of the text: true" in ran.out
    (said,) = cli(
        "ask", "Are all things cats?", "--context", "-", *flags(server), "--json", stdin=TEXT.encode()
    ).objects()
    assert (said["answer"], said["grade"], said["graded_answer"]) == (None, "reading", True)
    jsonschema.validate(said, SCHEMA)


def test_the_model_s_own_word_is_asked_for_by_a_flag_and_is_no_verdict(cli: Any) -> None:
    word = Answer('```json\n{"reason": "Few things are.", "answer": "no"}\n```')
    question = "Uncertain, true or false? All things are cats."
    with Server([Answer(PROGRAM.replace("GOAL", "(forall ((x T)) (cat x))")), word]) as server:
        ran = cli("ask", question, "--context", "-", *flags(server), "--best-guess", stdin=TEXT.encode())
    assert (ran.code, ran.out.splitlines()[-1]) == (1, f"unknown  {question}")
    assert "likely, by the model's word alone: false" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Is Sam soft?"], "needs a language model"),
        ([], "there is no question"),
        (["Is", "Sam", "soft?"], "one question at a time"),
        (["  ", "--model", "m"], "the question is empty"),
        (["Is Sam soft?", "--model", "m", "--context", "no-such-file"], "--context no-such-file: No such file"),
        (["Is Sam soft?", "--model", "m", "--choice", "A=x"], "at least two choices"),
        (["Is Sam soft?", "--model", "m", "--post", "magic"], "there is no post-processor 'magic'"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_code_2(cli: Any, arguments: list[str], words: str) -> None:
    ran = cli("ask", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err and len(ran.err.splitlines()) == 1


PROGRAM_SCHEMA = json.loads((ROOT / "docs" / "schema" / "program-v1.json").read_text("utf-8"))
HEAD = """(declare-sort P 0)(declare-fun human (P) Bool)(declare-fun mortal (P) Bool)
(declare-const soc P)(declare-const zeus P)
(assert (! (forall ((x P)) (=> (human x) (mortal x))) :named rule :sentence 1))
(assert (! (human soc) :named fact :world "Socrates was a man."))
"""
JSON_PROGRAM = {
    "sorts": [{"name": "P", "type": "DeclareSort"}],
    "functions": [{"name": "human", "domain": ["P"], "range": "Bool"}],
    "constants": {"people": {"sort": "P", "members": ["soc"]}},
    "knowledge_base": ["human(soc)"],
    "verifications": [{"name": "v", "constraint": "human(soc)"}],
}
PROGRAMS: dict[str, tuple[str, Any, str, int]] = {
    "yes.smt2": (HEAD + "(define-fun goal () Bool (mortal soc))", True, "proved", 0),
    "no.smt2": (HEAD + "(assert (mortal soc))(define-fun goal () Bool (not (mortal soc)))", False, "refuted", 3),
    "open.smt2": (HEAD + "(define-fun goal () Bool (mortal zeus))", None, "unknown", 1),
    "clash.smt2": (HEAD + "(assert (not (human soc)))(define-fun goal () Bool (mortal zeus))", None, "inconsistent", 4),
    "broken.smt2": (HEAD + "\n(assert (human plato))", None, "invalid", 2),
    "best.smt2": ("(declare-const x Real)(assert (<= (* 2 x) 7.0))(maximize (+ x 0.0))", "7/2", "proved", 0),
    "choice.smt2": (
        HEAD + "(define-fun goal-A () Bool (mortal zeus))(define-fun goal-B () Bool (mortal soc))",
        "B",
        "proved",
        0,
    ),
    "human.json": (json.dumps(JSON_PROGRAM), True, "proved", 0),
    "wrong.json": (json.dumps(JSON_PROGRAM | {"actions": ["run"]}), None, "invalid", 2),
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, (text, *_) in PROGRAMS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_each_verdict_has_its_exit_code_and_fits_the_published_schema(cli: Any, files: Path) -> None:
    ran = cli("ask", "--json", "--program", *PROGRAMS, "missing.smt2")
    results = ran.objects()
    assert [r["file"] for r in results] == [*PROGRAMS, "missing.smt2"]
    for result, (_, answer, verdict, code) in zip(results, PROGRAMS.values(), strict=False):
        jsonschema.validate(result, PROGRAM_SCHEMA)
        found = (result["answer"], result["verdict"], result["exit_code"])
        assert found == (answer, verdict, code), result["reason"]
    assert "No such file" in results[-1]["reason"]
    assert ran.code == 2, "the worst of several is the code of the whole"
    assert [p["origin"] for p in results[0]["core"]] == ["text", "world"]
    assert results[2]["model"]["mortal"]["zeus"] is False
    assert (results[4]["location"]["line"], results[4]["location"]["column"]) == (6, 16)
    assert results[5]["optimum"] == "7/2"
    assert results[8]["location"]["path"] == "actions[0]"


def test_the_language_is_told_by_the_suffix_the_first_character_or_the_flag(cli: Any, files: Path) -> None:
    json_text, smt_text = PROGRAMS["human.json"][0].encode(), PROGRAMS["yes.smt2"][0].encode()
    for text in (json_text, smt_text):
        assert cli("ask", "--program", "-", "--json", "--no-confirm", stdin=text).objects()[0]["answer"] is True
    (files / "text.txt").write_bytes(json_text)
    assert cli("ask", "--program", "text.txt", "--backend", "json", "--no-confirm").code == 0
    assert cli("ask", "--program", "text.txt", "--backend", "smt2").code == 2


def test_a_folder_is_searched_for_programs_of_both_languages(cli: Any, files: Path) -> None:
    found = cli("ask", "--program", files, "--json").objects()
    assert sorted(Path(r["file"]).name for r in found) == sorted(PROGRAMS)
    assert cli("ask", "--program", files / "none").code == 2


def test_readings_worlds_and_limits_are_options_and_the_result_says_which(cli: Any, files: Path) -> None:
    (files / "hard.smt2").write_text(
        "(declare-const a Int)(declare-const b Int)(declare-const c Int)"
        "(assert (= (+ (* a a a) (* b b b) (* c c c)) 114))",
        "utf-8",
    )
    (seed,) = cli("ask", "--program", "open.smt2", "--semantics", "satisfiability", "--json").objects()
    assert (seed["answer"], seed["semantics"]) == (True, "satisfiability")
    closed = cli("ask", "--program", "open.smt2", "--world", "closed", "--no-confirm")
    assert closed.code == 3
    assert "mortal(zeus) does not follow [closed world]" in closed.out
    assert "in a closed world" in closed.out
    assert "trust level" not in closed.out
    (hard,) = cli("ask", "--program", "hard.smt2", "--verify-timeout", "300", "--json").objects()
    assert (hard["verdict"], hard["exit_code"]) == ("unknown", 1)
    assert "timeout" in hard["reason"]


@pytest.mark.parametrize(
    "flags", [("--verify-timeout", "0"), ("--semantics", "vague"), ("--backend", "prolog"), ("--jobs", "0")]
)
def test_a_flag_that_makes_no_sense_is_refused(cli: Any, files: Path, flags: tuple[str, str]) -> None:
    assert cli("ask", "--program", "yes.smt2", *flags).code == 2
