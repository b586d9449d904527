"""What Lean says about the text before a theorem, and about the theorem once its variables are introduced."""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.lean.text.sketch import call
from goedels_poetry.lean.text.task import Task, statement_of

# -- Types as Lean prints them, as far as terms are enumerated over them -------------------------------------------

_TOKEN = re.compile(r"\s*(→|->|×|[()\[\]{}⦃⦄:,.]|∀|«[^»]*»(?:\.\w+)*|[^\s()\[\]{}⦃⦄:,→×]+)")
_CLOSE = {"(": ")", "{": "}", "[": "]", "⦃": "⦄"}


@dataclass(frozen=True, slots=True)
class Type:
    """A constant or parameter applied to types; a function type has the head "→" and two arguments."""

    head: str
    args: tuple[Type, ...] = ()

    def text(self, inner: bool = False) -> str:
        """As Lean reads it; in parentheses when it is an argument and needs them."""
        if self.head == "→":
            shown = f"{self.args[0].text(True)} → {self.args[1].text()}"
        else:
            shown = " ".join((self.head, *(a.text(True) for a in self.args)))
        return f"({shown})" if inner and self.args else shown

    def put(self, values: Mapping[str, Type]) -> Type:
        """With types for the parameters."""
        if not self.args and self.head in values:
            return values[self.head]
        return Type(self.head, tuple(a.put(values) for a in self.args))


NAT = Type("Nat")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function: its type parameters, the types of its explicit arguments, and of its value."""

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[Type, ...]
    result: Type


class NotSimple(Exception):
    """A type that the enumeration has no use for (dependent, or an instance of a structure of the user)."""


class _Reader:
    """Reads types from tokens, by descent."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise NotSimple(text)
        self.at = 0

    def peek(self) -> str:
        """The next token; "" at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        """Whether the next token is one of these; it is taken then."""
        found = self.peek() in wanted
        self.at += found
        return found

    def arrow(self) -> Type:
        left = self.product()
        return Type("→", (left, self.arrow())) if self.take("→", "->") else left

    def product(self) -> Type:
        left = self.application()
        return Type("Prod", (left, self.product())) if self.take("×") else left

    def application(self) -> Type:
        head, args = self.atom(), []
        while self.peek() not in ("", ")", "→", "->", "×", ":", ",", "]", "}", "⦄"):
            args.append(self.atom())
        return Type(head.head, (*head.args, *args)) if args else head

    def atom(self) -> Type:
        if self.take("("):
            inner = self.arrow()
            if not self.take(")"):
                raise NotSimple("a bracket stays open")
            return inner
        if self.peek() in ("", "∀", "{", "[", "⦃", "."):
            raise NotSimple(self.peek() or "it ends too early")
        self.at += 1
        return Type(self.tokens[self.at - 1])

    def binder(self) -> tuple[str, list[str], Type] | None:
        """``(a b : T)``, ``{a : T}`` or ``[C a]`` at this place; None for what is none."""
        start, opening = self.at, self.peek()
        if not self.take(*_CLOSE):
            return None
        names = []
        while re.match(r"[^\s()\[\]{}:,→×]", self.peek() or "("):
            names.append(self.peek())
            self.at += 1
        if not self.take(":"):
            names, self.at = [], start + 1
        if names or opening == "[":
            type_ = self.arrow()
            if self.take(_CLOSE[opening]):
                return opening, names, type_
        self.at = start
        return None


def read_type(text: str) -> Type:
    """A closed type; raises :class:`NotSimple`."""
    reader = _Reader(text)
    found = reader.arrow()
    if reader.peek():
        raise NotSimple(text)
    return found


def read_signature(name: str, text: str) -> Signature:
    """The type of a function as ``#check @name`` shows it; raises :class:`NotSimple` when a type depends on a value."""
    reader = _Reader(text)
    parameters: list[str] = []
    arguments: list[Type] = []
    while (binder := reader.binder()) is not None:
        opening, names, type_ = binder
        if type_.head in ("Type", "Sort"):
            parameters += names
        elif opening == "(":
            arguments += [type_] * len(names)
        elif opening != "[":  # an instance is found by Lean
            raise NotSimple(text)
        if not reader.take("→"):
            raise NotSimple(text)
    rest = reader.arrow()
    while rest.head == "→":
        arguments.append(rest.args[0])
        rest = rest.args[1]
    if reader.peek() or any(a.head in ("Type", "Sort") for a in (*arguments, rest)):
        raise NotSimple(text)
    return Signature(name, tuple(parameters), tuple(arguments), rest)


# -- What Lean says about a text and a goal ------------------------------------------------------------------------

