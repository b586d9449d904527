"""What a run is about: a theorem, a claim in plain words, a question, a function, a change.

* `base` has what all are: a `Task`.
* `theorem`, `claim`, `question`, `code` and `change` are the kinds; `code_file` reads a function's task from a file,
  `sentences` parts a text.
* `attempts` has the transitions of a run that all share for which a model writes something; `code_moves` and
  `change_moves` those of functions and changes, `claim` and `question` their own.
* `change_extraction` finds the change in a reply.
"""
