"""Theorems about functions, the forms they are written in, and other encodings."""

import importlib.util
import re
from pathlib import Path

import pytest

from goedels_poetry.cli.inputs import Source, Unreadable, read
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.terms import Kind, Term
from goedels_poetry.python.testing.literals import python_arguments
from goedels_poetry.python.testing.reading import decode_source
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import Translation, translate

# ruff: noqa: E501  programs, each on its line


HEAD = "from goedels_poetry.contracts import ensures, raises, requires\n"


def theorem(source: str, function: str = "f") -> Translation:
    return translate(read_program(HEAD + source), function)


def holds(translation: Translation, *values: object) -> bool:
    """Whether the theorem is true of these arguments, by the evaluator."""
    problem = parse_problem(translation.text)
    goal: Term = problem.goal
    evaluator = Evaluator(problem.signature)
    if goal.kind is not Kind.FORALL:
        return bool(evaluator.value(goal, {}))
    named = {name: i for i, name in enumerate(translation.names)}
    return bool(evaluator.value(goal.body, {v: values[named[v.name]] for v in goal.binders}))


def test_an_input_outside_of_the_domain_is_not_spoken_of() -> None:
    t = theorem(
        "@requires(lambda a: 10 // a > 1)\n@ensures(lambda result: result == 3)\ndef f(a: int) -> int:\n    return 3 if a > 0 and a < 6 else 4"
    )
    assert holds(t, 0)  # the condition raises there
    assert holds(t, 7)
    assert holds(t, 5)


def test_an_ensures_that_raises_is_broken() -> None:
    t = theorem("@ensures(lambda result, a: 1 // a < 5)\ndef f(a: int) -> int:\n    return a")
    assert not holds(t, 0)
    assert holds(t, 3)


def test_an_ensures_that_is_truthy_holds() -> None:
    t = theorem("@ensures(lambda result, a: result)\ndef f(a: int) -> int:\n    return a")
    assert holds(t, 2)
    assert not holds(t, 0)


def test_an_exception_breaks_the_contract_unless_it_is_allowed() -> None:
    body = "def f(a: int) -> int:\n    if a == 1:\n        raise ValueError\n    if a == 2:\n        raise KeyError\n    return 10 // a"
    assert not holds(theorem(f"@ensures(lambda result: True)\n{body}"), 1)
    allowed = theorem(
        f"@raises(ValueError)\n@raises(LookupError, when=lambda a: a > 1)\n@ensures(lambda result: True)\n{body}"
    )
    assert holds(allowed, 1)
    assert holds(allowed, 2)
    assert not holds(allowed, 0)
    assert holds(allowed, 3)
    early = theorem(f"@raises(Exception, when=lambda a: a < 2)\n{body}")
    assert not holds(early, 2)
    assert holds(early, 0)


def test_a_call_outside_of_the_callees_domain_breaks_the_contract_whatever_may_be_raised() -> None:
    source = "@requires(lambda a: a > 0)\ndef g(a: int) -> int:\n    return a\n@raises(BaseException)\ndef f(a: int) -> int:\n    return g(a)"
    t = theorem(source)
    assert holds(t, 1)
    assert not holds(t, 0)


def test_the_end_of_a_recursion_has_to_be_proved_where_it_is_not_seen() -> None:
    text = theorem(
        "@ensures(lambda result: result == 0)\ndef f(n: int) -> int:\n    while n != 0:\n        n -= 1\n    return 0"
    ).text
    assert "f!loop!ok" in text.splitlines()[-1]


def test_a_recursion_that_never_ends_leaves_its_mark_on_the_theorem() -> None:
    for body in (
        "    return f(n)",
        "    f(n + 1)\n    return 0",
        "    while True:\n        n += 1\n    return 0",
        "    return 0 if n == 0 else f(n - 1)",
        "    if n < 0:\n        return 0\n    return f(n + 1)",
        "    if n > 0:\n        return f(n - 0)\n    return 0",
        "    if n > 0:\n        return f(n // 1)\n    return 0",
        "    if n > -5:\n        return f(n // 2)\n    return 0",
        "    while n >= 0:\n        n //= 2\n    return 0",
    ):
        t = theorem(f"@ensures(lambda result: result == 0)\ndef f(n: int) -> int:\n{body}")
        assert "!ok" in t.text.splitlines()[-1], body
        with pytest.raises((Undecided, AssertionError)):
            assert all(holds(t, n) for n in (-3, 0, 5)), body


