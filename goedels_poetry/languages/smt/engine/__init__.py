"""The search for proofs and counterexamples of SMT-LIB theorems. None of it is trusted: a checker reads its results.

Who calls whom, from the top:

* A worker process is asked for a **job** (`jobs.symbolic`, `jobs.replies`): JSON in, JSON out. A job takes the
  `ProverContext` of its problem (`context`), empties it, gives it the lemmas of its scope, and works on one goal.
* ``judge`` looks at a theorem before any search (`preflight`): values under which it is false (`refutation`),
  contradictory premises, definitions that may mean nothing (`termination`).
* ``prove`` closes a goal by one query (`context.attempts`).
* ``sketch`` asks the `Sketcher` (`search`) for plans, cheapest idea first. Each **strategy** is a function of a context
  and a goal that yields plans: one `induction`; lemmas that are conjectured (`conjecture`), about numbers
  (`arithmetic`) or about what containers hold (`invariants`), each tested on values and proved by an induction
  before it is used (`conjecture.library`).
* A `Plan` (`plan`) is a rule for a goal and plans for what the rule leaves. `sketches` finds out which lemmas a plan
  needs, and writes it as JSON.
* Below the strategies: `context` poses the queries of the search, within the budget of the job; `rewriting` knows terms
  and equations, `auxiliary` the functions that proofs may speak of besides those of the problem.

Imports go one way: jobs, preflight, search and sketches, conjecture and invariants and arithmetic, induction, context,
termination, refutation, auxiliary, rewriting, plan. Other folders import from the face of a folder, as outsiders do.
"""
