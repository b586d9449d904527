
/-! About the file -/
universe u
namespace A.B
variable {α : Type u} [Inhabited α]
section x
open Nat in
/-- doc -/
@[simp] theorem foo (n : Nat) (h : n = 0 := by simp) : n + 0 = n := by
  have h2 := rfl (a := 3)
  exact rfl
set_option maxHeartbeats 4000 in
private theorem bar : ∀ n : Nat, n = n
  | 0 => rfl
  | _ + 1 => by
    let x := 3
    rfl
end x
protected def baz (n : Nat) : Nat :=
  match n with
  | 0 => 1
  | n + 1 => other n
where
  other (k : Nat) : Nat := k
theorem letty : let x := 1; x = 1 := by intro x; rfl -- a comment
mutual
inductive Even : Nat → Prop
  | zero : Even 0
inductive Odd : Nat → Prop
  | one : Odd 1
end
structure P where
  x : Nat := 3
  y : Nat
deriving Repr
deriving instance BEq for P
instance {α : Type} : Add (Option α) where
  add a _ := a
instance named : Add P where
  add a _ := a
#check 3
example : 1 = 1 := rfl
axiom ax : 1 = 1
attribute [simp] foo
end A.B
theorem «odd name» (𝔸 : Nat) : 𝔸 = 𝔸 := rfl
noncomputable section
theorem quoted : "a := b" = "a := b" := rfl
end
variable (k : Nat) in
theorem late (s : List Nat) :
    (∀ i ∈ s, i = i) ∧ k = k := sorry
