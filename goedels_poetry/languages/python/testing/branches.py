"""Inputs that a program's own conditions single out: for each condition a solver is asked when it holds, and when not.

The function is walked along its paths on symbols, through the functions of its module that it calls; conditions of the
contract are asked as well. What is not followed (loops, other types) may be anything, so that an input need not do what
it was asked for. It counts for nothing by itself, and is tried like any other, in CPython.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.python.program import PythonFault, parse_module
from goedels_poetry.languages.python.testing.checks import Checks
from goedels_poetry.languages.python.testing.literals import from_literal
from goedels_poetry.languages.python.testing.reading import Parameter
from goedels_poetry.solvers import Limits, SolverUnavailable, Z3Process

MOST = 80  # questions
_DEEPEST = 4  # calls within calls
_LIMITS = Limits(rlimit=200_000, seconds=10.0)
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=", ast.NotEq: "distinct"}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_ATOMS = {"int": "Int", "bool": "Bool", "str": "String"}
_TOKEN = re.compile(r'"(?:[^"]|"")*"|[()]|[^\s()]+')
_CODE = re.compile(r"\\u\{([0-9a-fA-F]+)\}")


@dataclass(frozen=True, slots=True)
class _Value:
    """A term of a sort; of a record or tuple (sort "") its ``parts``, and the constructor's name."""

    sort: str
    text: str = ""
    parts: dict[str, _Value] = field(default_factory=dict)


Env = dict[str, "_Value | None"]
Path = tuple[str, ...]


@lru_cache(maxsize=16)
def branch_inputs(
    source: str, parameters: tuple[Parameter, ...], checks: Checks, steps: int
) -> tuple[dict[str, Any], ...]:
    """Inputs in the harness's form, each once, as far as so many ``steps`` of the solver allow."""
    try:
        walk = _Walk(parse_module(source))
        walk.begin(parameters, checks)
    except (PythonFault, RecursionError):
        return ()
    found: dict[str, dict[str, Any]] = {}
    with suppress(SolverUnavailable), Z3Process() as solver:
        for path in walk.questions():
            answer = solver.ask(walk.script(path), _LIMITS, get=tuple(walk.leaves))
            steps -= _LIMITS.rlimit if answer.rlimit_used is None else answer.rlimit_used
            if answer.status == "sat":
                with suppress(InvalidInput, ValueError, LookupError):
                    values = dict(zip(walk.leaves, _read(answer.output), strict=True))
                    texts = {name: _literal(value, values) for name, value in walk.inputs.items()}
                    found[repr(texts)] = {name: from_literal(text) for name, text in texts.items()}
            if steps < 0:
                break
    return tuple(found.values())


def branch_lines(source: str, function: str) -> set[int]:
    """The first lines of the branches of a function and of what it calls, of those on lines of their own."""
    walk = _Walk(parse_module(source))
    left, seen, found = [function], {function}, set[int]()
    while left:
        for node in ast.walk(walk.functions[left.pop()]):
            if isinstance(node, ast.Name) and node.id in walk.functions and node.id not in seen:
                seen.add(node.id)
                left.append(node.id)
            if isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.match_case):
                blocks = [node.body, getattr(node, "orelse", [])]
                found |= {
                    block[0].lineno for block in blocks if block and block[0].lineno != getattr(node, "lineno", 0)
                }
    return found


