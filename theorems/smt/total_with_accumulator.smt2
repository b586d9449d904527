; Summing a list with an accumulator gives the same as summing it directly. The induction hypothesis must speak of
; every accumulator, not only of 0: the statement has to be strengthened first.

(declare-datatypes ((Numbers 0)) (((none) (more (value Int) (others Numbers)))))

(define-fun-rec total ((xs Numbers)) Int
  (match xs ((none 0)
             ((more x t) (+ x (total t))))))

(define-fun-rec total_from ((xs Numbers) (acc Int)) Int
  (match xs ((none acc)
             ((more x t) (total_from t (+ acc x))))))

(prove (forall ((xs Numbers)) (= (total_from xs 0) (total xs))))
