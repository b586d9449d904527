"""What runs in the sandbox: files sent there as texts, which import only each other and Python's own library.

Two programs, never in one process:

- ``player`` has the candidate: it calls the function on the inputs that it is given, and says what came out; of a text
  that states its contract itself it says what the contract says of that (``contract``), unless the run has reached out
  of Python.
- ``judge`` has contract and tests: it makes inputs (``inputs``) and chooses those of the domain, evaluates
  clauses on the player's answers (``contract``) and runs tests against them (``tests``, with an ``oracle`` in place of
  the function).

Both use ``values`` for what goes from one to the other, ``stubs`` in place of libraries of contracts, and the limit of
time of ``oracle``.
"""
