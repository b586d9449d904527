"""Goals of Lean as the engine reads them, and what it finds back in Lean: read and judged by a real Lean."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.lean.goals.engine import Engine, Read
from goedels_poetry.lean.goals.facts import Expr, apply, const, joined, opened, telescope
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.tactics.portfolio import Clock
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task
from goedels_poetry.smt.notation.text import parse_term

THEOREMS = Path(__file__).parents[2] / "theorems" / "lean"
X = Expr("free", "x")
TREES = """
inductive Color where
  | red
  | blue
deriving DecidableEq

inductive Tree (α : Type) where
  | leaf
  | node (l : Tree α) (x : α) (r : Tree α)

namespace Tree
def mirror {α : Type} : Tree α → Tree α
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

def map {α β : Type} (f : α → β) : Tree α → Tree β
  | leaf => leaf
  | node l x r => node (l.map f) (f x) (r.map f)

def count (c : Color) : Tree Color → Nat
  | leaf => 0
  | node l x r => (if x = c then 1 else 0) + l.count c + r.count c
end Tree

def other : Color → Color
  | .red => .blue
  | .blue => .red

def zipped : List Nat → List Nat → List (Nat × Nat)
  | x :: l, y :: m => (x, y) :: zipped l m
  | _, _ => []

def below (n : Nat) : Nat := match n with
  | 0 => 0
  | 5 => 100
  | m + 1 => m

def isRed (c : Color) : Prop := c = .red
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """One worker process for all goals of this file."""
    kept = Engine()
    yield kept
    asyncio.run(kept.aclose())


def task_of(statement: str, prefix: str = TREES, functions: tuple[str, ...] = ()) -> Task:
    return Task(prefix, f"theorem goal {statement}", "goal", (), functions)


def ways(lean: LeanPool, engine: Engine, statement: str, prefix: str = TREES) -> tuple[Read, ...]:
    return asyncio.run(engine.ways(lean, task_of(statement, prefix), Clock(60)))


# -- expressions ---------------------------------------------------------------------------------------------------


def test_a_binder_is_opened_with_a_value_and_what_it_applies_is_carried_out_when_that_is_asked_for() -> None:
    function = Expr("lam", "f", (const("Nat"), joined(Expr("bound", number=0), (X,))))
    identity = Expr("lam", "y", (const("Nat"), Expr("bound", number=0)))
    opened_once = opened(function.args[1], identity)
    assert opened_once.args == (identity, X)
    assert apply(opened_once, ()) == X


def test_variables_of_a_type_are_made_free_and_distinct() -> None:
    type_ = Expr("pi", "n", (const("Nat"), Expr("pi", "n", (const("Nat"), Expr("bound", number=1)))))
    variables, rest = telescope(type_)
    assert len({v.name for v, _, _ in variables}) == 2
    assert rest == variables[0][0]


# -- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("statement", "term", "value"),
    [
        ("(c : Color) : other (other c) = c", "(other red)", "blue"),
        (
            "(l : List Nat) : zipped l l = zipped l l",
            "(zipped (cons 1 (cons 2 nil)) (cons 3 nil))",
            "(cons_2 (mk 1 3) nil_2)",
        ),
        ("(n : Nat) : below n = below n", "(+ (below 0) (* 10 (below 5)) (below 4))", "1003"),
        ("(l : List Nat) : l.reverse = l", "(reverse (cons 1 (cons 2 nil)))", "(cons 2 (cons 1 nil))"),
        ("(x : Nat) (l : List Nat) : x ∈ l", "(Mem 2 (cons 1 (cons 2 nil)))", "true"),
        ("(x : Nat) (l : List Nat) : x ∉ l", "(Mem 3 (cons 1 (cons 2 nil)))", "false"),
        ("(n : Nat) : n - 3 = n", "(+ (minus 1 3) (minus 5 3))", "2"),
        ("(n m : Nat) : n / m = n % m", "(+ (quotient 7 0) (* 10 (modulo 7 0)))", "70"),
        (
            "(t : Tree Color) : (t.map other).count .red = t.count .blue",
            "(count red (map (node leaf blue leaf)))",
            "1",
        ),
    ],
)
def test_the_script_has_functions_that_compute_what_the_file_s_do(
    lean: LeanPool, engine: Engine, statement: str, term: str, value: str
) -> None:
    read = next(w for w in ways(lean, engine, statement) if not w.unary or "Nat" not in str(w.reading.types))
    signature = read.problem.signature
    given, wanted = parse_term(term, signature), parse_term(value, signature)
    evaluator = Evaluator(signature, ())
    assert evaluator.value(given, {}) == evaluator.value(wanted, {})


