-- A nested occurrence of the type at `false` where its own parameter should stand (lean4#14577, kernel arena 88).
-- lean: accept, second: refuse, of: Tower

inductive Ghost (α : Type) : Type where | mk

theorem go : True := by_elab do
  let kind := all `b (con ``Bool) (.sort 1)
  let ghost := Expr.app (con ``Ghost) (.app (con `Tower) (con ``Bool.false))
  family 1 [{ name := `Tower, type := kind, ctors := [
    { name := `Tower.mk, type := all `b (con ``Bool) (all `g ghost (.app (con `Tower) (.bvar 1))) }] }]
  done
