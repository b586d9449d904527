"""Several goals in one text: nothing is taken from one that is not proved, stands later, or says something else now."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import verify_certificate as second
from forge import evidence_of, forge

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.checker import BadProof, check_certificate, write_certificate
from goedels_poetry.kernel.derivation import Derivation, Instance, Query, Step
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import FALSE
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.claim import FormalTheorem
from goedels_poetry.smt.jobs.hints import read_hint
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.smt.notation.goals import excerpt, excerpts, preceded_by
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.store.results import RunResult

LISTS = """(declare-datatype List ((nil) (cons (head Int) (tail List))))
(define-fun-rec app ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x List)) List (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
"""
UNIT = "(prove (! (forall ((x List)) (= (app x nil) x)) :named unit))\n"
ASSOC = "(prove (! (forall ((x List) (y List) (z List)) (= (app (app x y) z) (app x (app y z)))) :named assoc))\n"
SWAP = "(forall ((x List) (y List)) (= (rev (app x y)) (app (rev y) (rev x))))"


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoedelsPoetryFramework]:
    home = tmp_path_factory.mktemp("home")
    with GoedelsPoetryFramework(Settings(home=home, budgets=Budgets(wall_seconds=60.0))) as made:
        yield made


def proved(framework: GoedelsPoetryFramework, text: str, name: str) -> RunResult:
    return framework.run(text, name=f"x.smt2:{name}", language="smt", options={"theorem": name})


# ------------------------------------------------------------------------------------------------------ what is proved


def test_a_goal_uses_what_was_proved_before_it_and_its_certificate_needs_nothing_else(
    framework: GoedelsPoetryFramework, tmp_path: Path
) -> None:
    goal = f"(prove (! {SWAP} :named swap :using (unit assoc) :induct (x)))"
    text = f"{LISTS}{UNIT}{ASSOC}{goal}\n(declare-const later Int)\n"
    result = proved(framework, text, "swap")
    assert result.verdict is Verdict.PROVED and result.trust_level == "L3"
    assert result.certificate is not None
    own = excerpt(text, "swap")
    assert text.startswith(own) and own.endswith(":induct (x)))"), "bytes of the file, up to the end of the goal"
    assert (result.certificate / "theorem.smt2").read_text() == own
    statements = [step["sequent"] for step in evidence_of(result.certificate)["steps"]]
    assert any("(= (app x nil) x)" in s for s in statements), "the proof of a lemma is part of the proof"
    assert check_certificate(result.certificate, own.encode()).verdict is Verdict.PROVED
    (tmp_path / "own.smt2").write_text(own)
    again = second.judged(result.certificate, tmp_path / "own.smt2", [second.find_solver("z3")], 10.0, 60.0)
    assert again.verdict == second.HOLDS


def test_what_is_false_helps_nothing(framework: GoedelsPoetryFramework) -> None:
    text = """(declare-const c Int)
(prove (! (forall ((x Int)) (> x 0)) :named false_one))
(prove (! (> c 0) :named follows :using (false_one) :instance ((false_one c))))
"""
    assert proved(framework, text, "false_one").verdict is Verdict.REFUTED
    result = proved(framework, text, "follows")
    assert result.verdict is Verdict.REFUTED
    assert any("`false_one` is not used: it is refuted" in warning for warning in result.warnings)
    true_one = text.replace("(> c 0) :named follows", "(= c c) :named follows")
    result = proved(framework, true_one, "follows")
    assert result.verdict is Verdict.PROVED
    assert any("`false_one` is not used" in warning for warning in result.warnings), "its author wants it used"


def test_what_stands_later_counts_for_nothing_before_it(framework: GoedelsPoetryFramework) -> None:
    text = """(declare-const x Int)
(declare-const of_nobody Int)
(prove (! (> x 2) :named before))
(assert (> x 3))
(prove (! (> x 2) :named after))
(prove (! (= (+ x 1) (+ 1 x)) :named again))
"""
    results = [proved(framework, text, n) for n in ("before", "after")]
    assert [r.verdict for r in results] == [Verdict.REFUTED, Verdict.PROVED]
    assert not [w for r in results for w in r.warnings if "appears nowhere" in w], "a later goal may speak of it"
    with_later = text.replace("(prove (! (> x 2) :named before))", "(prove (! (> x 2) :named before :using (after)))")
    result = proved(framework, with_later, "before")
    assert result.verdict is Verdict.INVALID and result.location is not None
    assert (result.location["line"], result.location["column"]) == (3, 41)
    assert "`after` is no goal before this one" in result.reason


def test_an_edited_definition_leaves_nothing_of_what_was_proved_about_the_other(
    framework: GoedelsPoetryFramework,
) -> None:
    text = """(define-fun one () Int 1)
(prove (! (= one 1) :named is_one))
(prove (! (= (+ one one) 2) :named two :using (is_one)))
"""
    before = proved(framework, text, "two")
    assert before.verdict is Verdict.PROVED and before.certificate is not None
    edited = text.replace("Int 1)", "Int 5)")
    assert [proved(framework, edited, n).verdict for n in ("is_one", "two")] == [Verdict.REFUTED, Verdict.REFUTED]
    report = check_certificate(before.certificate, excerpt(edited, "two").encode())
    assert report.refused and "another text" in report.reasons[0]


def test_variables_called_like_what_is_declared_later_are_told_apart(framework: GoedelsPoetryFramework) -> None:
    text = f"{LISTS}{UNIT}(declare-const x Int)\n(prove (! (= (app (cons x nil) nil) (cons x nil)) :named same))\n"
    assert proved(framework, text, "same").verdict is Verdict.PROVED


# ------------------------------------------------------------------------------------------------------------ forgeries

TWO = "(declare-const c Int)\n(prove (! (> c 0) :named wish))\n(prove (! (>= c 0) :named goal))\n"


@pytest.mark.parametrize(
    "query",
    [
        Query(("wish",)),
        Query(("wish",), (Instance("step", "wish", ()),)),
        Query((), (Instance("premise", "wish", ()),)),
    ],
)
def test_a_goal_that_is_no_step_of_the_proof_cannot_be_cited(query: Query, tmp_path: Path) -> None:
    goal = sequent_of(parse_problem(TWO).goal)
    with pytest.raises(BadProof):
        write_certificate(TWO.encode(), Derivation((Step("1", goal, query),)), tmp_path / "c")


def test_the_goals_before_are_no_premises_of_the_obligations(tmp_path: Path) -> None:
    goal = sequent_of(parse_problem(TWO).goal)
    path = write_certificate(TWO.encode(), Derivation((Step("1", goal, Query()),)), tmp_path / "c")
    assert "(> c 0)" not in (path / "obligations.smt2").read_text()
    report = check_certificate(path, TWO.encode())
    assert not report.accepted
    assert second.judged(path, None, [second.find_solver("z3")], 10.0, 60.0).verdict != second.HOLDS


async def test_a_lemma_that_is_only_claimed_costs_the_proof(tmp_path: Path) -> None:
    """What earlier runs hand over is believed by the search alone: here a run hands over ``false``."""
    body = [{"id": "Lwish", "statement": "(sequent () () false)", "row": {"key": "x"}, "proof": {"query": EMPTY}}]
    task = FormalTheorem(
        "(declare-const c Int)\n(prove (forall ((x Int)) (=> (> x c) (> (* x x x) c))))",
        lemmas=json.dumps([["Lwish", "wish", body]]),
    )
    language = SmtLanguage(1)
    try:
        async with GoedelsPoetryFramework(Settings(home=tmp_path, budgets=Budgets(wall_seconds=30.0))) as framework:
            result = await framework.arun_task(task, language, {})
    finally:
        await language.aclose()
    assert result.verdict not in (Verdict.PROVED, Verdict.INVALID)


EMPTY = {"cites": [], "instances": [], "equations": True, "quantified": True}


def test_a_certificate_of_one_goal_is_none_of_another(tmp_path: Path) -> None:
    text = "(prove (! (= 1 1) :named true_one))\n(prove (! (= 1 2) :named false_one))\n"
    (_, first), (_, last) = excerpts(text)
    goal = sequent_of(parse_problem(first).goal)
    path = write_certificate(first.encode(), Derivation((Step("1", goal, Query()),)), tmp_path / "c")
    assert check_certificate(path, first.encode()).verdict is Verdict.PROVED
    for other in (last, text):
        assert check_certificate(path, other.encode()).refused
        forged = forge(tmp_path / f"f{len(other)}", other.encode(), evidence_of(path))
        assert not check_certificate(forged).accepted


def test_false_is_no_theorem_whatever_stands_before_it(tmp_path: Path) -> None:
    text = "(prove (! false :named wish))\n(prove (! false :named goal))\n"
    derivation = Derivation(
        (Step("wish", Sequent((), (), FALSE), Query()), Step("goal", Sequent((), (), FALSE), Query(("wish",))))
    )
    path = write_certificate(text.encode(), derivation, tmp_path / "c")
    assert not check_certificate(path).accepted


# ------------------------------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("(prove (! true :named a))\n(prove (! true :named a))", 2, 8, "the name `a` is used twice"),
        ("(declare-const a Int)\n(prove (! true :named a))(prove true)", 2, 8, "the name `a` is used twice"),
        ("(assert (! true :named a))\n(prove (! true :named a))", 2, 8, "the name `a` is used twice"),
        ("(prove true)\n(prove (! true :named goal-1))", 1, 1, "`goal-1` names something else"),
        ("(prove true)(prove false)\n(prove (= x 1))", 2, 11, "unknown symbol `x`"),
        ("(prove true)\n(check-sat)(prove true)", 2, 12, "`prove` after check-sat"),
        ("(prove (= x 1))\n(declare-const x Int)(prove (= x x))", 1, 11, "unknown symbol `x`"),
    ],
)
async def test_a_text_with_several_goals_that_is_none(text: str, line: int, column: int, words: str) -> None:
    language = SmtLanguage(1)
    try:
        assert await language.theorems(text) == ()
        with pytest.raises(Exception, match=re.escape(words)) as caught:
            await language.read(text, {"theorem": "a"})
    finally:
        await language.aclose()
    assert (caught.value.line, caught.value.column) == (line, column)  # type: ignore[attr-defined]


def test_goals_without_a_name_are_numbered_among_themselves() -> None:
    text = "(prove true)(prove (! true :named a))\r\n(assert-not false) ; end\n(prove (! true :using (a)))"
    assert [name for name, _ in excerpts(text)] == ["goal-1", "a", "goal-2", "goal-3"]
    assert [part for _, part in excerpts(text)][1] == "(prove true)(prove (! true :named a))"
    for name, part in excerpts(text):
        assert excerpt(part, name) == part, "the text of a goal has that goal"
    assert excerpts("(assert (not true))(check-sat)") == ()
    assert excerpt("(assert (not true))(check-sat)", "") == "(assert (not true))(check-sat)"


LEMMAS = (
    "; of a library\n(assert (! (forall ((x Int)) (>= (* x x) 0)) :cases (> x 0) ) )\n(prove (! (= 1 1) :named one))\n"
)


@pytest.mark.parametrize(
    "goal",
    [
        "(prove (> c 0))",
        "(assert (not (> c 0)))\n(check-sat)",
        "(assert-not (> c 0))",
        "(assert (not (> c 0))) (assert (< c 9))",
    ],
)
def test_lemmas_of_another_file_stand_before_the_goal_whatever_its_form(goal: str) -> None:
    text = f"(declare-const c Int)\n(assert (> c 1)) {goal}"
    whole = parse_problem(preceded_by(text, LEMMAS))
    assert [g.name for g in whole.goals[:-1]] == ["lemma-1", "one"]
    lemma = excerpt(preceded_by(text, LEMMAS), "lemma-1")
    assert read_hint(lemma, parse_problem(lemma))["sketch"]["idea"]["rule"]["kind"] == "cases", "with its hints"
    plain = parse_problem(text)
    assert (whole.goal, whole.signature) == (plain.goal, plain.signature)
    assert [(p.name, p.formula) for p in whole.premises] == [(p.name, p.formula) for p in plain.premises]


@pytest.mark.parametrize(
    ("lemmas", "line", "column", "words"),
    [
        ("(prove true)\n(assert (= d 1))", 2, 12, "unknown symbol `d`"),
        ("\n (declare-const d Int)", 2, 2, "a lemma was expected here"),
        ("(check-sat)", 1, 1, "a lemma was expected here"),
        ("(prove 1)", 1, 8, "sort Bool was expected"),
        ("(prove (! true :named p))", 1, 8, "the name `p` is used twice"),
        ("(prove true", 1, 1, "never closed"),
        ("(define-fun c)", 1, 2, "`define-fun` in a file of lemmas"),
    ],
)
async def test_a_file_that_states_no_lemmas(lemmas: str, line: int, column: int, words: str) -> None:
    language = SmtLanguage(1)
    text = "(declare-const c Int)\n(assert (! (> c 1) :named p))\n(prove (> c 0))"
    try:
        with pytest.raises(Exception, match="in the lemmas: ") as caught:
            await language.read(text, {"lemmas": lemmas})
    finally:
        await language.aclose()
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)  # type: ignore[attr-defined]
