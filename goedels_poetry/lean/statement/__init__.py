"""From a theorem of SMT-LIB to a theorem of Lean: what trust level L4 rests on beside Lean's kernels and the gate.

`translate` reads nothing and proves nothing; it writes what a problem says as Lean text. `names` makes names legal and
keeps them apart, `vocabulary` says what sorts are called and what is left open, `terms` writes terms, `definitions`
writes datatypes and definitions by their cases, `endings` says which of these Lean takes, `theory` puts the file
together.
"""
