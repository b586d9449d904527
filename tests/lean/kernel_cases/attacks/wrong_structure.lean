-- A value of one structure is projected as one of another that has its data elsewhere (lean4#14576).
-- lean: refuse, second: refuse, of: bad

inductive Sealed : Prop where | mk (b : Bool)
structure Open where b : Bool

theorem go : True := by_elab do
  define `bad (all `s (con ``Sealed) (con ``Bool)) (fn `s (con ``Sealed) (.proj ``Open 0 (.bvar 0)))
  done
