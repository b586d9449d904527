#!/usr/bin/env python3
"""Proof objects that were spoiled, to see that the checker accepts no step that does not follow.

    python scripts/fuzz_proofs.py --count 300 --seed 1
    python scripts/fuzz_proofs.py CERT... --count 1000 --figures

cvc5 proves obligations: some of this file, or those of certificates. Each mutant has literals, premises, rules, terms,
sorts, variables or whole steps changed, or belongs to another obligation, or the obligation has an assertion less. z3
is asked about each step that the checker accepts and that the honest proof does not have. A step that does not follow,
a proof of an obligation that has a model, one that ethos refuses (where it is installed), and a traceback are faults
(exit code 1). ``--figures``: how many obligations
cvc5 proves, how many proofs are accepted, the rules that were lacking, bytes and seconds.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from cpc_semantics import (
    LIMITS,
    Meaning,
    Steps,
    accepted_steps,
    attacked,
    closes,
    commands_of,
    cvc5_proof,
    mutated,
    text_of,
    written,
)

from goedels_poetry.checker.cpc.check import RULES, check_proof
from goedels_poetry.checker.cpc.reader import Group, expressions
from goedels_poetry.checker.cpc.rewrites import patterns
from goedels_poetry.checker.cpc.terms import Rejected
from goedels_poetry.checker.smt.proof_objects import refused_by_ethos, scripts_of
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.z3_process import Z3Process

NAT = """(set-logic ALL)
(declare-datatypes ((u.Nat 0)) (((u.zero) (u.succ (u.pred u.Nat)))))
(declare-fun u.add (u.Nat u.Nat) u.Nat)
(declare-const ?m u.Nat)
(declare-const ?n u.Nat)
(assert (forall ((?x u.Nat)) (= (u.add u.zero ?x) ?x)))
(assert (forall ((?x u.Nat) (?y u.Nat)) (= (u.add (u.succ ?x) ?y) (u.succ (u.add ?x ?y)))))
"""
INT = """(set-logic ALL)
(declare-fun u.f (Int) Int)
(declare-const ?a Int)
(declare-const ?b Int)
(declare-const ?c Bool)
"""
OBLIGATIONS = (
    NAT + "(assert (= (u.add ?m u.zero) ?m))\n(assert (not (= (u.add (u.succ ?m) u.zero) (u.succ ?m))))",
    NAT + "(assert (= ?m (u.succ ?n)))\n(assert (not (= (u.pred (u.add ?m ?n)) (u.add ?n ?n))))",
    NAT + "(assert ((_ is u.zero) ?m))\n(assert (or (not (= (u.add ?m ?n) ?n)) (= ?m (u.succ ?n))))",
    INT + "(assert (> (* 2 ?a) (+ ?b 1)))\n(assert (<= (* 2 ?a) (+ ?b 2)))\n(assert (= ?b (+ 1 (* 2 (u.f ?b)))))",
    INT + "(assert (not (= (+ (* 3 (div ?a 3)) (mod ?a 3)) ?a)))",
    INT + "(assert (= ?a (ite ?c (+ ?b 1) (- ?b 1))))\n(assert (< ?a ?b))\n(assert ?c)",
    INT + "(assert (forall ((?x Int)) (=> (>= ?x 0) (> (u.f ?x) ?x))))\n(assert (>= ?a 7))\n(assert (< (u.f ?a) 5))",
    INT + "(assert (not (forall ((?x Int)) (=> (> ?x 2) (> (* 2 ?x) 5)))))",
    "(set-logic ALL)\n(declare-const ?x Real)\n(declare-const ?y Real)\n"
    "(assert (< (+ ?x ?y) (/ 1.0 2.0)))\n(assert (> (* 2.0 ?x) 1.0))\n(assert (>= ?y 0.5))",
    "(set-logic ALL)\n(declare-const u.a (Array Int Int))\n(declare-const u.b (Array Int Int))\n"
    "(declare-const ?i Int)\n(assert (= u.b (store u.a ?i 3)))\n"
    "(assert (not (= (select u.b (+ 1 ?i)) (select u.a (+ ?i 1)))))",
)  # fmt: skip
WORDS = """(set-logic ALL)
(declare-const ?s String)
(declare-const ?t String)
(declare-const ?i Int)
(declare-fun u.w (Int) String)
"""
BITS = """(set-logic ALL)
(declare-const ?x (_ BitVec 4))
(declare-const ?y (_ BitVec 4))
(declare-const ?n Int)
"""
THEORIES = (
    *(WORDS + f"(assert {goal})" for goal in (
        '(not (= (str.len (str.++ ?s "ab" ?t)) (+ (str.len ?s) 2 (str.len ?t))))',
        '(not (=> (= (str.++ ?s "x") (str.++ ?t "x")) (= ?s ?t)))',
        '(not (=> (str.prefixof ?s ?t) (<= (str.len ?s) (str.len ?t))))',
        '(not (=> (str.contains ?s ?t) (>= (str.len ?s) (str.len ?t))))',
        '(and (> ?i 0) (= (u.w ?i) (ite (> ?i 0) (str.++ "a" (u.w (- ?i 1))) "")) (= (u.w ?i) ""))',
        '(not (=> (str.in_re ?s (re.+ (str.to_re "ab"))) (>= (str.len ?s) 2)))',
        '(not (=> (str.in_re ?s (re.union (str.to_re "yes") (str.to_re "no"))) (<= (str.len ?s) 3)))',
        '(str.in_re "abd" (re.++ (str.to_re "ab") (re.range "a" "c")))',
        '(not (=> (and (<= 0 ?i) (< ?i (str.len ?s))) (= (str.len (str.at ?s ?i)) 1)))',
        '(= (str.++ ?s "a" ?t) "xyz")',
        '(and (= (str.to_code ?s) 97) (not (= ?s "a")))',
        '(not (= (str.replace "hello" "l" "L") "heLlo"))',
        '(not (=> (str.in_re ?s ((_ re.loop 2 3) (re.range "a" "z"))) (<= (str.len ?s) 3)))',
    )),
    *(BITS + f"(assert {goal})" for goal in (
        "(not (bvule (bvand ?x ?y) ?x))",
        "(not (= (bvadd ?x ?y) (bvadd (bvxor ?x ?y) (bvshl (bvand ?x ?y) #x1))))",
        "(not (= (bvand ?x #x3) (bvurem ?x #x4)))",
        "(not (= (bvlshr (bvshl ?x #x2) #x2) (bvand ?x #x3)))",
        "(not (= ((_ rotate_left 3) ((_ rotate_right 3) ?x)) ?x))",
        "(not (bvslt (bvashr ?x #x3) #x1))",
        "(not (= (bvand ?x (bvor ?y #x9)) (bvor (bvand ?x ?y) (bvand ?x #x9))))",
        "(not (< (bv2nat ?x) 16))",
        "(and (bvslt ?x ?y) (bvslt ?y ?x))",
        "(not (=> (and (bvult ?x #x8) (bvult ?y #x8)) (bvuge (bvadd ?x ?y) ?x)))",
        "(not (bvule (bvlshr ?x ?y) ?x))",
        "(not (= (bvneg ?x) (bvadd (bvnot ?x) #x1)))",
        "(not (=> (= (bvxor ?x ?y) #x0) (= ?x ?y)))",
        "(not (= ((_ extract 1 0) (bvadd ?x #x4)) ((_ extract 1 0) ?x)))",
    )),
)  # fmt: skip
"""Over strings and bit-vectors."""
SYMBOLS = (
    *("u.zero", "u.succ", "u.pred", "u.add", "u.f", "?a", "?b", "?m", "?n", '"?x"', '"?y"', "0", "1", "u.Nat"),
    *("?s", "?t", "?i", "?x", "?y", "u.w", '""', '"a"', '"ab"', "#b0000", "#b0001", "#b1000", "#b1111", "#b0", "#b1"),
)


def main() -> int:
    """Fuzz, or measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("certificates", nargs="*", type=Path, help="folders of certificates in SMT-LIB")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figures", action="store_true")
    asked = parser.parse_args()
    scripts = [*OBLIGATIONS, *THEORIES]
    if asked.certificates:
        scripts = [s for c in asked.certificates for s in scripts_of((c / "obligations.smt2").read_text("utf-8"))]
    with Cvc5Process() as cvc5, Z3Process() as z3:
        if asked.figures:
            figures(cvc5, scripts)
            return 0
        found = [(s, commands_of(p)) for s in scripts if (p := cvc5_proof(cvc5, s))]
        found = [(s, proof) for s, proof in found if closes(*accepted_steps(s, proof)[1:])]
        faults, counts = fuzz(z3, found, asked.count, asked.seed, cvc5)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{dict(counts)}, {len(faults)} faults\n")
    return 1 if faults else 0


