"""The state machine as LangGraph users know it: a graph that draws, states, their history, streams, callbacks."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from foreign_packages import install
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langgraph.graph.state import CompiledStateGraph
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Event, GoedelsPoetryFramework, Queue, Settings, Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.search.machine.checkpoints import Snapshot

SMT = "(declare-const p Bool)(declare-const q Bool)(prove (or p q (not (and p q))))"
AGENTS = {
    "formalizer": ["formalize"],
    "judge": ["check_semantics"],
    "prover": ["prove"],
    "verifier": ["verify", "verify_sketch"],
    "corrector": ["correct", "correct_sketch"],
    "decider": ["decide"],
    "retriever": ["retrieve"],
    "sketcher": ["sketch"],
    "backtrack": ["decomposition_backtrack"],
    "decomposer": ["decompose"],
}
HOPELESS: dict[str, Any] = {"proof": None, "exhausted": True}


# -- the graph -------------------------------------------------------------------------------------------------
def test_the_graph_is_a_compiled_langgraph_graph_and_draws_without_a_run(framework: MakeFramework) -> None:
    graph = framework().graph()
    assert isinstance(graph, CompiledStateGraph)
    drawn = graph.get_graph()
    assert set(drawn.nodes) == {"__start__", "__end__", "supervisor", *AGENTS}
    assert {name: drawn.nodes[name].metadata["queues"] for name in AGENTS} == AGENTS  # type: ignore[index]
    edges = {(edge.source, edge.target): edge.data for edge in drawn.edges}
    assert {("__start__", "supervisor"), ("supervisor", "__end__")} < edges.keys()
    for name, queues in AGENTS.items():
        assert edges["supervisor", name] == ", ".join(queues)
        assert (name, "supervisor") in edges
    mermaid = drawn.draw_mermaid()
    assert all(name in mermaid for name in AGENTS)
    assert "verify, verify_sketch" in mermaid
    assert {node["id"] for node in drawn.to_json()["nodes"]} == set(drawn.nodes)


# -- states ----------------------------------------------------------------------------------------------------
async def test_the_state_has_named_queues_with_their_heads_budgets_and_status(framework: MakeFramework) -> None:
    fw = framework(budgets={"agent_steps": 8})
    stopped = await fw.arun(generated(2), name="t")
    state = fw.get_state(stopped.run_id)
    values = state.values
    with fw.open_store(stopped.run_id) as store:
        assert values["run_id"] == stopped.run_id
        assert values["spent"]["steps"] == 8
        assert (values["status"], values["verdict"]) == ("out_of_budget", "out_of_budget")
        assert "8 agent steps" in values["reason"]
        assert set(values["queues"]) == {str(queue) for queue in Queue}
        lengths = {name: queue["length"] for name, queue in values["queues"].items() if queue["length"]}
        assert lengths == store.queue_lengths() != {}
        for name, queue in values["queues"].items():
            assert queue["head"] == [item.node_id for item in store.peek(name, len(queue["head"]))]
            assert bool(queue["head"]) == bool(queue["length"])
        assert state.tree() == store.nodes(as_of=values["seq"])
    assert state.next == ()
    assert state.result is not None and state.result.verdict is Verdict.OUT_OF_BUDGET
    assert state.created_at is not None and state.config["configurable"]["thread_id"] == stopped.run_id
    assert fw.get_state(state.config).values == values


async def test_every_moment_of_the_history_has_its_tree(framework: MakeFramework) -> None:
    fw = framework()
    result = await fw.arun(generated(1), name="t")
    history = list(fw.get_state_history(result.run_id))
    with fw.open_store(result.run_id) as store:
        trees = [(snapshot.values["seq"], snapshot.tree()) for snapshot in history]
        assert all(nodes == store.nodes(as_of=seq) for seq, nodes in trees)
        last = store.seq
    sizes = [len(nodes) for _, nodes in trees]
    assert (sizes[-1], sizes[0]) == (0, len(history[0].tree()))
    assert sizes[0] > 4
    assert [seq for seq, _ in trees] == sorted((seq for seq, _ in trees), reverse=True)
    assert trees[0][0] == last - 1, "the last commit is the verdict's, when the search is over"
    middle = next(s for s in history if s.values.get("step", {}).get("outcome", "").startswith("decomposed"))  # type: ignore[union-attr]
    assert fw.get_state(middle.config).tree() == middle.tree()
    assert middle.parent is not None and middle.parent.config == middle.parent_config
    assert history[-1].parent is None


def assert_whole(history: list[Snapshot]) -> None:
    """One chain from the newest checkpoint to the first, without a gap, and no step back in time."""
    assert [s.parent_config for s in history[:-1]] == [s.config for s in history[1:]]
    assert history[-1].parent_config is None
    assert [s.metadata["step"] for s in history] == list(range(len(history) - 2, -2, -1))
    revisions = [s.values.get("seq", 0) for s in history]
    assert revisions == sorted(revisions, reverse=True)


async def test_a_resumed_run_goes_on_with_its_thread(framework: MakeFramework) -> None:
    stopped = await framework(budgets={"agent_steps": 6}).arun(generated(1), name="t")
    fw = framework()
    result = await fw.aresume(stopped.run_id)
    assert result.verdict is Verdict.PROVED
    history = list(fw.get_state_history(result.run_id))
    assert_whole(history)
    assert len(list(fw.get_state_history(result.run_id, filter={"source": "input"}))) == 2
    assert [s.values.get("status") for s in history].count("out_of_budget") == 2, "the end, and the input after it"
    assert history[0].values["verdict"] == "proved"
    assert all("verdict" not in s.values for s in history[1:])


# -- streams ---------------------------------------------------------------------------------------------------
async def test_updates_are_by_node_and_end_with_the_verdict(framework: MakeFramework) -> None:
    chunks = [chunk async for chunk in framework().astream(theorem(), name="t", stream_mode="updates")]
    assert all(len(chunk) == 1 and set(chunk) <= {"supervisor", *AGENTS} for chunk in chunks)
    done = [(name, update["step"]["outcome"]) for chunk in chunks for name, update in chunk.items() if "step" in update]
    assert [step for step in done if step[1] != "started"] == [
        ("judge", "open"),
        ("prover", "candidate"),
        ("verifier", "proved"),
    ]
    assert chunks[-1] == {"supervisor": {"verdict": "proved", "reason": ""}}


async def test_custom_chunks_are_events_and_several_modes_are_pairs(framework: MakeFramework) -> None:
    fw = framework()
    events = [chunk async for chunk in fw.astream(theorem(), name="t", stream_mode="custom")]
    assert all(isinstance(event, Event) for event in events)
    with fw.open_store(events[0].run_id) as store:
        assert [event.seq for event in events] == [event.seq for event in store.events()]
    heard: list[Event] = []
    pairs = [
        pair
        async for pair in fw.astream(
            theorem(), name="t", fresh=True, stream_mode=["updates", "custom"], on_event=heard.append
        )
    ]
    assert {mode for mode, _ in pairs} == {"updates", "custom"}
    assert [chunk for mode, chunk in pairs if mode == "custom"] == heard
    order = [c.outcome if mode == "custom" else next(iter(c)) for mode, c in pairs]
    assert order.index("candidate") < order.index("verifier"), "as they come, not one mode after the other"


async def test_the_modes_of_langgraph_are_streamed_as_it_streams_them(framework: MakeFramework) -> None:
    fw, modes = framework(), ("tasks", "checkpoints", "debug")
    pairs = [pair async for pair in fw.astream(theorem(), name="t", stream_mode=modes)]
    by_mode = {mode: [chunk for each, chunk in pairs if each == mode] for mode in modes}
    began = {task["id"]: task["name"] for task in by_mode["tasks"] if "input" in task}
    assert {"supervisor", "judge", "prover", "verifier"} == set(began.values())
    assert {task["id"] for task in by_mode["tasks"] if "result" in task} == began.keys(), "each has ended"
    last = by_mode["checkpoints"][-1]
    run = last["config"]["configurable"]["thread_id"]
    stored = fw.get_state(run)
    assert last["config"]["configurable"]["checkpoint_id"] == stored.config["configurable"]["checkpoint_id"]
    assert {chunk["type"] for chunk in by_mode["debug"]} == {"task", "task_result", "checkpoint"}
    assert [c async for c in fw.astream(theorem(), name="t", stream_mode="tasks")] == [], "it had ended before"


async def test_messages_of_models_are_streamed_with_the_agent_that_asked(tmp_path: Path) -> None:
    models = Models({"default": FakeListChatModel(responses=["I do not know."])})
    settings = Settings(home=tmp_path, model_first=True, budgets={"wall_seconds": 60})  # type: ignore[arg-type]
    async with GoedelsPoetryFramework(settings, models=models) as framework:
        stream = framework.astream(SMT, name="t.smt2", stream_mode=["messages", "values"])
        pairs = [pair async for pair in stream]
    said = [chunk for mode, chunk in pairs if mode == "messages"]
    assert said and "".join(message.content for message, _ in said).startswith("I do not know.")
    assert {metadata["langgraph_node"] for _, metadata in said} == {"prover"}
    assert pairs[-1][0] == "values" and pairs[-1][1]["verdict"] == "proved"


async def test_subgraphs_of_agents_are_heard_where_they_are_asked_for(framework: MakeFramework, site: Path) -> None:
    add(site, SUBGRAPH)
    goals = {"T": {"proof": None, "exhausted": True}}
    fw = framework(ToyLanguage())
    text = theorem(goals=goals)
    triples = [t async for t in fw.astream(text, name="t", stream_mode=["updates", "custom"], subgraphs=True)]
    inner = [(mode, chunk) for place, mode, chunk in triples if place]
    assert inner and inner[0] == ("updates", {"look": {"found": 1}})
    assert next(place for place, _, _ in triples if place)[0].startswith("librarian:")
    alone = [pair async for pair in fw.astream(text, name="t", fresh=True, stream_mode="updates")]
    assert alone and all("look" not in chunk for chunk in alone)
    placed = [pair async for pair in fw.astream(text, name="t", fresh=True, stream_mode="updates", subgraphs=True)]
    assert placed[-1] == ((), alone[-1])


# -- callbacks and config --------------------------------------------------------------------------------------
class Listener(AsyncCallbackHandler):
    """Remembers which runnables and models were started, and with what."""

    def __init__(self) -> None:
        self.chains: list[tuple[str, tuple[str, ...], dict[str, Any]]] = []
        self.models: list[dict[str, Any]] = []
        self.parents: dict[UUID, UUID | None] = {}
        self.ended: set[UUID] = set()
        self.asked_by_ended: list[UUID] = []

    async def on_chain_start(self, serialized: Any, inputs: Any, **facts: Any) -> None:
        self.chains.append((facts["name"], tuple(facts["tags"]), facts["metadata"]))
        self.parents[facts["run_id"]] = facts["parent_run_id"]

    async def on_chain_end(self, outputs: Any, **facts: Any) -> None:
        self.ended.add(facts["run_id"])

    async def on_chat_model_start(self, serialized: Any, messages: Any, **facts: Any) -> None:
        self.models.append({"tags": facts["tags"], **facts["metadata"]})
        if facts["parent_run_id"] in self.ended:
            self.asked_by_ended.append(facts["parent_run_id"])


async def test_callbacks_tags_and_metadata_reach_agents_and_models(tmp_path: Path) -> None:
    listener, models = Listener(), Models({"default": FakeListChatModel(responses=["I do not know."])})
    settings = Settings(home=tmp_path, model_first=True, budgets={"wall_seconds": 60})  # type: ignore[arg-type]
    config: Any = {
        "callbacks": [listener],
        "tags": ["ours"],
        "metadata": {"experiment": 7},
        "run_name": "homework",
        "recursion_limit": 1,
        "configurable": {"thread_id": "mine"},
    }
    async with GoedelsPoetryFramework(settings, models=models) as framework:
        result = await framework.arun(SMT, name="t.smt2", config=config)
        assert result.verdict is Verdict.PROVED
        assert framework.get_state(result.run_id).config["configurable"]["thread_id"] == result.run_id
    names = [name for name, _, _ in listener.chains]
    assert names[0] == "homework"
    assert {"supervisor", "judge", "prover", "verifier"} <= set(names)
    assert all("ours" in tags and metadata["experiment"] == 7 for _, tags, metadata in listener.chains)
    assert listener.models
    assert all("ours" in asked["tags"] and asked["experiment"] == 7 for asked in listener.models)
    assert {asked["langgraph_node"] for asked in listener.models} == {"prover"}
    assert listener.asked_by_ended == [], "a model's call hangs on something that is still going on"
    assert config["recursion_limit"] == 1, "the caller's config stays as it is"


SUBGRAPH = """
from dataclasses import replace
from typing import TypedDict

