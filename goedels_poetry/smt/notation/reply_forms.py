"""The form that a model's replies about SMT goals take: in words, and as JSON schemas, with the limits of both.

One example of each construct that a reply about an SMT goal may use: what prompts and documentation show.

Each is of a goal over the functions of `THEORY`, so that whoever reads replies can be shown to take it.

What a model that states a claim in SMT-LIB is told about the language and about the form of its reply.
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


MAX_TEXT = 20_000
"""Characters of one reply, and so of each text in it; a useful one has a few hundred."""
MAX_LEMMAS = 12
"""Lemmas that are read; further ones are left aside."""
MOST_LISTED = 3 * MAX_LEMMAS
"""A list of more lemmas is refused as a whole."""
MAX_INSTANCES = 40
MAX_TERM = 400
"""Nodes of one lemma or term."""
MAX_SPLIT = 3
"""Case splits inside of each other; further ones are left aside."""
MAX_ORDER = 3
"""Variables of one nested induction."""
MAX_DEPTH = 3
MAX_WIDTH = 6

_TEXT: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_FLAG: dict[str, Any] = {"type": ["boolean", "null"]}
_POINT: dict[str, Any] = {"anyOf": [_TEXTS, {"type": "object"}, {"type": ["string", "null"]}]}
"""Terms in the order of the variables, or by variable."""


def _number(most: int) -> dict[str, Any]:
    return {"type": ["integer", "string", "null"], "minimum": 1, "maximum": most}


_INDUCTION: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "on": {"anyOf": [{**_TEXTS, "maxItems": MAX_ORDER}, {"type": ["string", "null"]}]},
                "from": {"type": ["string", "integer", "null"]},
                "measure": {"type": ["string", "null"]},
                "along": {"type": ["string", "null"]},
                "at": {"anyOf": [{"type": "array"}, {"type": ["object", "string", "null"]}]},
                "width": _number(MAX_WIDTH),
                "depth": _number(MAX_DEPTH),
            },
        },
        {**_TEXTS, "maxItems": MAX_ORDER},
        {"type": ["string", "null"]},
    ]
}
_CASES: dict[str, Any] = {
    "anyOf": [{**_TEXTS, "description": f"at most {MAX_SPLIT} are read"}, {"type": ["string", "null"]}]
}
_LEMMA: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "statement": _TEXT,
                "name": {"type": ["string", "null"]},
                "uses": {
                    "anyOf": [
                        {"type": "array", "items": {"type": ["integer", "string"]}},
                        {"type": ["integer", "string", "null"]},
                    ]
                },
                "induction": _INDUCTION,
                "cases": _CASES,
            },
            "required": ["statement"],
        },
        _TEXT,
    ]
}
_INSTANCES: dict[str, Any] = {
    "type": ["array", "null"],
    "maxItems": MAX_INSTANCES,
    "items": {
        "type": "object",
        "properties": {
            "of": {
                "anyOf": [
                    {"type": "string", "enum": ["definition", "premise", "fact", "lemma", "hypothesis"]},
                    {"type": "string", "description": "or its name alone"},
                ]
            },
            "name": {"type": ["string", "integer", "null"]},
            "at": _POINT,
        },
        "required": ["of"],
    },
}
_REFUTED: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "at": {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": ["string", "null"]}]},
                "because": {"type": ["string", "null"]},
            },
        },
        {"type": ["array", "string", "boolean", "null"]},
    ]
}

SKETCH_SCHEMA: dict[str, Any] = {
    "title": "sketch",
    "type": "object",
    "properties": {
        "why": _TEXT,
        "lemmas": {
            "type": "array",
            "maxItems": MOST_LISTED,
            "description": f"the first {MAX_LEMMAS} are read",
            "items": _LEMMA,
        },
        "generalise": {"anyOf": [*_LEMMA["anyOf"], {"type": "null"}]},
        "induction": _INDUCTION,
        "cases": _CASES,
        "witness": {"anyOf": [_TEXTS, {"type": ["object", "string", "null"]}]},
        "instances": _INSTANCES,
        "together": _FLAG,
        "leave_open": _FLAG,
        "refuted": _REFUTED,
    },
}
"""JSON Schema of a sketch. What it says in words is :data:`SKETCH_FORMAT`."""

PROOF_SCHEMA: dict[str, Any] = {
    "title": "proof",
    "type": "object",
    "properties": {**SKETCH_SCHEMA["properties"], "ground_only": _FLAG},
}
"""JSON Schema of a proof attempt: a sketch, or instances alone."""


def _shown(construct: str) -> str:
    """The examples of a construct, one in a line."""
    return "\n".join(f"  {example.text}" for example in EXAMPLES if example.construct == construct)


SKETCH_FORMAT = f"""\
One JSON object in a fenced block tagged `json`, for example

