"""Contracts in all spellings that are read, as conditions over the function's own parameter names and ``result``.

Ours (``requires``, ``ensures``, ``raises`` of ``goedels_poetry.contracts``), those of deal and icontract, and the lines
``pre:``, ``post:`` and ``raises:`` of PEP 316 in docstrings. A decorator is known by what the module imports under its
name, never by its spelling; a name that the module binds twice is no contract.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from goedels_poetry.python.translate.liveness import bindings_of

# What is refused


class PythonFault(Exception):
    """A text that is no Python program, or a contract that cannot be read.

    ``line`` and ``column`` are counted from 1; ``hint`` says what would make it right, where we know.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.hint = message, line, column, hint

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}: {self.message}{hint}" if where else f"{self.message}{hint}"


class OutsideFragment(Exception):
    """Python that means something, but that the translation does not cover.

    ``message`` says why in one line; ``construct`` names what it is, for statistics.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None, construct: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.construct = message, line, column, construct

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        return f"{where}: {self.message}" if where else self.message


def outside(message: str, node: ast.AST | None = None, construct: str = "") -> NoReturn:
    """Raise `OutsideFragment` for a node. Raises OutsideFragment: always."""
    kind = construct or (type(node).__name__ if node is not None else "")
    raise OutsideFragment(message, *_place(node), kind)


def fault(message: str, node: ast.AST | None = None, hint: str | None = None) -> NoReturn:
    """Raise `PythonFault` for a node. Raises PythonFault: always."""
    raise PythonFault(message, *_place(node), hint)


def _place(node: ast.AST | None) -> tuple[int | None, int | None]:
    column = getattr(node, "col_offset", None)
    return getattr(node, "lineno", None), None if column is None else column + 1


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition over parameter names (and ``result``), where it stands in the file (counted from 1)."""

    text: str
    expression: ast.expr
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Raises:
    """``exception`` and its subclasses may be raised; with ``when`` only where that holds."""

    exception: str
    when: Clause | None


@dataclass(frozen=True, slots=True)
class Contract:
    """What is promised of a function; ``limited``: an exception that no ``raises`` allows is replaced when it runs;
    ``doctests``: its docstring has some; ``uses``: functions whose contracts are lemmas for it; ``old``: some condition
    has ``old(...)``; ``kept``: conditions, the last of ``ensures``, that hold after an allowed exception as well."""

    requires: tuple[Clause, ...] = ()
    ensures: tuple[Clause, ...] = ()
    raises: tuple[Raises, ...] = ()
    limited: bool = False
    doctests: bool = False
    uses: tuple[str, ...] = ()
    old: bool = False
    kept: int = 0


RESULT = "result"
OLD = "old"
"""``old(e)`` in an ``ensures`` is what ``e`` is when the function is called."""
HINTS = frozenset({"invariant", "decreases"})
"""What a body may say of its loops and its recursion."""
_OURS = {name: name for name in ("requires", "ensures", "raises", "uses", OLD, *sorted(HINTS))}
_KINDS = {
    "goedels_poetry.contracts": _OURS,
    "goedels_poetry": _OURS,
    "deal": {
        "pre": "pre",
        "post": "post",
        "ensure": "ensure",
        "raises": "raises_all",
        "reason": "reason",
        "safe": "raises_none",
        "pure": "raises_none",
        "has": "nothing",
        "chain": "chain",
    },
    "icontract": {"require": "requires", "ensure": "ensures", "snapshot": "snapshot", "invariant": "invariant"},
}
_HARMLESS = {"message", "description", "exception", "error", "a_repr", "location"}
_DOCLINE = re.compile(r"(\s*)(pre|post|raises)(\[[^\]\n]*\])?:(?=\s|$)(.*)")


