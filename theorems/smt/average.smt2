; The average of two machine words without overflow: (x & y) + ((x ^ y) >> 1) is the sum taken with one more bit,
; then halved.

(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))

(prove
  (= (concat #b0 (bvadd (bvand x y) (bvlshr (bvxor x y) #x0001)))
     (bvlshr (bvadd (concat #b0 x) (concat #b0 y)) (_ bv1 17))))
