"""Names with letters that solvers do not read: people see them as they wrote them, and no two names become one."""

import itertools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from drive import verdict

from goedels_poetry.kernel.encoding import Encoding, safe_symbol, symbol_of
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.names import legible
from goedels_poetry.kernel.terms import INT, var
from goedels_poetry.smt.notation.text import parse_problem

SCRIPT = Path(__file__).parents[2] / "scripts" / "verify_certificate.py"
COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
LOOKALIKES: Sequence[str] = (
    *("ö", "o\u0308", "oe", "~f6~", "n.~f6~", "u.ö", "u_f6_", "u__f6_", "_f6_", "n~f6~", "f6", "?ö", "n?~f6~"),
    *(COMPOSED, DECOMPOSED, "\u212b", "\u00c5", "A\u030a", "\u2126", "\u03a9", "\ufb01", "fi", "K", "\u212a"),
    *("a\u200bb", "ab", "a\u202eb", "x\u00a0y", "x y", "x\ty", "x\ny", "\ud7a3", "\U0001d54f", "~1d54f~", "~", "~~"),
)
"""Different names, of which some look the same, are the same when normalised, or are what another is told as."""


def apart(one: str, other: str) -> str:
    """A theorem that holds only of one name for both."""
    return f"(declare-const |{one}| Int)(declare-const |{other}| Int)(assert (not (= |{one}| |{other}|)))"


def second_checker(certificate: Path, text: str) -> int:
    """0: it holds; 1 or 2: refused or undecided."""
    theorem = certificate.parent / "against.smt2"
    theorem.write_text(text, "utf-8")
    command = [sys.executable, SCRIPT, certificate, "--theorem", theorem]
    return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode


def test_what_solvers_are_told_is_plain_and_no_two_names_are_told_as_one() -> None:
    signature = Signature(functions=dict.fromkeys(LOOKALIKES, ((), INT)))
    told = Encoding(signature).signature()
    assert len(told.functions) == len(LOOKALIKES) and all(name.isascii() and name.isprintable() for name in told.names)
    assert [symbol_of(safe_symbol(name)) for name in LOOKALIKES] == list(LOOKALIKES)
    variables = {Encoding(Signature()).term(var(name, INT)).name for name in LOOKALIKES}
    assert len(variables) == len(LOOKALIKES) and variables.isdisjoint(told.functions)


@pytest.mark.parametrize("kind", ["function", "variable", "constructor", "sort"])
def test_no_two_names_of_a_text_are_read_as_one(kind: str) -> None:
    text = {
        "function": "".join(f"(declare-const |{n}| Int)" for n in LOOKALIKES) + "(prove true)",
        "variable": f"(prove (forall ({' '.join(f'(|{n}| Int)' for n in LOOKALIKES)}) (distinct "
        + f"{' '.join(f'|{n}|' for n in LOOKALIKES)})))",
        "constructor": f"(declare-datatype D ({' '.join(f'(|{n}|)' for n in LOOKALIKES)}))(prove true)",
        "sort": "".join(f"(declare-sort |{n}| 0)" for n in LOOKALIKES) + "(prove true)",
    }[kind]
    problem = parse_problem(text)
    names = {
        "function": list(problem.signature.functions),
        "variable": [v.name for v in problem.goal.binders],
        "constructor": [c.name for d in problem.signature.datatypes for c in d.constructors],
        "sort": [s.name for s in problem.signature.sorts],
    }[kind]
    assert len(names) == len(set(names)) == len(LOOKALIKES)
    assert "ö" in names and COMPOSED in names
    script = "\n".join(Context(problem).declarations)
    assert script.isascii()


@pytest.mark.parametrize(
    "pair",
    [("ö", "~f6~"), ("ö", "u__f6_"), (COMPOSED, DECOMPOSED), ("\u212b", "\u00c5"), ("ö", "n.~f6~")],
    ids=["escaped", "as once told", "not normalised", "a sign for a letter", "as told now"],
)
def test_names_that_only_look_alike_are_not_proved_equal(pair: tuple[str, str], tmp_path: Path) -> None:
    assert verdict(apart(*pair), tmp_path)["verdict"] == "refuted"


@pytest.mark.parametrize("name", ["größe", "Länge_2", "число", "数", "x\u2032", "\u2115"])
def test_a_name_that_can_be_seen_stays_as_it_is_written(name: str) -> None:
    assert legible(name) == name
    assert name in parse_problem(f"(declare-const |{name}| Int)(prove (= |{name}| |{name}|))").signature.functions


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\u009b31m", "x\ny", "x\u00a0y", "\ue000", DECOMPOSED, ""])
def test_a_name_that_nobody_could_see_as_it_is_gets_numbers(name: str) -> None:
    shown = legible(name)
    assert shown != name and shown.isascii() and shown.isprintable()


def test_both_checkers_accept_a_counterexample_and_it_is_told_in_the_words_of_the_text(tmp_path: Path) -> None:
    text = "(declare-const |größe| Int)(declare-datatype |Bäume| ((|Blatt°|) (|Äst| (|lïnks| |Bäume|))))\n"
    text += "(assert (not (forall ((|ü| |Bäume|)) (or (= |größe| 0) (not ((_ is |Äst|) |ü|))))))"
    found = verdict(text, tmp_path)
    assert found["verdict"] == "refuted" and "größe" in str(found) and "u_" not in str(found)
    assert second_checker(tmp_path / "x.cert", text) == 0
    script = (tmp_path / "x.cert" / "obligations.smt2").read_bytes()
    assert script.isascii()


def test_both_checkers_accept_a_proof_and_refuse_it_for_the_same_text_with_another_spelling(tmp_path: Path) -> None:
    def text(name: str) -> str:
        return f"(declare-fun |{name}| (Int) Int)(prove (forall ((x Int)) (= (|{name}| x) (|{name}| x))))"

    assert verdict(text(COMPOSED), tmp_path)["verdict"] == "proved"
    assert second_checker(tmp_path / "x.cert", text(COMPOSED)) == 0
    assert second_checker(tmp_path / "x.cert", text(DECOMPOSED)) != 0


def test_every_pair_of_names_is_told_apart_whatever_stands_in_them() -> None:
    pieces = ["~", "n.", "u.", "?", "ö", "f6", "~f6~", "\u0301"]
    names = {"".join(parts) for count in (1, 2, 3) for parts in itertools.product(pieces, repeat=count)}
    assert len({safe_symbol(name) for name in names}) == len(names)
