"""The kernel has exceptions of its own; at its doors they become the program's, with the same words and places."""

from pathlib import Path

import proofs
import pytest

from goedels_poetry.checker import BadProof, write_certificate, write_counterexample
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel import faults
from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.reading import parser
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.smt.notation import text as door

WRONG = {
    "(prove (= x\n   1))": "1:11: unknown symbol `x` (declare it with declare-fun or declare-const)",
    "(declare-const x Int)\n(prove (and x true))": "2:8: `and` takes 2 or more Bool, got (Int Bool)",
    "(prove true": "1:1: this '(' is never closed (add the missing ')')",
    "(assert (! true :named goal-1))\n\n (prove true)(prove true)": "3:2: `goal-1` names something else ",
    "(declare-datatype E ((mk (e (Array E Int)))))(prove true)": "1:19: ",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_text_that_the_kernel_refuses_is_the_user_s_invalid_input_with_the_same_words_and_place(text: str) -> None:
    with pytest.raises(faults.InvalidText) as inside:
        parser.parse_problem(text)
    with pytest.raises(InvalidInput) as outside:
        door.parse_problem(text)
    assert str(outside.value) == str(inside.value) and str(inside.value).startswith(WRONG[text])
    for part in ("message", "line", "column", "hint"):
        assert getattr(outside.value, part) == getattr(inside.value, part)
    assert outside.value.__cause__.__class__ is faults.InvalidText


@pytest.mark.parametrize(
    "program", ["(declare-const x In)", "(assert (! true :nameed a))", b"(assert \xff)", "(pop)", ""]
)
def test_a_program_that_the_kernel_refuses_is_invalid_input(program: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        read_smt2(program)


def test_terms_and_sequents_come_in_by_the_same_door() -> None:
    signature = parser.parse_problem("(declare-const x Int)(prove true)").signature
    with pytest.raises(InvalidInput, match="1:4: unknown symbol `y`"):
        door.parse_term("(= y x)", signature)
    with pytest.raises(InvalidInput, match="malformed sequent"):
        door.parse_sequent("(= x x)", signature)


def test_whatever_the_kernel_refuses_of_a_proof_is_an_error_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(BadProof, match="there are no steps") as empty:
        write_certificate(proofs.GAUSS, Derivation(()), tmp_path / "empty")
    with pytest.raises(BadProof, match="no counterexample"):
        write_counterexample(b"(prove (forall ((n Int)) (= n n)))", {"n": 1}, tmp_path / "true")
    assert isinstance(empty.value, GoedelsPoetryError) and isinstance(empty.value, faults.BadProof)
    assert not [*tmp_path.iterdir()]


def test_every_fault_of_the_kernel_is_one_kind_of_error() -> None:
    kinds = [value for value in vars(faults).values() if isinstance(value, type)]
    assert len(kinds) > 8 and all(issubclass(kind, faults.KernelError) for kind in kinds)
