"""A process that dies, hangs or cannot be started is no verdict: not on a proof, not on a text.

The processes are real ones, killed with SIGKILL at random moments.
"""

import asyncio
import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import proofs
import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.checker import TrustLevel, check_certificate, write_certificate
from goedels_poetry.errors import Unavailable
from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.terms import integer
from goedels_poetry.protocol import reading
from goedels_poetry.questions.language import LogicLanguage
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.solvers import z3_process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.solvers.z3_process import Z3Process

SMALL = "(declare-const p Bool)(assert p)(prove (or p (not p)))"
PROGRAM = "(declare-const p Bool)(assert p)(define-fun goal () Bool (or p (not p)))"
NO_PREMISES = b"(declare-const p Bool)(prove (or p (not p)))"
FEW_QUERIES = b"(define-fun-rec f ((n Int)) Int (ite (< n 2) 0 (f (- n 2))))(prove (= (f 0) 0))"
BROKEN = {"ends at once": "#!/bin/sh\nexit 1\n", "never answers": "#!/bin/sh\nexec sleep 600\n"}
SUBREAPER = 36
WORKER = "poetry-worker"


def children(pid: int) -> set[int]:
    """The processes that a process has started, and those that these have."""
    found: set[int] = set()
    with contextlib.suppress(OSError):  # it has ended meanwhile, or one of its threads
        for task in Path("/proc", str(pid), "task").glob("*/children"):
            with contextlib.suppress(OSError):
                found |= {int(word) for word in task.read_text().split()}
    return found.union(*map(children, found))


def program(pid: int) -> str:
    """Its command line, and the name by which a fork goes."""
    with contextlib.suppress(OSError):
        line = Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        return line + Path("/proc", str(pid), "comm").read_text().strip()
    return ""


def state(pid: int) -> str:
    """The line of a process in /proc; "" when it is gone and reaped."""
    with contextlib.suppress(OSError):
        return Path("/proc", str(pid), "stat").read_text()
    return ""


@contextlib.contextmanager
def killing(what: str, seed: int, parent: int = 0, most: int = 1000, every: float = 0.3) -> Iterator[list[int]]:
    """Inside, processes whose command has ``what`` in it are killed now and then; gives the ids of those killed."""
    over, killed, chance = threading.Event(), [], random.Random(seed)

    def kill() -> None:
        while not over.wait(chance.random() * 2 * every) and len(killed) < most:
            victims = sorted(pid for pid in children(parent or os.getpid()) if what in program(pid))
            if victims:
                killed.append(chance.choice(victims))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.fixture
def broken_z3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    def install(text: str) -> None:
        script = tmp_path / "z3"
        script.write_text(text)
        script.chmod(0o755)
        monkeypatch.setattr(z3_process, "z3_binary", lambda: str(script))

    return install


# -- the checker ----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path_factory.mktemp("lost") / "gauss.cert")


@pytest.mark.parametrize("what", ["z3 -smt2", "cvc5_child"])
def test_a_good_certificate_stays_good_while_its_solvers_are_killed(certificate: Path, what: str) -> None:
    killed = 0
    for seed in range(3):
        with killing(what, seed, every=0.02, most=3) as victims:
            report = check_certificate(certificate)
        killed += len(victims)
        assert not report.refused, report
        assert report.accepted or report.retry, report
    assert killed
    assert check_certificate(certificate).trust_level is TrustLevel.CONFIRMED


def test_a_false_certificate_is_refused_all_the_same(tmp_path: Path) -> None:
    false = b"(declare-const p Bool)(prove p)"
    path = write_certificate(false, proofs.direct(false), tmp_path / "false.cert")
    for seed in range(3):
        with killing("z3 -smt2", seed, every=0.05, most=2):
            assert not check_certificate(path).accepted
    assert check_certificate(path).refused


