"""Every command in the README and in docs/ works as it stands there.

A fenced block ``smt2 NAME`` is a file that the commands of its section find there. A fenced block ``console`` holds
commands (``$ ...``) and what they print. Exit codes must be the block's
``exit=N`` (default 0); of the printed lines the first word has to occur, not the rest. ``RUN`` stands for the
latest run. Blocks ``sh`` are what a person copies: their installation is tested by .ci/run; what they prove is shown
further down in a block ``console``. The commands of one section follow each other in one place; two sections of a long
document may run at the same time.
"""

import functools
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kept_lean
import pytest
from called import call

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(console|sh)(?: exit=(\d))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```smt2 (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, eq=False)
class Command:
    """One of a document; the same line at another place is another one."""

    line: str
    code: int
    words: tuple[str, ...]


def commands(text: str) -> Iterator[Command]:
    for kind, code, body in FENCE.findall(text):
        if kind == "sh":
            continue
        first, *blocks = re.split(r"^\$ ", body, flags=re.MULTILINE)
        assert not first.strip(), "a console block begins with a command"
        for block in blocks:
            line, *printed = block.splitlines()
            words = [shown.split()[0] for shown in printed if shown.strip()]
            yield Command(line, int(code or 0), tuple(word.rstrip(",") for word in words))


@dataclass(frozen=True)
class Section:
    commands: tuple[Command, ...] = ()
    files: tuple[tuple[str, str], ...] = ()


@functools.cache
def sections() -> dict[str, Section]:
    """Every section that has commands."""
    found: dict[str, Section] = {}
    for document in DOCUMENTS:
        for text in re.split(r"^(?=## )", document.read_text("utf-8"), flags=re.MULTILINE):
            title = f"{document.name}: {text.splitlines()[0].strip('# ')}"
            before = found.get(title, Section())
            found[title] = Section(before.commands + tuple(commands(text)), before.files + tuple(FILE.findall(text)))
    return {title: section for title, section in found.items() if section.commands}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of the theorems, and ``goedels-poetry`` as a command of this very tree."""
    shutil.copytree(ROOT / "theorems", tmp_path / "theorems")
    program = tmp_path / "bin" / "goedels-poetry"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m goedels_poetry "$@"\n', "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


SHELL = re.compile(r"[^\w\s\"',./:=-]")
"""Characters that a shell may make something of, and that no plain command of ours has."""


BY_FILE = ("prove",)
"""What does another thing for another kind of file."""
IN_A_PROCESS = {("prove", ".py"): "goedels-poetry prove theorems/python/clamp.py --out proofs"}
"""Of its kind not the first but the one that takes least."""
DEAR = {
    "code.md: Functions that pass given checks": pytest.mark.whole(
        "code/test_command.py::test_the_function_is_written_whole_and_nothing_is_overwritten"
    ),
    "evaluation.md: Theorems": pytest.mark.whole("evaluation/test_bench.py::test_theorems_are_proved_several_times"),
    "lean.md: Lean 4": pytest.mark.whole("lean/test_refute.py::test_what_is_there_is_not_fetched_again"),
    "lean.md: Arithmetic": pytest.mark.whole("lean/test_arithmetic.py::test_a_true_statement_of_arithmetic_is_proved"),
    "lean.md: From a Lean goal to the engine": pytest.mark.whole(
        "bridge/test_goals.py::test_a_theorem_that_needs_a_lemma_is_proved_with_it"
    ),
    "python.md: Python functions": pytest.mark.whole(
        "python/test_prove.py::test_a_loop_that_keeps_its_contract_is_proved_and_the_certificate_holds"
    ),
}
"""Sections that differ from others by their theorems, which take much time. None is of the README."""


def kind_of(argument: str) -> str:
    """The suffix of a file, of which a function may be named."""
    return Path(argument).suffix.partition(":")[0]


def in_processes() -> frozenset[Command]:
    """What runs as a person runs it: the first command of every kind, by its word and its file's kind."""
    first: dict[tuple[str, str], Command] = {}
    for title, section in sections().items():
        for command in section.commands:
            ours, word, *rest = command.line.split()
            if ours == "goedels-poetry" and title not in DEAR:
                suffix = next((each for each in map(kind_of, rest) if each), "") if word in BY_FILE else ""
                if IN_A_PROCESS.get((word, suffix), command.line) == command.line:
                    first.setdefault((word, suffix), command)
    assert first.keys() >= IN_A_PROCESS.keys() | {("prove", ".smt2"), ("prove", ".lean"), ("check", "")}
    return frozenset(first.values())


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "section", [pytest.param(each, id=title, marks=DEAR.get(title, ())) for title, each in sections().items()]
)
def test_every_command_of_the_section_works(
    section: Section,
    place: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Plain commands are called in this process, with its one Lean; those with a shell's words, and some of each kind,
    are programs of their own.
    """
    for name, text in section.files:
        (place / name).write_text(text, "utf-8")
    paths = [str(place / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    ours = {
        "GOEDELS_POETRY__HOME": str(place / "home"),
        "GOEDELS_POETRY__LEAN__WORKERS": "1",  # a second Lean takes three seconds of a processor that others wait for
    }
    env = os.environ | {"PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT)} | ours
    monkeypatch.chdir(place)
    if any(".lean" in command.line or "--call" in command.line for command in section.commands):
        kept_lean.for_all(request.getfixturevalue("lean"), monkeypatch)
    alone = in_processes()
    for command in section.commands:
        runs = sorted((place / "home" / "runs").glob("*"), key=lambda run: run.stat().st_mtime)
        line = command.line.replace(" RUN", f" {runs[-1].name}") if runs else command.line
        if line.startswith("goedels-poetry ") and not SHELL.search(line) and command not in alone:
            code, *printed = call(shlex.split(line)[1:], monkeypatch, capsys, ours)
            said = "".join(printed)
        else:
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=place,
                env=env,
                capture_output=True,
                text=True,
                timeout=120,
                stdin=subprocess.DEVNULL,
            )
            code, said = done.returncode, done.stdout + done.stderr
        assert code == command.code, f"{line}\n{said}"
        assert all(word in said for word in command.words), f"{line}\n{command.words}\n{said}"


def test_the_python_of_the_readme_works(place: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    env = os.environ | {"PYTHONPATH": str(ROOT), "GOEDELS_POETRY__HOME": str(place / "home")}
    done = subprocess.run([sys.executable, "-c", code], cwd=place, env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("proved L3 "), done.stderr


def test_every_relative_link_leads_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_link_to_a_heading_finds_it() -> None:
    def headings(document: Path) -> set[str]:
        text = re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

    for document in DOCUMENTS:
        for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", document.read_text("utf-8")):
            assert heading in headings(document.parent / target if target else document), f"{document.name}: {heading}"


def test_every_document_that_the_sources_cite_exists() -> None:
    sources = [path for folder in ("goedels_poetry", "scripts") for path in (ROOT / folder).rglob("*.py")]
    cited = {name for path in sources for name in re.findall(r"\bdocs/[\w/-]+\.\w+", path.read_text("utf-8"))}
    assert cited
    assert [name for name in cited if not (ROOT / name).exists()] == []
