"""The program in a model's reply: whatever it is wrapped in, whole or not at all."""

from __future__ import annotations

import contextlib
import json

import pytest

from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.questions.writer import program_in

DECLARED = "(declare-sort T 0)\n(declare-const sam T)\n(declare-fun soft (T) Bool)"
ASKED = "(assert (! (soft sam) :named p1 :sentence 1))\n(define-fun goal () Bool (soft sam))"
WHOLE = f"{DECLARED}\n{ASKED}"
JSON = '{"constants": {"f": {"sort": "Bool", "members": ["p"]}}, "knowledge_base": ["p"], "goal": "p"}'


def fenced(text: str, tag: str = "smt2") -> str:
    return f"```{tag}\n{text}\n```"


def test_the_last_whole_program_counts_not_a_draft_nor_a_piece_after_it() -> None:
    draft = WHOLE.replace("(soft sam))\n", "(not (soft sam)))\n")
    piece = "(assert\n  (! (soft sam) :named p1 :sentence 1))"
    reply = "\n".join([fenced(draft), "Better:", fenced(WHOLE), "Its main part:", fenced(piece)])
    assert program_in(Reply(reply), "smt2") == WHOLE


def test_a_premise_behind_the_program_is_not_lost_without_a_word() -> None:
    reply = f"{fenced(WHOLE)}\nAnd one more premise:\n{fenced('(assert (! (soft sam) :named p9 :sentence 2))')}"
    with pytest.raises(UnusableReply, match="put the whole program into one block"):
        program_in(Reply(reply), "smt2")


def test_pieces_that_are_a_program_only_together_are_put_together() -> None:
    reply = f"First the sorts:\n{fenced(DECLARED)}\nThen the rest:\n{fenced(ASKED)}"
    assert program_in(Reply(reply), "smt2") == WHOLE


@pytest.mark.parametrize("reply", ["", "I cannot answer this.", "```smt2\n```", "<think>(assert true)"])
@pytest.mark.parametrize("backend", ["smt2", "json"])
def test_a_reply_without_a_program_says_so(reply: str, backend: str) -> None:
    with pytest.raises(UnusableReply, match="holds no"):
        program_in(Reply(reply), backend)


def test_a_reply_cut_off_in_the_middle_is_no_program() -> None:
    with pytest.raises(UnusableReply, match="cut off"):
        program_in(Reply(f"```smt2\n{DECLARED}\n(assert (so"), "smt2")
    with pytest.raises(UnusableReply, match="cut off"):
        program_in(Reply(WHOLE, finish="length"), "smt2")
    assert program_in(Reply(f"{fenced(WHOLE)}\nAnd in wor", finish="length"), "smt2") == WHOLE


@pytest.mark.parametrize("reply", [fenced(JSON, "json"), fenced(JSON, ""), f"So: {JSON} That is all."])
def test_json_is_found_in_a_fence_or_bare(reply: str) -> None:
    assert program_in(Reply(reply), "json") == JSON


def test_of_two_json_objects_the_last_one_that_is_a_program_counts() -> None:
    example = '{"name": "p1", "assertion": "p"}'
    reply = "\n".join([fenced(JSON, "json"), "where a premise is", fenced(example, "json")])
    assert program_in(Reply(reply), "json") == JSON


@pytest.mark.timeout(20)
@pytest.mark.parametrize("reply", ["(" * 100_000, '"' * 100_001, "```smt2\n(\n```\n" * 20_000, "{" * 100_000])
def test_a_huge_reply_is_read_in_the_time_of_a_small_one(reply: str) -> None:
    for backend in ("smt2", "json"):
        with contextlib.suppress(UnusableReply):
            assert len(program_in(Reply(reply), backend)) <= len(reply)


@pytest.mark.parametrize(
    "reply",
    [
        fenced(JSON, "json"),
        f"Here it is: {JSON} Does {{this}} help?",
        fenced(JSON.replace('"p"], "goal"', '"p",], "goal"'), "json"),
        fenced(JSON.replace('"goal"', '/* asked */ "goal"'), "jsonc"),
        fenced(f"// the program\n{JSON}", "json"),
        fenced(JSON.replace('"', "'"), "json5"),
        fenced(f"program = {JSON}", "python"),
        fenced(f'{{"program": {JSON}}}', "json"),
        f"{fenced(JSON, 'json')}\nOf it:\n{fenced('{}', 'json')}",
    ],
)
def test_a_program_in_json_is_read_past_what_programmers_add_to_it(reply: str) -> None:
    assert json.loads(program_in(Reply(reply), "json")) == json.loads(JSON)
