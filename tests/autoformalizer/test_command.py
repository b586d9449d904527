"""The command for informal claims, and the items it works on."""

import io
import json
import os
import pty
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_claims import CLAIM, WORDS, ZERO, Answer, Script, Server, block

from goedels_poetry.autoformalizer import BadItems, Item, load_items, read_item
from goedels_poetry.cli import main

ITEMS = [{"id": "good", "statement": CLAIM}, {"id": "a/b c", "statement": f"bad: {CLAIM}"}]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Call the command in an empty directory: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: Any) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["goedels-poetry", "formalize", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert isinstance(ended.value.code, int)
        return ended.value.code, out, err

    return call


@pytest.fixture
def server() -> Iterator[Server]:
    def model(asked: dict[str, Any]) -> Answer:
        if "bad: " in str(asked["messages"][-1]["content"]):
            return Answer("I cannot say it.")
        return Script([block(ZERO, "smt2")])(asked)

    with Server(model) as running:
        yield running


def flags(server: Server) -> list[str]:
    return ["--model", "scripted", "--base-url", server.url, "--quiet"]


def test_a_claim_is_printed_with_its_statement_and_what_was_tested(run: Any, server: Server, tmp_path: Path) -> None:
    code, out, _ = run(CLAIM, *flags(server), "--out", "formal")
    assert code == 0, out
    assert out.startswith("formalized  adding zero")
    assert all(line in out for line in ZERO.splitlines())
    assert f"put back into words: {WORDS}" in out
    assert "test counterexample: passed" in out
    (file,) = (tmp_path / "formal").glob("*.smt2")
    assert file.read_text() == ZERO
    assert f"goedels-poetry prove formal/{file.name}" in out
    record = json.loads(file.with_suffix(".json").read_text())
    assert (record["success"], record["formal"], record["judged"], record["schema"]) == (True, ZERO, True, 1)


def test_a_data_set_has_one_record_an_item_and_the_exit_code_of_the_worst(
    run: Any, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text("".join(f"{json.dumps(item)}\n" for item in ITEMS))
    code, out, _ = run("--file", file, *flags(server), "--json", "--jobs", 2, "--out", "formal")
    found = {row["id"]: row for row in map(json.loads, out.splitlines())}
    assert (code, {name: row["exit_code"] for name, row in found.items()}) == (1, {"good": 0, "a/b c": 1})
    assert {error["category"] for error in found["a/b c"]["errors_encountered"]} == {"unreadable"}
    summary = json.loads((tmp_path / "formal" / "summary.json").read_text())
    assert (summary["items"], summary["successes"]) == (2, 1)
    assert sorted(path.suffix for path in (tmp_path / "formal").iterdir()) == [".json", ".json", ".json", ".smt2"]
    calls = server.calls
    code, out, _ = run("--file", file, *flags(server))
    assert (code, server.calls) == (1, calls), "what is done is not asked for again"
    assert out.splitlines()[-1] == "1 of 2 formalized; rejected: unreadable 5"


def test_what_keeps_the_command_from_beginning_is_said_in_one_line(run: Any, server: Server, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"statement": "S"}\n{"statement": 3}\n')
    for arguments, said in (
        ([CLAIM], "give --model NAME"),
        (flags(server), "there is no claim"),
        (["--file", "bad.jsonl", *flags(server)], "bad.jsonl:2:"),
        (["--file", "none.jsonl", *flags(server)], "No such file"),
        ([CLAIM, "--language", "coq", *flags(server)], "no proof language 'coq'"),
        ([CLAIM, "--context", "none.smt2", *flags(server)], "none.smt2"),
        ([CLAIM, "--confirm", *flags(server)], "--confirm needs a terminal"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert said in err
        assert len(err.strip().splitlines()) == 1
    assert server.calls == 0


@pytest.mark.parametrize(("answer", "code", "word"), [("y", 0, "confirmed"), ("n", 1, "declined")])
def test_a_person_at_a_terminal_has_the_last_word(
    run: Any, server: Server, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, word: str
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    with os.fdopen(theirs, "r", encoding="utf-8") as terminal:
        monkeypatch.setattr("goedels_poetry.cli.inputs.can_ask", lambda: True)
        with monkeypatch.context() as patch:
            patch.setattr("goedels_poetry.cli.inputs.sys.stdin", terminal)
            monkeypatch.setattr(io, "StringIO", lambda: terminal)
            ended, out, err = run(CLAIM, *flags(server), "--confirm")
    os.close(ours)
    assert (ended, word in out) == (code, True), out
    assert "(prove (forall ((x Nat)) (= (plus x zero) x)))" in err


def test_an_item_is_a_statement_with_steps_nested_or_flat_or_a_text() -> None:
    nested = {"id": "a", "english": {"statement": "S", "steps": ["one", "two"]}, "tags": ["x"]}
    flat = {"id": "a", "statement": "S", "steps": ["one", "two"]}
    assert read_item(nested) == read_item(flat) == Item("a", "S", ("one", "two"))
    assert read_item("S", "7") == Item("7", "S")
    assert read_item({"id": 3, "english": "S", "context": "def x := 1"}) == Item("3", "S", (), "def x := 1")


BAD = {
    "{}": 'no "statement"',
    '{"statement": " "}': "empty",
    '{"statement": 3}': "a number",
    '{"statement": null}': "null",
    '{"english": [1]}': '"english" is an object',
    '{"statement": "S", "steps": [1]}': '"steps" is a text',
    '{"statement": "S", "steps": {"a": 1}}': "list of at most",
    '{"statement": "S", "id": true}': '"id"',
    '{"statement": "%s"}' % ("x" * 30_000): "longer than",
    "[1]": "an object or a text",
    "{'statement': 1}": "not JSON",
    '{"statement": "half': "not JSON",
}


@pytest.mark.parametrize("row", BAD, ids=range(len(BAD)))
def test_a_bad_line_is_named_with_its_number_and_what_is_wrong(tmp_path: Path, row: str) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text(f'{{"statement": "good"}}\n\n{row}\n')
    with pytest.raises(BadItems) as problem:
        load_items(file)
    assert str(problem.value).startswith(f"{file}:3:")
    assert BAD[row] in str(problem.value)


def test_ids_are_given_once_and_a_file_has_items(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text('{"id": "a", "statement": "S"}\n"T"\n{"id": "a", "statement": "U"}\n')
    with pytest.raises(BadItems, match=r":3: the id 'a' stands in line 1 already"):
        load_items(file)
    file.write_text("\n\n")
    with pytest.raises(BadItems, match="no items"):
        load_items(file)
    file.write_bytes(b'{"statement": "S"}\n{"statement": "\xff"}\n')
    with pytest.raises(BadItems, match=r":2: not text in UTF-8"):
        load_items(file)
    with pytest.raises(BadItems, match="No such file"):
        load_items(tmp_path / "none.jsonl")
