"""Arithmetic in core Lean: what is computed outside, Lean accepts."""

import pytest

from goedels_poetry.lean.arithmetic.polynomials import linear_ranges
from goedels_poetry.lean.arithmetic.problem import Arithmetic, NotArithmetic, compute, holds, read
from goedels_poetry.lean.runtime.pool import LeanPool
from tests.support.lean_attempts import refuted, shown

PRIME = "def Prime (n : Nat) : Prop := 2 ≤ n ∧ ∀ d, d < n → 2 ≤ d → n % d ≠ 0\n\n"


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) : 3 ∣ n ^ 3 + 2 * n",
        "(n : Nat) : (11 : Int) ∣ 10 ^ n - (-1) ^ n",
        "(n : Nat) (h : 4 ≤ n) : n ^ 2 ≤ 2 ^ n",
        "(x : Int) : x ^ 2 % 4 = 0 ∨ x ^ 2 % 4 = 1",
        "(x : Int) (h : x ^ 2 - 5 * x + 6 = 0) : x = 2 ∨ x = 3",
        ": 5 ^ 999999 % 7 = 6",
        ": ∃ x y : Nat, 7 * x + 5 * y = 31",
        "(n : Nat) (h : Nat.gcd n 40 = 10) (g : Nat.lcm n 40 = 280) : n = 70",
        "(a b : Nat) (h : a + b = 20) (g : a * b = 91) (l : a < b) : a = 7 ∧ b = 13",
        "(a b c d : Nat) (h : a + b = c) (k : a % 5 = 2) (l : b % 5 = 4) (e : d = c ^ 2) : d % 5 = 1",
        "(n : Nat) (h : ∃ k, n = 2 * k + 1) : n ^ 2 % 8 = 1",
        "(m n : Nat) (h : ∃ k, m = 2 * k) (k : m * n = 34) (l : 2 < m) : m = 34",
    ],
)
@pytest.mark.sample(2)
def test_a_true_statement_of_arithmetic_is_proved(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(m n : Nat) (h : m * n = 1001) (g : 13 < m) (k : 13 < n) : m + n = 90 ∨ m + n = 66 ∨ m + n = 104",
        "(x y : Int) (h : x * y - 2 * x - 3 * y = 5) (g : 3 < x) (k : x < y) : y = 13",
        "(x y : Nat) (h : x ^ 2 * y ^ 2 + 2 * y ^ 2 = 99) : x = 3 ∧ y = 3",
        "(a b : Nat) (h : Nat.gcd a b = 4) (g : Nat.lcm a b = 60) : 32 ≤ a + b",
        "(n : Nat) (h : n ^ 3 + 1 = 344) : n = 7",
        "(a b : Nat) (h : 0 < a) (g : b = a + 1) (k : a * b * (b + 1) = 8 * (a + b + (b + 1))) : a + b = 9",
        "(m x : Int) (h : 10 ≤ m) (g : m ≤ 20) (k : 6 * x % m = 1) (l : x % m = 3) : m = 17",
        "(n : Nat) (h : ((n : Int) - 2) ^ 2 + (n : Int) ^ 2 = 100) : n = 8",
    ],
)
@pytest.mark.whole("test_a_true_statement_of_arithmetic_is_proved")
def test_an_equation_with_few_solutions_is_solved_case_by_case(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) : Nat.gcd (5 * n + 3) (3 * n + 2) = 1",
        "(n : Nat) (h : 0 < n) : Nat.gcd (2 * n + 10) (n + 1) ≤ 8",
        "(n : Nat) : Nat.gcd (21 * n + 4) (14 * n + 5) = 1",  # it divides 7, which does not divide 21 n + 4
    ],
)
@pytest.mark.sample(1)
def test_a_common_divisor_divides_a_combination_that_is_a_number(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) (h : 13 ∣ 3 ^ n - 1) : 3 ∣ n",
        "(n : Nat) : 7 ∣ 3 ^ (2 * n + 1) + 2 ^ (n + 2)",
        "(n : Nat) : ¬ 5 ∣ 4 ^ n + 2",
        "(n : Nat) (h : 3 ^ n = 243) : n = 5",
        "(n : Nat) (h : 2 ^ n < 100) : n ≤ 6",
    ],
)
@pytest.mark.whole("test_a_true_statement_of_arithmetic_is_proved")
def test_powers_of_a_number_repeat_and_grow(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(f : Int → Int) (h : ∀ x, f (x + 1) = f x + 2 * x + 1) (g : f 0 = 0) : f 12 = 144",
        "(f : Int → Int) (h : ∀ x, f x + f (x - 1) = x ^ 2) (g : f 5 = 10) : f (-2) = 6",
        "(u : Nat → Int) (g : u 0 = 1) (k : u 1 = 4) (h : ∀ n, u (n + 2) = u (n + 1) - u n) : u 60 = 1",
        "(n : Nat) (u : Nat → Nat) (g : u 0 = 1) (h : ∀ n, u (n + 1) = 3 * u n + 2) : u n = 2 * 3 ^ n - 1",
    ],
)
@pytest.mark.sample(1)
def test_a_sequence_is_computed_from_its_recurrence(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) : ∃ m k, n < m ∧ k < m ∧ m + k = 2 * n + 1",
        "(n : Nat) (h : 0 < n) : ∃ m, m > n ∧ ∃ p, m * p ≤ m + p",
        "(k : Nat) (h : 0 < k) (g : ∀ n : Nat, Nat.gcd (6 * n + k) (6 * n + 3) = 1)"
        " (l : ∀ n : Nat, Nat.gcd (6 * n + k) (6 * n + 2) = 1)"
        " (m : ∀ n : Nat, Nat.gcd (6 * n + k) (6 * n + 1) = 1) : 5 ≤ k",
    ],
)
@pytest.mark.sample(1)
def test_terms_for_what_exists_and_values_for_what_holds_for_all(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) : 3 ∣ n ^ 3 + n",
        "(a b : Int) : 3 * a * b ≤ a ^ 2 + b ^ 2",
        "(x y : Int) : x ^ 2 - 3 * y ^ 2 ≠ 1",
        "(m n : Nat) (h : m * n = 1001) (g : m < n) : m = 7 ∨ m = 11 ∨ m = 13",
        "(n : Nat) (h : 7 ∣ 2 ^ n - 1) : 6 ∣ n",
        "(n : Nat) (u : Nat → Nat) (g : u 0 = 1) (h : ∀ n, u (n + 1) = 3 * u n + 2) : u n = 2 * 3 ^ n",
        "(n : Nat) : Nat.gcd (2 * n + 10) (n + 1) ≤ 7",
    ],
)
@pytest.mark.sample(2)
def test_a_false_statement_is_not_proved(lean: LeanPool, statement: str) -> None:
    assert shown(lean, statement) is None


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("prefix", "closed", "words"),
    [
        (PRIME, "∀ (n : Nat), 3 < n → ∃ p q, Prime p ∧ Prime q ∧ n = p + q", "n = 11"),
        ("", "∀ (x y z : Int), x ≠ 0 → 2 * x = 5 * y → 7 * y = 10 * z → 7 * x = 24 * z", "x = 25, y = 10, z = 7"),
        ("", "∀ (x : Nat), x * x ≠ 1681", "x = 41"),
        ("", "∀ (n : Nat), 2 < n → ∃ p q, p % 2 = 1 ∧ q % 2 = 1 ∧ p + q = n", "n = 3"),
        ("", "5 ^ 999999 % 7 = 5", "the statement"),
        ("", "∀ (r n : Nat), r = 1342 % 13 → 0 < n → 1342 ∣ n → n % 13 < r → 6711 ≤ n", "r = 3, n = 6710"),
        ("", "∀ (m n : Nat), 1 < m → 1 < n → m * n = 2005 → m + n = 405", "m = 5, n = 401"),
        (
            "",
            "∀ (a b c : Nat), a + b + c = 60 → (c : Int) - b = b - a → 8 < a → a + 9 < b → c < 29",
            "a = 9, b = 20, c = 31",
        ),
    ],
)
def test_values_are_chosen_to_meet_the_hypotheses(lean: LeanPool, prefix: str, closed: str, words: str) -> None:
    assert words in refuted(lean, prefix, closed)


