"""Lean 4 as a proof language; a checker of Lean proofs needs nothing of it but the runtime and the reading of texts.

`language` is what the machine calls. It reads a file with `source`, which asks `runtime` (a Lean process, embedded or
native) what the file declares; `task` is one goal as Lean text, `assemble` puts the finished tree into one file.

`symbolic` proves, sketches and refutes without a model; `sketch` opens a text with holes and checks a proof. What a
model writes is read by `replies`, and by `refutations` where it says that the goal is false; both let `scan` (with
`tokens`) look at it before Lean does. `premises` looks up what may be cited, `formalize` and `sanity_tests` serve the
autoformalizer, `errors` says what Lean's messages mean.
"""
