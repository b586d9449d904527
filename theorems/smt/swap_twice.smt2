; Swapping two cells of an array twice leaves it as it was, also when the cells are the same.

(define-fun swap ((a (Array Int Int)) (i Int) (j Int)) (Array Int Int)
  (store (store a i (select a j)) j (select a i)))

(prove (forall ((a (Array Int Int)) (i Int) (j Int)) (= (swap (swap a i j) i j) a)))
