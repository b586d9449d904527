"""The agents of the state machine, one file each, and the registry that finds them.

`registry` has ``@agent`` and loads our own agents and those of plug-ins; `deps` is what an agent works with, `failure`
what its failure costs a node. `formalizer`, `judge`, `prover`, `verifier`, `corrector`,
`decider` (with the table of `moves`), `retriever`, `sketcher`, `backtracker` and `decomposer` are the agents of a
search for a proof; those of a question are in `search.questions`. What several of them share: `guidance` puts a
request to a model together, `story` what was tried on it, `rounds` asks and judges its samples, `refuting` takes it
at its word that a goal is false, `sharing` offers what other goals have proved, `conversation` is one turn with a
model. The graph calls agents, never one agent another: what one leaves to the next, it leaves in a queue. `journey`
writes down for people, and for pictures, which queue that may be.
"""
