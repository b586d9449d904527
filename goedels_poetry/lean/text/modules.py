"""A file that imports modules of its own project, as one text: the modules first, each in a section of its own.

So the gate, the search and a certificate see one file: what holds for a declaration, a macro or an axiom of the file
holds for those of its modules. The text says itself what is whose, by lines that no module can contain, since each has
the hash of what stands before it, or in it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from goedels_poetry.errors import InvalidInput, source_excerpt
from goedels_poetry.files import read_bytes
from goedels_poetry.lean.runtime.protocol import Command
from goedels_poetry.lean.runtime.tokens import HEADS, Token, header, tokenize
from goedels_poetry.lean.text.scan import DECEIVING_RULES, scan

MOST = 1_000_000
"""Characters of a whole text: the gate reads no more."""
MOST_DEEP, MOST_NAMED = 200, 5
READ_BY = "modules of the project may say how Lean reads the statement: "
_END = "Lean.Parser.Command.end"
_BOM, _NOTHING = "\ufeff", Token("symbol", "", 0, 0, 0, 0)
_NAME = re.compile(r"\w+(\.\w+)*")
_OWN = re.compile(r"^-- (\S.*) itself, its imports put first; (\d+) characters are its head; ([0-9a-f]{16})$", re.M)
_SECTION = re.compile(r"^section (\w+_[0-9a-f]{16}) -- (\S.*)$", re.M)
_TAKEN = re.compile(r"/-gp (import\s+[\w.]+)-/")
_SOURCES = re.compile(r'\bsrcDir\s*:?=\s*"([^"\n]*)"')


def with_modules(file: Path, text: str) -> str:
    """The text of a file after those of the modules of its project that it imports, directly or not.

    It stays as it is where it imports none, or stands in no project.

    Raises:
        InvalidInput: a module is missing, cannot be read, or imports itself; several files are the same module; or one
            needs more than the project and the embedded Lean.
    """
    from goedels_poetry.lean.runtime.native import project_above

    file = file.absolute()
    project, plain = project_above(file.parent), text.removeprefix(_BOM)
    imports = _imports(plain)
    if project is None or all(_in_library(name) for name, _ in imports):
        return text
    found = _Project(project.resolve())
    own = found.text(file.resolve(), plain, ())
    before = "".join([*(f"import {name}\n" for name in dict.fromkeys(found.library)), *found.sections])
    head = imports[-1][1].end + len(own) - len(plain)
    who = f"{found.shown(file.resolve())} itself, its imports put first; {head} characters are its head"
    whole = f"{_BOM * text.startswith(_BOM)}{before}-- {who}; {_hash(before)}\n{own}"
    if len(whole) > MOST or own_text(whole) != text:
        long = f"with its modules it has more than {MOST} characters"
        raise InvalidInput(long if len(whole) > MOST else "its comments before the imports cannot be told from ours", 1)
    return whole


def own_text(text: str) -> str:
    """Of a text of `with_modules` the user's file, as it was; of another all."""
    mark = _mark(text)
    if mark is None:
        return text
    at = mark.end() + 1
    head = at + int(mark[2])
    return _BOM * text.startswith(_BOM) + _TAKEN.sub(r"\1", text[at:head]) + text[head:]


def own_start(text: str) -> int:
    """Where the user's file begins."""
    mark = _mark(text)
    return 0 if mark is None else mark.end() + 1


def place_in(text: str, line: int) -> tuple[str, int]:
    """The file and the line there of a line of the text; "" for the user's own file."""
    start = text.count("\n", 0, own_start(text))
    if line > start:
        return "", line - start
    before = [(text.count("\n", 0, m.start()) + 1, m[2]) for m in _SECTION.finditer(text, 0, own_start(text))]
    at, name = next(((at, name) for at, name in reversed(before) if at < line), (0, "its imports"))
    return name, line - at


def located(error: InvalidInput, text: str) -> InvalidInput:
    """The error with its place in the file that it is about."""
    if error.line is None or not own_start(text):
        return error
    name, line = place_in(text, error.line)
    message = f"{name}:{line}: {error.message}" if name else error.message
    moved = InvalidInput(message, None if name else line, None if name else error.column, error.hint)
    moved.source = source_excerpt(text, error.line, error.column)
    return moved


def mixed(text: str, commands: Sequence[Command]) -> str:
    """The module whose end Lean does not read where it is, so that it changes how the next is read; "" for none."""
    read = {(c.start, c.end) for c in commands if c.kind == _END}
    for found in _SECTION.finditer(text, 0, own_start(text)):
        at = text.find(f"\nend {found[1]}\n", found.end()) + 1
        if (at, at + len(f"end {found[1]}")) not in read:  # it ends no section but its own
            return found[2]
    return ""


