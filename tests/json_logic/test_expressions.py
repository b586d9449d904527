"""What expressions mean, which are refused and why; random ones against an evaluator of our own."""

import ast
import json
import operator
from collections.abc import Callable
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from named_texts import tables
from small_world import program

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.json.reader import read_json

TABLES = tables(__file__)


def formula(text: str) -> str:
    (goal,) = read_json(program(goal=text)).goals
    return show(goal.formula)


@pytest.mark.parametrize(("text", "meaning"), TABLES["test_it_means"])
def test_it_means(text: str, meaning: str) -> None:
    assert formula(text) == meaning


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        # words that are none of the language
        ("human(soc) = p", 12, "`=`", "=="),
        ("p => q", 3, "`=>`", "Implies"),
        ("lambda x: p", 1, "lambda", "ForAll"),
        ("(i := 3) == 3", 4, "`:=`", "=="),
        ("i == 1e999", 6, "exponent", ""),
        ("s == 'abc", 6, "never closed", "quotation"),
        ("s == 'a\\q'", 6, "`\\q`", "backslash"),
        # forms that are none of the grammar
        ("  ", None, "empty", ""),
        ("(p", 1, "never closed", ")"),
        ("human(soc)(plato)", 11, "only a name", ""),
        ("i.real == 1", 2, "no field", ""),
        ("[p, q]", 1, "list", "in"),
        # what can be read in two ways
        ("not p == q", 1, "two ways", "Not(p == q), or Not(p) == q"),
        ("p == q if i == j else r", 8, "two ways", "parentheses"),
        ("i != j != k", 3, "whether a and c differ", "Distinct"),
        ("i > 3 == j > 3", 3, "two ways", "parentheses"),
        ("i % -2 == 0", 3, "negative", "positive"),
        # sorts that do not meet
        ("i", 1, "must be Bool, not Int", "x != 0"),
        ("p + 1 == 2", 1, "not Bool", "If(p, 1, 0)"),
        ("human(soc, plato)", 1, "takes 1 argument (Person), got 2", ""),
        ("human", 1, "takes 1 argument (Person), got 0", ""),
        ("soc == i", 5, "Person and Int", ""),
        ("If(p, 1, s) == s", 1, "Int and String", ""),
        ("~p", 1, "bit-vectors", "Not(p)"),
        ("a == 256", 6, "does not fit into 8 bits", ""),
        ("Extract(8, 0, a) == 1", 1, "8 bits", "high, low"),
        ("BV2Int(a, p) == i", 11, "True or False", ""),
        ("grid[p][1]", 6, "index must be Int, not Bool", ""),
        ("u // 2 == i", 3, "takes Int, not Real", "ToInt"),
        # names
        ("Human(soc)", 1, "`Human` is not declared", "`human`"),
        ("true", 1, "`true`", "True"),
        ("ForAll([z], human(z))", 9, "`z` is not declared", "[z: Person]"),
        ("ForAll([human], p)", 9, "name of a function", "rename"),
        ("ForAll([X, X], p)", 12, "bound twice", ""),
        ("ForAll([x: Human], p)", 12, "unknown sort", ""),
        ("all(human(x) for x in Person)", 23, "not listed", "ForAll"),
        # numbers of arguments, empty lists
        ("And()", 1, "nothing", "And(p, q)"),
        ("i in []", 6, "empty", ""),
        ("ForAll([X], human(X), p)", 1, "variables and a formula", "ForAll([x, y]"),
        # limits
        ("7**(10**9) == i", 2, "too large", "4,000 bits"),
        ("i ** j == 1", 6, "exponent", "x**2"),
        ("-" * 100_000 + "1 == i", None, "nested", "split"),
        ("(" * 50_000 + "p", 101, "nested", "split"),
        ("all(p for x in range(5001))", 16, "5,000 elements", "ForAll"),
        ("((((i**16)**16)**16)**16)**16 == 1", None, "100,000 parts", "split"),
    ],
)
def test_it_is_refused(text: str, place: int | None, message: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        formula(text)
    said = refusal.value
    assert message in said.message
    assert hint in (said.hint or "")
    assert said.path == "goal"
    if place is not None:
        assert said.message.startswith(f"goal, character {place}: ")


def test_long_sums_are_nothing_special() -> None:
    assert formula("(" * 90 + "p" + ")" * 90) == "p"
    assert formula(" + ".join(["age(soc)"] * 800) + " > 0").count("age") == 800
    assert formula(f"Sum([{', '.join(['age(soc)'] * 5000)}]) > 0").count("age") == 5000
    assert formula(" and ".join(["p"] * 1000)).count("p") == 1000
    (goal,) = read_json(program(goal=f"Sum([{', '.join(['a'] * 1000)}]) == b")).goals
    assert goal.formula.size == 2 * 1000 - 1 + 2
    assert show(goal.formula).startswith("(let ((_1 (bvadd ")


@pytest.mark.parametrize(
    "text",
    ["\uff50", "\U0001d429", "s == 'a' 'b'", "s == '''a'''", "i == 0o7", "i == 00", "p) or (q", "...", "s == r'a'"],
)
def test_what_only_python_reads_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        formula(text)


def test_words_of_python_are_names_like_others() -> None:
    given = {"functions": [{"name": "pass", "domain": ["Int"], "range": "Bool"}], "constants": {"class": "Int"}}
    (goal,) = read_json(json.dumps({**given, "goal": "pass(class) and class > 1"})).goals
    assert show(goal.formula) == "(and (pass class) (> class 1))"


def test_numerals_of_the_widest_bit_vectors() -> None:
    wide = {"constants": {"x": "BitVecSort(65536)"}}
    (goal,) = read_json(json.dumps({**wide, "goal": "x == -1"})).goals
    assert show(goal.formula) == "(= x (bvneg (_ bv1 65536)))"
    assert read_json(json.dumps({**wide, "goal": "ULT(x, 2**3999)"})).goals
    with pytest.raises(InvalidInput, match="4,000 bits"):
        read_json(json.dumps({**wide, "goal": "ULT(x, 2**4000)"}))


def test_a_bound_variable_is_never_confused_with_another_of_its_name() -> None:
    nested = "ForAll([X], And(human(X), Exists([X], mortal(X))))"
    assert formula(nested) == "(forall ((X Person)) (and (human X) (exists ((X-1 Person)) (mortal X-1))))"
    listed = "ForAll([X], all(Exists([X], likes(X, e)) for e in [X]))"
    assert formula(listed) == "(forall ((X Person)) (exists ((X-1 Person)) (likes X-1 X)))"
    loose = "all(Exists([X], likes(X, e)) for e in [X])"
    assert formula(loose) == "(exists ((X-1 Person)) (likes X-1 X))"
    constant = "all(Exists([soc], likes(soc, e)) for e in [soc])"
    assert formula(constant) == "(exists ((soc-1 Person)) (likes soc-1 soc))"


# ------------------------------------------------------------------------------------------ properties

VALUES: dict[str, Any] = {"i": 3, "j": -2, "k": 7, "p": True, "q": False, "r": True}
_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMPUTE: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def value_of(tree: ast.expr) -> Any:
    """The value of an expression, its structure as Python reads it."""
    match tree:
        case ast.Constant():
            return tree.value
        case ast.Name():
            return VALUES[tree.id]
        case ast.UnaryOp(op=ast.Not()):
            return not value_of(tree.operand)
        case ast.UnaryOp():
            return -value_of(tree.operand)
        case ast.BinOp():
            return _COMPUTE[type(tree.op)](value_of(tree.left), value_of(tree.right))
        case ast.BoolOp():
            values = [value_of(operand) for operand in tree.values]
            return all(values) if isinstance(tree.op, ast.And) else any(values)
        case ast.IfExp():
            return value_of(tree.body) if value_of(tree.test) else value_of(tree.orelse)
        case ast.Compare():
            sides = [value_of(side) for side in (tree.left, *tree.comparators)]
            links = zip(tree.ops, sides, sides[1:], strict=False)
            return all(_COMPARE[type(op)](left, right) for op, left, right in links)
        case ast.Call(func=ast.Name(id="Implies")):
            premise, conclusion = map(value_of, tree.args)
            return not premise or conclusion
    raise AssertionError(ast.dump(tree))


def _joined(inner: st.SearchStrategy[str], operators: list[str]) -> st.SearchStrategy[str]:
    """Infix without parentheses: who binds what is for both readers to find out."""
    rest = st.lists(st.tuples(st.sampled_from(operators), inner), min_size=1, max_size=3)
    return st.tuples(inner, rest).map(lambda both: both[0] + "".join(f" {o} {t}" for o, t in both[1]))


NUMBERS = st.recursive(
    st.sampled_from(["i", "j", "k", "0", "1", "2", "5"]),
    lambda inner: (
        _joined(inner, ["+", "-", "*", "//", "%"])
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"-{text}")
        | st.tuples(inner, inner).map(lambda two: f"({two[0]} if p else {two[1]})")
    ),
    max_leaves=6,
)
FORMULAS = st.recursive(
    st.sampled_from(["p", "q", "r", "True"]) | _joined(NUMBERS, ["==", "!=", "<", "<=", ">", ">="]),
    lambda inner: (
        _joined(inner, ["and", "or"])
        | _joined(inner, ["=="])
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"not {text}")
        | st.tuples(inner, inner).map(lambda two: f"Implies({two[0]}, {two[1]})")
        | st.tuples(inner, inner, inner).map(lambda three: f"{three[0]} if {three[1]} else {three[2]}")
    ),
    max_leaves=6,
)

