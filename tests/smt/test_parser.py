"""SMT-LIB is read, premises are judged, and what a model is shown of them."""

from pathlib import Path

import pytest
from drive import verdict
from named_texts import tables

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.terms import Kind, var
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs import symbolic
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.smt.search.checks import check_problem

TABLES = tables(__file__)

LISTS = "(declare-datatypes ((list 0)) (((nil) (cons (head Int) (tail list)))))"
NATS = "(declare-datatypes ((Nat 0)) (((Z) (S (p Nat)))))"


def goal_of(text: str) -> str:
    return show(parse_problem(text).goal)


def message_of(text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        parse_problem(text)
    return str(caught.value)


def body_of(problem: Problem, name: str) -> str:
    definition = problem.signature.definition(name)
    assert definition is not None
    return show(definition.body)


# --------------------------------------------------------------------------------------------- the goal


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("(assert false)(prove true)", "prove"),
        ("(assert false)(assert-not true)", "assert-not"),
        ("(assert false)(assert (not true))(check-sat)", "assert (not ...)"),
        ("(assert false)(assert (! (not true) :named goal))(check-sat)(get-unsat-core)(exit)", "assert (not ...)"),
    ],
)
def test_the_three_ways_to_mark_a_goal(text: str, marker: str) -> None:
    problem = parse_problem(text)
    assert (show(problem.goal), problem.goal_marker) == ("true", marker)
    assert [show(p.formula) for p in problem.premises] == ["false"]


def test_the_last_negated_assertion_is_the_goal() -> None:
    problem = parse_problem("(declare-const a Bool)(assert (not a))\n(assert (not (not a)))(assert a)")
    assert show(problem.goal) == "(not a)"
    assert problem.goal_line == 2
    assert [show(p.formula) for p in problem.premises] == ["(not a)", "a"]


def test_with_prove_negated_assertions_are_premises() -> None:
    problem = parse_problem("(declare-const a Bool)(prove a)(assert (not (not a)))")
    assert show(problem.goal) == "a"
    assert len(problem.premises) == 1


def test_unused_symbols_are_reported() -> None:
    problem = parse_problem("(declare-const m Int)(declare-const n Int)(prove (= n n))")
    assert problem.warnings == ("`m` is declared but appears nowhere",)


def test_the_digest_is_of_the_bytes() -> None:
    assert parse_problem("(prove true)").source_sha256 == parse_problem(b"(prove true)").source_sha256
    assert parse_problem("(prove true)").source_sha256 != parse_problem("(prove true) ").source_sha256


# ----------------------------------------------------------------------------------------------- typing


@pytest.mark.parametrize(("script", "message"), TABLES["test_messages_name_the_place_and_the_mistake"])
def test_messages_name_the_place_and_the_mistake(script: str, message: str) -> None:
    assert message in message_of(script)


@pytest.mark.parametrize(("term", "shown"), TABLES["test_terms_are_read_as_they_mean"])
def test_terms_are_read_as_they_mean(term: str, shown: str) -> None:
    assert goal_of(f"(prove {term})") == shown


def test_terms_over_a_signature_with_free_variables() -> None:
    signature = parse_problem(LISTS + "(prove true)").signature
    xs = var("xs", next(iter(signature.datatypes)).sort)
    assert show(parse_term("(cons 1 xs)", signature, (xs,))) == "(cons 1 xs)"
    with pytest.raises(InvalidInput):
        parse_term("(cons 1 ys)", signature, (xs,))
    with pytest.raises(InvalidInput):
        parse_term("xs", signature, (xs,), next(iter(signature.datatypes)).constructors[1].fields[0][1])


# ------------------------------------------------------------------------------------------------ match


def match_goal(cases: str, subject: str = "x") -> str:
    return goal_of(f"{LISTS}{NATS}(declare-const x list)(declare-const n Nat)(prove (match {subject} ({cases})))")


def match_error(cases: str, subject: str = "x") -> str:
    return message_of(f"{LISTS}{NATS}(declare-const x list)(declare-const n Nat)(prove (match {subject} ({cases})))")


