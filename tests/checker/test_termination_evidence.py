"""What a certificate says of the ends of recursions is looked at, not believed, and the kernel looks for nothing."""

import copy
import json
import random
import time
from pathlib import Path
from typing import Any

import proofs
import pytest
from forge import evidence_of, forge, with_ends

from goedels_poetry.checker import CheckReport, TrustLevel, check_certificate, write_certificate, write_counterexample
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import termination_from_json
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.termination import TerminationObligations, termination_obligations
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem, termination_to_json
from goedels_poetry.smt.termination.search import terminations_by_solver
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

PRELUDE = """(declare-datatypes ((Nat 0)) (((Z) (S (p Nat)))))
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))
"""
DOWN = "(define-fun-rec f ((x Nat)) Int (match x ((Z 0) ((S y) (f y)))))"
COUNT = "(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (f (- n 1))))"
SWAP = "(define-fun-rec f ((x Nat) (y Nat)) Int (match x ((Z 0) ((S a) (match y ((Z 1) ((S b) (f b a))))))))"
TURN = """(define-fun-rec f ((x Nat) (y Nat)) Int
  (match x ((Z 0) ((S a) (match y ((Z 1) ((S b) (f (S b) a))))))))"""
RIGHT = """(define-fun-rec f ((x T)) Int
  (match x ((leaf 0) ((node y r) (match y ((leaf (f r)) ((node a b) (f (node a (node b r))))))))))"""
ACK = """(define-fun-rec f ((m Int) (n Int)) Int (ite (<= m 0) (+ n 1) (ite (<= n 0) (f (- m 1) 1)
  (f (- m 1) (f m (- n 1))))))"""
MIXED = "(define-fun-rec f ((x Nat) (n Int)) Int (ite (> n 0) (f x (- n 1)) (match x ((Z 0) ((S y) (f y 10))))))"
BITS = "(define-fun-rec f ((b (_ BitVec 8))) Int (ite (= b #x00) 0 (+ 1 (f (bvsub b #x01)))))"
NINETY_ONE = "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 11)))))"
EVEN = """(define-funs-rec ((f ((x Nat)) Bool) (g ((x Nat)) Bool))
  ((match x ((Z true) ((S y) (g y)))) (match x ((Z false) ((S y) (f y))))))"""
FILTER = """(define-fun-rec below ((n Int) (x L)) L
  (match x ((nil nil) ((cons h t) (ite (< h n) (cons h (below n t)) (below n t))))))
(define-fun-rec f ((x L)) Int (match x ((nil 0) ((cons h t) (f (below h t))))))"""
DEAD = "(define-fun-rec f ((x Nat)) Int (match x ((Z (match x ((Z 0) ((S y) (f x))))) ((S y) 1))))"
FOREVER = "(define-fun-rec f ((n Int)) Int (+ 1 (f (+ n 1))))"

STRUCTURAL = {"functions": ["f"], "components": [{"size": {"f": [0]}}]}
TWICE = {"size": {"f": [0]}, "twice": [["node", 0]]}
BELOW = {"functions": ["below"], "components": [{"size": {"below": [1]}}]}


def problem_of(definitions: str) -> Problem:
    return parse_problem(f"{PRELUDE}{definitions}(prove true)")


def found(definitions: str) -> dict[str, Any]:
    """What the search says of the definitions, as it stands in a certificate."""
    problem = problem_of(definitions)
    names = {d.name for d in problem.signature.definitions}
    return termination_to_json(terminations_by_solver(Context(problem)).evidence(names))


def ends(definitions: str, evidence: Any) -> TerminationObligations:
    signature = problem_of(definitions).signature
    return termination_obligations(signature, termination_from_json(evidence, signature))


