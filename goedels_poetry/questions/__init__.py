"""Logic programs: what both program languages of questions, SMT-LIB 2 and the JSON logic language, are read into.

Who calls whom: `language` is the language of the machine; what it is asked runs in a worker process, in `jobs`.

* `query_runner` chooses the reader, `program` for SMT-LIB 2 or `json`, hands a program to `entailment`, and asks
  solvers for it. `abduction` says what an open goal lacks. `result` makes plain data and text of the answer.
* `policy` is a rule text with its formulas, review and tests in one file, and the programs that apply it to a case.
* A program that a model wrote: `jobs` has what its question requires of it, `confidence` tests how well it says what
  was meant.
"""
