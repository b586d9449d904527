; Can I get a bus pass? Sentences of the text:
; 1 You can get a bus pass if you live in the county and are over 64 or in full-time education.
; 2 You cannot get one if you have a rail card already.
; 3 I am 70 and moved to the county in spring.
(declare-const age_in_years Int)
(declare-const lives_in_county Bool)
(declare-const full_time_education Bool)
(declare-const has_rail_card Bool)
(declare-const can_get_bus_pass Bool)
(assert (! (= can_get_bus_pass (and lives_in_county (or (> age_in_years 64) full_time_education) (not has_rail_card)))
           :named conditions :sentence (1 2)))
(assert (! (and (= age_in_years 70) lives_in_county) :named case :sentence 3))
(assert (! (not has_rail_card) :named no_card :world "Assumed: I have no rail card."))
(define-fun goal () Bool can_get_bus_pass)
