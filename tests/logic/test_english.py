"""The table by which English is rendered says the same in both dialects."""

from __future__ import annotations

import json
import re

import pytest

from goedels_poetry.kernel.terms import alpha
from goedels_poetry.questions.confidence.english import Row, rows
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.program.smt2 import read_smt2

HEAD = "(declare-sort Thing 0) (declare-const c Thing) (declare-const council_agrees Bool)"
UNARY = ("A", "B", "C")
ROWS = [row for row in rows()["sentences"] if "smt2" in row]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["english"][:30])
def test_both_dialects_say_the_same(row: Row) -> None:
    unary = not re.search(r"\b[PQ]\b|\(or A", row["smt2"])
    kind = "(Thing)" if unary else "()"
    names = UNARY if unary else ("A", "B", "C", "P", "Q")
    smt2 = HEAD + " ".join(f"(declare-fun {name} {kind} Bool)" for name in names)
    smt2 += f"(assert {row['smt2']}) (define-fun goal () Bool council_agrees)"
    program = {
        "sorts": [{"name": "Thing", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Thing"], "range": "Bool"} for name in names if unary],
        "constants": {
            "things": {"sort": "Thing", "members": ["c"]},
            "facts": {"sort": "Bool", "members": ["council_agrees", *([] if unary else names)]},
        },
        "knowledge_base": [row["json"]],
        "goal": "council_agrees",
    }
    assert alpha(read_smt2(smt2).premises[0].formula) == alpha(read_json(json.dumps(program)).premises[0].formula)
