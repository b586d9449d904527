"""What a Lean goal may cite, in the words of `Searchable`: asked of Lean itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from goedels_poetry.languages.base import Citable, Premise
from goedels_poetry.languages.lean.runtime.library import Constant
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import PRIVATE, CheckRequest
from goedels_poetry.languages.lean.task import Task

LIBRARY_SECONDS = 60.0
LOOK_SECONDS = 20.0
MOST_NAMES = 200
MOST_STATEMENT = 1_000
OF_LEAN = ("Init", "Std", "Lean")
"""Roots of the modules that belong to a version of Lean and never change."""

_IMPORT = re.compile(r"^[ \t]*(?:public[ \t]+|meta[ \t]+)*import[ \t]+(?:all[ \t]+)?(\S+)", re.MULTILINE)
_NAME = re.compile(r"[^\W\d][\w'!?₀-₉]*(?:\.[\w'!?₀-₉]+)*")


def header_of(prefix: str) -> str:
    """The imports of a text, as a text of their own."""
    return "".join(f"import {module}\n" for module in dict.fromkeys(_IMPORT.findall(prefix)))


def library_id(lean: LeanPool, prefix: str) -> str:
    """Name of the library that a text imports; "" when it has modules of somebody's project."""
    modules = dict.fromkeys(_IMPORT.findall(prefix))
    own = all(module.partition(".")[0] in OF_LEAN for module in modules)
    return " ".join((lean.kind, lean.version, *sorted(modules))) if own else ""


async def library(lean: LeanPool, prefix: str) -> list[Citable] | None:
    """The theorems that a text imports; None where this Lean cannot list them."""
    found = await lean.library(header_of(prefix), "", True, LIBRARY_SECONDS)
    return [_citable(c, "library") for c in found.imported] if found is not None else None


async def local_context(lean: LeanPool, task: Task) -> tuple[Citable, list[Citable]]:
    """The goal with its symbols, and the theorems that stand before it."""
    found = await lean.library(task.prefix, task.code("sorry"), False, LOOK_SECONDS)
    goal, before = Citable(task.name, statement=task.head), []
    facts = {fact.name for fact in task.facts}
    for constant in found.own if found is not None else ():
        name = constant.name.removeprefix(PRIVATE)
        if name == task.name or name.endswith(f".{task.name}"):
            goal = replace(goal, name=name, conclusion=constant.conclusion, context=constant.context)
        elif constant.theorem and name.rpartition(".")[2] not in facts:
            before.append(_citable(constant, "file"))
    return goal, before


async def stated(lean: LeanPool, task: Task, names: Sequence[str]) -> dict[str, str]:
    """The statements of names as `#check` prints them; names that mean nothing or something else are left out."""
    asked = [name for name in dict.fromkeys(names) if _NAME.fullmatch(name)][:MOST_NAMES]
    prefix = task.prefix if task.prefix.endswith("\n") or not task.prefix else f"{task.prefix}\n"
    code = "".join(f"#check {name}\n" for name in asked)
    seen = await lean.check(CheckRequest(code, prefix=prefix, seconds=LOOK_SECONDS))
    first = prefix.count("\n") + 1
    found = {}
    for message in seen.messages:
        place = message.line - first
        if message.severity != "info" or not 0 <= place < len(asked):
            continue
        name, printed = asked[place], " ".join(message.text.split())
        shown = re.match(rf"{re.escape(name)}(?:\.{{[^}}]*}})?(?=[ :])", printed)
        if shown:
            found[name] = printed[shown.end() :].strip()[:MOST_STATEMENT]
    return found


def shown(premises: Sequence[Premise]) -> str:
    """Premises for a prompt, one a line."""
    if not premises:
        return "(they stand in the statement)"
    lines = [f"{p.name} {p.statement}" + (f"  -- {p.docstring}" if p.docstring else "") for p in premises]
    listed = "\n".join(
        line + f"  ({p.source})" * (p.source != "library") for line, p in zip(lines, premises, strict=True)
    )
    return f"(They stand in the statement. These theorems exist and may help, most likely first:)\n{listed}"


def _citable(constant: Constant, source: str) -> Citable:
    return Citable(constant.name, constant.conclusion, constant.context, source=source)
