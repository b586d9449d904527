"""What a goal speaks about, read from Lean: its functions and those they are defined by, with defining equations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.languages.lean.symbolic.attempts import Clock
from goedels_poetry.languages.lean.symbolic.pool import World, unify
from goedels_poetry.languages.lean.symbolic.terms import Term, as_type, opened_forall, read_term
from goedels_poetry.languages.lean.symbolic.theory import SHOWN, Theory, renamed, theory_of, with_suffix
from goedels_poetry.languages.lean.symbolic.types import INT, NAT, PROP, NotSimple, Signature, Type, read_signature
from goedels_poetry.languages.lean.symbolic.values import (
    CONSTRUCTORS,
    LIBRARY,
    NATIVE,
    Equation,
    Evaluator,
    Samples,
    read_equation,
)
from goedels_poetry.languages.lean.task import Task

MOST_EQUATIONS, MOST_ROUNDS, MOST_FUNCTIONS, MOST_TYPES = 9, 3, 9, 7
_FULL = SHOWN + "set_option pp.funBinderTypes true\nset_option pp.structureInstances false\n"
_SPECIAL = frozenset({"fun", "∀", "→", "@", "ite", "cond", "Type", "Sort", "Prop", "True", "False", "_"})
_LISTS = Type("List", (Type("α"),))
_OPERATIONS = (
    *(Signature(f"H{n}.h{n}", (), (NAT, NAT), NAT) for n in ("Add", "Mul")),
    Signature("HPow.hPow", (), (NAT, NAT), NAT),
    Signature("HSub.hSub", (), (NAT, NAT), NAT),
    Signature("Max.max", (), (NAT, NAT), NAT),
    Signature("Min.min", (), (NAT, NAT), NAT),
    Signature("HAppend.hAppend", ("α",), (_LISTS, _LISTS), _LISTS),
    Signature("Membership.mem", ("α",), (_LISTS, Type("α")), PROP),
    Signature("LE.le", (), (NAT, NAT), PROP),
    *(Signature(f"H{n}.h{n}", (), (INT, INT), INT) for n in ("Add", "Mul", "Sub")),
    Signature("Neg.neg", (), (INT,), INT),
    Signature("Max.max", (), (INT, INT), INT),
    Signature("Min.min", (), (INT, INT), INT),
    Signature("LE.le", (), (INT, INT), PROP),
)
_NOT_READ = frozenset({"List.append", "List.length", "List.reverse"})


async def world_of(lean: LeanRuntime, task: Task, clock: Clock) -> World | None:
    """The world of a task; None when Lean gives no answer or the statement is of no kind that is read here."""
    theory = await theory_of(lean, task.prefix, clock.left)
    goal = with_suffix(task.name, "_goal")
    shown = await _shown(lean, task, f"{renamed(task, '_goal')} := by sorry\n\n", [goal], clock)
    if len(shown) != 1:
        return None
    try:
        statement = read_term(next(iter(shown.values())))
    except NotSimple:
        return None
    equations, signatures = await _definitions(lean, task, statement, theory, clock)
    return _assembled(statement, theory, equations, signatures)


async def _shown(lean: LeanRuntime, task: Task, before: str, names: Sequence[str], clock: Clock) -> dict[str, str]:
    """The types of constants, those that exist."""
    code = "\n" + task.stubs + before + _FULL + "".join(f"#check @{_whole(name)}\n" for name in names)
    result = await lean.check(CheckRequest(code, prefix=task.prefix, seconds=clock.left))
    found = {}
    for message in result.messages:
        name, colon, type_ = message.text.lstrip("@").partition(" : ")
        if message.severity == "info" and colon:
            found[_plain(name).split(".{")[0]] = " ".join(_plain(type_).split())
    return found


def _whole(name: str) -> str:
    """A full name, whatever is open; the probe's own is none."""
    return name if name.endswith(("_goal", "_goal»")) else f"_root_.{name}"


def _plain(text: str) -> str:
    return text.replace("_root_.", "")


def _constants(terms: Iterable[Term]) -> list[str]:
    """Heads in order of appearance, without bound names."""
    found: dict[str, None] = {}

    def visit(term: Term, bound: frozenset[str]) -> None:
        inner = bound | set(term.names)
        if term.head not in bound and term.head not in _SPECIAL and not term.head.isdecimal():
            found[term.head] = None
        for a in term.args:
            visit(a, inner)

    for term in terms:
        visit(term, frozenset())
    return list(found)


