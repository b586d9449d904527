"""Every walk of a checker ends: bounded by what it does, not by what it finds; and a check has a limit besides."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goedels_poetry.checker import CheckReport, TrustLevel, check_certificate, write_certificate
from goedels_poetry.checker.certificate.report import Counts
from goedels_poetry.checker.certificate.writing import report_from_json, report_to_json
from goedels_poetry.checker.limited import check_within
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.recursion import MAX_POINTS, points_below
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.sizes import Sizes
from goedels_poetry.kernel.termination import termination_obligations
from goedels_poetry.kernel.terms import eq
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.smt.termination.search import terminations

NAT = "(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))(declare-fun plus (N N) N)"
HARD = b"""(prove (forall ((x Int) (y Int) (z Int))
  (=> (> x 2) (> y 0) (> z 0) (not (= (+ (* x x x) (* y y y)) (* z z z))))))"""


def calling(names: list[str], callees: dict[str, list[str]], sort: str = "N") -> str:
    """Functions over N that call these on the predecessor and add up what they get."""

    def body(name: str) -> str:
        total = "zero"
        for callee in callees[name]:
            total = f"(plus ({callee} (pred x)) {total})"
        return f"(ite ((_ is zero) x) zero {total})"

    heads = " ".join(f"({name} ((x {sort})) {sort})" for name in names)
    return f"{NAT}(define-funs-rec ({heads}) ({' '.join(map(body, names))}))"


def dead_ends(number: int) -> str:
    """``f`` calls itself by way of ``a`` alone; ``a`` leads into a clique that leads back to ``a`` only."""
    clique = [f"h{i}" for i in range(number)]
    callees = {"f": ["a"], "a": ["f", *clique], **{h: ["a", *[k for k in clique if k != h]] for h in clique}}
    return calling(["f", "a", *clique], callees)


@pytest.mark.parametrize("number", [3, 11, 40])
def test_calls_through_many_functions_are_followed_for_a_while(number: int) -> None:
    signature = parse_problem(f"{dead_ends(number)}(prove true)").signature
    definition = signature.definition("f")
    assert definition is not None
    began = time.monotonic()
    points = points_below(definition, signature)
    assert [len(p.path) for p in points] == [2]
    assert time.monotonic() - began < 10


def test_the_shortest_ways_are_followed_first() -> None:
    names = [f"f{i}" for i in range(12)]
    text = calling(names, dict.fromkeys(names, names))
    signature = parse_problem(f"{text}(prove true)").signature
    definition = signature.definition("f0")
    assert definition is not None
    points = points_below(definition, signature)
    lengths = sorted(len(p.path) for p in points)
    assert len(points) == MAX_POINTS and lengths[:12] == [1, *[2] * 11] and lengths[-1] == 3


def test_a_certificate_with_13_functions_that_call_each_other_is_checked_in_time(tmp_path: Path) -> None:
    text = f"{dead_ends(11)}(prove (forall ((x N)) (= (f x) (f x))))".encode()
    problem = parse_problem(text)
    goal = sequent_of(problem.goal, problem.signature.names)
    scheme = RecursionInduction("f", (goal.vars[0],), ())
    cases = [Step(f"case{i}", s, Query()) for i, s in enumerate(instances(goal, scheme, problem.signature))]
    proof = Derivation((*cases, Step("goal", goal, ByScheme(scheme, tuple(c.id for c in cases)))))
    began = time.monotonic()
    report = check_certificate(write_certificate(text, proof, tmp_path / "c"), text)
    assert report.verdict is Verdict.PROVED, report
    assert time.monotonic() - began < 30


ALTERNATIVES = f"{'(or ' * 200}((_ is zero) x){' ((_ is zero) (f x)))' * 200}"


def many(params: int, call: str) -> str:
    names = [f"x{i}" for i in range(params)]
    binders = " ".join(f"({n} N)" for n in names)
    return f"{NAT}(define-fun-rec f ({binders}) N (ite ((_ is zero) x0) zero (f {call.format(*names)})))"


@pytest.mark.parametrize(
    "text",
    [
        many(40, " ".join(f"{{{i}}}" for i in range(40))),
        many(40, " ".join(f"{{{(i + 1) % 40}}}" for i in range(40))),
        calling([f"f{i}" for i in range(13)], {f"f{i}": [f"f{j}" for j in range(13)] for i in range(13)}).replace(
            "(pred x)", "(plus x x)"
        ),
        f"{NAT}(define-fun-rec f ((x N)) N (ite {ALTERNATIVES} zero (f (pred x))))",
        f"(define-fun-rec f ((x Int) (y Int)) Int {'(ite (< (f x y) 0) (f y x) ' * 90}0{')' * 90})",
    ],
    ids=["40 arguments", "40 arguments in turn", "13 functions", "200 alternatives", "90 branches"],
)
def test_the_search_for_termination_ends(text: str) -> None:
    signature = parse_problem(f"{text}(prove true)").signature
    asked = []
    began = time.monotonic()
    for found in (terminations(signature, lambda sequent: bool(asked.append(sequent))), terminations(signature, None)):
        termination_obligations(signature, found.evidence({d.name for d in signature.definitions}))
    assert len(asked) <= 1_000
    assert time.monotonic() - began < 30


def test_sizes_of_what_is_shared_are_added_up_once() -> None:
    tree = "(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))"
    signature = parse_problem(f"{tree}(prove true)").signature
    x = parse_problem(f"{tree}(prove (forall ((x T)) (= x leaf)))").goal.binders[0]
    lets = "".join(f"(let ((y{i + 1} (node y{i} y{i}))) " for i in range(60))
    grown = parse_term(f"(let ((y0 x)) {lets}y60{')' * 61}", signature, (x,))
    began = time.monotonic()
    assert Sizes(signature).loss([x], (grown,), ()) is None
    assert Sizes(signature).loss([], (grown,), ()) is None
    twin = parse_term(f"(let ((y0 (node x leaf))) {lets}y60{')' * 61}", signature, (x,))
    assert simplify(eq(grown, twin), signature).size < 20
    assert time.monotonic() - began < 5


def test_an_induction_over_a_group_that_is_too_large_is_refused_in_time() -> None:
    names = [f"f{i}" for i in range(60)]
    text = calling(names, dict.fromkeys(names, names))
    problem = parse_problem(f"{text}(prove (forall ((x N)) (= (f0 x) zero)))")
    goal = sequent_of(problem.goal, problem.signature.names)
    began = time.monotonic()
    with contextlib.suppress(SchemeError):
        assert instances(goal, RecursionInduction("f0", (goal.vars[0],), ()), problem.signature)
    assert time.monotonic() - began < 20


# ------------------------------------------------------------------------------------------------ the command's limit


def test_a_check_that_is_not_done_in_time_ends_with_all_that_it_started(tmp_path: Path) -> None:
    problem = parse_problem(HARD)
    proof = Derivation((Step("1", sequent_of(problem.goal), Query()),))
    where = write_certificate(HARD, proof, tmp_path / "c")
    mark = f"GOEDELS_POETRY_TEST={os.getpid()}.{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "goedels_poetry", "check", str(where), "--timeout", "3"],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done
    assert "the check was not done within 3 s; --timeout gives it more time" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout + done.stderr
    assert time.monotonic() - began < 30
    if sys.platform == "linux":
        left = [p for p in Path("/proc").glob("[0-9]*/environ") if mark.encode() in _bytes(p)]
        assert left == []


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_the_limit_holds_for_walks_and_files_of_every_kind(tmp_path: Path) -> None:
    """Also where no solver and no Lean looks at the clock."""
    (tmp_path / "a.lean").write_text("theorem t : 1 = 1 := rfl\n")
    for path, text in ((tmp_path / "a.lean", (tmp_path / "a.lean").read_text()), (tmp_path, None)):
        began = time.monotonic()
        report = check_within(0.001, path, lean_text=text)
        assert (report.verdict, report.accepted, report.retry) == (Verdict.UNKNOWN, False, True)
        assert report.reasons == ("the check was not done within 0.001 s; --timeout gives it more time",)
        assert time.monotonic() - began < 10


def test_a_report_is_the_same_on_the_other_side_of_a_process() -> None:
    report = CheckReport(
        Verdict.PROVED,
        TrustLevel.CONFIRMED,
        obligations=Counts(3, 2, 1),
        undecided_by_first=("a",),
        undecided_by_second=("b",),
        reasons=("r",),
        notes=("n",),
        assumptions=("s",),
        core=("c",),
        needed=("p",),
        statement="t",
        counterexample={"x": "1"},
        rule="sorry",
        place=(3, 4),
        axioms=("propext",),
        versions={"lean": "4"},
        checked_by="plug-in 1",
        retry=True,
    )
    assert report_from_json(report_to_json(report)) == report
    bare = CheckReport(Verdict.UNKNOWN, refused=True)
    assert report_from_json(report_to_json(bare)) == bare
