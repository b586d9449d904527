"""Goals about every index, what is seen of what functions make, loops beside and inside of others."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.smt.conjecture.indices import clauses
from goedels_poetry.smt.conjecture.observers import observations
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.text import parse_problem, parse_term

LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (<= i 0) e (nth r (- i 1)))))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec set ((x L) (i Int) (v Int)) L (match x ((none none)
  ((more e r) (ite (<= i 0) (more v r) (more e (set r (- i 1) v)))))))
(define-fun-rec kept ((out L) (x L)) L (match x ((none out)
  ((more e r) (kept (ite (> e 0) (join out (more e none)) out) r)))))
(define-fun-rec has ((x L) (n Int)) Bool (match x ((none false) ((more e r) (or (= e n) (has r n))))))
(define-fun-rec times ((i Int) (out L) (x L)) L (ite (< i (len x))
  (times (+ i 1) (join out (more (* i (nth x i)) none)) x) out))
(define-fun-rec each ((i Int) (x L) (y L)) Bool
  (=> (< i (len x)) (and (= (nth y i) (* i (nth x i))) (each (+ i 1) x y))))
(define-fun-rec top ((i Int) (at Int) (x L)) Int
  (ite (< i (len x)) (top (+ i 1) (ite (> (nth x i) (nth x at)) i at) x) at))
(define-fun-rec below ((i Int) (x L) (n Int)) Bool
  (=> (< i (len x)) (and (<= (nth x i) n) (below (+ i 1) x n))))
(define-fun-rec negative ((c Int) (x L)) Int (match x ((none c) ((more e r) (negative (ite (< e 0) (+ c 1) c) r)))))
(define-fun-rec upto ((j Int) (x L)) Int
  (ite (and (< 0 j) (<= j (len x))) (+ (ite (< (nth x (- j 1)) 0) 1 0) (upto (- j 1) x)) 0))
(define-fun-rec fine ((i Int) (n Int)) Bool (=> (< i n) (and (not (= i 0)) (fine (+ i 1) n))))
(define-fun-rec all_fine ((x L)) Bool (match x ((none true) ((more e r) (and (fine 2 e) (all_fine r))))))
"""
NUMBERS = """
(define-fun-rec prime ((i Int) (n Int)) Bool (or (>= i n) (and (not (= (mod n i) 0)) (prime (+ i 1) n))))
(define-fun-rec choose ((i Int) (n Int) (a Int) (b Int)) Int
  (ite (< i n) (ite (= (mod n i) 0) b (choose (+ i 1) n a b)) a))
(define-fun-rec divides ((i Int) (n Int) (out Bool)) Bool
  (ite (< i n) (divides (+ i 1) n (or out (= (mod n i) 0))) out))
(define-fun-rec pair ((j Int) (i Int) (n Int) (out Bool)) Bool
  (ite (< j n) (pair (+ j 1) i n (or out (= (* i j) n))) out))
(define-fun-rec pairs ((i Int) (n Int) (out Bool)) Bool (ite (< i n) (pairs (+ i 1) n (pair 0 i n out)) out))
"""


@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}(prove (forall ((x L)) (each 0 x (times 0 none x))))",
        f"""{LISTS}(prove (forall ((x L))
          (or ((_ is none) x) (and (= (len (times 0 none x)) (len x)) (each 0 x (times 0 none x))))))""",
        f"{LISTS}(prove (forall ((x L)) (below 0 x (nth x (top 0 0 x)))))",
        f"{LISTS}(prove (forall ((x L)) (=> (not ((_ is none) x)) (and (<= 0 (top 0 0 x)) (< (top 0 0 x) (len x))))))",
        f"{NUMBERS}(prove (forall ((n Int) (a Int) (b Int)) (= (choose 2 n a b) (ite (prime 2 n) a b))))",
        f"{NUMBERS}(prove (forall ((n Int) (i Int)) (=> (<= 2 i) (< i n) (= (mod n i) 0) (divides 2 n false))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (not (divides 2 n false)) (prime 2 n))))",
        f"""{NUMBERS}(prove (forall ((n Int) (i Int) (j Int))
          (=> (<= 0 i) (< i n) (<= 0 j) (< j n) (= (* i j) n) (pairs 0 n false))))""",
        f"{LISTS}(prove (forall ((x L)) (= (mod (negative 0 x) 2) (mod (upto (len x) x) 2))))",
        f"{LISTS}(prove (forall ((x L)) (all_fine (kept none x))))",
    ],
    ids=[
        *["each", "each and length", "largest", "in range", "beside", "flag", "flag and prime", "inside"],
        *["elements by index", "always true"],
    ],
)
def test_what_holds_of_every_index_is_proved_of_any(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}(prove (forall ((x L)) (each 1 x (times 1 none x))))",
        f"{LISTS}(prove (forall ((x L)) (below 0 x (nth x (top 1 0 (rest x))))))",
        f"{NUMBERS}(prove (forall ((n Int) (a Int) (b Int)) (= (choose 2 n a b) (ite (prime 1 n) a b))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (not (divides 3 n false)) (prime 2 n))))",
    ],
    ids=["shifted", "of another list", "from another start", "of fewer"],
)
def test_a_false_twin_is_not_proved(theorem: str) -> None:
    found = job("sketch", theorem, seconds=6)
    assert not (found["ok"] and is_complete(found["value"]["sketch"]))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("(=> p (and q r))", ["p |- q", "p |- r"]),
        ("(or (not p) (and q r))", ["p |- q", "p |- r"]),
        ("(and (ite p q r) true)", ["p |- q", "(not p) |- r"]),
        ("(or p q)", ["(not p) |- q"]),
        ("(= p q)", [" |- (= p q)"]),
    ],
)
def test_a_formula_is_taken_apart_however_it_is_written(formula: str, said: list[str]) -> None:
    signature = parse_problem(
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(prove true)"
    ).signature
    parts = clauses(parse_term(formula, signature, {}))
    assert [f"{' '.join(map(show, hyps))} |- {show(concl)}" for hyps, concl in parts] == said


def test_what_is_seen_of_a_container_is_read_off_values() -> None:
    goal = "(prove (forall ((x L) (n Int)) (= (+ (len (set (kept x x) n n)) (nth x n)) (ite (has x n) 1 0))))"
    problem = parse_problem(LISTS + goal)
    context = ProverContext(problem)
    laws = {show(law.formula) for law in observations(context, sequent_of(problem.goal, problem.signature.names))}
    context.close()
    assert {
        "(forall ((x0 L)) (<= 0 (len x0)))",
        "(forall ((x0 L) (x1 L)) (= (len (join x0 x1)) (+ (len x0) (len x1))))",
        "(forall ((x0 L) (x1 Int) (x2 Int)) (= (len (set x0 x1 x2)) (len x0)))",
        "(forall ((x0 L) (x1 L)) (<= (len (kept x0 x1)) (+ (len x0) (len x1))))",
        "(forall ((x0 L) (x1 L) (y0 Int)) (= (has (join x0 x1) y0) (or (has x0 y0) (has x1 y0))))",
        "(forall ((y0 Int) (x0 L) (x1 L)) (=> (> y0 0) (= (has (kept x0 x1) y0) (or (has x0 y0) (has x1 y0)))))",
        "(forall ((y0 Int) (x0 L) (x1 L)) (=> (not (> y0 0)) (= (has (kept x0 x1) y0) (has x0 y0))))",
        "(forall ((y0 Int) (x0 L) (x1 L)) (=> (and (<= 0 y0) (< y0 (len x0))) (= (nth (join x0 x1) y0) (nth x0 y0))))",
    } <= laws
