"""Names that the reader makes up itself must not be those of a theory."""

from pathlib import Path

import pytest
from drive import verdict

from goedels_poetry.kernel.encoding import Encoding
from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import INT, REAL
from goedels_poetry.smt.notation.text import parse_problem

# An element of a declared sort has no text in SMT-LIB, so no solver confirms what is evaluated.
UNCONFIRMED = "(declare-sort S 0)(prove (forall ((s S) "


@pytest.mark.parametrize(
    "theorem",
    [
        "(declare-sort int 0)(define-fun (par (a) (to ((x Real)) Int 5)))"
        + UNCONFIRMED
        + "(x Real)) (= ((_ to Int) x) ((_ to int) x) 5)))",
        "(declare-sort extend 0)(define-fun (par (a) (zero ((x (_ BitVec 8))) (_ BitVec 8) (bvnot x))))"
        + UNCONFIRMED
        + "(x (_ BitVec 8))) (= ((_ zero Int) x) ((_ zero extend) x) (bvnot x))))",
        "(declare-sort int 0)(define-fun (par (a) (sbv_to ((x (_ BitVec 8))) Int 5)))"
        + UNCONFIRMED
        + "(x (_ BitVec 8))) (= ((_ sbv_to Int) x) ((_ sbv_to int) x) 5)))",
    ],
    ids=["to at int", "zero at extend", "sbv_to at int"],
)
def test_an_instance_of_a_polymorphic_function_called_like_an_operation(theorem: str, tmp_path: Path) -> None:
    assert verdict(theorem, tmp_path)["verdict"] == "proved"


def test_no_solver_is_shown_a_signature_that_declares_a_symbol_of_a_theory() -> None:
    assert parse_problem("(declare-fun to_int1 (Real) Int)(prove true)")
    with pytest.raises(EncodingError):
        Encoding(Signature(functions={"to_int": ((REAL,), INT)}))
