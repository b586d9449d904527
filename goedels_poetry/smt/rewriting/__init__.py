"""Terms, and what becomes of them by equations; no solver is asked.

* `matching`: patterns and occurrences; `replace`: terms in the place of others.
* `statements`: formulas as closed lemmas.
* `rewrite`: definitions as rewrite rules; `rules`: proven equations as ordered ones.
* `unfold`: instances of definitions at calls; `ground`: instances of lemmas there; `written_out`: without such calls.
"""
