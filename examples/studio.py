"""The graph that `langgraph dev` serves by `langgraph.json`: prove theorems in LangGraph Studio or by its SDK."""

from goedels_poetry import GoedelsPoetryFramework

graph = GoedelsPoetryFramework().as_graph(interrupts=True)