def fuzz(
    z3: Z3Process, proofs: list[tuple[str, list[Group]]], count: int, seed: int, cvc5: Cvc5Process | None = None
) -> tuple[list[str], Counter[str]]:
    """The faults, and what became of the mutants."""
    chance, faults, counts = random.Random(seed), list[str](), Counter[str]()
    others = (*SYMBOLS, *RULES, *patterns())
    honest = [{(tuple(p), c) for p, c in _texts(accepted_steps(s, proof)[0])} for s, proof in proofs]
    for script, proof in proofs:
        tries = 1 + 4 * count // sum(len(p) for _, p in proofs)
        read = accepted_steps(script, proof)[1].obligation
        for premises, conclusion in attacked(chance, read, proof, others, tries):
            status = (meaning := Meaning(z3, read.terms, cvc5)).follows(premises, conclusion)
            counts[f"spoiled steps that are accepted: {status}"] += 1
            if status == "sat":
                faults.append(f"does not follow:\n{meaning.script(premises)}\n|- {_texts([(premises, conclusion)])}")
    for _ in range(count):
        i = chance.randrange(len(proofs))
        script, proof = proofs[i]
        changed = mutated(chance, proof, others)
        kind = chance.random()
        if kind < 0.1:
            changed = proofs[chance.randrange(len(proofs))][1]
        elif kind < 0.2:
            lines = script.splitlines()
            asserted = [k for k, line in enumerate(lines) if line.startswith("(assert")]
            lines.pop(chance.choice(asserted))
            script, changed = "\n".join(lines), proof if kind < 0.15 else changed
        steps, state, reason = accepted_steps(script, changed)
        meaning = Meaning(z3, state.terms, cvc5)
        for (premises, conclusion), (texts, text) in zip(steps, _texts(steps), strict=True):
            if (tuple(texts), text) in honest[i]:
                continue
            counts["new steps"] += 1
            status = meaning.follows(premises, conclusion)
            counts[f"new steps: {status}"] += 1
            if status == "sat":
                faults.append(f"does not follow: {texts} |- {text}\n{chr(10).join(map(written, changed))}")
        accepted = closes(state, reason)
        counts["accepted" if accepted else "rejected"] += 1
        text = f"({chr(10).join(map(written, changed))})"
        if accepted and (refused := refused_by_ethos(text)):
            faults.append(f"{refused}\n{text}")
        if accepted and "unsat" not in (z3.ask(script, LIMITS).status, cvc5.ask(script, LIMITS).status if cvc5 else ""):
            faults.append(f"a proof of what is not contradictory:\n{script}\n{chr(10).join(map(written, changed))}")
    return faults, counts


def _texts(steps: Steps) -> list[tuple[list[str], str]]:
    """Steps as text, to compare those over different terms."""
    return [([text_of(p) for p in premises], text_of(conclusion)) for premises, conclusion in steps]


def figures(cvc5: Cvc5Process, scripts: list[str]) -> None:
    """Print how many obligations have a proof that is accepted, what the others lack, and what it costs."""
    counts, lacking, size, seconds = Counter[str](), Counter[str](), 0, 0.0
    for script in scripts:
        proof = cvc5_proof(cvc5, script)
        counts["proved by cvc5" if proof else "not proved by cvc5"] += 1
        if not proof:
            continue
        size += len(gzip.compress(proof.encode(), mtime=0))
        began = time.monotonic()
        try:
            check_proof(expressions(script), proof)
            counts["accepted"] += 1
        except Rejected as error:
            lacking[re.sub(r"^line [0-9]+: \S+ \S+: ", "", str(error))] += 1
        seconds += time.monotonic() - began
    sys.stdout.write(f"{dict(counts)}, {size} bytes, {seconds:.2f} s of checking\n{dict(lacking)}\n")


if __name__ == "__main__":
    sys.exit(main())
