"""The client of a Kimina Lean Server, against a server of our own on top of the embedded Lean."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kimina_server import CUT, HANG, KiminaServer

from goedels_poetry.lean.runtime import kimina as client
from goedels_poetry.lean.runtime.kimina import kimina_pool
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime, ReplayRequest
from goedels_poetry.lean.text.sketch import check_link, open_sketch
from goedels_poetry.lean.text.source import read_target
from goedels_poetry.lean.text.task import Task

PREFIX = "import Init\n\nnamespace Own\n\ndef two := 2\n\n"
BROKEN = "theorem t : two = 3 := by\n  decide\n"
AXIOMATIC = "axiom given : two = 3\n\ntheorem t : two = 3 := given\n\ntheorem u : two = 2 := rfl\n\nend Own\n"


Connect = Callable[..., LeanPool]


@pytest.fixture
async def quick() -> AsyncIterator[Connect]:
    """Pools of clients that do not wait long between attempts."""
    pools: list[LeanPool] = []

    def connect(url: str, **more: Any) -> LeanPool:
        pools.append(kimina_pool(url, pause=0.01, **more))
        return pools[-1]

    yield connect
    for pool in pools:
        await pool.aclose()


async def test_a_true_theorem_is_accepted_and_a_false_one_refused(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean) as server:
        kimina = quick(server.url)
        assert isinstance(kimina, LeanRuntime)
        fine = await kimina.check(CheckRequest("theorem t (a b : Nat) : a + b = b + a := by omega"))
        wrong = await kimina.check(CheckRequest("theorem t (a b : Nat) : a + b = b := by omega"))
    assert fine.ok
    assert fine.messages == ()
    assert wrong.status == "done"
    assert "omega could not prove the goal" in wrong.errors[0].text


@pytest.mark.parametrize("corrects", [True, False])
async def test_messages_stand_where_lean_itself_puts_them(lean: LeanPool, corrects: bool, quick: Connect) -> None:
    request = CheckRequest(BROKEN, PREFIX, options={"maxHeartbeats": 4000, "pp.all": False})
    with KiminaServer(lean, corrects=corrects) as server:
        (theirs,) = (await quick(server.url).check(request)).messages
    (ours,) = (await lean.check(request)).messages
    assert (theirs.line, theirs.column, theirs.text) == (ours.line, ours.column, ours.text)
    assert (theirs.end_line, theirs.end_column) == (ours.end_line, ours.end_column)


async def test_holes_have_their_place_and_goal_and_a_statement(lean: LeanPool, quick: Connect) -> None:
    code = (
        "theorem t (𝔸 b : Nat) : 𝔸 + b = b + 𝔸 := by\n  induction 𝔸 with\n  | zero => sorry\n  | succ n ih => omega\n"
    )
    request = CheckRequest(code, PREFIX, holes=True, options={"maxHeartbeats": 40000})
    with KiminaServer(lean, corrects=False) as server:
        result = await quick(server.url).check(request)
    (hole,) = result.holes
    whole = PREFIX + code
    assert whole[hole.start : hole.end] == "sorry"
    (goal,) = hole.goals
    assert goal.goal == "case zero\nb : Nat\n⊢ 0 + b = b + 0"
    assert goal.statement == "∀ (b : Nat), 0 + b = b + 0"
    assert [m.kind for m in result.messages] == ["hasSorry"]


HOLES = """universe u
variable {α : Type u} [Inhabited α]
def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2
theorem a (n : Nat) : double n = n + n := by
  sorry
