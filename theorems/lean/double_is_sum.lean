/-- Twice a number, by recursion. -/
def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

theorem double_is_sum (n : Nat) : double n = n + n := by
  sorry
