-- Two recursions on accessibility that are equal by a third; to refuse the direct equation is no fault (kernel arena 92).
-- lean: refuse, second: either, of: bad

noncomputable def walk (n : Nat) (a : Acc (fun x y : Nat => x < y) n) : Bool :=
  Acc.rec (motive := fun _ _ => Bool)
    (fun x _ ih => Nat.rec (motive := fun x => ((y : Nat) → y < x → Bool) → Bool) (fun _ => true)
      (fun k _ ih => ih k (Nat.lt_succ_self k)) x ih) a

theorem go : True := by_elab do
  let lt := fn `x (con ``Nat) (fn `y (con ``Nat) (mkApp4 (con ``LT.lt [0]) (con ``Nat) (con ``instLTNat) (.bvar 1) (.bvar 0)))
  let acc := fun n => mkApp3 (con ``Acc [1]) (con ``Nat) lt n
  let zero := Expr.lit (.natVal 0)
  let one := Expr.lit (.natVal 1)
  let less := mkApp (con ``Nat.lt_succ_self) zero
  let a := Expr.bvar 0
  let left := mkApp2 (con ``walk) one a
  let right := mkApp2 (con ``walk) zero (mkAppN (con ``Acc.inv [1]) #[con ``Nat, lt, one, zero, a, less])
  let eq := mkApp3 (con ``Eq [1]) (con ``Bool) left right
  prove `bad (all `a (acc one) eq) (fn `a (acc one) (mkApp2 (con ``Eq.refl [1]) (con ``Bool) left))
  done
