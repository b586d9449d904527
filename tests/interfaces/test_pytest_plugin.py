"""``pytest --prove`` as somebody has it who has installed the package: a pytest of its own on a project of theirs."""

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOP = """
from goedels_poetry.contracts import ensures, requires
import random


@ensures(lambda result, x: result > x)
def up(x: int) -> int:
    return x + 1


@requires(lambda x: x >= 0)
@ensures(lambda result, x: result >= 0)
@ensures(lambda result, x: result != 7)
def half(x: int) -> int:
    return x // 2


@ensures(lambda result: result >= 0)
def seen() -> int:
    return len(str(random))


@ensures(lambda result: result < 6)
def die() -> int:
    return random.randrange(6)


def test_up() -> None:
    assert up(1) == 2
"""
ENDLESS = """
from goedels_poetry.contracts import ensures, requires

@requires(lambda x, y, z: x > 0 and y > 0 and z > 0)
@ensures(lambda result: result)
def fermat(x: int, y: int, z: int) -> bool:
    return x * x * x + y * y * y != z * z * z
"""
Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The plug-in by its entry point, as pip leaves it."""
    site = tmp_path_factory.mktemp("site")
    info = site / "installed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: installed\nVersion: 1.0\n")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    lines = [f"{name} = {module}" for name, module in declared.items()]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV_"))}
    path = os.pathsep.join([str(ROOT), str(site)])
    return kept | {"PYTHONPATH": path, "GOEDELS_POETRY__HOME": str(site / "home"), "COLUMNS": "200"}


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Pytest:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:langsmith_plugin -p no:anyio -p no:asyncio\n")
    (tmp_path / "shop.py").write_text(SHOP)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110)

    return run


def test_every_contract_is_an_item_with_its_verdict(run: Pytest) -> None:
    done = run("--prove", "shop.py", "-v", "-n", "2", "-W", "error")
    said = done.stdout
    for verdict, name in {"PASSED": "up", "FAILED": "half", "TESTED": "seen"}.items():
        assert re.search(rf"{verdict} shop.py::prove::{name}\b", said), said
    assert "PASSED shop.py::test_up" in said
    assert "shop.py:13: half is refuted: ensures result != 7 (line 13): the result on x = 14 is 7" in said
    assert re.search(r"counterexample:\n +x = 14\n", said)
    assert re.search(r"shop.py:\d+: die is unknown: ", said)
    assert "TESTED shop.py::prove::seen - " in said
    assert re.search(r"2 failed, 2 passed, 1 tested in", said), said
    assert done.returncode == 1


def test_selection_marker_and_what_is_required(run: Pytest, tmp_path: Path) -> None:
    done = run("--prove", "shop.py::prove::seen", "--prove-require", "proved", "--junitxml", "report.xml")
    assert (done.returncode, "1 failed" in done.stdout) == (1, True)
    assert "shop.py:19: seen is tested: " in done.stdout
    assert '<property name="verdict" value="tested" />' in (tmp_path / "report.xml").read_text()
    done = run("--prove", "shop.py", "-m", "prove", "-k", "up or die", "-o", "prove_unknown=xfail", "-rx")
    assert "1 passed, 3 deselected, 1 xfailed" in done.stdout
    assert "die is unknown: " in done.stdout


def test_paths_of_the_configuration_are_collected_and_no_others(run: Pytest, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "more.py").write_text(SHOP)
    (tmp_path / "src" / "broken.py").write_text("import x\ndef broken(:\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\nprove_paths = src\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("from goedels_poetry import *\ndef test_it(): ...\n")
    done = run("--prove", "--collect-only", "-q")
    found = [line for line in done.stdout.splitlines() if "::" in line and " " not in line]
    contracts = [f"src/more.py::prove::{name}" for name in ("up", "half", "seen", "die")]
    assert sorted(found) == sorted(["tests/test_it.py::test_it", *contracts])
    assert "broken.py:2:12: this is not Python" in done.stdout
    assert (
        run("--prove", "-o", "prove_require=much")
        .stderr.strip()
        .endswith("prove_require = much: write proved or tested")
    )
    assert "prove_timeout, prove_budget: " in run("--prove", "-o", "prove_timeout=soon").stderr


def test_a_budget_in_resource_units_ends_a_proof(run: Pytest) -> None:
    done = run("--prove", "shop.py", "-k", "up", "-o", "prove_budget=1")
    assert (done.returncode, "resource units" in done.stdout) == (1, True)


def test_without_the_option_nothing_of_the_prover_is_loaded(run: Pytest, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    ours = {m for m in sys.modules if m.startswith('goedels_poetry.')}\n"
        "    print('loaded', sorted(ours), 'pydantic' in sys.modules)\n"
    )
    (tmp_path / "test_it.py").write_text("def test_it(): ...\n")
    ours = ["interfaces", "interfaces.pytest_plugin", "lazy", "version"]
    done = run("test_it.py")
    assert f"loaded {[f'goedels_poetry.{name}' for name in ours]} False" in done.stdout


def test_ctrl_c_ends_a_proof_and_the_tests_and_leaves_no_process(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS + ENDLESS.partition("\n\n")[2].replace("fermat", "again"))
    mark = environment["MARK"] = f"prove-{os.getpid()}"
    command = [sys.executable, "-m", "pytest", "-p", "no:langsmith_plugin", "--prove", "endless.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as program:
        runs = Path(environment["GOEDELS_POETRY__HOME"]) / "runs"
        while not list(runs.glob("*/proof.db")) and program.poll() is None:
            time.sleep(0.2)
        time.sleep(3)
        program.send_signal(signal.SIGINT)
        said, _ = program.communicate(timeout=60)
    assert program.returncode == 2, said
    assert "KeyboardInterrupt" in said
    environments = {path: _bytes(path) for path in Path("/proc").glob("[0-9]*/environ")}
    assert [path for path, text in environments.items() if f"MARK={mark}".encode() in text] == []


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
