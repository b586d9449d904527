"""Functions that build texts: what is said of their letters is proved by induction for all places at once."""

from pathlib import Path

import pytest
from drive import verdict

REPEAT = """(define-fun-rec copies ((s String) (n Int)) String
  (ite (<= n 0) "" (str.++ s (copies s (- n 1)))))
(prove (forall ((c String) (n Int) (i Int)) {}))"""
GOALS = {
    "letter": "(=> (and (= (str.len c) 1) (<= 0 i) (< i n)) (= (str.at (copies c n) i) c))",
    "letter of a part": "(=> (= (str.len c) 1) (=> (and (< i n) (>= i 0)) (= c (str.substr (copies c n) i 1))))",
    "length": "(=> (and (= (str.len c) 1) (<= 0 n)) (= (str.len (copies c n)) n))",
}


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS.keys())
def test_letters_of_a_text_that_a_function_builds(goal: str, tmp_path: Path) -> None:
    assert verdict(REPEAT.format(goal), tmp_path)["verdict"] == "proved"


def test_a_letter_that_is_not_there(tmp_path: Path) -> None:
    goal = "(=> (and (= (str.len c) 1) (<= 0 i) (<= i n)) (= (str.at (copies c n) i) c))"
    assert verdict(REPEAT.format(goal), tmp_path)["verdict"] == "refuted"


COUNTED = """(define-fun-rec loop ((total Int) (i Int) (s String)) Int
  (ite (< i (str.len s)) (loop (ite (str.contains "{letters}" (str.at s i)) (+ total 1) total) (+ i 1) s) total))
(define-fun-rec sum ((i Int) (s String)) Int
  (ite (< i (str.len s)) (ite (str.contains "{letters}" (str.at s i)) (+ 1 (sum (+ i 1) s)) (sum (+ i 1) s)) 0))
(prove (forall ((s String)) (= (loop 0 0 s) (sum 0 s))))"""


@pytest.mark.parametrize("letters", ["2357BD", "xyz"])
def test_letters_that_a_definition_asks_for_are_among_the_samples(letters: str, tmp_path: Path) -> None:
    assert verdict(COUNTED.replace("{letters}", letters), tmp_path)["verdict"] == "proved"


KEPT = {
    "recursion": """(define-fun-rec kept ((i Int) (s String) (c String)) String
      (ite (< i (str.len s))
        (ite (str.contains c (str.at s i)) (kept (+ i 1) s c) (str.++ (str.at s i) (kept (+ i 1) s c))) ""))""",
    "guard first": """(define-fun-rec kept ((i Int) (s String) (c String)) String (ite (>= i (str.len s)) ""
      (str.++ (ite (str.contains c (str.at s i)) "" (str.at s i)) (kept (+ 1 i) s c))))""",
    "case by case": """(define-fun-rec kept ((i Int) (s String) (c String)) String (ite (not (< i (str.len s))) ""
      (ite (not (str.contains c (str.at s i))) (str.++ (str.at s i) (kept (+ i 1) s c)) (kept (+ i 1) s c))))""",
}


@pytest.mark.parametrize("definition", KEPT.values(), ids=KEPT.keys())
def test_what_is_kept_of_a_text_from_its_start_on_is_proved_from_any_place_on(definition: str, tmp_path: Path) -> None:
    goal = """(prove (forall ((k Int) (s String) (c String)) (=> (and (<= 0 k) (< k (str.len (kept 0 s c))))
      (not (str.contains c (str.at (kept 0 s c) k))))))"""
    assert verdict(definition + goal, tmp_path, seconds=30)["verdict"] == "proved"


PADDED = {
    "cut off": "(str.substr (str.++ (copies c n) s) 0 (- (str.len (str.++ (copies c n) s)) (str.len s)))",
    "the rest": "(str.substr (str.++ s (copies c n)) (str.len s) (- (str.len (str.++ s (copies c n))) (str.len s)))",
    "so many": "(copies c (ite (< (str.len s) n) (- n (str.len s)) 0))",
}


@pytest.mark.parametrize("text", PADDED.values(), ids=PADDED.keys())
def test_letters_of_a_part_that_is_cut_off_again(text: str, tmp_path: Path) -> None:
    goal = REPEAT.replace("(n Int) (i Int)) {}", "(n Int) (s String) (i Int)) {}")
    letters = f"(=> (and (= (str.len c) 1) (<= 0 i) (< i (str.len {text}))) (= (str.at {text} i) c))"
    assert verdict(goal.format(letters), tmp_path, seconds=30)["verdict"] == "proved"


def test_a_part_that_is_cut_off_elsewhere_is_not_that_part(tmp_path: Path) -> None:
    text = "(str.substr (str.++ (copies c n) s) 0 (str.len s))"
    goal = REPEAT.replace("(n Int) (i Int)) {}", "(n Int) (s String) (i Int)) {}")
    letters = f"(=> (and (= (str.len c) 1) (<= 0 i) (< i (str.len {text}))) (= (str.at {text} i) c))"
    assert verdict(goal.format(letters), tmp_path)["verdict"] == "refuted"


def test_a_loop_adds_to_the_text_that_it_begins_with(tmp_path: Path) -> None:
    loop = """(define-fun-rec loop ((t String) (i Int) (s String)) String
      (ite (< i (str.len s)) (loop (ite (= (str.at s i) "a") t (str.++ t (str.at s i))) (+ i 1) s) t))
    (prove (forall ((t String) (i Int) (s String)) (= (loop t i s) (str.++ t (loop "" i s)))))"""
    assert verdict(loop, tmp_path, seconds=30)["verdict"] == "proved"
