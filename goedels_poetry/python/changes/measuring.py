"""One text of a file, put into its project and run in the sandbox: what compiles, imports, passes, fails, returns.

Nothing is judged here. Only the file is replaced: tests, their configuration and all other files are those of the
project, so that a change cannot bring its own.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from goedels_poetry.errors import Unavailable
from goedels_poetry.protocol.record import Record
from goedels_poetry.python.changes.case import ChangeCase, Command
from goedels_poetry.sandbox import SandboxLimits, SandboxResult, run_command_async

_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)(?:, in (\S+))?', re.MULTILINE)
_PYTEST_PLACE = re.compile(r"^(\S+\.py):(\d+): (?:in (\S+)|([A-Z]\w*))\s*$", re.MULTILINE)
_PYTEST_LINE = re.compile(
    r"^E\s+([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b(?:: ?(.*))?$", re.M
)
_LAST_LINE = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
_NAMED = re.compile(r"\b([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Iteration))\b")
_TESTS = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\S+)?)(?: - .*)?$", re.MULTILINE)
_UNITTEST = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Symptom:
    """An error as it was described."""

    exception: str = ""
    """Name of the exception, without its module."""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    """Outermost first."""
    tests: tuple[str, ...] = ()
    """Tests that it names."""
    raised: bool = False
    """Whether it is what Python or a test runner printed; otherwise somebody's words."""

    @property
    def is_syntax(self) -> bool:
        """Whether the file cannot be compiled."""
        return self.exception in _SYNTAX


def symptom_of(text: str) -> Symptom:
    """What a description of an error says."""
    text = text.replace("\r\n", "\n")
    tests = tuple(dict.fromkeys([*_TESTS.findall(text), *(f"{b}" for _, b in _UNITTEST.findall(text))]))
    frames = tuple(Frame(f, int(n), name or "") for f, n, name in _FRAME.findall(text))
    if _TRACEBACK in text or frames:
        exception, message = _behind_frames(text)
        if exception:
            return Symptom(exception, message, _last_traceback(text) or frames, tests, raised=True)
    lines = _PYTEST_LINE.findall(text)
    if lines:
        places = tuple(Frame(f, int(n), name) for f, n, name, _ in _PYTEST_PLACE.findall(text))
        name, message = lines[-1]
        return Symptom(name.rpartition(".")[2], message.strip(), places, tests, raised=True)
    if tests:
        return Symptom(tests=tests, raised=True)
    whole = _LAST_LINE.match(text.strip())
    if whole and _NAMED.fullmatch(whole[1].rpartition(".")[2]) and "\n" not in text.strip():
        return Symptom(whole[1].rpartition(".")[2], (whole[2] or "").strip())
    named = _NAMED.search(text)
    return Symptom(named[1] if named else "")


def _behind_frames(text: str) -> tuple[str, str]:
    """The exception of the last traceback: the first line behind its frames that is not indented."""
    last = text[text.rfind(_TRACEBACK) :] if _TRACEBACK in text else text
    seen = False
    for line in last.splitlines():
        line = re.sub(r"^\s*[|+] ?", "", line)
        if _FRAME.match(line):
            seen = True
        elif seen and line and not line[0].isspace():
            found = _LAST_LINE.match(line.strip())
            if found:
                return found[1].rpartition(".")[2], (found[2] or "").strip()
    return "", ""


def _last_traceback(text: str) -> tuple[Frame, ...]:
    last = text[text.rfind(_TRACEBACK) :] if _TRACEBACK in text else text
    return tuple(Frame(f, int(n), name or "") for f, n, name in _FRAME.findall(last))


def innermost(frames: Iterable[Frame], files: Iterable[str]) -> Frame | None:
    """The last frame in one of a project's files, its name as it is there."""
    known = list(files)
    for frame in reversed(list(frames)):
        named = project_file(frame.file, known)
        if named:
            return Frame(named, frame.line, frame.function)
    return None


