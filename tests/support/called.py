"""The command line in the test's own process: its `main` with an argument vector, standard streams and an environment.

The same entry point as of the program, without the third of a second that every start of a process costs. What another
test has had searched for is remembered; see `remembered`.
"""

import functools
import io
import sys
from collections.abc import Mapping, Sequence

import pytest
import remembered
import typer.main

from goedels_poetry.cli import main

FROM_OUTSIDE = ("COLUMNS", "LINES", "NO_COLOR")
"""What the terminal of whoever runs the tests would change."""
COMMANDS = functools.cache(typer.main.get_command)
"""What Typer makes of our functions' signatures, made once: it would take longer than most commands."""


def call(
    arguments: Sequence[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    env: Mapping[str, str],
    stdin: bytes = b"",
) -> tuple[int, str, str]:
    """The exit code and what was printed on standard output and standard error. No traceback is ever among it."""
    with monkeypatch.context() as patch:
        for name in FROM_OUTSIDE:
            patch.delenv(name, raising=False)
        for name, value in env.items():
            patch.setenv(name, value)
        patch.setattr(typer.main, "get_command", COMMANDS)
        patch.setattr(sys, "argv", ["goedels-poetry", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        remembered.use(patch)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err, err
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err
