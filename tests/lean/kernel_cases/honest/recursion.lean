-- Recursion that is well-founded, nested or mutual, quotients, classical logic, and equality that computes.
inductive Rose where
  | node (below : List Rose)
def log (n : Nat) : Nat := if h : n ≤ 1 then 0 else log (n / 2) + 1
termination_by n
decreasing_by omega
theorem log_one : log 1 = 0 := by rw [log]; simp
def ack : Nat → Nat → Nat
  | 0, n => n + 1
  | m + 1, 0 => ack m 1
  | m + 1, n + 1 => ack m (ack (m + 1) n)
termination_by m n => (m, n)
theorem ack_zero (n : Nat) : ack 0 n = n + 1 := by rw [ack]
mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end
theorem isEven_four : isEven 4 = true := rfl
def parity : Setoid Nat where
  r a b := a % 2 = b % 2
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h g => h.trans g⟩
def Parity := Quotient parity
def Parity.of (n : Nat) : Parity := Quotient.mk parity n
def Parity.flag : Parity → Bool := Quotient.lift (fun n => n % 2 == 0) fun a b (h : a % 2 = b % 2) => by simp [h]
theorem Parity.flag_of (n : Nat) : (Parity.of n).flag = (n % 2 == 0) := rfl
theorem Parity.same : Parity.of 1 = Parity.of 3 := Quotient.sound (by show 1 % 2 = 3 % 2; rfl)
theorem em (p : Prop) : p ∨ ¬p := Classical.em p
theorem funext_used (f g : Nat → Nat) (h : ∀ n, f n = g n) : f = g := funext h
theorem cast_there_and_back {α β : Type} (h : α = β) (a : α) : h ▸ h.symm ▸ (h ▸ a) = (h ▸ a : β) := by subst h; rfl
theorem k_like (a : Nat) (h : a = a) (b : Bool) : Eq.rec (motive := fun _ _ => Bool) b h = b := rfl
theorem heq_used {α β : Type} (h : α = β) (a : α) : HEq (cast h a) a := by subst h; rfl
theorem unit_eta (f : Unit → Nat) (u : Unit) : f u = f () := rfl
theorem and_eta {p q : Prop} (h : p ∧ q) : (⟨h.1, h.2⟩ : p ∧ q) = h := rfl
theorem fin_eta (i : Fin 5) : (⟨i.1, i.2⟩ : Fin 5) = i := rfl
theorem sub_eta (s : { n : Nat // n > 3 }) : (⟨s.1, s.2⟩ : { n : Nat // n > 3 }) = s := rfl
theorem acc_used : Acc (fun a b : Nat => a < b) 5 := Nat.lt_wfRel.wf.apply 5
theorem let_used : (let a := 3; let b := a + a; b * b) = 36 := rfl
theorem list_used (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length := by simp [Nat.add_comm]
theorem array_used : #[1, 2, 3].size = 3 := rfl
theorem string_used : "ab".toList = ['a', 'b'] := by decide
theorem option_used (o : Option Nat) (h : o = some 3) : o.getD 0 = 3 := by simp [h]
