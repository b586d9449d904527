"""A candidate as it is read before anything runs: does it compile, does its signature hold, what do its checks name."""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import Checks
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import encoding_of, parse_module, read_program, with_contracts

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
    original: str = field(default="")
    """The text without what calls a method for a test, see `runnable`."""
    state: str = field(default="")
    """Of a method of an object: what is known of the object before."""


class WrongSignature(Exception):
    """The candidate is Python, but its function is missing or has another signature; the message says how."""


def read_subject(source: str, checks: Checks, literals: Iterable[str] = ()) -> Subject:
    """Read a candidate for its checks. ``literals``: inputs that will be given, which may name classes.

    Raises:
        PythonFault: it does not compile, or is too long or nested too deep.
        WrongSignature: the function is missing, is no plain function or has another signature.
        InvalidInput: the checks themselves cannot be read.
    """
    original = source
    source, function, state = runnable(source, checks.function)
    checks = replace(checks, function=function)
    tree = parse_module(source)
    try:
        compile(source, "<candidate>", "exec", dont_inherit=True)  # what only the compiler sees: return outside ...
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise PythonFault(f"this does not compile: {error}", getattr(error, "lineno", None)) from error
    node = _function(tree, checks.function)
    wanted = expected_signature(checks)
    if wanted is not None:
        _same_signature(node, wanted)
    typed = wanted if wanted is not None and any(p.annotation for p in parameters_of(wanted)) else node
    annotations = {p.name: p.annotation for p in parameters_of(typed) if p.annotation}
    parameters = tuple(
        replace(p, annotation=annotations.get(p.name, p.annotation) or _type_of(p.default))
        for p in parameters_of(node)
        if "*" not in p.kind
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
    return Subject(
        source, node, parameters, returns, definitions, _aliases(tree), numbers, texts, docstring, original, state
    )


def runnable(source: str, function: str) -> tuple[str, str, str]:
    """A text with a function that calls a method, its name, and what holds of the object before; for other functions
    what they are, and nothing.

    ``C_state(x=...)`` makes an object by its fields, whatever its constructor would do.

    Raises:
        WrongSignature: the class is not one of which objects can be made so.
    """
    found = read_program(source).functions.get(function) if "." in function else None
    if found is None or not found.owner:
        return source, function, ""
    program = read_program(source)
    one, key = program.classes[found.owner], function.partition(".")[2]
    member, name = one.members[key], function.replace(".", "\u00b7")
    states = {c.name: c for c in program.classes.values() if c.has_state and c.complete}
    taken = {n.name for n in program.tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    if taken & {f"{c}_state" for c in states} or (
        one.has_state and one.name not in states and found.kind in ("pure", "changes")
    ):
        why = f": {one.refused.message}" if one.refused is not None else ""
        raise WrongSignature(f"no objects of {one.name} can be made by their fields{why}")
    lines = [
        "import dataclasses as d\u00b7",
        "def bare\u00b7(f): return f.__wrapped__ if hasattr(f, '__contract__') else f",
    ]
    for each in states.values():
        lines += ["@d\u00b7.dataclass", f"class {each.name}_state:"]
        lines += [f"    {n}: {_with_states(a, states)}" for n, a in each.fields.items()]
        lines += ["    def __new__(cls, **given):", f"        made = object.__new__({each.name})"]
        lines += ["        for name in given: object.__setattr__(made, name, given[name])", "        return made"]
    given = copy.deepcopy(found.node.args)
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if argument.annotation is not None:
            argument.annotation = ast.Constant(ast.literal_eval(_with_states(argument.annotation, states)))
    returns = f" -> {_with_states(found.node.returns, {})}" if found.node.returns is not None else ""
    passed = [a.arg for a in (*given.posonlyargs, *given.args)] + [f"{a.arg}={a.arg}" for a in given.kwonlyargs]
    called = {"property": ".fget", "setter": ".fset"}.get(member.kind, "")
    call = f"bare\u00b7({one.name}.{member.name}{called})({', '.join(passed)})"
    if found.kind == "init":
        made = ", ".join(["made", *passed])
        first = f"    made = object.__new__({one.name}); bare\u00b7({one.name}.__init__)({made})"
        body = [f"    return {one.name}({', '.join(passed)})"] if member.made else [first, "    return made"]
        returns = f" -> {one.name!r}"
    else:
        body = [
            f"    return {one.name}.{member.name}({', '.join(passed)})"
            if member.kind == "class"
            else f"    return {call}"
        ]
    lines += [f"def {name}({ast.unparse(given)}){returns}:", *body]
    state = "satisfies the invariants" if one.invariants else f"is any, as {one.name} states no invariant"
    text = source.rstrip("\n") + "\n" + "\n".join(lines) + "\n"
    return text, name, f"the state before {state}" if found.kind in ("pure", "changes") else ""


def _with_states(annotation: ast.expr, states: Mapping[str, object]) -> str:
    """An annotation as a quoted text, where classes are those that make objects by their fields."""
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return repr(re.sub(r"\w+", lambda w: f"{w[0]}_state" if w[0] in states else w[0], str(text)))


def _type_of(default: str | None) -> str:
    """The annotation that a default suggests; "" where there is none."""
    try:
        value = ast.literal_eval(default or "None")
    except (ValueError, SyntaxError, TypeError):
        return ""
    return "" if value is None else type(value).__name__


def expected_signature(checks: Checks) -> ast.FunctionDef | None:
    """The signature that the checks ask for. Raises InvalidInput: it is none, or of another function."""
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
    given = node.args
    both = [*given.posonlyargs, *given.args]
    defaults = dict(zip([arg.arg for arg in both][::-1], given.defaults[::-1], strict=False))
    defaults |= {arg.arg: d for arg, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None}
    found: list[Parameter] = []
    for group, kind in _KINDS.items():
        there = getattr(given, group)
        for arg in there if isinstance(there, list) else [there] if there else []:
            annotation, default = (
                ast.unparse(n) if n is not None else None for n in (arg.annotation, defaults.get(arg.arg))
            )
            found.append(Parameter(arg.arg, annotation or "", kind, default))
    return found


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
        ours, theirs = (", ".join(p.name for p in some) or "none" for some in (have, want))
        raise WrongSignature(f"the parameters of {node.name} are {ours}; the signature says {theirs}")
    for mine, other in zip(have, want, strict=True):
        if mine.kind != other.kind:
            raise WrongSignature(f"the parameter {mine.name} of {node.name} is not passed as the signature says")
        if mine.default != other.default:
            said = f"the default {other.default}" if other.default is not None else "no default"
            raise WrongSignature(f"the parameter {mine.name} of {node.name} has {said} in the signature")
        _same_annotation(f"the parameter {mine.name}", mine.annotation, other.annotation)
    _same_annotation("the result", *(ast.unparse(n.returns) if n.returns else "" for n in (node, wanted)))


def _same_annotation(what: str, have: str, want: str) -> None:
    """Only a contradiction counts: a candidate need not repeat the annotations of its signature."""
    if have and want and _normal(have) != _normal(want):
        raise WrongSignature(f"{what} is annotated {have}; the signature says {want}")


def _normal(annotation: str) -> str:
    """One spelling of an annotation: ``Optional[List[int]]`` is ``None | list[int]``."""
    try:
        return "|".join(sorted(_parts(ast.parse(annotation, mode="eval").body)))
    except SyntaxError:
        return annotation


def _parts(node: ast.expr) -> set[str]:
    """The members of a union, each in one spelling."""
    match node:
        case ast.Constant(value=str(text)):
            return {_normal(text)}
        case ast.BinOp(op=ast.BitOr()):
            return _parts(node.left) | _parts(node.right)
        case ast.Subscript():
            (head,), inner = _parts(node.value), [_parts(part) for part in getattr(node.slice, "elts", [node.slice])]
            if head in ("Optional", "Union"):
                return {part for one in inner for part in one} | ({"None"} if head == "Optional" else set())
            return {f"{head}[{','.join('|'.join(sorted(one)) for one in inner)}]"}
    text = ast.unparse(node).rpartition(".")[2]
    return {text.lower() if text in ("List", "Dict", "Set", "Tuple", "FrozenSet", "Type") else text}


def _named_by(checks: Checks, docstring: str, hints: list[str]) -> dict[str, set[str]]:
    """The names that contract and tests use, each with what annotations and given inputs name."""
    types = {name for text in hints for name in re.findall(r"\w+", text)}
    typed = [line.strip()[3:] for line in docstring.splitlines() if line.strip().startswith((">>>", "..."))]
    return {
        "contract": types | _free([*checks.requires, *checks.ensures, *(when for _, when in checks.raises if when)]),
        "tests": types | _free([*checks.assertions, *(text for pair in checks.examples for text in pair)]),
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


def _slice(tree: ast.Module, roots: set[str], function: str) -> str:
    """The statements that bind these names and, in turn, what those use, in the order of the module."""
    wanted, chosen = set(roots), set[int]()
    uses = [{n.id for n in ast.walk(s) if isinstance(n, ast.Name)} | _quoted(s) for s in tree.body]
    grown = True
    while grown:
        grown = False
        for at, statement in enumerate(tree.body):
            binds = _bound(statement)
            is_subject = isinstance(statement, ast.FunctionDef) and statement.name == function
            if at not in chosen and binds & wanted and not is_subject:
                chosen.add(at)
                wanted |= uses[at] - binds
                grown = True
    future = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    kept = [s for at, s in enumerate(tree.body) if (at in chosen or "*" in _bound(s)) and s not in future]
    return ast.unparse(ast.Module([*future, *kept], [])) if chosen else ""


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
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _aliased(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = _aliased(value)
        if type(statement).__name__ == "TypeAlias":  # from Python 3.12 on
            found[statement.name.id] = ast.unparse(statement.value)  # type: ignore[attr-defined]
    return {name: text for name, text in found.items() if text}


def _aliased(value: ast.expr) -> str:
    """The text of a type; "" for what is none."""
    match value:
        case ast.Call(args=[_, *rest]) if (called := ast.unparse(value.func).rpartition(".")[2]) in (
            "NewType",
            "TypeVar",
        ):
            bounds = [keyword.value for keyword in value.keywords if keyword.arg == "bound"] + rest
            return ast.unparse(bounds[0]) if bounds else "int" if called == "TypeVar" else ""
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.BinOp() | ast.Constant():
            return ast.unparse(value)
    return ""


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
            match part:  # ``10**9``, ``1 << 16`` and ``60 * 60`` are constants too
                case ast.BinOp(left=ast.Constant(value=int(a)), op=sign, right=ast.Constant(value=int(b))):
                    if isinstance(sign, ast.Mult):
                        numbers[a * b] = None
                    elif isinstance(sign, ast.Pow | ast.LShift) and 0 <= b <= 128:
                        numbers[a**b if isinstance(sign, ast.Pow) else a << b] = None
    big = [n for n in numbers if not isinstance(n, int) or n.bit_length() < 2000]
    return tuple(big[:MOST_CONSTANTS]), tuple(t for t in texts if t.isprintable())[:MOST_CONSTANTS]


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


# Files as CPython decodes them, and what in them is no theorem


def decode_source(data: bytes) -> str:
    """The text of a file as CPython decodes it: by its byte order mark or what its first two lines say, else UTF-8.

    Raises:
        PythonFault: an unknown encoding, or bytes that it does not have.
    """
    try:
        encoding = encoding_of(data)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise PythonFault(f"this is not Python: {error}", 1, 1, hint="save it in UTF-8") from error
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        message = f"not text in {encoding.upper()} (byte {data[error.start]:#04x})"
        raise PythonFault(message, line, column) from error
    except (LookupError, ValueError) as error:  # a codec of bytes, or one that fails otherwise
        raise PythonFault(f"this is not text in {encoding}: {error}", 1, 1, hint="save it in UTF-8") from error


def passed_over(source: str) -> list[tuple[int, str]] | None:
    """What of a file is no theorem, with lines: functions without contracts, methods as ``Class.name``.

    None for a text that `read_program` refuses.
    """
    try:
        program = read_program(source)
    except PythonFault:
        return None
    contracted, found = with_contracts(program), []
    for node in program.tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else ()
        methods = [n for n in inside if isinstance(n, _FUNCTIONS)]
        found += [(n.lineno, f"{node.name}.{n.name}") for n in methods if f"{node.name}.{n.name}" not in contracted]  # type: ignore[attr-defined]
        if isinstance(node, _FUNCTIONS) and node.name not in contracted:
            found.append((node.lineno, node.name))
    return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
