"""A goal of Lean for the engine of SMT-LIB, and its answer in Lean. Nothing here is trusted: Lean decides.

Who calls whom, from the top:

* `engine`: an `Engine` reads a goal, has a worker process (`jobs.whole` of the engine) look for values that make it
  false or for a proof, and has the proof's lemmas proved in Lean (`engine`), each by the induction that the engine has
  found and automation for its cases, or case by case as `lean.smt_proofs.replay` does.
* Reading: `facts` asks Lean for the goal's type and for the types and equations of all that it speaks of, as data,
  and knows Lean's own library; `translating` makes a script of it in a `context`, with calls and
  matches; `sorts` keeps the functions of the script, types and nested tests.
* Writing: `theory` says the engine's terms in the text of the user's file, and defines what a proof
  brings along.
"""
