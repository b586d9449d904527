"""The strategies of the prover: explored terms, continuations, loops, invariants, induction along a recursion."""

from collections.abc import Iterator
from typing import Any

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.smt.conjecture.explore import Explorer
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.loops import loop_statements
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.rewriting.rules import Rules

NAT = """
(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((next a) (next (plus a y))))))
(define-fun-rec minus ((x N) (y N)) N
  (match x ((zero zero) ((next a) (match y ((zero x) ((next b) (minus a b))))))))
(define-fun-rec half ((x N)) N
  (match x ((zero zero) ((next a) (match a ((zero zero) ((next b) (next (half b)))))))))
"""
SEQ = """
(declare-sort E 0)
(declare-datatypes ((S 0)) (((none) (more (first E) (rest S)))))
(define-fun-rec join ((x S) (y S)) S (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec back ((x S)) S (match x ((none none) ((more e r) (join (back r) (more e none))))))
(define-fun-rec turn ((x S) (y S)) S (match x ((none y) ((more e r) (turn r (more e y))))))
"""
INT = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (<= n 0) 0 (ite (= n 1) 1 (+ (fib (- n 1)) (fib (- n 2))))))
(define-fun-rec fib_from ((n Int) (a Int) (b Int)) Int (ite (<= n 0) a (fib_from (- n 1) b (+ a b))))
(define-fun-rec common ((a Int) (b Int)) Int
  (ite (or (<= a 0) (<= b 0)) 0 (ite (= a b) a (ite (> a b) (common (- a b) b) (common a (- b a))))))
"""


@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{NAT}(prove (forall ((x N)) (= (plus x zero) x)))", "structural-induction"),
        (f"{NAT}(prove (forall ((x N) (y N)) (= (minus x (plus x y)) zero)))", "structural-induction"),
        (f"{NAT}(prove (forall ((x N)) (= (half (plus x x)) x)))", "interpretation"),
        (f"{NAT}(prove (forall ((x N) (y N)) (= (minus (plus x y) y) x)))", "interpretation"),
        (f"{SEQ}(prove (forall ((x S)) (= (back (back x)) x)))", "lemma-from-failed-step"),
        (f"{SEQ}(prove (forall ((x S)) (= (turn x none) (back x))))", ""),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1))))))", "equations-from-data"),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 4) (>= (power 2 n) (* n n)))))", "integer-induction"),
        (
            f"{INT}(prove (forall ((a Int) (b Int)) (=> (and (> a 0) (> b 0)) (= (common a b) (common b a)))))",
            "recursion-induction",
        ),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (fib_from n 0 1) (fib n)))))", "strengthening"),
    ],
)
def test_a_strategy_closes_the_goals_it_is_for(theorem: str, strategy: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"].startswith(strategy)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{NAT}(prove (forall ((x N) (y N)) (= (minus x y) (minus y x))))",
        f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n n)))))",
        f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (fib_from n 1 1) (fib n)))))",
    ],
)
def test_no_plan_for_a_false_goal_is_complete(theorem: str) -> None:
    banned: list[str] = []
    for _ in range(2):
        found = job("sketch", theorem, banned=banned, seconds=2)
        if not found["ok"]:
            break
        assert not is_complete(found["value"]["sketch"])
        banned.append(found["value"]["sketch"]["fingerprint"])
    judged = job("judge", theorem)["value"]
    assert judged["verdict"] == "refuted"
    assert judged["counterexample"]["values"]


def test_a_counterexample_is_the_simplest_that_was_found() -> None:
    judged = job("judge", f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (<= (fib n) 54))))")["value"]
    assert judged["counterexample"]["values"] == {"n": "10"}


def test_contradictory_premises_are_named_and_no_others() -> None:
    theorem = """
    (declare-const x Int)
    (assert (! (> x 3) :named large))
    (assert (! (> x 0) :named idle))
    (assert (! (< x 2) :named small))
    (prove (= x 7))
    """
    judged = job("judge", theorem)["value"]
    assert judged["verdict"] == "inconsistent"
    assert [line.split()[0] for line in judged["core"]] == ["large", "small"]


HEAPS = """
(declare-datatypes ((N 0)) (((none) (more (less N)))))
(define-fun-rec add ((x N) (y N)) N (match x ((none y) ((more a) (more (add a y))))))
(define-fun-rec three ((x N) (y N) (z N)) N (match x ((none (add y z)) ((more a) (more (three a z y))))))
(declare-datatypes ((T 0)) (((tip) (fork (left T) (at N) (right T)))))
(define-fun-rec weight ((t T)) N
  (match t ((tip none) ((fork l n r) (add (weight l) (add n (weight r)))))))
