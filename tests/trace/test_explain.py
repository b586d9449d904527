"""Why a goal is open is read from what really happened: engines, plug-ins, models, budgets; nothing is made up."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import Tree, chain

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings, Verdict, strategy
from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.task import Task
from goedels_poetry.protocol.trials import ENOUGH, NOT_APPLIED, Status, Trial, TrialLog, logging_trials
from goedels_poetry.search.memory import TRIALS
from goedels_poetry.smt.jobs import replies
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode
from goedels_poetry.trace.explain import Explanation, explain, explain_lines, in_short

HOPELESS = {"proof": None, "exhausted": True, "no_candidate": True}


def ran(home: Path, text: str, strategies: Any = (), **settings: Any) -> tuple[RunResult, Explanation, list[str]]:
    """A finished run of a toy theorem, and why its root is open."""
    given = Settings(home=home, use_memory=False, **settings)
    with GoedelsPoetryFramework(given, language=ToyLanguage(), strategies=strategies) as framework:
        result = framework.run(text, name="t.toy")
        with framework.open_store(result.run_id) as store:
            return result, explain(store, ROOT), explain_lines(store, ROOT)


# -- what the engines say ----------------------------------------------------------------------------------------

LISTS = """
(declare-datatypes ((Nat 0) (List 0)) (((zero) (succ (pred Nat))) ((nil) (cons (head Nat) (tail List)))))
(define-fun-rec append ((xs List) (ys List)) List
  (match xs ((nil ys) ((cons h t) (cons h (append t ys))))))
(define-fun-rec rev ((xs List)) List
  (match xs ((nil nil) ((cons h t) (append (rev t) (cons h nil))))))
