; Exponentiation by repeated squaring computes the power.
; Induction along the calls of fast is stuck on (b * b)^(n / 2) = b^n for even n, which is then a lemma.

(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))

(define-fun-rec fast ((b Int) (n Int)) Int
  (ite (<= n 0) 1
    (ite (= (mod n 2) 0)
      (fast (* b b) (div n 2))
      (* b (fast b (- n 1))))))

(prove (forall ((b Int) (n Int)) (=> (>= n 0) (= (fast b n) (power b n)))))
