; Merging is associative, also for lists that are not sorted: the smallest head comes first, the leftmost of equals.
; The induction follows the calls of merge, which shorten one list or the other, and then the third list.
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(define-fun-rec merge ((x List) (y List)) List
  (match x ((nil y)
            ((cons a r) (match y ((nil x)
                                  ((cons b s) (ite (<= a b) (cons a (merge r y)) (cons b (merge x s))))))))))
(prove (forall ((x List) (y List) (z List)) (= (merge (merge x y) z) (merge x (merge y z)))))
