"""A proposed change in whatever form it comes: unified diff, search and replace blocks, a whole file, some definitions.

Reading decides the form and nothing else; `applying` makes a new text of it.
"""

from __future__ import annotations

import ast
import difflib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes.texts import lines_of, plain

MAX_CHANGE = 1_000_000
"""Characters of a proposed change."""

_HUNK = re.compile(r"^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@+)?(?: @@+)? ?(.*?)(?: ?@@+)?\s*$")
_OLD, _NEW = re.compile(r"^--- (.+?)(?:\t.*)?$"), re.compile(r"^\+\+\+ (.+?)(?:\t.*)?$")
_SEARCH = re.compile(r"^<{5,}\s*(?:SEARCH|ORIGINAL|OLD|HEAD)?\b.*$")
_MIDDLE = re.compile(r"^={5,}\s*$")
_REPLACE = re.compile(r"^>{5,}\s*(?:REPLACE|UPDATED|NEW)?\b.*$")
_NO_END = "\\ No newline"
_GIT = ("diff --git ", "index ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity index")
_LIKE_THE_FILE = 0.3
"""How much a text that is no Python must have in common with the file (0 to 1) to be a new version of it."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that give way to others."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int | None = None
    """Where the old ones stand, counted from 0, as the change says."""
    context: tuple[int, int] = (0, 0)
    """How many lines at the beginning and the end are the same in both."""
    section: str = ""
    """The definition that it is in, as the change says."""
    ended: bool | None = None
    """Whether the file's last line has an end afterwards; None: as it was."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one file."""

    form: str
    """"diff", "blocks", "file" or "definitions"."""
    hunks: tuple[Hunk, ...] = ()
    text: str = ""
    """The whole new file, or the definitions."""
    set_aside: tuple[str, ...] = ()
    """Other files that the change would touch; it does not get to."""
    deletes: bool = False
    """Whether it would delete the file."""


def read_proposal(change: str, current: str, file: str, *, link: str = "", pieces: bool = False) -> Proposal:
    """What a text proposes.

    Args:
        change: the text, in any form.
        current: the file as it is, plain.
        file: its path in the project, for changes that name several files.
        link: the path of a link to it by which it may be named as well; "" for none.
        pieces: a text that holds some definitions of the file, and not the others, stands for these definitions.

    Raises:
        InvalidInput: it is no change of any form, or one to other files alone.
    """
    if len(change) > MAX_CHANGE:
        raise InvalidInput(f"the change is longer than {MAX_CHANGE} characters")
    text = plain(change)
    lines = text.split("\n")
    if any(_HUNK.match(line) for line in lines):
        return _diff(lines, (file, link) if link else (file,))
    if any(_SEARCH.match(line) for line in lines) and any(_REPLACE.match(line) for line in lines):
        return Proposal("blocks", _blocks(lines))
    if not text.strip():
        raise InvalidInput("the change is empty")
    return _whole(text, current, file, pieces=pieces)


# -- unified diffs --------------------------------------------------------------------------------------------------


def _diff(lines: Sequence[str], file: Sequence[str]) -> Proposal:
    """The hunks for one file, by its paths; a diff without names of files is for it."""
    by_file: dict[str, list[Hunk]] = {}
    deleted = set()
    name = ""
    place = 0
    while place < len(lines):
        line = lines[place]
        if (old := _OLD.match(line)) and place + 1 < len(lines) and (new := _NEW.match(lines[place + 1])):
            name = _name(new[1]) or _name(old[1])
            by_file.setdefault(name, [])
            if not _name(new[1]):
                deleted.add(name)
            place += 2
        elif head := _HUNK.match(line):
            hunk, place = _hunk(lines, place, head)
            if hunk.old or hunk.new:
                by_file.setdefault(name, []).append(hunk)
        else:
            place += 1
    alone = len(by_file) == 1
    ours = [name for name in by_file if not name or any(is_same_file(name, path, alone=alone) for path in file)]
    others = tuple(name for name in by_file if name not in ours)
    if not ours:
        raise InvalidInput(f"the diff is about {', '.join(others)}, and not about {' or '.join(file)}")
    hunks = tuple(hunk for name in ours for hunk in by_file[name])
    gone = any(name in deleted for name in ours)
    if not hunks and not gone:
        raise InvalidInput("the diff holds no lines that are added or taken away")
    return Proposal("diff", hunks, set_aside=others, deletes=gone)


