"""Runs inside other people's LangGraph graphs: a node, a tool for agents, a subgraph that asks back.

What they are given does the work in a loop of its own, so that theirs is never blocked; every commit goes to the stream
mode "custom".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import Event, RunResult

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph

ABOUT = (
    "Prove or refute a theorem: SMT-LIB 2, Lean 4 with `sorry`, Python functions with contracts, or a JSON program. "
    "Only the verdict `proved` with a trust level is a proof; `unknown` and `out_of_budget` say nothing about it."
)


@dataclass(frozen=True, slots=True)
class Embedded:
    """How runs are begun: for graphs that wait in a thread, and for those that wait in a loop of theirs."""

    run: Callable[..., RunResult]
    arun: Callable[..., Awaitable[RunResult]]


class ProofState(TypedDict, total=False):
    """The state of `graph_of`."""

    theorem: str
    """A theorem as text, or a claim in words."""
    language: str
    """Where the text does not tell."""
    informal: bool
    """Whether it is a claim in words."""
    context: str
    """Of a claim: formal definitions."""
    seconds: float
    """For the whole run, over all resumes."""
    result: dict[str, Any]
    """A `RunResult` as JSON."""


def node_of(runs: Embedded, source: str, result: str, arguments: Mapping[str, Any]) -> Runnable[Any, Any]:
    """A node that proves ``state[source]`` and writes ``state[result]``."""
    from langchain_core.runnables import RunnableLambda

    def given(state: Any) -> Any:
        return state[source] if isinstance(state, Mapping) else getattr(state, source)

    def wait(state: Any) -> dict[str, Any]:
        return {result: runs.run(given(state), **arguments, on_event=_stream()).to_json()}

    async def awaited(state: Any) -> dict[str, Any]:
        found = await runs.arun(given(state), **arguments, on_event=_stream())
        return {result: found.to_json()}

    return RunnableLambda(wait, afunc=awaited, name="prove")


def tool_of(runs: Embedded, arguments: Mapping[str, Any]) -> BaseTool:
    """The tool ``prove``: a text in, the verdict in words and, as artifact, the result as JSON out."""
    from langchain_core.tools import StructuredTool

    def wait(theorem: str, language: str | None = None) -> tuple[str, dict[str, Any]]:
        return _told(runs.run(theorem, **{**arguments, "language": language}))

    async def awaited(theorem: str, language: str | None = None) -> tuple[str, dict[str, Any]]:
        return _told(await runs.arun(theorem, **{**arguments, "language": language}))

    made: BaseTool = StructuredTool.from_function(
        wait, awaited, name="prove", description=ABOUT, response_format="content_and_artifact"
    )
    return made


def _told(result: RunResult) -> tuple[str, dict[str, Any]]:
    level = f" ({result.trust_level})" if result.trust_level else ""
    found = [f"counterexample: {result.counterexample}"] if result.counterexample else []
    lines = [f"{result.verdict}{level}", result.reason, *found]
    return "\n".join(filter(None, lines)), result.to_json()


def graph_of(runs: Embedded, interrupts: bool) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A graph over `ProofState`, to be a node of another one.

    With ``interrupts``, which need a checkpointer of the outer graph, it asks twice: whether the formal statement is
    what a claim means (resume with true or false), and for how many seconds more to go on (0: leave it open).
    """
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command, interrupt

    async def formalize(state: ProofState) -> dict[str, Any]:
        return {"result": (await prove_with(state, only_state=True)).to_json()}

    def confirm(state: ProofState) -> Command[Any]:
        stated = state["result"].get("formalization") or {}
        if not stated.get("stated"):
            return Command(goto=END)
        asked = {"ask": "confirm", "claim": state["theorem"], "formal": stated["formal"]}
        agreed = interrupt(asked) if interrupts else True
        return Command(goto="prove" if agreed is True else END)

    async def prove(state: ProofState) -> dict[str, Any]:
        return {"result": (await prove_with(state)).to_json()}

    def more(state: ProofState) -> Command[Any]:
        result = state["result"]
        if not interrupts or result["verdict"] != Verdict.OUT_OF_BUDGET:
            return Command(goto=END)
        asked = {"ask": "seconds", "run_id": result["run_id"], "reason": result["reason"]}
        given = interrupt({**asked, "open_goals": [goal["statement"] for goal in result["open_goals"]]})
        if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
            return Command(goto=END)
        spent = float(result["metrics"].get("wall_seconds", 0.0))
        return Command(goto="prove", update={"seconds": spent + given})

    async def prove_with(state: ProofState, **arguments: Any) -> RunResult:
        if state.get("informal"):
            arguments |= {"informal": True, "context": state.get("context", "")}
        return await runs.arun(
            state["theorem"],
            language=state.get("language"),
            seconds=state.get("seconds"),
            on_event=_stream(),
            **arguments,
        )

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ProofState)
    graph.add_node("formalize", formalize)
    graph.add_node("confirm", confirm, destinations=("prove", END))
    graph.add_node("prove", prove)
    graph.add_node("more", more, destinations=("prove", END))
    graph.add_conditional_edges(
        START, lambda state: "formalize" if state.get("informal") else "prove", ["formalize", "prove"]
    )
    graph.add_edge("formalize", "confirm")
    graph.add_edge("prove", "more")
    return graph.compile(name="goedels-poetry")


def _stream() -> Callable[[Event], None]:
    """What writes commits into the stream of the graph that the caller is a node of."""
    from langgraph.config import get_stream_writer

    write = get_stream_writer()
    return lambda event: write(event.to_json())
