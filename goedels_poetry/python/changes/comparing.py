"""A changed file and what was before: the goal, what broke, what is better, what is doubtful; as a report."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.protocol.record import Record
from goedels_poetry.python.changes.baseline import WHOLE_RUN, Baseline, test_command
from goedels_poetry.python.changes.case import ChangeCase
from goedels_poetry.python.changes.measuring import FAILED, PASSED, Measured, symptom_of
from goedels_poetry.python.changes.surface import Surface, functions_of, imported_names

Json = dict[str, Any]

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
    """The ends of the failures that there are now, for whoever mends them."""
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
        return self.goal == REACHED and not self.broken and not self.doubts and self.is_applied

    @property
    def is_tested(self) -> bool:
        """Whether the verdict may be ``tested``: the error was seen and is gone, and nothing broke."""
        return self.goal == REACHED and not self.breaks

    @property
    def reason(self) -> str:
        """One line for people."""
        if not self.is_applied:
            return self.failed_application
        said = {REACHED: "the goal is reached", MISSED: "the goal is not reached", OPEN: "the goal cannot be checked"}
        parts = [said[self.goal]]
        if self.goal != REACHED and self.goal_words:
            parts[0] += f" ({self.goal_words[0]})"
        parts.append(f"broken: {self.broken[0]}" if self.broken else "nothing broke")
        parts += [f"{len(self.broken) - 1} more"] if len(self.broken) > 1 else []
        parts += [f"doubtful: {self.doubts[0]}"] if self.doubts else []
        return "; ".join(parts)

    @property
    def words(self) -> str:
        """The whole report for prompts and people."""
        if not self.is_applied:
            return f"The change could not be applied: {self.failed_application}"
        lines = [f"Goal: {self.goal}."]
        lines += [f"- {line}" for line in self.goal_words]
        for title, items in (
            ("What worked before the change and is broken now", self.broken),
            ("What is better than before", self.better),
            ("What is doubtful", self.doubts),
            ("What could not be checked", self.unchecked),
            ("Remarks", self.remarks),
        ):
            if items:
                lines += ["", f"{title}:", *(f"- {item}" for item in items[:MOST])]
                lines += [f"- and {len(items) - MOST} more"] if len(items) > MOST else []
        if not self.broken:
            lines += ["", f"Nothing that worked before is broken ({self.tests_before} tests passed before)."]
        for text in self.failures[:4]:
            lines += ["", "```", text, "```"]
        return "\n".join(lines)


DIFFERENT = "{}{} was {}, and {}"


@dataclass(frozen=True)
class Comparison:
    """A new text beside what was before."""

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
        base, found = self.base.measured, self.found
        return ChangeReport(
            goal=goal,
            goal_words=tuple(goal_words),
            broken=tuple(dict.fromkeys(self._broken())),
            better=tuple(self._better()),
            doubts=tuple(self._doubts()),
            remarks=tuple(self._remarks()),
            unchecked=tuple(dict.fromkeys([*self.base.notes, *self._unchecked()])),
            failures=tuple(self._failures()),
            tests_passed=len(found.passing()),
            tests_before=len(base.passing()),
        )

    # -- the goal ---------------------------------------------------------------------------------------------------
    def _goal(self) -> tuple[str, list[str]]:
        """Whether the error is gone; ``None`` of a check says that it shows nothing."""
        checks = [*self._compile_goal(), *self._test_goal(), *self._run_goal(), *self._import_goal()]
        words = [said for _, said in checks]
        outcomes = [ok for ok, _ in checks if ok is not None]
        if False in outcomes:
            missed = [said for ok, said in checks if ok is False]
            return MISSED, [*missed, *(said for said in words if said not in missed)]
        shown = self.base.shows_error or not self.case.error
        if True in outcomes and shown:
            return REACHED, words
        return OPEN, words or ["there is nothing to check it by"]

    def _compile_goal(self) -> list[tuple[bool | None, str]]:
        if self.base.measured.fault:
            return [(True, "the file compiles, which it did not before")]
        if symptom_of(self.case.error).is_syntax and symptom_of(self.case.error).raised:
            return [(None, "the file compiled before the change, too")]
        return []

    def _test_goal(self) -> list[tuple[bool | None, str]]:
        targets, found = self.base.targets, self.found
        if not targets and not self.case.tests:
            return []
        if found.untrusted:
            return [(False, f"the tests show nothing: {found.untrusted}")]
        said: list[tuple[bool | None, str]] = []
        left = [name for name in targets if not self._is_fixed(name)]
        if targets:
            done = len(targets) - len(left)
            if left:
                said.append((False, f"{len(left)} of {len(targets)} tests that show the error still do: {left[0]}"))
            else:
                said.append((True, f"{_tests(done)} that showed the error pass" + ("es" if done == 1 else "")))
        if self.case.tests and not left:
            known = {*self.base.measured.tests, *self.base.measured.unstable}
            more = [name for name in found.failing() if name not in known or self.base.measured.untrusted]
            if more:
                said.append((False, f"{_tests(len(more))} that could not be run before fail now: {more[0]}"))
            elif not targets and not found.failing() and found.passing():
                said.append((True, "the tests pass, as they did before the change"))
            elif not found.tests:
                said.append((None, "the test command runs no tests"))
        return said

    def _is_fixed(self, target: str) -> bool:
        found = self.found
        if target == WHOLE_RUN:
            return bool(found.passing()) and not found.failing()
        if target.endswith(" (collection)"):
            path = target.removesuffix(" (collection)")
            inside = [name for name in found.tests if name.startswith(f"{path}::")]
            return target not in found.tests and any(found.outcome(name) == PASSED for name in inside)
        if "_FailedTest" in target:  # a file that unittest could not import
            return target not in found.tests and bool(found.passing())
        return found.outcome(target) == PASSED and target not in found.unstable

    def _run_goal(self) -> list[tuple[bool | None, str]]:
        run, before = self.found.run, self.base.measured.run
        if run is None or before is None or not self.base.run:
            return []
        name = symptom_of(self.case.error).exception
        raised = str(run["exception"]).partition(":")[0]
        if run["code"] == 0 and not (name and raised == name):
            if before["code"] == 0:
                return [(True if not self.case.error else None, "the command ends well, as it did before the change")]
            return [(True, "the command that showed the error ends well")]
        if run["code"] == 0:
            return [(False, f"the command ends well, and still prints {run['exception']}")]
        how = str(run["exception"] or run["how"] or f"exit code {run['code']}")
        same = raised and raised == str(before["exception"]).partition(":")[0]
        return [(False, f"the command still fails: {how}" if same else f"another error has come: {how}")]

    def _import_goal(self) -> list[tuple[bool | None, str]]:
        if not self.base.shown_by_import:
            return []
        if self.found.imported:
            return [(False, f"the file cannot be imported: {self.found.imported}")]
        return [(True, "the file can be imported, which it could not before")]

    # -- what broke -------------------------------------------------------------------------------------------------
    def _broken(self) -> Iterable[str]:
        base, found = self.base.measured, self.found
        if base.imported == "" and found.imported:
            yield f"the file cannot be imported any more: {found.imported}"
        news = [name for name in found.altered if name not in base.altered]
        if news:
            yield f"running the tests changes files of the project: {', '.join(news[:3])}"
        hooks = [name for name in found.tampered if name not in base.tampered]
        if hooks:
            yield f"something tampers with how tests are judged: {', '.join(hooks[:3])}"
        if found.untrusted and not base.untrusted and test_command(self.case) is not None:
            yield f"the tests do not run any more: {found.untrusted}"
        else:
            yield from self._broken_tests()
        for name, reason in self.faults.items():
            if reason and self.base.contracts.get(name, True) and not self._is_meant(name):
                more = " any more" if name in self.base.contracts else ""
                yield f"the contract of {name} does not hold{more}: {reason}"
        yield from self._broken_users()

    def _broken_tests(self) -> Iterable[str]:
        found = self.found
        for name in self.base.measured.passing():
            if name in found.unstable:
                yield f"{name} passes only sometimes now"
                continue
            now = found.outcome(name)
            if now == PASSED or self._is_meant(name.replace("::", ".").rpartition(".")[2]):
                continue
            if not now:
                yield f"{name} is not there any more"
            elif now in FAILED:
                message = str(found.tests[name].get("message", "")).strip().splitlines()
                yield f"{name} fails: {message[0] if message else 'see below'}"
            else:
                yield f"{name} is {now} now"

    def _broken_users(self) -> Iterable[str]:
        """Names that are gone although other files use them."""
        gone = set(self.surface.gone)
        if not gone or not self.case.module:
            return
        for path, text in self.case.sources():
            used = sorted(gone & imported_names(text, self.case.module))
            if used:
                yield f"{', '.join(used)}, which {path} uses, is not there any more"

    def _is_meant(self, name: str) -> bool:
        return any(name in (meant, meant.rpartition(".")[2]) for meant in self.case.meant)

    def _is_test_file(self) -> bool:
        name = self.case.file.rpartition("/")[2]
        return name.startswith(("test_", "conftest")) or name.endswith("_test.py")

    # -- what else --------------------------------------------------------------------------------------------------
    def _better(self) -> Iterable[str]:
        base, found = self.base.measured, self.found
        if base.fault:
            yield "the file compiles"
        if base.imported and found.imported == "":
            yield "the file can be imported"
        if not found.untrusted:
            for name in (*base.failing(), *(t for t in self.base.targets if t == WHOLE_RUN)):
                if self._is_fixed(name):
                    yield f"{name} passes"
        for ok, words in self._run_goal():
            if ok and base.run is not None and base.run["code"] != 0:
                yield words
        for name, held in self.base.contracts.items():
            if not held and self.faults.get(name) == "":
                yield f"no input is found any more that breaks the contract of {name}"

    def _doubts(self) -> Iterable[str]:
        """Differences where none is called for: functions that the error is not about, names that are gone."""
        related = self._related()
        for name, difference in self._differences():
            own = name in self.surface.touched and "." not in name
            if own and related and name not in related and not self._is_meant(name):
                yield f"{difference}: the error is not about {name}"
        users = {name for path, text in self.case.sources() for name in imported_names(text, self.case.module or " ")}
        for name in self.surface.gone:
            if not name.startswith("_") and name not in users and not self._is_meant(name):
                yield f"the public name {name} is gone"
        for name in self.surface.removed:
            owner, dot, method = name.rpartition(".")
            if dot and owner not in self.surface.gone and not method.startswith("_") and not self._is_meant(name):
                yield f"the public method {name} is gone"
        for name in self.surface.resigned:
            if not name.rpartition(".")[2].startswith("_") and not self._is_meant(name) and not self._is_wider(name):
                yield f"the parameters of {name} are others now: callers that are not in the project may break"
        if self.surface.reaches and not self._is_test_file():
            yield f"the change reaches for what tests it, or ends its process: {', '.join(self.surface.reaches)}"

    def _related(self) -> frozenset[str]:
        named = self.base.related
        return self.surface.below(named) | frozenset(named)

    def _is_wider(self, name: str) -> bool:
        """Whether everybody who calls a function may go on doing so: parameters with defaults were added at the end."""
        old = functions_of(ast.parse(self.case.before))[name].node.args
        new = functions_of(ast.parse(self.after))[name].node.args
        before, after = ([a.arg for a in (*x.posonlyargs, *x.args)] for x in (old, new))
        added = len(after) - len(before)
        enough = len(new.defaults) - len(old.defaults) >= added >= 0
        keywords = {a.arg for a in old.kwonlyargs}
        given = dict(zip((a.arg for a in new.kwonlyargs), new.kw_defaults, strict=True))
        free = keywords <= given.keys() and all(given[name] is not None for name in given.keys() - keywords)
        rest = (old.vararg is None or new.vararg is not None) and (old.kwarg is None or new.kwarg is not None)
        return after[: len(before)] == before and enough and free and rest

    def _differences(self) -> Iterable[tuple[str, str]]:
        """Functions that returned something before and return something else now, each with the first such input."""
        for name, inputs in self.inputs.items():
            before, after = self.found.others.get(name, []), self.found.behaviours.get(name, [])
            for given, old, new in zip(inputs, before, after, strict=False):
                if old != new and not old.startswith(("raises ", "takes too long")):
                    now = new if new.startswith(("raises ", "takes too long")) else f"is {new}"
                    yield name, DIFFERENT.format(name, _called(given), old, now)
                    break

    def _remarks(self) -> Iterable[str]:
        surface, different, doubted = self.surface, dict(self._differences()), self._related()
        if surface.form:
            yield f"touched in form only: {', '.join(surface.form)}"
        for name, difference in different.items():
            if not doubted or name in doubted or name not in surface.touched:
                yield difference
        same = [name for name in self.inputs if name in surface.touched and name not in different]
        if same:
            yield f"touched, and the same on all inputs that were tried: {', '.join(same)}"
        others = [n for n in self.found.failing() if n not in self.base.targets and n in self.base.measured.failing()]
        if others:
            still = "fails" if len(others) == 1 else "fail"
            yield f"{_tests(len(others))} that failed before for other reasons still {still}: {others[0]}"

    def _unchecked(self) -> Iterable[str]:
        surface = self.surface
        apart = [n for n in surface.touched if n not in self.inputs and n not in self._related()]
        if apart and self._related():
            yield f"touched, and not compared on inputs: {', '.join(apart[:8])}"

    def _failures(self) -> Iterable[str]:
        """The ends of tracebacks that are worth reading: of tests that show the error, then of others that broke."""
        base, found = self.base.measured, self.found
        wanted = [*self.base.targets, *base.passing(), *found.failing()]
        for name in dict.fromkeys(wanted):
            item = found.tests.get(name)
            if item and item.get("text") and (name not in base.failing() or name in self.base.targets):
                yield f"{name}\n{item['text']}"
        if found.run is not None and found.run["code"] != 0 and self.base.run:
            yield f"$ {' '.join(self.base.run)}\n{found.run['text']}"


def _tests(number: int) -> str:
    return "the test" if number == 1 else f"the {number} tests"


def _called(arguments: str) -> str:
    """``(1,)`` as a call is written."""
    return arguments.replace(",)", ")") if arguments.endswith(",)") else arguments
