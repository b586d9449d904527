"""What was found is looked at again: `runs`, `trace`, `serve`, `examples`, premises."""

import http.client
import json
import signal
import socket
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from goedels_poetry.cli.examples import files_below
from goedels_poetry.cli.premises import look_up
from goedels_poetry.cli.tools import Premises
from goedels_poetry.files import shipped


@pytest.fixture
def run_id(cli: Any, theorems: Path) -> str:
    (result,) = cli("prove", theorems / "mirror_twice.smt2", "--json").objects()
    return str(result["run_id"])


def test_a_run_can_be_listed_shown_and_traced(cli: Any, run_id: str) -> None:
    listed = cli("runs").out
    assert run_id in listed
    assert "mirror_twice.smt2" in listed
    shown = cli("show", run_id[:6])
    assert shown.code == 0
    assert "structural-induction" in shown.out
    assert "1 proof attempt, 0 failed sketches" in shown.out
    page = json.loads(cli("show", run_id, "--json").out)
    assert page["result"]["verdict"] == "proved"
    assert page["nodes"][0]["history"]
    events = cli("trace", run_id).objects()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["run_id"] for event in events} == {run_id}
    middle = next(event["seq"] for event in events if event["outcome"].startswith("decomposed"))
    then = json.loads(cli("show", run_id, "--json", "--at", str(middle)).out)
    assert {node["status"] for node in then["nodes"]} == {"open"}
    assert len(then["nodes"]) == len(page["nodes"])
    assert len(cli("trace", run_id, "--at", "3").objects()) == 3
    mermaid = cli("trace", run_id, "--format", "mermaid").out
    assert mermaid.startswith("flowchart TD")
    assert mermaid.count("-->") == len(page["nodes"]) - 1
    assert cli("trace", run_id, "--format", "dot").out.startswith("digraph")


def test_unknown_runs_are_named(cli: Any) -> None:
    for command in (("show", "nonsense"), ("trace", "nonsense"), ("show", "../../etc")):
        ran = cli(*command)
        assert ran.code == 2
        assert command[1] in ran.err
    assert "no runs in" in cli("runs").out


def test_doctor_tries_both_solvers(cli: Any) -> None:
    ran = cli("doctor", "--json")
    assert ran.code == 0
    found = {finding["what"]: finding for finding in ran.objects()}
    assert "answers" in found["z3"]["found"]
    assert "answers" in found["cvc5"]["found"]
    assert found["models"]["found"].startswith("none")


