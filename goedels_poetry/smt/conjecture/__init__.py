"""Statements that nobody has made: lemmas from goals, from failed proofs and from values, and witnesses.

* `failed_steps`: equations that the step of an induction lacks; goals with a term made a variable.
* `critics`: the same for the cases of any induction, with the conditions that a lemma needs.
* `templates`: properties that functions often have.
* `accumulators`: the equation for every start of an accumulator.
* `mutual`: a goal together with laws of the functions that its own calls.
* `catamorphisms`: what a function makes of constructors and of other functions.
* `continuations`: the goal with a rest behind what is produced, and any state.
* `fields`: what numbers inside of results are at least.
* `loops`: the goal for every state of a loop that keeps an invariant.
* `indices`: what loops along a list by an index come to when it moves.
* `starts`: what loops over numbers make of any start, where the goal has a constant.
* `states`: what is seen of a container that a loop builds.
* `closures`: what constants of sorts of functions do.
* `explore`: equations between small terms that agree on values, which `tables` holds.
* `witness`: terms for existential conclusions.
* `library`: tests candidates, proves them, keeps what is proved and tries again what is not.
"""
