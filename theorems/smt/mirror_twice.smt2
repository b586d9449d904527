; The mirror image of the mirror image of a tree is the tree. The datatype is parametric; the theorem is about
; trees of integers.

(declare-datatypes ((Tree 1)) ((par (A) ((leaf) (node (left (Tree A)) (label A) (right (Tree A)))))))

(define-fun-rec mirror ((t (Tree Int))) (Tree Int)
  (match t ((leaf (as leaf (Tree Int)))
            ((node l x r) (node (mirror r) x (mirror l))))))

(prove (forall ((t (Tree Int))) (= (mirror (mirror t)) t)))
