"""A native Lean, without one: processes are tested with a stand-in for a toolchain on top of the embedded Lean, and the
driver program by having the embedded Lean read it and compute with its definitions."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import native_stand_in as stand_in
import pytest

from goedels_poetry.lean.runtime import embedded
from goedels_poetry.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.lean.runtime.embedded import command
from goedels_poetry.lean.runtime.install import cache_folder
from goedels_poetry.lean.runtime.native import (
    DATA_HEADROOM_MB,
    DRIVER,
    Toolchain,
    find_toolchain,
    lean_command,
    native_pool,
    project_above,
)
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime, ReplayRequest, read_replay, read_result

TRUE = "theorem t (a b : Nat) : a + b = b + a := by omega"
ENDLESS = "theorem t : (List.range 100000000).length = 3 := by decide +kernel\n"

Install = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "deep" / "down").mkdir(parents=True)
    (folder / "lakefile.toml").write_text('name = "project"\n')
    return folder


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a stand-in toolchain of the named programs on the path, and take every other Lean off it.

    ``checks=False``: one that finds everything right, for tests that are not about answers.
    """
    real = command(cache_folder())
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ELAN_HOME", raising=False)
    monkeypatch.delenv("LEAN_PROJECT_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))  # where bubblewrap is installed, it would not let stand-ins in
    monkeypatch.setenv("SECRET_API_KEY", "sesame")

    def make(*programs: str, folder: str = "toolchain", on_path: bool = True, checks: bool = True) -> Path:
        bin_folder = stand_in.make(tmp_path / folder, real if checks else None, *programs)
        if on_path:
            monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
        return bin_folder.parent

    return make


Open = Callable[..., LeanPool]


@pytest.fixture
async def native() -> AsyncIterator[Open]:
    """Pools that are closed in the end."""
    pools: list[LeanPool] = []

    def make(project: Path | None = None, **more: Any) -> LeanPool:
        pools.append(native_pool(project, **{"warn": lambda words: None, **more}))
        return pools[-1]

    yield make
    for pool in pools:
        await pool.aclose()


# ---------------------------------------------------------------- where it is


def test_a_project_is_found_from_a_folder_within_it(project: Path) -> None:
    assert project_above(project / "deep" / "down") == project
    assert project_above(project.parent) is None


def test_the_toolchain_is_that_of_the_project(install: Install, project: Path) -> None:
    root = install("lake", "lean")
    found = find_toolchain(start=project / "deep")
    assert (found.lean, found.root, found.version) == (root / "bin" / "lean", root, stand_in.VERSION)
    assert (found.folder, found.project) == (project, True)
    assert found.environment["LEAN_PATH"] == f"{project / '.lake/build/lib/lean'}:{root / 'lib/lean'}"


def test_a_named_project_comes_before_the_one_around(
    install: Install, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install("lake", "lean")
    other = tmp_path / "other"
    other.mkdir()
    (other / "lakefile.lean").touch()
    monkeypatch.setenv("LEAN_PROJECT_PATH", str(other))
    assert find_toolchain(start=project).folder == other
    assert find_toolchain(project).folder == project


def test_elans_folder_is_looked_into(install: Install, tmp_path: Path) -> None:
    install("lean", folder=".elan", on_path=False)
    found = find_toolchain(start=tmp_path)
    assert (found.lean, found.project) == (tmp_path / ".elan" / "bin" / "lean", False)


def test_what_is_missing_is_said_in_words(
    install: Install, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LeanUnavailable, match=r"no Lean here.*install elan.*goedels-poetry lean install"):
        find_toolchain(start=tmp_path)
    with pytest.raises(LeanUnavailable, match=r"needs `lake`.*install elan"):
        find_toolchain(start=project)
    with pytest.raises(LeanUnavailable, match=r"is no lake project"):
        find_toolchain(tmp_path)
    monkeypatch.setenv("LEAN_PROJECT_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(LeanUnavailable, match=r"LEAN_PROJECT_PATH: .*nowhere is no lake project"):
        find_toolchain()


def test_what_lake_complains_about_is_handed_on(install: Install, project: Path) -> None:
    install("lake", "lean")
    (project / "broken").touch()
    with pytest.raises(LeanUnavailable, match=r"ends with 1: error: toolchain 'leanprover/lean4:v9' is not installed"):
        find_toolchain(project)


# ---------------------------------------------------------------- its process


async def test_a_project_checks_and_keeps_its_process(install: Install, project: Path, native: Open) -> None:
    root = install("lake", "lean")
    pool = native(project, memory_mb=3000)
    assert isinstance(pool, LeanRuntime)
    assert (pool.kind, pool.version, pool.trusted) == ("native", stand_in.VERSION, True)
    assert (await pool.check(CheckRequest(TRUE))).ok
    wrong = await pool.check(CheckRequest("example : two = 3 := rfl", "import Init\ndef two := 2\n"))
    assert [m.line for m in wrong.errors] == [3]
    (run,) = stand_in.noted(root, "runs")
    assert run["memory"] == "3000"
    assert run["data"] == [(3000 + DATA_HEADROOM_MB) * 1024 * 1024] * 2
    assert "SECRET_API_KEY" not in run["environment"]
    assert run["environment"]["LEAN_PATH"].startswith(str(project / ".lake"))


async def test_a_time_out_kills_the_process_and_the_next_check_starts_another(
    install: Install, project: Path, native: Open
) -> None:
    root = install("lake", "lean")
    pool = native(project)
    assert (await pool.check(CheckRequest(TRUE))).ok
    late = await pool.check(CheckRequest(ENDLESS, seconds=1.0))
    assert (late.status, late.ok) == ("timeout", False)
    assert (await pool.check(CheckRequest(TRUE))).ok
    gone, living = stand_in.noted(root, "processes")
    await ended(gone)
    assert alive(living)
    await pool.aclose()
    await ended(living)


async def test_a_process_that_dies_costs_the_request_alone(install: Install, project: Path, native: Open) -> None:
    install("lake", "lean", checks=False)
    pool = native(project)
    died = await pool.check(CheckRequest("-- DIE"))
    assert (died.status, died.ok) == ("crash", False)
    assert "Lean ended: exit code 1" in died.error
    assert (await pool.check(CheckRequest(TRUE))).ok


async def test_what_another_version_of_lean_says_about_the_driver_is_handed_on(
    install: Install, project: Path, native: Open
) -> None:
    (install("lake", "lean") / "other").touch()
    with pytest.raises(LeanUnavailable, match=r"does not start: .*error: unknown identifier 'Kernel.whnf'"):
        await native(project).check(CheckRequest(TRUE))


async def test_an_answer_that_a_program_in_the_text_writes_is_none(
    install: Install, project: Path, native: Open
) -> None:
    install("lake", "lean", checks=False)
    pool = native(project)
    lied = await pool.check(CheckRequest("theorem t : 1 = 2 := LIE"))
    assert (lied.status, lied.ok) == ("crash", False)
    assert (await pool.check(CheckRequest(TRUE))).ok


async def test_a_cancelled_check_leaves_nothing_behind(install: Install, project: Path, native: Open) -> None:
    root = install("lake", "lean")
    pool = native(project)
    assert (await pool.check(CheckRequest(TRUE))).ok
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(pool.check(CheckRequest(ENDLESS)), 0.5)
    await pool.aclose()
    for pid in stand_in.noted(root, "processes"):
        await ended(pid)


def alive(pid: object) -> bool:
    """Whether a process runs, or only waits to be reaped by the system."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def ended(pid: object) -> None:
    """Return when a process that was killed has gone; large ones take a moment, others run until the test does."""
    while alive(pid):
        await asyncio.sleep(0.01)


# ---------------------------------------------------------------- its walls


async def test_bubblewrap_is_used_where_there_is_one(install: Install, project: Path, native: Open) -> None:
    root = install("lake", "lean", "bwrap", checks=False)
    said: list[str] = []
    pool = native(project, warn=said.append)
    assert (await pool.check(CheckRequest(TRUE))).ok
    assert said == []
    walls = stand_in.noted(root, "walls")[-1]
    options = walls[: walls.index("--")]
    assert {"--unshare-all", "--die-with-parent", "--clearenv"} <= set(options)
    assert not {"--share-net", "--bind", "--bind-try", "--dev-bind"} & set(options), "nothing can be written"
    bound = {options[i + 1] for i, word in enumerate(options) if word == "--ro-bind-try"}
    assert {str(project), str(root), str(DRIVER)} <= bound
    assert not {"/", str(Path.home()), "/home", "/root", "/etc"} & bound, "and nothing else can be read"
    assert "sesame" not in str(walls)


PRISONER = """#!/bin/sh
cat "$4"
(echo x > own) 2>/dev/null && echo wrote to the project
(echo x > "$4") 2>/dev/null && echo wrote to the driver
cat ../secret 2>/dev/null
ls -d /root /home /etc/passwd 2>/dev/null
ls /sys/class/net 2>/dev/null
grep : /proc/net/dev | grep -v lo:
echo "key: $SECRET_API_KEY, processes: $(ls -d /proc/[0-9]* | wc -l), data: $(ulimit -d)"
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_real_walls_hide_everything_but_the_project_and_let_nothing_be_written(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("sesame")
    monkeypatch.setenv("SECRET_API_KEY", "sesame")
    lean = tmp_path / "toolchain" / "bin" / "lean"
    lean.parent.mkdir(parents=True)
    lean.write_text(PRISONER)
    lean.chmod(0o755)
    program = tmp_path / "Program.lean"
    program.write_text("-- the program\n")
    toolchain = Toolchain(lean, tmp_path / "toolchain", "4.28.0", project, True, {"LEAN_PATH": str(project)})
    command, walled = lean_command(toolchain, program, 1000)
    said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert walled
    lines = said.stdout.splitlines()
    assert lines[0] == "-- the program"
    assert lines[-1].startswith("key: , processes: ")
    assert lines[-1].endswith(f"data: {(1000 + DATA_HEADROOM_MB) * 1024}")
    assert int(lines[-1].split()[3].rstrip(",")) < 10
    assert lines[1:-1] == [], "no network, no other file, nothing written"
    assert not (project / "own").exists()


@pytest.mark.parametrize("programs", [("lake", "lean"), ("lake", "lean", "bwrap")])
async def test_without_a_sandbox_one_warning_says_so(
    install: Install, project: Path, native: Open, programs: tuple[str, ...]
) -> None:
    root = install(*programs, checks=False)
    (root / "forbidden").touch()  # bubblewrap is there, and the system does not let it work
    said: list[str] = []
    pool = native(project, size=2, warn=said.append)
    (warning,) = said
    assert "without a sandbox" in warning
    assert "bubblewrap" in warning
    assert (await pool.check(CheckRequest(TRUE))).ok
    (run,) = stand_in.noted(root, "runs")
    assert "SECRET_API_KEY" not in run["environment"]


# ---------------------------------------------------------------- the driver program


FACTS = r"""
namespace GoedelsPoetry
example : codePointTable "aλ𝔸" = #[0, 1, 1, 2, 2, 2, 2, 3] := rfl
example : [0, 1, 3, 7, 9].map (codePoint (codePointTable "aλ𝔸")) = [0, 1, 2, 3, 3] := rfl
example : fromChars (charactersBefore "aλ𝔸b".toList 3) = "aλ" := rfl
example : trimmed " \n⊢ p q\t\n" = "⊢ p q" := by decide +kernel
end GoedelsPoetry
"""


TEXT = """namespace A
inductive Tree (α : Type u) | leaf | node (x : α) (kids : List (Tree α))
structure P where
  x : Nat
  h : x = x
def f (p : P) : Nat := p.x + 1
theorem «a.b» (p : P) : f p = p.x + 1 := rfl
theorem s : ("aλ𝔸\\n" : String).length = 4 := by decide
end A
mutual
theorem u (n : Nat) : n = n := rfl
theorem v (n : Nat) : n = n := rfl
end
open Nat in set_option pp.all true in theorem w (n : Nat) : n + 0 = n := rfl
axiom ax : 1 = 2
theorem rests : 1 = 2 ∧ ∀ p : Prop, p → p := ⟨ax, fun _ h => h⟩
"""
HEAD = """{"in":1,"str":{"pre":0,"str":"t"}}
{"in":2,"str":{"pre":0,"str":"True"}}
{"ie":0,"const":{"name":2,"us":[]}}
{"in":3,"str":{"pre":2,"str":"intro"}}
{"ie":1,"const":{"name":3,"us":[]}}
"""
PROVED = '{"thm":{"name":1,"levelParams":[],"type":0,"value":1,"all":[1]}}\n'
WRONG = PROVED.replace('"value":1', '"value":0')
STREAMS = {
    HEAD + PROVED: (1, "", ""),
    HEAD + WRONG: (0, "the value has another type", "t"),
    HEAD + PROVED + PROVED: (1, "declared already", "t"),
    HEAD.replace('"ie":1', '"ie":2') + PROVED: (0, "the data: ids are not consecutive", ""),
    HEAD + PROVED.replace('"type":0', '"type":2'): (0, "the data: an id that was not given before", ""),
    HEAD + PROVED.replace("thm", "assumed"): (0, "the data: a declaration of the kind assumed", ""),
    HEAD + '{"ie":2,"fvar":0}\n': (0, "the data: an expression of the kind fvar", ""),
    HEAD + '{"in":4,"str":{"pre":0,"str":"a"},"more":1}\n': (0, "the data: a line that is no record", ""),
}


@pytest.mark.whole("test_what_another_version_of_lean_says_about_the_driver_is_handed_on")
async def test_the_driver_program_has_no_error_in_lean_4_28_and_answers_as_the_embedded_one_does(
    lean: LeanPool, tmp_path: Path
) -> None:
    ours = Path(embedded.__file__).parent
    inside = stand_in.Inside(tmp_path / "inside", DRIVER, ours, command(cache_folder(), snapshot=False))

    async def answers(*requests: dict[str, Any]) -> list[Any]:
        said = await pool.check(CheckRequest(inside.code(list(requests)), inside.prefix, seconds=100.0))
        assert said.errors == ()
        found: list[Any] = json.loads(json.loads(said.messages[-1].text))
        assert {answer["status"] for answer in found} == {"done"}
        return found

    pool = LeanPool("embedded", lean.version, lambda: DrivenLean(inside.command))
    try:
        read = await pool.check(CheckRequest(FACTS, inside.prefix, seconds=100.0))
        assert read.ok, read.errors
        assert read.messages == ()

        theirs = await lean.check(CheckRequest(TEXT, commands=True, export=True))
        (checked,) = await answers({"op": "check", "code": TEXT, "commands": True, "export": True})
        mine = read_result(checked)
        assert (mine.ok, mine.imports, mine.commands) == (True, theirs.imports, theirs.commands)
        assert mine.data and theirs.data
        # below this driver a text counts as a module, and so every constant is private
        assert mine.data.count("\n") > theirs.data.count("\n") > 1000

        again = {"op": "replay", "modules": ["Init"], "base": "", "library": False, "each": False}
        requests = [{**again, "data": mine.data, "library": True}, *({**again, "data": data} for data in STREAMS)]
        alone = {**again, "base": HEAD.replace('"t"', '"base"') + PROVED, "data": HEAD + PROVED + WRONG, "each": True}
        whole, *small, each = map(read_replay, await answers(*requests, alone))
        same = await lean.replay(ReplayRequest(("Init",), mine.data, library=True))
        assert (whole.count, whole.failed, whole.at) == (same.count, same.failed, same.at)
        assert whole.count > 30
        assert "_private.Main.0.ax" in whole.axioms and list(whole.axioms) == sorted(whole.axioms)
        kinds = [[next(iter(json.loads(line))) for line in r.library.splitlines()] for r in (whole, same)]
        assert len(kinds[0]) == len(kinds[1]) > 1000
        # the library of this Lean has no proofs: its theorems look like axioms to a Lean that expects to see them
        assert kinds[0].count("axiom") == kinds[1].count("axiom") + kinds[1].count("assumed")
        assert [(r.count, r.failed, r.at) for r in small] == list(STREAMS.values())
        assert [r.axioms for r in small] == [()] * len(small)
        defined = PROVED.replace("thm", "def").replace('"all"', '"hints":"abbrev","safety":"safe","all"')
        (shown,) = map(read_replay, await answers({**again, "data": HEAD + defined, "show": ["t"]}))
        assert shown.shown == ("t = True.intro",)
        assert (each.count, each.each) == (1, (("t", ""), ("t", "the value has another type")))
    finally:
        await pool.aclose()
