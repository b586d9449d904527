"""Strategies of functions in many styles, labelled by hand; more than nineteen of twenty must be told right."""

import ast
import functools
from pathlib import Path

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
