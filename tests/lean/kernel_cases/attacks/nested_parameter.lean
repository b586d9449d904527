-- A nested occurrence has an ill-typed parameter, which the auxiliary types do not mention (lean4#14576; this Lean accepts it).
-- lean: accept, second: refuse, of: Tower

inductive Ghost (α : Type) (b : Bool) : Type where | mk

theorem go : True := by_elab do
  let tower := con `Tower
  family 0 [{ name := `Tower, type := .sort 1, ctors := [
    { name := `Tower.mk, type := all `g (mkApp2 (con ``Ghost) tower (con ``True.intro)) tower }] }]
  done
