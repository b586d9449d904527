-- A definition in terms of itself.
-- lean: refuse, second: refuse, of: bad

theorem go : True := by_elab do
  define `bad (con ``False) (con `bad)
  done