def test_the_last_constructor_needs_no_tester() -> None:
    assert match_goal("(nil true) ((cons y ys) (= y 1))") == "(ite ((_ is nil) x) true (= (head x) 1))"
    assert match_goal("((cons y ys) (= y 1)) (nil true)") == "(ite ((_ is cons) x) (= (head x) 1) true)"


def test_wildcards_and_variables() -> None:
    assert match_goal("(nil true) (_ false)") == "(ite ((_ is nil) x) true false)"
    assert match_goal("(nil true) (other (= other nil))") == "(ite ((_ is nil) x) true (= x nil))"
    assert match_goal("(y (= y x))") == "(= x x)"
    assert match_goal("((cons _ _) false) (nil true)") == "(ite ((_ is cons) x) false true)"


def test_nested_patterns() -> None:
    shown = match_goal("(Z true) ((S Z) false) ((S (S m)) (= m Z))", "n")
    assert shown == "(ite ((_ is Z) n) true (ite ((_ is Z) (p n)) false (= (p (p n)) Z)))"


def test_nested_patterns_fall_through_to_later_cases() -> None:
    shown = match_goal("((S (S m)) (= m n)) (other (= other Z))", "n")
    assert shown == "(ite ((_ is S) n) (ite ((_ is S) (p n)) (= (p (p n)) n) (= n Z)) (= n Z))"


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("(nil true)", "does not cover constructor `cons`"),
        ("(nil true) (nil false) ((cons y ys) true)", "no value reaches this case"),
        ("((cons y) true) (nil true)", "constructor `cons` has 2 fields, the pattern 1"),
        ("((cons y y) true) (nil true)", "stands twice"),
        ("(Z true) (_ true)", "constructor of another sort"),
        ("(nil true) ((cons y ys) 1)", "the cases of match have different sorts"),
        ("((cons 1 ys) true) (_ true)", "a variable was expected in this pattern"),
    ],
)
def test_faulty_matches(cases: str, message: str) -> None:
    assert message in match_error(cases)


def test_match_needs_a_datatype() -> None:
    assert "match needs a term of a datatype, got Int" in match_error("(y true)", "1")


# ------------------------------------------------------------------------------------------ definitions

EVEN_ODD = f"""{NATS}
(define-funs-rec ((even ((x Nat)) Bool) (odd ((x Nat)) Bool) (zero ((x Nat)) Bool))
  ((match x ((Z true) ((S y) (odd y)))) (match x ((Z false) ((S y) (even y)))) ((_ is Z) x)))
(define-fun both ((x Nat)) Bool (and (even x) (odd x)))
(prove true)"""


def test_groups_follow_the_calls() -> None:
    signature = parse_problem(EVEN_ODD).signature
    groups = {d.name: (d.group, d.recursive) for d in signature.definitions}
    assert groups["even"] == groups["odd"]
    assert groups["even"][1] and not groups["zero"][1] and not groups["both"][1]
    assert groups["both"][0] > groups["even"][0]


def test_define_const_and_define_sort() -> None:
    problem = parse_problem(
        "(define-sort Pair (A) (Array A A))(define-sort I () Int)(define-const c I 3)"
        "(declare-const a (Pair I))(prove (= (select a c) c))"
    )
    assert body_of(problem, "c") == "3"
    assert show_sort(problem.signature.functions["a"][1]) == "(Array Int Int)"


# ----------------------------------------------------------------------------------------- polymorphism

POLY_LIST = "(declare-datatypes ((List 1)) ((par (a) ((nil) (cons (head a) (tail (List a)))))))"


def test_one_instance_keeps_its_names() -> None:
    problem = parse_problem(POLY_LIST + "(prove (forall ((x (List Int))) (= (cons 1 x) (cons 1 (as nil (List Int))))))")
    assert show(problem.goal) == "(forall ((x List_Int)) (= (cons 1 x) (cons 1 nil)))"


def test_instances_are_apart() -> None:
    problem = parse_problem(
        POLY_LIST + "(declare-const x (List Int))(declare-const y (List Bool))"
        "(prove (and (= (head x) 1) (head y) ((_ is cons) y) (is-nil y) (match y ((nil true) ((cons b _) b)))))"
    )
    assert show(problem.goal) == (
        "(and (= (head x) 1) (head_Bool y) ((_ is cons_Bool) y) ((_ is nil_Bool) y)"
        " (ite ((_ is nil_Bool) y) true (head_Bool y)))"
    )


