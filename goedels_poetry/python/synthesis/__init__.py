"""Functions without a model, searched among the terms of a typed grammar. Its candidates are for tests to judge.

`search` has the face, `synthesise`, and enumerates expressions, bodies of comprehensions and of loops; `specification`
is what is asked for: points from examples, and from contracts, which it evaluates; `terms` is the grammar.
"""
