"""Goals and lemmas about integers.

* `numeric`: lemmas about functions of numbers, read off a table of their values.
* `interpret`: what functions on datatypes come to in integers, and goals proved there.
* `guarded`: measured functions, whose guards are proved in integers.
"""
