-- The same with a projection by the wrong structure out of a proposition (lean4#14576; this Lean accepts it).
-- lean: accept, second: refuse, of: Tower

inductive Sealed : Prop where | mk (b : Bool)
structure Open where b : Bool
inductive Ghost (α : Type) (b : Bool) : Type where | mk

theorem go : True := by_elab do
  let tower := fun i => Expr.app (con `Tower) (.bvar i)
  let kind := all `s (con ``Sealed) (.sort 1)
  let ghost := mkApp2 (con ``Ghost) (tower 0) (.proj ``Open 0 (.bvar 0))
  family 1 [{ name := `Tower, type := kind, ctors := [
    { name := `Tower.mk, type := all `s (con ``Sealed) (all `g ghost (tower 1)) }] }]
  done
