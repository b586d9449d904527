"""True theorems that must not be refuted, whatever values are claimed to make them false."""

import json
from pathlib import Path
from typing import Any

import pytest
from drive import verdict
from forge import forge, script_of_counterexample, with_ends

from goedels_poetry.checker import CheckReport, check_certificate
from goedels_poetry.checker.certificate.archive import read_archive
from goedels_poetry.kernel.verdict import Verdict

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
    evidence = with_ends(theorem.encode(), {"values": values, "table": table})
    script = script_of_counterexample(theorem.encode(), evidence)
    certificate = forge(folder / "x.cert", theorem.encode(), evidence, script=script, claim="counterexample")
    return check_certificate(certificate, theorem.encode())


def element(sort: str, number: int) -> Any:
    """An element of a declared sort, as evidence."""
    return {"element": {"sort": sort, "number": number}}


def built(function: str, *args: Any) -> Any:
    """What a declared function makes of its arguments, as evidence."""
    return {"built": {"function": function, "args": list(args)}}


BUILT = "(declare-sort S 0)(declare-fun c (Int) S)(declare-fun f (S) Int)(assert (forall ((n Int)) (= (f (c n)) n)))"


@pytest.mark.parametrize(
    "value",
    [
        *[built("c", *args) for args in ([{"real": "1/2"}], [], [1, 2], ["a"], [True])],
        *[element("Int", 1), element("S", -1), element("S", True), element("c", 0), built("f", element("S", 0))],
        *[{"tuple": parts} for parts in (["!", "S", 0], ["!", "c", 0], ["S", 0], ["!"], [])],
    ],
    ids=str,
)
def test_an_element_that_was_built_from_a_value_of_another_sort(value: Any, tmp_path: Path) -> None:
    theorem = BUILT + "(prove (forall ((s S)) (= (to_int (to_real (f s))) (f s))))"
    report = forged(theorem, {"s": value}, [], tmp_path)
    assert not report.accepted
    assert "not of its sort" in report.reasons[0]


def test_elements_that_are_what_they_should_be(tmp_path: Path) -> None:
    theorem = BUILT + "(prove (forall ((s S)) (> (f s) 0)))"
    assert forged(theorem, {"s": built("c", 0)}, [], tmp_path).verdict is Verdict.REFUTED
    table = [{"function": "f", "args": [element("S", 1)], "value": -4}]
    assert forged(theorem, {"s": element("S", 1)}, table, tmp_path).verdict is Verdict.REFUTED


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


# ------------------------------------------------------------------------- definitions that do not always terminate

DOWN = "(define-fun-rec down ((n Int)) Int (ite (= n 0) 0 (+ 1 (down (- n 1)))))"
FALSE_FOR_4 = f"{DOWN}(prove (forall ((n Int)) (< (down n) 4)))"


def test_calls_that_end_refute_and_the_assumption_is_told(tmp_path: Path) -> None:
    report = forged(FALSE_FOR_4, {"n": 4}, [], tmp_path)
    assert (report.verdict, str(report.trust_level)) == (Verdict.REFUTED, "L1")
    assert "calls that come to an end" in report.assumptions[0] and "down" in report.assumptions[0]
    whole = verdict(FALSE_FOR_4, tmp_path)
    assert whole["verdict"] == "refuted" and any("down" in warning for warning in whole["warnings"])


def test_calls_that_do_not_end_refute_nothing(tmp_path: Path) -> None:
    report = forged(f"{DOWN}(prove (forall ((n Int)) (=> (< n 0) (= (down n) 4))))", {"n": -1}, [], tmp_path)
    assert not report.accepted and "cannot tell" in report.reasons[0]
    assert not forged(FALSE_FOR_4, {"n": 3}, [], tmp_path).accepted, "the goal is true there"


@pytest.mark.parametrize(
    "definition",
    [
        DOWN,
        "(define-fun-rec f ((n Int)) Int (+ 1 (f n)))",
        "(define-fun-rec p ((n Int)) Bool (not (p n)))",
        "(define-funs-rec ((f ((x Int)) Int) (g ((x Int)) Int)) ((+ 1 (g x)) (f x)))",
    ],
)
def test_a_definition_that_nobody_calls_may_be_contradictory(definition: str, tmp_path: Path) -> None:
    theorem = f"{definition}(prove (forall ((n Int)) (= n 0)))"
    report = forged(theorem, {"n": 1}, [], tmp_path)
    assert not report.accepted and "does not rest on" in report.reasons[0]
    assert verdict(theorem, tmp_path)["verdict"] == "unknown"


