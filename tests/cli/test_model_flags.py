"""Models on the command line: flags that name them, and what they cost."""

import contextlib
import json
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
def theorem(tmp_path: Path) -> None:
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
    assert (ran.code, result["verdict"], result["error"]["kind"]) == (69, None, "away")
    (warning,) = result["warnings"]
    assert warning.startswith(f"no answer from mödel at {url}: the connection failed")
    assert server.calls == 0


@pytest.fixture
def asking(tmp_path: Path, home: Path, server: Server) -> list[str]:
    """Arguments of a run with the scripted model, which costs a dollar a thousand tokens."""
    home.mkdir()
    (home / "prices.toml").write_text("[models.scripted]\ninput = 1000.0\noutput = 1000.0\n", "utf-8")
    (tmp_path / "double.smt2").write_text(DOUBLE, "utf-8")
    return ["prove", "double.smt2", "--json", "-q", "--model", "scripted", "--base-url", server.url]


def test_a_run_shows_what_its_models_cost_by_role_and_by_goal(cli: Any, asking: list[str], server: Server) -> None:
    (result,) = cli(*asking, env=QUICK).objects()
    assert result["verdict"] == "proved"
    models = result["metrics"]["models"]
    assert models["calls"] == server.calls
    shown = cli("show", result["run_id"])
    assert f"models: {models['calls']} calls, {models['tokens_in']:,} tokens in, " in shown.out
    assert f"${models['money']:.4f}" in shown.out
    for role, spent in models["by_role"].items():
        assert f"  {role}: {spent['calls']} calls" in shown.out
    assert "readings found (" in shown.out, "and how often the caches helped"
    page = json.loads(cli("show", result["run_id"], "--json").out)
    assert sum(cost.get("model_calls", 0) for cost in page["costs"].values()) == server.calls
    assert sum(cost.get("money", 0) for cost in page["costs"].values()) == pytest.approx(models["money"])
    root = page["nodes"][0]["models"]
    assert root["calls"] == page["costs"]["0"]["model_calls"] > 0
    assert "sketcher" in root["by_role"]
    begun = json.loads(cli("show", result["run_id"], "--json", "--at", "1").out)
    assert begun["costs"] == {}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("flag", "larger"), [("--max-model-calls 3", "6"), ("--max-model-tokens 1500", "3000"), ("--max-money 1.5", "3")]
)
def test_a_limit_on_models_ends_with_5_and_the_command_that_it_names_goes_on(
    cli: Any, asking: list[str], flag: str, larger: str
) -> None:
    name, limit = flag.split()
    stopped = cli(*asking, name, limit, env=QUICK)
    (result,) = stopped.objects()
    assert (stopped.code, result["verdict"]) == (5, "out_of_budget")
    assert "can be resumed with a larger budget" in result["reason"]
    command = result["resume"].split()
    assert command[:2] == ["goedels-poetry", "prove"]
    assert command[-2:] == [name, larger]
    again = cli(*command[1:], "--json", "-q", env=QUICK)
    (more,) = again.objects()
    assert more["run_id"] == result["run_id"]
    assert more["metrics"]["models"]["calls"] > result["metrics"]["models"]["calls"], "it went on"
    (whole,) = cli(*command[1:-1], "1000000", "--json", "-q", env=QUICK).objects()
    assert (whole["verdict"], whole["run_id"]) == ("proved", result["run_id"])
