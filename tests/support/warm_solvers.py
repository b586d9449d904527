"""Solver processes forked from a warm parent, as the workers of a pool fork theirs.

Hundreds of tests call the checker or the search in their own process, where each cvc5 is a Python of its own that
loads for a sixth of a second, and each z3 begins with another one that binds it to its parent. Here a process that has
loaded cvc5, asks it nothing and has one thread forks them: as fresh as those that are started, as bound in memory, and
a group of their own as well. Tests of how solvers are started, die and end use the real thing.

Run as ``python warm_solvers.py PARENT_PID``, with a Unix socket as standard input, it is that parent.
"""

from __future__ import annotations

import functools
import os
import signal
import sys

import pytest
from warm_parent import Parent, serve

from goedels_poetry.solvers import cvc5_process, preload, z3_process
from goedels_poetry.solvers.child import Child, Forked
from goedels_poetry.solvers.launch import bind_to_parent, limit_memory


@functools.cache
def _parent() -> Parent:
    return Parent(__file__)


def _fork(*what: str) -> Child:
    """A child that is ``what``: ``cvc5 MEMORY_MB``, or ``program ADDRESS_SPACE COMMAND ...``."""
    pairs = [os.pipe() for _ in range(3)]
    (child_in, stdin), (stdout, child_out), (stderr, child_err) = pairs
    theirs = (child_in, child_out, child_err)
    try:
        try:
            number, word = _parent().fork(what, theirs)
        except OSError:  # a test has killed all that it found
            _parent.cache_clear()
            number, word = _parent().fork(what, theirs)
    finally:
        for fd in theirs:
            os.close(fd)
    return Child(Forked(number, (stdin, stdout, stderr), word))


_held: list[bool] = []


def keep_workers_parent(wanted: bool) -> None:
    """Whether the parent of the workers outlives the pools of a test: another one takes a quarter of a second."""
    if wanted and not _held:
        _held.append(True)
        preload.hold()
    elif not wanted and _held:
        _held.clear()
        preload.release()


def use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, solvers of this process are forked by the warm parent."""

    def start_module(module: str, *arguments: str) -> Child:
        assert module == cvc5_process.CHILD
        return _fork("cvc5", *arguments)

    def start_program(program: str, *arguments: str, address_space: int) -> Child:
        return _fork("program", str(address_space), program, *arguments)

    monkeypatch.setattr(cvc5_process, "start_module", start_module)
    monkeypatch.setattr(z3_process, "start_program", start_program)


# -- the parent -----------------------------------------------------------------------------------------------------


def _be() -> None:
    """What was asked for, in the forked process."""
    parent, what, *arguments = sys.argv[1:]
    if what == "cvc5":
        from goedels_poetry.solvers import cvc5_child

        sys.argv = [sys.argv[0], parent, *arguments]
        cvc5_child.main()
    else:
        bind_to_parent(int(parent))
        limit_memory(int(arguments[0]))
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as for every program that is started
        os.execv(arguments[1], arguments[1:])


def main() -> None:
    """Fork until the tests end."""
    from goedels_poetry.solvers import cvc5_child

    assert cvc5_child
    serve(_be, "cvc5_child")


if __name__ == "__main__":
    main()


__all__ = ["keep_workers_parent", "use"]
