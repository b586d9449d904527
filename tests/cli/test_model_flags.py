"""Flags and files for language models that are wrong: one clear line, the right exit code, nothing half-written."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Server
from scripted_models import DOUBLE, every_role

QUICK = {"GOEDELS_POETRY__SYMBOLIC_QUERIES": "0", "GOEDELS_POETRY__MODELS__DEFAULT__RETRIES": "0"}


@pytest.fixture(autouse=True)
def theorem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "double.smt2").write_text(DOUBLE, "utf-8")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(every_role) as server:
        yield server


def refused(ran: Any, home: Path, *words: str) -> None:
    """One line that says what is wrong; no run was begun."""
    assert ran.code == 2
    assert ran.out == ""
    (line,) = ran.err.splitlines()
    for word in words:
        assert word in line
    assert not (home / "runs").exists()


@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "not a url", "ftp://host/v1", "http://", "http://host:port/v1", "http://[::1/v1"]
)
def test_an_address_that_is_none(cli: Any, home: Path, url: str) -> None:
    ran = cli("prove", "double.smt2", "-q", "--model", "m", "--base-url", url)
    refused(ran, home, "--base-url", "is not an address")


@pytest.fixture
def hangs_up() -> Iterator[int]:
    """The port of a server that ends every connection at once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    listener.accept()[0].close()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("secure", [False, True])
def test_a_server_that_never_answers_is_named_with_the_reason(
    cli: Any, server: Server, hangs_up: int, secure: bool
) -> None:
    url = f"https://127.0.0.1:{hangs_up}/v1" if secure else "http://127.0.0.1:9/v1"
    ran = cli("prove", "double.smt2", "--json", "-q", "--model", "mödel", "--base-url", url, env=QUICK)
    (result,) = ran.objects()
    assert (ran.code, result["verdict"]) == (1, "unknown")
    (warning,) = result["warnings"]
    assert warning.startswith(f"no answer from mödel at {url}: the connection failed")
    assert server.calls == 0
