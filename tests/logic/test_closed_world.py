"""Closed worlds, and programs in English words."""

import json
import random
import re
from collections.abc import Iterator

import pytest

from goedels_poetry.kernel.terms import BOOL, alpha, app, not_
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment import closed_world
from goedels_poetry.questions.entailment.closed_world import Closure
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicPremise, Origin
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.questions.query_runner import SolverPair
from goedels_poetry.search.questions.writer import Row, rows


@pytest.fixture(scope="module")
def solvers() -> Iterator[SolverPair]:
    with SolverPair() as pair:
        yield pair


def closed(solvers: SolverPair, names: str, premises: str, goal: str) -> Entailment:
    declared = "".join(f"(declare-const {name} Bool)" for name in names.split())
    return decide(read_smt2(f"{declared}{premises}(define-fun goal () Bool {goal})"), solvers=solvers, world="closed")


@pytest.mark.parametrize(
    "premise",
    [
        "(or p q)",
        "(=> (and (not p) (not q)) false)",
        "(=> (not p) (=> (not q) false))",
        "(not (and (not p) (not q)))",
        "(not (not (or p q)))",
    ],
)
@pytest.mark.parametrize("names", ["p q", "q p"])
def test_a_disjunction_in_other_words_is_not_closed_in_one_of_two_ways(
    solvers: SolverPair, names: str, premise: str
) -> None:
    found = closed(solvers, names, f"(assert {premise})", "q")
    assert (found.verdict, found.goals[0].verdict) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert "cannot be closed" in found.reason


@pytest.mark.parametrize("names", ["odd flies q w", "w q flies odd"])
def test_what_is_excepted_from_a_denial_comes_after_what_it_denies(solvers: SolverPair, names: str) -> None:
    found = closed(solvers, names, "(assert (=> (not odd) (not w)))(assert (=> (not q) w))", "odd")
    assert found.verdict is Verdict.PROVED


@pytest.mark.parametrize("names", [("flies", "bird", "odd"), ("odd", "bird", "flies")])
def test_the_exception_of_a_rule_is_seen_through_a_definition(solvers: SolverPair, names: tuple[str, ...]) -> None:
    declared = "".join(f"(declare-fun {name} (T) Bool)" for name in names)
    program = read_smt2(
        f"(declare-sort T 0)(declare-const tweety T){declared}(define-fun unusual ((x T)) Bool (odd x))"
        "(assert (bird tweety))(assert (forall ((x T)) (=> (and (bird x) (not (unusual x))) (flies x))))"
        "(define-fun goal () Bool (flies tweety))"
    )
    assert decide(program, solvers=solvers, world="closed").verdict is Verdict.PROVED


def test_a_contradiction_of_the_closing_is_none_of_the_premises(
    solvers: SolverPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the solver takes too long to see it while the world is closed."""
    added = LogicPremise("closed-1", not_(app("p", (), BOOL)), origin=Origin.CLOSURE)
    monkeypatch.setattr(closed_world, "close", lambda program, ask: Closure((added,)))
    found = closed(solvers, "p q", "(assert p)", "q")
    assert (found.verdict, found.closure) == (Verdict.UNKNOWN, ())
    assert "cannot be closed" in found.reason


def test_no_order_of_random_rules_and_names_changes_a_verdict(solvers: SolverPair) -> None:
    random_ = random.Random(4)
    names = ["a", "b", "c", "d"]

    def literal() -> str:
        name = random_.choice(names)
        return name if random_.random() < 0.5 else f"(not {name})"

    shapes = (
        lambda: random_.choice(names),
        lambda: f"(=> (and {literal()} {literal()}) {random_.choice(names)})",
        lambda: f"(=> {literal()} (not {random_.choice(names)}))",
        lambda: f"(not (and {literal()} {literal()}))",
        lambda: f"(=> {literal()} (=> {literal()} false))",
    )
    for _ in range(40):
        premises = [f"(assert {random_.choice(shapes)()})" for _ in range(4)]
        verdicts = set()
        for _ in range(2):
            random_.shuffle(names)
            random_.shuffle(premises)
            verdicts.add(closed(solvers, " ".join(names), "".join(premises), "a").verdict)
        assert len(verdicts) == 1, premises


HEAD = "(declare-sort Thing 0) (declare-const c Thing) (declare-const council_agrees Bool)"
UNARY = ("A", "B", "C")
ROWS = [row for row in rows()["sentences"] if "smt2" in row]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["english"][:30])
def test_both_dialects_say_the_same(row: Row) -> None:
    unary = not re.search(r"\b[PQ]\b|\(or A", row["smt2"])
    kind = "(Thing)" if unary else "()"
    names = UNARY if unary else ("A", "B", "C", "P", "Q")
    smt2 = HEAD + " ".join(f"(declare-fun {name} {kind} Bool)" for name in names)
    smt2 += f"(assert {row['smt2']}) (define-fun goal () Bool council_agrees)"
    program = {
        "sorts": [{"name": "Thing", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Thing"], "range": "Bool"} for name in names if unary],
        "constants": {
            "things": {"sort": "Thing", "members": ["c"]},
            "facts": {"sort": "Bool", "members": ["council_agrees", *([] if unary else names)]},
        },
        "knowledge_base": [row["json"]],
        "goal": "council_agrees",
    }
    assert alpha(read_smt2(smt2).premises[0].formula) == alpha(read_json(json.dumps(program)).premises[0].formula)
