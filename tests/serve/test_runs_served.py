"""Runs that are served, to a program and to a browser, and who has access."""

import re
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from browser import Page
from served import SECONDS, THEOREMS, ByHand, Served, serving, wait_for

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.serve.server import MAX_BODY
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode

TRUE = "(declare-const x Int)(assert (not (>= (* x x) 0)))(check-sat)"


def test_a_run_is_started_followed_and_ends_with_its_verdict(served: Served) -> None:
    begun = served.prove("mirror_twice.smt2", seconds=60)
    assert begun.status == 201
    run_id = begun.json()["run_id"]
    events = served.listen(run_id)
    assert events.answer.headers["content-type"].startswith("text/event-stream")
    *updates, (name, _, last) = events.to_the_end()
    assert (name, last) == ("end", {"status": "ended"})
    events.close()
    assert [update["since"] for _, _, update in updates] == [0, *(number for _, number, _ in updates[:-1])]
    with GoedelsPoetryFramework(Settings(home=served.home)) as framework, framework.open_store(run_id) as store:
        assert updates[-1][1] == store.seq
    run = served.ask("GET", f"/api/runs/{run_id}").json()
    assert (run["outcome"], run["name"], run["can_stop"]) == ("proved", "mirror_twice.smt2", False)
    assert run["result"]["trust_level"] == "L3"
    page = served.ask("GET", f"/runs/{run_id}")
    assert page.status == 200
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    again = served.prove("mirror_twice.smt2", seconds=60)
    assert (again.status, again.json()["run_id"]) == (200, run_id)
    assert again.json()["result"]["verdict"] == "proved"
    assert served.reports == []


def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(served: Served) -> None:
    hand = ByHand(served.home, "aaaaaaaaaaaa")
    try:
        with hand.run.lock():
            first = served.listen(hand.run.run_id)
            _, number, update = first.next()
            assert (number, update["since"]) == (1, 0)
            first.close()  # the network went away
            for attempts in (1, 2):
                hand.commit(ProofNode(ROOT, language="toy", queue="prove", attempts=attempts))
            second = served.listen(hand.run.run_id, 0, Last_Event_ID="1")
            _, number, update = second.next()
            assert (number, update["since"]) == (3, 1)
            hand.finish()
            _, number, update = second.next()
            assert (number, update["since"]) == (4, 3)
        assert second.to_the_end()[-1] == ("end", None, {"status": "ended"})
        second.close()
    finally:
        hand.close()


def test_a_damaged_run_is_an_answer_and_not_a_crash(served: Served) -> None:
    run = Runs(served.home).nth("cccccccccccc", 1)
    run.path.mkdir(parents=True)
    run.write_card(run_id=run.run_id, name="damaged", started=1.0)
    run.proof_db.write_bytes(b"no database" * 100)
    assert served.ask("GET", "/runs/cccccccccccc").status == 404
    events = served.listen("cccccccccccc")
    assert events.to_the_end() == [("end", None, {"status": "deleted"})]
    events.close()
    assert any(each["name"] == "damaged" for each in served.ask("GET", "/api/runs").json()["runs"])
    shutil.rmtree(run.path)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"text": TRUE, "models": {"default": {"model": "x"}}}, "models"),
        ({"text": TRUE, "home": "/etc"}, "home"),
        ({"text": TRUE, "out": "/etc"}, "out"),
        ({"text": TRUE, "options": {"file": "/etc/passwd"}}, "options"),
        ({"text": TRUE, "seconds": 301}, "300 at most"),
        ({"text": TRUE, "seconds": 0}, "greater than 0"),
        ({"text": TRUE, "seconds": True}, "seconds"),
        ({"text": TRUE, "seconds": float("inf")}, "seconds"),
        ({"text": TRUE, "language": "perl"}, "no proof language"),
        ({"text": TRUE, "language": ["smt"]}, "valid string"),
        ({"text": TRUE, "fresh": 1}, "valid boolean"),
        ({"text": " \n"}, "empty"),
        ({"text": 7}, "valid string"),
        ({}, "text"),
        ([TRUE], "the body"),
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        ({"text": "(assert"}, "never closed"),
    ],
)
def test_a_client_sets_the_text_the_language_and_the_time_and_nothing_else(
    served: Served, order: Any, words: str
) -> None:
    refused = served.ask("POST", "/api/runs", order)
    assert refused.status == 400
    assert words in refused.json()["error"]


def test_large_bodies_are_refused_unread(served: Served) -> None:
    assert served.ask("POST", "/api/runs", b" " * (MAX_BODY + 1)).status == 413
    refused = served.ask("POST", "/api/runs", b"{}", Content_Type="text/plain")
    assert refused.status == 415