{EXAMPLES[0].text}

All of its parts are optional:
- "lemmas": a list, at most {MAX_LEMMAS} (further ones are left aside), of at most {MAX_TERM} symbols each. "statement"
  is one SMT-LIB 2 formula over the symbols above, exactly as they are spelled there, with every variable bound.
  "uses" lists the lemmas that its proof needs, by name or 0-based position; without it, it may use all earlier ones.
  Each lemma is tested on values, then proved by induction automatically, or comes back to you as a goal. So state it
  as generally as it is true, and give the lemmas that a hard one needs. Lemmas that nothing needs are dropped. A lemma
  may have an "induction" or "cases" of its own, as below, on its own variables:
{_shown("lemma.induction")}
- "generalise": a formula that implies the goal and is easier to prove by induction, written as a lemma is; it does not
  count as one.
{_shown("generalise")}
- at most one of "induction", "cases", "witness"; without them the goal is tried directly and by one induction.
  "induction" on a variable of a datatype; several (at most {MAX_ORDER}) are nested, outermost first; "depth" 1 to
  {MAX_DEPTH}; on an Int variable "from" a base, "width" 1 to {MAX_WIDTH} base cases; on a "measure"; or "along" a
  recursive function. The hypothesis holds for all values of the other variables.
{_shown("induction.on")}
{_shown("induction.depth")}
{_shown("induction.width")}
{_shown("induction.measure")}
{_shown("induction.along")}
  "cases": variables of datatypes (what they are built of) and formulas (which hold or do not), at most {MAX_SPLIT}.
{_shown("cases")}
  "witness": terms over the variables of the goal for what an existential conclusion binds.
{_shown("witness")}
- "instances" (at most {MAX_INSTANCES}): beside an induction or cases, where its cases need the induction hypothesis, a
  lemma, a fact, a premise or a definition. "at" are terms over the variables of the goal, by variable or in order.
{_shown("instances")}
- "together": true to prove the goal and the lemmas as one conjunction by the given induction (mutual induction).
{_shown("together")}
- "leave_open": true to go on with the cases of the rule that are not closed at once.
{_shown("leave_open")}
- "refuted": when the goal is false or does not follow, say so instead of a proof, with values of all its variables as
  terms without variables; "at" may also give declared functions and constants a meaning, and functions whose definition
  does not determine them everywhere (their equations must still hold). It is checked, and ends the goal.
{_shown("refuted")}

A whole reply has at most {MAX_TEXT} characters. A lemma that is the goal itself is left aside. \
There are no tactics and no
way to assume anything."""

PROOF_FORMAT = f"""\
Either a sketch, which most goals about recursive functions need:

{SKETCH_FORMAT}

Or, when the goal needs neither induction nor a lemma but only the right instances of what is known, the JSON object

  {INSTANCES_ALONE.text}

- "instances": a list. "of" is "definition" (the defining equation of a function at these arguments), "premise" (by its
  name), "fact" (F1, F2, ... as listed) or "hypothesis" (H1, H2, ... of the goal); the terms "at" replace its outer
  universal variables in order and speak of the variables of the goal.
- "ground_only": true to give the solver just these instances and no quantified facts, which helps with arithmetic."""


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
