"""The tools for agents, through the official client: over standard input and output, and over HTTP."""

import asyncio
import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Literal

import httpx2
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, RequestParams, Result

from goedels_poetry.files import shipped
from goedels_poetry.interfaces.tools import _of_run
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import OpenGoal, RunResult
from goedels_poetry.store.runs import Runs

ROOT = Path(__file__).parents[2]
THEOREMS = ROOT / "theorems"
TRUE = "(declare-const x Int)\n(assert (> x 1))\n(assert (not (> x 0)))\n(check-sat)\n"
FALSE = "(declare-const x Int)\n(assert (not (> x 0)))\n(check-sat)\n"
WORDS = "(prove (forall ((a String) (b String)) (=> (str.prefixof a b) (<= (str.len a) (str.len b)))))\n"
LONG = "smt/odd_perfect.smt2"
"""Nobody knows whether it holds."""


def program(*more: str) -> list[str]:
    return [sys.executable, "-m", "goedels_poetry", "mcp", "--root", str(THEOREMS), *more]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}


@contextlib.asynccontextmanager
async def agent(home: Path, *more: str, **given: Any) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    command, *arguments = program(*more)
    server = StdioServerParameters(command=command, args=arguments, env=environment(home))
    async with Client(stdio_client(server), **given) as client:
        yield client


