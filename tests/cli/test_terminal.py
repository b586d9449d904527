"""What a terminal, Ctrl-C and a shell's completion see."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "goedels_poetry"]
ROOT = Path(__file__).parents[2]


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return kept | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "xterm"} | more


def on_a_terminal(home: Path, *arguments: str, **env: str) -> tuple[int, str]:
    """Run with standard output and error on a terminal of 40 columns; its exit code and everything it wrote."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment(home, COLUMNS="40", LINES="24", **env),
    )
    os.close(theirs)
    seen = bytearray()
    while True:
        try:
            if not select.select([ours], [], [], 60)[0]:
                process.kill()
                break
            chunk = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(ours)
    return process.wait(60), seen.decode(errors="replace")


def test_a_narrow_terminal_sees_the_tree_grow_and_then_the_proof(home: Path, theorems: Path) -> None:
    code, seen = on_a_terminal(home, "prove", str(theorems / "mirror_twice.smt2"))
    assert code == 0
    assert "\x1b[2K" in seen, "the live view redraws itself"
    assert "now, " in seen
    assert "\x1b[3" in seen or "\x1b[1;3" in seen, "colours"
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert "trust level L3" in plain
    assert "certificate:" in plain
    tree = [line for line in plain.splitlines() if line.startswith(("├", "│", "└"))]
    assert tree
    assert all(len(line) <= 40 for line in tree)


def screen(written: str) -> list[str]:
    """The lines that remain on a terminal which scrolls but is never too narrow."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        if part == "\n":
            row += 1
        elif part == "\r":
            column = 0
        elif part == "\x1b[2K":
            lines[row] = ""
        elif up := re.fullmatch(r"\x1b\[(\d+)A", part):
            row = max(row - int(up[1]), 0)
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
        lines += [""] * (row + 1 - len(lines))
    return lines


def test_the_live_view_never_eats_a_result(home: Path, theorems: Path) -> None:
    names = ["mirror_twice.smt2", "swap_twice.smt2"]
    code, seen = on_a_terminal(home, "prove", *(str(theorems / name) for name in names), "--jobs", "2")
    assert code == 0
    remains = screen(seen)
    for beginning in ("proved  ", "0  for all ", "  trust level L3", "  certificate: ", "  run "):
        assert sum(line.startswith(beginning) for line in remains) == len(names), beginning


def test_no_color_is_obeyed(home: Path, theorems: Path) -> None:
    code, seen = on_a_terminal(home, "prove", str(theorems / "swap_twice.smt2"), NO_COLOR="1")
    assert code == 0
    assert not re.search(r"\x1b\[(\d+;)*[34]\d", seen)


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", [["--json"], []])
def test_a_reader_that_goes_away_ends_the_batch_without_a_traceback(
    home: Path, theorems: Path, form: list[str]
) -> None:
    process = subprocess.Popen(
        [*COMMAND, "prove", str(theorems / "swap_twice.smt2"), str(theorems / "average.smt2"), *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 1
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert "Ctrl-C" not in said, "nobody has pressed it"


def wait_for(process: subprocess.Popen[str], words: str) -> str:
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if words in line:
            return said
    raise AssertionError(f"never said {words!r}: {said}")


def hear_hangups() -> None:
    """Whoever runs the tests may have been told not to (``nohup``)."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_the_first_signal_stops_cleanly_and_the_run_goes_on_later(
    cli: Any, home: Path, theorems: Path, number: signal.Signals
) -> None:
    hard = theorems / "odd_perfect.smt2"
    process = subprocess.Popen(
        [*COMMAND, "prove", str(hard), str(theorems / "average.smt2")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home),
        preexec_fn=hear_hangups,  # noqa: PLW1509  it takes no lock that another thread may hold
    )
    wait_for(process, "judge: open")
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "Traceback" not in out + err
    assert f"to go on: goedels-poetry prove {hard} --resume" in out
    assert "not started: interrupted" in out
    (summary,) = cli("runs", "--json").objects()
    assert summary["status"] == "stopped"
    (result,) = cli("prove", hard, "--resume", "--timeout", "1", "--json").objects()
    assert result["run_id"] == summary["run_id"]


WHEN_LOADING = """
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number:d})
sys.meta_path.insert(0, Finder())
"""
"""A `sitecustomize`: the signal comes when that module is about to be loaded."""


@pytest.mark.parametrize(
    ("words", "module", "number"),
    [
        (("prove", "t.smt2"), "goedels_poetry.cli.app", signal.SIGINT),
        (("prove", "t.smt2"), "goedels_poetry.cli.prove", signal.SIGTERM),
        (("prove", "t.smt2"), "goedels_poetry.framework", signal.SIGHUP),
        (("bench", "t.smt2"), "goedels_poetry.cli.bench", signal.SIGINT),
        (("bench", "t.smt2"), "goedels_poetry.evaluation", signal.SIGTERM),
    ],
)
def test_a_signal_while_the_program_loads_is_one_line_and_the_code_of_a_shell(
    words: tuple[str, ...], module: str, number: int, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WHEN_LOADING.format(module=module, number=number), "utf-8")
    env = os.environ | {"GOEDELS_POETRY__HOME": str(tmp_path / "home"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = subprocess.run([*COMMAND, *words], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "interrupted\n")
    assert not (tmp_path / "home" / "runs").exists()


BASH = r"""
set -eu
program() { "$PYTHON" -m goedels_poetry "$@"; }
source /dev/stdin <<<"$(program --show-completion)"
complete -p goedels-poetry
printf '#!/bin/sh\nexec "$PYTHON" -m goedels_poetry "$@"\n' > "$PLACE/goedels-poetry"
chmod +x "$PLACE/goedels-poetry"
COMP_WORDS=(goedels-poetry prove --lang) COMP_CWORD=2
_goedels_poetry_completion "$PLACE/goedels-poetry"
echo "${COMPREPLY[*]}"
"""


def test_bash_takes_the_script_and_completes_with_it(tmp_path: Path, home: Path) -> None:
    env = {**os.environ, "PYTHON": sys.executable, "PLACE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", BASH], env=env, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    declared, completed = done.stdout.splitlines()
    assert declared == "complete -o default -F _goedels_poetry_completion goedels-poetry"
    assert completed == "--language"


def completed(cli: Any, shell: str, line: str) -> list[str]:
    words = line.split(" ")
    if shell == "bash":
        how = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        how = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return [*filter(None, cli(env={"_GOEDELS_POETRY_COMPLETE": f"complete_{shell}", **how}).out.splitlines())]


def test_languages_and_runs_are_completed(cli: Any, home: Path) -> None:
    for name in ("abc123", "abd456", "unfinished"):
        (home / "runs" / name).mkdir(parents=True)
    for name in ("abc123", "abd456"):
        (home / "runs" / name / "run.json").write_text("{}")
    assert completed(cli, "bash", "goedels-poetry prove --language ") == ["smt", "lean", "python", "logic"]
    assert completed(cli, "bash", "goedels-poetry show ") == ["abc123", "abd456"]
    assert completed(cli, "bash", "goedels-poetry trace abd") == ["abd456"]
    assert completed(cli, "bash", "goedels-poetry show *") == []
