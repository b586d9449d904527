; What is taken of a list without repetitions has none. The second goal is out of reach without the first, its lemma:
; each goal of a file may use those before it, once they are proved.
(declare-datatype List ((nil) (cons (head Int) (tail List))))
(define-fun-rec member ((a Int) (x List)) Bool
  (match x ((nil false) ((cons h t) (or (= a h) (member a t))))))
(define-fun-rec uniq ((x List)) Bool
  (match x ((nil true) ((cons h t) (and (not (member h t)) (uniq t))))))
(define-fun-rec take ((n Int) (x List)) List
  (ite (<= n 0) nil (match x ((nil nil) ((cons h t) (cons h (take (- n 1) t)))))))

(prove (! (forall ((a Int) (n Int) (c List)) (=> (member a (take n c)) (member a c))) :named member_take))
(prove (! (forall ((n Int) (c List)) (=> (uniq c) (uniq (take n c)))) :named uniq_take
  :using (member_take) :induct (c)))