@contextlib.contextmanager
def served(home: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server over HTTP: its process, address and token."""
    line = program("--http", "127.0.0.1:0")
    with subprocess.Popen(line, env=environment(home), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            yield server, address, server.stdout.readline().strip().removeprefix("Authorization: Bearer ")
        finally:
            server.terminate()
            server.wait(30)
            assert server.stdout is not None
            server.stdout.read()


def below(pid: int) -> list[int]:
    """Every process that one has started, and these in turn."""
    with contextlib.suppress(OSError):
        own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        threads = [task for task in os.listdir(f"/proc/{pid}/task") if task != str(pid)]
        for thread in threads:
            with contextlib.suppress(OSError):
                own += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        return [each for child in map(int, own) for each in (child, *below(child))]
    return []


def at_work(pid: int) -> list[int]:
    """Those of them that are solvers."""
    found = []
    for each in below(pid):
        with contextlib.suppress(OSError):
            if re.search(r"z3|cvc5", Path(f"/proc/{each}/cmdline").read_bytes().decode()):
                found.append(each)
    return found


def ticks(pids: list[int]) -> dict[int, int]:
    """Processor time that each has taken."""
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found[pid] = int(fields[11]) + int(fields[12])
    return found


async def idle(pid: int) -> bool:
    """Whether nothing below a process takes processor time any more, soon."""
    for _ in range(40):
        before = ticks(below(pid))
        await asyncio.sleep(0.5)
        after = ticks(below(pid))
        if all(after[each] - before.get(each, 0) <= 1 for each in after):
            return True
    return False


async def said(client: Client, tool: str, **arguments: Any) -> tuple[str, Any]:
    """The text of an answer, and its data; it is no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return text_of(result), result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The message of a tool's error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return str(getattr(content, "text", ""))


def fits(data: Any, name: str) -> None:
    jsonschema.validate(data, json.loads((shipped("schema") / f"{name}.json").read_text("utf-8")))


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


async def test_a_proof_a_refutation_and_an_open_theorem_each_with_a_receipt(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"prove", "refute", "check", "ask", "formalize", "export", "explain", "status"} <= tools.keys()
        assert all(tool.output_schema and tool.annotations and tool.description for tool in tools.values())
        assert tools["check"].annotations is not None and tools["check"].annotations.read_only_hint

        text, proved = await said(client, "prove", text=TRUE)
        fits(proved, "result-v1")
        fits(proved["receipt"], "receipt-v1")
        place, receipt = Path(proved["certificate"]), proved["receipt"]
        assert text.startswith("proved (L3)") and receipt["check"] in text
        assert receipt["statement_sha256"] == hashlib.sha256(TRUE.encode()).hexdigest()
        assert receipt["certificate_sha256"] == digest(place / "manifest.json")
        assert receipt["checkers"].keys() == {"goedels-poetry", "z3", "cvc5"} and receipt["axioms"] == []

        again = (await said(client, "prove", text=TRUE))[1]
        assert again["skipped"] and again["receipt"] == receipt
        checked = (await said(client, "check", certificate=str(place), against=TRUE))[1]
        assert checked["accepted"] and checked["receipt"]["trust_level"] == "L3"
        other = (await said(client, "check", certificate=str(place), against=FALSE))[1]
        assert not other["accepted"] and other["receipt"]["trust_level"] is None

        _, wrong = await said(client, "refute", path="smt/reverse_append_wrong.smt2")
        assert (wrong["verdict"], wrong["receipt"]["trust_level"]) == ("refuted", "L3")
        text, unknown = await said(client, "refute", path="smt/gauss_sum.smt2")
        assert unknown["verdict"] == unknown["receipt"]["verdict"] == "unknown" and "no counterexample" in text

        _, unfinished = await said(client, "prove", path=LONG, seconds=1)
        assert unfinished["verdict"] == "out_of_budget" and unfinished["receipt"]["check"] is None
        _, why = await said(client, "explain", run_id=unfinished["run_id"])
        for each in why["explanations"]:
            fits(each, "explanation-v1")
        text, listed = await said(client, "status")
        assert why["explanations"] and listed["runs"][0]["run_id"] == unfinished["run_id"]
        assert text.splitlines()[-1] == f"{proved['run_id']}  proved  (> x 0)"  # a text has no name but its theorem

        _, answered = await said(client, "ask", path="questions/bus_pass.smt2")
        fits(answered, "program-v1")
        assert "needs a" in await refused(client, "formalize", claim="1 + 1 = 2")


def test_an_open_goal_is_told_as_people_write_it_and_kept_as_it_is() -> None:
    goal = OpenGoal("0.1", "(sequent ((n Int)) ((> n 1)) (> (* n n) n))", 1)
    reply = _of_run(RunResult("", Verdict.UNKNOWN, language="smt", open_goals=(goal,)), "", None, skipped=False)
    assert "open: if n > 1 then n * n > n" in reply.text and "sequent" not in reply.text
    assert reply.data["open_goals"][0]["statement"] == goal.statement


async def test_a_proof_object_for_each_obligation_makes_the_highest_level(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["prove"].input_schema["properties"]["proofs"]["type"] == "boolean"
        assert (await said(client, "prove", text=TRUE))[1]["trust_level"] == "L3"
        text, proved = await said(client, "prove", text=TRUE, proofs=True)
        fits(proved, "result-v1")
        assert text.startswith("proved (L4)")
        assert (proved["trust_level"], proved["receipt"]["trust_level"], proved["warnings"]) == ("L4", "L4", [])
        place = Path(proved["certificate"])
        assert [file.name for file in sorted((place / "proofs").iterdir())] == ["001.cpc.gz"]
        assert proved["receipt"]["certificate_sha256"] == digest(place / "manifest.json")
        checked = (await said(client, "check", certificate=str(place), proofs=True))[1]
        assert (checked["trust_level"], checked["proofs"]) == ("L4", {"checked": 1, "without": []})
        text, words = await said(client, "prove", text=WORDS, proofs=True)
        assert words["trust_level"] == "L4", text
        text, wrong = await said(client, "prove", text=FALSE, proofs=True)
        assert wrong["trust_level"] == "L3" and "there are no proof objects of it" in text
        assert "proofs: " in await refused(client, "prove", text=TRUE, proofs="yes")


async def test_bad_input_is_one_clear_message_and_the_next_call_works(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    secret = tmp_path / "secret.smt2"
    secret.write_text(TRUE)
    (inside / "link.smt2").symlink_to(secret)
    os.mkfifo(inside / "pipe.smt2")
    async with agent(tmp_path / "home", "--root", str(inside)) as client:
        assert "1:12: unknown symbol `y`" in await refused(client, "prove", text="(assert (> y 1))")
        for path in (str(secret), "../secret.smt2", "link.smt2", "/etc/passwd", "/proc/self/environ"):
            message = await refused(client, "prove", path=path)
            assert "not below the server's folder" in message and "--root" in message
            assert "not below" in await refused(client, "check", certificate=path)
        assert "no such file" in await refused(client, "prove", path="pipe.smt2")
        assert "is no path" in await refused(client, "prove", path="a\0b")
        assert "text or path" in await refused(client, "prove")
        assert "text or path" in await refused(client, "prove", text=TRUE, path="link.smt2")
        assert "text: Input should be a valid string" in await refused(client, "prove", text=3)
        assert "at most 1000000 characters" in await refused(client, "prove", text="x" * 1_000_001)
        assert "`prove` takes" in await refused(client, "prove", text=TRUE, sourse="x")
        assert "45 at most" in await refused(client, "prove", text=TRUE, seconds=1000)
        assert "seconds" in await refused(client, "prove", text=TRUE, seconds=-1)
        assert "no proof language" in await refused(client, "prove", text=TRUE, language="coq")
        assert "run" in await refused(client, "explain", run_id="../../etc")
        with pytest.raises(MCPError, match="there is no tool 'sh'; there are prove"):
            await client.call_tool("sh", {"command": "id"})
        assert (await said(client, "prove", text=TRUE))[1]["verdict"] == "proved"


async def test_what_the_data_directory_claims_is_no_proof(tmp_path: Path) -> None:
    """A result that is written there by somebody else, with the certificate of another theorem."""
    async with agent(tmp_path) as client:
        proved = (await said(client, "prove", text=TRUE))[1]
        false = (await said(client, "refute", text=FALSE))[1]
        forged = {**proved, "run_id": false["run_id"], "run_dir": false["run_dir"]}
        Runs(tmp_path).get(false["run_id"]).write_card(result=forged, retry=False, unanswered=False)
        assert (await said(client, "prove", text=FALSE))[1]["verdict"] == "refuted"


async def test_a_call_that_is_cancelled_ends_its_solvers_and_the_process_serves_on(tmp_path: Path) -> None:
    with served(tmp_path) as (server, address, token):
        async with over_http(address, token) as client:
            heard: list[str] = []

            async def hear(done: float, total: float | None, message: str | None) -> None:
                heard.append(str(message))

            call = asyncio.create_task(client.call_tool("prove", {"path": LONG}, progress_callback=hear))
            async with asyncio.timeout(30):
                while not at_work(server.pid) or len(heard) < 2:
                    await asyncio.sleep(0.1)
            call.cancel()
            await asyncio.wait([call])
            assert await idle(server.pid)
            assert (await said(client, "prove", text=TRUE))[1]["verdict"] == "proved"
        everyone = below(server.pid)
    assert server.returncode == 0
    deadline = time.monotonic() + 10
    while ticks(everyone) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    assert ticks(everyone) == {}


@pytest.mark.parametrize("end", ["signal", "input"])
def test_a_server_that_is_ended_while_it_works_leaves_no_process(end: str, tmp_path: Path) -> None:
    """And an older client, which begins with `initialize`, is served."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    call = {"name": "prove", "arguments": {"path": LONG}, "_meta": {"progressToken": 1}}
    with subprocess.Popen(program(), env=environment(tmp_path), stdin=-1, stdout=-1, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        for number, (method, params) in enumerate((("initialize", hello), ("tools/call", call))):
            line = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(line) + "\n")
            server.stdin.flush()
            assert "error" not in json.loads(server.stdout.readline())
        everyone = below(server.pid)
        if end == "signal":
            server.send_signal(signal.SIGTERM)
        else:
            server.stdin.close()
        assert everyone and server.wait(30) == (130 if end == "signal" else 0)
    deadline = time.monotonic() + 10
    while ticks(everyone) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ticks(everyone) == {}


@contextlib.asynccontextmanager
async def over_http(address: str, token: str, **given: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as connection,
        Client(streamable_http_client(address, http_client=connection), **given) as client,
    ):
        yield client


async def test_http_answers_this_machine_and_the_token_alone(tmp_path: Path) -> None:
    with served(tmp_path) as (_, address, token):
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        right = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient() as anyone:
            for headers in (
                {},
                {"Authorization": "Bearer wrong"},
                {**right, "Host": "evil.example"},
                {**right, "Host": "evil.example:" + address.split(":")[2].split("/")[0]},
                {**right, "Origin": "http://evil.example"},
                {"Cookie": f"goedels_poetry={token}"},
            ):
                for path in (address, address.removesuffix("/mcp") + f"/?token={token}"):
                    answer = await anyone.post(path, json=request, headers=headers)
                    assert answer.status_code == 403 and "error" in answer.json()
        async with over_http(address, token) as client:
            assert (await said(client, "prove", text=TRUE))[1]["verdict"] == "proved"


@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.168.0.1:80", "example.org:80", "127.0.0.1:99999", "x"])
def test_http_is_offered_on_loopback_alone(address: str, tmp_path: Path) -> None:
    ran = subprocess.run(program("--http", address), env=environment(tmp_path), capture_output=True, text=True)
    assert ran.returncode == 2 and "--http 127.0.0.1:PORT" in ran.stderr and ran.stdout == ""


# -- The extension for tasks, which the client leaves to others ------------------------------------------------------


class Created(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str


class Of(RequestParams):
    task_id: str


class About(Request[Of, str]):
    method: str
    params: Of


class State(Result):
    task_id: str = ""
    status: str = ""
    status_message: str = ""
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    async def _wait(self, made: Created, context: ClaimContext) -> CallToolResult:
        while (state := await ask(context.session, "get", made.task_id)).status == "working":
            await asyncio.sleep(0.2)
        assert state.result is not None
        return CallToolResult.model_validate(state.result)

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self._wait)]


async def ask(session: Any, what: str, task: str) -> State:
    state = await session.send_request(About(method=f"tasks/{what}", params=Of(task_id=task)), State)
    assert isinstance(state, State)
    return state


async def test_a_long_call_is_a_task_that_works_completes_and_can_be_cancelled(tmp_path: Path) -> None:
    async with agent(tmp_path, extensions=[Tasks()]) as client:
        quick = await client.session.call_tool("prove", {"text": TRUE}, allow_claimed=True)
        assert isinstance(quick, CallToolResult | Created)
        done = await client.call_tool("prove", {"path": LONG, "seconds": 4})
        assert done.structured_content["verdict"] == "out_of_budget"

        made = await client.session.call_tool("prove", {"path": "smt/merge_sort.smt2"}, allow_claimed=True)
        assert isinstance(made, Created) and made.status == "working"
        state = await ask(client.session, "get", made.task_id)
        assert state.status == "working" and state.status_message.startswith("prove: ")
        await ask(client.session, "update", made.task_id)
        await ask(client.session, "cancel", made.task_id)
        async with asyncio.timeout(20):
            while (state := await ask(client.session, "get", made.task_id)).status == "working":
                await asyncio.sleep(0.1)
        assert state.status == "cancelled" and state.result is None
        with pytest.raises(MCPError, match="there is no task 'nope'"):
            await ask(client.session, "get", "nope")


async def test_a_client_that_does_not_know_tasks_gets_none(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        result = await client.session.call_tool("prove", {"path": LONG, "seconds": 4}, allow_claimed=True)
        assert isinstance(result, CallToolResult)


async def test_lean_says_what_it_thinks_and_the_checker_decides(tmp_path: Path) -> None:
    hole = "theorem t (a b : Nat) (h : a < b) : a + 1 < b + 1 := by\n  sorry\n"
    async with agent(tmp_path) as client:
        words, read = await said(client, "lean_run_code", text=hole)
        assert words.endswith("⊢ a + 1 < b + 1")  # the goals, too, where a client shows the text alone
        fits(read, "lean-messages-v1")
        (only,) = read["results"]
        assert only["ok"] and "⊢ a + 1 < b + 1" in only["goals"][0] and "sorry" in only["messages"][0]["text"]
        _, tried = await said(client, "lean_multi_attempt", text=hole, attempts=["rfl", "have := h\nomega", "sorry"])
        assert [(each["ok"], each["complete"]) for each in tried["results"]] == [
            (False, False), (True, True), (True, False),
        ]  # fmt: skip
        words, cheat = await said(
            client, "lean_verify", text=f"axiom f : False\n{hole.replace('sorry', 'exact f.elim')}"
        )
        assert (cheat["trust_level"], cheat["receipt"]["axioms"]) == ("L0", ["f"]) and "assumed: axiom f" in words
        _, left = await said(client, "lean_verify", text=hole)
        assert not left["accepted"] and left["receipt"]["axioms"] is None
