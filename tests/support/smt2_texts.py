"""Programs that several tests begin with, and how a refusal is looked at."""

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions.program.smt2 import read_smt2

BIRDS = """(declare-sort Animal 0)
(declare-fun bird (Animal) Bool)
(declare-fun flies (Animal) Bool)
(declare-const tweety Animal)
(assert (forall ((a Animal)) (=> (bird a) (flies a))))
(assert (bird tweety))
"""
P = "(declare-const p Bool)(declare-const q Bool)"
X = "(declare-const x Int)(declare-const r Real)"


def refused(text: str | bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        read_smt2(text)
    assert caught.value.line is not None and caught.value.column is not None
    return caught.value
