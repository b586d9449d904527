"""Prompt templates: Markdown files with ``{{ name }}`` in them, and nothing else that means anything.

Braces, backslashes, dollar and per cent signs of mathematics stay as they are, in templates and in values; a
value is never looked at for further variables. A template may begin with a system message, ended by a line that
is exactly ``<!-- user -->``. A user's folder may hold a file of the same name, which is then used instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.files import is_no_file

_VARIABLE = re.compile(r"\{\{ *([A-Za-z_][A-Za-z0-9_]*) *\}\}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_USER = re.compile(r"^<!-- user -->[ \t]*\r?\n", re.MULTILINE)
MAX_TEMPLATE_BYTES = 1_000_000


class PromptError(GoedelsPoetryError):
    """A template is missing, unreadable, or asks for a variable that it was not given."""


@dataclass(frozen=True)
class Template:
    """One prompt as it was read."""

    name: str
    text: str
    source: str
    """The file, for messages."""

    @cached_property
    def version(self) -> str:
        """First 12 hexadecimal digits of the hash of the text."""
        return sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names that must be given."""
        return frozenset(_VARIABLE.findall(self.text))

    def render(self, values: Mapping[str, str]) -> str:
        """The text with every variable replaced, once and from left to right.

        Raises:
            PromptError: a variable has no value. Values that the template does not mention are fine.
        """
        missing = sorted(self.variables - values.keys())
        if missing:
            given = ", ".join(sorted(values)) or "none"
            raise PromptError(f"prompt {self.source} needs {', '.join(missing)}; the variables are: {given}")
        return _VARIABLE.sub(lambda found: str(values[found[1]]), self.text)

    def messages(self, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The filled-in template as ``(("system", ...), ("user", ...))``, or only the latter."""
        # The mark is looked for in the template, not in the result: a value cannot bring one along.
        parts = _USER.split(self.text, maxsplit=1)
        self.render(values)
        texts = [Template(self.name, part, self.source).render(values).strip() for part in parts]
        roles = ("system", "user") if len(texts) == 2 else ("user",)
        return tuple((role, text) for role, text in zip(roles, texts, strict=True) if text)


class Prompts:
    """The templates of this installation, those of ``folder`` first. Each file is read once."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folders = [folder.expanduser()] if folder is not None else []
        self._folders.append(packaged())
        self._read: dict[str, Template] = {}

    def get(self, name: str) -> Template:
        """The template of that name (without ``.md``); raises :class:`PromptError`."""
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def check(self) -> None:
        """Read the user's prompts now; raises :class:`PromptError` when one cannot be read, or the folder is none."""
        for folder in self._folders[:-1]:
            if not folder.is_dir():
                raise PromptError(f"there is no folder of prompts {folder}")
            for file in sorted(folder.glob("*.md")):
                if _NAME.fullmatch(file.stem):
                    self.get(file.stem)

    def names(self) -> tuple[str, ...]:
        """Every prompt that could be asked for."""
        found = {file.stem for folder in self._folders if folder.is_dir() for file in folder.glob("*.md")}
        return tuple(sorted(found - {"README"}))

    def _load(self, name: str) -> Template:
        if not _NAME.fullmatch(name):
            raise PromptError(f"{name!r} is not the name of a prompt")
        for folder in self._folders:
            file = folder / f"{name}.md"
            try:
                if is_no_file(file):
                    raise PromptError(f"prompt {file} is no file")
                if file.stat().st_size > MAX_TEMPLATE_BYTES:
                    raise PromptError(f"prompt {file} is larger than {MAX_TEMPLATE_BYTES} bytes")
                return Template(name, file.read_text(encoding="utf-8"), str(file))
            except FileNotFoundError:
                continue
            except (OSError, UnicodeDecodeError) as problem:
                raise PromptError(f"prompt {file} cannot be read: {problem}") from problem
        raise PromptError(f"there is no prompt {name}.md in {' or '.join(map(str, self._folders))}")


def packaged() -> Path:
    """The folder that came with the program: inside the package when installed, beside it in a source tree."""
    package = Path(__file__).parents[1]
    inside = package / "data" / "prompts"
    return inside if inside.is_dir() else package.parent / "data" / "prompts"
