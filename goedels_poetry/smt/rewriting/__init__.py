"""Terms, and what becomes of them by equations; no solver is asked.

* `statements`: patterns, occurrences, replacement; formulas as closed lemmas.
* `rules`: definitions as rewrite rules, proven equations as ordered ones.
* `polynomials`: sums of products in one order, with division where it is exact.
* `unfold`: instances of definitions and of lemmas at calls.
"""
