; In every (non-empty) pub there is someone such that, if they drink, everyone drinks.

(declare-sort Guest 0)
(declare-fun drinks (Guest) Bool)

(prove (exists ((x Guest)) (=> (drinks x) (forall ((y Guest)) (drinks y)))))
