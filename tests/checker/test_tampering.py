"""Every way to spoil a certificate that we could think of is refused, with a reason."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import proofs
import pytest
from forge import evidence_of, forge, script_of_counterexample, with_ends

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.by_language import check_any
from goedels_poetry.checker.certificate.archive import FILES, BadCertificate, canonical, read_archive
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.limits import Limits

SHORT = Limits(seconds=0.15)
Spoil = Callable[[str], Path]


def refused(path: Path, against: bytes | None = None) -> str:
    """Assert that the certificate is refused; returns why."""
    report = check_certificate(path, against)
    assert not report.accepted and report.verdict is not Verdict.PROVED, report
    assert report.refused and report.reasons, report
    return report.reasons[0]


def not_accepted(path: Path, against: bytes | None = None) -> str:
    """Assert that the certificate shows nothing, be it refused or not decided; returns why."""
    report = check_certificate(path, against, limits=SHORT)
    assert not report.accepted and report.verdict is not Verdict.PROVED, report
    return report.reasons[0]


# ------------------------------------------------------------------------------------------- plain damage


def test_no_flipped_byte_passes(spoil: Spoil) -> None:
    """Every third byte of each file, with one bit changed: no archive. Every thirty-ninth: no proof to the checker."""
    path = spoil("gauss")
    flipped = 0
    for file in FILES:
        whole = (path / file).read_bytes()
        for position in range(len(file) % 3, len(whole), 3):
            bit = 1 << position % 7
            damaged = whole[:position] + bytes([whole[position] ^ bit]) + whole[position + 1 :]
            (path / file).write_bytes(damaged)
            with pytest.raises(BadCertificate):
                read_archive(path)
            if flipped % 13 == 0:
                refused(path)
            flipped += 1
        (path / file).write_bytes(whole)
    assert flipped > 1000
    assert check_certificate(path).accepted


@pytest.mark.parametrize("file", FILES)
def test_a_file_cut_short_emptied_lengthened_or_removed(spoil: Spoil, file: str) -> None:
    path = spoil("gauss")
    whole = (path / file).read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole + b"\n", whole + whole, b"\xff\xfe"):
        (path / file).write_bytes(damaged)
        refused(path)
    (path / file).unlink()
    refused(path)


def test_a_further_file_a_link_or_a_folder_in_place_of_a_file(spoil: Spoil) -> None:
    path = spoil("gauss")
    (path / "notes.txt").write_text("trust me")
    assert "notes.txt" in refused(path)
    (path / "notes.txt").unlink()
    (path / "theorem.smt2").rename(path.parent / "elsewhere.smt2")
    os.symlink(path.parent / "elsewhere.smt2", path / "theorem.smt2")
    refused(path)
    (path / "theorem.smt2").unlink()
    (path / "theorem.smt2").mkdir()
    refused(path)
    refused(path / "theorem.smt2")
    refused(path / "nothing here")


def test_files_of_two_certificates_do_not_mix(certificates: dict[str, Path], spoil: Spoil) -> None:
    path = spoil("gauss")
    for file in FILES:
        whole = (path / file).read_bytes()
        (path / file).write_bytes((certificates["add_associative"] / file).read_bytes())
        refused(path)
        (path / file).write_bytes(whole)


# -------------------------------------------------------------------------- a forger who fixes all hashes


@pytest.mark.parametrize("name", proofs.ALL)
def test_an_honest_forgery_is_accepted(certificates: dict[str, Path], tmp_path: Path, name: str) -> None:
    """The forger's tools work, so the refusals below are due to what was changed."""
    theorem = proofs.ALL[name][0]
    path = forge(tmp_path / "x", theorem, evidence_of(certificates[name]))
    assert check_certificate(path, theorem).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(+ n 1)", b"(+ n 2)"),  # another goal
        (b"(>= n 0)", b"(>= n 1)"),  # a stronger hypothesis
        (b"(<= n 0) 0", b"(<= n 0) 1"),  # another definition
        (b"(- n 1)", b"(+ n 1)"),  # one that does not terminate
        (b"(prove", b"(assert (= 0 1))\n(prove"),  # a premise too many
    ],
)
def test_an_edited_theorem_is_refused_even_with_right_hashes(
    certificates: dict[str, Path], tmp_path: Path, old: bytes, new: bytes
) -> None:
    edited = proofs.GAUSS.replace(old, new, 1)
    assert edited != proofs.GAUSS
    path = forge(tmp_path / "x", edited, evidence_of(certificates["gauss"]))
    assert "another text" in refused(path, proofs.GAUSS)
    not_accepted_as_proved(path, edited)


