"""Termination: evidence that is found, that is missing, and over trees."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from named_texts import tables

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import declarations, show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.termination import Nested, termination_obligations
from goedels_poetry.kernel.terms import INT, var
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.termination.search import Prover, Termination, terminations, terminations_by_solver

TABLES = tables(__file__)

PRELUDE = """
(declare-datatypes ((Nat 0)) (((Z) (S (p Nat)))))
(declare-datatypes ((list 0)) (((nil) (cons (head Int) (tail list)))))
(declare-datatypes ((Tree 0) (Forest 0)) (((node (trees Forest))) ((none) (some (first Tree) (others Forest)))))
(declare-datatypes ((Box 0)) (((empty) (box (inside (Array Int Box))))))
(declare-fun any (Int) Int) (declare-fun flag (Int) Bool) (declare-fun same (Nat) Nat)
"""


def prover(signature: Signature) -> Prover:
    z3 = shutil.which("z3", path=str(Path(sys.executable).parent))
    if z3 is None:
        pytest.skip("the z3 wheel has no binary here")

    def prove(sequent: Sequent) -> bool:
        negated = f"(assert (not {show(sequent.formula)}))"
        script = "\n".join(("(set-option :rlimit 1000000)", *declarations(signature), negated, "(check-sat)"))
        answer = subprocess.run([z3, "-in", "-T:20"], input=script, capture_output=True, text=True).stdout.strip()
        assert answer in ("sat", "unsat", "unknown"), answer
        return answer == "unsat"

    return prove


def shown(signature: Signature, prove: Prover) -> tuple[Termination, ...]:
    """What the search finds; the kernel accepts all of it, and poses nothing but what the prover has agreed to."""
    found = terminations(signature, prove)
    ends = termination_obligations(signature, found.evidence({d.name for d in signature.definitions}))
    assert ends.terminating == {name for t in found.groups if t.ok for name in t.group}
    assert ends.unshown == tuple(t.group for t in found.groups if not t.ok)
    assert all(prove(sequent) for _, sequent in ends.sequents)
    return found.groups


def decide(definitions: str) -> Termination:
    signature = parse_problem(PRELUDE + definitions + "(prove true)").signature
    return shown(signature, prover(signature))[-1]


@pytest.mark.parametrize(("definition", "method"), TABLES["test_methods"])
def test_methods(definition: str, method: str) -> None:
    result = decide(definition)
    assert result.method == method, result
    assert result.ok == bool(method)


SORTING = """
(define-fun-rec app ((x list) (y list)) list (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x list)) list (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec below ((n Int) (x list)) list
  (match x ((nil nil) ((cons h t) (ite (< h n) (cons h (below n t)) (below n t))))))
(define-fun-rec merge ((x list) (y list)) list (match x ((nil y) ((cons a s) (match y ((nil x)
  ((cons b t) (ite (< a b) (cons a (merge s y)) (cons b (merge x t))))))))))
(define-funs-rec ((evens ((x list)) list) (odds ((x list)) list))
  ((match x ((nil nil) ((cons h t) (cons h (odds t))))) (match x ((nil nil) ((cons h t) (evens t))))))
