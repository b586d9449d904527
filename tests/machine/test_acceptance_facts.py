"""The acceptance facts of a proof search that do not speak of one prover or of language models, one test each."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework, chain

from goedels_poetry import RunResult, Settings, Verdict
from goedels_poetry.errors import StoreError, UnknownRun
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import ROOT, Failure, NodeStatus, ProofNode, Queue

HOPELESS = {"proof": None, "exhausted": True}


def sketched(*sketches: tuple[str, list[Any]], **more: Any) -> dict[str, Any]:
    """A goal that has no direct proof but these sketches: (strategy, children)."""
    found = [{"strategy": name, "children": children} for name, children in sketches]
    return {"proof": None, "exhausted": True, "sketches": found, **more}


def outcomes(events: list[Event], node: str | None = None) -> list[tuple[str, str]]:
    return [(e.agent, e.outcome) for e in events if node in (None, e.node)]


# -- backtracking ------------------------------------------------------------------------------------------------
def test_fact_01_backtracks_to_the_nearest_ancestor_with_attempts_left(tree: Any) -> None:
    t = tree(*chain(0, 1, 3, 0), decomposer_agent_max_self_corrections=3)
    target = t.do(lambda moves, txn: moves._handle_failed_sketch(txn.get("0.0_0000.0_0000.0_0000")))
    assert target.id == "0.0_0000"
    assert t.get("0.0_0000").decomposition_attempts == 2
    assert t.get(ROOT).decomposition_attempts == 0


def test_fact_03_on_backtrack_all_descendants_leave_all_queues(tree: Any) -> None:
    nodes = [replace(node, queue=str(queue)) for node, queue in zip(chain(0, 0, 0, 0), Queue, strict=False)]
    other = ProofNode(id="0.0_0001", parent=ROOT, depth=1, queue=Queue.PROVE)
    t = tree(*nodes, other)
    t.do(lambda moves, txn: moves._handle_failed_sketch(txn.get("0.0_0000")))
    assert t.store.queue_lengths() == {Queue.DECOMPOSITION_BACKTRACK: 1}
    assert [node.id for node in t.store.nodes()] == [ROOT]


def test_fact_04_the_target_stands_once_in_the_backtrack_queue_and_nowhere_else(tree: Any) -> None:
    t = tree(*chain(0, 0))
    t.do(lambda moves, txn: moves._handle_failed_sketch(txn.get("0.0_0000")))
    assert t.do(lambda moves, txn: [n.id for n in moves.get_sketches_to_backtrack()]) == [ROOT]
    assert sum(t.store.queue_lengths().values()) == 1


def test_fact_05_backtracking_clears_the_sketch_and_keeps_the_history(tree: Any) -> None:
    root, child = chain(0, 0)
    t = tree(root, child)
    sketch = {"strategy": "some strategy", "fingerprint": "fp:0", "children": []}
    t.do(lambda moves, txn: moves.set_sketch(txn.get(ROOT), sketch))
    t.do(lambda moves, txn: moves._handle_failed_sketch(txn.get("0.0_0000")))
    node = t.get(ROOT)
    assert set(node.refs) == {"statement"}
    assert (node.strategy, node.fingerprint, node.pending, node.lemmas) == (None, None, 0, ())
    assert t.store.children(node) == []
    assert [entry.kind for entry in t.store.history(ROOT)] == ["sketch", "failure", "ban", "backtrack"]


async def test_fact_06_backtracks_of_a_node_are_bounded_and_a_hopeless_tree_ends(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["A", "B"]), ignores_bans=True), "A": sketched(("b", ["C"]), ignores_bans=True)}
    goals |= {"B": HOPELESS, "C": HOPELESS}
    fw = framework(decomposer_agent_max_self_corrections=3)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.UNKNOWN
    with fw.open_store(result.run_id) as store:
        assert all(node.decomposition_attempts <= 4 for node in store.nodes())
        assert result.metrics["backtracks"] <= 3 * (1 + 4)


async def test_fact_07_no_node_outside_the_tree_is_ever_queued_and_the_root_stays(framework: MakeFramework) -> None:
    fw = framework()
    result = await fw.arun(generated(3), name="t")
    with fw.open_store(result.run_id) as store:
        for seq in range(1, store.seq + 1, 7):
            nodes = {node.id: node for node in store.nodes(as_of=seq)}
            assert nodes[ROOT].statement == ""
            assert all(node.parent is None or node.parent in nodes for node in nodes.values())
            queued = [str(node.queue) for node in nodes.values() if node.queue]
            event = store.events(seq - 1)[0]
            assert {queue: queued.count(queue) for queue in set(queued)} == event.queues


def _two_failures(t: Any, first: str, second: str) -> str:
    for name in (first, second):
        if not t.store.is_cut(name):
            t.do(lambda moves, txn, name=name: moves._handle_failed_sketch(txn.get(name)))
    return str(t.store.digest())


@pytest.mark.parametrize("attempts", [(0, 0), (1, 0), (0, 1)])
def test_fact_08_two_failures_give_the_same_result_in_any_order(tree: Any, attempts: tuple[int, int]) -> None:
    """A deep failure and a shallow one; the root can be sketched again, whoever comes first."""
    nodes = chain(*attempts, 0)
    shallow = ProofNode(id="0.0_0001", parent=ROOT, depth=1, queue=Queue.DECIDE)
    digests = set()
    for order in (("0.0_0000.0_0000", "0.0_0001"), ("0.0_0001", "0.0_0000.0_0000")):
        t = tree(*nodes, shallow, decomposer_agent_max_self_corrections=2)
        digests.add(_two_failures(t, *order))
        assert t.get(ROOT).queue == Queue.DECOMPOSITION_BACKTRACK
        assert t.get(ROOT).decomposition_attempts == attempts[0] + 1
    assert len(digests) == 1


async def test_fact_09_a_child_too_deep_backtracks_above_its_parent_or_stops_with_that_reason(
    framework: MakeFramework,
) -> None:
    goals = {"T": sketched(("a", ["A"]), ("b", ["B"])), "A": sketched(("c", ["C"]), ("d", ["D"]))}
    goals |= {"C": sketched(("e", ["E"]))}
    events: list[Event] = []
    fw = framework(budgets={"depth": 2})
    result = await fw.arun(theorem(goals=goals), name="t", on_event=events.append)
    assert result.verdict is Verdict.PROVED
    assert ("decider", "backtracked to 0.0_0000") in outcomes(events)  # from C at depth 2: A, not C itself
    assert result.metrics["backtracks"] == 1

    goals["A"] = sketched(("c", ["C"]))
    goals["T"] = sketched(("a", ["A"]))
    fw = framework(budgets={"depth": 2}, decomposer_agent_max_self_corrections=0)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert "maximum proof tree depth" in result.reason


async def test_fact_10_valid_siblings_of_a_too_deep_goal_go_on_and_those_under_a_cut_do_not(
    framework: MakeFramework,
) -> None:
    goals = {"T": sketched(("a", ["A", "S"]), ("b", ["B"])), "A": sketched(("c", ["deep", "D"]), ("d", ["E"]))}
    goals |= {"deep": HOPELESS | {"sketches": [{"strategy": "x", "children": ["deeper"]}]}}
    language = ToyLanguage()
    fw = framework(language, budgets={"depth": 2})
    result = await fw.arun(theorem(goals=goals, slow={"D": 0.2, "S": 0.05}), name="t")
    assert result.verdict is Verdict.PROVED
    assert ("verify", "S", 0) in language.calls, "the sibling of the cut subtree went on"
    assert ("verify", "D", 0) not in language.calls, "the sibling under the cut was taken out of its queue"
    with fw.open_store(result.run_id) as store:
        assert [node.id for node in store.nodes()] == ["0", "0.0_0000", "0.0_0000.1_0000", "0.0_0001"]


async def test_fact_11_an_exhausted_root_ends_as_unable_to_decompose(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["A"]), ("b", ["A", "B"])), "A": HOPELESS}
    result = await framework().arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("Unable to decompose theorem - all decomposition attempts exhausted.")
    assert "no strategy is left to try" in result.reason


# -- attempts ----------------------------------------------------------------------------------------------------
async def test_fact_12_at_the_end_of_a_pass_the_prover_starts_afresh_and_not_the_corrector(
    framework: MakeFramework,
) -> None:
    language = ToyLanguage()
    fw = framework(language, prover_agent_max_self_corrections=1, prover_agent_max_pass=3)
    result = await fw.arun(theorem(goals={"T": {"proof": 4}}), name="t")
    assert result.verdict is Verdict.PROVED
    tried = [(what, attempt) for what, _, attempt in language.calls if what in ("prove", "correct")]
    assert tried == [("prove", 0), ("correct", 1), ("prove", 2), ("correct", 3), ("prove", 4)]


async def test_fact_13_after_the_last_pass_the_goal_is_decomposed_in_its_place(framework: MakeFramework) -> None:
    language = ToyLanguage()
    goals = {"T": sketched(("a", ["A"])), "A": {"proof": None, "sketches": [{"strategy": "b", "children": ["B"]}]}}
    fw = framework(language, prover_agent_max_self_corrections=0, prover_agent_max_pass=2)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.PROVED
    assert [c[0] for c in language.calls if c[1] == "A"] == ["prove", "verify"] * 2 + ["sketch", "verify_sketch"]
    with fw.open_store(result.run_id) as store:
        node = store.get("0.0_0000")
        assert (node.parent, node.statement, node.attempts) == (ROOT, "A", 2)


@pytest.mark.parametrize("corrections", [0, 1, 3])
async def test_fact_14_n_configured_corrections_are_n_after_the_first_try(
    framework: MakeFramework, corrections: int
) -> None:
    language = ToyLanguage()
    settings: dict[str, Any] = {"prover_agent_max_self_corrections": corrections, "prover_agent_max_pass": 1}
    fw = framework(language, decomposer_agent_max_self_corrections=corrections, **settings)
    bad = {"strategy": "bad", "children": ["A"], "bad": "does not follow", "deterministic": False}
    goals = {"T": {"proof": None, "ignores_bans": True, "sketches": [bad]}}
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.UNKNOWN
    assert [c[0] for c in language.calls].count("correct") == corrections
    with fw.open_store(result.run_id) as store:
        assert store.root().decomposition_attempts == corrections + 1


async def test_fact_15_a_malformed_reply_costs_one_attempt_and_the_next_good_one_is_used(
    framework: MakeFramework,
) -> None:
    fw = framework()
    result = await fw.arun(theorem(goals={"T": {"raises": [0]}}), name="t")
    assert result.verdict is Verdict.PROVED
    assert result.metrics["attempts"] == 2
    with fw.open_store(result.run_id) as store:
        assert store.history(ROOT)[0].entry["reason"] == "RuntimeError: malformed reply"


METHODS = {"judge", "prove", "verify", "correct", "sketch", "verify_sketch", "correct_sketch"}


class Unreliable(ToyLanguage):
    """The first call of every method raises."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: set[str] = set()

    def __getattribute__(self, name: str) -> Any:
        if name not in METHODS or name in self.failed:
            return super().__getattribute__(name)
        return self._fail_once(name)

    def _fail_once(self, name: str) -> Any:
        async def fail(*_: Any) -> Any:
            self.failed.add(name)
            raise ValueError(f"{name}: truncated reply")

        return fail


