-- Universes: the same things at many levels.
universe u v w
structure Lifted.{r, s} (α : Type s) : Type (max s r) where
  up :: down : α
def compose {α : Sort u} {β : Sort v} {γ : Sort w} (g : β → γ) (f : α → β) : α → γ := fun a => g (f a)
theorem compose_apply {α : Sort u} {β : Sort v} {γ : Sort w} (g : β → γ) (f : α → β) (a : α) : compose g f a = g (f a) := rfl
def Family (α : Sort u) : Sort (max u (v + 2)) := α → Type v
def pi_prop (α : Sort u) (p : α → Prop) : Prop := ∀ a, p a
inductive Code : Type 1
  | of (α : Type)
  | pi (α : Type) (f : α → Code)
def Code.decode : Code → Type
  | of α => α
  | pi α f => (a : α) → (f a).decode
theorem decode_of (α : Type) : (Code.of α).decode = α := rfl
inductive Pack.{r} : Type (r + 1)
  | mk (α : Type r) (a : α)
def Pack.type (p : Pack.{u}) : Type u := match p with | .mk α _ => α
structure Sig (α : Sort u) (β : α → Sort v) : Sort (max 1 u v) where
  fst : α
  snd : β fst
theorem Sig.eta {α : Sort u} {β : α → Sort v} (s : Sig α β) : ⟨s.fst, s.snd⟩ = s := rfl
theorem Lifted.down_up {α : Type v} (a : α) : (Lifted.up.{u} a).down = a := rfl
theorem Lifted.up_down {α : Type v} (l : Lifted.{u} α) : Lifted.up l.down = l := rfl
theorem punit_eta (a b : PUnit.{u}) : a = b := rfl
theorem prop_ext (p q : Prop) (h : p ↔ q) : p = q := propext h
theorem cantor (f : α → α → Prop) : ¬ ∀ s : α → Prop, ∃ a, f a = s := fun h =>
  let ⟨a, e⟩ := h fun b => ¬ f b b
  have n : ¬ f a a := fun g => (congrFun e a).mp g g
  n ((congrFun e a).mpr n)
