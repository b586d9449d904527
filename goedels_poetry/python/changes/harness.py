"""Runs inside the sandbox, in the root of a copied project: its tests, its functions on given inputs.

This file is read as text and never imported by us; it imports nothing but the standard library, and pytest where the
job asks for it. Its job stands beside it as JSON, and so does a word that only the process here knows: each task runs
in a forked child, which has closed that file, and the results of all go out on one line behind the word. A child that
ends early, whatever its exit code, has no results.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import select
import signal
import sys
import time
import traceback
from typing import Any

Json = dict[str, Any]

MAX_ITEM = 1_500
"""Characters kept of one failure's text."""
MAX_RESULT = 4_000_000
"""Bytes of one child's results."""
CALL_SECONDS = 0.4
"""Processor seconds for one call on one input."""


def main() -> None:
    """Do the job that stands beside this file, and say what came of it."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    secret = os.open(os.path.join(here, "word"), os.O_RDONLY)
    for name in os.listdir(here):
        os.unlink(os.path.join(here, name))
    os.rmdir(here)
    out = os.dup(1)
    sys.dont_write_bytecode = True  # texts of one length within one second: a cache would give the one for the other
    root = os.getcwd()
    sys.argv = ["job"]
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or root) != here]
    until = time.monotonic() + float(job["seconds"])
    kept = _sources(root)
    _preload(job)
    results: list[Json] = []
    for task in job["tasks"]:
        late = next((r for r, t in zip(results, job["tasks"], strict=False) if t == task and r.get("late")), None)
        done = late or _in_child(task, root, (secret, out), until)
        results.append({**done, "altered": _restored(root, kept)})
    word = os.read(secret, 100)
    line = b"\n" + word + json.dumps(results).encode("ascii") + b"\n"
    while line:
        line = line[os.write(out, line) :]


def _sources(root: str) -> dict[str, bytes]:
    """The programs and settings of the project, by their paths."""
    found = {}
    for folder, _, names in os.walk(root):
        for path in (os.path.join(folder, name) for name in names):
            if path.endswith((".py", ".cfg", ".toml", ".ini")) and os.path.isfile(path) and not os.path.islink(path):
                found[path] = _content(path) or b""
    return found


def _content(path: str) -> bytes | None:
    """What a file holds; None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _restored(root: str, kept: dict[str, bytes]) -> list[str]:
    """Put back what a child has changed or taken away; returns the paths below the root."""
    altered = [path for path, content in kept.items() if os.path.islink(path) or _content(path) != content]
    for path in altered:
        with contextlib.suppress(OSError):
            os.unlink(path)
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(kept[path])
    return [os.path.relpath(path, root) for path in altered]


def _preload(job: Json) -> None:
    """What all children need is loaded once, before anything of the project's is on the path."""
    kinds = {task["kind"] for task in job["tasks"]}
    if kinds & {"pytest", "unittest"}:
        import unittest  # noqa: F401  what tests are judged by has to be there before they are
    if "pytest" in kinds:
        with contextlib.suppress(Exception):  # whatever it is, the child meets it again and says so
            import _pytest.config

            _pytest.config.get_config()


def _in_child(task: Json, root: str, secret: tuple[int, ...], until: float) -> Json:
    """One task in a process of its own; without results it says how that process ended."""
    reading, writing = os.pipe()
    key = os.urandom(16).hex()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            for descriptor in secret:
                os.close(descriptor)
            os.setpgid(0, 0)
            _child(task, root, writing, key)
        finally:
            os._exit(0)
    os.close(writing)
    data, over = _read(reading, min(until, time.monotonic() + float(task.get("seconds", 1e9))))
    os.close(reading)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        if not data.startswith(key.encode("ascii")):
            raise ValueError(data)
        return {"ok": True, **json.loads(data[len(key) :])}
    except ValueError:
        if over:
            return {"ok": False, "late": True, "reason": "it was not done in time"}
        code = os.waitstatus_to_exitcode(status)
        how = f"the signal {-code}" if code < 0 else f"exit code {code}"
        return {"ok": False, "reason": f"the process ended before the tests did ({how})"}


def _read(reading: int, until: float) -> tuple[bytes, bool]:
    """Everything until the other side is closed; and whether the time was over first."""
    data = b""
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return data, True
        if not select.select([reading], [], [], min(left, 1.0))[0]:
            continue
        chunk = os.read(reading, 65_536)
        if not chunk:
            return data, False
        data += chunk
        if len(data) > MAX_RESULT:
            return b"", False


