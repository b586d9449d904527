"""How much a solver may do for one query, and how it is configured.

Resource limits are counted by the solver itself, so a search does the same on every machine; seconds only guard
against a solver that runs away between two counts.
"""

from __future__ import annotations

from collections.abc import Mapping

DIRECT = 30_000
"""Resource units of z3 for one attempt at a goal: about 0.05 s. 99 of 100 queries that succeed need less."""

PATIENT = 120_000
"""The same when everything else has failed."""

GROUND = 400_000
"""The same for ground arithmetic, which is slower to give up."""

QUICK = 20_000
"""For a first attempt at a goal of ground arithmetic, where three times as much is given to each unfolding."""

CANDIDATE = 15_000
"""The same for a lemma that is only a guess."""

SAFETY_SECONDS = 3.0

MODEL_SECONDS = 1.0
"""The same for instantiation by models, which may run away."""

ROUNDS = (1, 2, 3)
"""How often the calls that unfoldings bring are unfolded themselves."""

INCREMENTAL = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
"""Options of z3 for sessions: many short queries over one prelude, quantifiers by triggers alone."""

CONFIGURATIONS: tuple[tuple[Mapping[str, str], int], ...] = (
    (INCREMENTAL, 200_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 200_000),
    ({}, 400_000),
    (INCREMENTAL, 4_000_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 4_000_000),
)
"""Ways to ask in a fresh context, with resource limits. z3 can run away in one and answer at once in another."""
