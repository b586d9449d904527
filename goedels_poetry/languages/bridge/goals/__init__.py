"""A goal of Lean for the engine of SMT-LIB, and its answer in Lean. Nothing here is trusted: Lean decides.

Who calls whom, from the top:

* `engine`: an `Engine` reads a goal, has a worker process (`jobs.whole` of the engine) look for values that make it
  false or for a proof, and has the proof's lemmas proved in Lean (`lemmas`), each by the induction that the engine has
  found (`starts`) and automation for its cases, or case by case as `bridge.replay` does; `turns` keeps them from
  starting more of Lean at once.
* Reading: `facts` asks Lean for the goal's type and for the types and equations of all that it speaks of, as data
  (`expressions`); `translating` makes a script of it (`reading`) in a `context`, with `functions` for calls and
  `matches` for matches; `script` keeps the functions, with `sorts` for types, `kinds` for what an argument is,
  `numbers` for arithmetic, `instances` for operations of type classes, `matching` and `patterns` for nested tests,
  `library` for what Lean's own library is about, `naming` for names.
* Writing: `theory` says the engine's terms in the words of the user's file, `printing` writes Lean's expressions,
  `auxiliaries` defines what a proof brings along.
"""
