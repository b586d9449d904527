import pytest

from goedels_poetry.solvers.process import script_fault, term_fault


@pytest.mark.parametrize(
    "text",
    [
        "",
        "; only a comment",
        "(assert true)",
        '(declare-const |a ) b| Int) ; a comment with ( and "\n(assert (= |a ) b| 0))',
        '(assert (= "a "" ( b" ""))',
        "(\n  define-fun f () Int\n 1)",
    ],
)
def test_whole_declarations_definitions_and_assertions_pass(text: str) -> None:
    assert script_fault(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(assert true", "1 '(' not closed"),
        ("(assert true))", "')' without '('"),
        ("\n\n(assert |x)", "line 3: unclosed"),
        ('(assert "x)', "unclosed"),
        ("(assert |a\\|)", "unclosed"),
        ("(assert #| hidden |# true)", "line 1: '#|'"),
        ("true (assert true)", "outside"),
        ("(assert true) true", "outside"),
        ("(assert true)\x00", "control"),
        ("(assert true)\n(check-sat)", "line 2: command not allowed"),
        ('(echo "unsat")', "not allowed"),
        ("(reset)", "not allowed"),
        ("(reset-assertions)", "not allowed"),
        ("(push 1)", "not allowed"),
        ("(pop 1)", "not allowed"),
        ("(exit)", "not allowed"),
        ("(set-option :rlimit 1)", "not allowed"),
        ("(set-info :status unsat)", "not allowed"),
        ("(check-sat-assuming (p))", "not allowed"),
        ("(include |x|)", "not allowed"),
        ("(|assert| true)", "not allowed"),
        ("((assert true))", "not allowed"),
        ("()", "not allowed"),
    ],
)
def test_whatever_could_swallow_or_pose_a_command_is_refused(text: str, words: str) -> None:
    fault = script_fault(text)
    assert fault is not None
    assert words in fault


def test_a_hundred_thousand_parentheses_are_only_counted() -> None:
    assert script_fault("(" * 100_000) is not None
    assert script_fault("(assert " + "(not " * 100_000 + "true" + ")" * 100_001) is None


def test_terms_to_evaluate_are_balanced() -> None:
    assert term_fault("(+ x 1)") is None
    assert term_fault("x)(get-model") is not None
    assert term_fault("(x") is not None
    assert term_fault("") is not None
