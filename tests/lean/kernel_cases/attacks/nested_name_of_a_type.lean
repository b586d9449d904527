-- A type under `_nested`, of which another is made (lean4#14616; harmless, and this Lean accepts it).
-- lean: accept, second: refuse, of: Tower

theorem go : True := by_elab do
  let other := con (`_nested ++ `Tower_1)
  family 0 [{ name := `_nested ++ `Tower_1, type := .sort 1, ctors := [{ name := `_nested ++ `Tower_1 ++ `mk, type := other }] }]
  family 0 [{ name := `Tower, type := .sort 1, ctors := [{ name := `Tower.mk, type := all `l other (con `Tower) }] }]
  done