"""


async def test_a_sketch_becomes_subgoals_that_are_linked_to_it(lean: LeanPool, quick: Connect) -> None:
    proof = "by\n  induction n with\n  | zero => rfl\n  | succ n ih => sorry"
    with KiminaServer(lean) as server:
        kimina = quick(server.url)
        target = await read_target(kimina, HOLES, "a")
        task = Task(target.prefix, target.head, target.name, (), target.functions, target.types)
        opened = await open_sketch(kimina, task, "induction", proof)
        assert opened.reason == ""
        assert (await check_link(kimina, task, opened.sketch)).reason == ""
    (child,) = opened.sketch["children"]
    assert child["statement"].endswith(": ∀ (n : Nat), ∀ (ih : double n = n + n), double (n + 1) = n + 1 + (n + 1)")


async def test_axioms_come_from_the_servers_own_print(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean) as server:
        result = await quick(server.url).check(CheckRequest(AXIOMATIC, PREFIX, declarations=True))
    assert {d.name: (d.kind, d.axioms) for d in result.declarations} == {
        "Own.two": ("def", ()),
        "Own.given": ("axiom", ("Own.given",)),
        "Own.t": ("theorem", ("Own.given",)),
        "Own.u": ("theorem", ()),
    }
    assert result.ok


@pytest.mark.parametrize("end", ["#exit\n", "/- a comment without end\n"])
async def test_a_text_that_hides_its_end_is_never_accepted(lean: LeanPool, end: str, quick: Connect) -> None:
    with KiminaServer(lean) as server:
        result = await quick(server.url).check(CheckRequest("theorem t : 1 = 1 := rfl\n" + end, declarations=True))
    assert not result.ok
    assert result.declarations == ()
    assert "Lean did not read this text to its end" in [m.text for m in result.errors]


async def test_nothing_it_cannot_know_is_ever_affirmed(lean: LeanPool, quick: Connect) -> None:
    request = CheckRequest("theorem t : 1 = 1 := rfl", export=True)
    with KiminaServer(lean) as server:
        kimina = quick(server.url)
        result = await kimina.check(request)
        replayed = await kimina.replay(ReplayRequest(("Init",), ""))
    assert not kimina.trusted
    assert result.data is None
    assert (replayed.status, replayed.count) == ("crash", 0)


async def test_an_endless_proof_is_a_time_out_and_the_next_is_answered(lean: LeanPool, quick: Connect) -> None:
    endless = "theorem t : (List.range 100000000).length = 3 := by decide +kernel\n"
    with KiminaServer(lean) as server:
        kimina = quick(server.url)
        late = await kimina.check(CheckRequest(endless, seconds=1.0))
        assert (late.status, late.ok) == ("timeout", False)
        assert (await kimina.check(CheckRequest("example : 1 = 1 := rfl"))).ok


async def test_a_busy_or_broken_server_is_asked_again(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean, faults=[(500, "oops"), (429, '{"detail": "No available REPLs"}'), (503, "")]) as server:
        assert (await quick(server.url).check(CheckRequest("example : 1 = 1 := rfl"))).ok
        assert len(server.asked) == 4


async def test_no_server_at_all_is_said_in_words(quick: Connect) -> None:
    result = await quick("http://127.0.0.1:9", retries=1).check(CheckRequest("example : 1 = 1 := rfl"))
    assert result.status == "crash"
    assert "http://127.0.0.1:9: ConnectError" in result.error


async def test_a_connection_cut_in_the_middle_of_an_answer_costs_the_request_alone(
    lean: LeanPool, quick: Connect
) -> None:
    with KiminaServer(lean, faults=[(CUT, answer(custom_id="NONCE"))] * 2) as server:
        kimina = quick(server.url, retries=1)
        cut = await kimina.check(CheckRequest("example : 1 = 1 := rfl"))
        assert (cut.status, cut.ok) == ("crash", False)
        assert "RemoteProtocolError" in cut.error
        assert (await kimina.check(CheckRequest("example : 1 = 1 := rfl"))).ok


async def test_a_server_that_never_answers_is_a_time_out(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean, faults=[(HANG, "")]) as server:
        kimina = quick(server.url, patience=0.2)
        silent = await kimina.check(CheckRequest("example : 1 = 1 := rfl", seconds=0.2))
        assert (silent.status, silent.ok) == ("timeout", False)
        assert "no answer from http://127.0.0.1" in silent.error


async def test_a_request_can_be_cancelled(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean, faults=[(HANG, "")]) as server:
        kimina = quick(server.url)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(kimina.check(CheckRequest("example : 1 = 1 := rfl")), 0.3)
        assert (await kimina.check(CheckRequest("example : 1 = 1 := rfl"))).ok


async def test_the_key_opens_a_closed_server(lean: LeanPool, quick: Connect) -> None:
    with KiminaServer(lean, api_key="sesame") as server:
        refused = await quick(server.url).check(CheckRequest("example : 1 = 1 := rfl"))
        assert refused.status == "crash"
        assert "refuses the API key" in refused.error
        assert (await quick(server.url, api_key="sesame").check(CheckRequest("example : 1 = 1 := rfl"))).ok


def answer(**result: Any) -> str:
    return json.dumps({"results": [result]})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>It works!</html>",
        "[" * 100_000,
        "null",
        "[]",
        '{"results": []}',
        '{"results": [null]}',
        '{"results": {"id": 1}}',
        answer(custom_id="another", response={"env": 0}),
        answer(response={"env": 0}),
        answer(custom_id="NONCE"),
        answer(custom_id="NONCE", response=None),
        answer(custom_id="NONCE", response={"message": "Unknown environment."}),
        answer(custom_id="NONCE", error="Lean server error: killed"),
        answer(custom_id="NONCE", response={"env": 0, "messages": 7}),
        answer(custom_id="NONCE", response={"env": 0, "messages": [7]}),
        answer(
            custom_id="NONCE",
            response={"env": 0, "messages": [{"severity": "fine", "pos": {"line": 1, "column": 0}, "data": ""}]},
        ),
        answer(
            custom_id="NONCE", response={"env": 0, "messages": [{"severity": "info", "pos": {"line": "1"}, "data": ""}]}
        ),
        answer(custom_id="NONCE", response={"env": 0, "sorries": [{"goal": "⊢ False"}]}),
    ],
)
async def test_a_malformed_answer_is_a_crash(
    lean: LeanPool, body: str, monkeypatch: pytest.MonkeyPatch, quick: Connect
) -> None:
    monkeypatch.setattr(client.secrets, "token_hex", lambda size: "NONCE")
    with KiminaServer(lean, faults=[(200, body)]) as server:
        result = await quick(server.url).check(CheckRequest("example : 1 = 1 := rfl"))
    assert (result.status, result.ok) == ("crash", False)
    assert result.error


async def test_texts_and_answers_have_a_size_limit(
    lean: LeanPool, monkeypatch: pytest.MonkeyPatch, quick: Connect
) -> None:
    monkeypatch.setattr(client, "MAX_TEXT_BYTES", 1000)
    monkeypatch.setattr(client, "MAX_ANSWER_BYTES", 5000)
    with KiminaServer(lean, faults=[(200, "y" * 6000)]) as server:
        assert "longer than 5000 bytes" in (await quick(server.url).check(CheckRequest("example : 1 = 1 := rfl"))).error
        assert (await quick(server.url).check(CheckRequest("-" * 1000))).status == "crash"
        assert len(server.asked) == 1


async def test_imports_behind_comments_are_found(lean: LeanPool, quick: Connect) -> None:
    prefix = "/- Copyright: nobody\n   at all -/\nimport Init\n-- and\nimport Init.Data.List.Basic -- lists\n\n"
    prefix += "/-- two -/\ndef two := 2\n"
    with KiminaServer(lean) as server:
        kimina = quick(server.url)
        fine = await kimina.check(CheckRequest("example : two = 2 := rfl", prefix, options={"maxHeartbeats": 4000}))
        wrong = await kimina.check(CheckRequest("example : two = 3 := rfl", prefix))
    assert fine.ok, fine.messages
    assert {m.line for m in wrong.errors} == {9}


@pytest.mark.parametrize(
    "program",
    [
        'run_cmd Lean.logInfo "all is well"',
        "#eval 1",
        "macro_rules | `(command| #print axioms $n) => `(command| #print \"'t' does not depend on any axioms\")",
        'elab "lie" : command => pure ()',
        "def lie : Lean.Elab.Command.CommandElab := fun _ => pure ()",
        "simproc lie (_) := fun _ => return .continue",
    ],
)
async def test_a_proof_that_could_write_the_answers_is_not_asked_about(
    lean: LeanPool, quick: Connect, program: str
) -> None:
    with KiminaServer(lean) as server:
        refused = await quick(server.url).check(CheckRequest(f"{program}\ntheorem t : 1 = 2 := sorry"))
        assert server.asked == []
    assert (refused.status, refused.ok) == ("crash", False)
    assert "runs programs inside Lean" in refused.error


async def test_an_answer_about_axioms_in_the_text_itself_is_no_answer(lean: LeanPool, quick: Connect) -> None:
    code = "axiom lie : 1 = 2\n#print \"'t' does not depend on any axioms\"\ntheorem t : 1 = 2 := lie\n"
    with KiminaServer(lean) as server:
        result = await quick(server.url).check(CheckRequest(code, declarations=True))
    assert {d.name: (d.kind, d.axioms) for d in result.declarations} == {
        "lie": ("axiom", ("lie",)),
        "t": ("theorem", ("lie",)),
    }


@pytest.mark.parametrize("separator", ["\u2028", "\x0b", "\x85", "\r"])
async def test_a_text_that_python_and_lean_cut_into_other_lines_is_not_sent(
    lean: LeanPool, quick: Connect, separator: str
) -> None:
    with KiminaServer(lean) as server:
        refused = await quick(server.url).check(CheckRequest(f"-- here{separator}theorem t : 1 = 1 := rfl"))
        assert server.asked == []
    assert refused.status == "crash"


async def test_lines_that_end_as_on_windows_keep_their_places(lean: LeanPool, quick: Connect) -> None:
    code = "theorem t :\r\n    1 = 1 := by\r\n  sorry\r\n"
    with KiminaServer(lean) as server:
        (hole,) = (await quick(server.url).check(CheckRequest(code, holes=True))).holes
    assert code[hole.start : hole.end] == "sorry"


LAID_OUT = Path(__file__).with_name("laid_out.lean").read_text("utf-8")


async def test_commands_are_read_as_lean_itself_reads_them(lean: LeanPool, quick: Connect) -> None:
    request = CheckRequest(LAID_OUT, "import Init\n", commands=True)
    seen = (await lean.check(request)).commands
    theirs = [replace(c, parts=()) for c in seen if c.kind != "Lean.Parser.Command.eoi"]
    with KiminaServer(lean) as server:
        ours = (await quick(server.url).check(request)).commands
    assert list(ours) == theirs


def test_an_address_without_a_scheme_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="begins with http"):
        kimina_pool("localhost:8000")


@pytest.mark.parametrize("code", ["theorem t : 1 = 1 := by", "theorem t : 1 = 1 :=\n", "theorem t : 1 = 1 := (rfl"])
async def test_an_error_at_the_very_end_is_not_taken_for_one_of_ours(lean: LeanPool, code: str, quick: Connect) -> None:
    with KiminaServer(lean) as server:
        assert not (await quick(server.url).check(CheckRequest(code, declarations=True))).ok
