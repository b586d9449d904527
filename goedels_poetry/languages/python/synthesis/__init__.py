"""Functions without a model, searched among the terms of a typed grammar.

Its candidates are for tests to judge; nothing is executed here. Who calls whom:

* `search` has the face, `synthesise`: it takes turns among the searches below.
* `specification` is what is asked for: points from examples and contracts; `clauses` evaluates the latter.
* `enumerating` counts out terms from `operators`, one for each behaviour.
* `comprehensions` and `folding` do so for the bodies of comprehensions and loops, over what `sources` gives.
* `conditions` puts terms together that are right at some points each.
* `fitting` works out formulas instead of searching them.
* `terms` are data that compute and print themselves, `types` their types.
"""
