"""``bench`` of proofs: rows of problems, ideas left out, and a run that is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.cli.bench import bench
from goedels_poetry.cli.requests import Bench
from goedels_poetry.evaluation.runner import ANSWERS

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "bench-v1.json").read_text("utf-8"))


def easy(number: int) -> dict[str, Any]:
    return {"name": f"easy-{number}", "text": f"(declare-const p{number} Bool)(prove (or p{number} (not p{number})))"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))


def rows_in(folder: Path, *rows: dict[str, Any]) -> str:
    file = folder / "problems.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(file)


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return found


def told(tmp_path: Path, **more: Any) -> dict[str, Any]:
    return {"as_json": True, "out": tmp_path / "out", "timeout": 60.0, **more}


@pytest.mark.whole("test_a_benchmark_that_is_killed_goes_on_and_counts_nothing_twice")
def test_the_report_says_what_was_proved_at_what_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_in(tmp_path, easy(1), easy(2), {"name": "false", "text": "(prove (= 1 2))", "gold": "false"})
    assert bench(Bench(paths=[rows], jobs=2, **told(tmp_path))) == 0
    found = printed(capsys)
    assert (found["kind"], found["overall"]["accuracy"]["right"]) == ("proofs", 3)
    assert found["endings"] == {"problems": {"proved": 2, "refuted": 1}}
    points = found["curves"]["seconds"]["problems"]["points"]
    assert points[-1][1] == 1
    folder = tmp_path / "out"
    assert {"report.md", "summary.json", "results.jsonl"} <= {p.name for p in folder.iterdir()}
    assert "Success against budget" in (folder / "report.md").read_text("utf-8")

    # The same again: nobody is asked.
    assert bench(Bench(paths=[rows], **told(tmp_path))) == 0
    assert printed(capsys)["asked"] == 0

    # Two runs are compared theorem by theorem.
    both = [str(folder), str(folder)]
    assert bench(Bench(paths=both, compare=True, as_json=True)) == 0
    (same,) = map(json.loads, capsys.readouterr().out.splitlines())
    jsonschema.validate(same, SCHEMA)
    assert (same["overall"]["only_first"], same["overall"]["p"]) == ([], 1)


def test_a_benchmark_that_is_killed_goes_on_and_counts_nothing_twice(tmp_path: Path) -> None:
    rows = rows_in(tmp_path, *(easy(number) for number in range(1, 4)))
    command = [sys.executable, "-m", "goedels_poetry", "bench", rows, "--out", str(tmp_path / "out")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answers = tmp_path / "out" / ANSWERS
    first = subprocess.Popen([*command, "--quiet"], env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    while first.poll() is None and not (answers.exists() and answers.read_bytes().count(b"\n") >= 1):
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    kept = answers.read_bytes().count(b"\n")
    done = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True, timeout=100)
    found = json.loads(done.stdout)
    assert (done.returncode, found["asked"], found["missing"]) == (0, 3 - kept, 0), done.stderr
    assert (found["overall"]["questions"], found["overall"]["accuracy"]["right"]) == (3, 3)
    lines = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    assert len({line["key"] for line in lines}) == len(lines) == 3