def test_a_type_and_a_function_that_the_goal_is_about_are_declared(lean: LeanPool, engine: Engine) -> None:
    (read,) = ways(lean, engine, "(α : Type) (f : α → α) (t : Tree α) : (t.map f).mirror = t.mirror.map f")
    assert "(declare-sort " in read.reading.text
    assert "(declare-fun f (" in read.reading.text


def test_of_a_type_that_is_not_taken_apart_nothing_is_known_but_its_values(lean: LeanPool, engine: Engine) -> None:
    read, *_ = ways(lean, engine, '(s : String) (c : Char) : s = "a" ∨ s = "b" ∨ s ≠ "a" ∨ c = \'x\'')
    assert len([s for s in read.reading.text.split("\n") if s.startswith("(declare-sort ")]) == 2
    assert len([s for s in read.reading.text.split("\n") if s.startswith("(declare-fun value")]) == 3


def test_a_function_without_a_definition_that_can_be_read_is_any_function(lean: LeanPool, engine: Engine) -> None:
    prefix = f"{TREES}\nopaque hidden : Nat → Nat\npartial def endless (n : Nat) : Nat := endless (n + 1)\n"
    read, *_ = ways(lean, engine, "(t : Tree Nat) (n : Nat) : (t.map hidden).mirror = .leaf ∨ endless n = 0", prefix)
    declared = {s.split()[1] for s in read.reading.text.split("\n") if s.startswith("(declare-fun ")}
    assert declared == {"hidden", "endless"}
    assert "(define-fun-rec map " in read.reading.text


def test_a_theorem_is_not_taken_for_another_constant_with_the_end_of_its_name(lean: LeanPool, engine: Engine) -> None:
    """`Tree.node.inj` is Lean's own."""
    task = Task(f"{TREES}namespace Other\n", "theorem inj (c : Color) : other (other c) = c", "inj")
    (read,) = asyncio.run(engine.ways(lean, task, Clock(60)))
    assert "(other (other c))" in read.reading.text


def test_hypotheses_that_cannot_be_read_are_left_out(lean: LeanPool, engine: Engine) -> None:
    (read,) = ways(lean, engine, "(c : Color) (h : ∀ n (x : Fin n), x = x) : other (other c) = c")
    assert read.reading.dropped == 1


@pytest.mark.parametrize(
    "statement",
    ["(f g : Nat → Nat) : f = g", "(n : Nat) (x : Fin n) : x = x", "(b : (n : Nat) → Fin n) : b = b"],
)
def test_a_goal_about_anything_else_is_not_sent(lean: LeanPool, engine: Engine, statement: str) -> None:
    assert ways(lean, engine, statement) == ()
    assert engine.known(lean, task_of(statement)).reason


def test_a_clock_that_is_stopped_stops_the_parts_that_were_taken_of_it() -> None:
    whole = Clock(1000)
    part = whole.part(500)
    rest = part.part(100)
    part.stop()
    assert part.over
    assert rest.over
    assert not whole.over


# -- answers -------------------------------------------------------------------------------------------------------


def test_a_theorem_that_needs_a_lemma_is_proved_with_it(lean: LeanPool, engine: Engine) -> None:
    prefix = """def turn : List Nat → List Nat
  | [] => []
  | x :: xs => turn xs ++ [x]

"""
    task = task_of("(xs : List Nat) : turn (turn xs) = xs", prefix, ("turn",))
    found = asyncio.run(engine.prove(lean, task, Clock(120)))
    assert found is not None
    assert "goal_lemma_1" in found.helpers
    seen = asyncio.run(check_proof(lean, task, found.proof, found.helpers))
    assert not seen.reason
    assert "sorryAx" not in seen.axioms


def test_a_false_theorem_gives_no_proof_and_values_that_lean_confirms(lean: LeanPool) -> None:
    async def judged() -> dict[str, str]:
        language = LeanLanguage(lean)
        try:
            theorem = await language.read((THEOREMS / "sorting_append_wrong.lean").read_text("utf-8"), {})
            return dict((await language.judge(theorem)).value)
        finally:
            await language.aclose()

    value = asyncio.run(judged())
    assert value["verdict"] == "refuted"
    assert "claim" in value["proof"]