def _child(task: Json, root: str, writing: int, key: str) -> None:
    """Run one task and write its results, behind a word that whoever finds the way there does not know."""
    mine = os.getpid()
    machinery = _machinery()
    own = [root] if task.get("cwd_on_path", True) and root not in sys.path else []
    sys.path[:0] = [*(os.path.join(root, extra) for extra in reversed(task.get("path", ()))), *own]
    importlib.invalidate_caches()
    random.seed(0)
    try:
        result = _KINDS[task["kind"]](task)
    except BaseException as error:  # noqa: BLE001  whatever a project raises is a result
        result = {"error": _shown(error)}
    if os.getpid() != mine:  # a fork of the project's own came back here
        os._exit(0)
    result["tampered"] = sorted(name for name, it in _machinery().items() if machinery.get(name, it) is not it)[:20]
    data = (key + json.dumps(result)).encode("ascii")
    while data:
        data = data[os.write(writing, data) :]


def _machinery() -> dict[str, Any]:
    """The functions by which tests are judged, by name, as they are now."""
    found: dict[str, Any] = {}
    for module in list(sys.modules):
        if module.partition(".")[0] not in ("unittest", "pytest", "_pytest", "pluggy", "builtins", "__main__"):
            continue
        for name, value in list(vars(sys.modules[module]).items()):
            if isinstance(value, type) and value.__module__ == module:
                methods = (pair for pair in list(vars(value).items()) if callable(pair[1]) or _is_bound(pair[1]))
                found.update({f"{module}.{name}.{each}": method for each, method in methods})
            if callable(value):
                found[f"{module}.{name}"] = value
    return found


def _is_bound(value: object) -> bool:
    return isinstance(value, classmethod | staticmethod | property)


def _shown(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(type(error), error)).strip()[:MAX_ITEM]


# -- pytest ---------------------------------------------------------------------------------------------------------


class _Items:
    """What came of each test: of several outcomes the first one that is a failure, else the last one."""

    def __init__(self) -> None:
        self.found: dict[str, Json] = {}

    def note(self, name: str, outcome: str, message: str = "", text: str = "") -> None:
        """One outcome of a test."""
        failed = ("failed", "error")
        if self.found.get(name, {}).get("outcome") not in failed:
            shown = text[-MAX_ITEM:] if outcome in failed else ""
            self.found[name] = {"outcome": outcome, "text": shown, "message": message[:MAX_ITEM]}


