"""Arithmetic in core Lean: bounds of what grows, sequences far along, predicates of the file."""

import pytest

from goedels_poetry.lean.arithmetic.predicates import weaker
from goedels_poetry.lean.arithmetic.problem import Arithmetic, read
from goedels_poetry.lean.arithmetic.roots import intervals
from goedels_poetry.lean.runtime.pool import LeanPool
from tests.support.lean_attempts import refuted, shown

ODD = "def Odd (n : Nat) : Prop := ∃ k, n = 2 * k + 1\n\n"
FACT = "def fact : Nat → Nat\n  | 0 => 1\n  | n + 1 => (n + 1) * fact n\n\n"
DIVISORS = "def Prime (p : Nat) : Prop := 2 ≤ p ∧ ∀ m, m ∣ p → m = 1 ∨ m = p\n\n"
PRODUCTS = "def Prime (p : Nat) : Prop := p > 1 ∧ ∀ a b, p = a * b → a = 1 ∨ b = 1\n\n"
COMPOSITE = (
    "def Composite (p : Nat) : Prop := ∃ a b, 1 < a ∧ 1 < b ∧ a * b = p\n\n"
    "def Prime (p : Nat) : Prop := 2 ≤ p ∧ ¬ Composite p\n\n"
)


@pytest.mark.parametrize(
    ("prefix", "statement"),
    [
        ("", "(x y : Nat) (h : 3 ^ x * 5 ^ y = 675) : x + y = 5"),
        (
            "",
            "(a b : Nat) (h : 0 < a ∧ 0 < b) (g : a % 10 = 4) (k : b % 10 = 6) (l : a.gcd b = 2) : 12 ≤ a.lcm b",
        ),
        ("", "(n : Nat) (h : 3 ≤ n) (g : ∃ x, x ^ 2 = n) (k : ∃ t, t ^ 3 = n) : 64 ≤ n"),
        (ODD, "(n : Nat) (h : Odd n) : n ^ 2 % 8 = 1"),
        (FACT, "(n : Nat) (h : 143 ∣ fact n) : 13 ≤ n"),
        (DIVISORS, "(p q : Nat) (h : Prime p ∧ Prime q) (g : p ≤ 9 ∧ q ≤ 9) : p * q ≠ 36"),
    ],
)
@pytest.mark.whole("test_bounds_of_what_grows")
def test_what_grows_is_bounded_and_a_table_goes_through_the_rest(lean: LeanPool, prefix: str, statement: str) -> None:
    assert shown(lean, statement, prefix) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(f : Int → Int) (h : ∀ x, f x + f (x - 1) = x ^ 2) (g : f 0 = 0) : f 94 = 4465",
        "(f : Nat → Nat) (g : f 0 = 1) (h : ∀ n, f (n + 1) = f n * f n + n) : f 5 = 1525",
        "(n : Nat) (v : Nat → Nat) (h : ∀ k, v k = 6 * k + 2) : v n % 3 = 2",
    ],
)
@pytest.mark.sample(1)
def test_a_sequence_is_followed_for_many_steps(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(x y : Nat) (h : 3 ^ x * 5 ^ y = 675) : x + y = 6",
        "(f : Nat → Nat) (g : f 0 = 5) (h : ∀ n, f (n + 1) = f n - 2) : f 4 = 1",  # 0: it is cut off
        "(a b : Nat) : ((a - b : Nat) : Int) = a - b",
    ],
)
@pytest.mark.sample(2)
def test_what_is_false_is_not_proved_by_tables_or_sequences(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is None


@pytest.mark.parametrize("primes", [DIVISORS, PRODUCTS, COMPOSITE])
@pytest.mark.sample(1)
def test_primes_may_be_defined_in_any_way(lean: LeanPool, primes: str) -> None:
    claim = "∀ (n : Nat), 3 < n → ∃ p q, Prime p ∧ Prime q ∧ n = p + q"
    assert "n = 11" in refuted(lean, primes, claim)


@pytest.mark.parametrize(
    ("prefix", "closed", "words"),
    [
        (DIVISORS, "∀ (n : Nat), Prime n → n ≤ 12", "n = 13"),
        (DIVISORS, "∀ (n : Nat), n % 6 = 1 → 2 < n → Prime n", "n = 25"),
        ("", "∀ (n : Nat), 10 ≤ n → (∃ x, x ^ 2 = n) → (∃ t, t ^ 3 = n) → 65 ≤ n", "n = 64"),
        ("", "∀ (a b : Nat), 1 < a → a < b → ∃ x, x ^ 2 = a * b", "a = 2, b = 3"),
        ("", "∀ (a b : Nat), ((a - b : Nat) : Int) = a - b", "a = 0, b = 1"),
        ("", "∀ (n : Nat), n < 398 → n * 7 % 398 = 1 → n = 58", "n = 57"),
    ],
)
@pytest.mark.sample(2)
def test_hypotheses_that_say_for_all_or_there_is_are_met(lean: LeanPool, prefix: str, closed: str, words: str) -> None:
    assert words in refuted(lean, prefix, closed)


@pytest.mark.parametrize(
    "closed",
    [
        "∀ (a b : Nat), a - b ≤ a ∧ (a - b) / 0 = 0 ∧ a % 0 = a",
        "∀ (a : Int), 0 ≤ a % -3 ∧ Int.tmod (-7) 2 = -1 ∧ Int.tdiv (-7) 2 = -3 ∧ -7 / 2 = (-4 : Int)",
        "∀ (a : Nat → Nat), a 0 = 1 → (∀ n, a (n + 1) = a n - 1) → a 2 = 0",
        "∀ (n : Nat), 2 < n → n < 3 → ∃ p q, n = p + q ∧ p * q = 7 ^ 7 ^ 77",
    ],
)
@pytest.mark.sample(1)
def test_what_lean_computes_in_its_own_way_is_not_refuted(lean: LeanPool, closed: str) -> None:
    assert refuted(lean, "", closed) == ""


@pytest.mark.parametrize(
    ("hypotheses", "highest"),
    [
        (["2 ^ x * 3 ^ y = 1296"], {"x": 4, "y": 4}),  # each power leaves the other one little
        (["2 ^ x + y = 1000"], {"x": 9, "y": 999}),
        (["x ^ 2 + y = 1977"], {"x": 44, "y": 1977}),
        (["x * y ≤ 50", "3 ≤ x", "1 ≤ y"], {"x": 50, "y": 16}),
        (["x + 5 ≤ y", "y < 9"], {"x": 3, "y": 8}),
        (["x - y = 4"], {"x": None, "y": None}),  # the difference may be cut off, and says nothing of its parts alone
        (["2 ≤ x * y"], {"x": None, "y": None}),
    ],
)
def test_bounds_of_what_grows(hypotheses: list[str], highest: dict[str, object]) -> None:
    known = intervals(
        Arithmetic({"x": "Nat", "y": "Nat"}, tuple((f"h{n}", read(h)) for n, h in enumerate(hypotheses)), read("True"))
    )
    assert {name: known.high.get(name) for name in highest} == highest


def test_what_is_weaker_says_nothing_above_the_bound() -> None:
    formula = read("2 ≤ p ∧ ∀ (m : Nat), m ∣ p → m = 1 ∨ m = p")
    text, proof = weaker(formula, "h", 9)
    assert text == "((2 ≤ p) ∧ (∀ m, m < 9 → ((m ∣ p) → ((m = 1) ∨ (m = p)))))"
    assert proof == "⟨h.1, (fun m _ => (h.2 m))⟩"
    assert weaker(read("∃ k, p = 2 * k"), "h", 9) == ("True", "trivial")
