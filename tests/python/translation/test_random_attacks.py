"""A sample of `scripts/attack_python.py`: false contracts from corners of CPython, none of them a true theorem."""

from __future__ import annotations

import ast
import random
import traceback
from pathlib import Path

import attack_python
import pytest

from goedels_poetry.kernel.terms import Term
from goedels_poetry.python import translate as python
from goedels_poetry.python.translate.build import INEXACT
from goedels_poetry.python.translate.frame import Frame

FOLDER = Path(python.__file__).parent
EXACT = ("exact_where", "exact_within")


def test_no_false_contract_is_a_true_theorem_of_any_cause() -> None:
    counts, wrong = attack_python.attack(seed=36, programs=400)
    assert wrong == []
    causes = {cause for cause in counts if not cause.endswith("not broken by CPython")}
    assert {cause.partition(":")[0] for cause in causes} == {
        "C integer", "callee", "encoding", "exception", "import", "inexact", "pattern",
    }  # fmt: skip
    assert sum(counts[c] for c in causes) > 300


def test_each_place_where_the_translation_is_not_exact_is_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a hypothesis and in a conclusion: the table of corners is complete."""
    places: set[tuple[str, int]] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EXACT:
                places.add((path.name, node.lineno))
            if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id == "INEXACT" for a in node.args):
                places.add((path.name, node.lineno))
    places = {place for place in places if place[0] not in ("frame.py", "build.py", "script.py")}
    assert len(places) > 8
    met: set[tuple[str, int]] = set()
    plain = Frame.check

    def check(frame: Frame, condition: Term, exception: str) -> None:
        if exception == INEXACT:
            met.update((Path(frame.filename).name, frame.lineno) for frame in traceback.extract_stack(limit=6))
        plain(frame, condition, exception)

    monkeypatch.setattr(Frame, "check", check)
    for number in range(1_000):
        attack_python.judged(attack_python.make(random.Random(f"places-{number}")))
    assert places - met == set()
