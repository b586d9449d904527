"""True theorems that must not be refuted, whatever values are claimed to make them false."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from drive import verdict
from forge import forge

from goedels_poetry.checker import CheckReport, check_certificate
from goedels_poetry.checker.counterexample import counterexample_script
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.languages.smt.obligations import Context
from goedels_poetry.languages.smt.parser import parse_problem
from goedels_poetry.state import Verdict

# Both stores leave the array {true: x, false: y}, whatever it was before; as a default with exceptions the results
# look different.
FINITE = "(forall ((a (Array Bool Int)) (b (Array Bool Int)) (x Int) (y Int)) {})"
LEFT, RIGHT = "(store (store a true x) false y)", "(store (store b true x) false y)"


@pytest.mark.parametrize(
    "theorem",
    [
        f"(declare-fun f ((Array Bool Int)) Int)(prove {FINITE.format(f'(= (f {LEFT}) (f {RIGHT}))')})",
        "(declare-datatypes ((B 0)) (((mk (arr (Array Bool Int))))))(declare-fun f (B) Int)"
        f"(prove {FINITE.format(f'(= (f (mk {LEFT})) (f (mk {RIGHT})))')})",
        "(declare-const h (Array (Array Bool Int) Int))"
        f"(prove {FINITE.format(f'(= (select (store h {LEFT} 5) {RIGHT}) 5)')})",
        "(declare-sort S 0)(declare-fun c ((Array Bool Int)) S)(declare-fun g (S) Int)"
        "(assert (forall ((a (Array Bool Int))) (= (g (c a)) 0)))"
        f"(prove {FINITE.format(f'(= (c {LEFT}) (c {RIGHT}))')})",
    ],
    ids=["of a declared function", "inside of a datatype", "as an index", "inside of what axioms build"],
)
def test_equal_arrays_over_a_finite_index_that_look_different(theorem: str, tmp_path: Path) -> None:
    assert verdict(theorem, tmp_path)["verdict"] in ("proved", "unknown")


def forged(theorem: str, values: Any, table: Any, folder: Path) -> CheckReport:
    """The checker's report on a forged counterexample with the script that belongs to it."""
    evidence = {"values": values, "table": table}
    try:
        script = counterexample_script(Context(parse_problem(theorem)), evidence).encode()
    except GoedelsPoetryError:
        script = b""
    certificate = forge(folder / "x.cert", theorem.encode(), evidence, script=script, claim="counterexample")
    return check_certificate(certificate, theorem.encode())


BUILT = "(declare-sort S 0)(declare-fun c (Int) S)(declare-fun f (S) Int)(assert (forall ((n Int)) (= (f (c n)) n)))"


@pytest.mark.parametrize(
    "element",
    [["!", "c", {"real": "1/2"}], ["!", "c"], ["!", "c", 1, 2], ["!", "c", "a"], ["!", "Int", 1], ["!"], []],
    ids=str,
)
def test_an_element_that_was_built_from_a_value_of_another_sort(element: list[Any], tmp_path: Path) -> None:
    theorem = BUILT + "(prove (forall ((s S)) (= (to_int (to_real (f s))) (f s))))"
    report = forged(theorem, {"s": {"tuple": element}}, [], tmp_path)
    assert not report.accepted
    assert "not of its sort" in report.reasons[0]


def test_elements_that_are_what_they_should_be(tmp_path: Path) -> None:
    theorem = BUILT + "(prove (forall ((s S)) (> (f s) 0)))"
    assert forged(theorem, {"s": {"tuple": ["!", "c", 0]}}, [], tmp_path).verdict is Verdict.REFUTED
    table = [{"function": "f", "args": [{"tuple": ["!", "S", 1]}], "value": -4}]
    assert forged(theorem, {"s": {"tuple": ["!", "S", 1]}}, table, tmp_path).verdict is Verdict.REFUTED


def test_a_table_that_contradicts_a_premise_confirms_nothing(tmp_path: Path) -> None:
    """Values that nobody asks for made the solvers' confirmation unsatisfiable by themselves."""
    theorem = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) (+ x 1))))(prove (= (f 2) 4))"
    assert forged(theorem, {}, [], tmp_path).accepted
    report = forged(theorem, {}, [{"function": "f", "args": [2], "value": 9}], tmp_path)
    assert not report.accepted and "does not ask for" in report.reasons[0]


def test_a_character_outside_of_the_alphabet(tmp_path: Path) -> None:
    theorem = '(prove (forall ((s String)) (= s "")))'
    assert forged(theorem, {"s": "a"}, [], tmp_path).accepted
    assert not forged(theorem, {"s": "\U00030000"}, [], tmp_path).accepted
