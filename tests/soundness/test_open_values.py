"""Values that SMT-LIB leaves open (divisions by zero) or describes by regular languages, in counterexamples."""

import random
from pathlib import Path
from typing import Any

import pytest
import verify_certificate as second
from drive import verdict
from forge import forge, script_of_counterexample

from goedels_poetry.checker import check_certificate
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.evaluator import Evaluator, evaluate
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import Term
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.refutation.refute import WORK, Refuter
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

# ------------------------------------------------------------------------------------------------ regular languages

ATOMS = (
    *('(str.to_re "")', '(str.to_re "a")', '(str.to_re "ab")', '(re.range "a" "b")', '(re.range "b" "a")'),
    *('(re.range "ab" "b")', "re.none", "re.all", "re.allchar"),
)
ONE = ("(re.* {})", "(re.+ {})", "(re.opt {})", "(re.comp {})", "((_ re.^ 2) {})", "((_ re.loop 1 2) {})")
ONE += ("((_ re.loop 2 1) {})", "((_ re.^ 0) {})")
TWO = ("(re.++ {} {})", "(re.union {} {})", "(re.inter {} {})", "(re.diff {} {})")


def drawn(source: random.Random, depth: int) -> str:
    if depth == 0 or source.random() < 0.2:
        return source.choice(ATOMS)
    if source.random() < 0.5:
        return source.choice(ONE).format(drawn(source, depth - 1))
    return source.choice(TWO).format(drawn(source, depth - 1), drawn(source, depth - 1))


def membership(seed: int) -> Term:
    source = random.Random(seed)
    text = "".join(source.choice("abc") for _ in range(source.randint(0, 5)))
    return parse_problem(f'(prove (str.in_re "{text}" {drawn(source, 3)}))').goal


def test_what_is_in_a_language_is_what_z3_says() -> None:
    signature = parse_problem("(prove true)").signature
    goals = [membership(seed) for seed in range(400)]
    ours = [evaluate(goal, {}, signature) for goal in goals]
    claimed = [f"(assert (= {show(goal)} {str(value).lower()}))" for goal, value in zip(goals, ours, strict=True)]
    with borrowed() as z3:
        answer = z3.ask("\n".join(("(set-logic ALL)", *claimed)), Limits(rlimit=0, seconds=30.0))
    assert answer.status == "sat" and {True, False} == set(ours)


@pytest.mark.parametrize(
    "goal",
    [
        f'(str.in_re "{"a" * 3_000}" (re.* (re.* (re.union (str.to_re "a") (re.comp (str.to_re "b"))))))',
        '(str.in_re "a" ((_ re.^ 100000) (re.opt (str.to_re "a"))))',
    ],
)
def test_what_takes_too_long_is_undecided(goal: str) -> None:
    problem = parse_problem(f"(prove {goal})")
    with pytest.raises(Undecided):
        evaluate(problem.goal, {}, problem.signature)


def test_a_search_for_values_pays_for_matches() -> None:
    text = f'(str.++ s "{"a" * 200}" t)'
    star = '(re.* (re.* (re.union (str.to_re "a") (re.++ (str.to_re "b") (re.* re.allchar)))))'
    problem = parse_problem(f"(prove (forall ((s String) (t String)) (=> (str.in_re {text} {star}) (= s s))))")
    evaluator = Evaluator(problem.signature)
    assert Refuter(problem.signature, evaluator).counterexample(sequent_of(problem.goal, ())) is None
    assert WORK / 100 < evaluator.used < 3 * WORK


DIGITS = '(define-fun digit () RegLan (re.range "0" "9"))(define-fun number () RegLan (re.+ digit))'
LANGUAGES = {
    "a language": '(=> (str.in_re s (re.+ (re.range "0" "9"))) (= (str.len s) 1))',
    "a named one": "(=> (str.in_re s number) (= (str.len s) 1))",
    "one made by a function": "(=> (str.in_re s (twice digit)) (= (str.len s) 1))",
    "a predicate": '(=> (is_number s) (not (str.contains s "7")))',
    "its complement": "(or (str.in_re s number) (str.in_re s (re.comp (re.++ digit re.all))))",
}
NAMED = f"""{DIGITS}(define-fun twice ((r RegLan)) RegLan (re.++ r r))
(define-fun is_number ((s String)) Bool (str.in_re s number))(declare-const s String)"""


