-- A proof that is wrong only where a function has been applied, with the option that turns the kernel off.
-- lean: refuse, second: refuse, of: bad

set_option debug.skipKernelTC true in
theorem bad : ∀ n : Nat, n = n := by_elab do
  let wrong := fn `n (con ``Nat) (mkApp2 (con ``Eq.refl [1]) (con ``Nat) (.bvar 0))
  return .app (fn `h (con ``True) wrong) (con ``Nat.zero)
