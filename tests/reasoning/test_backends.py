"""Programs decided by real solvers: verdicts, what they rest on, limits, threads, and the traps of other systems."""

import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from named_texts import tables

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.query_runner import QueryRunner
from goedels_poetry.reasoning.backends import SMT2Backend
from goedels_poetry.solvers.limits import Answer, SolverError

TABLES = tables(__file__)

HEAD = """(declare-sort P 0)
(declare-fun human (P) Bool)(declare-fun mortal (P) Bool)(declare-fun god (P) Bool)(declare-fun green (P) Bool)
(declare-const soc P)(declare-const zeus P)
(assert (! (forall ((x P)) (=> (human x) (mortal x))) :named rule :sentence 1))
(assert (! (human soc) :named fact :sentence (2 3)))
(assert (! (god zeus) :named other :world "Zeus is a god."))
"""
CUBES = (
    "(declare-const a Int)(declare-const b Int)(declare-const c Int)(assert (= (+ (* a a a)(* b b b)(* c c c)) 114))"
)
BITS = "(declare-const x (_ BitVec 65536))(declare-const y (_ BitVec 65536))(assert (bvugt (bvmul x y) (bvmul y y x)))"


def goal(formula: str, head: str = HEAD) -> str:
    return f"{head}(define-fun goal () Bool {formula})"


def choices(*formulas: str) -> str:
    return "".join(f"(define-fun goal-{letter} () Bool {f})" for letter, f in zip("ABC", formulas, strict=False))


