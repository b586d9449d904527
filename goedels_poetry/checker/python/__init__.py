"""Certificates of Python functions: a proof by way of SMT-LIB, an input that breaks a contract, checks that passed.

`check` is what has to be believed, with `proof` or `runs` by the claim; `archive` has the files.
`cross_check` is a process that only withdraws proofs; `certify` writes the files and asks `check` (glue, not trusted).
"""
