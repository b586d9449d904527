"""A result as one JSON object or as a page for people, and files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.run_errors import Failure, exit_code_of
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.interfaces.formats import Place
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.sources import FINISHED
from goedels_poetry.settings.declared import Budgets
from goedels_poetry.solvers.versions import faults_here
from goedels_poetry.store.results import AWAY, UNAVAILABLE, RunResult
from goedels_poetry.store.state import ProofNode
from goedels_poetry.trace.proof_text import LEAN, MAX_LINES, ProofText
from goedels_poetry.trace.terminal import PIPE_WIDTH, counted, draw_short, indented, one_line, printable, say, say_parts
from goedels_poetry.trace.wording import LONGEST, counterexample_lines, worded, wording_of

if TYPE_CHECKING:
    from rich.console import Console


ABOUT = "the verdict is about this formal statement, not about the words"
GOES_ON = "the same command{} goes on where the run stopped"
GONE = "gone: the same command works on the theorem anew"
STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.TESTED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONSISTENT: "bold magenta",
    Verdict.INVALID: "bold red",
}
"""Of the verdict's word."""
OTHERS = "bold yellow"


def style_of(verdict: Verdict) -> str:
    """The style of a verdict's word."""
    return STYLES.get(verdict, OTHERS)


def say_verdict(
    out: Console,
    verdict: Verdict,
    name: str,
    reason: str = "",
    *,
    answer: str = "",
    note: str = "",
    disputed: Sequence[Mapping[str, Any]] = (),
    away: str = "",
) -> None:
    """Print the end of a page.

    Args:
        out: where to.
        verdict: the answer.
        name: what it is about, as the user gave it.
        reason: one line before it; "" for none.
        answer: of a question: printed instead of the verdict, which follows it.
        note: printed after the name.
        disputed: objections to a tested function, see `RunResult.disputed`; printed first.
        away: which model could not be asked, see `RunResult.away`: then there is no verdict.
    """
    if away:
        say_failure(out, Failure(AWAY, away, UNAVAILABLE), name)
        return
    for each in disputed:
        say(out, f'  disputed: {one_line(str(each["reason"]))}; the task says "{one_line(str(each["words"]))}"')
    if reason:
        say(out, f"  {one_line(reason)}")
    open_question = disputed and verdict is Verdict.TESTED
    word = (answer or str(verdict), style_of(verdict)) if not open_question else (f"{verdict}, disputed", OTHERS)
    say_parts(out, ("", ""), word, (f"  {printable(name)}", ""), *([(f"  {note}", "dim")] if note else []))


def say_invalid(out: Console, name: str, reason: str, location: Mapping[str, Any] | None) -> None:
    """Print the end of an invalid input's page: ``name:line:column: message``, and the line at fault, where known."""
    place = location or {}
    say(out, f"  {printable(name)}:{one_line(reason)}" if place.get("line") is not None else f"  {one_line(reason)}")
    for line in filter(None, (place.get("source") or "").split("\n")):
        say(out, f"    {line}")
    say_verdict(out, Verdict.INVALID, name)


def say_failure(out: Console, failure: Failure, name: str) -> None:
    """Print what has no verdict at all: what happened instead, and what to do."""
    say(out, f"  {one_line(failure.reason)}")
    say_parts(out, ("", ""), (failure.title, "bold red"), (f"  {printable(name)}", ""), ("  (no verdict)", "dim"))


def model_costs(calls: float, tokens: float, money: float, seconds: float, unpriced: float = 0) -> str:
    """What the models of one run cost; ``unpriced``: how many replies have no known price."""
    return f"{calls:,g} model calls, {tokens:,g} tokens, {dollars(money, unpriced)}, {seconds:.1f} s"


def dollars(money: float, unpriced: float) -> str:
    """A sum, or that no price is known for what it was spent on."""
    return (
        f"${money:.4f}{' and what has no known price' if unpriced else ''}"
        if money or not unpriced
        else "price unknown"
    )


TRUST = {
    "L0": "accepted by the verifier, compared with nothing",
    "L1": "rebuilt and re-verified in fresh processes",
    "L2": "re-verified, and the premises shown not to be vacuous",
    "L3": "re-verified, and confirmed by a second, independent checker: another {checker}",
    "L4": "and the whole proof was checked step by step, without a solver",
}


