"""``scripts/peers``: our problems in the words of other provers, which say the same of what they know."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.smt.notation.text import parse_problem

SCRIPTS = Path(__file__).parents[2] / "scripts"
LISTS = """(declare-sort E 0)
(declare-datatypes ((L 0)) (((nil) (cons (head E) (tail L)))))
(define-fun-rec ++ ((x L) (y L)) L (ite ((_ is nil) x) y (cons (head x) (++ (tail x) y))))
(define-fun-rec len ((x L)) Int (ite ((_ is nil) x) 0 (+ 1 (len (tail x)))))
"""
KNOWN = {
    "a structural induction": ("(prove (forall ((x L) (y L) (z L)) (= (++ (++ x y) z) (++ x (++ y z)))))", "proved"),
    "a number": ("(prove (forall ((x L) (y L)) (= (len (++ x y)) (+ (len x) (len y)))))", "proved"),
    "a hypothesis": ("(prove (forall ((x L) (y L)) (=> ((_ is cons) x) ((_ is cons) (++ x y)))))", "proved"),
    "a false one": ("(prove (forall ((x L) (y L)) (= (++ x y) (++ y x))))", "unknown"),
    "false on one side of a hypothesis": ("(prove (forall ((x L)) (=> (> (len x) 1) (= x nil))))", "unknown"),
}
SMALL = """(declare-sort E 0)(declare-fun |a b| (E Int) Bool)
(declare-datatypes ((L 0)) (((|a/b|) (cons (head E) (tail L)))))
(define-fun-rec A_B ((x L) (n Int)) Bool
  (ite ((_ is |a/b|) x) (< 0 n 9) (and (|a b| (head x) n) (A_B (tail x) (- n 1)))))
(prove (forall ((x L) (n Int)) (=> (distinct n 0) (A_B x (div n 2)) (< (- 2) n))))
"""
DAFNY = """type u_sort_E(==)
datatype u_sort_L = u_a_b | u_cons(u_head: u_sort_E, u_tail: u_sort_L)
function u_a_b_2(v0: u_sort_E, v1: int): bool
function u_A_B_3(v_x: u_sort_L, v_n: int): bool {
  (if v_x.u_a_b? then ((0 < v_n) && (v_n < 9)) else (u_a_b_2(v_x.u_head, v_n) && u_A_B_3(v_x.u_tail, (v_n - 1))))
}
lemma goal(v_x: u_sort_L, v_n: int)
  requires (v_n != 0)
  requires u_A_B_3(v_x, (v_n / 2))
  ensures ((-2) < v_n)
{  }
"""
ACL2 = """(defthm u_A_B_3-type (booleanp (u_A_B_3 v_x v_n)))
(defthm goal
  (implies (and (u_sort_L v_x) (integerp v_n) (not (equal v_n 0)) (u_A_B_3 v_x (floor v_n 2)))
    (< -2 v_n)))
"""
UNSAYABLE = {
    "dafny": "(declare-fun a () (Array Int Int))(prove (= (select (store a 0 1) 0) 1))",
    "acl2": "(prove (forall ((x Int)) (exists ((y Int)) (< x y))))",
}


@pytest.fixture(scope="module")
def peers() -> Iterator[dict[str, object]]:
    sys.path.insert(0, str(SCRIPTS))
    import peers

    yield {peer.name: peer for peer in peers.PEERS} | {"Untranslatable": peers.Untranslatable}
    sys.path.remove(str(SCRIPTS))


def test_names_that_clash_are_told_apart_and_operators_are_those_of_the_language(peers) -> None:
    problem = parse_problem(SMALL)
    assert peers["dafny"].translate(problem) == DAFNY
    assert ACL2 in peers["acl2"].translate(problem)


@pytest.mark.parametrize("name", UNSAYABLE)
def test_what_its_language_cannot_say_is_not_translated(peers, name: str) -> None:
    with pytest.raises(peers["Untranslatable"]):
        peers[name].translate(parse_problem(UNSAYABLE[name]))


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("name", ["dafny", "acl2"])
def test_it_says_of_known_theorems_what_is_known(peers, name: str, kind: str) -> None:
    peer, (goal, known) = peers[name], KNOWN[kind]
    if not peer.is_there:
        pytest.skip(f"{name} is not installed (Debian's package of that name)")
    assert peer.ask(parse_problem(LISTS + goal), 20) == known


@pytest.mark.parametrize(
    ("name", "code", "said", "means"),
    [
        ("dafny", 0, "Dafny program verifier finished with 7 verified, 0 errors", "proved"),
        ("dafny", 4, "Dafny program verifier finished with 7 verified, 1 error", "unknown"),
        ("dafny", 0, "Dafny program verifier finished with 0 verified, 0 errors", "unknown"),
        ("dafny", 2, "1 parse errors detected in theorem.dfy", "error"),
        ("dafny", -1, "", "unknown"),
        ("acl2", 0, "VERDICT PROVED", "proved"),
        ("acl2", 0, "VERDICT OPEN", "unknown"),
        ("acl2", 0, "ACL2 !>Bye.", "error"),
        ("acl2", -1, "", "unknown"),
    ],
)
def test_only_its_own_word_for_a_proof_counts(peers, name: str, code: int, said: str, means: str) -> None:
    assert peers[name].read(code, said) == means


def test_without_its_books_acl2_is_not_compared(peers) -> None:
    said = 'The file\n"/usr/share/acl2-8.5dfsg/books/arithmetic-5/top.lisp" does not\nexist.\nVERDICT OPEN'
    with pytest.raises(SystemExit, match="install acl2-books-certs"):
        peers["acl2"].read(0, said)