@pytest.mark.parametrize("goal", LANGUAGES.values(), ids=LANGUAGES.keys())
def test_a_text_of_a_language_refutes(goal: str, tmp_path: Path) -> None:
    found = verdict(f"{NAMED}(prove {goal})", tmp_path)
    assert (found["verdict"], found["trust_level"]) == ("refuted", "L3")


def test_what_holds_of_all_texts_of_a_language_is_not_refuted(tmp_path: Path) -> None:
    found = verdict(f"{NAMED}(prove (=> (is_number s) (> (str.len s) 0)))", tmp_path)
    assert found["verdict"] == "proved"


# ------------------------------------------------------------------------------------------------ divisions by zero

DIVISIBLE = {
    "(=> ((_ divisible 6) x) ((_ divisible 3) x))": "proved",
    "(=> ((_ divisible 3) x) ((_ divisible 6) x))": "refuted",
}


@pytest.mark.parametrize(("goal", "wanted"), DIVISIBLE.items())
def test_divisible_says_that_the_remainder_is_zero(goal: str, wanted: str, tmp_path: Path) -> None:
    assert verdict(f"(declare-const x Int)(prove {goal})", tmp_path)["verdict"] == wanted
    assert second.judged(tmp_path / "x.cert", None, [second.find_solver("z3")], 3.0, 30.0).verdict == "holds"


REFUTED = {
    "a quotient of zero and zero": '(prove (= (ite (= (div 0 0) 0) "A" "B") "B"))',
    "a remainder": "(prove (forall ((x Int)) (= (mod (* 7 x) x) 0)))",
    "a ratio": "(prove (forall ((x Real) (y Real)) (= (* y (/ x y)) x)))",
    "in a definition": "(define-fun f ((x Int) (y Int)) Int (div x y))(prove (forall ((x Int)) (= (f x 0) x)))",
    "a number that the theorem speaks of": "(prove (forall ((x Int)) (=> (= (mod x 0) 17) (= x 17))))",
    "several divisors": "(prove (forall ((x Int)) (= (div x 1 0) x)))",
}
PROVED = {
    "equal dividends": "(prove (forall ((x Int)) (= (div x 0) (div (+ x 0) 0))))",
    "equal divisors": "(prove (forall ((x Int) (y Int)) (=> (= y 0) (= (mod x y) (mod x (* 2 y))))))",
}


@pytest.mark.parametrize("text", REFUTED.values(), ids=REFUTED.keys())
def test_a_division_by_zero_may_have_any_value(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert (found["verdict"], found["trust_level"]) == ("refuted", "L3")


@pytest.mark.parametrize("text", PROVED.values(), ids=PROVED.keys())
def test_but_one_for_each_dividend(text: str, tmp_path: Path) -> None:
    assert verdict(text, tmp_path)["verdict"] == "proved"


def row(function: str, *args: Any, value: Any) -> dict[str, Any]:
    return {"function": function, "args": list(args), "value": value}


SQUARE = "(prove (= (div 4 0) (mod 4 0)))"
TABLES = {
    "one value only": [row("div", 4, 0, value=1)],
    "a divisor that is not zero": [row("div", 4, 0, value=1), row("mod", 4, 0, value=2), row("div", 4, 2, value=3)],
    "not asked for": [row("div", 4, 0, value=1), row("mod", 4, 0, value=2), row("div", 5, 0, value=2)],
    "two values": [row("div", 4, 0, value=1), row("mod", 4, 0, value=2), row("div", 4, 0, value=2)],
    "of another sort": [row("div", 4, 0, value=True), row("mod", 4, 0, value=2)],
    "three arguments": [row("div", 4, 0, 0, value=1), row("mod", 4, 0, value=2)],
    "a function that has a value": [row("div", 4, 0, value=1), row("mod", 4, 0, value=2), row("abs", 0, value=1)],
    "what makes the goal true": [row("div", 4, 0, value=2), row("mod", 4, 0, value=2)],
}


def accepted(table: list[Any], folder: Path) -> bool:
    evidence = {"values": {}, "table": table}
    script = script_of_counterexample(SQUARE.encode(), evidence)
    made = forge(folder / "x.cert", SQUARE.encode(), evidence, script=script, claim="counterexample")
    return check_certificate(made, SQUARE.encode()).accepted


def test_quotient_and_remainder_are_chosen_apart(tmp_path: Path) -> None:
    assert accepted([row("div", 4, 0, value=1), row("mod", 4, 0, value=2)], tmp_path)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_forged_values_are_not_accepted(table: list[Any], tmp_path: Path) -> None:
    assert not accepted(table, tmp_path)
