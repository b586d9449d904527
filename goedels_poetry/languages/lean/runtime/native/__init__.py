"""A native Lean: the user's own toolchain and project, behind a driver program of ours that the toolchain runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goedels_poetry.languages.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.languages.lean.runtime.kimina_text import header_lines
from goedels_poetry.languages.lean.runtime.native.find import Toolchain, find_toolchain, project_above
from goedels_poetry.languages.lean.runtime.native.sandbox import NO_SANDBOX, lean_command
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest, ReplayResult
from goedels_poetry.solvers.child import executable_command

DRIVER = Path(__file__).with_name("Driver.lean")
HEADER_SECONDS = 120.0
"""To read the imports of a text for the first time: Mathlib from a cold disk takes a minute."""
MEMORY_MB = 8192
GRACE_SECONDS = 0.1


class NativeLean(DrivenLean):
    """One process of the toolchain. A time-out kills it, with all that it has started; the next request starts another.

    The first request with imports that this process has not read may take ``header_seconds`` more than its limit.
    """

    def __init__(self, command: list[str], header_seconds: float = HEADER_SECONDS) -> None:
        super().__init__(command, grace=GRACE_SECONDS, group=True)
        self._header_seconds = header_seconds
        self._read: tuple[int, set[str | tuple[str, ...]]] = (0, set())
        """How often the process had been started, and the imports that this one has read: headers of texts, and modules
        on top of which declarations are added."""

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`."""
        fault = self._read_header(request.prefix + request.code)
        return fault if fault is not None else super().check(request)

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`."""
        if not self._has_read(request.modules):
            nothing = super().replay(ReplayRequest(request.modules, "", seconds=self._header_seconds))
            if nothing.status != "done" or nothing.failed:
                return nothing
            self._note_read(request.modules)
        return super().replay(request)

    def evaluate(self, prefix: str, terms: list[str], arguments: list[list[str]], seconds: float) -> Any:
        """As `LeanRuntime.evaluate`."""
        if self._read_header(prefix) is not None:
            return [[None] * len(arguments) for _ in terms]
        return super().evaluate(prefix, terms, arguments, seconds)

    def _read_header(self, text: str) -> CheckResult | None:
        """Have the process read the imports of a text; what happened when it could not."""
        header = "\n".join(line for line in header_lines(text.replace("\r\n", "\n").split("\n")) if line)
        if self._has_read(header):
            return None
        result = super().check(CheckRequest(header, seconds=self._header_seconds))
        if result.status != "done":
            return CheckResult(result.status, f"while reading the imports: {result.error}", seconds=result.seconds)
        self._note_read(header)
        return None

    def _has_read(self, imports: str | tuple[str, ...]) -> bool:
        starts, read = self._read
        return starts == self.starts and imports in read

    def _note_read(self, imports: str | tuple[str, ...]) -> None:
        starts, read = self._read
        self._read = (self.starts, {imports} | (read if starts == self.starts else set()))


def native_pool(
    project: Path | None = None,
    size: int = 1,
    seconds: float = HEADER_SECONDS,
    memory_mb: int = MEMORY_MB,
    *,
    start: Path | None = None,
    warn: Callable[[str], None] = warnings.warn,
) -> LeanPool:
    """A pool of native Leans in a lake project, or of the toolchain alone where there is no project.

    Args:
        project: the project's folder; else ``LEAN_PROJECT_PATH``, else the project around ``start``.
        size: at most so many processes.
        seconds: for the reading of imports that a process has not read yet, beyond a request's own limit.
        memory_mb: of each process.
        start: where to look for a project from, upwards; the working directory by default.
        warn: told in one sentence when there is no sandbox.

    Raises:
        LeanUnavailable: there is no toolchain; what is missing and what to do.
    """
    toolchain = find_toolchain(project, start)
    command, walled = lean_command(toolchain, DRIVER, memory_mb)
    if not walled:
        warn(NO_SANDBOX)
    bound = executable_command(*command, address_space=0)
    return LeanPool("native", toolchain.version, lambda: NativeLean(bound, seconds), size)


__all__ = [
    "DRIVER",
    "LeanUnavailable",
    "NativeLean",
    "Toolchain",
    "find_toolchain",
    "native_pool",
    "project_above",
]