SHOWN = (
    "set_option pp.fullNames true\nset_option pp.notation false\nset_option pp.fieldNotation false\n"
    "set_option pp.mvars false\nset_option format.width 100000\n"
)
MOST_LEMMAS = 12
_MADE_BY_LEAN = re.compile(
    r"(^|\.)(_\w+|match_\d+|below|brecOn|casesOn|recOn|rec|noConfusion|noConfusionType|ctorElim|ctorElimType|ctorIdx|"
    r"elim|inj|injEq|sizeOf_spec|eq_\d+|eq_def|eq_unfold|induct|induct_unfolding|fun_cases\w*|mutual_induct|"
    r"inst[A-Z]\w*|toCtorIdx|ofNat_ctorIdx|go\.eq)(\.|$)"
)


@dataclass(frozen=True, slots=True)
class Theory:
    """The declarations of a prefix. Names are full."""

    functions: tuple[Signature, ...]
    opaque: tuple[str, ...]
    """Definitions whose type is none that `read_signature` reads (they can still be unfolded)."""
    constructors: dict[str, tuple[Signature, ...]]
    """Of each inductive type that is no proposition."""
    lemmas: tuple[str, ...]
    clashing: frozenset[str] = frozenset()
    """Definitions whose name alone means something else as well (`insert`, `length` after `open List`)."""
    printed: tuple[tuple[str, str], ...] = ()
    """What ``#print`` says of the definitions that are propositions, or `opaque`."""
    rules: tuple[str, ...] = ()
    """Constructors of inductive predicates and families."""

    def written(self, name: str) -> str:
        """A definition as a tactic has to call it."""
        return f"_root_.{name}" if name in self.clashing else name

    @property
    def names(self) -> tuple[str, ...]:
        """Every definition."""
        return (*(f.name for f in self.functions), *self.opaque)


