"""What a model that states a claim in Lean is told about the form of its reply."""

from __future__ import annotations

FORMAL_TAGS = ("lean", "lean4")

FORMAL_FORMAT = """\
One block ```lean … ``` with the definitions that are needed and exactly one theorem, whose proof is `sorry`:
theorem NAME (xs ys : List Nat) : … := by sorry
- No proof, no other `sorry`, no comment that repeats the claim; what the definitions and the theorem say counts.
- Commands: def, abbrev, inductive, structure, class, theorem, namespace, section, open, variable. No axiom,
  no opaque, no instance, no notation or macro, no `#` command, no import.
- Functions are total and terminate. Subtraction and division on Nat are truncated and x / 0 = 0: where the claim does
  not mean that, use Int or a hypothesis. Indices of lists begin at 0.
- Hypotheses stand before the colon or before `→`; they must be able to hold together."""
