"""Hostile programs: each ends clearly, and the machine, its files and its processes are as before."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hostile_programs
import pytest
from hostile_programs import PROGRAMS, Hostile, Machine, faults, machine, run_hostile

from goedels_poetry.sandbox import isolation
from goedels_poetry.sandbox.isolation import forced
from goedels_poetry.sandbox.run import run_python

WAYS = ("bubblewrap", "kernel", "filters")
WANTED = {
    "bubblewrap": {"bubblewrap", "seccomp"},
    "kernel": {"namespaces", "seccomp"},
    "filters": {"landlock", "seccomp"},
}
NOBODY = 65534


@pytest.fixture(scope="module")
def here() -> Iterator[tuple[list[str], Machine]]:
    with machine() as (arguments, there):
        yield arguments, there


def walled(hostile: Hostile) -> bool:
    """Whether its end depends on the way; the keeper's clock and the bound of output are the same in all."""
    return not hostile.limits_do or bool({"disk", "memory"} & set(hostile.ends))


def need(way: str) -> None:
    with forced(way):
        if not WANTED[way] <= set(isolation().mechanisms):
            pytest.skip(f"this machine gives no {way}")


@pytest.mark.sample(35)
@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name, each in PROGRAMS.items() for way in WAYS if way == "kernel" or walled(each)]
)
def test_a_hostile_program_ends_clearly_and_changes_nothing(
    way: str, name: str, here: tuple[list[str], Machine]
) -> None:
    need(way)
    arguments, there = here
    with forced(way):
        run_python("")  # the warm parent of programs may be gone, or not yet be there
    before = there.state()
    with forced(way):
        result = run_hostile(name, arguments)
    assert faults(name, result) == []
    assert there.state() == before


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", [name for name, hostile in PROGRAMS.items() if hostile.limits_do])
def test_limits_alone_bound_what_a_program_uses(name: str, here: tuple[list[str], Machine]) -> None:
    arguments, there = here
    with forced("resource limits"):
        run_python("")
    before = there.state()
    with forced("resource limits"):
        result = run_hostile(name, arguments)
    assert faults(name, result) == []
    assert there.state() == before


def test_nobody_has_the_same_walls_as_root(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests run without privileges already")
    package, support = Path(isolation.__code__.co_filename).parents[2], Path(hostile_programs.__file__).parent
    environment = {"PYTHONPATH": os.pathsep.join([str(package), str(support)]), "PATH": "/usr/bin:/bin"}
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            can = subprocess.run(
                [python, "-c", "import sys, hostile_programs; sys.exit(sys.version_info < (3, 11))"],
                env=environment, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True,
            )  # fmt: skip
        except OSError:
            continue
        if can.returncode == 0:
            break
    else:
        pytest.skip("nobody can run no Python here that can read this repository")
    for way in WAYS:
        need(way)
    done = subprocess.run(
        [python, "-B", hostile_programs.__file__, *WAYS],
        env=environment, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, text=True,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("0 went wrong\n", 0), done.stderr
