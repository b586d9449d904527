"""A PostgreSQL server of the tests' own: real, on loopback, with a password, in a folder that goes with it.

The programs are those of the Debian package ``postgresql``. The server refuses to run as root; then it runs as the user
that the package has made.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

PASSWORD = "a quite secret word"
USER = "prover"


def programs() -> Path | None:
    """The folder of the newest server that is installed; None where there is none."""
    there = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if there:
        return there[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class Server:
    """Started when it is made; `stop` and `start` as often as wanted; `close` at the end."""

    def __init__(self) -> None:
        found = programs()
        assert found is not None
        self._programs = found
        self._as: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        self.folder = Path(tempfile.mkdtemp(prefix="gp-postgres-"))
        (self.folder / "password").write_text(PASSWORD)
        if self._as:
            shutil.chown(self.folder, **self._as)
            shutil.chown(self.folder / "password", **self._as)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = ("--username", USER, "--pwfile", str(self.folder / "password"), "--auth=scram-sha-256", "--no-sync")
        self._run("initdb", "-D", str(self.folder / "data"), *words, "--encoding=UTF8", "--no-locale")
        self.start()

    def url(self, password: str = PASSWORD, database: str = "postgres", user: str = USER) -> str:
        secret = f":{password.replace(' ', '%20')}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        settings = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories= -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-l", log, "-o", settings, "-w", "start")

    def stop(self) -> None:
        """As an administrator stops it: whoever is connected is cut off."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "fast", "-w", "stop")

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            **self._as,
        )
