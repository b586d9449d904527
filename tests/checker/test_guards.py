"""Definitions under guards and auxiliary functions: what they allow, and every way to a false theorem by them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.smt.jobs import certify
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.reading.certificate import read_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import FALSE, integer
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import (
    derivation_to_json,
    parse_problem,
    parse_sequent,
    parse_term,
    show_sequent,
    step_to_json,
)
from goedels_poetry.solvers.limits import Limits

FUNCTIONS = """(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(declare-datatypes ((L 0)) (((none) (more (first N) (rest L)))))
(define-fun-rec len ((x L)) N (match x ((none zero) ((more e r) (next (len r))))))
(define-fun-rec half ((x N)) N (match x ((zero zero) ((next a) (match a ((zero zero) ((next b) (next (half b)))))))))
(define-fun-rec skip ((n N) (x L)) L
  (match n ((zero x) ((next m) (match x ((none none) ((more e r) (skip m r))))))))
(define-fun-rec rounds ((x L)) N
  (match x ((none zero) ((more e r) (match r ((none zero) ((more d s) (next (rounds (skip (half (len x)) x))))))))))
(define-fun-rec up ((n Int)) Int (+ 1 (up (+ n 1))))
(define-fun-rec twist ((n Int)) Int (ite (<= n 0) 0 (+ 1 (twist (twist (- n 1))))))
"""
WITHOUT_A_MODEL = """(define-fun-rec forever ((x N)) N (next (forever x)))
(define-fun-rec flip ((n Int)) Bool (not (flip n)))
(define-funs-rec ((ping ((n Int)) Int) (pong ((n Int)) Int)) ((+ 1 (pong n)) (+ 1 (ping n))))
"""
SHORT = Limits(seconds=0.3)
SIZE = "(define-fun-rec size!L ((x L)) Int (ite ((_ is none) x) 0 (+ 1 (size!L (rest x)))))"
ROUNDS = "(forall ((a N) (b N)) (= (rounds (more a (more b none))) (next zero)))"


def theorem(goal: str, more: str = "") -> bytes:
    return f"{FUNCTIONS}{more}(prove {goal})".encode()


def check(
    folder: Path,
    goal: str,
    measures: dict[str, list[str]],
    auxiliary: Sequence[str] = (),
    steps: list[Any] | None = None,
) -> CheckReport:
    """What the checker says to a forged proof by one query (or by ``steps``) under ``measures``."""
    text = theorem(goal, WITHOUT_A_MODEL)
    problem = parse_problem(text)
    plain = {"id": "1", "sequent": show_sequent(Sequent((), (), problem.goal)), "query": query_of(Query())}
    evidence: Any = {"steps": steps or [plain], "measures": measures}
    if auxiliary:
        evidence["auxiliary"] = list(auxiliary)
    return check_certificate(forge(folder / "c", text, evidence), text, second_solver=False, limits=SHORT)


def query_of(query: Query) -> Any:
    return step_to_json(Step("1", Sequent((), (), FALSE), query))["query"]


def accepted(
    folder: Path, goal: str, measures: dict[str, list[str]], instances: tuple[Instance, ...] = ()
) -> CheckReport:
    text = theorem(goal)
    problem = parse_problem(text)
    signature = read_definitions([SIZE], problem.signature)
    terms = {
        name: tuple(parse_term(t, signature, signature.definition(name).params) for t in terms)  # type: ignore[union-attr]
        for name, terms in measures.items()
    }
    new = signature.definitions[len(problem.signature.definitions) :]
    by = Query((), instances, equations=not instances)
    proof = Derivation((Step("1", Sequent((), (), problem.goal), by),), new, terms)
    return check_certificate(write_certificate(text, proof, folder / "c"), text)


UNSEEN = {"up": ["n"], "twist": ["n"]}
EVERY_UNSEEN = {**UNSEEN, "forever": ["0"], "flip": ["n"], "ping": ["n"], "pong": ["n"]}


def test_an_equation_can_be_used_where_its_measure_falls(tmp_path: Path) -> None:
    report = accepted(tmp_path, ROUNDS, {"rounds": ["(size!L x)"], **UNSEEN})
    assert report.verdict is Verdict.PROVED, report.reasons
    assert report.trust_level is TrustLevel.CONFIRMED
    assert any("rounds is unfolded only where" in note and "(size!L x)" in note for note in report.notes)


def test_without_its_measure_the_same_proof_is_not_accepted(tmp_path: Path) -> None:
    accepted(tmp_path, ROUNDS, {"rounds": ["(size!L x)"], **UNSEEN})
    evidence = evidence_of(tmp_path / "c")
    del evidence["measures"]["rounds"]
    again = forge(tmp_path / "d", theorem(ROUNDS), evidence)
    assert check_certificate(again, limits=SHORT).verdict is Verdict.UNKNOWN


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("goal", "measure"),
    [
        ("(= (forever zero) (next (forever zero)))", {"forever": ["0"]}),
        ("false", {"forever": ["0"]}),
        ("(= (up 1) (+ 1 (up 2)))", {"up": ["n"]}),
        ("(= (up 1) (+ 1 (up 2)))", {"up": ["(- n)"]}),
        ("(not (flip 0))", {"flip": ["n"]}),
        ("false", {"flip": ["n", "(- n)"]}),
        ("(= (ping 0) (+ 2 (ping 0)))", {"ping": ["1"], "pong": ["0"]}),
        ("false", {"ping": ["1"], "pong": ["0"]}),
        ("(= (twist 2) 2)", {"twist": ["(- n)"]}),
        (ROUNDS, {"rounds": ["0"]}),
    ],
)
def test_where_the_measure_does_not_fall_nothing_follows(
    goal: str, measure: dict[str, list[str]], tmp_path: Path
) -> None:
    report = check(tmp_path, goal, {"rounds": ["0"], **EVERY_UNSEEN, **measure})
    assert report.verdict is Verdict.UNKNOWN, report


def test_nested_calls_count_with_their_own_results(tmp_path: Path) -> None:
    unfolded = tuple(Instance("def", "twist", (integer(n),)) for n in (1, 0))
    report = accepted(tmp_path, "(= (twist 1) 1)", {"rounds": ["0"], **UNSEEN}, unfolded)
    assert report.verdict is Verdict.PROVED, report.reasons


@pytest.mark.parametrize(
    ("measures", "why"),
    [
        ({"ping": ["n"]}, "measured as a whole"),
        ({"ping": ["n"], "pong": ["n", "n"]}, "measured as a whole"),
        ({"up": []}, "measured as a whole"),
        ({"up": ["(up n)"]}, "rests on the function"),
        ({"up": ["true"]}, "an integer term"),
        ({"up": ["m"]}, "unknown symbol"),
        ({"nowhere": ["0"]}, "has no definition"),
        ({"up": "n"}, "an array was expected"),
    ],
)
def test_measures_that_make_no_guard_are_refused(measures: dict[str, Any], why: str, tmp_path: Path) -> None:
    report = check(tmp_path, "(= (up 1) (+ 1 (up 2)))", measures)
    assert report.refused
    assert why in " ".join(report.reasons)


@pytest.mark.parametrize("through", ["(g {n})", "(twice!g {n})"])
def test_measures_that_rest_on_each_other_in_a_circle_are_refused(through: str, tmp_path: Path) -> None:
    """Each alone is harmless: ``g`` decides which way ``f`` is unfolded, ``f`` which way ``g`` is."""
    definitions = (
        "(define-fun-rec f ((n Int)) Int (ite (= n 0) (+ 1 (f 1)) (+ 1 (f 0))))",
        "(define-fun-rec g ((n Int)) Int (ite (= n 0) (+ 1 (g 1)) (+ 1 (g 0))))",
        "(define-fun twice!g ((n Int)) Int (* 2 (g n)))",
    )
    text = b"(prove (= 0 1))"
    problem = parse_problem(text)
    signature = read_definitions(definitions, problem.signature)
    first, second = (through.format(n=n) for n in "01")
    measures = {
        "f": [f"(ite (= n (ite (> {first} {second}) 0 1)) 1 0)"],
        "g": ["(ite (= n (ite (> (f 0) (f 1)) 1 0)) 1 0)"],
    }
    unfolded = tuple(Instance("def", name, (integer(n),)) for name in "fg" for n in (0, 1))
    step = Step("1", Sequent((), (), problem.goal), Query((), unfolded, equations=False))
    terms = {n: tuple(parse_term(t, signature, signature.definition(n).params) for t in measures[n]) for n in measures}  # type: ignore[union-attr]
    proof = Derivation((step,), signature.definitions, terms)
    evidence = {"auxiliary": list(definitions), "measures": measures, "steps": derivation_to_json(proof)["steps"]}
    report = check_certificate(forge(tmp_path / "c", text, evidence), text, second_solver=False, limits=SHORT)
    assert report.refused, report
    assert "rests on the function" in " ".join(report.reasons)


def test_induction_along_a_function_needs_it_to_be_seen_to_terminate(tmp_path: Path) -> None:
    goal = parse_sequent("(sequent ((n Int)) () (= (up n) 0))", parse_problem(theorem("true")).signature)
    case = parse_sequent(
        "(sequent ((n Int)) ((= (up (+ n 1)) 0)) (= (up n) 0))", parse_problem(theorem("true")).signature
    )
    scheme = RecursionInduction("up", goal.vars, ())
    steps = [step_to_json(Step("1", case, Query())), step_to_json(Step("2", goal, ByScheme(scheme, ("1",))))]
    report = check(tmp_path, "(forall ((n Int)) (= (up n) 0))", {"rounds": ["0"], **EVERY_UNSEEN}, (), steps)
    assert report.refused
    assert "terminate" in " ".join(report.reasons)


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        ("(define-fun-rec loop ((n Int)) Int (+ 1 (loop n)))", "not shown to terminate"),
        ("(define-fun len ((x L)) N zero)", "declared twice"),
        ("(define-fun first ((x L)) N zero)", "declared twice"),
        ("(declare-fun free () Int)", "one definition was expected"),
        ("(define-fun a () Int 0) (define-fun b () Int 0)", "one definition was expected"),
        ("(define-fun (par (a) (same ((x a)) a x)))", "a plain definition was expected"),
        ("(assert false)", "one definition was expected"),
    ],
)
def test_auxiliary_functions_add_nothing_but_definitions_of_their_own(
    definition: str, why: str, tmp_path: Path
) -> None:
    report = check(tmp_path, "false", {"rounds": ["0"], **EVERY_UNSEEN}, [definition])
    assert report.verdict is Verdict.UNKNOWN
    assert why in " ".join(report.reasons)


@pytest.mark.parametrize(
    ("definition", "name"),
    [("(define-fun-rec wrong ((n Int)) Int (+ 1 (wrong n)))", "wrong"), ("(define-fun c () Int 1)", "c")],
    ids=["does not end", "what is declared"],
)
def test_a_tree_that_brings_a_false_definition_along_is_no_proof(definition: str, name: str, tmp_path: Path) -> None:
    """As a sketch of a plug-in may have it, which no reader of replies has seen."""
    instance = {"of": "def", "name": name, "args": ["0"] if name == "wrong" else []}
    query = {"cites": [], "instances": [instance], "equations": False, "quantified": False}
    node = {"id": "0", "statement": "", "proof": {"query": query}, "scheme": {"definitions": [definition]}}
    payload = {
        "theorem": "(declare-const c Int)(prove (= c 1))",
        "derivation": [node],
        "directory": str(tmp_path / "c"),
    }
    try:
        found = certify({**payload, "info": {}, "assume_definitions": True})
    except InvalidInput as error:
        assert "declared twice" in str(error)
    else:
        assert found["verdict"] == "unknown" and "not shown to terminate: wrong" in found["reason"]


@pytest.mark.parametrize("at", ["(= n 0)", "(= (+ (* n n n) (* n n)) 2)"])
def test_only_the_definitions_of_the_theorem_can_be_assumed_to_be_consistent(at: str, tmp_path: Path) -> None:
    definition = f"(define-fun-rec wrong ((n Int)) Bool (ite {at} (not (wrong n)) true))"
    text = b"(declare-const c Int)(prove (= c 1))"
    problem = parse_problem(text)
    unfolded = tuple(Instance("def", "wrong", (integer(n),)) for n in (0, 1))
    step = step_to_json(Step("1", Sequent((), (), problem.goal), Query((), unfolded, equations=False)))
    forged = forge(tmp_path / "c", text, {"steps": [step], "auxiliary": [definition]}, assume_definitions=True)
    report = check_certificate(forged, text, second_solver=False, assume_definitions=True, limits=SHORT)
    assert report.verdict is Verdict.UNKNOWN, report
    assert "auxiliary definitions were not shown to terminate: wrong" in " ".join(report.reasons)


def test_premises_that_lead_a_measure_back_to_its_function_are_not_said_to_be_consistent(tmp_path: Path) -> None:
    """``h`` is ``f``, and by it is decided which way ``f`` is unfolded: always the one that it contradicts."""
    text = b"""(declare-fun h (Int) Int)(declare-const c Int)
(define-fun-rec f ((n Int)) Int (ite (= n 0) (+ 1 (f 1)) (+ 1 (f 0))))
(assert (! (forall ((n Int)) (= (h n) (f n))) :named same))
(prove (= c 1))"""
    measures = {"f": ["(ite (= n (ite (> (h 0) (h 1)) 1 0)) 1 0)"]}
    unfolded = [Instance(*of, (integer(n),)) for of in (("def", "f"), ("premise", "same")) for n in (0, 1)]
    step = Step("1", Sequent((), (), parse_problem(text).goal), Query((), tuple(unfolded), equations=False))
    forged = forge(tmp_path / "c", text, {"steps": [step_to_json(step)], "measures": measures})
    report = check_certificate(forged, text)
    assert (report.verdict, report.core) == (Verdict.INCONSISTENT, ("definition-of-f",))

    text = text.replace(b"(+ 1 (f 1)) (+ 1 (f 0))", b"(f 1) (f 0)").replace(b"(= c 1)", b"(= c c)")  # constants do
    step = Step("1", Sequent((), (), parse_problem(text).goal), Query())
    forged = forge(tmp_path / "d", text, {"steps": [step_to_json(step)], "measures": measures})
    report = check_certificate(forged, text)
    assert (report.verdict, report.trust_level) == (Verdict.PROVED, TrustLevel.REBUILT), report
    assert "consistency of the premises not shown" in report.notes
