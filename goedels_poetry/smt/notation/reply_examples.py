"""One example of each construct that a reply about an SMT goal may use: what prompts and documentation show.

Each is of a goal over the functions of `THEORY`, so that whoever reads replies can be shown to take it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

THEORY = """\
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun f (Int) Int)
(define-fun-rec append ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (append t y))))))
(define-fun-rec rev ((x List)) List (match x ((nil nil) ((cons h t) (append (rev t) (cons h nil))))))
(define-fun-rec rev2 ((x List) (acc List)) List (match x ((nil acc) ((cons h t) (rev2 t (cons h acc))))))
(define-fun-rec mix ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (mix y t))))))
(define-fun-rec size ((x List)) Int (match x ((nil 0) ((cons h t) (+ 1 (size t))))))
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (<= n 1) n (+ (fib (- n 1)) (fib (- n 2)))))
(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))
  ((ite (<= n 0) true (odd (- n 1))) (ite (<= n 0) false (even (- n 1)))))
(define-fun-rec evens ((x List)) List
  (match x ((nil nil) ((cons h t) (cons h (match t ((nil nil) ((cons i u) (evens u)))))))))
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A reply and the goal it is about: ``(sequent (variables) (hypotheses) conclusion)``."""

    construct: str
    words: str
    goal: str
    reply: dict[str, Any]

    @property
    def text(self) -> str:
        """The reply as a model would write it."""
        return json.dumps(self.reply, ensure_ascii=False)


REV = "(sequent ((xs List)) () (= (rev (rev xs)) xs))"
ACC = "(sequent ((xs List) (acc List)) () (= (rev2 xs acc) (append (rev xs) acc)))"
FIB = "(sequent ((n Int)) () (=> (>= n 0) (>= (fib n) 0)))"

NIL = "(forall ((x List)) (= (append x nil) x))"
ASSOC = "(forall ((x List) (y List) (z List)) (= (append (append x y) z) (append x (append y z))))"
TURN = "(forall ((x List) (y List)) (= (rev (append x y)) (append (rev y) (rev x))))"

EXAMPLES: tuple[Example, ...] = (
    Example(
        "lemmas",
        "lemmas, with a name where others need them",
        REV,
        {
            "why": "rev turns append round",
            "lemmas": [
                {"name": "unit", "statement": NIL},
                {"name": "assoc", "statement": ASSOC},
                {"statement": TURN, "uses": ["unit", "assoc"]},
            ],
            "induction": {"on": ["xs"]},
        },
    ),
    Example(
        "lemma.induction",
        "a lemma says how it is proved",
        "(sequent ((n Int)) () (=> (>= n 0) (>= (* 2 (sum n)) n)))",
        {
            "lemmas": [
                {
                    "statement": "(forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1)))))",
                    "induction": {"on": ["n"], "from": "0"},
                },
                {"statement": "(forall ((n Int)) (>= (sum n) 0))", "induction": {"measure": "n"}},
            ]
        },
    ),
    Example(
        "generalise",
        "a formula that implies the goal and is easier to prove",
        "(sequent ((xs List)) () (= (rev2 xs nil) (rev xs)))",
        {"lemmas": [ASSOC, NIL], "generalise": "(forall ((x List) (a List)) (= (rev2 x a) (append (rev x) a)))"},
    ),
    Example("induction.on", "a variable of a datatype", REV, {"induction": "xs"}),
    Example(
        "induction.depth",
        "two constructors at a time",
        "(sequent ((xs List)) () (<= (size (evens xs)) (size xs)))",
        {"induction": {"on": ["xs"], "depth": 2}},
    ),
    Example(
        "induction.width",
        "an Int variable from a base, with two base cases and the hypothesis at n-1 and n-2",
        FIB,
        {"induction": {"on": ["n"], "from": "0", "width": 2}},
    ),
    Example(
        "induction.measure",
        "well-founded induction on an Int term, which is not negative and falls",
        "(sequent ((xs List) (ys List)) () (= (size (mix xs ys)) (+ (size xs) (size ys))))",
        {"induction": {"measure": "(+ (size xs) (size ys))"}},
    ),
    Example(
        "induction.along",
        "the hypothesis where a function calls itself; `at` are its arguments in the goal",
        "(sequent ((xs List) (ys List)) () (= (size (mix xs ys)) (+ (size xs) (size ys))))",
        {"induction": {"along": "mix", "at": ["xs", "ys"]}},
    ),
    Example(
        "instances",
        "beside an induction or a case split: the hypothesis, lemmas and definitions at terms, for its cases",
        ACC,
        {
            "lemmas": [{"name": "assoc", "statement": ASSOC}],
            "induction": {"on": ["xs"]},
            "instances": [
                {"of": "hypothesis", "at": {"xs": "(tail xs)", "acc": "(cons (head xs) acc)"}},
                {"of": "lemma", "name": "assoc", "at": ["(rev (tail xs))", "(cons (head xs) nil)", "acc"]},
            ],
        },
    ),
    Example(
        "together",
        "the goal and the lemmas by one induction, as one conjunction: each case may use all of them one step before",
        "(sequent ((n Int)) () (=> (>= n 0) (= (even n) (= (mod n 2) 0))))",
        {
            "lemmas": ["(forall ((n Int)) (=> (>= n 0) (= (odd n) (= (mod n 2) 1))))"],
            "together": True,
            "induction": {"on": ["n"], "from": "0"},
        },
    ),
    Example("cases", "what a variable is built of", REV, {"cases": ["xs"]}),
    Example("cases", "formulas that hold or do not, one inside of the other", FIB, {"cases": ["(>= n 2)", "(= n 1)"]}),
    Example(
        "witness",
        "terms for what an existential conclusion binds",
        "(sequent ((n Int)) () (exists ((m Int)) (> m n)))",
        {"witness": {"m": "(+ n 1)"}},
    ),
    Example("leave_open", "go on with the cases that are not closed at once", REV, {"cases": "xs", "leave_open": True}),
    Example(
        "refuted",
        "the goal is false at these values",
        "(sequent ((xs List)) () (= (rev xs) xs))",
        {"refuted": {"at": {"xs": "(cons 1 (cons 2 nil))"}, "because": "rev gives (cons 2 (cons 1 nil))"}},
    ),
    Example(
        "refuted",
        "declared functions and constants get a meaning; so does a function that its definition does not determine",
        "(sequent ((n Int)) () (> (f n) 0))",
        {"refuted": {"at": {"n": "0", "f": "(lambda ((x Int)) 0)"}}},
    ),
)

INSTANCES_ALONE = Example(
    "instances",
    "what closes the goal without induction and without lemmas",
    "(sequent ((ys List)) () (= (append nil ys) ys))",
    {"instances": [{"of": "definition", "name": "append", "at": ["nil", "ys"]}], "ground_only": True},
)
