"""Whether what a stranger declares still states what the user's original states, and what a second kernel says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from goedels_poetry.lean.gate.stream import BadData, Constant, Declaration, Expr, Stream, children

# -- What of the declared a theorem needs, in an order in which it can be declared again ---------------------------


BY_COMPILED_CODE = frozenset({"Lean.reduceBool", "Lean.reduceNat"})
"""Opaque constants that Lean's kernel evaluates by running compiled code: they count as axioms."""
COMPUTED = frozenset(
    [
        *(f"Nat.{f}" for f in ("zero", "succ", "add", "sub", "mul", "div", "mod", "gcd", "beq", "ble", "log2", "pow")),
        *(f"Nat.{f}" for f in ("land", "lor", "xor", "shiftLeft", "shiftRight")),
        *("Nat", "Bool", "Bool.true", "Bool.false", "Char", "Char.ofNat", "String", "String.ofList", "String.mk"),
        *("List", "List.nil", "List.cons", "Eq", "Eq.refl", "eagerReduce"),
        *("Quot", "Quot.mk", "Quot.lift", "Quot.ind"),
    ]
)
"""Constants that kernels know by name and compute with: only the library may declare them."""
_MAY_BE_DECLARED = frozenset({"def", "thm", "inductive"})


class NotAllowed(Exception):
    """A declaration that a proof may not need; ``rule`` names it in the gate's words, ``name`` is the constant's."""

    def __init__(self, rule: str, name: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.name = name


def needed(stream: Stream, roots: Iterable[str], premises: Collection[str]) -> list[Declaration]:
    """The declarations below these constants, each after all that it mentions.

    ``premises``: constants of the user's original; only these may be axioms or opaque.

    Raises:
        NotAllowed: an axiom or opaque constant that is not the user's, something unsafe or partial.
        BadData: a constant that is declared after its use, or in a circle.
    """
    chosen: set[int] = set()
    todo = [stream.constants[root][1] for root in roots]
    while todo:
        declaration = todo.pop()
        if declaration.place in chosen:
            continue
        chosen.add(declaration.place)
        _may_be_needed(declaration, premises)
        for name in stream.needs(declaration):
            if name not in stream.constants:
                continue
            below = stream.constants[name][1]
            if below.place >= declaration.place:
                raise BadData(f"{declaration.name} mentions {name}, which is declared after it")
            todo.append(below)
    return [stream.declarations[place] for place in sorted(chosen)]


def _may_be_needed(declaration: Declaration, premises: Collection[str]) -> None:
    name = declaration.name
    if known := sorted(COMPUTED & {constant.name for constant in declaration.constants}):
        raise NotAllowed("data", known[0], f"{known[0]} is the library's: kernels compute with it")
    if not all(constant.safe for constant in declaration.constants):
        raise NotAllowed("unsafe", name, f"{name} is unsafe or partial")
    if declaration.kind not in _MAY_BE_DECLARED and name not in premises:
        raise NotAllowed("axiom", name, f"the proof needs the {declaration.kind} {name}")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What theorems rest on."""

    axioms: tuple[str, ...]
    """Axioms, and constants that stand for compiled code."""
    by_type: tuple[str, ...]
    """Theorems and other constants of the library that are believed by their types: nobody has their values here."""


def grounds(roots: Iterable[str], stream: Stream, selected: Iterable[Declaration], library: Stream) -> Grounds:
    """A walk over everything below the roots, through types and values.

    ``selected``: the declarations of the stream that the kernels are given; every other constant is the library's,
    whatever else the stream declares.

    Raises:
        BadData: a constant that neither declares.
    """
    own = {constant.name for declaration in selected for constant in declaration.constants}
    seen: set[str] = set()
    axioms: set[str] = set()
    by_type: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in BY_COMPILED_CODE:
            axioms.add(name)
        where = stream if name in own else library
        if name not in where.constants:
            raise BadData(f"{name} is declared nowhere")
        _, declaration = where.constants[name]
        if declaration.kind == "axiom":
            axioms.add(name)
        elif declaration.kind == "assumed":
            by_type.add(name)
        todo.extend(where.needs(declaration))
        todo.extend(constant.name for constant in declaration.constants)
    return Grounds(tuple(sorted(axioms)), tuple(sorted(by_type)))


# -- Whether what a stranger declares still states what the user's original states ---------------------------------


_MADE_BY_LEAN = re.compile(r"(^|\.)(_(?!private)|match_[0-9]|splitter$|congr_eq)")
_KINDS = {
    "thm": "a theorem",
    "def": "a definition",
    "axiom": "an axiom",
    "opaque": "an opaque constant",
    "inductive": "an inductive type",
}


_Declared = tuple[Constant, Declaration]


class Comparison:
    """Two streams, and which of their constants were found to be alike.

    Constants are compared by name. What Lean makes by itself, such as `t.match_1`, is compared by what it is: its name
    depends on what was elaborated before it. Names and kinds of binders play no part.
    """

    def __init__(self, theirs: Stream, ours: Stream, at: Mapping[str, int] | None = None) -> None:
        """``at``: levels that universe parameters of theirs stand for, in a comparison with terms that have none."""
        self.theirs = theirs
        self.ours = ours
        self._values_at = None if at is None else (_level_values(theirs, at), _level_values(ours, {}))
        # One difference anywhere makes the whole answer no, so what was begun counts as alike.
        self._alike: set[tuple[int, int]] = set()
        self._levels_alike: set[tuple[int, int]] = set()

    def difference(self, theorems: Iterable[str], negates: str = "", *, empty: bool = False) -> str:
        """Why ours does not state what theirs states; "" when it does.

        Every constant of theirs has to be in ours, of the same kind, type and value. Of theorems only the wanted ones
        have to be there; where others are, they have the same type. With ``negates``, the one wanted theorem is new
        and says that this theorem of theirs is false; or, with ``empty``, that there are no arguments for it.
        """
        wanted = list(theorems)
        if negates:
            says = self._emptiness if empty else self._negation
            return says(wanted[0], negates) or self._everything(())
        return self._everything(wanted)

    def inhabited(self, theorem: str, witness: str) -> bool:
        """Whether a theorem of ours says that there are arguments for one of theirs: `¬ ∀ …, False`, over the same."""
        a, b = self.theirs.constants.get(theorem), self.ours.constants.get(witness)
        denied = self._denied(b[0]) if b is not None and b[0].kind == "thm" and b[0].levels == () else None
        if a is None or denied is None or {"Not", "False"} & self.ours.constants.keys():
            return False
        types, definitions = self._absurd(a[0].type, denied), Comparison(self.theirs, self.ours)
        return types is not None and not any(map(definitions._changed, self._below(types)))

    def _absurd(self, at: int, ours: int) -> list[int] | None:
        """The types of the arguments of theirs, where an expression of ours is `False` for these very arguments."""
        types = []
        while (x := self.theirs.exprs[at])[0] == "forallE":
            y = self.ours.exprs[ours]
            if y[0] != "forallE" or not self._same(x[2], y[2]):
                return None
            types.append(x[2])
            at, ours = x[3], y[3]
        end = self.ours.exprs[ours]
        return types if end[0] == "const" and self.ours.names[end[1]] == "False" and end[2] == () else None

    def _changed(self, name: str) -> str:
        """Why a constant of theirs is not in ours as it was; "" where it is, or where it is compared at its uses."""
        found = self.ours.constants.get(name)
        if made_by_lean(self.theirs, name) and (found is None or made_by_lean(self.ours, name)):
            return ""
        return "missing" if found is None else self._constants(self.theirs.constants[name][0], found[0])

    def _below(self, roots: list[int]) -> set[str]:
        """Constants of theirs that these expressions mention, whole families of types, and what is below them."""
        found: set[str] = set()
        todo = [*self.theirs.mentioned(roots)]
        while todo:
            name = todo.pop()
            if name not in found and name in self.theirs.constants:
                _, declaration = self.theirs.constants[name]
                found |= {constant.name for constant in declaration.constants}
                todo += self.theirs.needs(declaration)
        return found

    def _denied(self, claim: Constant) -> int | None:
        """What a theorem of ours denies."""
        e = self.ours.exprs[claim.type]
        head = self.ours.exprs[e[1]] if e[0] == "app" else e
        says = e[0] == "app" and head[0] == "const" and self.ours.names[head[1]] == "Not" and head[2] == ()
        return e[2] if says else None

    def _everything(self, wanted: Iterable[str]) -> str:
        wanted = set(wanted)
        for name in sorted(wanted):
            if name not in self.theirs.constants:
                return f"the original does not declare {name}"
        for name, (constant, _) in self.theirs.constants.items():
            found = self.ours.constants.get(name)
            optional = constant.kind == "thm" or made_by_lean(self.theirs, name) or not constant.safe
            if name not in wanted and optional and (found is None or made_by_lean(self.ours, name)):
                continue
            if found is None:
                return f"{name} is missing"
            if why := self._constants(constant, found[0]):
                return why.format(name)
        return ""

    def _emptiness(self, name: str, of: str) -> str:
        a, b = self.theirs.constants.get(of), self.ours.constants.get(name)
        if why := self._two_theorems(a, b, name, of):
            return why
        assert a is not None and b is not None
        same = a[0].levels == b[0].levels and "False" not in self.ours.constants
        types = self._absurd(a[0].type, b[0].type) if same else None
        if types and Comparison(self.theirs, self.ours)._same(a[0].type, b[0].type):
            return f"{of} itself says that its hypotheses contradict each other: it is proved, or it is not"
        return "" if types else f"{name} does not say that the hypotheses of {of} contradict each other"

    def _two_theorems(self, a: _Declared | None, b: _Declared | None, name: str, original: str) -> str:
        if a is None or a[0].kind != "thm":
            return f"the original does not declare {original}"
        return f"{name} is missing" if b is None or b[0].kind != "thm" else ""

    def _negation(self, name: str, negates: str) -> str:
        a, b = self.theirs.constants.get(negates), self.ours.constants.get(name)
        if why := self._two_theorems(a, b, name, negates):
            return why
        assert a is not None and b is not None
        denied = self._denied(b[0])
        if (
            denied is None
            or "Not" in self.ours.constants
            or a[0].levels != b[0].levels
            or not self._same(a[0].type, denied)
        ):
            return f"{name} does not say that {negates} is false"
        return ""

    def _constants(self, a: Constant, b: Constant) -> str:
        if a.kind != b.kind:
            return f"{{}} is no longer {_KINDS.get(a.kind, f'a {a.kind}')}"
        if a.levels != b.levels or not self._same(a.type, b.type):
            return "the type of {} is another one"
        if a.kind == "thm":
            return ""
        if a.safe != b.safe or a.facts != b.facts or not self._values(a, b):
            return "the value of {} is another one"
        return ""

    def _values(self, a: Constant, b: Constant) -> bool:
        if (a.value is None) != (b.value is None) or len(a.rules) != len(b.rules):
            return False
        pairs = list(zip(a.rules, b.rules, strict=True))
        if a.value is not None and b.value is not None:
            pairs.append((a.value, b.value))
        return all(self._same(x, y) for x, y in pairs)

    def _same(self, a: int, b: int) -> bool:
        """Whether an expression of theirs is one of ours."""
        todo = [(a, b)]
        while todo:
            pair = todo.pop()
            self.ours.clock.tick()
            if pair in self._alike:
                continue
            self._alike.add(pair)
            x, y = self.theirs.exprs[pair[0]], self.ours.exprs[pair[1]]
            if x[0] != y[0] or not self._heads(x, y, todo):
                return False
            todo.extend(zip(children(x), children(y), strict=True))
        return True

    def _heads(self, x: Expr, y: Expr, todo: list[tuple[int, int]]) -> bool:
        """Whether two expressions of the same kind agree in what is no expression."""
        if x[0] == "const":
            return self._mentions(x, y, todo)
        if x[0] == "sort":
            return self._levels((x[1],), (y[1],))
        if x[0] == "proj":
            return self._named(self.theirs.names[x[1]], self.ours.names[y[1]]) and x[2] == y[2]
        return x[0] not in ("bvar", "natVal", "strVal") or x[1] == y[1]

    def _mentions(self, x: Expr, y: Expr, todo: list[tuple[int, int]]) -> bool:
        if not self._levels(x[2], y[2]):
            return False
        n, m = self.theirs.names[x[1]], self.ours.names[y[1]]
        if not (made_by_lean(self.theirs, n) and made_by_lean(self.ours, m)):
            return self._named(n, m)
        a, b = self.theirs.constants[n][0], self.ours.constants[m][0]
        if self._values_at is not None:
            return not Comparison(self.theirs, self.ours)._constants(a, b)
        if a.kind != b.kind or a.levels != b.levels or a.safe != b.safe:
            return False
        todo.append((a.type, b.type))
        if a.kind == "def" and a.value is not None and b.value is not None:
            todo.append((a.value, b.value))
        return True

    def _named(self, n: str, m: str) -> bool:
        return n == m and (n in self.theirs.constants) == (m in self.ours.constants)

    def _levels(self, a: Sequence[int], b: Sequence[int]) -> bool:
        if len(a) != len(b):
            return False
        if self._values_at is not None:
            values, own = self._values_at
            return all(values[i] == own[j] is not None for i, j in zip(a, b, strict=True))
        todo = list(zip(a, b, strict=True))
        while todo:
            pair = todo.pop()
            if pair in self._levels_alike:
                continue
            self._levels_alike.add(pair)
            x, y = self.theirs.levels[pair[0]], self.ours.levels[pair[1]]
            if x[0] != y[0] or (x[0] == "param" and self.theirs.names[x[1]] != self.ours.names[y[1]]):
                return False
            if x[0] != "param":
                todo.extend(zip(x[1:], y[1:], strict=True))
        return True


def _level_values(stream: Stream, at: Mapping[str, int]) -> list[int | None]:
    """The number that each level is; None where it has a parameter that stands for nothing."""
    values: list[int | None] = []
    for level in stream.levels:
        kind = level[0]
        if kind in ("zero", "param"):
            values.append(0 if kind == "zero" else at.get(stream.names[level[1]]))
            continue
        a, b = values[level[1]], values[level[-1]]
        if a is None or b is None:
            values.append(None)
        else:
            values.append(a + 1 if kind == "succ" else 0 if kind == "imax" and b == 0 else max(a, b))
    return values


def made_by_lean(stream: Stream, name: str) -> bool:
    """Whether it is one that Lean makes by itself and that is known whole by its type and value."""
    found = stream.constants.get(name)
    return found is not None and found[0].kind in ("thm", "def") and _MADE_BY_LEAN.search(name) is not None


# Our own kernel, asked about declarations

TYPECHECKER = Path(__file__).resolve().parent / "typechecker"
GRACE_SECONDS = 3.0
"""The program keeps the time itself; when it has not answered so much later it is killed."""
MEMORY_MB = 2048
_META = '{"meta":{"format":{"version":"3.1.0"}}}\n'
_CANDIDATE = '{"section":"candidate"}\n'


@dataclass(frozen=True, slots=True)
class Opinion:
    """What our kernel says. Only ``accepted`` says anything for the declarations, only ``refused`` against them."""

    verdict: Literal["accepted", "refused", "undecided"]
    reason: str = ""
    declaration: str = ""
    candidate: int = 0
    """Declarations of the stranger's that it has checked."""
    library: int = 0
    """Of the library, with their values."""
    by_type: int = 0
    """Of the library, believed by their types."""
    seconds: float = 0.0
    in_library: bool = False
    """It ended within the library, before anything of the candidate's."""


async def second_opinion(
    node: Sequence[str], library: str, candidate: str, premises: Sequence[str], seconds: float
) -> Opinion:
    """Check declarations with our kernel.

    Args:
        node: the program Node and what has to stand before its options.
        library: what the candidate needs of the imports, a stream.
        candidate: the declarations in question, a stream of its own.
        premises: the user's own axioms and opaque constants among them.
    """
    settings = {"seconds": seconds, "premises": list(premises), "memoryMb": MEMORY_MB}
    rights = ("--permission", "--allow-worker", f"--allow-fs-read={TYPECHECKER}")
    command = [*node, *rights, str(TYPECHECKER / "main.cjs"), json.dumps(settings)]
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError as fault:
        return Opinion("undecided", f"the second kernel does not start: {fault}")
    whole = "".join((_META, _lines(library), _CANDIDATE, _lines(candidate))).encode()
    try:
        out, _ = await asyncio.wait_for(process.communicate(whole), seconds + GRACE_SECONDS)
    except TimeoutError:
        return Opinion("undecided", f"the second kernel gave no answer within {seconds:g} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _read(out)


def _lines(stream: str) -> str:
    return stream if stream.endswith("\n") or not stream else stream + "\n"


def _read(out: bytes) -> Opinion:
    try:
        answer = json.loads(out)
        verdict, counts = answer["verdict"], answer["checked"]
        if verdict not in ("accepted", "refused", "undecided"):
            raise ValueError(verdict)
        return Opinion(
            verdict,
            str(answer["reason"] or ""),
            str(answer["declaration"] or ""),
            int(counts["candidate"]),
            int(counts["library"]),
            int(counts["assumed"]),
            float(answer["ms"]) / 1000,
            answer["section"] == "library",
        )
    except (ValueError, KeyError, TypeError) as fault:
        return Opinion("undecided", f"the second kernel ended without an answer ({type(fault).__name__})")
