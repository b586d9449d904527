"""What `proved` rests on, and nothing else: it poses obligations and searches for nothing.

Read it in this order. `terms`, `problem`, `sequent`: what is spoken of. `printer`, `encoding`: how solvers are told.
`equations`: what definitions say. `inductions`, `schemas`: the rules. `derivation`: a proof as data. `obligations`,
`structure`: what is left to ask so that it is one. `faults` are their exceptions, `verdict` the program's words.

`termination` is why recursive definitions define something, with `calls` and `sizes`; `recursion` is for
inductions along them. `theory` has the typing rules of SMT-LIB. `reading` makes the core problem of a text and the
steps of a certificate, and has solvers compare; `refutation` is the evaluator behind counterexamples. The checker
poses the obligations.
"""
