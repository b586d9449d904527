-- Proofs about numbers by what decides them.
theorem omega_one (a b : Nat) (h : a < b) : 2 * a + 1 < 2 * b := by omega
theorem omega_two (a b c : Int) (h : a = b + 1) (g : c ≤ b) : c < a := by omega
theorem decide_one : ∀ a : Fin 12, (a * a * a : Fin 12) = a ∨ a * a = a ∨ (a * a) * a ≠ 1 := by decide
theorem decide_two : (123456789 * 987654321 : Nat) % 1000 = 269 := by decide
theorem decide_three : "abc" ++ "d" = "abcd" := by decide
theorem simp_one (a b : Nat) : (a + 0) * (b + 0) = b * a := by simp [Nat.mul_comm]
theorem grind_one (f : Nat → Nat) (a b : Nat) (h : f a = b) (g : f b = a) (e : a = b) : f (f a) = a := by grind
theorem large : 2 ^ 200 + 1 > 2 ^ 199 * 2 := by decide
theorem bits : (0xffff ^^^ 0x00ff : Nat) = 0xff00 := by decide
theorem bv (a : BitVec 8) : a &&& a = a := by simp
theorem char : 'a'.toNat = 97 := rfl
theorem string : "é".length = 1 := by decide
theorem utf8 : "é".utf8ByteSize = 2 := by decide
theorem negative : (-7 : Int) / 2 = -4 := by decide
theorem uint : (255 : UInt8) + 1 = 0 := by decide
