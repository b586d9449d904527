"""No theorem that holds is refuted, and nothing is refuted on the word of our evaluator alone."""

import random
from pathlib import Path
from typing import Any

import fuzz_refutations as fuzz
import pytest
from drive import verdict
from forge import forge, script_of_counterexample, with_ends

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.smt.portfolio import Solvers
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.refutation.values import random_value, small_values
from goedels_poetry.kernel.terms import Sort
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.search.falsify import counterexample
from goedels_poetry.solvers.limits import Answer

# --------------------------------------------------------------------------------- sorts and functions of one name

BITS = tuple(f"#b{n:02b}" for n in range(4))
BUILDERS = {
    "Bool": ("", "Bool", ("true", "false")),
    "one bit": ("", "(_ BitVec 1)", ("#b0", "#b1")),
    "two bits": ("", "(_ BitVec 2)", BITS),
    "an enumeration": ("(declare-datatypes ((C 0)) (((red) (green))))", "C", ("red", "green")),
    "a constructor called as the sort": ("(declare-datatypes ((C 0)) (((C) (e))))", "C", ("C", "e")),
    "a datatype": ("(declare-datatypes ((C 0)) (((C (x Bool)))))", "C", ("(C true)", "(C false)")),
    "a parametric datatype": (
        "(declare-datatypes ((P 1)) ((par (T) ((P (x T))))))",
        "(P Bool)",
        ("(P true)", "(P false)"),
    ),
}


def theory(declarations: str, inner: str, *, sort: str = "S", build: str = "S", read: str = "f") -> str:
    """Elements of a declared sort are built from values of ``inner``, and read back."""
    return (
        f"{declarations}(declare-sort {sort} 0)(declare-fun {build} ({inner}) {sort})"
        f"(declare-fun {read} ({sort}) {inner})(assert (forall ((z {inner})) (= ({read} ({build} z)) z)))"
    )


@pytest.mark.parametrize("inner", BUILDERS)
@pytest.mark.parametrize("name", ["S", "|a b|", "other"])
def test_what_is_read_of_an_element_is_one_of_all_values(inner: str, name: str, tmp_path: Path) -> None:
    declarations, sort, values = BUILDERS[inner]
    goal = f"(forall ((a {name})) (or {' '.join(f'(= (f a) {v})' for v in values)}))"
    text = theory(declarations, sort, sort=name, build="S" if name == "other" else name)
    assert verdict(f"{text}(prove {goal})", tmp_path)["verdict"] == "proved"


@pytest.mark.parametrize("inner", BUILDERS)
def test_what_is_read_of_an_element_is_any_value(inner: str, tmp_path: Path) -> None:
    declarations, sort, values = BUILDERS[inner]
    found = verdict(f"{theory(declarations, sort)}(prove (forall ((e S)) (= (f e) {values[0]})))", tmp_path)
    assert (found["verdict"], found["trust_level"]) == ("refuted", "L3")


