"""Sorting and its kin: goals about containers of ordered elements, by what functions do to the elements.

* `invariants`: plans for such goals, from facts about each function that they rest on.
* `laws`: candidates for these facts, in terms of the folds of `smt.auxiliary`.
"""
