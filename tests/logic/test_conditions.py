"""What an open goal lacks: facts with which it would follow, and facts with which its negation would."""

import time
from collections.abc import Iterator

import pytest

from goedels_poetry import Verdict
from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning.backends import SMT2Backend

PASS = """(declare-const age Int)(declare-const county Bool)(declare-const student Bool)(declare-const rail_card Bool)
(declare-const may_get Bool)(declare-const sunny Bool)
(assert (! (= may_get (and county (or (> age 64) student) (not rail_card))) :named rule :sentence 1))
(assert (! (or sunny (not sunny)) :named weather :sentence 2))
"""
PEOPLE = """(declare-sort P 0)(declare-const ann P)(declare-const bob P)
(declare-fun paid (P) Bool)(declare-fun insured (P) Bool)(declare-fun covered (P) Bool)(declare-fun married (P P) Bool)
(assert (! (forall ((x P)) (=> (and (insured x) (paid x)) (covered x))) :named r1 :sentence 1))
(assert (! (forall ((x P) (y P)) (=> (and (married x y) (covered y)) (covered x))) :named r2 :sentence 2))
(assert (! (paid ann) :named f :sentence 3))
"""
LONG = "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(declare-const s Bool)(declare-const g Bool)"


@pytest.fixture(scope="module")
def backend() -> Iterator[SMT2Backend]:
    with SMT2Backend(conditional=True, processes=1) as running:
        yield running


def found(result: VerificationResult, answer: str) -> list[set[str]]:
    return [set(each["facts"]) for each in result.conditions if each["answer"] == answer]


def asked(head: str, goal: str) -> str:
    return f"{head}(define-fun goal () Bool {goal})"


@pytest.mark.parametrize(
    ("program", "yes", "no"),
    [
        (
            asked(PASS + "(assert county)", "may_get"),
            [{"student", "(not rail_card)"}, {"(> age 64)", "(not rail_card)"}],
            [{"rail_card"}, {"(not (> age 64))", "(not student)"}],
        ),
        (asked(PASS + "(assert (and county student (> age 90)))", "may_get"), [{"(not rail_card)"}], [{"rail_card"}]),
        (asked(PEOPLE, "(covered ann)"),
         [{"(insured ann)"}, {"(married ann bob)", "(insured bob)", "(paid bob)"}],
         [{"(married bob ann)", "(not (covered bob))"}]),
        (
            asked(LONG + "(assert (=> (and p q r s) g))", "g"),
            [{"p", "q", "r", "s"}],  # more facts than a small set has
            [],
        ),
        (asked(LONG + "(assert (or p (not p)))", "g"), [], []),
        (asked(LONG + "(assert (or (not p) g))(assert (not p))", "g"), [], []),  # p would contradict the premises
        (asked("(declare-const n Int)(declare-const g Bool)(assert (=> (> n 5) g))(assert (=> (> n 9) g))", "g"),
         [{"(> n 5)"}], []),  # the weaker of two
    ],
    ids=["two ways", "one fact", "named things", "many facts", "the goal alone", "inconsistent", "weaker"],
)  # fmt: skip
def test_smallest_sets_of_facts_that_are_consistent_and_not_the_goal(
    backend: SMT2Backend, program: str, yes: list[set[str]], no: list[set[str]]
) -> None:
    result = backend.execute(program)
    assert (result.verdict, result.answer) == (Verdict.UNKNOWN, None)
    assert sorted(map(sorted, found(result, "yes"))) == sorted(map(sorted, yes))
    assert sorted(map(sorted, found(result, "no"))) == sorted(map(sorted, no))
    for each in result.conditions:  # each is what it is said to be
        more = "".join(f"(assert {fact})" for fact in each["facts"])
        again = backend.execute(program.replace("(define-fun goal", f"{more}(define-fun goal"))
        assert again.verdict is (Verdict.PROVED if each["answer"] == "yes" else Verdict.REFUTED)


def test_what_is_decided_has_no_conditions(backend: SMT2Backend) -> None:
    assert backend.execute(asked(PASS, "(or county (not county))")).conditions == ()


def test_the_search_is_bounded(backend: SMT2Backend) -> None:
    names = [f"(declare-const p{n} Bool)" for n in range(60)]
    clauses = [f"(assert (or p{n} (not p{(7 * n + 3) % 60}) p{(11 * n + 5) % 60}))" for n in range(60)]
    began = time.monotonic()
    result = backend.execute(asked("".join(names + clauses), "(and p0 (not p1) p2)"))
    assert result.verdict is Verdict.UNKNOWN
    assert time.monotonic() - began < 10


def test_a_condition_names_the_sentences_about_what_its_facts_are_about(backend: SMT2Backend) -> None:
    result = backend.execute(asked(PEOPLE, "(covered ann)"))
    numbers = {frozenset(each["facts"]): each["sentences"] for each in result.conditions}
    assert numbers[frozenset({"(insured ann)"})] == [1]
    assert numbers[frozenset({"(married ann bob)", "(insured bob)", "(paid bob)"})] == [1, 2, 3]