def trust_words(level: str, *, lean: bool, checked_by: str = "") -> str:
    """What a trust level means, for a proof in Lean or of another language; ``checked_by`` a plug-in, who checked."""
    if checked_by:
        return f"checked by {one_line(checked_by)}"
    return TRUST.get(level, "").format(checker="kernel" if lean else "solver")


@dataclass(frozen=True)
class Report:
    """A result with what the command line adds to it."""

    result: RunResult
    theorem: str = ""
    """Its statement, for the root, which has none of its own."""
    goals: Sequence[ProofNode] = ()
    """The tree that its page draws."""
    skipped: bool = False
    """Whether this is the proof of an earlier run, re-checked now."""
    resume: str | None = None
    """The command that goes on with the run, when there is something left to do."""
    assumes: bool = False
    """Whether definitions were accepted unseen: then ``check`` has to be told, too."""
    proof: ProofText | None = None
    """What the certificate proves it with."""
    show_proof: bool | None = None
    """Whether the page has the proof; None: where it is short."""
    seconds: float | None = None
    """That somebody waited for it; None where nobody measured."""
    explained: Sequence[str] = ()
    """Where it was not decided: what was tried, how near it came, what would help."""
    required: Verdict | None = None
    """The least that is asked for, see `exit_code_of`."""
    place: Place | None = None
    """Where the theorem stands in its file, for formats that point at it."""
    failure: Failure | None = None
    """Why there is no verdict at all; then ``result`` has only the name of the input, and its verdict says nothing."""

    @property
    def exit_code(self) -> int:
        """What this alone would exit with."""
        return exit_code_of(self.result, self.required) if self.failure is None else self.failure.exit_code


def as_data(report: Report) -> dict[str, Any]:
    """The object of ``--json``, which other formats are made of."""
    data: dict[str, Any] = report.result.to_json()
    if report.failure is not None:
        data |= {"verdict": None, "reason": report.failure.reason}
    data["error"] = report.failure.to_json() if report.failure is not None else None
    data["exit_code"] = report.exit_code
    if report.place is not None and data["location"] is None:
        data["location"] = {"line": report.place.line, "column": report.place.column, "hint": None, "source": None}
    data["skipped"] = report.skipped
    data["resume"] = report.resume
    data["proof"] = report.proof.text if report.proof is not None else None
    data["seconds"] = None if report.seconds is None else round(report.seconds, 3)
    return data


def show(out: Console, report: Report) -> None:
    """The page for people: tree and proof or what is known instead, evidence, what to do next; the verdict ends it."""
    result, nodes, theorem = report.result, report.goals, report.theorem
    if report.failure is not None:
        say_failure(out, report.failure, result.input)
        return
    if result.verdict is Verdict.INVALID:
        _warn(out, result)
        say_invalid(out, result.input, result.reason, result.location)
        return
    proved = result.verdict is Verdict.PROVED
    if nodes and proved:
        _draw(out, nodes, theorem)
    elif len(nodes) > 1:
        say(out, "  best partial proof:")
        _draw(out, nodes, theorem)
    if report.proof is not None:
        say_proof(out, report.proof, report.show_proof, proved=proved)
    _found(out, result)
    for goal in result.open_goals if result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET) else ():
        often = "" if report.explained else counted(goal.attempts, "attempt")  # else the lines below say what they were
        why = ": ".join(filter(None, (often, one_line(goal.reason))))
        shown = one_line(worded(goal.statement or theorem, result.language), LONGEST)
        say(out, f"  open goal {goal.node}  {shown}{f'  ({why})' if why else ''}")
    for line in report.explained:
        say(out, f"  {printable(line)}")
    _warn(out, result)
    _evidence(out, report)
    if report.resume:
        say(out, f"  to go on: {report.resume}")
    note = "(proved earlier, re-checked now)" if report.skipped else ""
    word, disputed = result.verdict_text, result.disputed
    say_verdict(
        out, result.verdict, result.input, result.reason, answer=word, note=note, disputed=disputed, away=result.away
    )


def _warn(out: Console, result: RunResult) -> None:
    for warning in result.warnings:
        if warning in result.reason:  # it stands above the verdict
            continue
        say(out, f"  warning: {one_line(warning)}", style="yellow")


