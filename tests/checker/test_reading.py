"""What we read is what was written: a solver's own parser and ours give each text the same meaning.

Each formula goes into z3 twice, once as written and once through our parser and printer; z3 must find both
equivalent. Here, and only here, text that did not pass our reader reaches a solver.
"""

import subprocess

import pytest

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.z3_process import z3_binary

DECLARATIONS = """
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(declare-datatypes ((N 0) (M 0)) (((z) (s (p M))) ((wrap (unwrap N)))))
(declare-const i Int) (declare-const j Int) (declare-const k Int)
(declare-const r Real) (declare-const t Real)
(declare-const a Bool) (declare-const b Bool) (declare-const c Bool)
(declare-const v (_ BitVec 8)) (declare-const w (_ BitVec 8))
(declare-const l L) (declare-const m L) (declare-const n N)
(declare-const x (Array Int Int)) (declare-const u String)
(declare-fun f (Int Int) Int) (declare-fun g (L) Bool)
(define-fun twice ((q Int)) Int (+ q q))
"""

FORMULAS = [
    "(= (- i j k) (- i (+ j k)))",
    "(= (- i) (- 0 i))",
    "(= (+ i j k 1) (* 2 j k))",
    "(< i j k 7)",
    "(>= i j (- 3))",
    "(distinct i j k)",
    "(= i j k)",
    "(xor a b c)",
    "(=> a b c)",
    "(or a (and b c) (not a))",
    "(= (div i j k) (mod i 3))",
    "(= (div (- 7) 2) (div 7 (- 2)) (mod (- 7) (- 2)))",
    "(= (abs i) (ite (< i 0) (- i) i))",
    "(= (/ r t 2.0) (* 0.5 (/ 1.0 3.0)))",
    "(= (/ 1 3) (+ r 1))",
    "(= (to_real i) (to_real (to_int r)))",
    "(is_int (+ r 0.25))",
    "(let ((i j) (j i)) (= (f i j) 0))",
    "(let ((i (+ i 1))) (let ((i (+ i i)) (q i)) (= (f i q) j)))",
    "(forall ((i Int)) (exists ((j Int)) (= (f i j) k)))",
    "(forall ((i Int)) (=> (> i j) (exists ((i Int)) (< i j))))",
    "(forall ((i Bool) (q Int)) (= i (= q k)))",
    "(forall ((i Int)) (let ((q i)) (exists ((i Int)) (= (f i q) k))))",
    "(exists ((nil L)) (= nil l))",
    "(match l ((nil a) ((cons h q) (and (> h i) (g q)))))",
    "(match l (((cons i q) (= i (hd q))) (nil b)))",
    "(match l ((nil a) (other (g other))))",
    "(match (tl l) (((cons h q) (= h i)) (other (= other m))))",
    "(match n ((z a) ((s q) (match q (((wrap o) (= o n)))))))",
    "(and ((_ is cons) l) (not ((_ is nil) (tl l))))",
    "(= (hd (tl (cons 1 (cons 2 nil)))) (hd l))",
    "(= (select (store x i 3) j) (select x k))",
    "(= ((as const (Array Int Int)) 4) x)",
    "(= (bvadd v w #x0f) (bvmul v #b00000011))",
    "(bvult (bvsub v w) (bvneg (bvnot v)))",
    "(= (concat #b101 v) ((_ zero_extend 3) w))",
    "(= ((_ extract 5 2) v) ((_ extract 3 0) w))",
    "(bvsle (bvshl v #x01) (bvashr w #x02))",
    "(= (bvudiv v w) (bvurem v #x00))",
    "(= (_ bv13 8) (bvlshr v w))",
    "(= ((_ rotate_left 3) v) ((_ sign_extend 0) w))",
    '(= (str.len u) (str.len "a""b"))',
    '(= u "\\u{61}\\u{22}b")',
    '(str.in_re u (re.* (re.union (str.to_re "a") (re.range "b" "d"))))',
    '(= (str.++ u "x") (str.replace u "a" "b"))',
    "(= (twice i) (twice (twice j)))",
    "(! (= i 1) :named here)",
    "(= (ite a i j) (ite (not a) j i))",
    "true",
    "(not false)",
    "(= a b true)",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_our_reading_agrees_with_the_solvers(formula: str) -> None:
    binary = z3_binary()
    if binary is None:
        pytest.skip("no z3 program beside the interpreter")
    ours = show(parse_problem(f"{DECLARATIONS}(prove {formula})").goal)
    script = f"{DECLARATIONS}(assert (not (= {formula} {ours})))(check-sat)"
    said = subprocess.run([binary, "-in", "-t:5000"], input=script, capture_output=True, text=True, check=False)
    assert said.stdout.split() == ["unsat"], (said.stdout, ours)


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_encoding_changes_nothing_but_names(formula: str) -> None:
    context = Context(parse_problem(f"{DECLARATIONS}(prove {formula})"))
    encoded = context.encoding.text(context.problem.goal)
    assert encoded.replace("u.", "").replace("?", "") == show(context.problem.goal).replace("?", "")
