def place (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: l => if x ≤ y then x :: y :: l else y :: place x l

def sorting : List Nat → List Nat
  | [] => []
  | x :: l => place x (sorting l)

def rising : List Nat → Bool
  | x :: y :: l => x ≤ y && rising (y :: l)
  | _ => true

theorem sorting_sorts (l : List Nat) : rising (sorting l) = true := by
  sorry
