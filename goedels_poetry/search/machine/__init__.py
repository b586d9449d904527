"""The LangGraph state machine, and one run on it from its first commit to its result. Who calls whom:

* `runner` begins, resumes and interrupts runs, with what those of one process share; it finds out which run a task has.
* `run` is one run: the first commit, searches until the task says that it is over, the check, the result, what later
  runs learn.
  `kinds` is the table of tasks with the agents that serve them, with what a caller brings.
* `session` is what the parts of a run share, and one search: it puts the machine together and drives its `graph`, with
  LangGraph's notes in `checkpoints`. The graph asks the `supervisor` what is next and runs
  agents as jobs.
* `background` is the loop on which synchronous faces wait.

Nothing here asks what kind of task a run has, and nothing but a checker says ``proved``.
"""
