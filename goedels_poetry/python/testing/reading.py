"""A candidate as it is read before anything runs: does it compile, does its signature hold, what do its checks name."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import Checks
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import parse_module

_BUILT_IN = frozenset(dir(builtins))
_KINDS = {"posonlyargs": "positional", "args": "", "vararg": "*", "kwonlyargs": "named", "kwarg": "**"}
MOST_CONSTANTS = 60


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind``: "" for one given either way, ``positional``, ``named``, ``*`` or ``**``."""

    name: str
    annotation: str
    kind: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Subject:
    """The function under test and what of its module matters.

    Attributes:
        parameters: those that inputs are made for.
        returns: the annotation of the result, of the signature that is asked for if there is one; "" for none.
        definitions: parts of the module (helpers, classes; never the function itself) by who names them: ``contract``,
            ``tests``, ``properties``, ``doctests``. Each runs where those are judged, and nowhere else.
        aliases: names bound to types, by the text of the type.
        numbers, texts: constants of the source, for inputs.
    """

    source: str
    node: ast.FunctionDef
    parameters: tuple[Parameter, ...]
    returns: str
    definitions: dict[str, str]
    aliases: dict[str, str]
    numbers: tuple[int | float, ...] = ()
    texts: tuple[str, ...] = ()
    docstring: str = field(default="")


class WrongSignature(Exception):
    """The candidate is Python, but its function is missing or has another signature; the message says how."""


def read_subject(source: str, checks: Checks, literals: Iterable[str] = ()) -> Subject:
    """Read a candidate for its checks. ``literals``: inputs that will be given, which may name classes.

    Raises:
        PythonFault: it does not compile, or is too long or nested too deep.
        WrongSignature: the function is missing, is no plain function or has another signature.
        InvalidInput: the checks themselves cannot be read.
    """
    tree = parse_module(source)
    try:
        compile(source, "<candidate>", "exec", dont_inherit=True)  # what only the compiler sees: return outside ...
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise PythonFault(f"this does not compile: {error}", getattr(error, "lineno", None)) from error
    node = _function(tree, checks.function)
    wanted = expected_signature(checks)
    if wanted is not None:
        _same_signature(node, wanted)
    typed = wanted if wanted is not None and any(a.annotation for a in _arguments(wanted)) else node
    annotations = {a.arg: ast.unparse(a.annotation) for a in _arguments(typed) if a.annotation is not None}
    parameters = tuple(
        Parameter(p.name, annotations.get(p.name, p.annotation) or _type_of(p.default), p.kind, p.default)
        for p in parameters_of(node)
        if p.kind not in ("*", "**")
    )
    declared = (wanted or node).returns
    docstring = ast.get_docstring(node, clean=False) or ""
    # A signature that is asked for decides which classes inputs are made of; a candidate's own annotations do not.
    hints = (
        [*annotations.values(), ast.unparse(typed.returns) if typed.returns else ""] if wanted in (None, typed) else []
    )
    own = {p.name for p in parameters} | {"result", checks.function}
    named = _named_by(checks, docstring if checks.doctests else "", [*hints, *literals])
    definitions = {
        part: _slice(tree, names - (_BUILT_IN - {"Any"}) - own, checks.function) for part, names in named.items()
    }
    numbers, texts = _constants(tree, node, checks)
    returns = ast.unparse(declared) if declared else ""
    return Subject(source, node, parameters, returns, definitions, _aliases(tree), numbers, texts, docstring)


def _type_of(default: str | None) -> str:
    """The annotation that a default suggests; "" where there is none."""
    try:
        value = ast.literal_eval(default or "None")
    except (ValueError, SyntaxError, TypeError):
        return ""
    return "" if value is None else type(value).__name__


def expected_signature(checks: Checks) -> ast.FunctionDef | None:
    """The signature that the checks ask for.

    Raises:
        InvalidInput: it is none, or of another function.
    """
    text = checks.signature.strip()
    if not text:
        return None
    for ending in ("", ": pass", " pass", "\n    pass"):
        try:
            tree = ast.parse(text + ending)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        node = next((n for n in tree.body if isinstance(n, ast.FunctionDef)), None)
        if node is not None and node.name == checks.function:
            return node
    raise InvalidInput(f"{text[:100]!r} is no signature of {checks.function}", hint="write def f(n: int) -> int")


