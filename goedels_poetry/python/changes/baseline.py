"""What a file does before any change: which tests pass, which show the error, and by what else the error is seen."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from goedels_poetry.protocol.record import Record
from goedels_poetry.python.changes.case import ChangeCase, Command, command_of, own_tests
from goedels_poetry.python.changes.measuring import (
    Json,
    Measured,
    Plan,
    Symptom,
    innermost,
    is_same_error,
    measure,
    project_file,
    symptom_of,
)
from goedels_poetry.python.changes.surface import functions_of, parsed
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts

MOST = 12
"""Functions of one file that are looked at."""
WHOLE_RUN = "the whole run of the tests"
"""Stands for the tests where there are no results at all before the change."""
COLLECTION = " (collection)"
"""Behind a file that cannot be collected."""
_INSTALLED_BY = ("pyproject.toml", "setup.py", "setup.cfg")


async def contract_faults(text: str) -> dict[str, str]:
    """Function with a contract -> how which input breaks it, "" for none; those that cannot be run are left out."""
    from goedels_poetry.python.testing.candidate import test_candidate  # not every file has contracts
    from goedels_poetry.python.testing.checks import checks_of

    try:
        program = read_program(text)
        names = with_contracts(program)[:MOST]
    except PythonFault:
        return {}
    found: dict[str, str] = {}
    for name in names:
        apart = replace(checks_of(program, name), own=False)  # a model may have written the function: it is no judge
        report = await test_candidate(text, apart, effort="quick")
        if report.passed or report.counterexample is not None or report.fault in ("raised", "check"):
            found[name] = "" if report.passed else report.reason
    return found


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
    """Measure the file as it is, twice where it is about tests; raises Unavailable without a sandbox."""
    symptom = symptom_of(case.error)
    run = case.run or (() if case.tests else _derived_run(case, symptom))
    found = await measure(case, case.before, Plan(test_command(case), run=run), tree)
    faults = await contract_faults(case.before) if case.is_python else {}
    targets, note = _targets(case, symptom, found)
    run, about_run = _shown_by(case, symptom, run, found)
    base = Baseline(
        found,
        targets,
        run,
        shown_by_import=bool(found.imported and symptom.exception and found.imported.startswith(symptom.exception)),
        contracts={name: not reason for name, reason in faults.items()},
        related=_related(case, symptom, targets),
    )
    return replace(base, notes=(*filter(None, (note, about_run)), *_notes(case, symptom, base)))


def test_command(case: ChangeCase) -> Command | None:
    """The tests that are run: those given, else the project's own; as if the project were installed, if it can be."""
    if not case.tests and not own_tests(case):
        return None
    command = command_of(case.tests) if case.tests else Command("pytest", ())
    files = (*case.files, case.file)
    if command.kind == "other" or not any(name in files for name in _INSTALLED_BY):
        return command
    if any(path.startswith("src/") and path.endswith(".py") for path in files):
        return replace(command, path=("src", *command.path))
    return replace(command, root_on_path=True)


def _derived_run(case: ChangeCase, symptom: Symptom) -> tuple[str, ...]:
    """The program whose traceback it is, where that is a file of the project that was started itself."""
    first = symptom.frames[0] if symptom.frames else None
    if first is None or first.function != "<module>":
        return ()
    script = project_file(first.file, (*case.files, case.file))
    return ("python", script) if script and not re.search(r"(^|/)(test_|conftest)", script) else ()


