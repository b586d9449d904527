"""CrossHair as a further source of inputs, where it is installed: it runs the function on symbols, in the sandbox.

What it reports counts for nothing by itself. Its inputs are tried like any others, in CPython.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.util import find_spec
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import Checks
from goedels_poetry.python.testing.literals import from_literal
from goedels_poetry.python.testing.reading import Subject
from goedels_poetry.python.testing.running import harness_files
from goedels_poetry.sandbox import SandboxLimits, run_python_async

_CHECK = "crosshair_checks_this"
_PROGRAM = """\
import sys
sys.path.insert(0, ".")
from crosshair.main import main
from harness import stubs
stubs.install()
main(["check", "--analysis_kind=asserts", "--per_condition_timeout", "{seconds:g}", "subject.py"])
"""
_REPORT = re.compile(rf"when calling ({_CHECK}\(.*\))(?: \(which returns .*\))?$", re.MULTILINE)
_MB = 3072  # of address space: it loads z3
_MOST = 5


@cache
def is_there() -> bool:
    """Whether this interpreter has CrossHair."""
    return find_spec("crosshair") is not None


async def suggested_inputs(subject: Subject, checks: Checks, seconds: float) -> list[dict[str, Any]]:
    """Inputs on which CrossHair believes that the contract fails; none where it has nothing to say.

    Args:
        seconds: of processor time for the search, beside half a second for loading.
    """
    if not is_there() or not subject.parameters or not seconds:
        return []
    result = await run_python_async(
        _PROGRAM.format(seconds=seconds),
        files={**harness_files(), "subject.py": _text(subject, checks).encode()},
        packages=True,
        limits=SandboxLimits(cpu_seconds=seconds + 4, wall_seconds=4 * seconds + 10, memory_mb=_MB),
    )
    found: list[dict[str, Any]] = []
    for call in _REPORT.findall(result.stdout.decode(errors="replace"))[:_MOST]:
        try:
            found.append(_arguments(subject, call))
        except (InvalidInput, SyntaxError, ValueError, RecursionError):
            continue  # an object that no literal writes
    return found


def _text(subject: Subject, checks: Checks) -> str:
    """The module with a function that asserts the contract in the form that CrossHair reads."""
    names = [p.name for p in subject.parameters]
    typed = ", ".join(f"{p.name}: {p.annotation}" if p.annotation else p.name for p in subject.parameters)
    passed = ", ".join(p.name if p.kind == "positional" else f"{p.name}={p.name}" for p in subject.parameters)
    lines = [f"def {_CHECK}({typed}):", *(f"    assert ({text}\n    )" for text in checks.requires or ("True",))]
    indent = "        " if checks.raises else "    "
    lines += ["    try:"] if checks.raises else []
    lines.append(f"{indent}result = {checks.function}({passed})")
    for exception, when in checks.raises:
        lines += [f"    except {exception}:", f"        assert ({when or 'True'}\n        )", "        return"]
    lines += [f"    assert ({text}\n    )" for text in checks.ensures if "result" not in names]
    return f"{subject.source}\n\n\n" + "\n".join(lines) + "\n"


def _arguments(subject: Subject, call: str) -> dict[str, Any]:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)  # the pattern says so
    names = [p.name for p in subject.parameters]
    texts = {name: ast.unparse(arg) for name, arg in zip(names, node.args, strict=False)}
    texts.update({k.arg: ast.unparse(k.value) for k in node.keywords if k.arg is not None})
    if set(texts) != set(names):
        raise InvalidInput("some arguments are missing")
    return {name: from_literal(text) for name, text in texts.items()}
