; What is left of a list without its repetitions has the same elements. "once" recurses on the list from which an
; element was removed, which is no part of the list.
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(define-fun-rec without ((n Int) (x List)) List
  (match x ((nil nil) ((cons e r) (ite (= n e) (without n r) (cons e (without n r)))))))
(define-fun-rec once ((x List)) List
  (match x ((nil nil) ((cons e r) (cons e (once (without e r)))))))
(define-fun-rec has ((n Int) (x List)) Bool
  (match x ((nil false) ((cons e r) (or (= n e) (has n r))))))
(prove (forall ((n Int) (x List)) (= (has n (once x)) (has n x))))