@pytest.mark.parametrize(
    ("hypotheses", "ranges"),
    [
        (["a + b = 20", "a < b"], {"a": (0, 19), "b": (1, 20)}),
        (["2 * a + 3 * b ≤ 12"], {"a": (0, 6), "b": (0, 4)}),
        (["a ≤ b"], {"a": None, "b": None}),
        (["-3 ≤ x", "2 * x < 5"], {"x": (-3, 2)}),
        (["a * b = 91", "a - b = 0"], {"a": None, "b": None}),
        (["a ∣ 12"], {"a": (0, 12)}),
    ],
)
def test_ranges_are_what_linear_hypotheses_leave(hypotheses: list[str], ranges: dict[str, object]) -> None:
    read_ones = tuple((f"h{n}", read(h)) for n, h in enumerate(hypotheses))
    problem = Arithmetic({"a": "Nat", "b": "Nat", "x": "Int"}, read_ones, read("True"))
    found = linear_ranges(problem)
    assert {name: found.of(name) for name in ranges} == ranges


def test_operations_have_the_values_that_lean_gives_them() -> None:
    types = {"n": "Nat", "i": "Int"}
    values = {"n": 3, "i": -7}
    assert compute(read("n - 5"), values, types) == 0
    assert compute(read("i / 2 + i % 2 + ↑n / 0"), values, types) == -4 + 1
    assert compute(read("i % -4"), values, types) == 1
    assert compute(read("-i ^ 2"), values, types) == -49
    assert holds(read("∃ k, n = 2 * k + 1 ∧ ¬n ∣ 4"), values, types)
    assert holds(read("n = 4 → i = 0 ↔ False"), values, types) is False
    with pytest.raises(NotArithmetic):
        compute(read("n ^ (n ^ 99)"), values, types)
