"""``scripts/fuzz.py``: it finds what a reader should not do, keeps its corpus, and the readers bear a short run."""

import hashlib
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import fuzz
import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "fuzz.py"


def test_a_reader_bears_a_short_run_and_the_next_one_goes_on_from_its_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    command = [sys.executable, str(SCRIPT), "--texts", "300", "--corpus", str(corpus), "--seed", "1", "--only", "smt"]
    sizes = []
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "0 findings" in done.stdout
        sizes.append(len(list((corpus / "smt").glob("text-*"))))
    assert 0 < sizes[0] <= sizes[1], done.stdout


def test_what_a_reader_should_not_do_is_found_and_named_once(tmp_path: Path) -> None:
    class Refused(Exception):
        pass

    def read(data: bytes) -> None:
        if data.startswith(b"("):
            raise Refused
        if b"!" in data:
            raise KeyError(data)

    planted = fuzz.Target("planted", lambda: (read, (Refused,)), lambda: [b"(fine)", b"fine"], ("!",))
    fuzz.watched(planted, tmp_path / "planted", 60, seed=3, texts=2000)
    (why,) = (tmp_path / "findings").glob("planted-*.why")
    assert why.read_text("utf-8").startswith("KeyError")
    assert b"!" in why.with_suffix("").read_bytes()


def test_a_reader_that_hangs_or_dies_is_found_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SLOWEST", 0.25)

    def hangs(data: bytes) -> None:
        while data == b"seed":
            pass

    def waits(data: bytes) -> None:
        while data == b"seed":
            time.sleep(0.01)

    def dies(data: bytes) -> None:
        import os

        os._exit(9)

    ends = (
        ("hangs", hangs, "longer than 0.25 s"),
        ("waits", waits, "longer than 1.5 s"),
        ("dies", dies, "ended with 9"),
    )
    for name, read, said in ends:
        target = fuzz.Target(name, lambda read=read: (read, ()), lambda: [b"seed"])
        fuzz.watched(target, tmp_path / name, 1.0, seed=1)
        (why,) = (tmp_path / "findings").glob(f"{name}-*.why")
        assert said in why.read_text("utf-8")
        assert why.with_suffix("").read_bytes() == b"seed"


def test_a_script_whose_time_is_over_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert fuzz.ended(["sh", "-c", f"sleep 600 & echo $! > {pid}; wait"], 1.0) == (None, b"")
    started = Path("/proc", pid.read_text().strip(), "stat")
    while started.exists() and started.read_text().split()[2] != "Z":
        time.sleep(0.01)
    assert fuzz.ended(["sh", "-c", "echo 3; exit 5"], 60.0) == (5, b"3\n")


def test_coverage_tells_a_way_that_was_not_gone_before() -> None:
    from goedels_poetry.models.replies import blocks

    coverage = fuzz.Coverage()
    assert coverage.of(lambda: blocks("text"))
    assert not coverage.of(lambda: blocks("text"))
    assert coverage.of(lambda: blocks("```json\n{}\n```"))


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_one_line_and_all_that_it_has_begun_and_the_corpus_is_whole(
    tmp_path: Path, ended: signal.Signals
) -> None:
    corpus = tmp_path / "corpus"
    command = [sys.executable, str(SCRIPT), "--only", "reply", "--minutes", "5", "--corpus", str(corpus), "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        while not any((corpus / "reply").glob("text-*")):
            time.sleep(0.01)
        run.send_signal(ended)
        out, err = run.communicate(timeout=60)  # until its child, too, has closed them
    assert (run.returncode, err) == (130, "interrupted; the corpus is kept, and the same command goes on from it\n"), (
        out
    )
    kept = list((corpus / "reply").glob("text-*"))
    assert all(text.name == f"text-{hashlib.sha256(text.read_bytes()).hexdigest()[:16]}" for text in kept)


def test_a_corpus_that_cannot_be_written_is_no_finding(tmp_path: Path) -> None:
    folder = tmp_path / "corpus" / "grows"
    folder.mkdir(parents=True)
    target = fuzz.Target("grows", lambda: (lambda data: data, ()), lambda: [b"seed", b"x" * 100])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))  # as a disk that is full: no file may be larger
    try:
        with pytest.raises(OSError, match="File too large"):
            fuzz.watched(target, folder, 60, seed=1, texts=10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.glob("corpus/findings/*"))
    (tmp_path / "file").write_text("mine")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--only", "reply", "--corpus", str(tmp_path / "file" / "below")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 74 and len(done.stderr.splitlines()) == 1 and "Not a directory" in done.stderr