class _Walk:
    """The functions of a module, walked; ``leaves``: the parameters' symbols with their sorts."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        constants = [n for n in tree.body if isinstance(n, ast.Assign) and len(n.targets) == 1]
        self.inputs: dict[str, _Value] = {}
        self.leaves: dict[str, str] = {}
        self.unknown: dict[str, str] = {}
        self.asked: dict[Path, None] = {}
        self.refused: dict[Path, None] = {}
        self.returned: list[tuple[Path, _Value | None]] = []
        self.constants: Env = {}
        for statement in constants:
            if isinstance(statement.targets[0], ast.Name):
                self.constants[statement.targets[0].id] = self.value(statement.value, {}, (), 0)

    def begin(self, parameters: tuple[Parameter, ...], checks: Checks) -> None:
        """Walk the function with its contract."""
        env: Env = dict(self.constants)
        for p in parameters:
            made = self.symbol(_expression(p.annotation), 0)
            if made is None and p.default is None:
                return
            if made is not None:
                env[p.name] = self.inputs[p.name] = made
        if not self.leaves:
            return
        demands = [node for text in checks.requires if (node := _expression(text)) is not None]
        holds = [self.truth(node, env, (), 0) for node in demands]
        path = tuple(text for text in holds if text)
        self.asked[path] = None
        for node in demands:
            self.value(node, env, path, 0)
        result = self.call(checks.function, [env.get(p.name) for p in parameters], path, 0)
        both = {**env, "result": result}
        for text in [*checks.ensures, *(when for _, when in checks.raises if when)]:
            if (node := _expression(text)) is not None:
                self.ask(path, self.truth(node, both, path, 0))

    def questions(self) -> Iterator[Path]:
        """What is asked: conditions that hold first, then those that do not."""
        yield from list(dict.fromkeys([*self.asked, *self.refused]))[:MOST]

    def script(self, path: Path) -> str:
        """One question."""
        declared = [f"(declare-const {name} {sort})" for name, sort in {**self.leaves, **self.unknown}.items()]
        return "\n".join([*declared, *(f"(assert {text})" for text in path)])

    def symbol(self, node: ast.expr | None, depth: int) -> _Value | None:
        """A symbol of an annotated type; None of types that are not followed."""
        match node:
            case ast.Name(id=name) if name in _ATOMS:
                return self.fresh(_ATOMS[name], self.leaves)
            case ast.Name(id=name) if name in self.classes and depth < _DEEPEST:
                hints = [s for s in self.classes[name].body if isinstance(s, ast.AnnAssign)]
                fields = {s.target.id: s for s in hints if isinstance(s.target, ast.Name)}
                return self.record(name, {key: s.annotation for key, s in fields.items()}, depth)
            case ast.Subscript(value=ast.Name(id="list" | "List" | "Sequence"), slice=ast.Name(id=inner)):
                return self.fresh(f"(Seq {_ATOMS[inner]})", self.leaves) if inner in _ATOMS else None
            case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=items)):
                return self.record("", {str(at): item for at, item in enumerate(items)}, depth)
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner_node):
                return self.symbol(inner_node, depth)
            case ast.BinOp(left=left, op=ast.BitOr()):
                return self.symbol(left, depth)
        return None

    def record(self, name: str, types: dict[str, ast.expr], depth: int) -> _Value | None:
        parts = {key: self.symbol(node, depth + 1) for key, node in types.items()}
        known = {key: part for key, part in parts.items() if part is not None}
        return _Value("", name, known) if known and len(known) == len(parts) else None

    def fresh(self, sort: str, among: dict[str, str] | None = None) -> _Value:
        """A symbol; among ``unknown`` for what is not followed."""
        name = f"v{len(self.leaves) + len(self.unknown)}"
        (self.unknown if among is None else among)[name] = sort
        return _Value(sort, name)

    def ask(self, path: Path, condition: str) -> None:
        """Note a condition on a path, and its negation."""
        if condition and len(self.asked) < MOST:
            self.asked[(*path, condition)] = None
            self.refused[(*path, f"(not {condition})")] = None

    # ---- statements -----------------------------------------------------------------------------------------------

    def call(self, name: str, given: list[_Value | None], path: Path, depth: int) -> _Value | None:
        """The result of a function of the module, whose conditions are noted."""
        node = self.functions.get(name)
        if node is None or depth > _DEEPEST:
            return None
        arguments = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        outer, self.returned = self.returned, []
        env: Env = {**self.constants, **dict(zip(arguments, given, strict=False))}
        self.block(node.body, env, path, depth)
        found, self.returned = self.returned, outer
        whole: _Value | None = None
        for at, (taken, value) in enumerate(reversed(found)):
            if value is None or not value.sort or (whole is not None and whole.sort != value.sort):
                return None
            test = _all(taken[len(path) :])
            whole = value if whole is None or at == 0 else _Value(value.sort, f"(ite {test} {value.text} {whole.text})")
        return whole

    def block(self, body: list[ast.stmt], env: Env, path: Path, depth: int) -> Path | None:
        """Walk statements; the path behind them, None where there is none."""
        for statement in body:
            after = self.statement(statement, env, path, depth)
            if after is None:
                return None
            path = after
        return path

    def statement(self, node: ast.stmt, env: Env, path: Path, depth: int) -> Path | None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                env[name] = self.value(value, env, path, depth)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                both = ast.BinOp(ast.Name(target.id, ast.Load()), op, value)
                env[name] = self.value(both, env, path, depth)
            case ast.Return(value=value):
                self.returned.append((path, self.value(value, env, path, depth) if value is not None else None))
                return None
            case ast.Raise() | ast.Continue() | ast.Break():
                return None
            case ast.If(test=test, body=body, orelse=orelse):
                return self.split(self.condition(test, env, path, depth), body, orelse, env, path, depth)
            case ast.While(test=test, body=body, orelse=orelse):
                self.condition(test, env, path, depth)
                _forget(node, env)
                inside = self.condition(test, env, path, depth)
                self.block(body, dict(env), (*path, inside) if inside else path, depth)
                return self.block(orelse, env, path, depth)
            case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
                whole = self.value(iterable, env, path, depth)
                _forget(node, env)
                inner, within = dict(env), path
                if isinstance(target, ast.Name):
                    inner[target.id], bound = self.element(iterable, whole, env, path, depth)
                    within = (*path, bound) if bound else path
                self.block(body, inner, within, depth)
                return self.block(orelse, env, path, depth)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                behind = self.block([*body, *orelse], dict(env), path, depth)
                _forget(node, env)
                for handler in handlers:
                    self.block(handler.body, dict(env), path, depth)
                self.block(final, env, path, depth)
                return path if behind is not None or handlers else None
            case ast.With(body=body):
                return self.block(body, env, path, depth)
            case ast.Match(subject=subject, cases=cases):
                asked = self.value(subject, env, path, depth)
                for case in cases:
                    matched = self.matched(case.pattern, asked, env)
                    self.ask(path, matched)
                    inner, within = dict(env), (*path, matched) if matched else path
                    if isinstance(case.pattern, ast.MatchAs) and case.pattern.name:
                        inner[case.pattern.name] = asked
                    guard = self.condition(case.guard, inner, within, depth) if case.guard is not None else ""
                    self.block(case.body, inner, (*within, guard) if guard else within, depth)
                _forget(node, env)
            case ast.Assert(test=test):
                held = self.condition(test, env, path, depth)
                return (*path, held) if held else path
            case ast.Expr(value=value):
                self.value(value, env, path, depth)
            case _:
                _forget(node, env)
        return path

    def split(
        self, test: str, body: list[ast.stmt], orelse: list[ast.stmt], env: Env, path: Path, depth: int
    ) -> Path | None:
        """Both ways of a condition; what they leave different is not known behind them."""
        other = dict(env)
        yes = self.block(body, env, (*path, test) if test else path, depth)
        no = self.block(orelse, other, (*path, f"(not {test})") if test else path, depth)
        if yes is None:
            env.clear()
            env.update(other)
            return no
        if no is None:
            return yes
        for name in {*env, *other}:
            a, b = env.get(name), other.get(name)
            if a != b:
                known = bool(test and a and b and a.sort and a.sort == b.sort)
                env[name] = _Value(a.sort, f"(ite {test} {a.text} {b.text})") if known and a and b else None
        return path

    def matched(self, pattern: ast.pattern, subject: _Value | None, env: Env) -> str:
        match pattern:
            case ast.MatchValue(value=value):
                return _equal(subject, self.value(value, env, (), 0)) or ""
            case ast.MatchOr(patterns=patterns):
                return _any([text for each in patterns if (text := self.matched(each, subject, env))])
        return ""

    def element(
        self, iterable: ast.expr, whole: _Value | None, env: Env, path: Path, depth: int
    ) -> tuple[_Value | None, str]:
        """Some element of what is gone over, and what is known of it."""
        match iterable:
            case ast.Call(func=ast.Name(id="range"), args=[*given]) if 1 <= len(given) <= 2:
                ends = [self.value(part, env, path, depth) for part in ([ast.Constant(0), *given])[-2:]]
                one = self.fresh("Int")
                if all(e is not None and e.sort == "Int" for e in ends):
                    return one, f"(and (<= {ends[0].text} {one.text}) (< {one.text} {ends[1].text}))"  # type: ignore[union-attr]
                return one, ""
        if whole is not None and whole.sort == "String":
            one = self.fresh("String")
            return one, f"(and (= (str.len {one.text}) 1) (str.contains {whole.text} {one.text}))"
        if whole is not None and whole.sort.startswith("(Seq"):
            one = self.fresh(whole.sort[5:-1])
            return one, f"(seq.contains {whole.text} (seq.unit {one.text}))"
        return None, ""

    # ---- expressions ----------------------------------------------------------------------------------------------

    def condition(self, node: ast.expr, env: Env, path: Path, depth: int) -> str:
        """A condition as a formula, noted; "" where it is not followed."""
        text = self.truth(node, env, path, depth)
        self.ask(path, text)
        return text

    def truth(self, node: ast.expr, env: Env, path: Path, depth: int) -> str:
        value = self.value(node, env, path, depth)
        if value is None or not value.sort:
            return ""
        if value.sort == "Bool":
            return value.text
        empty = {"Int": "0", "String": '""'}.get(value.sort, f"(as seq.empty {value.sort})")
        return f"(not (= {value.text} {empty}))"

    def value(self, node: ast.expr, env: Env, path: Path, depth: int) -> _Value | None:
        """A term, or None; conditions within are noted on the way."""

        def of(part: ast.expr) -> _Value | None:
            return self.value(part, env, path, depth)

        match node:
            case ast.Constant(value=bool() as constant):
                return _Value("Bool", "true" if constant else "false")
            case ast.Constant(value=int() as number):
                return _Value("Int", _integer(number))
            case ast.Constant(value=str() as text):
                return _Value("String", _string(text))
            case ast.Name(id=name):
                return env.get(name)
            case ast.Attribute(value=inner, attr=name):
                whole = of(inner)
                return whole.parts.get(name) if whole is not None else None
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                text = self.truth(operand, env, path, depth)
                return _Value("Bool", f"(not {text})") if text else None
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number_ = _number(of(operand))
                return _Value("Int", f"(- {number_})") if number_ else None
            case ast.NamedExpr(target=ast.Name(id=name), value=inner):
                env[name] = of(inner)
                return env[name]
            case ast.BinOp(left=left, op=op, right=right):
                one, two = of(left), of(right)
                if isinstance(op, ast.FloorDiv | ast.Mod | ast.Div) and not isinstance(right, ast.Constant):
                    self.ask(path, f"(= {divisor} 0)" if (divisor := _number(two)) else "")
                return _computed(op, one, two, right)
            case ast.BoolOp(op=op, values=values):
                texts = [text for part in values if (text := self.condition(part, env, path, depth))]
                if not texts:
                    return None
                return _Value("Bool", _all(texts) if isinstance(op, ast.And) else _any(texts))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compared([left, *others], ops, env, path, depth)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                held = self.condition(test, env, path, depth)
                yes = self.value(body, env, (*path, held) if held else path, depth)
                no = self.value(orelse, env, (*path, f"(not {held})") if held else path, depth)
                if held and yes and no and yes.sort and yes.sort == no.sort:
                    return _Value(yes.sort, f"(ite {held} {yes.text} {no.text})")
                return None
            case ast.List(elts=[_, *_] as items):
                parts = [of(item) for item in items]
                sorts = {part.sort if part is not None else "" for part in parts}
                if len(sorts) == 1 and sorts <= set(_ATOMS.values()):
                    units = [f"(seq.unit {part.text})" for part in parts if part is not None]
                    return _Value(
                        f"(Seq {sorts.pop()})", units[0] if len(units) == 1 else f"(seq.++ {' '.join(units)})"
                    )
                return None
            case ast.Subscript(value=inner, slice=index):
                return _element(of(inner), of(index))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in self.functions:
                return self.call(name, [of(arg) for arg in args], path, depth + 1)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return _built_in(name, [of(arg) for arg in args])
            case ast.Call(func=ast.Attribute(value=inner, attr="startswith" | "endswith" as name), args=[arg]):
                one, two = of(inner), of(arg)
                if one is not None and two is not None and one.sort == two.sort == "String":
                    relation = "prefixof" if name == "startswith" else "suffixof"
                    return _Value("Bool", f"(str.{relation} {two.text} {one.text})")
                return None
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                of(part)
        return None

    def compared(self, parts: list[ast.expr], ops: list[ast.cmpop], env: Env, path: Path, depth: int) -> _Value | None:
        found = []
        for left, op, right in zip(parts, ops, parts[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set):
                one = self.value(left, env, path, depth)
                among = [_equal(one, self.value(item, env, path, depth)) for item in right.elts]
                text = _any([each for each in among if each])
            else:
                text = self.related(op, self.value(left, env, path, depth), self.value(right, env, path, depth))
            if not text:
                return None
            found.append(f"(not {text})" if isinstance(op, ast.NotIn) else text)
        whole = _Value("Bool", _all(found))
        self.ask(path, whole.text)
        return whole

    def related(self, op: ast.cmpop, a: _Value | None, b: _Value | None) -> str:
        """A comparison; one side that is not followed may be anything."""
        if a is None and b is None:
            return ""
        sort = (a if a is not None else b or _Value("Int")).sort or "Int"
        a, b = self.fresh(sort) if a is None else a, self.fresh(sort) if b is None else b
        if isinstance(op, ast.In | ast.NotIn):
            if a.sort == b.sort == "String":
                return f"(str.contains {b.text} {a.text})"
            return f"(seq.contains {b.text} (seq.unit {a.text}))" if b.sort == f"(Seq {a.sort})" else ""
        if isinstance(op, ast.Eq | ast.Is):
            return _equal(a, b)
        if isinstance(op, ast.NotEq | ast.IsNot):
            return f"(not {same})" if (same := _equal(a, b)) else ""
        relation = _COMPARISONS[type(op)]
        if a.sort == b.sort == "String":
            one, two = (a.text, b.text) if relation in ("<", "<=") else (b.text, a.text)
            return f"(str.{'<=' if '=' in relation else '<'} {one} {two})"
        x, y = _number(a), _number(b)
        return f"({relation} {x} {y})" if x and y else ""


def _computed(op: ast.operator, a: _Value | None, b: _Value | None, right: ast.expr) -> _Value | None:
    if (
        a is not None
        and b is not None
        and isinstance(op, ast.Add)
        and a.sort == b.sort
        and a.sort not in ("Int", "Bool")
    ):
        return _Value(a.sort, f"({'str' if a.sort == 'String' else 'seq'}.++ {a.text} {b.text})") if a.sort else None
    x, y = _number(a), _number(b)
    if not x or not y:
        return None
    constant = right.value if isinstance(right, ast.Constant) and isinstance(right.value, int) else None
    if type(op) in _ARITHMETIC:
        return _Value("Int", f"({_ARITHMETIC[type(op)]} {x} {y})")
    if isinstance(op, ast.FloorDiv | ast.Mod):
        if constant is not None and constant > 0:
            return _Value("Int", f"({'div' if isinstance(op, ast.FloorDiv) else 'mod'} {x} {y})")
        floor = f"(ite (> {y} 0) (div {x} {y}) (div (- {x}) (- {y})))"
        return _Value("Int", floor if isinstance(op, ast.FloorDiv) else f"(- {x} (* {y} {floor}))")
    if constant is None or not 0 <= constant <= 256:
        return None
    if isinstance(op, ast.Pow) and x.isdigit():
        return _Value("Int", str(min(int(x), 1 << 64) ** constant))
    if isinstance(op, ast.LShift):
        return _Value("Int", f"(* {x} {1 << constant})")
    if isinstance(op, ast.RShift):
        return _Value("Int", f"(div {x} {1 << constant})")
    if isinstance(op, ast.Pow) and 1 <= constant <= 8:
        return _Value("Int", f"(* {' '.join([x] * constant)})" if constant > 1 else x)
    return None


def _element(whole: _Value | None, index: _Value | None) -> _Value | None:
    if whole is None or index is None or index.sort != "Int":
        return None
    if whole.parts:
        return whole.parts.get(index.text)
    kind = "str" if whole.sort == "String" else "seq"
    at = f"(ite (< {index.text} 0) (+ (str.len {whole.text}) {index.text}) {index.text})".replace(
        "str.len", f"{kind}.len"
    )
    if kind == "str":
        return _Value("String", f"(str.at {whole.text} {at})")
    return _Value(whole.sort[5:-1], f"(seq.nth {whole.text} {at})") if whole.sort.startswith("(Seq") else None


def _built_in(name: str, given: list[_Value | None]) -> _Value | None:
    """What a call of one of Python's own functions comes to."""
    known = [value for value in given if value is not None]
    if len(known) < len(given) or not known:
        return None
    first, sorts = known[0], {value.sort for value in known}
    match name, first.sort:
        case "len", "String":
            return _Value("Int", f"(str.len {first.text})")
        case "len", sort if sort.startswith("(Seq"):
            return _Value("Int", f"(seq.len {first.text})")
        case "ord", "String":
            return _Value("Int", f"(str.to_code {first.text})")
        case "chr", "Int":
            return _Value("String", f"(str.from_code {first.text})")
        case "int", "String":
            return _Value("Int", f"(str.to_int {first.text})")
        case "str", "Int":
            return _Value("String", f"(str.from_int {first.text})")
        case "abs", "Int":
            return _Value("Int", f"(ite (< {first.text} 0) (- {first.text}) {first.text})")
        case "min" | "max", "Int" if sorts == {"Int"}:
            relation, whole = "<=" if name == "min" else ">=", first.text
            for other in known[1:]:
                whole = f"(ite ({relation} {whole} {other.text}) {whole} {other.text})"
            return _Value("Int", whole) if len(known) > 1 else None
    return None


