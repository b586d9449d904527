"""Data sets from files and folders: every question, and openly what was left out."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.rows import BadRows, read_rows
from goedels_poetry.evaluation.questions import BadData, GoldQuestion, gold_label, lacking, text_of
from goedels_poetry.evaluation.runner import is_of_report

# The formats of the data sets

_BLOCKS = frozenset({"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "div", "table", "ul", "ol", "br"})
_HIDDEN = frozenset({"script", "style"})


def is_document(row: Any) -> bool:
    """Whether a row is a page of ConditionalQA: ``url``, ``title`` and ``contents``, and no question."""
    return isinstance(row, Mapping) and "contents" in row and "url" in row and "question" not in row


def read_document(row: Mapping[str, Any]) -> tuple[str, str]:
    """A page's address and its text, ``Document - TITLE:`` first; headings keep a mark, items of lists a dash."""
    pieces = row["contents"]
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise BadData('"contents" is a list of texts in HTML')
    body = [text for piece in pieces if (text := plain(piece))]
    return text_of(row, "url"), "\n\n".join([f"Document - {text_of(row, 'title', default='untitled')}:", *body])


def plain(html: str) -> str:
    """The words of a piece of HTML."""
    reader = _Words()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.words).split("\n"))
    return "\n".join(line for line in lines if line not in ("", "-", "##"))


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        if tag in _BLOCKS:
            self.words.append("\n")
        if tag == "li":
            self.words.append("- ")
        elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.words.append("## ")
        elif tag in ("td", "th"):
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data.replace("\n", " "))


Row = Mapping[str, Any]

STATEMENT = "Assuming that all premises are true, is the following statement true, false or uncertain?\nStatement: {}"
"""Every gold label, and only those, can be told from this question: it is the same whatever the answer is."""
NAMES = {
    "prontoqa": "ProntoQA",
    "folio": "FOLIO",
    "proofwriter": "ProofWriter",
    "conditionalqa": "ConditionalQA",
    "strategyqa": "StrategyQA",
}
"""Data sets as they write themselves."""


class NotScored(Exception):
    """A sound row that is no question with one of the answers we can score; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a row is read with."""

    stem: str = "questions"
    """What the data set is called where neither the row nor its format says: the file's name."""
    number: int = 1
    """Of the row, from 1: its id where it has none."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Texts by address, for ConditionalQA."""
    facts: bool = False
    """Whether the facts that StrategyQA gives along with a question are its text."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a question down."""

    name: str
    """What ``--dataset`` calls it."""
    fits: Callable[[Row], bool]
    """Whether a row looks like it."""
    read: Callable[[Row, Reading], Iterator[GoldQuestion]]
    """The row's questions; raises `BadData` or `NotScored`."""


def _has(*names: str) -> Callable[[Row], bool]:
    return lambda row: all(name in row for name in names)


def _id(row: Row, reading: Reading, *names: str) -> str:
    for name in names:
        value = row.get(name)
        if value is not None and isinstance(value, str | int) and str(value).strip():
            return str(value)
    return str(reading.number)


def _gold(row: Row, *names: str) -> Any:
    for name in names:
        if row.get(name) is not None:
            return row[name]
    raise BadData(lacking(row, *names))


def _options(row: Row) -> tuple[str, ...]:
    options = row.get("options") or ()
    if not isinstance(options, list | tuple) or not all(isinstance(option, str) for option in options):
        raise BadData('"options" is a list of texts, e.g. ["A) True", "B) False"]')
    return tuple(options)


def _called(name: str) -> str:
    return NAMES.get(name.lower().replace("-", "").replace("_", ""), name)


