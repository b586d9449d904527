"""The proof tree: nodes and queues, the moves on them, derivations, runs on disk, the store.

* `state` and `state_manager`: the tree's nodes and queues, and every move on them; `derivation` puts proofs together;
  `selection` chooses what is shown, `changed` copies with changes, `results` is what a run returns, `html` its page.
* `proof_store` is the tree in SQLite, one transaction an agent step, immutable revisions: `txn` and `writer` write,
  `reads` reads, `queues` and `present` keep what is needed most, `database` opens files, `repair` and `salvage` mend.
* `runs` are the runs on disk; `shared_database` keeps those in PostgreSQL (`postgres_connection` with the face of
  `sqlite3`, `postgres_schema` the tables, `postgres_database` the runs and their locks). Nothing of it is loaded
  without a URL.
"""
