"""SMT-LIB programs: what is taken for true, what is asked, and what is refused in words that say what to change."""

import pytest
from named_texts import tables
from smt2_texts import BIRDS, P, X, refused

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.entailment.program import LogicProgram, Origin
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.smt.notation.text import parse_problem

TABLES = tables(__file__)

LISTS = "(declare-datatypes () ((L nil (cons (hd Int) (tl L)))))"


def premises_of(program: LogicProgram) -> list[str]:
    return [show(premise.formula) for premise in program.premises]


def goals_of(text: str) -> list[str]:
    return [show(goal.formula) for goal in read_smt2(text).goals]


# ------------------------------------------------------------------------------------------ what is asked


def test_a_marked_goal_is_exactly_its_formula_and_every_assertion_is_a_premise() -> None:
    program = read_smt2(
        BIRDS + "(define-fun goal () Bool (not (flies tweety)))\n(assert (not (bird tweety)))(check-sat)"
    )
    (goal,) = program.goals
    assert (goal.name, show(goal.formula), goal.marked, goal.negated) == ("goal", "(not (flies tweety))", True, False)
    assert premises_of(program)[1:] == ["(bird tweety)", "(not (bird tweety))"]
    assert (goal.place.line, goal.place.column) == (7, 1)
    assert program.text.startswith(BIRDS) and program.dialect == "smt2"


@pytest.mark.parametrize(
    ("query", "formula", "negated"),
    [
        ("(assert (flies tweety))", "(flies tweety)", False),
        ("(assert (not (flies tweety)))", "(flies tweety)", True),
        ("(assert (not (not (flies tweety))))", "(not (flies tweety))", True),
        ("(assert (let ((f (flies tweety))) (not f)))", "(flies tweety)", True),
        ("(assert (! (not (flies tweety)) :named negated-conclusion))", "(flies tweety)", True),
        ("(check-sat)(push 1)(assert (not (flies tweety)))(check-sat)(pop 1)", "(flies tweety)", True),
        ("(push)(assert false)(check-sat)(pop)(assert (not (flies tweety)))(check-sat)", "(flies tweety)", True),
        ("(check-sat-assuming ((not (flies tweety))))", "(flies tweety)", True),
        ("(check-sat-assuming ((flies tweety) (bird tweety)))", "(and (flies tweety) (bird tweety))", False),
        ("(define-fun ask () Bool (flies tweety))(assert (not ask))(check-sat)(get-model)(exit)", "ask", True),
    ],
)
def test_without_a_marked_goal_the_last_assertion_of_the_last_check_is_asked(
    query: str, formula: str, negated: bool
) -> None:
    program = read_smt2(BIRDS + query)
    (goal,) = program.goals
    assert (show(goal.formula), goal.marked, goal.negated) == (formula, False, negated)
    assert premises_of(program) == ["(forall ((a Animal)) (=> (bird a) (flies a)))", "(bird tweety)"]


def test_choices_are_goals_of_their_own() -> None:
    program = read_smt2(
        P + "(define-fun goal-A () Bool p)(define-fun goal_B () Bool q)(define-const goal-none Bool false)"
    )
    assert [(goal.name, show(goal.formula)) for goal in program.goals] == [("A", "p"), ("B", "q"), ("none", "false")]


def test_a_goal_may_stand_in_front_of_what_it_speaks_of() -> None:
    program = read_smt2("(define-fun goal () Bool (flies tweety))\n" + BIRDS + "(check-sat)")
    assert [show(goal.formula) for goal in program.goals] == ["(flies tweety)"]
    assert len(program.premises) == 2


def test_names_that_only_sound_like_goals_are_names() -> None:
    program = read_smt2(
        "(declare-fun goal_difference (Int) Int)(declare-const goal_reached Bool)(declare-const goal Bool)"
        "(assert (! (=> goal_reached goal) :named goal_rule))(assert (not (and goal (> (goal_difference 1) 0))))"
    )
    assert [premise.name for premise in program.premises] == ["goal_rule"]
    assert goals_of(program.text) == ["(and goal (> (goal_difference 1) 0))"]


