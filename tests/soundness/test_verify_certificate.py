"""The second checker, `scripts/verify_certificate.py`: what the package accepts holds, and forgeries are refused."""

import ast
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import proofs
import pytest
import verify_certificate as second
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate, write_certificate, write_counterexample
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.inductions import RecursionInduction, StructuralInduction
from goedels_poetry.kernel.schemas import Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import FALSE
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.solvers.limits import Limits

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "verify_certificate.py"
THEOREMS = ROOT / "theorems" / "smt"
SHORT = Limits(seconds=0.2)
Json = dict[str, Any]


def load(name: str, place: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def judged(certificate: Path, theorem: bytes | None = None, solver: str = "z3", seconds: float = 10.0) -> Any:
    where = certificate.parent / "against.smt2"
    if theorem is not None:
        where.write_bytes(theorem)
    return second.judged(
        certificate, where if theorem is not None else None, [second.find_solver(solver)], seconds, 60.0
    )


def by_scheme(text: bytes, goal: str, scheme: Scheme) -> tuple[Step, ...]:
    """A goal from its instances, which a solver shows."""
    signature = parse_problem(text).signature
    sequent = parse_sequent(goal, signature)
    cases = [Step(f"c{i}", s, Query()) for i, s in enumerate(instances(sequent, scheme, signature))]
    return (*cases, Step("lemma", sequent, ByScheme(scheme, tuple(c.id for c in cases))))


MIRROR = (THEOREMS / "mirror_twice.smt2").read_bytes()
RUMOUR = (THEOREMS / "rumour.smt2").read_bytes()


def write_mirror(place: Path) -> Path:
    """An induction over a parametric datatype."""
    goal = "(sequent ((t Tree_Int)) () (= (mirror (mirror t)) t))"
    return write_certificate(MIRROR, Derivation(by_scheme(MIRROR, goal, StructuralInduction("t", ()))), place)


def write_rumour(place: Path) -> Path:
    """Contradictory premises."""
    proof = Derivation((Step("1", Sequent((), (), FALSE), Query()),))
    return write_certificate(RUMOUR, proof, place, claim="inconsistent")


def write_wrong(place: Path) -> Path:
    """A counterexample."""
    return write_counterexample(proofs.ADD_IDEMPOTENT, {"a": ("succ", ("succ", ("zero",)))}, place)


MADE: dict[str, tuple[bytes, Callable[[Path], Path]]] = {
    **{name: (text, partial(write_certificate, text, make())) for name, (text, make) in proofs.ALL.items()},
    "mirror": (MIRROR, write_mirror),
    "rumour": (RUMOUR, write_rumour),
    "wrong": (proofs.ADD_IDEMPOTENT, write_wrong),
}
BY_BOTH = ("add_associative", "gauss", "mirror", "rumour", "wrong")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A certificate of `MADE`; written when it is first asked for."""
    folder = tmp_path_factory.mktemp("made")
    written: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in written:
            (folder / name).mkdir()
            written[name] = MADE[name][1](folder / name / "x.cert")
        return written[name]

    return of


@pytest.mark.parametrize("name", MADE)
def test_what_the_package_accepts_holds_by_either_solver(name: str, certificate: Callable[[str], Path]) -> None:
    report = check_certificate(certificate(name), MADE[name][0], second_solver=False)
    assert report.accepted, report
    for solver in ("z3", "cvc5") if name in BY_BOTH else ("z3",):
        report = judged(certificate(name), MADE[name][0], solver)
        assert report.verdict == second.HOLDS, (solver, report)


def test_the_command_line(certificate: Callable[[str], Path]) -> None:
    found = certificate("premises")
    theorem = found.parent / "theorem.smt2"
    theorem.write_bytes(proofs.PREMISES)

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout

    code, out = run(str(found), "--theorem", str(theorem), "--json", "--solver", "z3")
    assert code == 0 and json.loads(out)["verdict"] == "holds"
    code, out = run(str(found), "--theorem", str(THEOREMS / "drinker.smt2"), "--json")
    assert code == 1 and "another text" in json.loads(out)["reason"]
    code, out = run(str(found.parent), "--json", "--solver", "z3")  # a folder of certificates
    assert code == 0 and len(out.splitlines()) == 1
    code, out = run(str(found), "--json", "--solver", "false")
    assert code == 2 and json.loads(out)["verdict"] == "undecided"


def test_it_is_one_file_that_is_read_in_an_evening() -> None:
    assert len(SCRIPT.read_text().splitlines()) <= 1_540


def test_it_imports_nothing_of_the_package() -> None:
    text = SCRIPT.read_text()
    assert "goedels" not in text
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {a.name for n in imports if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module or "" for n in imports if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


# ------------------------------------------------------------------------------------------------ forgeries

Tampering = Callable[[str, Json], tuple[str, Json]]


def edited(name: str, **changes: Any) -> Tampering:
    """One step with other entries."""

    def tamper(text: str, evidence: Json) -> tuple[str, Json]:
        next(s for s in evidence["steps"] if s["id"] == name).update(changes)
        return text, evidence

    return tamper


def dropped(name: str) -> Tampering:
    return lambda text, evidence: (text, {**evidence, "steps": [s for s in evidence["steps"] if s["id"] != name]})


def rewritten(old: str, new: str) -> Tampering:
    return lambda text, evidence: (text.replace(old, new), evidence)


def ending(*components: Json, **more: Any) -> Tampering:
    """Other evidence that the addition terminates."""
    entry = {"functions": ["add"], "components": list(components)}
    return lambda text, evidence: (text, {**evidence, "termination": [entry], **more})


def cyclic(text: str, evidence: Json) -> tuple[str, Json]:
    evidence["steps"][0]["query"]["cites"] = ["goal"]
    return text, evidence


STEP = "(sequent ((b Nat) (a1 Nat)) ({}) (= (add (succ a1) b) (add b (succ a1))))"
SIZE = {"size": {"add": [0]}}

TAMPERED: dict[str, Tampering] = {
    "another goal": rewritten("(= (add a b) (add b a))", "(= (add a b) a)"),
    "another definition": rewritten("(succ (add (pred n) m))", "(add (pred n) m)"),
    "a goal that says nothing": rewritten("(= (add a b) (add b a))", "(= a a)"),
    "a premise more": rewritten("(prove", "(assert (= zero (succ zero)))\n(prove"),
    "a dropped step": dropped("zero-case1"),
    "no theorem at the end": dropped("goal"),
    "a scheme without hypotheses": edited("goal", scheme={"kind": "constructors", "on": "a"}),
    "a scheme on another variable": edited(
        "goal", scheme={"kind": "structural", "on": "b", "general": ["a"], "depth": 1}
    ),
    "a hypothesis not general": edited("goal", scheme={"kind": "structural", "on": "a", "general": [], "depth": 1}),
    "a case twice, another not at all": edited("goal", cites=["case1", "case1"]),
    "a citation of what comes later": cyclic,
    "a hypothesis from nowhere": edited(
        "case1", sequent=STEP.format("(= b zero) (forall ((b Nat)) (= (add a1 b) (add b a1)))")
    ),
    "the goal as its own hypothesis": edited(
        "case1", sequent=STEP.format("(forall ((b Nat)) (= (add (succ a1) b) (add b (succ a1))))")
    ),
    "a step of the same name": edited("goal", id="case1"),
}
UNENDING: dict[str, Tampering] = {
    "an argument that does not fall": ending({"size": {"add": [1]}}),
    "nothing that falls": ending(),
    "a position too far": ending({"size": {"add": [2]}}),
    "a measure of another sort": ending({"measure": {"add": "n"}, "falls": [0]}),
    "functions that are none": ending(SIZE, termination=[{"functions": ["sub"], "components": [SIZE]}]),
    "evidence twice": ending(SIZE, termination=[{"functions": ["add"], "components": [SIZE]}] * 2),
    "no evidence": ending(SIZE, termination=[]),
    "a bound too small": ending(SIZE, bounds={"add": {"arguments": [0], "spare": 0}}),
    "a bound with too much to spare": ending(SIZE, bounds={"add": {"arguments": [0, 1], "spare": 2}}),
}


@pytest.mark.parametrize("what", [*TAMPERED, *UNENDING])
def test_forgeries_are_refused_by_both(what: str, certificate: Callable[[str], Path], tmp_path: Path) -> None:
    theorem = proofs.ADD_COMMUTATIVE
    evidence = evidence_of(certificate("add_commutative"))
    text, evidence = (TAMPERED | UNENDING)[what](theorem.decode(), evidence)
    forged = forge(tmp_path / "x.cert", text.encode(), evidence, honest_ends=what not in UNENDING)
    assert not check_certificate(forged, theorem, limits=SHORT, second_solver=False).accepted
    report = judged(forged, theorem)
    assert report.verdict == second.REFUSED or (what in UNENDING and report.verdict == second.UNDECIDED), report
    if text.encode() != theorem and what != "a premise more":  # from that premise anything follows
        assert not check_certificate(forged, limits=SHORT, second_solver=False).accepted  # the forger brings it along
        assert judged(forged, seconds=0.5).verdict != second.HOLDS


def changes_of_the_checker_tests() -> list[Callable[[Json], None]]:
    """What `tests/checker/test_tampering.py` does to derivations, where the package is seen to refuse it."""
    module = load("test_tampering", ROOT / "tests" / "checker" / "test_tampering.py")
    (mark,) = module.test_a_changed_derivation_is_refused_even_with_right_hashes.pytestmark
    return list(mark.args[1])


@pytest.mark.parametrize("change", changes_of_the_checker_tests(), ids=lambda c: c.__name__.strip("_"))
def test_what_is_tampered_with_elsewhere_does_not_hold_here(
    change: Callable[[Json], None], certificate: Callable[[str], Path], tmp_path: Path
) -> None:
    evidence = evidence_of(certificate("add_associative"))
    change(evidence)
    forged = forge(tmp_path / "x.cert", proofs.ADD_ASSOCIATIVE, evidence, script=b"")
    assert judged(forged, proofs.ADD_ASSOCIATIVE, seconds=0.5).verdict != second.HOLDS


def test_an_edited_file_is_refused(certificate: Callable[[str], Path], tmp_path: Path) -> None:
    for name in ("theorem.smt2", "derivation.json", "obligations.smt2", "manifest.json"):
        copy = tmp_path / name
        copy.mkdir()
        for file in certificate("add_commutative").iterdir():
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
    forged = sealed(sound, tmp_path / "y.cert", text.encode(), (sound / "derivation.json").read_text())
    assert not check_certificate(forged).accepted
    assert judged(forged).verdict != second.HOLDS


def test_a_pattern_may_stand_for_the_other_constructors_but_patterns_in_patterns_are_undecided(tmp_path: Path) -> None:
    text = "(define-fun f ((x N)) Bool (match x ({} (y (not (= y z))))))\n(prove (forall ((x N)) (f x)))"
    for pattern, verdict in (("(z true)", second.HOLDS), ("((s z) true)", second.UNDECIDED)):
        forged = forged_query(tmp_path, NATS + text.format(pattern), concl="(forall ((x N)) (f x))")
        report = judged(forged)
        assert report.verdict == verdict and ("pattern" in report.reason) == (verdict == second.UNDECIDED), report


DECLARED = b"""(declare-sort S 0) (declare-fun f (S) Int) (declare-const c S)
(assert (! (> (f c) 0) :named positive))
(prove (forall ((x S)) (= (f x) 1)))"""


def element(number: int) -> Json:
    return {"element": {"sort": "S", "number": number}}


def row(function: str, value: Json | int, *args: Json) -> Json:
    return {"function": function, "args": list(args), "value": value}


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        ([row("c", element(0)), row("f", 1, element(0)), row("f", 2, element(1))], second.HOLDS),
        ([row("c", element(0)), row("f", 2, element(1))], second.UNDECIDED),  # the premise is left open
        ([row("c", element(0)), row("f", 0, element(0)), row("f", 2, element(1))], second.REFUSED),  # it is false
        ([row("c", element(0)), row("f", 1, element(0)), row("f", 1, element(1))], second.REFUSED),  # the goal is true
        ([row("c", element(1)), row("f", 1, element(1)), row("f", 2, element(1))], second.REFUSED),  # two values
    ],
)
def test_a_counterexample_holds_when_premises_and_the_denied_goal_follow_from_its_table(
    table: list[Json], verdict: str, tmp_path: Path
) -> None:
    evidence = {"values": {"x": element(1)}, "table": table}
    forged = forge(tmp_path / "x.cert", DECLARED, evidence, script=b"", claim="counterexample", honest_ends=False)
    assert judged(forged, DECLARED).verdict == verdict


SUM = b"""(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (forall ((n Int)) (=> %s (not (= (sum n) 10)))))"""


@pytest.mark.parametrize(
    ("hypothesis", "value", "verdict"),
    [
        (b"(>= n 0)", 4, second.HOLDS),
        (b"(>= n 0)", 3, second.REFUSED),  # the goal is true there
        (b"(> n (sum 3))", 4, second.REFUSED),  # the hypothesis is false there
        (b"(forall ((k Int)) (>= (* k k) (- n 4)))", 4, second.HOLDS),
        (b"(forall ((k Int)) (>= (* k k) (- n 3)))", 4, second.REFUSED),
    ],
)
def test_a_counterexample_through_a_recursion_over_integers_is_followed_at_its_values(
    hypothesis: bytes, value: int, verdict: str, tmp_path: Path
) -> None:
    evidence = {"values": {"n": value}, "table": []}
    forged = forge(tmp_path / "x.cert", SUM % hypothesis, evidence, script=b"", claim="counterexample")
    assert judged(forged, SUM % hypothesis, seconds=1.0).verdict == verdict


def sealed(sound: Path, place: Path, theorem: bytes, evidence: str) -> Path:
    """A certificate with another theorem and other evidence, whatever these are, and hashes that fit."""
    place.mkdir()
    manifest = json.loads((sound / "manifest.json").read_bytes())
    for name, data in (("theorem.smt2", theorem), ("derivation.json", evidence.encode())):
        (place / name).write_bytes(data)
        manifest["files"][name] = second.hashlib.sha256(data).hexdigest()
    (place / "obligations.smt2").write_bytes((sound / "obligations.smt2").read_bytes())
    del manifest["manifest_sha256"]
    seal = json.dumps(manifest, sort_keys=True, indent=2) + "\n"
    manifest["manifest_sha256"] = second.hashlib.sha256(seal.encode()).hexdigest()
    (place / "manifest.json").write_text(json.dumps(manifest, sort_keys=True, indent=2) + "\n")
    return place


def test_induction_along_a_function(tmp_path: Path) -> None:
    text = f"""{NATS}(define-fun-rec copy ((n N)) N
      (match n ((z z) ((s m) (match m ((z (s z)) ((s k) (s (s (copy k))))))))))
    (prove (forall ((n N)) (= (copy n) n)))"""
    signature = parse_problem(text.encode()).signature
    n = parse_sequent("(sequent ((n N)) () (= n n))", signature).vars
    steps = by_scheme(text.encode(), "(sequent ((n N)) () (= (copy n) n))", RecursionInduction("copy", n))
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
    lemma = by_scheme(text.encode(), "(sequent ((x L)) () (>= (len x) 0))", StructuralInduction("x", ()))
    goal = parse_sequent("(sequent () () (>= (len xs) 0))", parse_problem(text).signature)
    steps = (*lemma, Step("goal", goal, Query((lemma[-1].id,))))
    report = judged(write_certificate(text.encode(), Derivation(steps), tmp_path / "x.cert"))
    assert report.verdict == second.REFUSED and "contradict" in report.reason


def test_only_the_bare_word_counts(tmp_path: Path, certificate: Callable[[str], Path]) -> None:
    liars = ("unsat", "error: unsat", 'unsat\n(error "line 1")', "sat", "UNSAT")
    for number, text in enumerate(liars):
        liar = tmp_path / f"liar{number}"
        for code in (0, 1):
            liar.write_text(f"#!/bin/sh\nprintf '%s\\n' '{text}'\nexit {code}\n")
            liar.chmod(0o755)
            report = judged(certificate("add_associative"), None, str(liar))
            assert (report.verdict == second.HOLDS) == (text == "unsat" and code == 0), (text, code, report)
    assert judged(certificate("add_associative"), None, "false").verdict == second.UNDECIDED


TREES = b"""(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(declare-fun P (T) Bool) (declare-fun free (T) T)
(define-fun-rec merge ((x T) (y T)) T (match x ((leaf y) ((node a k b) (match y ((leaf x) ((node c m d)
  (ite (<= k m) (node (merge b y) k a) (node (merge x d) m c)))))))))
(define-fun-rec swap ((x T)) T (match x ((leaf leaf) ((node a k b) (node (swap b) k (swap a))))))
(define-fun-rec grow ((x T)) T (match x ((leaf (node leaf 0 leaf)) ((node a k b) (node (grow a) k (grow b))))))
(prove (forall ((x T)) (P x)))"""
NODE = "((_ is node) x)"


@pytest.fixture(scope="module")
def trees() -> Any:
    """What the second checker makes of the functions on trees, whose termination and bounds are shown once."""
    theorem = second.read_theorem(TREES)
    theorem.termination = [
        {"functions": ["merge"], "components": [{"size": {"merge": [0, 1]}, "twice": []}]},
        *[{"functions": [f], "components": [{"size": {f: [0]}}]} for f in ("swap", "grow")],
    ]
    theorem.bounds = {"merge": {"arguments": [0, 1], "spare": 1}, "swap": {"arguments": [0], "spare": 0}}
    return second.Proof(theorem, second.Asker([second.find_solver("z3")], 10.0))


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
def test_points_of_an_induction_on_sizes_are_smaller(condition: str, point: str, falls: bool, trees: Any) -> None:
    scheme = {"kind": "size", "on": ["x"], "at": [[condition, point]], "general": [], "twice": []}
    x = second.variable("x", ("user", "T"))
    goal = second.Sequent((x,), (), second.make("fun", "P", [x]))
    if falls:
        assert len(trees.instances(goal, scheme)) == 1
    else:
        with pytest.raises(second.Undecided):
            trees.instances(goal, scheme)


def test_a_hostile_certificate_ends_in_time(certificate: Callable[[str], Path], tmp_path: Path) -> None:
    """Deep, wide and doubling terms, and functions of which each calls all: neither traceback nor hang."""
    deep = "(s " * 3_000 + "z" + ")" * 3_000
    lets = "".join(f"(let ((x{i + 1} (+ x{i} x{i}))) " for i in range(60))
    lets += "(= x60 x0)" + ")" * 60
    calls = " ".join(f"(f{i} k)" for i in range(13))
    mutual = " ".join(f"(f{i} ((x N)) Bool)" for i in range(13))
    bodies = " ".join(f"(match x ((z true) ((s k) (and {calls}))))" for _ in range(13))
    recursion = {"kind": "recursion", "function": "f0", "at": ["x"], "general": []}
    sizes = {"functions": [f"f{i}" for i in range(13)], "components": [{"size": {f"f{i}": [0] for i in range(13)}}]}
    steps = [{"id": "1", "sequent": "(sequent ((x N)) () (f0 x))", "scheme": recursion, "cites": []}]
    for number, (text, evidence) in enumerate([
        (f"{NATS}(prove (= {deep} z))", {"steps": []}),
        (f"(prove (forall ((x0 Int)) {lets}))", {"steps": []}),
        (f"{NATS}(define-funs-rec ({mutual}) ({bodies}))(prove (forall ((x N)) (f0 x)))",
         {"steps": steps, "termination": [sizes]}),
        ("(prove true)", [[[[]]]]),
    ]):  # fmt: skip
        forged = sealed(certificate("premises"), tmp_path / f"{number}.cert", text.encode(), json.dumps(evidence))
        began = time.monotonic()
        report = second.judged(forged, None, [second.find_solver("z3")], 0.2, 1.5)
        assert report.verdict != second.HOLDS and time.monotonic() - began < 5, report


def test_random_certificates_of_false_claims_are_accepted_by_neither_checker() -> None:
    script = ROOT / "scripts" / "fuzz_certificates.py"
    command = [sys.executable, str(script), "--count", "5", "--each", "2", "--seed", "11", "--seconds", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and " 0 faults" in done.stdout, done.stdout + done.stderr