def _targets(case: ChangeCase, symptom: Symptom, measured: Measured) -> tuple[tuple[str, ...], str]:
    """Which failing tests show the error, and a note: those that it names, those that fail as it says, else all."""
    if measured.untrusted:
        note = f"before the change the tests give no results: {measured.untrusted}"
        return (WHOLE_RUN,) if case.tests else (), note
    failing = measured.failing()
    named = tuple(t for t in failing if any(t.endswith(name) or name in t for name in symptom.tests))
    if named or not failing:
        return named, ""
    if symptom.raised:
        frame = innermost(symptom.frames, (*case.files, case.file))
        errors = {
            name: (_error_of(measured.tests[name]), str(measured.tests[name].get("text", ""))) for name in failing
        }
        alike = tuple(name for name, (error, text) in errors.items() if is_same_error(symptom, error, text, frame))
        if alike or not case.tests:
            return alike, ""
        return failing, "no failing test fails as the error says; all that fail are taken for it"
    if case.run and not case.tests:
        return (), ""  # the command shows the error; tests that were not named are there for what worked
    if not case.error:
        return failing, ""
    said = "words cannot be checked; taken for them: the tests that fail"
    kinds = set(re.findall(r"\b\w+(?:Error|Exception)\b", case.error))
    meant = {name for pair in re.findall(r"(\w+)\(|`(\w+)(?:\(\))?`", case.error) for name in pair if name}
    tried: tuple[tuple[set[str], str, Callable[[str], set[str]]], ...] = (
        (kinds, "with", lambda name: {_error_of(measured.tests[name]).partition(":")[0].strip().rpartition(".")[2]}),
        (meant, "and are about", lambda name: _names_in_test(case, name)),
    )
    for words, how, of_test in tried:
        found = {name: shared for name in failing if (shared := words & of_test(name))}
        if found and len(found) < len(failing):
            return tuple(found), f"{said} {how} {' or '.join(sorted(set().union(*found.values())))} ({len(found)})"
    return failing, f"{said} ({len(failing)})"


def _error_of(item: Json) -> str:
    """``Exception: words`` of a test that fails."""
    errors = re.findall(r"^E\s+(\w[\w.]*(?:Error|Exception)\b.*)$", str(item.get("text", "")), re.MULTILINE)
    return str(item.get("message") or (errors or [""])[-1])


def _shown_by(case: ChangeCase, symptom: Symptom, run: tuple[str, ...], found: Measured) -> tuple[tuple[str, ...], str]:
    """The command where it shows the error, and a note; one that was only guessed, and does not, is left alone."""
    if found.run is None:
        return (), ""
    if found.run["code"] == 0:
        return case.run, "the command shows no error before the change" if case.run else ""
    raised = str(found.run["exception"]).partition(":")[0]
    if not symptom.exception or raised == symptom.exception:
        return run, ""
    note = f"before the change the command fails otherwise than the error says: {raised or found.run['how']}"
    return case.run, note if case.run else ""


def _related(case: ChangeCase, symptom: Symptom, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Functions of the file in the traceback, in the tests that fail, in the words."""
    tree, files = parsed(case.before), (*case.files, case.file)
    words = {frame.function for frame in symptom.frames if project_file(frame.file, files) == case.file}
    words |= set(re.findall(r"\w+", case.error)) if not symptom.raised else set()
    words |= {name for target in targets for name in _names_in_test(case, target)}
    functions = functions_of(tree) if tree is not None else {}
    return tuple(name for name in functions if name in words or name.rpartition(".")[2] in words)


def _names_in_test(case: ChangeCase, test: str) -> set[str]:
    """Names that the body of a test mentions; of a whole file those of the file."""
    path, _, inside = test.removesuffix(COLLECTION).partition("::")
    if path not in case.files and "/" not in path and "::" not in test:  # unittest: module.Class.test
        module, _, inside = test.rpartition(".")
        path = next((p for p in case.files if p.endswith(".py") and p[:-3].replace("/", ".") in module), "")
    text = case.files.get(path)
    tree = parsed(text) if isinstance(text, str) else None
    if tree is None:
        return set()
    name = re.split(r"[\[:]", inside.rpartition("::")[2] if "::" in inside else inside)[0]
    within = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name), tree)
    return {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(within)} - {""}


def _notes(case: ChangeCase, symptom: Symptom, base: Baseline) -> Iterator[str]:
    for name in [target for target in base.targets if target.endswith(COLLECTION)][:3]:
        why = _error_of({"text": base.measured.tests[name].get("text", "")})
        yield f"{name.removesuffix(COLLECTION)} cannot be collected before the change{f': {why}' * bool(why)}"
    if base.measured.unstable:
        yield f"set aside, as two runs before the change differ: {', '.join(base.measured.unstable[:5])}"
    if case.error and not base.shows_error:
        yield f"nothing that was run shows {'the error' if symptom.raised else 'what the words say'} before the change"
    if test_command(case) is None:
        yield "there are no tests"