def test_values_that_no_small_search_meets_come_from_the_engine(lean: LeanPool, engine: Engine) -> None:
    prefix = """inductive Shape where
  | a | b | c | d
  | pair (x y : Shape)
deriving DecidableEq

def size : Shape → Nat
  | .pair x y => size x + size y
  | _ => 1

"""
    statement = "(x : Shape) : size x ≠ 2 ∨ x ≠ .pair .d .c"
    task = task_of(statement, prefix, ("size",))
    found = asyncio.run(engine.counterexample(lean, task, Clock(60)))
    assert {0: "(Shape.pair Shape.d Shape.c)"} in found


LISTS = """def joined {α : Type} : List α → List α → List α
  | [], l => l
  | x :: k, l => x :: joined k l

def keep (p : Int) : List Int → List Int
  | [] => []
  | x :: l => if x ≤ p then x :: keep p l else keep p l

def leave (p : Int) : List Int → List Int
  | [] => []
  | x :: l => if p < x then x :: leave p l else leave p l

def times (a : Int) : List Int → Nat
  | [] => 0
  | x :: l => (if a = x then 1 else 0) + times a l

def product : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * product n

def running : Nat → Nat → Nat
  | 0, a => a
  | n + 1, a => running n (a * (n + 1))

"""


@pytest.mark.whole("test_no_lemma_about_what_a_proof_brings_along_is_left_open")
def test_functions_that_a_proof_brings_along_become_definitions_with_names_that_the_file_has_not(
    lean: LeanPool, engine: Engine
) -> None:
    statement = "(p x : Int) (l : List Int) : times x (joined (keep p l) (leave p l)) = times x l"
    prefix = f"{LISTS}def gp_aux_occurrences_List : Nat := 0\n\n"
    task = task_of(statement, prefix, ("joined", "keep", "leave", "times"))
    found = asyncio.run(engine.prove(lean, task, Clock(120)))
    assert found is not None
    assert "noncomputable def gp_auxi_occurrences_List " in found.helpers
    seen = asyncio.run(check_proof(lean, task, found.proof, found.helpers))
    assert not seen.reason
    assert "sorryAx" not in seen.axioms


ROWS = """inductive Count where
  | zero
  | succ (n : Count)

inductive Row (α : Type) where
  | nil
  | cons (x : α) (r : Row α)

variable {α : Type} [DecidableEq α]

def sum : Count → Count → Count
  | .zero, m => m
  | .succ n, m => .succ (sum n m)

def joint : Row α → Row α → Row α
  | .nil, s => s
  | .cons x r, s => .cons x (joint r s)

def size : Row α → Count
  | .nil => .zero
  | .cons _ r => .succ (size r)

"""


@pytest.mark.whole("test_a_theorem_that_needs_a_lemma_is_proved_with_it")
def test_a_lemma_is_stated_without_types_and_functions_that_it_does_not_speak_of(
    lean: LeanPool, engine: Engine
) -> None:
    """`grind` could not use it: nothing would say what they are."""
    task = task_of("(f : α → α) (r s : Row α) : size (joint r s) = sum (size s) (size r)", ROWS, ("sum", "size"))
    found = asyncio.run(engine.prove(lean, task, Clock(120)))
    assert found is not None
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason
    lemmas = [s for s in found.helpers.split("\n") if s.startswith("theorem ")]
    assert lemmas
    assert "α → α" not in found.helpers
    assert ["α" in s for s in lemmas] == ["Row" in s for s in lemmas]


def test_what_holds_of_all_members_of_a_list_is_proved(lean: LeanPool, engine: Engine) -> None:
    prefix = "def largest : List Nat → Nat\n  | [] => 0\n  | x :: l => max x (largest l)\n\n"
    task = task_of("(l : List Nat) : ∀ x ∈ l, x ≤ largest l", prefix, ("largest",))
    found = asyncio.run(engine.prove(lean, task, Clock(120)))
    assert found is not None
    assert "(x ∈ l)" in found.helpers
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


