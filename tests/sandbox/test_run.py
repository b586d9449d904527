"""What a program is given and what comes back, in every way that this machine has."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.sandbox import SandboxLimits, isolation, run_python, run_python_async
from goedels_poetry.sandbox.child.processes import descendants, remove
from goedels_poetry.sandbox.isolation import Setup, describe, forced

WAYS = ("bubblewrap", "kernel", "filters", "resource limits")
LIMITS = SandboxLimits(cpu_seconds=5, wall_seconds=20)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """One of the ways, in force."""
    name = str(request.param)
    with forced(name):
        if name != "resource limits" and isolation().mechanisms == ("resource limits",):
            pytest.skip(f"this machine gives no {name}")
        yield name


def printed(program: str, **more: object) -> str:
    result = run_python(program, limits=LIMITS, **more)  # type: ignore[arg-type]
    assert (result.status, result.returncode) == ("exited", 0), result
    return result.stdout.decode()


def test_a_program_gets_arguments_input_and_files_and_leaves_those_that_are_wanted(way: str) -> None:
    result = run_python(
        "import sys, pathlib, below.module\n"
        "pathlib.Path('out').write_bytes(below.module.x + sys.stdin.buffer.read())\n"
        "print(sys.argv, __name__, sorted(str(each) for each in pathlib.Path().rglob('*')))",
        arguments=["a b", "c"],
        stdin=b"\0" * 300_000,
        files={"below/module.py": b"x = b'given'", "given": b"1"},
        keep=["out", "given", "not there"],
        limits=LIMITS,
    )
    assert result.status == "exited" and result.returncode == 0, result
    assert result.files == {"out": b"given" + b"\0" * 300_000, "given": b"1"}
    assert result.stdout.decode() == (
        "['program.py', 'a b', 'c'] __main__ ['below', 'below/module.py', 'given', 'out']\n"
    )
    assert result.explanation == "it ended by itself with exit code 0"
    assert 0 < result.cpu_seconds < 5 and 0 < result.seconds < 20


def test_two_runs_share_nothing_and_differ_in_nothing(way: str) -> None:
    text = "import os; print(hash('a'), os.listdir('.'), sorted(os.environ)); open('left', 'w')"
    assert printed(text) == printed(text)


def test_a_traceback_shows_the_program_and_none_of_us(way: str) -> None:
    result = run_python("def f(n):\n    return 1 / n\nf(0)", limits=LIMITS)
    assert (result.status, result.returncode) == ("exited", 1)
    assert result.explanation == "it ended with exit code 1: ZeroDivisionError: division by zero"
    shown = result.stderr.decode()
    assert 'File "program.py", line 3, in <module>\n    f(0)' in shown and "return 1 / n" in shown
    assert "goedels_poetry" not in shown


def test_the_source_of_a_program_can_be_looked_at(way: str) -> None:
    assert printed("import inspect\ndef f():\n    return 7\nprint(inspect.getsource(f))").startswith("def f():")


def test_a_program_may_leave_by_exit_and_a_syntax_error_is_its_own(way: str) -> None:
    assert run_python("exit(3)", limits=LIMITS).returncode == 3
    result = run_python("def f(:\n  pass", limits=LIMITS)
    assert result.returncode == 1 and "SyntaxError" in result.explanation


def test_exit_handlers_threads_and_buffers_are_finished(way: str) -> None:
    program = (
        "import atexit, threading, time\natexit.register(print, 'last')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\nprint('first', end=' ')"
    )
    assert printed(program) == "first thread\nlast\n"


def test_files_of_a_program_do_not_stand_in_for_what_starts_it(way: str) -> None:
    names = ("os", "sitecustomize", "usercustomize", "ctypes", "struct", "resource", "site", "marshal", "mmap")
    names += ("select", "traceback", "errno", "signal")
    files = {f"{name}.py": b"raise SystemExit('taken over')" for name in names}
    assert printed("print('mine')", files=files) == "mine\n"
    assert printed("import mymodule; print(mymodule.x)", files={"mymodule.py": b"x = 1"}) == "1\n"


def test_installed_packages_are_there_only_when_they_are_asked_for(way: str) -> None:
    program = "try:\n    import hypothesis\n    print('there')\nexcept ImportError: print('not there')"
    assert printed(program) == "not there\n"
    assert printed(program, packages=True) == "there\n"


def test_the_packages_of_tests_and_solvers_run() -> None:
    program = """
from hypothesis import given, strategies
import z3
@given(strategies.lists(strategies.integers()))
def test(numbers):
    assert sorted(sorted(numbers)) == sorted(numbers)
test()
x = z3.Int("x")
print(z3.solve(x * x == 49, x > 0))
"""
    assert printed(program, packages=True) == "[x = 7]\nNone\n"


def test_asyncio_threads_and_temporary_files_work(way: str) -> None:
    program = """
import asyncio, tempfile, concurrent.futures, os
async def main():
    return await asyncio.to_thread(sum, [1, 2])
print(asyncio.run(main()))
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    print(list(pool.map(abs, [-1, -2])))
with tempfile.TemporaryDirectory() as folder:
    open(folder + "/a", "w").write("x")
    os.rename(folder + "/a", folder + "/b")
"""
    assert printed(program) == "3\n[1, 2]\n"


@pytest.mark.parametrize(
    "limit", [{"cpu_seconds": float("inf")}, {"wall_seconds": -1}, {"memory_mb": 0}, {"processes": -1}]
)
def test_limits_that_limit_nothing_are_refused(limit: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        SandboxLimits(**limit)  # type: ignore[arg-type]


def test_a_program_cannot_claim_that_it_was_never_run(way: str) -> None:
    program = """
import gc, mmap, os
for each in gc.get_objects():
    if isinstance(each, dict):
        for value in each.values():
            if type(value).__name__ == "mmap": value[:] = bytes(len(value))
