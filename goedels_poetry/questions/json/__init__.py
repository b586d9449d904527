"""The JSON logic language: programs as JSON objects whose formulas are written much as in Python.

The way of a program, from text to `LogicProgram`:

* `text` reads JSON with positions and `objects` takes it apart; `reader` goes through the sections: `declaring` those
  that declare, `stating` those that state and ask. `content` is what stands in them, on its way to annotated SMT-LIB,
  which `languages.logic` reads like any other.
* A formula goes through `tokens` and `grammar` to a tree as written (`syntax`), and from there through `typer` to a
  typed tree (`typed`), all in `expressions`.
* `typer` has a rule for each form: `forms` for what stands between operands, `operators` for what is written as a call,
  which `shapes` (how many arguments) and `building` (which term) make. Rules see the typer by its `contract` alone, and
  `rules` runs them without Python's stack.
* What terms mean in their places is in `fitting` and `arithmetic`, what is declared in `sorts`, `symbols` and `names`.
* `schema` is the language as JSON Schema.
"""
