"""What Python means, detail by detail: translated right, or refused. The programs are in ``details.json``."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from goedels_poetry.kernel.python.faults import OutsideFragment

CASES = json.loads((Path(__file__).parent / "details.json").read_text("utf-8"))
PATH = Path(__file__).parents[3] / "scripts" / "fuzz_translation.py"
_spec = importlib.util.spec_from_file_location("fuzz_translation", PATH)
assert _spec is not None and _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
sys.modules["fuzz_translation"] = fuzz
_spec.loader.exec_module(fuzz)


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


def disagreements(source: str, inputs: list[list[str]]) -> list[str]:
    """Inputs on which the translation and CPython do not agree, or on which the translation has no value."""
    ours = fuzz.Ours.of(source)
    told = [ours.run(arguments) for arguments in inputs]
    calls = [
        [f"f({', '.join(arguments)})", our[1] if our[0] == "value" else None]
        for arguments, our in zip(inputs, told, strict=True)
    ]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", fuzz.RUNNER],
        input=json.dumps({"source": source, "calls": calls}) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(run.stdout)
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
