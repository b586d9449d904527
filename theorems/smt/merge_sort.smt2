; Merge sort keeps every element as often as it was. That it terminates at all is a theorem of its own: halves are shorter.
(declare-datatypes ((Items 0)) (((empty) (item (value Int) (others Items)))))
(define-fun-rec length ((xs Items)) Int (match xs ((empty 0) ((item v r) (+ 1 (length r))))))
(define-fun-rec first ((n Int) (xs Items)) Items
  (ite (<= n 0) empty (match xs ((empty empty) ((item v r) (item v (first (- n 1) r)))))))
(define-fun-rec without ((n Int) (xs Items)) Items
  (ite (<= n 0) xs (match xs ((empty empty) ((item v r) (without (- n 1) r))))))
(define-fun-rec merge ((xs Items) (ys Items)) Items
  (match xs ((empty ys) ((item v r) (match ys ((empty xs) ((item w s)
    (ite (<= v w) (item v (merge r ys)) (item w (merge xs s))))))))))
(define-fun-rec sort ((xs Items)) Items
  (match xs ((empty empty) ((item v r) (match r ((empty xs) ((item w s)
    (merge (sort (first (div (length xs) 2) xs)) (sort (without (div (length xs) 2) xs))))))))))
(define-fun-rec times ((e Int) (xs Items)) Int
  (match xs ((empty 0) ((item v r) (ite (= e v) (+ 1 (times e r)) (times e r))))))
(prove (forall ((e Int) (xs Items)) (= (times e (sort xs)) (times e xs))))
