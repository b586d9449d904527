"""From Python to theorems. Trusted code.

A file is read by ``program`` (its functions and, by ``contracts``, what is promised of them); ``translate`` makes an
SMT-LIB 2 script of a function and its contract, or says why it does not.

- ``translate`` puts the theorem together, and writes counterexamples as Python literals, says what the
  names of the module mean (``module``, ``classes``), makes nested functions functions of the module, and refuses files
  whose names may come to mean something else; ``importing`` knows what may run when a file is imported;
- ``functions`` translates each function that is needed; ``statements`` follows its blocks, with ``loops``, ``patterns``
  (and handlers) and ``mutation`` (and the order of lists); ``liveness`` says which names are bound, free and needed;
- expressions are evaluated in a ``frame``, with ``operators``, ``calls``, ``iteration``, ``indices``
  (and texts), ``mappings`` and ``sets``;
- ``recursion`` closes the functions of loops, and sees that some recursion ends;
- ``library`` has the functions of the ``prelude``, ``registry`` all definitions and sorts, ``build`` folds terms and
  effects; ``script`` unfolds and writes the text.

What a translation computes is compared with CPython by ``scripts/fuzz_translation.py``.
"""
