-- A constructor names the auxiliary type that a kernel makes for the nested occurrence beside it (lean4#14616): what Lean has
-- stored names the list instead, so the data are honest.
-- lean: accept, second: accept, of: Tower

theorem go : True := by_elab do
  let tower := con `Tower
  family 0 [{ name := `Tower, type := .sort 1, ctors := [
    { name := `Tower.mk, type := all `l (.app (con ``List [0]) tower) tower },
    { name := `Tower.more, type := all `l (con (`_nested ++ `List_1)) tower }] }]
  done
