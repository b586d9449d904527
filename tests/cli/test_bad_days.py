"""The machine's own troubles, odd stores and hostile theorems: one plain line, and nothing stored as final."""

import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "goedels_poetry"]

PAGE = 4096


def environment(home: Path) -> dict[str, str]:
    return {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}


def _damage_tree(home: Path) -> Path:
    (tree,) = (home / "runs").glob("*/proof.db")
    content = tree.read_bytes()
    tree.write_bytes(content[:PAGE] + b"\xaa" * (len(content) - PAGE))
    for tail in ("-wal", "-shm"):
        tree.with_name(tree.name + tail).unlink(missing_ok=True)
    return tree


def test_a_damaged_proof_tree_takes_nothing_from_a_proof_that_is_re_checked(
    cli: Any, theorems: Path, home: Path
) -> None:
    assert cli("prove", theorems / "swap_twice.smt2", "--json").code == 0
    run = _damage_tree(home).parent.name
    again = cli("prove", theorems / "swap_twice.smt2", "--json")
    (result,) = again.objects()
    assert (again.code, result["verdict"]) == (0, "proved")
    assert "proof.db: it is damaged; --fresh begins the run anew" in " ".join(result["warnings"])
    for command in ("show", "trace"):
        shown = cli(command, run)
        assert shown.code not in (0, 70) and "--fresh begins the run anew" in shown.err, (command, shown)
    assert run in cli("runs").out


def test_a_disk_that_takes_no_more_ends_a_run_that_goes_on_when_there_is_room(
    cli: Any, theorems: Path, home: Path, tmp_path: Path
) -> None:
    theorem = theorems / "reverse_twice.smt2"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [*COMMAND, "prove", str(theorem), "--json"],
        env=environment(home),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=small_files,
    )
    assert done.returncode in (5, 74), (done.stdout, done.stderr)
    assert "Traceback" not in done.stdout + done.stderr
    assert "the same command goes on" in done.stdout
    (result,) = cli("prove", theorem, "--json").objects()
    assert (result["verdict"], result["trust_level"]) == ("proved", "L3")


def test_closed_streams_are_no_defect_and_no_file_gets_their_numbers(cli: Any, theorems: Path, home: Path) -> None:
    theorem = shlex.quote(str(theorems / "swap_twice.smt2"))
    command = " ".join(map(shlex.quote, COMMAND))
    done = subprocess.run(
        ["sh", "-c", f"{command} prove {theorem} --json >&- 2>&- <&-"], env=environment(home), timeout=120
    )
    assert done.returncode == 0
    (result,) = cli("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert (result["verdict"], result["skipped"]) == ("proved", True)


def test_an_empty_home_is_not_the_root_folder(home: Path) -> None:
    seen = {**environment(home), "HOME": ""}
    del seen["GOEDELS_POETRY__HOME"]
    shown = subprocess.run([*COMMAND, "runs"], env=seen, capture_output=True, text=True, timeout=120)
    assert shown.returncode == 0 and shown.stdout
    assert "no runs in /.goedels_poetry" not in shown.stdout + shown.stderr


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def _can_mount(folder: Path) -> bool:
    tried = ["unshare", "-m", "sh", "-c", READ_ONLY, str(folder), "true"]
    return shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True).returncode == 0


def test_whoever_only_looks_needs_to_write_nothing(cli: Any, theorems: Path, home: Path) -> None:
    home.mkdir()
    if not _can_mount(home):
        pytest.skip("nothing can be mounted here without being able to write it")
    assert cli("prove", theorems / "swap_twice.smt2", "--quiet").code == 0
    (run,) = (path.name for path in (home / "runs").iterdir())

    def looks(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["unshare", "-m", "sh", "-c", READ_ONLY, str(home), *COMMAND, *arguments]
        return subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=120)

    for command in (("runs",), ("show", run), ("trace", run), ("trace", run, "--format", "dot")):
        done = looks(*command)
        assert (done.returncode, done.stderr) == (0, ""), (command, done)
    for command in (("runs", "repair", run), ("prove", str(theorems / "gauss_sum.smt2"))):
        done = looks(*command)
        assert done.returncode not in (0, 70), (command, done)
        assert "Read-only file system" in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_short_page_that_nobody_takes_is_one_line_and_no_success(program: Any, theorems: Path, home: Path) -> None:
    """What fits a buffer is written when the program ends, which is no less of a failure."""
    run = program("prove", theorems / "swap_twice.smt2", "--json").objects()[0]["run_id"]
    for command in (("runs", "--json"), ("show", run, "--json"), ("trace", run), ("graph",)):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(home), timeout=120
            )
        assert (done.returncode, done.stderr.splitlines()) == (
            74,
            ["goedels-poetry: standard output: No space left on device; the same command goes on afterwards"],
        ), command


