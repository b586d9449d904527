"""What a theorem of SMT-LIB says as a theorem of Lean: the same, whatever things are called."""

import re

import pytest
from kept_lean import Kept
from translation_cases import NAMES, Random, case, symbol

from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.statement.theory import LeanTheory, translate
from goedels_poetry.lean.statement.vocabulary import WORDS, Names, NotTranslatable

WRITTEN = [n for n in Random._split(NAMES) if not is_theory_symbol(n.strip("|")) and n.strip("|") not in RESERVED]
LIST = "(declare-datatype L ((nil) (cons (head Int) (tail L))))"


def theory(text: str) -> LeanTheory:
    return translate(parse_problem(text), None, text)


async def errors(lean: LeanPool, text: str) -> list[str]:
    seen = await Kept(lean).check(CheckRequest(text, seconds=60))
    assert seen.status == "done", seen.error
    return [f"{m.line}: {m.text}" for m in seen.errors]


def negated(of: LeanTheory) -> str:
    """That not everything that is left open makes the theorem true."""
    binders, _, goal = of.statement.removeprefix("theorem goal").partition(":\n    ")
    if not goal:
        return f"theorem wrong : ¬ ({of.statement.removeprefix('theorem goal :')})"
    return f"theorem wrong : ¬ (∀ {binders.strip()}, {goal})"


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [1, 2, 13])
async def test_random_terms_have_the_same_values_in_lean_as_in_our_evaluator(lean: LeanPool, seed: int) -> None:
    made = case(seed, facts=14)
    assert made.facts >= 12
    assert await errors(lean, made.lean) == []


async def test_a_wrong_value_among_right_ones_is_no_theorem(lean: LeanPool) -> None:
    assert await errors(lean, case(3, facts=3, depth=1, wrong=True).lean) != []


FALSE = {
    "division by zero is not fixed": ("(prove (= (div 1 0) 0))", "have := h (fun _ => 1); simp at this"),
    "remainders by zero are not fixed": ("(prove (= (mod 5 0) 5))", "have := h (fun _ => 1); simp at this"),
    "division by what may be zero is not fixed": (
        "(prove (forall ((x Int)) (=> (= x 0) (= (div x x) 1))))",
        "have := h (fun _ => 0) 0 rfl; simp at this",
    ),
    "a selector of another constructor is not fixed": (
        f"{LIST}(prove (= (head nil) 0))",
        "have := h (fun _ => 1); simp [Smt.head] at this",
    ),
    "a sort may have several elements": (
        "(declare-sort S 0)(prove (forall ((x S) (y S)) (= x y)))",
        "have := h (S := Bool) true false; simp at this",
    ),
    "premises are no stronger than they are": (
        "(declare-const c Int)(assert (< c 5))(prove (< c 4))",
        "have := h 4 (by decide); simp at this",
    ),
    "a declared function may be any": (
        "(declare-fun f (Int) Int)(assert (= (f 0) 0))(prove (= (f 1) 0))",
        "have := h (fun x => x) rfl; simp at this",
    ),
    "division rounds so that remainders are never negative": ("(prove (= (div (- 7) 2) (- 3)))", "revert h; decide"),
    "implications associate to the right": ("(prove (not (=> false true false)))", "revert h; decide"),
    "subtraction associates to the left": ("(prove (= (- 7 2 1) 6))", "revert h; decide"),
    "distinct compares all pairs": ("(prove (distinct 1 2 1))", "revert h; decide"),
    "orders are chained": ("(prove (or (< 1 2 2) (= 1 1 2)))", "revert h; decide"),
    "bits are compared with their sign": ("(prove (bvslt #x7 #x8))", "revert h; decide"),
    "shifts by the width give zero": ("(prove (= (bvshl #x1 #x4) #x1))", "revert h; decide"),
    "an inner binder hides the outer one": (
        "(prove (forall ((x Int)) (=> (= x 0) (forall ((x Int)) (= x 0)))))",
        "have := h 0 rfl 1; simp at this",
    ),
    "names that are bound together do not see each other": (
        "(prove (let ((x 1)) (let ((x 2) (y x)) (= y x))))",
        "revert h; decide",
    ),
    "a remainder by a negative number is not negative": ("(prove (= (mod 7 (- 2)) (- 1)))", "revert h; decide"),
    "bits wrap around": (
        "(prove (forall ((x (_ BitVec 4))) (bvult x (bvadd x #x1))))",
        "have := h 15#4; revert this; decide",
    ),
    "names that come to one in Lean are still two": (
        "(declare-const |\u03b1| Int)(declare-const u3b1 Int)(prove (= |\u03b1| u3b1))",
        "have := h 0 1; simp at this",
    ),
    "a condition on a truth value chooses one branch": (
        "(declare-const b Bool)(prove (= (ite (ite b false true) 1 2) (ite b 1 2)))",
        "have := h true; simp at this",
    ),
    "definitions are equations and no more": (
        f"{LIST}(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons e r) (+ 1 (len r))))))"
        "(prove (forall ((x L)) (< (len x) 2)))",
        "have := h (Smt.L.cons 0 (Smt.L.cons 0 Smt.L.nil)); simp [Smt.len] at this",
    ),
}


@pytest.mark.parametrize("name", FALSE)
async def test_a_false_theorem_is_false_in_lean(lean: LeanPool, name: str) -> None:
    text, tactic = FALSE[name]
    of = theory(text)
    assert await errors(lean, f"{of.header}\n{negated(of)} := by\n  intro h\n  {tactic}\n") == []


