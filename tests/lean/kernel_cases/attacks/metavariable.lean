-- A theorem whose proof is a hole.
-- lean: refuse, second: refuse, of: bad

theorem go : True := by_elab do
  prove `bad (con ``False) (.mvar { name := `hole })
  done
