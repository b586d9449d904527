-- Texts of all kinds, elaborated once: the code for what they call is kept, see code.cjs. One ends where a line begins with ----.
set_option tactic.hygienic false
set_option format.width 100000
set_option pp.fullNames true
theorem commutes (a b : Nat) : a + b = b + a := by
  sorry

theorem commutes_after (a b : Nat) (h : a < b) : ∃ c, c + a = b ∧ ¬ c = 0 := by
  intros
  sorry
----
set_option pp.notation false
set_option pp.fieldNotation false
set_option pp.mvars false
----
example : True := by first | trivial | norm_num
set_option maxHeartbeats 4000 in
theorem by_rfl (a b : Nat) : a + b = b + a := by
  rfl

set_option maxHeartbeats 4000 in
theorem by_omega (a b : Nat) (h : 2 * a + 3 ≤ b) (i : b % 4 = 1) : a < b ∧ b / 4 * 4 + 1 = b := by
  omega

set_option maxHeartbeats 4000 in
theorem by_simp (a b : Nat) (xs : List Nat) : (xs ++ []).length + (a + 0) = a + xs.length ∧ (b = b ∨ False) := by
  simp [Nat.add_comm]

set_option maxHeartbeats 4000 in
theorem by_grind (f : Int → Int) (a b : Int) (h : f a = b) (i : a = b ∨ a < b) (j : ¬ a < b) : f (f a) = b ∧ (a + b) * (a + b) = a * a + 2 * a * b + b * b := by
  grind

set_option maxHeartbeats 4000 in
theorem by_decide : ∀ n < 8, n * n % 4 = 0 ∨ n * n % 4 = 1 := by
  decide

set_option maxHeartbeats 4000 in
theorem fails (a b : Nat) : a * b = b + a := by
  simp_all
  omega
----
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
  deriving DecidableEq, Repr

namespace Tree
variable {α : Type}

def mirror : Tree α → Tree α
  | leaf => leaf
  | node l x r => node (mirror r) x (mirror l)

def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + 1 + size r

def member [DecidableEq α] (x : α) : Tree α → Bool
  | leaf => false
  | node l y r => if x = y then true else member x l || member x r

def toList (t : Tree α) : List α :=
  match t with
  | leaf => []
  | node l x r => toList l ++ x :: toList r

theorem mirror_mirror (t : Tree α) : mirror (mirror t) = t := by
  induction t with
  | leaf => rfl
  | node l x r hl hr => simp [mirror, hl, hr]

theorem size_mirror (t : Tree α) : (mirror t).size = t.size := by
  induction t <;> simp_all [mirror, size] <;> omega

theorem length_toList (t : Tree α) : (toList t).length = t.size := by
  fun_induction toList t with
  | case1 => simp [size]
  | case2 l x r hl hr => grind [size]

theorem member_leaf [DecidableEq α] (x : α) (t : Tree α) (h : t = leaf) : t.member x = false := by
  cases t with
  | leaf => rfl
  | node l y r => contradiction
end Tree
----
structure Point where
  x : Int
  y : Int

instance : Add Point := ⟨fun p q => { x := p.x + q.x, y := p.y + q.y }⟩

def gcd (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt _ (Nat.pos_of_ne_zero h)

mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end

theorem gcd_zero (a : Nat) : gcd a 0 = a := by
  unfold gcd
  simp

theorem sum_of_squares (a b : Int) : 0 ≤ a ^ 2 + b ^ 2 := by
  have h : 0 ≤ a * a := by exact Int.mul_self_nonneg a
  have i : 0 ≤ b * b := Int.mul_self_nonneg b
  calc 0 ≤ a * a + b * b := by omega
    _ = a ^ 2 + b ^ 2 := by grind

theorem evens : ∃ n : Nat, isEven n = true ∧ n > 3 := ⟨4, by decide, by omega⟩

theorem found (p : Nat → Prop) (h : ∃ n, p n ∧ n < 3) : ∃ m, p m := by
  obtain ⟨n, hn, _⟩ := h
  exact ⟨n, hn⟩

theorem by_cases_of (xs ys : List Nat) (h : xs ≠ []) : (xs ++ ys).length > ys.length := by
  rcases xs with _ | ⟨x, xs⟩
  · exact absurd rfl h
  · rw [List.length_append]
    simp only [List.length_cons]
    split <;> omega

theorem wide (x y : BitVec 8) : x &&& y = y &&& x := by
  ext
  simp [Bool.and_comm]

#print axioms sum_of_squares
#eval isEven 10
