"""Logic programs: what both program languages of questions, SMT-LIB 2 and the JSON logic language, are read into.

Who calls whom: `language` is the language of the machine; what it is asked runs in a worker process, in `jobs`.

* Reading: `dialects` chooses the reader, `smt2` reads SMT-LIB 2 (with `notes` on premises, what is `asked`, and whether
  recursion is `terminating`); the other dialect is `goedels_poetry.questions.json`.
* Deciding: `deciding` hands a program and its options to `goedels_poetry.questions.entailment`; `result` makes plain
  data of what comes back, `statement` and `render` put formulas and models into one line and into words, `world` cuts
  a countermodel down to what its goal depends on.
* A program that a model wrote: `program_requirements` says what its question requires of it, `faults` finds all that
  keeps it from being read, `confidence` tests how well it says what was meant, `english` is the table by which
  phrases are rendered, for prompts and tests.
"""
