; Does Ines arrive on Sunday? The text leaves it open.
(declare-sort Person 0)
(declare-const ines Person)
(declare-fun takes_night_train (Person) Bool)
(declare-fun takes_morning_train (Person) Bool)
(declare-fun arrives_on_sunday (Person) Bool)
(assert (! (forall ((p Person)) (=> (takes_night_train p) (arrives_on_sunday p))) :named night :sentence 1))
(assert (! (or (takes_night_train ines) (takes_morning_train ines)) :named some_train :sentence 2))
(define-fun goal () Bool (arrives_on_sunday ines))
