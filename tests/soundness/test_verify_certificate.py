"""The second checker, `scripts/verify_certificate.py`: what the package accepts holds, and forgeries are refused."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from drive import verdict
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.reading.parser import parse_problem, parse_sequent
from goedels_poetry.kernel.schemas import RecursionInduction, Scheme, StructuralInduction, instances

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "verify_certificate.py"
THEOREMS = ROOT / "theorems" / "smt"
Json = dict[str, Any]

QUICK = [
    "addition_commutes",  # structural induction, generalised
    "gauss_sum",  # a measure for the definition
    "mirror_twice",  # a parametric datatype
    "reverse_append_wrong",  # a counterexample
    "rumour",  # contradictory premises
]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_certificate", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verify_certificate"] = module
    spec.loader.exec_module(module)
    return module


second = load()


def judged(certificate: Path, theorem: Path | None = None, solver: str = "z3") -> Any:
    return second.judged(certificate, theorem, [second.find_solver(solver)], 10.0)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The certificate of a theorem; made when it is first asked for."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            report = verdict((THEOREMS / f"{name}.smt2").read_text(), folder)
            assert report["trust_level"], report
            made[name] = folder / "x.cert"
        return made[name]

    return of


@pytest.mark.parametrize("name", QUICK)
def test_what_the_package_accepts_holds_by_either_solver(name: str, certificate: Callable[[str], Path]) -> None:
    for solver in ("z3", "cvc5"):
        report = judged(certificate(name), THEOREMS / f"{name}.smt2", solver)
        assert report.verdict == second.HOLDS, (solver, report)


def test_the_command_line(certificate: Callable[[str], Path]) -> None:
    found = certificate("addition_commutes")

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout

    code, out = run(str(found), "--theorem", str(THEOREMS / "addition_commutes.smt2"), "--json", "--solver", "z3")
    assert code == 0 and json.loads(out)["verdict"] == "holds"
    code, out = run(str(found), "--theorem", str(THEOREMS / "drinker.smt2"), "--json")
    assert code == 1 and "another text" in json.loads(out)["reason"]
    code, out = run(str(found.parent), "--json", "--solver", "z3")  # a folder of certificates
    assert code == 0 and len(out.splitlines()) == 1


def test_it_imports_nothing_of_the_package() -> None:
    text = SCRIPT.read_text()
    assert "goedels" not in text
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {a.name for n in imports if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module or "" for n in imports if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


# ------------------------------------------------------------------------------------------------ forgeries

Tampering = Callable[[str, Json], tuple[str, Json]]


def edited(number: int, **changes: Any) -> Tampering:
    """One step with other entries."""

    def tamper(text: str, evidence: Json) -> tuple[str, Json]:
        evidence["steps"][number - 1] |= changes
        return text, evidence

    return tamper


def dropped(number: int) -> Tampering:
    return lambda text, evidence: (
        text,
        {**evidence, "steps": [s for i, s in enumerate(evidence["steps"], 1) if i != number]},
    )


def rewritten(old: str, new: str) -> Tampering:
    return lambda text, evidence: (text.replace(old, new), evidence)


def cyclic(text: str, evidence: Json) -> tuple[str, Json]:
    evidence["steps"][0]["query"]["cites"] = ["7"]
    return text, evidence


def helped(text: str, evidence: Json) -> tuple[str, Json]:
    """A case of the induction with a hypothesis that nobody granted."""
    step = evidence["steps"][1]
    step["sequent"] = step["sequent"].replace("((= (add zero m1)", "((= m1 zero) (= (add zero m1)")
    return text, evidence


def stronger(text: str, evidence: Json) -> tuple[str, Json]:
    """An induction hypothesis at the value itself."""
    step = evidence["steps"][1]
    step["sequent"] = step["sequent"].replace(
        "((= (add zero m1) (add m1 zero)))", "((= (add zero (succ m1)) (add (succ m1) zero)))"
    )
    return text, evidence


TAMPERED: dict[str, Tampering] = {
    "another goal": rewritten("(= (add n m) (add m n))))", "(= (add n m) n)))"),
    "another definition": rewritten("(succ (add k m))", "(add k m)"),
    "a premise more": rewritten("(prove", "(assert (= zero (succ zero)))\n(prove"),
    "a dropped step": dropped(2),
    "no theorem at the end": dropped(7),
    "a scheme without hypotheses": edited(7, scheme={"kind": "constructors", "on": "n"}),
    "a scheme on another variable": edited(7, scheme={"kind": "structural", "on": "m", "general": ["n"], "depth": 1}),
    "a hypothesis not general": edited(7, scheme={"kind": "structural", "on": "n", "general": [], "depth": 1}),
    "a case twice, another not at all": edited(7, cites=["6", "6"]),
    "a citation of what comes later": cyclic,
    "a hypothesis from nowhere": helped,
    "the goal as its own hypothesis": stronger,
    "a step of the same name": edited(7, id="6"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_forgeries_are_refused_by_both(what: str, certificate: Callable[[str], Path], tmp_path: Path) -> None:
    theorem = THEOREMS / "addition_commutes.smt2"
    evidence = evidence_of(certificate("addition_commutes"))
    assert len(evidence["steps"]) == 7
    text, evidence = TAMPERED[what](theorem.read_text(), evidence)
    forged = forge(tmp_path / "x.cert", text.encode(), evidence)
    assert not check_certificate(forged, theorem.read_bytes()).accepted
    report = judged(forged, theorem)
    assert report.verdict == second.REFUSED, report
    if what != "a premise more":  # also where the forger brings the theorem along; from that premise anything follows
        assert not check_certificate(forged).accepted
        assert judged(forged).verdict != second.HOLDS


def test_an_edited_file_is_refused(certificate: Callable[[str], Path], tmp_path: Path) -> None:
    for name in ("theorem.smt2", "derivation.json", "obligations.smt2", "manifest.json"):
        copy = tmp_path / name
        copy.mkdir()
        for file in certificate("addition_commutes").iterdir():
            (copy / file.name).write_bytes(file.read_bytes() + (b" " if file.name == name else b""))
        if name != "manifest.json":  # of which only the entries matter, not the blanks
            assert judged(copy).verdict == second.REFUSED
        assert not check_certificate(copy).accepted


NATS = "(declare-datatypes ((N 0)) (((z) (s (p N)))))\n"


def forged_query(tmp_path: Path, text: str, *, instances: list[Json] | None = None, concl: str = "false") -> Path:
    query = {"cites": [], "instances": instances or [], "equations": True, "quantified": True}
    step = {"id": "1", "sequent": f"(sequent () () {concl})", "query": query}
    return forge(tmp_path / "x.cert", text.encode(), {"steps": [step]})


@pytest.mark.parametrize(
    "text",
    [
        "(define-fun-rec f ((x Int)) Int (+ 1 (f x)))",
        "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (+ 1 (f (- x 1)))))",  # not for negative numbers
        f"{NATS}(define-fun-rec f ((x N)) Int (ite ((_ is z) x) 0 (+ 1 (f (s (p x))))))",
        f"{NATS}(define-fun-rec f ((x N)) Int (+ 1 (f (p x))))",  # the part of zero may be anything
        "(define-fun f ((x Int)) Int 0)\n(define-funs-rec ((g ((x Int)) Int) (h ((x Int)) Int)) ((+ 1 (h x)) (g x)))",
    ],
)
def test_definitions_that_may_contradict_themselves_give_nothing(text: str, tmp_path: Path) -> None:
    text += "\n(prove false)\n"
    at = "z" if NATS in text else "0"
    instance = [{"of": "def", "name": "f", "args": [at]}]
    forged = forged_query(tmp_path, text, instances=instance)
    assert not check_certificate(forged).accepted
    assert judged(forged).verdict != second.HOLDS


@pytest.mark.parametrize(
    "text",
    [
        "(declare-datatypes ((E 0)) (((mk (of E)))))\n(prove false)",  # a sort without values
        "(declare-fun true () Bool)\n(prove true)",
        "(declare-fun |and| (Bool Bool) Bool)\n(prove (and true true))",
        f"{NATS}(declare-fun z () Int)\n(prove (= z 0))",
        "(prove (forall ((true Bool)) true))",
        f"{NATS}(define-fun f ((x N)) N (match x (((s y) y))))\n(prove (= (f z) z))",
        "(prove true)\n(prove false)",
        "(assert (not true))\n(assert (=> (= 0 0) false))\n(check-sat)\n(assert (not (= 0 0)))",
    ],
)
def test_texts_that_are_no_theorems_are_not_judged(text: str, tmp_path: Path) -> None:
    sound = forged_query(tmp_path, "(prove (= 0 0))", concl="true")
    theorem = text.encode()
    manifest = json.loads((sound / "manifest.json").read_bytes())
    (sound / "theorem.smt2").write_bytes(theorem)
    manifest["files"]["theorem.smt2"] = second.hashlib.sha256(theorem).hexdigest()
    del manifest["manifest_sha256"]
    seal = json.dumps(manifest, sort_keys=True, indent=2) + "\n"
    manifest["manifest_sha256"] = second.hashlib.sha256(seal.encode()).hexdigest()
    (sound / "manifest.json").write_text(json.dumps(manifest, sort_keys=True, indent=2) + "\n")
    assert not check_certificate(sound).accepted
    assert judged(sound).verdict != second.HOLDS


def by_scheme(text: str, goal: str, scheme: Scheme) -> tuple[Step, ...]:
    """A goal from its instances, which a solver shows."""
    signature = parse_problem(text).signature
    sequent = parse_sequent(goal, signature)
    cases = [Step(f"c{i}", s, Query()) for i, s in enumerate(instances(sequent, scheme, signature))]
    return (*cases, Step("lemma", sequent, ByScheme(scheme, tuple(c.id for c in cases))))


def test_induction_along_a_function(tmp_path: Path) -> None:
    text = f"""{NATS}(define-fun-rec copy ((n N)) N
      (match n ((z z) ((s m) (match m ((z (s z)) ((s k) (s (s (copy k))))))))))
    (prove (forall ((n N)) (= (copy n) n)))"""
    signature = parse_problem(text).signature
    n = parse_sequent("(sequent ((n N)) () (= n n))", signature).vars
    steps = by_scheme(text, "(sequent ((n N)) () (= (copy n) n))", RecursionInduction("copy", n))
    found = write_certificate(text.encode(), Derivation(steps), tmp_path / "x.cert")
    for solver in ("z3", "cvc5"):
        assert judged(found, None, solver).verdict == second.HOLDS
    evidence = evidence_of(found)  # the hypothesis at what is not below: at n - 1
    step = evidence["steps"][2]
    assert "((= (copy n2) n2))" in step["sequent"]
    step["sequent"] = step["sequent"].replace("((= (copy n2) n2))", "((= (copy (s n2)) (s n2)))")
    forged = forge(tmp_path / "y.cert", text.encode(), evidence)
    assert not check_certificate(forged).accepted
    assert judged(forged).verdict == second.REFUSED


def test_premises_that_only_an_induction_contradicts(tmp_path: Path) -> None:
    text = """(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
    (define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
    (declare-const xs L)
    (assert (! (< (len xs) 0) :named short))
    (prove (>= (len xs) 0))"""
    lemma = by_scheme(text, "(sequent ((x L)) () (>= (len x) 0))", StructuralInduction("x", ()))
    goal = parse_sequent("(sequent () () (>= (len xs) 0))", parse_problem(text).signature)
    steps = (*lemma, Step("goal", goal, Query((lemma[-1].id,))))
    report = judged(write_certificate(text.encode(), Derivation(steps), tmp_path / "x.cert"))
    assert report.verdict == second.REFUSED and "contradict" in report.reason


def test_only_the_bare_word_counts(tmp_path: Path, certificate: Callable[[str], Path]) -> None:
    liars = ("unsat", 'unsat\n(error "line 1")', "sat", "UNSAT")
    for number, text in enumerate(liars):
        liar = tmp_path / f"liar{number}"
        liar.write_text(f"#!/bin/sh\nprintf '%s\\n' '{text}'\n")
        liar.chmod(0o755)
        report = judged(certificate("addition_commutes"), None, str(liar))
        assert (report.verdict == second.HOLDS) == (text == "unsat"), (text, report)
    assert judged(certificate("addition_commutes"), None, "false").verdict == second.UNDECIDED


TREES = b"""(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(declare-fun P (T) Bool) (declare-fun free (T) T)
(define-fun-rec merge ((x T) (y T)) T (match x ((leaf y) ((node a k b) (match y ((leaf x) ((node c m d)
  (ite (<= k m) (node (merge b y) k a) (node (merge x d) m c)))))))))
(define-fun-rec swap ((x T)) T (match x ((leaf leaf) ((node a k b) (node (swap b) k (swap a))))))
(define-fun-rec grow ((x T)) T (match x ((leaf (node leaf 0 leaf)) ((node a k b) (node (grow a) k (grow b))))))
(prove (forall ((x T)) (P x)))"""
NODE = "((_ is node) x)"


@pytest.mark.parametrize(
    ("condition", "point", "falls"),
    [
        (NODE, "(merge (left x) (right x))", True),
        (NODE, "(swap (merge (left x) (swap (right x))))", True),
        ("(and ((_ is node) x) ((_ is node) (left x)))", "(node (left (left x)) 3 leaf)", True),
        ("true", "(left x)", False),
        ("(not ((_ is node) x))", "(left x)", False),
        (NODE, "(swap x)", False),
        (NODE, "(grow (left x))", False),
        (NODE, "(free (left x))", False),
        (NODE, "(node (left x) 0 leaf)", False),
    ],
)
def test_points_of_an_induction_on_sizes_are_smaller(condition: str, point: str, falls: bool) -> None:
    theorem = second.read_theorem(TREES)
    proof = second.Proof(theorem, second.Asker([second.find_solver("z3")], 10.0))
    scheme = {"kind": "size", "on": ["x"], "at": [[condition, point]], "general": [], "twice": []}
    goal = proof._sequent("(sequent ((x T)) () (P x))")
    if falls:
        assert len(proof._instances(goal, scheme)) == 1
    else:
        with pytest.raises(second.Undecided):
            proof._instances(goal, scheme)