def test_without_z3_the_other_solver_decides(tmp_path: Path, broken_z3: Callable[[str], None]) -> None:
    path = write_certificate(NO_PREMISES, proofs.direct(NO_PREMISES), tmp_path / "p.cert")
    broken_z3(BROKEN["ends at once"])
    report = check_certificate(path)
    assert (report.verdict, report.trust_level) == (Verdict.PROVED, TrustLevel.NOT_VACUOUS)
    assert any("may rise" in note for note in report.notes)


@pytest.mark.parametrize(
    "how",
    [
        "ends at once",
        pytest.param("never answers", marks=pytest.mark.whole("test_without_z3_the_other_solver_decides")),
    ],
)
def test_without_z3_the_other_solver_shows_that_definitions_end_or_it_is_to_be_tried_again(
    tmp_path: Path, broken_z3: Callable[[str], None], how: str
) -> None:
    at_zero = Query((), (Instance("def", "f", (integer(0),)),), equations=False)
    certificate = write_certificate(FEW_QUERIES, proofs.direct(FEW_QUERIES, at_zero), tmp_path / "f.cert")
    broken_z3(BROKEN[how])
    report = check_certificate(certificate, limits=Limits(seconds=2.0))
    assert (report.verdict, report.trust_level) == (Verdict.PROVED, TrustLevel.NOT_VACUOUS), report
    assert "termination 1" in report.undecided_by_first
    alone = check_certificate(certificate, limits=Limits(seconds=0.5), second_solver=False)
    assert (alone.verdict, alone.refused, alone.retry) == (Verdict.UNKNOWN, False, True), alone


def test_a_solver_that_cannot_be_run_is_named(broken_z3: Callable[[str], None]) -> None:
    broken_z3(BROKEN["ends at once"])
    with Z3Process() as solver, pytest.raises(Unavailable, match="z3 cannot be run: exit code 1"):
        solver.ask("(assert false)")


# -- whole runs -----------------------------------------------------------------------------------------------------
BREAK_Z3 = """
from goedels_poetry.solvers import z3_process
z3_process.z3_binary = lambda: {path!r}
"""


def prove(home: Path, *more: str, search_path: Path | None = None) -> subprocess.Popen[str]:
    theorem = home / "gauss.smt2"
    theorem.write_bytes(proofs.GAUSS)
    env = {
        **os.environ,
        "GOEDELS_POETRY__HOME": str(home / "home"),
        **({} if search_path is None else {"PYTHONPATH": str(search_path)}),
    }
    command = [sys.executable, "-m", "goedels_poetry", "prove", str(theorem), *more]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_run_without_z3_stops_and_goes_on_when_there_is_one(tmp_path: Path) -> None:
    script = tmp_path / "z3"
    script.write_text(BROKEN["ends at once"])
    script.chmod(0o755)
    (tmp_path / "patched").mkdir()
    (tmp_path / "patched" / "sitecustomize.py").write_text(BREAK_Z3.format(path=str(script)))
    run = prove(tmp_path, search_path=tmp_path / "patched")
    said = run.communicate(timeout=120)[0]
    assert run.returncode == 5, said
    assert "z3 cannot be run" in said and "can be resumed" in said
    run = prove(tmp_path)
    said = run.communicate(timeout=120)[0]
    assert run.returncode == 0, said


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", ["z3 -smt2", WORKER, "solvers.fork_server"])
def test_a_run_whose_processes_are_killed_ends_proved_or_to_be_resumed(tmp_path: Path, what: str) -> None:
    run = prove(tmp_path)
    with killing(what, 1, run.pid, most=3):
        said = run.communicate(timeout=120)[0]
    assert run.returncode in (0, 5), said
    run = prove(tmp_path)
    said = run.communicate(timeout=120)[0]
    assert run.returncode == 0, said


# -- reading --------------------------------------------------------------------------------------------------------
async def test_a_reader_that_is_killed_once_reads_all_the_same() -> None:
    for language, text in ((SmtLanguage(1), SMALL), (LogicLanguage(1), PROGRAM)):
        try:
            for seed in range(4):
                with killing(WORKER, seed, most=1, every=0.1):
                    theorem = await language.read(f"{text}\n; {seed}", {})
                assert "p" in theorem.statement
                # Who was hit at the very end of that may die in the midst of this one, and is the only one that does.
                await language.read(f"{text}\n; {seed} once more", {})
        finally:
            await language.aclose()


