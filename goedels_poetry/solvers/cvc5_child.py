"""The child behind ``Cvc5Process``: one fresh cvc5 for each request, read and answered in frames.

Run as ``python -m goedels_poetry.solvers.cvc5_child PARENT_PID MEMORY_MB``, or forked by a worker.
"""

from __future__ import annotations

import os
import re
import resource
import sys
from typing import Any

import cvc5

from goedels_poetry.solvers.launch import bind_to_parent, limit_memory
from goedels_poetry.solvers.process import MEMORY_EXIT, bare_text
from goedels_poetry.solvers.worker import private_pipes, read_message, write_message

_PAREN_OR_NEWLINE = re.compile(r"[()\n]")
_RESOURCES = "resource::resourceUnitsUsed"


def command_lines(text: str) -> list[int]:
    """The line, from 1, on which each top-level command of a faultless script begins."""
    bare, _ = bare_text(text)
    lines = []
    line, depth = 1, 0
    for mark in _PAREN_OR_NEWLINE.finditer(bare):
        if mark.group() == "\n":
            line += 1
        elif mark.group() == "(":
            if depth == 0:
                lines.append(line)
            depth += 1
        else:
            depth -= 1
    return lines


class _Rejected(Exception):
    """cvc5 refused a command."""


def _run(solver: Any, symbols: Any, text: str) -> str:
    """Execute commands and return what they print. Raises _Rejected with the line of the refused command."""
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    printed = ""
    done = 0
    try:
        while not (command := parser.nextCommand()).isNull():
            printed += command.invoke(solver, symbols)
            done += 1
    except RuntimeError as error:
        lines = command_lines(text)
        place = f"line {lines[done]}: " if done < len(lines) else ""
        raise _Rejected(place + str(error).strip()) from error
    return printed


def _used(solver: Any) -> int | None:
    statistics = solver.getStatistics()
    try:
        return int(statistics[_RESOURCES]["value"])
    except (KeyError, TypeError, RuntimeError):
        return None  # a build without statistics


def address_space_now() -> int:
    """How many bytes of address space this process uses; 0 where there is no /proc."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


class _Fresh:
    """A solver that was told nothing, with terms and symbols of its own."""

    def __init__(self) -> None:
        self.terms = cvc5.TermManager()
        self.solver = cvc5.Solver(self.terms)


def answer(request: dict[str, Any], fresh: _Fresh) -> dict[str, Any]:
    """Pose the one query of a request: its options, its script, one check, and what is to be got after it.

    An empty request has the answer that there is somebody.
    """
    if not request:
        return {"status": "here"}
    solver = fresh.solver
    symbols = cvc5.SymbolManager(fresh.terms)
    try:
        for name, value in request["options"].items():
            solver.setOption(name, value)
    except RuntimeError as error:
        return {"status": "error", "reason": str(error)}
    try:
        replied = _run(solver, symbols, request["script"])
        if replied.strip():
            raise _Rejected(replied.strip())
        result = solver.checkSat()
        if result.isUnknown():
            reason = str(result.getUnknownExplanation())
            return {"status": "unknown", "reason": reason, "rlimit_used": _used(solver)}
        status = "unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown"
        used = _used(solver)
        output = _run(solver, symbols, request["get"][status]) if status in request["get"] else ""
        return {"status": status, "reason": "", "output": output, "rlimit_used": used}
    except (_Rejected, RuntimeError) as error:
        return {"status": "error", "reason": str(error)}


def main() -> None:
    """Answer requests until the input ends; leave at once when memory runs out."""
    bind_to_parent(int(sys.argv[1]))
    limit_memory(address_space_now() + (int(sys.argv[2]) << 20))
    requests, replies = private_pipes()
    fresh: _Fresh | None = _Fresh()  # before the first request comes
    while (request := read_message(requests)) is not None:
        try:
            reply = answer(request, fresh or _Fresh())
        except MemoryError:
            os._exit(MEMORY_EXIT)
        write_message(replies, reply)
        if request:
            fresh = None  # the next one is made when there is something to ask: often there is nothing


if __name__ == "__main__":
    main()
