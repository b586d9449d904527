"""``prove --informal`` as a person meets it: what is asked, what is printed, how the proof is checked afterwards."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from model_server import Answer, Server

ROOT = Path(__file__).parents[2]

SCHEMA = json.loads((ROOT / "docs" / "schema" / "result-v1.json").read_text("utf-8"))
FORMAL = """(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ m) (succ (plus m y))))))
(prove (forall ((x Nat)) (= (plus x zero) x)))"""
CLAIM = "adding zero on the right changes nothing"


def model(asked: dict[str, Any]) -> Answer:
    text = str(asked["messages"][-1]["content"])
    if "State the claim below formally" in text:
        return Answer(f"```smt2\n{FORMAL}\n```")
    if "Say in plain words what this formal statement states" in text:
        return Answer('{"words": "for every natural number, adding zero to it gives that number"}')
    return Answer('{"reason": "zero is neutral", "same": true}')


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(model) as running:
        yield running


def flags(server: Server) -> list[str]:
    return ["--model", "scripted", "--base-url", server.url]


def test_the_formal_statement_is_printed_and_the_certificate_is_checked_against_it(
    cli: Any, program: Any, server: Server
) -> None:
    ran = program("prove", "--informal", CLAIM, "--language", "smt", *flags(server), "--out", "proofs")
    assert ran.code == 0, ran.err
    assert all(line in ran.out for line in FORMAL.splitlines())
    assert "the verdict is about this formal statement, not about the words" in ran.out
    command = re.search(r"check it: goedels-poetry (check .*)", ran.out)
    assert command is not None
    assert cli(*command[1].split()).code == 0
    again = cli("prove", "--informal", CLAIM, "--json", *flags(server))
    (result,) = again.objects()
    jsonschema.validate(result, SCHEMA)
    assert (result["skipped"], result["formalization"]["formal"], server.calls) == (True, FORMAL, 4)
    assert "formalized" in cli("trace", result["run_id"]).out
    assert CLAIM in cli("trace", result["run_id"], "--format", "conversation").out
    assert "formal statement by a model (1 attempt" in cli("show", result["run_id"]).out


def test_claims_come_from_arguments_files_folders_and_standard_input(cli: Any, server: Server, tmp_path: Path) -> None:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "one.md").write_text(CLAIM)
    (tmp_path / "claims" / "two.txt").write_text("zero is neutral")
    limit = ["--json", "--max-steps", "2", *flags(server)]
    ran = cli("prove", "--informal", "claims", "-", "some  words", "none.txt", *limit, stdin=b"x + 0 = x")
    found = {result["input"]: result for result in ran.objects()}
    assert list(found) == ["claims/one.md", "claims/two.txt", "-", "some words", "none.txt"]
    assert found["-"]["formalization"]["informal"] == "x + 0 = x"
    assert found["none.txt"]["verdict"] == "invalid"
    assert found["some words"]["verdict"] == "out_of_budget"
    assert "'some words' --resume --informal" in found["some words"]["resume"]
