"""The order in which a theorem's proofs are looked for."""
