"""Logic programs: what both program languages of questions, SMT-LIB 2 and the JSON logic language, are read into.

Who calls whom: `language` is the language of the machine; what it is asked runs in a worker process, in `jobs`.

* `reading` chooses the reader, `program` for SMT-LIB 2 or `json`, and hands a program with its options to `entailment`,
  whose `query_runner` asks solvers. `result` makes plain data and text of the answer.
* A program that a model wrote: `jobs` has what its question requires of it, `confidence` tests how well it says what
  was meant.
"""
