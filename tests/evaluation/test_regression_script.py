"""The script that records what a change must not lose: it goes on where it stopped, and says what is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[2] / "scripts" / "regression.py"
SUITE = "certificates-smt2"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=100)


def rows(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / "results.jsonl").read_text().splitlines() if line.endswith("}")]


def rewritten(a: Path, b: Path, **changes: Any) -> Path:
    """Another record, in which the first theorem ended otherwise."""
    first, *others = rows(a)
    b.mkdir(exist_ok=True)
    (b / "results.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in [first | changes, *others]))
    return b


def test_what_is_recorded_is_not_asked_again_and_what_is_lost_is_said(tmp_path: Path) -> None:
    a = tmp_path / "a"
    assert run("--out", a, "--only", SUITE, "--certificates", "2", "--limit", "1").returncode == 0
    (first,) = rows(a)
    assert (first["verdict"], first["level"], first["item"]) == ("proved", "L3", "inputs/smt2/0000.smt2")
    assert (a / first["certificate"]).is_dir()
    (a / "results.jsonl").write_text((a / "results.jsonl").read_text() + '\n{"suite": "cut off')
    again = run("--out", a, "--only", SUITE, "--certificates", "2")
    assert f"{SUITE}: 1 of 2" in again.stdout
    same = run("compare", a, a, "--check", "1")
    assert same.returncode == 0 and "not accepted any more: 0" in same.stdout, same.stdout

    def compared(**changes: Any) -> tuple[int, str]:
        done = run("compare", a, rewritten(a, tmp_path / "b", **changes))
        return done.returncode, done.stdout

    for changes, kind, code in (
        ({"verdict": "unknown"}, "lost", 1),
        ({"verdict": "refuted"}, "decided otherwise", 1),
        ({"level": "L2"}, "lower level", 1),
        ({"item": "another"}, "missing", 1),
        ({"seconds": 1000.0}, "slower", 0),
    ):
        returned, out = compared(**changes)
        assert (returned, f"{kind}: 1\n  {SUITE}: inputs/smt2/0000.smt2" in out) == (code, True), out
    won = run("compare", rewritten(a, tmp_path / "b", verdict="unknown"), a)
    assert won.returncode == 0 and "won: 1" in won.stdout


def test_results_stay_outside_of_the_repository(tmp_path: Path) -> None:
    inside = run("--out", SCRIPT.parent / "results")
    assert inside.returncode == 2 and "inside of the repository" in inside.stderr
    assert run("--out", tmp_path, "--only", "nonsense").returncode == 2
    assert run("compare", tmp_path, tmp_path).returncode == 2
