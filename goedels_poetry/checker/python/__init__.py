"""Certificates of Python functions: a proof by way of SMT-LIB, an input that breaks a contract, checks that passed.

`check` is what has to be believed; `archive` has the files; `certify` writes them and asks `check` (glue, not trusted).
"""
