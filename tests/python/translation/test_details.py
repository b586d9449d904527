"""What Python means, detail by detail: translated right, or refused. The programs are in ``details.json``."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fuzz_translation as fuzz
import pytest

from goedels_poetry.python.translate.contracts import OutsideFragment

CASES = json.loads((Path(__file__).parent / "details.json").read_text("utf-8"))


@pytest.mark.sample(160)
@pytest.mark.parametrize(
    ("program", "inputs"), [(e["program"], e["inputs"]) for e in CASES["same"]], ids=[e["about"] for e in CASES["same"]]
)
def test_the_translation_computes_what_cpython_computes(program: list[str], inputs: list[list[str]]) -> None:
    assert disagreements(with_exceptions("\n".join(program)), inputs) == []


@pytest.mark.parametrize(
    "program", [e["program"] for e in CASES["outside"]], ids=[e["about"] for e in CASES["outside"]]
)
def test_what_is_not_followed_is_refused_in_one_line(program: list[str]) -> None:
    with pytest.raises(OutsideFragment) as refused:
        fuzz.Ours.of("\n".join(program))
    assert refused.value.message
    assert "\n" not in refused.value.message and refused.value.line is not None


def test_random_programs_agree_with_cpython() -> None:
    counts, wrong = fuzz.compare(seed=77, programs=60, per_program=6)
    assert wrong == []
    assert counts["value"] > 100
    assert counts["raise"] > 50


class _CPython:
    """A process that runs programs, one after the other, each as a module of its own."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def ran(self, source: str, calls: list[list[str | None]]) -> list[list[Any]]:
        if self.process is None:
            command = [sys.executable, "-W", "ignore", "-c", fuzz.RUNNER]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"source": source, "calls": calls}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate(timeout=60)
            self.process = None  # a worker may come back to this file


CPYTHON = _CPython()


@pytest.fixture(scope="module", autouse=True)
def _one_cpython() -> Iterator[None]:
    yield
    CPYTHON.close()


def disagreements(source: str, inputs: list[list[str]]) -> list[str]:
    """Inputs on which the translation and CPython do not agree, or on which the translation has no value."""
    ours = fuzz.Ours.of(source)
    told = [ours.run(arguments) for arguments in inputs]
    calls = [
        [f"f({', '.join(arguments)})", our[1] if our[0] == "value" else None]
        for arguments, our in zip(inputs, told, strict=True)
    ]
    theirs = CPYTHON.ran(source, calls)
    return [
        f"{call[0]}: ours {our}, CPython {their}"
        for call, our, their in zip(calls, told, theirs, strict=True)
        if fuzz._verdict(our, their) in ("WRONG", "undecided")
    ]


def with_exceptions(source: str) -> str:
    """The same, with exceptions told apart: ``f`` may raise any."""
    line = "from goedels_poetry.contracts import raises\n"
    future = "from __future__ import annotations\n"
    source = future + line + source.removeprefix(future) if source.startswith(future) else line + source
    at = max(source.rindex("def f("), 0)
    if source[:at].endswith("@cache\n"):
        at -= len("@cache\n")
    return f"{source[:at]}@raises(Exception)\n{source[at:]}"
