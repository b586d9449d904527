"""Before any search: is the theorem false, are its premises contradictory, do its definitions mean anything?

* `checks`: these questions one after the other.
* `falsify`: values that make the premises true and the goal false; premises that no values decide, proved.
"""