@pytest.mark.parametrize(
    "term",
    [
        "(= x nil)",
        "(= nil x)",
        "(= (cons 1 nil) x)",
        "(= (cons 1 (cons 2 nil)) x)",
        "(= x (ite true nil (cons 1 nil)))",
        "(= x ((as cons (List Int)) 1 nil))",
        "(= x (_ nil Int))",
        "(= (cons (cons 1 nil) nil) (as nil (List (List Int))))",
        "(f nil)",
    ],
)
def test_sorts_are_inferred_from_the_context(term: str) -> None:
    parse_problem(f"{POLY_LIST}(declare-const x (List Int))(declare-fun f ((List Int)) Bool)(prove {term})")


def test_what_the_context_does_not_tell_is_asked_for() -> None:
    assert "write (as nil SORT)" in message_of(POLY_LIST + "(prove (= nil nil))")


def test_a_deep_polymorphic_list_is_read_in_linear_time() -> None:
    deep = "(cons 1 " * 200 + "nil" + ")" * 200
    parse_problem(f"{POLY_LIST}(prove (= {deep} {deep}))")
    nested = "(cons nil " * 200 + "nil" + ")" * 200
    assert "(as nil SORT)" in message_of(f"{POLY_LIST}(prove (= {nested} {nested}))")


POLY_APPEND = """(define-fun-rec (par (a) (app ((x (List a)) (y (List a))) (List a)
  (match x ((nil y) ((cons h t) (cons h (app t y))))))))"""


def test_polymorphic_functions_are_made_at_the_sorts_in_use() -> None:
    problem = parse_problem(
        POLY_LIST + POLY_APPEND + "(prove (forall ((x (List Int)) (y (List (List Int))))"
        " (and (= (app x x) x) (= (app y (cons x (_ nil (List Int)))) y))))"
    )
    assert [d.name for d in problem.signature.definitions] == ["app", "app_List_Int"]
    assert [show_sort(d.sort) for d in problem.signature.datatypes] == ["List_Int", "List_List_Int"]


def test_a_polymorphic_goal_is_about_arbitrary_sorts() -> None:
    problem = parse_problem(POLY_LIST + POLY_APPEND + "(prove (par (a) (forall ((x (List a))) (= (app x nil) x))))")
    (arbitrary,) = problem.signature.sorts
    assert problem.goal.kind is Kind.FORALL
    assert show_sort(problem.goal.binders[0].sort) == f"List_{show_sort(arbitrary)}"


def test_the_newer_and_the_older_form_of_polymorphism() -> None:
    newer = "(define-fun-rec len (par (a) (((x (List a))) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))))"
    older = "(declare-datatypes (a) ((Tree (leaf) (node (left Tree) (value a) (right Tree)))))"
    parse_problem(POLY_LIST + newer + "(prove (forall ((x (List Int))) (>= (len x) 0)))")
    message = message_of(older + "(declare-const t (Tree Int))(prove true)")
    assert "sort `Tree` takes 1 argument, got 0" in message  # as in SMT-LIB 2.6, the sort needs its argument


TIP_OLDER = """
(declare-datatypes (a b) ((pair (pair2 (proj1-pair a) (proj2-pair b)))))
(declare-datatypes (a) ((list (nil) (cons (head a) (tail (list a))))))
(declare-datatypes () ((Nat (Z) (S (proj1-S Nat)))))
(define-fun-rec (par (a b) (zip ((x (list a)) (y (list b))) (list (pair a b))
  (match x (case nil (_ nil (pair a b)))
           (case (cons z x2) (match y (case (cons x3 x4) (cons (pair2 z x3) (zip x2 x4))) (case default nil)))))))
(define-funs-rec ((par (a) (len ((x (list a))) Nat))) ((match x (case nil Z) (case (cons y xs) (S (len xs))))))
(assert-not (par (a b) (forall ((xs (list a)) (ys (list b)))
  (=> (= (len xs) (len ys)) (= (len (zip xs ys)) (len xs))))))
(check-sat)"""

