"""The second Lean kernel: what it has to accept, what it has to refuse and by which rule, and its limits.

The streams are kept as data: ``typechecker_streams.jsonl`` has two libraries and whole streams, most of them on top of
one of these; ``typechecker_cases.jsonl`` has single declarations that one process judges, each by itself, on top of
the first. `lean_streams` writes new ones.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import goedels_poetry
from goedels_poetry.lean.runtime.install import node_program

HERE = Path(__file__).parent
KERNEL = Path(goedels_poetry.__file__).parent / "lean" / "gate" / "typechecker"


def kept(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


CASES = kept("typechecker_cases.jsonl")
STREAMS = {stream["name"]: stream for stream in kept("typechecker_streams.jsonl")}
JUDGED = [name for name, stream in STREAMS.items() if "expected" in stream]


def lines(name: str) -> list[str | dict[str, Any]]:
    """The stream of that name, after that on top of which it is."""
    stream = STREAMS[name]
    return [*(lines(stream["on"]) if "on" in stream else []), *stream["lines"]]


def check(stream: list[str | dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """The answer of the kernel, run as the gate runs it."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in stream)
    rights = ["--permission", "--allow-worker", f"--allow-fs-read={KERNEL}"]
    command = [str(node_program()), *rights, str(KERNEL / "main.cjs"), json.dumps(settings)]
    done = subprocess.run(command, input=text.encode(errors="surrogatepass"), capture_output=True, timeout=60)
    answers = done.stdout.decode().splitlines()
    assert len(answers) == 1, done.stderr.decode()
    return json.loads(answers[0])


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    """All cases, judged by one process."""
    stream = [*lines("library"), {"section": "candidate"}, *(line for case in CASES for line in case["lines"])]
    answer = check(stream, mode="each", premises=["premise", "hidden"], seconds=60, secondsEach=5)
    assert answer["verdict"] == "done", answer
    assert len(answer["each"]) == len(CASES) == len({case["name"] for case in CASES})
    return dict(zip((case["name"] for case in CASES), answer["each"], strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_single_declarations(case: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> None:
    found = verdicts[case["name"]]
    assert found["verdict"] == case["verdict"], found
    assert re.search(case["reason"], found["reason"]), found


@pytest.mark.sample(16)
@pytest.mark.parametrize("name", JUDGED)
def test_whole_streams(name: str) -> None:
    """``checked`` counts declarations; ``each`` has the verdicts of the single ones."""
    stream = STREAMS[name]
    answer, expected = check(lines(name), **stream["settings"]), stream["expected"]
    counted = expected.get("checked", {})
    seen = {**answer, "each": [each["verdict"] for each in answer.get("each", ())]}
    assert {key: seen[key] for key in expected} == {**expected, **({"checked": answer["checked"]} if counted else {})}
    assert counted.items() <= answer["checked"].items()
    assert re.search(stream["reason"], answer["reason"]), answer


# ---------------------------------------------------------------------------------------- limits


def test_time_runs_out() -> None:
    """While the kernel counts down from a number that no arithmetic makes small."""
    answer = check(lines("slow"), seconds=0.5)
    assert (answer["verdict"], answer["declaration"]) == ("undecided", "t")
    assert answer["ms"] < 3000


def test_time_runs_out_for_one_of_each() -> None:
    answer = check(lines("slow, and one that is not"), mode="each", secondsEach=0.5)
    assert [e["verdict"] for e in answer["each"]] == ["undecided", "accepted"]


def test_memory_runs_out() -> None:
    answer = check(lines("slow"), memoryMb=64, seconds=30)
    assert answer["verdict"] == "undecided", answer


@pytest.mark.parametrize(("depth", "stack", "verdict"), [(30_000, 512, "accepted"), (30_000, 1, "undecided")])
def test_deep_terms(depth: int, stack: int, verdict: str) -> None:
    """Of a stack that is too small nothing follows."""
    names = [{"in": 1, "str": {"pre": 0, "str": "Nat"}}, {"in": 2, "str": {"pre": 1, "str": "succ"}}]
    names += [{"in": 3, "str": {"pre": 1, "str": "zero"}}, {"in": 4, "str": {"pre": 0, "str": "deep"}}]
    constants = [{"ie": number, "const": {"name": number + 1, "us": []}} for number in range(3)]
    applied = [{"ie": number + 1, "app": {"fn": 1, "arg": number}} for number in range(2, depth + 2)]
    rest = {"hints": "abbrev", "safety": "safe", "all": []}
    deep = {"def": {"name": 4, "levelParams": [], "type": 0, "value": depth + 2, **rest}}
    stream = [*lines("small"), {"section": "candidate"}, *names, *constants, *applied, deep]
    assert check(stream, stackMb=stack)["verdict"] == verdict