def _name(written: str) -> str:
    """A path of a diff's head without the prefix of git; "" for no file."""
    name = written.strip().strip('"')
    if name == "/dev/null":
        return ""
    return name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name


def is_same_file(named: str, file: str, *, alone: bool) -> bool:
    """Whether a diff that names one path means the file at another, which may be its beginning cut off.

    ``alone``: the diff is about no other file; then its base name is enough.
    """
    one, other = posixpath.normpath(named.replace("\\", "/")), posixpath.normpath(file)
    if one == other or other.endswith(f"/{one}") or one.endswith(f"/{other}"):
        return True
    return alone and posixpath.basename(one) == posixpath.basename(other)


def _hunk(lines: Sequence[str], place: int, head: re.Match[str]) -> tuple[Hunk, int]:
    """One hunk, and the line behind it. Its counts are believed only where they fit what follows."""
    counts = (int(head[2] or 1), int(head[4] or 1)) if head[1] else None
    body = list(_body(lines, place + 1, counts))
    end = place + 1 + len(body)
    while body and not body[-1].strip() and counts != _sizes(body):  # blank lines between hunks, or at the end
        body.pop()
    marked = [line if line[:1] in "+-\\ " and line else f" {line}" for line in body]
    old = tuple(line[1:] for line in marked if line[0] in " -")
    new = tuple(line[1:] for line in marked if line[0] in " +")
    signs = "".join(line[0] for line in marked if line[0] != "\\")
    stated = int(head[1]) if head[1] else None
    line = None if stated is None else max(stated - 1, 0) if old else stated
    edges = (len(signs) - len(signs.lstrip(" ")), len(signs) - len(signs.rstrip(" ")))
    section = (head[5] or "").strip()
    return Hunk(old, new, line, edges if signs.strip(" ") else (0, 0), section, _ended(marked)), end


def _ended(marked: Sequence[str]) -> bool | None:
    """What the marks about the end of the last line come to."""
    before = [marked[n - 1][0] for n, line in enumerate(marked) if line[0] == "\\" and n]
    if not before or " " in before or set(before) == {"+", "-"}:
        return None if not before else False
    return before == ["-"]


def _body(lines: Sequence[str], place: int, counts: tuple[int, int] | None) -> Iterator[str]:
    """The lines of a hunk: as many as its head says, or until something else begins."""
    taken: list[str] = []
    while place < len(lines):
        line = lines[place]
        whole = counts is not None and _sizes(taken) == counts
        if whole and not line.startswith(_NO_END):
            return
        begins_file = line.startswith("--- ") and place + 1 < len(lines) and lines[place + 1].startswith("+++ ")
        if _HUNK.match(line) or line.startswith(_GIT) or (begins_file and not _continues(taken, counts)):
            return
        # Models leave out the blank before a line of context; a head that says how many are missing is believed.
        if line and line[0] not in " +-\\\t" and not _continues(taken, counts):
            return
        taken.append(line)
        yield line
        place += 1


def _continues(taken: Sequence[str], counts: tuple[int, int] | None) -> bool:
    return counts is not None and any(have < want for have, want in zip(_sizes(taken), counts, strict=True))


def _sizes(body: Sequence[str]) -> tuple[int, int]:
    """Lines of the old and of the new side."""
    signs = [line[:1] or " " for line in body]
    same = sum(sign not in "+-\\" for sign in signs)
    return same + signs.count("-"), same + signs.count("+")


# -- search and replace ---------------------------------------------------------------------------------------------


