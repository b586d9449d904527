"""Certificates exported to Lean: sizes, mutual types."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
)
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    Intro,
    SkolemHypothesis,
    Witness,
    instances,
)
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import BOOL, INT, app, integer, var
from goedels_poetry.lean.goals.engine import Engine
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, LeanRuntime
from goedels_poetry.lean.smt_proofs.export import Exported, export
from goedels_poetry.lean.tactics.portfolio import Clock
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task
from goedels_poetry.smt.notation.text import derivation_to_json

LISTS = """
(declare-datatypes ((N 0)) (((z) (s (p N)))))
(declare-datatypes ((L 0)) (((nil) (cons (hd N) (tl L)))))
(define-fun-rec add ((x N) (y N)) N (match x ((z y) ((s k) (s (add k y))))))
(define-fun-rec cat ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (cat t y))))))
(define-fun-rec even ((x N)) Bool (match x ((z true) ((s k) (match k ((z false) ((s m) (even m))))))))
(define-fun-rec eq ((x N) (y N)) Bool
  (match x ((z (match y ((z true) ((s k) false)))) ((s j) (match y ((z false) ((s k) (eq j k))))))))
(define-fun-rec without ((e N) (x L)) L
  (match x ((nil nil) ((cons h t) (ite (eq e h) (without e t) (cons h (without e t)))))))
"""
SUM = "(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))\n"
FALLS = [{"functions": ["sum"], "components": [{"measure": {"sum": "n"}, "falls": [0]}]}]


def evidence(text: str, scheme: Any, *, more: dict[str, Any] | None = None, wrong: str = "") -> dict[str, Any]:
    """The proof of a theorem's goal by one scheme, whose cases are left to solvers."""
    problem = parse_problem(text.encode())
    goal = sequent_of(problem.goal)
    steps = []
    for number, case in enumerate(instances(goal, scheme, problem.signature), 1):
        steps.append(Step(str(number), case, Query()))
    steps.append(Step("goal", goal, ByScheme(scheme, tuple(step.id for step in steps))))
    return {**derivation_to_json(Derivation(tuple(steps))), **(more or {})}


def exported(lean: LeanRuntime, text: str, shown: dict[str, Any], seconds: float = 60.0) -> Exported:
    return asyncio.run(export(text.encode(), shown, lean, seconds))


def theorem(definitions: str, goal: str) -> str:
    return f"(set-logic ALL){definitions}(assert (not {goal}))\n(check-sat)\n"


X = var("x", INT)
N = INT
CASES = {
    "structural induction": (LISTS, "(forall ((a L) (b L) (c L)) (= (cat (cat a b) c) (cat a (cat b c))))",
                             lambda v: StructuralInduction("a", ("b",)), None),
    "structural induction, two constructors deep": (LISTS, "(forall ((a N)) (=> (even a) (even (s (s a)))))",
                                                    lambda v: StructuralInduction("a", (), 2), None),
    "integer induction": (SUM, "(forall ((n Int)) (=> (>= n 0) (>= (sum n) n)))",
                          lambda v: IntInduction("n", integer(0), ()), FALLS),
    "integer induction downward": (SUM, "(forall ((n Int) (m Int)) (=> (<= n 0) (= (+ m (sum n)) m)))",
                                   lambda v: IntInduction("n", integer(0), ("m",), upward=False), FALLS),
    "induction on a measure": (SUM, "(forall ((n Int)) (>= (sum n) 0))",
                               lambda v: MeasureInduction(v["n"], ((app("-", (v["n"], integer(1)), INT),),)), FALLS),
    "induction along a function": (LISTS, "(forall ((a N) (b N)) (=> (eq a b) (= a b)))",
                                   lambda v: RecursionInduction("eq", (v["a"], v["b"])), None),
    "induction on size": (LISTS, "(forall ((a L) (b L)) (= (cat (cat a b) b) (cat a (cat b b))))",
                          lambda v: SizeInduction(("a",), ((app("is", (v["a"],), BOOL, ("cons",)),
                                                            app("tl", (v["a"],), v["a"].sort)),), ("b",)), None),
    "a case split": (LISTS, "(forall ((a N) (b N)) (or (= a b) (distinct b a)))",
                     lambda v: CaseSplit(app("=", (v["a"], v["b"]), BOOL)), None),
    "a case for each constructor": (LISTS, "(forall ((a N)) (or (= a z) (exists ((b N)) (= a (s b)))))",
                                    lambda v: ConstructorSplit("a"), None),
    "each conjunct": (LISTS, "(forall ((a N)) (and (= (add z a) a) (= (add (s z) a) (s a))))",
                      lambda v: Conjuncts(), None),
    "two implications for an equality of Booleans": (LISTS, "(forall ((a N)) (= (even (s (s a))) (even a)))",
                                                     lambda v: Conjuncts(), None),
    "a contradiction": (LISTS, "(forall ((a N)) (distinct a (s a)))", lambda v: Contradiction(), None),
    "a witness": (LISTS, "(forall ((a N)) (exists ((b N)) (= (add a z) (add b z))))",
                  lambda v: Witness((v["a"],)), None),
    "an introduction": (LISTS, "(forall ((a N)) (not (and (= a z) (= a (s z)))))", lambda v: Intro(), None),
    "a variable for an existential hypothesis": (
        LISTS, "(forall ((a N)) (=> (exists ((b N)) (and (= a (s b)) (even b))) (even (s a))))",
        lambda v: SkolemHypothesis(), None),
}  # fmt: skip


