"""Command lines so short that nothing has to be parsed: files, and a few flags of which nothing can be wrong.

To load what parses all command lines takes longer than to prove a small theorem. Whatever is not understood
here at first sight, a mistake included, is left to it; what is understood means here what it means there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from goedels_poetry.cli.waited import begin

_NUMBER = re.compile(r"[0-9]{1,9}")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?(ms|s|m|h)?")
_COMPLETION = "_COMPLETE"
"""How the variables end by which a shell asks for completions instead of the command."""


def _seconds(written: str) -> float:
    from goedels_poetry.settings.seconds import seconds

    return seconds(written)


_FLAGS = {"--quiet": "quiet", "-q": "quiet", "--json": "as_json", "--fresh": "fresh", "--no-bank": "no_bank"}
_CHOICES = {"--proof": ("proof", True), "--no-proof": ("proof", False)}
_VALUES: dict[str, tuple[str, re.Pattern[str], Callable[[str], Any]]] = {
    "--jobs": ("jobs", _NUMBER, int),
    "-j": ("jobs", _NUMBER, int),
    "--seed": ("seed", _NUMBER, int),
    "--timeout": ("timeout", _SECONDS, _seconds),
    "--out": ("out", re.compile(r"[\w./][\w./+-]*"), Path),
}


def run_short(line: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Run the command and return its exit code; None when the line has to be parsed."""
    if any(name.endswith(_COMPLETION) for name in environment):
        return None
    begin()
    if line[:1] == ["prove"]:
        return _prove(line[1:])
    if len(line) == 3 and line[:2] == ["ask", "--program"] and _is_a_file(line[2]):
        return _ask_program(line[2])
    return None


def _is_a_file(word: str) -> bool:
    return bool(word) and not word.startswith("-")


def _prove(words: Sequence[str]) -> int | None:
    told = told_to_prove(words)
    if told is None:
        return None
    from goedels_poetry.cli.prove import Request, prove_all

    return prove_all(Request(**told))


def told_to_prove(words: Sequence[str]) -> dict[str, Any] | None:
    """What the request says that the words after ``prove`` make; None when they have to be parsed."""
    told: dict[str, Any] = {}
    inputs: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _FLAGS:
            told[_FLAGS[word]] = True
        elif word in _CHOICES:
            name, choice = _CHOICES[word]
            told[name] = choice
        elif word in _VALUES:
            name, shape, value = _VALUES[word]
            written = next(rest, "")
            if name in told or not shape.fullmatch(written) or (name, written.lstrip("0")) == ("jobs", ""):
                return None
            told[name] = value(written)
        elif _is_a_file(word):
            inputs.append(word)
        else:
            return None
    if not inputs:
        return None
    if told.pop("no_bank", False):
        told["use_memory"] = False
    if "timeout" in told:
        told["budgets"] = {"wall_seconds": told.pop("timeout")}
    return {"inputs": inputs, **told}


def _ask_program(file: str) -> int:
    import os

    from goedels_poetry.cli.ask_program import ProgramRequest, ask_programs

    return ask_programs(ProgramRequest(inputs=[file], jobs=os.cpu_count() or 1))


__all__ = ["run_short", "told_to_prove"]
