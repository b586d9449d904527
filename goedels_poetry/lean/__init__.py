"""Lean 4 as a proof language; a checker of Lean proofs needs nothing of it but the runtime and the reading of texts.

* `language` is called by the machine. It reads files by `text` and asks `runtime`: Lean processes, embedded or native.
* `agents` proves and sketches without a model, `refute` refutes, with `tactics`, `arithmetic` and `goals` (the engine
  of SMT-LIB). `replies` reads proofs of models, `refutations` their claims that a goal is false.
* `sanity_tests` serves the autoformalizer, `errors` says what Lean's messages mean.
* `gate` compares declarations and has a kernel of its own; it is trusted.
* `statement` (trusted) writes a theorem of SMT-LIB in Lean, `smt_proofs` its proof.
"""