import sys
frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()):
        if type(value).__name__ == "mmap": value[:] = bytes(len(value))
    frame = frame.f_back
os._exit(9)
"""
    result = run_python(program, limits=LIMITS)
    assert (result.status, result.returncode) == ("exited", 9), result


def test_a_program_finds_nothing_of_the_last_one_and_nothing_of_ours(way: str) -> None:
    names = "import builtins, json, os, sys\nevery = (builtins, json, os, sys)\n"
    left = "for each in every: each.left = os.environ['left'] = '1'\nopen('left', 'w').close()"
    for _ in range(2):
        found = printed(
            names + "print([e for e in every if hasattr(e, 'left')], 'left' in os.environ, os.listdir('.'))"
        )
        assert found == "[] False []\n" and printed(names + left) == ""
    assert "goedels_poetry" not in printed("import sys, os; print(list(sys.modules), sys.argv, os.environ)")


@pytest.mark.parametrize("name", ["\udcff", "../a", "/a", "a/../../b", "", "a/", "a\0b", "."])
def test_names_that_lead_out_of_the_folder_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        run_python("pass", files={name: b""})
    with pytest.raises(InvalidInput):
        run_python("pass", keep=[name])


def test_a_limit_of_memory_that_is_caught_is_the_program_s_affair(way: str) -> None:
    program = "try: x = bytearray(10 ** 10)\nexcept MemoryError: print('caught')"
    assert printed(program) == "caught\n"


def test_input_that_nobody_reads_blocks_nothing(way: str) -> None:
    assert run_python("print(1)", stdin=b"x" * 3_000_000, limits=LIMITS).stdout == b"1\n"


async def test_many_at_once_and_one_that_is_cancelled() -> None:
    many = [run_python_async(f"print({n})", limits=LIMITS) for n in range(6)]
    assert [result.stdout for result in await asyncio.gather(*many)] == [b"%d\n" % n for n in range(6)]
    before = descendants(os.getpid())
    task = asyncio.create_task(
        run_python_async("import time; time.sleep(1000)", limits=SandboxLimits(wall_seconds=1000))
    )
    while len(descendants(os.getpid())) == len(before):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert descendants(os.getpid()) == before


def test_a_program_ends_with_us_however_we_end(way: str, tmp_path: Path) -> None:
    """We are killed while it runs; whatever it started has us as its last ancestor, who counts what is left."""
    script = (
        "import ctypes, subprocess, sys, time\n"
        "from goedels_poetry.sandbox.child.processes import descendants\n"
        "import os\n"
        "ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n"
        "inner = ('from goedels_poetry.sandbox import *; from goedels_poetry.sandbox.isolation import forced\\n'\n"
        "         f'with forced({sys.argv[1]!r}): run_python(\"import time; time.sleep(1000)\",'\n"
        "         'limits=SandboxLimits(wall_seconds=1000))')\n"
        "child = subprocess.Popen([sys.executable, '-c', inner], env={**os.environ, 'TMPDIR': sys.argv[2]})\n"
        "def sleeping(): return [p for p in descendants(os.getpid()) if p != child.pid]\n"
        "while len(sleeping()) < 2: time.sleep(0.05)\n"
        "time.sleep(0.5)\n"
        "child.kill(); child.wait()\n"
        "until = time.monotonic() + 20\n"
        "while time.monotonic() < until:\n"
        "    try: os.waitpid(-1, os.WNOHANG)\n"
        "    except ChildProcessError: break\n"
        "    time.sleep(0.05)\n"
        "print(descendants(os.getpid()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, way, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "[]\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_folders_on_a_disk_are_removed_whatever_is_in_them(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    folder = tmp_path / "folder"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("a long name of a folder" * 5, dir_fd=here)
        below = os.open("a long name of a folder" * 5, os.O_RDONLY, dir_fd=here)
        os.symlink(outside, "link", dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    (folder / "closed").mkdir()
    (folder / "closed" / "file").write_text("x")
    (folder / "closed").chmod(0)
    folder.chmod(0)
    remove(str(folder))
    assert not folder.exists()
    assert (outside / "kept").read_text() == "kept"


def test_no_folder_is_left_on_the_disk(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other processes have theirs elsewhere
    tmp_path.chmod(0o755)
    result = run_python("import os\nos.makedirs('a/b'); open('a/b/c', 'w')", limits=LIMITS)
    assert result.status == "exited" and result.returncode == 0, result
    assert list(tmp_path.glob("goedels-poetry-box-*")) == []


def test_what_cannot_be_had_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    result = run_python("print(1)", limits=LIMITS)
    assert result.status == "unavailable" and result.returncode is None
    assert result.explanation.startswith("it was not run: ")


def test_what_isolation_says_is_what_runs() -> None:
    found = isolation()
    assert found.text.startswith("Untrusted programs run with ") and "resource limits" in found.mechanisms
    with forced("resource limits"):
        bare = isolation()
    assert bare.mechanisms == ("resource limits",)
    assert "WARNING" in bare.text and {each.partition(":")[0] for each in bare.lacking} == {
        "namespaces", "landlock", "seccomp"
    }  # fmt: skip
    whole = describe(Setup(("namespaces", "landlock", "seccomp"), None, nobody=False))
    assert whole.lacking == () and "WARNING" not in whole.text


def test_the_wall_limit_holds_even_against_who_stops_the_keeper() -> None:
    program = "import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(1000)"
    started, before = time.monotonic(), descendants(os.getpid())
    with forced("resource limits"):
        result = run_python(program, limits=SandboxLimits(wall_seconds=0.5))
    assert result.status == "wall" and time.monotonic() - started < 15
    assert set(descendants(os.getpid())) <= set(before)
