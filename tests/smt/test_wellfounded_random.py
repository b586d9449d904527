"""Random definitions: whichever is said to terminate does so when it is run.

The selector of the wrong constructor may give anything, so it gives something large and something small in turn.
"""

import random
from collections.abc import Mapping
from itertools import product

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.calls import recursive_groups
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sizes import Bound
from goedels_poetry.kernel.termination import Lexicographic, SizeComponent, TerminationEvidence, termination_obligations
from goedels_poetry.kernel.terms import Kind, Term, subterms
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.termination.search import terminations

PRELUDE = """(declare-datatypes ((Nat 0)) (((Z) (S (p Nat)))))
(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((Z y) ((S a) (S (plus a y))))))
(define-fun-rec minus ((x Nat) (y Nat)) Nat (match x ((Z Z) ((S a) (match y ((Z x) ((S b) (minus a b))))))))
(define-fun-rec half ((x Nat)) Nat (match x ((Z Z) ((S a) (match a ((Z Z) ((S b) (S (half b)))))))))
(define-fun pred ((x Nat)) Nat (ite (= x Z) Z (p x)))
"""
RECURSIVE = {"f", "g"}


class Writer:
    """Writes bodies over x and y that call f (and g), often at smaller arguments."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def definition(self) -> str:
        if self.rng.random() < 0.7:
            return f"(define-fun-rec f ((x Nat) (y Nat)) Nat {self.body(['x', 'y'], 3, ['f'])})"
        one, two = (self.body(["x", "y"], 2, ["f", "g"]) for _ in range(2))
        return f"(define-funs-rec ((f ((x Nat) (y Nat)) Nat) (g ((x Nat) (y Nat)) Nat)) ({one} {two}))"

    def body(self, names: list[str], depth: int, calls: list[str]) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return rng.choice([self.call(names, calls), f"(S {self.call(names, calls)})", rng.choice(names)])
        if rng.random() < 0.8:
            inner = f"v{rng.randrange(100)}"
            zero, successor = self.body(names, depth - 1, calls), self.body([*names, inner], depth - 1, calls)
            return f"(match {rng.choice(names)} ((Z {zero}) ((S {inner}) {successor})))"
        test = self.condition(names)
        return f"(ite {test} {self.body(names, depth - 1, calls)} {self.body(names, depth - 1, calls)})"

    def call(self, names: list[str], calls: list[str]) -> str:
        first = self.argument(names) if self.rng.random() < 0.85 else self.call(names, calls)
        return f"({self.rng.choice(calls)} {first} {self.argument(names)})"

    def argument(self, names: list[str]) -> str:
        rng = self.rng
        kind = rng.randrange(10)
        if kind < 5:
            return names[-1] if kind < 3 else rng.choice(names)
        if kind < 7:
            return f"({rng.choice(['half', 'pred', 'p', 'S'])} {rng.choice(names)})"
        if kind < 9:
            return f"({rng.choice(['minus', 'plus'])} {rng.choice(names)} {rng.choice(names)})"
        return f"(ite {self.condition(names)} {rng.choice(names)} {rng.choice(names)})"

    def condition(self, names: list[str]) -> str:
        rng = self.rng
        kind = rng.randrange(6)
        if kind < 3:
            return f"((_ is {rng.choice('ZS')}) {self.argument(names) if kind == 0 else rng.choice(names)})"
        if kind == 3:
            return f"(= {rng.choice(names)} {rng.choice([*names, 'Z'])})"
        if kind == 4:
            return f"(not {self.condition(names)})"
        return f"({rng.choice(['and', 'or'])} {self.condition(names)} {self.condition(names)})"


class Endless(Exception):
    """More calls than any definition of this size can need at such small arguments."""


class TooLarge(Exception):
    """A value grew beyond what is worth running."""


class Machine:
    def __init__(self, signature: Signature, junk: int) -> None:
        self.signature = signature
        self.junk = junk
        self.calls = 0

    def value(self, term: Term, at: dict[str, int]) -> int:
        if term.kind is Kind.VAR:
            return at[term.name]
        if term.kind is Kind.LIT:
            return int(bool(term.value))
        if term.name == "ite":
            return self.value(term.args[1 if self.value(term.args[0], at) else 2], at)
        if term.name in ("and", "or"):  # what cannot recur comes first, as the termination proof assumes
            order = sorted(term.args, key=lambda a: any(t.name in RECURSIVE for t in subterms(a)))
            decide = all if term.name == "and" else any
            return int(decide(self.value(a, at) for a in order))
        args = [self.value(a, at) for a in term.args]
        match term.name:
            case "is":
                return int((args[0] == 0) == (term.indices[0] == "Z"))
            case "Z":
                return 0
            case "S":
                return args[0] + 1
            case "p":
                return args[0] - 1 if args[0] else self.junk
            case "=":
                return int(args[0] == args[1])
            case "not":
                return int(not args[0])
        definition = self.signature.definition(term.name)
        assert definition is not None, term.name
        self.calls += 1
        if self.calls > 30_000:
            raise Endless
        if max(args) > 60:
            raise TooLarge
        return self.value(definition.body, {v.name: a for v, a in zip(definition.params, args, strict=True)})


def accepted(count: int, seed: int) -> list[tuple[str, Signature, list[str]]]:
    found = []
    for number in range(count):
        text = PRELUDE + Writer(seed + number).definition() + "(prove true)"
        try:
            signature = parse_problem(text).signature
        except InvalidInput:  # a pattern variable that is used twice, and the like
            continue
        evidence = terminations(signature, None).evidence({d.name for d in signature.definitions})
        ends = termination_obligations(signature, evidence)
        assert not ends.sequents
        names = [name for group in evidence.groups for name in group.functions if name in RECURSIVE]
        assert ends.terminating.issuperset(names)
        if names and not ends.unshown:
            found.append((text, signature, names))
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 175, 10_000, 10_175])
def test_what_is_accepted_ends_when_it_is_run(seed: int) -> None:
    definitions = accepted(175, seed)
    assert len(definitions) > 8
    for text, signature, names in definitions:
        run(text, signature, names, {})


def run(text: str, signature: Signature, names: list[str], bounds: Mapping[str, Bound]) -> None:
    """The functions end on small numbers, and what they give keeps the bounds."""
    for name in names:
        definition = signature.definition(name)
        assert definition is not None
        for args in product(range(4), repeat=len(definition.params)):
            at = {v.name: value for v, value in zip(definition.params, args, strict=True)}
            for junk in (0, 3):
                try:
                    value = Machine(signature, junk).value(definition.body, at)
                except TooLarge:
                    continue
                except (Endless, RecursionError):
                    pytest.fail(f"{name} {args} does not end: {text}")
                bound = bounds.get(name)
                if bound is not None:  # the size of a number is one more than itself
                    most = sum(args[i] + 1 for i in bound.positions) - bound.spare
                    assert value + 1 <= most, (text, name, args, bound)


def random_evidence(rng: random.Random, signature: Signature) -> TerminationEvidence:
    """What somebody may claim who does not look: sums of arguments, fields that count twice, bounds of all kinds."""

    def positions(name: str) -> tuple[int, ...]:
        definition = signature.definition(name)
        assert definition is not None
        count = len(definition.params)
        return tuple(sorted(rng.sample(range(count), rng.randint(1, count))))

    groups = []
    for names in recursive_groups(signature):
        honest = RECURSIVE.isdisjoint(names) and rng.random() < 0.9
        twice = (("S", 0),) if not honest and rng.random() < 0.1 else ()
        sums = [
            {n: (0,) if honest else positions(n) for n in names} for _ in range(1 if honest else rng.choice((1, 2)))
        ]
        if any(d.recursive for d in signature.definitions if d.name in names):
            groups.append(Lexicographic(tuple(names), tuple([SizeComponent(at, twice) for at in sums])))
    claims = {"plus": Bound((0, 1), 1), "minus": Bound((0,)), "half": Bound((0,)), "pred": Bound((0,))}
    bounds = {name: bound for name, bound in claims.items() if rng.random() < 0.9}
    for name in ("f", "g", *claims):
        if signature.definition(name) is not None and rng.random() < (0.5 if name in RECURSIVE else 0.05):
            bounds[name] = Bound(positions(name), rng.randrange(2))
    return TerminationEvidence(tuple(groups), bounds)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [20_000, 20_070])
def test_whatever_evidence_is_accepted_the_functions_end_and_keep_their_bounds(seed: int) -> None:
    rng = random.Random(7)
    kept = bounded = 0
    for number in range(70):
        text = PRELUDE + Writer(seed + number).definition() + "(prove true)"
        try:
            signature = parse_problem(text).signature
        except InvalidInput:
            continue
        for _ in range(12):
            evidence = random_evidence(rng, signature)
            try:
                ends = termination_obligations(signature, evidence)
            except BadProof:
                continue
            assert not ends.sequents
            names = [name for group in evidence.groups for name in group.functions]
            run(text, signature, names, evidence.bounds)
            kept += 1
            bounded += not RECURSIVE.isdisjoint(evidence.bounds)
    assert kept > 12 and bounded > 1, (kept, bounded)
