"""What runs in worker processes: plain functions from JSON to JSON.

* `symbolic`: read a theorem, look at it before any search, prove, sketch, verify, retrieve.
* `whole`: a whole proof of a script, or values that make it false, at one go.
* `sequents`: a goal as data.
* `payloads`: what all jobs take and give; `sketch_checks`: whether a sketch holds before it is stored.

Language models, from the top: `replies` has the jobs.
* What a reply says: `proposals` (lemmas, in which order) asks `rules` (inductions, splits, witnesses) and
  `placed_instances`; `refutations` reads values at which a goal is said to be false; all of them read terms, lists and
  numbers by `reading`.
* What comes of it: `guided` finds out how lemmas give the goal (`computing`: cases without variables; `chains`: lemmas
  at what other lemmas bring), and `open_cases` says what stays open; `confirming` finds out whether values refute a
  goal (`left_out`: what functions may be that a reply does not speak of), `negations` proves it where evaluation cannot
  tell, and `undetermined` says whether definitions leave it open.
"""
