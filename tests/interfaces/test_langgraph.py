"""Runs inside other people's graphs: nodes, tools, subgraphs that ask back, and loops that must not be blocked."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from blockbuster import BlockBuster
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.errors import UnknownLanguage
from goedels_poetry.languages import for_text
from goedels_poetry.store.runs import Runs

ROOT = Path(__file__).parents[2]
THEOREMS = ROOT / "theorems"
TRUE = "(declare-const x Int)\n(assert (> x 1))\n(assert (not (> x 0)))\n(check-sat)\n"
PYTHON = (THEOREMS / "python" / "off_by_one.py").read_text("utf-8")
LONG = (THEOREMS / "smt" / "odd_perfect.smt2").read_text("utf-8")


class State(TypedDict, total=False):
    theorem: str
    result: dict[str, Any]
    seconds: float


@pytest.fixture
def framework(tmp_path: Path) -> Iterator[GoedelsPoetryFramework]:
    with GoedelsPoetryFramework(Settings(home=tmp_path), checkpoint_all=False) as made:
        yield made


@pytest.fixture
def guarded() -> Iterator[None]:
    """No event loop may be blocked, as under `langgraph dev`."""
    guard = BlockBuster()
    guard.activate()
    yield
    guard.deactivate()


def around(inner: Any, **given: Any) -> Any:
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(State)
    graph.add_node("prove", inner)
    graph.add_edge(START, "prove")
    graph.add_edge("prove", END)
    return graph.compile(**given)


@pytest.mark.usefixtures("guarded")
async def test_no_event_loop_is_blocked_whichever_way_a_run_is_begun(framework: GoedelsPoetryFramework) -> None:
    assert (await framework.arun(THEOREMS / "smt" / "gauss_sum.smt2")).verdict == "proved"
    assert (await asyncio.to_thread(framework.run, TRUE)).verdict == "proved"
    events = [chunk async for chunk in framework.astream(TRUE, fresh=True)]
    assert events[-1].verdict == "proved" and len(events) > 3
    assert (await framework.aresume(events[-1].run_id)).verdict == "proved"
    graph = around(framework.as_node(fresh=True))
    assert (await graph.ainvoke({"theorem": TRUE}))["result"]["trust_level"] == "L3"
    await framework.aclose()


async def test_a_node_streams_what_happens_and_works_in_synchronous_graphs(framework: GoedelsPoetryFramework) -> None:
    graph = around(framework.as_node())
    seen = [chunk async for chunk in graph.astream({"theorem": TRUE}, stream_mode=["custom", "updates"])]
    assert [chunk["agent"] for mode, chunk in seen if mode == "custom"][:2] == ["framework", "judge"]
    assert seen[-1][1]["prove"]["result"]["verdict"] == "proved"
    refuted = await asyncio.to_thread(graph.invoke, {"theorem": PYTHON})
    assert refuted["result"]["verdict"] == "refuted"


async def test_a_node_that_is_cancelled_ends_its_run(framework: GoedelsPoetryFramework) -> None:
    graph = around(framework.as_node())
    begun = asyncio.Event()

    async def stream() -> None:
        async for _ in graph.astream({"theorem": LONG}, stream_mode="custom"):
            begun.set()

    work = asyncio.create_task(stream())
    await begun.wait()
    work.cancel()
    await asyncio.wait([work])
    (run,) = framework.runs()
    assert work.cancelled() and run.status == "stopped"
    result = await framework.arun(LONG, budgets=Budgets(wall_seconds=0.01))
    assert result.run_id == run.run_id and result.verdict == "out_of_budget"


async def test_an_agent_calls_the_tool(framework: GoedelsPoetryFramework) -> None:
    tool = framework.as_tool()
    call = {"name": "prove", "args": {"theorem": TRUE}, "id": "1", "type": "tool_call"}
    message = await tool.ainvoke(call)
    assert message.content == "proved (L3)" and message.artifact["verdict"] == "proved"
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "tools")
    asked = AIMessage("", tool_calls=[{**call, "args": {"theorem": PYTHON, "language": "python"}}])
    (*_, answer) = (await graph.compile().ainvoke({"messages": [asked]}))["messages"]
    assert answer.content.startswith("refuted (L1)") and "counterexample" in answer.content


async def test_a_subgraph_asks_for_more_seconds_and_goes_on(framework: GoedelsPoetryFramework) -> None:
    """Inside another graph, whose checkpointer it uses; its own nodes are seen with ``subgraphs=True``."""
    outer = around(framework.as_graph(interrupts=True), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    hard = (THEOREMS / "smt" / "merge_sort.smt2").read_text("utf-8")
    begin = {"theorem": hard, "seconds": 0.5}
    nodes = set()
    async for where, chunk in outer.astream(begin, config, stream_mode="updates", subgraphs=True):
        nodes |= {(bool(where), name) for name in chunk}
    assert (True, "prove") in nodes
    (asked,) = (await outer.aget_state(config)).interrupts
    assert asked.value["ask"] == "seconds" and asked.value["run_id"] == framework.runs()[0].run_id

    again = await outer.ainvoke(Command(resume=0.5), config)
    assert again["__interrupt__"][0].value["run_id"] == asked.value["run_id"]
    left = await outer.ainvoke(Command(resume=0), config)
    assert left["result"]["verdict"] == "out_of_budget" and "__interrupt__" not in left
    assert len(framework.runs()) == 1


async def test_without_interrupts_it_needs_no_checkpointer(framework: GoedelsPoetryFramework) -> None:
    graph = framework.as_graph()
    assert (await graph.ainvoke({"theorem": TRUE}))["result"]["verdict"] == "proved"
    assert (await graph.ainvoke({"theorem": LONG, "seconds": 0.5}))["result"]["verdict"] == "out_of_budget"


async def test_a_text_is_recognised_and_a_folder_stands_for_its_files(
    framework: GoedelsPoetryFramework, tmp_path: Path
) -> None:
    lean = "theorem t (a : Nat) : a + 0 = a := by sorry"
    wrong = "; a comment\n(assert (not (> 1 2)))\n(check-sat)\n"
    assert [framework._language(None, None, text).name for text in (TRUE, lean, PYTHON, "{}")] == [
        "smt", "lean", "python", "logic",
    ]  # fmt: skip
    stated = 'def f(x):\n    """The\n    theorem is: x.\n    """\n    return x\n'
    assert [for_text(text) for text in (stated, f"def g(x : Nat) := x\n{lean}", "")] == ["python", "lean", ""]
    with pytest.raises(UnknownLanguage, match="say in which language"):
        await framework.arun("Every natural number is the sum of four squares.")
    folder = tmp_path / "proofs"
    folder.mkdir()
    shutil.copy(THEOREMS / "smt" / "gauss_sum.smt2", folder / "b.smt2")
    (folder / "a.smt2").write_text(wrong)
    (folder / "c.smt2").write_bytes(b"\xff\xfe")
    (folder / "readme.txt").write_text("nothing")
    results = await framework.arun_many([folder, TRUE, "no language", tmp_path / "missing.smt2"])
    assert [(Path(r.input).name, str(r.verdict)) for r in results][:2] == [("a.smt2", "refuted"), ("b.smt2", "proved")]
    assert [str(r.verdict) for r in results][2:] == ["invalid", "proved", "invalid", "unknown"]
    several = tmp_path / "several.smt2"
    several.write_text("(declare-const x Int)\n(prove (! (= x x) :named one))\n(prove (! (> x x) :named two))\n")
    two = await framework.aprove(Path(f"{several}:two"))
    assert (two.result.verdict, two.remembered) == ("refuted", False)
    assert (await framework.aprove(Path(f"{several}:two"))).remembered
    assert [str(r.verdict) for r in await framework.arun_many(several)] == ["proved", "refuted"]
    text = several.read_text()
    assert [str(r.verdict) for r in await framework.arun_many(text)] == ["proved", "refuted"]  # a text, not its letters


async def test_a_folder_stands_for_the_theorems_that_the_command_finds_in_it(
    framework: GoedelsPoetryFramework, tmp_path: Path
) -> None:
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "B.SMT2").write_text(TRUE)
    (folder / "a.smt2").write_text(
        "(declare-const x Int)\n(prove (! (= x x) :named o))\n(prove (! (> x x) :named p))\n"
    )
    (folder / "c.py").write_text(PYTHON)
    (folder / "d.py").write_text("def like_any_other(x):\n    return x\n")
    (folder / "e.py").write_text("def no python(")
    (folder / "f.json").write_text("{}")
    (folder / ".g.smt2").write_text(TRUE)
    with pytest.raises(IsADirectoryError, match="run_many"):
        await framework.arun(folder)
    command = [sys.executable, "-m", "goedels_poetry", "prove", str(folder), "--json", "--quiet"]
    env = {**os.environ, "GOEDELS_POETRY__HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    done = await asyncio.to_thread(subprocess.run, command, env=env, capture_output=True, text=True, check=False)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(Path(each["input"]).name, each["verdict"]) for each in printed] == [
        ("a.smt2:o", "proved"), ("a.smt2:p", "refuted"), ("c.py", "refuted"), ("e.py", "invalid"), ("B.SMT2", "proved"),
    ]  # fmt: skip
    found = await framework.arun_many(folder)
    assert [(each.input, each.verdict) for each in found] == [(each["input"], each["verdict"]) for each in printed]


async def test_a_claim_that_is_put_into_the_data_directory_is_checked_though_goals_before_it_run_now(
    framework: GoedelsPoetryFramework, tmp_path: Path
) -> None:
    text = "(declare-const x Int)\n(prove (! (= x x) :named one))\n(prove (! (> x x) :named two))\n"
    first = await framework.arun(text, options={"theorem": "one"})
    false = await framework.arun(text, options={"theorem": "two"})
    forged = {**first.to_json(), "run_id": false.run_id, "run_dir": str(false.run_dir)}
    Runs(tmp_path).get(false.run_id).write_card(result=forged, retry=False, unanswered=False)
    assert (await framework.arun(text, options={"theorem": "two"})).verdict == "proved"  # as it is written there
    framework.delete_run(first.run_id)
    graph = around(framework.as_node(options={"theorem": "two"}))
    assert (await graph.ainvoke({"theorem": text}))["result"]["verdict"] == "refuted"


LANGGRAPH = shutil.which("langgraph", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


@pytest.mark.skipif(LANGGRAPH is None, reason="langgraph-cli[inmem] is not installed")
def test_langgraph_dev_serves_the_graph_and_its_client_proves(tmp_path: Path) -> None:
    """As a developer starts it: the files of this repository, a real server, the client of the SDK."""
    from langgraph_sdk import get_sync_client

    assert LANGGRAPH is not None
    port = "21873"
    line = [LANGGRAPH, "dev", "--no-browser", "--no-reload", "--port", port]
    for name in ("langgraph.json", "examples/studio.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    env = {
        **os.environ,
        "GOEDELS_POETRY__HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(ROOT),
        "LANGSMITH_TRACING": "false",
    }
    with subprocess.Popen(line, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 90
            while time.monotonic() < deadline:
                try:
                    assert json.loads(urllib.request.urlopen(f"{address}/ok", timeout=5).read())["ok"]
                    break
                except OSError:
                    time.sleep(0.5)
            with get_sync_client(url=address) as client:
                done = client.runs.wait(None, "prove", input={"theorem": TRUE})
                assert done["result"]["verdict"] == "proved" and done["result"]["trust_level"] == "L3"
                thread = client.threads.create()["thread_id"]
                client.runs.wait(thread, "prove", input={"theorem": LONG, "seconds": 0.5})
                asked = client.threads.get_state(thread)["interrupts"]
                assert asked[0]["value"]["ask"] == "seconds"
                left = client.runs.wait(thread, "prove", command={"resume": 0})
                assert left["result"]["verdict"] == "out_of_budget"
        finally:
            server.terminate()
            server.communicate(timeout=30)
