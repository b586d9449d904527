"""Between SMT-LIB and Lean: proofs of the engine as Lean files.

``export`` makes a text of a certificate: ``replay`` tries in Lean what ``schemes`` (with ``inductions``), ``leaves``
and ``shortcuts`` propose for each step, all written with ``writing``; ``write`` puts the file together. What the
theorem says in Lean is not made here but in `kernel.bridge`, and whether the text proves it is for the Lean gate:
nothing here is trusted.
"""
