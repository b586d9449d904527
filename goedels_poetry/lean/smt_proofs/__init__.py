"""Between SMT-LIB and Lean: proofs of the engine as Lean files.

``export`` makes a text of a certificate. What the theorem says in Lean is not made here but in `lean.statement`, and
whether the text proves it is for the Lean gate: nothing here is trusted. Who calls whom:

* ``export`` opens the certificate, has ``replay`` find a proof of each step, and puts the file together.
* ``replay`` tries in Lean what may prove a step: a lemma with all its cases, a step by a scheme, and what
  solvers have decided.
* Inductions, along functions too, are in ``inductions``.
* ``writing`` is what all of them write with, in the `Words` of a `LeanTheory` or of a user's own file
  (``lean.goals``).
"""
