"""Premises are told with their lines and in the user's words: what a proof needs, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path

from drive import verdict

from goedels_poetry.smt.jobs import symbolic
from goedels_poetry.smt.notation.text import MAX_SHOWN, name_premises, parse_problem

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


def test_names_of_definitions_names_of_nothing_and_long_formulas() -> None:
    long = f"(= 0 {' '.join('0' for _ in range(MAX_SHOWN))})"
    problem = parse_problem(f"(define-fun-rec f ((x Int)) Int\n  (+ 1 (f x)))\n(assert {long})(prove true)")
    first, second, third = name_premises(["definition-of-f", "premise-1", "other"], problem)
    assert (first, third) == ("definition-of-f: (define-fun-rec f ((x Int)) Int (+ 1 (f x)))", "other")
    assert second.startswith("premise-1 (line 3): (= 0 0") and second.endswith("...") and len(second) <= MAX_SHOWN
