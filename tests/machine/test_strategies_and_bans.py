"""Lateral thinking: failed strategies are banned with evidence, and a ban is enforced."""

from dataclasses import replace
from typing import Any

import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import ROOT

HOPELESS = {"proof": None, "exhausted": True}


def sketch(strategy: str, children: list[Any], **more: Any) -> dict[str, Any]:
    return {"strategy": strategy, "children": children, **more}


def goal(*sketches: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"proof": None, "exhausted": True, "sketches": list(sketches), **more}


async def test_a_deterministic_strategy_is_banned_after_one_failure_with_evidence(framework: MakeFramework) -> None:
    goals = {"T": goal(sketch("a", ["A"]), sketch("b", ["B"])), "A": HOPELESS}
    fw = framework()
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["bans"]) == (Verdict.PROVED, 1)
    with fw.open_store(result.run_id) as store:
        ban = store.bans(ROOT)["fp:a"]
        assert (ban["strategy"], ban["node"], ban["statement"]) == ("a", "0.0_0000", "A")
        assert "no strategy is left" in ban["reason"]
        stats = store.get_graph_stats()
        assert (stats["approach_failures"], stats["forbidden_approaches"]) == (1, 1)
        assert stats["conversation_entries"] > 2


async def test_a_model_made_strategy_is_banned_after_two_failures(framework: MakeFramework) -> None:
    language = ToyLanguage()
    goals = {"T": goal(sketch("a", ["A"], deterministic=False), sketch("b", ["B"])), "A": HOPELESS}
    fw = framework(language)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["backtracks"], result.metrics["bans"]) == (Verdict.PROVED, 2, 1)


async def test_a_banned_sketch_is_rejected_before_it_is_verified(framework: MakeFramework) -> None:
    language = ToyLanguage()
    stubborn = goal(sketch("a", ["A"]), ignores_bans=True)
    events: list[Event] = []
    fw = framework(language, decomposer_agent_max_self_corrections=3)
    result = await fw.arun(theorem(goals={"T": stubborn, "A": HOPELESS}), name="t", on_event=events.append)
    assert result.verdict is Verdict.UNKNOWN
    assert sum(event.outcome == "banned strategy rejected" for event in events) == 3
    assert [call[0] for call in language.calls].count("verify_sketch") == 1
    told = [g for g in language.goals if g.node_id == ROOT][-1].history
    assert any(entry["kind"] == "rejected" and entry.get("banned") for entry in told), "the sketcher is told why"


async def test_bans_never_leak_to_another_goal(framework: MakeFramework) -> None:
    goals = {"T": goal(sketch("a", ["A", "B"]), sketch("b", ["B"])), "A": HOPELESS, "B": goal(sketch("a", ["C"]))}
    fw = framework()
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.PROVED
    with fw.open_store(result.run_id) as store:
        assert list(store.bans(ROOT)) == ["fp:a"]
        child = store.get("0.1_0000")
        assert (child.strategy, store.bans(child.id)) == ("a", {})


async def test_the_oldest_ban_of_a_model_made_strategy_is_lifted_once_when_all_is_exhausted(
    framework: MakeFramework,
) -> None:
    made = {"deterministic": False}
    goals = {"T": goal(sketch("a", ["A"], **made), sketch("b", ["A", "B"], **made)), "A": HOPELESS}
    events: list[Event] = []
    fw = framework(ban_after_failures=1)
    result = await fw.arun(theorem(goals=goals), name="t", on_event=events.append)
    assert result.verdict is Verdict.UNKNOWN
    lifted = [event.outcome for event in events if event.outcome.startswith("ban lifted")]
    assert lifted == ["ban lifted: a", "ban lifted: b"]


async def test_a_refuted_child_rejects_the_sketch_with_the_counterexample(framework: MakeFramework) -> None:
    bad = sketch("a", [{"statement": "A", "counterexample": {"x": 3}}])
    goals = {"T": goal(bad, sketch("b", ["B"]))}
    fw = framework()
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["backtracks"]) == (Verdict.PROVED, 0)
    with fw.open_store(result.run_id) as store:
        rejected = next(e.entry for e in store.history(ROOT) if e.kind == "rejected")
        assert store.load(rejected["report_ref"])["counterexample"] == {"x": 3}
        assert rejected["reason"].startswith("subgoal 0 is false")
        assert "fp:a" in store.bans(ROOT)


