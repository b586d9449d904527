"""Runs on the machines of a Ray cluster. Nothing of Ray is loaded before somebody asks for a cluster.

Who calls whom: `connect` opens a cluster, or says what to do where there is none; `ending` ends one that is starting
when a signal comes. `seats` keeps actors on its nodes, one for each solver pool or Lean runtime, takes in nodes that
come and does without nodes that go. `worker` is what runs in such an actor, in a folder of `homes`, with no name of Ray
in it. `travel` is how a run goes there and comes back: as the files of its folder. `runs` has whole runs worked on
there (see `search.machine.elsewhere`), `jobs` the single jobs of one large run.
"""
