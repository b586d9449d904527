"""The house has rooms in one order: imports go down it, never up, never in a circle, however they are written."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import trusted_base

PACKAGE = Path(__file__).parents[2] / "goedels_poetry"
ARCHITECTURE = PACKAGE.parent / "docs" / "architecture.md"
NAME = PACKAGE.name

ROOMS = (
    "cli",
    "interfaces",
    "serve",
    "framework",
    "trace",
    "cluster",
    "evaluation",
    "autoformalizer",
    "reasoning",
    "search",
    "checker",
    "languages",
    "questions",
    "python",
    "lean",
    "smt",
    "protocol",
    "models",
    "store",
    "sandbox",
    "solvers",
    "kernel",
    "contracts",
    "plugins",
    "lazy",
    "settings",
    "files",
    "errors",
    "telemetry",
    "version",
)
"""From top to bottom; a room imports itself and what stands below it."""

TOP_LEVEL = {"__init__", "__main__", "framework", "plugins", "lazy", "files", "errors", "telemetry", "version"}
"""All files at the top of the package; everything else is a folder."""

GROUPS = ("agents", "question_agents", "code_agents", "change_agents", "strategies", "languages", "checkers")
ENTRY_POINTS = {f"{NAME}.{group}" for group in GROUPS}
"""Groups of entry points: their names look like modules and import nothing."""

MANY_FILES = 12
"""A folder with more has a map in its face: who calls whom, and which paper a method comes from."""
LINES_OF_A_MAP = 8
MOST_SECTIONS = 97
"""Modules that one other imports. They are sections of it, unless the theory has a name for them."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    named = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def dotted_names(module: str, path: Path) -> Iterator[str]:
    """Names that a module imports: at its top, inside functions, for types alone, and in strings."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in ENTRY_POINTS:
            yield from (name for name in [node.value.partition(":")[0]] if node.value.startswith(f"{NAME}."))


@cache
def names() -> dict[str, frozenset[str]]:
    """Module -> the names of our own that it imports, each of a module or of something in one."""
    ours = {module: frozenset(dotted_names(module, path)) for module, path in modules().items()}
    return {module: frozenset(name for name in every if name.startswith(f"{NAME}.")) for module, every in ours.items()}


def module_of(name: str) -> str:
    """The module that a dotted name is, or is in."""
    return name if name in modules() else module_of(name.rpartition(".")[0])


@cache
def imports() -> dict[str, set[str]]:
    """Module -> the other modules of the package that it imports in any way."""
    return {module: {module_of(name) for name in every} - {module} for module, every in names().items()}


def room(module: str) -> str:
    """The room that a module stands in; "" for the face of the package and `__main__`, which are outside."""
    name = module.split(".")[1] if "." in module else ""
    return "" if name == "__main__" else name


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in sorted(edges[module]):
            if other not in number:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == number[module]:
            component = [stack.pop()]
            while component[-1] != module:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for module in sorted(edges):
        if module not in number:
            visit(module)
    return found


def test_no_module_imports_itself_by_way_of_others_at_the_top_in_functions_for_types_or_in_strings() -> None:
    assert circles(imports()) == []


def test_every_import_goes_down_the_list_of_rooms() -> None:
    upward = sorted(
        f"{module} -> {other}"
        for module, others in imports().items()
        for other in others
        if room(module) and room(other) != room(module) and ROOMS.index(room(other)) < ROOMS.index(room(module))
    )
    assert upward == []


def test_every_name_that_is_imported_exists() -> None:
    for module, every in names().items():
        for name in every - modules().keys():
            source = modules()[module_of(name)].read_text("utf-8")
            assert module_of(name) == name.rpartition(".")[0], f"{module}: {name}"
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", source), f"{module}: {name}"


def test_nobody_imports_the_face_of_the_package_which_imports_everybody() -> None:
    assert [module for module, others in imports().items() if NAME in others] == []


def test_the_top_of_the_package_holds_a_few_small_modules_and_rooms() -> None:
    files = {path.stem for path in PACKAGE.glob("*.py")}
    folders = {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert files == TOP_LEVEL
    assert folders | files - {"__init__", "__main__"} == set(ROOMS)


def test_the_rooms_in_the_documentation_are_these_in_this_order() -> None:
    table = ARCHITECTURE.read_text("utf-8").partition("## Rooms")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([a-z_]+)(?:\.py)?` \|", table, re.MULTILINE)) == ROOMS


def test_every_folder_is_a_package() -> None:
    assert [str(path) for path in PACKAGE.rglob("*.py") if not (path.parent / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    "folder",
    sorted(
        str(folder.relative_to(PACKAGE))
        for folder in {path.parent for path in PACKAGE.rglob("*.py")}
        if len([*folder.glob("*.py")]) > MANY_FILES
    ),
)
def test_a_folder_of_many_files_has_a_map_in_its_face(folder: str) -> None:
    face = PACKAGE / folder / "__init__.py"
    described = ast.get_docstring(ast.parse(face.read_text("utf-8"))) or ""
    assert len(described.splitlines()) >= LINES_OF_A_MAP, described


@pytest.mark.parametrize("face", sorted(PACKAGE.rglob("__init__.py")), ids=lambda face: face.parent.name)
def test_a_map_leads_to_modules_and_folders_that_are_there(face: Path) -> None:
    described = ast.get_docstring(ast.parse(face.read_text("utf-8"))) or ""
    named = set(re.findall(r"^\* `{1,2}([a-z_]+)`", described, re.MULTILINE))
    assert named <= {path.stem for path in face.parent.iterdir()}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("from goedels_poetry.store import runs", "goedels_poetry.store.runs"),
        ("def late():\n    import goedels_poetry.cli.app", "goedels_poetry.cli.app"),
        ("if TYPE_CHECKING:\n    from goedels_poetry.cli.app import app", "goedels_poetry.cli.app.app"),
        ("from ..cli import app", "goedels_poetry.cli.app"),
        ("JOB = 'goedels_poetry.cli.app:main'", "goedels_poetry.cli.app"),
    ],
)
def test_an_import_counts_wherever_it_stands(tmp_path: Path, written: str, meant: str) -> None:
    path = tmp_path / "runs.py"
    path.write_text(written)
    assert meant in set(dotted_names("goedels_poetry.store.runs", path))


def test_a_circle_of_three_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def folder_of(module: str) -> str:
    """The folder of a module, from the package down; "" for its top."""
    return modules()[module].parent.relative_to(PACKAGE).as_posix().removeprefix(".")


def test_no_two_folders_import_each_other() -> None:
    pairs = {(folder_of(module), folder_of(other)) for module, others in imports().items() for other in others}
    assert [(a, b) for a, b in sorted(pairs) if a and a < b and (b, a) in pairs] == []


def test_no_folder_is_deeper_than_two_levels() -> None:
    assert [folder for module in modules() if (folder := folder_of(module)).count("/") > 1] == []


def test_a_module_of_one_importer_is_the_exception() -> None:
    importers: dict[str, set[str]] = {}
    for module, others in imports().items():
        for other in others:
            importers.setdefault(other, set()).add(module)
    single = [m for m, path in modules().items() if path.name != "__init__.py" and len(importers.get(m, ())) == 1]
    assert len(single) <= MOST_SECTIONS


@pytest.mark.parametrize(
    ("module", "rooms"),
    [
        ("cli.prove", {"reasoning", "questions", "python", "lean", "smt", "sandbox"}),
        ("cli.inspect", {"reasoning", "questions", "python", "lean", "smt", "sandbox"}),
        ("python.jobs", {"search", "checker", "questions", "lean", "sandbox"}),
    ],
)
def test_what_many_do_not_need_is_loaded_when_it_is_needed(module: str, rooms: set[str]) -> None:
    names = trusted_base.loaded(f"import {NAME}.{module}")["modules"]
    assert rooms.isdisjoint(name.split(".")[1] for name in names if "." in name)
