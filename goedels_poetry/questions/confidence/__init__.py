"""How far a formalization can be trusted: tests of how well a program says what a text and a question say, and a score.

None of them changes a verdict.

* `sanity_tests` needs no model, `model_tests` asks readers who have seen either the text or the program.
* `score` puts together what is tested, and makes one number of all outcomes.
"""
