"""Whether a change does what it is for: does the file compile, is the error gone, do the tests pass, did nothing break?

No comparison of texts decides anything: what counts is what the changed file does in its project, beside what it did
before. `verify_change` does all of it anew from the evidence alone, which is what a checker needs.
"""

from __future__ import annotations

import ast
import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes.baseline import Baseline, baseline_of, contract_faults, test_command
from goedels_poetry.python.changes.case import ChangeCase
from goedels_poetry.python.changes.comparing import MISSED, ChangeReport, Comparison
from goedels_poetry.python.changes.measuring import FAILED, Measured, Plan, compiled, laid_out, measure
from goedels_poetry.python.changes.surface import Surface, functions_of, surface_of
from goedels_poetry.python.harness.inputs import Maker, Shapes, build

MOST = 36
"""Inputs for one function."""


def inputs_for(one: ast.FunctionDef, other: ast.FunctionDef) -> list[str]:
    """Tuples of arguments as Python literals, the same for the same two functions; [] where none can be made."""
    arguments = one.args
    if arguments.vararg or arguments.kwarg or (arguments.kwonlyargs and None in arguments.kw_defaults):
        return []
    shapes = Shapes({}, {})
    parameters = [*arguments.posonlyargs, *arguments.args]
    kinds = [shapes.of("" if p.annotation is None else ast.unparse(p.annotation)) for p in parameters]
    if any(kind[0] == "unknown" for kind in kinds):
        return []
    constants = [n.value for f in (one, other) for n in ast.walk(f) if isinstance(n, ast.Constant)]
    numbers = [c for c in constants if type(c) in (int, float)]
    maker = Maker(shapes, numbers, [c for c in constants if isinstance(c, str)], seed=0)
    small = (recipe for size in range(MOST) for recipe in maker.products(tuple(kinds), size))
    others = (tuple(map(maker.any_of, kinds)) for _ in range(MOST // 3))
    recipes = [*itertools.islice(small, 2 * MOST // 3), *others]
    return list(dict.fromkeys(repr(tuple(build(part, {}) for part in recipe)) for recipe in recipes))


Json = dict[str, Any]


PATIENCE, LEAST_WALL = 8.0, 30.0
"""How many times as long as before the tests may take by the clock, and the seconds that they always have."""
AGAIN, MOST_SUSPECTS = 4, 5
"""How often the tests of the file as it was are run again, where at most so many fail that passed before."""
MOST_FUNCTIONS = 12
"""Functions that are compared on inputs."""


async def baseline_for(case: ChangeCase) -> Baseline:
    """The baseline of a case; see `baseline_of`."""
    async with laid_out(case) as tree:
        return await baseline_of(case, tree)


async def verified(case: ChangeCase, base: Baseline, after: str) -> ChangeReport:
    """Verify a new text of the file.

    Args:
        case: the project, the file, the error.
        base: what was before, of the same case.
        after: the new text of the file.

    Raises:
        Unavailable: there is no sandbox here.
    """
    fault = compiled(after, case.file) if case.is_python else {}
    if fault:
        return _uncompiled(case, base, fault)
    surface = _surface(case, after)
    inputs = _inputs(case, surface, after)
    plan = Plan(
        test_command(case),
        run=base.run,
        inputs=inputs,
        beside=case.before,
        wall=max(LEAST_WALL, PATIENCE * base.measured.seconds),
    )
    async with laid_out(case) as tree:
        found = await measure(case, after, plan, tree)
        base = await _without_flaky(case, base, found, tree)
    faults = await contract_faults(after) if case.is_python and (base.contracts or "contract" in after) else {}
    return Comparison(case, base, after, found, surface, inputs, faults).report()


async def averify_change(evidence: Mapping[str, Any]) -> ChangeReport:
    """The report on ``{"change": {"case": ChangeCase as JSON, "after": new text}}``, everything measured anew.

    Raises:
        InvalidInput: the evidence is none. Unavailable: there is no sandbox here.
    """
    change = evidence.get("change")
    if not isinstance(change, Mapping) or not isinstance(change.get("case"), Mapping):
        raise InvalidInput("the evidence describes no change")
    after = change.get("after")
    if not isinstance(after, str):
        raise InvalidInput("the evidence has no new text of the file")
    case = ChangeCase.from_json(change["case"])
    return await verified(case, await baseline_for(case), after)


def verify_change(evidence: Mapping[str, Any]) -> ChangeReport:
    """Synchronous :func:`averify_change`. ``tested`` takes a report with `ChangeReport.is_tested`."""
    return asyncio.run(averify_change(evidence))


def evidence_of(case: ChangeCase, after: str) -> Json:
    """What `verify_change` needs."""
    return {"change": {"case": case.to_json(), "after": after}}


async def _without_flaky(case: ChangeCase, base: Baseline, found: Measured, tree: Path) -> Baseline:
    """The baseline without the tests that fail now, and now and then without the change as well.

    Only the file as it was is run again: a test that the change has made unsteady stays broken.
    """
    suspects = set(base.measured.passing()) & {*found.failing(), *found.unstable}
    if not suspects or len(suspects) > MOST_SUSPECTS or found.untrusted:
        return base
    plan = Plan(test_command(case), AGAIN)
    again = await measure(case, case.before, plan, tree)
    flaky = {name for name in suspects if again.outcome(name) in FAILED or name in again.unstable}
    if again.untrusted or not flaky:
        return base
    note = f"{', '.join(sorted(flaky))} fails now and then without the change as well: set aside"
    measured = replace(base.measured, unstable=(*base.measured.unstable, *sorted(flaky)))
    return replace(base, measured=measured, notes=(*base.notes, note))


# -- what is to be measured -----------------------------------------------------------------------------------------


def _uncompiled(case: ChangeCase, base: Baseline, fault: Json) -> ChangeReport:
    said = f"{case.file} does not compile: {fault['fault']}"
    return ChangeReport(
        goal=MISSED,
        goal_words=(said,),
        broken=() if base.measured.fault else (said,),
        unchecked=("what does not compile was not run",),
        tests_before=len(base.measured.passing()),
    )


def _surface(case: ChangeCase, after: str) -> Surface:
    if not case.is_python:
        return Surface()
    try:
        return surface_of(case.before, after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Surface()


def _inputs(case: ChangeCase, surface: Surface, after: str) -> dict[str, list[str]]:
    """Inputs for public functions that the change may alter: touched ones, and those that use them."""
    if not (surface.touched or surface.outside):
        return {}
    old, new = functions_of(ast.parse(case.before)), functions_of(ast.parse(after))
    altered = set(surface.touched) | set(surface.added) | set(surface.removed)
    found: dict[str, list[str]] = {}
    for name in new:
        if name not in old or "." in name or not new[name].is_public or name in surface.resigned:
            continue
        one, other = old[name].node, new[name].node
        if not (isinstance(one, ast.FunctionDef) and isinstance(other, ast.FunctionDef)) or one.decorator_list:
            continue
        if (altered & surface.below([name]) or surface.outside) and len(found) < MOST_FUNCTIONS:
            inputs = inputs_for(one, other)
            if inputs:
                found[name] = inputs
    return found
