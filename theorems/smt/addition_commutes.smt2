; Addition of Peano numbers, defined by recursion on its first argument, is commutative.
; Needs two lemmas: n + 0 = n and n + (m+1) = (n+m) + 1.

(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))

(define-fun-rec add ((n Nat) (m Nat)) Nat
  (match n ((zero m)
            ((succ k) (succ (add k m))))))

(prove (forall ((n Nat) (m Nat)) (= (add n m) (add m n))))
