"""A process that runs functions with contracts in CPython, for checks of proofs: nothing here makes one.

Its argument is the parent's process id. It answers a frame ``{"source", "function"}`` with an empty one, and begins;
and the empty one that follows with what `cross_check` returns. Every function runs in sandboxes of its own.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from goedels_poetry.errors import InvalidInput, Unavailable
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.python.testing.checks import checks_of
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.solvers.launch import bind_to_parent
from goedels_poetry.solvers.worker import private_pipes, read_message, write_message

DISAGREE = ("compile", "signature", "unloadable", "deterministic")
"""Kinds of results, besides broken contracts, that no program has of which the translation is true."""


def cross_check(source: str, function: str) -> dict[str, Any]:
    """Run a function on inputs that its contract accepts.

    Returns:
        ``contradicts`` (an input breaks the contract, or no translation of such a program is true), ``passed`` (inputs
        were found, and the contract held on each), ``reason``, ``inputs`` (how many), ``untaken`` (first lines of
        branches that no run was seen to take); or ``unavailable`` or ``invalid``, with the reason.
    """
    try:
        ran = asyncio.run(test_candidate(source, checks_of(read_program(source), function), effort="quick"))
    except Unavailable as error:
        return {"unavailable": str(error)}
    except InvalidInput as error:
        return {"invalid": str(error)}
    except (RecursionError, MemoryError) as error:
        return {"invalid": f"the program is too deeply nested or too large to be run ({type(error).__name__})"}
    against = any(result.violates() or (result.kind in DISAGREE and not result.passed) for result in ran.results)
    return {
        "contradicts": against,
        "passed": ran.passed,
        "reason": ran.reason,
        "inputs": ran.inputs_tried,
        "untaken": list(ran.untaken),
    }


def main() -> None:
    """Answer requests until the input ends."""
    bind_to_parent(int(sys.argv[1]))
    requests, replies = private_pipes()
    found: dict[str, Any] = {}
    while (request := read_message(requests)) is not None:
        write_message(replies, {} if request else found)
        found = cross_check(**request) if request else {}


if __name__ == "__main__":
    main()