TRUE = {
    "sorts are not empty": ("(declare-sort S 0)(prove (exists ((x S)) (= x x)))", "intros; simp"),
    "division by zero is a function of what is divided": (
        "(prove (forall ((x Int) (y Int)) (=> (= x y) (and (= (div x 0) (div y 0)) (= (mod x 0) (mod y 0))))))",
        "intros; simp_all",
    ),
    "a sort and a function may have one name, and bars are no part of one": (
        "(declare-sort S 0)(declare-fun |S| (Int) S)(declare-const |c| Int)(assert (= c 1))(prove (= (S c) (S 1)))",
        "intros; simp_all",
    ),
    "premises that contradict each other prove anything": (
        "(declare-const c Int)(assert (< c 0))(assert (> c 0))(prove (= c 7))",
        "intros; omega",
    ),
    "arrays obey their laws": (
        "(declare-const a (Array Int Int))(prove (forall ((i Int) (j Int))"
        " (= (select (store a i 5) j) (ite (= i j) 5 (select a j)))))",
        "intros; grind",
    ),
    "arrays with the same elements are the same": (
        "(declare-const a (Array Int Bool))(prove (forall ((i Int)) (= (store a i (select a i)) a)))",
        "intro i; exact law_Array_Int_Bool.2.2 _ _ (by grind)",
    ),
    "a function that is not seen to end has its equations": (
        f"{LIST}(define-fun-rec drop ((n Int) (x L)) L"
        " (ite (<= n 0) x (match x ((nil nil) ((cons e r) (drop (- n 1) r))))))"
        "(define-fun-rec odd ((x L)) L (match x ((nil nil) ((cons e r) (cons e (odd (drop 1 r)))))))"
        "(prove (= (odd (cons 1 (cons 2 nil))) (cons 1 nil)))",
        "intros; simp_all [Smt.drop]",
    ),
}


@pytest.mark.parametrize("name", TRUE)
async def test_a_true_theorem_is_true_in_lean(lean: LeanPool, name: str) -> None:
    text, tactic = TRUE[name]
    of = theory(text)
    assert await errors(lean, f"{of.header}\n{of.statement} := by\n  {tactic}\n") == []


def test_different_names_stay_different_and_mean_nothing_to_lean() -> None:
    names = Names()
    qualified, locals_ = [names.qualified(n) for n in WRITTEN], [names.local(n) for n in WRITTEN]
    assert len({*qualified, *locals_}) == 2 * len(WRITTEN)
    assert not WORDS & {*locals_}
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_']*", name) for name in (*qualified, *locals_))


async def test_a_theorem_in_which_everything_is_called_by_words_of_lean_is_read_as_it_stands(lean: LeanPool) -> None:
    plain = [symbol(n) for n in WRITTEN]
    text = "".join(f"(declare-fun {n} (Int) Int)" for n in plain)
    text += f"(assert (and {' '.join(f'(= ({n} {i}) {i})' for i, n in enumerate(plain))}))"
    text += f"(prove (forall (({plain[0]} Int)) (= (+ {' '.join(f'({n} {i})' for i, n in enumerate(plain) if i)}) 0)))"
    of = theory(text)
    seen = await Kept(lean).check(CheckRequest(of.reference, seconds=60, declarations=True))
    assert seen.errors == ()
    assert {d.name for d in seen.declarations} == {"goal"}


async def test_no_text_ends_its_comment(lean: LeanPool) -> None:
    text = "; -/ axiom cheat : False\n; /- \r(set-info :a |axiom cheat2 : False\n-/ axiom cheat3 : False|)(prove true)"
    of = theory(text)
    assert all(line.startswith("--") for line in of.comment.splitlines() if line)
    seen = await Kept(lean).check(CheckRequest(of.reference, seconds=60, declarations=True))
    assert seen.errors == ()
    assert {d.name for d in seen.declarations} == {"goal"}


def test_a_binder_hides_no_function_and_no_sort() -> None:
    of = theory("(declare-sort x 0)(declare-fun f (x) Int)(prove (forall ((f x) (y Int)) (exists ((y Bool)) (= f f))))")
    bound = re.findall(r"[∀∃(] ?\(?(\w+) : ", of.statement)
    assert len(set(bound)) == len(bound)


async def test_a_sort_may_be_called_like_what_our_own_text_speaks_of(lean: LeanPool) -> None:
    text = "(declare-sort whole_1 0)(declare-sort array_1 0)"
    text += "(declare-datatype Classical ((propDecidable) (y (z whole_1))))"
    text += "(define-fun q ((a Int)) Bool (forall ((b array_1)) (= b b)))"
    text += "(prove (forall ((x Classical)) (=> ((_ is y) x) (q 1) (= (z x) (z x)))))"
    assert await errors(lean, theory(text).reference) == []


@pytest.mark.parametrize("sort", ["Real", "String", "(Array Int Real)", "RegLan"])
def test_what_core_lean_has_no_sort_for_is_not_translated(sort: str) -> None:
    with pytest.raises(NotTranslatable, match="has no counterpart"):
        theory(f"(declare-fun f ({sort}) Bool)(declare-const c {sort})(prove (f c))")


def test_a_definition_that_plays_no_part_may_be_of_any_sort() -> None:
    assert "Real" not in theory("(define-fun f ((x Real)) Real (+ x 1.0))(prove true)").header
