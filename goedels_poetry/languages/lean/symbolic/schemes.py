"""The structural first steps of a goal: inductions, functional inductions, case distinctions, constructors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from goedels_poetry.languages.lean.symbolic.portfolio import is_proof, mentions
from goedels_poetry.languages.lean.symbolic.theory import Goal, Theory, Variable
from goedels_poetry.languages.lean.symbolic.types import NotSimple, Type, read_type

MOST_SCHEMES = 40
_RECURSIVE = frozenset({"Nat", "List"})
_CASES = frozenset({"Nat", "List", "Int", "Bool", "Option", "Prod", "Fin", "Sum", "Except", "Subtype", "Array"})
_RULES = ("List.Perm", "List.Sublist", "List.Pairwise", "Nat.le", "List.Forall₂")
_ATOM = r"(?:[\w.']+|\([^()]*\)|\[\])"


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to take a goal apart."""

    tactic: str
    """One tactic; the goals that it leaves have tags of their own."""
    strategy: str
    """For people, and (with the tactic) the fingerprint."""
    creative: bool = False
    """Its goals are no simpler by themselves: only worth it when they can all be closed."""


def schemes(goal: Goal, theory: Theory, *, types: tuple[str, ...] = ()) -> list[Scheme]:
    """The steps for a goal, the likeliest first. ``types``: the inductive types of the prefix, predicates too."""
    found: list[Scheme] = []
    if re.search(r" [∧↔] ", goal.target):
        found.append(Scheme("constructor", "each part by itself"))
    found += _generalizations(goal, theory)
    found += [Scheme(f"induction {v.name}", f"induction on {v.name}") for v in _derivations(goal, types)]
    inductive = inductive_variables(goal, theory)
    for variable in inductive:
        for general in generalized(goal, variable):
            found.append(Scheme(f"induction {variable.name}{general}", f"induction on {variable.name}"))
    found += functional(goal, theory)
    found += [s for v in inductive if v.type in ("Nat", "ℕ") for s in _strong(goal, v)]
    found += _distinctions(goal, theory)
    found += [Scheme(f"cases {v.name}", f"cases of {v.name}") for v in _derivations(goal, types)]
    found += _twice(goal, theory, inductive)
    return list({s.tactic: s for s in reversed(found)}.values())[::-1][:MOST_SCHEMES]


def inductive_variables(goal: Goal, theory: Theory) -> list[Variable]:
    """The variables that an induction can be on, those of the user's recursive types first."""
    found: list[tuple[int, Variable]] = []
    for variable in goal.context:
        head = _type_head(variable)
        if head in theory.constructors:
            recursive = any(head in a.text() for c in theory.constructors[head] for a in c.arguments)
            if recursive:
                found.append((0, variable))
        elif head in _RECURSIVE:
            found.append((2 if head == "Nat" and "List" in str(goal.context) else 1, variable))
    return [v for _, v in sorted(found, key=lambda pair: pair[0])]


def _type_head(variable: Variable) -> str:
    found = _type(variable)
    return found.head if found else ""


def _type(variable: Variable) -> Type | None:
    try:
        return read_type(variable.type)
    except NotSimple:
        return None


def generalized(goal: Goal, variable: Variable) -> list[str]:
    """What may follow an induction on ``variable``: the other data of the goal generalised, or nothing."""
    data = {v.name for v in goal.context if not re.match(r"(Type|Prop|Sort)\b", v.type)}
    # What a hypothesis says about a generalised variable is generalised with it, without being named.
    others = [
        v.name
        for v in goal.context
        if v.name in data
        and v.name != variable.name
        and v.info == "default"
        and not is_proof(v)
        and "→" not in v.type
        and not data.intersection(re.findall(r"[\w'.]+", v.type))
        and v.name not in re.findall(r"[\w']+", variable.type)
    ]
    return [f" generalizing {' '.join(others)}", ""] if others else [""]


def functional(goal: Goal, theory: Theory) -> Iterator[Scheme]:
    """Induction along the recursion of a function of the goal, at each place where it is applied."""
    local = {v.name for v in goal.context}
    text = " ".join([goal.target, *(v.type for v in goal.context)])
    for function in theory.functions:
        short = function.name.split(".")[-1]
        if not function.arguments or not mentions(text, function.name):
            continue
        name = function.name
        calls = []
        arguments = rf"((?:\s+{_ATOM}){{{len(function.arguments)}}})"
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w){arguments}", text):
            calls.append(match[1].split() if "(" not in match[1] else re.findall(_ATOM, match[1]))
        for match in re.finditer(rf"(?<![\w.])(\w+)\.{re.escape(short)}(?!\w)", text):
            if len(function.arguments) == 1:
                calls.append([match[1]])
        for call in calls:
            if any(a in local for a in call):
                yield Scheme(f"fun_induction {theory.written(name)} {' '.join(call)}", f"induction along {name}")


