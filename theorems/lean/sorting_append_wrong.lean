def place (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: l => if x ≤ y then x :: y :: l else y :: place x l

def sorting : List Nat → List Nat
  | [] => []
  | x :: l => place x (sorting l)

/-- Sorting does not forget where the two lists met. -/
theorem sorting_append (l m : List Nat) : sorting (l ++ m) = sorting l ++ sorting m := by
  sorry
