"""Entry point: runs the command and makes sure that no traceback ever reaches the person at the terminal."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from goedels_poetry.cli.process import Ended, begin, code_after_signal, is_unsaid, leaving, listen, say_interrupted
from goedels_poetry.files import Waiting

FEW_COLLECTIONS = (100_000, 50, 100)
"""Thresholds of the garbage collector: what is loaded is no garbage; to look for some takes a tenth of the start."""
MORE_COLLECTIONS = (2_000, 10, 5)
"""From the first one on: what there was until then is left out of them, so that they take a millisecond."""


def run() -> NoReturn:
    """The program: `main`, and an end without taking everything apart, which takes as long as a small proof.

    What was opened is closed by then, and children end with us (where the system sees to that: on Linux).
    """
    try:
        listen()
        gc.set_threshold(*FEW_COLLECTIONS)
        gc.callbacks.append(_settle)
        main()
    except (KeyboardInterrupt, Ended) as signalled:  # before or after `main` could say so
        say_interrupted()
        os._exit(code_after_signal(signalled))
    except SystemExit as end:
        leaving()
        code = _flushed(end.code)
        if sys.platform != "linux" or not (isinstance(code, int) or code is None):
            raise SystemExit(code) from None
        os._exit(code or 0)


def _settle(phase: str, info: dict[str, int]) -> None:
    """Told of the first collection, which shows that the program is a long one: a folder, a server, a large proof."""
    if phase == "stop":
        gc.callbacks.remove(_settle)
        gc.freeze()
        gc.set_threshold(*MORE_COLLECTIONS)


def _flushed(code: int | str | None) -> int | str | None:
    """The exit code, once what is still in buffers is written; another one where nobody takes that."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: closed
        sys.stderr.flush()
    try:
        sys.stdout.flush()
    except ValueError:
        return code
    except OSError as error:
        try:
            _unwritten(error)
        except SystemExit as end:
            return end.code
    return code


def main() -> NoReturn:
    """Run the command line and exit."""
    begin()
    _open_missing_streams()
    if not os.environ.get("HOME", "-"):  # empty is as good as not set; `~` would be the root folder
        del os.environ["HOME"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows ? instead of failing
    warnings.formatwarning = _in_one_line
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them takes longer than a small proof
    try:
        load_ahead(sys.argv[1:])
        from goedels_poetry.cli.app import app
        from goedels_poetry.cli.options import NAME

        app(prog_name=NAME)
    except (KeyboardInterrupt, Ended) as signalled:
        say_interrupted()
        raise SystemExit(code_after_signal(signalled)) from None
    except SystemExit as end:
        if is_unsaid(end):
            say_interrupted()
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: a line for the person, the traceback for us
        one: BaseException = error
        while isinstance(one, BaseExceptionGroup) and len(one.exceptions) == 1:
            one = one.exceptions[0]
        if isinstance(one, OSError) and (one.errno == errno.EPIPE or one.errno in _SHORT):
            _unwritten(one)
        _defect(error)
    raise SystemExit(0)


_DISK = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS), "standard output")
_SHORT = _DISK | {
    errno.EMFILE: "this process (`ulimit -n` says how many)",
    errno.ENFILE: "this machine",
    errno.EAGAIN: "this machine (`ulimit -u` says how many processes and threads there may be)",
    errno.ENOMEM: "this machine",
}
"""What the system has no more of, and of whom that is said where the error names no file."""


def _unwritten(error: OSError) -> NoReturn:
    """Nobody reads any more, or the system has no more to give: nothing that was proved is lost by that."""
    from goedels_poetry.cli.run_errors import NOT_STORED

    if error.errno == errno.EPIPE:
        _drop_output()
        raise SystemExit(1) from None
    what = error.filename or _SHORT.get(error.errno or 0, "standard output")
    if what == "standard output":
        _drop_output()
    with contextlib.suppress(OSError):  # a terminal that is gone
        print(f"goedels-poetry: {what}: {error.strerror}; the same command goes on afterwards", file=sys.stderr)  # noqa: T201
    raise SystemExit(NOT_STORED)


def _open_missing_streams() -> None:
    """Nothing, in place of standard streams that were closed: else the next file opened would get their numbers."""
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nothing = os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
            os.set_inheritable(nothing, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115


def _in_one_line(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning as people read it: without the place in our code, and by that name where something may be wrong."""
    return f"{'' if issubclass(category, Waiting) else 'warning: '}{' '.join(str(message).split())}\n"


def _drop_output() -> None:
    """The reader went away: point standard output at nothing, so that flushing at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _defect(error: BaseException) -> NoReturn:
    """Say in one line what happened and where the details are; exit with INTERNAL_ERROR."""
    from goedels_poetry.cli.run_errors import INTERNAL_ERROR, NOT_STORED, describe, is_without_room, save_traceback
    from goedels_poetry.trace.terminal import one_line

    if is_without_room(error):
        print(f"goedels-poetry: {describe(error)}; the same command goes on afterwards", file=sys.stderr)  # noqa: T201
        raise SystemExit(NOT_STORED)
    log = save_traceback(error)
    if isinstance(error, OSError) and error.filename:  # a file's trouble, which nobody had thought of here
        file, details = one_line(os.fsdecode(error.filename), 200), f"; details in {log}" if log else ""
        print(f"goedels-poetry: {file}: {error.strerror}{details}", file=sys.stderr)  # noqa: T201
        raise SystemExit(NOT_STORED)
    where = f"; details in {log}" if log else ""
    line = f"goedels-poetry: internal error: {describe(error)}{where} (a defect of this program: please report it)"
    print(line, file=sys.stderr)  # noqa: T201
    raise SystemExit(INTERNAL_ERROR)


_SEARCH = "goedels_poetry.smt.jobs.symbolic"
_CHECK = "goedels_poetry.checker.smt.jobs"
"""What the workers of a search and of a check need; that of a check is none that a search has used."""

_CVC5 = "goedels_poetry.solvers.cvc5_child"


def load_ahead(line: Sequence[str]) -> None:
    """Load what the workers of a command line will need, as far as its first words tell."""
    if len(line) < 2:
        return
    name = next((word for word in line[1:] if not word.startswith("-")), "").lower()

    def is_for(command: str, *suffixes: str) -> bool:
        return line[0] == command and any(name.endswith(suffix) or f"{suffix}:" in name for suffix in suffixes)

    if is_for("prove", ".smt2", ".smt"):
        from goedels_poetry.solvers import preload

        preload.load_ahead(_SEARCH, _CHECK, _CVC5)
