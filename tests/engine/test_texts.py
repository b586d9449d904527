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