class _Recorder:
    """A plug-in that notes what came of each test, and puts tests of ours behind the others that have to fail."""

    def __init__(self) -> None:
        self.items = _Items()
        self.canaries: dict[str, str] = {}

    def pytest_collectreport(self, report: Any) -> None:
        """A file that cannot be collected is a test that fails."""
        if report.failed:
            self._note(f"{report.nodeid} (collection)", "error", report)

    def pytest_collection_modifyitems(self, session: Any, config: Any, items: list[Any]) -> None:
        """Ours come last."""
        import pytest

        one, other = random.SystemRandom().sample(range(10**6, 10**7), 2)

        def compares() -> None:
            assert one == other

        def raises() -> None:
            raise ValueError(one)

        def exits() -> None:
            if one != other:
                pytest.fail("as it should")

        modules = [item.getparent(pytest.Module) for item in items]
        module = next((found for found in reversed(modules) if found is not None), None)
        for number, function in enumerate((compares, raises, exits) if module is not None else ()):
            item = pytest.Function.from_parent(module, name=f"test_{one}_{number}", callobj=function)
            self.canaries[item.nodeid] = "missing"
            items.append(item)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Setup, call and teardown of one test."""
        expected = hasattr(report, "wasxfail")
        if report.nodeid in self.canaries:
            if report.when == "call":
                self.canaries[report.nodeid] = str(report.outcome)
        elif report.when == "call" and expected:
            self._note(report.nodeid, "xpassed" if report.outcome == "passed" else "xfailed", report)
        elif report.when == "call":
            self._note(report.nodeid, report.outcome, report)
        elif report.failed:
            self._note(report.nodeid, "error", report)
        elif report.skipped:
            self._note(report.nodeid, "xfailed" if expected else "skipped", report)

    def _note(self, name: str, outcome: str, report: Any) -> None:
        crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
        message = str(getattr(crash, "message", "")) if crash is not None else ""
        self.items.note(name, outcome, message, str(getattr(report, "longreprtext", "") or ""))


def _pytest(task: Json) -> Json:
    import pytest

    recorder = _Recorder()
    arguments = [*task["arguments"], "-p", "no:cacheprovider", "-p", "no:randomly", "--maxfail=0", "--tb=short", "-q"]
    arguments += ["-n0"] if importlib.util.find_spec("xdist") else []
    last = pytest.hookimpl(trylast=True)
    last(_Recorder.pytest_collection_modifyitems)  # behind those that choose by -k and -m
    pytest.main(arguments, plugins=[recorder])
    return {"items": recorder.items.found, "canaries": list(recorder.canaries.values())}


# -- unittest -------------------------------------------------------------------------------------------------------


def _unittest(task: Json) -> Json:
    import unittest

    items = _Items()
    canaries: list[str] = []
    one, other = random.SystemRandom().sample(range(10**6, 10**7), 2)

    class Canary(unittest.TestCase):
        def runTest(self) -> None:  # unittest's own name
            self.assertEqual(one, other)

    class Result(unittest.TestResult):
        def _add(self, test: Any, outcome: str, error: Any = None) -> None:
            if isinstance(test, Canary):
                canaries.append(outcome)
                return
            text = str(self._exc_info_to_string(error, test)) if error else ""  # type: ignore[attr-defined]
            items.note(test.id(), outcome, _shown(error[1]) if error else "", text)

        def addSuccess(self, test: Any) -> None:
            self._add(test, "passed")

        def addFailure(self, test: Any, err: Any) -> None:
            self._add(test, "failed", err)

        def addError(self, test: Any, err: Any) -> None:
            self._add(test, "error", err)

        def addSkip(self, test: Any, reason: str) -> None:
            self._add(test, "skipped")

        def addExpectedFailure(self, test: Any, err: Any) -> None:
            self._add(test, "xfailed")

        def addUnexpectedSuccess(self, test: Any) -> None:
            self._add(test, "xpassed")

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
            if err is not None:
                self._add(test, "failed", err)

    class Runner:
        def run(self, test: Any) -> Any:
            result = Result()
            test(result)
            Canary()(result)
            return result

    runner: Any = Runner()
    unittest.main(module=None, argv=["unittest", *task["arguments"]], testRunner=runner, exit=False)
    return {"items": items.found, "canaries": canaries}


# -- the file's own functions ---------------------------------------------------------------------------------------


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from a text instead of its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text.encode("utf-8")

    def get_data(self, path: str) -> bytes:
        """The text."""
        return self._text

    def get_code(self, fullname: str) -> Any:
        """Compiled, and never from or into a cache."""
        return self.source_to_code(self._text, self.path)


def _load(task: Json) -> Any:
    """The module under its own name: its file, or another text in its place."""
    name = task["module"]
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    path = os.path.abspath(task["file"])
    loader = _Loader(name, path, task["text"])
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # a loader was given
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _quietly(task: Json) -> tuple[Any, str]:
    """The module, or how its import failed; what it prints is lost."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return _load(task), ""
        except BaseException as error:  # noqa: BLE001  whatever a project raises is a result
            return None, _shown(error)


class _TooLong(BaseException):
    """A call that takes too long."""


def _alarm(*_: object) -> None:
    raise _TooLong


def _behaviours(task: Json) -> Json:
    """What functions return on given inputs, or which exception they raise, as text."""
    import ast

    module, error = _quietly(task)
    if module is None:
        return {"functions": {}, "imported": error}
    signal.signal(signal.SIGVTALRM, _alarm)
    until = time.monotonic() + float(task.get("most", 5.0))
    functions: dict[str, list[str]] = {}
    for name, inputs in task["inputs"].items():
        function = getattr(module, name, None)
        said = functions[name] = []
        for text in inputs if callable(function) else ():
            if time.monotonic() > until or said.count("takes too long") > 2:
                break
            random.seed(0)
            said.append(_call(function, ast.literal_eval(text)))
    return {"functions": functions, "imported": ""}


def _call(function: Any, arguments: Any) -> str:
    sink = io.StringIO()
    given = repr(arguments)
    try:
        with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
            signal.setitimer(signal.ITIMER_VIRTUAL, CALL_SECONDS)
            try:
                value = function(*arguments)
                said = f"{type(value).__name__} {value!r}"
                if type(value) not in (int, float, complex, str, bytes, bool, list, tuple, dict, set, frozenset):
                    said = "None" if value is None else f"a {type(value).__name__}"
                if repr(arguments) != given:
                    said += f", arguments then {arguments!r}"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TooLong:
        return "takes too long"
    except BaseException as error:  # noqa: BLE001  whatever a project raises is a result
        return f"raises {type(error).__name__}"
    printed = sink.getvalue()
    return (f"{said}, prints {printed[:200]!r}" if printed else said)[:600]


_KINDS: dict[str, Any] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "import": lambda task: {"imported": _quietly(task)[1]},
    "behaviours": _behaviours,
}

if __name__ == "__main__":
    main()
