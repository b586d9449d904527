"""What recursive definitions rest on: that they come to an end, so that they define something.

`calls`: which calls are made, under which conditions. `sizes`: how large results can be. `evidence`: what a certificate
says of the end of recursions, and what solvers have to agree to. `guards`: definitions that are used only where a
measure falls. `recursion`: the points of an induction along a function. `work` bounds the walks.
"""
