"""SMT-LIB 2.6 as a proof language; the language itself is imported on first use, terms and printer need none of it.

* `language`: its methods, each a job in a worker process; `jobs` are the jobs: replies of models, sketches, proofs.
* `search`: the order in which proofs are looked for, by `induction`, `conjecture`, `invariants`, `auxiliary`,
  and `rewriting`, all in a `context` (budget, solvers, attempts).
* `refutation`: counterexamples.
* `termination`: the search for evidence that recursive definitions terminate.
* `notation`: theorems and terms from text, as JSON, as prompts and people read them, in infix notation.
"""
