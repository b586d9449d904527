from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

FALSE = "(assert false)"
PRELUDE = "(declare-const x Int)\n(assert (! (> x 3) :named low))"


def test_each_check_sees_the_prelude_and_not_the_other_checks(z3: Z3Process) -> None:
    session = z3.session(PRELUDE)
    assert session.check("(declare-const y Int)(assert (< x 2))").status == "unsat"
    assert session.check("(declare-const y Bool)(assert (and y (< x 9)))").status == "sat"
    assert session.check("").status == "sat"


def test_gets_cores_and_models(z3: Z3Process) -> None:
    session = z3.session(PRELUDE, cores=True)
    core = session.check("(assert (! (< x 0) :named neg))", get="core").output
    assert set(core.strip("()").split()) == {"low", "neg"}
    assert "define-fun x" in session.check("", get="model").output
    assert session.check("", get=("x",)).output.startswith("((x ")
    assert z3.session(PRELUDE).check(FALSE, get="core").status == "error"


def test_an_error_in_a_check_spoils_no_later_one(z3: Z3Process) -> None:
    session = z3.session(PRELUDE)
    assert session.check("\n(assert (= z 1))").reason.startswith("line 2 column")
    assert session.check("(assert (< x 2))").status == "unsat"
    assert session.check("(pop)").status == "error"
    assert session.check("").status == "sat"


def test_an_error_in_the_prelude_is_an_error_of_every_check(z3: Z3Process) -> None:
    session = z3.session("(declare-const x Int)\n(assert y)\n(assert false)")
    for _ in range(2):
        answer = session.check("")
        assert answer.status == "error"
        assert answer.reason.startswith("line 2 column")
    assert z3.session("(assert").check("").status == "error"


def test_a_limit_in_one_check_leaves_the_session_usable(z3: Z3Process, hard: str) -> None:
    session = z3.session(PRELUDE.replace("x", "a"))
    for limits, reason in ((Limits(rlimit=20_000, seconds=60), "rlimit"), (Limits(seconds=0.2), "timeout")):
        answer = session.check(hard, limits)
        assert (answer.status, answer.reason) == ("unknown", reason)
        assert session.check("(assert (< a 2))").status == "unsat"
    assert z3.starts == 1


def test_a_recursive_definition_in_one_check_does_not_end_the_next(z3: Z3Process) -> None:
    """z3 5.4.0 dies when a popped recursive function over a popped datatype is defined and checked again."""
    extra = """
        (declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))
        (define-fun-rec plus ((a Nat) (b Nat)) Nat (ite ((_ is Z) a) b (S (plus (pred a) b))))
        (declare-const n Nat)
        (assert (= (plus n Z) n))"""
    session = z3.session(PRELUDE)
    for _ in range(3):
        assert session.check(extra).status == "sat"
        assert session.check("(assert (< x 2))").status == "unsat"


def test_a_check_cut_off_before_it_was_set_apart_leaves_nothing_behind(z3: Z3Process) -> None:
    """z3 may give up within ``push``; what follows would then be asserted for good."""
    rule = "(assert (forall ((x Int)) (! (=> (p x) (p (+ x 1))) :pattern ((p x)))))"
    prelude = f"(declare-fun p (Int) Bool)(assert (p 0)){rule}"
    session = z3.session(prelude, {"auto_config": "false", "smt.mbqi": "false"})
    cut = session.check(FALSE, Limits(rlimit=50))
    assert (cut.status, cut.reason) == ("unknown", "timeout")
    assert session.check("", Limits(rlimit=20_000)).status == "unknown"


def test_no_limit_however_small_leaves_a_check_behind(z3: Z3Process) -> None:
    """Resources may run out between ``push`` and the check; z3 says so in words of its own."""
    prelude = """(declare-datatypes ((N 0)) (((zero) (more (less N)))))(declare-fun f (N) N)(declare-const c N)
        (assert (forall ((x N)) (! (= (f (more x)) (more (f x))) :pattern ((f (more x))))))
        (assert (= (f c) (more c)))"""
    for rlimit in (*range(20, 60), 100):
        session = z3.session(prelude, {"auto_config": "false", "smt.mbqi": "false"})
        for first in (20, 2000):
            session.check("(assert (= c zero))", Limits(rlimit=first))
            session.check(FALSE, Limits(rlimit=rlimit))
            assert session.check("", Limits(rlimit=20_000)).status == "unknown", rlimit
