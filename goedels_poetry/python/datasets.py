"""Problems of code from files in the layouts of HumanEval and MBPP, read and never run."""

from __future__ import annotations

import ast
import gzip
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from goedels_poetry.errors import InvalidInput
from goedels_poetry.files import read_bytes

MAX_BYTES = 200_000_000
"""A file is not read further, unpacked or not."""
Text = Annotated[str, Field(pattern=r"\S")]


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """One problem: what to write and how it is tested.

    Attributes:
        name: its id in the file, such as ``HumanEval/0``.
        task: what is wanted, in words.
        signature: the head of the function, ``def f(n: int) -> int``; "" if the file does not show it.
        function: the name that the tests call.
        prompt: what stands in front of a completion: imports, helpers, head and docstring. "" in MBPP.
        assertions: programs, each run after the candidate and ``setup``.
        reference: a solution that comes with the problem, "" if none.
    """

    name: str
    task: str
    signature: str
    function: str
    prompt: str
    assertions: tuple[str, ...]
    setup: str
    reference: str


def load_problems(path: str | Path) -> list[CodeProblem]:
    """The problems of a file: JSON Lines or one JSON list, either packed by gzip; HumanEval's fields or MBPP's.

    Raises:
        InvalidInput: the file cannot be read, or a row is not of either layout; with the line in JSON Lines.
    """
    problems = [_problem(row, line) for line, row in _rows(_text(Path(path)))]
    if not problems:
        raise InvalidInput(f"no problems in {path}")
    return problems


def _text(path: Path) -> str:
    try:
        data = read_bytes(path, MAX_BYTES)
        if data.startswith(b"\x1f\x8b") and len(data) <= MAX_BYTES:
            with gzip.open(io.BytesIO(data)) as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        raise InvalidInput(f"cannot read {path}: {error}") from error
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{path} has more than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8", line=data[: error.start].count(b"\n") + 1) from error


class _HumanEval(BaseModel):
    task_id: str | int = ""
    prompt: Text
    entry_point: Text
    test: Text
    canonical_solution: str | None = None


class _Mbpp(BaseModel):
    task_id: str | int | None = None
    text: Text = Field(validation_alias=AliasChoices("text", "prompt"))
    code: str | None = None
    test_list: list[str]
    challenge_test_list: list[str] | None = None
    test_imports: list[str] | None = None
    test_setup_code: str | None = None


def _rows(text: str) -> Iterator[tuple[int | None, object]]:
    """Each row with its line; a list in one JSON text has no lines to tell."""
    if text.lstrip().startswith("["):
        whole = _json(text, None)
        yield from ((None, row) for row in (whole if isinstance(whole, list) else [whole]))
    else:
        lines = enumerate(text.split("\n"), 1)
        yield from ((line, _json(part, line)) for line, part in lines if part.strip())


def _json(text: str, line: int | None) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"not JSON: {error.msg}", line=line or error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:
        raise InvalidInput(f"not JSON: {error}", line=line) from error


def _problem(row: object, line: int | None) -> CodeProblem:
    if not isinstance(row, dict):
        raise InvalidInput("a problem is no object", line=line)
    try:
        if "entry_point" in row:
            return _of_human_eval(_HumanEval.model_validate(row), line)
        if "test_list" in row:
            return _of_mbpp(_Mbpp.model_validate(row), line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{row.get('task_id', f'line {line}')}: {place}: {first['msg']}", line=line) from None
    what = "neither HumanEval (entry_point, prompt, test) nor MBPP (test_list)"
    raise InvalidInput(what, line=line, hint="see the loaders' layouts")


def _of_human_eval(row: _HumanEval, line: int | None) -> CodeProblem:
    name = str(row.task_id or f"line {line}")
    node = _function(f"{row.prompt.rstrip()}\n    pass\n", row.entry_point, line, name)
    return CodeProblem(
        name=name,
        task=(ast.get_docstring(node) or "").strip(),
        signature=head(node),
        function=row.entry_point,
        prompt=row.prompt,
        assertions=(f"{row.test.rstrip()}\n\ncheck({row.entry_point})\n",),
        setup="",
        reference=row.prompt + row.canonical_solution if row.canonical_solution else "",
    )


def _of_mbpp(row: _Mbpp, line: int | None) -> CodeProblem:
    name = f"MBPP/{row.task_id}" if row.task_id is not None else f"line {line}"
    code = row.code or ""
    tests = [*row.test_list, *(row.challenge_test_list or ())]
    if not tests:
        raise InvalidInput(f"{name} has no tests", line=line)
    function = _tested(tests, code)
    if not function:
        raise InvalidInput(f"{name}: its tests call no function of its code", line=line)
    return CodeProblem(
        name=name,
        task=row.text.strip(),
        signature=head(_function(code, function, line, name)) if code else "",
        function=function,
        prompt="",
        assertions=tuple(tests),
        setup="\n".join(part for part in (*(row.test_imports or ()), row.test_setup_code) if part),
        reference=code,
    )


def head(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """``def f(n: int) -> int`` of a definition."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{word} {node.name}({ast.unparse(node.args)}){returns}"


def _function(text: str, function: str, line: int | None, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    try:
        tree = ast.parse(text.replace("\r\n", "\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(f"{name}: its code is not Python: {error}", line=line) from error
    for node in tree.body[::-1]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            return node
    raise InvalidInput(f"{name}: there is no function {function!r} in its code", line=line)


def _tested(tests: list[str], code: str) -> str:
    """The function that all tests call; among several, the one that the code defines last."""
    calls = [set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", test)) for test in tests]
    defined: list[str] = re.findall(r"^(?:async\s+)?def\s+(\w+)", code, re.MULTILINE)
    everywhere = set.intersection(*calls)
    for candidates in (everywhere, set.union(*calls)):
        among = [name for name in defined if name in candidates]
        if among:
            return among[-1]
    if defined:
        return ""
    first = re.search(
        r"assert\s*\(*\s*(?:not\s+)?(?:(?:set|list|sorted|tuple|len|abs|round|str|math\.\w+)\s*\(\s*)*(\w+)\s*\(",
        tests[0],
    )
    return str(first.group(1)) if first else ""
