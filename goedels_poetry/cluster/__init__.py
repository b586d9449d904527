"""Runs on the machines of a Ray cluster. Nothing of Ray is loaded without ``--cluster``.

`connect` opens a cluster, or says what to do where there is none. `seats` keeps actors on its nodes, one a solver
pool or Lean runtime, takes in nodes that come and does without nodes that go. `worker` runs in such an actor, with no
name of Ray in it. `worker` has how a run goes there and comes back: as the files of its folder. `runs` has whole runs
worked on there (see `search.machine.elsewhere`), and the jobs of one large run.
"""
