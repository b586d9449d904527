"""Separate, killable solver processes with limits; nothing of a solver runs in our own process.

``Z3Process().ask(script)`` poses one query; ``Z3Process().session(prelude).check(extra)`` poses many over
one prelude. Who calls whom:

* `limits` has the data that all share: `Limits`, `Answer`, the errors. `script` is the gate that every text passes.
* `process` is what all solver processes have in common, over `child` (a child behind two pipes) and `launch` (tied to
  its parent, bounded in memory). `z3_process` talks SMT-LIB to the program, with `z3_scope` for many small programs and
  `z3_replies` for what it says; `z3_child` stands in where only the library is there. `cvc5_process` talks in `frames`
  to `cvc5_child`.
* `racing` puts one question to two of them, in threads; `pool` and `worker_pool` are for coroutines: solvers, and
  processes of our own (`worker`) for computation, both behind `worker_threads`.
* `ahead` has workers forked from a warm parent, the `nursery`; `headstart` starts that one with as little as can be
  loaded, `surroundings` says with which command line and environment. `spare` has z3 processes that one search leaves
  to the next, `ready` fresh ones for the next job of a worker, `templates` what forks these for a worker of many jobs.
* `versions` says which solvers answer here.
"""