def not_accepted_as_proved(path: Path, against: bytes) -> None:
    assert check_certificate(path, against).verdict is not Verdict.PROVED


def _steps(evidence: Any) -> dict[str, Any]:
    return {s["id"]: s for s in evidence["steps"]}


def _no_hypothesis_dropped_base(e: Any) -> None:
    del e["steps"][0]
    e["steps"][-1]["cites"].pop(0)


def _goal_by_itself(e: Any) -> None:
    e["steps"][-1]["cites"] = [e["steps"][-1]["id"]]


def _goal_by_nothing(e: Any) -> None:
    e["steps"][-1]["cites"] = []


def _case_twice(e: Any) -> None:
    e["steps"][-1]["cites"][1] = e["steps"][-1]["cites"][0]


def _cases_swapped(e: Any) -> None:
    e["steps"][-1]["cites"].reverse()


def _goal_first(e: Any) -> None:
    e["steps"].insert(0, e["steps"].pop())


def _other_depth(e: Any) -> None:
    e["steps"][-1]["scheme"]["depth"] = 2


def _less_general(e: Any) -> None:
    e["steps"][-1]["scheme"]["general"] = []


def _same_id(e: Any) -> None:
    e["steps"][0]["id"] = e["steps"][1]["id"]


def _odd_id(e: Any) -> None:
    e["steps"][0]["id"] = e["steps"][-1]["cites"][0] = "case0\n(check-sat)"


def _no_steps(e: Any) -> None:
    e["steps"] = []


def _goal_dropped(e: Any) -> None:
    e["steps"].pop()


def _circle(e: Any) -> None:
    goal = e["steps"][-1]["id"]
    for step in e["steps"][:-1]:
        step["query"]["cites"] = [goal]


def _unknown_key(e: Any) -> None:
    e["steps"][0]["trusted"] = True


def _unknown_scheme(e: Any) -> None:
    e["steps"][-1]["scheme"] = {"kind": "oracle"}


def _both_rules(e: Any) -> None:
    e["steps"][-1]["query"] = e["steps"][0]["query"]


def _truth_for_a_flag(e: Any) -> None:
    e["steps"][0]["query"]["equations"] = 1


def _unbound_variable(e: Any) -> None:
    e["steps"][0]["sequent"] = "(sequent () () (= stray stray))"


def _false_lemma(e: Any) -> None:
    e["steps"].insert(0, {**copy.deepcopy(e["steps"][0]), "id": "lie", "sequent": "(sequent () () false)"})
    for step in e["steps"][1:-1]:
        step["query"]["cites"] = ["lie"]


def _fake_instance(e: Any) -> None:
    e["steps"][0]["query"]["instances"] = [{"of": "hyp", "name": "7", "args": []}]


def _instance_of_nothing(e: Any) -> None:
    e["steps"][0]["query"]["instances"] = [{"of": "def", "name": "nothing", "args": []}]


def _instance_of_the_goal(e: Any) -> None:
    e["steps"][0]["query"]["instances"] = [{"of": "step", "name": "goal", "args": []}]


def _command_in_a_term(e: Any) -> None:
    e["steps"][0]["sequent"] = "(sequent () () true))\n(assert false"


