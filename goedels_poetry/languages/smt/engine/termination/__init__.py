"""Which functions come to an end, and by which measure.

* `terminating`: how functions call themselves that are known to end, see `languages.smt.termination`.
* `measured`: measures for the others, which the search has to prove to fall.
"""
