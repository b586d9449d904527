"""The command ``check``: the checker's verdict on a certificate, for people or as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from goedels_poetry.checker import CheckReport
from goedels_poetry.checker.certificate.archive import LEAN_PROOF
from goedels_poetry.checker.limited import SECONDS, answer, check_within
from goedels_poetry.cli.inputs import Source, Unreadable, one_of, read
from goedels_poetry.cli.report import trust_words
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.cli.tools import Check
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.terminal import console, counted, one_line, printable, say
from goedels_poetry.trace.wording import worded

LEAN_SUFFIX, TASK_SUFFIX = ".lean", ".toml"


def check_one(request: Check) -> int:
    """Check and print; returns the exit code of the verdict."""
    certificate, against = request.certificate, request.against
    if against is not None:
        file, named = one_of(str(against))
        against, request = Path(file), replace(request, theorem=named or request.theorem)
    try:
        original = None if against is None else _original(against, request.theorem or "")
    except (Unreadable, InvalidInput) as problem:
        report = _refused(f"the original: {problem}")
    else:
        report = _report(request, against, original)
    if request.as_json:
        compared = str(against) if against is not None else None
        sys.stdout.write(json.dumps(answer(report, str(certificate), compared), default=str) + "\n")
    else:
        _show(certificate, report)
    return report.verdict.exit_code


def _refused(reason: str) -> CheckReport:
    return CheckReport(Verdict.INVALID, refused=True, reasons=(reason,))


def _original(file: Path, theorem: str) -> str:
    """The text that a certificate is held against: of a task in TOML its canonical form, of several goals one."""
    text = read(Source(str(file), Path(file.stem)))
    if _language(file) == "smt":
        from goedels_poetry.smt.notation.goals import excerpt  # only where the original is in SMT-LIB

        return excerpt(text, theorem)
    if file.suffix != TASK_SUFFIX:
        return text
    from goedels_poetry.search.tasks.code_file import code_task  # only where the original is a task

    return code_task(text, str(file)).text


def _report(request: Check, against: Path | None, original: str | None) -> CheckReport:
    """A certificate is a folder; a Lean file is anyone's proof."""
    path, text = request.certificate, None
    try:
        path.stat()
        if path.suffix == LEAN_SUFFIX and not path.is_dir():
            text = read(Source(str(path), Path(path.stem)))
        if text is not None or (path / LEAN_PROOF).is_file():
            from goedels_poetry.cli.configure import settings  # with the models: not at the cost of a check
            from goedels_poetry.cli.lean import fetch_first

            fetch_first(settings().lean, quiet=request.as_json)
    except OSError as problem:
        return _refused(f"cannot read it: {problem.strerror}")
    except Unusable as problem:
        return _refused(str(problem))
    return check_within(
        SECONDS if request.timeout is None else request.timeout,
        path,
        original,
        lean_text=text,
        theorem=request.theorem or "",
        assume_definitions=request.assume_definitions,
        world=request.world.value,
        language="" if against is None else _language(against),
    )


def _language(file: Path) -> str:
    """The language of ours that a file is in, by its name; "" where that does not tell."""
    from goedels_poetry.languages import BUILT_IN  # only where there is an original

    named = (name for name, (_, suffixes) in BUILT_IN.items() if file.name.lower().endswith(suffixes))
    return next(named, "")


def _show(certificate: Path, report: CheckReport) -> None:
    out = console(sys.stdout)
    word = str(report.verdict) if report.accepted else "refused" if report.refused else "not shown"
    say(out, f"{word}  {printable(str(certificate))}", style="bold green" if report.accepted else "bold red")
    if report.statement:
        say(out, f"  {one_line(report.statement if report.versions else worded(report.statement))}")
    for reason in report.reasons:
        place = "" if report.place is None else f"line {report.place[0]}, column {report.place[1]}: "
        say(out, f"  {place}{one_line(reason)}")
    counts = report.obligations
    if report.axioms:
        say(out, f"  axioms: {', '.join(map(one_line, report.axioms))}")
    if report.versions:
        if counts.total:
            lean = f"{counts.first} by the kernel of Lean {report.versions['lean']}"
            say(out, f"  {counted(counts.total, 'declaration')} accepted: {lean}, {counts.second} by the second kernel")
    elif counts.total:
        say(out, f"  {counted(counts.total, 'obligation')}: z3 confirms {counts.first}, cvc5 {counts.second}")
    if report.undecided_by_first:
        say(out, f"  z3 could not decide: {', '.join(map(one_line, report.undecided_by_first))}")
    if report.undecided_by_second:
        say(out, f"  cvc5 could not decide: {', '.join(map(one_line, report.undecided_by_second))}")
    for assumption in report.assumptions:
        say(out, f"  assumed: {one_line(assumption)}", style="yellow")
    for name, value in report.counterexample.items():
        say(out, f"  counterexample: {one_line(name)} = {one_line(str(value))}")
    for premise in report.core:
        say(out, f"  part of the contradiction: {one_line(premise)}")
    if report.needed:
        say(out, f"  premises that the proof needs: {', '.join(map(one_line, report.needed))}")
    for note in report.notes:
        say(out, f"  note: {one_line(note)}")
    if report.trust_level is not None:
        level = str(report.trust_level)
        means = trust_words(level, lean=bool(report.versions), checked_by=report.checked_by or "")
        say(out, f"  trust level {level}: {means}  ({report.seconds:.1f} s)")
