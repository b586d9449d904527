"""How far a formalization can be trusted: tests of how well a program says what a text and a question say, and a score.

None of them changes a verdict. Who calls whom:

* `case` puts together what is tested; `sanity_tests` runs all tests that need no model, each in the file of its idea:
  `relevance` (what premises and goal speak of), `proof` (which premises decide), `names` (names that may mean one
  thing), `polarity` (negations and quantifiers in words and formulas), `queries` (what the solver is asked besides).
* `model_tests` asks readers who have seen either the text (`facts`) or the program (`reading`), never both; they are
  shown a `ProgramView` (`view`).
* `doubts` chooses what the author of the program is told: faults of the goal, and of premises that the verdict uses.
* `score.confidence` makes one number of all outcomes, by a table of factors.
* `shape` looks at formulas and `vocabulary` at words; they know nothing of the others.
"""
