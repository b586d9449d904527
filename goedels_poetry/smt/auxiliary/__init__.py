"""Functions that proofs may speak of besides the problem's own; the same problem gets the same ones.

* `standard`: which functions a problem gets; what values of datatypes come to as integers.
* `folds`: what the elements of containers come to: how often, how large, in which order.
"""
