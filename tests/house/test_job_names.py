"""Texts that name a function, ``"package.module:function"``: each names one that its module defines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import goedels_poetry

PACKAGE = Path(goedels_poetry.__file__).parent
NAMED = re.compile(r"(goedels_poetry(?:\.\w+)+):(\w+)")


def named_functions() -> Iterator[tuple[str, str]]:
    """Module and function of each such text; ``f"{JOBS}:read"`` with the constant of the module put in."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)):
                    pass
                case ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id=name)), ast.Constant(value=rest)]):
                    text = f"{constants.get(name)}{rest}"
                case _:
                    continue
            if found := NAMED.fullmatch(text):
                yield found[1], found[2]


@pytest.mark.parametrize("named", sorted(set(named_functions())), ids=":".join)
def test_a_named_function_is_defined_where_its_name_says(named: tuple[str, str]) -> None:
    module, function = named
    assert getattr(import_module(module), function).__module__ == module
