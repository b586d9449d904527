#!/usr/bin/env python3
"""Certificates of false claims, made from random theories and tampered with, to see that no checker accepts one.

    python scripts/fuzz_certificates.py --count 100 --each 5 --seed 1
    python scripts/fuzz_certificates.py --fields --seconds 300

A theory has a false goal, definitions that contradict themselves, or a true goal to be refuted. Its certificate is what
an honest prover would write down, with all hashes right; then steps, literals, citations, schemes, values and evidence
of termination are changed. With ``--fields`` every field of an honest certificate of every kind gets every value that
it should not have, and nothing but what was honestly shown may be shown then. What either checker accepts, tracebacks,
and checks without end are printed (exit code 1).
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

import verify_certificate as second
import walked
from forge import forge

from goedels_poetry.checker import check_any, check_certificate
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import FALSE, INT, integer
from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import z3_binary

LONGEST = 30.0  # what takes longer has no end, as far as this is concerned; each question has half a second
Json = Any
NAT = "(declare-datatypes ((N 0)) (((z) (s (p N)))))\n"
LIST = "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))\n"
DEFINITIONS = {
    "add": "(define-fun-rec add ((x N) (y N)) N (match x ((z y) ((s k) (s (add k y))))))\n",
    "app": "(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))\n",
    "len": "(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))\n",
    "sum": "(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))\n",
}
FALSE_GOALS = [  # declarations, functions, binders, goal: none of them holds
    (NAT, ["add"], "((a N) (b N))", "(= (add a b) a)"),
    (LIST, ["app"], "((a L) (b L))", "(= (app a b) (app b a))"),
    (LIST, ["len"], "((a L))", "(> (len a) {k})"),
    ("", ["sum"], "((n Int))", "(=> (>= n 0) (= (* 2 (sum n)) (* n (+ n {j}))))"),
]
TRUE_GOALS = [  # to be refuted
    (NAT, ["add"], "((a N))", "(= (add a (s z)) (s a))", [{"tuple": ["z"]}, {"tuple": ["s", {"tuple": ["z"]}]}]),
    ("", ["sum"], "((n Int))", "(>= (sum n) 0)", [0, 3, -5, {"integer": "7"}]),
    (
        "(declare-sort S 0)",
        [],
        "((a S) (b S) (c S))",
        "(=> (= a b) (= b a))",
        [{"element": {"sort": "S", "number": 0}}],
    ),
]
CONTRADICTIONS = [  # definitions of f over the integers without a solution
    "(define-fun-rec f ((x Int)) Int (+ {j} (f x)))\n",
    "(define-fun-rec f ((x Int)) Int (ite (= x {k}) (+ {j} (f x)) 0))\n",
    "(define-funs-rec ((f ((x Int)) Int) (g ((x Int)) Int)) ((+ {j} (g x)) (f x)))\n",
]


def certificate(source: random.Random) -> tuple[bytes, Json, str]:
    """A theorem, what an honest prover would say of it to show what is not so, and what that is."""
    numbers = {"k": source.randint(0, 3), "j": source.randint(2, 4)}
    if source.random() < 0.25:
        declared, functions, binders, goal, values = source.choice(TRUE_GOALS)
        text = f"{declared}{''.join(DEFINITIONS[f] for f in functions)}(prove (forall {binders} {goal}))\n"
        names = [v.name for v in sequent_of(parse_problem(text.encode()).goal).vars]
        return text.encode(), {"values": {n: source.choice(values) for n in names}, "table": []}, "counterexample"
    if source.random() < 0.35:
        text = source.choice(CONTRADICTIONS).format(**numbers) + "(prove false)\n"
        at = [Instance("def", f, (integer(numbers["k"]),)) for f in ("f", "g") if f"({f} (" in text]
        proof = Derivation((Step("goal", Sequent((), (), FALSE), Query(instances=tuple(at))),))
        return text.encode(), {**derivation_to_json(proof), "termination": [ending(source, text)]}, "proved"
    declared, functions, binders, goal = source.choice(FALSE_GOALS)
    text = (
        declared + "".join(DEFINITIONS[f] for f in functions) + f"(prove (forall {binders} {goal}))\n".format(**numbers)
    )
    problem = parse_problem(text.encode())
    sequent = sequent_of(problem.goal, problem.signature.functions)
    first, general = sequent.vars[0], tuple(v.name for v in sequent.vars[1:] if source.random() < 0.5)
    schemes: list[Any] = [StructuralInduction(first.name, general, source.choice((1, 2)))]
    if first.sort is INT:
        schemes = [MeasureInduction(first), IntInduction(first.name, integer(0), general)]
    called = next(d for d in problem.signature.definitions if d.name == functions[0])
    schemes += [RecursionInduction(called.name, sequent.vars)] if len(called.params) == len(sequent.vars) else []
    scheme = source.choice(schemes)
    cases = [Step(f"case{i}", c, Query()) for i, c in enumerate(instances(sequent, scheme, problem.signature))]
    cases.append(Step("goal", sequent, ByScheme(scheme, tuple(c.id for c in cases))))
    return text.encode(), derivation_to_json(Derivation(tuple(cases))), "proved"


def ending(source: random.Random, text: str) -> Json:
    """Evidence of termination that might look right."""
    functions = [f for f in "fg" if f"({f} (" in text]
    term = source.choice(("x", "(- x)", "(ite (< x 0) 0 x)", "(- 5 x)", "(* 2 x)"))
    component = {"measure": dict.fromkeys(functions, term), "falls": [0, 1][: source.randint(0, 2)]}
    bound = {"relation": source.choice(("<=", ">=")), "argument": 0, "constant": 0}
    return {"functions": functions, **source.choice(({"measure": term, "bound": bound}, {"components": [component]}))}


WORDS = ["0", "1", "z", "nil", "a", "n", "x", "=", "<", "true", "false"]
VALUES = (0, 1, 2, -1, 10**30, True, False, None, [], {}, "x", [0], [["s", 0]])


def places(value: Json, *kinds: type) -> list[tuple[Any, Any]]:
    """Where values of these kinds stand: containers with key or number."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [p for k, part in inner for p in [(value, k)] * isinstance(part, kinds) + places(part, *kinds)]


