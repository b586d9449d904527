"""From a theorem of SMT-LIB to a theorem of Lean: what trust level L4 rests on beside Lean's kernels and the gate.

Nothing is read and nothing proved: what a problem says is written as Lean text. `vocabulary` makes names legal and
keeps them apart, and says what sorts are called and what is left open, `terms` writes terms, `definitions`
writes datatypes and definitions by their cases, `theory` says which of these Lean takes and puts the file
together.
"""
