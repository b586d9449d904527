"""What `doctor` says about Lean: which kinds there are, which one is asked and, with ``--call``, if it answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time

from goedels_poetry.cli.finding import Finding
from goedels_poetry.languages.lean.runtime.driven import LeanUnavailable
from goedels_poetry.languages.lean.runtime.embedded import (
    AGAIN,
    LEAN_VERSION,
    cache_folder,
    damage,
    is_installed,
    misnamed,
    node_program,
)
from goedels_poetry.languages.lean.runtime.opening import kind_in_use, open_lean
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import CheckRequest
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.trace.terminal import one_line

INSTALL = "goedels-poetry lean install"
TOOLCHAIN = "elan installs one, and the embedded Lean needs none"
_THEOREM = "theorem t (a b : Nat) : a + b = b + a := by omega"
_NODE_SECONDS = 20.0


def look_at_lean(settings: LeanSettings, *, call: bool) -> list[Finding]:
    """One line a kind, and one about the Lean that proofs would be checked with. Nothing is fetched."""
    try:
        kind = kind_in_use(settings)
    except OSError as problem:
        return [Finding("lean", str(problem), ok=False)]
    address = settings.kimina_url
    kimina = Finding("lean kimina", address or "no address configured", installed=bool(address))
    found = [_embedded(), _native(), kimina]
    if call and (kind != "embedded" or is_installed()):
        return [*found, asyncio.run(_answer(settings))]
    if kind == "embedded" and not is_installed():
        none = one_line(misnamed()) or f"none yet; the first use fetches it, or {INSTALL}"
        return [*found, Finding("lean in use", none, installed=False)]
    return [*found, Finding("lean in use", kind)]


def _embedded() -> Finding:
    folder = cache_folder()
    if wrong := damage(folder):
        return Finding("lean embedded", f"damaged, run {AGAIN}: {wrong}", ok=False)
    try:
        node = subprocess.run(
            [str(node_program()), "--version"], capture_output=True, text=True, timeout=_NODE_SECONDS, check=True
        )
    except LeanUnavailable as missing:
        return Finding("lean embedded", f"not installed: {missing}", installed=False)
    except (OSError, subprocess.SubprocessError) as problem:
        return Finding("lean embedded", f"Node does not run: {problem}", ok=False)
    where = f"Node {node.stdout.strip()}, {folder}"
    if not is_installed(folder):
        return Finding("lean embedded", f"not installed, not fetched yet: {INSTALL}, {where}", installed=False)
    return Finding("lean embedded", f"{LEAN_VERSION}, {where}")


def _native() -> Finding:
    programs = [name for name in ("lake", "lean") if shutil.which(name)]
    project = os.environ.get("LEAN_PROJECT_PATH")
    named = f", LEAN_PROJECT_PATH {project}" if project else ""
    if not programs:
        return Finding("lean native", f"not installed: no toolchain on the path{named}; {TOOLCHAIN}", installed=False)
    return Finding("lean native", f"{' and '.join(programs)} on the path{named}")


async def _answer(settings: LeanSettings) -> Finding:
    """One real check, from starting Lean to its verdict."""
    pool: LeanPool | None = None
    try:
        began = time.monotonic()
        pool = await asyncio.to_thread(open_lean, settings, 1)
        result = await pool.check(CheckRequest(_THEOREM))
        seconds = time.monotonic() - began
    except LeanUnavailable as problem:
        return Finding("lean in use", str(problem), ok=False)
    finally:
        if pool is not None:
            await pool.aclose()
    what = f"{pool.kind} {pool.version}"
    if not result.ok:
        why = result.error or result.errors[0].text
        return Finding("lean in use", f"{what} does not work: {result.status} {why}", ok=False)
    return Finding("lean in use", f"{what}, a small theorem checked {seconds:.1f} s after the start")