def tampered(source: random.Random, evidence: Json) -> Json:
    evidence = copy.deepcopy(evidence)
    for _ in range(source.randint(1, 3)):
        kind = source.choice(("drop", "copy", "order", "cite", "text", "text", "value", "value"))
        found = places(evidence, *{"order": (list,), "text": (str,)}.get(kind, (bool, int, list, dict)))
        steps = evidence["steps"] if isinstance(evidence.get("steps"), list) else []
        container, key = source.choice(found) if found else ({}, "")
        if kind in ("drop", "copy", "cite") and steps:
            number = source.randrange(len(steps))
            lists = [c[k] for c, k in places(steps, list) if k == "cites"]
            if kind == "drop":
                del steps[number]
            elif kind == "copy" and isinstance(steps[number], dict):
                steps.insert(source.randrange(len(steps)), {**copy.deepcopy(steps[number]), "id": "copy"})
            elif lists and isinstance(steps[number], dict):  # another step is cited, be it an earlier one or not
                source.choice(lists).insert(0, steps[number].get("id"))
        elif kind == "order" and found:
            source.shuffle(container[key])
        elif kind == "text" and found:
            words = container[key].replace("(", " ( ").replace(")", " ) ").split() or [""]
            words[source.randrange(len(words))] = source.choice(WORDS)
            container[key] = " ".join(words)
        elif found:
            container[key] = copy.deepcopy(source.choice(VALUES))
    return evidence


def faults(folder: Path, theorem: bytes, evidence: Json, claim: str) -> list[str]:
    forged = forge(folder / "x.cert", theorem, evidence, claim=claim)
    (folder / "theorem.smt2").write_bytes(theorem)
    limits, solver, found = Limits(seconds=0.5), second.find_solver(str(z3_binary())), []
    checkers: dict[str, Callable[[], bool]] = {
        "package": lambda: check_certificate(forged, theorem, limits=limits, second_solver=False).accepted,
        "script": lambda: (
            second.judged(forged, folder / "theorem.smt2", [solver], 0.5, LONGEST).verdict == second.HOLDS
        ),
    }
    for name, accepts in checkers.items():
        began = time.monotonic()
        try:
            found += [f"{name} accepts a false claim"] if accepts() else []
        except Exception as error:  # noqa: BLE001  what the user would see as a traceback
            found.append(f"{name} raises {error!r}"[:300])
        found += [f"{name} has no end"] if time.monotonic() - began > LONGEST else []
    return found


def walk(seed: int, seconds: float) -> int:
    """Each field of each kind with each wrong value, in an order that the seed gives."""
    began, tried, total = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        honest = {kind: make(Path(folder, str(at))) for at, (kind, make) in enumerate(walked.KINDS.items())}
        reports = {kind: check_any(path, walked.ABOUT.get(kind)) for kind, path in honest.items()}
        cases = [
            (kind, place, value)
            for kind, path in honest.items()
            for place in walked.places(path)
            for value in walked.wrong(walked.value_at(path, place))
        ]
        random.Random(seed).shuffle(cases)
        for kind, place, value in cases:
            if time.monotonic() - began > seconds:
                break
            forged = walked.replaced(honest[kind], place, value, Path(folder, "forged"))
            found = walked.fault(kind, reports[kind], place, forged)
            tried, total = tried + 1, total + bool(found)
            if found:
                print(f"{found}\n  with {value!r}"[:1000])
    print(f"{tried} of {len(cases)} certificates, {total} faults, {time.monotonic() - began:.0f} s")
    return 1 if total else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("count", 100), ("each", 5), ("seed", 1), ("seconds", 10_000)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--fields", action="store_true")
    options = parser.parse_args()
    if options.fields:
        return walk(options.seed, options.seconds)
    certificates, total, began = 0, 0, time.monotonic()
    for number, way in itertools.product(range(options.count), range(options.each)):
        if time.monotonic() - began > options.seconds:
            break
        source = random.Random(f"{options.seed} {number}")
        theorem, evidence, claim = certificate(source)
        source.seed(f"{options.seed} {number} {way}")
        changed = tampered(source, evidence) if way else evidence
        with tempfile.TemporaryDirectory() as folder:
            found = faults(Path(folder), theorem, changed, claim)
        certificates, total = certificates + 1, total + len(found)
        for fault in found:
            print(
                f"seed {options.seed}, theory {number}, change {way}: {fault}\n  {theorem!r}\n  {json.dumps(changed)}"
            )
    print(f"{certificates} certificates, {total} faults, {time.monotonic() - began:.0f} s")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
