"""A LangGraph application with a proof as one of its nodes: a bound is proposed, and tightened until it holds.

    python app.py

In an application of yours a model proposes; here a list does, so that it runs without any.
"""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph

from goedels_poetry import GoedelsPoetryFramework

BOUNDS = ("(* n n)", "(+ (* n n) 1)")


class State(TypedDict, total=False):
    tries: int
    theorem: str
    result: dict


def propose(state: State) -> State:
    """A claim about all integers, as the theorem of the next node."""
    tries = state.get("tries", 0)
    return {"tries": tries + 1, "theorem": f"(declare-const n Int)\n(prove (< n {BOUNDS[tries]}))\n"}


def holds(state: State) -> str:
    """Where to go on: a refuted claim is replaced by the next one."""
    refuted = state["result"]["verdict"] == "refuted"
    return "propose" if refuted and state["tries"] < len(BOUNDS) else END


def build(framework: GoedelsPoetryFramework):
    graph = StateGraph(State)
    graph.add_node("propose", propose)
    graph.add_node("prove", framework.as_node())  # reads `theorem`, writes `result`
    graph.add_edge(START, "propose")
    graph.add_edge("propose", "prove")
    graph.add_conditional_edges("prove", holds, ["propose", END])
    return graph.compile()


if __name__ == "__main__":
    with GoedelsPoetryFramework() as framework:
        for update in build(framework).stream({}, stream_mode="updates"):
            for node, change in update.items():
                told = change.get("result") or {}
                print(node, told.get("verdict") or change["theorem"].splitlines()[-1], told.get("counterexample") or "")