def project_file(path: str, files: Iterable[str]) -> str:
    """Which of a project's files a path of a traceback means: the longest that it ends with; "" for none."""
    wanted = PurePosixPath(path.replace("\\", "/"))
    found = [name for name in files if wanted.parts[-len(PurePosixPath(name).parts) :] == PurePosixPath(name).parts]
    return max(found, key=len, default="")


def is_same_error(symptom: Symptom, message: str, text: str, frame: Frame | None) -> bool:
    """Whether a failure is the error: its exception, and the place where that is raised.

    Args:
        symptom: the error.
        message: ``Exception: words`` of the failure.
        text: its traceback.
        frame: the error's innermost frame in the project; the function counts, the line may have moved.
    """
    name = re.split(r"[:(\s]", message.strip(), maxsplit=1)[0].rpartition(".")[2]
    if symptom.exception and name != symptom.exception:
        return False
    if frame is None or not frame.function or frame.function.startswith("<"):
        return bool(symptom.exception)
    return frame.function in re.findall(r"\w+", text)


Json = dict[str, Any]

MEMORY_MB = 2_048
DISK_MB = 256
PROCESSES = 64
MAX_TEXT = 4_000
"""Characters kept of what a command prints."""
BEHAVIOUR_SECONDS = 5.0
PASSED, FAILED = "passed", ("failed", "error")
_FILE, _ADDRESS = re.compile(r'File "([^"\n]+)"'), re.compile(r"\b0x[0-9a-fA-F]{6,}\b")


@dataclass(frozen=True, slots=True)
class Measured(Record):
    """What came of one text of the file. JSON-able."""

    fault: str = ""
    """Why it does not compile; "" where it does, or is no Python."""
    fault_line: int | None = None
    imported: str | None = None
    """How its import fails; "" where it does not; None where that was not tried."""
    tests: Mapping[str, Json] = field(default_factory=dict)
    """Test -> ``{"outcome", "message", "text"}``; of another command the test "the command"."""
    unstable: tuple[str, ...] = ()
    """Tests that came out differently the second time."""
    untrusted: str = ""
    """Why the results of the tests say nothing; "" where they do."""
    run: Json | None = None
    """Of the command that shows the error: ``{"code", "exception", "text", "how"}``."""
    behaviours: Mapping[str, list[str]] = field(default_factory=dict)
    """Function -> what it returns on the inputs of the plan, in their order."""
    others: Mapping[str, list[str]] = field(default_factory=dict)
    """The same of the text that it is compared with."""
    tampered: tuple[str, ...] = ()
    """Functions by which tests are judged that are others after the tests than before."""
    altered: tuple[str, ...] = ()
    """Files of the project that the tests have changed, or taken away; they were put back."""
    seconds: float = 0.0

    def outcome(self, test: str) -> str:
        """What came of a test; "" where it was not there."""
        return str(self.tests.get(test, {}).get("outcome", ""))

    def failing(self) -> tuple[str, ...]:
        """Tests that failed, and did so each time."""
        return tuple(n for n, item in self.tests.items() if item["outcome"] in FAILED and n not in self.unstable)

    def passing(self) -> tuple[str, ...]:
        """Tests that passed, and did so each time."""
        return tuple(n for n, item in self.tests.items() if item["outcome"] == PASSED and n not in self.unstable)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured."""

    tests: Command | None = None
    times: int = 2
    """How often the tests are run."""
    run: tuple[str, ...] = ()
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Function -> tuples of arguments."""
    beside: str = ""
    """Another text of the file, whose functions get the same inputs."""
    wall: float | None = None
    """Seconds by the clock for one run of the tests; None: what the case allows."""