def shown(definitions: str, evidence: Any) -> set[str]:
    """The functions that end, going by the evidence and a solver; none where the solver denies an obligation."""
    context = Context(problem_of(definitions))
    said = ends(definitions, evidence)
    with Z3Process() as z3:
        scripts = [context.script(context.foundation(name, sequent)) for name, sequent in said.sequents]
        answers = {z3.ask(script, Limits(rlimit=2_000_000, seconds=20.0)).status for script in scripts}
    return set(said.terminating) if answers <= {"unsat"} else set()


def measured(term: str, falls: list[int], **more: str) -> dict[str, Any]:
    return {"functions": ["f", *more], "components": [{"measure": {"f": term, **more}, "falls": falls}]}


def bounded(relation: str, constant: int, measure: str = "(- 101 n)", argument: int = 0) -> dict[str, Any]:
    bound = {"relation": relation, "argument": argument, "constant": constant}
    return {"functions": ["f"], "measure": measure, "bound": bound}


MIXED_BY = [{"size": {"f": [0]}}, {"measure": {"f": "n"}, "falls": [0]}]


# ---------------------------------------------------------------------------------------------------- honest evidence


@pytest.mark.parametrize(
    ("definitions", "group", "bounds"),
    [
        (DOWN, STRUCTURAL, {}),
        (SWAP, {"functions": ["f"], "components": [{"size": {"f": [0, 1]}}]}, {}),
        (TURN, {"functions": ["f"], "components": [{"size": {"f": [0, 1]}}]}, {}),
        (RIGHT, {"functions": ["f"], "components": [{"size": {"f": [0]}}, TWICE]}, {}),
        (COUNT, measured("n", [0]), {}),
        (BITS, measured("b", [0]), {}),
        (EVEN, {"functions": ["f", "g"], "components": [{"size": {"f": [0], "g": [0]}}]}, {}),
        (FILTER, STRUCTURAL, {"below": {"arguments": [1], "spare": 0}}),
        (DEAD, {"functions": ["f"], "components": []}, {}),
        (NINETY_ONE, bounded(">=", -10), {}),
    ],
    ids=["structural", "exchanged", "summed", "twice", "measure", "bits", "mutual", "bounded", "dead", "nested"],
)
def test_what_the_search_finds_is_evidence_that_the_kernel_accepts(
    definitions: str, group: dict[str, Any], bounds: dict[str, Any]
) -> None:
    evidence = found(definitions)
    *_, last = evidence["termination"]
    assert {**last, "measure": group.get("measure")} == {**group, "measure": group.get("measure")}
    assert evidence.get("bounds", {}) == bounds
    assert "f" in shown(definitions, evidence)
    assert "f" in shown(definitions, {"termination": [*evidence["termination"][:-1], group], "bounds": bounds})


def test_components_that_are_of_no_use_take_little_time() -> None:
    heads = " ".join(f"(f{i} ((x Nat) (n Int)) Int)" for i in range(40))
    calls = " ".join(f"(f{i} y n)" for i in range(40))
    bodies = " ".join(f"(match x ((Z 0) ((S y) (+ {calls}))))" for _ in range(40))
    definitions = f"(define-funs-rec ({heads}) ({bodies}))"
    names = [f"f{i}" for i in range(40)]
    honest = {"size": {name: [0] for name in names}}
    group = {"functions": names, "components": [honest]}
    assert ends(definitions, {"termination": [group]}).terminating.issuperset(names)
    stays = {"measure": dict.fromkeys(names, "(* n n)"), "falls": [0]}
    signature = problem_of(definitions).signature
    more = {"termination": [{**group, "components": [*[stays] * 100, honest]}]}
    evidence = termination_from_json(more, signature)
    began = time.process_time()
    with pytest.raises(BadProof, match="too much to follow"):
        termination_obligations(signature, evidence)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("definitions", [ACK, MIXED])
def test_components_are_applied_one_after_the_other(definitions: str) -> None:
    evidence = found(definitions)
    ((first, second),) = [group["components"] for group in evidence["termination"]]
    assert shown(definitions, evidence) == {"f"}
    with pytest.raises(BadProof):
        ends(definitions, {"termination": [{"functions": ["f"], "components": [second, first]}]})
    with pytest.raises(BadProof, match="nothing falls at a call from f to f"):
        ends(definitions, {"termination": [{"functions": ["f"], "components": [first]}]})


