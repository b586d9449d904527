"""Lemmas that nobody stated: terms, values, conjectures, and proofs that rest on them; with the real Lean."""

import asyncio

import pytest

from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import CheckRequest
from goedels_poetry.languages.lean.symbolic.explore import discover, prove_by_lemmas
from goedels_poetry.languages.lean.symbolic.orders import greater, ranks
from goedels_poetry.languages.lean.symbolic.terms import read_term, show
from goedels_poetry.languages.lean.symbolic.theory import theory_of
from goedels_poetry.languages.lean.symbolic.types import NotSimple
from goedels_poetry.languages.lean.symbolic.values import Evaluator, NoValue, read_equation
from goedels_poetry.languages.lean.task import Task

TURN = """inductive Row (α : Type) where
  | none : Row α
  | more : α → Row α → Row α
namespace Row
def join {α : Type} : Row α → Row α → Row α
  | none, b => b
  | more x a, b => more x (join a b)
def turn {α : Type} : Row α → Row α
  | none => none
  | more x a => join (turn a) (more x none)
end Row

"""
PILE = """def pile : List Nat → Nat
  | [] => 0
  | x :: xs => 2 * x + pile xs
def pileOn : List Nat → Nat → Nat
  | [], n => n
  | x :: xs, n => pileOn xs (n + 2 * x)

"""

PEAK = """def peak (m : Nat) (xs : List Nat) : Nat :=
  match xs with
  | [] => m
  | x :: rest => peak (if x > m then x else m) rest

"""

TIDY = """def put (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: put x ys
def tidy : List Nat → List Nat
  | [] => []
  | x :: xs => put x (tidy xs)
def Tidy : List Nat → Prop
  | [] => True
  | x :: xs => (∀ y ∈ xs, x ≤ y) ∧ Tidy xs

"""


def equations(*texts: str) -> dict:
    found: dict = {}
    for text in texts:
        name, equation = read_equation(read_term(text))
        found.setdefault(name, []).append(equation)
    return found


DOUBLE = equations(
    "Eq (double 0) 0",
    "∀ (n : Nat), Eq (double (Nat.succ n)) (HAdd.hAdd (double n) 2)",
)


def test_a_term_is_read_as_lean_prints_it_and_shown_as_people_write_it() -> None:
    read = read_term(
        "∀ (xs : List Nat), Eq (HAppend.hAppend xs (List.cons 1 List.nil)) (f (fun x => HAdd.hAdd x 1) xs)"
    )
    assert show(read) == "∀ (xs : List Nat), (xs ++ (1 :: [])) = (f (fun x => x + 1) xs)"


@pytest.mark.parametrize("text", ["f (", "f x)", '"text"', "@f Nat", "⋯"])
def test_what_the_trees_do_not_have_is_refused(text: str) -> None:
    with pytest.raises(NotSimple):
        read_term(text)


def test_a_value_is_computed_from_the_defining_equations() -> None:
    evaluator = Evaluator({}, DOUBLE)
    assert evaluator.value(read_term("HMul.hMul (double n) 3"), {"n": 7}) == 42


def test_a_recursion_without_end_has_no_value() -> None:
    evaluator = Evaluator({}, equations("∀ (n : Nat), Eq (f n) (f (HAdd.hAdd n 1))"))
    with pytest.raises(NoValue):
        evaluator.value(read_term("f 0"), {})


def test_a_number_that_would_fill_the_memory_has_no_value() -> None:
    with pytest.raises(NoValue):
        Evaluator({}, {}).value(read_term("HPow.hPow 2 (HPow.hPow 2 (HPow.hPow 2 30))"), {})


def test_an_equation_rewrites_towards_the_functions_that_others_are_defined_by() -> None:
    defined = equations("∀ (x y : A), Eq (outer (more x y)) (inner (outer y) x)")
    rank = ranks(["inner", "outer"], defined)
    left, right = read_term("outer (inner a b)"), read_term("inner (outer b) (outer a)")
    free = frozenset({"a", "b"})
    assert greater(left, right, free, rank)
    assert not greater(right, left, free, rank)