(prove (forall ((xs List)) (= (rev (rev xs)) xs)))
"""


def job(calls: int) -> dict[str, Any]:
    return {"theorem": LISTS, "statement": "", "scope": [], "seed": 0, "calls": calls, "without": []}


def test_an_smt_search_that_may_pose_few_queries_says_what_it_tried_and_that_it_was_stopped() -> None:
    answer = replies.sketch_within(job(12))
    assert not answer["ok"]
    trials = [Trial.from_json(trial) for trial in answer["trials"]["trials"]]
    (induction,) = [t for t in trials if t.strategy == "structural-induction"]
    assert (induction.what, induction.status) == ("xs", Status.OPEN)
    assert "rev (rev (cons" in induction.left, "the case that stays open"
    assert trials[-1].status is Status.TIMEOUT
    assert [t.strategy for t in trials if t.result == "does not apply here"]


class Enough(Exception):
    """The test has seen what it is about."""


class Until(TrialLog):
    """A log that ends the search when a tactic has been tried."""

    def tried(self, what: str, status: Status, result: str, *args: Any, **kwargs: Any) -> None:
        super().tried(what, status, result, *args, **kwargs)
        if what == "simp":
            raise Enough


def test_a_lean_search_says_of_each_tactic_what_lean_had_against_it(lean: LeanPool) -> None:
    task = Task("", "theorem t (a b : Nat) (h : 0 < b) : a * a ≠ 2 * (b * b)", "t")
    with logging_trials(Until()) as log, pytest.raises(Enough):
        asyncio.run(prove(lean, task, seconds=60))
    said = {trial.what: trial for trial in log.trials}
    assert "omega could not" in said["omega"].result
    assert said["simp"].status is Status.OPEN
    assert said["simp"].left == "¬a * a = 2 * (b * b)"
    assert {trial.strategy for trial in log.trials} == {"tactics"}


# -- what a run says ---------------------------------------------------------------------------------------------


def test_a_strategy_that_raises_leaves_a_trace_where_people_look(tmp_path: Path) -> None:
    @strategy(name="boom", languages=("toy",))
    async def boom(goal: Any) -> None:
        raise RuntimeError("the strategy has a bug")

    result, explanation, lines = ran(tmp_path, theorem(goals={"T": HOPELESS}), [boom])
    (trial,) = [trial for trial in explanation.tried if trial.status is Status.ERROR]
    assert "boom" in trial.strategy
    assert "the strategy has a bug" in trial.result
    assert any("boom" in warning for warning in result.warnings)
    assert any("boom" in line for line in lines), "and in the last page's lines"


def test_a_limit_that_has_stopped_a_goal_is_named_with_the_flag_that_enlarges_it(tmp_path: Path) -> None:
    goals = {"T": HOPELESS | {"sketches": [{"strategy": "halves", "children": ["A"]}]}, "A": HOPELESS}
    result, _, lines = ran(tmp_path, theorem(goals=goals), budgets=Budgets(depth=1))
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert any("--max-depth 2" in line for line in lines)


# -- trees by hand -----------------------------------------------------------------------------------------------


def with_trials(tree: Tree, node: str, *trials: Trial, more: int = 0) -> None:
    told = [trial.to_json() for trial in trials]
    tree.do(lambda _, txn: txn.log(node, TRIALS, agent="sketcher", trials=told, more=more))


def test_the_smallest_lemma_that_would_do_is_what_would_help(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "proof.db")
    tree.put(ProofNode(ROOT, ""))
    with_trials(
        tree,
        ROOT,
        Trial("theory-exploration", "(= (f x) (g (h x)))", Status.FAILED, ENOUGH, lemma=True),
        Trial("theory-exploration", "(= (f x) x)", Status.FAILED, ENOUGH, lemma=True),
        Trial("theory-exploration", "(= x y)", Status.REFUTED, "false for x = 1", lemma=True),
        Trial("invariants", "", Status.FAILED, "no proof in 3 queries", 1.5),
        Trial("witness", "", Status.FAILED, NOT_APPLIED, 0.0),
        Trial("loop-invariant", "", Status.FAILED, NOT_APPLIED, 0.0),
        more=7,
    )
    explanation = explain(tree.store, ROOT)
    assert explanation.advice[0].endswith(": f(x) = x")
    assert in_short(explanation) == (
        "3 lemmas, 1 strategy, 7 further attempts in 1.5 s; 2 other strategies do not apply"
    )
    tree.store.close()


def test_the_obstacle_of_a_decomposed_goal_is_looked_for_below_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "proof.db")
    tree.put(*chain(0, 0, 0))
    leaf = "0.0_0000.0_0000"
    with_trials(tree, leaf, Trial("case-split", "x", Status.OPEN, "1 case open", left="(p x)"))
    explanation = explain(tree.store, ROOT)
    assert explanation.nearest is not None
    assert (explanation.nearest.node, explanation.nearest.statement) == (leaf, "(p x)")
    assert (explanation.nearest.proved, explanation.nearest.goals) == (0, 3)
    assert explain_lines(tree.store, ROOT)[0].startswith(f"tried on goal {leaf}: ")
    tree.do(lambda _, txn: txn.put(ProofNode(ROOT, "", status=NodeStatus.PROVED)))
    assert explain_lines(tree.store, ROOT) == []
    assert explain(tree.store, ROOT).advice == ()
    tree.do(lambda _, txn: txn.put(ProofNode(ROOT, "", status=NodeStatus.REFUTED)))
    assert explain_lines(tree.store, ROOT) == []
    with pytest.raises(KeyError):
        explain(tree.store, "0.7_0007")
    tree.store.close()


def test_text_of_models_and_plugins_is_one_printable_line(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "proof.db")
    tree.put(ProofNode(ROOT, ""))
    hostile = "\x1b[31mred\x07\n\u202eright to left <script>"
    with_trials(tree, ROOT, Trial(hostile, hostile, Status.OPEN, hostile, left=hostile))
    tree.do(lambda _, txn: txn.log(ROOT, "model", role="prover", prompt=hostile, model=hostile, reasons=[hostile] * 2))
    for line in explain_lines(tree.store, ROOT):
        assert line.isprintable(), line
    tree.store.close()
