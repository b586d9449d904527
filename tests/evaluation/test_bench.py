"""The command ``bench`` with a real server behind it: questions to figures, resumed, compared, and pass@k of proofs."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.cli.bench import bench
from goedels_poetry.cli.requests import Bench

ROOT = Path(__file__).parents[2]

from model_server import Answer, Server  # noqa: E402

SCHEMA = json.loads((ROOT / "docs" / "schema" / "bench-v1.json").read_text("utf-8"))
TEXT = "Every lark sings.\nPip is a lark.\nRex is here."
ROWS = [
    {"id": "../../escape", "premises": TEXT, "conclusion": "Pip sings.", "label": "True"},
    {"id": "no", "premises": TEXT, "conclusion": "Pip is silent.", "label": "False"},
    {"id": "open", "premises": TEXT, "conclusion": "Rex sings.", "label": "Uncertain"},
    {"id": "wrong", "premises": TEXT, "conclusion": "Pip is a lark.", "label": "False"},
    {"id": "mute", "premises": TEXT, "conclusion": "Pip is grey.", "label": "True"},
]
GOALS = {
    "Pip sings.": "(sings pip)",
    "Pip is silent.": "(not (sings pip))",
    "Rex sings.": "(sings rex)",
    "Statement: Pip is a lark.": "(lark pip)",
}
MUTE = Answer("I do not know.")
ONCE = {"attempts": 1, "no_judge": True}
"""One request a question."""
PROGRAM = """```smt2
(declare-sort Thing 0)
(declare-fun lark (Thing) Bool)
(declare-fun sings (Thing) Bool)
(declare-const pip Thing)
(declare-const rex Thing)
(assert (! (forall ((x Thing)) (=> (lark x) (sings x))) :named p1 :sentence 1))
(assert (! (lark pip) :named p2 :sentence 2))
(define-fun goal () Bool {})
```"""


def scripted(asked: dict[str, Any]) -> Answer:
    said = str(asked["messages"])
    goal = next((goal for words, goal in GOALS.items() if words in said), None)
    return Answer(PROGRAM.format(goal)) if goal is not None else MUTE


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(scripted) as running:
        yield running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(sys, "argv", ["goedels-poetry", "bench", "folio.jsonl"])


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "folio.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return str(file)


def asks(server: Server, data: str, tmp_path: Path, **more: Any) -> Bench:
    told = {"as_json": True, "out": tmp_path / "out", **more}
    return Bench(paths=[data], model="scripted", base_url=server.url, **told)


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_questions_through_a_server_become_figures_and_a_report(
    server: Server, data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(asks(server, data, tmp_path, jobs=2, **ONCE)) == 0
    found = printed(capsys)
    overall = found["overall"]
    assert overall["confusion"] == {
        "true": {"true": 1, "failed": 1},
        "false": {"true": 1, "false": 1},
        "uncertain": {"unknown": 1},
    }
    assert overall["accuracy"]["right"] == 3
    assert overall["coverage"]["right"] == 3
    assert (overall["uncertain"]["right"], overall["wrong_proved"]) == (1, ["wrong"])
    assert overall["calls"]["total"] == server.calls
    folder = tmp_path / "out"
    assert found["folder"] == str(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "answers.jsonl",
        "report.md",
        "results.jsonl",
        "summary.json",
    ]
    page = (folder / "report.md").read_text("utf-8")
    assert "60.0 % (23.1–88.2)" in page
    assert "`wrong`: true, gold false" in page

    # The same again: nobody is asked, the same figures.
    calls = server.calls
    assert bench(asks(server, data, tmp_path, **ONCE)) == 0
    again = printed(capsys)
    assert (server.calls, again["asked"]) == (calls, 0)
    assert again["overall"] == overall

    # The results can be looked at again, compared and counted.
    results = str(folder)
    assert bench(Bench(paths=[results, results], compare=True, as_json=True)) == 0
    pairs = printed(capsys)["overall"]
    assert (pairs["pairs"], pairs["difference"], pairs["p"]) == (5, 0, 1)
    assert bench(Bench(paths=[f"{results}/results.jsonl"], pass_at="1,2", as_json=True)) == 0
    assert printed(capsys)["pass_at"]["FOLIO"]["at"] == {"1": overall["accuracy"], "2": None}
    assert bench(Bench(paths=[results])) == 0
    assert "| FOLIO" in capsys.readouterr().out


def test_ctrl_c_finishes_what_is_under_way_and_says_how_to_go_on(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupts(asked: dict[str, Any]) -> Answer:
        if server.calls == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return MUTE

    with Server(interrupts) as server:
        assert bench(asks(server, data, tmp_path, **ONCE)) == 5
        said = capsys.readouterr()
        found = json.loads(said.out)
        jsonschema.validate(found, SCHEMA)
        assert (found["missing"], found["stopped"]) == (4, "interrupted")
        assert found["resume"] == "goedels-poetry bench folio.jsonl"
        assert "press Ctrl-C once more" in said.err
        server.script = [MUTE]
        assert bench(asks(server, data, tmp_path, **ONCE, total_calls=2)) == 5
        found = printed(capsys)
        assert (found["asked"], found["missing"]) == (1, 3)
        assert "2 model calls for the whole run" in found["stopped"]


def test_questions_that_no_server_answered_are_asked_again(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__MODELS__DEFAULT__RETRIES", "0")
    with Server([Answer(status=500, body="{}")]) as server:
        told = {"limit": 2, **ONCE}
        assert bench(asks(server, data, tmp_path, **told)) == 1
        found = printed(capsys)
        assert (found["errors"], found["overall"]["failures"]) == (2, {"failed": 2})
        server.script = [MUTE]
        assert bench(asks(server, data, tmp_path, **told)) == 0
        assert printed(capsys)["asked"] == 2


def test_theorems_are_proved_several_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    good = "(declare-const x Int)\n(assert (not (=> (> x 1) (> x 0))))\n(check-sat)\n"
    (folder / "good.smt2").write_text(good, "utf-8")
    (folder / "bad.smt2").write_text(good.replace("(> x 0)", "(> x 2)"), "utf-8")
    (folder / "broken.smt2").write_text("(assert", "utf-8")
    told = {"pass_at": "1,2", "as_json": True, "out": tmp_path / "out", "timeout": 20.0}
    assert bench(Bench(paths=[str(folder)], **told)) == 0  # type: ignore[arg-type]
    found = printed(capsys)
    assert found["kind"] == "proofs"
    assert (found["pass_at"]["set"]["samples"], found["pass_at"]["set"]["solved"]) == ([2, 2], 1)
    assert found["pass_at"]["set"]["at"]["2"]["value"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["overall"]["confusion"] == {"true": {"true": 2, "false": 2, "invalid": 2}}


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Bench(paths=["absent.jsonl"]), "absent.jsonl: No such file"),
        (Bench(paths=["{data}"]), "needs a language model"),
        (Bench(paths=["{data}"], compare=True), "--compare needs two results or more"),
        (Bench(paths=["{data}"], pass_at="0"), "--pass-at '0'"),
        (Bench(paths=["{data}"], dataset="nothing"), "there is no data set format 'nothing'"),
        (Bench(paths=["{data}", "{data}"], compare=True), "is this a results.jsonl that bench wrote?"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    request_: Bench, message: str, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [path.format(data=data) for path in request_.paths]
    told = {"dataset": request_.dataset, "pass_at": request_.pass_at, "compare": request_.compare}
    assert bench(Bench(paths=paths, **told)) == 2  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
