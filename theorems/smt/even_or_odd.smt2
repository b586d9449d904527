; Mutual recursion: every Peano number is even or odd.

(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))

(define-funs-rec
  ((even ((n Nat)) Bool)
   (odd ((n Nat)) Bool))
  ((match n ((zero true) ((succ k) (odd k))))
   (match n ((zero false) ((succ k) (even k))))))

(prove (forall ((n Nat)) (or (even n) (odd n))))
