"""Reports of the command line as other programs read them: one table, one function over the objects of ``--json``.

A report is an object as `prove` or `check` print it with ``--json``; of `bench` one for each question.

Where the theorems of a text stand: what annotations, editors and test reports point at. Nothing is proved here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from goedels_poetry.version import __version__

Json = Mapping[str, Any]

ERRORS = frozenset({"refuted", "inconsistent", "invalid", "none"})
"""Verdicts that are an error where they stand; ``none``: there is no verdict at all."""
MEANINGS = {
    "proved": "the checker has accepted a proof",
    "tested": "every check passed; this is no proof",
    "refuted": "the theorem is false",
    "unknown": "neither proved nor refuted",
    "out_of_budget": "a limit stopped the search",
    "inconsistent": "the premises contradict each other",
    "invalid": "the input cannot be read",
    "none": "another process, a missing tool or a defect kept it from a verdict",
}
"""Verdict -> what it says, for who reads a report without knowing the program."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a report says, for formats that know files, lines and messages."""

    name: str
    """As the user gave it, ``FILE:theorem`` for one of several."""
    file: str
    """"" where there is none: standard input, a claim in words."""
    line: int | None
    column: int | None
    verdict: str
    level: str
    """``error``, ``warning``, or "" where the exit code is 0."""
    message: str
    """A line with the verdict, the reason and the counterexample."""
    seconds: float


def finding(report: Json) -> Finding:
    """The finding of one report."""
    from goedels_poetry.trace.wording import counterexample_lines  # only where somebody asks for more than JSON

    name = str(report.get("input") or report.get("certificate") or "")
    verdict = str(report.get("verdict") or "none")
    reason = report.get("reason") or "; ".join(report.get("reasons") or ())
    values = "; ".join(counterexample_lines(report["counterexample"])) if report.get("counterexample") else ""
    place = report.get("location") or report
    bad = verdict in ERRORS or report.get("refused")
    level = "" if report["exit_code"] == 0 else "error" if bad else "warning"
    said = (str(reason), f"counterexample: {values}" if values else "")
    words = ("no verdict" if verdict == "none" else verdict.replace("_", " "), "; ".join(filter(None, said)))
    file = "" if name == "-" else re.sub(r"(\.[A-Za-z0-9]+):[^:/\\]+$", r"\1", name)
    message = ": ".join(" ".join(part.split()) for part in words if part)
    lines = (place.get("line"), place.get("column"))
    return Finding(name, file, *lines, verdict, level, message, float(report.get("seconds") or 0.0))


def as_json(reports: Sequence[Json]) -> str:
    """One object on a line for each: ASCII, valid for every file name and every locale."""
    return "".join(json.dumps(report, default=str) + "\n" for report in reports)