def test_evidence_is_the_same_when_it_has_been_written_and_read() -> None:
    for definitions in (DOWN, TURN, RIGHT, COUNT, ACK, MIXED, BITS, NINETY_ONE, EVEN, FILTER, DEAD):
        evidence = found(definitions)
        signature = problem_of(definitions).signature
        assert termination_to_json(termination_from_json(json.loads(json.dumps(evidence)), signature)) == evidence


# ---------------------------------------------------------------------------------------------------- forged evidence


def altered(group: dict[str, Any], **change: Any) -> dict[str, Any]:
    return {**copy.deepcopy(group), **change}


@pytest.mark.parametrize(
    ("definitions", "groups", "bounds"),
    [
        # sizes
        ("(define-fun-rec f ((x Nat)) Int (f (S x)))", [STRUCTURAL], {}),
        ("(define-fun-rec f ((x Nat)) Int (f x))", [STRUCTURAL], {}),
        ("(define-fun-rec f ((x Nat)) Int (f (p x)))", [STRUCTURAL], {}),  # (p Z) may be anything
        (TURN, [STRUCTURAL], {}),  # the first argument alone may stay as large
        (DOWN, [{"functions": ["f"], "components": []}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": [1]}}]}], {}),
        (MIXED, [{"functions": ["f"], "components": [*[{"measure": {"f": "7"}, "falls": []}] * 9, *MIXED_BY]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": [-1]}}]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": []}}]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": [0, 0]}}]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": [0], "g": [0]}}]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {}}]}], {}),
        (DOWN, [{"functions": ["f"], "components": [{"size": {"f": [0]}}, {"size": {"f": [0]}}]}], {}),
        (COUNT, [STRUCTURAL], {}),  # an integer has no size
        (EVEN, [{"functions": ["f", "g"], "components": [{"size": {"f": [0]}}]}], {}),
        (RIGHT, [STRUCTURAL], {}),
        (RIGHT, [{"functions": ["f"], "components": [{"size": {"f": [0]}, "twice": [["node", 1]]}]}], {}),
        (RIGHT, [{"functions": ["f"], "components": [{"size": {"f": [0]}, "twice": [["node", 2]]}]}], {}),
        (RIGHT, [{"functions": ["f"], "components": [{"size": {"f": [0]}, "twice": [["knot", 0]]}]}], {}),
        # measures
        (COUNT, [measured("n", [])], {}),
        (COUNT, [measured("n", [1])], {}),
        (COUNT, [measured("n", [-1])], {}),
        (COUNT, [measured("n", [0, 0])], {}),
        (COUNT, [measured("(f n)", [0])], {}),
        (f"{COUNT}(define-fun h ((n Int)) Int (f n))", [measured("(h n)", [0])], {}),
        (COUNT, [measured("(> n 0)", [0])], {}),
        (EVEN, [measured("1", [0, 1], g="#x1")], {}),
        (BITS, [bounded(">=", 0, "0")], {}),
        # groups
        (EVEN, [{"functions": ["f"], "components": [{"size": {"f": [0]}}]}], {}),
        (DOWN, [STRUCTURAL, STRUCTURAL], {}),
        (DOWN, [STRUCTURAL, altered(STRUCTURAL, functions=["g"])], {}),
        (f"{DOWN}(define-fun g ((x Nat)) Int (f x))", [STRUCTURAL, altered(STRUCTURAL, functions=["g"])], {}),
        # results
        (NINETY_ONE, [bounded("=", -10)], {}),
        (NINETY_ONE, [bounded(">=", -10, argument=1)], {}),
        (NINETY_ONE, [bounded(">=", -10, "(f n)")], {}),
        (EVEN, [bounded(">=", 0, "0")], {}),
        # bounds on sizes
        (FILTER, [BELOW, STRUCTURAL], {}),
        (FILTER, [BELOW, STRUCTURAL], {"below": {"arguments": [1], "spare": 1}}),
        (FILTER, [BELOW, STRUCTURAL], {"below": {"arguments": [0], "spare": 0}}),
        (FILTER, [BELOW, STRUCTURAL], {"below": {"arguments": [1], "spare": -1}}),
        (FILTER, [BELOW, STRUCTURAL], {"below": {"arguments": [1], "spare": 0}, "f": {"arguments": [0], "spare": 0}}),
        (FILTER, [STRUCTURAL], {"below": {"arguments": [1], "spare": 0}}),  # nothing says that below ends
        (FILTER, [BELOW, STRUCTURAL], {"below": {"arguments": [1], "spare": 0}, "h": {"arguments": [], "spare": 0}}),
        (
            f"(define-fun grow ((x L)) L (cons 1 x)){DOWN}",
            [STRUCTURAL],
            {"grow": {"arguments": [0], "spare": 0}},
        ),
        (
            "(define-fun-rec e ((x L)) L (e x))"
            "(define-fun-rec f ((x L)) Int (match x ((nil 0) ((cons h t) (f (e t))))))",
            [STRUCTURAL],
            {"e": {"arguments": [0], "spare": 0}},
        ),
    ],
)
def test_evidence_that_does_not_show_what_it_claims_is_refused(
    definitions: str, groups: list[Any], bounds: dict[str, Any]
) -> None:
    with pytest.raises((BadProof, CodecError)):
        ends(definitions, {"termination": groups, "bounds": bounds})


