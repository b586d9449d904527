"""Sorting and its kin: goals about containers of ordered elements, by what functions do to the elements.

* `invariants`: plans for such goals, from facts about each function that they rest on.
* `callees`: the calls that facts are looked for about.
* `laws`: candidates for these facts, in terms of the folds of `auxiliary`; `lengths`: the same for long containers.
"""
