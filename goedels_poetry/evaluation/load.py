"""Data sets from files and folders: every question, and openly what was left out."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.rows import BadRows, read_rows
from goedels_poetry.evaluation.formats import (
    FORMATS,
    Format,
    NotScored,
    Reading,
    format_named,
    format_of,
    is_document,
    read_document,
)
from goedels_poetry.evaluation.questions import BadData, GoldQuestion
from goedels_poetry.evaluation.runner import is_of_report

SUFFIXES = (".json", ".jsonl", ".ndjson")
WITHIN = ("items", "data", "examples", "rows")
"""Keys under which a JSON object may hold its rows."""
_NEEDING = ("conditionalqa",)
"""Formats whose rows name documents that stand in a file of their own."""


@dataclass(frozen=True, slots=True)
class Data:
    """What was loaded."""

    questions: tuple[GoldQuestion, ...]
    files: dict[str, int] = field(default_factory=dict)
    """Questions by file."""
    left_out: dict[str, int] = field(default_factory=dict)
    """``DATA SET: reason`` and how many rows."""
    notes: tuple[str, ...] = ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """Their names, in the order of the files."""
        return tuple(dict.fromkeys(question.dataset for question in self.questions))


def load(paths: Iterable[Path | str], dataset: str | None = None, *, facts: bool = False) -> Data:
    """The questions of files and folders, in their order.

    Equal ids are kept apart by what is asked; a row that is wholly equal to an earlier one is left out and counted.

    Args:
        paths: files of JSON or JSON Lines, or folders, which are searched for such.
        dataset: the format of all files, e.g. ``folio``; None: told from the first row of each.
        facts: give the facts that StrategyQA offers as the text to rely on.

    Raises:
        BadData: ``FILE:LINE: what is wrong``; nothing of the file is used then.
    """
    forced = format_named(dataset) if dataset is not None else None
    opened = [(file, alone, _open(file)) for file, alone in _files(paths)]
    documents = _documents([(file, rows) for file, _, rows in opened], forced)
    kept: dict[str, GoldQuestion] = {}
    files: dict[str, int] = {}
    left_out: Counter[str] = Counter()
    notes: list[str] = []
    for file, alone, rows in opened:
        if all(is_document(row) for _, row in rows):
            files[str(file)] = 0
            continue
        form = forced or _format(file, rows)
        if form is None:
            problem = _no_format(file, rows)
            if alone:
                raise BadData(problem)
            notes.append(f"left out: {problem}")
            continue
        files[str(file)] = 0
        for question in _questions(file, rows, form, documents, facts, left_out):
            if question.key in kept:
                left_out[f"{question.dataset}: the same row again"] += 1
                continue
            kept[question.key] = question
            files[str(file)] += 1
    if not kept:
        why = "; ".join([*notes, *(f"{reason} ({number})" for reason, number in left_out.items())])
        raise BadData(f"there is no question in {', '.join(map(str, paths))}{f': {why}' if why else ''}")
    return Data(tuple(kept.values()), files, dict(left_out), (*notes, *_notes(kept.values())))


def holds_questions(file: Path) -> bool:
    """Whether a file has rows of a known format, or documents that questions are about. What is no JSON has neither."""
    if file.suffix.lower() not in SUFFIXES or not os.path.isfile(file):
        return False
    try:
        rows = _open(file)
    except BadData:
        return False
    first = rows[0][1]
    return is_document(first) or (isinstance(first, Mapping) and format_of(first) is not None)


def sample(questions: Iterable[GoldQuestion], limit: int | None, seed: int = 0) -> list[GoldQuestion]:
    """At most ``limit`` questions of each data set, chosen at random by the seed, in their old order."""
    every = list(questions)
    if limit is None:
        return every
    keys = [question.key for question in every]  # each is a hash of a whole text
    by_set: dict[str, list[str]] = {}
    for question, key in zip(every, keys, strict=True):
        by_set.setdefault(question.dataset, []).append(key)
    sampled: set[str] = set()
    for name, those in by_set.items():
        sampled.update(random.Random(f"{seed}:{name}").sample(sorted(those), min(limit, len(those))))
    return [question for question, key in zip(every, keys, strict=True) if key in sampled]


def _files(paths: Iterable[Path | str]) -> Iterator[tuple[Path, bool]]:
    """Files, each with whether it was named itself; one that is named twice is given once."""
    seen: set[str] = set()
    for name in paths:
        path = Path(name)
        found = [path]
        if os.path.isdir(path):
            there = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
            found = [file for file in there if not is_of_report(file)]
            if not found:
                raise BadData(f"{path}: there is no {', '.join(SUFFIXES)} file in this folder")
        for file in found:
            real = os.path.realpath(file)  # of a link in a circle Path raises
            if real not in seen:
                seen.add(real)
                yield file, file == path


def _open(file: Path) -> list[tuple[int, Any]]:
    if file.suffix.lower() == ".parquet":
        raise BadData(
            f"{file}: Parquet is not read here; convert it: "
            f"python -c \"import pandas; pandas.read_parquet('{file.name}')"
            f".to_json('{file.stem}.jsonl', orient='records', lines=True)\""
        )
    try:
        rows = read_rows(file, WITHIN)
    except BadRows as problem:
        raise BadData(str(problem)) from problem
    if len(rows) == 1 and isinstance(rows[0][1], dict) and format_of(rows[0][1]) is None:
        rows = _values(rows[0][1]) or rows
    if not rows:
        raise BadData(f"{file}: there are no rows in it")
    return rows


def _values(row: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """The rows of an object that has them by name: ``{"example1": {…}, "example2": {…}}``; [] if it is none."""
    if not row or not all(isinstance(value, dict) for value in row.values()):
        return []
    return [(1, {"id": name, **value}) for name, value in row.items()]


def _documents(opened: list[tuple[Path, list[tuple[int, Any]]]], forced: Format | None) -> dict[str, str]:
    """The texts by address: of the files given, else of one beside a file of ConditionalQA."""
    found: dict[str, str] = {}
    sources = [(file, rows) for file, rows in opened if is_document(rows[0][1])]
    if not sources:
        in_need = [file for file, rows in opened if (form := forced or _format(file, rows)) and form.name in _NEEDING]
        near = sorted({beside for file in in_need for beside in file.parent.glob("*documents*.json*")} - set(in_need))
        sources = [(file, rows) for file in near if is_document((rows := _open(file))[0][1])]
    for file, rows in sources:
        for line, row in rows:
            try:
                if not is_document(row):
                    raise BadData('this is no document: it needs "url", "title" and "contents"')
                url, text = read_document(row)
            except BadData as problem:
                raise BadData(f"{file}:{line}: {problem}") from None
            found[url] = text
    return found


def _format(file: Path, rows: list[tuple[int, Any]]) -> Format | None:
    first = next((row for _, row in rows if not is_document(row)), None)
    return format_of(first) if isinstance(first, Mapping) else None


def _no_format(file: Path, rows: list[tuple[int, Any]]) -> str:
    line, first = rows[0]
    has = (
        ", ".join(map(str, list(first)[:12])) if isinstance(first, Mapping) else f"no object but {type(first).__name__}"
    )
    names = ", ".join(form.name for form in FORMATS)
    theorem = f"name, text and language ({', '.join(languages.BUILT_IN)}), or name and formal_statement"
    return f"{file}:{line}: no known format (the row has: {has}); the formats are {names}; a theorem has {theorem}"


def _questions(
    file: Path,
    rows: list[tuple[int, Any]],
    form: Format,
    documents: Mapping[str, str],
    facts: bool,
    left_out: Counter[str],
) -> Iterator[GoldQuestion]:
    for number, (line, row) in enumerate(rows, 1):
        place = f"{file}:{line}" if line > 1 or number == 1 else f"{file}: row {number}"
        try:
            if not isinstance(row, Mapping):
                raise BadData("a row is an object")
            reading = Reading(file.stem, number, documents, facts)
            for question in form.read(row, reading):
                yield GoldQuestion(
                    question.id,
                    question.dataset,
                    question.question,
                    question.context,
                    question.gold,
                    question.tags,
                    place,
                )
        except NotScored as reason:
            left_out[f"{form.name}: {reason}"] += 1
        except KeyError as problem:
            raise BadData(f"{place}: there is no {problem.args[0]!r}") from None
        except BadData as problem:
            raise BadData(f"{place}: {problem}") from None


def _notes(questions: Iterable[GoldQuestion]) -> Iterator[str]:
    """What whoever reads the numbers should know about the data."""
    every = list(questions)
    ids = Counter((question.dataset, question.id) for question in every)
    shared = sum(number for number in ids.values() if number > 1)
    if shared:
        yield f"{shared} questions share their id with another one; they are told apart by their content"
    tags = Counter((question.dataset, tag) for question in every for tag in question.tags)
    for (dataset, tag), number in tags.items():
        if tag == "conditional":
            yield f"{dataset}: {number} of the answers hold under conditions, which are not judged"
        if tag == "closed world":
            yield f"{dataset}: {number} questions have answers for a closed world; ask with --world closed"
    asked: dict[tuple[str, str], set[str]] = {}
    for question in every:
        asked.setdefault((question.question, question.context), set()).add(question.gold)
    if contradictory := sum(len(labels) > 1 for labels in asked.values()):
        yield f"{contradictory} questions stand there with different gold answers"
