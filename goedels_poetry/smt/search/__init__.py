"""The order in which proofs are looked for, and what is looked at before.

* `search`: one strategy after the other.
* `checks`: is the theorem false, are its premises contradictory, do its definitions mean anything?
* `falsify`: values that make the premises true and the goal false; premises that no values decide, proved.
"""
