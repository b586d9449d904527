"""Values for the arguments of a theorem under which its hypotheses may hold: proposals, of which Lean decides.

A theorem's arguments are a telescope: the types of later ones speak of earlier ones. A proposal has a Lean term for
each, or "" for what tactics have to find: a proof, an instance. Numbers are chosen so that plain arithmetic holds.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from goedels_poetry.lean.gate.stream import Expr, Stream
from goedels_poetry.lean.runtime.protocol import HoleGoal

MOST_COST = 40
"""Of a proposal: the places of its values in their lists of candidates, added up."""
MOST_NODES = 40_000
"""Beginnings of proposals that are looked at."""
MOST_FIRST, MOST_TOGETHER = 12, 40
"""Candidates of which each costs one more than the one before; how many of the others cost the same."""
MOST_NUMERALS = 8
"""Digits of a numeral."""
MOST_UNFOLDED = 8
MOST_ARGUMENTS, MOST_DEPTH, MOST_TEXT = 100, 200, 2_000
"""Of a theorem; expressions below each other in what is looked at; characters of an equation."""
MOST_TERMS = 200
"""Of a type of the file."""
_DEPTH = 3
_UNIFIED = "_"
"""A value that an equation among the hypotheses says."""
_FACTS = (
    *("exact rfl", "intros; exact rfl", "intros; exact Iff.rfl", "trivial", "decide", "omega", "intros; omega"),
    *(f"exact Exists.intro {value} rfl" for value in ("0", "1", "_")),
    *("exact inferInstance", "exact default", "simp"),
)
_DIVISORS = "rename_i d h; have b := Nat.le_of_dvd (by decide) h; revert h; revert b; revert d; decide"
_INTRODUCED = ("assumption", "omega", "contradiction", "simp_all", _DIVISORS)
_PARTS = (
    "refine And.intro ?_ ?_",
    *(f"refine Exists.intro {value} ?_" for value in ("0", "1", "2", "_", "id")),
    *("refine Or.inl ?_", "refine Or.inr ?_", "constructor", "intro _; refine Exists.intro _ ?_"),
)


def _first(*tactics: str) -> str:
    """The first that leaves no goal. Lean recovers from the error of a `done`, and of the last one, and would go on."""
    return f"(first | {' | '.join(f'(({tactic}) <;> fail)' for tactic in tactics)} | fail)"


QUICK, HARD = "gp_quick", "gp_hard"
"""Tactics for a hypothesis at given values."""
WAVES = (
    (0, 4, QUICK),
    (4, 40, QUICK),
    (0, 12, HARD),
    (40, 80, QUICK),
    (12, 40, HARD),
    (80, 140, QUICK),
    (140, 200, QUICK),
)
"""Which proposals are tried at once, by their numbers, and how their hypotheses are proved."""


def tactics(stream: Stream, constant: str) -> str:
    """The two, as macros; they may unfold the definitions of which a theorem speaks."""
    names = _Search(stream, constant).definitions()
    listed = f"[{', '.join(names)}]"
    quick = (*_FACTS, *((f"simp {listed}", f"intros; simp {listed}") if names else ()))
    hard = ("grind", f"grind {listed}", f"(repeat intro _); simp_all {listed}") if names else ("grind",)
    by_parts = (f"({part}) <;> gp_base" for part in _PARTS)
    macros = {
        QUICK: _first(*_FACTS[:4], f"(try dsimp only) <;> {_first(*quick)}"),
        "gp_base": _first(QUICK, f"(repeat intro _) <;> {_first(*_INTRODUCED)}"),
        HARD: _first("gp_base", *by_parts, *hard, "repeat' constructor"),
    }
    return "".join(f'local macro "{name}" : tactic => `(tactic| {body})\n' for name, body in macros.items())


@dataclass(frozen=True)
class Proposal:
    """A term for each argument, "" where a proof is wanted; and definitions that the terms mention."""

    terms: tuple[str, ...]
    definitions: str = ""


def attempts(function: str, proposals: Iterable[Proposal], tactic: str) -> str:
    """A tactic that applies a function to the arguments of these proposals, until one will do.

    What several begin with is elaborated once: later hypotheses speak of few of the arguments. Not so a term that Lean
    finds by unification, for it is not known where a beginning ends.
    """
    every = dict.fromkeys(proposal.terms for proposal in proposals)
    unified = [terms for terms in every if _UNIFIED in terms]
    ways = [f"exact @{function} {_given(terms, tactic)}" for terms in unified]
    tactic = f"clear {function}; {tactic}"  # a false hypothesis, which automation would use
    return _either([*ways, *_shared(function, [terms for terms in every if _UNIFIED not in terms], tactic)])


def _shared(function: str, every: list[tuple[str, ...]], tactic: str) -> list[str]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for terms in every:
        groups.setdefault(terms[0], []).append(terms)
    ways = []
    for group in groups.values():
        if len(group) == 1:
            ways.append(f"exact @{function} {_given(group[0], tactic)}")
            continue
        common = next(i for i, (a, b) in enumerate(zip(min(group), max(group), strict=True)) if a != b)
        rest = _shared(f"{function}'", [terms[common:] for terms in group], f"clear {function}'; {tactic}")
        ways.append(f"(have {function}' := @{function} {_given(group[0][:common], tactic)}; {_either(rest)})")
    return ways


def _given(terms: tuple[str, ...], tactic: str) -> str:
    return " ".join(f"({term})" if term else f"(by {tactic})" for term in terms)


def _either(ways: list[str]) -> str:
    return f"(first | {' | '.join(ways)} | fail)"


def proposals(stream: Stream, constant: str, goal: HoleGoal) -> Iterator[Proposal]:
    """Proposals for a theorem of a stream, the likeliest first. ``goal``: what its arguments are in Lean's words."""
    search = _Search(stream, constant)
    yield from islice(_by_recursion(search, goal), 6)
    yield from search.proposals()