@pytest.mark.parametrize(
    ("definitions", "group"),
    [
        (FOREVER, measured("n", [0])),
        (FOREVER, measured("(- n)", [0])),  # falls, but not from above zero
        ("(define-fun-rec f ((n Int)) Int (ite (= n 0) 0 (f (- n 1))))", measured("n", [0])),
        ("(define-fun-rec f ((n Int)) Int (f n))", measured("n", [0])),
        ("(define-fun-rec f ((b (_ BitVec 8))) Int (f (bvsub b #x01)))", measured("b", [0])),
        (ACK, {"functions": ["f"], "components": [{"measure": {"f": "m"}, "falls": [0, 1, 2]}]}),
        (
            ACK,
            {
                "functions": ["f"],
                "components": [{"measure": {"f": "n"}, "falls": [0]}, {"measure": {"f": "m"}, "falls": [0, 1]}],
            },
        ),
        (NINETY_ONE, bounded(">=", 0)),
        (NINETY_ONE, bounded("<=", -10)),
        (NINETY_ONE, bounded(">=", -10, "n")),
        (NINETY_ONE, bounded(">=", -11)),
        ("(define-fun-rec f ((n Int)) Int (ite (> (f n) 0) 0 1))", bounded(">=", 0, "n")),
        (NINETY_ONE.replace("(f (+ n 11))", "(ite (> n 50) (f (+ n 11)) (f n))"), bounded(">=", -10)),
        (NINETY_ONE.replace("(> n 100)", "(> (f n) 100)"), bounded(">=", -10)),
        (NINETY_ONE.replace("(+ n 11)", "(+ n 10)"), bounded(">=", -10)),
        (
            f"{COUNT.replace('(- n 1)', '(g n)')}".replace("(define", "(declare-fun g (Int) Int)(define", 1),
            measured("n", [0]),
        ),
    ],
)
def test_measures_that_do_not_fall_and_bounds_that_are_not_kept_are_denied_by_the_solver(
    definitions: str, group: dict[str, Any]
) -> None:
    assert ends(definitions, {"termination": [group]}).sequents
    assert shown(definitions, {"termination": [group]}) == set()


