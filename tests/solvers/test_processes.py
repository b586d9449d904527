"""Processes of solvers: one, several that race, and the same answers again."""

import contextlib
import gc
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.process import Runner, SolverProcess, race
from goedels_poetry.solvers.z3_process import Z3Process

FALSE = "(assert false)"


@contextlib.contextmanager
def end(solver: SolverProcess, how: signal.Signals, times: int) -> Iterator[None]:
    """Inside, the process that answers is ended so many times, each a moment after it is first seen."""

    def kill() -> None:
        seen: set[int] = set()
        while len(seen) < times:
            pid = solver.pid
            if pid is not None and pid not in seen:
                time.sleep(0.2)
                os.kill(pid, how)
                seen.add(pid)
            time.sleep(0.01)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    yield
    thread.join(10)


def test_answers_sat_and_unsat(solver: SolverProcess) -> None:
    assert solver.ask("(declare-const p Bool)(assert p)").status == "sat"
    assert solver.ask("(declare-const p Bool)(assert p)(assert (not p))").status == "unsat"
    assert solver.ask("").status == "sat"


def test_gets_the_model_the_values_and_the_core(solver: SolverProcess) -> None:
    script = "(declare-const x Int)\n(assert (! (> x 3) :named low))\n(assert (! (< x 5) :named high))"
    assert "define-fun x () Int" in solver.ask(script, get="model").output
    values = solver.ask(script, get=("x", "(+ x 1)"))
    assert " ".join(values.output.split()) == "((x 4) ((+ x 1) 5))"
    core = solver.ask(script + "(assert (! (= x 7) :named seven))(assert (! true :named idle))", get="core")
    assert core.status == "unsat"
    assert set(core.output.strip("() \n").split()) == {"high", "seven"}


def test_each_query_starts_from_nothing(solver: SolverProcess) -> None:
    solver.ask("(declare-const p Bool)(assert p)(define-fun-rec f ((n Int)) Int (ite (< n 1) 0 (f (- n 1))))")
    assert solver.ask("(declare-const p Int)(assert (< p 0))(declare-const f Int)").status == "sat"
    assert solver.ask("(assert p)").status == "error"
    assert solver.ask("(assert (= (f 0) 0))").status == "error"
    assert solver.ask("(define-fun-rec f ((n Int)) Int (+ n 1))(assert (distinct (f 0) 1))").status == "unsat"
    assert solver.starts == 1


@pytest.mark.sample(10)
@pytest.mark.parametrize(
    "script",
    [
        '(echo "unsat")',
        '(echo "sat")(exit)',
        "(check-sat)(assert false)",
        "(reset)(assert false)",
        "(set-option :timeout 1)",
        "(set-info :status unsat)",
        "(assert false",
        "(assert |false)",
        '(assert "false)',
        "; (assert true)\n(",
    ],
)
def test_no_script_can_pose_or_swallow_a_command(solver: SolverProcess, script: str) -> None:
    assert solver.ask(script).status == "error"
    assert solver.ask(FALSE).status == "unsat"


def test_an_error_beside_the_answer_is_an_error_with_its_line(solver: SolverProcess) -> None:
    answer = solver.ask("(declare-const p Bool)\n(assert q)\n(assert false)")
    assert answer.status == "error"
    assert answer.reason.startswith("line 2")
    assert "q" in answer.reason
    answer = solver.ask("(assert true)\n\n(assert\n (and 3 true))")
    assert answer.status == "error"
    assert answer.reason.startswith(("line 3", "line 4"))


def test_names_like_answers_are_only_names(solver: SolverProcess) -> None:
    script = "(declare-const unsat Bool)(declare-const |sat\nunsat| Bool)(assert unsat)(assert |sat\nunsat|)"
    assert solver.ask(script).status == "sat"


def test_a_time_limit_gives_unknown(solver: SolverProcess, hard: str) -> None:
    answer = solver.ask(hard, Limits(seconds=0.2))
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert solver.ask(FALSE).status == "unsat"


def test_a_solver_that_does_not_stop_by_itself_is_killed(solver: SolverProcess) -> None:
    solver.ask("")
    first = solver.pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)
    answer = solver.ask(FALSE, Limits(seconds=0.1))
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert solver.ask(FALSE).status == "unsat"
    assert solver.pid != first


def test_running_out_of_memory_fails_that_query_alone(solver: SolverProcess, huge: str) -> None:
    answer = solver.ask(huge, Limits(seconds=40, memory_mb=200))
    assert (answer.status, answer.reason) == ("unknown", "memory")
    assert solver.ask(FALSE, Limits(memory_mb=200)).status == "unsat"


def test_a_crash_fails_that_query_alone(solver: SolverProcess, hard: str) -> None:
    solver.ask("")
    with end(solver, signal.SIGSEGV, times=2):
        answer = solver.ask(hard, Limits(seconds=60))
    assert answer.status == "error"
    assert "SIGSEGV" in answer.reason
    assert solver.ask(FALSE).status == "unsat"


def test_what_is_killed_again_and_again_is_the_machine_s_trouble(solver: SolverProcess, hard: str) -> None:
    solver.ask("")
    with end(solver, signal.SIGKILL, times=2), pytest.raises(SolverUnavailable, match="memory runs out"):
        solver.ask(hard, Limits(seconds=60))
    assert solver.ask(FALSE).status == "unsat"


def test_deep_nesting_is_no_proof(solver: SolverProcess) -> None:
    deep = "(assert " + "(not " * 100_000 + "true" + ")" * 100_001
    assert solver.ask(deep, Limits(seconds=5, memory_mb=500)).status != "unsat"
    assert solver.ask(FALSE, Limits(memory_mb=500)).status == "unsat"


