"""What an error says about itself: its exception, where it was raised, which tests it names; or just words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)(?:, in (\S+))?', re.MULTILINE)
_PYTEST_PLACE = re.compile(r"^(\S+\.py):(\d+): (?:in (\S+)|([A-Z]\w*))\s*$", re.MULTILINE)
_PYTEST_LINE = re.compile(
    r"^E\s+([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Iteration))\b(?:: ?(.*))?$", re.M
)
_LAST_LINE = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
_NAMED = re.compile(r"\b([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Iteration))\b")
_TESTS = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\S+)?)(?: - .*)?$", re.MULTILINE)
_UNITTEST = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Symptom:
    """An error as it was described."""

    exception: str = ""
    """Name of the exception, without its module."""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    """Outermost first."""
    tests: tuple[str, ...] = ()
    """Tests that it names."""
    raised: bool = False
    """Whether it is what Python or a test runner printed; otherwise somebody's words."""

    @property
    def is_syntax(self) -> bool:
        """Whether the file cannot be compiled."""
        return self.exception in _SYNTAX


def symptom_of(text: str) -> Symptom:
    """What a description of an error says."""
    text = text.replace("\r\n", "\n")
    tests = tuple(dict.fromkeys([*_TESTS.findall(text), *(f"{b}" for _, b in _UNITTEST.findall(text))]))
    frames = tuple(Frame(f, int(n), name or "") for f, n, name in _FRAME.findall(text))
    if _TRACEBACK in text or frames:
        exception, message = _behind_frames(text)
        if exception:
            return Symptom(exception, message, _last_traceback(text) or frames, tests, raised=True)
    lines = _PYTEST_LINE.findall(text)
    if lines:
        places = tuple(Frame(f, int(n), name) for f, n, name, _ in _PYTEST_PLACE.findall(text))
        name, message = lines[-1]
        return Symptom(name.rpartition(".")[2], message.strip(), places, tests, raised=True)
    if tests:
        return Symptom(tests=tests, raised=True)
    whole = _LAST_LINE.match(text.strip())
    if whole and _NAMED.fullmatch(whole[1].rpartition(".")[2]) and "\n" not in text.strip():
        return Symptom(whole[1].rpartition(".")[2], (whole[2] or "").strip())
    named = _NAMED.search(text)
    return Symptom(named[1] if named else "")


def _behind_frames(text: str) -> tuple[str, str]:
    """The exception of the last traceback: the first line behind its frames that is not indented."""
    last = text[text.rfind(_TRACEBACK) :] if _TRACEBACK in text else text
    seen = False
    for line in last.splitlines():
        line = re.sub(r"^\s*[|+] ?", "", line)
        if _FRAME.match(line):
            seen = True
        elif seen and line and not line[0].isspace():
            found = _LAST_LINE.match(line.strip())
            if found:
                return found[1].rpartition(".")[2], (found[2] or "").strip()
    return "", ""


def _last_traceback(text: str) -> tuple[Frame, ...]:
    last = text[text.rfind(_TRACEBACK) :] if _TRACEBACK in text else text
    return tuple(Frame(f, int(n), name or "") for f, n, name in _FRAME.findall(last))


def innermost(frames: Iterable[Frame], files: Iterable[str]) -> Frame | None:
    """The last frame in one of a project's files, its name as it is there."""
    known = list(files)
    for frame in reversed(list(frames)):
        named = project_file(frame.file, known)
        if named:
            return Frame(named, frame.line, frame.function)
    return None


def project_file(path: str, files: Iterable[str]) -> str:
    """Which of a project's files a path of a traceback means: the longest that it ends with; "" for none."""
    wanted = PurePosixPath(path.replace("\\", "/"))
    found = [name for name in files if wanted.parts[-len(PurePosixPath(name).parts) :] == PurePosixPath(name).parts]
    return max(found, key=len, default="")


def is_same_error(symptom: Symptom, message: str, text: str, frame: Frame | None) -> bool:
    """Whether a failure is the error: its exception, and the place where that is raised.

    Args:
        symptom: the error.
        message: ``Exception: words`` of the failure.
        text: its traceback.
        frame: the error's innermost frame in the project; the function counts, the line may have moved.
    """
    name = re.split(r"[:(\s]", message.strip(), maxsplit=1)[0].rpartition(".")[2]
    if symptom.exception and name != symptom.exception:
        return False
    if frame is None or not frame.function or frame.function.startswith("<"):
        return bool(symptom.exception)
    return frame.function in re.findall(r"\w+", text)
