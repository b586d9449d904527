"""What strategies work with on one problem, and the only place where a goal meets a solver.

* `prover`: `ProverContext`, one query or one test at a time, and the lemmas of the job.
* `attempts`: one goal, several queries: closed directly or not; a query with no more lemmas than it needs.
* `budget`: resources of solvers for each kind of attempt; queries and time of a job.
* `sessions`: the solver processes, and what each has been told.
* `shape`: which functions recur on what, which theories there are.
"""
