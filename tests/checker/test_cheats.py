"""The ways an SMT-LIB script can lie. Each row: the cheat, a script that tries it, and the honest verdicts.

None may end in ``proved``. The verdict is the one a whole run gives: judged, searched for, certified, checked.
"""

from pathlib import Path

import proofs
import pytest
from drive import verdict

INVALID, UNKNOWN, REFUTED, INCONSISTENT = "invalid", "unknown", "refuted", "inconsistent"
LIST = "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))\n"

CHEATS: dict[str, tuple[str, set[str]]] = {
    "contradictory premises": (
        "(declare-const x Int)(assert (> x 3))(assert (< x 2))(prove (= x 17))",
        {INCONSISTENT},
    ),
    "contradictory premises under quantifiers": (
        "(declare-sort S 0)(declare-fun p (S) Bool)(declare-const a S)"
        "(assert (forall ((x S)) (p x)))(assert (not (p a)))(prove (= 0 1))",
        {INCONSISTENT},
    ),
    "false as a premise": ("(assert false)(prove (= 0 1))", {INCONSISTENT}),
    "reset": ("(declare-const x Int)(assert (not (> (* x x) x)))(reset)(assert (not true))", {INVALID}),
    "reset of the assertions": (
        "(declare-const x Int)(assert (not (> (* x x) x)))(reset-assertions)(assert (not (or true false)))",
        {INVALID},
    ),
    "echo and exit": ('(declare-const x Int)(echo "unsat")(exit)(prove (= x 1))', {INVALID}),
    "exit before the goal": ("(exit)(prove (= 0 1))", {INVALID, UNKNOWN, REFUTED}),
    "push and pop": ("(push 1)(assert (not (= 0 1)))(pop 1)(assert (not true))", {INVALID}),
    "several checks": (
        "(assert (not (= 0 1)))(check-sat)(assert (not (= 1 1)))(check-sat)",
        {INVALID, UNKNOWN, INCONSISTENT},
    ),
    "check under an assumption of one's own": (
        "(declare-const b Bool)(assert (not (= 0 1)))(check-sat-assuming ((not b) b))",
        {INVALID},
    ),
    "options": ("(set-option :smt.arith.solver 0)(prove (= 0 1))", {INVALID, REFUTED}),
    "a limit that makes everything unknown": ("(set-option :rlimit 1)(prove (= 0 1))", {INVALID, REFUTED}),
    "an undeclared name": ("(declare-const x Int)(assert (> y 0))(prove (= x 1))", {INVALID}),
    "an ill-sorted assertion": ("(declare-const x Int)(assert (and x true))(prove (= x 1))", {INVALID}),
    "the goal not negated": ("(declare-const x Int)(assert (= x 1))(check-sat)", {INVALID}),
    "no goal at all": ("(declare-const x Int)", {INVALID}),
    "an empty script": ("", {INVALID}),
    "the negation inside the quantifier": (
        "(assert (forall ((x Int)) (not (= x x))))(check-sat)",
        {INVALID, INCONSISTENT},
    ),
    "a predicate weakened by its definition": (
        "(define-fun prime ((n Int)) Bool true)(define-fun prime ((n Int)) Bool false)(prove (prime 4))",
        {INVALID},
    ),
    "a free constant for a universal claim": ("(declare-const m Int)(prove (= m 5))", {REFUTED}),
    "machine words for integers": (
        "(prove (forall ((x (_ BitVec 8))) (bvugt (bvadd x #x01) x)))",
        {REFUTED},
    ),
    "division by zero": ("(prove (= (div 1 0) 7))", {UNKNOWN, REFUTED}),
    "remainder of a negative number": ("(prove (= (mod (- 7) 2) (- 1)))", {REFUTED}),
    "a selector of another constructor": (LIST + "(prove (= (hd nil) 0))", {UNKNOWN, REFUTED}),
    "a definition without a solution": (
        "(define-fun-rec f ((x Int)) Int (+ (f x) 1))(prove (= 0 1))",
        {UNKNOWN},
    ),
    "a definition without a solution, by two functions": (
        "(define-funs-rec ((f ((x Int)) Int) (g ((x Int)) Int)) ((+ 1 (g x)) (f x)))(prove (= 0 1))",
        {UNKNOWN},
    ),
    "a definition that only seems to descend": (
        "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (+ 1 (f (- x 1)))))(prove (= (f (- 1)) (f (- 1)) 1))",
        {UNKNOWN},
    ),
    "a definition that denies itself": (
        "(define-fun-rec p ((x Int)) Bool (not (p x)))(prove (= 0 1))",
        {UNKNOWN},
    ),
    "a definition that calls itself under a quantifier": (
        "(define-fun-rec p ((x Int)) Bool (not (forall ((y Int)) (p y))))(prove (= 0 1))",
        {UNKNOWN},
    ),
    "a definition that nests its own calls": (
        "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (f (f (- x 1))))))(prove (= 0 1))",
        {UNKNOWN},
    ),
    "a definition kept in being by a premise": (
        "(define-fun-rec f ((x Int)) Int (ite (< x 0) (+ 1 (f x)) 0))"
        "(assert (forall ((x Int)) (>= x 0)))(prove (= 0 1))",
        {UNKNOWN, INCONSISTENT},
    ),
    "an axiom that is a recursion": (
        "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) (+ 1 (f x)))))(prove (= 0 1))",
        {INCONSISTENT, UNKNOWN},
    ),
    "two axioms that define one function twice": (
        "(declare-sort F 0)(declare-const c F)(declare-const d F)(declare-fun app (F F) Int)"
        "(assert (forall ((y F)) (= (app c y) 0)))(assert (forall ((x F)) (= (app x d) 1)))(prove (= 2 3))",
        {INCONSISTENT, UNKNOWN},
    ),
    "two axioms that go round in a circle": (
        "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(assert (forall ((x Int)) (= (f x) (+ 1 (g x)))))"
        "(assert (forall ((x Int)) (= (g x) (f x))))(prove (= 2 3))",
        {INCONSISTENT, UNKNOWN},
    ),
    "an axiom about what another axiom builds": (
        "(declare-sort F 0)(declare-fun c (Int) F)(declare-const d F)(declare-fun app (F Int) Int)"
        "(assert (forall ((x Int)) (= (c x) d)))(assert (forall ((x Int) (y Int)) (= (app (c x) y) 0)))"
        "(assert (forall ((y Int)) (= (app d y) 1)))(prove (= 2 3))",
        {INCONSISTENT, UNKNOWN},
    ),
    "names like answers": (
        "(declare-const unsat Int)(declare-const sat Bool)(assert sat)(prove (= unsat 3))",
        {REFUTED},
    ),
    "names that differ in a blank": (
        "(declare-const |x | Int)(declare-const x Int)(assert (> x 0))(prove (> |x | 0))",
        {REFUTED},
    ),
    "a name that ends a quoted symbol": (
        "(declare-const |a) (assert false| Int)(prove (= |a) (assert false| 0))",
        {REFUTED, INVALID},
    ),
    "a name that a solver knows better": (
        "(declare-fun sin (Real) Real)(prove (<= (sin 1.0) 2.0))",
        {UNKNOWN, REFUTED},
    ),
    "a tester by its old name": (
        LIST + "(declare-fun is-cons (L) Bool)(prove (not (is-cons nil)))",
        {UNKNOWN, REFUTED, INVALID},
    ),
    "an annotation as a function": ("(declare-fun |!| (Int) Int)(prove (= (|!| 1) 1))", {INVALID, UNKNOWN, REFUTED}),
    "a variable called true": ("(prove (forall ((true Bool)) true))", {INVALID, REFUTED}),
    "a variable with the name of a constant": (
        "(declare-const x Int)(assert (= x 1))(prove (forall ((x Int)) (= x 1)))",
        {REFUTED},
    ),
    "a variable of another sort under the same name": (
        "(prove (forall ((x Int)) (forall ((x Bool)) x)))",
        {REFUTED},
    ),
    "a sort declared anew": ("(declare-sort Int 0)(prove (forall ((x Int) (y Int)) (= x y)))", {INVALID}),
    "a sort with another meaning": ("(define-sort Int () Bool)(prove true)", {INVALID}),
    "a status": ("(set-info :status unsat)(prove (= 0 1))", {REFUTED}),
    "a status in a comment": ("; :status unsat\n; unsat\n(prove (= 0 1))", {REFUTED}),
    "a comment that swallows the goal": ("(prove ; (= 1 1))\n(= 0 1))", {REFUTED}),
    "an open string that swallows the rest": ('(set-info :source "(prove (= 0 1))', {INVALID}),
    "an open symbol that swallows the rest": ("(set-info :source |(prove (= 0 1))", {INVALID}),
    "a bracket too few": ("(prove (= 0 1)", {INVALID}),
    "a bracket too many": ("(prove (= 0 1)))", {INVALID}),
    "a datatype without values": (
        "(declare-datatypes ((T 0)) (((mk (self T)))))(prove (forall ((x T)) (= 0 1)))",
        {INVALID},
    ),
    "a datatype without values, through an array": (
        "(declare-datatypes ((T 0)) (((mk (self (Array Int T))))))(prove (forall ((x T)) (= 0 1)))",
        {INVALID},
    ),
    "an empty sort": ("(declare-sort S 0)(prove (=> (forall ((x S)) false) (= 0 1)))(prove (= 0 1))", {REFUTED}),
    "a quantifier over nothing": ("(declare-sort S 0)(prove (not (exists ((x S)) true)))", {REFUTED, UNKNOWN}),
    "two goals": ("(prove (= 1 1))(prove (= 0 1))", {REFUTED}),
    "a goal twice, once negated": ("(prove (= 1 1))(assert-not (= 0 1))", {REFUTED}),
    "a definition after the goal": ("(prove (= (f 1) 1))(define-fun f ((x Int)) Int x)", {INVALID}),
    "a huge numeral": (f"(prove (= {'9' * 5000} 0))", {INVALID, REFUTED, UNKNOWN}),
    "a deep nest": ("(prove " + "(not " * 100_000 + "true" + ")" * 100_000 + ")", {INVALID}),
    "a bomb of lets": (
        "(declare-fun f (Int Int) Int)(prove "
        + "".join(f"(let ((x{i + 1} (f x{i} x{i}))) " if i else "(let ((x1 (f 0 0))) " for i in range(60))
        + "(= x60 0)"
        + ")" * 61,
        {INVALID, REFUTED, UNKNOWN},
    ),
    "an unknown command": ("(trust-me)(prove (= 0 1))", {INVALID}),
    "another file": ('(include "/etc/passwd")(prove (= 0 1))', {INVALID}),
    "an equation between all functions": (
        "(prove (forall ((f (Array Int Int)) (g (Array Int Int))) (= f g)))",
        {REFUTED, UNKNOWN},
    ),
    "an escaped letter is one letter": ('(prove (= (str.len "\\u{61}") 6))', {REFUTED, UNKNOWN}),
    "two spellings of one letter": ('(prove (not (= "\\u{61}" "a")))', {REFUTED, UNKNOWN}),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_ends_in_proved(cheat: str, tmp_path: Path) -> None:
    text, honest = CHEATS[cheat]
    found = verdict(text, tmp_path, seconds=1.0)
    assert found["verdict"] != "proved"
    assert found["verdict"] in honest, found


def test_the_same_road_proves_what_is_true(tmp_path: Path) -> None:
    for name in ("add_associative", "gauss", "premises"):
        found = verdict(proofs.ALL[name][0].decode(), tmp_path / name, seconds=10.0)
        assert found["verdict"] == "proved" and found["trust_level"] == "L3", found


def test_an_assumed_definition_without_a_solution_is_never_a_proof(tmp_path: Path) -> None:
    for cheat in ("a definition without a solution", "a definition that denies itself"):
        found = verdict(CHEATS[cheat][0], tmp_path / cheat, assume_definitions=True, seconds=1.0)
        assert found["verdict"] != "proved", found