@pytest.mark.parametrize(
    ("inner", "goal"),
    [
        ("String", "(forall ((e S)) (>= (str.len (f e)) 0))"),
        ("Int", "(forall ((e S)) (= (to_int (to_real (f e))) (f e)))"),
        ("Real", "(forall ((e S)) (= (* 2.0 (/ (f e) 2.0)) (f e)))"),
        ("(Array Bool Bool)", "(forall ((e S) (b Bool)) (= (select (store (f e) b b) b) b))"),
        ("S", "(forall ((e S) (x S)) (=> (= (S e) (S x)) (= e x)))"),
    ],
)  # fmt: skip
def test_elements_built_from_other_sorts(inner: str, goal: str, tmp_path: Path) -> None:
    assert verdict(f"{theory('', inner)}(prove {goal})", tmp_path)["verdict"] in ("proved", "unknown")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(declare-sort S 0)(declare-const S S)(prove (forall ((e S)) (= e S)))", "refuted"),
        ("(declare-sort S 0)(declare-const S S)(prove (= S S))", "proved"),
        ("(declare-sort S 0)(declare-const |S!0| S)(declare-const |S!1| S)(prove (= |S!0| |S!1|))", "refuted"),
        ("(declare-sort S 0)(prove (forall ((|S!1| S) (|value!0| S)) (= |S!1| |value!0|)))", "refuted"),
        ("(declare-sort S 0)(declare-fun S (S S) S)(prove (forall ((S S)) (= S S)))", "proved"),
        ("(declare-sort S 0)(declare-fun S (S S) S)(prove (forall ((x S) (y S)) (= (S x y) (S y x))))", "refuted"),
        ("(declare-sort S 0)(declare-sort T 0)(declare-fun S (T) S)(declare-fun T (S) T)"
         "(assert (forall ((x T)) (= (T (S x)) x)))(prove (forall ((x S)) (= (S (T x)) x)))", "refuted"),
        ("(declare-sort S 0)(declare-fun S (Int) S)(declare-fun f (S) Int)(declare-fun g (S) Bool)"
         "(assert (forall ((n Int)) (= (f (S n)) n)))(assert (forall ((n Int)) (= (g (S n)) (> n 0))))"
         "(prove (forall ((e S)) (=> (g e) (> (f e) 0))))", "refuted"),
        ("(declare-sort S 0)(declare-const a S)(declare-const b S)(declare-fun f (S) Int)(assert (= (f a) 1))"
         "(assert (= (f b) 2))(prove (= a b))", "refuted"),
    ],
)  # fmt: skip
def test_names_that_clash(text: str, wanted: str, tmp_path: Path) -> None:
    assert verdict(text, tmp_path)["verdict"] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "(prove (forall ((x (_ BitVec 2))) (exists ((y (_ BitVec 2))) (bvult x y))))",
        "(declare-fun f (Bool) Int)(prove (forall ((x Int)) (exists ((y Bool)) (= (f y) x))))",
        "(define-fun all ((n Int)) Bool (forall ((b Bool)) (=> b (> n 2))))(prove (forall ((n Int)) (all n)))",
        "(define-fun some ((n Int)) Bool (exists ((k Int)) (= n (* 2 k))))(prove (forall ((n Int)) (not (some n))))",
        "(prove (forall ((x Int)) (not (forall ((x Bool)) (or x (not x))))))",
        "(declare-const c Int)(assert (exists ((k Int)) (= (+ k c) 3)))(prove (= c 3))",
        "(declare-datatypes ((P 1)) ((par (T) ((P (x T))))))(declare-sort Q 0)"
        "(prove (forall ((a (P Q)) (b (P Q))) (= a b)))",
        "(declare-sort S 0)(prove (forall ((a (Array Int S)) (b (Array Int S))) (= a b)))",
        '(prove (forall ((s String) (t String)) (= (str.++ s t) (str.++ t s))))',
    ],
)  # fmt: skip
def test_quantifiers_and_sorts_of_what_is_refuted(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert found["verdict"] == "refuted" and found["trust_level"] in ("L2", "L3")


# ------------------------------------------------------------------------------------------- a solver has to confirm

ELEMENTS = "(declare-sort S 0)(declare-fun f (S) Int)(prove (forall ((a S) (b S)) (= (f a) (f b))))"


@pytest.mark.parametrize("status", ["unknown", "error", "sat"])
def test_what_no_solver_confirms_is_not_refuted(status: Any, monkeypatch: Any, tmp_path: Path) -> None:
    assert verdict(ELEMENTS, tmp_path / "before")["verdict"] == "refuted"
    for way in ("refutes", "confirms"):
        monkeypatch.setattr(Solvers, way, lambda *_, **__: Answer(status, "why not"))
    found = verdict(ELEMENTS, tmp_path / "after")
    assert found["verdict"] == "unknown" and found["path"] is None
    wanted = "contradicts the evaluation" if status == "sat" else f"no solver decides it ({status} why not"
    assert wanted in found["reason"]


def test_values_that_do_not_go_together_are_no_counterexample(monkeypatch: Any, tmp_path: Path) -> None:
    """A solver that says ``unsat`` to everything has said nothing of the values."""
    for way in ("refutes", "confirms"):
        monkeypatch.setattr(Solvers, way, lambda *_, **__: Answer("unsat"))
    assert "contradicts the evaluation" in verdict(ELEMENTS, tmp_path)["reason"]


def test_the_script_rests_on_no_value_that_was_computed(tmp_path: Path) -> None:
    """It has the equations of the definitions at the values, and these are true whatever our evaluator does."""
    definition = "(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))"
    text = f"{definition}(prove (forall ((n Int)) (< (sum n) 6)))"
    evidence = with_ends(text.encode(), {"values": {"n": 3}, "table": []})
    script = script_of_counterexample(text.encode(), evidence).decode()
    assert script.count("(assert (= (u.sum") == 4 and "(assert (= (u.sum 3) 6))" not in script
    certificate = forge(tmp_path / "x", text.encode(), evidence, script=script.encode(), claim="counterexample")
    assert check_certificate(certificate, text.encode()).verdict is Verdict.REFUTED


# ------------------------------------------------------------------------------------------------ runs that ended


def test_a_bit_vector_of_one_bit_has_two_values(tmp_path: Path) -> None:
    text = """(declare-datatypes ((L 0)) (((nil) (cons (hd (_ BitVec 1)) (tl L)))))
(define-fun-rec all ((l L)) Bool (match l ((nil true) ((cons h t) (and (= h #b1) (all t))))))
(define-fun-rec len ((l L)) Int (match l ((nil 0) ((cons h t) (+ 1 (len t))))))
(prove (forall ((l L)) (=> (all l) (< (len l) 5))))"""
    assert verdict(text, tmp_path)["verdict"] == "refuted"


def test_a_variable_of_a_premise_that_its_left_side_does_not_mention(tmp_path: Path) -> None:
    text = "(declare-fun f (Int) Int)(assert (forall ((x Int) (y Bool)) (= (f x) (+ x 1))))(prove (= (f 2) {}))"
    assert verdict(text.format(4), tmp_path / "4")["verdict"] == "refuted"
    assert verdict(text.format(3), tmp_path / "3")["verdict"] == "proved"


@pytest.mark.parametrize("language", ["re.allchar", "re.all", "re.none"])
def test_regular_languages_without_arguments(language: str, tmp_path: Path) -> None:
    text = f'(prove (forall ((s String)) (=> (str.in_re s {language}) (= s "a"))))'
    assert verdict(text, tmp_path)["verdict"] in ("proved", "refuted", "unknown")


@pytest.mark.parametrize("field", ["(Array Int T)", "(Array Int (Array Bool T))"])
def test_values_of_a_datatype_that_holds_arrays_of_itself(field: str) -> None:
    problem = parse_problem(
        f"(declare-datatypes ((T 0)) (((leaf) (node (sub {field})))))(prove (forall ((t T)) (= t leaf)))"
    )
    values = small_values(problem.signature, Sort("T"), 5)
    assert len(set(values)) == len(values) > 1
    source = random.Random(0)
    assert len({random_value(problem.signature, Sort("T"), 5, source) for _ in range(50)}) > 3
    assert (counterexample(problem, 0) is None) is ("Bool" in field)  # of a finite index equality is not computed


def test_small_values_of_datatypes_with_texts_are_made_whatever_the_size():
    declared = "(declare-datatype T ((end) (more (text String) (real Real) (bits (_ BitVec 3)) (rest T))))"
    problem = parse_problem(f"{declared}(prove true)")
    source = random.Random(1)
    for size in range(-3, 4):
        assert len({random_value(problem.signature, Sort("T"), size, source) for _ in range(20)}) >= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(declare-datatype E ((mk (e (Array E Int)))))", "no finite values"),
        ("(declare-datatypes ((A 0) (B 0)) (((a (b B))) ((bb (i (Array A Int))))))", "no finite values"),
        ("(declare-datatype E ((leaf) (mk (e (Array E Int)))))", "indexed by itself"),
        ("(declare-datatypes ((A 0) (B 0)) (((a (b B)) (al)) ((bb (i (Array A Int))))))", "indexed by itself"),
    ],
)
def test_a_datatype_that_is_the_index_of_its_own_arrays(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as raised:
        parse_problem(f"{text}(prove true)")
    assert raised.value.line == 1 and raised.value.column


# -------------------------------------------------------------------------------------------------------- at random


def test_random_theorems_of_known_truth() -> None:
    found = [(theorem, fuzz.verdict(theorem.text)) for theorem in fuzz.theorems(16, 7)]
    assert [theorem.text for theorem, verdict in found if fuzz.is_wrong(theorem, verdict)] == []
    assert sum(verdict == "refuted" for _, verdict in found) >= 4
