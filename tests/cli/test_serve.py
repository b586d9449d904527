"""`serve` as a command: the address that it prints, Ctrl-C, and what it says when it cannot begin."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest


def test_ctrl_c_ends_it_and_its_runs_can_be_resumed(cli: Any, home: Path, theorems: Path) -> None:
    import os

    env = os.environ | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        [sys.executable, "-m", "goedels_poetry", "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    url = urlsplit(process.stdout.readline().strip())
    assert (url.hostname, url.path) == ("127.0.0.1", "/")
    assert "Ctrl-C" in process.stdout.readline()
    client = http.client.HTTPConnection("127.0.0.1", url.port or 0, timeout=60)
    hard = (theorems / "odd_perfect.smt2").read_text("utf-8")
    headers = {"Authorization": f"Bearer {url.query.partition('=')[2]}", "Content-Type": "application/json"}
    client.request("POST", "/api/runs", json.dumps({"text": hard, "name": "odd"}), headers)
    begun = client.getresponse()
    assert begun.status == 201
    run_id = json.loads(begun.read())["run_id"]
    client.close()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out == ""
    (run,) = cli("runs", "--json").objects()
    assert (run["run_id"], run["status"], run["verdict"]) == (run_id, "stopped", "out_of_budget")
    (again,) = cli("prove", theorems / "odd_perfect.smt2", "--resume", "--timeout", "1", "--json").objects()
    assert again["run_id"] == run_id


def test_a_port_that_is_taken_is_a_line(cli: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = cli("serve", "--port", str(taken.getsockname()[1]))
    assert ran.code == 2
    assert "--port 0" in ran.err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(cli: Any, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith(("goedels_poetry.serve", missing))]:
        monkeypatch.delitem(sys.modules, name)
    import goedels_poetry

    monkeypatch.delattr(goedels_poetry, "serve", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    ran = cli("serve")
    assert (ran.code, "pip install starlette uvicorn" in ran.err) == (2, True)
    assert missing in ran.err