class Watched:
    """A Lean that also says what a checked text declares; the last text and its answer are kept."""

    code, answer = "", CheckResult("done")

    def __init__(self, lean: LeanPool) -> None:
        self._lean = lean

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lean, name)

    async def check(self, request: CheckRequest) -> CheckResult:
        self.code = request.code
        self.answer = await self._lean.check(replace(request, declarations=True))
        return self.answer


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(3)
def test_a_proof_by_this_scheme_becomes_a_file_that_lean_accepts(name: str, lean: LeanPool) -> None:
    definitions, goal, make, termination = CASES[name]
    text = theorem(definitions, goal)
    variables = {v.name: v for v in sequent_of(parse_problem(text.encode()).goal).vars}
    more = {"termination": termination} if termination else None
    watched = Watched(lean)
    found = exported(watched, text, evidence(text, make(variables), more=more))
    assert found.text is not None, found
    assert found.text.rstrip().endswith("#print axioms goal")
    checked = watched.answer
    assert checked.ok and watched.code == found.text
    (goal_,) = (d for d in checked.declarations if d.name == "goal")
    assert goal_.kind == "theorem"
    assert not any(d.kind == "axiom" for d in checked.declarations)
    assert "sorry" not in found.text


def test_a_false_step_is_named_with_its_statement_and_what_was_tried(lean: LeanPool) -> None:
    text = theorem(LISTS, "(forall ((a N)) (= (add a z) (s a)))")
    found = exported(lean, text, evidence(text, StructuralInduction("a", ())))
    assert found.text is None
    assert found.failed is not None
    assert found.failed.step == "1"
    assert "Smt.N.z" in found.failed.statement
    assert found.failed.tried
    assert found.reason.startswith("step 1 of 3: ")


def test_what_lean_has_no_words_for_is_said(lean: LeanPool) -> None:
    text = "(set-logic ALL)(assert (not (forall ((x Real)) (= x x))))\n(check-sat)\n"
    steps = {"steps": [{"id": "1", "sequent": "(sequent ((x Real)) () (= x x))", "query": PLAIN}]}
    found = exported(lean, text, steps)
    assert (found.text, found.requests) == (None, 0)
    assert found.reason.startswith("not translatable to Lean: ")
    assert "Real" in found.reason


PLAIN = {"cites": [], "instances": [], "equations": True, "quantified": True}


def test_no_time_is_a_failure_and_no_file(lean: LeanPool) -> None:
    text = theorem(LISTS, "(forall ((a N)) (= (add a z) a))")
    found = exported(lean, text, evidence(text, StructuralInduction("a", ())), seconds=0.0)
    assert found.text is None
    assert "time is over" in found.reason or "no answer within" in found.reason  # of a Lean that has to begin first


def test_no_evidence_is_no_proof(lean: LeanPool) -> None:
    text = theorem(LISTS, "(forall ((a N)) (= (add z a) a))")
    assert exported(lean, text, {"steps": []}).text is None
    assert exported(lean, text, []).text is None
    assert exported(lean, text, {"steps": [{"id": "1"}]}).text is None


def test_premises_and_what_is_open_are_hypotheses_of_the_theorem(lean: LeanPool) -> None:
    declared = "(declare-sort S 0)(declare-fun f (S) S)(declare-const c S)(assert (forall ((x S)) (= (f (f x)) x)))"
    text = theorem(declared, "(= (f (f (f (f c)))) c)")
    steps = {"steps": [{"id": "1", "sequent": "(sequent () () (= (f (f (f (f c)))) c))", "query": PLAIN}]}
    found = exported(lean, text, steps)
    assert found.text is not None, found
    assert "premise" in found.text