from langgraph.graph import START, StateGraph

from goedels_poetry import agent


class Found(TypedDict, total=False):
    found: int


looks = StateGraph(Found)
looks.add_node("look", lambda state: {"found": 1})
looks.add_edge(START, "look")
looks = looks.compile()


@agent(queue="retrieve", name="librarian")
async def librarian(node, deps):
    await looks.ainvoke({})
    return lambda txn: str(txn.put(replace(node, queue="sketch")).queue)
"""


# -- agents of plug-ins ----------------------------------------------------------------------------------------
PLUGIN = """
from dataclasses import replace

from goedels_poetry import FailurePolicy, GoedelsPoetryState, agent

SEEN = []


@agent(queue="retrieve", name="librarian")
async def librarian(node, deps, state):
    SEEN.append(("by name", state))
    state["queues"].clear()  # it is a copy
    return lambda txn: str(txn.put(replace(node, queue="sketch")).queue)


@agent(queue="decompose", name="splitter", on_failure=FailurePolicy.FAIL_SKETCH)
async def splitter(node, deps, board: "GoedelsPoetryState"):
    SEEN.append(("by type", board))
    raise RuntimeError("no splitting today")
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if name.startswith("somebodys_"):
            del sys.modules[name]


def add(site: Path, code: str, name: str = "somebodys_agents") -> None:
    install(site, name, code, {"agents:theirs": ""})
    importlib.invalidate_caches()