@pytest.mark.parametrize(
    "evidence",
    [
        [],
        {"termination": {}},
        {"termination": [[]]},
        {"termination": [{"functions": ["f"]}]},
        {"termination": [{"functions": "f", "components": []}]},
        {"termination": [{**STRUCTURAL, "method": "structural"}]},
        {"termination": [{"functions": ["f"], "components": [{"size": {"f": [0]}, "falls": [0]}]}]},
        {"termination": [{"functions": ["f"], "components": [{"size": {"f": ["0"]}}]}]},
        {"termination": [{"functions": ["f"], "components": [{"size": {"f": [False]}}]}]},
        {"termination": [{"functions": ["f"], "components": [{"size": {"f": [0]}, "twice": [["node"]]}]}]},
        {"termination": [measured("y", [0])]},
        {"termination": [measured("(", [0])]},
        {"termination": [measured("n", ["0"])]},  # type: ignore[list-item]
        {"termination": [{"functions": ["f", "g"], "measure": "0", "bound": {}}]},
        {"bounds": []},
        {"bounds": {"f": {"arguments": [0]}}},
        {"bounds": {"f": {"arguments": [0], "spare": 0.5}}},
    ],
)
def test_evidence_of_another_form_is_refused(evidence: Any) -> None:
    with pytest.raises(CodecError):
        ends(DOWN, evidence)


# -------------------------------------------------------------------------------------------------------- certificates


def with_termination(certificate: Path, text: bytes, folder: Path, groups: Any) -> CheckReport:
    evidence = {**evidence_of(certificate), "termination": groups}
    return check_certificate(forge(folder, text, evidence), text)


def test_a_certificate_with_forged_evidence_is_refused(certificates: dict[str, Path], tmp_path: Path) -> None:
    add, gauss = certificates["add_associative"], certificates["gauss"]
    (honest,) = evidence_of(add)["termination"]
    assert with_termination(add, proofs.ADD_ASSOCIATIVE, tmp_path / "0", [honest]).verdict is Verdict.PROVED
    for number, size in enumerate(([1], [5], [])):
        forged = {"functions": ["add"], "components": [{"size": {"add": size}}]}
        report = with_termination(add, proofs.ADD_ASSOCIATIVE, tmp_path / f"a{number}", [forged])
        assert report.refused and not report.accepted and "termination of add" in report.reasons[0]
    for number, measure in enumerate(("(- n)", "0", "(* n n)")):
        forged = {"functions": ["sum"], "components": [{"measure": {"sum": measure}, "falls": [0]}]}
        report = with_termination(gauss, proofs.GAUSS, tmp_path / f"b{number}", [forged])
        assert measure == "(* n n)" or (report.refused and "termination 1: does not hold" in report.reasons[0])
        assert report.accepted == (measure == "(* n n)")


def test_what_an_older_version_wrote_is_not_accepted_and_names_the_functions(
    certificates: dict[str, Path], tmp_path: Path
) -> None:
    evidence = {k: v for k, v in evidence_of(certificates["length_of_append"]).items() if k != "termination"}
    path = forge(tmp_path / "x", proofs.LENGTH_OF_APPEND, evidence, honest_ends=False)
    report = check_certificate(path, proofs.LENGTH_OF_APPEND)
    assert report.verdict is Verdict.UNKNOWN
    assert "append: the certificate gives no evidence of termination" in report.reasons[0]
    assert "len: the certificate gives no evidence of termination" in report.reasons[0]
    assert "written by version" in report.reasons[0]


def test_what_is_not_shown_to_end_may_only_be_assumed_and_gives_no_induction(tmp_path: Path) -> None:
    text = f"{FOREVER}(prove (= (f 0) (+ 1 (f 1))))".encode()
    goal = sequent_of(parse_problem(text).goal)
    proof = Derivation((Step("goal", goal, Query()),))
    path = write_certificate(text, proof, tmp_path / "x", assume_definitions=True)
    assert "termination" not in evidence_of(path)
    assert "f: the certificate gives no evidence of termination" in check_certificate(path, text).reasons[0]
    claimed = {**evidence_of(path), "termination": [measured("n", [0])]}
    forged = check_certificate(
        forge(tmp_path / "y", text, claimed, assume_definitions=True), text, assume_definitions=True
    )
    assert forged.refused and not forged.accepted


