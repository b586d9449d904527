"""Whole searches: their states, what an interpretation shows, goals about numbers, counterexamples."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from named_texts import tables
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.smt.conjecture.interpret import open_guards
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.attempts import close_goal, direct_query, minimal_query
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs import symbolic as jobs
from goedels_poetry.smt.jobs import whole
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.smt.refutation.narrow import Narrowing
from goedels_poetry.smt.refutation.refute import Refuter, interpretation
from goedels_poetry.smt.termination.measured import with_measures

TABLES = tables(__file__)

CUBES = """
(define-fun-rec up ((n Int)) Int (ite (<= n 0) 0 (+ (up (- n 1)) n)))
(define-fun-rec cubes ((n Int)) Int (ite (<= n 0) 0 (+ (cubes (- n 1)) (* n n n))))
(prove (forall ((n Int)) (=> (>= n 0) (= (* (up n) (up n)) (cubes n)))))
"""


def proofs(skip: int) -> str:
    found = whole.search({"theorem": CUBES, "seconds": 30, "skip": skip})
    assert found["status"] == "proved"
    return json.dumps(found["proof"])


def test_the_next_proof_is_another_one() -> None:
    first, third = proofs(0), proofs(2)
    assert first != third


def test_what_is_false_has_no_next_proof() -> None:
    for skip in range(2):
        assert whole.search({"theorem": "(prove (forall ((n Int)) (< n 5)))", "seconds": 2, "skip": skip})[
            "status"
        ] == ("open")


LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec last ((x L)) Int (match x ((none 0) ((more e r) (ite ((_ is none) r) e (last r))))))
(define-fun-rec apart ((x L)) Bool (match x ((none true)
  ((more e r) (=> (not ((_ is none) r)) (and (not (= e (first r))) (apart r)))))))
(define-fun-rec squeeze ((out L) (x L)) L (match x ((none out) ((more e r) (squeeze
  (ite (or ((_ is none) out) (not (= (last out) e))) (join out (more e none)) out) r)))))
"""
BISECT = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (<= i 0) e (nth r (- i 1)))))))
(define-fun-rec left ((high Int) (low Int) (x L) (n Int)) Int (ite (< low high)
  (ite (< (nth x (div (+ low high) 2)) n) (left high (+ (div (+ low high) 2) 1) x n)
    (left (div (+ low high) 2) low x n)) low))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}(prove (forall ((x L)) (<= (len (squeeze none x)) (len x))))",
        f"""{BISECT}(prove (forall ((x L) (n Int)) (let ((r (left (len x) 0 x n)))
          (or (= r (len x)) (>= (nth x r) n)))))""",
    ],
    ids=["not longer", "what is found, or the end"],
)
def test_a_goal_about_what_a_loop_has_built_is_proved(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


PLUS = """
(declare-datatypes ((N 0)) (((zero) (s (p N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((s k) (s (plus k y))))))
(prove (forall ((x N)) (= (plus x (s zero)) (s (plus x zero)))))
"""
RIGHT_ZERO = "(sequent ((x N)) () (= (plus x zero) x))"
RIGHT_ONE = "(sequent ((x N)) () (= (plus x (s zero)) (s x)))"
NOTHING = "(sequent ((x N)) () (= (plus zero x) x))"


@pytest.fixture
def context() -> Iterator[ProverContext]:
    with_solvers = ProverContext(problem_of(PLUS))
    with_solvers.begin()
    yield with_solvers
    with_solvers.close()


def test_a_goal_that_needs_an_induction_closes_once_the_lemmas_are_there_and_cites_just_those(
    context: ProverContext,
) -> None:
    goal = goal_of(context.problem)
    assert close_goal(context, goal) is None
    keys = [context.add_lemma(parse_sequent(text, context.signature)) for text in (NOTHING, RIGHT_ZERO, RIGHT_ONE)]
    query = direct_query(context, goal)
    assert query is not None and list(query.cites) == keys == list(context.lemmas)
    assert minimal_query(context, goal, query).cites == (keys[1], keys[2])


NUMERALS = """
(declare-datatypes ((B 0)) (((top) (even (upper B)) (odd (above B)))))
(define-fun-rec step ((x B)) B (match x ((top (even top)) ((even u) (odd u)) ((odd u) (even (step u))))))
(define-fun-rec add ((x B) (y B)) B
  (match x ((top (step y))
    ((even a) (match y ((top (step x)) ((even b) (even (add a b))) ((odd b) (odd (add a b))))))
    ((odd a) (match y ((top (step x)) ((even b) (odd (add a b))) ((odd b) (even (step (add a b))))))))))
"""
HALVES = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec upto ((n Int) (x L)) L
  (ite (<= n 0) none (match x ((none none) ((more e r) (more e (upto (- n 1) r)))))))
