-- The second type of a family is of `Sort (imax 1 0)`, holds a Boolean as a proposition may, and gives it out: False (lean4#14613).
-- lean: accept, second: refuse, of: bad

theorem go : True := by_elab do
  family 0 [
    { name := `First, type := .sort 0, ctors := [{ name := `First.mk, type := con `First }] },
    { name := `Sealed, type := .sort (.imax 1 0), ctors := [{ name := `Sealed.mk, type := all `b (con ``Bool) (con `Sealed) }] }]
  define `Alias (.sort 0) (con `Sealed)
  define `Sealed.out (all `s (con `Sealed) (con ``Bool)) (fn `s (con `Sealed) (.proj `Sealed 0 (.bvar 0)))
  done

theorem Sealed.same (a b : Alias) : a = b := rfl
theorem bad : False :=
  have h : Sealed.out (Sealed.mk true) = Sealed.out (Sealed.mk false) :=
    congrArg (fun s : Alias => Sealed.out s) (Sealed.same (Sealed.mk true) (Sealed.mk false))
  Bool.noConfusion (show true = false from h)
