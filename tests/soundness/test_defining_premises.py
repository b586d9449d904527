"""Premises that define a function: nothing follows from them that does not follow from the premises themselves."""

from pathlib import Path
from typing import Any

import pytest
from drive import verdict
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.certificate.archive import read_archive
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.defining import definable, with_definitions
from goedels_poetry.smt.notation.text import parse_problem

LIST = "(declare-datatype L ((nil) (cons (hd Int) (tl L))))"
LEN = "(declare-fun len (L) Int)"
SUM = "(declare-fun sum (Int) Int)(assert (forall ((n Int)) (= (sum n) (ite (<= n 0) 0 (+ n (sum (- n 1)))))))"
GAUSS = "(assert (exists ((n Int)) (and (>= n 0) (distinct (* 2 (sum n)) (* n (+ n 1)) ))))(check-sat)"
NO_END = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) (+ 1 (f x)))))"


def definitions(text: str) -> dict[str, str]:
    """What premises could define, with the values."""
    problem = parse_problem(f"{text}(prove true)")
    names = definable(problem)
    found = with_definitions(problem, names).signature
    return {name: show(found.definition(name).body) for name in names}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "premises",
    [
        pytest.param(f"{LIST}{LEN}(assert (= (len nil) 0))", id="a case is missing"),
        pytest.param(
            f"{LIST}{LEN}(assert (= (len nil) 0))(assert (= (len nil) 1))"
            "(assert (forall ((x Int) (xs L)) (= (len (cons x xs)) 1)))",
            id="two cases overlap",
        ),
        pytest.param(
            f"{LIST}{LEN}(assert (= (len nil) 0))(assert (forall ((x Int)) (= (len (cons x nil)) 1)))"
            "(assert (forall ((x Int) (y Int) (xs L)) (= (len (cons x (cons y xs))) 1)))"
            "(assert (forall ((x Int) (xs L)) (= (len (cons x xs)) 2)))",
            id="the last case overlaps",
        ),
        pytest.param("(declare-fun f (Int) Int)(assert (forall ((x Int) (y Int)) (= (f x) y)))", id="an open value"),
        pytest.param("(declare-fun f (Int Int) Int)(assert (forall ((x Int)) (= (f x x) 1)))", id="on the diagonal"),
        pytest.param("(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f (+ x 1)) x)))", id="an argument moved"),
        pytest.param("(declare-fun f (Int) Int)(assert (= (f 0) 1))", id="one value"),
        pytest.param("(declare-fun f (Int) Int)(assert (exists ((x Int)) (= (f x) x)))", id="somewhere"),
        pytest.param("(declare-fun f (Int) Int)(assert (forall ((x Int)) (=> (> x 0) (= (f x) x))))", id="a condition"),
        pytest.param("(declare-fun f (Int) Int)(assert (forall ((x Int)) (not (= (f x) x))))", id="denied"),
        pytest.param("(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) x (f x))))", id="three sides"),
    ],
)
def test_what_premises_leave_open_is_not_defined(premises: str) -> None:
    assert definitions(premises) == {}


def test_cases_of_constructors_are_one_definition_in_any_order() -> None:
    cases = [
        "(assert (forall ((x Int)) (= (len (cons x nil)) (* 7 x))))",
        "(assert (= 3 (len nil)))",
        "(assert (forall ((x Int) (y Int) (l L)) (= (len (cons x (cons y l))) (+ y (len l)))))",
    ]
    bodies = {
        definitions(f"{LIST}{LEN}{a}{b}{c}")["len"] for a, b, c in [cases, cases[::-1], [cases[1], cases[0], cases[2]]]
    }
    inner = "(ite ((_ is nil) (tl x0!)) (* 7 (hd x0!)) (+ (hd (tl x0!)) (len (tl (tl x0!)))))"
    assert bodies == {f"(ite ((_ is nil) x0!) 3 {inner})"}


def test_of_two_equations_for_all_arguments_the_second_is_a_premise_still() -> None:
    text = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) 1)))(assert (forall ((y Int)) (= (f y) 2)))"
    problem = parse_problem(f"{text}(prove false)")
    left = with_definitions(problem, definable(problem)).premises
    assert [show(p.formula) for p in left] == ["(forall ((y Int)) (= (f y) 2))"]


def test_the_innermost_of_two_variables_of_one_name_is_the_argument() -> None:
    text = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (forall ((x Int)) (= (f x) (* 2 x)))))"
    assert definitions(text) == {"f": "(* 2 x1)"}


def test_recursion_given_by_a_premise_is_proved_by_induction(tmp_path: Path) -> None:
    found = verdict(f"{SUM}{GAUSS}", tmp_path)
    assert (found["verdict"], found["trust_level"]) == ("proved", "L3"), found
    path = Path(found["path"])
    assert evidence_of(path)["defined"] == ["sum"]
    assert any(name.startswith("premise-1 ") for name in found["details"]["needed"])
    assert check_certificate(path).accepted


@pytest.mark.parametrize("goal", ["(prove false)", "(prove (= (f 0) 7))"])
def test_nothing_is_proved_from_an_equation_without_a_solution(goal: str, tmp_path: Path) -> None:
    assert verdict(f"{NO_END}{goal}", tmp_path)["verdict"] in ("inconsistent", "unknown")


@pytest.mark.parametrize("names", [[], ["sum", "sum"], ["other"], "sum", [1], ["sum", "f"], ["n"]])
def test_a_certificate_names_what_premises_define_and_nothing_else(names: Any, tmp_path: Path) -> None:
    path = Path(verdict(f"{SUM}{NO_END.replace('(+ 1 (f x))', '(f (- x 1))')}{GAUSS}", tmp_path)["path"])
    archive = read_archive(path)
    evidence = {**evidence_of(path), "defined": names}
    forged = forge(tmp_path / "forged", archive.theorem, evidence, script=archive.obligations, honest_ends=False)
    assert check_certificate(forged).refused


def test_a_function_that_does_not_terminate_is_refused_as_a_definition(tmp_path: Path) -> None:
    theorem = f"{NO_END}(prove (= (f 0) (+ 1 (f 0))))".encode()
    step = {
        "id": "1",
        "sequent": "(sequent () () (= (f 0) (+ 1 (f 0))))",
        "query": {"cites": [], "instances": [{"of": "def", "name": "f", "args": ["0"]}], "equations": False,
                  "quantified": False},
    }  # fmt: skip
    evidence = {"steps": [step], "defined": ["f"]}
    forged = forge(tmp_path / "forged", theorem, evidence, script=b"", honest_ends=False)
    report = check_certificate(forged, assume_definitions=True)
    assert report.refused and "not shown to terminate: f" in report.reasons[0]
    with pytest.raises(BadProof):
        with_definitions(parse_problem(theorem), ["g"])
