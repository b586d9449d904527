"""Logic programs: what both program languages of questions, SMT-LIB 2 and the JSON logic language, are read into.

Who calls whom: `language` is the language of the machine; what it is asked runs in a worker process, in `jobs`.

* Reading: `dialects` chooses the reader, `program` reads SMT-LIB 2, `json` the other one.
* Deciding: `deciding` hands a program and its options to `goedels_poetry.questions.entailment`; `result` makes plain
  data of what comes back, `statement` and `render` put formulas and models into one line and into words, `world` cuts
  a countermodel down to what its goal depends on.
* A program that a model wrote: `program_requirements` says what its question requires of it, `faults` finds all that
  keeps it from being read, `confidence` tests how well it says what was meant.
* `query_runner` puts the questions of `entailment` to solvers: fast first, then with insistence.
"""
