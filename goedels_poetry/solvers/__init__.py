"""Separate, killable solver processes with limits; nothing of a solver runs in our own process.

``Z3Process().ask(script)`` poses one query; ``Z3Process().session(prelude).check(extra)`` poses many over
one prelude. Who calls whom:

* `limits` has the data that all share: `Limits`, `Answer`, the errors.
* `process` is common to all solver processes, with the gate of their text, messages in frames and a race of two, over
  `child` (a child behind two pipes) and `launch` (tied to its parent, bounded in memory). `z3_process` talks SMT-LIB to
  the program, `cvc5_process` in frames to `cvc5_child`.
* `worker_pool` is for coroutines: computation of our own in processes (`worker`), which `preload` has forked from a
  warm parent, the `fork_server`.
* `versions` says which solvers answer here.
"""
