/-! A file as people have them. -/
set_option autoImplicit false

namespace Forest
universe u
variable {α : Type u} [Inhabited α]

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

open Tree

def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

/-- With a docstring: `sorry` "sorry" -/
@[simp] theorem «größer null» (t : Tree α) (h : t ≠ leaf) : 0 < size t := by
  sorry

theorem done : 1 = 1 := rfl

end Forest
