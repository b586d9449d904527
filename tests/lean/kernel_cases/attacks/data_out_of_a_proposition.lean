-- A Boolean is projected out of a proposition, and False follows.
-- lean: refuse, second: refuse, of: bad

inductive Sealed : Prop where | mk (b : Bool)

theorem go : True := by_elab do
  define `out (all `s (con ``Sealed) (con ``Bool)) (fn `s (con ``Sealed) (.proj ``Sealed 0 (.bvar 0)))
  done

theorem bad : False :=
  have h : out (Sealed.mk true) = out (Sealed.mk false) := congrArg out rfl
  Bool.noConfusion (show true = false from h)
