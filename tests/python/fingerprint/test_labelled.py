"""Strategies of functions in many styles, labelled by hand; more than nineteen of twenty must be told right."""

import ast
import functools
from pathlib import Path

import pytest

from goedels_poetry.python.fingerprint.ban import STRATEGIES
from goedels_poetry.python.fingerprint.classify import fingerprint

FILE = Path(__file__).with_name("labelled.txt")


@functools.cache
def told_of(text: str, name: str):
    return fingerprint(text, name)


@functools.cache
def labelled() -> list[tuple[str, str, str]]:
    """Label, function and text of each."""
    found = []
    for part in FILE.read_text().split("### ")[1:]:
        head, _, text = part.partition("\n")
        label, _, name = head.partition("|")
        names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        names += [node.targets[0].id for node in ast.parse(text).body if not names and isinstance(node, ast.Assign)]
        found.append((label.strip(), name.strip() or names[0], text))
    return found


class _Renamed(ast.NodeTransformer):
    """Every name that the text binds gets another; annotations, docstrings and positions go."""

    def __init__(self, tree: ast.AST, keep: set[str]) -> None:
        self._names = {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        } - keep
        self._names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} - {"self", *keep}
        words = {word.arg for node in ast.walk(tree) if isinstance(node, ast.Call) for word in node.keywords}
        self._names -= {word for word in words if word}

    def _new(self, name: str) -> str:
        return f"v{sorted(self._names).index(name)}_" if name in self._names else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(id=self._new(node.id), ctx=node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(arg=self._new(node.arg), annotation=None)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return ast.Nonlocal(names=[self._new(name) for name in node.names])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(value=ast.Constant(value="Recursion, memoised, greedy: lru_cache.")))
        node.returns = None
        return node


def other_text(text: str) -> str:
    """The same function with other names and another layout."""
    tree = ast.parse(text)
    kept = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return ast.unparse(ast.fix_missing_locations(_Renamed(tree, kept).visit(tree)))


def test_there_are_enough_of_every_strategy():
    labels = [label for label, _, _ in labelled()]
    assert len(labels) >= 90
    assert {label: labels.count(label) >= 8 for label in STRATEGIES} == dict.fromkeys(STRATEGIES, True)


def test_at_least_95_of_100_are_told_right():
    wrong = [
        f"{name}: {told.strategy} {sorted(told.tags)}, not {label}"
        for label, name, text in labelled()
        if (told := told_of(text, name)).strategy != label
    ]
    assert len(wrong) <= 0.05 * len(labelled()), "\n".join(wrong)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_other_names_comments_and_layout_change_nothing(strategy):
    for label, name, text in labelled():
        if label == strategy:
            assert fingerprint(other_text(text), name).text == told_of(text, name).text, other_text(text)
