"""The checks of a candidate as data, and what came of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.translate.program import Program, with_contracts

Effort = Literal["quick", "normal", "thorough"]

VIOLATIONS = frozenset({"ensures", "raised", "typed"})
"""Kinds of results that show a contract broken. Time, memory, stack, and what differs from run to run, do not."""


@dataclass(frozen=True, slots=True)
class Checks:
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
    """

    function: str
    signature: str = ""
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    raises: tuple[tuple[str, str], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    assertions: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    doctests: bool = False
    seconds: float = 10
    memory_mb: int = 512
    own: bool = False
    callees: bool = False

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

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("requires", "ensures", "assertions", "properties"):
            data[name] = list(data[name])
        for name in ("raises", "examples"):
            data[name] = [list(pair) for pair in data[name]]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Checks:
        """From what `to_json` made.

        Raises:
            InvalidInput: it is something else.
        """
        known = {f.name for f in fields(cls)}
        whole: object = data
        if not isinstance(whole, Mapping) or not isinstance(data.get("function"), str):
            raise InvalidInput("checks name the function that they are about")
        for name, value in data.items():
            if name not in known:
                raise InvalidInput(f"checks have no field {name!r}", hint=f"they have {', '.join(sorted(known))}")
            _hold(name, value)
        pairs = {name: tuple((p[0], p[1]) for p in data.get(name, ())) for name in ("raises", "examples")}
        texts = {name: tuple(data.get(name, ())) for name in ("requires", "ensures", "assertions", "properties")}
        rest = {
            name: data[name]
            for name in ("signature", "doctests", "seconds", "memory_mb", "own", "callees")
            if name in data
        }
        whole_data: dict[str, Any] = {**pairs, **texts, **rest}
        return cls(data["function"], **whole_data)


def _hold(name: str, value: object) -> None:
    """Raise InvalidInput if a field of the JSON has another shape than it must have."""
    listed = isinstance(value, list | tuple)
    match name:
        case "function" | "signature":
            right = isinstance(value, str)
        case "doctests" | "own" | "callees":
            right = isinstance(value, bool)
        case "seconds" | "memory_mb":
            right = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1e6
        case "raises" | "examples":
            right = listed and all(
                isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
                for pair in value  # type: ignore[attr-defined]
            )
        case _:
            right = listed and all(isinstance(part, str) for part in value)  # type: ignore[attr-defined]
    if not right:
        raise InvalidInput(f"the checks' {name} is malformed: {value!r}"[:200], path=name)


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
        callees=any(name != function for name in with_contracts(program)),
    )


def checks_of_task(text: str) -> Checks:
    """What a task asks for: its canonical text is JSON that says in which fields it is not as usual.

    Raises:
        InvalidInput: it is no such text.
    """
    try:
        task = json.loads(text)
        signature = task["signature"]
        node = ast.parse(f"{signature.rstrip().rstrip(':')}: ...").body[0]
        function = getattr(node, "name", "")
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        SyntaxError,
        RecursionError,
        MemoryError,
        IndexError,
    ) as error:
        raise InvalidInput(f"this is no task: {error}"[:200]) from error
    same = ("signature", "requires", "ensures", "raises", "examples", "properties", "seconds", "memory_mb")
    data = {name: task[name] for name in same if name in task}
    return Checks.from_json({"function": function, "assertions": task.get("tests", []), **data})