(define-fun-rec flip ((t T)) T (match t ((tip tip) ((fork l n r) (fork (flip r) n (flip l))))))
(define-fun larger ((x N) (y N)) N (ite (= x none) y (ite (= y none) x (more (add x y)))))
(define-fun-rec count ((t T)) Int (match t ((tip 0) ((fork l n r) (+ 1 (count l) (count r))))))
(define-fun-rec has ((n N) (t T)) Bool
  (match t ((tip false) ((fork l m r) (or (= n m) (has n l) (has n r))))))
(define-fun-rec join ((s T) (t T)) T (match s ((tip t) ((fork l n r) (fork l n (join r t))))))
"""
GOAL = "(prove (forall ((t T)) (= (weight (flip t)) (weight t))))"


@pytest.fixture
def context() -> Iterator[ProverContext]:
    found = ProverContext(parse_problem(f"{HEAPS}{GOAL}"))
    yield found
    found.close()


def conjectures(context: ProverContext, functions: list[str], sizes: int) -> set[str]:
    explorer = Explorer(context, Library(context).rules, functions, 0)
    batches = [batch for batch, _ in zip(explorer.conjectures(), range(sizes), strict=False)]
    return {show(candidate.formula) for batch in batches for candidate in batch}


def test_laws_of_three_variables_are_found_in_general_form_without_their_instances(context: ProverContext) -> None:
    found = conjectures(context, ["add"], 4)
    assert any(text.count("add") == 4 and "(nv2 N)" in text for text in found)
    assert "(forall ((nv0 N) (nv1 N)) (= (add nv0 nv1) (add nv1 nv0)))" in found
    assert not any(text.startswith("(forall ((nv0 N)) (= (add nv0 none) (add none nv0)") for text in found)


def test_the_same_problem_gives_the_same_conjectures(context: ProverContext) -> None:
    functions = context.shape.reachable_functions(goal_of(context.problem).formula)
    explorers = [Explorer(context, Rules(context.signature, context.rewriter), functions, 3) for _ in range(2)]
    first, second = ([c.concl for batch in e.conjectures() for c in batch][:200] for e in explorers)
    assert first == second


JOINED = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
"""
MACHINE = f"""{JOINED}
(declare-datatypes ((E 0)) (((number (value Int)) (plus (left E) (right E)))))
(define-fun-rec worth ((e E)) Int (match e (((number n) n) ((plus a b) (+ (worth a) (worth b))))))
(declare-datatypes ((I 0)) (((push (pushed Int)) (add))))
(declare-datatypes ((C 0)) (((done) (do (now I) (later C)))))
(define-fun-rec then ((x C) (y C)) C (match x ((done y) ((do i r) (do i (then r y))))))
(define-fun-rec code ((e E)) C
  (match e (((number n) (do (push n) done)) ((plus a b) (then (code a) (then (code b) (do add done)))))))
(define-fun-rec run ((c C) (s L)) L
  (match c ((done s) ((do i r) (match i (((push n) (run r (more n s)))
    (add (ite (or ((_ is none) s) ((_ is none) (rest s))) none
      (run r (more (+ (first s) (first (rest s))) (rest (rest s))))))))))))
"""
DIGITS = "(define-fun-rec digits ((n Int) (t Int)) Int (ite (> n 0) (digits (div n 10) (+ t (mod n 10))) t))"
RUNS = f"""{JOINED}
(declare-datatypes ((P 0)) (((pair (item Int) (times Int)))))
(declare-datatypes ((R 0)) (((nothing) (run (head P) (tail R)))))
(define-fun-rec again ((v Int) (n Int)) L (ite (<= n 0) none (more v (again v (- n 1)))))
(define-fun-rec decode ((r R)) L
  (match r ((nothing none) ((run p q) (join (again (item p) (times p)) (decode q))))))
(define-fun-rec encode ((x L)) R
  (match x ((none nothing) ((more e r)
    (ite (and ((_ is run) (encode r)) (= (item (head (encode r))) e))
      (run (pair e (+ (times (head (encode r))) 1)) (tail (encode r))) (run (pair e 1) (encode r)))))))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{MACHINE}(prove (forall ((e E)) (= (run (code e) none) (more (worth e) none))))", "loop-invariant"),
        (f"{DIGITS}(prove (forall ((n Int)) (=> (>= n 0) (<= (digits n 0) n))))", "loop-accumulator"),
        (f"{RUNS}(prove (forall ((x L)) (= (decode (encode x)) x)))", "strengthening"),
    ],
    ids=["a machine that runs what was compiled", "a sum that is bounded", "runs that are coded and decoded"],
)
def test_a_goal_about_the_first_state_follows_from_one_about_any(theorem: str, strategy: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"] == strategy
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_a_machine_that_adds_wrongly_is_not_proved() -> None:
    wrong = MACHINE.replace("(+ (first s) (first (rest s)))", "(first s)")
    answer = job("sketch", f"{wrong}(prove (forall ((e E)) (= (run (code e) none) (more (worth e) none))))", seconds=2)
    assert not answer["ok"] or not is_complete(answer["value"]["sketch"])


LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (= i 0) e (nth r (- i 1)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec place ((i Int) (x L) (n Int)) Int
  (match x (((more e r) (ite (= e n) i (place (+ i 1) r n))) (none (- 1)))))
(define-fun-rec bisect ((x L) (n Int) (low Int) (high Int)) Int (ite (<= low high)
  (let ((m (div (+ low high) 2))) (ite (= (nth x m) n) m
    (ite (< (nth x m) n) (bisect x n (+ m 1) high) (bisect x n low (- m 1))))) (- 1)))
"""
NUMBERS = """
(define-fun-rec add ((i Int) (n Int) (t Int)) Int (ite (< i n) (add (+ i 1) n (+ t i)) t))
(define-fun-rec root ((n Int) (r Int)) Int (ite (<= (* (+ r 1) (+ r 1)) n) (root n (+ r 1)) r))
(define-fun-rec fib ((n Int)) Int (ite (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(define-fun-rec walk ((i Int) (n Int) (a Int) (b Int)) Int (ite (< i n) (walk (+ i 1) n b (+ a b)) a))
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (add 1 (+ n 1) 0)) (* n (+ n 1))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (add 0 n 0)) (* n (- n 1))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0)"
        " (and (<= (* (root n 0) (root n 0)) n) (< n (* (+ (root n 0) 1) (+ (root n 0) 1)))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (walk 0 n 0 1) (fib n)))))",
        f"{LISTS}(prove (forall ((x L) (n Int)) (= (= (place 0 x n) (- 1)) (not (has n x)))))",
        f"{LISTS}(prove (forall ((x L) (n Int)) (let ((r (bisect x n 0 (- (len x) 1))))"
        " (and (<= (- 1) r) (< r (len x)) (or (= r (- 1)) (= (nth x r) n))))))",
    ],
    ids=["sum to n", "sum below n", "integer root", "Fibonacci", "first place", "binary search"],
)
def test_a_goal_about_the_first_state_follows_from_an_invariant(theorem: str) -> None:
    sketch = sketched(theorem)
    assert "'strategy': 'loop-invariant'" in str(sketch) and is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "claim",
    [
        "(forall ((x L) (y L) (n Int)) (= (+ (count 0 x n) (count 0 y n)) (count 0 (join x y) n)))",
        "(forall ((x L) (y L) (n Int)) (= (sift none (join x y) n) (join (sift none x n) (sift none y n))))",
    ],
)
def test_what_a_loop_adds_to_its_beginning_is_told_apart_from_it(claim: str) -> None:
    theorem = f"""{LISTS}
    (define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
    (define-fun-rec count ((t Int) (x L) (n Int)) Int
      (match x ((none t) ((more e r) (count (ite (= e n) (+ t 1) t) r n)))))
    (define-fun-rec sift ((k L) (x L) (n Int)) L
      (match x ((none k) ((more e r) (sift (ite (= e n) k (join k (more e none))) r n)))))
    (prove {claim})"""
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "claim",
    ["(= (* 2 (add 1 n 0)) (* n (+ n 1)))", "(= (walk 0 n 0 1) (fib (+ n 1)))", "(< n (* (root n 0) (root n 0)))"],
)
def test_nothing_is_found_for_what_is_false(claim: str) -> None:
    context = ProverContext(problem_of(f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) {claim})))"))
    found = [s for s in loop_statements(context, goal_of(context.problem)) if s.proof(context) is not None]
    usable = [
        s
        for s in found
        for q in s.queries(context, goal_of(context.problem))
        if context.holds(goal_of(context.problem), q, 30_000, extra={q.cites[0]: s.general})
    ]
    context.close()
    assert usable == []


ROW = "(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))"
SORTED = """
(define-fun-rec rising ((x L)) Bool
  (match x ((none true) ((more a r) (match r ((none true) ((more b s) (and (<= a b) (rising r)))))))))
"""
SAME = """
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec less ((n Int) (x L)) L (match x ((none none) ((more e r) (ite (= n e) r (more e (less n r)))))))
(define-fun-rec same ((x L) (y L)) Bool
  (match x ((none (= y none)) ((more e r) (and (has e y) (same r (less e y)))))))
