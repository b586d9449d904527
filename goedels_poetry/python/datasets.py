"""Problems of code from files in the layouts of HumanEval and MBPP, read and never run."""

from __future__ import annotations

import ast
import gzip
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.files import read_bytes

MAX_BYTES = 200_000_000
"""A file is not read further, unpacked or not."""


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
        setup: what the tests need first.
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


def _rows(text: str) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """Each row with its line; a list in one JSON text has no lines to tell."""
    if text.lstrip().startswith("["):
        whole = _json(text, None)
        if not isinstance(whole, list):
            raise InvalidInput("a list of problems is expected")
        for at, row in enumerate(whole):
            if not isinstance(row, dict):
                raise InvalidInput("a problem is no object", path=f"[{at}]")
            yield None, row
        return
    for line, part in enumerate(text.split("\n"), 1):
        if part.strip():
            row = _json(part, line)
            if not isinstance(row, dict):
                raise InvalidInput("a line is no object", line=line)
            yield line, row


def _json(text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"not JSON: {error.msg}", line=line or error.lineno, column=error.colno) from error
    except (RecursionError, ValueError) as error:
        raise InvalidInput(f"not JSON: {error}", line=line) from error


def _problem(row: Mapping[str, Any], line: int | None) -> CodeProblem:
    if "entry_point" in row:
        return _of_human_eval(row, line)
    if "test_list" in row:
        return _of_mbpp(row, line)
    raise InvalidInput(
        "neither HumanEval (entry_point, prompt, test) nor MBPP (test_list)", line=line, hint="see the loaders' layouts"
    )


def _of_human_eval(row: Mapping[str, Any], line: int | None) -> CodeProblem:
    name = str(row.get("task_id", f"line {line}"))
    prompt, function, test = (_string(row, key, line, name) for key in ("prompt", "entry_point", "test"))
    solution = _string(row, "canonical_solution", line, name, needed=False)
    node = _function(f"{prompt.rstrip()}\n    pass\n", function, line, name)
    return CodeProblem(
        name=name,
        task=(ast.get_docstring(node) or "").strip(),
        signature=head(node),
        function=function,
        prompt=prompt,
        assertions=(f"{test.rstrip()}\n\ncheck({function})\n",),
        setup="",
        reference=prompt + solution if solution else "",
    )


def _of_mbpp(row: Mapping[str, Any], line: int | None) -> CodeProblem:
    name = f"MBPP/{row['task_id']}" if "task_id" in row else f"line {line}"
    code = _string(row, "code", line, name, needed=False)
    tests = [*_strings(row, "test_list", line, name), *_strings(row, "challenge_test_list", line, name)]
    if not tests:
        raise InvalidInput(f"{name} has no tests", line=line)
    imports = _strings(row, "test_imports", line, name)
    setup = "\n".join(part for part in (*imports, _string(row, "test_setup_code", line, name, needed=False)) if part)
    function = _tested(tests, code)
    if not function:
        raise InvalidInput(f"{name}: its tests call no function of its code", line=line)
    node = _function(code, function, line, name) if code else None
    return CodeProblem(
        name=name,
        task=_string(row, "text" if "text" in row else "prompt", line, name).strip(),
        signature=head(node) if node is not None else "",
        function=function,
        prompt="",
        assertions=tuple(tests),
        setup=setup,
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
    found = [
        node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function
    ]
    if not found:
        raise InvalidInput(f"{name}: there is no function {function!r} in its code", line=line)
    return found[-1]


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


def _string(row: Mapping[str, Any], key: str, line: int | None, name: str, needed: bool = True) -> str:
    value = row.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value.strip()):
        raise InvalidInput(f"{name}: {key!r} must be a text", line=line)
    return value


def _strings(row: Mapping[str, Any], key: str, line: int | None, name: str) -> list[str]:
    value = row.get(key) or []
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise InvalidInput(f"{name}: {key!r} must be a list of texts", line=line)
    return value
