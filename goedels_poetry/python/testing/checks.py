"""The checks of a candidate as data, what came of them, and inputs as Python literals; nothing is evaluated."""

from __future__ import annotations

import ast
import itertools
import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.record import STRICT, Record
from goedels_poetry.python.harness.values import MADE
from goedels_poetry.python.translate.contracts import HINTS, ContractNames
from goedels_poetry.python.translate.program import Program, with_contracts

_EXACT = 1 << 53  # ints beyond are hexadecimal text in JSON


def to_literal(data: Any) -> str:
    """The Python text of a value as the harness writes it: literals, constructors, members of enums."""
    if not isinstance(data, dict):
        return repr(data)
    kind, inner = next(iter(data.items()))
    match kind:
        case "i":
            number = int(inner, 16)  # Python itself refuses to write those of more than some thousand digits
            return repr(number) if number.bit_length() < 10_000 else hex(number)
        case "f":
            real = float.fromhex(inner)
            return repr(real) if math.isfinite(real) else f"float({str(real)!r})"
        case "b":
            return repr(bytes.fromhex(inner))
        case "l":
            return f"[{_commas(inner)}]"
        case "t":
            return f"({_commas(inner)},)" if len(inner) == 1 else f"({_commas(inner)})"
        case "s":
            return f"{{{_commas(inner)}}}" if inner else "set()"
        case "fs":
            return f"frozenset({{{_commas(inner)}}})" if inner else "frozenset()"
        case "d":
            return "{" + ", ".join(f"{to_literal(key)}: {to_literal(value)}" for key, value in inner) + "}"
        case "c":
            return f"{inner[0]}({_commas(inner[1])})"
        case "e":
            return f"{inner[0]}.{inner[1]}"
        case "new" | "x":
            return f"{inner[0]}({', '.join(f'{name}={to_literal(value)}' for name, value in inner[1])})"
    return "..."


def _commas(items: list[Any]) -> str:
    return ", ".join(to_literal(item) for item in items)


class _Reader:
    def __init__(self) -> None:
        self._numbers = itertools.count()

    def read(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=None | bool() | int() | str() | float() | complex() | bytes() as value):
                return self._constant(value)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant()) | ast.BinOp():
                return self._constant(ast.literal_eval(node))
            case ast.List(elts=items):
                return {"l": self._all(items), "id": next(self._numbers)}
            case ast.Tuple(elts=items):
                return {"t": self._all(items)}
            case ast.Set(elts=items):
                return {"s": self._all(items), "id": next(self._numbers)}
            case ast.Dict(keys=keys, values=values):
                pairs = [self._all([k, v]) for k, v in zip(keys, values, strict=True) if k is not None]
                return {"d": pairs, "id": next(self._numbers)}
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return {"e": [name, member]}
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))], keywords=[]):
                return {"f": float(text).hex()}
            case ast.Call(func=ast.Name(id="set" | "frozenset" as name), args=args, keywords=[]) if len(args) < 2:
                items = [item for arg in args for item in self._items(arg)]
                return {"fs": items} if name == "frozenset" else {"s": items, "id": next(self._numbers)}
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in MADE:
                return {"c": [name, self._all(args)], "id": next(self._numbers)}
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if all(k.arg for k in keywords):
                return {"new": [name, [[k.arg, self.read(k.value)] for k in keywords]], "id": next(self._numbers)}
            case ast.Call(func=ast.Name(id=name)):
                raise InvalidInput(f"write {name} with the names of its fields", hint=f"{name}(field=...)")
        raise InvalidInput(f"{ast.unparse(node)} is no literal"[:200])

    def _all(self, items: list[ast.expr]) -> list[Any]:
        return [self.read(item) for item in items]

    def _items(self, node: ast.expr) -> list[Any]:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._all(node.elts)
        raise InvalidInput(f"{ast.unparse(node)} is no literal"[:200])

    def _constant(self, value: Any) -> Any:
        match value:
            case None | bool() | str():
                return value
            case int():
                return value if abs(value) < _EXACT else {"i": hex(value)}
            case float():
                return {"f": value.hex()}
            case bytes():
                return {"b": value.hex()}
        return {"c": ["complex", [{"f": value.real.hex()}, {"f": value.imag.hex()}]], "id": next(self._numbers)}


def from_literal(text: str) -> Any:
    """The harness's form of a Python literal, a constructor with named fields, a member of an enum.

    Raises:
        InvalidInput: it is none of those.
    """
    try:
        return _Reader().read(ast.parse(text.strip(), mode="eval").body)
    except InvalidInput:
        raise
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise InvalidInput(f"{text[:100]!r} is no literal: {error}") from error


Effort = Literal["quick", "normal", "thorough"]

VIOLATIONS = frozenset({"ensures", "raised", "typed"})
"""Kinds of results that show a contract broken. Time, memory, stack, and what differs from run to run, do not."""


