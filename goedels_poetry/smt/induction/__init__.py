"""Inductions: which ones are tried on a goal, and how their cases are closed.

* `structural`: on the structure of a datatype; in which variables, nested, how deep.
* `recursion`: along the calls of a terminating function.
* `descent`: on the measure of a function whose guard is proved.
* `integers`: from a bound, or on a measure of integers.
* `first`: the first of all these that closes a goal, one on the number of constructors among them.
* `saturate`: cases without quantifiers.
"""
