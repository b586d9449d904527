"""Programs in JSON: as documented, as Z3 has them, and asked."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import z3
from named_texts import tables
from small_world import program

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.program import LogicProgram, Origin
from goedels_poetry.questions.json.operators import OPERATORS
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning.backends import JSONBackend

TABLES = tables(__file__)

Ask = Callable[..., VerificationResult]


def read(**sections: Any) -> LogicProgram:
    return read_json(program(**sections))


# ---------------------------------------------------------------------- what once was silently something else


@pytest.mark.parametrize(("facts", "goal", "answer"), TABLES["test_facts_and_a_goal"])
def test_facts_and_a_goal(ask: Ask, facts: list[str], goal: str, answer: bool | None) -> None:
    result = ask(goal, *facts)
    assert result.answer is answer, result.reason
    assert result.verdict is {True: Verdict.PROVED, False: Verdict.REFUTED, None: Verdict.UNKNOWN}[answer]


def test_a_statement_and_its_negation_are_both_open_when_the_facts_are_silent(ask: Ask) -> None:
    assert ask("mortal(soc)", "human(soc)").answer is ask("Not(mortal(soc))", "human(soc)").answer is None


def test_a_contradiction_among_the_facts_answers_nothing(ask: Ask) -> None:
    result = ask("mortal(soc)", "human(soc)", "age(soc) == 3", "Not(human(soc))")
    assert (result.answer, result.verdict) == (None, Verdict.INCONSISTENT)
    assert result.core is not None
    assert sorted(premise["name"] for premise in result.core) == ["kb-1", "kb-3"]


def test_an_enumeration_may_be_used_in_any_number_of_programs_of_one_process(ask: Ask) -> None:
    for _ in range(3):
        assert ask("color == red", "color in [red]").answer is True


# ------------------------------------------------------------------------------------------ the sections


def test_every_form_of_a_rule_and_of_a_fact(backend: JSONBackend) -> None:
    text = program(
        knowledge_base=[
            "human(soc)",
            {"assertion": "mortal(plato)", "value": False},
            {"assertion": "age(soc) == 70", "value": True, "sentence": 3, "name": "old"},
        ],
        rules=[
            {
                "forall": [{"name": "z", "sort": "Person"}],
                "implies": {"antecedent": "human(z)", "consequent": "mortal(z)"},
            },
            {
                "name": "liking",
                "forall": ["X", "Y"],
                "constraint": "Implies(likes(X, Y), likes(Y, X))",
                "sentences": [1, 2],
            },
            {"implies": {"antecedent": "p", "consequent": "q"}},
            {"constraint": "p", "world": "It rains."},
            {"constraint": "r", "derived": "It is late.", "sentence": 4},
        ],
        verifications=[
            {"constraint": "And(mortal(soc), Not(human(plato)), q)"},
            {"name": "all", "forall": [{"name": "z", "sort": "Person"}], "constraint": "Or(mortal(z), Not(human(z)))"},
            {"exists": [{"name": "n", "sort": "Int"}], "constraint": "age(soc) == n"},
            {"forall": ["X"], "implies": {"antecedent": "human(X)", "consequent": "mortal(X)"}},
        ],
        actions=["verify_conditions"],
    )
    found = read_json(text)
    assert [premise.name for premise in found.premises] == [
        *("kb-1", "kb-2", "old", "rule-1", "liking", "rule-3", "rule-4", "rule-5"),
    ]
    assert [goal.name for goal in found.goals] == ["verification-1", "all", "verification-3", "verification-4"]
    assert [(p.origin, p.sentences, p.words) for p in found.premises if p.origin] == [
        (Origin.TEXT, (3,), ""),
        (Origin.TEXT, (1, 2), ""),
        (Origin.WORLD, (), "It rains."),
        (Origin.DERIVED, (4,), "It is late."),
    ]
    assert found.premises[1].place.path == "knowledge_base[1]"
    assert found.warnings == ()
    result = backend.execute(text)
    assert (result.answer, result.verdict) == (True, Verdict.PROVED)


def test_two_questions_with_different_answers_are_none(backend: JSONBackend) -> None:
    result = backend.execute(
        program(knowledge_base=["p"], verifications=[{"constraint": "p"}, {"constraint": "Not(p)"}])
    )
    assert result.answer is None
    assert "verification-1" in result.reason and "verification-2" in result.reason


def test_multiple_choice(backend: JSONBackend) -> None:
    text = program(knowledge_base=["color != red", "color != green"], goals={c: f"color == {v}" for c, v in CHOICES})
    result = backend.execute(text)
    assert (result.answer, result.verdict) == ("C", Verdict.PROVED)


CHOICES = [("A", "red"), ("B", "green"), ("C", "blue")]


def test_a_premise_that_states_the_goal_is_believed(ask: Ask) -> None:
    assert ask("human(soc)", "mortal(soc)", "human(soc)").answer is True
    assert ask("human(soc)", "Not(human(soc))").answer is False


def test_the_optimum_is_the_answer_and_sees_the_knowledge_base(backend: JSONBackend) -> None:
    text = program(
        knowledge_base=["i + j <= 10", "i >= 0", "j >= 0"],
        optimization={
            "variables": [{"name": "profit", "sort": "Int"}],
            "constraints": ["profit == 3 * i + 2 * j", {"constraint": "j >= 2", "name": "least"}],
            "objectives": [{"type": "maximize", "expression": "profit"}],
        },
        actions=["optimize"],
    )
    result = backend.execute(text)
    assert (result.answer, result.optimum, result.verdict) == (28, 28, Verdict.PROVED)
    assert [constraint.name for constraint in read_json(text).constraints] == ["constraint-1", "least"]


def test_without_actions_everything_is_done_and_with_them_what_they_say() -> None:
    sections: dict[str, Any] = {
        "verifications": ["i > 0"],
        "optimization": {"objectives": [{"type": "minimize", "expression": "i"}]},
    }
    for actions in (None, [], ["optimize", "verify_conditions"]):
        both = read(**sections, actions=actions)
        assert (len(both.goals), len(both.objectives), both.warnings) == (1, 1, ())
    one = read(**sections, actions=["optimize"])
    assert (len(one.goals), len(one.objectives)) == (0, 1)
    assert "left aside: verifications" in one.warnings[0]
    other = read(**sections, actions=["verify_conditions"])
    assert (len(other.goals), len(other.objectives)) == (1, 0)


def test_what_deserves_a_warning() -> None:
    found = read(knowledge_base=["human(X)", "1 == 1"], goal="ForAll([soc], human(soc))")
    assert [warning.split(":")[0] for warning in found.warnings] == [
        "knowledge_base[1] speaks of nothing in the program",
        "outside ForAll and Exists a variable stands for one unknown value",
        "the bound variable `soc` hides the constant of that name",
    ]


def test_symbols_may_have_names_that_mean_something_to_solvers(ask: Ask) -> None:
    names = ["sat", "unsat", "select", "store", "mod", "div", "distinct", "exists", "is", "sin", "é", "Int2", "goal"]
    sections = {"functions": [{"name": n, "domain": [], "range": "Bool"} for n in names if n != "is"]}
    facts = [n for n in names if n not in ("is", "goal")]
    assert ask("And(goal, sat)", *facts, "goal == unsat", **sections).answer is True


def test_a_person_may_be_called_max(ask: Ask) -> None:
    people = {"Person": {"sort": "Person", "members": ["max", "Max", "Sum", "soc"]}, "i": "Int", "j": "Int"}
    facts = ["human(max)", "ForAll([min: Person], Implies(human(min), mortal(min)))", "i == 3", "j == max(i, 2)"]
    assert ask("mortal(max) and j == Max(1, i) and Sum(i, j) == 6", *facts, constants=people).answer is True


def test_the_same_constants_as_a_list_with_empty_lists_for_what_is_not_needed(backend: JSONBackend) -> None:
    text = json.dumps(
        {
            "sorts": [{"name": "P", "type": "DeclareSort", "values": [], "fields": []}],
            "functions": [{"name": "human", "domain": ["P"], "range": "Bool"}],
            "constants": [{"name": "soc", "sort": "P"}],
            "knowledge_base": [{"assertion": "human(soc)", "sentences": [], "world": ""}],
            "rules": [],
            "verifications": [{"name": "A", "constraint": "human(soc)"}],
            "optimization": {"constraints": [], "objectives": []},
        }
    )
    assert backend.execute(text).answer is True
    assert read_json(text).premises[0].origin is Origin.UNSAID


# ---------------------------------------------------------------------------------------------- limits


def test_a_limit_on_time_holds_for_bit_vectors_of_any_allowed_size() -> None:
    text = json.dumps(
        {
            "constants": {"x": "BitVecSort(65536)", "y": "BitVecSort(65536)"},
            "knowledge_base": ["x * y == x + y * y"],
            "verifications": ["x != y"],
        }
    )
    begin = time.monotonic()
    with JSONBackend(verify_timeout=1_000, processes=1) as short:
        result = short.execute(text)
    assert (result.answer, result.verdict) == (None, Verdict.UNKNOWN)
    assert time.monotonic() - begin < 20


DOCUMENT = (Path(__file__).parents[2] / "docs" / "json_logic.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```json\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
ANSWERS = re.findall(r"[Aa]nswer: `(.*?)`", DOCUMENT)
WORLD = json.loads(PROGRAMS[0])


def rows(heading: str) -> Iterator[tuple[str, str]]:
    """The first cell of each row of the first table below a heading, and the second."""
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    yield from re.findall(r"^\| `(.*?)` \| (.*) \|$", section, re.MULTILINE)


def test_every_program_has_its_answer(backend: JSONBackend) -> None:
    assert len(PROGRAMS) == len(ANSWERS) == 2
    found = [backend.execute(program).answer for program in PROGRAMS]
    assert found == [{"True": True}.get(answer) or json.loads(answer) for answer in ANSWERS]


MEANT = (
    ("i in [1, 2]", "`(or (= i 1) (= i 2))`"),
    ("Distinct(i, j, k)", "`(distinct i j k)`"),
    ("all(human(y) for y in [soc, plato])", "`(and (human soc) (human plato))`"),
    ("a < b and ULT(a, 200)", "`(and (bvslt a b) (bvult a #xc8))`"),
)
"""Rows that the page does not show."""
REFUSED = (
    ("p = q", "`p == q`"),
    ("mortall(soc)", "`mortal(soc)`"),
    ("7 ** (10 ** 9) == i", "`i > 10 ** 100`"),
    ("'a' * 3 == s", "`'aaa' == s`"),
    ("(lambda y: p)(1)", "`ForAll([y: Int], p)`"),
    ("'{0}'.format(s) == s", "`s + '' == s`"),
)


@pytest.mark.parametrize(("expression", "meaning"), [*rows("Expressions"), *MEANT])
def test_every_expression_has_its_meaning(expression: str, meaning: str) -> None:
    (goal,) = read_json(json.dumps({**WORLD, "goal": expression})).goals
    assert f"`{show(goal.formula)}`" == meaning


@pytest.mark.parametrize(("expression", "instead"), [*rows("What is refused"), *REFUSED])
def test_what_is_refused_is_refused_and_what_to_write_instead_is_not(expression: str, instead: str) -> None:
    with pytest.raises(InvalidInput):
        read_json(json.dumps({**WORLD, "goal": expression}))
    alternatives = re.findall(r"`(.*?)`", instead)
    assert alternatives
    for alternative in alternatives:
        assert read_json(json.dumps({**WORLD, "goal": alternative})).goals


def test_every_operator_is_mentioned() -> None:
    assert not [name for name in OPERATORS if not re.search(rf"\b{name}\b", DOCUMENT)]


a, b = z3.BitVecs("a b", 8)
i, j = z3.Ints("i j")
u, v = z3.Reals("u v")
p, q, r = z3.Bools("p q r")
s = z3.String("s")
grid = z3.Array("grid", z3.IntSort(), z3.ArraySort(z3.IntSort(), z3.BoolSort()))

SAME: dict[str, z3.BoolRef] = {
    "a + b * 3 - 1 == b": a + b * 3 - 1 == b,
    "a / b == 2": a / b == 2,
    "a % b == 2": a % b == 2,
    "UDiv(a, b) == URem(a, b)": z3.UDiv(a, b) == z3.URem(a, b),
    "SRem(a, b) == 1": z3.SRem(a, b) == 1,
    "a < b": a < b,
    "a > -3": a > -3,
    "UGE(a, 200)": z3.UGE(a, 200),
    "a >> 2 == LShR(a, 2)": a >> 2 == z3.LShR(a, 2),
    "a << b == ~a": a << b == ~a,
    "a & b | 3 == a ^ 5": a & b | 3 == a ^ 5,
    "Concat(a, b) == ZeroExt(8, a)": z3.Concat(a, b) == z3.ZeroExt(8, a),
    "SignExt(8, a) == RepeatBitVec(2, b)": z3.SignExt(8, a) == z3.RepeatBitVec(2, b),
    "Extract(6, 2, a) == Extract(4, 0, b)": z3.Extract(6, 2, a) == z3.Extract(4, 0, b),
    "RotateLeft(a, 3) == RotateRight(b, 2)": z3.RotateLeft(a, 3) == z3.RotateRight(b, 2),
    "BV2Int(a) == BV2Int(b, True)": z3.BV2Int(a) == z3.BV2Int(b, is_signed=True),
    "Int2BV(i, 8) == a": z3.Int2BV(i, 8) == a,
    "i % 3 == 1": i % 3 == 1,
    "i + u > j": i + u > j,
    "u / v == 2": u / v == 2,
    "ToInt(u) == i": z3.ToInt(u) == i,
    "IsInt(u) == (ToReal(i) == u)": z3.IsInt(u) == (z3.ToReal(i) == u),
    "i ** 2 == Abs(j)": i * i == z3.Abs(j),
    "If(p, 1, u) == v": z3.If(p, 1, u) == v,
    "Xor(p, Implies(q, r))": z3.Xor(p, z3.Implies(q, r)),
    "AtMost(p, q, r, 1)": z3.AtMost(p, q, r, 1),
    "AtLeast(p, q, r, 2)": z3.AtLeast(p, q, r, 2),
    "Store(grid[0], 1, p) == K(Int, True)": z3.Store(grid[0], 1, p) == z3.K(z3.IntSort(), True),
    "Select(grid[i], j)": z3.Select(grid[i], j),
    "SubString(s, 1, 2) == 'ab'": z3.SubString(s, 1, 2) == "ab",
    "IndexOf(s, 'a') == Length(s)": z3.IndexOf(s, "a", 0) == z3.Length(s),
    "Replace(s, 'a', 'b') == s + 'c'": z3.Replace(s, "a", "b") == s + "c",
    "PrefixOf('a', s) and SuffixOf('b', s)": z3.And(z3.PrefixOf("a", s), z3.SuffixOf("b", s)),
    "StrToInt(s) == i": z3.StrToInt(s) == i,
    "ForAll([n: Int], n * n >= i)": z3.ForAll([j], j * j >= i),
}
DECLARED = "".join(
    f"(declare-const {name} {sort.sexpr()})"
    for name, sort in ((str(t), t.sort()) for t in (a, b, i, j, u, v, p, q, r, s, grid))
)


@pytest.mark.parametrize("text", SAME)
def test_it_means_what_z3_means(text: str) -> None:
    (goal,) = read_json(program(goal=text)).goals
    (ours,) = z3.parse_smt2_string(f"{DECLARED}(assert {show(goal.formula)})")
    solver = z3.Solver()
    solver.add(ours != SAME[text])
    assert solver.check() == z3.unsat
