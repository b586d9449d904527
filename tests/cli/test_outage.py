"""A model server that is away is no verdict; certificates that have been moved or deleted are said to be gone."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import DOUBLE, every_role

QUICK = {"GOEDELS_POETRY__SYMBOLIC_QUERIES": "0", "GOEDELS_POETRY__MODELS__DEFAULT__RETRIES": "0"}
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A theorem that needs a model, between two that need none."""
    for name, text in {"a": EASY, "double": DOUBLE, "z": EASY.replace("p ", "q ").replace("p)", "q)")}.items():
        (tmp_path / "all" / f"{name}.smt2").parent.mkdir(exist_ok=True)
        (tmp_path / "all" / f"{name}.smt2").write_text(text, "utf-8")
    return tmp_path / "all"


def test_theorems_that_a_model_could_not_be_asked_about_are_not_run(cli: Any, folder: Path) -> None:
    with Server([Answer(status=503, body="{}")]) as server:
        command = ["prove", "all", "--model", "m", "--base-url", server.url]
        away = cli(*command, env=QUICK)
        assert server.calls > 0
    assert away.code == 69 and "2 proved, 1 not run" in away.out and "unknown" not in away.out
    assert f"no answer from m at {server.url}" in away.out and "the same command goes on" in away.out
    refused = cli(*command, "--json", "-q", env=QUICK)  # nothing listens any more
    by_name = {Path(result["input"]).stem: result for result in refused.objects()}
    assert {name: result["verdict"] for name, result in by_name.items()} == {
        "a": "proved",
        "double": None,
        "z": "proved",
    }
    double = by_name["double"]
    assert (refused.code, double["exit_code"], double["error"]["kind"]) == (69, 69, "away")
    assert f"127.0.0.1:{server.port}" in double["error"]["reason"] and double["run_id"]
    listed = {run["name"]: run for run in cli("runs", "--json").objects()}
    assert (listed["all/double.smt2"]["status"], listed["all/double.smt2"]["verdict"]) == ("stopped", None)
    with Server(every_role, server.port) as back:
        assert cli(*command, env=QUICK).code == 0 and back.calls > 0
    again = cli(*command, "--json", "-q", env=QUICK)
    assert again.code == 0 and all(result["skipped"] for result in again.objects())


def test_what_was_answered_before_an_outage_is_not_asked_again(cli: Any, tmp_path: Path) -> None:
    def broken(answered: int) -> Any:
        left = iter(range(answered))
        return lambda request: every_role(request) if next(left, None) is not None else Answer(status=503, body="{}")

    (tmp_path / "double.smt2").write_text(DOUBLE, "utf-8")
    with Server(every_role) as server:
        command = ["prove", "double.smt2", "--json", "-q", "--no-bank", "--model", "m", "--base-url", server.url]
        assert cli(*command, env=QUICK).code == 0
        whole = server.calls
    shutil.rmtree(tmp_path / "home")
    assert whole > 1
    with Server(broken(1), server.port):
        cut = cli(*command, env=QUICK)
    assert (cut.code, cut.objects()[0]["verdict"]) == (69, None)
    with Server(every_role, server.port) as back:
        assert cli(*command, env=QUICK).code == 0
    assert back.calls == whole - 1


def test_a_question_that_could_not_be_asked_has_no_verdict(cli: Any) -> None:
    question = ["ask", "Is it raining?", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    ran = cli(*question, "--json", "-q", env=QUICK)
    (answer,) = ran.objects()
    assert (ran.code, answer["verdict"], answer["answer"], answer["error"]["kind"]) == (69, None, None, "away")
    page = cli(*question, "-q", env=QUICK)
    assert page.code == 69 and "not run  Is it raining?" in page.out and "unknown" not in page.out


def test_a_certificate_is_found_from_another_folder(
    cli: Any, tmp_path: Path, theorems: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theorem = theorems / "addition_commutes.smt2"
    (first,) = cli("prove", theorem, "--json", "-q", "--out", "certs").objects()
    assert Path(first["certificate"]).is_absolute()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    shown = cli("show", first["run_id"])
    assert first["certificate"] in shown.out and "gone" not in shown.out
    assert cli("check", first["certificate"], "--against", theorem).code == 0
    (again,) = cli("prove", theorem, "--json", "-q", "--out", "../certs").objects()
    assert again["skipped"] and again["certificate"] == first["certificate"]
    assert cli("prove", theorem, "--json", "-q").objects()[0]["skipped"], "without --out, wherever it is"


def test_a_certificate_that_is_gone_is_said_to_be_gone(cli: Any, theorems: Path) -> None:
    theorem = theorems / "addition_commutes.smt2"
    (first,) = cli("prove", theorem, "--json", "-q", "--out", "certs").objects()
    assert "gone" not in cli("runs").out
    shutil.rmtree(first["certificate"])
    assert "proved, certificate gone" in cli("runs").out
    (run,) = cli("runs", "--json").objects()
    assert (run["certificate"], run["gone"]) == (first["certificate"], True)
    assert "(gone: the same command works on the theorem anew)" in cli("show", first["run_id"]).out
    (again,) = cli("prove", theorem, "--json", "-q", "--out", "certs").objects()
    assert (again["verdict"], again["skipped"]) == ("proved", False)
    assert "gone" not in cli("runs").out


def test_the_page_of_a_run_without_a_verdict_says_why(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "double.smt2").write_text(DOUBLE, "utf-8")
    cli("prove", "double.smt2", "-q", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", env=QUICK)
    shown = cli("show", "last")
    assert "not run  double.smt2" in shown.out and "unknown" not in shown.out
    (page,) = cli("show", "last", "--json").objects()
    assert (page["result"]["verdict"], page["result"]["error"]["kind"]) == (None, "away")
    assert cli("trace", "last", "--html", "run.html").code == 0
