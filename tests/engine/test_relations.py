"""Goals about numbers, relations, places in lists and strings, closed by the symbolic prover."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_texts import tables
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.evaluator import evaluate
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import INT, var
from goedels_poetry.smt.conjecture.indices import clauses
from goedels_poetry.smt.conjecture.observers import observations
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs import symbolic as jobs
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.smt.rewriting.polynomials import normal

TABLES = tables(__file__)

LOOPS = """
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec double ((n Int) (y Int)) Int (ite (<= n 0) y (* 2 (double (- n 1) y))))
(define-fun-rec thirds ((n Int)) Int (ite (<= n 0) 0 (+ (thirds (- n 1)) n)))
(define-fun-rec cubes ((n Int)) Int (ite (<= n 0) 0 (+ (* n n n) (cubes (- n 1)))))
(define-funs-rec ((f ((n Int) (a Int) (b Int)) Int) (g ((n Int) (a Int) (b Int)) Int))
  ((ite (<= n 0) a (+ (f (- n 1) a b) (g (- n 1) a b))) (ite (<= n 0) b (f (- n 1) a b))))
(define-fun-rec ones ((n Int)) Int (ite (<= n 0) 0 (+ 1 (* 10 (ones (- n 1))))))
"""

TRUE = [
    "(= (power 2 (* 2 n)) (power 4 n))",
    "(= (double (+ n n) 1) (power 4 n))",
    "(= (thirds n) (div (* n (+ n 1)) 2))",
    "(= (* 2 (thirds n)) (+ (* n n) n))",
    "(= (cubes n) (* (thirds n) (thirds n)))",
    "(= (* 4 (cubes n)) (* n n (+ n 1) (+ n 1)))",
    "(= (f (* 2 n) 1 1) (* (g n 1 1) (- (* 2 (f n 1 1)) (g n 1 1))))",
    "(= (+ 1 (* 9 (ones n))) (power 10 n))",
    "(= (ones n) (div (power 10 n) 9))",
]


@pytest.mark.parametrize("claim", TRUE)
def test_a_goal_follows_from_equations_among_the_values_of_loops(claim: str) -> None:
    theorem = f"{LOOPS}(prove (forall ((n Int)) (=> (>= n 0) {claim})))"
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


K, M = var("k", INT), var("m", INT)
NUMBERS = parse_problem("(prove true)").signature


@given(
    st.recursive(
        st.sampled_from(["k", "m", "0", "1", "2", "7"]),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from("+-*"), inner, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(st.sampled_from(["div", "mod"]), inner, st.sampled_from("2367")).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            st.tuples(st.sampled_from(["<", "<=", ">=", "="]), inner, inner, inner).map(
                lambda t: f"(ite ({t[0]} {t[1]} {t[2]}) {t[3]} {t[1]})"
            ),
        ),
        max_leaves=12,
    )
)
def test_a_normal_form_has_the_same_values(text: str) -> None:
    term = parse_term(text, NUMBERS, (K, M), INT)
    same = normal(term, NUMBERS)
    for k, m in product((-7, -1, 0, 1, 2, 5), repeat=2):
        assert evaluate(term, {K: k, M: m}, NUMBERS) == evaluate(same, {K: k, M: m}, NUMBERS)


PLACES = """
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
DIVISORS = """
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
        f"{PLACES}(prove (forall ((x L)) (each 0 x (times 0 none x))))",
        f"""{PLACES}(prove (forall ((x L))
          (or ((_ is none) x) (and (= (len (times 0 none x)) (len x)) (each 0 x (times 0 none x))))))""",
        f"{PLACES}(prove (forall ((x L)) (below 0 x (nth x (top 0 0 x)))))",
        f"{PLACES}(prove (forall ((x L)) (=> (not ((_ is none) x)) (and (<= 0 (top 0 0 x)) (< (top 0 0 x) (len x))))))",
        f"{DIVISORS}(prove (forall ((n Int) (a Int) (b Int)) (= (choose 2 n a b) (ite (prime 2 n) a b))))",
        f"{DIVISORS}(prove (forall ((n Int) (i Int)) (=> (<= 2 i) (< i n) (= (mod n i) 0) (divides 2 n false))))",
        f"{DIVISORS}(prove (forall ((n Int)) (=> (not (divides 2 n false)) (prime 2 n))))",
        f"""{DIVISORS}(prove (forall ((n Int) (i Int) (j Int))
          (=> (<= 0 i) (< i n) (<= 0 j) (< j n) (= (* i j) n) (pairs 0 n false))))""",
        f"{PLACES}(prove (forall ((x L)) (= (mod (negative 0 x) 2) (mod (upto (len x) x) 2))))",
        f"{PLACES}(prove (forall ((x L)) (all_fine (kept none x))))",
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
        f"{PLACES}(prove (forall ((x L)) (each 1 x (times 1 none x))))",
        f"{PLACES}(prove (forall ((x L)) (below 0 x (nth x (top 1 0 (rest x))))))",
        f"{DIVISORS}(prove (forall ((n Int) (a Int) (b Int)) (= (choose 2 n a b) (ite (prime 1 n) a b))))",
        f"{DIVISORS}(prove (forall ((n Int)) (=> (not (divides 3 n false)) (prime 2 n))))",
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
    problem = parse_problem(PLACES + goal)
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


A = "(declare-const a String)"
KEY = """
(define-fun key ((a String) (b String)) String (str.++ a ":" b))
(define-fun left ((k String)) String (str.substr k 0 (str.indexof k ":" 0)))
"""
HOST = """
(define-fun host ((u String)) String
  (ite (< (str.indexof u "/" 0) 0) u (str.substr u 0 (str.indexof u "/" 0))))
