-- A theorem that Lean's own process has added without looking.
-- lean: refuse, second: refuse, of: bad

theorem go : True := by_elab do
  prove `bad (con ``False) (con ``True.intro)
  done