def parameters_of(node: ast.FunctionDef) -> list[Parameter]:
    """The parameters of a function with their kinds."""
    found: list[Parameter] = []
    arguments = node.args
    defaults: dict[str, str] = {}
    both = [*arguments.posonlyargs, *arguments.args]
    for arg, default in zip(reversed(both), reversed(arguments.defaults), strict=False):
        defaults[arg.arg] = ast.unparse(default)
    for arg, named in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if named is not None:
            defaults[arg.arg] = ast.unparse(named)
    for group, kind in _KINDS.items():
        there = getattr(arguments, group)
        for arg in there if isinstance(there, list) else [there] if there else []:
            annotation = ast.unparse(arg.annotation) if arg.annotation is not None else ""
            found.append(Parameter(arg.arg, annotation, kind, defaults.get(arg.arg)))
    return found


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = node.args
    more = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more]


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    """What the module binds the name to last, which must be a plain function."""
    last: ast.stmt | None = None
    for statement in _top_level(tree.body):
        if name in _bound(statement):
            last = statement
    if isinstance(last, ast.FunctionDef):
        return last
    if last is None:
        there = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
        raise WrongSignature(f"there is no function {name}; the text defines {', '.join(there) or 'none'}")
    what = {ast.ClassDef: "a class", ast.AsyncFunctionDef: "a coroutine"}.get(type(last), "bound by a statement")
    raise WrongSignature(f"{name} is no plain function: line {last.lineno} makes it {what}")


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those within ``if`` and ``try``."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(statement, part, []):
                    yield from _top_level(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])
        else:
            yield statement


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    if isinstance(statement, ast.If | ast.Try | ast.With):
        return {name for inner in _top_level([statement]) for name in _bound(inner)}
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _same_signature(node: ast.FunctionDef, wanted: ast.FunctionDef) -> None:
    have, want = parameters_of(node), parameters_of(wanted)
    if [p.name for p in have] != [p.name for p in want]:
        ours, theirs = ", ".join(p.name for p in have) or "none", ", ".join(p.name for p in want) or "none"
        raise WrongSignature(f"the parameters of {node.name} are {ours}; the signature says {theirs}")
    for mine, theirs_ in zip(have, want, strict=True):
        if mine.kind != theirs_.kind:
            raise WrongSignature(f"the parameter {mine.name} of {node.name} is not passed as the signature says")
        if mine.default != theirs_.default:
            said = f"the default {theirs_.default}" if theirs_.default is not None else "no default"
            raise WrongSignature(f"the parameter {mine.name} of {node.name} has {said} in the signature")
        _same_annotation(f"the parameter {mine.name}", mine.annotation, theirs_.annotation)
    returned = ast.unparse(node.returns) if node.returns else ""
    _same_annotation("the result", returned, ast.unparse(wanted.returns) if wanted.returns else "")


def _same_annotation(what: str, have: str, want: str) -> None:
    """Only a contradiction counts: a candidate need not repeat the annotations of its signature."""
    if have and want and _normal(have) != _normal(want):
        raise WrongSignature(f"{what} is annotated {have}; the signature says {want}")


def _normal(annotation: str) -> str:
    """One spelling of an annotation: ``Optional[List[int]]`` is ``None | list[int]``."""
    try:
        node = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return annotation
    return "|".join(sorted(_parts(node)))


