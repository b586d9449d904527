"""Values at which a goal is false.

* `refute`: small values in order, then random ones; counterexamples made simpler.
* `narrow`: values chosen only as far as the goal asks for them; `lazy`: its evaluator.
* `models`: values that a solver suggests.
* `functions`: fixed values of declared functions. `interpretations`: terms for them, under which premises hold;
  `solver_functions`: those of a solver's model.
* `counterexample`: values in the problem's own terms.
"""