def test_a_contradictory_definition_under_a_branch_that_is_not_taken(tmp_path: Path) -> None:
    """Its equations are not used: they would say the same of the goal and of its negation."""
    theorem = "(define-fun-rec f ((n Int)) Int (+ 1 (f n)))(prove (forall ((n Int)) (=> (= n 7) (= (f n) (f n) 1))))"
    assert not forged(theorem, {"n": 7}, [], tmp_path).accepted
    assert verdict(theorem, tmp_path)["verdict"] == "unknown"


def test_values_that_a_definition_forbids_where_it_does_not_end(tmp_path: Path) -> None:
    """That ``g`` has a solution means that ``c`` is 5, or that there is one element only: the theorems are true."""
    constant = """(declare-const c Int)(define-fun-rec g ((n Int)) Int (ite (= c 5) 0 (+ 1 (g n))))
(prove (or (= c 5) (and (= c 7) (= (g 0) 0))))"""
    report = forged(constant, {}, [{"function": "c", "args": [], "value": 6}], tmp_path)
    assert not report.accepted and "may restrict the counterexample's values: c" in report.reasons[0]
    sort = """(declare-sort S 0)(declare-datatypes ((B 0)) (((box (open S)))))
(define-fun-rec g ((x B) (y B)) Int (ite (= x y) 0 (+ 1 (g x y))))
(prove (forall ((x B) (y B) (n Int)) (or (= x y) (and (= n 7) (= (g x y) 0)))))"""
    boxes = {n: {"tuple": ["box", element("S", i)]} for i, n in enumerate("xy")}
    report = forged(sort, {**boxes, "n": 6}, [], tmp_path)
    assert not report.accepted and "may restrict the counterexample's values: S" in report.reasons[0]


# -------------------------------------------------------------------------------------- premises that are theorems

NAT = """(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((next a) (next (plus a y))))))
"""
COMMUTES = "(assert (! (forall ((x N) (y N)) (= (plus x y) (plus y x))) :named commutes))"
SAME = f"{NAT}{COMMUTES}(prove (forall ((x N)) (= (plus x x) x)))"


def with_proof(theorem: str, folder: Path) -> tuple[Any, bytes]:
    """Evidence and obligations of the refutation of a theorem whose premises are proved."""
    assert verdict(theorem, folder)["trust_level"] == "L3"
    archive = read_archive(folder / "x.cert")
    return json.loads(archive.evidence), archive.obligations


def test_a_premise_that_is_a_theorem_is_proved_in_the_certificate(tmp_path: Path) -> None:
    evidence, script = with_proof(SAME, tmp_path)
    assert evidence["premises"]["names"] == ["commutes"] and evidence["premises"]["proof"]["steps"]
    again = forge(tmp_path / "y", SAME.encode(), evidence, script=script, claim="counterexample")
    assert check_certificate(again, SAME.encode()).accepted
    assert not forged(SAME, evidence["values"], [], tmp_path).accepted, "without the proof the evaluator cannot tell"


def test_a_premise_that_is_no_theorem_is_not_proved_by_saying_so(tmp_path: Path) -> None:
    evidence, _ = with_proof(SAME, tmp_path)
    false = SAME.replace("(= (plus x y) (plus y x))", "(= (plus x y) (next (plus y x)))")
    for proof in (evidence["premises"]["proof"], {"steps": []}, {"steps": evidence["premises"]["proof"]["steps"][:-1]}):
        claimed = {**evidence, "premises": {"names": ["commutes"], "proof": proof}}
        for theorem in (false, SAME) if proof is not evidence["premises"]["proof"] else (false,):
            certificate = forge(
                tmp_path / "z",
                theorem.encode(),
                claimed,
                script=script_of_counterexample(theorem.encode(), claimed),
                claim="counterexample",
            )
            assert not check_certificate(certificate, theorem.encode()).accepted


@pytest.mark.parametrize("names", [[], ["other"], ["commutes", "commutes"]], ids=str)
def test_the_proved_premises_are_those_of_the_theorem(names: list[str], tmp_path: Path) -> None:
    evidence, script = with_proof(SAME, tmp_path)
    claimed = {**evidence, "premises": {**evidence["premises"], "names": names}}
    certificate = forge(tmp_path / "z", SAME.encode(), claimed, script=script, claim="counterexample")
    assert not check_certificate(certificate, SAME.encode()).accepted


def test_a_premise_is_not_proved_from_definitions_that_may_not_terminate(tmp_path: Path) -> None:
    evidence, script = with_proof(SAME, tmp_path)
    theorem = SAME.replace("(prove", f"{DOWN}(prove").replace(
        "(= (plus x x) x)", "(=> (= (down 0) 0) (= (plus x x) x))"
    )
    certificate = forge(tmp_path / "z", theorem.encode(), evidence, script=script, claim="counterexample")
    assert not check_certificate(certificate, theorem.encode()).accepted