def test_a_label_is_no_path_and_no_language(served: Served) -> None:
    begun = served.ask("POST", "/api/runs", {"text": TRUE, "name": "../../etc/passwd.lean"})
    run = served.end_of(begun.json()["run_id"])
    assert (run["language"], run["verdict"], run["name"]) == ("smt", "proved", "../../etc/passwd.lean")
    with GoedelsPoetryFramework(Settings(home=served.home)) as framework, framework.open_store(run["run_id"]) as store:
        assert store.meta("options").get("file", "") == ""
    assert served.ask("POST", "/api/runs", {"text": TRUE, "theorem": 3}).status == 400
    assert Path(run["result"]["certificate"]).is_relative_to(served.home)


def test_runs_stop_alone_and_there_are_only_so_many(tmp_path: Path) -> None:
    with serving(tmp_path, runs=1) as served:
        run_id = served.prove("odd_perfect.smt2").json()["run_id"]
        assert served.ask("GET", f"/api/runs/{run_id}").json()["can_stop"] is True
        refused = served.prove("average.smt2")
        assert (refused.status, "no more" in refused.json()["error"]) == (429, True)
        assert served.ask("GET", f"/api/runs/{run_id}/stop").status == 405
        assert served.ask("POST", f"/api/runs/{run_id}/stop").status == 202
        run = served.end_of(run_id)
        assert (run["status"], run["verdict"]) == ("stopped", "out_of_budget")
        assert "stopped in the browser" in run["reason"]
        wait_for(lambda: served.ask("POST", f"/api/runs/{run_id}/stop").status == 409)


HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "javascript:document.title='taken'",
    "\u202etxt.exe \x00 \x1b[31m ]]> --> &lt;b&gt; \udcff",
    "x" * 5_000,
)


def opened(page: Page, served: Served) -> Page:
    page.allowed = (f"127.0.0.1:{served.key.port}",)
    page.open(served.key.url)
    page.until(lambda: page.text("#count"), "the list")
    assert page.js("return location.href") == f"http://127.0.0.1:{served.key.port}/"
    assert page.js("return document.cookie") == ""
    return page


def test_a_theorem_is_pasted_proved_and_watched(served: Served, browser_page: Page) -> None:
    page = opened(browser_page, served)
    page.type("#text", (THEOREMS / "mirror_twice.smt2").read_text("utf-8"))
    page.type("#name", "twice <b>mirrored")
    page.type("#seconds", "60")
    page.click("#start")
    page.until(lambda: page.js("return location.pathname").startswith("/runs/"), "the page of the run")
    page.until(lambda: "proved" in page.text("body") and "ended" in page.text("body"), "the verdict")
    assert "twice <b>mirrored" in page.text("body")
    page.open(f"http://127.0.0.1:{served.key.port}/")
    page.until(lambda: "proved" in page.text("#runs"), "the run in the list")
    assert "twice <b>mirrored" in page.text("#runs")


def test_texts_of_runs_are_shown_and_never_executed(served: Served, browser_page: Page) -> None:
    hands = [ByHand(served.home, f"{number:012x}", name) for number, name in enumerate(HOSTILE, 0xF00000)]
    page = opened(browser_page, served)
    for name in HOSTILE[:4]:
        page.until(lambda name=name: any(name in text for text in page.texts("td.theorem")), name)
    assert page.all("#runs script, #runs img") == []
    page.type("#match", "taken")
    page.until(lambda: len(page.texts("td.theorem")) == 4, "the search")
    for hand in hands:
        page.open(f"http://127.0.0.1:{served.key.port}/runs/{hand.run.run_id}")
        page.until(lambda: page.js("return document.body.dataset.ready"), "the page of the run")
        page.until(lambda: "ended" in page.text("body"), "the end of the updates")
        assert page.js("return document.title") != "taken"
        assert page.all("img") == []
        hand.close()


def test_a_run_of_another_process_goes_on_before_ones_eyes(served: Served, browser_page: Page) -> None:
    hand = ByHand(served.home, "0ddba11f00d5", "somebody else's run")
    page = opened(browser_page, served)
    with hand.run.lock():
        page.until(lambda: "running" in page.text("#runs"), "the run in the list")
        page.open(f"http://127.0.0.1:{served.key.port}/runs/{hand.run.run_id}")
        page.until(lambda: page.js("return window.goedelsPoetry?.seq()") == 1, "its first commit")
        assert page.all("#stop") == [], "it is not this server's to stop"
        hand.commit(ProofNode(ROOT, language="toy", queue="decide", attempts=1))
        page.until(lambda: page.js("return goedelsPoetry.seq()") == 2, "a commit")
        hand.commit(ProofNode(ROOT, language="toy", status=NodeStatus.PROVED))
        page.until(lambda: page.js("return goedelsPoetry.seq()") == 3, "the last commit")
    page.until(lambda: "ended" in page.text("body"), "the end")
    hand.close()


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
