"""A Python file as it is read: its functions and their contracts. Nothing of it is run, and nothing translated.

An input is in the domain of a function when every ``requires`` evaluates, without an exception, to something truthy.
On each such input the function must return with every ``ensures`` truthy (one that raises is broken), unless it raises
an exception that a ``raises`` allows.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from goedels_poetry.python.translate.contracts import (
    Contract,
    ContractNames,
    OutsideFragment,
    PythonFault,
    contract_of,
    without_old,
)
from goedels_poetry.python.translate.methods import lowered
from goedels_poetry.python.translate.objects import Class, classes_of

MAX_CHARACTERS = 1_000_000
MAX_NESTING = 150
"""Of the syntax tree: what walks it may recurse."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with the source text of its annotation, "" where there is none."""

    name: str
    annotation: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the module, or a method of a class (``owner``) as one, see `methods`: then ``kind`` says which.

    ``decorators``: those that are no contracts; ``refused``: why it is not translated; ``fault``: of its contract.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: str
    contract: Contract
    line: int
    node: ast.FunctionDef
    decorators: tuple[ast.expr, ...] = ()
    owner: str = ""
    kind: str = ""
    is_theorem: bool = True
    refused: OutsideFragment | None = None
    fault: PythonFault | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A file: ``functions`` are those at the level of the module, by name; the last one where a name comes twice; and
    methods as ``Class.name``. ``classes``: those with methods that may be followed."""

    source: str
    tree: ast.Module
    functions: Mapping[str, Function]
    classes: Mapping[str, Class] = field(default_factory=dict)


def read_program(source: str) -> Program:
    """Read a file. Raises PythonFault: not Python, too long, nested too deep, a contract that cannot be read."""
    tree = parse_module(source)
    names = ContractNames.of(tree)
    functions: dict[str, Function] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            contract, decorators = contract_of(node, names)
            functions.pop(node.name, None)
            functions[node.name] = Function(
                node.name,
                tuple(Parameter(a.arg, _text(a.annotation)) for a in _arguments(node.args)),
                _text(node.returns),
                contract if "old" not in names.kinds.values() else without_old(contract),
                node.lineno,
                node,
                decorators,
            )
    classes = classes_of(tree, names)
    for one in lowered(classes):
        functions[one.name] = Function(
            one.name,
            tuple(Parameter(a.arg, _text(a.annotation)) for a in _arguments(one.node.args)),
            _text(one.node.returns),
            one.contract,
            one.line,
            one.node,
            (),
            one.owner,
            one.kind,
            one.is_theorem,
            one.refused,
            one.fault,
        )
    return Program(source, tree, MappingProxyType(functions), MappingProxyType(classes))


def encoding_of(data: bytes) -> str:
    """What a file says that it is encoded in, by the rules of `tokenize.open` (PEP 263).

    Raises:
        SyntaxError: an encoding that is unknown, or not that of its byte order mark.
    """
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # CPython's lines end in any of these
    return tokenize.detect_encoding(io.BytesIO(lines).readline)[0]


def with_contracts(program: Program) -> tuple[str, ...]:
    """The names of functions and methods with at least one requires, ensures or raises, in the order of the file."""
    found = [
        (f.line, name)
        for name, f in program.functions.items()
        if f.is_theorem and (f.fault or f.contract.requires or f.contract.ensures or f.contract.raises)
    ]
    return tuple(name for _, name in sorted(found, key=lambda one: one[0]))


def parse_module(source: str) -> ast.Module:
    """The syntax tree of a text, which is bounded in length and depth. Raises PythonFault: see `read_program`."""
    if len(source) > MAX_CHARACTERS:
        raise PythonFault(f"this file has more than {MAX_CHARACTERS:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes and the like: they are valid Python
            tree = ast.parse(source)
            compile(
                tree, "<program>", "exec", dont_inherit=True
            )  # what only the compiler refuses: `return` outside of functions
    except SyntaxError as error:
        raise PythonFault(f"this is not Python: {error.msg}", error.lineno, error.offset or None) from error
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte, a lone surrogate; parentheses too deep
        raise PythonFault(f"this is not Python that can be read: {str(error) or 'nested too deep'}") from error
    _bound_nesting(tree)
    return tree


def _bound_nesting(tree: ast.Module) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_NESTING):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise PythonFault(
        f"this is nested more than {MAX_NESTING} deep", getattr(level[0], "lineno", None), hint="name parts of it"
    )


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args]
    found += [arguments.vararg] if arguments.vararg else []
    found += arguments.kwonlyargs
    return found + ([arguments.kwarg] if arguments.kwarg else [])


def _text(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.unparse(annotation)
