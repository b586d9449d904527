"""Classes as records, and methods as functions of them. Trusted code.

An object is the record of its fields. A method is a function of ``self`` and its arguments; one that changes ``self``
has a variable for each field, named ``self.x``, and gives the record that they make at its end beside the result. So
lists in fields are followed like lists in variables, and no other translation is needed. The record is right only as
long as nothing else refers to what it holds: what a method stores in a field must be new, and so must what it returns.

``self`` is exactly of the class that the theorem names; methods that it inherits are translated anew for it. A theorem
about a method assumes the invariants of its class at entry and shows them at the end, also after an exception that its
contract allows (Meyer, "Object-Oriented Software Construction", 1988). What is not followed is refused with its line.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from goedels_poetry.python.translate.contracts import (
    Clause,
    Contract,
    ContractNames,
    OutsideFragment,
    PythonFault,
    Raises,
    contract_of,
    invariants_of,
    outside,
)
from goedels_poetry.python.translate.liveness import bindings_of

_PLAIN = frozenset({"object", "ABC", "abc.ABC", "icontract.DBC", "DBC"})
_SPECIAL = frozenset(
    {"__init__", "__post_init__", "__add__", "__sub__", "__mul__", "__neg__", "__eq__", "__lt__", "__le__", "__gt__"}
    | {"__ge__", "__len__", "__bool__", "__contains__", "__repr__", "__str__"}
)
"""Methods with underscores that a class may have; those that are no operators are only called by their names."""
_CHANGES = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update"}
    | {"setdefault", "popitem"}
)
"""Methods that change a list, a dict or a set."""
CHANGEABLE = frozenset({"list", "List", "dict", "Dict", "set", "Set"})
"""Words of annotations of what may be changed in place."""


@dataclass(frozen=True, slots=True)
class Member:
    """A method as a class has it. ``kind``: method, property, setter, static or class; ``owner``: who defines it."""

    name: str
    node: ast.FunctionDef
    kind: str
    owner: str
    contract: Contract
    fault: PythonFault | None = None
    made: bool = False

    @property
    def is_public(self) -> bool:
        """Whether callers from outside may use it."""
        return not self.name.startswith("_") or self.name in _SPECIAL - {"__post_init__", "__repr__", "__str__"}

    @property
    def parameters(self) -> list[ast.arg]:
        """Those besides ``self``."""
        given = self.node.args
        return [*given.posonlyargs, *given.args][self.kind != "static" :] + given.kwonlyargs


@dataclass(slots=True)
class Class:
    """A class. ``above``: itself and the classes of the file that it is made from, nearest first.

    ``fields``: annotations in order; ``defaults``: constants, or empty displays that are made anew; ``constants``:
    names of the class with values that nothing changes; ``equal``: whether ``==`` compares the fields; ``refused``: why
    it is not followed; ``complete``: whether these are all fields; ``guessed``: whether ``__init__`` shows types.
    """

    name: str
    node: ast.ClassDef
    above: tuple[str, ...] = ()
    fields: dict[str, ast.expr] = field(default_factory=dict)
    defaults: dict[str, ast.expr] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    invariants: tuple[Clause, ...] = ()
    data: bool = False
    frozen: bool = False
    equal: bool = False
    refused: OutsideFragment | None = None
    complete: bool = False
    guessed: bool = False
    changing: frozenset[str] = frozenset()

    @property
    def has_state(self) -> bool:
        """Whether an object is made for a test by its fields; else by its constructor, which alone gives it values."""
        return not (self.data and self.frozen)


# ------------------------------------------------------------------------------------------------ reading


def classes_of(tree: ast.Module, names: ContractNames) -> dict[str, Class]:
    """The classes at the level of a module that are bound once and are no enumerations, exceptions and the like."""
    counts, found = bindings_of(tree), dict[str, Class]()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and counts.get(node.name) == 1:
            node = _mangled(node)
            bases = [ast.unparse(b) for b in node.bases]
            if all(b in found or b in _PLAIN for b in bases):
                found[node.name] = _Reading(node, names, found, counts).read()
    patches = _patches(tree, found) if found else []
    for one in found.values():
        known = {*one.fields, *one.constants, *one.members}
        for patch in (n for n in patches if n.attr in known and one.refused is None):
            reason = f"`{ast.unparse(patch)}` is assigned outside of the methods of `{one.name}`"
            one.refused = OutsideFragment(reason, patch.lineno, patch.col_offset + 1, "patch")
    return found


def _mangled(node: ast.ClassDef) -> ast.ClassDef:
    """A class with private names, such as ``__x``, as CPython has them within its body."""
    prefix = f"_{node.name.lstrip('_')}"
    made = copy.deepcopy(node)
    for part in (n for s in made.body for n in ast.walk(s)):
        for name in ("id", "attr", "arg", "name") if node.name.strip("_") else ():
            text = getattr(part, name, None)
            if isinstance(text, str) and text.startswith("__") and not text.endswith("__"):
                setattr(part, name, prefix + text)
    return made


def _patches(tree: ast.Module, found: Mapping[str, Class]) -> list[ast.Attribute]:
    """Attributes that are assigned, but not by a method to its own ``self``."""
    methods = [m for c in found.values() for m in c.members.values()]
    own = {_place(n) for m in methods for n in ast.walk(m.node) if own_name(m) and of_self(n, own_name(m))}
    stored = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)]
    return [n for n in stored if _place(n) not in own]


def _place(node: ast.AST) -> tuple[object, ...]:
    return tuple(getattr(node, n, 0) for n in ("lineno", "col_offset", "end_lineno", "end_col_offset"))


@dataclass
class _Reading:
    """What the statements of a class say."""

    node: ast.ClassDef
    names: ContractNames
    known: Mapping[str, Class]
    counts: Mapping[str, int]

    def read(self) -> Class:
        """The class; what is not followed is kept as the reason."""
        made = Class(self.node.name, self.node, (self.node.name,))
        try:
            self._read(made)
        except OutsideFragment as why:
            made.refused = why
        except PythonFault as fault:
            made.refused = OutsideFragment(fault.message, fault.line, fault.column, "contract")
        made.changing = _changing(made, self.known)
        return made

    def _read(self, made: Class) -> None:
        node = self.node
        bases = [self.known[b] for b in map(ast.unparse, node.bases) if b in self.known]
        for base in bases:
            made.above, made.data = (node.name, *base.above), base.data
            made.fields, made.defaults = dict(base.fields), dict(base.defaults)
            made.constants, made.members = dict(base.constants), dict(base.members)
        self._decorators(made, bases)
        self._members(made)
        made.invariants = (*invariants_of(node, self.names), *(bases[0].invariants if bases else ()))
        if len(bases) > 1 or node.keywords:
            outside("a class of several classes of the file, or with keywords", node, "class")
        if bases and (bases[0].refused is not None):
            raise bases[0].refused
        if any(getattr(node, "type_params", ())):
            outside("a generic class", node, "class")
        self._body(made)
        if "__init__" in made.members and not made.data:
            self._initialised(made)
            self._refuse_gaps(made)
        made.complete = made.data or "__init__" in made.members or not made.fields
        for member in made.members.values():
            for part in (n for n in ast.walk(member.node) if isinstance(n, ast.Attribute) and own_name(member)):
                name = "" if isinstance(part.ctx, ast.Load) else of_self(part, own_name(member))
                if name and name not in made.fields and f"{name}.setter" not in made.members:
                    outside(f"`self.{name}` is no field that `__init__` makes", part, "field")
        twice = {*made.fields, *made.constants} & made.members.keys()
        if twice or (made.data and made.frozen and "__init__" in made.members):
            outside(f"`{min(twice, default='__init__')}` of a class is bound twice", node, "class")
        if made.data and "__post_init__" in made.members:
            made.members.setdefault("__init__", self._made_init(made))
        made.equal = made.data and "__eq__" not in made.members and made.equal

    def _decorators(self, made: Class, bases: Sequence[Class]) -> None:
        made.equal = True
        for decorator in self.node.decorator_list:
            bare = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.names.kind(bare) == "invariant":
                continue
            if ast.unparse(bare) not in ("dataclass", "dataclasses.dataclass"):
                outside("a decorator of a class that is not covered", decorator, "decorator")
            made.data = True
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
                if keyword.arg not in ("frozen", "eq", "order", "repr", "unsafe_hash") or not isinstance(value, bool):
                    outside(f"a dataclass with `{keyword.arg}`", decorator, "dataclass")
                made.frozen = made.frozen or (keyword.arg == "frozen" and value)
                made.equal = made.equal and not (keyword.arg == "eq" and not value)
            if isinstance(decorator, ast.Call) and decorator.args:
                outside("a dataclass that is made of another class", decorator, "dataclass")
        own = any(self.names.kind(getattr(d, "func", d)) != "invariant" for d in self.node.decorator_list)
        if bases and (bases[0].data != own or (own and bases[0].frozen != made.frozen)):
            outside("a dataclass and a class that is none are mixed", self.node, "dataclass")

    def _members(self, made: Class) -> None:
        seen: set[str] = set()
        why: OutsideFragment | None = None
        for part in self.node.body:
            if not isinstance(part, ast.FunctionDef):
                continue
            kind, name = "method", part.name
            try:
                kind = self._kind(part)
            except OutsideFragment as refused:
                why = why or refused
            if kind != "static" and not [*part.args.posonlyargs, *part.args.args]:
                outside("a method without `self`", part, "method")
            key = f"{name}.setter" if kind == "setter" else name
            if key in seen:
                outside(f"`{name}` is defined twice in the class", part, "class")
            seen.add(key)
            contract, fault = Contract(), None
            try:
                contract, _ = contract_of(part, self.names)
            except PythonFault as found:
                fault = found
            made.members[key] = Member(name, part, kind, made.name, contract, fault)
        if why is not None:
            raise why

    def _kind(self, part: ast.FunctionDef) -> str:
        kinds = []
        for decorator in part.decorator_list:
            bare = decorator.func if isinstance(decorator, ast.Call) else decorator
            text = ast.unparse(bare)
            if self.names.kind(bare) is not None or text in ("abstractmethod", "abc.abstractmethod", "override"):
                continue
            if text in ("property", "staticmethod", "classmethod") and not self.counts.get(text):
                kinds.append({"staticmethod": "static", "classmethod": "class"}.get(text, text))
            elif text == f"{part.name}.setter":
                kinds.append("setter")
            else:
                outside(f"the decorator `{text}` of a method is not covered", decorator, "decorator")
        if len(kinds) > 1:
            outside("several decorators of a method", part, "decorator")
        return kinds[0] if kinds else "method"

    def _body(self, made: Class) -> None:
        for part in self.node.body:
            match part:
                case ast.FunctionDef():
                    special = part.name.startswith("__") and part.name.endswith("__")
                    if special and part.name not in _SPECIAL:
                        outside(f"a class with `{part.name}`", part, "class")
                case ast.AnnAssign(target=ast.Name(id=name)) if "ClassVar" not in ast.unparse(part.annotation):
                    made.fields[name] = part.annotation
                    made.defaults.pop(name, None)
                    if part.value is not None:
                        made.defaults[name] = _default(part.value, made.data)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name != "__slots__":
                    made.constants[name] = _default(value, data=False)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    made.constants[name] = _default(value, data=False)
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    continue
                case _:
                    outside(f"`{ast.unparse(part).splitlines()[0]}` in a class is not covered", part, "class body")

    def _initialised(self, made: Class) -> None:
        """The fields that ``__init__`` assigns, with the types that are seen there."""
        init = made.members["__init__"]
        if init.owner != made.name or init.kind != "method" or not init.node.args.args:
            return
        setting = [a for k, m in made.members.items() if k.endswith(".setter") for a in m.parameters]
        types = {a.arg: a.annotation for a in (*setting, *init.parameters) if a.annotation is not None}
        own = init.node.args.args[0].arg
        setters = [made.members[k].node for k in made.members if k.endswith(".setter")]
        for node in (
            n for f in (init.node, *setters) for n in ast.walk(f) if isinstance(n, ast.Assign | ast.AnnAssign)
        ):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                values: Sequence[ast.expr | None] = [node.value]
                if isinstance(target, ast.Tuple):
                    whole = isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(parts)
                    values = node.value.elts if whole else [None] * len(parts)  # type: ignore[union-attr]
                for one, value in zip(parts, values, strict=True):
                    name = of_self(one, own)
                    if name and isinstance(node, ast.AnnAssign):
                        made.fields[name] = node.annotation
                    elif name and name not in made.fields and f"{name}.setter" not in made.members:
                        made.fields[name], made.guessed = self._guessed(value, types, one, name), True

    def _refuse_gaps(self, made: Class) -> None:
        """Each field has a value when an object is made."""
        missing = made.fields.keys() - made.defaults.keys() - _surely(made, "__init__", self.known, made.name)
        if missing:
            outside(f"`self.{min(missing)}` may have no value after `__init__`", made.members["__init__"].node, "field")

    def _guessed(self, value: ast.expr | None, types: Mapping[str, ast.expr], at: ast.expr, name: str) -> ast.expr:
        """The type that a value shows; the translation of ``__init__`` says whether it has it."""
        plain = {"len": "int", "int": "int"}
        match value:
            case ast.Constant(value=bool() | int() | str() as literal):
                return ast.copy_location(ast.Name(type(literal).__name__, ast.Load()), at)
            case ast.Name(id=given) if given in types:
                return types[given]
            case ast.Call(func=ast.Name(id="list" | "dict" | "set" | "sorted" as made), args=[ast.Name(id=given)]):
                if given in types and ast.unparse(types[given]).startswith(made.replace("sorted", "list")):
                    return types[given]
            case ast.Call(func=ast.Name(id=called)) if called in plain or called in self.known:
                return ast.copy_location(ast.Name(plain.get(called, called), ast.Load()), at)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return ast.copy_location(ast.Name("bool", ast.Load()), at)
            case ast.UnaryOp(operand=inner) | ast.Call(func=ast.Name(id="abs"), args=[inner]):
                return self._guessed(inner, types, at, name)
            case (
                ast.BinOp(left=one, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=other)
                | ast.IfExp(body=one, orelse=other)
                | ast.Call(func=ast.Name(id="min" | "max"), args=[one, other])
            ):
                found = [self._guessed(part, types, at, name) for part in (one, other)]
                if ast.unparse(found[0]) == ast.unparse(found[1]) != "bool":
                    return found[0]
        return outside(f"`self.{name}` needs an annotation, such as `self.{name}: int = ...`", at, "annotation")

    def _made_init(self, made: Class) -> Member:
        """The ``__init__`` of a dataclass."""
        text = "".join(f"    self.{name} = {name}\n" for name in made.fields) or "    pass\n"
        text += "    self.__post_init__()\n"
        node = ast.parse(f"def __init__(self, {', '.join(made.fields)}):\n{text}").body[0]
        assert isinstance(node, ast.FunctionDef)
        for part in (p for p in ast.walk(node) if isinstance(p, ast.expr | ast.stmt | ast.arg)):
            part.lineno = part.end_lineno = self.node.lineno
        for argument, annotation in zip(node.args.args[1:], made.fields.values(), strict=True):
            argument.annotation = annotation
        with_default = [made.defaults[name] for name in made.fields if name in made.defaults]
        node.args.defaults = list(with_default)
        return Member("__init__", node, "method", made.name, Contract(raises=(Raises("Exception", None),)), made=True)


def _surely(made: Class, key: str, known: Mapping[str, Class], owner: str, depth: int = 0) -> set[str]:
    """The fields that a method assigns, whatever happens, if it returns."""
    one = known.get(owner, made)
    member, above = one.members.get(key), one.above[1:]
    if member is None or depth > 10 or any(isinstance(n, ast.Return) for s in member.node.body for n in ast.walk(s)):
        return set()
    own = own_name(member)

    def of(body: Sequence[ast.stmt]) -> set[str]:
        found: set[str] = set()
        for node in body:
            match node:
                case ast.Raise():
                    return set(made.fields)
                case ast.If():
                    found |= of(node.body) & of(node.orelse)
                case ast.Assign() | ast.AnnAssign() if node.value is not None:
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for part in (p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t])):
                        name = of_self(part, own)
                        setter = f"{name}.setter"
                        found |= _surely(made, setter, {}, "", depth + 1) if setter in made.members else {name}
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) as func)) if (
                    ast.unparse(func.value) == "super()"
                ):
                    higher = next((a for a in above if name in known[a].members), "")
                    found |= _surely(made, name, known, higher, depth + 1) if higher else set()
                case ast.Expr(value=ast.Call(func=func)) if of_self(func, own) in made.members:
                    found |= _surely(made, of_self(func, own), {}, "", depth + 1)
        return found

    return of(member.node.body)


def _default(value: ast.expr, data: bool) -> ast.expr:
    """A constant, or an empty list, dict or set that each object gets anew."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("field", "dataclasses.field") and data:
        given = {k.arg: k.value for k in value.keywords}
        if given.keys() == {"default"}:
            value = given["default"]
        elif given.keys() == {"default_factory"} and ast.unparse(given["default_factory"]) in ("list", "dict", "set"):
            return ast.copy_location(ast.Call(given["default_factory"], [], []), value)
    negative = isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant)
    if not (isinstance(value, ast.Constant) or negative):
        outside("a default that is no constant", value, "class body")
    return value


