"""The program in a process that has loaded it already: what a command does, but for the half second that it loads.

Its arguments, environment, folder and streams are those it is given, and it is a process of its own, which may load
plug-ins and end in every way. Tests of how the program starts and is interrupted use the real thing, and so does
whatever changes Python itself (``sitecustomize``, variables that Python reads).

Run as ``python warm_program.py PARENT_PID``, with a Unix socket as standard input, it is what such processes are forked
from.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from warm_parent import Parent, serve

MODULES = (
    "goedels_poetry.__main__",
    "goedels_poetry.cli.app",
    "goedels_poetry.cli.check",
    "goedels_poetry.cli.doctor",
    "goedels_poetry.cli.inspect",
    "goedels_poetry.cli.prove",
    "goedels_poetry.search.machine.graph",
    "langgraph.graph",
)
"""What commands load. None starts a thread."""
HERE = Path(__file__).parent
OUR_PATH = (str(HERE), str(HERE.parents[1]))
"""Where the parent finds this file and the program, and those that it forks nothing unless they are told so."""


@functools.cache
def _parent() -> Parent:
    return Parent(__file__, path=os.pathsep.join(OUR_PATH))


def fits(env: Mapping[str, str]) -> bool:
    """Whether nothing among these variables is for Python itself, which has begun already."""
    new = {name for name, value in env.items() if os.environ.get(name) != value and name != "PYTHONPATH"}
    return sys.platform == "linux" and not any(name.startswith("PYTHON") for name in new)


def run(
    arguments: list[str], env: Mapping[str, str], cwd: Path, stdin: bytes = b"", seconds: float = 60
) -> subprocess.CompletedProcess[str]:
    """What ``python -m goedels_poetry ARGUMENTS`` leaves behind. Raises `subprocess.TimeoutExpired`."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        if fits(env):
            code = _forked(arguments, env, cwd, [file.fileno() for file in (given, out, err)], seconds)
        else:
            command = [sys.executable, "-m", "goedels_poetry", *arguments]
            code = subprocess.call(command, stdin=given, stdout=out, stderr=err, env=env, cwd=cwd, timeout=seconds)
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())


def _forked(arguments: list[str], env: Mapping[str, str], cwd: Path, streams: Sequence[int], seconds: float) -> int:
    with tempfile.NamedTemporaryFile("w") as request:
        json.dump([arguments, dict(env), str(cwd)], request)
        request.flush()
        try:
            number, word = _parent().fork([request.name], streams)
        except OSError:  # a test has killed all that it found
            _parent.cache_clear()
            number, word = _parent().fork([request.name], streams)
        with word:
            if select.select([word], [], [], seconds)[0]:
                return int(word.readline())
            with contextlib.suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)
            raise subprocess.TimeoutExpired(arguments, seconds)


# -- the parent -----------------------------------------------------------------------------------------------------


def _be() -> None:
    """The program, in the forked process."""
    from goedels_poetry.cli import process
    from goedels_poetry.cli import run as run_program
    from goedels_poetry.solvers.launch import bind_to_parent

    bind_to_parent(int(sys.argv[1]))
    arguments, env, folder = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    told = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [folder, *told, *(path for path in sys.path if path not in OUR_PATH)]
    importlib.invalidate_caches()
    sys.argv = ["goedels-poetry", *arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115  as Python itself opens them
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    process.LOADED = time.monotonic()
    run_program()


def main() -> None:
    """Load the program, and fork it until the tests end."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for name in MODULES:
        importlib.import_module(name)
    assert threading.active_count() == 1
    serve(_be, "program")


if __name__ == "__main__":
    main()


__all__ = ["fits", "run"]