TIP_NEWER = """
(declare-datatype list (par (a) ((nil) (cons (head a) (tail (list a))))))
(declare-datatype Nat ((Z) (S (proj1-S Nat))))
(define-fun-rec take (par (a) (((x Nat) (y (list a))) (list a)))
  (match x ((Z (_ nil a)) ((S z) (match y ((nil (_ nil a)) ((cons x2 x3) (cons x2 (take z x3)))))))))
(prove (par (a) (forall ((n Nat) (xs (list a))) (= (take n (take n xs)) (take n xs)))))"""


@pytest.mark.parametrize("text", [TIP_OLDER, TIP_NEWER])
def test_files_of_the_tip_collection_in_both_of_its_formats(text: str) -> None:
    problem = parse_problem(text)
    assert problem.signature.definitions
    assert problem.goal.kind is Kind.FORALL


def test_function_sorts_are_refused_clearly() -> None:
    assert "function sorts are not supported" in message_of("(declare-const f (=> Int Int))(prove true)")


def test_polymorphic_recursion_ends() -> None:
    nested = "(declare-datatypes ((Nest 1) (P 1)) ((par (a) ((end) (more (x a) (rest (Nest (P a))))))"
    assert "instances" in message_of(
        nested + " (par (b) ((pair (l b) (r b))))))(declare-const n (Nest Int))(prove true)"
    )


def test_mutual_parametric_datatypes() -> None:
    problem = parse_problem(
        "(declare-datatypes ((Tree 1) (Forest 1)) ((par (a) ((node (value a) (children (Forest a)))))"
        " (par (a) ((none) (some (first (Tree a)) (others (Forest a)))))))"
        "(declare-const t (Tree Int))(prove (= (value t) 1))"
    )
    assert len({d.group for d in problem.signature.datatypes}) == 1


def test_polymorphic_assumptions_are_refused() -> None:
    message_of(POLY_LIST + "(assert (par (a) (forall ((x (List a))) (= x x))))(prove true)")
    message_of("(declare-fun (par (a) (f (a) a)))(prove true)")


HELPED_BY_A_PREMISE = """
(declare-fun smaller (Int) Int)
(assert (forall ((n Int)) (=> (> n 0) (and (<= 0 (smaller n)) (< (smaller n) n)))))
(define-fun-rec down ((n Int)) Int (ite (<= n 0) 0 (down (smaller n))))
(prove (= (down 0) 0))
"""


def test_a_premise_must_not_help_a_definition_into_existence() -> None:
    context = ProverContext(parse_problem(HELPED_BY_A_PREMISE))
    try:
        found = check_problem(context)
    finally:
        context.close()
    assert found.verdict == "unknown"
    assert "not shown to be well-founded: down" in found.reason


MORTAL = """(declare-sort Being 0)
(declare-fun human (Being) Bool) (declare-fun mortal (Being) Bool) (declare-const s Being)
(assert (human s)) (assert (! (forall ((x Being)) ; "all" of them
    (=> (human x) (mortal x))) :named all-die))
(assert (forall ((x Being)) (or (human x) (not (human x)))))
{}
"""
PROVE = MORTAL.format("(prove (mortal s))")
NEGATED = MORTAL.format("(assert (not (mortal s)))")
NEEDED = ["premise-1 (line 3): (human s)", "all-die (line 3): (forall ((x Being)) (=> (human x) (mortal x)))"]


def test_the_premises_that_a_proof_needs_with_line_and_text(tmp_path: Path) -> None:
    for place, text in enumerate((PROVE, NEGATED)):
        found = verdict(text, tmp_path / str(place))
        assert found["verdict"] == "proved"
        assert found["details"]["needed"] == NEEDED


def test_those_that_contradict_each_other_and_a_definition(tmp_path: Path) -> None:
    text = """(declare-fun map (Int) Int)
(assert (! (= (map 1) 5) :named one))
(assert (let ((y 6)) (= (map 1) y)))
(prove (= (map 2) 0))"""
    wanted = ["one (line 2): (= (map 1) 5)", "premise-2 (line 3): (= (map 1) 6)"]
    assert symbolic.judge({"theorem": text, "statement": ""})["value"]["core"] == wanted
    found = verdict(text, tmp_path)
    assert (found["verdict"], found["details"]["core"]) == ("inconsistent", wanted)
