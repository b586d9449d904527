"""Data sets from files and folders: every question, and openly what was left out."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.rows import BadRows, read_rows
from goedels_poetry.evaluation.outcome import BadData, GoldQuestion, gold_label, lacking, text_of
from goedels_poetry.evaluation.runner import is_of_report

Row = Mapping[str, Any]
Rows = list[tuple[int, Any]]
"""Rows of a file, each with its line."""

STATEMENT = "Assuming that all premises are true, is the following statement true, false or uncertain?\nStatement: {}"
"""The question about a statement; it is the same whatever the gold label is."""
SUFFIXES = (".json", ".jsonl", ".ndjson")
WITHIN = ("items", "data", "examples", "rows")
"""Keys under which a JSON object may hold its rows."""


class NotScored(Exception):
    """A sound row whose answer cannot be scored; the message says what it is."""


@dataclass(frozen=True, slots=True)
class Format:
    """A layout of rows, as names of their fields; of several names the first that a row has counts."""

    name: str
    """As ``--dataset`` gives it."""
    dataset: str
    """The data set of a row that names none; "": the file's name."""
    needs: tuple[tuple[str, ...], ...]
    """A row has this layout if it has all fields of one of these groups."""
    question: tuple[str, ...] = ("question",)
    context: tuple[str, ...] = ()
    """Required fields of the text to rely on; (): ``context``, which may be absent."""
    asks: str = "{}"
    """The question that is made of the field."""

    def fits(self, row: Any) -> bool:
        """Whether a row has this layout."""
        return isinstance(row, Mapping) and any(all(name in row for name in names) for names in self.needs)


FORMATS = (
    Format("folio", "FOLIO", (("premises", "conclusion"),), ("conclusion",), ("premises",), STATEMENT),
    Format(
        "proofwriter",
        "ProofWriter",
        (("theory",), ("original_theory",)),
        ("original_question", "question"),
        ("original_theory", "theory"),
        STATEMENT,
    ),
    Format("conditionalqa", "ConditionalQA", (("answers", "question", "url"),)),
    Format("strategyqa", "StrategyQA", (("question", "qid"), ("question", "decomposition"))),
    Format(
        "prontoqa",
        "ProntoQA",
        (
            ("test_example",),
            ("query", "question", "answer"),
            ("original_context", "original_question"),
            ("options", "context", "question"),
        ),
        ("original_question", "question"),
        ("original_context", "context"),
    ),
    Format("generic", "", (("question",),)),
)
"""In the order in which they are tried: the more a row has to have, the earlier."""
_NAMES = {form.name: form.dataset for form in FORMATS if form.dataset}


