"""How a goal was decomposed is told as people write formulas, whatever stands in the fingerprint."""

from __future__ import annotations

import pytest

from goedels_poetry.store.state import ProofNode
from goedels_poetry.trace.tree import method
from goedels_poetry.trace.wording import worded_method


@pytest.mark.parametrize(
    ("fingerprint", "words"),
    [
        ("witness((* n n))", "witness(n * n)"),
        ("witness(y)", "witness(y)"),
        ("recursion-induction(power b n /)", "recursion-induction(power(b, n))"),
        ("recursion-induction(f (- x 1) y / z w)", "recursion-induction(f(x - 1, y) for all z w)"),
        ("recursion-induction(Länge |größe| / )", "recursion-induction(Länge(größe))"),
        (
            "recursion-induction(RecursionInduction(function='fast', at=((- b 1), n), general=(x,)))",
            "recursion-induction(fast(b - 1, n) for all x)",
        ),
        (
            "measure-induction(b at 2: (((- b 1), n), ((- b 2), n)))",
            "measure-induction(b at (b - 1, n) and (b - 2, n))",
        ),
        ("measure-induction((+ m n) at 1: (((- m 1),),))", "measure-induction(m + n at m - 1)"),
        ("case-split((< x 0))", "case-split(x < 0)"),
        ("structural-induction(x y)", "structural-induction(x y)"),
        ("integer-induction(n from 0 by 1)", "integer-induction(n from 0 by 1)"),
        ("conjunction", "conjunction"),
    ],
)
def test_a_fingerprint_in_words(fingerprint: str, words: str) -> None:
    assert worded_method(fingerprint) == words
    assert method(ProofNode("0", strategy=fingerprint.partition("(")[0], fingerprint=fingerprint)) == words
