"""The search for an answer, from the first goal to the last move.

* `machine` is the state machine of one run: the graph, its supervisor, sessions, checkpoints, what runs beside it.
* `agents` has the agents of theorems and of changes of files, `questions` and `code` those of the other tasks.
* `tasks` says what a run is about: a theorem, a claim, a question, a function, a change of a file.
* `memory` keeps lemmas and statistics across runs, `strategies` the named decompositions, `retrieval` finds premises.

Imports go down this list.
"""
