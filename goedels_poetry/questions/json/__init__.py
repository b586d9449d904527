"""The JSON logic language: programs as JSON objects whose formulas are written much as in Python.

The way of a program, from text to `LogicProgram`:

* `text` reads JSON with positions; `sections` takes it apart, `reader` writes it as annotated SMT-LIB, which
  `questions.program` reads like any other.
* A formula is parsed by Python's `ast` after `syntax` has masked it, and typed by `typer`: `operators` is the table of
  what is written as a call, `terms` says what these mean in their places.
* What is declared is in `symbols`.
"""
