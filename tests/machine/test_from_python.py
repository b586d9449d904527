"""Agents, strategies and languages that a caller brings: used, shown, looked through; and never the last word."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage, theorem

from goedels_poetry import (
    Goal,
    GoedelsPoetryFramework,
    Outcome,
    RunResult,
    SimpleLanguage,
    StrategyGoal,
    Theorem,
    Verdict,
    agent,
    languages,
    strategy,
)
from goedels_poetry.protocol.base import Sequent, Variable
from goedels_poetry.search.agents.registry import load_registry
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.store.state import Queue

HOPELESS = {"proof": None, "exhausted": True}
STUCK = theorem(goals={"T": HOPELESS})


@agent(queue="retrieve")
async def librarian(node: Any, deps: Any) -> Any:
    """Look on the shelf."""
    usual = await deps.usual(node)
    return lambda txn: f"asked the librarian: {usual(txn)}"


@strategy(name="halves", languages=("toy",))
async def halves(goal: StrategyGoal) -> Any:
    return {"children": [{"statement": f"left of {goal.statement}"}, {"statement": f"right of {goal.statement}"}]}


class Parity(SimpleLanguage):
    name, suffixes = "parity", (".parity",)

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        return Theorem(self.name, text, options, text)

    async def prove(self, goal: Goal) -> Outcome:
        return Outcome(True, {"candidate": {}})

    async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Outcome:
        return Outcome(True, {"proof": {}})


def run(text: str, language: Any = None, **brought: Any) -> tuple[RunResult, list[Any], list[Any]]:
    """The result, the events and the nodes of a run."""
    with GoedelsPoetryFramework(language=language or ToyLanguage(), **brought) as fw:
        result = fw.run(text, name="t")
        with fw.open_store(result.run_id) as store:
            return result, store.events(), store.nodes()


# -- used and shown ------------------------------------------------------------------------------------------------
def test_an_agent_and_a_strategy_from_python_are_in_the_run_the_graph_the_list_and_the_page() -> None:
    with GoedelsPoetryFramework(language=ToyLanguage(), agents=[librarian], strategies=[halves]) as fw:
        result = fw.run(STUCK, name="t")
        assert result.verdict is Verdict.PROVED
        with fw.open_store(result.run_id) as store:
            seen = [(event.agent, event.outcome) for event in store.events()]
            assert store.root().strategy == "halves"
            assert [node.statement for node in store.nodes()] == ["", "left of T", "right of T"]
        assert ("librarian", "asked the librarian: no lemmas") in seen
        assert ("sketcher", "sketched: halves") in seen
        drawn, page, listed = fw.graph().get_graph(), fw.page(result.run_id), str(fw.plugins())
        assert "halves" in page and "librarian" in page
        assert drawn.nodes["sketcher"].metadata["strategies"] == [f"halves ({__name__})"]
        assert drawn.nodes["librarian"].metadata["plugin"] == __name__
        assert all(word in drawn.draw_mermaid() for word in ("librarian", "halves"))
        assert f"agent librarian ({__name__})" in listed and f"strategy halves ({__name__})" in listed
        assert fw.get_state(result.run_id).values["verdict"] == "proved"
        assert "halves" in str(fw.tree(result.run_id))


def test_they_belong_to_one_framework_and_to_no_other() -> None:
    run(STUCK, agents=[librarian], strategies=[halves])
    assert "librarian" not in load_registry().agents and load_registry().strategies == ()
    result, events, _ = run(theorem(root="U", goals={"U": HOPELESS}))
    assert (result.verdict, "librarian" in [event.agent for event in events]) == (Verdict.UNKNOWN, False)


def test_an_agent_with_a_queue_of_its_own_is_in_the_state_and_its_run_can_be_read_without_it() -> None:
    @agent(queue="retrieve", name="doorman")
    async def doorman(node: Any, deps: Any) -> Any:
        return lambda txn: txn.put(replace(node, queue="waiting room")) and "sent on"

    @agent(queue="waiting room", name="host")
    async def host(node: Any, deps: Any) -> Any:
        return lambda txn: txn.put(replace(node, queue=Queue.SKETCH)) and "let in"

    with GoedelsPoetryFramework(language=ToyLanguage(), agents=[doorman, host], strategies=[halves]) as fw:
        run_id = fw.run(STUCK, name="t").run_id
        with_them = [snapshot.next for snapshot in fw.get_state_history(run_id)]
    assert ("host",) in with_them
    with GoedelsPoetryFramework() as plain:
        assert [snapshot.values.get("seq") for snapshot in plain.get_state_history(run_id)]
        assert plain.get_state(run_id).values["status"] == "proved"


def test_whoever_edits_a_strategy_gets_another_run_and_not_the_old_answer() -> None:
    """The same code again is the same run; of a language, too."""

    def made(half: str) -> Any:
        source = f"async def f(goal):\n  return {{'children': [{{'statement': '{half} of T'}}]}}"
        scope: dict[str, Any] = {}
        exec(compile(source, f"<cell {half}>", "exec"), scope)  # as a notebook does
        return strategy(name="half")(scope["f"])

    (one, _, nodes), (same, _, _), (other, _, others) = (run(STUCK, strategies=[made(h)]) for h in "aab")
    assert one.run_id == same.run_id != other.run_id
    assert (nodes[-1].statement, others[-1].statement) == ("a of T", "b of T")


def test_a_plugin_that_ends_the_program_costs_only_what_it_was_about_to_do() -> None:
    @agent(queue="retrieve", name="leaver", on_failure="skip")
    async def leaver(node: Any, deps: Any) -> Any:
        return lambda txn: exit(2)

    @strategy(name="a leaver")
    async def leaving(goal: StrategyGoal) -> Any:
        raise SystemExit(3)

    @strategy(name="b canceller")
    async def cancelling(goal: StrategyGoal) -> Any:
        raise asyncio.CancelledError

    result, _, _ = run(STUCK, agents=[leaver], strategies=[leaving, cancelling, halves])
    assert result.verdict is Verdict.PROVED
    for words in ("leaver tried to end the program", "strategy a leaver", "strategy b canceller"):
        assert any(words in warning for warning in result.warnings)


# -- strategies ----------------------------------------------------------------------------------------------------
def proposing(body: Callable[[StrategyGoal], Any], language: str = "toy") -> Any:
    @strategy(name="proposing", languages=(language,))
    async def propose(goal: StrategyGoal) -> Any:
        return body(goal)

    return propose


class Needy(ToyLanguage):
    sketch_needs = ("proof",)


@pytest.mark.parametrize(
    ("sketch", "words"),
    [
        ([1], "a sketch is a dict or a proposal, not list"),
        ({"children": []}, "has no `proof`, with which a sketch in toy says why it holds; goal.induct"),
        ({"proof": "", "children": {}}, "has no `children`, a list"),
        ({"proof": "", "children": ["A"]}, "child 0 of the sketch has no `statement`"),
        ({"proof": "", "children": [{"statment": "A"}]}, "child 0 of the sketch has no `statement`"),
        ({"proof": "", "children": [{"statement": "A", "wait_for": []}]}, "child 0 of the sketch has 'wait_for'"),
        ({"proof": "", "children": [{"statement": "A", "waits_for": [0]}]}, "`waits_for` of child 0"),
        ({"proof": "", "fingerprint": 7}, "`fingerprint` of the sketch is no text"),
        ({"proof": {1, 2}}, "the sketch is not JSON"),
    ],
)
def test_a_sketch_in_which_something_is_missing_or_wrong_is_named_and_costs_nothing(sketch: Any, words: str) -> None:
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "own", "children": ["A"]}]}}
    result, _, nodes = run(theorem(goals=goals), Needy(), strategies=[proposing(lambda goal: sketch)])
    assert (result.verdict, nodes[0].strategy) == (Verdict.PROVED, "own")
    (told,) = result.warnings
    assert told.startswith(f"strategy proposing of plug-in {__name__} failed: UnusableSketch: ") and words in told


GOAL = StrategyGoal.of(
    Goal("", {}, "0", ""),
    "smt",
    Sequent("S", "show: S", (Variable("x", "N", True), Variable("p", "Bool", False)), (), "S", ("plus",)),
)


def test_a_goal_is_data_and_text_and_proposals_are_what_models_may_reply() -> None:
    assert (GOAL.statement, GOAL.text, GOAL.conclusion, GOAL.functions) == ("S", "show: S", "S", ("plus",))
    assert [str(variable) for variable in GOAL.variables if variable.inductive] == ["x"]
    made = GOAL.lemma("L1").lemma("L2", uses=(0,)).generalise("G").induct(GOAL.variables[0], depth=2)
    assert made.content == {
        "lemmas": [{"statement": "L1"}, {"statement": "L2", "uses": [0]}],
        "generalise": "G",
        "induction": {"on": ["x"], "width": 1, "depth": 2},
        "leave_open": True,
    }
    assert GOAL.cases("x", "p").closed().content == {"lemmas": [], "cases": ["x", "p"], "leave_open": False}
    assert GOAL.induct_along("plus", "x", "y").rule == (("induction", {"along": "plus", "at": ["x", "y"]}),)
    assert GOAL.induct_by("(f x)").rule == (("induction", {"measure": "(f x)"}),)
    assert GOAL.witness(1, "x").rule == (("witness", ["1", "x"]),)
    lean = replace(GOAL, language="lean")
    assert lean.tactics("induction n with", "| zero => rfl").content == "by\n  induction n with\n  | zero => rfl"


PLUS = (
    "(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))\n"
    "(define-fun-rec plus ((x N) (y N)) N (ite ((_ is zero) x) y (succ (plus (pred x) y))))\n"
    "(prove (forall ((x N) (y N)) (=> (= x y) (= (plus x y) (plus y x)))))\n"
)


async def test_a_goal_in_smt_lib_is_data_at_the_root_and_below() -> None:
    language = SmtLanguage()
    try:
        root = await language.sequent(Goal(PLUS, {}, "0", ""))
        below = await language.sequent(Goal(PLUS, {}, "0.1", "(sequent ((y N)) ((= y zero)) (= (plus y zero) y))"))
    finally:
        await language.aclose()
    assert (root.variables, root.functions) == (((("x", "N", True)), ("y", "N", True)), ("plus",))
    assert root.statement.startswith("(sequent ((x N) (y N))") and "show: " in root.text
    assert (below.hypotheses, below.conclusion) == (("(= y zero)",), "(= (plus y zero) y)")


# -- languages -----------------------------------------------------------------------------------------------------
def test_a_language_from_python_is_found_by_its_suffix_and_is_worth_nothing_without_a_checker(tmp_path: Path) -> None:
    (tmp_path / "t.parity").write_text("12 is even")
    with GoedelsPoetryFramework(languages=[Parity]) as fw:
        result = fw.run(tmp_path / "t.parity")
        assert (result.verdict, result.trust_level, result.certificate) == (Verdict.UNKNOWN, None, None)
        assert "the language parity claims proved; no checker is registered for it" in result.reason
        assert "language parity, nothing can be proved in it" in str(fw.plugins())
        assert fw.run("4 is even", language="parity", name="four").verdict is Verdict.UNKNOWN
    assert "parity" not in languages.names()
