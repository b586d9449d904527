"""Arithmetic over Nat and Int in core Lean: what is computed outside becomes tactics that Lean checks.

Who calls whom:

* `tactics` asks each generator for the proofs that fit a goal, the cheapest first; the agents try them.
* Generators for divisibility: `residues` (cases of a remainder, equations modulo a number, powers that are large),
  `exponents` (powers that repeat modulo a number, or become too large), `gcds` (combinations that a common divisor
  divides), `divisors` (equations with few solutions, which are cases: divisors, roots, short ranges).
* Generators for other things: `steps` (induction from a first value), `recurrences` (values and periods of sequences),
  `iterated` (sequences far along), `monotone` (bounds of what grows, and a table of what is left),
  `squares` (sums of squares and products of hypotheses, found by `linear`), `roots` (factors, values between bounds,
  witnesses), `terms` (witnesses that depend on variables), `universal` (hypotheses about all numbers at some).
* `instances` chooses values that meet the hypotheses and make the goal false, and shows Lean that nothing below a bound
  is what the goal says to exist; `refute` has Lean prove the negation from that.
* `functions` and `predicates` write out what hypotheses and the file define, before any of this.
* `ranges` passes bounds from one number to the next, by linear hypotheses and divisors.
* `expressions` reads and computes what Lean prints, `polynomials` are its normal forms.
"""