@dataclass(frozen=True, slots=True)
class ContractNames:
    """What names mean in a module: ``modules`` imported whole, and ``kinds`` of single contract decorators."""

    modules: Mapping[str, str]
    kinds: Mapping[str, str]
    old_is_taken: bool = False

    @classmethod
    def of(cls, tree: ast.Module) -> ContractNames:
        """Read the import statements of a module, and drop what it binds anew."""
        modules: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for node in tree.body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.split(".")[0]
                    if alias.asname and alias.name in _KINDS:
                        modules[alias.asname] = alias.name
                    elif not alias.asname and root in _KINDS:
                        modules[root] = root
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    if whole in _KINDS:
                        modules[alias.asname or alias.name] = whole
                    elif node.module in _KINDS and alias.name == "*" and _KINDS[node.module] is _OURS:
                        kinds.update(_OURS)
                    elif node.module in _KINDS and alias.name in _KINDS[node.module]:
                        kinds[alias.asname or alias.name] = _KINDS[node.module][alias.name]
        counts = bindings_of(tree)
        twice = {name for name in (*modules, *kinds) if counts.get(name, 0) > 1 or _starred(tree)}
        twice |= {name for name in _OURS if counts.get("*") and counts.get(name)}
        kinds = {n: k for n, k in kinds.items() if n not in twice}
        taken = bool(counts.get(OLD)) and kinds.get(OLD) != OLD
        return cls({n: m for n, m in modules.items() if n not in twice}, kinds, taken)

    def kind(self, node: ast.expr) -> str | None:
        """What contract a decorator (without its call) is, or None."""
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id)
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.modules or not parts:
            return None
        module = ".".join([self.modules[node.id], *reversed(parts[1:])])
        return _KINDS.get(module, {}).get(parts[0])


def _starred(tree: ast.Module) -> bool:
    """Whether a star import of a module we do not know may bind any name."""
    stars = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names))
    return any(_KINDS.get(n.module or "") is not _OURS for n in stars)


def invariants_of(node: ast.ClassDef, names: ContractNames) -> tuple[Clause, ...]:
    """The conditions over ``self`` that decorators of a class state, in the order in which they stand.

    Raises:
        PythonFault: one that cannot be read.
    """
    about = ast.parse("def invariant(self): ...").body[0]
    assert isinstance(about, ast.FunctionDef)
    reader, found = _Reader(about, names), []
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and names.kind(call.func) == "invariant":
            found.append(reader._clause(reader._condition(call), False))
    return tuple(found)


def contract_of(function: ast.FunctionDef, names: ContractNames) -> tuple[Contract, tuple[ast.expr, ...]]:
    """The contract of a function, and its decorators that belong to none.

    Raises:
        PythonFault: a contract that cannot be read.
    """
    reader = _Reader(function, names)
    for node in function.decorator_list:
        reader.snapshot(node)
    others = [d for d in function.decorator_list if not reader.decorator(d)]
    reader.docstring()
    reasons = {r.exception for r in reader.reasons}
    if len(reasons) < len(reader.reasons):
        fault("two reasons for one exception", function, "join them with `and`")
    for one in reasons:
        for other in {r.exception for r in (*reader.reasons, *reader.raises)} - {one}:
            if _may_be_above(other, one):
                fault(f"the reason for {one} is one for {other}, too: say when both may be raised", function)
    raises = [*reader.reasons, *(r for r in reader.raises if r.when is not None or r.exception not in reasons)]
    contract = Contract(
        tuple(reader.requires),
        tuple(reader.ensures),
        tuple(dict.fromkeys(raises)),
        limited=bool(raises or reader.limited),
        doctests=">>>" in reader.doc,
        uses=tuple(dict.fromkeys(reader.uses)),
        old=any(is_old(n) for c in reader.ensures for n in ast.walk(c.expression)),
    )
    return contract, tuple(others)


def _may_be_above(one: str, other: str) -> bool:
    """Whether an exception may be a class above another; of classes that are not builtin nothing is known."""
    above, below = getattr(builtins, one, None), getattr(builtins, other, None)
    return not isinstance(above, type) or issubclass(below if isinstance(below, type) else Exception, above)


