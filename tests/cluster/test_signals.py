"""Ctrl-C, TERM and a terminal that is closed while `--cluster local` works: real signals, a real Ray."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="whose processes are left is read from /proc"),
    pytest.mark.timeout(300),
]

THEOREMS = Path(__file__).parents[2] / "theorems" / "smt"
MARK = "GOEDELS_POETRY_TEST"
"""In the environment of everything that a trial starts, whoever its parent is by then."""
LEAVES = 30.0
"""Seconds in which the last process has to be gone."""


class Trial:
    """A command with a mark by which all that descends from it is found."""

    def __init__(self, folder: Path) -> None:
        self._env = os.environ | {MARK: str(folder), "GOEDELS_POETRY__HOME": str(folder / "home")}
        self._mark = f"{MARK}={folder}".encode()
        self._errors = folder / "errors"

    def set(self, name: str, value: str) -> None:
        """A variable of the command's environment."""
        self._env[name] = value

    def processes(self) -> list[str]:
        """The command lines of those that are alive."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append((place / "cmdline").read_text().replace("\0", " "))
            except OSError:  # gone, or somebody else's
                continue
        return found

    def run(
        self, *words: str, send: int | None = None, when: Callable[[], bool] = lambda: True
    ) -> tuple[int, str, str]:
        """Exit code, standard output and standard error; nothing of it is left then."""
        command = [sys.executable, "-m", "goedels_poetry", *words]
        with self._errors.open("w") as errors:
            started = subprocess.Popen(command, env=self._env, stdout=subprocess.PIPE, stderr=errors, text=True)
            while send is not None and not when():
                assert started.poll() is None, self._errors.read_text()
                time.sleep(0.01)
            if send is not None:
                started.send_signal(send)
            out, _ = started.communicate()
        until = time.monotonic() + LEAVES
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left
        return started.returncode, out, self._errors.read_text()

    def until(self, part: str) -> Callable[[], bool]:
        """Whether a process is called something with that in it."""
        return lambda: any(part in line for line in self.processes())


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


ENDS = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


def test_the_same_prove_goes_on_after_every_signal(trial: Trial, tmp_path: Path) -> None:
    files = [tmp_path / f"t{number}.smt2" for number in range(3)]
    for number, file in enumerate(files):
        file.write_text(f"; {number}\n{(THEOREMS / 'fast_power.smt2').read_text()}")
    words = ["prove", *map(str, files), "--cluster", "local", "--json"]
    before: dict[str, int] = {}
    for sent in ENDS:
        code, out, errors = trial.run(*words, send=sent, when=trial.until("ray::Worker.run"))
        assert code == 5 and "stopping" in errors and "Traceback" not in errors
        results = [json.loads(line) for line in out.splitlines()]
        assert Counter(each["input"] for each in results) == Counter(map(str, files))
        after = commits(tmp_path / "home")
        assert all(after[run] >= number for run, number in before.items()), "what was done is there again"
        before = after
    code, out, errors = trial.run(*words)
    assert code == 0, errors
    results = [json.loads(line) for line in out.splitlines()]
    assert Counter((each["input"], each["verdict"]) for each in results) == Counter((str(f), "proved") for f in files)
    assert before.keys() <= commits(tmp_path / "home").keys() == {each["run_id"] for each in results}


def commits(home: Path) -> dict[str, int]:
    """How many steps each run has."""
    found = {}
    with GoedelsPoetryFramework(Settings(home=home)) as framework:
        for run in framework.runs():
            with framework.open_store(run.run_id) as store:
                found[run.run_id] = store.seq
    return found
