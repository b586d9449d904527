"""Whether a change does what it is for: does the file compile, is the error gone, do the tests pass, did nothing break?

No comparison of texts decides anything: what counts is what the changed file does in its project, beside what it did
before. `verify_change` does all of it anew from the evidence alone, which is what a checker needs.
"""

from __future__ import annotations

import ast
import asyncio
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.record import Record
from goedels_poetry.python.changes.baseline import (
    COLLECTION,
    WHOLE_RUN,
    Baseline,
    baseline_of,
    contract_faults,
    test_command,
)
from goedels_poetry.python.changes.case import ChangeCase
from goedels_poetry.python.changes.measuring import (
    FAILED,
    PASSED,
    Measured,
    Plan,
    compiled,
    laid_out,
    measure,
    symptom_of,
)
from goedels_poetry.python.changes.surface import FunctionNode, Surface, functions_of, imported_names, surface_of
from goedels_poetry.python.harness.inputs import Maker, Shapes, build

# The report

REACHED, MISSED, OPEN = "reached", "not reached", "cannot be checked"
"""What may be said of the goal."""
MOST = 12
"""Lines of one list that are shown."""


@dataclass(frozen=True, slots=True)
class ChangeReport(Record):
    """The verification of one state of the file against what it was before any change. JSON-able."""

    goal: str = OPEN
    """`REACHED`, `MISSED` or `OPEN`."""
    goal_words: tuple[str, ...] = ()
    """What the goal came to, one line for each thing that was looked at."""
    broken: tuple[str, ...] = ()
    """What worked before the change and does not now."""
    better: tuple[str, ...] = ()
    """What did not work before, and does now."""
    doubts: tuple[str, ...] = ()
    """What looks wrong and may be meant: a person or a model has to say."""
    remarks: tuple[str, ...] = ()
    """What else the change does: forms, equivalences, differences that are to be expected."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked, and why."""
    failures: tuple[str, ...] = ()
    """The ends of the failures that there are now."""
    tests_passed: int = 0
    tests_before: int = 0
    """Tests that pass now, and that passed before."""
    failed_application: str = ""
    """Why the change could not be applied at all; then nothing else is known."""

    @property
    def is_applied(self) -> bool:
        """Whether there was anything to verify."""
        return not self.failed_application

    @property
    def breaks(self) -> bool:
        """Whether it may not be kept."""
        return bool(self.broken) or not self.is_applied

    @property
    def is_clean(self) -> bool:
        """Whether nothing is amiss: the goal is reached, nothing broke, and nothing is doubtful."""
        return self.is_tested and not self.doubts

    @property
    def is_tested(self) -> bool:
        """Whether the verdict may be ``tested``: the error was seen and is gone, and nothing broke."""
        return self.goal == REACHED and not self.breaks

    @property
    def reason(self) -> str:
        """One line for people."""
        if not self.is_applied:
            return self.failed_application
        goal = f"the goal {'cannot be checked' if self.goal == OPEN else f'is {self.goal}'}"
        goal += f" ({self.goal_words[0]})" if self.goal != REACHED and self.goal_words else ""
        parts = [goal, f"broken: {self.broken[0]}" if self.broken else "nothing broke"]
        parts += [f"{len(self.broken) - 1} more"] if len(self.broken) > 1 else []
        parts += [f"doubtful: {self.doubts[0]}"] if self.doubts else []
        return "; ".join(parts)

    @property
    def words(self) -> str:
        """The whole report for prompts and people."""
        if not self.is_applied:
            return f"The change could not be applied: {self.failed_application}"
        lines = [f"Goal: {self.goal}.", *(f"- {line}" for line in self.goal_words)]
        for title, items in (
            ("What worked before the change and is broken now", self.broken),
            ("What is better than before", self.better),
            ("What is doubtful", self.doubts),
            ("What could not be checked", self.unchecked),
            ("Remarks", self.remarks),
        ):
            lines += ["", f"{title}:", *(f"- {item}" for item in items[:MOST])] if items else []
            lines += [f"- and {len(items) - MOST} more"] if len(items) > MOST else []
        if not self.broken:
            lines += ["", f"Nothing that worked before is broken ({self.tests_before} tests passed before)."]
        return "\n".join([*lines, *(f"\n```\n{text}\n```" for text in self.failures[:4])])


