"""What runs in worker processes: plain functions from JSON to JSON.

* `symbolic`: read a theorem, look at it before any search, prove, sketch, verify, retrieve; a goal as data.
* `whole`: a whole proof of a script, or values that make it false, at one go.
* `payloads`: what all jobs take and give; whether a sketch holds before it is stored.

Language models, from the top: `replies` has the jobs, and reads values at which a goal is said to be false.
* Reading a reply: `proposals` (lemmas, in which order) asks `rules` (inductions, splits, witnesses);
  all of them read terms, lists and numbers by `reading`.
* Its consequences: `guided` finds out how lemmas give the goal (`chains`: lemmas at what other lemmas bring), and what
  stays open; `confirming` finds out whether values refute a goal, and proves it where evaluation cannot tell.
"""
