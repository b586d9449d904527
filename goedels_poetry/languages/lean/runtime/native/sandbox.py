"""What a native Lean may reach: bounded memory always; with bubblewrap no network and no file but its own, to read."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from goedels_poetry.languages.lean.runtime.native.find import Toolchain

NO_SANDBOX = (
    "Lean runs without a sandbox: what a Lean file does while it is checked, it does with your rights. "
    "Install bubblewrap (bwrap) to keep it from your files and the network."
)
DATA_HEADROOM_MB = 4096
"""Beyond Lean's own limit: stacks of threads, and what its allocator has reserved and not used."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/ld.so.conf")
_PROBE_SECONDS = 10.0
# The limit counts what the process can write, not the libraries that it maps; `-M` below it lets Lean say so itself.
_BOUNDED = 'ulimit -d "$0" && exec "$@"'


def lean_command(toolchain: Toolchain, program: Path, memory_mb: int) -> tuple[list[str], bool]:
    """The command that runs a Lean program, and whether it is in a sandbox.

    Nothing of our environment is handed on but search paths: keys and tokens stay here.
    """
    lean = [str(toolchain.lean), "-M", str(memory_mb), "--run", str(program)]
    bounded = ["/bin/sh", "-c", _BOUNDED, str((memory_mb + DATA_HEADROOM_MB) * 1024), *lean]
    variables = {
        **toolchain.environment,
        "LEAN_SYSROOT": str(toolchain.root),
        "PATH": os.pathsep.join([str(toolchain.root / "bin"), "/usr/bin", "/bin"]),
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
    }
    walls = _walls(toolchain, program, variables)
    if walls:
        return [*walls, *bounded], True
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items()), *bounded], False


def _walls(toolchain: Toolchain, program: Path, variables: dict[str, str]) -> list[str]:
    """The beginning of a command that runs the rest of it in bubblewrap; [] where that does not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return []
    seen = [*(["--ro-bind-try", path, path] for path in _SYSTEM), ["--proc", "/proc"], ["--dev", "/dev"]]
    seen += [["--tmpfs", "/tmp"]]
    seen += [["--ro-bind-try", str(path), str(path)] for path in (*toolchain.readable, program)]
    where = str(toolchain.folder) if toolchain.project else "/"
    settings = [word for name, value in variables.items() for word in ("--setenv", name, value)]
    walls = [bwrap, "--unshare-all", "--die-with-parent", "--clearenv", *settings]
    walls += [word for words in seen for word in words] + ["--chdir", where, "--"]
    try:
        probe = subprocess.run([*walls, "/bin/sh", "-c", ":"], capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return walls if probe.returncode == 0 else []
