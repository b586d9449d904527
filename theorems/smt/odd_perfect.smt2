; Nobody knows. A number is perfect when its proper divisors sum to it; whether an odd one exists is open. The honest
; answer is `unknown` (or `out_of_budget`), never a proof.

(define-fun-rec divisors_up_to ((n Int) (d Int)) Int
  (ite (<= d 0)
       0
       (+ (ite (= (mod n d) 0) d 0) (divisors_up_to n (- d 1)))))

(prove (forall ((n Int))
  (=> (and (> n 1) (= (mod n 2) 1))
      (not (= (divisors_up_to n (- n 1)) n)))))
