"""Formulas as mathematicians and proof assistants write them are read as SMT-LIB; what cannot be told is refused."""

from __future__ import annotations

import pytest

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import BOOL, INT, var
from goedels_poetry.smt.notation.formulas import NotRead, in_prefix
from goedels_poetry.smt.notation.text import parse_problem, parse_term

SIGNATURE = parse_problem("""
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x L)) L (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun-rec get ((x L) (i Int)) Int (match x ((nil 0) ((cons h t) (ite (<= i 0) h (get t (- i 1)))))))
(define-fun-rec elem ((a Int) (x L)) Bool (match x ((nil false) ((cons h t) (or (= a h) (elem a t))))))
(prove (forall ((x L)) (= (rev (rev x)) x)))
""").signature
XS, N = var("xs", SIGNATURE.datatypes[0].sort), var("n", INT)


def read(text: str) -> str:
    return show(parse_term(in_prefix(text, SIGNATURE, (), BOOL, closed=True), SIGNATURE, (), BOOL))


@pytest.mark.parametrize(
    "text",
    [
        "∀ a b. len (app a b) = len a + len b",
        "∀ a b, len (app a b) = len a + len b",
        "∀a b.len(app(a,b))=len(a)+len(b)",
        "∀ a, b: len(app(a, b)) = len(a) + len(b)",
        "for all a and b: len(app(a, b)) == len(a) + len(b)",
        "forall a b : L, len (app a b) = len a + len b.",
        "forall (a : L) (b : L), len (app a b) = len a + len b",
        "∀ {a b : L}, len (app a b) = len a + len b",
        "∀ (a b : List Int), len (app a b) = len a + len b",
        "len(app(a, b)) = len(a) + len(b)",
        "(forall ((a L) (b L)) (len (app a b)) = (len a) + (len b))",
        "(forall (a b) (= (len (app a b)) (+ (len a) (len b))))",
        "(= (len (app a b)) (+ (len a) (len b)))",
        "Len(L.app(a, b)) = Len(a) + Len(b)",
    ],
)
def test_one_law_in_the_ways_in_which_it_is_written(text: str) -> None:
    assert read(text) == "(forall ((a L) (b L)) (= (len (app a b)) (+ (len a) (len b))))"


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "∀ x i, 0 ≤ i < len(x) → elem(get(x, i), x)",
            "(forall ((x L) (i Int)) (=> (and (<= 0 i) (< i (len x))) (elem (get x i) x)))",
        ),
        ("∀ n ≥ 1. get [1] n = 0", "(forall ((n Int)) (=> (>= n 1) (= (get (cons 1 nil) n) 0)))"),
        ("∀ m : ℕ, m + 1 > 0", "(forall ((m Int)) (=> (>= m 0) (> (+ m 1) 0)))"),
        ("∀ a, len a = 0 ↔ a = nil", "(forall ((a L)) (= (= (len a) 0) (= a nil)))"),
        (
            "∀ h t. rev (h :: t) = app (rev t) [h]",
            "(forall ((h Int) (t L)) (= (rev (cons h t)) (app (rev t) (cons h nil))))",
        ),
        (
            "a = nil ∨ ∃ h t, a = cons h t",
            "(forall ((a L)) (or (= a nil) (exists ((h Int) (t L)) (= a (cons h t)))))",
        ),
        (
            "¬ elem 1 a ∧ elem 2 a → len a > 0",
            "(forall ((a L)) (=> (and (not (elem 1 a)) (elem 2 a)) (> (len a) 0)))",
        ),
        ("∀ x y, x - y = -(y - x)", "(forall ((x Int) (y Int)) (= (- x y) (- (- y x))))"),
        (
            "∀ a. if a = nil then len a = 0 else len a > 0",
            "(forall ((a L)) (ite (= a nil) (= (len a) 0) (> (len a) 0)))",
        ),
    ],
)
def test_operators_bind_as_they_do_in_mathematics(text: str, formula: str) -> None:
    assert read(text) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("∀ a b : Int, a!=b → a - b + b < a + b", "(=> (distinct a b) (< (+ (- a b) b) (+ a b)))"),
        ("∀ a b : Int, a -1 < b & a - b < 2*a", "(and (< (- a 1) b) (< (- a b) (* 2 a)))"),
        ("∀ a b : Int, elem a [b] = False ∨ a = b ∨ true", "(or (= (elem a (cons b nil)) false) (= a b) true)"),
    ],
)
def test_usual_notation_of_numbers_and_truth_values(text: str, formula: str) -> None:
    wanted = f"(forall ((a Int) (b Int)) {formula})"
    assert read(text) == show(parse_term(wanted, SIGNATURE, (), BOOL))


def test_a_name_that_is_no_function_takes_no_negative_number() -> None:
    assert read("n -1 < n") == "(forall ((n Int)) (< (- n 1) n))"


@pytest.mark.parametrize(
    ("text", "term"),
    [("len(xs) + n - 1", "(- (+ (len xs) n) 1)"), ("n ≥ 0", "(>= n 0)"), ("[1, -2]", "(cons 1 (cons (- 2) nil))")],
)
def test_terms_are_read_over_the_variables_that_are_given(text: str, term: str) -> None:
    assert in_prefix(text, SIGNATURE, (XS, N)) == term


def test_a_term_has_no_other_variables_than_those_that_are_given() -> None:
    with pytest.raises(NotRead, match="there is no m"):
        in_prefix("len xs + m", SIGNATURE, (XS, N))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lenn a ≥ 0", "did you mean len?"),
        ("∀ x. x = x", "the sort of x cannot be told"),
        ("app a = a", "app takes 2 arguments, not 1"),
        ("sum(n) ≥ 0", "there is no sum"),
        ("sorry", "the sort of sorry cannot be told"),
        ("len a ≥ 0 ∧ trivial", "trivial cannot be told"),
        ("∀ a. (len a ≥ 0", "')' was expected"),
        ("(" * 500 + "x", "nested deeper"),
        ("∀ a : Int, 1e5 < a", "'e5' was not expected"),
        ("a = b § c", "means nothing here"),
        ("x" * 7_000, "more than 6000 characters"),
    ],
)
def test_what_cannot_be_told_is_refused_with_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(NotRead) as refused:
        read(text)
    assert words in str(refused.value)
