"""What a model that states a claim in SMT-LIB is told about the language and about the form of its reply."""

from __future__ import annotations

FORMAL_TAGS = ("smt2", "smt", "smtlib", "smt-lib", "smt-lib2", "smtlib2", "lisp")

FORMAL_LANGUAGE = """\
SMT-LIB 2.6: one script with one theorem.
- Datatypes: (declare-datatypes ((Nat 0) (Lst 0)) (((zero) (succ (pred Nat))) ((nil) (cons (head Nat) (tail Lst))))).
  An element of any kind is a sort of its own: (declare-sort Elem 0).
- Functions: (define-fun-rec app ((x Lst) (y Lst)) Lst (match x ((nil y) ((cons h t) (cons h (app t y)))))), likewise
  define-fun and define-funs-rec. Each must be total and terminate: recursion on parts of a datatype, or on an Int that
  an `ite` bounds. Int, Real, Bool, bit-vectors, arrays and strings with their operations are there; there are no
  tactics, no type classes and no polymorphic functions. A selector applied to another constructor has no known value.
- Natural numbers are a datatype as above where induction over them matters, else Int with (>= n 0) before an
  implication. (div x y), (mod x y) and (/ x y) are total: by zero their value is unknown.
- The theorem: exactly one command (prove FORMULA), the last one, FORMULA closed:
  (prove (forall ((x Lst)) (= (app x nil) x)))
- (assert FORMULA) adds a premise about declared symbols (declare-fun, declare-const). Avoid it: premises that
  contradict each other are refused, and what is assumed is not proved.
- Use names of your own, not those that SMT-LIB or a solver knows (Int, List, insert, select, ...)."""

FORMAL_FORMAT = """\
The whole script in one fenced block tagged `smt2`, without (check-sat) and without set-option. Comments begin with ;"""
