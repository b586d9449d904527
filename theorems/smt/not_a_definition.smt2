; No function satisfies this equation, so assuming it would prove anything. The recursion is not well-founded: the
; answer is `unknown` with that reason.

(define-fun-rec f ((x Int)) Int (+ 1 (f x)))

(prove (= 0 1))