@pytest.mark.parametrize(
    "again",
    [
        "(assert goal)",
        "(assert (not goal))",
        "(assert (! (not goal) :named negated))",
        "(assert (not (flies tweety)))",
        "(assert (flies tweety))",
        "(assert (! (not (flies tweety)) :named refute))(check-sat)(push)",
        "(check-sat-assuming ((not goal)))",
        "(push)(assert (not goal))(check-sat)(pop)",
    ],
)
def test_who_asserts_the_goal_after_marking_it_asks_again(again: str) -> None:
    program = read_smt2(BIRDS + "(define-fun goal () Bool (flies tweety))\n" + again)
    assert premises_of(program) == ["(forall ((a Animal)) (=> (bird a) (flies a)))", "(bird tweety)"]
    assert [show(goal.formula) for goal in program.goals] == ["(flies tweety)"]


def test_the_goal_asserted_again_under_other_variables_is_recognised_and_said() -> None:
    goal = "(define-fun goal () Bool (exists ((a Animal)) (flies a)))"
    program = read_smt2(BIRDS + goal + "\n(assert (not (exists ((b Animal)) (flies b))))(check-sat)")
    assert len(program.premises) == 2
    assert any("line 8" in warning for warning in program.warnings)


def test_a_premise_that_says_where_it_comes_from_stays_a_premise_even_when_it_is_the_goal() -> None:
    stated = "(assert (! (flies tweety) :named stated :sentence 3))"
    program = read_smt2(BIRDS + "(define-fun goal () Bool (flies tweety))" + stated)
    assert program.premises[-1].name == "stated"


def test_a_program_that_only_optimises_asks_nothing_else() -> None:
    program = read_smt2(
        "(declare-const n Int)(assert (<= n 7))(assert (! (>= n 2) :named least :objective true))"
        "(maximize n)(minimize (- n) :id second)(check-sat)(get-objectives)"
    )
    assert program.goals == ()
    assert [(o.maximize, show(o.term)) for o in program.objectives] == [(True, "n"), (False, "(- n)")]
    assert premises_of(program) == ["(<= n 7)"]
    assert [c.name for c in program.constraints] == ["least"]


@pytest.mark.parametrize(("text", "message"), TABLES["test_a_program_that_does_not_clearly_ask_is_refused"])
def test_a_program_that_does_not_clearly_ask_is_refused(text: str, message: str) -> None:
    assert message in str(refused(text))


# ------------------------------------------------------------------------------------------- annotations


def test_premises_say_where_they_come_from() -> None:
    program = read_smt2(
        P + "\n(assert (! p :named one :sentence 2))(assert (! q :sentence (5 2 5) :named two))"
        '(assert (! (or p q) :world "Something is."))(assert (! (and p q) :derived "Both are." :named four))'
        "(assert (=> p q))(define-fun goal () Bool (! p :named asked))"
    )
    assert [(p.name, p.origin, p.sentences, p.words) for p in program.premises] == [
        ("one", Origin.TEXT, (2,), ""),
        ("two", Origin.TEXT, (5, 2), ""),
        ("premise-3", Origin.WORLD, (), "Something is."),
        ("four", Origin.DERIVED, (), "Both are."),
        ("premise-5", Origin.UNSAID, (), ""),
    ]
    assert {premise.place.line for premise in program.premises} == {2}


def test_names_that_are_made_up_do_not_collide_with_those_of_the_program() -> None:
    program = read_smt2(P + "(assert p)(assert (! q :named premise-1))(define-fun goal () Bool p)")
    assert [premise.name for premise in program.premises] == ["premise-2", "premise-1"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (":sentence 0", "from 1"),
        (":sentence ()", ":sentence takes 1 to"),
        (':sentence "first"', "write :sentence (2 5)"),
        (":world true", "words in double quotes"),
        (':world "  "', "words in double quotes"),
        (':world "a" :derived "b"', "a premise comes from one of them"),
        (":named a :named b", "a second :named"),
        (":named (a)", ":named takes one symbol"),
        (":objective 1", "true or false"),
        (":sentence", "malformed annotation"),
        (":sentences (2 3)", "unknown attribute :sentences (did you mean `:sentence`?)"),
    ],
)
def test_malformed_annotations_are_refused(attributes: str, message: str) -> None:
    assert message in str(refused(P + f"(assert (! p {attributes}))(assert q)"))


def test_annotations_stand_around_the_whole_assertion() -> None:
    inside = "(assert (forall ((n Int)) (! (=> (> n 0) p) :sentence 3)))(assert q)"
    assert ":sentence may stand only around a whole assertion" in str(refused(P + inside))