def as_github(reports: Sequence[Json]) -> str:
    """Workflow commands of GitHub Actions, which become annotations; nothing for what is as it should be."""
    lines = []
    for found in map(finding, reports):
        properties = {"file": found.file, "line": found.line, "col": found.column, "title": found.name}
        given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
        lines += [f"::{found.level} {given}::{_data(found.message)}\n"] if found.level else []
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(reports: Sequence[Json]) -> str:
    """A log in SARIF 2.1.0 (OASIS 2020) with one result for each report whose exit code is not 0."""
    from hashlib import sha256
    from urllib.parse import quote

    def result(found: Finding) -> dict[str, Any]:
        where: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": found.name}]}
        if found.file:
            path = PurePath(found.file)
            uri = path.as_uri() if path.is_absolute() else quote(path.as_posix().encode("utf-8", "surrogateescape"))
            where["physicalLocation"] = {"artifactLocation": {"uri": uri}}
            if found.line:
                column = {"startColumn": found.column} if found.column else {}
                where["physicalLocation"]["region"] = {"startLine": found.line, **column}
        mark = sha256(f"{found.name}\n{found.verdict}".encode("utf-8", "surrogateescape")).hexdigest()
        return {
            "ruleId": found.verdict,
            "ruleIndex": list(MEANINGS).index(found.verdict),
            "level": found.level,
            "message": {"text": found.message},
            "locations": [where],
            "partialFingerprints": {"theorem/v1": mark},
        }

    every = list(map(finding, reports))
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in MEANINGS.items()]
    run = {
        "tool": {"driver": {"name": "goedels-poetry", "version": __version__, "rules": rules}},
        "invocations": [{"executionSuccessful": all(found.verdict != "none" for found in every)}],
        "columnKind": "unicodeCodePoints",
        "results": [result(found) for found in every if found.level],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def as_junit(reports: Sequence[Json]) -> str:
    """A JUnit report, valid by the schemas of Ant and of Jenkins; a suite for each file."""
    import time
    from xml.etree import ElementTree

    def text(value: object) -> str:
        return _NO_XML.sub("\ufffd", str(value))

    suites: dict[str, list[Finding]] = {}
    for found in map(finding, reports):
        suites.setdefault(found.file or found.name, []).append(found)
    root = ElementTree.Element("testsuites")
    for number, (name, cases) in enumerate(suites.items()):
        wrong = [found for found in cases if found.level]
        errors = [found for found in wrong if found.verdict in ("invalid", "none")]
        counts = {"tests": len(cases), "failures": len(wrong) - len(errors), "errors": len(errors)}
        about = {"name": name, "package": name, "id": number, "hostname": "localhost", **counts}
        about |= {"time": f"{sum(c.seconds for c in cases):.3f}", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S")}
        suite = ElementTree.SubElement(root, "testsuite", {key: text(value) for key, value in about.items()})
        ElementTree.SubElement(suite, "properties")
        for found in cases:
            said = {"name": found.name, "classname": name, "time": f"{found.seconds:.3f}"}
            case = ElementTree.SubElement(suite, "testcase", {key: text(value) for key, value in said.items()})
            if found.level:
                kind = "error" if found in errors else "failure"
                fault = ElementTree.SubElement(case, kind, message=text(found.message), type=found.verdict)
                place = ":".join(map(str, filter(None, (found.file, found.line, found.column))))
                fault.text = text(f"{place}\n{found.message}")
        ElementTree.SubElement(suite, "system-out")
        ElementTree.SubElement(suite, "system-err")
    ElementTree.indent(root)
    return ElementTree.tostring(root, xml_declaration=True).decode("ascii") + "\n"


class FormatName(StrEnum):
    """What ``--format`` knows; `TEXT` is the page for people, and no format of this table."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"


FORMATS: dict[FormatName, Callable[[Sequence[Json]], str]] = {
    FormatName.JSON: as_json,
    FormatName.GITHUB: as_github,
    FormatName.SARIF: as_sarif,
    FormatName.JUNIT: as_junit,
}
AT_ONCE = frozenset({FormatName.JSON, FormatName.GITHUB})
"""What is written report by report; of others all reports are one document."""


class Writer:
    """Writes the reports of one call in one of `FORMATS`."""

    def __init__(self, name: FormatName, write: Callable[[str], object]) -> None:
        self._name = name
        self._write = write
        self._kept: list[Json] = []

    def add(self, report: Json) -> None:
        """Write it, or keep it for the end."""
        if self._name in AT_ONCE:
            self._write(FORMATS[self._name]([report]))
        else:
            self._kept.append(report)

    def end(self) -> None:
        """Write what was kept, also where that is nothing."""
        if self._name not in AT_ONCE:
            self._write(FORMATS[self._name](self._kept))


# Where the theorems of a text stand


@dataclass(frozen=True, slots=True)
class Place:
    """A theorem: its name, "" where it has none, and the line and column (from 1) where it begins."""

    name: str
    line: int
    column: int


MOST_CHARACTERS = 1_000_000
"""Of a text whose theorems are looked for, which is done between two keys; larger ones have no places."""


def places(text: str, language: str) -> tuple[Place, ...]:
    """The theorems of a text in order; () for other languages, and for a text that cannot be read.

    Python: the functions with contracts; SMT-LIB: the goals; Lean: what is called a theorem and has a hole.
    """
    find = _OF_LANGUAGES.get(language) if len(text) <= MOST_CHARACTERS else None
    return tuple(find(text)) if find is not None else ()


def place_of(text: str, language: str, theorem: str) -> Place | None:
    """The theorem called ``theorem`` (of Lean also by the end of its name), "" for the only one; None: not known."""
    known = places(text, language)
    if not theorem:
        return known[0] if len(known) == 1 else None
    named = [place for place in known if theorem == place.name]
    named += [place for place in known if language == "lean" and theorem.endswith(f".{place.name}")]
    return named[0] if named else None


def _of_python(text: str) -> Iterator[Place]:
    from goedels_poetry.python.translate.contracts import PythonFault  # only where there is Python
    from goedels_poetry.python.translate.program import read_program, with_contracts

    try:
        program = read_program(text)
    except PythonFault:
        return
    for name in with_contracts(program):
        function = program.functions[name]
        yield Place(name, function.line, getattr(function.node, "col_offset", 0) + 1)


def _of_smt(text: str) -> Iterator[Place]:
    from goedels_poetry.kernel.faults import InvalidText  # only where there is SMT-LIB
    from goedels_poetry.kernel.reading.reader import Atom, Group, Source, attributes, decode, is_word, read

    try:
        source = Source(decode(text))
        commands = [c for c in read(source) if isinstance(c, Group) and len(c.items) == 2]
        goals = [c for c in commands if is_word(c.items[0], "prove") or is_word(c.items[0], "assert-not")]
        marked = goals or [c for c in commands if is_word(c.items[0], "assert")]
        bodies = [(c, attributes(source, c.items[1])) for c in marked]
    except InvalidText:
        return
    negated = [(c, b) for c, b in bodies if isinstance(b[0], Group) and b[0].items and is_word(b[0].items[0], "not")]
    nameless = 0
    for command, (_, said) in bodies if goals else negated[-1:]:
        names = [value.text for key, value in said if key.text == ":named" and isinstance(value, Atom)]
        nameless += not names
        yield Place(names[0] if names else f"goal-{nameless}", *source.position(command.offset))


def _of_lean(text: str) -> Iterator[Place]:
    from goedels_poetry.lean.runtime.tokens import tokenize  # only where there is Lean

    words = [token for token in tokenize(text.replace("\r\n", "\n")) if token.kind == "word"]
    last: Place | None = None
    for token, following in pairwise([*words, None]):
        if token is None:
            return
        if token.text in _DECLARATIONS:
            named = token.text in ("theorem", "lemma") and following is not None
            last = Place(following.text, token.line, token.column + 1) if named and following is not None else None
        elif token.text in ("sorry", "admit") and last is not None:
            yield last
            last = None


_DECLARATIONS = frozenset({"theorem", "lemma", "def", "abbrev", "example", "instance", "axiom", "opaque", "structure"})
_OF_LANGUAGES: dict[str, Callable[[str], Iterator[Place]]] = {"python": _of_python, "smt": _of_smt, "lean": _of_lean}