@pytest.mark.sample(2)
@pytest.mark.parametrize("limit", ["-n 6", "-n 24", "-v 100000", "-v 400000"])
def test_what_the_system_does_not_give_is_never_a_verdict(program: Any, theorems: Path, home: Path, limit: str) -> None:
    theorem = shlex.quote(str(theorems / "swap_twice.smt2"))
    command = " ".join(map(shlex.quote, COMMAND))
    done = subprocess.run(
        ["sh", "-c", f"ulimit {limit}; exec {command} prove {theorem} --json"],
        env=environment(home), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr and "internal error" not in done.stdout + done.stderr
    assert done.returncode in (0, 5, 74), done  # proved all the same, to be resumed, or not done
    (result,) = program("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert result["verdict"] == "proved"


EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"


def _pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def _folder(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir()


def _circle(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(file)


def _nowhere(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(file.with_name("nowhere"))


def _empty(file: Path) -> None:
    file.write_bytes(b"")
    for tail in ("-wal", "-shm"):
        file.with_name(file.name + tail).unlink(missing_ok=True)


@pytest.fixture
def run(cli: Any, home: Path, tmp_path: Path) -> Path:
    """The folder of a run that has proved something."""
    (tmp_path / "t.smt2").write_text(EASY)
    assert cli("prove", "t.smt2", "--quiet").code == 0
    (folder,) = (home / "runs").iterdir()
    return folder


@pytest.mark.parametrize("instead", [_pipe, _folder, _circle, _empty])
def test_a_proof_tree_that_is_none_is_named_with_what_to_do(
    cli: Any, run: Path, instead: Callable[[Path], None]
) -> None:
    instead(run / "proof.db")
    for words in (("show", run.name), ("trace", run.name), ("trace", "--compare", run.name, run.name)):
        ran = cli(*words)
        assert ran.code == 2 and "proof.db" in ran.err and "--fresh begins the run anew" in ran.err, (words, ran)
    ran = cli("runs", "repair", run.name)
    assert ran.code in (1, 2) and "Error" not in ran.err and run.name in ran.err, ran
    again = cli("prove", "t.smt2", "--json")
    assert (again.code, again.objects()[0]["verdict"]) == (0, "proved"), again


@pytest.mark.parametrize("instead", [_pipe, _folder, _circle, _empty])
@pytest.mark.parametrize("file", ["run.json", "lock"])
def test_of_many_runs_one_that_cannot_be_read_hides_no_other(
    cli: Any, run: Path, file: str, instead: Callable[[Path], None]
) -> None:
    whole = run.with_name("0" * 12)
    shutil.copytree(run, whole)
    instead(run / file)
    ran = cli("runs")
    assert ran.code == 0 and whole.name in ran.out, ran
    assert cli("show", run.name).code == 0


@pytest.mark.parametrize(
    ("file", "instead"), [("lemmas.db", _pipe), ("lemmas.db", _nowhere), ("strategies.db", _folder)]
)
def test_a_bank_that_is_no_file_is_done_without_and_said(
    cli: Any, run: Path, home: Path, file: str, instead: Callable[[Path], None]
) -> None:
    instead(home / file)
    ran = cli("prove", "t.smt2", "--fresh", "--json")
    (result,) = ran.objects()
    assert (ran.code, result["verdict"]) == (0, "proved")
    assert any(file in warning and "it is no file" in warning for warning in result["warnings"]), result["warnings"]


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


def test_a_folder_of_python_names_what_is_broken_and_counts_what_it_passes_over(cli: Any, tmp_path: Path) -> None:
    head = "from goedels_poetry.contracts import ensures\n\n\n"
    up = f"{head}@ensures(lambda result, x: result > x)\ndef up(x: int) -> int:\n"
    stack = "class Stack:\n    def push(self, x: int) -> None:\n        pass\n"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text(
        f"{up}    return x + 1\n\n\ndef helper(x):\n    return x\n\n\n{stack}", "utf-8"
    )
    (tmp_path / "code" / "broken.py").write_text("def f(:\n", "utf-8")
    ran = cli("prove", "code", "-v", "-q")
    assert ran.code == 2
    assert "broken.py:1:7: this is not Python: invalid syntax" in ran.out
    assert "a.py:9: helper" in ran.out and "a.py:14: Stack.push" in ran.out
    assert "passed over: 1 method, 1 function without contract\n" in ran.out
    assert "2 theorems: 1 proved, 1 invalid" in ran.out


def test_a_folder_of_python_without_contracts_is_an_empty_selection(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("def f(x):\n    return x\n", "utf-8")
    ran = cli("prove", "code")
    assert ran.code == 2
    assert "nothing to prove in code; passed over: 1 function without contract" in ran.err