(define-fun-rec after ((n Int) (x L)) L (ite (<= n 0) x (match x ((none none) ((more e r) (after (- n 1) r))))))
(define-fun-rec meld ((x L) (y L)) L
  (match x ((none y) ((more a r) (match y ((none x) ((more b s)
    (ite (<= a b) (more a (meld r y)) (more b (meld x s))))))))))
(define-fun-rec sort ((x L)) L
  (match x ((none none) ((more a r) (match r ((none x) ((more b s)
    (meld (sort (upto (div (len x) 2) x)) (sort (after (div (len x) 2) x))))))))))
"""


def test_an_equation_of_binary_numbers_is_one_of_integers() -> None:
    goal = "(forall ((x B) (y B) (z B)) (= (add (add x y) z) (add x (add y z))))"
    found = jobs.sketch({"theorem": f"{NUMERALS}(prove {goal})", "statement": "", "seed": 0, "seconds": 60})
    sketch: dict[str, Any] = found["value"]["sketch"]
    assert sketch["strategy"] == "interpretation"


def opened(functions: str) -> tuple[dict[str, list[str]], list[str]]:
    """The measures that are chosen, and what is proved of the functions with measures."""
    problem = with_measures(problem_of(f"{functions}(prove true)"))
    context = ProverContext(problem)
    try:
        facts = [show(fact.formula) for fact in open_guards(context, Library(context).establish)]
    finally:
        context.close()
    return {name: [show(t) for t in terms] for name, terms in problem.measures.items()}, facts


def test_merge_sort_can_be_unfolded_since_halves_are_shorter() -> None:
    measures, facts = opened(HALVES)
    assert measures == {"sort": ["(size!L x)"]}
    assert any("(sort (more x_first (more" in fact and fact.startswith("(forall") for fact in facts)


NAT = """
(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((next a) (next (plus a y))))))
(define-fun-rec times ((x N) (y N)) N (match x ((zero zero) ((next a) (plus y (times a y))))))
(define-fun-rec odd_times ((x N) (y N)) N
  (match x ((zero zero) ((next a) (match a ((zero y) ((next b) (plus y (times a y)))))))))
"""
LIST = """
(declare-datatypes ((L 0)) (((empty) (link (first Int) (rest L)))))
(define-fun-rec size ((x L)) Int (match x ((empty 0) ((link h t) (+ 1 (size t))))))
(define-fun-rec rising ((x L)) Bool
  (match x ((empty true) ((link a t) (match t ((empty true) ((link b u) (and (< a b) (rising t)))))))))
(define-fun-rec within ((x L) (n Int)) Bool
  (match x ((empty true) ((link a t) (and (<= 0 a) (< a n) (within t n))))))
(define-fun-rec get ((x L) (n Int)) Int (match x ((empty (- 1)) ((link a t) (ite (= n 0) a (get t (- n 1)))))))
(define-fun-rec ring ((x L) (n Int) (m Int)) Bool
  (ite (<= n 0) (distinct (get x 0) (get x m)) (and (distinct (get x n) (get x (- n 1))) (ring x (- n 1) m))))
