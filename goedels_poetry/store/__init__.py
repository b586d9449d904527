"""The proof tree: nodes and queues, the moves on them, derivations, runs on disk, the store.

* `state` and `state_manager`: the tree's nodes and queues, and every move on them; `derivation` puts proofs together;
  `results` is what a run returns.
* `proof_store` is the tree in SQLite, one transaction an agent step, immutable revisions: `reads` reads and writes,
  `database` has the tables and opens files, `repair` mends them.
* `runs` are the runs on disk, and chooses among them; `shared_database` the small databases that runs share. `postgres`
  keeps runs in a PostgreSQL database; nothing of it is loaded without a URL.
"""
