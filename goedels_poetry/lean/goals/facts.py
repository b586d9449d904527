"""What Lean says about the constants of a goal: their types, and how functions are defined."""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData, Stream
from goedels_poetry.lean.goals.expressions import Expr, tree
from goedels_poetry.lean.goals.library import BEHIND, EQUATIONS, KNOWN
from goedels_poetry.lean.runtime.protocol import PRIVATE, CheckRequest, LeanRuntime

PROBE = "gp_probe"
_NUMBERS = itertools.count(1)
"""No two probes have one name: the matchers that Lean makes for them are called after them."""
MOST_ROUNDS = 6
MOST_CONSTANTS = 150
_PROBES = re.compile(rf"(?:.*\.)?{PROBE}_(ty|eq)_(\d+)(.*)")


@dataclass(slots=True)
class Facts:
    """What is known of constants, by their full names."""

    equations: dict[str, Expr] = field(default_factory=dict)
    """``∀ x, f x = body``, for functions."""
    types: dict[str, Expr] = field(default_factory=dict)
    values: dict[str, Expr] = field(default_factory=dict)
    """Of definitions of the file."""
    constructors: dict[str, tuple[int, tuple[str, ...], bool]] = field(default_factory=dict)
    """Of the file's inductive types: number of parameters, constructors, whether there are indices."""
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Functions that read a field of a structure: the type and the field's number."""


_LIBRARY: weakref.WeakKeyDictionary[LeanRuntime, Facts] = weakref.WeakKeyDictionary()
"""What a Lean has said about its library."""


async def facts_of(
    lean: LeanRuntime, prefix: str, code: str, goal: str, functions: Sequence[str], seconds: float
) -> tuple[Expr, Facts] | None:
    """The type of the constant ``goal`` that ``code`` declares after ``prefix``, and all that it speaks of.

    ``functions``: definitions of the prefix that are likely to be needed. None when Lean gives no answer.
    """
    library = _LIBRARY.setdefault(lean, Facts())
    asked: dict[str, None] = dict.fromkeys(functions)
    facts = Facts()
    wanted: Iterable[str] = functions
    statement: Expr | None = None
    for _ in range(MOST_ROUNDS):
        names = list(wanted)
        answer = await _answers(lean, prefix, code, names, seconds)
        if answer is None:
            return None
        stream, about = answer
        made: dict[int, Expr] = {}
        if statement is None:
            found = _goal(stream, goal, made)
            if not found:
                return None
            statement = tree(stream, stream.constants[found][0].type, made)
            _declared(stream, facts, made)
        _read(stream, facts, library, about, made)
        missing = _missing(statement, facts, library, asked)
        if not missing:
            break
        asked.update(dict.fromkeys(missing))
        wanted = missing
        if len(asked) > MOST_CONSTANTS:
            break
    assert statement is not None
    return statement, Facts(
        {**library.equations, **facts.equations},
        {**library.types, **facts.types},
        facts.values,
        facts.constructors,
        facts.fields,
    )


def _goal(stream: Stream, name: str, made: dict[int, Expr]) -> str:
    """The full name of the constant that a goal, which is open, is; "" for none.

    Others may end in the same name: every constructor has its own ``inj``.
    """
    named = [n for n in stream.constants if n.removeprefix(PRIVATE) == name or n.endswith(f".{name}")]
    values = {n: stream.constants[n][0].value for n in named} if len(named) > 1 else {}
    open_ = [n for n, v in values.items() if v is not None and "sorryAx" in tree(stream, v, made).constants()]
    return (open_ or named or [""])[-1]