def test_a_data_directory_that_cannot_be_used_is_a_line(cli: Any, tmp_path: Path, theorems: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    env = {"GOEDELS_POETRY__HOME": str(tmp_path / "file" / "home")}
    ran = cli("prove", theorems / "average.smt2", "--json", env=env)
    (result,) = ran.objects()
    assert (ran.code, result["verdict"], result["error"]["kind"]) == (74, None, "storage")
    assert "file" in result["reason"]
    assert cli("doctor", env=env).code == 1
    out = cli("prove", theorems / "average.smt2", "--json", "--out", "file/proofs")
    assert out.code == 2
    assert "file/proofs" in out.err


FALSE = "(prove (forall ((x Int)) (= x (+ x 1))))"


@pytest.fixture
def two_runs(cli: Any, theorems: Path, tmp_path: Path) -> tuple[str, str]:
    """A theorem that is proved by a sketch, and one that is false."""
    (tmp_path / "false.smt2").write_text(FALSE)
    found = cli("prove", theorems / "swap_twice.smt2", "false.smt2", "--json").objects()
    assert [result["verdict"] for result in found] == ["proved", "refuted"]
    return found[0]["run_id"], found[1]["run_id"]


def test_the_page_is_one_file_that_asks_nobody(cli: Any, two_runs: tuple[str, str], tmp_path: Path) -> None:
    ran = cli("trace", two_runs[0][:8], "--html", "run.html")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    page = (tmp_path / "run.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert two_runs[0] in page
    assert "default-src &#x27;none&#x27;" in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page
    assert not stat.S_IMODE((tmp_path / "run.html").stat().st_mode) & 0o111
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_a_page_that_cannot_be_written_is_a_line(cli: Any, two_runs: tuple[str, str]) -> None:
    ran = cli("trace", two_runs[0], "--html", "missing/run.html")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot write missing/run.html" in ran.err
    assert cli("trace", "nonsense", "--html", "run.html").code == 2


def test_two_runs_side_by_side(cli: Any, two_runs: tuple[str, str]) -> None:
    a, b = two_runs
    table = cli("trace", "--compare", a, b).out
    assert "different theorems" in table
    assert {a, b, "proved", "refuted"} <= set(table.split())
    assert "first difference: goal 0" in table
    (found,) = cli("trace", "--compare", a, b, "--json").objects()
    assert (found["schema"], found["same_theorem"]) == (1, False)
    assert (found["a"]["verdict"], found["b"]["verdict"]) == ("proved", "refuted")
    assert found["proved_in_a_only"]["count"] == found["a"]["figures"]["proved"] >= 1
    assert found["parting"]["a"]["seq"] == found["parting"]["b"]["seq"]
    assert found["parting"]["a"]["outcome"] != found["parting"]["b"]["outcome"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("RUN", "--compare", "RUN", "RUN"),
        ("RUN", "--json"),
        ("RUN", "--html", "x.html", "--format", "dot"),
        ("RUN", "--html", "x.html", "--at", "1"),
        ("--compare", "RUN", "RUN", "--at", "1"),
        ("--compare", "RUN"),
        ("--compare", "RUN", "nonsense"),
    ],
)
@pytest.mark.sample(3)
def test_options_that_do_not_go_together_are_refused(
    cli: Any, two_runs: tuple[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = cli("trace", *(two_runs[0] if word == "RUN" else word for word in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
    assert not (tmp_path / "x.html").exists()


def test_ctrl_c_ends_it_and_its_runs_can_be_resumed(cli: Any, home: Path, theorems: Path) -> None:
    import os

    env = os.environ | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        [sys.executable, "-m", "goedels_poetry", "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    url = urlsplit(process.stdout.readline().strip())
    assert (url.hostname, url.path) == ("127.0.0.1", "/")
    assert "Ctrl-C" in process.stdout.readline()
    client = http.client.HTTPConnection("127.0.0.1", url.port or 0, timeout=60)
    hard = (theorems / "odd_perfect.smt2").read_text("utf-8")
    headers = {"Authorization": f"Bearer {url.query.partition('=')[2]}", "Content-Type": "application/json"}
    client.request("POST", "/api/runs", json.dumps({"text": hard, "name": "odd"}), headers)
    begun = client.getresponse()
    assert begun.status == 201
    run_id = json.loads(begun.read())["run_id"]
    client.close()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out == ""
    (run,) = cli("runs", "--json").objects()
    assert (run["run_id"], run["status"], run["verdict"]) == (run_id, "stopped", "out_of_budget")
    (again,) = cli("prove", theorems / "odd_perfect.smt2", "--resume", "--timeout", "1", "--json").objects()
    assert again["run_id"] == run_id


def test_a_port_that_is_taken_is_a_line(cli: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = cli("serve", "--port", str(taken.getsockname()[1]))
    assert ran.code == 2
    assert "--port 0" in ran.err


@pytest.mark.parametrize(("command", "missing"), [("serve", "starlette"), ("serve", "uvicorn"), ("mcp", "mcp")])
def test_without_the_extra_it_says_what_to_install(
    cli: Any, monkeypatch: pytest.MonkeyPatch, command: str, missing: str
) -> None:
    ours = ("goedels_poetry.serve", "goedels_poetry.interfaces", missing)
    for name in [name for name in sys.modules if name.startswith(ours)]:
        monkeypatch.delitem(sys.modules, name)
    import goedels_poetry

    monkeypatch.delattr(goedels_poetry, "serve", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    ran = cli(command)
    assert (ran.code, f"prover[{command}]" in ran.err) == (2, True)
    assert missing in ran.err


ROOT = Path(__file__).parents[2]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): (folder / path).read_bytes() for path in files_below(folder)}


def test_the_examples_are_those_of_the_documentation_and_can_be_proved(cli: Any, tmp_path: Path) -> None:
    ran = cli("examples")
    assert ran.code == 0
    assert tree(tmp_path / "theorems") == tree(ROOT / "theorems")
    assert len(ran.out.splitlines()) == len(tree(ROOT / "theorems"))
    assert cli("prove", "theorems/smt/addition_commutes.smt2", "--quiet").code == 0


def test_what_is_there_stays_as_it_is_and_the_rest_is_written(cli: Any, tmp_path: Path) -> None:
    mine = tmp_path / "place" / "theorems" / "smt" / "rumour.smt2"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    ran = cli("examples", "place")
    assert (ran.code, mine.read_text()) == (1, "mine")
    assert "rumour.smt2: kept as it is" in ran.err
    assert "rumour.smt2" not in ran.out
    written = tree(tmp_path / "place" / "theorems")
    assert written | {"smt/rumour.smt2": b""} == tree(ROOT / "theorems") | {"smt/rumour.smt2": b""}
    mine.unlink()
    again = cli("examples", "place")
    assert (again.code, [line.split()[0] for line in again.out.splitlines()].count("written")) == (0, 1)


def test_examples_are_listed_and_shown_without_being_written(cli: Any, tmp_path: Path) -> None:
    listed = cli("examples", "--list").out.split()
    assert "theorems/lean/order.lean" in listed
    text = (ROOT / "theorems" / "smt" / "rumour.smt2").read_text("utf-8")
    for name in ("rumour", "rumour.smt2", "smt/rumour.smt2", "theorems/smt/rumour.smt2"):
        assert cli("examples", "--show", name).out == text
    assert list(tmp_path.iterdir()) == []
    assert cli("examples", "--show", "clamp").code == 2, "there are two"
    assert "--list lists them" in cli("examples", "--show", "../README").err


def test_schemas_are_listed_and_printed(cli: Any) -> None:
    names = cli("schema").out.split()
    assert {f"{name}.json" for name in names} == {path.name for path in (ROOT / "docs" / "schema").iterdir()}
    for name in names:
        published = (ROOT / "docs" / "schema" / f"{name}.json").read_text("utf-8")
        assert json.loads(cli("schema", name).out) == json.loads(published)
    ran = cli("schema", "nothing")
    assert (ran.code, "result-v1" in ran.err) == (2, True)


def test_the_package_that_is_built_brings_them_along() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    included = built["wheel"]["force-include"]
    package = Path(shipped("schema")).parents[1]
    for what, place in (("theorems", "theorems"), ("schema", "docs/schema")):
        assert included[place] == f"goedels_poetry/data/{what}"
        assert shipped(what) in (ROOT / place, package / "data" / what)
        assert f"/{place.split('/')[0]}" in built["sdist"]["include"]


THEOREMS = Path(__file__).parents[2] / "theorems"


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (str(THEOREMS / "smt" / "reverse_twice.smt2"), "smt has no library in which premises could be looked up"),
        (str(THEOREMS), "a folder; name one file"),
        ("no/such/file.lean", "cannot read no/such/file.lean"),
        (str(Path(__file__).parents[2] / "pyproject.toml"), "no proof language for"),
    ],
)
def test_what_cannot_be_searched_is_named_and_is_an_invalid_input(
    file: str, reason: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "400")
    assert look_up(Premises(file=file)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert reason in " ".join(captured.err.split())
