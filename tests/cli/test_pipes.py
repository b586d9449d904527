"""Named pipes in the place of files: waited for, with a line about it, until somebody writes them or a signal comes."""

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a pipe is opened when somebody writes it")

ROOT = Path(__file__).parents[2]
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    file = tmp_path / "pipe.smt2"
    os.mkfifo(file)
    return file


@pytest.fixture
def begun(home: Path, tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a command; nobody writes to it."""
    env = {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    (tmp_path / "t.smt2").write_text(EASY)
    (tmp_path / "f.py").write_text("def f(x: int) -> int:\n    return x\n")

    def begin(
        *words: str, program: Sequence[str] = (sys.executable, "-m", "goedels_poetry")
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*program, *words],
            cwd=tmp_path,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return begin


def when_waiting(monkeypatch: pytest.MonkeyPatch, then: Callable[[], Any]) -> list[str]:
    """What is said while a pipe is waited for; ``then`` is called, in a thread of its own, as soon as it is."""
    said: list[str] = []

    def warn(text: str, category: type[Warning], stacklevel: int) -> None:
        assert category is files.Waiting
        said.append(text)
        threading.Thread(target=then).start()

    monkeypatch.setattr(files, "PATIENCE", 0.0)
    monkeypatch.setattr(warnings, "warn", warn)
    return said


def test_a_pipe_is_read_to_its_end_by_whoever_comes_later(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = when_waiting(monkeypatch, lambda: pipe.write_text(EASY * 5000))
    assert files.read_bytes(pipe, 1_000_000) == (EASY * 5000).encode()
    assert said == [f"waiting until {pipe} (a pipe) is written; Ctrl-C ends it"]


def test_a_pipe_that_is_named_is_a_theorem(pipe: Path, begun: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = begun("prove", pipe.name)
    pipe.write_text(EASY)
    assert (process.communicate(timeout=120), process.returncode)[1] == 0


def test_what_a_shell_puts_through_a_pipe_is_read_like_standard_input(
    pipe: Path, begun: Callable[..., subprocess.Popen[bytes]]
) -> None:
    process = begun("-c", 'exec "$0" -m goedels_poetry prove <(cat t.smt2)', sys.executable, program=("bash",))
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and b"proved  /dev/fd/" in out, (out, err)


def test_a_signal_ends_the_waiting_of_every_command(
    tmp_path: Path, begun: Callable[..., subprocess.Popen[bytes]]
) -> None:
    under_way = []
    for number, line in (  # all at once: it takes as long as the slowest one
        (signal.SIGINT, "prove A.smt2"),
        (signal.SIGTERM, "premises B.lean"),
        (signal.SIGINT, "bench C.smt2"),
        (signal.SIGHUP, "code D.jsonl"),
        (signal.SIGTERM, "ask why --replay E.txt"),
        (signal.SIGINT, "bench t.smt2 --replay F.txt"),
    ):
        words = line.split()
        os.mkfifo(tmp_path / words[-1])
        under_way.append((number, tmp_path / words[-1], begun(*words)))
    for number, pipe, process in under_way:
        with pipe.open("w"):  # opened as soon as the program reads
            process.send_signal(number)
            out, err = process.communicate(timeout=120)
        *before, last = err.decode().splitlines()
        assert (process.returncode, out, last) == (128 + number, b"", "interrupted"), (pipe.name, err)
        assert all(text.startswith(f"waiting until {pipe.name} (a pipe)") for text in before), err
