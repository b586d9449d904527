/-! Needs induction and a lemma about `turn` and `++`. -/

def turn {α : Type} : List α → List α
  | [] => []
  | x :: xs => turn xs ++ [x]

theorem turn_turn {α : Type} (xs : List α) : turn (turn xs) = xs := by
  sorry
