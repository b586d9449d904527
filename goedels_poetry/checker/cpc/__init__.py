"""A checker of CPC proofs, the proof objects that cvc5 writes: it knows the rules of the calculus and no solver.

``python -m goedels_poetry.checker.cpc.check OBLIGATION.smt2 PROOF.cpc`` checks one proof; nothing but Python is needed.

What a proof shows at each step: in every model of the obligation's assertions, for all values of variables, if the open
local assumptions hold then so does the formula. A rule is a function from premises and arguments to its conclusion;
what it needs beyond their form stands in its docstring. Terms cannot be built with wrong sorts (`terms`).
"""