@pytest.mark.parametrize(
    "change",
    [
        _no_hypothesis_dropped_base,
        _goal_by_itself,
        _goal_by_nothing,
        _case_twice,
        _cases_swapped,
        _goal_first,
        _other_depth,
        _less_general,
        _same_id,
        _odd_id,
        _no_steps,
        _goal_dropped,
        _circle,
        _unknown_key,
        _unknown_scheme,
        _both_rules,
        _truth_for_a_flag,
        _unbound_variable,
        _false_lemma,
        _fake_instance,
        _instance_of_nothing,
        _instance_of_the_goal,
        _command_in_a_term,
    ],
    ids=lambda change: change.__name__.strip("_"),
)
def test_a_changed_derivation_is_refused_even_with_right_hashes(
    certificates: dict[str, Path], tmp_path: Path, change: Callable[[Any], None]
) -> None:
    evidence = evidence_of(certificates["add_associative"])
    change(evidence)
    not_accepted(forge(tmp_path / "x", proofs.ADD_ASSOCIATIVE, evidence), proofs.ADD_ASSOCIATIVE)


@pytest.mark.parametrize("case", [0, 1])
def test_a_case_with_its_induction_hypothesis_changed_is_refused(
    certificates: dict[str, Path], tmp_path: Path, case: int
) -> None:
    evidence = evidence_of(certificates["add_associative"])
    sequent = evidence["steps"][case]["sequent"]
    changes = [
        sequent.replace("(forall ((b Nat) (c Nat)) (= (add a1", "(forall ((b Nat) (c Nat)) (= (add (succ a1)", 1),
        sequent.replace("(succ a1)", "a1"),
        sequent.replace(" zero ", " b "),
    ]
    tried = 0
    for changed in changes:
        if changed != sequent:
            tried += 1
            spoilt = copy.deepcopy(evidence)
            spoilt["steps"][case]["sequent"] = changed
            not_accepted(forge(tmp_path / "x", proofs.ADD_ASSOCIATIVE, spoilt), proofs.ADD_ASSOCIATIVE)
    assert tried


def test_without_its_hypothesis_or_its_guard_the_step_does_not_hold(
    certificates: dict[str, Path], tmp_path: Path
) -> None:
    evidence = evidence_of(certificates["gauss"])
    step = evidence["steps"][2]["sequent"]
    hypothesis = "(=> (>= (- n 1) 0) (= (* 2 (sum (- n 1))) (* (- n 1) (+ (- n 1) 1))))"
    assert hypothesis in step
    for changed in (step.replace(hypothesis, ""), step.replace("(>= n 1)", ""), step.replace("(>= n 1)", "(>= n 2)")):
        assert changed != step
        spoilt = copy.deepcopy(evidence)
        spoilt["steps"][2]["sequent"] = changed
        not_accepted(forge(tmp_path / "x", proofs.GAUSS, spoilt), proofs.GAUSS)


def test_a_lemma_used_before_it_is_proved_is_refused(certificates: dict[str, Path], tmp_path: Path) -> None:
    evidence = evidence_of(certificates["add_commutative"])
    steps = _steps(evidence)
    order = ["case0", "case1", *[n for n in steps if n not in ("case0", "case1")]]
    evidence["steps"] = [steps[n] for n in order]
    assert "not proved before" in refused(forge(tmp_path / "x", proofs.ADD_COMMUTATIVE, evidence))


def test_every_obligation_is_needed_in_the_script(certificates: dict[str, Path], tmp_path: Path) -> None:
    evidence = evidence_of(certificates["gauss"])
    script = (certificates["gauss"] / "obligations.smt2").read_text()
    parts = script.split("(push 1)\n")
    for i in range(1, len(parts)):
        less = "(push 1)\n".join(parts[:i] + parts[i + 1 :]).encode()
        assert "left out" in refused(forge(tmp_path / "x", proofs.GAUSS, evidence, script=less))
    swapped = script.replace("(assert (not ", "(assert (and ", 1).encode()
    refused(forge(tmp_path / "x", proofs.GAUSS, evidence, script=swapped))
    refused(forge(tmp_path / "x", proofs.GAUSS, evidence, script=script.encode() + b"(exit)\n"))


