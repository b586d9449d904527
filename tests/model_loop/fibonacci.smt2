; Iterative Fibonacci with two accumulators computes the recursive one.
(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ m) (succ (plus m y))))))
(define-fun-rec fib ((n Nat)) Nat
  (match n ((zero zero) ((succ m) (match m ((zero (succ zero)) ((succ k) (plus (fib m) (fib k)))))))))
(define-fun-rec fibit ((n Nat) (a Nat) (b Nat)) Nat (match n ((zero a) ((succ m) (fibit m b (plus a b))))))
(prove (forall ((n Nat)) (= (fibit n zero (succ zero)) (fib n))))