async def test_fact_16_a_malformed_reply_of_any_agent_is_retried_and_never_ends_the_run(
    framework: MakeFramework,
) -> None:
    language = Unreliable()
    bad = {"strategy": "a", "children": ["A"], "bad": "no", "corrected": ["A", "B"], "deterministic": False}
    goals = {"T": {"proof": None, "sketches": [bad]}, "A": {"proof": 3}}
    result = await framework(language).arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.PROVED
    assert language.failed == METHODS


async def test_fact_17_a_timeout_fails_only_that_attempt_with_a_clear_message(framework: MakeFramework) -> None:
    fw = framework(agent_timeout=0.1)
    result = await fw.arun(theorem(goals={"T": {"hangs": [0]}}), name="t")
    assert result.verdict is Verdict.PROVED
    with fw.open_store(result.run_id) as store:
        assert store.history(ROOT)[0].entry["reason"] == "TimeoutError: prover took longer than 0.1 s"


# -- success -------------------------------------------------------------------------------------------------------
async def test_fact_22_success_only_if_the_root_is_proved(framework: MakeFramework) -> None:
    """Every queue is empty and most leaves are proved, but one is not."""
    goals = {"T": sketched(("a", ["A", "B", "C"])), "B": HOPELESS}
    fw = framework(decomposer_agent_max_self_corrections=0)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.certificate, result.exit_code) == (Verdict.UNKNOWN, None, 1)
    with fw.open_store(result.run_id) as store:
        assert store.queue_lengths() == {}
        assert store.root().status is NodeStatus.OPEN