@dataclass(frozen=True, slots=True)
class Checks(Record):
    """What a function has to satisfy.

    Attributes:
        function: its name.
        signature: ``def f(n: int) -> int``; "" if any will do.
        requires: expressions over the parameters: the inputs that count.
        ensures: expressions over the parameters and ``result``.
        raises: exceptions that may be raised, each with an expression over the parameters, or "" for always.
        examples: pairs of an expression and the expected one, ``("f(3)", "6")``; an expected class of exceptions is
            to be raised.
        assertions: programs that fail by raising, such as ``assert f(2) == 4``; one that defines ``check(candidate)``
            and does not call it is called with the function.
        properties: programs that define Hypothesis tests ``test_*``.
        doctests: whether the examples of its docstring count.
        seconds: of processor time for one call.
        memory_mb: of memory for the candidate's process.
        own: the contract stands in the tested text itself. Then it is evaluated where the function ran, on its own
            objects; else in another process, on what the candidate's answers look like as data.
        callees: other functions of the text state contracts, too; they are checked when they are called.
        old: ``old(...)`` in ``ensures`` is a value at the call.
        kept: how many of ``ensures``, the last ones, hold after an exception that is allowed as well.
    """

    __pydantic_config__ = STRICT

    function: str
    signature: str = ""
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    raises: tuple[tuple[str, str], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    assertions: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    doctests: bool = False
    seconds: Annotated[int | float, Field(gt=0, le=1e6)] = 10
    memory_mb: Annotated[int, Field(gt=0, le=1e6)] = 512
    own: bool = False
    callees: bool = False
    old: bool = False
    kept: Annotated[int, Field(ge=0)] = 0

    def has_contract(self) -> bool:
        """Whether anything is said about inputs that are not written out."""
        return bool(self.requires or self.ensures or self.raises)

    def is_empty(self) -> bool:
        """Whether nothing is said about what the function does."""
        tests = self.examples or self.assertions or self.properties or self.doctests
        return not (self.has_contract() or tests)

    def in_words(self) -> str:
        """What is checked, in a line."""
        said = [f"requires {text}" for text in self.requires] + [f"ensures {text}" for text in self.ensures]
        said += [f"may raise {name}{f' where {when}' if when else ''}" for name, when in self.raises]
        said += [f"{call} == {expected}" for call, expected in self.examples]
        said += [" ".join(text.split()) for text in (*self.assertions, *self.properties)]
        return f"{self.signature or self.function}: {'; '.join(said) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of one check.

    Attributes:
        name: the check in words: ``ensures result >= 0``, ``f(3) == 6``.
        kind: ``compile``, ``signature``, ``import`` (the module does not load here), ``unloadable`` (it loads nowhere),
            ``ensures``, ``raised``, ``typed`` (the result is of the declared type), ``finishes``, ``deterministic``
            (what comes out depends on the input alone), ``example``, ``assertion``, ``property``, ``doctest``; of
            `replay` also ``domain`` (the input does not satisfy the precondition), ``resources`` (time, memory or stack
            ended, which says nothing about the contract) and ``contract`` (it was satisfied); ``inputs``: there were
            none to judge by.
        passed: only with positive evidence.
        reason: in one line, why not, or on how many inputs.
        input: the input that fails, as Python literals by parameter.
    """

    name: str
    kind: str
    passed: bool
    reason: str = ""
    input: dict[str, str] | None = None

    def violates(self) -> bool:
        """Whether an input was seen to break the contract in CPython."""
        return not self.passed and self.kind in VIOLATIONS and self.input is not None


@dataclass(frozen=True, slots=True)
class TestReport:
    """All checks of a candidate.

    Attributes:
        passed: every check was made and passed.
        inputs_tried: generated inputs in the domain that the candidate was called with.
        reason: in one line.
        counterexample: the first failing check that has an input: ``{"check", "kind", "input", "reason"}``.
        fault: "" or the first of ``syntax``, ``signature``, ``raised``, ``resources``, ``check`` that applies.
        untaken: first lines of branches that no run was seen to take, of a contract of its own.
    """

    __test__ = False  # not a test of pytest's

    passed: bool
    results: tuple[CheckResult, ...]
    inputs_tried: int
    reason: str
    counterexample: dict[str, Any] | None
    fault: str
    untaken: tuple[int, ...] = ()


def has_hints(program: Program) -> bool:
    """Whether a body says something of its loops or its recursion, which is checked when it runs."""
    names = ContractNames.of(program.tree)
    return any(isinstance(node, ast.Call) and names.kind(node.func) in HINTS for node in ast.walk(program.tree))


def checks_of(program: Program, function: str) -> Checks:
    """The contract, signature and doctests of a function of a file.

    Raises:
        InvalidInput: the file has no such function.
    """
    found = program.functions.get(function)
    if found is None:
        names = ", ".join(program.functions) or "none"
        raise InvalidInput(f"there is no function {function!r}", hint=f"the functions of this file: {names}")
    contract = found.contract
    return Checks(
        function,
        requires=tuple(clause.text for clause in contract.requires),
        ensures=tuple(clause.text for clause in contract.ensures),
        raises=tuple((r.exception, r.when.text if r.when else "") for r in contract.raises),
        doctests=contract.doctests,
        own=True,
        callees=any(name != function for name in with_contracts(program)) or has_hints(program),
        old=contract.old,
        kept=contract.kept,
    )


def checks_of_task(text: str) -> Checks:
    """What a task asks for: its canonical text is JSON that says in which fields it is not as usual.

    Raises:
        InvalidInput: it is no such text.
    """
    try:
        task = json.loads(text)
        node = ast.parse(f"{task['signature'].rstrip().rstrip(':')}: ...").body[0]
    except Exception as error:
        raise InvalidInput(f"this is no task: {error}"[:200]) from error
    same = ("signature", "requires", "ensures", "raises", "examples", "properties", "seconds", "memory_mb")
    data = {name: task[name] for name in same if name in task}
    return Checks.from_json({"function": getattr(node, "name", ""), "assertions": task.get("tests", []), **data})
