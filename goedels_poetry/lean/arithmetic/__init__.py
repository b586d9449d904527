"""Arithmetic over Nat and Int in core Lean: what is computed outside becomes tactics that Lean checks.

Who calls whom:

* `tactics` asks each generator for the proofs that fit a goal, the cheapest first; the agents try them.
* Generators for divisibility: cases of a remainder, equations modulo a number, powers that repeat;
  `divisors` (equations with few solutions, which are cases: divisors, roots; common divisors).
* Generators for other things: values of sequences; `roots` (bounds of what grows, values between bounds, a table of
  what is left, terms for what exists).
* `predicates` writes out what the file defines; `polynomials` has normal forms, and the bounds that linear hypotheses
  and divisors give; `problem` reads and computes what Lean prints.
"""
