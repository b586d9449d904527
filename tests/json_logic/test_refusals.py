"""Programs that are refused, each with its place, its path and what to change."""

import itertools
import json
from typing import Any

import pytest
from small_world import WORLD, program

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.reasoning.backends import JSONBackend

EXPLOIT = (
    "(lambda a: (a.append((a[0].gi_frame.f_back.f_back.f_back.f_builtins for _ in [0])), [*a[0]])[1][0])([])"
    '["__import__"]("os").system("id > {}")'
)


def also(section: str, *items: Any) -> dict[str, Any]:
    return {section: [*WORLD[section], *items], "goal": "p"}


def sort(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return also("sorts", {"name": name, "type": kind, **more})


CASES: list[tuple[dict[str, Any], str, str, str]] = [
    # the program
    ({"goal": "p", "verification": []}, "verification", "unknown key", "`verifications`"),
    ({}, "", "asks nothing", "goal"),
    ({"actions": ["optimize"], "goal": "p"}, "", "asks nothing", "objectives"),
    ({"goal": "p", "actions": ["verify_condition"]}, "actions[0]", "unknown action", "`verify_conditions`"),
    # sorts
    (sort("IntSort", "BoolSort"), "sorts[6]", "built-in", "rename"),
    (sort("Person", "DeclareSort"), "sorts[6]", "declared twice", "rename"),
    (sort("my sort", "DeclareSort"), "sorts[6].name", "cannot be the name", "my_sort"),
    (sort("S", "BitVecSort(0)"), "sorts[6]", "1 to 65,536 bits", ""),
    (sort("S", "ArraySort(Int)"), "sorts[6]", "two sorts", "ArraySort(Int, Bool)"),
    (sort("S", "ArraySort(Int, Personn)"), "sorts[6]", "unknown sort `Personn`", "`Person`"),
    (sort("S", "__import__('os')"), "sorts[6]", "no sort", ""),
    (sort("Lab", "EnumSort", values=["red"]), "sorts[6]", "`red` is declared twice: it is a value already", "rename"),
    (sort("D", "Datatype", constructors=[{"name": "d", "fields": {"f": "D"}}]), "sorts[6]", "no finite value", "add"),
    # symbols
    (also("functions", {"name": "Not", "domain": ["Bool"], "range": "Bool"}), "functions[5].name", "operator", "Not_"),
    (also("functions", {"name": "human", "domain": [], "range": "Bool"}), "functions[5].name", "declared twice", ""),
    (also("variables", {"name": "z", "sort": "Person", "type": "Int"}), "variables[2].type", "unknown key", ""),
    # what is said
    ({"goal": "p", "knowledge_base": ["human(soc)", "mortall(soc)"]}, "knowledge_base[1]", "`mortall`", "`mortal`"),
    (
        {"goal": "p", "knowledge_base": [{"assertion": "p", "value": "false"}]},
        "knowledge_base[0].value",
        "true or false, not a string",
        "without quotes",
    ),
    (
        {"goal": "p", "knowledge_base": [{"assertion": "p", "name": "a"}, {"assertion": "q", "name": "a"}]},
        "knowledge_base[1].name",
        "given twice (first by knowledge_base[0])",
        "own",
    ),
    ({"goal": "p", "knowledge_base": [{"assertion": "p", "sentence": 0}]}, "knowledge_base[0].sentence", "from 1", ""),
    (
        {"goal": "p", "knowledge_base": [{"forall": ["X"], "implies": {"antecedent": "p", "consequent": "q"}}]},
        "knowledge_base[0].implies",
        "has no 'implies'",
        "rules",
    ),
    (
        {"goal": "p", "rules": [{"implies": {"antecedent": ["p", "q"], "consequent": "r"}}]},
        "rules[0].implies.antecedent",
        "a string, not a list",
        "And(p, q)",
    ),
    ({"goal": "p", "rules": [{"forall": ["z"], "constraint": "p"}]}, "rules[0].forall[0]", "sort of `z`", "name"),
    # what is asked
    (
        {"verifications": [{"exists": ["X"], "forall": ["Y"], "constraint": "likes(X, Y)"}]},
        "verifications[0]",
        "both 'exists' and 'forall'",
        "ForAll",
    ),
    ({"verifications": [{"name": "v", "constraint": "p"}] * 2}, "verifications[1].name", "given twice", ""),
    ({"verifications": ["1 == 1"]}, "verifications[0]", "asks nothing about the program", "name"),
    ({"goal": "   "}, "goal", "empty", ""),
    # optimization
    (
        {"optimization": {"objectives": [{"type": "maximize", "expression": "color"}]}},
        "optimization.objectives[0].expression",
        "a number, not Color",
        "",
    ),
    # untrusted text
    ({"goal": EXPLOIT}, "goal", "lambda", ""),
    ({"goal": "'{0.__globals__[os].environ}'.format(And) == s"}, "goal", "methods", ""),
    ({"goal": "__import__('os') == p"}, "goal", "`__import__` is not declared", ""),
]


@pytest.mark.parametrize(("sections", "path", "message", "hint"), CASES, ids=[f"{p}: {m}"[:60] for _, p, m, _ in CASES])
def test_a_program_is_refused_with_its_path_and_what_to_change(
    sections: dict[str, Any], path: str, message: str, hint: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_json(program(**sections))
    said = refusal.value
    assert said.path == path
    assert message in said.message
    assert hint in (said.hint or "")
    assert said.line is not None
    assert said.column is not None


def test_the_place_is_that_of_the_word_in_the_json_text() -> None:
    text = json.dumps(
        {**WORLD, "knowledge_base": ["human(soc)", 'Contains(s, "\\u00e9") and mortall(soc)'], "goal": "p"}, indent=2
    )
    with pytest.raises(InvalidInput) as refusal:
        read_json(text)
    said = refusal.value
    assert said.line is not None and said.column is not None
    assert text.splitlines()[said.line - 1][said.column - 1 :].startswith("mortall(soc)")
    assert str(said).startswith(
        f"{said.line}:{said.column}: knowledge_base[1], character 27: `mortall` is not declared"
    )


@pytest.mark.parametrize("text", ["[]", '"p"', "3", "null", "[" * 5000, "{" * 5000, ""])
def test_what_is_no_object_is_no_program(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_json(text)


def test_nothing_of_a_refused_program_is_carried_out(backend: JSONBackend, tmp_path: Any) -> None:
    trace = tmp_path / "trace"
    result = backend.execute(program(knowledge_base=[EXPLOIT.format(trace)], goal="p"))
    assert (result.answer, result.verdict) == (None, Verdict.INVALID)
    assert result.location is not None
    assert result.location["path"] == "knowledge_base[0]"
    assert not trace.exists()


def test_sorts_that_double_are_refused_before_they_are_written_out() -> None:
    names = ["Int", *(f"A{i}" for i in range(40))]
    sorts = [{"name": a, "type": f"ArraySort({b}, {b})"} for b, a in itertools.pairwise(names)]
    program = {"sorts": sorts, "constants": {"y": "A39", "z": "A39"}, "goal": "y == z"}
    with pytest.raises(InvalidInput, match="a sort of more than 200 parts"):
        read_json(json.dumps(program))
