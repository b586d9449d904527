"""Goals and lemmas about integers.

* `numeric`: lemmas about functions of numbers, read off a table of their values.
* `remaining_goals`: what an induction along the calls of such a function leaves to be shown.
* `interpret`: what functions on datatypes come to in integers, and goals proved there; `expressions`: read off tables.
* `divisors`: what a function of numbers gives divides its arguments.
* `guarded`: measured functions, whose guards are proved in integers.
"""