async def _definitions(
    lean: LeanRuntime, task: Task, statement: Term, theory: Theory, clock: Clock
) -> tuple[dict[str, list[Equation]], dict[str, Signature]]:
    """Defining equations of every function that the statement needs, and the types of those of the library."""
    made = {c.name for cs in theory.constructors.values() for c in cs}
    known = {*made, *CONSTRUCTORS, *NATIVE}
    equations: dict[str, list[Equation]] = {}
    signatures: dict[str, Signature] = {f.name: f for f in theory.functions}
    new = _constants([statement])
    for _ in range(MOST_ROUNDS):
        wanted = [n for n in new if n not in known and n not in equations]
        typed = [n for n in new if n not in made and n not in signatures and (n not in known or n in _NOT_READ)]
        asked = [*typed, *(f"{n}.eq_{k}" for n in wanted for k in range(1, MOST_EQUATIONS + 1))]
        if not asked or clock.over:
            break
        shown = await _shown(lean, task, "", asked, clock)
        texts: list[Term] = []
        for name in typed:
            try:
                signatures[name] = read_signature(name, shown[name])
            except (NotSimple, KeyError):
                continue
        for name in wanted:
            equations[name] = []
            for k in range(1, MOST_EQUATIONS + 1):
                try:
                    equation = read_term(shown[f"{name}.eq_{k}"])
                    equations[name].append(read_equation(equation)[1])
                    texts.append(equation)
                except (NotSimple, KeyError):
                    continue
        new = _constants(texts)
    return {n: e for n, e in equations.items() if e}, signatures


def _assembled(
    statement: Term, theory: Theory, equations: dict[str, list[Equation]], signatures: dict[str, Signature]
) -> World | None:
    bound, goal = opened_forall(statement)
    variables: dict[str, Type] = {}
    parameters = [name for name, _, type_ in bound if type_.head in ("Type", "Sort")]
    for name, info, type_ in bound:
        if info == "inst" or type_.head in ("Type", "Sort") or not name:
            continue
        try:
            variables[name] = as_type(type_)
        except NotSimple:
            continue
    variables = {n: t for n, t in variables.items() if not _proof(t)}
    mentioned = set(_constants([goal]))
    order = [n for n in equations if n in signatures and ".match_" not in n]
    own = {f.name for f in theory.functions}
    functions = [signatures[n] for n in order if n in own]
    functions += [signatures[n] for n in order if n not in own and n in mentioned]
    functions += [signatures[n] for n in _NOT_READ & set(signatures) if n in mentioned or _used(n, equations)]
    functions.sort(key=lambda f: f.name not in mentioned)
    functions = [f for f in functions if f.arguments][:MOST_FUNCTIONS]
    used = {h for es in equations.values() for e in es for h in e.value.heads()} | mentioned
    types = _types(functions, variables, [Type(p) for p in parameters])
    used |= {"HAdd.hAdd"} if NAT in types or INT in types else set()
    used |= {"HAppend.hAppend"} if any(t.head == "List" for t in types) else set()
    absent = {t for t in (NAT, INT) if t not in types}
    operations = [s for s in _OPERATIONS if s.name in used and not absent.intersection(s.arguments)]
    if "Membership.mem" in used:
        alpha = Type("α")
        operations += [
            Signature("Eq", ("α",), (alpha, alpha), PROP),
        ]
    constructors = {**LIBRARY, **theory.constructors}
    arities = {c.name: len(c.arguments) for cs in theory.constructors.values() for c in cs}
    return World(
        tuple(functions),
        constructors,
        tuple(operations),
        equations,
        Evaluator(arities, equations),
        Samples(theory.constructors),
        goal,
        variables,
        frozenset(mentioned & {f.name for f in functions}),
        types,
        frozenset(parameters),
    )


def _proof(type_: Type) -> bool:
    return type_.head in (
        "Eq",
        "Ne",
        "LE.le",
        "LT.lt",
        "Not",
        "And",
        "Or",
        "Iff",
        "Exists",
        "Dvd.dvd",
        "Membership.mem",
    )


def _used(name: str, equations: dict[str, list[Equation]]) -> bool:
    return any(name in e.value.heads() for es in equations.values() for e in es)


def _types(functions: Sequence[Signature], variables: dict[str, Type], rigid: Sequence[Type]) -> list[Type]:
    """Types of data that variables of a conjecture may have, those of the goal first."""
    found = list(dict.fromkeys(variables.values()))
    elements = list(dict.fromkeys([*(a for t in found for a in t.args if t.head != "→"), *rigid])) or [NAT]
    for f in functions:
        if not f.parameters:
            found += [*f.arguments, f.result]
        else:
            for given in _instances(f, found, elements):
                found += [*(a.put(given) for a in f.arguments), f.result.put(given)]
    found += [a for t in list(found) if t.head != "→" for a in t.args]
    return [t for t in dict.fromkeys(found) if t not in (PROP, Type("Type"))][:MOST_TYPES]


def _instances(f: Signature, types: Sequence[Type], elements: Sequence[Type]) -> list[dict[str, Type]]:
    for a in f.arguments:
        for t in types:
            given: dict[str, Type] = {}
            if a.args and unify(a, t, f.parameters, given) and len(given) == len(f.parameters):
                return [given]
    return [dict.fromkeys(f.parameters, elements[0])]