def _parts(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {_normal(node.value)}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _parts(node.left) | _parts(node.right)
    if isinstance(node, ast.Subscript):
        head = ast.unparse(node.value).rpartition(".")[2]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head == "Optional":
            return {"None"} | _parts(inner[0])
        if head == "Union":
            return {part for one in inner for part in _parts(one)}
        typed = head.lower() if head in ("List", "Dict", "Set", "Tuple", "FrozenSet", "Type") else head
        return {f"{typed}[{','.join(_normal(ast.unparse(one)) for one in inner)}]"}
    text = ast.unparse(node).rpartition(".")[2]
    return {text.lower() if text in ("List", "Dict", "Set", "Tuple", "FrozenSet") else text}


def _named_by(checks: Checks, docstring: str, hints: list[str]) -> dict[str, set[str]]:
    """The names that contract and tests use, each with what annotations and given inputs name."""
    types = {name for text in hints for name in re.findall(r"\w+", text)}
    whens = (when for _, when in checks.raises if when)
    typed = [line.strip()[3:] for line in docstring.splitlines() if line.strip().startswith((">>>", "..."))]
    tests = [*checks.assertions, *_flat(checks.examples)]
    return {
        "contract": types | _free([*checks.requires, *checks.ensures, *whens]),
        "tests": types | _free(tests),
        "properties": types | _free(checks.properties),
        "doctests": types | {name for line in typed for name in re.findall(r"\w+", line)},
    }


def _free(texts: Iterable[str]) -> set[str]:
    """Names that are used and bound nowhere in these texts."""
    names: set[str] = set()
    for text in texts:
        try:
            nodes = list(ast.walk(ast.parse(text.strip())))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # said where it is run
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        names |= {n.id for n in nodes if isinstance(n, ast.Name)} - bound
    return names


def _flat(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for pair in pairs:
        yield from pair


def _slice(tree: ast.Module, roots: set[str], function: str) -> str:
    """The statements that bind these names and, in turn, what those use, in the order of the module."""
    wanted, chosen = set(roots), set[int]()
    uses = [{n.id for n in ast.walk(s) if isinstance(n, ast.Name)} | _quoted(s) for s in tree.body]
    grown = True
    while grown:
        grown = False
        for at, statement in enumerate(tree.body):
            binds = _bound(statement)
            if at not in chosen and binds & wanted and not _is_subject(statement, function):
                chosen.add(at)
                wanted |= uses[at] - binds
                grown = True
    future = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    kept = [s for at, s in enumerate(tree.body) if at in chosen and s not in future]
    return ast.unparse(ast.Module([*future, *kept], [])) if kept else ""


def _is_subject(statement: ast.stmt, function: str) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name == function


def _quoted(statement: ast.stmt) -> set[str]:
    """Names within annotations that are written as strings."""
    if not isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return set()
    hints = [n.annotation for n in ast.walk(statement) if isinstance(n, ast.AnnAssign | ast.arg) and n.annotation]
    texts = [c.value for hint in hints for c in ast.walk(hint) if isinstance(c, ast.Constant)]
    return {name for text in texts if isinstance(text, str) for name in re.findall(r"\w+", text)}


def _aliases(tree: ast.Module) -> dict[str, str]:
    """``Vector = list[int]``, ``type Vector = ...``, ``NewType``s and type variables, as texts of types."""
    found: dict[str, str] = {}
    for statement in tree.body:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            found[statement.targets[0].id] = _aliased(statement.value)
        elif (
            isinstance(statement, ast.AnnAssign)
            and statement.value is not None
            and isinstance(statement.target, ast.Name)
        ):
            found[statement.target.id] = _aliased(statement.value)
        elif type(statement).__name__ == "TypeAlias":  # from Python 3.12 on
            found[statement.name.id] = ast.unparse(statement.value)  # type: ignore[attr-defined]
    return {name: text for name, text in found.items() if text}


def _aliased(value: ast.expr) -> str:
    if isinstance(value, ast.Call):
        name = ast.unparse(value.func).rpartition(".")[2]
        if name == "NewType" and len(value.args) == 2:
            return ast.unparse(value.args[1])
        bound = next((k.value for k in value.keywords if k.arg == "bound"), None)
        rest = value.args[1:]
        return (ast.unparse(bound or rest[0]) if bound or rest else "int") if name == "TypeVar" else ""
    return (
        ast.unparse(value)
        if isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Constant)
        else ""
    )


def _constants(
    tree: ast.Module, node: ast.FunctionDef, checks: Checks
) -> tuple[tuple[int | float, ...], tuple[str, ...]]:
    """Numbers and texts of the function first, then of its contract, then of the rest of the module."""
    contract = [*checks.requires, *checks.ensures, *(when for _, when in checks.raises if when)]
    trees: list[ast.AST] = [node, *(_expression(text) for text in contract), tree]
    numbers: dict[int | float, None] = {}
    texts: dict[str, None] = {}
    for one in trees:
        docs = {id(s.value) for s in ast.walk(one) if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)}
        for part in ast.walk(one):
            if isinstance(part, ast.Constant) and id(part) not in docs:
                if isinstance(part.value, str):
                    texts[part.value] = None
                elif isinstance(part.value, int | float) and not isinstance(part.value, bool):
                    numbers[part.value] = None
            elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow | ast.LShift | ast.Mult):
                _computed(part, numbers)
    big = [n for n in numbers if not isinstance(n, int) or n.bit_length() < 2000]
    return tuple(big[:MOST_CONSTANTS]), tuple(t for t in texts if t.isprintable())[:MOST_CONSTANTS]


def _computed(part: ast.BinOp, numbers: dict[int | float, None]) -> None:
    """``10**9``, ``1 << 16`` and ``60 * 60`` are constants too."""
    if isinstance(part.left, ast.Constant) and isinstance(part.right, ast.Constant):
        a, b = part.left.value, part.right.value
        if type(a) is int and type(b) is int and abs(a) < 1 << 64 and 0 <= b < 1 << 64:
            if isinstance(part.op, ast.Mult):
                numbers[a * b] = None
            elif b <= 128:
                numbers[a**b if isinstance(part.op, ast.Pow) else a << b] = None


def _expression(text: str) -> ast.AST:
    try:
        return ast.parse(f"({text}\n)", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(f"this condition is no expression: {text}"[:300]) from error


def branch_lines(source: str, function: str) -> set[int]:
    """The first lines of the branches of a function and of what it calls, of those on lines of their own."""
    functions = {n.name: n for n in parse_module(source).body if isinstance(n, ast.FunctionDef)}
    left, seen, found = [function], {function}, set[int]()
    while left:
        for node in ast.walk(functions[left.pop()]):
            if isinstance(node, ast.Name) and node.id in functions and node.id not in seen:
                seen.add(node.id)
                left.append(node.id)
            if isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.match_case):
                blocks = [node.body, getattr(node, "orelse", [])]
                found |= {
                    block[0].lineno for block in blocks if block and block[0].lineno != getattr(node, "lineno", 0)
                }
    return found