def _plain_name(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def format_named(name: str) -> Format:
    """A format by the name that ``--dataset`` gives it; raises `BadData`."""
    for form in FORMATS:
        if form.name == _plain_name(name):
            return form
    raise BadData(f"there is no data set format {name!r}; there are {', '.join(form.name for form in FORMATS)}")


def format_of(row: Any) -> Format | None:
    """The format of a row."""
    return next((form for form in FORMATS if form.fits(row)), None)


# Rows to questions


def _question(form: Format, row: Row, stem: str) -> GoldQuestion:
    """The question of a flat row."""
    ids = (row.get(each) for each in ("example_id", "qid", "id"))
    name = next((str(each) for each in ids if isinstance(each, str | int) and str(each).strip()), "")
    asked = form.asks.format(text_of(row, *form.question))
    context = text_of(row, *form.context) if form.context else text_of(row, "context", default="")
    answer = next((row[each] for each in ("answer", "label") if row.get(each) is not None), None)
    if answer is None:
        raise BadData(lacking(row, "answer", "label"))
    options = row.get("options") or ()
    if not _are_texts(options):
        raise BadData('"options" is a list of texts, e.g. ["A) True", "B) False"]')
    conditions = row.get("conditions") or []
    if not _are_texts(conditions):
        raise BadData('"conditions" is a list of texts: sentences of the context')
    by_id = _NAMES.get(name.partition("_")[0].lower(), form.dataset or stem)  # ProofWriter_RelNeg-OWA-D5-1041_Q1
    dataset = text_of(row, "dataset", default=by_id)
    tags = {
        f"depth {row.get('QDep')}": isinstance(row.get("QDep"), int),
        "closed world": "-CWA-" in name,  # its answers were made with negation as failure
        "conditional": bool(conditions) or row.get("conditional") is True,
        "with facts": form.name == "strategyqa" and bool(context),
    }
    return GoldQuestion(
        name,
        _NAMES.get(_plain_name(dataset), dataset),
        asked,
        context,
        gold_label(answer, tuple(options)),
        tuple(tag for tag, holds in tags.items() if holds),
        tuple(conditions),
    )


def _flat(form: Format, row: Any, documents: Mapping[str, str], facts: bool) -> Iterator[Row]:
    """A row as rows of one question each, whose fields are those of the format."""
    if not isinstance(row, Mapping):
        raise BadData("a row is an object")
    if form.name == "conditionalqa":
        yield _conditional(row, documents)
    elif form.name == "strategyqa":
        yield {**row, "context": row.get("facts") if facts else None}
    elif form.name == "prontoqa" and ("test_example" in row or "query" in row):
        inner = _object(row.get("test_example", row), "test_example")
        statement = text_of(inner, "query").removeprefix("True or false:").strip()
        asked = f"Is the following statement true or false? {statement}"
        yield {**row, **inner, "question": asked, "context": text_of(inner, "question", "context")}
    elif form.name == "proofwriter" and "questions" in row:
        for number, inner in _object(row["questions"], "questions").items():
            yield {**row, **_object(inner, f'questions"."{number}'), "id": f"{row.get('id', '')}:{number}"}
    else:
        yield row


def _object(value: Any, name: str) -> Row:
    if not isinstance(value, Mapping):
        raise BadData(f'"{name}" is an object')
    return value


def _conditional(row: Row, documents: Mapping[str, str]) -> Row:
    """A row of ConditionalQA with the text that it names, and its one answer."""
    if row.get("not_answerable") is True:
        raise NotScored("not answerable")
    answers = row.get("answers")
    if not isinstance(answers, list) or not answers:
        raise BadData('"answers" is a list of [answer, [conditions]], and not empty')
    if not all(map(_is_answer, answers)):
        raise BadData('"answers" is a list of [answer, [conditions]]')
    golds = {answer[0].strip().lower() for answer in answers}
    if not golds <= {"yes", "no"}:
        raise NotScored("not answered by yes or no")
    if len(golds) > 1:
        raise NotScored("yes under some conditions, no under others")
    url = text_of(row, "url")
    if url not in documents:
        known = "the documents do not have it" if documents else "no file of documents was found"
        raise BadData(f'"url" {url}: {known}; give the file whose rows have "url", "title" and "contents", too')
    scenario, asked = text_of(row, "scenario", default=""), text_of(row, "question")
    return {
        "id": row.get("id"),
        "question": f"Scenario: {scenario}\n\nQuestion: {asked}" if scenario else asked,
        "context": documents[url],
        "answer": golds.pop(),
        "conditions": [_Words(text).text for _, *rest in answers for texts in rest for text in texts or ()],
    }


def _is_answer(value: Any) -> bool:
    match value:
        case [str(), *rest] if len(rest) < 2:
            return rest in ([], [None]) or _are_texts(rest[0])
    return False


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


# Documents of ConditionalQA

_BLOCKS = frozenset({"p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "div", "table", "ul", "ol", "br"})
_MARKS = {"li": "- ", "td": " ", "th": " ", **{f"h{level}": "## " for level in range(1, 7)}}


class _Words(HTMLParser):
    """The words of a piece of HTML; headings keep a mark, items of lists a dash."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self._words: list[str] = []
        self._hidden = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = self._hidden or tag in ("script", "style")
        self._words.append(("\n" if tag in _BLOCKS else "") + _MARKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._hidden = self._hidden and tag not in ("script", "style")
        self._words.append("\n" if tag in _BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words.append(data.replace("\n", " "))

    @property
    def text(self) -> str:
        lines = (" ".join(line.split()) for line in "".join(self._words).split("\n"))
        return "\n".join(line for line in lines if line not in ("", "-", "##"))


def is_document(row: Any) -> bool:
    """Whether a row is a page of ConditionalQA: ``url``, ``title`` and ``contents``, and no question."""
    return isinstance(row, Mapping) and "contents" in row and "url" in row and "question" not in row


def _document(row: Any) -> tuple[str, str]:
    """A page's address and its text."""
    if not is_document(row):
        raise BadData('this is no document: it needs "url", "title" and "contents"')
    pieces = row["contents"]
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise BadData('"contents" is a list of texts in HTML')
    body = [text for piece in pieces if (text := _Words(piece).text)]
    return text_of(row, "url"), "\n\n".join([f"Document - {text_of(row, 'title', default='untitled')}:", *body])


def _documents(opened: list[tuple[Path, Rows]], forced: Format | None) -> dict[str, str]:
    """The texts by address: of the files given, else of one in the folder of a file of ConditionalQA."""
    found: dict[str, str] = {}
    sources = [(file, rows) for file, rows in opened if is_document(rows[0][1])]
    if not sources:
        needing = [file for file, rows in opened if (form := forced or _format(rows)) and form.name == "conditionalqa"]
        near = sorted({other for file in needing for other in file.parent.glob("*documents*.json*")} - set(needing))
        sources = [(file, rows) for file in near if is_document((rows := _open(file))[0][1])]
    for file, rows in sources:
        for line, row in rows:
            try:
                url, found_text = _document(row)
            except BadData as problem:
                raise BadData(f"{file}:{line}: {problem}") from None
            found[url] = found_text
    return found


# Files


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
        dataset: the format of all files, e.g. ``folio``; None: that of the first row of each.
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
        form = forced or _format(rows)
        if form is None and not all(is_document(row) for _, row in rows):
            if alone:
                raise BadData(_no_format(file, rows))
            notes.append(f"left out: {_no_format(file, rows)}")
            continue
        files[str(file)] = 0
        if form is None or all(is_document(row) for _, row in rows):
            continue
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


def _questions(
    file: Path, rows: Rows, form: Format, documents: Mapping[str, str], facts: bool, left_out: Counter[str]
) -> Iterator[GoldQuestion]:
    for number, (line, row) in enumerate(rows, 1):
        place = f"{file}:{line}" if line > 1 or number == 1 else f"{file}: row {number}"
        try:
            for flat in _flat(form, row, documents, facts):
                question = _question(form, flat, file.stem)
                yield replace(question, id=question.id or str(number), place=place)
        except NotScored as reason:
            left_out[f"{form.name}: {reason}"] += 1
        except BadData as problem:
            raise BadData(f"{place}: {problem}") from None


def _notes(questions: Iterable[GoldQuestion]) -> Iterator[str]:
    """What a reader of the figures should know about the data."""
    every = list(questions)
    tags = Counter((question.dataset, tag) for question in every for tag in question.tags)
    for (dataset, tag), number in tags.items():
        if tag == "conditional":
            yield f"{dataset}: {number} of the answers hold under conditions"
        if tag == "closed world":
            yield f"{dataset}: {number} questions have answers for a closed world; ask with --world closed"
    golds = {(question.question, question.context, question.gold) for question in every}
    if contradictory := sum(number > 1 for number in Counter(asked[:2] for asked in golds).values()):
        yield f"{contradictory} questions occur with different gold answers"


def holds_questions(file: Path) -> bool:
    """Whether a file has rows of a known format, or documents that questions are about."""
    if file.suffix.lower() not in SUFFIXES or not os.path.isfile(file):
        return False
    try:
        first = _open(file)[0][1]
    except BadData:
        return False
    return is_document(first) or format_of(first) is not None


def sample(questions: Iterable[GoldQuestion], limit: int | None, seed: int = 0) -> list[GoldQuestion]:
    """At most ``limit`` questions of each data set, chosen at random by the seed, in their old order."""
    keyed = {question.key: question for question in questions}
    if limit is None:
        return list(keyed.values())
    by_set: dict[str, list[str]] = {}
    for key, question in keyed.items():
        by_set.setdefault(question.dataset, []).append(key)
    sampled = {
        key
        for name, keys in by_set.items()
        for key in random.Random(f"{seed}:{name}").sample(sorted(keys), min(limit, len(keys)))
    }
    return [question for key, question in keyed.items() if key in sampled]


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


def _open(file: Path) -> Rows:
    if file.suffix.lower() == ".parquet":
        raise BadData(f"{file}: Parquet is not read here; convert it to JSON Lines, e.g. with pandas")
    try:
        rows = read_rows(file, WITHIN)
    except BadRows as problem:
        raise BadData(str(problem)) from problem
    if not rows:
        raise BadData(f"{file}: there are no rows in it")
    first = rows[0][1]
    by_name = isinstance(first, dict) and first and all(isinstance(value, dict) for value in first.values())
    if len(rows) == 1 and by_name and format_of(first) is None:  # {"example1": {…}, "example2": {…}}
        return [(1, {"id": name, **value}) for name, value in first.items()]
    return rows


def _format(rows: Rows) -> Format | None:
    return format_of(next((row for _, row in rows if not is_document(row)), None))


def _no_format(file: Path, rows: Rows) -> str:
    line, first = rows[0]
    has = (
        ", ".join(map(str, list(first)[:12])) if isinstance(first, Mapping) else f"no object but {type(first).__name__}"
    )
    names = ", ".join(form.name for form in FORMATS)
    theorem = f"name, text and language ({', '.join(languages.BUILT_IN)}), or name and formal_statement"
    return f"{file}:{line}: no known format (the row has: {has}); the formats are {names}; a theorem has {theorem}"