MERGING = """
def merged : List Nat → List Nat → List Nat
  | [], m => m
  | l, [] => l
  | x :: l, y :: m => if x ≤ y then x :: merged l (y :: m) else y :: merged (x :: l) m
termination_by l m => l.length + m.length

def rising : List Nat → Bool
  | x :: y :: l => decide (x ≤ y) && rising (y :: l)
  | _ => true
"""


@pytest.mark.whole("test_numbers_that_are_only_compared_are_integers_first")
def test_lists_are_taken_apart_where_a_function_is_stuck_on_them(lean: LeanPool, engine: Engine) -> None:
    statement = "(l m : List Nat) (hl : rising l = true) (hm : rising m = true) : rising (merged l m) = true"
    task = task_of(statement, MERGING, ("rising", "merged"))
    found = asyncio.run(engine.prove(lean, task, Clock(60)))
    assert found is not None
    assert "cases List" in found.proof + found.helpers
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


def test_numbers_that_are_only_compared_are_integers_first(lean: LeanPool, engine: Engine) -> None:
    first, *_ = ways(lean, engine, "(l : List Nat) (h : rising l = true) : rising (merged l []) = true", MERGING)
    assert not first.unary


def test_no_lemma_about_what_a_proof_brings_along_is_left_open(lean: LeanPool, engine: Engine) -> None:
    """It would have to stand by itself, where nobody knows the function."""
    task = task_of("{α : Type} (l k m : List α) (h : joined k m = joined l m) : k = l", LISTS, ("joined",))
    assert asyncio.run(engine.search(lean, task, Clock(60)))
    assert asyncio.run(engine.prove(lean, task, Clock(60), leave_open=True, once=True)) is None


def test_an_accumulator_is_followed_by_an_induction_with_the_instances_of_the_proof(
    lean: LeanPool, engine: Engine
) -> None:
    task = task_of("(n : Nat) : running n 1 = product n", LISTS, ("running", "product"))
    found = asyncio.run(engine.prove(lean, task, Clock(120)))
    assert found is not None
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


PRODUCTS = """inductive Count where
  | zero
  | succ (n : Count)

def weight : Count → Int
  | .zero => 0
  | .succ n => 1 + weight n

def sum : Count → Count → Count
  | .zero, m => m
  | .succ n, m => sum n (.succ m)

def prod : Count → Count → Count
  | .zero, _ => .zero
  | .succ _, .zero => .zero
  | .succ n, .succ m => sum (.succ n) (sum m (prod n m))

"""


@pytest.mark.whole("test_an_accumulator_is_followed_by_an_induction_with_the_instances_of_the_proof")
def test_a_measure_of_a_product_is_a_product(lean: LeanPool, engine: Engine) -> None:
    """Its cases are simplified first: with the definitions at hand `grind` unfolds the sum without end."""
    task = task_of("(n m : Count) : weight (prod n m) = weight n * weight m", PRODUCTS, ("prod", "weight", "sum"))
    found = asyncio.run(engine.prove(lean, task, Clock(240)))
    assert found is not None
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


EVEN = "def even : Nat → Bool\n  | 0 => true\n  | n + 1 => !even n\n\n"


def test_an_induction_over_several_numbers_back_is_one_of_lean(lean: LeanPool, engine: Engine) -> None:
    task = task_of("(n : Nat) (h : even n = true) : ∃ k, n = k + k", EVEN)
    found = asyncio.run(engine.prove(lean, task, Clock(60)))
    assert found is not None and "Nat.strongRecOn" in found.helpers
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


TIMES = """def plus : Nat → Nat → Nat
  | 0, y => y
  | x + 1, y => plus x (y + 1)

def times : Nat → Nat → Nat
  | 0, _ => 0
  | _, 0 => 0
  | x + 1, y + 1 => plus (x + 1) (plus y (times x y))

"""


def test_a_proof_that_brings_no_functions_along_goes_first(lean: LeanPool, engine: Engine) -> None:
    """With numbers as a datatype the proof counts successors; with integers it is three lines."""
    task = task_of("(x y z : Nat) : times x (times y z) = times (times x y) z", TIMES)
    assert asyncio.run(engine.search(lean, task, Clock(120)))
    known = engine.known(lean, task)
    assert known.plain and [bool(d.auxiliary) for _, d in known.proofs] == sorted(
        bool(d.auxiliary) for _, d in known.proofs
    )