@asynccontextmanager
async def laid_out(case: ChangeCase) -> AsyncIterator[Path]:
    """The project in a folder of its own, which is removed."""
    folder = Path(tempfile.mkdtemp(prefix="change-"))
    try:
        root = folder / "project"
        root.mkdir()
        case.write(root)
        yield root
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def measure(case: ChangeCase, text: str, plan: Plan, tree: Path) -> Measured:
    """Run what the plan says with ``text`` in the file's place.

    Args:
        case: the project and the file.
        text: of the file.
        plan: what to do.
        tree: the project, as `laid_out` has it.

    Raises:
        Unavailable: there is no sandbox here.
    """
    began = time.monotonic()
    found = Measured()
    if case.is_python:
        found = replace(found, **compiled(text, case.file))
    tasks = _tasks(case, text, plan, compiles=not found.fault)
    results = await _in_harness(case, text, tasks, tree) if tasks else []
    by_kind: dict[str, list[Json]] = {}
    for task, result in zip(tasks, results, strict=True):
        by_kind.setdefault(task["kind"], []).append(result)
    ran = by_kind.get("pytest") or by_kind.get("unittest") or []
    if ran:
        found = _with_tests(found, ran)
    for result in by_kind.get("import", ()):
        found = replace(found, imported=_imported(result))
    for name, result in zip(("behaviours", "others"), by_kind.get("behaviours", ()), strict=False):
        found = replace(found, **{name: result.get("functions", {})})
    altered = dict.fromkeys(name for result in results for name in result.get("altered", ()))
    tampered = dict.fromkeys(name for result in ran for name in result.get("tampered", ()))
    found = replace(found, altered=tuple(altered), tampered=tuple(tampered))
    if plan.tests is not None and plan.tests.kind == "other":
        found = await _with_command(found, case, text, plan, tree)
    if plan.run:
        found = replace(found, run=await _shown(case, text, plan.run, tree))
    return replace(found, seconds=round(time.monotonic() - began, 3))