@pytest.fixture(scope="module")
def backend() -> Iterator[SMT2Backend]:
    with SMT2Backend(processes=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def closed() -> Iterator[SMT2Backend]:
    with SMT2Backend(world="closed", processes=1) as opened:
        yield opened


# ------------------------------------------------------------------------------------------------ verdicts

VERDICTS: dict[str, tuple[str, Any, str]] = {
    "it follows": (goal("(mortal soc)"), True, "proved"),
    "its negation follows": (goal("(not (mortal soc))"), False, "refuted"),
    "an unrelated statement": (goal("(green zeus)"), None, "unknown"),
    "a universal statement without facts": (goal("(forall ((x P)) (green x))"), None, "unknown"),
    "an existential one without facts": (goal("(exists ((x P)) (and (god x) (green x)))"), None, "unknown"),
    "a tautology": (goal("(or (green soc) (not (green soc)))"), True, "proved"),
    "a contradiction": (goal("(and (green soc) (not (green soc)))"), False, "refuted"),
    "contradictory premises": (goal("(mortal soc)", HEAD + "(assert (not (god zeus)))"), None, "inconsistent"),
    "false itself, and an answer wanted": ("(assert false)" + goal("true", ""), None, "inconsistent"),
    "by refutation, unmarked": (HEAD + "(assert (not (mortal soc)))(check-sat)", True, "proved"),
    "asserted, unmarked": (HEAD + "(assert (mortal soc))(check-sat)", True, "proved"),
    "premises checked before": (HEAD + "(check-sat)(push)(assert (not (mortal soc)))(check-sat)(pop)", True, "proved"),
    "assumed at the check": (HEAD + "(check-sat-assuming ((mortal soc) (god zeus)))", True, "proved"),
    "a probe that was taken back": (
        HEAD + "(push)(assert (green soc))(check-sat)(pop)(assert (mortal soc))(check-sat)",
        True,
        "proved",
    ),
    "printed statuses": ('(echo "unsat")(echo "sat")' + goal("(mortal soc)") + '(echo "unsat")', True, "proved"),
    "functions called sat and unsat": (
        "(declare-const sat Bool)(declare-const unsat Bool)(assert (not sat))" + goal("sat", ""),
        False,
        "refuted",
    ),
    "text with status words": (
        '(declare-const s String)(assert (= s "unsat (error)"))' + goal('(= s "sat")', ""),
        False,
        "refuted",
    ),
    "a solver's options are left aside": (
        "(set-option :timeout 1)(set-option :smt.mbqi false)" + goal("(mortal soc)"),
        True,
        "proved",
    ),
    "whole numbers": ("(declare-const n Int)(assert (= (* 2 n) 7))" + goal("(= n 3)", ""), None, "inconsistent"),
    "real numbers": ("(declare-const n Real)(assert (= (* 2 n) 7))" + goal("(= n 3.5)", ""), True, "proved"),
    "arrays": ("(declare-const a (Array Int Int))" + goal("(= (select (store a 1 2) 1) 2)", ""), True, "proved"),
    "bits wrap around": (
        "(declare-const b (_ BitVec 4))(assert (= b #xf))" + goal("(= (bvadd b #x1) #x0)", ""),
        True,
        "proved",
    ),
    "nonlinear, the second way": (
        "(declare-const x Real)(declare-const y Real)(assert (> (* x y) 0.0))(assert (> (+ x y) 0.0))"
        + goal("(and (> x 0.0) (> y 0.0))", ""),
        True,
        "proved",
    ),
    "only finite worlds are easy": (
        "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f (* x x x)) (+ (f x) 7 (* x x)))))"
        + goal("(> (f 3) 2)", ""),
        None,
        "inconsistent",
    ),
    "choices, one follows": (
        HEAD + choices("(green soc)", "(mortal soc)", "(not (human soc))"),
        "B",
        "proved",
    ),
    "choices, two follow": (
        HEAD + "(define-fun goal-A () Bool (human soc))(define-fun goal-B () Bool (mortal soc))",
        None,
        "unknown",
    ),
    "choices from a contradiction": (
        HEAD
        + "(assert (not (god zeus)))(define-fun goal-A () Bool (green soc))(define-fun goal-B () Bool (mortal soc))",
        None,
        "inconsistent",
    ),
    "one typo in the query": (goal("(mortall soc)"), None, "invalid"),
    "no assertion at all": ("(check-sat)", None, "invalid"),
    "another file": ('(include "other.smt2")' + goal("true", ""), None, "invalid"),
    "a file to be written": ('(set-option :regular-output-channel "x")' + goal("true", ""), None, "invalid"),
    "prose around it": ("Here is the program:\n" + goal("(mortal soc)"), None, "invalid"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_is_that_of_logic(backend: SMT2Backend, name: str) -> None:
    program, answer, verdict = VERDICTS[name]
    result = backend.execute(program)
    assert (result.answer, str(result.verdict)) == (answer, verdict), result.reason
    assert result.success is (answer is not None)
    assert (result.reason != "") or verdict in ("proved", "refuted")
    assert (result.location is not None) is (verdict == "invalid")


def test_the_choice_that_follows_rests_on_its_own_premises(backend: SMT2Backend) -> None:
    result = backend.execute(HEAD + choices("(not (god zeus))", "(mortal soc)"))
    assert result.answer == "B"
    assert [p["name"] for p in result.core or ()] == ["rule", "fact"]
    assert result.reason == "of the choices only B follows (A refuted)"


def test_a_proof_names_the_premises_that_it_needs_and_where_they_come_from(backend: SMT2Backend) -> None:
    result = backend.execute(goal("(mortal soc)"))
    assert result.core is not None
    assert [(p["name"], p["origin"], p["sentences"], p["line"]) for p in result.core] == [
        ("rule", "text", [1], 4),
        ("fact", "text", [2, 3], 5),
    ]
    assert result.core[0]["words"] == "for all x: human(x) => mortal(x)"
    (found,) = result.goals
    assert found["checks"] == {"premises": "sat", "with_goal": "sat", "with_negation": "unsat"}
    assert result.model is None


def test_a_contradiction_names_its_premises_and_no_others(backend: SMT2Backend) -> None:
    result = backend.execute(goal("(mortal soc)", HEAD + "(assert (not (god zeus)))"))
    assert [p["name"] for p in result.core or ()] == ["other", "premise-4"]
    assert [p["words"] for p in result.core or ()] == ["Zeus is a god.", "not god(zeus)"]


def test_a_confirmed_core_has_no_premise_to_spare() -> None:
    spare = "(assert (! (and (human soc) (god zeus)) :named both))(assert (! (mortal soc) :named outright))"
    with SMT2Backend(confirm=True, processes=1) as backend:
        result = backend.execute(goal("(mortal soc)", HEAD + spare))
    assert len(result.core or ()) == 1


def test_what_is_open_comes_with_a_world_of_either_kind_in_the_names_of_the_program(backend: SMT2Backend) -> None:
    head = HEAD + "(declare-fun age (P) Int)(assert (= (age soc) 70))(assert (distinct soc zeus))"
    result = backend.execute(goal("(mortal zeus)", head))
    (found,) = result.goals
    false, true = found["countermodel"], found["witness"]
    assert result.model == false
    assert (false["mortal"]["zeus"], true["mortal"]["zeus"]) == (False, True)
    for world in (false, true):
        assert world["soc"] == "soc"
        assert world["human"]["soc"] is world["mortal"]["soc"] is world["god"]["zeus"] is True
        assert world["age"]["soc"] == 70
    assert "mortal holds of: soc; not of: zeus" in result.model_words
    assert "age(soc) = 70" in result.model_words


def test_worlds_with_numbers_lists_enumerations_and_things_without_a_name(backend: SMT2Backend) -> None:
    result = backend.execute(
        """(declare-datatypes () ((Color red green)))
        (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
        (declare-sort P 0)(declare-const ann P)(declare-fun likes (P) Color)
        (declare-const r Real)(declare-const l L)(declare-const s String)(declare-const b (_ BitVec 4))
        (declare-const a (Array Int Bool))(declare-fun f (Int) Int)
        (assert (= r (- 3.5)))(assert (= l (cons 1 (cons 2 nil))))(assert (= s "a""b"))(assert (= b #b0101))
        (assert (select a 3))(assert (exists ((x P)) (and (distinct x ann) (= (likes x) red))))
        (assert (= (f 1) 5))(assert (= (f 2) 6))
        (define-fun goal () Bool (= (likes ann) red))"""
    )
    world = result.model
    assert world is not None
    assert [world[name] for name in ("r", "l", "s", "b")] == ["-7/2", "cons(1, cons(2, nil))", 'a"b', 5]
    assert world["likes"]["ann"] == "green"
    assert world["likes"]["P_1"] == "red"
    assert world["a"].get("3", world["a"]["else"]) is True
    assert (world["f"].get("1", world["f"]["else"]), world["f"].get("2", world["f"]["else"])) == (5, 6)


def test_the_reading_of_a_check_sat_is_there_for_comparison() -> None:
    with SMT2Backend(semantics="satisfiability", processes=1) as backend:
        found = {
            formula: backend.execute(goal(formula))
            for formula in ("(green soc)", "(not (green soc))", "(not (mortal soc))")
        }
        refutation = backend.execute(HEAD + "(assert (not (mortal soc)))(check-sat)")
    assert [r.answer for r in found.values()] == [True, True, False]
    assert [(r.sat_count, r.unsat_count) for r in found.values()] == [(1, 0), (1, 0), (0, 1)]
    assert all(r.semantics == "satisfiability" for r in found.values())
    assert refutation.answer is False, "what the text asserts is not satisfiable, whatever it was meant to show"


# ---------------------------------------------------------------------------------------------- closed world

BIRDS = """(declare-sort A 0)(declare-fun bird (A) Bool)(declare-fun odd (A) Bool)(declare-fun flies (A) Bool)
(declare-const tweety A)(declare-const opus A)(declare-const bob A)
(assert (bird tweety))(assert (bird opus))(assert (odd opus))
(assert (forall ((x A)) (=> (and (bird x) (not (odd x))) (flies x))))
"""


@pytest.mark.parametrize(
    ("formula", "open_answer", "closed_answer"),
    [
        ("(flies tweety)", None, True),
        ("(flies opus)", None, False),
        ("(bird bob)", None, False),
        ("(bird tweety)", True, True),
        ("(= bob opus)", None, False),
        ("(forall ((x A)) (=> (bird x) (or (= x tweety) (= x opus))))", None, True),
    ],
)
def test_in_a_closed_world_what_does_not_follow_is_false(
    backend: SMT2Backend, closed: SMT2Backend, formula: str, open_answer: bool | None, closed_answer: bool
) -> None:
    assert backend.execute(goal(formula, BIRDS)).answer is open_answer
    result = closed.execute(goal(formula, BIRDS))
    assert (result.answer, result.world) == (closed_answer, "closed")
    assert any(p["origin"] == "closure" for p in result.core or ()) is (open_answer is None)


def test_a_world_that_can_be_closed_in_two_ways_is_not_closed(closed: SMT2Backend) -> None:
    result = closed.execute(goal("(bird bob)", BIRDS + "(assert (or (bird bob) (odd bob)))"))
    assert (result.answer, result.verdict) == (None, Verdict.UNKNOWN)
    assert "cannot be closed" in result.reason
    assert result.model is not None, "the open world is still known"


def test_a_closed_world_leaves_room_for_what_has_no_name_and_leaves_numbers_open(closed: SMT2Backend) -> None:
    stranger = "(assert (exists ((x A)) (and (odd x) (distinct x tweety opus bob))))"
    ages = "(declare-fun aged (A Int) Bool)(assert (aged bob 3))"
    result = closed.execute(goal("(flies tweety)", BIRDS + stranger + ages))
    assert result.answer is True
    assert [w.split()[0] for w in result.warnings] == ["aged", "the"]


# ------------------------------------------------------------------------------------------------- optimization


@pytest.mark.parametrize(
    ("program", "answer", "reason"), TABLES["test_an_optimum_is_the_answer_of_a_program_that_only_optimises"]
)
def test_an_optimum_is_the_answer_of_a_program_that_only_optimises(
    backend: SMT2Backend, program: str, answer: Any, reason: str
) -> None:
    result = backend.execute(program)
    assert result.answer == answer
    assert reason in result.reason
    if answer is not None:
        assert (result.verdict, result.optimum, result.optima[0]["attained"]) == (Verdict.PROVED, answer, True)
        assert result.model is not None
    else:
        assert result.verdict is (Verdict.INCONSISTENT if reason == "inconsistent" else Verdict.UNKNOWN)


def test_an_optimum_beside_a_goal_is_no_answer_and_its_constraints_are_no_premises(backend: SMT2Backend) -> None:
    text = "(declare-const x Int)(assert (> x 0))(assert (! (<= x 5) :named c :objective true))(maximize x)"
    result = backend.execute(goal("(<= x 5)", text))
    assert (result.answer, result.verdict, result.optimum) == (None, Verdict.UNKNOWN, 5)


# ------------------------------------------------------------------------------------------------------- limits


def test_a_bomb_costs_its_own_process_and_neither_our_memory_nor_the_next_program() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with SMT2Backend(verify_timeout=1500, memory_mb=200, processes=1) as backend:
        bomb = backend.execute(BITS)
        again = backend.execute(goal("(mortal soc)"))
    assert (bomb.answer, bomb.verdict) == (None, Verdict.UNKNOWN)
    assert again.answer is True
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000, "in KiB"


# ------------------------------------------------------------------------------------------------------ threads


def test_closing_ends_what_is_under_way_and_every_process() -> None:
    backend = SMT2Backend(verify_timeout=60_000, processes=1)
    backend.execute(goal("(mortal soc)"))
    pair = backend._solvers._pairs[0]
    with ThreadPoolExecutor(2) as crew:
        busy, waiting = crew.submit(backend.execute, CUBES), crew.submit(backend.execute, CUBES)
        while backend._solvers._free.qsize():
            time.sleep(0.01)
        time.sleep(0.1)
        backend.close()
        assert busy.result(30).answer is None
        with pytest.raises(SolverError, match="closed"):
            waiting.result(30)
    assert pair.z3.pid is None
    assert pair.cvc5.pid is None


# --------------------------------------------------------------------------------------------------------- trust


def test_a_confirmed_verdict_says_how_far_it_can_be_trusted() -> None:
    with SMT2Backend(confirm=True, processes=1) as backend:
        found = [
            backend.execute(text)
            for text in (
                goal("(mortal soc)"),
                goal("(not (mortal soc))"),
                goal("(mortal soc)", HEAD + "(assert (not (god zeus)))"),
                goal("(green soc)"),
                "(declare-const x Int)(declare-const y Int)(assert (< (+ x y) 9 (* 9 y)))(maximize x)(minimize y)",
                "(declare-const x Int)(maximize x)",
            )
        ]
    assert [(str(r.verdict), r.trust_level) for r in found] == [
        ("proved", "L3"),
        ("refuted", "L3"),
        ("inconsistent", "L3"),
        ("unknown", None),
        ("proved", "L3"),
        ("unknown", None),
    ]


@pytest.mark.parametrize("side", [0, 1])
def test_solvers_that_disagree_are_no_verdict(monkeypatch: pytest.MonkeyPatch, side: int) -> None:
    answers = [Answer("unsat"), Answer("unsat")]
    answers[side] = Answer("sat")
    monkeypatch.setattr(QueryRunner, "confirmed", lambda *_: tuple(answers))
    with SMT2Backend(confirm=True, processes=1) as backend:
        for program in (goal("(mortal soc)"), "(declare-const x Int)(assert (< x 3))(maximize x)"):
            result = backend.execute(program)
            assert (result.answer, result.verdict, result.trust_level) == (None, Verdict.UNKNOWN, None)
            assert "disagree" in result.reason
            assert result.core is None


# ---------------------------------------------------------------------------------------------------------- files


def test_a_path_is_a_file_and_a_string_is_a_program(backend: SMT2Backend, tmp_path: Path) -> None:
    file = tmp_path / "program.smt2"
    file.write_text(goal("(mortal soc)"), "utf-8")
    assert backend.execute(file).answer is True
    assert backend.execute(str(file)).verdict is Verdict.INVALID, "the text of a program was expected"


def test_a_file_that_cannot_be_read_is_an_invalid_program(backend: SMT2Backend, tmp_path: Path) -> None:
    (tmp_path / "latin.smt2").write_bytes(b"(declare-const \xe9 Bool)")
    missing, folder, latin = (backend.execute(tmp_path / name) for name in ("none.smt2", "", "latin.smt2"))
    assert missing.verdict is folder.verdict is latin.verdict is Verdict.INVALID
    assert "No such file" in missing.reason
    assert "UTF-8" in latin.reason
