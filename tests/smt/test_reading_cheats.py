"""Ways in which a script can lie to whoever reads it: each ends in InvalidInput, or changes nothing."""

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import FALSE
from goedels_poetry.smt.jobs import symbolic
from goedels_poetry.smt.notation.text import parse_problem


def refused(text: str | bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse_problem(text)
    error = caught.value
    assert error.message
    assert error.line is not None and error.line >= 1
    assert error.column is not None and error.column >= 1
    return error


GOAL = "(declare-const x Int)\n(assert (not (> (* x x) x)))\n"


def test_reset_before_something_trivial() -> None:
    assert "reset" in refused(GOAL + "(reset)\n(assert false)\n(check-sat)").message


def test_reset_assertions_before_something_trivial() -> None:
    error = refused(GOAL + "(reset-assertions)\n(assert (and false true))\n(check-sat)")
    assert "`reset-assertions`" in error.message
    assert error.line == 3


def test_echo_of_a_verdict() -> None:
    assert "after exit" in refused(GOAL + '(echo "unsat")\n(exit)\n(check-sat)').message
    told = parse_problem(f'(echo "unsat")\n(echo "(assert false)"){GOAL}(echo "unsat")')
    assert told.premises == () and told.goal is parse_problem(GOAL).goal


def test_exit_before_check_sat() -> None:
    assert "exit" in refused(GOAL + "(exit)\n(check-sat)").message


def test_commands_after_exit() -> None:
    assert "after exit" in refused(GOAL + "(check-sat)(exit)(check-sat)").message


@pytest.mark.parametrize("command", ["(push 1)", "(push)", "(pop 1)"])
def test_push_and_pop_that_take_the_goal_away(command: str) -> None:
    assert "one context" in (refused(GOAL + command + "(check-sat)").hint or "")


def test_a_second_check_sat_to_choose_from() -> None:
    assert "after check-sat" in refused(GOAL + "(check-sat)\n(check-sat)").message


def test_an_assertion_after_check_sat() -> None:
    assert "after check-sat" in refused(GOAL + "(check-sat)\n(assert false)").message


def test_check_sat_with_own_assumptions() -> None:
    assert "check-sat-assuming" in refused(GOAL + "(declare-const p Bool)(check-sat-assuming (p))").message


@pytest.mark.parametrize(
    "option",
    [":timeout 1", ":rlimit 1", ":smt.random_seed 3", ":global-declarations true", ":proof true", ":smt.mbqi false"],
)
def test_options_that_steer_a_solver(option: str) -> None:
    assert "is not allowed" in refused(f"(set-option {option})\n{GOAL}").message


def test_harmless_options_change_nothing() -> None:
    plain = parse_problem(GOAL + "(check-sat)")
    with_option = parse_problem("(set-option :produce-models true)" + GOAL + "(check-sat)(get-model)(exit)")
    assert with_option.goal is plain.goal
    assert with_option.premises == plain.premises


def test_an_undeclared_symbol_never_drops_its_assertion() -> None:
    error = refused("(declare-const x Int)\n(assert (> y 0))\n(assert (not (= x x)))\n(check-sat)")
    assert error.message == "unknown symbol `y`"
    assert (error.line, error.column) == (2, 12)


def test_a_goal_that_is_not_marked() -> None:
    assert "no goal" in refused("(declare-const x Int)(assert (> x 0))(check-sat)").message


def test_two_goals() -> None:
    several = parse_problem("(prove true)(prove false)")
    assert several.goal is FALSE and not several.premises, "of several the last is the theorem; none is a premise"
    reading = symbolic.read({"theorem": "(prove true)(prove false)"})
    assert reading["message"] == "the text states 2 goals: name one, as in FILE:goal-1", "nobody proves a part unasked"


def test_an_open_goal_cannot_be_written() -> None:
    assert "unknown symbol `x`" in refused("(prove (= x x))").message


def test_only_the_whole_goal_is_negated() -> None:
    problem = parse_problem("(assert (not (forall ((x Int)) (not (= x 1)))))")
    assert show(problem.goal) == "(forall ((x Int)) (not (= x 1)))"


@pytest.mark.parametrize(
    "declaration",
    [
        "(define-fun + ((a Int) (b Int)) Int a)",
        "(define-fun and ((a Bool) (b Bool)) Bool true)",
        "(declare-fun = (Int Int) Bool)",
        "(declare-const true Bool)",
        "(define-fun-rec str.len ((s String)) Int 0)",
        "(declare-sort Int 0)",
        "(declare-datatypes ((Bool 0)) (((yes))))",
        "(declare-fun |+| (Int Int) Int)",
        "(declare-datatypes ((T 0)) (((mod))))",
        "(declare-datatypes ((T 0)) (((mk (not T)) (z))))",
        "(declare-fun is (Int) Bool)",
    ],
)
def test_theory_symbols_cannot_be_redefined(declaration: str) -> None:
    assert "cannot be declared anew" in refused(declaration + "(prove true)").message


@pytest.mark.parametrize(
    "second",
    [
        "(define-fun f ((a Int)) Int 1)",
        "(declare-const f Int)",
        "(declare-datatypes ((T 0)) (((f))))",
        "(declare-datatypes ((T 0)) (((c (f Int)))))",
        "(define-funs-rec ((f () Int)) (1))",
        "(declare-const |f| Int)",
    ],
)
def test_a_name_cannot_be_overwritten(second: str) -> None:
    assert "twice" in refused("(declare-fun f (Int) Int)" + second + "(prove true)").message


def test_a_sort_cannot_be_overwritten() -> None:
    assert "twice" in refused("(declare-sort S 0)(define-sort S () Int)(prove true)").message


def test_quoted_symbols_with_a_space_are_other_symbols() -> None:
    problem = parse_problem(
        "(declare-const |x | Int)(declare-const x Int)(assert (> x 0))(assert (not (> |x | 0)))(check-sat)"
    )
    assert show(problem.goal) == "(> |x | 0)"
    assert show(problem.premises[0].formula) == "(> x 0)"


def test_bars_alone_make_no_difference() -> None:
    assert show(parse_problem("(declare-const |x| Int)(prove (= x |x|))").goal) == "(= x x)"


def test_symbols_called_sat_and_unsat_are_plain_names() -> None:
    problem = parse_problem(
        "(declare-const sat Bool)(declare-const unsat Int)(assert sat)(assert (not (= unsat 3)))(check-sat)"
    )
    assert show(problem.goal) == "(= unsat 3)"


def test_status_comments_and_other_information_are_never_read() -> None:
    text = "(declare-const x Int)(assert (not (= x 1)))"
    lying = '(set-info :status unsat)(set-info :goal "false") ; unsat\n' + text + "(set-info :status sat)"
    one, other = parse_problem(text), parse_problem(lying)
    assert (one.goal, one.premises, one.signature) == (other.goal, other.premises, other.signature)


@pytest.mark.parametrize("text", ["(assert true) ; (prove false)", "(prove true", '(prove (= "a) "b"))', "(prove |a)"])
def test_comments_quotes_and_bars_cannot_swallow_commands(text: str) -> None:
    refused(text)


def test_a_datatype_without_values() -> None:
    error = refused("(declare-datatypes ((T 0)) (((mk (self T)))))(check-sat)")
    assert "no finite values" in error.message
    assert (error.line, error.column) == (1, 22)


def test_mutual_datatypes_without_values() -> None:
    refused("(declare-datatypes ((A 0) (B 0)) (((a (b B))) ((b1 (a1 A)))))(prove true)")


def test_a_datatype_without_values_behind_an_array() -> None:
    refused("(declare-datatypes ((T 0)) (((mk (f (Array Int T))))))(prove true)")


@pytest.mark.parametrize("command", ["include", "eval", "simplify", "declare-codatatypes", "minimize", "query"])
def test_unknown_commands(command: str) -> None:
    assert f"`{command}`" in refused(f"({command} true)(prove true)").message


def test_a_definition_may_not_use_what_comes_later() -> None:
    refused("(define-fun f ((x Int)) Int (g x))(define-fun g ((x Int)) Int x)(prove true)")


def test_a_plain_definition_may_not_use_itself() -> None:
    assert "unknown symbol `f`" in refused("(define-fun f ((x Int)) Int (f x))(prove true)").message


def test_names_of_assertions_are_unique() -> None:
    assert "twice" in refused("(assert (! true :named a))(assert (! true :named a))(prove true)").message
    assert "twice" in refused("(declare-const a Int)(assert (! true :named a))(prove true)").message


def test_a_name_may_not_hide_inside_a_formula() -> None:
    assert ":named" in refused("(assert (and (! false :named a) true))(prove true)").message


def test_overflow_is_not_hidden_by_a_literal() -> None:
    assert "does not fit" in refused("(prove (= (_ bv300 8) (_ bv44 8)))").message


def test_integers_are_not_silently_reals() -> None:
    assert "different sorts" in refused("(declare-const x Int)(declare-const y Real)(prove (= x y))").message


def test_integer_division_is_not_real_division() -> None:
    assert "`div` divides Int" in refused("(declare-const x Int)(prove (= (/ x 2) 1.0))").message


def test_bound_variables_never_share_a_name_with_a_symbol() -> None:
    problem = parse_problem(
        "(declare-const c Int)(declare-fun p (Int) Bool)(prove (forall ((c Int)) (exists ((later Int)) (p c))))"
        "(declare-const later Int)"
    )
    names = {v.name for v in problem.goal.binders} | {v.name for v in problem.goal.body.binders}
    assert names.isdisjoint(problem.signature.functions)


def test_let_is_never_captured() -> None:
    problem = parse_problem("(prove (forall ((x Int)) (let ((y x)) (forall ((x Int)) (= x y)))))")
    outer, inner = problem.goal, problem.goal.body
    assert inner.binders[0] is not outer.binders[0]
    assert inner.body.args == (inner.binders[0], outer.binders[0])


def test_let_is_parallel() -> None:
    problem = parse_problem("(declare-const x Int)(prove (let ((x 1) (y x)) (= x y)))")
    assert show(problem.goal) == "(= 1 x)"