(define-fun-rec minus ((x Nat) (y Nat)) Nat (match x ((Z Z) ((S a) (match y ((Z x) ((S b) (minus a b))))))))
"""


@pytest.mark.parametrize(
    "definition",
    [
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (app (f (below h t)) (cons h (f t)))))))",
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (match t ((nil x)"
        " (_ (merge (f (evens x)) (f (odds x))))))))))",
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (cons h (f (rev t)))))))",
        "(define-fun-rec f ((x Nat) (y Nat)) Nat (match x ((Z Z) ((S a) (match y ((Z Z) (_ (f (minus x y) y))))))))",
    ],
)
def test_functions_that_give_no_more_than_they_get_may_stand_in_arguments(definition: str) -> None:
    assert decide(SORTING + definition).method == "structural"


@pytest.mark.parametrize(
    "definition",
    [
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (f (app t (cons h nil)))))))",
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (f (evens x))))))",  # evens (1) is (1)
        "(define-fun-rec f ((x list)) list (match x ((nil nil) ((cons h t) (f (merge t t))))))",
        "(define-fun-rec f ((x Nat) (y Nat)) Nat (match x ((Z Z) ((S a) (f (minus x y) y)))))",  # y may be zero
        "(define-fun-rec f ((x list)) list (f (rev x)))",
        "(define-fun-rec g ((x list)) list (g x)) (define-fun-rec f ((x list)) list"
        " (match x ((nil nil) ((cons h t) (f (g t))))))",  # nothing is known of g
    ],
)
def test_functions_that_may_give_more_do_not_count(definition: str) -> None:
    assert not decide(SORTING + definition).ok


@pytest.mark.parametrize("definition", TABLES["test_what_does_not_terminate_is_never_accepted"])
def test_what_does_not_terminate_is_never_accepted(definition: str) -> None:
    result = decide(definition)
    assert not result.ok
    assert "falls at the call" in result.reason


def test_dead_branches_do_not_count() -> None:
    result = decide("(define-fun-rec f ((x Nat)) Int (match x ((Z (match x ((Z 0) ((S y) (f x))))) ((S y) (f y)))))")
    assert result.ok


def test_a_call_under_a_condition_on_an_earlier_call_is_for_any_value_of_it() -> None:
    template = "(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (ite {} (f (f (- n 1))) 0)))"
    assert decide(template.format("(< (f (- n 1)) n)")).ok
    assert not decide(template.format("(> (f (- n 1)) n)")).ok
    assert not decide(template.format("(flag (f (- n 1)))")).ok


def test_nothing_is_accepted_when_the_prover_proves_nothing() -> None:
    signature = parse_problem(
        PRELUDE + "(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (f (- n 1))))(prove true)"
    ).signature
    (result,) = shown(signature, lambda _: False)
    assert not result.ok


STEPS = "(ite (flag (+ i j)) (+ i 1) i) (ite (flag (+ i j)) j (+ j 1)) m n"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("test", "steps", "ends"),
    [
        ("(and (< i m) (< j n))", STEPS, True),
        ("(or (< i m) (< j n))", "(ite (>= j n) (+ i 1) i) (ite (>= j n) j (+ j 1)) m n", True),
        ("(or (< i m) (< j n))", STEPS, False),
        ("(and (< i m) (< j n))", STEPS.replace("(+ j 1)", "(- j 1)"), False),
        ("(and (< i m) (< j n))", STEPS.replace("(+ j 1)", "j"), False),
        ("(and (< i m) (< j n))", STEPS.replace("m n", "(+ m 1) n"), False),
    ],
    ids=["one of two", "the second first", "beyond its end", "back", "no step", "its end goes away"],
)
def test_a_loop_that_goes_on_along_one_of_two_lists_ends_by_what_is_left_of_both(
    test: str, steps: str, ends: bool
) -> None:
    body = f"(define-fun-rec f ((i Int) (j Int) (m Int) (n Int)) Int (ite {test} (f {steps}) i))"
    assert decide(body).ok is ends


def decided(definition: str) -> Termination:
    problem = parse_problem(f"{definition}\n(prove (= (f 0) (f 0)))")
    return terminations_by_solver(Context(problem)).groups[-1]


def test_mccarthys_function_terminates_because_its_results_are_bounded_below() -> None:
    found = decided("(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 11)))))")
    assert found.ok
    assert found.method == "nested"
    assert isinstance(found.evidence, Nested)
    assert show(found.evidence.bound(var("result", INT), (var("n", INT),))) == "(>= result (+ n (- 10)))"


@pytest.mark.parametrize(
    "definition",
    [
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 10)))))",  # 91 calls itself at 91
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 11) (f (f (+ n 11)))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) n (f (f n))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (+ 1 (f (f (f (+ n 11)))))))",
        "(define-fun-rec f ((n Int)) Int (f (f (+ n 11))))",
        "(define-fun-rec f ((n Int)) Int (ite (> (f n) 100) (- n 10) (f (f (+ n 11)))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (ite (= (f n) 0) n (f (+ n 11))))))",
    ],
)
def test_nested_recursion_that_does_not_end_is_not_accepted(definition: str) -> None:
    found = decided(definition)
    assert not found.ok
    assert found.reason


TREES = """(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))
(declare-datatypes ((L 0)) (((none) (more (first T) (rest L)))))
"""
RIGHT = "(match x ((leaf 0) ((node y r) (match y ((leaf (f r)) ((node p q) (f (node p (node q r)))))))))"
LEFT = "(match x ((leaf 0) ((node l y) (match y ((leaf (f l)) ((node p q) (f (node (node l p) q))))))))"
TWICE = "(match x ((leaf 0) ((node y r) (match y ((leaf (f r)) ((node p q) (f (node p (node q (node r r))))))))))"
BACK = """(match x ((leaf 0) ((node l r) (match l ((leaf (match r ((leaf 0) ((node p q) (f (node (node l p) q))))))
  ((node p q) (f (node p (node q r)))))))))"""
MIRROR = "(match x ((leaf 0) ((node l r) (f (node r l)))))"
STACK = """(match x ((none 0) ((more t r) (match t ((leaf (f r))
  ((node a b) (match a ((leaf (f (more b r))) ((node c d) (f (more a (more (node leaf b) r))))))))))))"""
SPILL = """(match x ((none 0) ((more t r) (match t ((leaf (f r))
  ((node a b) (f (more a (more a (more b (more b r)))))))))))"""


def decided_of_trees(body: str, sort: str = "T") -> bool:
    problem = parse_problem(f"{TREES}(define-fun-rec f ((x {sort})) Int {body})(prove true)")
    evidence = terminations(problem.signature, None).evidence({"f"})
    ends = termination_obligations(problem.signature, evidence)
    assert not ends.sequents
    return "f" in ends.terminating


@pytest.mark.parametrize(
    ("body", "sort", "ends"),
    [
        (RIGHT, "T", True),
        (LEFT, "T", True),
        (STACK, "L", True),
        (BACK, "T", False),
        (MIRROR, "T", False),
        (TWICE, "T", False),
        (SPILL, "L", False),
    ],
)
def test_turning_one_way_comes_to_an_end_and_turning_back_is_not_shown_to(body: str, sort: str, ends: bool) -> None:
    """Some of the last four end, by a measure that is not looked for."""
    assert decided_of_trees(body, sort) is ends


Tree = tuple  # () is a leaf, (left, right) a node


def written(tree: Tree, names: list[str]) -> str:
    """A term of constructors over the fields that the path has opened."""
    if tree == ():
        return "leaf"
    return tree[0] if len(tree) == 1 else f"(node {written(tree[0], names)} {written(tree[1], names)})"


def filled(tree: Tree, at: dict[str, Tree]) -> Tree:
    if tree == ():
        return ()
    return at[tree[0]] if len(tree) == 1 else (filled(tree[0], at), filled(tree[1], at))


def random_tree(rng: random.Random, names: list[str], depth: int) -> Tree:
    if rng.random() < 0.6 or depth == 0:
        return (rng.choice(names),) if names and rng.random() < 0.9 else ()
    return (random_tree(rng, names, depth - 1), random_tree(rng, names, depth - 1))


def test_whatever_is_said_to_end_ends_when_it_is_run() -> None:
    """Random functions that rebuild what they have taken apart, run on all small trees."""
    rng = random.Random(11)
    small: list[Tree] = [()]
    for _ in range(2):
        small = [(), *[(a, b) for a in small for b in small]]
    accepted = 0
    for _ in range(250):
        first = random_tree(rng, ["p", "q", "r"], 2)
        second = random_tree(rng, ["r"], 1)
        body = (
            f"(match x ((leaf 0) ((node y r) (match y ((leaf (f {written(second, [])}))"
            f" ((node p q) (f {written(first, [])})))))))"
        )
        if not decided_of_trees(body):
            continue
        accepted += 1
        for tree in small:
            for _ in range(400):
                if tree == ():
                    break
                y, r = tree
                tree = filled(second, {"r": r}) if y == () else filled(first, {"p": y[0], "q": y[1], "r": r})
            else:
                pytest.fail(f"this goes on: {body}")
    assert accepted > 20
