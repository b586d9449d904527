"""What Lean says about the constants of a goal: their types, and how functions are defined."""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData, Stream
from goedels_poetry.lean.runtime.protocol import PRIVATE, CheckRequest, LeanRuntime

# -- Lean's expressions as trees -----------------------------------------------------------------------------------

_FRESH = itertools.count()


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression without universes.

    ``kind`` is "const", "bound" (by ``number``), "free" (by ``name``, which is unique), "app" (the first of ``args`` to
    the others), "lam" and "pi" (``args``: type and body), "let" (type, value, body), "proj" (field ``number`` of the
    structure ``name``), "nat" (``number``), "text", "sort" (``number`` 0: of propositions).
    """

    kind: str
    name: str = ""
    args: tuple[Expr, ...] = ()
    number: int = 0
    info: str = "default"
    """Of a binder: "default", "implicit", "strictImplicit" or "instImplicit"."""

    @property
    def head(self) -> str:
        """The constant that this is or applies; "" for none."""
        first = self.args[0] if self.kind == "app" else self
        return first.name if first.kind == "const" else ""

    @property
    def operands(self) -> tuple[Expr, ...]:
        """What the head is applied to."""
        return self.args[1:] if self.kind == "app" else ()

    @property
    def result(self) -> Expr:
        """What follows the variables of a type, which it may speak of by their numbers."""
        e = self
        while e.kind == "pi":
            e = e.args[1]
        return e

    def parts(self) -> Iterator[Expr]:
        """Every expression in this one."""
        yield self
        for a in self.args:
            yield from a.parts()

    def constants(self) -> dict[str, None]:
        """Constants in it, in order of appearance."""
        return dict.fromkeys(p.name for p in self.parts() if p.kind == "const")

    def free(self) -> dict[str, None]:
        """Names of the free variables in it, in order of appearance."""
        return dict.fromkeys(p.name for p in self.parts() if p.kind == "free")


PROP = Expr("sort")


def const(name: str) -> Expr:
    """A constant."""
    return Expr("const", name)


def fresh(name: str) -> Expr:
    """A free variable that nothing else is called as."""
    return Expr("free", f"{name.partition('.')[0]}\0{next(_FRESH)}")


def plain(name: str) -> str:
    """What a free variable made by `fresh` is called by its author."""
    return name.partition("\0")[0]


def joined(head: Expr, operands: Sequence[Expr]) -> Expr:
    """An application as it stands."""
    if not operands:
        return head
    return Expr("app", "", (*(head.args if head.kind == "app" else (head,)), *operands))


def apply(head: Expr, operands: Sequence[Expr]) -> Expr:
    """An application of closed expressions, with abstractions at its head carried out."""
    rest = list(operands)
    while True:
        if head.kind == "app":
            head, rest = head.args[0], [*head.args[1:], *rest]
        elif rest and head.kind == "lam":
            head = opened(head.args[1], rest.pop(0))
        else:
            return joined(head, rest)


def _below(e: Expr, change: Callable[[Expr, int], Expr], depth: int) -> Expr:
    """An expression with its parts changed, each told how many binders are above it."""
    if not e.args:
        return e
    inner, last = int(e.kind in ("lam", "pi", "let")), len(e.args) - 1
    made = tuple(change(a, depth + (inner if i == last else 0)) for i, a in enumerate(e.args))
    if made == e.args:
        return e
    return joined(made[0], made[1:]) if e.kind == "app" else replace(e, args=made)


def opened(body: Expr, value: Expr, depth: int = 0) -> Expr:
    """The body of a binder with the closed ``value`` in the variable's place."""
    if body.kind == "bound":
        if body.number == depth:
            return value
        return replace(body, number=body.number - 1) if body.number > depth else body
    return _below(body, lambda part, inner: opened(part, value, inner), depth)


