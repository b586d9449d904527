"""Structural proofs: a step of `schemes`, each of its cases closed by whatever closes it, the others left open."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goedels_poetry.lean.runtime.protocol import LeanRuntime, Message
from goedels_poetry.lean.tactics.portfolio import (
    LARGE,
    SMALL,
    Clock,
    Proposal,
    accepted,
    is_proof,
    mentions,
    target_of,
    tried,
)
from goedels_poetry.lean.tactics.theory import Goal, NotSimple, Theory, Type, Variable, read_goal, read_type
from goedels_poetry.lean.text.task import Task
from goedels_poetry.protocol.trials import Status, trial_log

# -- The structural first steps of a goal --------------------------------------------------------------------------


MOST_SCHEMES, MOST_AFTER = 40, 2
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


def schemes(goal: Goal, theory: Theory, *, types: tuple[str, ...] = ()) -> list[Scheme]:
    """The steps for a goal, the likeliest first. ``types``: the inductive types of the prefix, predicates too."""
    found: list[Scheme] = []
    if re.search(r" [∧↔] ", goal.target):
        found.append(Scheme("constructor", "each part by itself"))
    inductive = inductive_variables(goal, theory)
    found += _equated(goal, [v.name for v in inductive][:MOST_AFTER])
    found += _generalizations(goal, theory)
    found += _by_rules(_derivations(goal, types))
    for variable in inductive:
        for general in generalized(goal, variable):
            found.append(Scheme(f"induction {variable.name}{general}", f"induction on {variable.name}"))
    found += _moved(goal, inductive)
    found += functional(goal, theory)
    found += _distinctions(goal, theory)
    found += [Scheme(f"cases {v.name}", f"cases of {v.name}") for v in _derivations(goal, types)]
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


def _moved(goal: Goal, inductive: list[Variable]) -> Iterator[Scheme]:
    """``a = b - c`` from ``a + c = b``, which says more of natural numbers and goes through the induction."""
    if found := re.fullmatch(r"([^=↔∧]+) = ([^=↔∧]+) - (\([^()]*\)|\w+)", goal.target):
        claim = f"{found[1]} + {found[3]} = {found[2]}"
        for variable in inductive:
            yield Scheme(
                f"(suffices moved : {claim} from (by omega); induction {variable.name})",
                f"induction on {variable.name}",
            )


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
        if (head and head[0] in (*types, *_RULES)) or re.search(r" (~|<\+) |^\S+ [≤<] \w+$", variable.type):
            found.append(variable)
    return found


def _equated(goal: Goal, inductive: list[str]) -> Iterator[Scheme]:
    """A variable that a hypothesis says the value of, put in, and an induction after that."""
    names = {v.name for v in goal.context if not is_proof(v)}
    for variable in goal.context:
        there = re.match(r"∃ ([^\s(:,]+), ", variable.type)
        sides = variable.type[there.end() if there else 0 :].split(" = ")
        if len(sides) == 2 and names.intersection(sides):
            step = f"obtain ⟨{there[1]}, rfl⟩ := {variable.name}" if there else f"subst {variable.name}"
            yield Scheme(step, f"the value by {variable.name}")
            for name in [*([there[1]] if there else []), *inductive]:
                yield Scheme(f"({step}; induction {name})", f"induction on {name} with the value by {variable.name}")


def _by_rules(derivations: list[Variable]) -> Iterator[Scheme]:
    """Induction on a derivation, also without what the others say: it would be a condition of the hypothesis."""
    for variable in derivations:
        yield Scheme(f"induction {variable.name}", f"induction on {variable.name}")
    for variable in derivations if len(derivations) > 1 else ():
        others = " ".join(v.name for v in derivations if v is not variable)
        yield Scheme(f"(clear {others}; induction {variable.name})", f"induction on {variable.name} alone")


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


# -- Structural proofs ---------------------------------------------------------------------------------------------


BATCH = 5
SCHEME_BATCH = 12
MOST_CASES = 12


@dataclass(slots=True)
class Plan:
    """A step that applies to the goal, and what is known about its cases."""

    scheme: Scheme
    cases: tuple[str, ...]
    """Tags of the goals that it leaves."""
    closed: dict[str, str] = field(default_factory=dict)
    """What closes a case."""
    tried: set[str] = field(default_factory=set)
    """What has been tried on its cases."""
    simplest: str = ""
    """The smallest goal that is left of an open case after a closer; "" when none has left any."""

    @property
    def open(self) -> tuple[str, ...]:
        """The cases that nothing has closed yet."""
        return tuple(case for case in self.cases if case not in self.closed)

    def proof(self, goal: Goal) -> str:
        """The text after ``:=``, with `sorry` in the open cases."""
        used = [self.closed.get(case, "sorry") for case in self.cases]
        step = _indented(self.scheme.tactic)
        if len(set(used)) == 1 and used[0] != "sorry":
            return f"{goal.start}  {step} <;> {used[0]}"
        lines = [
            f"  case {case} => {tactic}" if case else f"  {tactic}"
            for case, tactic in zip(self.cases, used, strict=True)
        ]
        return "\n".join([f"{goal.start}  {step}", *lines])


def _indented(tactic: str) -> str:
    return tactic.replace("\n", "\n  ")


async def plans(lean: LeanRuntime, task: Task, goal: Goal, steps: Sequence[Scheme], clock: Clock) -> list[Plan]:
    """The steps that apply to the goal and leave cases that can be told apart."""
    found = []
    for at in range(0, len(steps), SCHEME_BATCH):
        batch = steps[at : at + SCHEME_BATCH]
        proofs = [f"{goal.start}  {_indented(scheme.tactic)}" for scheme in batch]
        if clock.over:
            break
        for scheme, messages in zip(batch, await tried(lean, task, proofs, SMALL, clock), strict=True):
            left = unsolved(messages)
            if left is None:
                continue
            tags = tuple(tag for tag, _ in left)
            if (
                tags
                and (all(tags) or len(tags) == 1)
                and len(set(tags)) == len(tags) <= MOST_CASES
                and not _same(goal, left)
            ):
                found.append(Plan(scheme, tags))
    return found


def _same(goal: Goal, left: Sequence[tuple[str, str]]) -> bool:
    """Whether the step has changed nothing."""
    return len(left) == 1 and read_goal(left[0][1]) == ([(v.name, v.type) for v in goal.context], goal.target)


def unsolved(messages: Sequence[Message] | None) -> list[tuple[str, str]] | None:
    """The tags and texts of the goals that Lean says to be left; None when there was any other error."""
    if messages is None:
        return None
    errors = [m for m in messages if m.severity == "error"]
    if any(not m.text.startswith("unsolved goals") for m in errors) or len(errors) > 1:
        return None
    if not errors:
        return []
    goals = errors[0].text.partition("\n")[2].split("\n\n")
    return [((re.match(r"case (\S+)", text) or ["", ""])[1], text) for text in goals]


async def close(
    lean: LeanRuntime, task: Task, goal: Goal, made: Sequence[Plan], closers: Sequence[str], clock: Clock
) -> Proposal | None:
    """Try every closer on every open case of the plans; the first plan without an open case is the proof."""
    work = [(plan, closer) for closer in closers for plan in made if closer not in plan.tried]
    slow: list[tuple[Plan, str]] = []
    log = trial_log()
    log.begin("structural steps")
    found = await _close(lean, task, goal, work, SMALL, clock, slow) or await _close(
        lean, task, goal, slow, LARGE, clock, []
    )
    if found is not None:
        log.end(Status.PROVED, "accepted", what=found.proof)
        return found
    log.end(*((Status.TIMEOUT, "the time was used up") if clock.over else (Status.FAILED, "each leaves a case open")))
    for plan in {id(plan): plan for plan, _ in work}.values():
        log.tried(plan.scheme.tactic, Status.OPEN, _still_open(plan), strategy=plan.scheme.strategy, left=plan.simplest)
    return None


def _still_open(plan: Plan) -> str:
    """For people; ``open`` is empty where Lean did not accept what was put together."""
    named = ", ".join(filter(None, plan.open))
    which = f": {named}" if named else ""
    return (
        f"{len(plan.open) or 'some'} of {len(plan.cases)} cases open{which} ({len(plan.tried)} tactics tried on each)"
    )


async def _close(
    lean: LeanRuntime,
    task: Task,
    goal: Goal,
    work: Sequence[tuple[Plan, str]],
    heartbeats: int,
    clock: Clock,
    slow: list[tuple[Plan, str]],
) -> Proposal | None:
    for at in range(0, len(work), BATCH):
        if clock.over:
            return None
        batch = work[at : at + BATCH]
        proofs = [f"{goal.start}  {_indented(plan.scheme.tactic)} <;> try (solve | {closer})" for plan, closer in batch]
        trial_log().at("; ".join(f"{' '.join(plan.scheme.tactic.split())} <;> {closer}" for plan, closer in batch))
        for (plan, closer), messages in zip(batch, await tried(lean, task, proofs, heartbeats, clock), strict=True):
            left = unsolved(messages)
            if left is None and heartbeats < LARGE:
                slow.append((plan, closer))
                continue
            plan.tried.add(closer)
            if left is None:
                continue
            still = {tag for tag, _ in left}
            targets = [target_of(text) for _, text in left]
            plan.simplest = min(filter(None, (plan.simplest, *targets)), key=len, default="")
            closes = [case for case in plan.cases if case not in still]
            if not still:
                plan.closed = dict.fromkeys(plan.cases, closer)  # one tactic for all reads better than several
            plan.closed.update({case: closer for case in closes if case not in plan.closed})
            if plan.open:
                continue
            proposal = proposed(goal, plan)
            if await accepted(lean, task, proposal, clock):
                return proposal
            plan.closed.clear()
    return None


def proposed(goal: Goal, plan: Plan) -> Proposal:
    """The plan as a proof or sketch."""
    return Proposal(plan.proof(goal), "", plan.scheme.strategy, fingerprint(plan.scheme), shape(goal))


def fingerprint(scheme: Scheme) -> str:
    """What makes two plans the same: the step itself."""
    return "lean:" + " ".join(scheme.tactic.split())


def shape(goal: Goal) -> str:
    """The kind of goal: its relation, and the types of its variables."""
    relation = re.search(r" (=|≠|≤|<|≥|>|∣|∧|∨|↔|∈) ", goal.target)
    types = sorted({v.type.split()[0] for v in goal.context if v.info == "default" and len(v.type) < 40})
    return f"{relation[1] if relation else '·'}:{','.join(types)}"


async def open_plan(
    lean: LeanRuntime, task: Task, goal: Goal, made: Sequence[Plan], banned: frozenset[str], clock: Clock
) -> Proposal | None:
    """The best plan with open cases that is not banned and that Lean accepts but for the holes."""
    fitting = [p for p in made if fingerprint(p.scheme) not in banned and p.open]
    order = {id(p): n for n, p in enumerate(fitting)}
    for plan in sorted(fitting, key=lambda p: (len(p.open), order[id(p)])):
        if clock.over:
            return None
        proposal = proposed(goal, plan)
        (messages,) = await tried(lean, task, [proposal.proof], LARGE, clock)
        if messages is not None and not any(m.severity == "error" for m in messages):
            return proposal
    return None
