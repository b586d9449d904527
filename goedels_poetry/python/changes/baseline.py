"""What a file does before any change: which tests pass, which show the error, and by what else the error is seen."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goedels_poetry.protocol.record import Record
from goedels_poetry.python.changes.case import ChangeCase, Command, command_of, own_tests
from goedels_poetry.python.changes.measuring import (
    Measured,
    Plan,
    Symptom,
    innermost,
    is_same_error,
    measure,
    project_file,
    symptom_of,
)
from goedels_poetry.python.changes.surface import functions_of
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts

MOST = 12
"""Functions of one file that are looked at."""


async def contracts_that_hold(text: str) -> dict[str, bool]:
    """Function with a contract -> whether no input was found that breaks it; those that cannot be run are left out."""
    return {name: not reason for name, reason in (await contract_faults(text)).items()}


async def contract_faults(text: str) -> dict[str, str]:
    """Function with a contract -> how which input breaks it, "" for none."""
    try:
        program = read_program(text)
        names = with_contracts(program)[:MOST]
    except PythonFault:
        return {}
    if not names:
        return {}
    from goedels_poetry.python.testing.candidate import test_candidate
    from goedels_poetry.python.testing.checks import checks_of

    found: dict[str, str] = {}
    for name in names:
        apart = replace(checks_of(program, name), own=False)  # a model may have written the function: it is no judge
        report = await test_candidate(text, apart, effort="quick")
        if report.counterexample is not None:
            found[name] = report.reason
        elif report.passed:
            found[name] = ""
        elif report.fault == "raised" or report.fault == "check":
            found[name] = report.reason
    return found


Json = dict[str, Any]

WHOLE_RUN = "the whole run of the tests"
"""Stands for the tests where there are no results at all before the change."""
_COLLECTION = " (collection)"
_INSTALLED_BY = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Baseline(Record):
    """What was before the change. JSON-able."""

    measured: Measured
    targets: tuple[str, ...] = ()
    """Tests that fail because of the error."""
    run: tuple[str, ...] = ()
    """A command that shows the error."""
    shown_by_import: bool = False
    """Whether importing the file shows it."""
    contracts: Mapping[str, bool] = field(default_factory=dict)
    """Function with a contract -> whether no input was found that breaks it."""
    related: tuple[str, ...] = ()
    """Functions of the file that the error is about, as far as that can be told."""
    notes: tuple[str, ...] = ()
    """What could not be checked, and what was taken for what."""

    @property
    def shows_error(self) -> bool:
        """Whether anything that was run shows it."""
        run = self.measured.run
        by_run = run is not None and run["code"] != 0
        return bool(self.targets or self.measured.fault or self.shown_by_import or by_run)


async def baseline_of(case: ChangeCase, tree: Path) -> Baseline:
    """Measure the file as it is, twice where it is about tests.

    Args:
        case: what is to be changed.
        tree: the project, as `measuring.laid_out` has it.

    Raises:
        Unavailable: there is no sandbox here.
    """
    symptom = symptom_of(case.error)
    run = case.run or (() if case.tests else _derived_run(case, symptom))
    plan = Plan(test_command(case), run=run)
    found = await measure(case, case.before, plan, tree)
    base = Baseline(found, contracts=await contracts_that_hold(case.before) if case.is_python else {})
    base = _with_targets(case, symptom, base)
    base = _with_run(base, symptom, run, given=bool(case.run))
    by_import = bool(found.imported and symptom.exception and found.imported.startswith(symptom.exception))
    base = replace(base, shown_by_import=by_import)
    return replace(base, related=_related(case, symptom, base), notes=(*base.notes, *_notes(case, symptom, base)))


def test_command(case: ChangeCase) -> Command | None:
    """The tests that are run: those given, else the project's own."""
    if not case.tests:
        return _installed(case, Command("pytest", ())) if own_tests(case) else None
    return _installed(case, command_of(case.tests))


def _installed(case: ChangeCase, command: Command) -> Command:
    """The command where the project can be imported as if it were installed, if it is one that people install."""
    if command.kind == "other" or not any(name in (*case.files, case.file) for name in _INSTALLED_BY):
        return command
    if any(path.startswith("src/") and path.endswith(".py") for path in (*case.files, case.file)):
        return replace(command, path=("src", *command.path))
    return replace(command, root_on_path=True)


def _derived_run(case: ChangeCase, symptom: Symptom) -> tuple[str, ...]:
    """The program whose traceback it is, where that is a file of the project that was started itself."""
    first = symptom.frames[0] if symptom.frames else None
    if first is None or first.function != "<module>":
        return ()
    script = project_file(first.file, (*case.files, case.file))
    return ("python", script) if script and not re.search(r"(^|/)(test_|conftest)", script) else ()


