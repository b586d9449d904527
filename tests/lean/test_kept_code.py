"""Compiled code of Lean's program is a matter of time only: with it and without it a Lean says the same."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.lean.runtime.embedded import command, made_files
from goedels_poetry.lean.runtime.install import cache_folder

TEXTS = {
    "a proof by induction": "theorem t (xs : List Nat) : (xs ++ []).length = xs.length := by induction xs <;> simp",
    "a definition and a proof by cases": (
        "def f : Nat → Nat | 0 => 1 | n + 1 => 2 * f n\n"
        "theorem t : ∀ n, 0 < f n := by\n  intro n; fun_induction f n <;> omega"
    ),
    "an error": "theorem t (a b : Nat) : a * b = a + b := by grind",
    "what it does not read": "theorem t : 1 + = 2",
}


@pytest.fixture
def installation(tmp_path: Path, lean: object) -> Path:
    """One whose kept files are ours to change."""
    for part in ("build", "lib"):
        (tmp_path / part).symlink_to(cache_folder() / part)
    (tmp_path / "snapshots").mkdir()
    for mine, theirs in zip(made_files(tmp_path), made_files(cache_folder()), strict=True):
        shutil.copy(theirs, mine)
    return tmp_path


def _answers(folder: Path, texts: list[str]) -> tuple[bool, list[dict[str, Any]]]:
    """Whether a Lean has used the code that is kept there, and what it says of the texts."""
    asked = [{"op": "check", "code": text, "commands": True, "export": True, "id": k} for k, text in enumerate(texts)]
    with subprocess.Popen(
        command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        assert process.stdout
        ready = json.loads(process.stdout.readline())
        said = []
        for request in asked:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            said.append(json.loads(process.stdout.readline()))
    return ready["code"], [
        {k: v for k, v in one.items() if k not in ("ms", "commandMs", "rss", "memory")} for one in said
    ]


@pytest.mark.whole("test_code_that_is_not_what_was_written_is_not_used")
def test_a_lean_says_the_same_with_compiled_code_and_without(installation: Path) -> None:
    texts = list(TEXTS.values())
    used, with_code = _answers(installation, texts)
    made_files(installation)[-1].unlink()
    not_used, without = _answers(installation, texts)
    assert (used, not_used) == (True, False)
    assert with_code == without
    assert [one["ok"] for one in without] == [True, True, False, False]


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", ["a byte is another", "the end is missing", "the version is another", "it is noise"])
def test_code_that_is_not_what_was_written_is_not_used(installation: Path, what: str) -> None:
    file = made_files(installation)[-1]
    content = bytearray(file.read_bytes())
    if what == "a byte is another":
        content[len(content) // 2] ^= 1
    elif what == "the end is missing":
        del content[-1000:]
    elif what == "the version is another":
        content = bytearray(bytes(content).replace(b'"version":"1', b'"version":"0', 1))
    else:
        content = bytearray(b"LCD1" * 5000)
    file.write_bytes(content)
    used, (answer,) = _answers(installation, [TEXTS["a proof by induction"]])
    assert not used
    assert answer["ok"]