def _found(out: Console, result: RunResult) -> None:
    """A counterexample, the premises that a proof needs, those that contradict each other."""
    if result.counterexample:
        say(out, "  counterexample:")
        for line in counterexample_lines(result.counterexample):
            say(out, f"    {line}")
    if result.core:
        needed = result.verdict is Verdict.PROVED
        say(out, "  premises that the proof needs:" if needed else "  what contradicts itself:")
    for premise in result.core or ():
        name, _, formula = premise.partition(": ")
        words = f": {one_line(worded(formula, result.language))}" if formula else ""
        say(out, f"    {one_line(name if formula else premise)}{words}")
    if result.unneeded:
        say(out, f"  unneeded: {', '.join(map(one_line, result.unneeded))}")


NO_UNITS = "--budget limits nothing here: no resource units are counted, --timeout is the limit"


def units_note(result: RunResult, budgets: Budgets) -> tuple[str, ...]:
    """That a budget of resource units has no effect on a run that counts none."""
    counted = result.metrics.get("resource_units") or not result.metrics.get("steps")
    return () if counted or budgets.resource_units is None else (NO_UNITS,)


def say_faults(out: Console, certificate: Path, level: str | None) -> None:
    """Published faults of the solvers that what one of them says alone may be a case of."""
    script = Path(certificate, "obligations.smt2")
    if level in ("L1", "L2") and script.is_file():
        for fault in faults_here(script.read_text("utf-8", "replace")):
            say(out, f"  published solver fault: {fault}", style="yellow")


def _evidence(out: Console, report: Report) -> None:
    """Trust level, certificate, the formal statement of a claim in words, the run and what it cost."""
    result = report.result
    if result.trust_level:
        means = trust_words(result.trust_level, lean=result.language == "lean", checked_by=result.checked_by or "")
        say(out, f"  trust level {result.trust_level}: {means}")
    if result.certificate:
        gone = "" if result.certificate.exists() else f"  ({GONE})"
        say_faults(out, result.certificate, result.trust_level)
        say(out, f"  certificate: {printable(str(result.certificate))}{gone}")
    for line in described(result, report.assumes):
        say(out, f"  {line}")
    if result.run_id:
        spent = ", ".join(spent_lines(result.metrics, report.seconds))
        say(out, f"  run {result.run_id}" + (f": {spent}" if spent else ""))


def described(result: RunResult, assumes: bool = False) -> Iterator[str]:
    """Lines about a formalization, for the page for people.

    Args:
        result: of a claim; any other gives nothing.
        assumes: whether definitions were assumed: then ``check`` needs to be told.
    """
    stated = result.formalization
    if stated is None:
        return
    attempts = counted(stated["attempts"], "attempt")
    if stated["formal"] is None:
        yield f"no formal statement ({attempts})"
        return
    notes = ["judged to say the same by a model" if stated["judged"] else "not judged"]
    notes += ["confirmed"] if stated["confirmed"] else ["declined"] if stated["confirmed"] is False else []
    yield f"formal statement by a model ({attempts}, {', '.join(notes)}):"
    yield from indented(str(stated["formal"]), "  ")
    if stated["judged"] and stated["judge_reason"]:
        yield f"the judge: {one_line(stated['judge_reason'])}"
    yield ABOUT
    if stated["file"] and result.certificate:
        flag = " --assume-definitions" if assumes else ""
        places = (shlex.quote(printable(str(place))) for place in (result.certificate, stated["file"]))
        yield "check it: goedels-poetry check {} --against {}{}".format(*places, flag)


def _draw(out: Console, nodes: Sequence[ProofNode], theorem: str) -> None:
    """The tree; one of a single goal is a line."""
    root = nodes[0]
    bare = len(nodes) == 1 and not (root.strategy or root.origin or root.queue or root.waits_for)
    words = wording_of(root.language)
    if bare and draw_short(out, f"{root.id}  {one_line(words(root.statement or theorem), LONGEST)}  {root.status}"):
        return
    from goedels_poetry.trace.tree import tree

    out.print(tree(nodes, theorem, words))


def spent_lines(metrics: dict[str, Any], waited: float | None = None) -> list[str]:
    """The counters that are worth a person's eye.

    Args:
        metrics: of a run, over all its starts.
        waited: seconds that somebody waited now, told first; None: the run's own, over all starts, alone.
    """
    known = ("nodes", "attempts", "backtracks", "bans", "lemmas_reused", "steps", "solver_calls")
    titles = ("goal", "attempt", "backtrack", "ban", "lemma reused", "step", "solver call")
    counts = [(metrics.get(name), title) for name, title in zip(known, titles, strict=True)]
    many = {"lemma reused": "lemmas reused"}
    lines = [counted(n, one, many.get(one, "")) for n, one in counts if isinstance(n, (int, float))]
    if units := metrics.get("resource_units"):
        lines.append(f"{units:,} resource units")
    searched = metrics.get("wall_seconds")
    if waited is not None:
        earlier = isinstance(searched, (int, float)) and searched > 1.5 * waited + 1
        return [*lines, f"{waited:.1f} s" + (f" ({searched:.1f} s over all starts)" if earlier else "")]
    return [*lines, f"{searched:.1f} s"] if isinstance(searched, (int, float)) else lines


