; Swapping two elements of an array does not change the sum of its first n elements.
; The lemma, found by values: storing v at i adds v - a[i] to the sum when 0 <= i < n.

(define-fun-rec total ((a (Array Int Int)) (n Int)) Int
  (ite (<= n 0) 0 (+ (total a (- n 1)) (select a (- n 1)))))

(prove (forall ((a (Array Int Int)) (n Int) (i Int) (j Int))
  (=> (and (<= 0 i) (< i n) (<= 0 j) (< j n))
      (= (total (store (store a i (select a j)) j (select a i)) n) (total a n)))))
