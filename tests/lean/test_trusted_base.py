"""What the verdict on a Lean proof rests on is small, and the report about it says how small."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "goedels_poetry"
REPORT = PACKAGE.parent / "docs" / "lean-gate.md"
RUNTIME = "lean/runtime"
TERMS = tuple(f"{RUNTIME}/{name}.cjs" for name in ("export", "replay", "objects"))
PARTS = {
    "reading the data, comparing, selecting, the walk for axioms": ("lean/gate/*.py",),
    "the second kernel": ("lean/gate/typechecker/*.cjs",),
    "who is asked what, in which order; the report": ("checker/lean/*.py", "lean/text/modules.py"),
    "Lean's terms as data, and data as Lean's terms": TERMS,
    "starting Lean's processes and talking to them": (
        f"{RUNTIME}/*.cjs",
        *(f"{RUNTIME}/{name}.py" for name in ("embedded", "fetch", "install", "package")),
        *(f"{RUNTIME}/{name}.py" for name in ("driven", "pool", "protocol")),
    ),
}
ROUGHLY = 100
MOST_KERNEL_LINES = 3000


def lines(patterns: tuple[str, ...]) -> int:
    files = {file for pattern in patterns for file in PACKAGE.glob(pattern) if file.suffix in (".py", ".cjs")}
    if patterns != TERMS:
        files -= {PACKAGE / term for term in TERMS}
    return sum(len(file.read_text().splitlines()) for file in files)


@pytest.mark.parametrize("part", PARTS)
def test_the_report_says_how_many_lines_are_trusted(part: str) -> None:
    said = re.search(rf"^\| {re.escape(part)} \|.*\| ([0-9,]+) \|$", REPORT.read_text(), re.MULTILINE)
    assert said is not None
    most, counted = int(said[1].replace(",", "")), lines(PARTS[part])
    assert most - ROUGHLY < counted <= most, f"{counted} lines"


def test_the_second_kernel_is_one_that_a_stranger_can_read() -> None:
    assert lines(PARTS["the second kernel"]) <= MOST_KERNEL_LINES


def test_the_trusted_base_for_lean_imports_the_standard_library_and_itself() -> None:
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from goedels_poetry.lean.gate.data import read
print(*sorted(sys.modules), sep=chr(10))
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    ours = {name for name in done.stdout.split() if name.startswith("goedels_poetry.")}
    others = {name for name in ours if not name.startswith(("goedels_poetry.kernel", "goedels_poetry.lean.gate"))}
    assert others == {"goedels_poetry.lazy", "goedels_poetry.lean", "goedels_poetry.version"}
    for third in ("pydantic", "langgraph", "langchain_core", "z3", "typer", "rich"):
        assert third not in loaded, third


def test_the_second_kernel_needs_nothing_but_node() -> None:
    wanted = set()
    for file in PACKAGE.glob("lean/gate/typechecker/*.cjs"):
        wanted |= set(re.findall(r"require\('([^']+)'\)", file.read_text()))
    assert {name for name in wanted if not name.startswith("./")} <= {"v8", "worker_threads"}


def test_a_check_of_a_lean_proof_loads_nothing_of_smt_of_search_or_of_models() -> None:
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
import goedels_poetry.cli.check
import goedels_poetry.checker.lean.audit, goedels_poetry.checker.lean.certify
print(*sorted(sys.modules), sep=chr(10))
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    loaded = [
        name.removeprefix("goedels_poetry.") for name in done.stdout.split() if name.startswith("goedels_poetry.")
    ]
    assert "checker.lean.gate" in loaded
    strange = ("smt", "lean.tactics", "lean.errors", "lean.language")
    for part in (*strange, "checker.check", "search", "agents", "models", "graph", "memory", "retrieval", "json_logic"):
        assert not [name for name in loaded if name == part or name.startswith(f"{part}.")], part
    third = {name.partition(".")[0] for name in done.stdout.split()}
    assert not third & {"langgraph", "langchain_core", "z3", "cvc5"}
