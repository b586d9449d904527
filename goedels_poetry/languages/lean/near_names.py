"""Names of the library that are like one that does not exist, with what they state: for whoever has misremembered."""

from __future__ import annotations

import re
import weakref

from goedels_poetry.languages.lean import premises
from goedels_poetry.languages.lean.errors.names import Names
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.task import Task

MOST_NAMES = 3
"""Names without a meaning that are looked up, of one report."""
_UNKNOWN = re.compile(r"[Uu]nknown (?:constant|identifier) [`'‘]([^`'’\s]+)[`'’]")

_INDEX: weakref.WeakKeyDictionary[LeanPool, dict[str, Names]] = weakref.WeakKeyDictionary()
"""Of each Lean, by what is imported: making one takes longer than asking it."""


async def near_names(lean: LeanPool, task: Task, report: str) -> str:
    """A line for each theorem that is called nearly like a name which the report says is unknown; "" for none."""
    missing = list(dict.fromkeys(name for name in _UNKNOWN.findall(report) if "." in name or "_" in name))[:MOST_NAMES]
    if not missing:
        return ""
    names = await _names(lean, task.prefix)
    near = {name: names.near(name) for name in missing}
    stated = await premises.stated(lean, task, [other for others in near.values() for other in others])
    lines = []
    for name, others in near.items():
        known = [f"  {other} {stated[other]}" for other in others if other in stated]
        lines += [f"There is no {name}; there is:", *known] if known else []
    return "\n".join(lines)


async def _names(lean: LeanPool, prefix: str) -> Names:
    """The theorems that a text imports; kept where they never change."""
    index = _INDEX.setdefault(lean, {})
    imported = premises.library_id(lean, prefix)
    if imported in index:
        return index[imported]
    names = Names(citable.name for citable in await premises.library(lean, prefix) or ())
    if imported:
        index[imported] = names
    return names
