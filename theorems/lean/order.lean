theorem between (a b c : Int) (h₁ : a < b) (h₂ : b < c) : a + 1 < c := by sorry

theorem either_way (p q r : Prop) : p ∧ (q ∨ r) ↔ (p ∧ q) ∨ (p ∧ r) := by sorry
