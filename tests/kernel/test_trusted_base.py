"""What a verdict rests on: the modules that each kind of check loads, their length, and what the documentation says."""

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import trusted_base
from trusted_base import BEGIN, BUDGETS, CHECKS, END, MODULES, PACKAGE, PAGE

ALLOWED = json.loads(MODULES.read_text("utf-8"))
SEARCH = ("search", "models", "framework", "reasoning", "cli")
"""Rooms of what looks for something, or runs something: nothing that they do is trusted."""
PARTS = ("jobs", "proof_json", "tactics", "write")
"""The same within other rooms."""


@pytest.mark.parametrize("kind", CHECKS)
def test_a_check_loads_exactly_the_modules_that_are_on_its_list(kind: str) -> None:
    assert trusted_base.measured(kind) == ALLOWED[kind], "look at it, then run tests/support/trusted_base.py"


@pytest.mark.parametrize("kind", CHECKS)
def test_no_search_no_agent_and_no_model_is_on_a_list(kind: str) -> None:
    named = [name.split(".") for name in ALLOWED[kind]["modules"] if "." in name]
    assert not [parts for parts in named if parts[1] in SEARCH]
    assert not [parts for parts in named if parts[1] != "kernel" and set(parts) & set(PARTS)]


@pytest.mark.parametrize("kind", ["SMT proof", "SMT counterexample"])
def test_a_check_of_smt_needs_nothing_but_kernel_checker_and_solvers_and_no_package_of_others(kind: str) -> None:
    rooms = {name.split(".")[1] for name in ALLOWED[kind]["modules"] if "." in name}
    assert rooms == {"kernel", "checker", "solvers", "errors", "lazy", "version"}
    assert ALLOWED[kind]["packages"] == []
    assert not [name for name in ALLOWED[kind]["modules"] if name.startswith(("goedels_poetry.lean.gate",))]


def test_a_check_by_lean_loads_nothing_of_smt_and_one_of_questions_nothing_of_lean() -> None:
    lean, logic = (ALLOWED[kind]["modules"] for kind in ("Lean", "logic program"))
    assert not [name for name in lean if ".smt" in name or name.startswith("goedels_poetry.questions.entailment")]
    assert not [name for name in lean if name.startswith("goedels_poetry.lean.errors")]
    assert not [name for name in logic if ".lean" in name]


@pytest.mark.parametrize("folder", BUDGETS)
def test_a_folder_of_the_kernel_is_not_longer_than_its_budget(folder: str) -> None:
    assert trusted_base.lines_of(folder) <= BUDGETS[folder][0]


def test_every_folder_of_the_kernel_has_a_budget() -> None:
    packages = {p.parent.relative_to(PACKAGE).as_posix() for p in (PACKAGE / "kernel").rglob("*.py")}
    assert packages == {folder for folder in BUDGETS if folder.startswith("kernel")}


@pytest.mark.parametrize("folder", BUDGETS)
def test_the_kernel_imports_the_standard_library_and_itself_alone(folder: str) -> None:
    for path in (PACKAGE / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                itself = f"goedels_poetry.{folder.replace('/', '.')}"
                ours = f"{name}.".startswith(("goedels_poetry.kernel.", f"{itself}."))
                assert ours or name.split(".")[0] in sys.stdlib_module_names, f"{path}: {name}"


def test_importing_all_of_the_kernel_loads_no_package_of_others() -> None:
    import goedels_poetry.kernel as kernel

    names = [module.name for module in pkgutil.walk_packages(kernel.__path__, "goedels_poetry.kernel.")]
    assert len(names) > 35
    assert trusted_base.loaded(f"import {', '.join(names)}")["packages"] == []


def test_the_documentation_says_what_has_to_be_trusted() -> None:
    says = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    assert says == trusted_base.table(ALLOWED), f"it is to say:\n{trusted_base.table(ALLOWED)}"


def test_a_module_that_is_loaded_besides_is_seen(tmp_path: Path) -> None:
    besides = trusted_base.loaded("import goedels_poetry.kernel.terms, goedels_poetry.store.state")
    assert "goedels_poetry.store.state" in besides["modules"] and "typing_extensions" in besides["packages"]
    plain = subprocess.run([sys.executable, "-I", "-c", "import json"], cwd=tmp_path, check=False)
    assert plain.returncode == 0
