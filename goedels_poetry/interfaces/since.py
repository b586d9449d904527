"""Which theorems may have changed since a revision of Git. In doubt one has: then it is proved again.

What is skipped has the same text, and so has all that its text rests on. Of Python that is the file without its other
functions, and those of them whose names occur there, directly or by way of others; a file that looks names up at run
time, or imports what has changed, is taken as a whole.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from goedels_poetry.errors import GoedelsPoetryError

GIT_SECONDS = 60.0
"""For one question to Git."""
_DYNAMIC = frozenset(
    {"globals", "locals", "vars", "eval", "exec", "compile", "__import__", "__dict__", "__globals__", "__code__"}
    | {"modules", "getattr", "setattr", "delattr", "open"}
)
"""Names by which a program may reach what it does not name, or read files."""
_PURE = frozenset(
    {"__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum", "fractions"}
    | {"functools", "heapq", "itertools", "math", "numbers", "operator", "random", "re", "statistics", "string"}
    | {"textwrap", "types", "typing"}
)
"""Modules of the standard library that do neither."""
_EVERYTHING = frozenset({"everything.py"})
"""What has changed where Git does not say it."""
_OURS = frozenset({"goedels_poetry", "deal", "icontract"})
"""Packages of contracts, whose versions are the installation's."""
_AROUND = (".py", ".pyi", ".toml", ".cfg", ".lock", ".txt")
"""Endings of files that what a program imports may depend on."""


class BadRevision(GoedelsPoetryError):
    """Git does not know the revision, or there is no repository; the message says what to do."""


class Since:
    """The files of repositories as they were at a revision."""

    def __init__(self, revision: str) -> None:
        self._revision = revision
        self._commit = cache(self._read_commit)
        self._changed = cache(self._read_changed)

    def old(self, file: str) -> bytes | None:
        """What a file was; None where there was none. Raises `BadRevision`."""
        folder, name = os.path.split(os.path.abspath(file))
        commit = self._commit(folder)
        found = _git(folder, "cat-file", "blob", f"{commit}:./{name}") if commit else None
        return found.stdout if found is not None and found.returncode == 0 else None

    def is_unchanged(self, path: Path) -> bool:
        """Whether a file, or all in a folder, is what it was. Raises `BadRevision`."""
        files = [file for file in (path, *path.rglob("*")) if file.is_file()]
        if not files:  # a pipe, or nothing
            return False
        folder, name = os.path.split(os.path.realpath(path))
        gone = any(each == name or each.startswith(f"{name}{os.sep}") for each in self._changed(folder))
        return not gone and all(self.old(str(file)) == file.read_bytes() for file in files)

    def may_differ(self, file: str, text: str, language: str, theorems: Sequence[str]) -> list[str]:
        """Those of the ``theorems`` of a file that may mean something else than they did, "" for the only one.

        Args:
            file: its path.
            text: what it says now.
            language: of theorems; of others than Python and SMT-LIB a file is taken as a whole.
            theorems: their names.

        Raises:
            BadRevision: see there.
        """
        data = self.old(file)
        if data is None:
            return list(theorems)
        try:
            old = _decoded(data, language)
        except (GoedelsPoetryError, ValueError):
            return list(theorems)
        if language == "python":
            try:
                return self._of_python(file, old, text, theorems)
            except (SyntaxError, ValueError, RecursionError, MemoryError):  # not Python, or nested too deep
                return list(theorems)
        if language == "lean" and "import" in text and self._others(file):
            return list(theorems)
        if old == text:
            return []
        before, now = (_excerpts(each) for each in (old, text)) if language == "smt" else ({}, {})
        return [name for name in theorems if name not in now or before.get(name) != now[name]]

    def _of_python(self, file: str, old: str, text: str, theorems: Sequence[str]) -> list[str]:
        """Compared as syntax trees: comments and blank lines say nothing."""
        before, now = ast.parse(old), ast.parse(text)
        imported, others = _imported(now), self._others(file)
        around = [path for path in others if path.endswith(_AROUND)]
        free = (_words(now) | _words(before)) & _DYNAMIC or imported & sys.stdlib_module_names - _PURE
        foreign = imported - _OURS - sys.stdlib_module_names or imported & {Path(name).stem for name in around}
        if (free and others) or (foreign and around):
            return list(theorems)
        if free or not all(theorems):
            return [] if ast.dump(before) == ast.dump(now) else list(theorems)
        found = {name: _rests_on(now, name) for name in theorems}
        return [name for name in theorems if found[name] is None or found[name] != _rests_on(before, name)]

    def _others(self, file: str) -> list[str]:
        """Other files of the repository that are new or have changed."""
        folder, name = os.path.split(os.path.realpath(file))
        return [path for path in self._changed(folder) if path != name]

    def _read_commit(self, folder: str) -> str:
        """The commit; "" in a repository that has none yet, where everything is new."""
        found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{self._revision}^{{commit}}")
        if found.returncode == 0:
            return found.stdout.decode().strip()
        if _git(folder, "rev-parse", "--git-dir").returncode != 0:
            raise BadRevision(f"--since {self._revision}: {folder} is in no repository of Git")
        if _git(folder, "rev-parse", "--verify", "--quiet", "HEAD").returncode != 0:
            return ""
        raise BadRevision(f"--since {self._revision}: Git knows no such revision; a shallow clone may lack it")

    def _read_changed(self, folder: str) -> frozenset[str]:
        """Paths, relative to the folder, of what is new or has changed in its repository."""
        commit = self._commit(folder)
        if not commit:
            return _EVERYTHING
        top = _git(folder, "rev-parse", "--show-toplevel").stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        diff = _git(top, "diff", "--name-only", "--no-renames", "-z", commit, "--")
        new = _git(top, "ls-files", "--others", "--exclude-standard", "-z")
        if diff.returncode or new.returncode:
            return _EVERYTHING
        names = (diff.stdout + new.stdout).decode("utf-8", "surrogateescape").split("\0")
        return frozenset(os.path.relpath(os.path.join(top, name), folder) for name in names if name)


