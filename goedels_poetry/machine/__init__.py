"""The LangGraph state machine: one run from its first commit to its result, supervisor, graph, long work."""
