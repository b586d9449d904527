"""Small repairs, where nobody proposes a change: mutants of the functions that the error is about, tried on the tests.

A mutant after which the tests that showed the error pass is a change like any other: whether it is right, the verifier
says. It takes the tests themselves to tell mutants apart, so there are none where the error shows in something else.
"""

from __future__ import annotations

import ast
import itertools
import re

from goedels_poetry.languages.python.changes.baseline import WHOLE_RUN, Baseline, test_command
from goedels_poetry.languages.python.changes.case import ChangeCase, Command
from goedels_poetry.languages.python.changes.measuring import laid_out, screened
from goedels_poetry.languages.python.changes.mutations import Mutant, mutants
from goedels_poetry.languages.python.changes.texts import like, plain

SECONDS = 30.0
"""For all mutants of a file, by the clock."""
AT_ONCE = 40
"""Mutants that one process tries, one after the other."""


async def first_repair(case: ChangeCase, base: Baseline, skip: int) -> tuple[str, str] | None:
    """The first mutant after which the tests that showed the error pass: its text, and what was done.

    Args:
        case: what is to be mended.
        base: what was before.
        skip: how many such mutants have been proposed already.

    Raises:
        Unavailable: there is no sandbox here.
    """
    command = test_command(case)
    targets = [name for name in base.targets if name != WHOLE_RUN]
    if command is None or command.kind == "other" or not targets or base.measured.fault:
        return None
    if command.kind == "pytest":
        ids = [name for name in targets if not name.endswith(" (collection)")]
        arguments = ids or sorted({name.removesuffix(" (collection)") for name in targets})
        command = Command("pytest", tuple(arguments), command.root_on_path, command.path)
    left, found = SECONDS, 0
    candidates = _candidates(case, base)
    async with laid_out(case) as tree:
        while left > 0 and (batch := list(itertools.islice(candidates, AT_ONCE))):
            texts = [like(case.before, mutant.text) for mutant in batch]
            good, seconds = await screened(
                case, texts, command, targets, tree, left, plugins=base.measured.plugins, enough=skip + 1 - found
            )
            left -= seconds
            for number in good:
                if found == skip:
                    return texts[number], batch[number].words
                found += 1
    return None


def _candidates(case: ChangeCase, base: Baseline) -> itertools.chain[Mutant]:
    """Mutants of the functions that the error is about, then of the others."""
    items = [base.measured.tests.get(name, {}) for name in base.targets]
    failure = "\n".join(f"{item.get('message', '')}\n{item.get('text', '')}" for item in items)
    name = re.escape(case.file.rpartition("/")[2])
    lines = {int(number) for number in re.findall(rf'{name}(?:", line |:)(\d+)', failure)}
    text = plain(case.before)
    first = mutants(text, base.related, lines, failure)
    if not base.related:
        return itertools.chain(first)
    known = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    others = known - {each.rpartition(".")[2] for each in base.related}
    return itertools.chain(first, mutants(text, others, lines, failure) if others else ())
