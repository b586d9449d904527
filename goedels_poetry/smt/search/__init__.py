"""The order in which a theorem's proofs are looked for, and tests of its definitions before that."""
