-- An unsafe definition calls itself and a safe theorem uses it.
-- lean: refuse, second: refuse, of: bad

unsafe def loop : False := loop

theorem go : True := by_elab do
  prove `bad (con ``False) (con `loop)
  done
