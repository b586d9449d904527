-- `Type : Type`, added without a look, and used by an honest definition.
-- lean: refuse, second: refuse, of: bad

theorem go : True := by_elab do
  define `U (.sort 1) (.sort 1)
  done

def bad : U := Nat