"""
PUT = """
(define-fun-rec put ((n Int) (x L)) L
  (match x ((none (more n none)) ((more e r) (ite (<= n e) (more n x) (more e (put n r)))))))
(define-fun-rec lined ((x L)) L (match x ((none none) ((more e r) (put e (lined r))))))
"""
TREES = """
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(define-fun-rec hang ((n Int) (t T)) T (match t ((leaf (node leaf n leaf))
  ((node a k b) (ite (<= n k) (node (hang n a) k b) (node a k (hang n b)))))))
(define-fun-rec grown ((x L)) T (match x ((none leaf) ((more e r) (hang e (grown r))))))
(define-fun-rec read ((t T) (x L)) L (match t ((leaf x) ((node a k b) (read a (more k (read b x)))))))
"""
PARTS = """
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec low ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (< e n) (more e (low n r)) (low n r))))))
(define-fun-rec rest_of ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (< e n) (rest_of n r) (more e (rest_of n r)))))))
(define-fun-rec parted ((x L)) L (match x ((none none) ((more e r)
  (join (parted (low e r)) (more e (parted (rest_of e r))))))))
"""
SWAPS = """
(declare-datatypes ((P 0)) (((pair (swapped Bool) (row L)))))
(define-fun-rec once ((x L)) P (match x ((none (pair false none)) ((more a r) (match r ((none (pair false x))
  ((more b s) (ite (<= a b) (pair (swapped (once r)) (more a (row (once r))))
    (pair true (more b (row (once (more a s)))))))))))))
