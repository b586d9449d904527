"""The engine has a face, its folders have faces, and imports go one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

HOUSE = Path(__file__).parents[2]
ENGINE = "goedels_poetry.languages.smt.engine"
FOLDER = HOUSE / Path(*ENGINE.split("."))
MODULES = sorted(FOLDER.rglob("*.py"))
OUTSIDERS = sorted(
    path
    for root in ("goedels_poetry", "tests", "scripts")
    for path in (HOUSE / root).rglob("*.py")
    if FOLDER not in path.parents
)


@cache
def imports_of(path: Path) -> list[tuple[str, str]]:
    """What a file imports of the engine: the module, and the name in it.

    Imports inside of functions, for types alone and by strings (jobs of worker processes) count as well.
    """
    text = path.read_text(encoding="utf-8")
    return list(_imports(path, text)) if ENGINE in text else []


def _imports(path: Path, text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by dots"
            module = node.module or ""
            if module == ENGINE or module.startswith(f"{ENGINE}."):
                yield from ((module.removeprefix(ENGINE).removeprefix("."), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == ENGINE or alias.name.startswith(f"{ENGINE}."):
                    yield alias.name.removeprefix(ENGINE).removeprefix("."), ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{ENGINE}."):
            module, _, name = node.value.partition(":")[0].removeprefix(f"{ENGINE}.").rpartition(".")
            yield module, name


@cache
def exported(face: str) -> set[str]:
    """What the face of the engine (empty) or of one of its folders names in ``__all__``; none for other modules."""
    path = FOLDER / face / "__init__.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else ():
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            names: list[str] = ast.literal_eval(node.value)
            return set(names)
    return set()


def part_of(path: Path) -> str:
    """The folder of a module, or the module itself where it lies at the root."""
    return path.relative_to(FOLDER).parts[0].removesuffix(".py")


def test_outsiders_import_only_what_the_face_of_the_engine_or_of_a_folder_exports() -> None:
    seen = [(path, module, name) for path in OUTSIDERS for module, name in imports_of(path)]
    assert {path.name for path, _, _ in seen} >= {"jobs.py", "test_recursion.py"}, "the walk sees nobody"
    for path, module, name in seen:
        assert name in exported(module), f"{path.relative_to(HOUSE)}: {ENGINE}.{module} does not export {name}"


def test_a_folder_imports_from_the_faces_of_others_only_and_from_no_module_behind_them() -> None:
    for path in MODULES:
        for module, name in imports_of(path):
            part, _, deeper = module.partition(".")
            if part == part_of(path) or path == FOLDER / "__init__.py":
                continue
            assert not deeper, f"{path.relative_to(HOUSE)} imports {name} from behind the face of {part}"
            if (FOLDER / part).is_dir():
                assert name in exported(part), f"{path.relative_to(HOUSE)}: {part} does not export {name}"


def test_nothing_is_exported_that_nobody_behind_another_door_uses() -> None:
    used = {
        (module, name)
        for path in (*MODULES, *OUTSIDERS)
        for module, name in imports_of(path)
        if not (FOLDER in path.parents and part_of(path) == module and path.parent != FOLDER)
    }
    for face in ("", *sorted(p.name for p in FOLDER.iterdir() if (p / "__init__.py").exists())):
        unused = {name for name in exported(face) if (face, name) not in used}
        assert not unused, f"the face {face or 'of the engine'} exports {sorted(unused)} for nobody"


def test_the_folders_of_the_engine_import_each_other_without_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        if path != FOLDER / "__init__.py":
            reached = graph.setdefault(part_of(path), set())
            reached |= {module.partition(".")[0] for module, _ in imports_of(path)} - {part_of(path)}
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError with the circle
    assert order.index("plan") < order.index("context") < order.index("search") < order.index("jobs")
    assert "" not in order, "a module of the engine imports the face of the whole"


def test_every_module_of_the_engine_says_what_it_is_and_every_face_names_its_files() -> None:
    for path in MODULES:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert text, f"{path.relative_to(HOUSE)} has no docstring"
        if path.name == "__init__.py" and path.parent != FOLDER:
            missing = [p.stem for p in path.parent.glob("*.py") if p != path and f"`{p.stem}`" not in text]
            assert not missing, f"{path.relative_to(HOUSE)} does not say what {missing} are for"


def test_no_module_of_the_engine_is_longer_than_500_lines_or_reaches_for_what_another_object_keeps_private() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) < 500, f"{path.relative_to(HOUSE)} is too long"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                owner = node.value
                assert isinstance(owner, ast.Name) and owner.id in ("self", "cls"), (
                    f"{path.relative_to(HOUSE)}:{node.lineno} reaches for {ast.unparse(node)}"
                )