def _equal(a: _Value | None, b: _Value | None) -> str:
    if a is None or b is None:
        return ""
    if a.sort and a.sort == b.sort:
        return f"(= {a.text} {b.text})"
    x, y = _number(a), _number(b)
    return f"(= {x} {y})" if x and y else ""


def _number(value: _Value | None) -> str:
    """The term as an integer; "" where it is none."""
    if value is None or value.sort not in ("Int", "Bool"):
        return ""
    return value.text if value.sort == "Int" else f"(ite {value.text} 1 0)"


def _all(texts: list[str] | Path) -> str:
    return "true" if not texts else texts[0] if len(texts) == 1 else f"(and {' '.join(texts)})"


def _any(texts: list[str]) -> str:
    return "" if not texts else texts[0] if len(texts) == 1 else f"(or {' '.join(texts)})"


def _forget(node: ast.stmt, env: Env) -> None:
    """What a statement may bind or change is not known behind it."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            env[part.id] = None


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _integer(number: int) -> str:
    return str(number) if number >= 0 else f"(- {-number})"


def _string(text: str) -> str:
    return '"' + "".join(c if c.isalnum() and c.isascii() else f"\\u{{{ord(c):x}}}" for c in text) + '"'


def _read(output: str) -> list[str]:
    """The values of a solver's answer, ``((v0 5) (v1 "a"))``, as Python literals in their order."""
    tokens = _TOKEN.findall(output)
    values, depth, at = [], 0, 0
    while at < len(tokens):
        depth += (tokens[at] == "(") - (tokens[at] == ")")
        if tokens[at] == "(" and depth == 2:
            text, at = _term(tokens, at + 2)
            values.append(text)
            continue
        at += 1
    return values