class _Reader:
    """Collects the clauses of one function."""

    def __init__(self, function: ast.FunctionDef, names: ContractNames) -> None:
        self.function, self.names = function, names
        arguments = function.args
        self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        self.doc = ast.get_docstring(function, clean=False) or ""
        self.requires: list[Clause] = []
        self.ensures: list[Clause] = []
        self.raises: list[Raises] = []
        self.reasons: list[Raises] = []
        self.uses: list[str] = []
        self.snapshots: dict[str, ast.expr] = {}
        self.limited = ""

    # ------------------------------------------------------------------------------------- decorators

    def decorator(self, node: ast.expr) -> bool:
        """Read a decorator; False when it is no contract."""
        call = node if isinstance(node, ast.Call) else None
        kind = self.names.kind(call.func if call else node)
        if kind is None:
            return False
        if kind in HINTS or kind == OLD:
            fault(f"`{kind}` is said in a body", node, f"call {kind}(...) at the head of the loop")
        if kind == "snapshot":
            return True
        if kind == "refused":
            fault("this kind of contract is not read", node, "say it with requires and ensures")
        if kind in ("raises_none", "raises_all"):
            if self.limited and {self.limited, kind} != {"raises_none"}:
                fault("two decorators limit what may be raised, and only what both allow may be", node, "write one")
            self.limited = kind
        if kind in ("nothing", "raises_none"):
            return True
        if call is None:
            fault("a contract takes a condition", node, "write @requires(lambda x: x > 0)")
        if kind == "uses":
            for part in call.args:
                if not isinstance(part, ast.Name) or call.keywords:
                    fault("uses takes functions of the file", part, "write @uses(lemma)")
                self.uses.append(part.id)
        elif kind == "chain":
            for part in call.args:
                if not self.decorator(part):
                    fault("this is no contract that can be read", part)
        elif kind == "raises":
            self._our_raises(call)
        elif kind == "raises_all":
            self.raises += [Raises(_exception(a), None) for a in call.args]
        elif kind == "reason":
            if len(call.args) != 2:
                fault("reason takes an exception and a condition", node)
            self._by_position(call.args[1], False)
            self.reasons.append(Raises(_exception(call.args[0]), self._clause(call.args[1], False)))
        else:
            condition = self._condition(call)
            if kind == "post":
                self._of_the_result(condition)
            elif kind in ("pre", "ensure"):
                self._by_position(condition, kind == "ensure")
            if kind in ("pre", "post", "ensure") and isinstance(condition, ast.Lambda):
                condition = ast.copy_location(ast.Lambda(condition.args, _without_messages(condition.body)), condition)
            if kind in ("requires", "pre"):
                self.requires.append(self._clause(condition, False))
            else:
                self.ensures.append(self._clause(condition, True))
        return True

    def _by_position(self, condition: ast.expr, with_result: bool) -> None:
        """deal gives a lambda the arguments as they come, whatever it calls them."""
        if not isinstance(condition, ast.Lambda):
            return
        names = [a.arg for a in (*condition.args.posonlyargs, *condition.args.args)]
        names = [n for n in names if not (with_result and n == RESULT)]
        if set(names) <= set(self.parameters) and names != self.parameters[: len(names)]:
            fault("deal passes arguments by position", condition, "name the parameters in the order of the function")

    def _of_the_result(self, condition: ast.expr) -> None:
        """deal's ``post`` takes one parameter: the result, even where it is called like an argument."""
        if isinstance(condition, ast.Lambda) and set(self.parameters) & {
            a.arg for a in ast.walk(condition.args) if isinstance(a, ast.arg)
        }:
            fault("the lambda of `post` takes the result, called like a parameter here", condition, "rename it")

    def _condition(self, call: ast.Call) -> ast.expr:
        found = list(call.args[:1])
        for keyword in call.keywords:
            if keyword.arg in ("condition", "validator"):
                found.append(keyword.value)
            elif keyword.arg not in _HARMLESS:
                fault(f"a contract with `{keyword.arg or '**'}` is not read", call, "leave it out")
        if len(found) != 1:
            fault("a contract takes one condition", call, "write @requires(lambda x: x > 0)")
        return found[0]

    def _our_raises(self, call: ast.Call) -> None:
        when: Clause | None = None
        for keyword in call.keywords:
            if keyword.arg == "when":
                when = self._clause(keyword.value, False)
            elif keyword.arg not in _HARMLESS:
                fault(f"raises has no `{keyword.arg or '**'}`", call)
        if not call.args:
            fault("raises takes an exception", call, "write @raises(ValueError)")
        self.raises += [Raises(_exception(a), when) for a in call.args]

    def _clause(self, condition: ast.expr, with_result: bool) -> Clause:
        if isinstance(condition, ast.Name):
            fault("a condition is written out as a lambda", condition, f"write lambda x: {condition.id}(x)")
        if not isinstance(condition, ast.Lambda):
            fault("a condition is a lambda over the parameters", condition, "write lambda x: x > 0")
        arguments = condition.args
        if arguments.vararg or arguments.kwarg or arguments.defaults or any(arguments.kw_defaults):
            fault("the lambda of a contract takes plain parameters", condition, "name the parameters that it needs")
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names = [n for n in names if n != "OLD" or not self.snapshots]
        body = _Olds(self, with_result, {*names, *_bound_names(condition.body)}).visit(copy.deepcopy(condition.body))
        outer = {*self.parameters, *([RESULT] if with_result else [])} - {*names}
        for name in sorted(outer & _names_from_outside(body)):
            if names != ["_"] or "_" in self.parameters:
                fault(f"`{name}` is no parameter of this lambda", condition, f"write lambda {name}, ...")
        if names == ["_"] and "_" not in self.parameters:
            if with_result and RESULT in self.parameters:
                fault("a parameter called `result` hides the result", condition, "rename the parameter")
            body = _Attributes(self.parameters, with_result).visit(copy.deepcopy(body))
            return self._made(body, condition.body)
        renaming: dict[str, str] = {}
        result_free = with_result and RESULT not in self.parameters
        unknown = [n for n in names if n not in self.parameters and not (result_free and n == RESULT)]
        if with_result and len(names) == 1 and names[0] not in self.parameters:
            renaming[names[0]] = RESULT
        elif unknown and not with_result and len(names) == len(self.parameters):
            renaming = {n: p for n, p in zip(names, self.parameters, strict=True) if n != p}
        elif unknown:
            fault(f"`{self.function.name}` has no parameter `{unknown[0]}`", condition, self._hint())
        if RESULT in (*renaming.values(), *names) and RESULT in self.parameters and with_result:
            fault("a parameter called `result` hides the result", condition, "rename the parameter")
        return self._made(_renamed(body, renaming), condition.body)

    def _hint(self) -> str:
        return f"its parameters are {', '.join(self.parameters) or 'none'}"

    def _made(self, body: ast.expr, at: ast.expr) -> Clause:
        return Clause(ast.unparse(body), body, at.lineno, at.col_offset + 1)

    def snapshot(self, node: ast.expr) -> None:
        """Read what icontract keeps of the arguments under a name."""
        if isinstance(node, ast.Call) and self.names.kind(node.func) == "snapshot":
            given = {k.arg: k.value for k in node.keywords} | dict(zip(("capture", "name"), node.args, strict=False))
            name, capture = given.get("name"), given.get("capture")
            if not isinstance(capture, ast.Lambda) or not isinstance(name, ast.Constant):
                fault("a snapshot takes a lambda and a name", node, 'write @snapshot(lambda x: x[:], name="x")')
            self.snapshots[str(name.value)] = self._clause(capture, False).expression

    # -------------------------------------------------------------------------------------- docstrings

    def docstring(self) -> None:
        """Read ``pre:``, ``post:`` and ``raises:`` of PEP 316."""
        lines = self.doc.split("\n")
        first = self.function.body[0].lineno
        i = 0
        while i < len(lines):
            found = _DOCLINE.fullmatch(lines[i])
            if found is None:
                i += 1
                continue
            indent, kind, _, rest = found.groups()
            texts = [(i, rest.strip())] if rest.strip() else []
            i += 1
            while not rest.strip() and i < len(lines) and lines[i].strip() and _indent(lines[i]) > len(indent):
                texts.append((i, lines[i].strip()))
                i += 1
            for number, text in texts:
                self._docline(kind, text, first + number)

    def _docline(self, kind: str, text: str, line: int) -> None:
        if kind == "raises":
            for name in text.split(","):
                if not re.fullmatch(r"\s*\w+(\.\w+)*\s*", name):
                    raise PythonFault(f"this names no exceptions: {text}", line)
                self.raises.append(Raises(name.strip(), None))
            return
        try:
            expression = ast.parse(f"(\n{text}\n)", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise PythonFault(f"this `{kind}:` is no expression: {text}", line) from error
        for node in ast.walk(expression):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
        if kind == "pre":
            self.requires.append(Clause(ast.unparse(expression), expression, line, 1))
            return
        if any(isinstance(n, ast.Name) and n.id == "__old__" for n in ast.walk(expression)):
            raise PythonFault("`__old__` is not read", line, hint="parameters are not changed by pure functions")
        renaming = {n: RESULT for n in ("__return__", "_") if n not in self.parameters}
        if RESULT in self.parameters and _free_names(expression) & set(renaming):
            raise PythonFault("a parameter called `result` hides the result", line, hint="rename the parameter")
        if RESULT not in self.parameters and RESULT in _free_names(expression):
            raise PythonFault("the result is called `__return__` here", line)
        expression = _renamed(expression, renaming)
        self.ensures.append(Clause(ast.unparse(expression), expression, line, 1))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _exception(node: ast.expr) -> str:
    if not isinstance(node, ast.Name | ast.Attribute):
        fault("an exception class was expected here", node)
    return ast.unparse(node)


def _without_messages(node: ast.expr) -> ast.expr:
    """A condition of deal, where a text that is given in place of a truth value is the message of a failure."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return ast.copy_location(ast.Constant(False), node)
        case ast.BoolOp():
            return ast.copy_location(ast.BoolOp(node.op, [*node.values[:-1], _without_messages(node.values[-1])]), node)
        case ast.IfExp():
            then, otherwise = _without_messages(node.body), _without_messages(node.orelse)
            return ast.copy_location(ast.IfExp(node.test, then, otherwise), node)
    return node


def _bound_names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


def _free_names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _names_from_outside(node: ast.AST) -> set[str]:
    """Names that an expression does not bind itself."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inside = set().union(*(_names_from_outside(child) for child in ast.iter_child_nodes(node)))
        return (inside - bound) | _names_from_outside(node.generators[0].iter)
    if isinstance(node, ast.Lambda):
        return _names_from_outside(node.body) - {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    return set().union(*(_names_from_outside(child) for child in ast.iter_child_nodes(node)))


def _renamed(body: ast.expr, renaming: Mapping[str, str]) -> ast.expr:
    """``body`` with free names replaced, all at once.

    Raises:
        PythonFault: a name is bound again inside, or would mean something else there.
    """
    renaming = {old: new for old, new in renaming.items() if old in _free_names(body)}
    if not renaming:
        return body
    kept = _free_names(body) - set(renaming)
    for name in _bound_names(body):
        if name in renaming or name in renaming.values():
            fault(f"`{name}` is bound again inside of this condition", body, "rename it")
    for new in renaming.values():
        if new in kept:
            fault(f"`{new}` means two things in this condition", body, "use the names of the parameters")
    body = copy.deepcopy(body)
    for node in ast.walk(body):
        if isinstance(node, ast.Name) and node.id in renaming:
            node.id = renaming[node.id]
    return body


def is_old(node: ast.AST) -> bool:
    """Whether this is ``old(e)`` in a condition as it is read."""
    return isinstance(node, ast.Call) and hasattr(node.func, _MARK)


def old(inner: ast.expr, at: ast.expr) -> ast.expr:
    """``old(inner)``."""
    name = ast.copy_location(ast.Name(OLD, ast.Load()), at)
    setattr(name, _MARK, True)
    return ast.copy_location(ast.Call(name, [inner], []), at)


def without_old(contract: Contract) -> Contract:
    """The contract of a function that changes no argument: ``old(e)`` is ``e``."""
    return replace(contract, ensures=tuple(replace(c, expression=_Now().visit(c.expression)) for c in contract.ensures))


_MARK = "is_ours"


class _Now(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        return node.args[0] if is_old(node) else self.generic_visit(node)  # type: ignore[return-value]


class _Olds(ast.NodeTransformer):
    """Marks ``old(...)``; ``OLD.x`` of icontract is ``old`` of what was kept as ``x``."""

    def __init__(self, reader: _Reader, allowed: bool, bound: set[str]) -> None:
        self.names, self.snapshots, self.allowed = reader.names, reader.snapshots, allowed
        self.parameters = {*reader.parameters, *bound}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if self.names.kind(node.func) != OLD:
            return self.generic_visit(node)  # type: ignore[return-value]
        if not self.allowed or len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            fault("`old` takes one expression, in an `ensures`", node, "write old(x)")
        inner = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
        if RESULT in inner or any(self.names.kind(n) == OLD for n in ast.walk(node.args[0]) if isinstance(n, ast.expr)):
            fault("there is no result, and no `old`, when the function is called", node)
        return self._made(node.args[0], node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if self.snapshots and isinstance(node.value, ast.Name) and node.value.id == "OLD":
            if node.attr not in self.snapshots:
                fault(f"no snapshot is called `{node.attr}`", node)
            return self._made(copy.deepcopy(self.snapshots[node.attr]), node)
        return self.generic_visit(node)  # type: ignore[return-value]

    def _made(self, inner: ast.expr, at: ast.expr) -> ast.expr:
        if self.names.old_is_taken or OLD in self.parameters:
            fault("`old` is something else here", at, "rename that")
        return old(inner, at)


class _Attributes(ast.NodeTransformer):
    """``_.x`` is the parameter ``x``, and ``_.result`` the result."""

    def __init__(self, parameters: Sequence[str], with_result: bool) -> None:
        self.parameters, self.with_result = parameters, with_result

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "_":
            if node.attr not in self.parameters and not (self.with_result and node.attr == RESULT):
                fault(f"there is no parameter `{node.attr}`", node)
            return ast.copy_location(ast.Name(node.attr, ast.Load()), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "_":
            fault("`_` stands for the arguments here", node, "write _.x")
        if node.id in self.parameters or (self.with_result and node.id == RESULT):
            fault(f"write `_.{node.id}` here", node)
        return node