async def test_a_reader_that_is_killed_again_and_again_says_nothing_about_the_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    fw = GoedelsPoetryFramework(Settings())
    long = "".join(f"(declare-const y{i} Int)(assert (> y{i} (+ {' '.join(['1'] * 400)})))" for i in range(60)) + SMALL
    try:
        with killing(WORKER, 0, every=0.005):  # nobody reads so much between two kills
            result = await fw.arun(long, name="t.smt2")
        assert result.verdict is Verdict.OUT_OF_BUDGET, result
        assert "could not be read" in result.reason or "worker processes end at once" in result.reason
        assert (await fw.arun(long, name="t.smt2")).verdict is Verdict.PROVED
        assert (await fw.arun("(prove (or p (not p)))", name="t.smt2")).verdict is Verdict.INVALID
    finally:
        await fw.aclose()


async def test_a_reader_that_is_too_slow_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "READ_SECONDS", (1.0, 60.0))
    language = SmtLanguage(1)
    try:
        await language.read(SMALL, {})
        (worker,) = [pid for pid in children(os.getpid()) if WORKER in program(pid)]
        os.kill(worker, signal.SIGSTOP)
        assert (await language.read(f"{SMALL};", {})).statement
    finally:
        await language.aclose()


def slow(count: int) -> str:
    return "".join(f"(declare-const x{i} Int)(assert (> x{i} (+ {' '.join(['1'] * 400)})))" for i in range(count))


async def test_no_text_however_slow_holds_up_the_event_loop() -> None:
    language = SmtLanguage(1)
    late: list[float] = []

    async def beat() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.02)
            late.append(time.monotonic() - began - 0.02)

    await language.read(SMALL, {})
    heart = asyncio.create_task(beat())
    try:
        for count in (600, 1_200, 2_400):  # on a quick machine a longer one
            theorem = await language.read(f"{slow(count)}(prove (> x0 0))", {})
            if theorem.seconds > 0.6:
                break
        assert theorem.seconds > 0.6, "the text is to take its time"
        statement = f"(sequent () () (> x1 (+ {' '.join(['1'] * 100_000)})))"
        assert await language.canonical(theorem, "") != await language.canonical(theorem, statement)
    finally:
        heart.cancel()
        await language.aclose()
    assert sum(pause > 0.5 for pause in late) == 0, max(late)


# -- limits of the system -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("megabytes", [3000, 700])
def test_little_memory_is_named_and_enough_for_a_small_theorem(tmp_path: Path, megabytes: int) -> None:
    theorem = tmp_path / "small.smt2"
    theorem.write_text(SMALL)
    env = {**os.environ, "GOEDELS_POETRY__HOME": str(tmp_path / "home")}
    command = f'ulimit -v {megabytes << 10}; exec "{sys.executable}" -m goedels_poetry prove "{theorem}"'
    run = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"`ulimit -v` leaves each process {megabytes} MB" in run.stdout + run.stderr


async def test_no_process_is_left_unreaped() -> None:
    others = set(children(os.getpid()))  # of other tests of this process
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)  # what its parent leaves behind is ours to see
    try:
        async with WorkerPool(2) as pool:
            payload = {"theorem": proofs.GAUSS.decode(), "statement": ""}
            job = "goedels_poetry.smt.jobs.symbolic:prove"
            await asyncio.gather(*(pool.run(job, payload) for _ in range(2)))
            started = set(children(os.getpid())) - others
            assert any("z3 -smt2" in program(pid) for pid in started)
        until = time.monotonic() + 5  # the parent of workers ends by itself, when it sees that nobody wants it
        while (left := [pid for pid in started if program(pid) or state(pid)]) and time.monotonic() < until:
            await asyncio.sleep(0.02)
        assert not left, [program(pid) for pid in left]
    finally:
        ctypes.CDLL(None).prctl(SUBREAPER, 0, 0, 0, 0)