def test_an_answer_that_is_too_long_is_an_error(solver: SolverProcess) -> None:
    names = "".join(f"(declare-const x{i} Int)(assert (> x{i} {i}))" for i in range(300))
    answer = solver.ask(names, Limits(output_bytes=2000), get="model")
    assert answer.status == "error"
    assert "2000 bytes" in answer.reason
    assert solver.ask(FALSE).status == "unsat"


def test_hundreds_of_queries_leave_no_zombie_and_no_descriptor(z3: Z3Process) -> None:
    z3.ask("")
    z3.close()
    gc.collect()
    before = _open_descriptors()
    for count in range(600):
        assert z3.ask(FALSE).status == "unsat"
        if count % 100 == 0:
            z3.kill()
    z3.close()
    assert _open_descriptors() == before
    assert not _zombies()


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def _zombies() -> list[str]:
    """The dead children of this process that nobody waited for."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # processes come and go
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.append(stat.parent.name)
    return found


def test_interrupting_a_query_leaves_a_working_process(solver: SolverProcess, hard: str) -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    solver.ask("")
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        solver.ask(hard, Limits(seconds=60))
    assert solver.ask(FALSE).status == "unsat"


def test_a_match_in_one_query_does_not_end_the_next(solver: SolverProcess) -> None:
    """z3 5.4.0 dies of a reset after any match."""
    script = """
        (declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))
        (define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((Z y) ((S w) (S (plus w y))))))
        (assert (distinct (plus (S Z) (S Z)) (S (S Z))))"""
    for _ in range(3):
        assert solver.ask(script).status == "unsat"
        assert solver.ask(FALSE).status == "unsat"


IRREFLEXIVE = "(declare-const x Int)(assert (< x x))"


@pytest.fixture
def cvc5() -> Iterator[Cvc5Process]:
    with Cvc5Process() as process:
        yield process


def test_the_first_definite_answer_wins_and_the_loser_is_stopped(z3: Z3Process, cvc5: Cvc5Process, hard: str) -> None:
    long = Limits(seconds=300)
    for slow, fast in ((z3, cvc5), (cvc5, z3)):
        finish = race(
            Runner(slow, iter(lambda slow=slow: slow.ask(hard, long), None)),
            Runner(fast, (fast.ask(IRREFLEXIVE) for _ in range(1))),
        )
        assert (finish.winner, finish.answer.status) == (1, "unsat")
        assert slow.pid is None, "the loser is still running"
        assert slow.ask(IRREFLEXIVE).status == "unsat", "and does not answer any more"


# Peano addition and its equations; the questions below take some hundred to some thousand steps.
PEANO = """
(declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))
(declare-fun plus (Nat Nat) Nat)
(assert (forall ((y Nat)) (! (= (plus Z y) y) :pattern ((plus Z y)))))
(assert (forall ((x Nat) (y Nat)) (! (= (plus (S x) y) (S (plus x y))) :pattern ((plus (S x) y)))))
(declare-const n Nat)
(declare-const m Nat)
"""
QUESTIONS = {
    "right zero, base": "(assert (not (= (plus Z Z) Z)))",
    "right zero, step": "(assert (= (plus n Z) n))\n(assert (not (= (plus (S n) Z) (S n))))",
    "right zero, no hypothesis": "(assert (not (= (plus n Z) n)))",
    "right successor, step": (
        "(assert (forall ((y Nat)) (= (plus n (S y)) (S (plus n y)))))\n"
        "(assert (not (= (plus (S n) (S m)) (S (plus (S n) m)))))"
    ),
    "a false equation": "(assert (not (= (plus (S Z) n) n)))",
    "seven is no cube": "(declare-const x Int)\n(assert (= (* x x x) 7))",
}


QUANTIFIERS = {"auto_config": "false", "smt.mbqi": "false"}
BUDGET = Limits(rlimit=20_000, seconds=60)


def test_the_same_question_gets_the_same_answer_after_the_same_steps_in_any_order(
    solver: SolverProcess,
) -> None:
    options = QUANTIFIERS if solver.name == "z3" else None
    seen: dict[str, set[tuple[str, str, int | None]]] = {name: set() for name in QUESTIONS}
    names = list(QUESTIONS) * 6
    random.Random(7).shuffle(names)
    for count, name in enumerate(names):
        answer = solver.ask(PEANO + QUESTIONS[name], BUDGET, options=options)
        seen[name].add((answer.status, answer.reason, answer.rlimit_used))
        if count == 20:
            solver.close()  # a new process says the same
    assert {name: len(answers) for name, answers in seen.items()} == dict.fromkeys(QUESTIONS, 1)


def test_a_session_gives_the_same_statuses_in_any_order(z3: Z3Process) -> None:
    expected = {name: z3.ask(PEANO + text, BUDGET, options=QUANTIFIERS) for name, text in QUESTIONS.items()}
    session = z3.session(PEANO, QUANTIFIERS)
    names = list(QUESTIONS) * 5
    random.Random(3).shuffle(names)
    for name in names:
        found = session.check(QUESTIONS[name], BUDGET).status
        assert (found == "unsat") == (expected[name].status == "unsat"), name


@pytest.mark.parametrize("options", [{"smt.random_seed": "7"}, {"smt.mbqi": "false"}, {"auto_config": "false"}])
def test_options_of_one_query_do_not_reach_the_next(z3: Z3Process, options: dict[str, str]) -> None:
    question = PEANO + QUESTIONS["right zero, no hypothesis"]
    before = z3.ask(question, BUDGET)
    z3.ask(question, BUDGET, options=options)
    after = z3.ask(question, BUDGET)
    assert (before.status, before.reason, before.rlimit_used) == (after.status, after.reason, after.rlimit_used)
