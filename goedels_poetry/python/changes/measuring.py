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

Json = dict[str, Any]

# -- an error as it is described ------------------------------------------------------------------------------------

_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)(?:, in (\S+))?', re.MULTILINE)
_PYTEST_PLACE = re.compile(r"^(\S+\.py):(\d+): (?:in (\S+)|[A-Z]\w*)\s*$", re.MULTILINE)
_PYTEST_LINE = re.compile(
    r"^E\s+([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b(?:: ?(.*))?$", re.M
)
_RAISED = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
_NAMED = re.compile(r"\b([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Iteration))\b")
_TESTS = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\S+)?)(?: - .*)?$", re.MULTILINE)
_UNITTEST = re.compile(r"^(?:FAIL|ERROR): \w+ \(([\w.]+)\)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"


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
        return self.exception in ("SyntaxError", "IndentationError", "TabError")


def symptom_of(text: str) -> Symptom:
    """What a description of an error says."""
    text = text.replace("\r\n", "\n")
    tests = tuple(dict.fromkeys([*_TESTS.findall(text), *_UNITTEST.findall(text)]))
    last = text[max(text.rfind(_TRACEBACK), 0) :]
    frames = _frames(_FRAME, last) or _frames(_FRAME, text)
    places = _frames(_PYTEST_PLACE, text)
    raised = _behind_frames(last) or next(iter(_PYTEST_LINE.findall(text)[::-1]), None)
    if raised:
        return Symptom(_last(raised[0]), raised[1].strip(), frames or places, tests, raised=True)
    if tests:
        return Symptom(tests=tests, raised=True)
    line, named = _RAISED.match(text.strip()), _NAMED.search(text)
    if line and _NAMED.fullmatch(_last(line[1])) and "\n" not in text.strip():
        return Symptom(_last(line[1]), (line[2] or "").strip())
    return Symptom(named[1] if named else "")


def _frames(pattern: re.Pattern[str], text: str) -> tuple[Frame, ...]:
    return tuple(Frame(file, int(line), name or "") for file, line, name in pattern.findall(text))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _behind_frames(text: str) -> tuple[str, str] | None:
    """The exception of a traceback and its message: the first line behind its frames that is not indented."""
    seen = False
    for line in text.splitlines():
        line = re.sub(r"^\s*[|+] ?", "", line)
        seen = seen or bool(_FRAME.match(line))
        if seen and line and not line[0].isspace() and (found := _RAISED.match(line.strip())):
            return found[1], found[2] or ""
    return None


def innermost(frames: Iterable[Frame], files: Iterable[str]) -> Frame | None:
    """The last frame in one of a project's files, its name as it is there."""
    known = list(files)
    named = [replace(frame, file=project_file(frame.file, known)) for frame in frames]
    return next((frame for frame in reversed(named) if frame.file), None)


def project_file(path: str, files: Iterable[str]) -> str:
    """Which of a project's files a path of a traceback means: the longest that it ends with; "" for none."""
    wanted = PurePosixPath(path.replace("\\", "/")).parts
    return max((n for n in files if wanted[-len(parts := PurePosixPath(n).parts) :] == parts), key=len, default="")


def is_same_error(symptom: Symptom, message: str, text: str, frame: Frame | None) -> bool:
    """Whether a failure is the error: its exception, and the place where that is raised.

    Args:
        symptom: the error.
        message: ``Exception: words`` of the failure.
        text: its traceback.
        frame: the error's innermost frame in the project; the function counts, the line may have moved.
    """
    if symptom.exception and _last(re.split(r"[:(\s]", message.strip(), maxsplit=1)[0]) != symptom.exception:
        return False
    if frame is None or not frame.function or frame.function.startswith("<"):
        return bool(symptom.exception)
    return frame.function in re.findall(r"\w+", text)


# -- measurements ---------------------------------------------------------------------------------------------------

MEMORY_MB, DISK_MB, PROCESSES = 2_048, 256, 64
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
        return tuple(name for name in self.tests if self.outcome(name) in FAILED and name not in self.unstable)

    def passing(self) -> tuple[str, ...]:
        """Tests that passed, and did so each time."""
        return tuple(name for name in self.tests if self.outcome(name) == PASSED and name not in self.unstable)


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
    """Run what the plan says with ``text`` in the file's place; raises Unavailable without a sandbox."""
    began = time.monotonic()
    found = Measured(**compiled(text, case.file)) if case.is_python else Measured()
    tasks = _tasks(case, text, plan, compiles=not found.fault)
    results = await _in_harness(case, text, tasks, tree) if tasks else []
    by_kind: dict[str, list[Json]] = {}
    for task, result in zip(tasks, results, strict=True):
        by_kind.setdefault(task["kind"], []).append(result)
    runs = by_kind.get("pytest") or by_kind.get("unittest") or []
    if plan.tests is not None and plan.tests.kind == "other":  # its exit code is all that is known
        for _ in range(plan.times):
            shown = await _shown(case, text, plan.tests.arguments, tree)
            outcome = PASSED if shown["code"] == 0 else "failed"
            item = {"outcome": outcome, "message": shown["exception"], "text": shown["text"]}
            runs.append({"ok": True, "items": {"the command": item}})
    imports = [
        str(result.get("imported", result.get("error", "")) if result["ok"] else result.get("reason", ""))
        for result in by_kind.get("import", ())
    ]
    behaviours, others = (result.get("functions", {}) for result in [*by_kind.get("behaviours", ()), {}, {}][:2])
    return replace(
        found,
        **(_of_runs(runs) if runs else {}),
        imported=imports[0] if imports else None,
        behaviours=behaviours,
        others=others,
        altered=tuple(dict.fromkeys(name for result in results for name in result.get("altered", ()))),
        tampered=tuple(dict.fromkeys(name for result in runs for name in result.get("tampered", ()))),
        run=await _shown(case, text, plan.run, tree) if plan.run else None,
        seconds=round(time.monotonic() - began, 3),
    )


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


def _tasks(case: ChangeCase, text: str, plan: Plan, *, compiles: bool) -> list[Json]:
    """What is done in the sandbox's one process: tests that can be told apart, an import, calls on inputs."""
    tasks: list[Json] = []
    command = plan.tests
    if command is not None and command.kind != "other":
        task: Json = {"kind": command.kind, "arguments": command.arguments, "path": command.path}
        task |= {"cwd_on_path": command.root_on_path} | ({"seconds": plan.wall} if plan.wall is not None else {})
        tasks += [task] * plan.times
    module, folder = case.module_and_path
    if case.is_python and compiles and module:
        common: Json = {"module": module, "file": case.file, "text": text, "path": [folder] if folder != "." else []}
        tasks.append({"kind": "import", **common, "seconds": 20})
        calls = {"inputs": dict(plan.inputs), "most": BEHAVIOUR_SECONDS, "seconds": 3 * BEHAVIOUR_SECONDS}
        for version in (text, plan.beside) if plan.inputs else ():
            tasks.append({"kind": "behaviours", **common, **calls, "text": version})
    return tasks


async def _in_harness(case: ChangeCase, text: str, tasks: Sequence[Json], tree: Path) -> list[Json]:
    """The results of all tasks, in one process of the sandbox; each that has none says why."""
    word = secrets.token_hex(16).encode("ascii")
    folder = f"_{secrets.token_hex(6)}"
    changes = {
        case.file: text.encode("utf-8"),
        f"{folder}/run.py": harness(),
        f"{folder}/job.json": json.dumps({"seconds": 2 * case.seconds - 2, "tasks": tasks}).encode("ascii"),
        f"{folder}/word": word,
    }
    done = await _run([sys.executable, "-s", "-P", f"{folder}/run.py"], tree, changes, case.seconds)
    for line in reversed(done.stdout.split(b"\n")):
        if line.startswith(word):
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


def _of_runs(results: Sequence[Json]) -> Json:
    """One or several runs of the tests: what came of each, which differ, whether they can be believed."""
    tests: dict[str, Json] = {}
    outcomes: dict[str, list[Any]] = {}
    for number, result in enumerate(results):
        for name, item in result.get("items", {}).items():
            tests.setdefault(name, item)
            outcomes.setdefault(name, [None] * len(results))[number] = item["outcome"]
    unstable = tuple(name for name, found in outcomes.items() if len(set(found)) > 1)
    return {"tests": tests, "unstable": unstable, "untrusted": next(filter(None, map(_untrusted, results)), "")}


def _untrusted(result: Json) -> str:
    """Why one run of the tests says nothing."""
    if not result.get("ok", False):
        return str(result.get("reason", "there are no results"))
    if "error" in result:
        return f"the tests ended with {result['error']}"
    if any(outcome not in FAILED for outcome in result.get("canaries", ())):
        return "tests that have to fail did not fail: something tampers with how tests are judged"
    return ""


async def _shown(case: ChangeCase, text: str, command: Sequence[str], tree: Path) -> Json:
    """What a command comes to: exit code, exception of its traceback, the end of what it prints."""
    words = [sys.executable if word in ("python", "python3") else word for word in command[:1]]
    done = await _run([*words, *command[1:]], tree, {case.file: text.encode("utf-8")}, case.seconds)
    errors = done.stderr.decode("utf-8", "replace")
    symptom = symptom_of(errors)
    said = errors or done.stdout.decode("utf-8", "replace")
    return {
        "code": done.returncode if done.status == "exited" else None,
        "exception": f"{symptom.exception}: {symptom.message}" if symptom.raised and symptom.exception else "",
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
