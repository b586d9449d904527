/-- A sum of two squares never leaves the remainder 3 when it is divided by 4. -/
theorem squares_mod_four (x y : Int) : (x ^ 2 + y ^ 2) % 4 ≠ 3 := by
  sorry