def _git(folder: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", folder, *words], capture_output=True, timeout=GIT_SECONDS, check=False)
    except FileNotFoundError:
        raise BadRevision("--since needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise BadRevision(f"git {words[0]} was not done within {GIT_SECONDS:g} s") from None


def _decoded(data: bytes, language: str) -> str:
    if language != "python":
        return data.decode("utf-8")
    from goedels_poetry.python.testing.reading import decode_source
    from goedels_poetry.python.translate.contracts import PythonFault  # only where there is Python

    try:
        return decode_source(data)
    except PythonFault as fault:
        raise ValueError(str(fault)) from None


def _excerpts(text: str) -> dict[str, list[str]]:
    """The goals of an SMT-LIB text, each with the tokens of all that stands before its end."""
    from goedels_poetry.errors import InvalidInput  # only where there is SMT-LIB
    from goedels_poetry.smt.notation.goals import excerpts

    try:
        found = excerpts(text)
    except InvalidInput:
        return {}
    whole = {name: _tokens(part) for name, part in found}
    return whole | ({"": next(iter(whole.values()))} if len(whole) == 1 else {})


def _tokens(text: str) -> list[str]:
    from goedels_poetry.kernel.reading.reader import Atom, SExpr, Source, decode, read

    todo: list[SExpr | str] = list(reversed(read(Source(decode(text)))))
    found = []
    while todo:
        each = todo.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, Atom):
            found.append(f"{each.kind.value} {each.text}")
        else:
            todo += [")", *reversed(each.items), "("]
    return found


def _imported(tree: ast.Module) -> frozenset[str]:
    """The first parts of the names of imported modules, "." for those of its own package."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else (node.module or "").partition(".")[0])
    return frozenset(found)


def _words(node: ast.AST) -> set[str]:
    """All names and attributes that occur in it, and the words of its texts: annotations may be some."""
    found: set[str] = set()
    for each in ast.walk(node):
        for value in (getattr(each, key, None) for key in ("id", "attr", "name", "asname", "arg", "value", "module")):
            if isinstance(value, str):
                found.update(re.findall(r"\w+", value))
    return found


def _rests_on(tree: ast.Module, theorem: str) -> list[str] | None:
    """All that a function or a method rests on, as text in the order of the file; None where there is no such thing.

    Only other functions can be left out, and only those that nothing of the rest names.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    rest = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    named = functions + [node for node in rest if isinstance(node, ast.ClassDef)]
    if theorem.partition(".")[0] not in {node.name for node in named}:
        return None
    known, todo = set[str](), [theorem, *(word for node in rest for word in _words(node))]
    while todo:
        name = todo.pop()
        if name not in known:
            known.add(name)
            todo += [word for node in functions if node.name == name for word in _words(node)]
    return [ast.dump(node) for node in tree.body if not isinstance(node, ast.FunctionDef) or node.name in known]
