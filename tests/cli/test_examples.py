"""The examples and schemas that come with the program are written out, and nothing of the user's is overwritten."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from goedels_poetry.cli.examples import files_below, shipped

ROOT = Path(__file__).parents[2]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): (folder / path).read_bytes() for path in files_below(folder)}


def test_the_examples_are_those_of_the_documentation_and_can_be_proved(cli: Any, tmp_path: Path) -> None:
    ran = cli("examples")
    assert ran.code == 0
    assert tree(tmp_path / "theorems") == tree(ROOT / "theorems")
    assert len(ran.out.splitlines()) == len(tree(ROOT / "theorems"))
    assert cli("prove", "theorems/smt/addition_commutes.smt2", "--quiet").code == 0


def test_what_is_there_stays_as_it_is_and_the_rest_is_written(cli: Any, tmp_path: Path) -> None:
    mine = tmp_path / "place" / "theorems" / "smt" / "rumour.smt2"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    ran = cli("examples", "place")
    assert (ran.code, mine.read_text()) == (1, "mine")
    assert "rumour.smt2: kept as it is" in ran.err
    assert "rumour.smt2" not in ran.out
    written = tree(tmp_path / "place" / "theorems")
    assert written | {"smt/rumour.smt2": b""} == tree(ROOT / "theorems") | {"smt/rumour.smt2": b""}
    mine.unlink()
    again = cli("examples", "place")
    assert (again.code, [line.split()[0] for line in again.out.splitlines()].count("written")) == (0, 1)


def test_examples_are_listed_and_shown_without_being_written(cli: Any, tmp_path: Path) -> None:
    listed = cli("examples", "--list").out.split()
    assert "theorems/lean/order.lean" in listed
    text = (ROOT / "theorems" / "smt" / "rumour.smt2").read_text("utf-8")
    for name in ("rumour", "rumour.smt2", "smt/rumour.smt2", "theorems/smt/rumour.smt2"):
        assert cli("examples", "--show", name).out == text
    assert list(tmp_path.iterdir()) == []
    assert cli("examples", "--show", "clamp").code == 2, "there are two"
    assert "--list lists them" in cli("examples", "--show", "../README").err


def test_schemas_are_listed_and_printed(cli: Any) -> None:
    names = cli("schema").out.split()
    assert {f"{name}.json" for name in names} == {path.name for path in (ROOT / "docs" / "schema").iterdir()}
    for name in names:
        published = (ROOT / "docs" / "schema" / f"{name}.json").read_text("utf-8")
        assert json.loads(cli("schema", name).out) == json.loads(published)
    ran = cli("schema", "nothing")
    assert (ran.code, "result-v1" in ran.err) == (2, True)


def test_the_package_that_is_built_brings_them_along() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    included = built["wheel"]["force-include"]
    package = Path(shipped("schema")).parents[1]
    for what, place in (("theorems", "theorems"), ("schema", "docs/schema")):
        assert included[place] == f"goedels_poetry/data/{what}"
        assert shipped(what) in (ROOT / place, package / "data" / what)
        assert f"/{place.split('/')[0]}" in built["sdist"]["include"]
