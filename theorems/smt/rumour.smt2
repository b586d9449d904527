; The premises contradict each other, so that anything would follow from them. The answer is `inconsistent` and
; names the premises at fault; the fourth is not among them.

(declare-sort Person 0)
(declare-const anna Person)
(declare-const bruno Person)
(declare-fun knows (Person) Bool)
(declare-fun tells (Person Person) Bool)

(assert (forall ((x Person) (y Person)) (=> (and (knows x) (tells x y)) (knows y))))
(assert (and (knows anna) (tells anna bruno)))
(assert (not (knows bruno)))
(assert (not (= anna bruno)))

(prove (tells bruno anna))