def test_a_recursion_that_is_seen_to_end_needs_no_proof_that_it_does() -> None:
    for body in (
        "    while n > 0:\n        n -= 1\n    return 0",
        "    while n > 0:\n        n //= 2\n    return 0",
        "    return 0 if n <= 0 else f(n - 2)",
        "    for i in range(n):\n        n += 1\n    return 0",
    ):
        assert "!ok" not in theorem(f"@ensures(lambda result: result == 0)\ndef f(n: int) -> int:\n{body}").text, body


def test_a_script_has_definitions_and_one_theorem_and_never_an_assertion() -> None:
    t = theorem(
        "@ensures(lambda result, xs: len(result) == len(xs))\ndef f(xs: list[int]) -> list[int]:\n    return sorted(xs)"
    )
    assert all(line.startswith((";", "(d", "(prove", "  ")) for line in t.text.splitlines() if line)
    assert t.text.count("(prove") == 1
    assert "assert" not in t.text
    assert parse_problem(t.text).premises == ()


def test_the_translation_is_the_same_each_time() -> None:
    source = "@ensures(lambda result, xs: result >= 0)\ndef f(xs: list[int]) -> int:\n    t = u = 0\n    for x in xs:\n        t += x * x\n        u += t\n    return t + u - u"
    assert theorem(source).text == theorem(source).text


def test_what_grows_without_bound_is_refused() -> None:
    body = "".join(
        f"    a{i + 1} = [a{i} for _ in range(2)][0] + (a{i} if a{i} > {i} else a{i} * a{i})\n" for i in range(60)
    )
    source = f"@ensures(lambda result: result > 0)\ndef f(a0: int) -> int:\n{body}    return a60"
    try:
        assert len(theorem(source).text) <= 200_000
    except OutsideFragment as refused:
        assert refused.construct == "size"


def test_a_counterexample_is_told_as_python_literals() -> None:
    t = theorem(
        "@ensures(lambda result, xs: result)\ndef f(xs: list[tuple[int, bool]], o: str | None, n: int) -> bool:\n    return not xs or o is None or n > 0"
    )
    values = {
        "xs": "(cons.tuple<int-bool> (mk.tuple<int-bool> (- 1) true) nil.tuple<int-bool>)",
        "o": '(some.str "a")',
    }
    assert python_arguments(t, values) == {"xs": "[(-1, True)]", "o": "'a'", "n": "0"}
    with pytest.raises(ValueError, match="no value"):
        python_arguments(t, {"xs": "nonsense"})


def test_the_place_of_what_is_refused_is_told() -> None:
    with pytest.raises(OutsideFragment) as refused:
        theorem("def f(a: int) -> int:\n    b = 1\n    return [lambda: b][a]")
    assert (refused.value.line, refused.value.column) == (4, 13)


def test_what_is_proved_of_a_dict_is_proved_of_all_lists_of_pairs() -> None:
    t = theorem("@ensures(lambda result, d: result == len(d))\ndef f(d: dict[int, int]) -> int:\n    return len(d)\n")
    once = "(cons.tuple<int-int> (mk.tuple<int-int> 1 2) nil.tuple<int-int>)"
    twice = f"(cons.tuple<int-int> (mk.tuple<int-int> 1 3) {once})"
    assert python_arguments(t, {"d": once}) == {"d": "{1: 2}"}
    with pytest.raises(ValueError, match="twice"):
        python_arguments(t, {"d": twice})  # no input: nobody is told that it refutes anything


def test_digits_of_a_number_are_out_of_account_but_where_that_could_be_seen() -> None:
    seen = "def f(n: int) -> str:\n    try:\n        return str(int(n))\n    except ValueError:\n        return ''\n"
    with pytest.raises(OutsideFragment, match="digits"):
        theorem(f"@ensures(lambda result: result != '')\n{seen}")


LOOP = """
from goedels_poetry.contracts import ensures, requires

@requires(lambda xs: len(xs) > 0)
@ensures(lambda xs, result: all(x <= result for x in xs))
def top(xs: list[int]) -> int:
    best = xs[0]
    i = 0
    while TEST:
        if xs[i] > best:
            best = xs[i]
        STEP
    return best
"""
TESTS = ["i < len(xs)", "len(xs) > i", "i != len(xs)", "len(xs) != i", "i <= len(xs) - 1", "i + 1 <= len(xs)"]
TESTS += ["not i >= len(xs)", "not (len(xs) <= i)", "not i == len(xs)"]
STEPS = ["i += 1", "i = i + 1", "i = 1 + i"]


def theorem_of(test: str, step: str) -> str:
    text = translate(read_program(LOOP.replace("TEST", test).replace("STEP", step)), "top").text
    return re.sub(r"(?m)^;.*\n", "", text)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("test", TESTS)
