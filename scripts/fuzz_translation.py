"""Compare the translation of Python with CPython on random programs and inputs.

    python scripts/fuzz_translation.py --programs 2000 --seed 1

Each program is typed and covers the fragment; it is translated, the definitions are evaluated by the kernel's own
evaluator, and CPython runs the program in a process of its own. Values and classes of exceptions must agree. Exit code 1
and the programs, when some do not.
"""

# ruff: noqa: E501  the programs that it makes

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.terms import BOOL, FALSE, Term, and_, app, eq, forall, var
from goedels_poetry.python.testing.literals import python_value
from goedels_poetry.python.translate.build import INEXACT
from goedels_poetry.python.translate.contracts import OutsideFragment
from goedels_poetry.python.translate.module import Type
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.registry import Registry, kept_as, legal
from goedels_poetry.python.translate.script import script
from goedels_poetry.python.translate.translate import Translation, translate


def script_value(registry: Registry, kind: Type, text: str) -> Value:
    """The value of the script for a Python literal: numbers, texts, lists, tuples, None, members, dataclasses.

    Raises:
        ValueError: it is no literal of that type.
    """
    try:
        return _value(registry, kind, ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"this is no Python literal: {text[:80]}") from error


def _value(registry: Registry, kind: Type, node: ast.expr) -> Value:
    if kind.kind in ("int", "bool", "str"):
        value = ast.literal_eval(node)
        if type(value) is not {"int": int, "bool": bool, "str": str}[kind.kind]:
            raise ValueError(f"this is no {kind}: {ast.unparse(node)[:80]}")
        return value
    if kind.kind in ("dict", "set"):
        whole = Type("list", (kept_as(kind),))
        if kind.kind == "dict" and isinstance(node, ast.Dict):
            pairs = [ast.Tuple([k, v]) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
            return _value(registry, whole, ast.List(list(pairs)))
        if kind.kind == "set" and (isinstance(node, ast.Set) or ast.unparse(node) == "set()"):
            return _value(registry, whole, ast.List(node.elts if isinstance(node, ast.Set) else []))
        raise ValueError(f"this is no {kind}: {ast.unparse(node)[:80]}")
    sort = registry.sort(kind)
    constructors = registry.shapes[sort.name].constructors
    is_none = isinstance(node, ast.Constant) and node.value is None
    if kind.kind in ("none", "optional"):
        if is_none:
            return (constructors[0][0],)
        if kind.kind == "optional":
            return (constructors[1][0], _value(registry, kind.args[0], node))
    if kind.kind == "list" and isinstance(node, ast.List):
        result: Value = (constructors[0][0],)
        for element in reversed(node.elts):
            result = (constructors[1][0], _value(registry, kind.args[0], element), result)
        return result
    if kind.kind == "tuple" and isinstance(node, ast.Tuple) and len(node.elts) == len(kind.args):
        return (constructors[0][0], *(_value(registry, k, e) for k, e in zip(kind.args, node.elts, strict=True)))
    if kind.kind == "enum" and isinstance(node, ast.Attribute):
        name = f"{legal(kind.name)}!{legal(node.attr)}"
        if ast.unparse(node.value) == kind.name and name in dict(constructors):
            return (name,)
    if kind.kind in ("class", "union") and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _instance(registry, kind, node)
    raise ValueError(f"this is no {kind}: {ast.unparse(node)[:80]}")


def _instance(registry: Registry, kind: Type, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Name)
    member = next((m for m in kind.args or (kind,) if m.name == getattr(node.func, "id", "")), None)
    if member is None:
        raise ValueError(f"this is no {kind}: {ast.unparse(node)[:80]}")
    fields = registry.module.fields[member.name]
    given = dict(zip([f.name for f in fields], node.args, strict=False))
    given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    if len(node.args) > len(fields) or set(given) != {f.name for f in fields}:
        raise ValueError(f"these are not the fields of {member}: {ast.unparse(node)[:80]}")
    return (f"{legal(member.name)}!", *(_value(registry, f.kind, given[f.name]) for f in fields))


RUNNER = r"""
import json, signal, sys
class Slow(BaseException): pass
def late(*_): raise Slow
signal.signal(signal.SIGPROF, late)  # of a processor, whatever else the machine does
sys.setrecursionlimit(20000)
for line in sys.stdin:
    case = json.loads(line)
    import warnings; warnings.simplefilter("ignore")
    sys.modules["program"] = type(sys)("program")
    space = sys.modules["program"].__dict__
    exec(compile(case["source"], "program", "exec"), space)
    out = []
    for call, expected in case["calls"]:
        signal.setitimer(signal.ITIMER_PROF, 0.5)
        try:
            value = eval(call, space)
            good = expected is not None and bool(eval(expected, space) == value)
            out.append(["value", repr(value), good])
        except Slow:
            out.append(["slow", "", False])
        except RecursionError:
            out.append(["slow", "", False])
        except Exception as error:
            out.append(["raise", type(error).__name__, False])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps(out), flush=True)
"""

HEAD = """from dataclasses import dataclass
from enum import Enum
from math import gcd
from goedels_poetry.contracts import ensures, raises, requires


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 7


@dataclass(frozen=True)
class Num:
    value: int


@dataclass(frozen=True)
class Add:
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True)
class Neg:
    inner: "Expr"


Expr = Num | Add | Neg
LIMIT = 5
LETTER = "a"


def size(e: Expr) -> int:
    match e:
        case Num(v):
            return 1
        case Add(left=a, right=b):
            return size(a) + size(b) + 1
        case Neg(i):
            return size(i) + 1


def down(n: int, acc: int) -> int:
    if n <= 0:
        return acc
    return down(n - 1, acc + n * n % 7)


def even(n: int) -> bool:
    return n == 0 or (n > 0 and odd(n - 1))


def odd(n: int) -> bool:
    return n > 0 and even(n - 1)

"""
TYPES = [
    "int",
    "int",
    "int",
    "bool",
    "list[int]",
    "list[int]",
    "str",
    "int | None",
    "tuple[int, int]",
    "Point",
    "Color",
    "list[str]",
    "list[list[int]]",
    "Expr",
    "list[bool]",
]


@dataclass
class Maker:
    """Makes one program."""

    random: random.Random
    scope: dict[str, str] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    result: str = "int"
    loops: int = 0
    count: int = 0
    budget: int = 40
    lines: list[str] = field(default_factory=list)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def names(self, kind: str) -> list[str]:
        return [n for n, k in self.scope.items() if k == kind]

    # ------------------------------------------------------------------------------------- expressions

    def expr(self, kind: str, depth: int) -> str:
        r = self.random
        names = self.names(kind)
        if names and r.random() < (0.75 if depth <= 0 else 0.3):
            return r.choice(names)
        if depth <= 0:
            return self.literal(kind)
        d = depth - 1
        e = self.expr
        if r.random() < 0.06:
            return f"({e(kind, d)} if {e('bool', d)} else {e(kind, d)})"
        match kind:
            case "int":
                return self.integer(d)
            case "bool":
                return self.boolean(d)
            case "str":
                s = e("str", d)
                return self.pick(
                    s,
                    f"({s} + {e('str', d)})",
                    f"{s}[{e('int', d)}]",
                    f"{s}[{self.bound(d)}:{self.bound(d)}]",
                    f"({s} or {e('str', d)})",
                    f"{s}.{self.pick('removeprefix', 'removesuffix')}({e('str', d)})",
                    f"str({e('bool', d)})",
                    f"f'{{{self.pick(*self.names('str') or ['LETTER'])}}}-{{{e('int', 0)} > 0}}'",
                    f"max({e('list[str]', d)}, key=len)",
                    f"max({e('list[str]', d)})",
                    f"str({e('int', d)} + 0)",
                    f"f'{{len({e('list[int]', 0)})}}.{{int({e('bool', 0)})}}'",
                    f"chr({e('int', d)} % 90 + 30)",
                    f"{s}.join({e('list[str]', d)})",
                    f"'-'.join(c for c in {s} if c != 'a')",
                )
            case "list[int]":
                return self.integers(d)
            case "list[bool]":
                return self.pick(f"[{e('bool', d)}, {e('bool', d)}]", f"[v > 0 for v in {e('list[int]', d)}]")
            case "list[str]":
                return self.pick(
                    f"[{e('str', d)}]", f"[c for c in {e('str', d)}]", f"({e('list[str]', d)} + {e('list[str]', d)})"
                )
            case "list[list[int]]":
                return self.pick(
                    f"[{e('list[int]', d)}, {e('list[int]', d)}]",
                    f"[{e('list[int]', d)} for v in range({e('int', 0)})]",
                    f"{e('list[list[int]]', d)}[{self.bound(d)}:]",
                )
            case "tuple[int, int]":
                return self.pick(f"({e('int', d)}, {e('int', d)})", f"divmod({e('int', d)}, {e('int', d)})")
            case "int | None":
                return self.pick(e("int", d), "None", f"({e('int', d)} if {e('bool', d)} else None)")
            case "Point":
                return self.pick(f"Point({e('int', d)})", f"Point(y={e('int', d)}, x={e('int', d)})")
            case "Expr":
                return self.pick(f"Num({e('int', d)})", f"Add({e('Expr', d)}, {e('Expr', d)})", f"Neg({e('Expr', d)})")
        return self.literal(kind)

    def bound(self, d: int) -> str:
        return self.pick("", self.expr("int", d), "1", "-1", "2")

    def integer(self, d: int) -> str:
        r, e = self.random, self.expr
        xs = e("list[int]", d)
        options = [
            lambda: f"({e('int', d)} {self.pick('+', '-', '*', '+', '-')} {e('int', d)})",
            lambda: f"({e('int', d)} {self.pick('//', '%')} {e('int', d)})",
            lambda: f"({e('int', d)} {self.pick('//', '%')} {self.pick('2', '3', '-3', '7')})",
            lambda: f"-{e('int', d)}",
            lambda: f"abs({e('int', d)})",
            lambda: f"len({e(self.pick('list[int]', 'str', 'list[str]'), d)})",
            lambda: f"{xs}[{e('int', d)}]",
            lambda: f"{xs}[{self.pick('0', '-1', '1', '-2')}]",
            lambda: f"sum({xs})",
            lambda: f"{self.pick('min', 'max')}({e('int', d)}, {e('int', d)})",
            lambda: f"{self.pick('min', 'max')}({xs})",
            lambda: f"{self.pick('min', 'max')}({xs}, default=-9)",
            lambda: f"sum({e('int', 1)} for {self.target(d)})" if False else f"sum(v * 2 for v in {xs} if v % 2 == 0)",
            lambda: f"({e('int', d)} {self.pick('and', 'or')} {e('int', d)})",
            lambda: f"{e('tuple[int, int]', d)}[{self.pick('0', '1', '-1')}]",
            lambda: f"{e('Point', d)}.{self.pick('x', 'y')}",
            lambda: f"size({e('Expr', d)})",
            lambda: f"down({e('int', d)} % 6, {e('int', d)})",
            lambda: f"({e('int', d)} ** {self.pick('0', '1', '2', '3')})",
            lambda: f"({e('int', d)} {self.pick('<<', '>>')} {self.pick('0', '1', '2', '3')})",
            lambda: f"({e('int', d)} & {self.pick('1', '3', '7')})",
            lambda: f"({e('bool', d)} + {e('int', d)})",
            lambda: f"{xs}.count({e('int', d)})",
            lambda: f"{xs}.index({e('int', d)})",
            lambda: "(lambda_free + 0)" if False else f"({e('int | None', d)} or {e('int', d)})",
            lambda: f"({e('int | None', d)} + 1)",
            lambda: f"int({e('bool', d)})",
            lambda: f"~{e('int', d)}",
            lambda: f"len([w for w in {e('list[list[int]]', d)} if w])",
            lambda: f"sum(len(w) for w in {e('list[list[int]]', d)})",
            lambda: f"sum(a * b for a, b in zip({xs}, {e('list[int]', d)}))",
            lambda: f"sum(k * b for k, b in enumerate({xs}))",
            lambda: f"sum(i * j for i in range({e('int', 0)}) for j in range(i) if j != 1)",
            lambda: "LIMIT",
            lambda: f"{self.pick('min', 'max')}({xs}, key={self.key(d)})",
            lambda: f"{self.pick('min', 'max')}({xs}, default=7, key={self.key(d)})",
            lambda: f"gcd({e('int', d)}, {e('int', d)})",
            lambda: f"len(set({xs}))",
            lambda: f"sum({{v % 3 for v in {xs}}})",
            lambda: f"abs({e('int', d)})",
            lambda: f"abs({e('int', d)})",
            lambda: f"ord({e('str', d)})",
            lambda: f"{e('str', d)}.count({self.pick('a', 'b').__repr__()})",
            *self.of_collections(),
            *self.of_collections(),
        ]
        return r.choice(options)()

    def of_collections(self) -> list[Callable[[], str]]:
        """Integers that are read off variables with dicts and sets."""
        e, found = self.expr, list[Callable[[], str]]()
        for m in self.names("dict[int, int]"):
            found += [
                lambda m=m: f"{m}[{e('int', 1)}]",
                lambda m=m: f"{m}.get({e('int', 1)}, {e('int', 1)})",
                lambda m=m: f"sum({m}{self.pick('', '.values()', '.keys()')})",
                lambda m=m: f"sum(k * v for k, v in {m}.items() if k != {e('int', 0)})",
                lambda m=m: f"len({m})",
                lambda m=m: f"max({m}, default=0, key=lambda k: {m}[k])",
            ]
        for s in self.names("set[int]"):
            found += [
                lambda s=s: f"len({s})",
                lambda s=s: f"sum({s})",
                lambda s=s: f"max({s}, default=3)",
                lambda s=s: f"len({s} {self.pick('|', '&', '-')} set({e('list[int]', 1)}))",
            ]
        return found

    def collection(self, indent: int) -> None:
        """A statement that makes or changes a dict or a set."""
        e, put = self.expr, self.put
        found = [n for n in self.owned if self.scope.get(n) in ("dict[int, int]", "set[int]")]
        if not found or self.random.random() < 0.2:
            name, kind = self.fresh(), self.pick("dict[int, int]", "set[int]")
            made = {
                "dict[int, int]": [
                    "{}",
                    f"{{{e('int', 1)}: {e('int', 1)}, {e('int', 1)}: 2}}",
                    f"{{v: k for k, v in enumerate({e('list[int]', 1)})}}",
                    f"dict(zip({e('list[int]', 1)}, {e('list[int]', 1)}))",
                ],
                "set[int]": [
                    "set()",
                    f"set({e('list[int]', 1)})",
                    f"{{{e('int', 1)}, 2}}",
                    "{v % 3 for v in [1, 2, 4]}",
                ],
            }
            put(indent, f"{name}: {kind} = {self.pick(*made[kind])}")
            self.scope[name] = kind
            self.owned.add(name)
            return
        name = self.random.choice(sorted(found))
        if self.scope[name] == "set[int]":
            one = e("int", 1)
            changes = [f"{name}.{self.pick('add', 'add', 'discard', 'remove')}({one})", f"{name}.clear()"]
            put(indent, self.pick(*changes, f"{name} {self.pick('|=', '&=', '-=')} set({e('list[int]', 1)})"))
            return
        key = e("int", 1)
        if name in key:
            key = "1"
        value = e("int", 1)
        if self.random.random() < 0.5:
            other = self.pick(*self.names("dict[int, int]"), f"{{{e('int', 0)}: {e('int', 0)}, 1: 7}}")
            changes = [
                f"{name}.pop({key})",
                f"{name}.pop({key}, 5)",
                f"{name}.setdefault({key}, 6)",
                f"del {name}[{key}]",
            ]
            changes += [f"{name}.update({other})", f"{name} |= {other}", f"{name} = {name} | {other}"]
            changes += [f"{name}.update(zip({e('list[int]', 1)}, [1, 2]))"]
            got = self.fresh()
            change = self.pick(*changes)
            is_value = "pop(" in change or "setdefault" in change
            put(indent, f"{got} = {change}" if is_value and name not in key else change)
            if is_value and name not in key:
                self.scope[got] = "int"
            return
        put(
            indent,
            self.pick(f"{name}[{key}] = {value}", f"{name}[{key}] = {value}", f"{name}[{key}] += 1", f"{name}.clear()"),
        )

    def boolean(self, d: int) -> str:
        e = self.expr
        kind = self.pick(
            "int",
            "int",
            "str",
            "list[int]",
            "tuple[int, int]",
            "Point",
            "Color",
            "Expr",
            "int | None",
            "bool",
            "list[str]",
        )
        op = self.pick("<", "<=", ">", ">=")
        options = [
            lambda: f"({e('int', d)} {op} {e('int', d)})",
            lambda: f"({e('int', d)} {op} {e('int', d)} {self.pick('<', '<=', '==', '!=')} {e('int', d)})",
            lambda: f"({e(kind, d)} {self.pick('==', '!=')} {e(kind, d)})",
            lambda: f"({e('bool', d)} {self.pick('and', 'or')} {e('bool', d)})",
            lambda: f"(not {e(kind, d)})",
            lambda: f"bool({e(kind, d)})",
            lambda: f"({e('int', d)} {self.pick('in', 'not in')} {e('list[int]', d)})",
            lambda: f"({e('str', d)} in {e('str', d)})",
            lambda: f"({e('int', d)} in range({e('int', d)}))",
            lambda: f"({e('int | None', d)} is {self.pick('', 'not ')}None)",
            lambda: f"{self.pick('any', 'all')}(v > {e('int', d)} for v in {e('list[int]', d)})",
            lambda: f"{self.pick('any', 'all')}(10 // v > 1 for v in {e('list[int]', d)})",
            lambda: f"{self.pick('any', 'all')}({e('list[int]', d)})",
            lambda: f"({e('int', d)} in set({e('list[int]', d)}))",
            lambda: f"(set({e('list[int]', d)}) {self.pick('==', '!=')} set({e('list[int]', d)}))",
            lambda: f"({e('list[int]', d)} {op} {e('list[int]', d)})",
            lambda: f"({e('tuple[int, int]', d)} {op} {e('tuple[int, int]', d)})",
            lambda: f"isinstance({e('int | None', d)}, int)",
            lambda: f"isinstance({e('Expr', d)}, Num)",
            lambda: f"({e('Color', d)} is Color.RED)",
            lambda: f"{e('str', d)}.{self.pick('startswith', 'endswith')}({e('str', d)})",
            lambda: f"even({e('int', d)} % 9)",
            lambda: f"({e('bool', d)} == {e('int', d)})",
            lambda: f"({e('bool', d)} {self.pick('&', '|', '^')} {e('bool', d)})",
            lambda: f"({e('str', d)} {op} {e('str', d)})",
            lambda: f"({e('list[str]', d)} {op} {e('list[str]', d)})",
        ]
        for m in (*self.names("dict[int, int]"), *self.names("set[int]")):
            options.append(lambda m=m: f"({e('int', d)} {self.pick('in', 'not in')} {m})")
            options.append(lambda m=m: f"bool({m})")
        for kind in ("dict[int, int]", "set[int]"):
            if self.names(kind):
                a, b = (self.random.choice(self.names(kind)) for _ in range(2))
                options.append(lambda a=a, b=b: f"({a} {self.pick('==', '!=')} {b})")
        return self.random.choice(options)()

    def integers(self, d: int) -> str:
        e = self.expr
        xs = e("list[int]", d)
        options = [
            lambda: f"[{', '.join(e('int', d) for _ in range(self.random.randint(0, 3)))}]",
            lambda: f"({xs} + {e('list[int]', d)})",
            lambda: f"{xs}[{self.bound(d)}:{self.bound(d)}]",
            lambda: f"{xs}[::-1]",
            lambda: f"sorted({xs})",
            lambda: f"sorted({xs}, reverse=True)",
            lambda: f"sorted({xs}, key={self.key(d)})",
            lambda: f"sorted({xs}, reverse=True, key={self.key(d)})",
            lambda: f"sorted(set({xs}))",
            lambda: f"list(map(abs, {xs}))",
            lambda: f"[k for k, _ in sorted(enumerate({xs}), key=lambda p: {self.pick('p[1]', '-p[1]', 'p[1] % 2')})]",
            lambda: f"list(range({e('int', 0)}))",
            lambda: f"list(range({e('int', 0)}, {e('int', 0)}, {self.pick('2', '-1', '1', '-3')}))",
            lambda: f"list(reversed({xs}))",
            lambda: f"[v + {e('int', d)} for v in {xs}]",
            lambda: f"[v for v in {xs} if v > {e('int', d)}]",
            lambda: f"[a - b for a, b in zip({xs}, {e('list[int]', d)})]",
            lambda: f"list(map(lambda v: v - {e('int', d)}, {xs}))",
            lambda: f"[*filter(lambda v: v > {e('int', d)}, {xs})]",
            lambda: f"sorted(map(abs, {xs}))",
            lambda: f"list(filter({self.pick('bool', 'even')}, {xs}))",
            lambda: f"[sum(map(lambda v: v // {e('int', d)}, {xs}))]",
            lambda: f"[i for i in reversed(range({e('int', 0)}))]",
            lambda: f"[w for v in {e('list[list[int]]', d)} for w in v]",
            lambda: f"([{e('int', d)}] * {e('int', 0)})",
            lambda: f"[*{xs}, {e('int', d)}]",
            lambda: f"{xs}.copy()",
            lambda: f"{e('list[list[int]]', d)}[{e('int', d)}]",
            lambda: f"({xs} or {e('list[int]', d)})",
            lambda: f"list({{v: 1 for v in {xs}}})",
        ]
        for m in self.names("dict[int, int]"):
            options.append(lambda m=m: f"{self.pick('list', 'sorted')}({m}{self.pick('', '.values()', '.keys()')})")
        options += [lambda s=s: f"sorted({s})" for s in self.names("set[int]")]
        return self.random.choice(options)()

    def key(self, d: int) -> str:
        own = f"lambda v: {self.pick('-v', 'v * v', 'v % 2', 'v > 0', '(v % 2, -v)', '[v % 3, 0]', '10 // v')}"
        computed = f"lambda v: v * {self.expr('int', d)}"
        return self.pick("abs", "even", own, own, computed)

    def target(self, d: int) -> str:
        return f"v in {self.expr('list[int]', d)}"

    def literal(self, kind: str) -> str:
        r = self.random
        match kind:
            case "int":
                return str(r.choice([0, 1, 2, 3, -1, -2, 5, 10, -7]))
            case "bool":
                return self.pick("True", "False")
            case "str":
                return repr(self.pick("", "a", "ab", "ba", "abc"))
            case "list[int]":
                return "[" + ", ".join(str(r.randint(-3, 5)) for _ in range(r.randint(1, 3))) + "]"
            case "list[bool]":
                return "[" + ", ".join(self.pick("True", "False") for _ in range(r.randint(1, 3))) + "]"
            case "list[str]":
                return "[" + ", ".join(repr(self.pick("", "a", "ab")) for _ in range(r.randint(1, 2))) + "]"
            case "list[list[int]]":
                return "[" + ", ".join(self.literal("list[int]") for _ in range(r.randint(1, 2))) + "]"
            case "tuple[int, int]":
                return f"({r.randint(-3, 4)}, {r.randint(-3, 4)})"
            case "int | None":
                return self.pick("None", str(r.randint(-3, 4)))
            case "Point":
                return f"Point({r.randint(-2, 3)}, {r.randint(-2, 3)})"
            case "Color":
                return "Color." + self.pick("RED", "GREEN", "BLUE")
        return self.pick(
            f"Num({r.randint(-2, 3)})", "Add(Num(1), Num(2))", "Neg(Num(0))", "Neg(Add(Num(3), Neg(Num(1))))"
        )

    # -------------------------------------------------------------------------------------- statements

    def block(self, indent: int, length: int) -> None:
        saved, owned = dict(self.scope), set(self.owned)
        written = len(self.lines)
        for _ in range(length):
            if self.budget > 0:
                self.statement(indent)
        if len(self.lines) == written:
            self.put(indent, "pass")
        if self.random.random() < 0.9:  # else names of a branch are read after it: they may have no value
            self.scope = {n: k for n, k in self.scope.items() if n in saved}
        self.owned &= owned

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def statement(self, indent: int) -> None:
        r = self.random
        self.budget -= 1
        roll = r.random()
        kind = r.choice(TYPES)
        ints = [n for n in self.names("int") if not n.startswith("k")]
        lists = [n for n in self.owned if self.scope.get(n) == "list[int]"]
        deep = indent >= 4
        if r.random() < 0.15:
            self.collection(indent)
        elif r.random() < 0.04 and not deep and not self.loops:
            self.put(indent, "try:")
            self.put(indent + 1, f"{self.pick(*ints) if ints else self.fresh()} = {self.expr('int', 2)}")
            if r.random() < 0.5:
                self.put(indent + 1, f"if {self.expr('bool', 1)}:")
                self.put(indent + 2, f"return {self.expr(self.result, 1)}")
            self.put(indent, f"except {self.pick('ZeroDivisionError', 'IndexError', '(KeyError, ValueError)')}:")
            self.put(indent + 1, f"{self.pick(*ints) if ints else self.fresh()} = {self.expr('int', 1)}")
        elif roll < 0.2:
            name = self.fresh()
            self.put(
                indent,
                f"{name} = {self.expr(kind, 2)}"
                if kind not in ("int | None", "list[list[int]]", "Expr", "list[bool]", "list[int]")
                else f"{name}: {kind} = {self.expr(kind, 2)}",
            )
            self.scope[name] = kind
        elif roll < 0.3 and ints:
            self.put(indent, f"{r.choice(ints)} {self.pick('=', '+=', '-=', '=', '//=', '%=')} {self.expr('int', 2)}")
        elif roll < 0.36:
            name = self.fresh()
            self.put(
                indent, f"{name} = {self.pick('[]', '[1, 2]', '[0] * 3', 'list(range(4))', '[v for v in range(3)]')}"
            )
            self.scope[name] = "list[int]"
            self.owned.add(name)
        elif roll < 0.5 and lists:
            xs = r.choice(lists)
            self.put(
                indent,
                r.choice(
                    [
                        lambda: f"{xs}.append({self.expr('int', 2)})",
                        lambda: f"{xs}.append({self.expr('int', 1)})",
                        lambda: f"{xs}.extend({self.expr('list[int]', 1)})",
                        lambda: f"{xs} += [{self.expr('int', 1)}]",
                        lambda: f"{xs}.insert({self.expr('int', 1)}, {self.expr('int', 1)})",
                        lambda: f"{xs}.pop()",
                        lambda: f"{xs}.pop({self.pick('0', '-1', '1')})",
                        lambda: f"{xs}.reverse()",
                        lambda: f"{xs}.sort()",
                        lambda: f"{xs}[{self.pick('0', '-1', '1', '2')}] = {self.expr('int', 1)}",
                        lambda: f"{xs}[{self.pick('0', '-1', '1', '2')}] += {self.expr('int', 1)}",
                        lambda: f"{xs}[0], {xs}[-1] = {xs}[-1], {xs}[0]",
                        lambda: f"{xs}.remove({self.expr('int', 1)})",
                        lambda: f"{xs}.clear()",
                        lambda: f"del {xs}[{self.pick('0', '-1', '1', '-2', self.expr('int', 0))}]",
                    ]
                )(),
            )
        elif roll < 0.54 and len(ints) > 1:
            a, b = r.sample(ints, 2)
            self.put(
                indent,
                f"{a}, {b} = {self.pick(f'{b}, {a}', f'{b}, {a} + {b}', self.expr('tuple[int, int]', 2), self.expr('list[int]', 1))}",
            )
        elif roll < 0.66 and not deep:
            self.put(indent, f"if {self.expr('bool', 2)}:")
            self.block(indent + 1, r.randint(1, 3))
            if r.random() < 0.3:
                self.put(indent, f"elif {self.expr('bool', 1)}:")
                self.block(indent + 1, 1)
            if r.random() < 0.5:
                self.put(indent, "else:")
                self.block(indent + 1, r.randint(1, 2))
        elif roll < 0.82 and not deep and self.loops < 3:
            self.loop(indent)
        elif roll < 0.86 and not deep:
            self.match(indent)
        elif roll < 0.89:
            self.put(indent, f"assert {self.expr('bool', 2)}")
        elif roll < 0.91:
            self.put(indent, f"if {self.expr('bool', 2)}:")
            self.put(indent + 1, f"raise {self.pick('ValueError', 'KeyError(1)', 'IndexError')}")
        elif roll < 0.95:
            self.put(indent, f"if {self.expr('bool', 2)}:")
            self.put(indent + 1, f"return {self.expr(self.result, 2)}")
        elif self.loops and indent > 1:
            self.put(indent, f"if {self.expr('bool', 1)}:")
            self.put(indent + 1, self.pick("break", "continue"))
        else:
            self.put(indent, f"{self.expr('int', 2)}")

    def loop(self, indent: int) -> None:
        r = self.random
        self.loops += 1
        saved = dict(self.scope)
        body = r.randint(1, 3)
        if r.random() < 0.25:
            k = f"k{self.fresh()}"
            self.put(indent, f"{k} = {self.expr('int', 1)} % 5")
            self.scope[k] = "int"
            self.put(
                indent,
                f"while {k} > 0{self.pick('', f' and {self.expr(chr(98) + chr(111) + chr(111) + chr(108), 1)}')}:",
            )
            self.put(indent + 1, f"{k} -= 1")
        else:
            name, other = self.fresh(), self.fresh()
            xs = self.expr("list[int]", 1)
            text, kinds = r.choice(
                [
                    (f"{name} in {xs}", {name: "int"}),
                    (f"{name} in range({self.expr('int', 1)} % 6)", {name: "int"}),
                    (
                        f"{name} in range({self.expr('int', 0)}, {self.expr('int', 0)}, {self.pick('1', '2', '-1', '-2')})",
                        {name: "int"},
                    ),
                    (
                        f"{name}, {other} in enumerate({xs}{self.pick('', ', 1', ', start=2')})",
                        {name: "int", other: "int"},
                    ),
                    (f"{name}, {other} in zip({xs}, {self.expr('list[int]', 1)})", {name: "int", other: "int"}),
                    (f"{name} in reversed({xs})", {name: "int"}),
                    (f"{name} in reversed(range({self.expr('int', 1)} % 5))", {name: "int"}),
                    (f"{name} in {self.expr('str', 1)}", {name: "str"}),
                    (f"{name} in {self.expr('list[list[int]]', 1)}", {name: "list[int]"}),
                    (f"{name} in {self.expr('tuple[int, int]', 1)}", {name: "int"}),
                    *[
                        (f"{name}, {other} in {m}.items()", {name: "int", other: "int"})
                        for m in self.names("dict[int, int]")
                    ],
                ]
            )
            lists = self.names("list[int]")
            if lists and r.random() < 0.35:
                over = r.choice(lists)
                text, kinds = f"{name} in range({self.pick('', '1, ', '2, ')}len({over}))", {f"{over}[{name}]": "int"}
                if r.random() < 0.3:
                    kinds[name] = "int"
                if r.random() < 0.5:
                    kinds[f"{r.choice(lists)}[{name}]"] = "int"
                if r.random() < 0.4:
                    low, high, near = self.pick(
                        ("", " - 1", "+"), ("1, ", "", "-"), ("", " - 1", "-"), ("1, ", " - 1", "+")
                    )
                    text = f"{name} in range({low}len({over}){high})"
                    kinds[f"{over}[{name} {near} 1]"] = "int"
            if r.random() < 0.1 and self.names("int"):
                old = r.choice(self.names("int"))
                text, kinds = f"{old} in {xs}", {}
            self.put(indent, f"for {text}:")
            self.scope.update(kinds)
        for _ in range(body):
            self.statement(indent + 1)
        if r.random() < 0.15:
            self.put(indent, "else:")
            self.block(indent + 1, 1)
        if r.random() < 0.85:
            self.scope = {n: k for n, k in self.scope.items() if n in saved}
        self.owned &= set(self.scope)
        self.loops -= 1

    def match(self, indent: int) -> None:
        r = self.random
        which = r.randint(0, 4)
        cases: list[tuple[str, dict[str, str]]]
        if which == 0:
            subject, cases = (
                self.expr("list[int]", 1),
                [("[]", {}), ("[a]", {"a": "int"}), ("[a, *b]", {"a": "int", "b": "list[int]"})],
            )
        elif which == 1:
            subject, cases = (
                self.expr("Expr", 1),
                [("Num(0)", {}), ("Num(a)", {"a": "int"}), ("Add(Num(a), b)", {"a": "int", "b": "Expr"}), ("_", {})],
            )
        elif which == 2:
            subject, cases = self.expr("int", 1), [("0", {}), ("1 | 2", {}), ("-1", {}), ("a", {"a": "int"})]
        elif which == 3:
            subject, cases = self.expr("Color", 1), [("Color.RED", {}), ("Color.GREEN | Color.BLUE", {})]
        else:
            subject, cases = (
                self.expr("tuple[int, int]", 1),
                [("(0, a)", {"a": "int"}), ("(a, 0)", {"a": "int"}), ("(a, b)", {"a": "int", "b": "int"})],
            )
        self.put(indent, f"match {subject}:")
        for i, (pattern, kinds) in enumerate(cases):
            guard = f" if {self.expr('bool', 1)}" if r.random() < 0.2 and i < len(cases) - 1 else ""
            self.put(indent + 1, f"case {pattern}{guard}:")
            saved = dict(self.scope)
            self.scope.update(kinds)
            self.statement(indent + 2)
            if self.lines[-1].endswith(":"):
                self.put(indent + 3, "pass")
            self.scope = saved

    def program(self) -> tuple[str, list[str]]:
        r = self.random
        kinds = [r.choice(TYPES) for _ in range(r.randint(1, 3))]
        self.result = r.choice(TYPES)
        self.scope = {f"p{i}": k for i, k in enumerate(kinds)}
        self.budget = r.randint(2, 12)
        signature = ", ".join(f"p{i}: {k}" for i, k in enumerate(kinds))
        while self.budget > 0:
            self.statement(1)
        if r.random() < 0.95:
            self.put(1, f"return {self.expr(self.result, 2)}")
        told = "@raises(Exception)\n" if r.random() < 0.6 else ""
        head = f"{told}def f({signature}) -> {self.result}:\n"
        return HEAD + head + "\n".join(self.lines) + "\n", kinds


EDGES = [sign * (base + near) for base in (0, 2**31, 2**63, 0xD800, 0xE000, 0x2FF00, 0x110000) for near in (-1, 0, 1)
         for sign in (1, -1)]  # fmt: skip
"""Where CPython's own integers and letters end."""


def inputs(source: random.Random, kinds: list[str], count: int, text: str = "") -> list[list[str]]:
    """Literals for the parameters; integers also from the edges and from the program's ``text``."""
    maker = Maker(source)
    numbers = [*EDGES, *(int(n) + near for n in re.findall(r"\b\d{1,30}\b", text) for near in (-1, 0, 1))]

    def one(kind: str) -> str:
        return maker.literal(kind) if source.random() < 0.8 else _extreme(source, kind, numbers)

    return [[one(kind) for kind in kinds] for _ in range(count)]


def _extreme(source: random.Random, kind: str, numbers: list[int]) -> str:
    match kind:
        case "int":
            return str(source.randint(-30, 30) if source.random() < 0.5 else source.choice(numbers))
        case "str":
            return repr(source.choice(["", "a" * 40, chr(0xD800), chr(0x10FFFF), chr(0x2FF00), "\x00", "ß"]))
        case "list[int]":
            return str([source.randint(-9, 9) for _ in range(source.randint(0, 6))])
        case "list[str]" | "list[list[int]]" | "list[bool]":
            return "[]"
    return Maker(source).literal(kind)


@dataclass
class Ours:
    """A translated function that can be evaluated."""

    translation: Translation
    evaluator: Evaluator
    fails: bool
    unfolded: Evaluator
    formula: Term

    @classmethod
    def of(cls, source: str) -> Ours:
        translation = translate(read_program(source), "f")
        registry = translation.registry
        text = script(registry, _mention(registry, translation), "fuzz", unfold=False)
        signature = parse_problem(text).signature
        unfolded = parse_problem(script(registry, _mention(registry, translation), "fuzz"))
        return cls(
            translation,
            Evaluator(signature, fuel=60_000),
            "f!ok" in registry.definitions,
            Evaluator(unfolded.signature, fuel=60_000),
            unfolded.goal,
        )

    def run(self, arguments: list[str]) -> tuple[str, str]:
        """value and its text; raise and the class; fail; or undecided."""
        registry = self.translation.registry
        kinds = [k for _, k in self.translation.parameters]
        values = tuple(script_value(registry, k, a) for k, a in zip(kinds, arguments, strict=True))
        try:
            outcome: object = None
            if self.fails:
                outcome = self.evaluator.call("f!ok", values)
                if not self._same_unfolded("o~", outcome, values):
                    return "differs", "effects, when unfolded"
                if outcome is False:
                    return "fail", ""
                if outcome is not True and outcome[0] != "returns":
                    return "raise", outcome[0].removeprefix("raises.")
            value = self.evaluator.call("f", values)
            if not self._same_unfolded("r~", value, values):
                return "differs", "the value, when unfolded"
            return "value", python_value(registry, self.translation.result, value)
        except Undecided as reason:
            return "undecided", str(reason)

    def _same_unfolded(self, which: str, result: object, values: tuple[object, ...]) -> bool:
        """Whether the script that has bodies written out gives the same."""
        named = {f"l~{i}": v for i, v in enumerate(values)}
        goal = self.formula.body if self.formula.binders else self.formula
        part = goal.args[0 if which == "r~" else 1] if self.fails else goal
        assignment = {v: result if v.name == which else named[v.name] for v in part.free}
        return bool(self.unfolded.value(part, assignment))


def _mention(registry: Registry, translation: Translation) -> Term:
    """A formula that has the function and its effects in it, each beside what it is to be: ``r`` and ``o``."""
    kinds: list[Type] = [k for _, k in translation.parameters]
    one = [var(f"l~{i}", registry.sort(k)) for i, k in enumerate(kinds)]
    parts, binders = [], list(one)
    for name, result in ((legal("f"), "r~"), ("f!ok", "o~")):
        if name in registry.definitions:
            binders.append(var(result, registry.definitions[name].sort))
            call = app(name, one, binders[-1].sort)
            parts.append(app("xor", (eq(call, binders[-1]), FALSE), BOOL))  # not taken apart when it is folded
    return forall(binders, and_(parts))


def compare(seed: int, programs: int, per_program: int, keep: int = 5) -> tuple[Counter[str], list[str]]:
    """Counts of what happened, and the disagreements, each as a text."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert runner.stdin is not None and runner.stdout is not None
    for number in range(programs):
        source = random.Random(f"{seed}-{number}")
        text, kinds = Maker(source).program()
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            counts["not Python"] += 1
            continue
        try:
            ours = Ours.of(text)
        except OutsideFragment as error:
            counts["outside"] += 1
            counts[f"outside: {error.message[:60]}"] += 1
            continue
        tries = inputs(source, kinds, per_program, text[len(HEAD) :])
        told = [ours.run(t) for t in tries]
        calls = [[f"f({', '.join(t)})", w[1] if w[0] == "value" else None] for t, w in zip(tries, told, strict=True)]
        runner.stdin.write(json.dumps({"source": text, "calls": calls}) + "\n")
        runner.stdin.flush()
        for call, our, theirs in zip(calls, told, json.loads(runner.stdout.readline()), strict=True):
            verdict = _verdict(our, theirs)
            counts[verdict] += 1
            if verdict == "WRONG" and len(wrong) < keep:
                wrong.append(
                    f"# seed {seed}-{number}\n{text[len(HEAD) :]}\n# {call[0]}\n# ours {our}, CPython {theirs}\n"
                )
    runner.communicate()
    return counts, wrong


def _verdict(our: tuple[str, str], theirs: list[str]) -> str:
    if our[0] == "undecided" or theirs[0] == "slow":
        return "undecided"
    if our[0] == "value":
        return "value" if theirs[0] == "value" and theirs[2] else "WRONG"
    if our[0] == "fail":
        return "raise" if theirs[0] == "raise" or theirs[1] == "None" or "." in theirs[1] else "WRONG"
    if our[1] == INEXACT:
        return "inexact"  # nothing is claimed
    return "raise" if theirs[:2] == ["raise", our[1]] else "WRONG"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--inputs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=int, default=5)
    given = parser.parse_args()
    counts, wrong = compare(given.seed, given.programs, given.inputs, given.keep)
    for what, count in counts.most_common(40):
        print(f"{count:8} {what}")
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
