"""``pytest --prove``: every contract of the collected files is an item, ``FILE::prove::FUNCTION``.

Without ``--prove`` nothing of the prover is loaded. The functions are those of ``prove FILE.py``, and so are the run
and its verdict: ``proved`` passes, ``refuted`` fails with the counterexample, ``tested`` is an outcome of its own.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.search.machine.background import BackgroundLoop
    from goedels_poetry.store.results import RunResult

DEFAULT_TIMEOUT = "60s"
"""For each contract, over all calls that go on with it."""
TESTED = "goedels-poetry: tested"
"""Of the properties of a report that says so; its value is the reason."""


class Unproved(Exception):
    """The text of a failure: place, reason, counterexample."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--prove``, ``--prove-require``, and what stands in the configuration file."""
    group = parser.getgroup("goedels-poetry", "proofs of contracts (goedels-poetry)")
    group.addoption("--prove", action="store_true", help="prove the contracts of the collected files, too")
    choices = ("proved", "tested")
    group.addoption("--prove-require", choices=choices, help="the least that passes (ini: prove_require, tested)")
    parser.addini("prove_timeout", "for each contract, e.g. 30s or 2m; 0: no limit", default=DEFAULT_TIMEOUT)
    parser.addini("prove_budget", "for each contract, in resource units; 0: no such limit", default="0")
    parser.addini("prove_require", "the least that passes: proved or tested", default="tested")
    parser.addini("prove_paths", "files and folders with contracts, also where pytest looks for no tests", "paths")
    parser.addini("prove_unknown", "what a contract is that is not decided: fail or xfail", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    """Check what is said, and collect the folders of ``prove_paths`` where no others are named."""
    config.addinivalue_line("markers", "prove: a contract that `--prove` proves")
    if not config.option.prove:
        return
    from goedels_poetry.settings.declared import seconds

    config.option.prove_require = config.option.prove_require or config.getini("prove_require")
    for name, known in {"prove_require": ("proved", "tested"), "prove_unknown": ("fail", "xfail")}.items():
        if config.getini(name) not in known:
            raise pytest.UsageError(f"{name} = {config.getini(name)}: write {' or '.join(known)}")
    try:
        budget = int(config.getini("prove_budget"))
        config.stash[_SESSION] = _Session(seconds(config.getini("prove_timeout")) or None, budget or None)
    except ValueError as problem:
        raise pytest.UsageError(f"prove_timeout, prove_budget: {problem}") from None
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args += [str(path) for path in config.getini("prove_paths") if str(path) not in config.args]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what the proofs have started."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ContractFile | None:
    """The contracts of a Python file; ``prove_paths`` says which files may have some, where it says anything."""
    if not parent.config.option.prove or file_path.suffix != ".py":
        return None
    among = parent.config.getini("prove_paths")
    if among and not any(file_path.is_relative_to(path) for path in among):
        return None
    return ContractFile.from_parent(parent, path=file_path)


class ContractFile(pytest.File):
    """A file; it has a collector for contracts where it has some."""

    def collect(self) -> Iterator[pytest.Collector]:
        """Nothing of the file is run."""
        from goedels_poetry.python.testing.reading import decode_source
        from goedels_poetry.python.translate.contracts import PythonFault
        from goedels_poetry.python.translate.program import read_program, with_contracts

        try:
            text = decode_source(self.path.read_bytes())
            if "import" not in text and "post:" not in text:  # contracts are imported, or in docstrings (PEP 316)
                return
            program = read_program(text)
        except PythonFault as fault:
            place = f"{self.path}:{fault.line or 1}:{fault.column or 1}"
            raise self.CollectError(f"{place}: {fault.message}{f' ({fault.hint})' if fault.hint else ''}") from None
        lines = {name: program.functions[name].line for name in with_contracts(program)}  # the selection of `prove`
        if lines:
            contracts: Contracts = Contracts.from_parent(self, name="prove")
            contracts.text, contracts.lines = text, lines
            yield contracts


class Contracts(pytest.Collector):
    """The contracts of one file."""

    text: str
    lines: dict[str, int]

    def collect(self) -> Iterator[pytest.Item]:
        """In the order of the file."""
        for name, line in self.lines.items():
            item: ContractItem = ContractItem.from_parent(self, name=name)
            item.text, item.line = self.text, line
            yield item


class ContractItem(pytest.Item):
    """One contract."""

    text: str
    line: int

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.add_marker("prove")

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place of the function."""
        return self.path, self.line - 1, f"prove {self.name}"

    def runtest(self) -> None:
        """Prove it; raises `Unproved`, and KeyboardInterrupt where the proof was interrupted by that."""
        with warnings.catch_warnings():  # the project's filters are about its own code
            warnings.simplefilter("ignore")
            result = self.config.stash[_SESSION].prove(self.text, self._shown(), self.name)
        verdict, required = str(result.verdict), self.config.option.prove_require
        if verdict == "out_of_budget" and result.reason.startswith("interrupted by"):
            raise KeyboardInterrupt
        self.add_report_section("call", "proof", f"{verdict}: {result.reason}")
        self.user_properties.append(("verdict", verdict))
        if verdict == "proved" or (verdict == required == "tested" and not result.disputed):
            if verdict == "tested":
                self.user_properties.append((TESTED, result.reason))
            return
        message = self._message(result)
        if verdict in ("unknown", "out_of_budget") and self.config.getini("prove_unknown") == "xfail":
            pytest.xfail(message)
        raise Unproved(message)

    def _shown(self) -> str:
        return os.path.relpath(self.path, self.config.rootpath)

    def _message(self, result: RunResult) -> str:
        from goedels_poetry.trace.wording import counterexample_lines

        line = (result.location or {}).get("line") or self.line
        lines = [f"{self._shown()}:{line}: {self.name} is {str(result.verdict).replace('_', ' ')}: {result.reason}"]
        if result.counterexample:
            lines += ["counterexample:", *(f"  {text}" for text in counterexample_lines(result.counterexample))]
        return "\n".join([*lines, *([f"run {result.run_id}"] if result.run_id else [])])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text alone for what is not proved, or cannot be worked on; a traceback for a defect."""
        from goedels_poetry.errors import GoedelsPoetryError

        if isinstance(excinfo.value, (Unproved, GoedelsPoetryError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport, config: pytest.Config) -> Any:
    """What was only tested is counted apart."""
    if getattr(report, "when", "") == "call" and report.passed and TESTED in dict(report.user_properties):
        return "tested", "T", ("TESTED", {"yellow": True})
    return None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Why what was tested is not proved."""
    for report in terminalreporter.getreports("tested"):
        reason = " ".join(str(dict(report.user_properties)[TESTED]).split())
        terminalreporter.write_line(f"TESTED {report.nodeid} - {reason}")


class _Session:
    """One framework for all contracts of a process, begun with the first, and the loop that it lives on."""

    def __init__(self, seconds: float | None, units: int | None) -> None:
        self._seconds, self._units = seconds, units
        self._open: tuple[BackgroundLoop, GoedelsPoetryFramework] | None = None

    def prove(self, text: str, file: str, function: str) -> RunResult:
        from goedels_poetry.framework import GoedelsPoetryFramework
        from goedels_poetry.search.machine.background import BackgroundLoop
        from goedels_poetry.settings.declared import Settings

        if self._open is None:
            try:
                given = Settings()
            except ValueError as problem:
                raise Unproved(f"the settings of goedels-poetry are wrong: {problem}") from None
            limits = {"wall_seconds": self._seconds, "resource_units": self._units}
            budgets = given.budgets.model_copy(update=limits)
            in_force = given.model_copy(update={"budgets": budgets})
            self._open = BackgroundLoop("pytest"), GoedelsPoetryFramework(in_force, checkpoint_all=False)
        loop, framework = self._open
        return loop.run(self._checked(framework, text, file, function), framework.interrupt)

    async def _checked(self, framework: GoedelsPoetryFramework, text: str, file: str, function: str) -> RunResult:
        options = {"assume_definitions": False, "theorem": function}
        return (await framework.aprove(text, name=f"{file}:{function}", language="python", options=options)).result

    def close(self) -> None:
        if self._open is not None:
            loop, framework = self._open
            loop.close(framework.aclose())


_SESSION = pytest.StashKey[_Session]()
