"""`ProofStore`: the proof tree in SQLite. One transaction an agent step, immutable revisions, time travel."""
