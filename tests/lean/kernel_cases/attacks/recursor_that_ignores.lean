-- A theorem that would hold if `Nat.rec` ignored its number, and False from it (kernel arena 83).
-- lean: refuse, second: refuse, of: bad

noncomputable def claim (n : Nat) : Prop := Nat.rec True (fun _ _ => False) n

theorem go : True := by_elab do
  prove `always (all `n (con ``Nat) (.app (con ``claim) (.bvar 0))) (fn `n (con ``Nat) (con ``True.intro))
  prove `bad (con ``False) (.app (con `always) (.lit (.natVal 1)))
  done
