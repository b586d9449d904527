"""What runs in worker processes: plain functions from JSON to JSON.

* `symbolic`: read a theorem, look at it before any search, prove, sketch, verify, retrieve.
* `whole`: a whole proof of a script, or values that make it false, at one go.
* `replies`: what replies of language models say, and sketches within a budget.
* `proposals`: the form of these replies; `guided`: how the lemmas of a proposal give the goal.
* `payloads`: what all jobs take and give; `sketch_checks`: whether a sketch holds before it is stored.
* `sequents`: a goal as data.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.jobs import replies, sequents, symbolic, whole
from goedels_poetry.languages.smt.engine.jobs.payloads import problem_of, root_sequent

__all__ = [
    "problem_of",
    "replies",
    "root_sequent",
    "sequents",
    "symbolic",
    "whole",
]
