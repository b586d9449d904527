"""Premises are told with their lines and in the user's words: what a proof needs, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path

from drive import verdict

from goedels_poetry.smt.jobs import symbolic

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
