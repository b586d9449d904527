-- A parameter of a nested occurrence is no type at all and lives under a function (lean4#14576; this Lean accepts it).
-- lean: accept, second: refuse, of: Tower

inductive Ghost (α : Type) (f : Nat → Nat) : Type where | mk

theorem go : True := by_elab do
  let tower := con `Tower
  let bad := fn `n (con ``Nat) (.app (con ``Nat.succ) (con ``True))
  family 0 [{ name := `Tower, type := .sort 1, ctors := [
    { name := `Tower.mk, type := all `g (mkApp2 (con ``Ghost) tower bad) tower }] }]
  done