async def test_a_subgoal_refuted_while_it_is_proved_sends_its_ancestor_back(framework: MakeFramework) -> None:
    goals = {"T": goal(sketch("a", ["A"]), sketch("b", ["B"])), "A": {"refuted": {"x": 1}}}
    result = await framework().arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["backtracks"]) == (Verdict.PROVED, 1)


async def test_a_refuted_root_is_the_verdict(framework: MakeFramework) -> None:
    result = await framework().arun(theorem(goals={"T": {"refuted": {"x": 1}}}), name="t")
    assert (result.verdict, result.counterexample) == (Verdict.REFUTED, {"x": 1})


async def test_a_goal_that_returns_as_its_own_subgoal_is_a_circle(framework: MakeFramework) -> None:
    goals = {"T": goal(sketch("a", ["A"]), sketch("b", ["B"])), "A": goal(sketch("c", ["T"]))}
    events: list[Event] = []
    result = await framework().arun(theorem(goals=goals), name="t", on_event=events.append)
    assert result.verdict is Verdict.PROVED
    assert any("the sketch is a circle" in event.reason for event in events)


async def test_the_same_goal_with_a_lemma_to_cite_is_no_circle(framework: MakeFramework) -> None:
    again = {"statement": "T2", "waits_for": [0]}
    goals = {"T2": {"proof": None, "exhausted": True, "sketches": []}, "T": goal(sketch("lemma", ["L", again]))}
    goals["T2"] = goal(sketch("a", ["L2", {"statement": "T2", "waits_for": [0]}]))
    fw = framework(budgets={"depth": 3})
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET, "it goes down, until the depth stops it"
    assert "depth" in result.reason


async def test_a_waiting_child_starts_when_its_lemma_is_proved_and_may_cite_it(framework: MakeFramework) -> None:
    language = ToyLanguage()
    main = {"statement": "M", "waits_for": [0]}
    goals = {"T": goal(sketch("lemma", ["L", main])), "M": goal(sketch("below", ["N"])), "L": {"proof": 2}}
    fw = framework(language)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert result.verdict is Verdict.PROVED
    order = [call[1] for call in language.calls if call[0] == "prove"]
    assert order.index("M") > max(i for i, name in enumerate(order) if name == "L")
    below = next(g for g in language.goals if g.statement == "N")
    assert below.scope == (("0.0_0000", "L"),), "descendants inherit what their ancestor may cite"


async def test_an_agent_that_forgets_to_move_its_node_costs_attempts_and_never_loops(
    framework: MakeFramework, monkeypatch: pytest.MonkeyPatch
) -> None:
    from goedels_poetry.search.agents.registry import AgentSpec, load_registry
    from goedels_poetry.search.machine.kinds import KINDS

    async def lazy(node: Any, deps: Any) -> Any:
        return lambda txn: "did nothing"

    def with_lazy_prover() -> Any:
        registry = load_registry()
        spec = AgentSpec("lazy", ("prove",), lazy)
        return replace(registry, agents={**registry.agents, "lazy": spec}, routes={**registry.routes, "prove": spec})

    monkeypatch.setitem(KINDS, "theorem", KINDS["theorem"]._replace(registry=with_lazy_prover))
    result = await framework().arun(theorem(), name="t")
    assert result.verdict is Verdict.UNKNOWN
    assert "left the node where it was" in result.reason


async def test_every_decision_is_recorded_with_its_reason(framework: MakeFramework) -> None:
    fw = framework()
    result = await fw.arun(theorem(goals={"T": {"proof": 3}}), name="t")
    with fw.open_store(result.run_id) as store:
        decisions = [e.entry for e in store.history(ROOT) if e.kind == "decision"]
    assert [d["move"] for d in decisions] == ["correct", "correct", "prove"]
    assert all(d["move"] in d["legal"] and d["reason"] for d in decisions)