def test_a_counterexample_carries_the_evidence_that_its_level_rests_on(tmp_path: Path) -> None:
    text = f"{COUNT}(prove (forall ((n Int)) (> (f n) 0)))".encode()
    path = write_counterexample(text, {"n": 1}, tmp_path / "x")
    assert evidence_of(path)["termination"] == [measured("n", [0])]
    assert check_certificate(path, text).trust_level is TrustLevel.CONFIRMED
    bare = {k: v for k, v in evidence_of(path).items() if k != "termination"}
    script = (path / "obligations.smt2").read_bytes().split(b"(reset)")[0]
    report = check_certificate(
        forge(tmp_path / "y", text, bare, script=script, claim="counterexample", honest_ends=False), text
    )
    assert (report.verdict, report.trust_level) == (Verdict.REFUTED, TrustLevel.REBUILT)
    for groups in ([measured("(- n)", [0])], [measured("n", [])], [STRUCTURAL]):
        claimed = {**bare, "termination": groups}
        forged = forge(tmp_path / "z", text, claimed, script=script, claim="counterexample")
        assert not check_certificate(forged, text).accepted


def test_the_proof_of_a_premise_brings_no_evidence_of_its_own(tmp_path: Path) -> None:
    text = f"{PRELUDE}{DOWN}(assert (= (f Z) 0))(prove (= (f (S Z)) 0))".encode()
    problem = parse_problem(text)
    step = {"id": "goal", "sequent": "(sequent () () (= (f Z) 0))"}
    query = {"cites": [], "instances": [], "equations": True, "quantified": True}
    inner = {"steps": [{**step, "query": query}], "termination": [STRUCTURAL]}
    goal = {"id": "goal", "sequent": "(sequent () () (= (f (S Z)) 0))", "query": query}
    evidence = with_ends(text, {"steps": [goal], "premises": {"names": [problem.premises[0].name], "proof": inner}})
    assert not check_certificate(forge(tmp_path / "x", text, evidence), text).accepted


# ------------------------------------------------------------------------------------------------------ random evidence


def random_group(rng: random.Random, functions: list[str], params: int) -> dict[str, Any]:
    def component() -> dict[str, Any]:
        if rng.random() < 0.7:
            twice = [["S", 0]] if rng.random() < 0.2 else []
            at = {f: sorted(rng.sample(range(params), rng.randint(1, params))) for f in functions}
            return {"size": at, **({"twice": twice} if twice else {})}
        return {"measure": dict.fromkeys(functions, rng.choice(["0", "1"])), "falls": [0] * rng.randint(0, 1)}

    return {"functions": functions, "components": [component() for _ in range(rng.randint(0, 3))]}


ENDLESS = [
    "(define-fun-rec f ((x Nat) (y Nat)) Int (match x ((Z (f y y)) ((S a) (f a y)))))",
    "(define-fun-rec f ((x Nat) (y Nat)) Int (match x ((Z 0) ((S a) (f y x)))))",
    "(define-fun-rec f ((x Nat) (y Nat)) Int (match x ((Z 0) ((S a) (f (S a) (S y))))))",
    "(define-fun-rec f ((x Nat) (y Nat)) Int (match x ((Z 0) ((S a) (ite ((_ is Z) y) (f a (S x)) (f (S x) (p y)))))))",
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("definition", ENDLESS)
def test_no_evidence_whatever_shows_that_what_goes_on_for_ever_ends(definition: str) -> None:
    rng = random.Random(definition)
    assert "termination" not in found(definition)
    for _ in range(150):
        try:
            assert shown(definition, {"termination": [random_group(rng, ["f"], 2)]}) == set()
        except (BadProof, InvalidInput):
            continue