"""
NUMERAL = """
(define-fun written ((i Int)) String (ite (< i 0) (str.++ "-" (str.from_int (- i))) (str.from_int i)))
(define-fun read ((s String)) Int
  (ite (= "-" (str.at s 0)) (- (str.to_int (str.substr s 1 (- (str.len s) 1)))) (str.to_int s)))
"""


@pytest.mark.parametrize(
    "theorem",
    [
        f'{KEY}{A}(declare-const b String)(assert (not (str.contains a ":")))(prove (= (left (key a b)) a))',
        f'{A}(declare-const b String)(assert (not (str.contains a ":")))'
        '(prove (= (str.substr (str.++ a ":" b) 0 (str.indexof (str.++ a ":" b) ":" 0)) a))',
        f'{HOST}{A}(prove (not (str.contains (host a) "/")))',
    ],
)
def test_a_goal_about_strings_is_proved_directly(theorem: str) -> None:
    found = job("prove", theorem)
    assert found["ok"], found["reason"]
    assert job("verify", theorem, candidate=found["value"]["candidate"])["ok"]


@pytest.mark.parametrize(("theorem", "values"), TABLES["test_a_false_goal_about_strings_is_refuted"])
def test_a_false_goal_about_strings_is_refuted(theorem: str, values: dict[str, str] | None) -> None:
    found = jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]
    assert found["verdict"] == "refuted"
    assert values is None or found["counterexample"]["values"] == values


@pytest.mark.parametrize(
    "theorem",
    [
        f'{A}(prove (=> (= a "B") (= (str.len a) 1)))',
        f'{A}(prove (= (str.replace a "B" "B") a))',
        f"{NUMERAL}(declare-const i Int)(prove (= (read (written i)) i))",
    ],
)
def test_a_true_goal_about_strings_is_not_refuted(theorem: str) -> None:
    assert jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]["verdict"] != "refuted"


@pytest.mark.parametrize(
    "goal",
    [
        "(declare-const i Int)(prove (= (read (written i)) i))",
        "(prove (forall ((i Int)) (= (read (written (* 2 i))) (* 2 i))))",
        "(declare-fun f (Int) Int)(declare-const i Int)"
        "(prove (=> (forall ((n Int)) (= (f n) n)) (= (read (written i)) (f i))))",
    ],
)
def test_a_definition_that_is_not_recursive_is_written_out_for_the_solver(goal: str) -> None:
    """What is written is read back: the solver sees through neither function as long as it is uninterpreted."""
    theorem = NUMERAL + goal
    assert not job("prove", theorem)["ok"]
    sketch = sketched(theorem)
    assert sketch["strategy"] == "definitions-written-out"
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
    (child,) = sketch["children"]
    assert "read" not in child["statement"].split(), child["statement"]


def test_what_does_not_hold_is_not_proved_by_writing_definitions_out() -> None:
    found = job("sketch", f"{NUMERAL}(declare-const i Int)(prove (= (read (written i)) (abs i)))", seconds=10)
    assert not found["ok"] or not is_complete(found["value"]["sketch"])
