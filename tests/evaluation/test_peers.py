"""``scripts/peers``: our problems in the words of other provers, which say the same of what they know."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.smt.notation.text import parse_problem

SCRIPTS = Path(__file__).parents[2] / "scripts"
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