def compiled(text: str, name: str) -> Json:
    """``{}`` where a text compiles; else ``fault`` and ``fault_line``. Nothing of it runs."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.encode("utf-8", "surrogatepass"), name, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f" (line {error.lineno})" if error.lineno else ""
        return {"fault": f"{type(error).__name__}: {error.msg}{where}", "fault_line": error.lineno}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"fault": f"{type(error).__name__}: {error}"}
    return {}


# -- tests that can be told apart -----------------------------------------------------------------------------------


def _tasks(case: ChangeCase, text: str, plan: Plan, *, compiles: bool) -> list[Json]:
    tasks: list[Json] = []
    command = plan.tests
    if command is not None and command.kind != "other":
        task: Json = {
            "kind": command.kind,
            "arguments": list(command.arguments),
            "cwd_on_path": command.root_on_path,
            "path": list(command.path),
            **({"seconds": plan.wall} if plan.wall is not None else {}),
        }
        tasks += [task] * plan.times
    module, folder = case.module_and_path
    if case.is_python and compiles and module:
        common: Json = {"module": module, "file": case.file, "text": text, "path": [folder] if folder != "." else []}
        tasks.append({"kind": "import", **common, "seconds": 20})
        if plan.inputs:
            inputs = {name: list(each) for name, each in plan.inputs.items()}
            most = {"most": BEHAVIOUR_SECONDS, "seconds": 3 * BEHAVIOUR_SECONDS}
            for version in (text, plan.beside):
                tasks.append({"kind": "behaviours", **common, "text": version, "inputs": inputs, **most})
    return tasks


async def _in_harness(
    case: ChangeCase,
    text: str,
    tasks: Sequence[Json],
    tree: Path,
) -> list[Json]:
    """The results of all tasks, in one process of the sandbox; each that has none says why."""
    word = secrets.token_hex(16)
    folder = f"_{secrets.token_hex(6)}"
    job = {"seconds": 2 * case.seconds - 2, "tasks": list(tasks)}
    changes = {
        case.file: text.encode("utf-8"),
        f"{folder}/run.py": harness(),
        f"{folder}/job.json": json.dumps(job).encode("ascii"),
        f"{folder}/word": word.encode("ascii"),
    }
    done = await _run([sys.executable, "-s", "-P", f"{folder}/run.py"], tree, changes, case.seconds)
    for line in reversed(done.stdout.split(b"\n")):
        if line.startswith(word.encode("ascii")):
            found: list[Json] = json.loads(line[len(word) :])
            for item in (item for result in found for item in result.get("items", {}).values()):
                item |= {name: _neutral(item[name], case, tree) for name in ("text", "message")}
            return found
    how = done.explanation or (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no results"])[-1]
    return [{"ok": False, "reason": how[:300]} for _ in tasks]


@cache
def harness() -> bytes:
    """The text of what runs in the sandbox."""
    return files(__package__).joinpath("harness.py").read_bytes()


def _neutral(text: str, case: ChangeCase, tree: Path) -> str:
    """What a program prints, without what differs from run to run: where the copy is, addresses of objects."""

    def named(found: re.Match[str]) -> str:
        return f'File "{project_file(found[1], (*case.files, case.file)) or found[1]}"'

    return _ADDRESS.sub("0x...", _FILE.sub(named, text).replace(f"{tree}/", ""))


def _with_tests(found: Measured, results: Sequence[Json]) -> Measured:
    """One or several runs of the tests: what came of each, which differ, whether they can be believed."""
    first = results[0]
    untrusted = next((reason for result in results if (reason := _untrusted(result))), "")
    tests: dict[str, Json] = dict(first.get("items", {}))
    unstable = []
    for other in results[1:]:
        items = other.get("items", {})
        for name in dict.fromkeys([*tests, *items]):
            if (tests.get(name) or {}).get("outcome") != (items.get(name) or {}).get("outcome"):
                unstable.append(name)
                tests.setdefault(name, items.get(name, {}))
    return replace(found, tests=tests, unstable=tuple(dict.fromkeys(unstable)), untrusted=untrusted)


def _untrusted(result: Json) -> str:
    """Why one run of the tests says nothing."""
    if not result.get("ok", False):
        return str(result.get("reason", "there are no results"))
    if "error" in result:
        return f"the tests ended with {result['error']}"
    if any(outcome not in FAILED for outcome in result.get("canaries", ())):
        return "tests that have to fail did not fail: something tampers with how tests are judged"
    return ""


def _imported(result: Json) -> str | None:
    if not result.get("ok", False):
        return str(result.get("reason", ""))
    found = result.get("imported", result.get("error"))
    return None if found is None else str(found)


# -- other commands -------------------------------------------------------------------------------------------------


async def _with_command(found: Measured, case: ChangeCase, text: str, plan: Plan, tree: Path) -> Measured:
    """A command whose exit code is all that is known."""
    assert plan.tests is not None
    outcomes = [await _shown(case, text, plan.tests.arguments, tree) for _ in range(plan.times)]
    first = outcomes[0]
    item = {
        "outcome": PASSED if first["code"] == 0 else "failed",
        "message": first["exception"],
        "text": first["text"],
    }
    unstable = ("the command",) if len({outcome["code"] == 0 for outcome in outcomes}) > 1 else ()
    return replace(found, tests={"the command": item}, unstable=unstable)


async def _shown(case: ChangeCase, text: str, command: Sequence[str], tree: Path) -> Json:
    """What a command comes to: exit code, exception of its traceback, the end of what it prints."""
    words = [sys.executable if word in ("python", "python3") else word for word in command[:1]]
    done = await _run([*words, *command[1:]], tree, {case.file: text.encode("utf-8")}, case.seconds)
    errors = done.stderr.decode("utf-8", "replace")
    symptom = symptom_of(errors)
    code = done.returncode if done.status == "exited" else None
    said = errors or done.stdout.decode("utf-8", "replace")
    exception = f"{symptom.exception}: {symptom.message}" if symptom.raised and symptom.exception else ""
    return {
        "code": code,
        "exception": exception,
        "text": _neutral(said, case, tree)[-MAX_TEXT:],
        "how": done.explanation,
    }


async def _run(argv: Sequence[str], tree: Path, changes: Mapping[str, bytes], seconds: float) -> SandboxResult:
    limits = SandboxLimits(
        cpu_seconds=seconds,
        wall_seconds=2 * seconds,
        memory_mb=MEMORY_MB,
        output_bytes=8_000_000,
        disk_mb=DISK_MB,
        processes=PROCESSES,
        open_files=256,
    )
    done = await run_command_async(argv, tree, changes=changes, packages=True, limits=limits)
    if done.status == "unavailable":
        raise Unavailable(f"programs cannot be run here: {done.explanation}")
    return done