PLACES = "".join(f"(declare-const {name} {'Bool' if isinstance(v, bool) else 'Int'})" for name, v in VALUES.items())
FACTS = "".join(
    f"(assert (= {name} {str(v).lower() if isinstance(v, bool) else f'(- {-v})' if v < 0 else v}))"
    for name, v in VALUES.items()
)


@given(FORMULAS)
@settings(max_examples=120)
def test_a_random_expression_is_as_true_as_python_would_have_it_or_refused(text: str) -> None:
    try:
        expected = value_of(ast.parse(f"({text})", mode="eval").body)
    except (ZeroDivisionError, SyntaxError):
        return
    try:
        (goal,) = read_json(program(goal=f"({text}) == (p or True)")).goals
    except InvalidInput as refusal:
        reasons = ("two ways", "a and c differ", "negative number", "division by zero", "not Bool", "not Int", "sort")
        assert any(reason in refusal.message for reason in reasons), refusal.message
        return
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.from_string(f"{PLACES}{FACTS}(assert {show(goal.formula)})")
    assert (solver.check() == z3.sat) is bool(expected), goal.formula


@given(st.text(st.sampled_from("()[]{},.:+-*/%<>=!&|^~ 0123456789abpqijXand or not in if else for 'human soc\"\\")))
@settings(max_examples=150)
def test_no_text_does_anything_but_be_read_or_refused(text: str) -> None:
    try:
        formula(text)
    except InvalidInput as refusal:
        assert refusal.line is not None