@pytest.mark.parametrize("claim", ["negation proved", "inconsistent", "counterexample"])
def test_a_proof_shows_nothing_but_what_it_proves(certificates: dict[str, Path], tmp_path: Path, claim: str) -> None:
    evidence = evidence_of(certificates["gauss"])
    script = (certificates["gauss"] / "obligations.smt2").read_bytes()
    refused(forge(tmp_path / "x", proofs.GAUSS, evidence, script=script, claim=claim))


def test_a_false_statement_has_no_proof_whatever_the_scheme(tmp_path: Path) -> None:
    """Each honest application of a scheme to a false goal leaves an obligation that fails."""
    from goedels_poetry.kernel.derivation import Derivation
    from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, StructuralInduction
    from goedels_poetry.kernel.schemas import CaseSplit, ConstructorSplit, Contradiction
    from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem, parse_term

    def attempt(text: bytes, scheme: Any) -> None:
        problem = parse_problem(text)
        steps = Derivation(tuple(proofs.by_scheme(problem, scheme)))
        not_accepted(forge(tmp_path / "x", text, derivation_to_json(steps)), text)

    text = proofs.ADD_IDEMPOTENT
    for depth in (1, 2, 3):
        attempt(text, StructuralInduction("a", (), depth))
    attempt(text, ConstructorSplit("a"))
    attempt(text, Contradiction())
    text = proofs.GAUSS.replace(b"(+ n 1)))", b"(+ n 2)))")
    problem = parse_problem(text)
    (n,) = proofs.goal_of(problem).vars
    number = parse_term("0", problem.signature, ())
    for width in (1, 2, 3):
        attempt(text, IntInduction("n", number, (), width=width))
        attempt(text, IntInduction("n", number, (), upward=False, width=width))
    attempt(text, MeasureInduction(n))
    attempt(text, MeasureInduction(n, ((parse_term("(- n 1)", problem.signature, (n,)),),)))
    attempt(text, MeasureInduction(n, ((n,),)))
    attempt(text, CaseSplit(parse_term("(> n 5)", problem.signature, (n,))))


# ---------------------------------------------------------------------------------------- counterexamples


ANIMAL = {"element": {"sort": "Animal", "number": 0}}


def test_a_forged_counterexample_is_refused(tmp_path: Path) -> None:
    def attempt(text: bytes, values: Any, table: Any = ()) -> None:
        evidence = with_ends(text, {"values": values, "table": list(table)})
        script = script_of_counterexample(text, evidence)
        refused(forge(tmp_path / "x", text, evidence, script=script, claim="counterexample"), text)

    for value in (0, 5, True, "n", {"integer": "7"}, {"real": "1/2"}, {"tuple": []}, None, [1]):
        attempt(proofs.GAUSS, {"n": value})
    attempt(proofs.GAUSS, {})
    attempt(proofs.GAUSS, {"n": 1, "m": 2})
    attempt(proofs.GAUSS, {"n": 3}, [{"function": "sum", "args": [3], "value": 0}])
    attempt(proofs.ADD_IDEMPOTENT, {"a": {"tuple": ["zero", {"tuple": ["zero"]}]}})
    attempt(proofs.ADD_IDEMPOTENT, {"a": {"tuple": ["succ", 3]}})
    attempt(proofs.PREMISES, {}, [{"function": "purrs", "args": [ANIMAL], "value": False}])


def test_the_manifest_claims_nothing_that_counts(certificates: dict[str, Path], tmp_path: Path) -> None:
    path = forge(tmp_path / "x", proofs.GAUSS, evidence_of(certificates["gauss"]))
    manifest = json.loads((path / "manifest.json").read_text())
    for key, value in [("verdict", "proved"), ("trust_level", "L3")]:
        spoilt = {**manifest, key: value}
        (path / "manifest.json").write_bytes(canonical(spoilt))
        refused(path)


def test_a_manifest_that_is_nested_too_deeply_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"a":' * 100_000 + "0" + "}" * 100_000)
    report = check_any(tmp_path, None)
    assert report.refused and report.reasons == ("manifest.json is nested too deeply",)
