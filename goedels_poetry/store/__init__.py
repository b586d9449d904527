"""The proof tree: nodes and queues, the moves on them, derivations, runs on disk, the store."""
