; Reversing a list twice gives the list back.
;
; No direct proof: induction on the list gets stuck at
;     reverse (append (reverse t) [h]) = cons h t
; until a lemma tells how `reverse` and `append` work together. Finding that lemma is the point of the example.

(declare-sort Item 0)
(declare-datatypes ((List 0)) (((empty) (cons (first Item) (rest List)))))

(define-fun-rec append ((xs List) (ys List)) List
  (match xs ((empty ys)
             ((cons h t) (cons h (append t ys))))))

(define-fun-rec reverse ((xs List)) List
  (match xs ((empty empty)
             ((cons h t) (append (reverse t) (cons h empty))))))

(prove (forall ((xs List)) (= (reverse (reverse xs)) xs)))