class _Project:
    """What was found on the way through the imports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library: list[str] = []
        self.sections: list[str] = []
        self._done: set[Path] = set()
        lakefiles = [folder / name for name in ("lakefile.toml", "lakefile.lean")]
        sources = ["", *(s for f in lakefiles if f.is_file() for s in _SOURCES.findall(f.read_text(errors="replace")))]
        self._roots = dict.fromkeys(folder / a / b for a in sources for b in sources)

    def text(self, file: Path, text: str, above: tuple[Path, ...]) -> str:
        """The text of a file with its imports in comments; what it imports is in `sections` then."""
        if odd := next((word for word in header(text) if word.text in HEADS), None):
            raise self._fault(f"a file that begins with `{odd.text}` cannot be joined with others", file, odd, above)
        imports = _imports(text)
        for name, word in imports:
            try:
                self._add(name, (*above, file))
            except InvalidInput as error:  # with a line it was said of a file below this one
                outer = above if error.line is None else ()
                raise self._fault(error.message, file, word, outer, error.hint) from None
        for _, word in reversed(imports):
            text = f"{text[: word.start]}/-gp {text[word.start : word.end]}-/{text[word.end :]}"
        return text

    def _fault(self, said: str, file: Path, at: Token, above: Sequence[Path], hint: str | None = None) -> InvalidInput:
        where = f"{self.shown(file)}:{at.line}: " if above else ""
        return InvalidInput(f"{where}{said}", at.line, at.column + 1, hint)

    def _add(self, name: str, above: tuple[Path, ...]) -> None:
        if _in_library(name):
            self.library.append(name)
            return
        file = self._file(name)
        if file in above:
            circle = " → ".join(self.shown(f) for f in (*above[above.index(file) :], file))
            raise InvalidInput(f"modules import each other: {circle}")
        if file in self._done:
            return
        if len(above) > MOST_DEEP:
            raise InvalidInput(f"more than {MOST_DEEP} modules import one another in a row")
        try:
            raw = read_bytes(file, 4 * MOST).decode().removeprefix(_BOM).replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"the module {name} cannot be read: {self.shown(file)}: {error}") from error
        self._done.add(file)
        text = self.text(file, raw, above)
        if broken := next((token for token in tokenize(raw) if token.kind == "broken"), None):
            raise self._fault(f"no end of what begins with {broken.text[:10]!r}", file, broken, above)
        section = f"{re.sub(r'[^A-Za-z0-9]', '_', name)}_{_hash(raw)}"
        begin, end = f"section {section} -- {self.shown(file)}\n", f"\n{_closing(raw)}end {section}\n"
        self.sections.append(f"{begin}{text.rstrip()}{end}")

    def _file(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"`{name}` cannot be imported: a plain name of a module was expected")
        path, first = Path(f"{name.replace('.', '/')}.lean"), name.partition(".")[0]
        there = dict.fromkeys((root / path).resolve() for root in self._roots)
        inside: list[Path] = [file for file in there if file.is_file() and file.is_relative_to(self.folder)]
        if len(inside) > 1:
            raise InvalidInput(f"{name} is several files: {', '.join(map(self.shown, inside))}")
        if not inside:
            from goedels_poetry.lean.errors.hints import about

            own = any((root / first).is_dir() or (root / f"{first}.lean").is_file() for root in self._roots)
            raise InvalidInput(f"the project has no module {name}: no file {path}", hint=None if own else about(first))
        return inside[0]

    def shown(self, file: Path) -> str:
        """As a person names it."""
        return " ".join(os.path.relpath(file, self.folder).split())


def _in_library(name: str) -> bool:
    from goedels_poetry.lean.errors.hints import OWN  # advice: what checks a certificate does without it

    return name.partition(".")[0] in OWN


def _imports(text: str) -> list[tuple[str, Token]]:
    """Names of the modules that a text imports, each with the word `import` moved on to the end of the name."""
    words = header(text)
    pairs = ((word, name) for word, name in pairwise(words) if word.text == "import")
    return [(name.text, replace(word, end=name.end)) for word, name in pairs]


def _closing(text: str) -> str:
    """The `end`s of sections and namespaces that a text leaves to its end."""
    scopes: list[str] = []
    words = [*(token for token in tokenize(text) if token.kind not in ("comment", "doc")), _NOTHING]
    for word, following in pairwise(words):
        names = following.text.split(".") if following.kind == "word" and following.line == word.line else [""]
        if word.text in ("section", "namespace", "mutual"):
            scopes += ["mutual"] if word.text == "mutual" else names
        elif word.text == "end":
            del scopes[max(len(scopes) - len(names), 0) :]
    return "".join(f"end {name}".rstrip() + "\n" for name in reversed(scopes) if name != "mutual")


def _mark(text: str) -> re.Match[str] | None:
    return next((m for m in _OWN.finditer(text) if m[3] == _hash(text[: m.start()].removeprefix(_BOM))), None)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def about_modules(text: str) -> tuple[str, ...]:
    """For a report: what it is relative to, and what of that may change how Lean reads the user's file."""
    start = own_start(text)
    names = [m[2] for m in _SECTION.finditer(text, 0, start)]
    found = [f for f in scan(text[:start]) if f.rule in DECEIVING_RULES][:MOST_NAMED]
    programs = ", ".join(f"{':'.join(map(str, place_in(text, f.line)))} ({f.text})" for f in found)
    relative = (f"relative to the project's modules {', '.join(names)}",) if names else ()
    return (*relative, f"{READ_BY}{programs}") if programs else relative