def unshown(stream: Stream, constant: str) -> tuple[str, ...]:
    """Names of the arguments for which nothing shows by itself that there are values: hypotheses, above all."""
    search, names = _Search(stream, constant), []
    env: tuple[str, ...] = ()
    for place, (name, type_) in enumerate(search.telescope):
        candidates = search.candidates(type_, env)
        if not candidates or "by " in candidates[0]:
            names.append(name.partition("._@")[0] or f"argument {place + 1}")
        env = (*env, candidates[0] if candidates else "")
    return tuple(names)


class _Search:
    def __init__(self, stream: Stream, constant: str) -> None:
        self.stream = stream
        self.telescope: list[tuple[str, int]] = []
        at = stream.constants[constant][0].type
        while (e := stream.exprs[at])[0] == "forallE":
            self.telescope.append((stream.names[e[1]], e[2]))
            at = e[3]
        self._numerals = self._numbers([type_ for _, type_ in self.telescope])
        self._unified: set[int] = set()
        """Arguments that an equation determines: `∀ x y, f x y = t`, `x = t`, either way round."""
        self._equated: set[int] = set()
        """Those of which an equation speaks."""
        for place, (_, type_) in enumerate(self.telescope):
            self._look_at(type_, place)
        self._nodes = 0

    # ------------------------------------------------------------ proposals

    def proposals(self) -> Iterator[Proposal]:
        for cost in range(MOST_COST if len(self.telescope) <= MOST_ARGUMENTS else 0):
            if self._nodes > MOST_NODES:
                return
            for terms in self._terms((), cost):
                yield Proposal(terms)

    def definitions(self) -> tuple[str, ...]:
        """Of the file, of which the types speak."""
        named = sorted(self.stream.mentioned(type_ for _, type_ in self.telescope) & self.stream.constants.keys())
        return tuple(n for n in named if self.stream.constants[n][0].kind == "def" and "._" not in n)[:MOST_UNFOLDED]

    def _terms(self, env: tuple[str, ...], cost: int) -> Iterator[tuple[str, ...]]:
        """All that cost exactly so much; those whose arithmetic is wrong are left out."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            return
        if len(env) == len(self.telescope):
            if cost == 0:
                yield env
            return
        type_ = self.telescope[len(env)][1]
        candidates = [*self.candidates(type_, env)]
        if len(candidates) > 1:
            number, unified = _NUMBER.fullmatch(candidates[0]) is not None, len(env) in self._unified
            if unified or (len(env) in self._equated and not number):
                candidates.insert(0 if unified and not number else 2, _UNIFIED)
        if not candidates and self.value(type_, env) is False:
            return
        for place, term in enumerate(candidates or [""]):
            if (spent := _cost(place)) > cost:
                return
            yield from self._terms((*env, term), cost - spent)

    # ------------------------------------------------------------ candidates

    def candidates(self, at: int, env: tuple[str, ...], depth: int = _DEPTH) -> list[str]:
        """Terms of a type, the simplest first; none where it is a proposition, or not known."""
        if self.stream.depths[at] > MOST_DEPTH:
            return []
        e = self.stream.exprs[at]
        if e[0] == "sort":
            return ["True", "False"] if self.stream.levels[e[1]][0] == "zero" else ["Nat", "PUnit", "Bool", "Int"]
        if e[0] == "forallE":
            return self._functions(at, env, depth)
        head, arguments = self._spine(at)
        if head[0] == "bvar" and not arguments:
            return self._simple(_at(env, head[1]))
        if head[0] != "const":
            return []
        name = self.stream.names[head[1]]
        if name in self.stream.constants:
            return self._constructed(name, arguments, env, depth)
        if arguments and name in _CONTAINERS:
            inner = [self.candidates(a, env, depth) for a in arguments]
            return _CONTAINERS[name](inner) if all(inner) else []
        if name == "Fin":
            return [f"⟨{n}, by omega⟩" for n in sorted(map(int, self._numerals[:MOST_FIRST]))]
        return self._simple(name) if len(arguments) == (name == "BitVec") else []

    def _simple(self, type_: str) -> list[str]:
        if type_ in ("Nat", "Int", "BitVec"):
            negative = ["-1", "-2", "-3", "-5"] if type_ == "Int" else []
            return [*self._numerals, *negative]
        if type_ == "Char":
            return [*_VALUES[type_], *(f"Char.ofNat {n}" for n in self._numerals if 32 < int(n) < 127)]
        return [*_VALUES.get(type_, ())]

    def _constructed(self, name: str, arguments: list[int], env: tuple[str, ...], depth: int) -> list[str]:
        """Terms of a type of the file, by its constructors; a definition that stands for a type is unfolded."""
        constant = self.stream.constants[name][0]
        if constant.kind == "def" and constant.value is not None and not arguments:
            return self.candidates(constant.value, (), depth)
        if constant.kind != "inductive" or depth == 0:
            return []
        parameters, constructors = constant.facts[0], constant.facts[3]
        given = tuple(self._text(a, env) for a in arguments[:parameters])
        found: list[str] = []
        for constructor in constructors[:MOST_TERMS]:
            fields, at = [], self.stream.constants[constructor][0].type
            while (e := self.stream.exprs[at])[0] == "forallE":
                fields.append(e[2])
                at = e[3]
            chosen: list[tuple[str, ...]] = [given]
            for type_ in fields[parameters:]:
                chosen = [
                    (*c, term) for c in chosen for term in self.candidates(type_, c, depth - 1)[:6] or ["by gp_base"]
                ][:64]
            head = f"@_root_.{constructor}{' _' * parameters}"
            found += [" ".join([head, *(f"({term})" for term in terms[parameters:])]) for terms in chosen]
            if len(found) >= MOST_TERMS:
                break
        return found

    def _functions(self, at: int, env: tuple[str, ...], depth: int) -> list[str]:
        domains, scope = [], env
        while (e := self.stream.exprs[at])[0] == "forallE":
            domains.append(self._text(e[2], scope))
            scope = (*scope, f"x{len(domains)}")
            at = e[3]
        names = [f"x{i + 1}" for i in range(len(domains))]
        binders = f"fun {' '.join(names)} =>"
        if e[0] == "sort":
            if self.stream.levels[e[1]][0] != "zero":
                return [f"{binders} Nat"]
            bodies = ["True", "False"]
            if len(names) == 2 and domains[0] == domains[1]:
                bodies = ["x1 = x2", "x1 ≤ x2", "x1 < x2", "x1 ≠ x2", "True", "False", "x2 < x1"]
            elif domains[-1] in ("Nat", "Int"):
                bodies += [f"{names[-1]} = {n}" for n in self._numerals[:3]] + [f"0 < {names[-1]}"]
            return [f"{binders} {body}" for body in bodies]
        result = self._text(at, scope)
        values = self.candidates(at, scope, depth)
        if not values:
            return []
        alike = [x for x, of in zip(names, domains, strict=True) if of == result or (of, result) == ("Nat", "Int")]
        bodies = [*alike, *(["0"] if result in ("Nat", "Int") else []), *values[:2]]
        if result in ("Nat", "Int") and alike:
            bodies += [f"{alike[0]} + 1", f"2 * {alike[0]}", *values[:5]]
        if result in ("Nat", "Int") and len(alike) > 1:
            bodies = ["x1 + x2", *bodies, "x1 * x2"]
        if result == "Bool" and alike:
            bodies = ["x1.xor x2" if len(alike) > 1 else "!x1", *bodies]
        return [f"{binders} {body}" for body in dict.fromkeys([*bodies, *values[:4]])]

    # ------------------------------------------------------------ what is in the types

    def _spine(self, at: int) -> tuple[Expr, list[int]]:
        arguments = []
        while (e := self.stream.exprs[at])[0] == "app":
            arguments.append(e[2])
            at = e[1]
        return e, arguments[::-1]

    def _text(self, at: int, env: tuple[str, ...]) -> str:
        """A type as text, "_" where it is none of the plain ones."""
        if self.stream.depths[at] > MOST_DEPTH:
            return "_"
        e = self.stream.exprs[at]
        if e[0] == "sort":
            return "Prop" if self.stream.levels[e[1]][0] == "zero" else "Type"
        if e[0] == "forallE":
            return f"({self._text(e[2], env)} → {self._text(e[3], (*env, '_'))})"
        head, arguments = self._spine(at)
        name = _at(env, head[1]) if head[0] == "bvar" else self.stream.names[head[1]] if head[0] == "const" else "_"
        return f"({' '.join([name, *(self._text(a, env) for a in arguments)])})" if arguments else name

    def _numbers(self, roots: list[int]) -> list[str]:
        """Small numbers, and those near the numerals of these types."""
        given = sorted({int(e[1]) for e in self.stream.below(roots) if e[0] == "natVal" and len(e[1]) < MOST_NUMERALS})
        given = given[:MOST_FIRST]
        near = [n for m in given for n in (m, m + 1, m - 1, m // 2) if n >= 0]
        far = [n for m in given for n in range(m + 2, m + 14)]
        return [str(n) for n in dict.fromkeys([1, 2, *given[:3], 0, 3, 4, 5, *near, *range(6, 101), *far])]

    def _look_at(self, at: int, place: int) -> None:
        bound = 0
        while (e := self.stream.exprs[at])[0] == "forallE":
            bound, at = bound + 1, e[3]
        head, arguments = self._spine(at)
        if head[0] != "const" or self.stream.names[head[1]] not in ("Eq", "Iff") or len(arguments) < 2:
            return
        loose = self._loose(at)
        self._equated |= {place - 1 - (i - bound) for i in loose if i >= bound}
        for side in arguments[-2:]:
            f, given = self._spine(side)
            variables = [self.stream.exprs[a] for a in given]
            plain = all(v[0] == "bvar" and v[1] < bound for v in variables) and len(set(variables)) == len(variables)
            if f[0] == "bvar" and f[1] >= bound and plain:
                self._unified.add(place - 1 - (f[1] - bound))

    def _loose(self, at: int) -> set[int]:
        """Variables of a term that has no binders of its own, or of the parts of it that have none."""
        return {e[1] for e in self.stream.below([at]) if e[0] == "bvar"}

    # ------------------------------------------------------------ arithmetic

    def value(self, at: int, env: tuple[str, ...]) -> int | bool | None:
        """Of a term of plain arithmetic, at the values that were chosen; None where it is something else."""
        if self.stream.depths[at] > MOST_DEPTH:
            return None
        head, arguments = self._spine(at)
        if head[0] == "bvar":
            chosen = _NUMBER.fullmatch(_at(env, head[1]))
            return int(chosen[1]) if chosen and not arguments else None
        if head[0] != "const":
            return None
        name = self.stream.names[head[1]]
        if name == "OfNat.ofNat" and len(arguments) > 1:
            numeral = self.stream.exprs[arguments[1]]
            return int(numeral[1]) if numeral[0] == "natVal" and len(numeral[1]) < MOST_NUMERALS else None
        if name in _SIDES and self.stream.exprs[arguments[-1]][0] == "bvar":
            pair = _PAIR.fullmatch(_at(env, self.stream.exprs[arguments[-1]][1]))
            return int(pair[_SIDES[name]]) if pair else None
        if name not in _OPERATIONS:
            return None
        count, operation = _OPERATIONS[name]
        given = [self.value(a, env) for a in arguments[-count:]]
        over = self._text(arguments[0], env)
        if len(given) < count or None in given or (name[0] in "HN" and name != "Not" and over not in ("Nat", "Int")):
            return None
        try:
            found = operation(*given)
        except (ArithmeticError, ValueError):
            return None
        return max(found, 0) if over == "Nat" and type(found) is int else found


def _cost(place: int) -> int:
    """Of a candidate by its place: those far down the list are looked at together."""
    return place if place < MOST_FIRST else MOST_FIRST + (place - MOST_FIRST) // MOST_TOGETHER


def _at(env: Sequence[str], index: int) -> str:
    return env[-1 - index] if index < len(env) else "_"


def _power(a: int, b: int) -> int:
    if not 0 <= b <= 64 or abs(a) > 10**20:
        raise ValueError
    return int(a**b)


_NUMBER = re.compile("⟨?(-?[0-9]+)(?:, by omega⟩)?")
_PAIR, _SIDES = re.compile(r"\((-?[0-9]+), (-?[0-9]+)\)"), {"Prod.fst": 1, "Prod.snd": 2}
_OPERATIONS: dict[str, tuple[int, Callable[..., int | bool]]] = {
    **{f"H{name}.h{name}": (2, f) for name, f in (("Add", operator.add), ("Sub", operator.sub), ("Mul", operator.mul))},
    "HDiv.hDiv": (2, lambda a, b: a // b if b > 0 else 0 if b == 0 else int(1 / 0)),
    "HMod.hMod": (2, lambda a, b: a % b if b > 0 else a if b == 0 else int(1 / 0)),
    "HPow.hPow": (2, _power),
    "Neg.neg": (1, operator.neg),
    **{name: (2, f) for name, f in (("LT.lt", operator.lt), ("LE.le", operator.le), ("Eq", operator.eq))},
    **{name: (2, f) for name, f in (("GT.gt", operator.gt), ("GE.ge", operator.ge), ("Ne", operator.ne))},
    "And": (2, lambda a, b: a and b),
    "Or": (2, lambda a, b: a or b),
    "Iff": (2, operator.eq),
    "Not": (1, operator.not_),
    "Fin.val": (1, lambda a: a),
    "Dvd.dvd": (2, lambda a, b: b % a == 0 if a else b == 0),
}
_VALUES: dict[str, tuple[str, ...]] = {
    "Bool": ("true", "false"),
    "PUnit": ("PUnit.unit",),
    "Unit": ("()",),
    "String": ('"a"', '""', '"ab"', '"abc"', '"b"', '"abcd"', '"hello"'),
    "Char": ("'a'", "'b'"),
    **{f"UInt{bits}": ("0", "1", "2") for bits in (8, 16, 32, 64)},
    "True": ("trivial",),
    "Prop": ("True", "False"),
    "Type": ("Nat", "Bool", "PUnit"),
}


def _lists(inner: list[list[str]]) -> list[str]:
    first, second, third, *_ = (*inner[0], inner[0][-1], inner[0][-1])
    several = (
        (first,),
        (first, second),
        (),
        (first, first),
        (first, second, third),
        (second,),
        (second, first),
        (third, third),
    )
    return [f"[{', '.join(each)}]" for each in dict.fromkeys([*several, *((one,) for one in inner[0][:32])])]


def _nearest_first(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    pairs = sorted(product(range(len(first)), range(len(second))), key=sum)
    return [(first[i], second[j]) for i, j in pairs]


_CONTAINERS: dict[str, Callable[[list[list[str]]], list[str]]] = {
    "List": _lists,
    "Array": lambda inner: [f"#{text}" for text in _lists(inner)],
    "Option": lambda inner: [*(f"some ({term})" for term in inner[0][:3]), "none"],
    "Prod": lambda inner: [f"({a}, {b})" for a, b in _nearest_first(inner[0][:8], inner[1][:8])],
    "Sum": lambda inner: [*(f".inl ({a})" for a in inner[0][:2]), *(f".inr ({b})" for b in inner[1][:2])],
}


# ---------------------------------------------------------------- functions that equations define by recursion

_IDENTIFIER = re.compile(r"[^\W\d][\w'!?₀-₉.]*")
_EQUATION = re.compile(r"(?:∀ .*?, )?(?P<left>[^=]*[^=<>≤≥≠ ]) = (?P<right>.*)")


def _by_recursion(search: _Search, goal: HoleGoal) -> Iterator[Proposal]:
    """Proposals with a definition for each function of which hypotheses say what it is at constructors."""
    types = _hypotheses(goal.goal)
    names = [name for name, _ in search.telescope]
    clauses: dict[str, list[tuple[list[str], str]]] = {}
    for text in types.values():
        if len(text) <= MOST_TEXT and (found := _EQUATION.fullmatch(text)) is not None:
            head, *patterns = _split(found["left"])
            if head in types and "→" in types[head] and patterns and _are_patterns(patterns, types):
                clauses.setdefault(head, []).append((patterns, found["right"]))
    if not any(re.search(r"\d|\[\]|::|\.", " ".join(given[0][0])) for given in clauses.values()):
        return
    for proposal in islice(search.proposals(), 3):
        terms = dict(zip(names, proposal.terms, strict=True))
        own = {f: f"gp_{i}" for i, f in enumerate(clauses)}
        values = {n: f"({t})" for n, t in terms.items() if t and t != _UNIFIED} | own
        for default in (False, True):
            definitions = "".join(
                f"def {own[f]} : {_substituted(types[f], values)}\n{_cases(given, values, default)}"
                for f, given in clauses.items()
            )
            chosen = tuple(own.get(n, t) for n, t in zip(names, proposal.terms, strict=True))
            yield replace(proposal, terms=chosen, definitions=definitions)


def _are_patterns(patterns: list[str], names: Collection[str]) -> bool:
    """Whether they are made of constructors and new variables, each once."""
    found = _IDENTIFIER.findall(" ".join(patterns))
    return len(set(found)) == len(found) and not set(found) & set(names)


def _cases(given: list[tuple[list[str], str]], values: dict[str, str], default: bool) -> str:
    lines = []
    for patterns, right in given:
        bound = set(_IDENTIFIER.findall(" ".join(patterns)))
        outside = {name: value for name, value in values.items() if name not in bound}
        lines.append(f"  | {', '.join(patterns)} => {_substituted(right, outside)}\n")
    if default:
        lines.append(f"  | {', '.join('_' for _ in given[0][0])} => default\n")
    return "".join(lines)


def _hypotheses(goal: str) -> dict[str, str]:
    """The names of a goal with their types, as Lean shows them."""
    found: dict[str, str] = {}
    for entry in re.sub(r"\n\s+", " ", goal.partition("⊢")[0]).splitlines():
        names, colon, type_ = entry.partition(" : ")
        found.update(dict.fromkeys(names.split(), type_) if colon else {})
    return found


def _split(text: str) -> list[str]:
    """At the spaces outside of brackets."""
    parts, depth = [""], 0
    for c in text.strip():
        depth += (c in "([{⟨") - (c in ")]}⟩")
        if c == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _substituted(text: str, values: dict[str, str]) -> str:
    return _IDENTIFIER.sub(lambda m: values.get(m[0], m[0]), text)