# ------------------------------------------------------------------------------------- what a method changes


def of_self(node: ast.AST, own: str) -> str:
    """The ``x`` of ``self.x``, or ""."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own
    return node.attr if isinstance(node, ast.Attribute) and is_own else ""


def changed_in(node: ast.AST, own: str) -> Iterator[str]:
    """Names ``x`` such that a part of the node may change ``self.x`` or calls it."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load):
            root: ast.expr = part
            while isinstance(root, ast.Subscript) or (isinstance(root, ast.Attribute) and not of_self(root, own)):
                root = root.value
            yield of_self(root, own)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in _CHANGES:
                yield from (of_self(n, own) for n in ast.walk(part.func.value))
            if isinstance(part.func.value, ast.Call) and ast.unparse(part.func.value) == "super()":
                yield f"super.{part.func.attr}"


def member_calls(node: ast.AST, own: str) -> set[str]:
    """Methods and properties that a part of the node may call on ``self``."""
    return {of_self(n, own) for n in ast.walk(node)} | {n for n in changed_in(node, own) if n.startswith("super.")}


def own_name(member: Member) -> str:
    """What a method calls ``self``."""
    given = [*member.node.args.posonlyargs, *member.node.args.args]
    return given[0].arg if given and member.kind not in ("static", "class") else ""


