"""The command ``check``: the checker's verdict on certificates, for people and programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from goedels_poetry.checker import CheckReport
from goedels_poetry.checker.certificate.archive import EVIDENCE, LEAN_PROOF, MANIFEST
from goedels_poetry.checker.limited import SECONDS, answer, check_within
from goedels_poetry.cli.inputs import Source, Unreadable, one_of, read
from goedels_poetry.cli.process import elapsed
from goedels_poetry.cli.report import say_below, trust_words
from goedels_poetry.cli.run_errors import Unusable, worst_code
from goedels_poetry.cli.tools import Check
from goedels_poetry.errors import InvalidInput
from goedels_poetry.interfaces.formats import FormatName, Writer
from goedels_poetry.interfaces.since import Since
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.terminal import console, counted, lines_to, one_line, printable, say
from goedels_poetry.trace.wording import worded

LEAN_SUFFIX, TASK_SUFFIX = ".lean", ".toml"


def check_all(request: Check) -> int:
    """Check and print each; returns the exit code of the worst verdict."""
    from goedels_poetry.cli.session import guarded  # with what searches share, which no check needs

    return guarded(lambda: _check_all(request), otherwise=Verdict.INVALID)


def _check_all(request: Check) -> int:
    against, since = request.against, None if request.since is None else Since(request.since)
    if against is not None:
        file, named = one_of(str(against))
        against, request = Path(file), replace(request, theorem=named or request.theorem)
    original, problem = None, ""
    try:
        original = None if against is None else _original(against, request.theorem or "")
    except (Unreadable, InvalidInput) as error:
        problem = f"the original: {error}"
    writer = None if request.form is FormatName.TEXT else Writer(request.form, sys.stdout.write)
    codes, below = [], []
    for certificate in certificates(request.certificates):
        if since is not None and since.is_unchanged(certificate) and (not against or since.is_unchanged(against)):
            continue
        seconds = _seconds(request)
        if problem:
            report = _refused(problem)
        elif seconds <= 0:
            report = CheckReport(Verdict.OUT_OF_BUDGET, reasons=(f"the {request.total:g} s of --total are used up",))
        else:
            report = _report(request, certificate, seconds, against, original)
        codes.append(_exit_code(report, request.required))
        if request.required is not None and codes[-1]:
            below.append(str(certificate))
        if writer is None:
            _show(certificate, report)
        else:
            compared = str(against) if against is not None else None
            writer.add({**answer(report, str(certificate), compared), "exit_code": codes[-1]})
    if writer is not None:
        writer.end()
    say_below(lines_to(sys.stderr), request.required, below)
    return worst_code(codes)


def certificates(named: Sequence[Path]) -> Iterator[Path]:
    """What is named, and in place of a folder that is no certificate those in it, sorted; each once.

    What has only a part of a certificate's files is taken for one: its check says what is missing.
    """
    seen = set()
    for path in named:
        inside = [path]
        if os.path.isdir(path) and not _PARTS.intersection(os.listdir(path)):
            inside = []
            for folder, folders, files in os.walk(path):
                folders.sort()
                if _PARTS.intersection(files):
                    inside.append(Path(folder))
                    folders.clear()
        for each in inside or [path]:
            if (place := os.path.realpath(each)) not in seen:
                seen.add(place)
                yield each


_PARTS = frozenset({MANIFEST, EVIDENCE, "evidence.json", LEAN_PROOF})


def _seconds(request: Check) -> float:
    """What a check may take now, of its own limit and that of the whole call."""
    own = SECONDS if request.timeout is None else request.timeout
    return own if request.total is None else min(own, request.total - elapsed())


def _exit_code(report: CheckReport, required: Verdict | None) -> int:
    below = required is not None and report.verdict not in (Verdict.PROVED, required)
    return report.verdict.exit_code or (Verdict.UNKNOWN.exit_code if below else 0)


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


def _report(request: Check, path: Path, seconds: float, against: Path | None, original: str | None) -> CheckReport:
    """A certificate is a folder; a Lean file is anyone's proof."""
    text = None
    try:
        path.stat()
        if path.suffix == LEAN_SUFFIX and not path.is_dir():
            text = read(Source(str(path), Path(path.stem)))
        if text is not None or (path / LEAN_PROOF).is_file():
            from goedels_poetry.cli.configure import settings  # with the models: not at the cost of a check
            from goedels_poetry.cli.lean import fetch_first

            fetch_first(settings().lean, quiet=request.form is not FormatName.TEXT)
    except OSError as problem:
        return _refused(f"cannot read it: {problem.strerror}")
    except Unusable as problem:
        return _refused(str(problem))
    return check_within(
        seconds,
        path,
        original,
        lean_text=text,
        theorem=request.theorem or "",
        assume_definitions=request.assume_definitions,
        world=request.world.value,
        proofs=request.proofs,
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
    if report.proofs is not None:
        total = report.proofs.checked + len(report.proofs.without)
        say(out, f"  {report.proofs.checked} of {total} obligations have a proof that was checked step by step")
        for without in report.proofs.without:
            say(out, f"  without: {one_line(without)}")
    for assumption in report.assumptions:
        say(out, f"  assumed: {one_line(assumption)}", style="yellow")
    for name, value in report.counterexample.items():
        say(out, f"  counterexample: {one_line(name)} = {one_line(str(value))}")
    for premise in report.core:
        say(out, f"  part of the contradiction: {one_line(premise)}")
    if report.needed:
        say(out, f"  premises that the proof needs: {', '.join(map(one_line, report.needed))}")
    if report.unneeded:
        say(out, f"  unneeded: {', '.join(map(one_line, report.unneeded))}")
    for note in report.notes:
        say(out, f"  note: {one_line(note)}")
    if report.trust_level is not None:
        level = str(report.trust_level)
        means = trust_words(level, lean=bool(report.versions), checked_by=report.checked_by or "")
        say(out, f"  trust level {level}: {means}  ({report.seconds:.1f} s)")
