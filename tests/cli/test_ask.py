"""``ask "..."`` as a person or a script meets it: what is printed, with which exit code, and the run afterwards."""

from __future__ import annotations

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
    assert "soft(sam)" in cli("show", run["run_id"]).out
    assert "correct (4)  corrector" in cli("graph", "--questions").out
    assert "Sam is a cat." in cli("trace", run["run_id"], "--format", "conversation").out
    (certificate,) = [line.removeprefix("certificate: ") for line in lines if line.startswith("certificate: ")]
    checked = cli("check", certificate)
    assert (checked.code, checked.out.split()[0]) == (0, "proved")
    again = cli("ask", "Is Sam soft?", "--context", "text.md", *flags(server), "--out", "proofs", "--json")
    (elsewhere,) = (tmp_path / "proofs").iterdir()
    assert (again.objects()[0]["certificate"], server.calls) == (str(elsewhere.relative_to(tmp_path)), 1)
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