def _blocks(lines: Sequence[str]) -> tuple[Hunk, ...]:
    """``<<<<<<< SEARCH``, old lines, ``=======``, new lines, ``>>>>>>> REPLACE``, any number of times."""
    found: list[Hunk] = []
    part = ""
    old: list[str] = []
    new: list[str] = []
    for number, line in enumerate(lines, 1):
        if not part and _SEARCH.match(line):
            part, old, new = "old", [], []
        elif part == "old" and _MIDDLE.match(line):
            part = "new"
        elif part == "new" and _REPLACE.match(line):
            found.append(_replacement(old, new, number))
            part = ""
        elif part:
            (old if part == "old" else new).append(line)
    if part:
        raise InvalidInput("a search and replace block is cut off before its end")
    if not found:
        raise InvalidInput("there is no whole search and replace block: it needs its three marks, one a line")
    return tuple(found)


def _replacement(old: Sequence[str], new: Sequence[str], line: int) -> Hunk:
    if not any(each.strip() for each in old):
        raise InvalidInput("a search and replace block searches for nothing", line)
    trimmed_old, trimmed_new = _without_blank_edges(old), list(new)
    if list(old) != trimmed_old:
        trimmed_new = _without_blank_edges(new)
    same = list(zip(trimmed_old, trimmed_new, strict=False))
    head = next((n for n, (a, b) in enumerate(same) if a != b), len(same))
    rest = min(len(trimmed_old), len(trimmed_new)) - head
    behind = zip(reversed(trimmed_old), reversed(trimmed_new), strict=False)
    tail = min(next((n for n, (a, b) in enumerate(behind) if a != b), rest), rest)
    return Hunk(tuple(trimmed_old), tuple(trimmed_new), context=(head, tail))


def _without_blank_edges(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


# -- whole texts ----------------------------------------------------------------------------------------------------


def _whole(text: str, current: str, file: str, *, pieces: bool) -> Proposal:
    """A new version of the file; or, where ``pieces`` says so, some of its definitions."""
    if file.endswith((".py", ".pyi", ".pyw")):
        tree = _parsed(text)
        if tree is None and not _is_like(text, current):
            raise InvalidInput(
                "the change is none: neither a unified diff, nor search and replace blocks, nor a Python file"
            )
        if tree is not None and not _is_program(tree):
            raise InvalidInput("the change is none: it is a line of words")
        if pieces and tree is not None and _is_part(tree, _parsed(current)):
            return Proposal("definitions", text=text)
    elif not _is_like(text, current):
        raise InvalidInput("the change is none: neither a unified diff, nor search and replace blocks, nor a new file")
    return Proposal("file", text=text if text.endswith("\n") or not current.endswith("\n") else f"{text}\n")


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_program(tree: ast.Module) -> bool:
    """Whether there is more in it than names and literals: a word, alone, is Python, too."""
    return any(not isinstance(s, ast.Expr) or any(isinstance(n, ast.Call) for n in ast.walk(s)) for s in tree.body)


def _is_like(text: str, current: str) -> bool:
    if not current.strip():
        return False
    one, other = lines_of(text), lines_of(current)
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _LIKE_THE_FILE


def _is_part(tree: ast.Module, current: ast.Module | None) -> bool:
    """Whether it holds definitions of the file, imports, and nothing else, and not all definitions of the file."""
    if current is None:
        return False
    ours, theirs = definitions(tree), definitions(current)
    imports = (ast.Import, ast.ImportFrom)
    only = all(
        isinstance(s, imports) or definition_name(s) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in tree.body
    )
    return only and bool(ours.keys() & theirs.keys()) and bool(theirs.keys() - ours.keys())


def definition_name(node: ast.stmt) -> str:
    """The name that a statement defines: a function, a class, or one constant; "" for others."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """The definitions at the top of a file, by name; of several with one name the last."""
    return {name: node for node in tree.body if (name := definition_name(node))}
