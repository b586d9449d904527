"""Problems to prove: rows of the layouts in which collections of theorems are passed on, and files.

| layout | what a row has |
|---|---|
| our own | ``text``, ``language`` (default: smt), ``name``; if wanted ``gold`` (false: to be refuted) |
| miniF2F | ``name``, ``header``, ``formal_statement``, ``informal_prefix``, ``split`` (also of ProofNet) |
| PutnamBench | ``problem_name`` or ``name``, ``lean4_statement``; in its files the answer stands below ``:= sorry`` |
| ProofNet | ``id``, ``lean4_src_header`` or ``header``, ``lean4_formalization`` or ``formal_statement`` |

TIP and SMT-LIB problems are files: their ``(set-info :status sat)`` says that a goal is false.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.rows import BadRows, first_row, read_rows
from goedels_poetry.evaluation.outcome import BadData, Label, gold_label, text_of

ROWS = (".jsonl", ".ndjson", ".json")
"""Suffixes of files that may hold rows of problems."""
WITHIN = ("items", "data", "examples", "rows", "problems")
_NAMES = ("name", "problem_name", "full_name", "id", "problem_id", "theorem_name")
_STATEMENTS = (
    "formal_statement",
    "lean4_statement",
    "lean4_formalization",
    "lean4_code",
    "formal_theorem",
    "statement",
)
_HEADERS = ("header", "lean4_src_header", "lean4_header", "preamble", "src_header")
_STATUS = re.compile(r"^\s*\(\s*set-info\s+:status\s+(\w+)\s*\)", re.MULTILINE)
_ANSWER = re.compile(
    r"^(?P<left>(?:noncomputable[ \t]+)?abbrev[ \t]+\w*_solution\b[^\n]*(?:\n[^\n]*?)??:=)\s*sorry[ \t]*\n"
    r"(?P<answer>(?:[ \t]*--[^\n]*\n)+)",
    re.MULTILINE,
)
"""What PutnamBench asks for, and in the comment below it what it is."""
_LEAN_3 = re.compile(r"^\s*import \.common|^\s*begin\s*$|\bopen_locale\b", re.MULTILINE)
_NOT_IN_A_NAME = re.compile(r"[^\w.+-]")
_DECLARES = re.compile(r"^\s*(?:@\[[^\]]*\]\s*)*(?:theorem|lemma|example)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Problem:
    """A theorem to be proved or refuted."""

    name: str
    text: str
    file: str
    """A name whose suffix says which language it is in."""
    dataset: str
    gold: Label = "true"
    tags: tuple[str, ...] = ()
    """``split:test``, ``difficulty:2``."""
    place: str = ""
    """``FILE:LINE``."""


def holds_problems(file: Path) -> bool:
    """Whether the first row of a file is of one of the layouts: what is wrong with others is told when all are read."""
    return file.suffix.lower() in ROWS and os.path.isfile(file) and is_problem(first_row(file, WITHIN))


def is_problem(row: Any) -> bool:
    """Whether a row states a theorem formally."""
    if not isinstance(row, Mapping):
        return False
    language = _language(row)
    if isinstance(row.get("text"), str) and isinstance(language, str) and "question" not in row:
        return language in languages.BUILT_IN and any(name in row for name in _NAMES)
    return _statement(row) is not None


def _language(row: Mapping[str, Any]) -> Any:
    return "smt" if row.get("language") is None else row["language"]


def read_problems(file: Path, *, split: str | None = None) -> tuple[list[Problem], dict[str, int]]:
    """The problems of a file, and how many rows were left out for which reason.

    Args:
        split: only rows of this ``split``; rows without one belong to all.

    Raises:
        BadData: ``FILE:LINE: what is wrong``; nothing of the file is used then.
    """
    try:
        rows = read_rows(file, WITHIN)
    except BadRows as problem:
        raise BadData(str(problem)) from problem
    problems: dict[tuple[str, str], Problem] = {}
    left_out: dict[str, int] = {}

    def leave_out(reason: str) -> None:
        left_out[f"{file.stem}: {reason}"] = left_out.get(f"{file.stem}: {reason}", 0) + 1

    for number, (line, row) in enumerate(rows, 1):
        place = f"{file}:{line}" if line > 1 or number == 1 else f"{file}: row {number}"
        if not isinstance(row, Mapping) or not is_problem(row):
            raise BadData(f"{place}: this is no problem: it needs a name and text, formal_statement or lean4_statement")
        if split is not None and row.get("split") is not None and str(row["split"]).lower() != split.lower():
            leave_out(f"not of the split {split}")
            continue
        try:
            made = _problem(row, file.stem, number, place)
        except BadData as problem:
            raise BadData(f"{place}: {problem}") from None
        if _LEAN_3.search(made.text) and made.file.endswith(".lean"):
            leave_out("written for Lean 3")
        elif (made.name, made.text) in problems:
            leave_out("the same row again")
        else:
            problems[made.name, made.text] = made
    if not problems:
        raise BadData(f"{file}: there is no problem in it{_reasons(left_out)}")
    return list(problems.values()), left_out


def gold_of(text: str, file: str) -> Label:
    """What is held of a theorem in a file: true, unless a script for solvers says that its negation is satisfiable."""
    if not file.lower().endswith(languages.BUILT_IN["smt"][1]):
        return "true"
    said = _STATUS.findall(text)
    return "false" if said and said[-1] == "sat" else "true"


def with_answer(text: str) -> str:
    """A text of PutnamBench with the answer in its place, as its authors have it where only the proof is asked for."""

    def filled(found: re.Match[str]) -> str:
        answer = "\n".join(line.strip().removeprefix("--").rstrip() for line in found["answer"].splitlines())
        return f"{found['left']}{answer.rstrip()}\n"

    return _ANSWER.sub(filled, text)


def _problem(row: Mapping[str, Any], stem: str, number: int, place: str) -> Problem:
    name = next(
        (str(row[key]) for key in _NAMES if isinstance(row.get(key), str | int) and row[key] != ""), str(number)
    )
    tags = tuple(f"{key}:{row[key]}" for key in ("split", "difficulty") if isinstance(row.get(key), str | int | float))
    own = isinstance(row.get("text"), str)
    language = str(_language(row)) if own else "lean"
    text = text_of(row, "text") + "\n" if own else _lean_text(row)
    suffix = languages.BUILT_IN[language][1][0]
    file = _NOT_IN_A_NAME.sub("_", name)[:80] + suffix
    gold = gold_label(row["gold"]) if row.get("gold") is not None else gold_of(text, file)
    return Problem(
        name,
        text,
        file,
        text_of(row, "dataset", default=stem),
        gold,
        tags,
        place,
    )


def _statement(row: Mapping[str, Any]) -> str | None:
    """The first of the fields for a formal statement that declares something."""
    for key in _STATEMENTS:
        if isinstance(row.get(key), str) and _DECLARES.search(row[key]):
            return str(row[key])
    return None


def _lean_text(row: Mapping[str, Any]) -> str:
    """Header, comment in words, statement; without a proof, whatever the row ends with."""
    statement = (_statement(row) or "").strip()
    header = text_of(row, *_HEADERS, default="").strip()
    informal = text_of(row, "informal_prefix", default="").strip()
    if header and header in statement:
        header = ""
    if informal and (informal in statement or not informal.startswith("/-")):
        informal = ""
    return with_answer(
        "\n\n".join(filter(None, (header, "\n".join(filter(None, (informal, _open(statement))))))) + "\n"
    )


def _open(statement: str) -> str:
    """The statement with ``sorry`` in the place of a proof."""
    if re.search(r"\bsorry\b", statement):
        return statement
    if re.search(r":=\s*by\s*\Z", statement):
        return f"{statement} sorry"
    if statement.endswith(":="):
        return f"{statement} by sorry"
    # A theorem may have default values for its arguments, but nothing is proved by what stands in brackets.
    return statement if _has_proof(statement) else f"{statement} := by sorry"


def _has_proof(statement: str) -> bool:
    depth, found = 0, _DECLARES.search(statement)
    text = statement[found.start() if found else 0 :]
    for at, character in enumerate(text):
        depth += (character in "([{⟨") - (character in ")]}⟩")
        if depth == 0 and text.startswith(":=", at):
            return True
    return False


def _reasons(left_out: Mapping[str, int]) -> str:
    return "".join(f"; {reason} ({number})" for reason, number in left_out.items())