async def test_fact_22_success_only_if_the_checker_says_so(framework: MakeFramework) -> None:
    result = await framework().arun(theorem(certify="rejects"), name="t")
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "the checker rejects step 0")


async def test_fact_23_a_verified_sketch_without_holes_is_a_proof(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["A"])), "A": sketched(("complete", []))}
    fw = framework()
    assert (await fw.arun(theorem(goals=goals), name="t")).verdict is Verdict.PROVED


async def test_fact_32_failure_keeps_the_best_partial_proof_and_the_open_goals(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["A", "B", "C"])), "B": HOPELESS}
    fw = framework(decomposer_agent_max_self_corrections=0)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert [(goal.node, goal.statement) for goal in result.open_goals] == [("0.0_0001", "B")]
    assert "no strategy is left" in result.open_goals[0].reason
    with fw.open_store(result.run_id) as store:
        proved = [node.statement for node in store.nodes() if node.status is NodeStatus.PROVED]
    assert proved == ["A", "C"], "the others were finished although the root was already out of reach"
    assert RunResult.from_json(json.loads(json.dumps(result.to_json()))) == result


# -- durability ------------------------------------------------------------------------------------------------------
async def test_fact_33_a_torn_last_record_is_ignored(framework: MakeFramework) -> None:
    fw = framework(budgets={"agent_steps": 40})
    stopped = await fw.arun(generated(2), name="t")
    assert stopped.verdict is Verdict.OUT_OF_BUDGET
    assert stopped.run_dir is not None
    with (stopped.run_dir / "proof.db-wal").open("ab") as wal:
        wal.write(b"\0torn record" * 50)
    (stopped.run_dir / "graph.db").write_bytes(b"half a page")
    (stopped.run_dir / "run.json.99").write_text('{"half')
    result = await framework().aresume(stopped.run_id)
    assert result.verdict is Verdict.PROVED


