"""What a Lean goal may cite, in the words of `Searchable`: asked of Lean itself."""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from dataclasses import replace

from goedels_poetry.lean.errors.classify import similar_names
from goedels_poetry.lean.runtime.pool import Constant, LeanPool
from goedels_poetry.lean.runtime.protocol import PRIVATE, CheckRequest
from goedels_poetry.lean.text.task import Task
from goedels_poetry.protocol.base import Citable, Premise

# -- Names of the library that are like one that does not exist, with what they state ------------------------------


MOST_MISSING = 3
"""Names without a meaning that are looked up, of one report."""
_UNKNOWN = re.compile(r"[Uu]nknown (?:constant|identifier) [`'‘]([^`'’\s]+)[`'’]")

_NAMES: weakref.WeakKeyDictionary[LeanPool, dict[str, tuple[str, ...]]] = weakref.WeakKeyDictionary()
"""Theorems of each Lean, by what is imported."""


async def near_names(lean: LeanPool, task: Task, report: str) -> str:
    """A line for each theorem that is called nearly like a name which the report says is unknown; "" for none."""
    named = dict.fromkeys(name for name in _UNKNOWN.findall(report) if "." in name or "_" in name)
    missing = list(named)[:MOST_MISSING]
    if not missing:
        return ""
    names = await _names(lean, task.prefix)
    near = {name: similar_names(name, names) for name in missing}
    statements = await stated(lean, task, [other for others in near.values() for other in others])
    lines = []
    for name, others in near.items():
        known = [f"  {other} {statements[other]}" for other in others if other in statements]
        lines += [f"There is no {name}; there is:", *known] if known else []
    return "\n".join(lines)


async def _names(lean: LeanPool, prefix: str) -> tuple[str, ...]:
    """The theorems that a text imports; kept where they never change."""
    known = _NAMES.setdefault(lean, {})
    imported = library_id(lean, prefix)
    if imported in known:
        return known[imported]
    names = tuple(citable.name for citable in await library(lean, prefix) or ())
    if imported:
        known[imported] = names
    return names


# -- What a Lean goal may cite, in the words of `Searchable` -------------------------------------------------------


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
