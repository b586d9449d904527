"""Folders and results that are not as they should be: one plain line with what, where and what to do."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from called import call
from model_server import Answer, Server
from scripted_models import DOUBLE, every_role

from goedels_poetry.evaluation import BadData, Outcome
from goedels_poetry.evaluation.outcome import read_outcomes
from goedels_poetry.evaluation.runner import AnswerLog, check_answer

THEOREM = "(declare-const p Bool)\n(prove (or p (not p)))\n"
Bench = Callable[..., tuple[int, str, str]]
RESULT = Outcome("t.smt2", "0" * 16, "theorems", "true", "true").to_json()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.smt2").write_text(THEOREM)
    (tmp_path / "good.jsonl").write_text(json.dumps(RESULT) + "\n")

    def run(*words: str) -> tuple[int, str, str]:
        return call(["bench", *words], monkeypatch, capsys, {"GOEDELS_POETRY__HOME": str(tmp_path / "home")})

    return run


def test_a_folder_for_answers_that_is_none_is_named(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "lost").symlink_to("nowhere")
    for name, what in (("file", "no folder"), ("pipe", "no folder"), ("lost", "a link that leads nowhere")):
        code, out, err = bench("t.smt2", "--out", name)
        assert (code, out) == (2, "")
        assert err == f"{name} is {what}, and answers and report need one: name another place (--out)\n"
    code, _, err = bench("t.smt2", "--out", "file/below")
    assert code == 2 and "Not a directory; name another place (--out)" in err
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("predicted", "galactic"), ("sample", None), ("tokens", "many"), ("tags", 7), ("mistakes", [1]),
        ("seconds", None), ("score", "high"), ("reason", None), ("money", float("nan")), ("repeated", 1),
        ("tokens", 10**400), ("money", 10**400), ("score", 10**400), ("seconds", -1.0),
        ("correct", False), ("correct", "yes"), ("score", 5), ("score", -0.1), ("level", "superb"), ("sample", True),
        ("attempts", True), ("seconds", True), ("mistakes", {"kind": True}),
    ],
)  # fmt: skip
def test_a_result_of_another_shape_is_named_with_its_line(bench: Bench, tmp_path: Path, field: str, value: Any) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(RESULT) + "\n" + json.dumps(RESULT | {field: value}) + "\n")
    with pytest.raises(BadData, match=rf"results\.jsonl:2: .*{field}"):
        read_outcomes(file)
    code, _, err = bench("results.jsonl")
    assert code == 2 and err.startswith("results.jsonl:2: ") and field in err


def test_answers_of_another_version_are_asked_again_and_the_rest_is_kept(bench: Bench, tmp_path: Path) -> None:
    assert bench("t.smt2", "--out", "out", "--quiet")[0] == 0
    log = tmp_path / "out" / "answers.jsonl"
    (good,) = map(json.loads, log.read_text().splitlines())
    result = good["result"]
    for bad in (
        good | {"result": None},
        good | {"result": result | {"verdict": "galactic"}},
        good | {"result": result | {"costs": None}},
        good | {"result": result | {"costs": {"calls": "many"}}},
        good | {"result": result | {"history": [{"mistake": 1, "times": "often"}]}},
        good | {"seconds": float("nan")},
        {name: value for name, value in good.items() if name != "result"},
    ):
        log.write_text(json.dumps(bad) + "\n" + json.dumps(good | {"key": "another"}) + "\n")
        with AnswerLog(log, read=check_answer) as opened:
            assert opened.get(good["key"]) is None and opened.get("another") is not None
            assert opened.notes == (
                f"{log}: 1 line cannot be read, damaged or of another version; what they answer is asked again",
            )
    code, out, err = bench("t.smt2", "--out", "out")
    assert code == 0 and "|     1 |       1 |      1 |" in out, (out, err)
    assert len(log.read_text().splitlines()) == 3


def test_what_a_model_could_not_be_asked_about_is_an_error_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "double.smt2").write_text(DOUBLE)
    env = {"GOEDELS_POETRY__HOME": str(tmp_path / "home"), "GOEDELS_POETRY__SYMBOLIC_QUERIES": "0"}
    env["GOEDELS_POETRY__MODELS__DEFAULT__RETRIES"] = "0"
    line = ["bench", "double.smt2", "--out", "made", "--json", "--model", "m", "--timeout", "60s", "--base-url"]
    with Server([Answer(status=503, body="{}")]) as server:
        code, out, _ = call([*line, server.url], monkeypatch, capsys, env)
    assert code == 1 and json.loads(out)["errors"] == 1
    (answer,) = (json.loads(line) for line in (tmp_path / "made" / "answers.jsonl").read_text().splitlines())
    assert "no answer from m at" in answer["error"]
    with Server(every_role, server.port):
        code, out, _ = call([*line, server.url], monkeypatch, capsys, env)
    assert code == 0 and json.loads(out)["errors"] == 0