async def test_fact_34_a_second_run_resumes_or_returns_what_stands_or_is_fresh_by_flag(
    framework: MakeFramework,
) -> None:
    language = ToyLanguage()
    stopped = await framework(language, budgets={"agent_steps": 5}).arun(generated(1), name="t")
    assert stopped.verdict is Verdict.OUT_OF_BUDGET
    done = await framework(language).arun(generated(1), name="t")
    assert (done.verdict, done.run_id) == (Verdict.PROVED, stopped.run_id)
    calls = len(language.calls)
    again = await framework(language).arun(generated(1), name="t")
    assert (again, len(language.calls)) == (done, calls)
    fresh = await framework(language).arun(generated(1), name="t", fresh=True)
    assert (fresh.verdict, fresh.run_id) == (Verdict.PROVED, f"{done.run_id}-2")
    assert done.certificate is not None and done.certificate.exists()
    with pytest.raises(UnknownRun):
        await framework(language).arun(generated(2), name="t", resume=True)


def test_fact_36_a_durable_save_writes_what_changed_and_no_more(tree: Any) -> None:
    """Bytes, not seconds: `scripts/bench_machine.py` measures the time."""
    children = [ProofNode(id=f"0.0_{i:04d}", parent=ROOT, depth=1, statement="s" * 1000) for i in range(2000)]
    big = {"strategy": "s", "fingerprint": "f", "children": [{"statement": c.statement + c.id} for c in children]}
    t = tree(ProofNode(id=ROOT, pending=len(children)))
    t.do(lambda moves, txn: moves.set_sketch(txn.get(ROOT), big))
    t.put(*children)
    before = t.store._row("SELECT sum(length(payload)) FROM rev")[0]
    blobs = t.store._row("SELECT sum(length(body)) FROM blob")[0]
    t.do(lambda moves, txn: moves.set_proved(txn.get("0.0_0007"), {"by": "magic"}))
    assert t.store._row("SELECT sum(length(payload)) FROM rev")[0] - before < 1000
    assert t.store._row("SELECT sum(length(body)) FROM blob")[0] - blobs < 100
    assert t.get(ROOT).pending == 1999


async def test_fact_42_the_next_sketcher_learns_what_failed_why_and_in_which_round(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["A"]), ("b", ["B"]), ("c", ["C"])), "A": HOPELESS, "B": HOPELESS}
    language = ToyLanguage()
    await framework(language).arun(theorem(goals=goals), name="t")
    last = [goal for goal in language.goals if goal.node_id == ROOT][-1]
    rounds = [entry for entry in last.history if entry["kind"] == "backtrack"]
    assert [(entry["round"], entry["failed"], entry["statement"]) for entry in rounds] == [
        (1, "0.0_0000", "A"),
        (2, "0.1_0000", "B"),
    ]
    assert "no strategy is left" in rounds[1]["reason"]
    assert last.banned == ("fp:a", "fp:b")