def proved(lean: LeanPool, task: Task, seconds: float = 60.0) -> str:
    """The whole text of a proof, which Lean accepts without any axiom beyond its logic's."""
    found = asyncio.run(prove_by_lemmas(lean, task, seconds=seconds))
    assert found is not None
    text = "\n" + task.code(found.proof, found.helpers)
    result = asyncio.run(lean.check(CheckRequest(text, prefix=task.prefix, declarations=True)))
    assert result.ok
    used = {a for d in result.declarations if d.name == task.name for a in d.axioms}
    assert used <= {"propext", "Classical.choice", "Quot.sound"}
    return text


def test_an_accumulator_is_generalised_and_its_closed_form_found(lean: LeanPool) -> None:
    task = Task(PILE, "theorem pileOn_zero (xs : List Nat) : pileOn xs 0 = pile xs", "pileOn_zero")
    assert "theorem pileOn_zero_aux_" in proved(lean, task)


@pytest.mark.whole("test_an_accumulator_is_generalised_and_its_closed_form_found")
def test_reversing_twice_is_proved_by_a_lemma_about_an_own_list_type(lean: LeanPool) -> None:
    task = Task(TURN, "theorem twice {α : Type} (a : Row α) : a.turn.turn = a", "twice")
    assert "Row.turn (Row.join" in proved(lean, task)


@pytest.mark.whole("lean/test_portfolio.py::test_what_is_false_gets_no_proof")
def test_no_lemma_makes_a_false_theorem_provable(lean: LeanPool) -> None:
    task = Task(PILE, "theorem wrong (xs : List Nat) : pileOn xs 1 = pile xs", "wrong")
    assert asyncio.run(prove_by_lemmas(lean, task, seconds=2)) is None


def test_discovered_statements_are_read_by_lean_and_none_is_about_nothing(lean: LeanPool) -> None:
    task = Task(PILE, "theorem pileOn_zero (xs : List Nat) : pileOn xs 0 = pile xs", "pileOn_zero")
    found = asyncio.run(discover(lean, task, seconds=30))
    assert any("pileOn xs m" in lemma.statement for lemma in found)
    code = "".join(f"example : {lemma.statement} := by sorry\n" for lemma in found)
    assert asyncio.run(lean.check(CheckRequest(code, prefix=PILE))).ok


@pytest.mark.whole("test_an_accumulator_is_generalised_and_its_closed_form_found")
def test_a_bound_of_a_function_is_found_for_a_goal_about_the_elements_of_a_list(lean: LeanPool) -> None:
    task = Task(PEAK, "theorem below (m : Nat) (xs : List Nat) : ∀ y ∈ xs, y ≤ peak m xs", "below")
    assert "(m : Nat) (xs : List Nat) : m ≤ (peak m xs)" in proved(lean, task)


def test_a_goal_that_is_a_proposition_is_no_lemma_for_itself(lean: LeanPool) -> None:
    task = Task(TIDY, "theorem tidied (xs : List Nat) : Tidy (tidy xs)", "tidied")
    found = {lemma.statement for lemma in asyncio.run(discover(lean, task, seconds=30))}
    assert "∀ (m : Nat) (xs : List Nat), (Tidy (put m xs)) ↔ (Tidy xs)" in found
    assert "∀ (xs : List Nat), Tidy (tidy xs)" not in found


@pytest.mark.whole("test_an_accumulator_is_generalised_and_its_closed_form_found")
def test_a_sum_of_integers_is_taken_out_of_an_accumulator(lean: LeanPool) -> None:
    prefix = PILE.replace("Nat", "Int")
    task = Task(prefix, "theorem pileOn_zero (xs : List Int) : pileOn xs 0 = pile xs", "pileOn_zero")
    assert "theorem pileOn_zero_aux_" in proved(lean, task)


def test_a_definition_whose_name_the_library_has_too_is_called_by_its_full_name(lean: LeanPool) -> None:
    prefix = "def insert (x : Nat) (xs : List Nat) : List Nat := x :: xs\ndef put (x : Nat) : List Nat := [x]\n\n"
    theory = asyncio.run(theory_of(lean, prefix, 30))
    assert [theory.written(name) for name in ("insert", "put")] == ["_root_.insert", "put"]
