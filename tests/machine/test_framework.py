"""The framework as a program uses it."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_checker import ToyChecker
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import (
    Goal,
    GoedelsPoetryFramework,
    Outcome,
    RunResult,
    Settings,
    SimpleLanguage,
    StrategyGoal,
    Theorem,
    Verdict,
    agent,
    languages,
    strategy,
)
from goedels_poetry.checker import Certificate, Submission
from goedels_poetry.errors import UnknownRun
from goedels_poetry.protocol.base import Sequent, Variable
from goedels_poetry.search.agents.registry import load_registry
from goedels_poetry.search.machine.run import CHECK_GRACE
from goedels_poetry.settings.declared import Budgets
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.store.runs import identity
from goedels_poetry.store.state import NodeStatus, Queue

HOPELESS = {"proof": None, "exhausted": True}


class Shuffled(ToyLanguage):
    """Every answer takes a random time, so that every run has another interleaving."""

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        await asyncio.sleep(random.random() / 100)


async def test_any_interleaving_ends_in_the_same_tree(framework: MakeFramework) -> None:
    digests = set()
    for limit in (1, 8, 32):
        fw = framework(Shuffled(), max_concurrency=limit)
        result = await fw.arun(generated(3), name="t", fresh=True)
        assert result.verdict is Verdict.PROVED
        with fw.open_store(result.run_id) as store:
            digests.add(store.digest())
    assert len(digests) == 1


async def test_give_up_stops_at_once_where_keep_would_go_on(framework: MakeFramework) -> None:
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["bad", "slow"]}]}, "bad": HOPELESS}
    language = ToyLanguage()
    fw = framework(language, when_hopeless="give_up", decomposer_agent_max_self_corrections=0)
    result = await fw.arun(theorem(goals=goals, slow={"slow": 30}), name="t")
    assert (result.verdict, "slow" in [goal.statement for goal in result.open_goals]) == (Verdict.UNKNOWN, True)
    assert language.running == 0, "what was under way has been cancelled"


async def test_runs_lists_and_result_returns_what_was_stored(framework: MakeFramework) -> None:
    fw = framework()
    done = await fw.arun(theorem(), name="first.toy")
    left = await framework(budgets={"agent_steps": 3}).arun(generated(1), name="second.toy")
    summaries = {summary.name: summary for summary in fw.runs()}
    assert (summaries["first.toy"].status, summaries["first.toy"].verdict) == ("finished", Verdict.PROVED)
    assert (summaries["second.toy"].status, summaries["second.toy"].steps) == ("stopped", 3)
    assert fw.result(done.run_id[:6]) == done
    assert fw.result(left.run_id) == left
    for wrong in ("ffff", "../../etc", ""):
        with pytest.raises(UnknownRun):
            fw.result(wrong)


async def test_inconsistent_premises_end_the_run_with_their_core(framework: MakeFramework) -> None:
    judged = {"verdict": "inconsistent", "core": ["p1", "p2"], "reason": "p1 and p2 contradict each other"}
    result = await framework().arun(theorem(judge=judged), name="t")
    assert (result.verdict, result.core, result.exit_code) == (Verdict.INCONSISTENT, ["p1", "p2"], 4)
    assert result.reason == "p1 and p2 contradict each other"
    again = await framework().arun(theorem(judge=judged), name="t")
    assert again == result


async def test_a_certificate_that_cannot_be_written_is_tried_again_on_resume(framework: MakeFramework) -> None:
    async def full(self: ToyChecker, submission: Submission) -> Certificate:
        raise OSError("no space left on device")

    language = ToyLanguage()
    fw = framework(language)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ToyChecker, "certify", full)
        result = await fw.arun(theorem(), name="t")
    assert (result.verdict, "no space left" in result.reason) == (Verdict.UNKNOWN, True)
    calls = len(language.calls)
    result = await fw.aresume(result.run_id)
    assert (result.verdict, len(language.calls)) == (Verdict.PROVED, calls)


async def test_a_check_that_takes_too_long_is_out_of_budget_and_done_on_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certify, given = ToyChecker.certify, []

    async def slow(self: ToyChecker, submission: Submission) -> Certificate:
        given.append(submission.seconds)
        if submission.seconds is not None and submission.seconds < 100:
            raise TimeoutError("the checker had not finished")
        return await certify(self, submission)

    monkeypatch.setattr(ToyChecker, "certify", slow)
    language = ToyLanguage()
    settings = Settings(home=tmp_path, budgets=Budgets(wall_seconds=20))
    result = await GoedelsPoetryFramework(settings, language=language).arun(theorem(), name="t")
    assert (result.verdict, "can be resumed" in result.reason) == (Verdict.OUT_OF_BUDGET, True)
    assert given[0] is not None
    assert given[0] < 20 + CHECK_GRACE + 0.1
    calls = len(language.calls)
    more = Settings(home=tmp_path, budgets=Budgets(wall_seconds=200))
    result = await GoedelsPoetryFramework(more, language=language).aresume(result.run_id)
    assert (result.verdict, len(language.calls)) == (Verdict.PROVED, calls)


def test_run_ids_depend_on_every_byte_that_matters_and_not_on_the_file_name() -> None:
    base = identity("(assert true)", "smt", {"seed": 0, "file": "a.smt2"})
    assert base == identity("(assert true)", "smt", {"file": "b.smt2", "seed": 0})
    others = [("(assert True)", "smt", {"seed": 0}), ("(assert true)", "lean", {"seed": 0})]
    others += [("(assert true)", "smt", {"seed": 1}), ("(assert true)", "smt", {"seed": 0, "assume": True})]
    assert len({base, *(identity(*other) for other in others)}) == 5


async def test_a_fork_of_a_past_moment_is_a_run_that_resumes_to_the_same_proof(framework: MakeFramework) -> None:
    fw = framework()
    done = await fw.arun(generated(2), name="t")
    with fw.open_store(done.run_id) as store:
        middle, digest = store.seq // 2, store.digest()
    forked = fw.fork(done.run_id, middle)
    assert forked == f"{done.run_id}-2"
    result = await fw.aresume(forked)
    assert (result.verdict, result.run_id) == (Verdict.PROVED, forked)
    with fw.open_store(forked) as store:
        assert store.digest() == digest
        assert store.meta("forked_from") == [done.run_id, middle]
    assert fw.result(done.run_id) == done
    with pytest.raises(ValueError, match="commits 1 to"):
        fw.fork(done.run_id, 10_000)


async def test_a_tampered_checkpoint_runs_no_code(framework: MakeFramework, tmp_path: Path) -> None:
    import sqlite3

    import ormsgpack

    fw = framework(budgets={"agent_steps": 3})
    stopped = await fw.arun(generated(1), name="t")
    assert stopped.run_dir is not None
    trap = tmp_path / "trap"
    code = ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {trap}")))
    db = sqlite3.connect(stopped.run_dir / "graph.db")
    for number, body in db.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall():
        checkpoint = ormsgpack.unpackb(body, ext_hook=lambda *_: None)
        checkpoint["channel_values"]["reason"] = code
        db.execute("UPDATE checkpoints SET checkpoint=? WHERE rowid=?", (ormsgpack.packb(checkpoint), number))
    db.commit()
    db.close()
    assert (await framework().aresume(stopped.run_id)).verdict is Verdict.PROVED
    assert not trap.exists()


# -- memory ----------------------------------------------------------------------------------------------------
async def test_a_later_run_finds_a_lemma_of_an_earlier_one_proved(framework: MakeFramework) -> None:
    first = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L", "bad"]}]}, "bad": HOPELESS}
    first["L"] = {**HOPELESS, "sketches": [{"strategy": "deep", "children": ["L1", "L2"]}]}
    slow = {"bad": 0.3}
    failed = await framework().arun(theorem(goals=first, theory="arith", slow=slow), name="one")
    assert failed.verdict is Verdict.UNKNOWN, "even a failed run leaves its lemmas"
    second = {"U": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["M", "L"]}]}}
    language = ToyLanguage()
    fw = framework(language)
    result = await fw.arun(theorem(root="U", goals=second, theory="arith"), name="two")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 1)
    assert "L" not in [call[1] for call in language.calls]
    with fw.open_store(result.run_id) as store:
        assert [node.statement for node in store.nodes()] == ["", "M", "L", "L1", "L2"]
    other = await framework().arun(theorem(root="U", goals=second, theory="other"), name="three")
    assert other.metrics["lemmas_reused"] == 0, "other definitions, other lemmas"
    alone = await framework(use_memory=False).arun(theorem(root="U", goals=second, theory="arith", x=1), name="four")
    assert alone.metrics["lemmas_reused"] == 0


async def test_a_retrieved_lemma_may_be_cited_and_stands_in_the_derivation(framework: MakeFramework) -> None:
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}], "wants": ["L"]}}
    language = ToyLanguage()
    result = await framework(language).arun(theorem(goals=goals, theory="x"), name="two")
    assert result.verdict is Verdict.PROVED
    assert [offer["statement"] for offer in language.lemmas_offered[0]] == ["L"]
    scope = next(goal for goal in language.goals if goal.statement == "A").scope
    assert [statement for _, statement in scope] == ["L"]
    assert result.certificate is not None
    assert f'"id": "{scope[0][0]}"' in result.certificate.read_text()


async def test_a_proof_that_rests_on_what_stood_above_it_is_not_kept_for_later_runs(framework: MakeFramework) -> None:
    """Its lemma would be missing there, and the certificate would be refused."""
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}], "wants": ["L"]}}
    await framework().arun(theorem(goals=goals, theory="x"), name="two")
    goals = {"U": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}]}}
    language = ToyLanguage()
    result = await framework(language).arun(theorem(root="U", goals=goals, theory="x"), name="three")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 0)
    assert ("prove", "A", 0) in language.calls


async def test_a_proof_of_a_cut_subtree_is_used_again(framework: MakeFramework) -> None:
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A", "bad"]}]}, "bad": HOPELESS}
    goals["T"]["sketches"].append({"strategy": "b", "children": ["B", "A"]})
    language = ToyLanguage()
    fw = framework(language, max_concurrency=1)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 1)
    assert language.calls.count(("prove", "A", 0)) == 1
    with fw.open_store(result.run_id) as store:
        assert store.get("0.1_0001").origin == "run:0.0_0000"
        assert store.find("0.0_0000") is not None and store.is_cut("0.0_0000")
        assert all(node.status is NodeStatus.PROVED for node in store.nodes())


async def test_lemmas_that_the_checker_rejects_leave_the_bank(framework: MakeFramework) -> None:
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    fw = framework()
    rejected = await fw.arun(theorem(goals=goals, theory="x", certify="rejects"), name="two")
    assert (rejected.verdict, rejected.metrics["lemmas_reused"]) == (Verdict.UNKNOWN, 1)
    result = await fw.arun(theorem(goals=goals, theory="x"), name="three")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 0)


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
