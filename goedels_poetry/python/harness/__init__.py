"""What runs in the sandbox: files sent there as texts, which import only each other and Python's own library.

Two programs, never in one process:

- ``player`` has the candidate: it calls the function on the inputs that it is given, and says what came out; of a text
  that states its contract itself it says what the contract says of that (``contract``), unless the run has reached out
  of Python (``outside``).
- ``judge`` has contract and tests: it makes inputs (``domain`` chooses of what ``inputs`` makes from ``types_of``,
  and ``shrinking`` makes failing ones smaller), evaluates clauses on the player's answers (``contract``; ``results``
  knows of what type they are to be) and runs tests against them (``tests``, which compares by ``compare`` and asks an
  ``oracle`` in place of the function).

Both use ``values`` for what goes from one to the other, and ``stubs`` in place of libraries of contracts; ``limits``
bounds the time of what the judge runs.
"""