def test_hidden_names_of_ours_meet_no_name_of_the_users(lean: LeanPool) -> None:
    text = theorem(
        "(declare-datatypes ((N 0)) (((z) (s (p N)))))(define-fun-rec _step_1 ((_h1 N) (_key N)) N"
        " (match _h1 ((z _key) ((s _ih) (s (_step_1 _ih _key))))))",
        "(forall ((_h1 N) (_m N)) (=> (= (_step_1 z z) z) (= (_step_1 _h1 (s _m)) (s (_step_1 _h1 _m)))))",
    )
    found = exported(lean, text, evidence(text, StructuralInduction("_h1", ("_m",))))
    assert found.text is not None, found


def test_steps_that_nothing_needs_are_left_out(lean: LeanPool) -> None:
    text = theorem(LISTS, "(forall ((a N)) (= (add z a) a))")
    unused = {"id": "0", "sequent": "(sequent ((b N)) () (= (add b z) (s b)))", "query": PLAIN}  # and false
    last = {"id": "1", "sequent": "(sequent ((a N)) () (= (add z a) a))", "query": PLAIN}
    found = exported(lean, text, {"steps": [unused, last]})
    assert found.text is not None
    assert "_step_0" not in found.text


DEFINITIONS = """
inductive N where | z | s (_ : N) deriving DecidableEq
inductive L where | nil | cons (_ : N) (_ : L) deriving DecidableEq
def lt (x y : N) : Bool := match y with
  | .z => false
  | .s y => match x with | .z => true | .s x => lt x y
def eq (x y : N) : Bool := match x, y with
  | .z, .z => true
  | .z, .s _ => false
  | .s _, .z => false
  | .s x, .s y => eq x y
def ins (x : N) (y : L) : L := match y with
  | .nil => .cons x .nil
  | .cons z zs => if lt x z = true then .cons x (.cons z zs) else .cons z (ins x zs)
def elem (x : N) (y : L) : Bool := match y with
  | .nil => false
  | .cons z zs => if eq x z = true then true else elem x zs
"""
THEOREM = """
set_option maxHeartbeats 4000 in
theorem t (x y : N) (h : elem x .nil = true) : elem x (ins y .nil) = true := by grind [lt, ins, eq, elem]
"""
LOOP = """
set_option maxHeartbeats 200 in
theorem t (x y : N) : elem x (ins y (.cons x (.cons y (.cons x (.cons y .nil))))) = true := by
  repeat (first | grind [lt, ins, eq, elem] | skip)
"""


def test_what_a_proof_spends_in_many_tasks_is_not_counted_again_and_again(lean: LeanPool) -> None:
    done = asyncio.run(lean.check(CheckRequest(THEOREM, prefix=DEFINITIONS)))
    assert done.ok, done.errors


def test_a_proof_that_spends_more_than_it_may_is_still_stopped(lean: LeanPool) -> None:
    done = asyncio.run(lean.check(CheckRequest(LOOP, prefix=DEFINITIONS)))
    assert any("maximum number of heartbeats" in error.text for error in done.errors), done


BUSHES = """mutual
inductive Bush where
  | twig (below : Twigs)
inductive Twigs where
  | none
  | one (first : Bush) (others : Twigs)
end

def Twigs.then : Twigs → Twigs → Twigs
  | .none, m => m
  | .one b l, m => .one b (l.then m)

def Twigs.turn : Twigs → Twigs
  | .none => .none
  | .one b l => l.turn.then (.one b .none)

"""
FUNCTIONS = ("Twigs.then", "Twigs.turn")


async def _accepted(lean: LeanPool, task: Task) -> str:
    engine = Engine()
    try:
        found = await engine.prove(lean, task, Clock(20))
    finally:
        await engine.aclose()
    assert found is not None
    seen = await check_proof(lean, task, found.proof, found.helpers)
    assert not seen.reason
    assert "sorryAx" not in seen.axioms
    return found.helpers + found.proof


def test_an_induction_on_one_of_them_says_nothing_of_the_others(lean: LeanPool) -> None:
    text = asyncio.run(
        _accepted(lean, Task(BUSHES, "theorem goal (l : Twigs) : l.turn.turn = l", "goal", (), FUNCTIONS))
    )
    assert "sorry" not in text
