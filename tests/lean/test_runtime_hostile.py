"""Whatever a text does, it costs its own request and nothing else."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from goedels_poetry.lean.runtime.driven import DrivenLean
from goedels_poetry.lean.runtime.embedded import command, is_whole, made_files, make_snapshot
from goedels_poetry.lean.runtime.install import cache_folder
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest

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