def _generic(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    question = text_of(row, "question")
    yield GoldQuestion(
        _id(row, reading, "id", "qid"),
        _called(text_of(row, "dataset", default=reading.stem)),
        question,
        text_of(row, "context", default=""),
        gold_label(_gold(row, "answer", "label"), _options(row)),
    )


def _prontoqa(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    """``context``, ``question``, ``options`` and a letter; rows of ProofWriter and FOLIO are written so, too."""
    if "test_example" in row or "query" in row:
        yield from _prontoqa_original(row, reading)
        return
    name = _id(row, reading, "id")
    yield GoldQuestion(
        name,
        _named_by(name, "prontoqa"),
        text_of(row, "original_question", "question"),
        text_of(row, "original_context", "context"),
        gold_label(_gold(row, "answer"), _options(row)),
        _closed(name),
    )


def _prontoqa_original(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    """``{"example1": {"test_example": {"question": text, "query", "answer"}}}``, as its generator writes it."""
    inner = row.get("test_example", row)
    if not isinstance(inner, Mapping):
        raise BadData('"test_example" is an object')
    statement = text_of(inner, "query").removeprefix("True or false:").strip()
    yield GoldQuestion(
        _id(row, reading, "id"),
        NAMES["prontoqa"],
        f"Is the following statement true or false? {statement}",
        text_of(inner, "question", "context"),
        gold_label(_gold(inner, "answer")),
    )


def _named_by(name: str, default: str) -> str:
    """The data set that an id begins with, as in ``ProofWriter_RelNeg-OWA-D5-1041_Q1``."""
    start = name.partition("_")[0].lower()
    return NAMES.get(start, NAMES[default])


def _folio(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    yield GoldQuestion(
        _id(row, reading, "example_id", "id"),
        NAMES["folio"],
        STATEMENT.format(text_of(row, "conclusion")),
        text_of(row, "premises"),
        gold_label(_gold(row, "label", "answer")),
    )


def _proofwriter(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    """One question a row, all questions of a theory in one row, or one of the processed kind."""
    theory = text_of(row, "original_theory", "theory")
    name = _id(row, reading, "id")
    questions = row.get("questions")
    if questions is None:
        yield _about(row, name, theory)
        return
    if not isinstance(questions, Mapping) or not all(isinstance(inner, Mapping) for inner in questions.values()):
        raise BadData('"questions" is an object of questions: {"Q1": {"question": …, "answer": …}}')
    for number, inner in questions.items():
        try:
            yield _about(inner, f"{name}:{number}", theory)
        except BadData as problem:
            raise BadData(f'"questions"."{number}": {problem}') from None


def _about(row: Row, name: str, theory: str) -> GoldQuestion:
    depth = row.get("QDep")
    tags = (f"depth {depth}",) if isinstance(depth, int) else ()
    question = STATEMENT.format(text_of(row, "original_question", "question"))
    return GoldQuestion(
        name, NAMES["proofwriter"], question, theory, gold_label(_gold(row, "answer")), (*tags, *_closed(name))
    )


def _closed(name: str) -> tuple[str, ...]:
    """Theories whose answers were made with negation as failure say so in their ids."""
    return ("closed world",) if "-CWA-" in name else ()


def _conditionalqa(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    if row.get("not_answerable") is True:
        raise NotScored("not answerable")
    answers = row["answers"]
    if not isinstance(answers, list) or not answers:
        raise BadData('"answers" is a list of [answer, [conditions]], and not empty')
    golds, conditional = set(), False
    for answer in answers:
        if not isinstance(answer, list) or not answer or not isinstance(answer[0], str):
            raise BadData('"answers" is a list of [answer, [conditions]]')
        golds.add(answer[0].strip().lower())
        conditional = conditional or any(answer[1:])
    if not golds <= {"yes", "no"}:
        raise NotScored("not answered by yes or no")
    if len(golds) > 1:
        raise NotScored("yes under some conditions, no under others")
    url = text_of(row, "url")
    if url not in reading.documents:
        known = "no file of documents was found" if not reading.documents else "the documents do not have it"
        raise BadData(
            f'"url" {url}: {known}; give the file whose rows have "url", "title" and "contents" along with this one'
        )
    scenario = text_of(row, "scenario", default="")
    question = text_of(row, "question")
    yield GoldQuestion(
        _id(row, reading, "id"),
        NAMES["conditionalqa"],
        f"Scenario: {scenario}\n\nQuestion: {question}" if scenario else question,
        reading.documents[url],
        gold_label(golds.pop()),
        ("conditional",) if conditional else (),
    )


def _strategyqa(row: Row, reading: Reading) -> Iterator[GoldQuestion]:
    yield GoldQuestion(
        _id(row, reading, "qid", "id"),
        NAMES["strategyqa"],
        text_of(row, "question"),
        text_of(row, "facts", default="") if reading.facts else "",
        gold_label(_gold(row, "answer")),
        ("with facts",) if reading.facts else (),
    )


FORMATS = (
    Format("folio", lambda row: "premises" in row and "conclusion" in row, _folio),
    Format("proofwriter", lambda row: "theory" in row or "original_theory" in row, _proofwriter),
    Format("conditionalqa", _has("answers", "question", "url"), _conditionalqa),
    Format("strategyqa", lambda row: "question" in row and ("qid" in row or "decomposition" in row), _strategyqa),
    Format(
        "prontoqa",
        lambda row: (
            "test_example" in row
            or _has("query", "question", "answer")(row)
            or _has("original_context", "original_question")(row)
            or (_has("options", "context", "question")(row) and "dataset" not in row)
        ),
        _prontoqa,
    ),
    Format("generic", _has("question"), _generic),
)
"""In the order in which they are tried: the more a row has to have, the earlier."""


def format_named(name: str) -> Format:
    """A format by the name that ``--dataset`` gives it; raises `BadData`."""
    plain = name.lower().replace("-", "").replace("_", "")
    for each in FORMATS:
        if each.name == plain:
            return each
    raise BadData(f"there is no data set format {name!r}; there are {', '.join(each.name for each in FORMATS)}")


def format_of(row: Row) -> Format | None:
    """The format that a row looks like."""
    return next((each for each in FORMATS if each.fits(row)), None)


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
