"""Candidates tested in CPython: whether a function passes its checks, seen from outside of its process.

    checks = checks_of(read_program(text), "largest")
    report = await test_candidate(text, checks)

``candidate`` is the way in: it reads the text (``reading``), has contracts tested by ``contracts`` and runs what is
written out as a test. Both talk through ``running`` to two kinds of processes in the sandbox, whose programs are the
folder `goedels_poetry.python.harness`: there ``player`` has the candidate and knows inputs alone, and ``judge`` has
contract, tests and the player's answers, but not the candidate. Expected values are never where the candidate is. A
contract that the text states itself is evaluated by the player, on the function's own objects. ``crosshair`` solves the
program's conditions for inputs. ``checks`` is what goes in and comes out, and inputs as literals; ``literals``
makes such of a counterexample's values.
"""
