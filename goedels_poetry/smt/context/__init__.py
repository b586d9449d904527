"""What strategies work with on one problem, and the only place where a goal meets a solver.

* `prover`: `ProverContext`, one query or one test at a time, and the lemmas of the job; which functions recur on what.
* `attempts`: one goal, several queries: closed directly or not; a query with no more lemmas than it needs.
* `sessions`: the solver processes, what each has been given, and the resources of a job and its attempts.
"""