def put(body: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with closed values for free variables."""
    if body.kind == "free":
        return values.get(body.name, body)
    return _below(body, lambda part, _: put(part, values), 0)


def telescope(e: Expr) -> tuple[list[tuple[Expr, Expr, str]], Expr]:
    """The variables of a type with their types and binders, made free, and what follows them."""
    found = []
    while e.kind == "pi":
        variable = fresh(e.name)
        found.append((variable, e.args[0], e.info))
        e = opened(e.args[1], variable)
    return found, e


def tree(stream: Stream, at: int, known: dict[int, Expr]) -> Expr:
    """The expression of an id of the stream; ``known``: those made so far."""
    todo = [at]
    while todo:
        here = todo[-1]
        if here in known:
            todo.pop()
            continue
        e = stream.exprs[here]
        below = {"app": (1, 2), "lam": (2, 3), "forallE": (2, 3), "letE": (2, 3, 4), "proj": (3,)}.get(e[0], ())
        missing = [e[i] for i in below if e[i] not in known]
        if missing:
            todo += missing
            continue
        todo.pop()
        known[here] = _node(stream, e, [known[e[i]] for i in below])
    return known[at]


def _node(stream: Stream, e: tuple[object, ...], below: list[Expr]) -> Expr:
    numbers = [x if isinstance(x, int) else 0 for x in e]
    match e[0]:
        case "app":
            return joined(below[0], below[1:])
        case "lam" | "forallE":
            kind = "lam" if e[0] == "lam" else "pi"
            return Expr(kind, stream.names[numbers[1]], tuple(below), info=str(e[4]))
        case "letE":
            return Expr("let", args=tuple(below))
        case "const":
            return Expr("const", stream.names[numbers[1]])
        case "bvar":
            return Expr("bound", number=numbers[1])
        case "proj":
            return Expr("proj", stream.names[numbers[1]], tuple(below), numbers[2])
        case "natVal":
            return Expr("nat", number=int(str(e[1])))
        case "strVal":
            return Expr("text", str(e[1]))
    return Expr("sort", number=0 if stream.levels[numbers[1]] == ("zero",) else 1)


# -- Lean's library: what is known without asking, or better than by asking ----------------------------------------

CONSTRUCTORS: Final[dict[str, tuple[str, ...]]] = {
    "List": ("List.nil", "List.cons"),
    "Option": ("Option.none", "Option.some"),
    "Prod": ("Prod.mk",),
    "Sum": ("Sum.inl", "Sum.inr"),
    "Unit": ("Unit.unit",),
    "PUnit": ("PUnit.unit",),
    "Ordering": ("Ordering.lt", "Ordering.eq", "Ordering.gt"),
}
FIELDS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    "List.nil": (),
    "List.cons": ((0,), ()),  # the parameter 0, the type itself
    "Option.none": (),
    "Option.some": ((0,),),
    "Prod.mk": ((0,), (1,)),
    "Sum.inl": ((0,),),
    "Sum.inr": ((1,),),
    "Unit.unit": (),
    "PUnit.unit": (),
    "Ordering.lt": (),
    "Ordering.eq": (),
    "Ordering.gt": (),
}
"""Of each constructor, its fields: a parameter of the type by its number, or () for the type itself."""
PROJECTIONS: Final[dict[str, tuple[str, int]]] = {"Prod.fst": ("Prod", 0), "Prod.snd": ("Prod", 1)}

HETEROGENEOUS: Final[dict[str, str]] = {
    "HAdd.hAdd": "Add.add",
    "HSub.hSub": "Sub.sub",
    "HMul.hMul": "Mul.mul",
    "HDiv.hDiv": "Div.div",
    "HMod.hMod": "Mod.mod",
    "HAppend.hAppend": "Append.append",
    "HPow.hPow": "Pow.pow",
}
CLASSES: Final[frozenset[str]] = frozenset(
    {
        *HETEROGENEOUS.values(),
        *("LE.le", "LT.lt", "BEq.beq", "Neg.neg", "Max.max", "Min.min", "Ord.compare", "Dvd.dvd", "Zero.zero"),
        *("One.one", "Membership.mem", "OfNat.ofNat", "Inhabited.default", "EmptyCollection.emptyCollection"),
    }
)
"""Operations of type classes: what they are stands in an instance."""
_LOGIC = """
Eq Ne And Or Not Iff Exists True False ite dite cond Bool.true Bool.false and or not xor Bool.and Bool.or Bool.not
bne Decidable.decide BEq.beq LE.le LT.lt GE.ge GT.gt id Function.comp Function.const Bool.xor namedPattern Decidable
DecidableEq BEq LawfulBEq LE LT Add Mul Sub Nat Int Bool BitVec List Option Prod Sum Unit PUnit Ordering OfNat.ofNat
Nat.zero Nat.succ Nat.add Nat.mul Nat.sub Nat.pow Nat.div Nat.mod Nat.pred Nat.ble Nat.beq Nat.le Nat.lt Nat.max
Nat.min Int.add Int.mul Int.sub Int.neg Int.ofNat Int.negSucc Int.toNat Int.natAbs Nat.cast IntCast.intCast Int.div
Int.mod Int.ediv Int.emod Eq.symm rfl Min.min Max.max Membership.mem Ord Append HAdd HMul HSub HAppend Hashable Repr
Inhabited DecidablePred DecidableRel SizeOf sizeOf
"""
LOGIC: Final[frozenset[str]] = frozenset(_LOGIC.split())
KNOWN: Final[frozenset[str]] = frozenset({*CONSTRUCTORS, *FIELDS, *PROJECTIONS, *HETEROGENEOUS, *CLASSES, *LOGIC})
"""Constants about which Lean is not asked."""

_U = "{α : Type _}"
EQUATIONS: Final[dict[str, str]] = {
    "List.reverse": f"∀ {_U} (x : List α), List.reverse x = match x with | [] => [] | a :: l => List.reverse l ++ [a]",
    "List.length": f"∀ {_U} (x : List α), List.length x = match x with | [] => 0 | _ :: l => List.length l + 1",
    "List.countP": f"∀ {_U} (p : α → Bool) (x : List α), List.countP p x = match x with | [] => 0 "
    "| a :: l => if p a then List.countP p l + 1 else List.countP p l",
    "List.count": f"∀ {_U} [BEq α] (a : α) (x : List α), List.count a x = match x with | [] => 0 "
    "| b :: l => if b == a then List.count a l + 1 else List.count a l",
    "List.elem": f"∀ {_U} [BEq α] (a : α) (x : List α), List.elem a x = match x with | [] => false "
    "| b :: l => if a == b then true else List.elem a l",
    "List.contains": f"∀ {_U} [BEq α] (x : List α) (a : α), List.contains x a = List.elem a x",
    "List.filter": f"∀ {_U} (p : α → Bool) (x : List α), List.filter p x = match x with | [] => [] "
    "| a :: l => if p a then a :: List.filter p l else List.filter p l",
    "List.flatten": f"∀ {_U} (x : List (List α)), List.flatten x = match x with | [] => [] "
    "| l :: r => l ++ List.flatten r",
    "List.sum": "∀ (x : List Nat), List.sum x = match x with | [] => 0 | a :: l => a + List.sum l",
    "List.all": f"∀ {_U} (x : List α) (p : α → Bool), List.all x p = match x with | [] => true "
    "| a :: l => p a && List.all l p",
    "List.any": f"∀ {_U} (x : List α) (p : α → Bool), List.any x p = match x with | [] => false "
    "| a :: l => p a || List.any l p",
    "List.isEmpty": f"∀ {_U} (x : List α), List.isEmpty x = match x with | [] => true | _ :: _ => false",
    "List.Mem": f"∀ {_U} (x : List α) (a : α), List.Mem a x = match x with | [] => False "
    "| b :: l => a = b ∨ List.Mem a l",
    "List.concat": f"∀ {_U} (x : List α) (a : α), List.concat x a = x ++ [a]",
}
"""Equations of functions that the library defines in another way than one proves about them."""
BEHIND: Final[dict[str, tuple[str, ...]]] = {
    "HAppend.hAppend": ("List.append",),
    "Append.append": ("List.append",),
    "Membership.mem": ("List.Mem",),
    "BEq.beq": ("List.beq",),
}
"""Functions that operations of classes come to."""
NAT_EQUATIONS: Final[dict[str, str]] = {
    "+": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) x ({s} ({0} x ({p} y)))))",
    "*": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) {z} ({+} ({0} x ({p} y)) x)))",
    "-": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) x) {z} (ite ((_ is {z}) "
    "y) x ({0} ({p} x) ({p} y)))))",
    "^": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) ({s} {z}) ({*} ({0} x ({p} y)) x)))",
    "≤": "(define-fun-rec {0} ((x {N}) (y {N})) Bool (ite ((_ is {z}) x) true (ite ((_ is {z}) "
    "y) false ({0} ({p} x) ({p} y)))))",
    "max": "(define-fun-rec {0} ((x {N}) (y {N})) {N} "
    "(ite ((_ is {z}) x) y (ite ((_ is {z}) y) x ({s} ({0} ({p} x) ({p} y))))))",
    "min": "(define-fun-rec {0} ((x {N}) (y {N})) {N} "
    "(ite ((_ is {z}) x) {z} (ite ((_ is {z}) y) {z} ({s} ({0} ({p} x) ({p} y))))))",
    "pred": "(define-fun {0} ((x {N})) {N} (ite ((_ is {z}) x) {z} ({p} x)))",
}
"""The operations on natural numbers as a datatype {N} with {z}, {s} and {p}; another operation as ``{+}``."""
INT_EQUATIONS: Final[dict[str, str]] = {
    "-": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= y x) (- x y) 0))",
    "pred": "(define-fun {0} ((x Int)) Int (ite (<= x 0) 0 (- x 1)))",
    "^": "(define-fun-rec {0} ((x Int) (y Int)) Int (ite (<= y 0) 1 (* ({0} x (- y 1)) x)))",
    "/": "(define-fun {0} ((x Int) (y Int)) Int (ite (= y 0) 0 (div x y)))",
    "%": "(define-fun {0} ((x Int) (y Int)) Int (ite (= y 0) x (mod x y)))",
    "max": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= x y) y x))",
    "min": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= x y) x y))",
}
"""The same for numbers that are Int."""

CONNECTIVES = {"And": "and", "Or": "or", "Not": "not", "and": "and", "or": "or", "not": "not", "xor": "xor"}
CONNECTIVES |= {"Bool.and": "and", "Bool.or": "or", "Bool.not": "not", "Bool.xor": "xor", "Iff": "="}
ARITHMETIC = {"HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*", "HDiv.hDiv": "/", "HMod.hMod": "%"}
ARITHMETIC |= {"HPow.hPow": "^", "Max.max": "max", "Min.min": "min", "Neg.neg": "neg"}
NAT_FUNCTIONS = {
    **{"Nat.add": "+", "Nat.mul": "*", "Nat.sub": "-", "Nat.pow": "^", "Nat.div": "/", "Nat.mod": "%"},
    **{"Nat.pred": "pred", "Nat.max": "max", "Nat.min": "min", "Nat.ble": "<=", "Nat.le": "<=", "Nat.lt": "<"},
}
"""Functions of natural numbers that are operations, with their signs."""
RELATIONS = {"LE.le": "<=", "LT.lt": "<", "GE.ge": ">=", "GT.gt": ">"}
"""Of numbers, with their signs."""


# -- What Lean says about the constants of a goal ------------------------------------------------------------------

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
    if equation is None and name in facts.values and is_instance(name):
        return [facts.values[name]]
    if (
        equation is None
        and name not in asked
        and not (is_instance(name) or _constructor(name, facts) or name in facts.fields)
    ):
        missing[name] = None
    found = [equation or facts.values.get(name) or type_]
    return [e for e in (type_, *found) if e is not None]


def _constructor(name: str, facts: Facts) -> bool:
    return any(name in cs for _, cs, _ in facts.constructors.values())


def is_instance(name: str) -> bool:
    """Whether a constant is an instance of a class, by its name."""
    return name.rpartition(".")[2].startswith("inst")
