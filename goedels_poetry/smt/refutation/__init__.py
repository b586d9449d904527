"""Values at which a goal is false.

* `refute`: small values in order, then random ones; counterexamples made simpler, in the problem's own terms.
* `narrow`: values chosen only as far as the goal asks for them.
* `models`: values and functions that a solver suggests.
* `interpretations`: terms for declared functions, under which premises hold.
"""
