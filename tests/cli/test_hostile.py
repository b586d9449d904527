"""Inputs that nobody wrote in good faith: a clear answer within the limits, never a traceback."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"


def test_hostile_inputs_get_a_clear_answer_and_the_rest_goes_on(program: Any, tmp_path: Path) -> None:
    noise = random.Random(1)
    inputs = {
        "bytes.smt2": noise.randbytes(100_000),
        "nul.smt2": b"(prove true)\0\0",
        "empty.smt2": b"",
        "open.smt2": b"(" * 100_000,
        "nested.smt2": b"(prove " + b"(not " * 100_000 + b"true" + b")" * 100_001,
        "huge.smt2": b"; padding\n" * 1_000_000,
        "terabits.smt2": b"(declare-const x (_ BitVec 800000000000))\n(prove (= x x))\n",
        "power.smt2": b"(declare-const x Int)\n(prove (= x " + b"9" * 1_000_000 + b"))\n",
        "forged.smt2": b'(set-info :status unsat)\n(echo "unsat")\n(exit)\n(prove false)\n',
        "true.smt2": EASY.encode(),
    }
    for name, data in inputs.items():
        (tmp_path / name).write_bytes(data)
    ran = program("prove", *inputs, "--json", "--timeout", "10", "--jobs", "2", seconds=110)
    results = {result["input"]: result for result in ran.objects()}
    assert results.keys() == inputs.keys()
    assert results.pop("true.smt2")["verdict"] == "proved"
    for name, result in results.items():
        assert result["verdict"] in ("invalid", "unknown", "refuted", "out_of_budget"), name
        assert result["reason"], name
        assert "internal error" not in result["reason"], name
        assert len(result["reason"]) < 2_000, name
    assert results["bytes.smt2"]["location"]["line"] >= 1
    assert {results[name]["verdict"] for name in ("bytes.smt2", "open.smt2", "empty.smt2", "nul.smt2")} == {"invalid"}


def test_an_endless_input_is_refused(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "endless.smt2").symlink_to("/dev/zero")
    (result,) = cli("prove", "endless.smt2", "--json").objects()
    assert result["verdict"] == "invalid"
    assert "MB" in result["reason"]


def test_a_folder_without_theorems_is_an_error(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = cli("prove", "empty")
    assert ran.code == 2
    assert "no theorems" in ran.err
    (tmp_path / "theorem.xyz").write_text(EASY, "utf-8")
    (result,) = cli("prove", "theorem.xyz", "--json").objects()
    assert result["verdict"] == "invalid"
    assert "--language" in result["reason"]
    (named,) = cli("prove", "theorem.xyz", "--language", "smt", "--json").objects()
    assert named["verdict"] == "proved"


def test_a_pipe_in_a_folder_is_not_waited_for_and_a_link_that_leads_nowhere_is_named(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "pipe.smt2")
    (tmp_path / "folder" / "link.smt2").symlink_to(tmp_path / "nothing")
    (result,) = cli("prove", "folder", "--json").objects()
    assert result["verdict"] == "invalid"
    assert "folder/link.smt2: No such file" in result["reason"]


def test_what_never_ends_is_refused_wherever_a_file_is_named(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "t.smt2").write_text("(declare-const p Bool)\n(prove (or p (not p)))\n")
    for words in (("formalize", "--file", "/dev/zero"), ("prove", "t.smt2", "--replay", "/dev/zero")):
        ran = cli(*words)
        assert ran.code == 2 and "/dev/zero" in ran.err, (words, ran)
