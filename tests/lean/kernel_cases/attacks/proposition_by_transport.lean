-- The sort of a type is a transport of `Prop` that vanishes for a variable and is stuck for a theorem, as equality is not
-- transitive here: then a Boolean comes out of a proposition, and False (lean4#14807; this Lean accepts all of it).
-- lean: accept, second: refuse, of: bad

noncomputable def walk (n : Nat) (a : Acc (fun x y : Nat => x < y) n) : Bool :=
  Acc.rec (motive := fun _ _ => Bool)
    (fun x _ ih => Nat.rec (motive := fun x => ((y : Nat) → y < x → Bool) → Bool) (fun _ => true)
      (fun k _ ih => ih k (Nat.lt_succ_self k)) x ih) a

theorem walk_true (n : Nat) (a : Acc (fun x y : Nat => x < y) n) : walk n a = true := by
  induction a with
  | intro x _ ih => cases x with
    | zero => rfl
    | succ k => exact ih k (Nat.lt_succ_self k)

theorem seed : Acc (fun x y : Nat => x < y) 1 := Classical.choice ⟨Nat.lt_wfRel.wf.apply 1⟩
noncomputable def here : Bool := walk 1 seed
noncomputable def between : Bool := walk 1 (Acc.intro 1 fun _ h => Acc.inv seed h)
noncomputable def there : Bool := walk 0 (Acc.inv seed (Nat.lt_succ_self 0))
def Near : Prop := here = between
def Far : Prop := here = there
theorem far : Far := (walk_true _ _).trans (walk_true _ _).symm
def gate (h : Near) : Type := Eq.rec (motive := fun _ _ => Type) Prop h
theorem clash (P : Prop) (out : P → Bool) (p q : P) (hp : out p = true) (hq : out q = false) : False :=
  Bool.noConfusion (show true = false from hp.symm.trans hq)

theorem go : True := by_elab do
  let near := con ``Near
  let sealed := fun h => Expr.app (con `Sealed) h
  family 1 [{ name := `Sealed, type := all `h near (.app (con ``gate) (.bvar 0)), ctors := [
    { name := `Sealed.mk, type := all `h near (all `b (con ``Bool) (sealed (.bvar 1))) }] }]
  define `Family (all `h near (.sort 0)) (fn `h near (sealed (.bvar 0)))
  define `Sentence (.sort 0) (.app (con `Family) (con ``far))
  define `out (all `s (con `Sentence) (con ``Bool)) (fn `s (con `Sentence) (.proj `Sealed 0 (.bvar 0)))
  let made := fun b => mkApp2 (con `Sealed.mk) (con ``far) b
  define `yes (con `Sentence) (made (con ``Bool.true))
  define `no (con `Sentence) (made (con ``Bool.false))
  let same := fun b => mkApp2 (con ``Eq.refl [1]) (con ``Bool) b
  prove `bad (con ``False) (mkAppN (con ``clash) #[con `Sentence, con `out, con `yes, con `no,
    same (con ``Bool.true), same (con ``Bool.false)])
  done