async def _answers(
    lean: LeanRuntime, prefix: str, code: str, names: Sequence[str], seconds: float
) -> tuple[Stream, dict[int, str]] | None:
    """The constants of the prefix, and of axioms with the types of others and with their equations."""
    lines, about = [], {}
    for name in names:
        number = next(_NUMBERS)
        about[number] = name
        whole = name.removeprefix(PRIVATE) if name.startswith(PRIVATE) else f"_root_.{name}"
        lines.append(f"axiom {PROBE}_ty_{number} : type_of% @{whole}\n")
        if ".match_" not in name:
            equation = EQUATIONS.get(name, f"type_of% @{whole}.eq_def")
            lines.append(f"axiom {PROBE}_eq_{number} : {equation}\n")
    text = f"\n{code}\n{''.join(lines)}"
    result = await lean.check(CheckRequest(text, prefix=prefix, seconds=seconds, export=True))
    if result.status != "done" or result.data is None:
        return None
    try:
        return read(result.data), about
    except BadData:
        return None


def _read(stream: Stream, facts: Facts, library: Facts, about: dict[int, str], made: dict[int, Expr]) -> None:
    """The probes: what concerns the library is kept for other goals."""
    for name, (constant, _) in stream.constants.items():
        match = _PROBES.match(name)
        if match is None:
            continue
        if not match[3]:
            of = about[int(match[2])]
            kept = facts if of in stream.constants or of.startswith(PRIVATE) else library
            (kept.types if match[1] == "ty" else kept.equations)[of] = tree(stream, constant.type, made)
        elif match[3].startswith(".match_"):
            library.types[name] = tree(stream, constant.type, made)


def _declared(stream: Stream, facts: Facts, made: dict[int, Expr]) -> None:
    """Types and constructors of the file, and the values of its definitions."""
    for name, (constant, declaration) in stream.constants.items():
        if constant.kind in ("constructor", "inductive", "def"):
            facts.types[name] = tree(stream, constant.type, made)
        if constant.kind == "inductive":
            record = next(t for t in declaration.record["types"] if stream.names[t["name"]] == name)
            names = tuple(stream.names[c] for c in record["ctors"])
            simple = record["numIndices"] == 0 and not record["isReflexive"]
            facts.constructors[name] = (record["numParams"], names, not simple)
        elif constant.kind == "def" and constant.value is not None and ".match_" not in name:
            value = tree(stream, constant.value, made)
            facts.values[name] = value
            body = value
            while body.kind == "lam":
                body = body.args[1]
            if body.kind == "proj" and body.args[0] == Expr("bound", number=0):
                facts.fields[name] = (body.name, body.number)


def _missing(statement: Expr, facts: Facts, library: Facts, asked: dict[str, None]) -> list[str]:
    """Constants that are spoken of and not known yet."""
    seen: set[str] = set()
    todo = [statement]
    missing: dict[str, None] = {}
    while todo:
        for constant in todo.pop().constants():
            for name in (constant, *BEHIND.get(constant, ())):
                if name not in seen and name not in KNOWN:
                    seen.add(name)
                    todo += _about(name, facts, library, asked, missing)
    return list(missing)


def _about(name: str, facts: Facts, library: Facts, asked: dict[str, None], missing: dict[str, None]) -> list[Expr]:
    """What is known of a constant; it is ``missing`` when something else has to be asked for."""
    if name in facts.constructors:
        return [facts.types[c] for c in facts.constructors[name][1] if c in facts.types]
    type_ = facts.types.get(name) or library.types.get(name)
    equation = facts.equations.get(name) or library.equations.get(name)
    if ".match_" in name and type_ is not None:
        return [type_]
    if equation is None and name in facts.values and _is_instance(name):
        return [facts.values[name]]
    if (
        equation is None
        and name not in asked
        and not (_is_instance(name) or _constructor(name, facts) or name in facts.fields)
    ):
        missing[name] = None
    found = [equation or facts.values.get(name) or type_]
    return [e for e in (type_, *found) if e is not None]


def _constructor(name: str, facts: Facts) -> bool:
    return any(name in cs for _, cs, _ in facts.constructors.values())


def _is_instance(name: str) -> bool:
    return name.rpartition(".")[2].startswith("inst")