async def test_an_agent_that_asks_for_the_state_is_handed_it(site: Path, framework: MakeFramework) -> None:
    add(site, PLUGIN)
    fw = framework()
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["A", "B"]}]}}
    result = await fw.arun(theorem(goals=goals), name="t")
    seen = dict(sys.modules["somebodys_agents"].SEEN)
    assert seen.keys() == {"by name", "by type"}
    assert seen["by type"]["run_id"] == result.run_id
    assert seen["by type"]["queues"]["decompose"] == {"length": 1, "head": ["0"]}
    assert seen["by type"]["spent"]["steps"] >= 3
    assert seen["by type"]["status"] == "running"
    with fw.open_store(result.run_id) as store:
        rejected = [e.entry["reason"] for e in store.history("0") if e.kind == "rejected"]
    assert rejected[0] == "RuntimeError: no splitting today"
    assert any(
        "agent splitter of plug-in theirs failed: RuntimeError: no splitting today" in w for w in result.warnings
    )


def test_the_example_of_the_documentation_runs_as_it_stands(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    section = (root / "docs" / "architecture.md").read_text("utf-8").partition("## For LangGraph users")[2]
    code = "".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    env = os.environ | {"PYTHONPATH": str(root), "GOEDELS_POETRY__HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "\nproved {" in done.stdout
    assert done.stdout.rstrip().endswith("('__start__',) 0\nproved")
