(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))
(define-fun-rec plus ((x N) (y N)) N (ite ((_ is zero) x) y (succ (plus (pred x) y))))
(prove (forall ((x N) (y N)) (= (plus x y) (plus y x))))
