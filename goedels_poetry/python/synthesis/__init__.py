"""Functions without a model, searched among the terms of a typed grammar.

Its candidates are for tests to judge; nothing is executed here. Who calls whom:

* `search` has the face, `synthesise`: it takes turns among the searches, puts terms together that are right at some
  points each, and works out formulas.
* `specification` is what is asked for: points from examples, and from contracts, which it evaluates.
* `enumerating` counts out terms of its operators, one for each behaviour.
* `loops` does so for the bodies of comprehensions and loops.
* `terms` are data that compute and print themselves, with their types.
"""