(define-fun-rec often ((x L)) L (ite (swapped (once x)) (often (row (once x))) x))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{ROW}{PUT}{SAME}(prove (forall ((x L)) (same (lined x) x)))",
        f"{ROW}{SAME}(prove (forall ((x L) (y L) (z L)) (=> (same x y) (same y z) (same x z))))",
        f"{ROW}{TREES}{SORTED}(prove (forall ((x L)) (rising (read (grown x) none))))",
        f"{ROW}{PARTS}{PUT}(prove (forall ((x L)) (= (parted x) (lined x))))",
        f"{ROW}{SWAPS}{SORTED}(prove (forall ((x L)) (rising (often x))))",
    ],
    ids=["permutation", "transitive", "search-tree", "equal-sorts", "until-nothing-is-swapped"],
)
def test_a_goal_about_sorting_rests_on_what_each_function_does_to_the_elements(theorem: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"] == "invariants"
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_a_sort_that_loses_elements_is_refuted_and_not_proved() -> None:
    losing = PARTS.replace("(ite (< e n) (rest_of n r)", "(ite (<= e n) (rest_of n r)")
    theorem = f"{ROW}{losing}{SAME}(prove (forall ((x L)) (same (parted x) x)))"
    found = job("judge", theorem)
    assert found["value"]["verdict"] == "refuted"


ROWS = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec sift ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (= n e) (sift n r) (more e (sift n r)))))))
(define-fun-rec once ((x L)) L (match x ((none none) ((more e r) (more e (once (sift e r)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec blend ((x L) (y L)) L
  (match x ((none y) ((more a r) (match y ((none x) ((more b s)
    (ite (<= a b) (more a (blend r y)) (more b (blend x s))))))))))
"""
MELDED = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(define-fun-rec meld ((x T) (y T)) T (match x ((leaf y) ((node a k b) (match y ((leaf x) ((node c m d)
  (ite (<= k m) (node (meld b y) k a) (node (meld x d) m c)))))))))
(define-fun-rec flat ((x T)) L (match x ((leaf none) ((node a k b) (more k (flat (meld a b)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
"""


def schemes_of(sketch: dict[str, Any]) -> set[str]:
    """The kinds of schemes in a sketch, all of whose cases are closed."""
    found = {sketch["scheme"]["kind"]} if "scheme" in sketch else set()
    for child in sketch["children"]:
        assert "candidate" in child or "sketch" in child, "a case is open"
        found |= schemes_of(child["sketch"]) if "sketch" in child else set()
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "kind"),
    [
        (f"{ROWS}(prove (forall ((x L)) (<= (len (once x)) (len x))))", "recursion"),
        (f"{ROWS}(prove (forall ((x L) (y L) (z L)) (= (blend (blend x y) z) (blend x (blend y z)))))", "recursion"),
        (
            f"{MELDED}(prove (forall ((n Int) (x T) (y T)) (= (has n (flat (meld x y)))"
            " (or (has n (flat x)) (has n (flat y))))))",
            "size",
        ),
    ],
)
def test_an_induction_is_found_where_the_fields_of_constructors_are_not_enough(theorem: str, kind: str) -> None:
    found = job("sketch", theorem)
    while found["ok"] and any("sketch" not in c and "candidate" not in c for c in found["value"]["sketch"]["children"]):
        found = job("sketch", theorem, banned=[found["value"]["sketch"]["fingerprint"]])  # halves of an equivalence
    assert found["ok"], found["reason"]
    sketch = found["value"]["sketch"]
    assert kind in schemes_of(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
