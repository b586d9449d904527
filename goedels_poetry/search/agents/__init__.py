"""The agents of the state machine, and the registry that finds them.

`registry` has ``@agent`` and loads our own agents and those of plug-ins; `deps` is what an agent works with;
`failure` has the decider's moves and what an agent's failure costs a node. The agents of a search for a proof are in
`formalizer` (and judge), `prover` (and verifier, corrector), `decider`, `retriever` and `sketcher` (and decomposer,
backtracker), those of changes of files in `changes`. They share `guidance`, which puts a prompt about a goal together,
and `rounds`, which asks a model and judges its samples; `conversation` is one turn with a model. The graph calls
agents, never one agent another: what one leaves to the next, it leaves in a queue.
"""