"""
WORD = """
(declare-datatypes ((B 0)) (((open) (close))))
(declare-datatypes ((W 0)) (((stop) (sign (b B) (w W)))))
(define-fun-rec balanced ((x W) (n Int)) Bool (match x ((stop (= n 0)) ((sign s r) (match s
  ((open (balanced r (+ n 1))) (close (and (> n 0) (balanced r (- n 1))))))))))
(define-fun-rec long ((x W)) Int (match x ((stop 0) ((sign s r) (+ 1 (long r))))))
"""
HEAP = """
(declare-datatypes ((T 0)) (((leaf) (node (left T) (key Int) (right T)))))
(define-fun-rec heap ((t T)) Bool (match t ((leaf true) ((node l k r) (and
  (match l ((leaf true) ((node a b c) (<= k b)))) (match r ((leaf true) ((node a b c) (<= k b)))) (heap l) (heap r))))))
(define-fun-rec merge ((s T) (t T)) T (match s ((leaf t) ((node a b c) (match t ((leaf s) ((node d e f)
  (ite (<= b e) (node (merge c t) b a) (node (merge f s) e d)))))))))
"""


def judged(theorem: str) -> dict[str, Any]:
    result: dict[str, Any] = jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]
    return result


REFUTED = TABLES["REFUTED"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", REFUTED)
def test_a_false_goal_is_refuted(kind: str) -> None:
    theorem, values = REFUTED[kind]
    found = judged(theorem)
    assert found["verdict"] == "refuted"
    assert values is None or found["counterexample"]["values"] == values


TRUE = {
    "a ring of odd length has no colouring with two": (
        f"{LIST}(prove (forall ((x L)) (not (and (within x 2) (= (size x) 9) (ring x 8 8)))))"
    ),
    "a balanced word has even length": f"{WORD}(prove (forall ((x W)) (=> (balanced x 0) (= (mod (long x) 2) 0))))",
    "merging heaps gives a heap": (
        f"{HEAP}(prove (forall ((s T) (t T)) (=> (and (heap s) (heap t)) (heap (merge s t)))))"
    ),
    "few numbers rise": f"{LIST}(prove (forall ((x L)) (=> (and (rising x) (within x 4)) (<= (size x) 4))))",
    "products commute": f"{NAT}(prove (forall ((x N) (y N)) (= (times x y) (times y x))))",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("goal", TRUE)
def test_narrowing_refutes_no_true_goal(goal: str) -> None:
    problem = parse_problem(TRUE[goal])
    evaluator = Evaluator(problem.signature, (), interpret=interpretation(problem, 0), fuel=20_000)
    search = Narrowing(sequent_of(problem.goal, problem.signature.names), Refuter(problem.signature, evaluator))
    assert search.run(150_000) is None


def test_premises_that_cannot_be_proved_are_not_passed_over() -> None:
    """The values make the goal false, but nobody knows whether the premise holds."""
    premise = "(assert (forall ((x N) (y N)) (= (times x (next y)) (odd_times x y))))"
    assert judged(f"{NAT}{premise}(prove (forall ((x N)) (= x zero)))")["verdict"] != "refuted"


LOOP = "(define-fun-rec down ((n Int)) Int (ite (= n 0) 0 (+ 1 (down (- n 1)))))"


def test_a_call_that_does_not_end_refutes_nothing() -> None:
    assert judged(f"{LOOP}(prove (= (down (- 1)) 7))")["verdict"] != "refuted"
    assert judged(f"{LOOP}(prove (forall ((n Int)) (=> (< n 0) (= (down n) 7))))")["verdict"] != "refuted"


POWERS = """
(define-fun-rec two ((n Int)) Int (ite (<= n 0) 1 (* 2 (two (- n 1)))))
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec fast ((b Int) (n Int)) Int
  (ite (<= n 0) 1 (ite (= (mod n 2) 0) (* (fast b (div n 2)) (fast b (div n 2))) (* b (fast b (- n 1))))))
