"""``prove --informal`` as a person meets it: what is asked, what is printed, how the proof is checked afterwards."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
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


def test_without_a_model_or_a_terminal_the_message_says_what_to_do(cli: Any, server: Server) -> None:
    ran = cli("prove", "--informal", CLAIM)
    assert ran.code == 2
    assert "give --model NAME" in ran.out
    ran = cli("prove", "--informal", "--confirm", CLAIM, *flags(server))
    assert ran.code == 2
    assert "--confirm needs a terminal" in ran.err
    assert cli("prove", "--confirm", "x.smt2").code == 2
    assert cli("prove", "--informal", CLAIM, "--context", "none.smt2", *flags(server)).code == 2
    assert server.calls == 0


@pytest.mark.whole("autoformalizer/test_command.py::test_a_person_at_a_terminal_has_the_last_word")
@pytest.mark.parametrize(
    ("answer", "code", "word"), [("y", 0, "proved"), ("n", 1, "declined"), ("\x04", 1, "declined")]
)
def test_a_person_at_a_terminal_is_asked(
    home: Path, tmp_path: Path, server: Server, answer: str, code: int, word: str
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "goedels_poetry", "prove", "--informal", "--confirm", CLAIM, *flags(server)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=tmp_path,
        env=os.environ | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm"},
    )
    os.close(theirs)
    shown = _until(ours, "[y/N]")
    assert "(prove (forall ((x Nat)) (= (plus x zero) x)))" in shown
    assert "zero is neutral" in shown
    os.write(ours, answer.encode() + (b"\n" if answer.isalpha() else b""))
    _until(ours, None)
    os.close(ours)
    out = process.communicate(timeout=60)[0].decode()
    assert (process.returncode, word in out) == (code, True), out


def _until(terminal: int, word: str | None, seconds: float = 60) -> str:
    """What the terminal shows until ``word``; None: until nobody writes any more."""
    shown = ""
    end = time.monotonic() + seconds
    while word is None or word not in shown:
        assert time.monotonic() < end, shown
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            break
    return shown
