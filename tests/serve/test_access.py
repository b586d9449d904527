"""Nobody without the token gets anything, and no other page of the browser can use what it has."""

import re
import socket
from pathlib import Path

import pytest
from served import SECONDS, Served, serving

ADDRESSES = (
    ("GET", "/"),
    ("GET", "/assets/runs.js"),
    ("GET", "/runs/0123456789ab"),
    ("GET", "/api/runs"),
    ("POST", "/api/runs"),
    ("GET", "/api/runs/0123456789ab/events"),
    ("POST", "/api/runs/0123456789ab/stop"),
    ("OPTIONS", "/api/runs"),
    ("GET", "/nothing"),
)


def cookie_of(served: Served) -> dict[str, str]:
    """What a browser sends that has opened the printed address."""
    opened = served.ask("GET", f"/?token={served.key.token}", token=None)
    assert opened.status == 200
    value, *attributes = opened.headers["set-cookie"].split("; ")
    assert {a.lower() for a in attributes} == {"httponly", "path=/", "samesite=strict"}
    assert served.key.token not in opened.body.decode()
    return {"Cookie": value}


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
def test_every_address_needs_the_token(served: Served, method: str, path: str) -> None:
    wrong = ("x" * 43, served.key.token[:-1], served.key.token + "x", "ü")
    for token in (None, *wrong):
        assert served.ask(method, path, token=token and token.encode().decode("latin-1")).status == 403
    assert served.ask(method, f"{path}?token={served.key.token}", token=None).status == (200 if path == "/" else 403)
    assert served.ask(method, path, token=None, Cookie=f"{served.key.cookie}=guessed; x").status == 403


def test_the_server_listens_on_loopback_alone(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.key.port), timeout=SECONDS) as connection:
        assert connection.getpeername()[0] == "127.0.0.1"
    with socket.socket() as other:  # the port is free on every other address of the machine
        other.bind(("127.0.0.2", served.key.port))


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
def test_a_name_that_leads_here_is_not_enough(served: Served, host: str) -> None:
    named = host.format(port=served.key.port)
    for path in ("/api/runs", f"/?token={served.key.token}"):
        refused = served.ask("GET", path, Host=named)
        assert refused.status == 403
        assert "set-cookie" not in refused.headers
    assert served.ask("GET", "/api/runs", Host=f"localhost:{served.key.port}").status == 200


def test_the_key_of_one_server_does_not_open_another(served: Served, tmp_path: Path) -> None:
    with serving(tmp_path) as other:
        assert other.key.token != served.key.token
        assert served.ask("GET", "/api/runs", token=other.key.token).status == 403
        assert other.ask("GET", "/api/runs", token=None, **cookie_of(served)).status == 403


def test_a_page_of_somebody_else_cannot_use_the_cookie(served: Served) -> None:
    cookie = cookie_of(served)
    ours = f"http://127.0.0.1:{served.key.port}"
    assert served.ask("GET", "/api/runs", token=None, **cookie).status == 200
    assert served.ask("GET", "/api/runs", token=None, **cookie, Sec_Fetch_Site="same-origin").status == 200
    for site in ("cross-site", "same-site"):  # same-site: another server on another port of 127.0.0.1
        assert served.ask("GET", "/api/runs", token=None, **cookie, Sec_Fetch_Site=site).status == 403
    order = {"text": ""}
    assert served.ask("POST", "/api/runs", order, token=None, **cookie, Origin=ours).status == 400
    for origin in ("http://evil.example", "http://127.0.0.1:1", "null", ours.replace("http", "https")):
        assert served.ask("POST", "/api/runs", order, token=None, **cookie, Origin=origin).status == 403
        assert served.ask("GET", "/api/runs", token=None, **cookie, Origin=origin).status == 403
        assert served.ask("POST", "/api/runs", order, Origin=origin).status == 403
    assert served.ask("POST", "/api/runs", order, token=None, **cookie).status == 403


def test_every_answer_forbids_what_pages_could_do(served: Served) -> None:
    for method, path, token in (("GET", "/", ""), ("GET", "/api/runs", ""), ("GET", "/x", ""), ("GET", "/", None)):
        headers = served.ask(method, path, token=token).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "access-control-allow-origin" not in headers
    page = served.ask("GET", "/").body.decode()
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert not re.search(r"\son\w+=|style=", page)


@pytest.mark.parametrize(
    "run_id",
    [
        "..",
        "../../etc/passwd",
        "%2e%2e%2f%2e%2e%2fetc",
        "..%2f..%2fetc",
        ".trash",
        "%00",
        "0",
        "a" * 5_000,
        "%ff",
        "lock",
    ],
)
def test_an_id_is_never_a_path(served: Served, run_id: str) -> None:
    for address in (f"/runs/{run_id}", f"/api/runs/{run_id}", f"/api/runs/{run_id}/events", f"/assets/{run_id}"):
        refused = served.ask("GET", address)
        assert refused.status == 404, address
        assert "error" in refused.json()