def _changing(one: Class, known: Mapping[str, Class]) -> frozenset[str]:
    """The members that may change ``self``, directly or through others."""
    found: set[str] = set()
    while True:
        more = set()
        for key, member in one.members.items():
            own = own_name(member)
            direct = any(n and not n.startswith("super.") for n in changed_in(member.node, own)) if own else False
            above = {n for n in member_calls(member.node, own) if n in found} if own else set()
            supers = {n[6:] for n in changed_in(member.node, own) if n.startswith("super.")}
            through = supers & ({"__init__"}.union(*(known[a].changing for a in one.above[1:])))
            if direct or above or through or key == "__init__" or member.kind == "setter":
                more.add(key)
        if more <= found:
            return frozenset(found)
        found |= more


def words_of(annotation: ast.expr) -> set[str]:
    """The names in an annotation, within quotation marks as well."""
    words: set[str] = set()
    for part in ast.walk(annotation):
        if isinstance(part, ast.Name):
            words.add(part.id)
        elif isinstance(part, ast.Attribute):
            words.add(part.attr)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            words |= set(re.findall(r"\w+", part.value))
    return words


def is_changed(one: Class) -> bool:
    """Whether objects of a class change after they were made."""
    return bool(one.changing - {"__init__", "__post_init__"}) or (one.data and not one.frozen)