@dataclass(frozen=True, slots=True)
class Variable:
    """A name of the local context."""

    name: str
    type: str
    info: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A theorem after the introduction of all its variables and hypotheses."""

    intro: tuple[str, ...]
    """The names that a proof has to introduce first."""
    context: tuple[Variable, ...]
    target: str
    statement: str
    """Closed over the context, printed so that Lean reads it back; "" when Lean could not."""
    levels: tuple[str, ...] = ()

    @property
    def start(self) -> str:
        """``by`` and the introductions, ready for tactics indented by two."""
        return "by\n" + (f"  intro {' '.join(self.intro)}\n" if self.intro else "")


K = TypeVar("K")
V = TypeVar("V")
MOST_KEPT = 16
_KNOWN: weakref.WeakKeyDictionary[LeanRuntime, dict[str, Theory]] = weakref.WeakKeyDictionary()
_OPENED: weakref.WeakKeyDictionary[LeanRuntime, dict[Task, Goal]] = weakref.WeakKeyDictionary()


async def theory_of(lean: LeanRuntime, prefix: str, seconds: float) -> Theory:
    """Definitions, types and lemmas of a prefix; asked once for a Lean and prefix. Empty when Lean does not answer."""
    known = _KNOWN.setdefault(lean, {})
    if prefix not in known:
        made = await _ask(lean, prefix, seconds)
        if made is None:
            return Theory((), (), {}, ())
        _keep(known, prefix, made)
    return known[prefix]


def _keep(known: dict[K, V], key: K, value: V) -> None:
    """Remember it, and forget the oldest of what is more than a few."""
    known[key] = value
    while len(known) > MOST_KEPT:
        known.pop(next(iter(known)))


async def _ask(lean: LeanRuntime, prefix: str, seconds: float) -> Theory | None:
    listed = await lean.check(CheckRequest("\n", prefix=prefix, seconds=seconds, declarations=True))
    if listed.status != "done":
        return None
    inductive = {d.name for d in listed.declarations if d.kind == "inductive"}
    names = {d.name for d in listed.declarations}
    wanted: dict[str, list[str]] = {"def": [], "constructor": [], "theorem": []}
    for found in listed.declarations:
        if found.name.endswith(".ofNat") and f"{found.name}_ctorIdx" in names:
            continue  # of an enumeration, made by Lean
        if found.kind in wanted and not _MADE_BY_LEAN.search(found.name) and not found.unsafe:
            wanted[found.kind].append(found.name)
    asked = [*wanted["def"], *wanted["constructor"]]
    commands = [f"#check @{space}{n}" for n in asked for space in ("_root_.", "")]
    shown = await _shown(lean, prefix, f"\n{SHOWN}", commands, seconds)
    printed = {at: " ".join(text.lstrip("@").replace("_root_.", "").split()) for at, text in shown.items()}
    types = dict(text.split(" : ", 1) for at, text in printed.items() if at % 2 == 0 and " : " in text)
    clashing = frozenset(name for at, name in enumerate(asked) if printed.get(2 * at) != printed.get(2 * at + 1))
    functions: list[Signature] = []
    opaque: list[str] = []
    constructors: dict[str, list[Signature]] = {}
    for name in asked:
        try:
            signature = read_signature(name, types[name])
        except (NotSimple, KeyError):
            if name in wanted["def"]:
                opaque.append(name)
            continue
        if name in wanted["def"]:
            functions.append(signature)
        elif signature.result.head in inductive and all(
            a.head in signature.parameters for a in signature.result.args
        ):  # else a predicate, or a family
            constructors.setdefault(signature.result.head, []).append(signature)
    formulas = [f.name for f in functions if f.result.head == "Prop"]
    bodies = await _printed(lean, prefix, [*formulas, *opaque], seconds)
    return Theory(
        tuple(functions),
        tuple(opaque),
        {k: tuple(v) for k, v in constructors.items()},
        tuple(wanted["theorem"][:MOST_LEMMAS]),
        clashing & set(wanted["def"]),
        bodies,
        tuple(n for n in wanted["constructor"] if n.rpartition(".")[0] not in constructors),
    )


async def _printed(lean: LeanRuntime, prefix: str, names: list[str], seconds: float) -> tuple[tuple[str, str], ...]:
    if not names:
        return ()
    options = "\nset_option pp.fullNames true\nset_option format.width 100000\n"
    texts = await _shown(lean, prefix, options, [f"#print _root_.{n}" for n in names], seconds)
    return tuple((name, texts[at]) for at, name in enumerate(names) if at in texts)


async def _shown(lean: LeanRuntime, prefix: str, options: str, commands: list[str], seconds: float) -> dict[int, str]:
    """What Lean says to each of the commands, which have a line each, by their numbers."""
    code = options + "".join(f"{command}\n" for command in commands)
    seen = await lean.check(CheckRequest(code, prefix=prefix, seconds=seconds))
    first = f"{prefix}{options}".count("\n") + 1
    return {m.line - first: m.text for m in seen.messages}


async def opened(lean: LeanRuntime, task: Task, seconds: float) -> Goal | None:
    """The goal of a task after `intros`, asked once for a Lean; None when the statement does not elaborate in time."""
    known = _OPENED.setdefault(lean, {})
    if task not in known:
        goal = await _opened(lean, task, seconds)
        if goal is None:
            return None
        _keep(known, task, goal)
    return known[task]


async def _opened(lean: LeanRuntime, task: Task, seconds: float) -> Goal | None:
    code = task.stubs + (
        "set_option tactic.hygienic false\nset_option format.width 100000\nset_option pp.fullNames true\n"
        f"{renamed(task, '_before')} := by\n  sorry\n\n{renamed(task, '_after')} := by\n  intros\n  sorry\n"
    )
    result = await lean.check(CheckRequest("\n" + code, prefix=task.prefix, seconds=seconds, holes=True))
    if not result.ok or len(result.holes) != 2 or not all(h.goals for h in result.holes):
        return None
    before, after = result.holes[0].goals[0], result.holes[1].goals[0]
    old = len(before.binders)
    variables, target = read_goal(after.goal)
    if len(variables) != len(after.binders):
        return None
    context = tuple(Variable(n, t, b.info) for (n, t), b in zip(variables, after.binders, strict=True))
    return Goal(tuple(v.name for v in context[old:]), context, target, after.statement, after.levels)


def read_goal(text: str) -> tuple[list[tuple[str, str]], str]:
    """The names with their types, and the target, of a goal as Lean shows it."""
    context, _, target = re.sub(r"\n\s+", " ", f"\n{text}").partition("\n⊢")
    lines = [line.partition(" : ") for line in context.split("\n")[1:] if not line.startswith("case ")]
    variables = [(name, type_.split(" := ")[0]) for names, _, type_ in lines for name in names.split()]
    return variables, target.partition("\n")[0].strip()


def renamed(task: Task, suffix: str) -> str:
    """The head with another name for the theorem, so that several attempts fit into one text."""
    at = re.search(r"\b(theorem|lemma|example)\b\s+", task.head)
    place = task.head.find(task.name, at.end() if at else 0)
    if place < 0:
        return task.head
    end = place + len(task.name)
    return f"{task.head[:place]}{with_suffix(task.name, suffix)}{task.head[end:]}"


def with_suffix(name: str, suffix: str) -> str:
    """A longer name: ``«a b»`` becomes ``«a b_goal»``."""
    return f"{name[:-1]}{suffix}»" if name.endswith("»") else f"{name}{suffix}"


# -- Functions that hypotheses define ------------------------------------------------------------------------------

_HEAD = re.compile(r"(?P<call>[^\s()]+(?: [^\s()]+)+?) (?P<sign>[=↔]) (?P<body>.+)")
_LAST = re.compile(r"(?P<body>.+) (?P<sign>[=↔]) (?P<call>[^\s()]+(?: [^\s()]+)+)")


@dataclass(frozen=True, slots=True)
class Defined:
    """A hypothesis ``h : ∀ x y, f x y = t``, either way round or with ``↔``, about a variable ``f``."""

    hypothesis: str
    function: str
    arguments: tuple[str, ...]
    body: str
    proof: str
    """Of ``f = fun x y => t``."""
    reflexive: str
    """What proves the hypothesis where ``f`` is that function."""

    @property
    def step(self) -> str:
        """The tactic that puts the definition in for the function."""
        text = f"{self.function} = fun {' '.join(self.arguments)} =>"
        return f"(have gp_is : {text} _ := {self.proof}; subst gp_is; clear {self.hypothesis})"


@dataclass(frozen=True, slots=True)
class Unfolded:
    """A goal without the functions that its hypotheses define: each of the two follows from the other."""

    task: Task
    """The lemma that is left; the goal itself where nothing is defined."""
    link: str = ""
    """The proof of the goal by that lemma: the text after ``:=``; "" where nothing is defined."""
    back: str = ""
    """The lemma from the goal, called ``claim``: a tactic block."""
    shown: str = ""
    """The definitions, for people."""


_UNFOLDED: weakref.WeakKeyDictionary[LeanRuntime, dict[Task, Unfolded]] = weakref.WeakKeyDictionary()


async def unfolded(lean: LeanRuntime, task: Task, seconds: float) -> Unfolded:
    """The goal of a task with definitions in the places of functions; asked once for a Lean and task."""
    known = _UNFOLDED.setdefault(lean, {})
    if task not in known:
        goal = await opened(lean, task, seconds)
        if goal is None:
            return Unfolded(task)
        found = [d for v in goal.context if (d := _definition(v, goal)) is not None]
        smaller = await _without(lean, task, goal, found, seconds) if found else Unfolded(task)
        if smaller is None:
            return Unfolded(task)
        _keep(known, task, smaller)
    return known[task]


def _definition(hypothesis: Variable, goal: Goal) -> Defined | None:
    """What a hypothesis defines, by its form; whether it does, Lean says."""
    binders, comma, rest = hypothesis.type.removeprefix("∀ ").partition(", ")
    if not comma or not hypothesis.type.startswith("∀ "):
        return None
    names = [n for group in re.findall(r"[({⦃]([^:]+) :", binders) for n in group.split()]
    for form, ending in ((_HEAD, ""), (_LAST, ".symm")):
        found = form.fullmatch(rest)
        function, *arguments = found["call"].split() if found else [""]
        if found and sorted(arguments) == sorted(names) and any(v.name == function for v in goal.context):
            proof = f"(@{' '.join([hypothesis.name, *names])}){ending}"
            proof = f"propext {proof}" if found["sign"] == "↔" else proof
            for name in reversed(arguments):
                proof = f"funext fun {name} => {proof}"
            reflexive = f"(fun {' '.join('_' * len(names))} => {'Iff.rfl' if found['sign'] == '↔' else 'rfl'})"
            return Defined(hypothesis.name, function, tuple(arguments), found["body"], proof, reflexive)
    return None


async def _without(
    lean: LeanRuntime, task: Task, goal: Goal, found: Sequence[Defined], seconds: float
) -> Unfolded | None:
    """The goal with these definitions put in, as far as Lean takes them for such; None when it does not answer."""
    steps = "".join(f"  try {d.step}\n" for d in found)
    code = f"{task.stubs}set_option pp.beta true\n{renamed(task, '_rest')} := {goal.start}{steps}  sorry\n"
    result = await lean.check(CheckRequest(f"\n{code}", prefix=task.prefix, seconds=seconds, holes=True))
    if result.status != "done":
        return None
    left = result.holes[0].goals[0] if result.ok and len(result.holes) == 1 and result.holes[0].goals else None
    kept = {b.name for b in left.binders} if left is not None else set()
    used = [d for d in found if d.hypothesis not in kept]
    if left is None or not left.statement or not used:
        return Unfolded(task)
    name = "unfolded"
    while name in f"{task.prefix}{task.stubs}{task.head}":
        name += "_1"
    link = "".join([goal.start, *(f"  {d.step}\n" for d in used), f"  {call(name, left, tactic=True)}"])
    given = {**{d.function: "_" for d in used}, **{d.hypothesis: d.reflexive for d in used}}
    names = [f"gp_{n}" if b.hidden else b.name for n, b in enumerate(left.binders)]
    claim = " ".join(given.get(v.name) or (v.name if v.name in names else "_") for v in goal.context)
    intro = f"intro {' '.join(names)}; " if names else ""
    return Unfolded(
        replace(task, head=statement_of(name, left.statement, left.levels), name=name),
        link,
        f"({intro}have given := @claim {claim}; exact given)",
        ", ".join(f"{d.function} = fun {' '.join(d.arguments)} => {d.body}" for d in used),
    )
