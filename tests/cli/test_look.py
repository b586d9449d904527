"""`runs`, `show`, `trace`, `graph`, `doctor`, and what happens when something is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


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