def test_two_premises_of_one_name_are_refused_unless_one_was_taken_back() -> None:
    assert "a second premise named `a`" in str(refused(P + "(assert (! p :named a))(assert (! q :named a))(assert p)"))
    assert read_smt2(P + "(push)(assert (! p :named a))(pop)(assert (! q :named a))(assert p)").premises[0].name == "a"


# ------------------------------------------------------------------------------------------ push and pop


def test_names_of_a_scope_may_be_declared_anew_after_it() -> None:
    scope = "(push)(declare-const n {})(assert {})(check-sat)(pop)"
    text = scope.format("Int", "(> n 0)") + scope
    same = read_smt2(text.format("Int", "(< n 0)"))
    assert [show(goal.formula) for goal in same.goals] == ["(< n 0)"]
    assert list(same.signature.functions) == ["n"]
    other = read_smt2(text.format("Bool", "n"))
    assert [goal.formula.sort.name for goal in other.goals] == ["Bool"]
    assert {params for params, _ in other.signature.functions.values()} == {()}
    assert len(other.signature.functions) == 2


def test_a_name_may_not_be_declared_twice_in_one_scope() -> None:
    assert "declared twice" in str(refused("(declare-const n Int)(push)(declare-const n Bool)(assert n)"))


def test_what_was_popped_is_neither_premise_nor_objective() -> None:
    program = read_smt2(
        X + "(assert (> x 0))(push 2)(assert (> x 1))(maximize x)(check-sat)(pop)(pop)(assert (> x 3))(check-sat)"
    )
    assert (premises_of(program), program.objectives) == (["(> x 0)"], ())


def test_an_objective_that_was_checked_before_it_was_popped_is_what_is_asked() -> None:
    program = read_smt2(X + "(assert (< x 3))(push)(maximize x)(check-sat)(pop)")
    assert (premises_of(program), len(program.objectives)) == (["(< x 3)"], 1)


# -------------------------------------------------------------------------------------------- recursion


def test_recursion_that_is_seen_to_end_is_a_definition() -> None:
    length = "(define-fun-rec len ((l L)) Int (ite ((_ is nil) l) 0 (+ 1 (len (tl l)))))"
    program = read_smt2(LISTS + length + "(define-fun goal () Bool (= (len (cons 1 nil)) 1))")
    assert [d.name for d in program.signature.definitions] == ["len"]
    assert program.premises == ()


def test_recursion_that_is_not_seen_to_end_is_a_premise() -> None:
    wrong = "\n(define-fun-rec f ((n Int)) Int (+ 1 (f n)))"
    program = read_smt2(
        "(declare-const k Int)" + wrong + "(define-fun twice ((n Int)) Int (* 2 (f n)))(assert (= k (twice 1)))"
    )
    (premise,) = program.premises
    assert (premise.name, show(premise.formula)) == ("definition-of-f", "(forall ((n Int)) (= (f n) (+ 1 (f n))))")
    assert premise.place.line == 2
    assert [d.name for d in program.signature.definitions] == ["twice"]
    assert "f" in program.signature.functions
    assert any("recursion" in warning for warning in program.warnings)


def test_functions_that_call_each_other_are_premises_together() -> None:
    program = read_smt2(
        "(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool))"
        " ((ite (= n 0) true (od (- n 1))) (ite (= n 0) false (ev (- n 1)))))(assert (ev 4))"
    )
    assert [premise.name for premise in program.premises] == ["definition-of-ev", "definition-of-od"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("(> x -5)", "(> x (- 5))"),
        ("(> r -0.5)", "(> r (- (/ 1.0 2.0)))"),
        ("(> r -5)", "(> r (- 5.0))"),
        ("(let ((-5 x)) (> -5 1))", "(> x 1)"),
    ],
)
def test_a_number_with_its_sign_is_the_number_that_solvers_take_it_for(text: str, read: str) -> None:
    assert show(read_smt2(f"{X}(define-fun goal () Bool {text})").goals[0].formula) == read


def test_a_symbol_that_is_declared_is_no_number() -> None:
    program = read_smt2(f"{X}(declare-const -5 Int)(define-fun goal () Bool (> x -5))")
    assert "-5" in program.signature.functions and show(program.goals[0].formula) == "(> x |-5|)"


def test_in_a_theorem_a_minus_stands_before_the_number() -> None:
    with pytest.raises(InvalidInput, match="negative numbers are written"):
        parse_problem(f"{X}(prove (> x -5))")