_Checks = Iterator[tuple[bool | None, str]]
"""Whether the goal is reached by one thing that was looked at, None where that says nothing; in words."""


@dataclass(frozen=True)
class Comparison:
    """A new text beside what was before; ``inputs``, ``faults``: by function, see `Plan` and `contract_faults`."""

    case: ChangeCase
    base: Baseline
    after: str
    found: Measured
    surface: Surface
    inputs: Mapping[str, Sequence[str]]
    faults: Mapping[str, str]

    def report(self) -> ChangeReport:
        """All of it."""
        goal, goal_words = self._goal()
        return ChangeReport(
            goal=goal,
            goal_words=tuple(goal_words),
            broken=tuple(dict.fromkeys(self._broken())),
            better=tuple(self._better()),
            doubts=tuple(self._doubts()),
            remarks=tuple(self._remarks()),
            unchecked=tuple(dict.fromkeys([*self.base.notes, *self._unchecked()])),
            failures=tuple(self._failures()),
            tests_passed=len(self.found.passing()),
            tests_before=len(self.base.measured.passing()),
        )

    # -- the goal ---------------------------------------------------------------------------------------------------
    def _goal(self) -> tuple[str, list[str]]:
        checks = [*self._compile_goal(), *self._test_goal(), *self._run_goal(), *self._import_goal()]
        checks.sort(key=lambda check: check[0] is not False)  # what is missed comes first
        outcomes, words = [ok for ok, _ in checks], [said for _, said in checks]
        if False in outcomes:
            return MISSED, words
        if True in outcomes and (self.base.shows_error or not self.case.error):
            return REACHED, words
        return OPEN, words or ["there is nothing to check it by"]

    def _compile_goal(self) -> _Checks:
        if self.base.measured.fault:
            yield True, "the file compiles, which it did not before"
        elif symptom_of(self.case.error).is_syntax and symptom_of(self.case.error).raised:
            yield None, "the file compiled before the change, too"

    def _test_goal(self) -> _Checks:
        targets, found, before = self.base.targets, self.found, self.base.measured
        if not targets and not self.case.tests:
            return
        if found.untrusted:
            yield False, f"the tests show nothing: {found.untrusted}"
            return
        left = [name for name in targets if not self._is_fixed(name)]
        if left:
            yield False, f"{len(left)} of {len(targets)} tests that show the error still do: {left[0]}"
            return
        if targets:
            yield True, f"{_tests(len(targets))} that showed the error pass" + ("es" if len(targets) == 1 else "")
        if self.case.tests:
            known = {*before.tests, *before.unstable}
            more = [name for name in found.failing() if name not in known or before.untrusted]
            if more:
                yield False, f"{_tests(len(more))} that could not be run before fail now: {more[0]}"
            elif not targets and not found.failing() and found.passing():
                yield True, "the tests pass, as they did before the change"
            elif not found.tests:
                yield None, "the test command runs no tests"

    def _is_fixed(self, target: str) -> bool:
        found = self.found
        if target == WHOLE_RUN:
            return bool(found.passing()) and not found.failing()
        if target.endswith(COLLECTION):
            inside = f"{target.removesuffix(COLLECTION)}::"
            return target not in found.tests and any(name.startswith(inside) for name in found.passing())
        if "_FailedTest" in target:  # a file that unittest could not import
            return target not in found.tests and bool(found.passing())
        return target in found.passing()

    def _run_goal(self) -> _Checks:
        run, before = self.found.run, self.base.measured.run
        if run is None or before is None or not self.base.run:
            return
        name, raised = symptom_of(self.case.error).exception, str(run["exception"]).partition(":")[0]
        if run["code"] == 0 and name and raised == name:
            yield False, f"the command ends well, and still prints {run['exception']}"
        elif run["code"] == 0 and before["code"] == 0:
            yield True if not self.case.error else None, "the command ends well, as it did before the change"
        elif run["code"] == 0:
            yield True, "the command that showed the error ends well"
        else:
            same = raised and raised == str(before["exception"]).partition(":")[0]
            how = str(run["exception"] or run["how"] or f"exit code {run['code']}")
            yield False, f"{'the command still fails' if same else 'another error has come'}: {how}"

    def _import_goal(self) -> _Checks:
        if self.base.shown_by_import and self.found.imported:
            yield False, f"the file cannot be imported: {self.found.imported}"
        elif self.base.shown_by_import:
            yield True, "the file can be imported, which it could not before"

    # -- what broke -------------------------------------------------------------------------------------------------
    def _broken(self) -> Iterator[str]:
        base, found = self.base.measured, self.found
        if base.imported == "" and found.imported:
            yield f"the file cannot be imported any more: {found.imported}"
        for what, now, before in (
            ("running the tests changes files of the project", found.altered, base.altered),
            ("something tampers with how tests are judged", found.tampered, base.tampered),
        ):
            if news := [name for name in now if name not in before]:
                yield f"{what}: {', '.join(news[:3])}"
        if found.untrusted and not base.untrusted and test_command(self.case) is not None:
            yield f"the tests do not run any more: {found.untrusted}"
        else:
            yield from self._broken_tests()
        for name, reason in self.faults.items():
            if reason and self.base.contracts.get(name, True) and not self._is_meant(name):
                more = " any more" if name in self.base.contracts else ""
                yield f"the contract of {name} does not hold{more}: {reason}"
        for path, text in self.case.sources() if self.surface.gone and self.case.module else ():
            if used := sorted({*self.surface.gone} & imported_names(text, self.case.module)):
                yield f"{', '.join(used)}, which {path} uses, is not there any more"

    def _broken_tests(self) -> Iterator[str]:
        found = self.found
        for name in self.base.measured.passing():
            now = found.outcome(name)
            if name in found.unstable:
                yield f"{name} passes only sometimes now"
            elif now == PASSED or self._is_meant(name.replace("::", ".").rpartition(".")[2]):
                continue
            elif now in FAILED:
                message = str(found.tests[name].get("message", "")).strip().splitlines()
                yield f"{name} fails: {message[0] if message else 'see below'}"
            else:
                yield f"{name} is {now} now" if now else f"{name} is not there any more"

    def _is_meant(self, name: str) -> bool:
        return any(name in (meant, meant.rpartition(".")[2]) for meant in self.case.meant)

    # -- what else --------------------------------------------------------------------------------------------------
    def _better(self) -> Iterator[str]:
        base, found = self.base.measured, self.found
        if base.fault:
            yield "the file compiles"
        if base.imported and found.imported == "":
            yield "the file can be imported"
        if not found.untrusted:
            known = (*base.failing(), *(target for target in self.base.targets if target == WHOLE_RUN))
            yield from (f"{name} passes" for name in known if self._is_fixed(name))
        if base.run is not None and base.run["code"] != 0:
            yield from (words for ok, words in self._run_goal() if ok)
        for name, held in self.base.contracts.items():
            if not held and self.faults.get(name) == "":
                yield f"no input is found any more that breaks the contract of {name}"

    def _doubts(self) -> Iterator[str]:
        """Differences where none is called for: functions that the error is not about, names that are gone."""
        related, surface = self._related(), self.surface
        for name, difference in self._differences():
            if name in surface.touched and related and name not in related and not self._is_meant(name):
                yield f"{difference}: the error is not about {name}"
        users = {name for _, text in self.case.sources() for name in imported_names(text, self.case.module or " ")}
        for name in surface.gone:
            if not name.startswith("_") and name not in users and not self._is_meant(name):
                yield f"the public name {name} is gone"
        for name in surface.removed:
            owner, dot, method = name.rpartition(".")
            if dot and owner not in surface.gone and not method.startswith("_") and not self._is_meant(name):
                yield f"the public method {name} is gone"
        for name in surface.resigned:
            if not name.rpartition(".")[2].startswith("_") and not self._is_meant(name) and not self._is_wider(name):
                yield f"the parameters of {name} are others now: callers that are not in the project may break"
        file = self.case.file.rpartition("/")[2]
        if surface.reaches and not file.startswith(("test_", "conftest")) and not file.endswith("_test.py"):
            yield f"the change reaches for what tests it, or ends its process: {', '.join(surface.reaches)}"

    def _related(self) -> frozenset[str]:
        return self.surface.below(self.base.related) | frozenset(self.base.related)

    def _is_wider(self, name: str) -> bool:
        """Whether all callers of a function may go on: parameters with defaults were added at the end."""
        old, new = (functions_of(ast.parse(text))[name].node.args for text in (self.case.before, self.after))
        before, after = ([each.arg for each in (*some.posonlyargs, *some.args)] for some in (old, new))
        added = len(after) - len(before)
        enough = len(new.defaults) - len(old.defaults) >= added >= 0 and after[: len(before)] == before
        given = dict(zip((each.arg for each in new.kwonlyargs), new.kw_defaults, strict=True))
        keywords = {each.arg for each in old.kwonlyargs}
        free = keywords <= given.keys() and all(given[each] is not None for each in given.keys() - keywords)
        rest = (old.vararg is None or new.vararg is not None) and (old.kwarg is None or new.kwarg is not None)
        return enough and free and rest

    def _differences(self) -> Iterator[tuple[str, str]]:
        """Functions that returned something before and return something else now, each with the first such input."""
        ended = ("raises ", "takes too long")
        for name, inputs in self.inputs.items():
            pairs = zip(self.found.others.get(name, []), self.found.behaviours.get(name, []), strict=False)
            for given, (old, new) in zip(inputs, pairs, strict=False):
                if old != new and not old.startswith(ended):
                    call = given.replace(",)", ")") if given.endswith(",)") else given
                    yield name, f"{name}{call} was {old}, and {new if new.startswith(ended) else f'is {new}'}"
                    break

    def _remarks(self) -> Iterator[str]:
        surface, different, related = self.surface, dict(self._differences()), self._related()
        if surface.form:
            yield f"touched in form only: {', '.join(surface.form)}"
        for name, difference in different.items():
            if not related or name in related or name not in surface.touched:
                yield difference
        same = [name for name in self.inputs if name in surface.touched and name not in different]
        if same:
            yield f"touched, and the same on all inputs that were tried: {', '.join(same)}"
        failed = self.base.measured.failing()
        others = [name for name in self.found.failing() if name in failed and name not in self.base.targets]
        if others:
            still = "fails" if len(others) == 1 else "fail"
            yield f"{_tests(len(others))} that failed before for other reasons still {still}: {others[0]}"

    def _unchecked(self) -> Iterator[str]:
        related = self._related()
        apart = [name for name in self.surface.touched if name not in self.inputs and name not in related]
        if apart and related:
            yield f"touched, and not compared on inputs: {', '.join(apart[:8])}"

    def _failures(self) -> Iterator[str]:
        """The ends of tracebacks that are worth reading: of tests that show the error, then of others that broke."""
        base, found = self.base.measured, self.found
        for name in dict.fromkeys([*self.base.targets, *base.passing(), *found.failing()]):
            item = found.tests.get(name)
            if item and item.get("text") and (name not in base.failing() or name in self.base.targets):
                yield f"{name}\n{item['text']}"
        if found.run is not None and found.run["code"] != 0 and self.base.run:
            yield f"$ {' '.join(self.base.run)}\n{found.run['text']}"


def _tests(number: int) -> str:
    return "the test" if number == 1 else f"the {number} tests"


# Verifying

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
    """Verify ``after``, a new text of the file, beside what was before; raises Unavailable without a sandbox."""
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
