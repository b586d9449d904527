"""SMT-LIB 2.6 as a proof language; the language itself is imported on first use, terms and printer need none of it.

* `language`: its methods, each a job in a worker process; `engine` has what the jobs do.
* `text`, `premises`: theorems from text, and premises as the user wrote them.
* `sanity_tests`: formal texts of models.
* `proof_json`: derivations, schemes and queries as JSON.
* `describe`, `readable`, `infix`: goals and terms as prompts and people read them.
* `reply_forms`, `notation`: the form of replies and of formal texts of models, and formulas in infix notation.
* `termination`: the search for evidence that recursive definitions terminate.
"""
