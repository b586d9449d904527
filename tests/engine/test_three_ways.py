"""What can be proved does not depend on how it is written: theorems in three or more ways, with the same verdict."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from searches import job

from goedels_poetry.python.jobs import read
from goedels_poetry.smt.jobs import whole

SECONDS, DEPTH = 30, 3
PROGRAMS = Path(__file__).parents[2] / "theorems" / "python" / "ways" / "three_ways.py"
SORTS = "(declare-datatype N ((zero) (succ (pred N))))\n(declare-datatype L ((none) (more (first N) (rest L))))\n"
CASES = {"N": ("zero", "succ", {"n": "N"}), "L": ("none", "more", {"x": "N", "s": "L"})}
FIELDS = {"n": "(pred a)", "x": "(first a)", "s": "(rest a)"}
FUNCTIONS = {
    "plus": ("N N", "N", "b", "(succ (plus n b))"),
    "double": ("N", "N", "zero", "(succ (succ (double n)))"),
    "times": ("N N", "N", "zero", "(plus b (times n b))"),
    "same": ("N N", "Bool", "((_ is zero) b)", "(and ((_ is succ) b) (same n (pred b)))"),
    "below": ("N N", "Bool", "((_ is succ) b)", "(and ((_ is succ) b) (below n (pred b)))"),
    "even": ("N", "Bool", "true", "(not (even n))"),
    "join": ("L L", "L", "b", "(more x (join s b))"),
    "len": ("L", "N", "zero", "(succ (len s))"),
    "turn": ("L", "L", "none", "(join (turn s) (more x none))"),
    "turned": ("L L", "L", "b", "(turned s (more x b))"),
    "twice": ("L", "L", "none", "(more x (more x (twice s)))"),
    "sum": ("L", "N", "zero", "(plus x (sum s))"),
    "has": ("L N", "Bool", "false", "(or (= x b) (has s b))"),
    "drop": ("N L", "L", "b", "(ite ((_ is none) b) none (drop n (rest b)))"),
    "minus": ("N N", "N", "zero", "(ite ((_ is zero) b) (succ n) (minus n (pred b)))"),
    "doubles": ("L", "L", "none", "(more (double x) (doubles s))"),
}
"""Sorts of the parameters ``a`` and ``b``, sort of the result, results for the two constructors of ``a``."""
THEOREMS = {
    "plus ends": ("plus", "((a N)) (= (plus a zero) a)"),
    "plus commutes": ("plus", "((a N) (b N)) (= (plus a b) (plus b a))"),
    "plus associates": ("plus", "((a N) (b N) (c N)) (= (plus (plus a b) c) (plus a (plus b c)))"),
    "double is plus": ("plus double", "((a N)) (= (double a) (plus a a))"),
    "times distributes": ("plus times", "((a N) (b N) (c N)) (= (times (plus a b) c) (plus (times a c) (times b c)))"),
    "same is equal": ("same", "((a N) (b N)) (= (same a b) (= a b))"),
    "a double is even": ("double even", "((a N)) (even (double a))"),
    "join associates": ("join", "((a L) (b L) (c L)) (= (join (join a b) c) (join a (join b c)))"),
    "length of join": ("plus join len", "((a L) (b L)) (= (len (join a b)) (plus (len a) (len b)))"),
    "turned twice": ("join turn", "((a L)) (= (turn (turn a)) a)"),
    "turned with a rest": ("join turn turned", "((a L)) (= (turned a none) (turn a))"),
    "length of twice": ("double len twice", "((a L)) (= (len (twice a)) (double (len a)))"),
    "sum of join": ("plus join sum", "((a L) (b L)) (= (sum (join a b)) (plus (sum a) (sum b)))"),
    "elements of join": ("join has", "((a L) (b L) (c N)) (= (has (join a b) c) (or (has a c) (has b c)))"),
    "length of drop": ("drop len minus", "((a N) (b L)) (= (len (drop a b)) (minus (len b) a))"),
    "sum of doubles": ("plus double sum doubles", "((a L)) (= (sum (doubles a)) (double (sum a)))"),
    "wrong_turn": ("join turn", "((a L) (b L)) (= (turn (join a b)) (join (turn a) (turn b)))"),
    "wrong_below": ("below double", "((a N)) (below a (double a))"),
}


def defined(name: str, way: str) -> str:
    """The definition of a function by `match`, by `ite`, or by asserted equations."""
    params, result, base, step = FUNCTIONS[name]
    sorts = params.split()
    given = [f"({v} {s})" for v, s in zip("ab", sorts, strict=False)]
    empty, more, fields = CASES[sorts[0]]
    head = f"(define-fun-rec {name} ({' '.join(given)}) {result}"
    if way == "match":
        return f"{head} (match a (({empty} {base}) (({more} {' '.join(fields)}) {step}))))"
    if way == "ite":
        for field in fields:
            step = re.sub(rf"(?<![\w!]){field}(?![\w!])", FIELDS[field], step)
        return f"{head} (ite ((_ is {empty}) a) {base} {step}))"
    pattern = f"({more} {' '.join(fields)})"
    others = " b" * (len(sorts) - 1)
    bound = " ".join([*(f"({f} {s})" for f, s in fields.items()), *given[1:]])
    first = f"(= ({name} {empty}{others}) {base})"
    first = f"(forall ({given[1]}) {first})" if others else first
    return (
        f"(declare-fun {name} ({params}) {result}) (assert {first})"
        f"(assert (forall ({bound}) (= ({name} {pattern}{others}) {step})))"
    )


@cache
def ways(name: str) -> tuple[str, ...]:
    """The theorem in all its ways, as SMT-LIB."""
    if name in THEOREMS:
        functions, goal = THEOREMS[name]
        return tuple(
            SORTS + "\n".join(defined(f, way) for f in functions.split()) + f"(prove (forall {goal}))"
            for way in ("match", "ite", "asserted")
        )
    source = PROGRAMS.read_text()
    texts = [read({"source": source, "function": f}) for f in functions_of(source) if f.rpartition("__")[0] == name]
    return tuple(text["smt"] for text in texts)


def functions_of(source: str) -> list[str]:
    return [d.name for d in ast.parse(source).body if isinstance(d, ast.FunctionDef) and "__" in d.name]


def is_proved(theorem: str, statement: str = "", depth: int = 0) -> bool:
    """Whether the first sketch is one without open goals, or these are proved so in their turn."""
    if job("prove", theorem, statement=statement)["ok"]:
        return True
    found = job("sketch", theorem, statement=statement, seconds=SECONDS) if depth < DEPTH else {"ok": False}
    return found["ok"] and all(is_proved(theorem, goal, depth + 1) for goal in open_goals(found["value"]["sketch"]))


def open_goals(sketch: dict[str, Any]) -> list[str]:
    inner = [goal for child in sketch["children"] if "sketch" in child for goal in open_goals(child["sketch"])]
    return [*inner, *(c["statement"] for c in sketch["children"] if "sketch" not in c and "candidate" not in c)]


PROGRAM_NAMES = list(dict.fromkeys(f.rpartition("__")[0] for f in functions_of(PROGRAMS.read_text())))
NAMES = [*PROGRAM_NAMES, *THEOREMS]


def test_there_are_forty_theorems_in_three_ways_each() -> None:
    assert len(NAMES) >= 40
    assert all(len(set(ways(name))) >= 3 for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sample(3)
def test_all_ways_of_a_theorem_have_the_same_verdict(name: str) -> None:
    for text in ways(name):
        if "wrong" in name:
            assert whole.judge({"theorem": text, "seconds": SECONDS})["status"] == "refuted", text
        else:
            assert is_proved(text), text


FIBONACCI = """
(define-fun-rec loop ((n Int) (a Int) (b Int)) Int (ite (<= n 0) a (loop (- n 1) b (+ a b))))
(define-fun-rec fib ((n Int)) Int
  (ite (< n 0) 0 (ite (= n 0) 0 (ite (= n 1) 1 (+ (fib (- n 1)) (fib (- n 2)))))))
"""


@pytest.mark.parametrize(
    ("begins", "guard"),
    [
        ("(loop n 0 1)", "(>= n 0)"),
        ("(ite (< n 0) 0 (loop n 0 1))", "true"),
        ("(ite (>= n 2) (loop n 0 1) (fib n))", "true"),
    ],
)
def test_a_loop_behind_a_function_that_only_begins_it_is_seen(begins: str, guard: str) -> None:
    start = f"(define-fun start ((n Int)) Int {begins})"
    assert is_proved(f"{FIBONACCI}{start}(prove (forall ((n Int)) (=> {guard} (= (start n) (fib n)))))")
