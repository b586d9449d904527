"""The proof tree: nodes and queues, the moves on them, derivations, runs on disk, the store.

* `state` and `state_manager`: the tree's nodes and queues, and every move on them; `derivation` puts proofs together;
  `selection` chooses what is shown, `results` is what a run returns.
* `proof_store` is the tree in SQLite, one transaction an agent step, immutable revisions: `txn` writes, `reads` reads,
  `database` has the tables and opens files, `repair` mends them.
* `runs` are the runs on disk; `shared_database` the small databases that runs share. `postgres` keeps runs in a
  PostgreSQL database; nothing of it is loaded without a URL.
"""
