; The sum of the first n natural numbers, by induction over the integers from a bound.
; Plain SMT-LIB: the theorem is the last (assert (not ...)).

(define-fun-rec sum_to ((n Int)) Int
  (ite (<= n 0) 0 (+ n (sum_to (- n 1)))))

(assert (not (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum_to n)) (* n (+ n 1)))))))
(check-sat)
