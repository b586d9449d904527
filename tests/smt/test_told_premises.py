"""Premises are told with their lines and in the user's words: what a proof needs, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path

from drive import verdict

from goedels_poetry.smt.jobs import symbolic
from goedels_poetry.smt.notation.premises import MAX_SHOWN, told
from goedels_poetry.smt.notation.text import parse_problem

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
    wanted = ["one (line 2): (= (map 1) 5)", "premise-2 (line 3): (let ((y 6)) (= (map 1) y))"]
    assert symbolic.judge({"theorem": text, "statement": ""})["value"]["core"] == wanted
    found = verdict(text, tmp_path)
    assert (found["verdict"], found["details"]["core"]) == ("inconsistent", wanted)


def test_names_of_definitions_and_names_of_nothing() -> None:
    text = "(define-fun-rec f ((x Int)) Int\n  (+ 1 (f x)))\n(assert (= (f 0) 1))(prove true)"
    assert told(["definition-of-f", "premise-1", "other"], parse_problem(text), text) == [
        "definition-of-f (line 1): (define-fun-rec f ((x Int)) Int (+ 1 (f x)))",
        "premise-1 (line 3): (= (f 0) 1)",
        "other",
    ]


def test_a_long_formula_is_cut_and_the_goal_is_no_premise() -> None:
    long = f"(assert (= 0 {' '.join('0' for _ in range(MAX_SHOWN))}))"
    text = f"(declare-const p Bool)\n(assert (not p))\n{long}\n(assert (not (not p)))"
    problem = parse_problem(text)
    first, second = told([p.name for p in problem.premises], problem, text)
    assert first == "premise-1 (line 2): (not p)"
    assert second.startswith("premise-2 (line 3): (= 0 0") and second.endswith("...") and len(second) < MAX_SHOWN + 40
