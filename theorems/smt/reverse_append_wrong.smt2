; False: reversing a concatenation also swaps its halves. The answer is `refuted`, with two lists for which the
; equation fails.

(declare-datatypes ((List 0)) (((empty) (cons (first Int) (rest List)))))

(define-fun-rec append ((xs List) (ys List)) List
  (match xs ((empty ys)
             ((cons h t) (cons h (append t ys))))))

(define-fun-rec reverse ((xs List)) List
  (match xs ((empty empty)
             ((cons h t) (append (reverse t) (cons h empty))))))

(prove (forall ((xs List) (ys List)) (= (reverse (append xs ys)) (append (reverse xs) (reverse ys)))))