def test_a_loop_over_indices_is_a_loop_over_elements_in_all_its_forms(test: str, step: str) -> None:
    text = theorem_of(test, step)
    assert text == theorem_of("i < len(xs)", "i += 1")
    assert "nth" not in text.split("(prove")[0].split("loop")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("test", "step"),
    [
        ("i <= len(xs)", "i += 1"),
        ("i < len(xs)", "i += 2"),
        ("i < len(xs)", "i = i - 1"),
        ("i < len(xs) - 1", "i += 1"),
    ],
)
def test_another_loop_is_another_theorem(test: str, step: str) -> None:
    assert theorem_of(test, step) != theorem_of("i < len(xs)", "i += 1")


HELPER = """
from goedels_poetry.contracts import ensures, requires

@requires(lambda n: CONDITION)
@ensures(lambda n, result: result >= 0)
def bits(n: int) -> int:
    if BASE:
        return 0
    return n % 2 + bits(n // 2)
"""


def test_a_condition_that_may_fail_says_nothing_about_where_a_recursion_ends() -> None:
    source = HELPER.replace("CONDITION", "10 // n > 0").replace("BASE", "n == 0")
    assert "(ite (= n 0) 0" in translate(read_program(source), "bits").text.partition("define-fun-rec bits")[2]
    source = HELPER.replace("CONDITION", "n >= 0").replace("BASE", "n == 0")
    assert "(ite (>= n 0) (ite (= n 0) 0" in translate(read_program(source), "bits").text


DECLARED = "from goedels_poetry.contracts import ensures\n"
UTF7 = f"{DECLARED}@ensures(lambda result: result == 3)\ndef f(n: int) -> int:\n    x = 3 # +AAo    x +AD0 4\n    return x\n"
LINES = {
    "plain": "# coding: utf-7\n",
    "in the second line": "\n# vim: set fileencoding=utf-7 :\n",
    "behind a separator of groups": "# \x1c\x1c# coding: utf-7\n",
    "behind a vertical tab": "# \x0b\x1d# coding=utf-7\n",
    "behind a next line": "# \x85\n# coding: utf-7\n",
    "behind a line that ends in a carriage return": "\r# coding: utf-7\n",
    "behind an empty line with a form feed": " \f\n\t\f# coding: utf-7\n",
    "in capitals": "# -*- CODING: UTF_7 -*-\n# -*- coding: UTF_7 -*-\n",
    "of an unknown codec": "# coding: klingon\n",
    "of a codec of bytes": "# coding: hex\n",
}


def result_in_cpython(path: Path) -> object:
    spec = importlib.util.spec_from_file_location("encoded", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f(0)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_a_text_that_says_it_is_encoded_otherwise_is_not_translated(line: str) -> None:
    with pytest.raises(OutsideFragment, match="encoded in"):
        translate(read_program(line + UTF7), "f")


@pytest.mark.parametrize(
    "line", ["# coding: utf-8\n", "# coding: latin-1\n", "#!/usr/bin/python\n# coding: ascii\n", ""]
)
def test_a_text_that_is_the_same_either_way_is(line: str) -> None:
    assert translate(read_program(line + UTF7), "f").text


def test_a_file_is_decoded_as_cpython_decodes_it(tmp_path: Path) -> None:
    for number, line in enumerate(["# coding: utf-7\n", "\r# coding: utf-7\n"]):
        file = tmp_path / f"seven{number}.py"
        file.write_bytes((line + UTF7.replace("@ensures(lambda result: result == 3)\n", "")).encode())
        assert result_in_cpython(file) == 4
        names: dict[str, object] = {}
        exec(compile(decode_source(file.read_bytes()), "f.py", "exec"), names)
        assert names["f"](0) == 4  # type: ignore[operator]
    text = "# coding: latin-1\nWORD = 'é'\n"
    assert decode_source(text.encode("latin-1")) == text
    assert decode_source(b"\xef\xbb\xbfx = 1\n") == "x = 1\n"


@pytest.mark.parametrize(
    ("data", "place"), [(b"x = 1\ny = '\xff'\n", "2:6"), (b"# coding: klingon\n", "1:1"), (b"# coding: hex\n", "1:1")]
)
def test_a_file_that_cannot_be_decoded_is_refused_with_its_place(data: bytes, place: str, tmp_path: Path) -> None:
    with pytest.raises(PythonFault):
        decode_source(data)
    file = tmp_path / "f.py"
    file.write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        read(Source(str(file), Path("f")))
    assert refused.value.reason.startswith(f"{place}: ")
