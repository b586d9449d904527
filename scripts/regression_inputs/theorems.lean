/- Small theorems of core Lean, for `scripts/regression.py`: those named `wrong_` do not hold. -/

theorem add_three (a b c : Nat) : a + b + c = c + b + a := by sorry
theorem twice_sum (a b : Nat) : 2 * (a + b) = 2 * a + 2 * b := by sorry
theorem succ_pos (n : Nat) : 0 < n + 1 := by sorry
theorem sub_self_add (n m : Nat) : n + m - m = n := by sorry
theorem square_expand (a b : Nat) : (a + b) * (a + b) = a * a + 2 * a * b + b * b := by sorry
theorem le_chain (a b c d : Nat) (h₁ : a ≤ b) (h₂ : b ≤ c) (h₃ : c ≤ d) : a ≤ d := by sorry
theorem int_neg_neg (a : Int) : - -a = a := by sorry
theorem int_order (a b : Int) (h : a < b) : ¬ b ≤ a := by sorry
theorem int_linear (x y : Int) (h₁ : x + y = 5) (h₂ : x - y = 1) : x = 3 := by sorry
theorem odd_or_even (n : Nat) : n % 2 = 0 ∨ n % 2 = 1 := by sorry
theorem div_mod (n : Nat) : 7 * (n / 7) + n % 7 = n := by sorry
theorem min_at_most (a b : Nat) : min a b ≤ a := by sorry
theorem and_comm_prop (p q : Prop) : p ∧ q ↔ q ∧ p := by sorry
theorem or_assoc_prop (p q r : Prop) : (p ∨ q) ∨ r ↔ p ∨ (q ∨ r) := by sorry
theorem de_morgan (p q : Prop) : ¬ (p ∨ q) ↔ ¬ p ∧ ¬ q := by sorry
theorem contrapose (p q : Prop) (h : p → q) : ¬ q → ¬ p := by sorry
theorem peirce_like (p q : Prop) : ((p → q) → p) → p := by sorry
theorem exists_intro (p : Nat → Prop) (h : p 3) : ∃ n, p n := by sorry
theorem both_for_all (p q : Nat → Prop) : (∀ n, p n ∧ q n) ↔ (∀ n, p n) ∧ (∀ n, q n) := by sorry
theorem bool_not_not (b : Bool) : !!b = b := by sorry
theorem bool_and_self (b : Bool) : (b && b) = b := by sorry
theorem list_length_append (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length := by sorry
theorem list_map_map (xs : List Nat) : (xs.map (· + 1)).map (· + 1) = xs.map (· + 2) := by sorry
theorem list_reverse_reverse (xs : List Nat) : xs.reverse.reverse = xs := by sorry
theorem list_filter_length (xs : List Nat) : (xs.filter (· > 0)).length ≤ xs.length := by sorry
theorem list_head (x : Nat) (xs : List Nat) : (x :: xs).head? = some x := by sorry
theorem sum_range_five : (List.range 5).foldl (· + ·) 0 = 10 := by sorry
theorem option_map_id (x : Option Nat) : x.map id = x := by sorry
theorem bits (x : BitVec 8) : x ^^^ x = 0 := by sorry
theorem wrong_sub (a b : Nat) : a - b + b = a := by sorry
theorem wrong_even (n : Nat) : n % 2 = 0 := by sorry
theorem wrong_list (xs : List Nat) : xs.reverse = xs := by sorry