async def test_fact_43_leaves_progress_independently_and_parallel_jobs_are_configurable(
    framework: MakeFramework,
) -> None:
    goals = {"T": sketched(("a", ["slow", *(f"F{i}" for i in range(6))]))}
    text = theorem(goals=goals, latency=0.01, slow={"slow": 0.5})
    events: list[Event] = []
    language = ToyLanguage()
    await framework(language, max_concurrency=3).arun(text, name="t", on_event=events.append)
    proved = [event.node for event in events if event.outcome == "proved"]
    assert proved[-1] == "0.0_0000", "six leaves were proved and verified while the first one was still being proved"
    assert language.most_searching == 3
    language = ToyLanguage()
    await framework(language, max_concurrency=1).arun(text, name="t", fresh=True)
    assert language.most_running == 1


BUDGETS: list[tuple[dict[str, Any], str]] = [
    ({"wall_seconds": 0.05}, "wall time"),
    ({"agent_steps": 7}, "agent steps"),
    ({"solver_seconds": 0.5}, "solver time"),
    ({"resource_units": 2_500}, "resource units"),
    ({"nodes": 9}, "nodes"),
    ({"depth": 1}, "depth"),
]


@pytest.mark.parametrize(("budgets", "named"), BUDGETS)
async def test_fact_44_budgets_stop_cleanly_name_themselves_and_are_resumable(
    framework: MakeFramework, budgets: dict[str, Any], named: str
) -> None:
    text = generated(2, latency=0.02, solver_seconds=0.1)
    fw = framework(budgets=budgets, decomposer_agent_max_self_corrections=0)
    stopped = await fw.arun(text, name="t")
    assert stopped.verdict is Verdict.OUT_OF_BUDGET, stopped.reason
    assert named in stopped.reason
    assert f"run {stopped.run_id} can be resumed" in stopped.reason
    assert stopped.metrics["nodes"] <= budgets.get("nodes", 100)
    assert stopped.metrics["steps"] <= budgets.get("agent_steps", 1000)
    result = await framework().aresume(stopped.run_id)
    assert result.verdict is Verdict.PROVED
    for counter in ("steps", "nodes", "wall_seconds", "solver_seconds", "attempts"):
        assert result.metrics[counter] >= stopped.metrics[counter], "counters only go up"


async def test_fact_46_parallel_items_are_matched_by_id_and_keep_their_order(framework: MakeFramework) -> None:
    names = [f"S{i}" for i in range(12)]
    slow = {name: 0.06 - 0.005 * i for i, name in enumerate(names)}  # the first ends last
    fw = framework(max_concurrency=12)
    result = await fw.arun(theorem(goals={"T": sketched(("a", names))}, slow=slow), name="t")
    with fw.open_store(result.run_id) as store:
        children = store.children(store.root())
        assert [child.statement for child in children] == names
        assert [store.load(child.refs["proof"])["of"] for child in children] == names


def test_fact_48_environment_variables_override_the_configuration_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "configured"
    home.mkdir()
    (home / "config.toml").write_text("max_concurrency = 3\nseed = 5\n[budgets]\ndepth = 7\nwall_seconds = 1.5\n")
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(home))
    monkeypatch.setenv("GOEDELS_POETRY__SEED", "6")
    monkeypatch.setenv("GOEDELS_POETRY__BUDGETS__DEPTH", "8")
    settings = Settings()
    assert (settings.max_concurrency, settings.seed, settings.budgets.depth) == (3, 6, 8)
    assert settings.budgets.wall_seconds == 1.5
    assert Settings(seed=9).seed == 9
    assert Settings().decomposer_agent_max_self_corrections == 16


def test_fact_49_old_stores_load_after_an_upgrade_and_newer_ones_are_refused(tmp_path: Path) -> None:
    """A row that lacks fields which came later has their defaults; a newer format is named, not misread."""
    node = ProofNode.from_row({"id": "0", "refs": {}}, "statement")
    assert (node.attempts, node.failure, node.queue) == (0, Failure.NONE, None)
    path = tmp_path / "proof.db"
    ProofStore(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(StoreError, match="newer version"):
        ProofStore(path)


async def test_fact_50_equal_subgoals_are_proved_once(framework: MakeFramework) -> None:
    goals = {"T": sketched(("a", ["E", "A", "E"])), "A": sketched(("b", ["E", "D"]))}
    language = ToyLanguage()
    fw = framework(language)
    result = await fw.arun(theorem(goals=goals, latency=0.01), name="t")
    assert result.verdict is Verdict.PROVED
    assert language.calls.count(("prove", "E", 0)) == 1
    assert result.metrics["lemmas_reused"] == 2
    with fw.open_store(result.run_id) as store:
        assert [node.statement for node in store.nodes()] == ["", "E", "A", "E", "D", "E"]