(define-fun-rec double ((a Int) (n Int)) Int
  (ite (<= n 0) 0 (ite (= (mod n 2) 0) (double (+ a a) (div n 2)) (+ a (double (+ a a) (div n 2))))))
(define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
(define-fun-rec log ((n Int)) Int (ite (<= n 1) 0 (+ 1 (log (div n 2)))))
"""
ACKERMANN = """
(define-fun-rec ack ((m Int) (n Int)) Int
  (ite (<= m 0) (+ n 1) (ite (<= n 0) (ack (- m 1) 1) (ack (- m 1) (ack m (- n 1))))))
"""
PARITY = """
(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool))
  ((ite (<= n 0) true (od (- n 1))) (ite (<= n 0) false (ev (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (<= n 0) 0 (ite (= n 1) 1 (+ (fib (- n 1)) (fib (- n 2))))))
"""
ARRAYS = """
(define-fun-rec total ((a (Array Int Int)) (l Int) (h Int)) Int
  (ite (>= l h) 0 (+ (total a l (- h 1)) (select a (- h 1)))))
(define-fun-rec up ((a (Array Int Int)) (l Int) (h Int)) Int (ite (>= l h) 0 (+ (select a l) (up a (+ l 1) h))))
"""
BITS = """
(define-fun-rec times ((n Int) (x (_ BitVec 16))) (_ BitVec 16) (ite (<= n 0) #x0000 (bvadd x (times (- n 1) x))))
"""


@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 4) (> (fact n) (two n)))))", "integer-induction"),
        (f"{POWERS}(prove (forall ((a Int) (n Int)) (=> (>= n 0) (= (double a n) (* a n)))))", "recursion-induction"),
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 1) (<= (two (log n)) n))))", "recursion-induction"),
        (
            f"{POWERS}(prove (forall ((n Int)) (=> (>= n 0) (exists ((k Int)) (and (>= k 0) (> (two k) n))))))",
            "witness",
        ),
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 2) (= (mod (fact n) 2) 0))))", "equations-from-data"),
        (f"{ACKERMANN}(prove (forall ((n Int)) (=> (>= n 0) (= (ack 2 n) (+ (* 2 n) 3)))))", "equations-from-data"),
        (f"{PARITY}(prove (forall ((n Int)) (=> (>= n 0) (= (= (mod (fib n) 2) 0) (= (mod n 3) 0)))))", ""),
        (f"{PARITY}(prove (forall ((n Int)) (=> (>= n 0) (ev (* n (+ n 1))))))", ""),
        (
            f"{PARITY}(prove (forall ((n Int)) (=> (and (>= n 0) (od n)) (exists ((k Int)) (= n (+ (* 2 k) 1))))))",
            "witness",
        ),
        ("(prove (forall ((n Int)) (=> (>= n 0) (= (mod (- (* n n n) n) 6) 0))))", "integer-induction"),
        (
            f"{ARRAYS}(prove (forall ((a (Array Int Int)) (l Int) (h Int))(=> (<= l h) (= (total a l h) (up a l h)))))",
            "lemma-from-failed-step",
        ),
        (
            f"{ARRAYS}(prove (forall ((a (Array Int Int)) (h Int) (i Int) (j Int))"
            "(=> (<= 0 i) (< i h) (<= 0 j) (< j h)"
            "(= (total (store (store a i (select a j)) j (select a i)) 0 h) (total a 0 h)))))",
            "observations",
        ),
        (
            f"{BITS}(prove (forall ((n Int) (x (_ BitVec 16)) (y (_ BitVec 16)))"
            "(=> (>= n 0) (= (times n (bvadd x y)) (bvadd (times n x) (times n y))))))",
            "recursion-induction",
        ),
    ],
)
@pytest.mark.sample(3)
def test_a_goal_about_numbers_is_closed(theorem: str, strategy: str) -> None:
    found = job("sketch", theorem)
    assert found["ok"], found["reason"]
    sketch = found["value"]["sketch"]
    assert sketch["strategy"].startswith(strategy)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
