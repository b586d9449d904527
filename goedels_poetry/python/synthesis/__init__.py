"""Functions without a model, searched among the terms of a typed grammar.

Its candidates are for tests to judge; nothing is executed here. Who calls whom:

* `search` has the face, `synthesise`: it takes turns among the searches, puts terms together that are right at some
  points each, and works out formulas; it enumerates the bodies of comprehensions and loops.
* `specification` is what is asked for: points from examples, and from contracts, which it evaluates.
* `enumerating` has typed terms that compute and print themselves, and counts them out, one for each behaviour.
"""
