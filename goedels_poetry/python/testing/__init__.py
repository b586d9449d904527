"""Candidates tested in CPython: whether a function passes its checks, seen from outside of its process.

    checks = checks_of(read_program(text), "largest")
    report = await test_candidate(text, checks)

``candidate`` is the way in: it reads the text (``reading``), has contracts tested by ``contracts`` and everything
that is written out as a test by ``texts``. Both talk through ``running`` to two kinds of processes in the sandbox,
whose programs are the folder `goedels_poetry.python.harness`: there ``player`` has the candidate and knows inputs
alone, and ``judge`` has contract, tests and the player's answers, but not the candidate. Expected values are never
where the candidate is. A contract that the text states itself is evaluated by the player, on the function's own
objects. ``branches`` solves the program's conditions for inputs. ``checks`` is what goes in and comes out;
``literals`` writes inputs as Python and reads them.

There, ``judge`` makes inputs (``domain``, ``inputs``, ``types_of``, ``shrinking``), evaluates clauses
(``contract``) and runs tests (``tests``, ``compare``) against an ``oracle``; ``values`` carries data between
processes, ``limits`` bounds time and ``stubs`` stands in for libraries of contracts. These files import the standard
library and each other, because they are sent to the sandbox as texts; Hypothesis only where a property wants it.
"""
