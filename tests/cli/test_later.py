"""What LangGraph and LangChain bring along and no run uses is loaded when somebody asks for it, and not before."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from goedels_poetry.cli.later import PACKAGES, load_later


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that says when it is loaded, with a file in it; its name is of this test alone."""
    name = f"dear_{tmp_path.name}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text(
        f"from {name} import small\n"
        f"with open({str(tmp_path / 'loaded')!r}, 'a') as file:\n    file.write('x')\n"
        "__version__ = '7'\n"
    )
    (folder / "small.py").write_text("name = 'small'\n")
    (folder / "other.py").write_text("name = 'other'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    for module in (name, f"{name}.small", f"{name}.other"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return name


def test_a_file_of_a_package_is_had_without_the_package_and_then_all_of_it(package: str, tmp_path: Path) -> None:
    load_later(package)
    assert import_module(f"{package}.other").name == "other"
    assert not (tmp_path / "loaded").exists()
    whole = import_module(package)
    with ThreadPoolExecutor(4) as threads:
        assert {*threads.map(lambda _: whole.__version__, range(8))} == {"7"}
    assert (whole.small.name, whole.other.name) == ("small", "other")
    with pytest.raises(AttributeError, match="no_such_name"):
        whole.no_such_name  # noqa: B018
    assert (tmp_path / "loaded").read_text() == "x"


def test_what_is_loaded_or_not_to_be_had_is_left_as_it_is(package: str) -> None:
    loaded = import_module(package)
    load_later(package, "no_such_package", f"{package}.other")
    assert import_module(package) is loaded
    assert type(loaded) is type(sys)
    assert import_module(f"{package}.other").name == "other", "a file is no package"
    with pytest.raises(ModuleNotFoundError):
        import_module("no_such_package")


def test_who_uses_the_library_has_imports_as_ever() -> None:
    code = "import sys; before = [*sys.meta_path]; import goedels_poetry.machine.graph; print(before == sys.meta_path)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True"]


def test_a_machine_is_compiled_and_a_model_made_without_them(tmp_path: Path) -> None:
    code = f"""
import sys
from goedels_poetry.cli.later import PACKAGES, load_later
load_later(*PACKAGES)
import goedels_poetry.machine.graph
import langgraph.graph
print("httpx" in sys.modules)
from goedels_poetry import Models, Settings
model = {{"model": "any", "base_url": "http://127.0.0.1:9/v1"}}
with_a_model = Models(settings=Settings(home=sys.argv[1], models={{"default": model}}))
print(*(type(sys.modules.get(name)).__name__ for name in {PACKAGES!r}))
from openai.types.responses import Response
from langchain_openai import ChatOpenAI
print(Response.__module__, isinstance(with_a_model.endpoints["prover"].chat, ChatOpenAI))
"""
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "False",
        " ".join(["_Later"] * len(PACKAGES)),
        "openai.types.responses.response True",
    ]
