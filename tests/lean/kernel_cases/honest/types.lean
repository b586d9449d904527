-- Types of every kind, and recursion on them.
set_option genSizeOf false
set_option genInjectivity false
universe u v w
inductive Tree (α : Type u) where
  | leaf
  | node (left : Tree α) (value : α) (right : Tree α)
inductive Rose (α : Type u) where
  | node (value : α) (below : List (Rose α))
inductive Deep where
  | one (below : List (Array (Option Deep)))
  | two (below : Nat → List Deep) (other : Deep × Nat)
mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | succ {n} : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | succ {n} : Even n → Odd (n + 1)
end
mutual
inductive Term (σ : Type u) where
  | variable (i : Nat)
  | call (f : σ) (arguments : Terms σ)
inductive Terms (σ : Type u) where
  | nil
  | cons (head : Term σ) (rest : Terms σ)
end
inductive Vector' (α : Type u) : Nat → Type u
  | nil : Vector' α 0
  | cons {n} (a : α) (rest : Vector' α n) : Vector' α (n + 1)
inductive W (α : Type u) (β : α → Type v) : Type (max u v)
  | sup (a : α) (f : β a → W α β)
inductive Ordinal where
  | zero
  | succ (n : Ordinal)
  | limit (f : Nat → Ordinal)
inductive Reach {α : Sort u} (r : α → α → Prop) : α → α → Prop
  | here (a : α) : Reach r a a
  | step {a b c : α} : r a b → Reach r b c → Reach r a c
abbrev Fn (α : Type u) := Nat → α
inductive Hidden where
  | leaf
  | node (f : Fn Hidden)
structure Point (α : Type u) (β : α → Type v) where
  x : α
  y : β x
structure Both (p q : Prop) : Prop where
  left : p
  right : q
structure Self : Prop where
  one : True
  two : one = one
class Thing (α : Type u) extends Inhabited α where
  twice : α → α
  same : ∀ a, twice (twice a) = twice a
inductive Nothing : Type u
inductive Holds (p : Nat → Prop) : Prop
  | intro (n : Nat) (h : p n)
inductive IsThree : Nat → Prop
  | intro : IsThree 3

def Tree.size {α : Type u} : Tree α → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size
def Tree.mirror {α : Type u} : Tree α → Tree α
  | leaf => leaf
  | node l a r => node r.mirror a l.mirror
theorem Tree.mirror_mirror {α : Type u} (t : Tree α) : t.mirror.mirror = t := by
  induction t with
  | leaf => rfl
  | node l a r hl hr => simp [mirror, hl, hr]
def Vector'.head {α : Type u} {n : Nat} : Vector' α (n + 1) → α
  | cons a _ => a
theorem even_or_odd : ∀ n, Even n ∨ Odd n
  | 0 => .inl .zero
  | n + 1 => (even_or_odd n).elim (fun h => .inr (.succ h)) (fun h => .inl (.succ h))
theorem Reach.trans {α : Sort u} {r : α → α → Prop} {a b c : α} (h : Reach r a b) (g : Reach r b c) : Reach r a c := by
  induction h with
  | here => exact g
  | step e _ ih => exact .step e (ih g)
theorem IsThree.eq {n : Nat} (h : IsThree n) : n = 3 := by cases h; rfl
theorem Both.swap {p q : Prop} (h : Both p q) : Both q p := ⟨h.2, h.1⟩
theorem point_eta {α : Type u} {β : α → Type v} (p : Point α β) : Point.mk p.x p.y = p := rfl
theorem void_elim {p : Prop} (v : Nothing.{u}) : p := nomatch v
noncomputable def Ordinal.height (o : Ordinal) : Nat :=
  Ordinal.rec (motive := fun _ => Nat) 0 (fun _ n => n + 1) (fun _ n => n 0) o
theorem Ordinal.height_succ (o : Ordinal) : o.succ.height = o.height + 1 := rfl
