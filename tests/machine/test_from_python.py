"""Agents, strategies and languages that a caller brings: used, shown, looked through; and never the last word."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from foreign_packages import install
from toy_language import ToyLanguage, theorem

from goedels_poetry import (
    Goal,
    GoedelsPoetryFramework,
    Outcome,
    RefusedPlugin,
    RunResult,
    SimpleLanguage,
    StrategyGoal,
    Theorem,
    Verdict,
    agent,
    languages,
    strategy,
)
from goedels_poetry.cli.report import Report, to_json
from goedels_poetry.errors import UnknownLanguage
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.protocol.sequents import Sequent, Variable
from goedels_poetry.search.agents.registry import load_registry
from goedels_poetry.search.strategies import UnusableSketch
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


def test_a_module_of_agents_may_be_given_as_a_whole() -> None:
    shelf = ModuleType("shelf")
    shelf.librarian, shelf.halves = librarian, halves  # type: ignore[attr-defined]
    with GoedelsPoetryFramework(language=ToyLanguage(), agents=[shelf], strategies=[shelf]) as fw:
        assert (list(fw.plugins().agents), list(fw.plugins().strategies)) == (["librarian"], ["halves"])


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


def test_agents_from_python_serve_no_questions() -> None:
    with GoedelsPoetryFramework(agents=[librarian]) as fw:
        assert "librarian" not in fw.graph("question").get_graph().nodes
        assert "librarian" in fw.graph("claim").get_graph().nodes


# -- what an agent takes over --------------------------------------------------------------------------------------
def test_whoever_takes_a_queue_over_is_told_from_whom_and_what_is_not_done_any_more() -> None:
    result, events, _ = run(STUCK, agents=[librarian], strategies=[halves])
    (told,) = result.warnings
    taken = f"queue retrieve is served by librarian of plug-in {__name__}, not by retriever (Offer lemmas"
    assert told.startswith(taken)
    assert told in events[0].reason


def test_an_agent_of_a_package_is_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from goedels_poetry import agent\n@agent(queue='prove')\nasync def bold(node, deps): ...\n"
    install(tmp_path / "site", "boldness", code, {"agents:bold": ""})
    monkeypatch.syspath_prepend(tmp_path / "site")
    registry = load_registry()
    assert (registry.problems, len(registry.takeovers)) == ((), 1)
    assert "not by prover" in registry.takeovers[0]


def test_the_usual_is_what_the_agent_before_would_have_done_through_several() -> None:
    @agent(queue="retrieve", name="second librarian")
    async def second(node: Any, deps: Any) -> Any:
        usual = await deps.usual(node)
        return lambda txn: f"second {usual(txn)}"

    _, events, _ = run(STUCK, agents=[librarian, second], strategies=[halves])
    assert "second asked the librarian: no lemmas" in [event.outcome for event in events]


def test_where_there_is_nothing_usual_the_agent_is_told() -> None:
    @agent(queue="retrieve", name="doorman")
    async def doorman(node: Any, deps: Any) -> Any:
        return lambda txn: txn.put(replace(node, queue="waiting room")) and "sent on"

    @agent(queue="waiting room", name="host")
    async def host(node: Any, deps: Any) -> Any:
        return await deps.usual(node)

    result, _, _ = run(STUCK, agents=[doorman, host], strategies=[halves])
    assert any("no other agent serves the queue waiting room" in warning for warning in result.warnings)


# -- what is refused -----------------------------------------------------------------------------------------------
def unmarked() -> None: ...


class Lacking(SimpleLanguage):
    name, suffixes = "lacking", (".lacking",)


class Blocking(Parity):
    name = "blocking"

    def judge(self, theorem: Theorem) -> Outcome:  # type: ignore[override]
        return Outcome(True, {"verdict": "open"})


class Taking(Parity):
    name, suffixes = "taking", (".smt2",)


class Ours(Parity):
    name = "smt"


class Bare:
    name = "bare"
    suffixes = ".bare"


@agent(queue="prove", name="prover")
async def second_prover(node: Any, deps: Any) -> Any: ...


@agent(queue="prove", name="shrugging", on_failure="shrug")
async def shrugging(node: Any, deps: Any) -> Any: ...


@pytest.mark.parametrize(
    ("brought", "words"),
    [
        ({"agents": [unmarked]}, "unmarked is declared as no agent: write @agent(queue=...) above it"),
        ({"strategies": [librarian]}, "librarian is declared as no strategy"),
        ({"agents": [second_prover]}, "there is an agent called 'prover' already"),
        ({"agents": librarian}, "agents= takes a list: write agents=[...]"),
        ({"strategies": "halves"}, "strategies= takes a list: write strategies=[...]"),
        ({"agents": [shrugging]}, "'shrug' is no failure policy"),
        ({"agents": [librarian, librarian]}, "there is an agent called 'librarian' already"),
        ({"languages": [Lacking]}, "lacking is not used: it has no read, prove, verify"),
        ({"languages": [Blocking]}, "blocking is not used: judge must be `async def`"),
        ({"languages": [Taking]}, ".smt2 is a suffix of smt"),
        ({"languages": [Ours]}, "there is a language of this name already"),
        ({"languages": [Parity, Parity]}, "there is a language of this name already"),
        ({"languages": [Bare]}, "its `suffixes` are no tuple of texts"),
        ({"languages": [7]}, "it has no `name`"),
    ],
)
def test_what_is_not_what_it_should_be_is_refused_at_once(brought: dict[str, Any], words: str) -> None:
    with pytest.raises(RefusedPlugin) as refused:
        GoedelsPoetryFramework(**brought)
    assert words in str(refused.value)


def test_functions_that_are_not_async_are_refused_where_they_are_declared() -> None:
    def plain(node: Any, deps: Any) -> Any: ...

    with pytest.raises(TypeError, match="agent plain must be a coroutine function: write `async def plain`"):
        agent(queue="prove")(plain)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="strategy s must be a coroutine function: write `async def plain`"):
        strategy(name="s")(plain)  # type: ignore[arg-type]


def test_what_does_not_fit_a_declaration_is_refused_there() -> None:
    async def lonely() -> Any: ...

    with pytest.raises(TypeError, match="strategy s takes one argument, the goal"):
        strategy(name="s")(lonely)  # type: ignore[arg-type]
    for timeout in ("3", -3, 0):
        with pytest.raises(TypeError, match="the timeout of agent librarian is a number of seconds"):
            agent(queue="retrieve", timeout=timeout)(librarian)  # type: ignore[arg-type]


def test_one_language_may_be_named_without_a_tuple() -> None:
    async def some(goal: StrategyGoal) -> Any: ...

    declared = strategy(name="s", languages="smt")(some).__strategy__  # type: ignore[attr-defined]
    assert declared.speaks("smt") and not declared.speaks("sm")


def test_a_queue_that_is_misspelt_is_told() -> None:
    @agent(queue="retreive", name="lost")
    async def lost(node: Any, deps: Any) -> Any: ...

    with GoedelsPoetryFramework(language=ToyLanguage(), agents=[lost]) as fw:
        assert "queue retreive of lost is a new one: was retrieve meant?" in str(fw.plugins())


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


def test_a_listener_that_ends_the_program_does_not_hang_the_one_who_waits() -> None:
    def listener(event: Any) -> None:
        raise SystemExit(9)

    with GoedelsPoetryFramework(language=ToyLanguage()) as fw:
        with pytest.raises(SystemExit):
            fw.run(STUCK, name="t", on_event=listener)
        assert fw.run(theorem(), name="u").verdict is Verdict.PROVED


def test_a_language_that_returns_no_outcome_is_named() -> None:
    class Truthful(Parity):
        async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Any:
            return True

    result, _, _ = run("12 is even", language=Truthful())
    assert any("the language parity returned bool, not an Outcome" in warning for warning in result.warnings)


def test_a_text_without_name_and_language_is_asked_for_one() -> None:
    with GoedelsPoetryFramework() as fw, pytest.raises(UnknownLanguage, match="a file is given as a Path"):
        fw.run("theorems/smt/gauss_sum.smt2")


def test_a_result_in_python_has_the_keys_that_the_command_prints() -> None:
    result, _, _ = run(theorem())
    data = result.to_json()
    assert data.keys() == json.loads(to_json(Report(result))).keys()
    assert [data[key] for key in ("exit_code", "skipped", "error", "resume", "proof", "seconds")] == [
        *(0, False, None, None, None, None)
    ]
    assert RunResult.from_json(data) == result


def test_a_package_with_functions_that_are_not_async_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from goedels_poetry import strategy\n@strategy(name='slow')\ndef slow(goal): ...\n"
    install(tmp_path / "site", "slowness", code, {"strategies:slow": ""})
    monkeypatch.syspath_prepend(tmp_path / "site")
    (problem,) = load_registry().problems
    assert "slowness) left out: TypeError: strategy slow must be a coroutine function" in problem


# -- strategies ----------------------------------------------------------------------------------------------------
def proposing(body: Callable[[StrategyGoal], Any], language: str = "toy") -> Any:
    @strategy(name="proposing", languages=(language,))
    async def propose(goal: StrategyGoal) -> Any:
        return body(goal)

    return propose


class Needy(ToyLanguage):
    sketch_needs = ("proof",)


def test_the_languages_say_what_a_sketch_needs() -> None:
    assert (SmtLanguage.sketch_needs, LeanLanguage.sketch_needs) == (("scheme", "query"), ("proof",))


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


def test_proposals_need_a_language_that_reads_them() -> None:
    result, _, _ = run(STUCK, strategies=[proposing(lambda goal: goal.induct("x"))])
    assert any("the language toy reads no proposals: return a sketch as a dict" in w for w in result.warnings)


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


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GOAL.induct("y"), "induct: y is no variable of the goal; it has x, p"),
        (GOAL.induct, "no variable is given; it has x, p"),
        (lambda: GOAL.induct("x").cases("p"), "one rule at a time, not induction and cases"),
        (lambda: GOAL.tactics("rfl"), "tactics are for goals in Lean; this one is in smt"),
        (lambda: replace(GOAL, language="lean").induct("x"), 'use goal.tactics("intro n"'),
    ],
)
def test_a_proposal_that_means_nothing_is_refused_where_it_is_made(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(UnusableSketch) as refused:
        make()
    assert words in str(refused.value)


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


def test_what_the_language_does_not_understand_of_a_proposal_is_told() -> None:
    lemma = proposing(lambda goal: goal.lemma("(= (plos x zero) x)"), "smt")
    with GoedelsPoetryFramework(strategies=[lemma]) as fw:
        result = fw.run(PLUS.replace("(=> (= x y) ", "(and true "), name="t.smt2")
    assert result.verdict is Verdict.PROVED
    assert any("strategy proposing of plug-in" in warning and "plos" in warning for warning in result.warnings)


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


def test_an_instance_of_a_language_is_used_as_it_is() -> None:
    class Counting(Parity):
        def __init__(self) -> None:
            self.read_so_far = 0

        async def read(self, text: str, options: dict[str, Any]) -> Theorem:
            self.read_so_far += 1
            return await super().read(text, options)

    counting = Counting()
    with GoedelsPoetryFramework(languages=[counting]) as fw:
        fw.run("4 is even", name="t.parity")
    assert counting.read_so_far == 1


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [
        ("read", RuntimeError("no idea"), "the language parity failed to read the text: RuntimeError: no idea"),
        ("read", None, "the language parity failed to read the text: TypeError"),
        ("canonical", KeyError("x"), "the language parity failed to prepare the theorem: KeyError: 'x'"),
    ],
)
def test_what_a_language_raises_is_its_own_fault_by_name(method: str, answer: Any, words: str) -> None:
    async def broken(*args: Any) -> Any:
        if answer is not None:
            raise answer

    broken_one = type("Broken", (Parity,), {method: broken})
    with GoedelsPoetryFramework(languages=[broken_one]) as fw, pytest.raises(RefusedPlugin) as refused:
        fw.run("4 is even", name="t.parity")
    assert words in str(refused.value)


def test_an_installed_language_that_lacks_something_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class Half:\n    name = 'half'\n    suffixes = ('.half',)\n    async def read(self, text, options): ...\n"
    install(tmp_path / "site", "halfway", code, {"languages:half": "Half"})
    monkeypatch.syspath_prepend(tmp_path / "site")
    (problem,) = languages.problems()
    assert "the language half (halfway:Half) is not used: it has no judge, prove, verify" in problem
