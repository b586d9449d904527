"""Commands run in a copy of a folder, which stays as it is, whatever they do."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.sandbox import SandboxLimits, SandboxResult, isolation, run_command, run_command_async
from goedels_poetry.sandbox import run as running
from goedels_poetry.sandbox.child.processes import descendants
from goedels_poetry.sandbox.isolation import forced
from goedels_poetry.sandbox.run import chosen

WAYS = ("bubblewrap", "kernel", "filters")
LIMITS = SandboxLimits(cpu_seconds=10, wall_seconds=40, processes=8, open_files=128, disk_mb=8, memory_mb=512)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    name = str(request.param)
    with forced(name):
        if isolation().mechanisms == ("resource limits",):
            pytest.skip(f"this machine gives no {name}")
        yield name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src" / "pack").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src" / "pack" / "__init__.py").write_text("def twice(x): return x + 2\n")
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\nasyncio_mode = "auto"\n')
    (root / "tests" / "test_pack.py").write_text(
        "import subprocess, sys\nfrom pack import twice\n"
        "def test_twice(tmp_path): (tmp_path / 'a').write_text('x'); assert twice(2) == 4 and twice(3) == 6\n"
        "def test_process(): assert subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout\n"
    )
    script = root / "script.sh"
    script.write_text("#!/bin/sh\necho script\n")
    script.chmod(0o755)
    (root / "within").symlink_to(root / "src")
    (root / "without").symlink_to("/etc/passwd")
    (tmp_path / "beside").write_text("beside")
    (root / "beside").symlink_to("../beside")
    return root


def picture(root: Path) -> dict[str, object]:
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_ino, path.lstat().st_ctime_ns)
        for path in (root, *root.rglob("*"))
    }


def shell(text: str, project: Path, limits: SandboxLimits = LIMITS, **more: object) -> SandboxResult:
    return run_command(["sh", "-c", text], project, limits=limits, **more)  # type: ignore[arg-type]


def test_a_command_gets_the_change_and_the_folder_stays_as_it_was(way: str, project: Path) -> None:
    before = picture(project)
    result = shell(
        "pwd; cat src/pack/__init__.py new/file; echo more >> src/pack/__init__.py; rm -r tests",
        project,
        changes={"src/pack/__init__.py": b"changed\n", "new/file": b"new\n"},
        keep=["src/pack/__init__.py", "tests/test_pack.py"],
    )
    assert (result.status, result.returncode) == ("exited", 0), result
    where, *text = result.stdout.decode().splitlines()
    assert text == ["changed", "new"] and (way == "filters" or where == str(project))
    assert result.files == {"src/pack/__init__.py": b"changed\nmore\n"}
    assert picture(project) == before


def test_real_tests_run_with_and_without_a_change(project: Path) -> None:
    bare = (
        "import os, pytest; os.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'; raise SystemExit(pytest.main(['-q']))"
    )
    command = ["python", "-c", bare]  # what is installed beside pytest takes a second to load
    change = {"src/pack/__init__.py": b"def twice(x): return x * 2\n"}
    broken = run_command(command, project, limits=LIMITS)
    mended = run_command(command, project, changes=change, limits=LIMITS)
    assert (broken.status, broken.returncode) == ("exited", 1) and b"1 failed, 1 passed" in broken.stdout, broken
    assert (mended.status, mended.returncode) == ("exited", 0) and b"2 passed" in mended.stdout, mended


def test_a_command_reaches_nothing_but_the_copy(way: str, project: Path) -> None:
    before, outside = picture(project), project.parent / "beside"
    text = (
        f"cat without beside {outside} /etc/shadow /etc/passwd; echo x > {outside}; rm -rf {project.parent}/*;"
        f"rm -rf {project}/* {project} * ; chmod 777 /etc/passwd; kill -9 {os.getpid()}; kill -9 -1; echo done"
    )
    result = shell(text, project)
    assert result.status in ("exited", "killed")
    assert b"root:" not in result.stdout and b"beside" not in result.stdout.replace(b"done", b"")
    assert picture(project) == before and outside.read_text() == "beside"


def test_links_lead_where_they_led_within_the_copy(way: str, project: Path) -> None:
    text = "cat within/pack/__init__.py; ./script.sh; cp script.sh other.sh && ./other.sh; echo x > within/new; ls src"
    result = shell(text, project)
    assert result.stdout.decode() == "def twice(x): return x + 2\nscript\nscript\nnew\npack\n", result


def test_a_command_has_no_network_and_few_variables(way: str, project: Path) -> None:
    program = (
        "import os, socket\nprint(sorted(set(os.environ) - {'PWD', 'LC_CTYPE', 'SHLVL', '_', 'OLDPWD'}))\n"
        "for target in (('1.1.1.1', 53), ('8.8.8.8', 443)):\n"
        "    try: socket.create_connection(target, 1); print('ESCAPED')\n"
        "    except OSError: print('refused')\n"
    )
    result = run_command(["python", "-c", program], project, limits=LIMITS)
    names = "['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED']"
    assert result.stdout.decode() == f"{names}\nrefused\nrefused\n", result


def test_tests_may_talk_to_a_server_of_theirs_where_the_network_is_their_own(way: str, project: Path) -> None:
    program = (
        "import socket\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\n"
        "a, _ = s.accept()\nc.sendall(b'hello')\nprint(a.recv(5))"
    )
    result = run_command(["python", "-c", program], project, limits=LIMITS)
    if way == "filters":
        assert result.returncode == 1 and b"PermissionError" in result.stderr
    else:
        assert result.stdout == b"b'hello'\n", result


def test_nothing_is_left_of_a_command(way: str, project: Path) -> None:
    before = descendants(os.getpid())
    text = (
        "(sleep 1000 &) ; (setsid sleep 1000 > /dev/null 2>&1 &) ; (setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; true"
    )
    result = shell(text, project)
    assert (result.status, result.returncode, result.stdout) == ("exited", 0, b"")
    assert result.seconds < 30
    assert descendants(os.getpid()) == before


def test_a_bomb_of_processes_ends(way: str, project: Path) -> None:
    before = descendants(os.getpid())
    few = SandboxLimits(0.5, 5, 64, processes=8)  # others share this machine
    result = shell("bomb() { bomb | bomb & }; bomb; sleep 1000", project, few)
    # "wall": it was not given a process for all that it wanted, and what it had sleeps
    assert result.status in ("killed", "exited", "cpu", "memory", "wall"), result
    assert set(descendants(os.getpid())) <= set(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel bounds the processes of everybody else")
@pytest.mark.parametrize("walls", ["bubblewrap", "kernel"])
def test_a_command_of_root_is_nobody_whose_processes_the_kernel_counts(walls: str, project: Path) -> None:
    with forced(walls):
        if not chosen(True).own_view:
            pytest.skip(f"{walls} is not to be had")
        counts = "import os, resource; print(os.getuid() > 0, resource.getrlimit(resource.RLIMIT_NPROC)[1] < 1000)"
        result = shell(f"python -c '{counts}'", project)
    assert result.stdout == b"True True\n", result


def test_processes_share_one_allowance_of_time_and_memory(project: Path) -> None:
    spin = "for i in 1 2 3; do python -c 'while True: pass' & done; wait"
    assert shell(spin, project, SandboxLimits(0.6, 30, 512, processes=8)).status == "cpu"
    eat = "for i in 1 2 3; do python -c 'import time; x = b\"x\" * (60 << 20); time.sleep(30)' & done; wait"
    assert shell(eat, project, SandboxLimits(20, 40, 96, processes=8)).status == "memory"


def test_a_command_fills_its_own_disk_alone(way: str, project: Path) -> None:
    result = shell("for i in 1 2 3 4 5 6 7 8 9; do head -c 2000000 /dev/zero > $i || exit 9; done; sleep 30", project)
    assert result.status == "disk" or (result.status, result.returncode) == ("exited", 9), result


def test_what_is_no_command_and_what_is_no_folder_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = run_command(["no-such-command"], project)
    assert (missing.status, missing.returncode) == ("exited", 127) and b"no-such-command" in missing.stderr
    with pytest.raises(InvalidInput, match="there is no command"):
        run_command([], project)
    with pytest.raises(InvalidInput, match="there is no folder"):
        run_command(["true"], project / "nowhere")
    (project / "up").symlink_to("..")
    with pytest.raises(InvalidInput, match="leads out"):
        run_command(["true"], project, changes={"up/x": b""})
    monkeypatch.setattr(running, "MAX_TREE_FILES", 3)
    with pytest.raises(InvalidInput, match="too large"):
        run_command(["true"], project)


def test_a_change_through_a_link_of_the_folder_changes_what_it_leads_to(way: str, project: Path) -> None:
    result = shell("cat src/pack/__init__.py", project, changes={"within/pack/__init__.py": b"changed"})
    assert result.stdout == b"changed"


def test_virtual_environments_are_seen_and_not_copied(way: str, project: Path) -> None:
    place = project / ".venv"
    place.mkdir()
    (place / "pyvenv.cfg").write_text("home = /usr/bin\n")
    with open(place / "large", "wb") as file:
        file.truncate(1 << 30)
    result = shell("wc -c < .venv/large; echo x > .venv/new || echo refused", project)
    assert result.stdout.decode().split() == [str(1 << 30), "refused"], result
    assert not (place / "new").exists()


async def test_a_command_without_the_event_loop(project: Path) -> None:
    result = await run_command_async([sys.executable, "-c", "print(1)"], project, limits=LIMITS)
    assert result.stdout == b"1\n", result
