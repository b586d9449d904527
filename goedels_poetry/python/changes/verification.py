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
from goedels_poetry.python.changes.surface import FunctionNode, Surface, functions_of, surface_of
from goedels_poetry.python.harness.inputs import Maker, Shapes, build

MOST_INPUTS, MOST_FUNCTIONS = 36, 12
"""Inputs for one function, and functions that are compared on inputs."""
PATIENCE, LEAST_WALL = 8.0, 30.0
"""How many times as long as before the tests may take by the clock, and the seconds that they always have."""
AGAIN, MOST_SUSPECTS = 4, 5
"""How often the tests of the file as it was are run again, where at most so many fail that passed before."""


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
    fault = compiled(after, case.file).get("fault") if case.is_python else None
    if fault:
        said = f"{case.file} does not compile: {fault}"
        return ChangeReport(
            goal=MISSED,
            goal_words=(said,),
            broken=() if base.measured.fault else (said,),
            unchecked=("what does not compile was not run",),
            tests_before=len(base.measured.passing()),
        )
    surface = surface_of(case.before, after) if case.is_python else Surface()
    inputs = _inputs(case, surface, after)
    wall = max(LEAST_WALL, PATIENCE * base.measured.seconds)
    plan = Plan(test_command(case), run=base.run, inputs=inputs, beside=case.before, wall=wall)
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
    match evidence:
        case {"change": {"case": Mapping() as described, "after": str(after)}}:
            case = ChangeCase.from_json(described)
            return await verified(case, await baseline_for(case), after)
    raise InvalidInput("the evidence describes no change")


def verify_change(evidence: Mapping[str, Any]) -> ChangeReport:
    """Synchronous :func:`averify_change`. ``tested`` takes a report with `ChangeReport.is_tested`."""
    return asyncio.run(averify_change(evidence))


def evidence_of(case: ChangeCase, after: str) -> dict[str, Any]:
    """What `verify_change` needs."""
    return {"change": {"case": case.to_json(), "after": after}}


async def _without_flaky(case: ChangeCase, base: Baseline, found: Measured, tree: Path) -> Baseline:
    """The baseline without the tests that fail now, and now and then without the change as well.

    Only the file as it was is run again: a test that the change has made unsteady stays broken.
    """
    suspects = set(base.measured.passing()) & {*found.failing(), *found.unstable}
    if not suspects or len(suspects) > MOST_SUSPECTS or found.untrusted:
        return base
    again = await measure(case, case.before, Plan(test_command(case), AGAIN), tree)
    flaky = sorted(name for name in suspects if again.outcome(name) in FAILED or name in again.unstable)
    if again.untrusted or not flaky:
        return base
    note = f"{', '.join(flaky)} fails now and then without the change as well: set aside"
    measured = replace(base.measured, unstable=(*base.measured.unstable, *flaky))
    return replace(base, measured=measured, notes=(*base.notes, note))


def _inputs(case: ChangeCase, surface: Surface, after: str) -> dict[str, list[str]]:
    """Inputs for public functions that the change may alter: touched ones, and those that use them."""
    altered = {*surface.touched, *surface.added, *surface.removed}
    if not (surface.touched or surface.outside):
        return {}
    old, new = functions_of(ast.parse(case.before)), functions_of(ast.parse(after))
    found: dict[str, list[str]] = {}
    for name in new:
        shared = name in old and "." not in name and new[name].is_public and name not in surface.resigned
        if shared and (surface.outside or altered & surface.below([name])) and len(found) < MOST_FUNCTIONS:
            found[name] = inputs_for(old[name].node, new[name].node)
    return {name: inputs for name, inputs in found.items() if inputs}


def inputs_for(one: FunctionNode, other: FunctionNode) -> list[str]:
    """Tuples of arguments as Python literals, the same for the same two functions; [] where none can be made."""
    arguments = one.args
    plain = isinstance(one, ast.FunctionDef) and isinstance(other, ast.FunctionDef) and not one.decorator_list
    if not plain or arguments.vararg or arguments.kwarg or (arguments.kwonlyargs and None in arguments.kw_defaults):
        return []
    shapes = Shapes({}, {})
    parameters = [*arguments.posonlyargs, *arguments.args]
    kinds = tuple(shapes.of("" if p.annotation is None else ast.unparse(p.annotation)) for p in parameters)
    if any(kind[0] == "unknown" for kind in kinds):
        return []
    constants = [n.value for f in (one, other) for n in ast.walk(f) if isinstance(n, ast.Constant)]
    numbers = [c for c in constants if type(c) in (int, float)]
    maker = Maker(shapes, numbers, [c for c in constants if isinstance(c, str)], seed=0)
    small = (recipe for size in range(MOST_INPUTS) for recipe in maker.products(kinds, size))
    others = (tuple(map(maker.any_of, kinds)) for _ in range(MOST_INPUTS // 3))
    recipes = [*itertools.islice(small, 2 * MOST_INPUTS // 3), *others]
    return list(dict.fromkeys(repr(tuple(build(part, {}) for part in recipe)) for recipe in recipes))