SHORT = 12
"""Lines that a proof may have to be shown unasked."""
SHORT_CHARACTERS = 4_000
"""Characters that it may have: a generated one-liner would fill the screen."""


def say_proof(out: Console, proof: ProofText, asked: bool | None, *, proved: bool) -> None:
    """Print the proof.

    Args:
        out: where to.
        proof: as the certificate has it.
        asked: True: whatever its length; False: not at all; None: when it is short and of the theorem itself.
        proved: whether the theorem is proved; a proof of its negation is printed only when it is asked for.
    """
    short = len(proof.lines) <= SHORT and sum(map(len, proof.lines)) <= SHORT_CHARACTERS
    if asked is False or (asked is None and not proved):
        return
    if asked is None and not short:
        say(out, f"  {proof.of}: {len(proof.lines)} lines; --proof prints them")
        return
    say(out, f"  {proof.of}:")
    lines = [printable(line.expandtabs()) for line in proof.lines[:MAX_LINES]]
    if proof.kind == LEAN and getattr(out, "color_system", None):
        _say_lean(out, lines)
    else:
        for line in lines:
            say(out, f"    {line}".rstrip())
    if len(proof.lines) > MAX_LINES:
        say(out, f"    ... and {len(proof.lines) - MAX_LINES} lines more, in the certificate")


def _say_lean(out: Console, lines: Sequence[str]) -> None:
    """In colours of the terminal's own."""
    from rich.syntax import Syntax  # not at the cost of pages without any
    from rich.text import Text

    coloured = Syntax("", "lean4", theme="ansi_dark", background_color="default").highlight("\n".join(lines))
    coloured.rstrip()
    for line in coloured.split("\n", allow_blank=True):
        indented = Text("    ")
        indented.append_text(line)
        indented.rstrip()
        say(out, indented)


MOST_BELOW = 20
"""Names that are listed as less than what is required."""


def say_below(out: Console, required: Verdict | None, names: Sequence[str]) -> None:
    """Which verdicts are less than ``--require`` asks for; nothing where none is."""
    if names:
        listed = ", ".join(map(one_line, names[:MOST_BELOW])) + ", ..." * (len(names) > MOST_BELOW)
        say(out, f"less than --require {required}: {listed}")


HEAD = ("theorem", "verdict", "trust", "seconds")
COUNTED = ("proved", "tested", "refuted", "inconsistent", "unknown", "out_of_budget", "invalid")
LEAST_NAME = 16
"""Columns that a name keeps on the narrowest terminal."""


@dataclass(frozen=True, slots=True)
class Row:
    """One theorem of a batch."""

    name: str
    verdict: Verdict
    level: str = ""
    """Trust level; "" where nothing was certified."""
    seconds: float | None = None
    """That somebody waited for it; None when it was not begun."""
    failed: str = ""
    """What stands in place of a verdict where there is none."""

    @property
    def word(self) -> str:
        """The verdict, or what stands in its place."""
        return self.failed or str(self.verdict)

    @property
    def style(self) -> str:
        """Of that word."""
        return "bold red" if self.failed else style_of(self.verdict)


def say_table(out: Console, rows: Sequence[Row]) -> None:
    """All theorems in the order of the rows; on a narrow terminal names lose their beginnings."""
    cells = [(r.name, r.word, r.level, "" if r.seconds is None else f"{r.seconds:.1f}") for r in rows]
    verdict, level, seconds = (max(len(row[column]) for row in (HEAD, *cells)) for column in (1, 2, 3))
    room = getattr(out, "width", PIPE_WIDTH) - (verdict + level + seconds + 6)
    names = [_tail(one_line(row[0]), max(room, LEAST_NAME)) for row in (HEAD, *cells)]
    width = max(map(len, names))
    for name, row, style in zip(names, (HEAD, *cells), ("", *(r.style for r in rows)), strict=True):
        rest = f"  {row[2].ljust(level)}  {row[3].rjust(seconds)}"
        say_parts(out, (f"{name.ljust(width)}  ", ""), (row[1].ljust(verdict), style), (rest.rstrip(), ""))


