"""The search for proofs and counterexamples of SMT-LIB theorems."""
