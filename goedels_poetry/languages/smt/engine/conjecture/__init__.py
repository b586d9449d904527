"""Lemmas nobody has stated: theory exploration, laws, accumulators, invariants."""
