/-- Numbers, as in school: ℕ. -/
inductive N where
  | zero
  | succ (n : N)
deriving DecidableEq

namespace N
variable (k : N)

def plus : N → N → N
  | zero, m => m
  | succ n, m => succ (plus n m)

local infixl:65 " ⊞ " => plus

theorem plus_zero (n : N) : n ⊞ zero = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [plus, ih]

def sum (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => f n + sum f n
end N

open N in
#check plus_zero
#print axioms N.plus_zero

set_option linter.unusedVariables true in
theorem unused (a b : Nat) : a = a := rfl