def _derivations(goal: Goal, types: tuple[str, ...]) -> list[Variable]:
    """Hypotheses that are inductive predicates."""
    found = []
    for variable in goal.context:
        head = re.match(r"[\w.']+", variable.type)
        if (head and head[0] in (*types, *_RULES)) or re.search(r" (~|<\+) |^\S+ ≤ \w+$", variable.type):
            found.append(variable)
    return found


def _generalizations(goal: Goal, theory: Theory) -> Iterator[Scheme]:
    """A call that hypotheses and goal have in common, once the goal is computed a step, as any value of its type."""
    local = {v.name for v in goal.context if not is_proof(v)}
    names = [n for n in theory.names if mentions(goal.target, n)]
    for hypothesis in [v for v in goal.context if _mentions_any(v.type, names)]:
        for name in names:
            for match in re.finditer(rf"(?<![\w.]){re.escape(name)}((?: [\w']+)+)", hypothesis.type):
                call, variables = match[0], match[1].split()
                if local.issuperset(variables) and call != goal.target:
                    clear = "".join(f"; try clear {v}" for v in dict.fromkeys(variables))
                    listed = ", ".join(map(theory.written, names))
                    tactic = f"(simp only [{listed}]; generalize {call} = gen at *{clear})"
                    yield Scheme(tactic, f"any value for {call}")


def _mentions_any(text: str, names: list[str]) -> bool:
    """Whether one of the constants occurs in the text."""
    return any(mentions(text, name) for name in names)


def _strong(goal: Goal, variable: Variable) -> Iterator[Scheme]:
    """Induction over all smaller numbers; the two before the last are what most recursions need."""
    n = variable.name
    for general in generalized(goal, variable)[-1:]:
        yield Scheme(
            f"(induction {n} using Nat.strongRecOn{general} with\n  | ind {n} smaller =>\n"
            f"    rcases {n} with _ | _ | {n}\n    rotate_left 2\n"
            f"    have one := smaller {n} (by omega)\n    have two := smaller ({n} + 1) (by omega)\n"
            "    clear smaller\n    all_goals skip)",
            f"induction on {n} in steps of two",
            creative=True,
        )
        yield Scheme(
            f"(induction {n} using Nat.strongRecOn{general} with\n  | ind {n} smaller => skip)",
            f"strong induction on {n}",
            creative=True,
        )


def _distinctions(goal: Goal, theory: Theory) -> Iterator[Scheme]:
    """Case distinctions and extensionality."""
    for condition in dict.fromkeys(re.findall(r"\bif ([^()]+?|\([^()]*\)) then", goal.target)):
        if not condition.startswith("h :"):
            yield Scheme(f"by_cases known : {condition}", f"whether {condition}")
    if re.search(r"\b(min|max)\b", goal.target):
        numbers = [v.name for v in goal.context if v.type in ("Nat", "Int")]
        for a, b in list(itertools.combinations(numbers, 2))[:3]:
            yield Scheme(f"by_cases known : {a} ≤ {b}", f"whether {a} ≤ {b}")
    if re.search(r"\b(if|match)\b", goal.target):
        yield Scheme("split", "the cases of the goal")
    small = [v for v in goal.context if _type_head(v) in ("Bool", "Option") or _flat(v, theory)]
    if len(small) > 1:
        yield Scheme(" <;> ".join(f"cases {v.name}" for v in small[:4]), "all cases")
    for variable in goal.context:
        head = _type_head(variable)
        if head in theory.constructors or head in _CASES or " ∨ " in variable.type or " ∧ " in variable.type:
            yield Scheme(f"cases {variable.name}", f"cases of {variable.name}")
    for variable in goal.context:
        if variable.type == "Prop":
            yield Scheme(f"by_cases {variable.name}", f"whether {variable.name}")
    yield Scheme("funext arg", "extensionality")
    yield Scheme("ext", "extensionality")
    yield Scheme("apply propext", "equivalence")


def _flat(variable: Variable, theory: Theory) -> bool:
    """An enumeration."""
    constructors = theory.constructors.get(_type_head(variable), ())
    return bool(constructors) and not any(c.arguments for c in constructors)


def _twice(goal: Goal, theory: Theory, inductive: list[Variable]) -> Iterator[Scheme]:
    """An induction, then the cases of another variable."""
    split = [v for v in goal.context if _type_head(v) in theory.constructors or _type_head(v) in _CASES]
    for first in inductive:
        for second in split:
            if first.name != second.name and first.name not in second.type:
                start = f"induction {first.name}{generalized(goal, first)[0]}"
                described = f"induction on {first.name}, cases of {second.name}"
                yield Scheme(f"{start} <;> cases {second.name}", described, creative=True)
    for first in inductive:
        for second in inductive:
            if first.name != second.name:
                start = f"induction {first.name} <;> induction {second.name}"
                yield Scheme(start, f"induction on {first.name} and {second.name}", creative=True)
