"""From Python to theorems. Trusted code.

A file is read by ``program`` (its functions and, by ``contracts``, what is promised of them); ``translate`` makes an
SMT-LIB 2 script of a function and its contract, or says why it does not (``faults``).

- ``translate`` puts the theorem together; ``loading`` says what the names of the module mean (``module``, ``classes``,
  ``types``, ``tables``), and refuses files whose names may come to mean something else; ``importing`` knows what may
  run when a file is imported;
- ``lifting`` spells out nested functions and local lambdas, by the ``scopes`` of names, ``assignments`` the ``:=``;
- ``functions`` translates each function that is needed; ``statements`` follows its blocks (``flow``), with ``loops``,
  ``patterns``, ``handlers`` and ``mutation``; ``liveness`` says which variables a loop has to carry;
- ``expressions`` evaluates in a ``frame``, with ``operators``, ``comparisons``, ``calls``, ``comprehensions``,
  ``iteration``, ``slices`` (and elements by index), ``dicts`` (literals), ``mappings`` (other dicts), ``sets``,
  ``keys``, ``texts`` and ``elements``;
- ``recursion`` closes the functions of loops; ``ends`` sees that some recursion ends;
- ``library`` has the functions on lists, ``registry`` all definitions and sorts, ``build`` folds terms and effects;
- ``script`` writes the text, ``folding`` what it unfolds; ``values`` turns counterexamples into Python literals.

What a translation computes is compared with CPython by ``scripts/fuzz_translation.py``.
"""
