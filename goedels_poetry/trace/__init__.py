"""Looking at runs: the proof tree as text, Mermaid or Graphviz, progress while a run goes on, the state machine."""