def tally(rows: Sequence[Row], seconds: float) -> str:
    """``24 theorems: 20 proved, 1 refuted, 3 unknown in 31 s``."""
    counts = Counter(row.word for row in rows)
    words = [*COUNTED, *dict.fromkeys(row.failed for row in rows if row.failed)]
    found = ", ".join(f"{counts[word]} {word.replace('_', ' ')}" for word in words if counts[word])
    return f"{counted(len(rows), 'theorem')}: {found or 'none'} in {in_words(seconds)}"


def over(names: Sequence[str]) -> str:
    """``3 methods, 1 function without contract``: what is no theorem, of a list of names with places."""
    finished = sum(name.endswith(FINISHED) for name in names)
    methods = sum("." in name.rpartition(" ")[2] for name in names if not name.endswith(FINISHED))
    found = [counted(methods, "method")] if methods else []
    plain = len(names) - methods - finished
    found += [f"{counted(plain, 'function')} without contract"] if plain else []
    found += [f"{counted(finished, 'Lean file')} {FINISHED}"] if finished else []
    return ", ".join(found) or "nothing"


def in_words(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _tail(name: str, width: int) -> str:
    """The end of a name tells more than its beginning."""
    return name if len(name) <= width else f"...{name[len(name) - width + 3 :]}"


# Writing a file that somebody works with


class NotWritten(GoedelsPoetryError):
    """The file is as it was; the words say why."""


def write_in_place(path: Path, expected: str | None, text: str) -> Path:
    """Put a new text into a file's place; its mode stays. Returns where the old one is kept.

    Args:
        path: the file; a link is followed.
        expected: what has to stand there now; None: whatever does.
        text: the new content.

    Raises:
        NotWritten: it has been changed meanwhile, or is gone. OSError: it cannot be written.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.stat()
        if not stat.S_ISREG(mode.st_mode):
            raise NotWritten(f"{path} is no file any more")
        now = place.read_bytes()
    except OSError as error:
        raise NotWritten(f"{path} cannot be read: {error.strerror or error}") from None
    if not os.access(place, os.W_OK):
        raise NotWritten(f"{path} may not be written")
    if expected is not None and now != _bytes(expected):
        raise NotWritten(f"{path} has been changed since the run began; it was left alone")
    backup = _backup(place, now, stat.S_IMODE(mode.st_mode))
    _replace(place, _bytes(text), stat.S_IMODE(mode.st_mode), owner=(mode.st_uid, mode.st_gid), still=now)
    return backup


def write_new(path: Path, text: str) -> None:
    """Write a file that is nobody's; raises NotWritten where there is one with another content."""
    data = _bytes(text)
    if path.is_symlink() or (path.exists() and not _says(path, data)):
        raise NotWritten(f"{path} exists; give another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def write_whole(path: Path, text: str, *, overwrite: bool = True) -> None:
    """Write a file; a device or a pipe is written to, and never replaced.

    Raises:
        FileExistsError: something has appeared there meanwhile that is not to be overwritten.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(_bytes(text))
    else:
        _replace(path, _bytes(text), 0o666 & ~_umask(), overwrite=overwrite)


def _says(path: Path, data: bytes) -> bool:
    """Whether it is a plain file with these bytes; what has no end, such as a device, is not read."""
    return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _backup(place: Path, now: bytes, mode: int) -> Path:
    """A copy of what stands there: FILE.orig, or FILE.orig.2 and so on; none that exists is written over."""
    number = 1
    while True:
        backup = place.with_name(f"{place.name}.orig{f'.{number}' if number > 1 else ''}")
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            if backup.is_file() and backup.read_bytes() == now:
                return backup
            number += 1
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(now)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(backup, mode)
        return backup


def _replace(
    place: Path,
    data: bytes,
    mode: int,
    owner: tuple[int, int] | None = None,
    still: bytes | None = None,
    *,
    overwrite: bool = True,
) -> None:
    """Write into the same folder, then rename; ``still``: what has to stand there at the last moment."""
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if owner is not None:
            with contextlib.suppress(OSError):
                os.chown(name, *owner)
        os.chmod(name, mode)
        if still is not None and place.read_bytes() != still:
            raise NotWritten(f"{place} has been changed just now; it was left alone")
        if overwrite:
            os.replace(name, place)
        else:
            os.link(name, place)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