def _term(tokens: list[str], at: int) -> tuple[str, int]:
    """One value, and where it ends."""
    token = tokens[at]
    if token != "(":
        if token.startswith('"'):
            inner = token[1:-1].replace('""', '"')
            return repr(_CODE.sub(lambda found: chr(int(found[1], 16)), inner)), at + 1
        return {"true": "True", "false": "False"}.get(token, token), at + 1
    head, at = tokens[at + 1], at + 2
    parts: list[str] = []
    if head == "as":  # (as seq.empty (Seq Int))
        while tokens[at : at + 1] != [")"] or tokens[at - 1] != ")":
            at += 1
        return "[]", at + 1
    while tokens[at] != ")":
        part, at = _term(tokens, at)
        parts.append(part)
    if head == "-":
        return f"-{parts[0]}", at + 1
    if head == "seq.unit":
        return f"[{parts[0]}]", at + 1
    return f"[{', '.join(part[1:-1] for part in parts if part != '[]')}]", at + 1


def _literal(value: _Value, values: dict[str, str]) -> str:
    if value.sort:
        return str(int(values[value.text])) if value.sort == "Int" else values[value.text]
    parts = {key: _literal(part, values) for key, part in value.parts.items()}
    if not value.text:
        return f"({', '.join(parts.values())},)"
    return f"{value.text}({', '.join(f'{key}={text}' for key, text in parts.items())})"


__all__ = ["branch_inputs", "branch_lines"]