def _with_targets(case: ChangeCase, symptom: Symptom, base: Baseline) -> Baseline:
    """Which failing tests show the error: those that it names, those that fail as it says, else all."""
    measured = base.measured
    if measured.untrusted:
        explicit = bool(case.tests)
        note = f"before the change the tests give no results: {measured.untrusted}"
        return replace(base, targets=(WHOLE_RUN,) if explicit else (), notes=(note,))
    failing = measured.failing()
    if not failing:
        return base
    named = [t for t in failing if any(t == name or t.endswith(name) or name in t for name in symptom.tests)]
    if named:
        return replace(base, targets=tuple(named))
    if symptom.raised:
        frame = innermost(symptom.frames, (*case.files, case.file))
        alike = [t for t in failing if _fails_so(measured.tests[t], symptom, frame)]
        if alike:
            return replace(base, targets=tuple(alike))
        if not case.tests:
            return base
        note = "no failing test fails as the error says; all that fail are taken for it"
        return replace(base, targets=failing, notes=(note,))
    if case.run and not case.tests:
        return base  # the command shows the error; tests that nobody has named are there for what worked
    if case.error:
        kinds = set(re.findall(r"\b\w+(?:Error|Exception)\b", case.error))
        alike = [t for t in failing if _kind_of(measured.tests[t]) in kinds]
        if alike and len(alike) < len(failing):
            kind = " or ".join(sorted(kinds))
            note = f"words cannot be checked; taken for them: the tests that fail with {kind} ({len(alike)})"
            return replace(base, targets=tuple(alike), notes=(note,))
        meant = _called_in(case.error)
        about = [t for t in failing if meant & _names_in_test(case, t)]
        if about and len(about) < len(failing):
            names = " or ".join(sorted(meant & set().union(*(_names_in_test(case, t) for t in about))))
            note = f"words cannot be checked; taken for them: the tests that fail and are about {names} ({len(about)})"
            return replace(base, targets=tuple(about), notes=(note,))
        note = f"words cannot be checked; taken for them: the tests that fail ({len(failing)})"
        return replace(base, targets=failing, notes=(note,))
    return replace(base, targets=failing)


def _called_in(words: str) -> set[str]:
    """Functions that words name as code does: ``f(``, or between backticks."""
    return {name for pair in re.findall(r"(\w+)\(|`(\w+)(?:\(\))?`", words) for name in pair if name}


def _fails_so(item: Json, symptom: Symptom, frame: Any) -> bool:
    message = str(item.get("message") or "") or _last_error(str(item.get("text", "")))
    return is_same_error(symptom, message, str(item.get("text", "")), frame)


def _kind_of(item: Json) -> str:
    """The class of the exception that a test fails with."""
    message = str(item.get("message") or "") or _last_error(str(item.get("text", "")))
    return message.partition(":")[0].strip().rpartition(".")[2]


def _last_error(text: str) -> str:
    found = re.findall(r"^E\s+(\w[\w.]*(?:Error|Exception)\b.*)$", text, re.MULTILINE)
    return str(found[-1]) if found else ""


def _with_run(base: Baseline, symptom: Symptom, run: tuple[str, ...], *, given: bool) -> Baseline:
    """Whether the command shows the error; one that was only guessed, and does not, is left alone."""
    found = base.measured.run
    if found is None:
        return base
    if found["code"] == 0:
        note = "the command shows no error before the change" if given else ""
        return replace(base, run=run if given else (), notes=(*base.notes, *filter(None, [note])))
    raised = str(found["exception"]).partition(":")[0]
    if symptom.exception and raised != symptom.exception and not given:
        return base
    notes = base.notes
    if symptom.exception and raised != symptom.exception:
        notes = (*notes, f"before the change the command fails otherwise than the error says: {raised or found['how']}")
    return replace(base, run=run, notes=notes)


def _related(case: ChangeCase, symptom: Symptom, base: Baseline) -> tuple[str, ...]:
    """Functions of the file in the traceback, in the tests that fail, in the words."""
    try:
        functions = functions_of(ast.parse(case.before))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    files = (*case.files, case.file)
    words = {frame.function for frame in symptom.frames if project_file(frame.file, files) == case.file}
    if not symptom.raised:
        words |= set(re.findall(r"\w+", case.error))
    for target in base.targets:
        words |= _names_in_test(case, target)
    return tuple(name for name in functions if name in words or name.rpartition(".")[2] in words)


def _names_in_test(case: ChangeCase, test: str) -> set[str]:
    """Names that the body of a test mentions; of a whole file those of the file."""
    path, _, inside = test.removesuffix(" (collection)").partition("::")
    text = case.files.get(path)
    if text is None and "/" not in path and "::" not in test:  # unittest: module.Class.test
        module, _, inside = test.rpartition(".")
        path = next((p for p in case.files if p.endswith(".py") and p[:-3].replace("/", ".") in module), "")
        text = case.files.get(path)
    if not isinstance(text, str):
        return set()
    name = re.split(r"[\[:]", inside.rpartition("::")[2] if "::" in inside else inside)[0]
    try:
        tree: ast.AST = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name), tree)
    names = {node.id for node in ast.walk(found) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(found) if isinstance(node, ast.Attribute)}


def _notes(case: ChangeCase, symptom: Symptom, base: Baseline) -> list[str]:
    found = []
    for name in [target for target in base.targets if target.endswith(_COLLECTION)][:3]:
        why = _last_error(str(base.measured.tests[name].get("text", "")))
        found.append(f"{name.removesuffix(_COLLECTION)} cannot be collected before the change{f': {why}' * bool(why)}")
    if base.measured.unstable:
        shown = ", ".join(base.measured.unstable[:5])
        found.append(f"set aside, as two runs before the change differ: {shown}")
    if case.error and not base.shows_error:
        kind = "the error" if symptom.raised else "what the words say"
        found.append(f"nothing that was run shows {kind} before the change")
    if test_command(case) is None:
        found.append("there are no tests")
    return found
