"""Goals and lemmas about integers.

* `interpret`: what functions on datatypes come to in integers, and goals proved there.
* `guarded`: measured functions, whose guards are proved in integers.
"""
