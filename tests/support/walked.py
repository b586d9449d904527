"""An honest certificate of each kind, and ways to replace one field of it by something else, hashes made to fit."""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import proofs
from forge import forge, script_of_counterexample, with_ends

from goedels_poetry.checker import check_any, write_certificate
from goedels_poetry.checker.certificate.archive import MANIFEST, canonical, sha256
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import sealed
from goedels_poetry.checker.logic.check import LogicArchive
from goedels_poetry.checker.logic.jobs import write_logic
from goedels_poetry.checker.python.archive import PROOF
from goedels_poetry.checker.python.certify import write_python
from goedels_poetry.python.translate.program import read_program as read_python_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.questions.entailment.program import statement_of
from goedels_poetry.questions.query_runner import read_program
from goedels_poetry.search.tasks.code import CodeTask

Json = dict[str, Any]
Place = tuple[str, tuple[Any, ...]]
"""A file, and the keys that lead to a value in it."""

HEAD = "from goedels_poetry.contracts import ensures, requires\n\n\n"
RIGHT = f"{HEAD}@ensures(lambda result, x: result == x)\ndef f(x: int) -> int:\n    return x\n"
WRONG = f"{HEAD}@ensures(lambda result, x: result != 3)\ndef f(x: int) -> int:\n    return x\n"
TASK = CodeTask("The number itself.", "def f(x: int) -> int", ensures=("result == x",))
FALSE = (proofs.NAT + "(prove (forall ((a Nat)) (= (add a a) a)))\n").encode()
ONE = {"a": {"tuple": ["succ", {"tuple": ["zero"]}]}}
CHOICES = "(declare-const p Bool)(assert p)(define-fun goal-A () Bool p)(define-fun goal-B () Bool (not p))"
OPEN = "(declare-const p Bool)(declare-const q Bool)(assert p)(define-fun goal () Bool {})"


def smt_proof(where: Path) -> Path:
    return write_certificate(proofs.GAUSS, proofs.gauss(), where)


def smt_counterexample(where: Path) -> Path:
    evidence = with_ends(FALSE, {"values": ONE, "table": []})
    return forge(where, FALSE, evidence, script=script_of_counterexample(FALSE, evidence), claim="counterexample")


def logic(
    where: Path, text: str = OPEN.format("p"), claim: str = "proved", world: str = "open", choice: str = ""
) -> Path:
    statement = statement_of(read_program(text, "smt2"))
    write_logic(where, LogicArchive(text, "smt2", claim, choice, world, 5_000, 5_000, statement, {}), {})
    return where


def python(where: Path, source: str, claim: str, evidence: Json, function: str = "f") -> Path:
    where.mkdir(parents=True)
    write_python(
        where, source=source, claim=claim, function=function, evidence=evidence, versions={"python": "3"}, info={"a": 1}
    )
    return where


def python_proof(where: Path) -> Path:
    text = translate(read_python_program(RIGHT), "f").text.encode()
    write_certificate(text, proofs.direct(text), python(where, RIGHT, "proved", {}) / PROOF)
    return where


KINDS: dict[str, Callable[[Path], Path]] = {
    "SMT proof": smt_proof,
    "SMT counterexample": smt_counterexample,
    "logic": logic,
    "logic, a choice": lambda where: logic(where, CHOICES, choice="A"),
    "logic, an optimum": lambda where: logic(where, "(declare-const x Int)(assert (< x 3))(maximize x)"),
    "logic, a contradiction": lambda where: logic(where, OPEN.format("q") + "(assert (not p))", "inconsistent"),
    "Python proof": python_proof,
    "Python refutation": lambda where: python(where, WRONG, "refuted", {"arguments": {"x": "3"}}),
    "Python tested": lambda where: python(where, RIGHT, "tested", {}),
    "Python tested, a task": lambda where: python(where, RIGHT, "tested", {"task": TASK.text}),
}


ABOUT = {"Python tested, a task": TASK.text}
"""What is held against a certificate: where it could be about another thing as well."""


def documents(certificate: Path) -> dict[str, Any]:
    """The JSON files of a certificate by their names."""
    return {path.name: json.loads(path.read_bytes()) for path in sorted(certificate.glob("*.json"))}


def places(certificate: Path) -> list[Place]:
    """Where the values of all fields stand, those within others included."""
    return [(name, path) for name, value in documents(certificate).items() for path in _paths(value) if path]


def value_at(certificate: Path, place: Place) -> Any:
    """What stands at a place."""
    value = documents(certificate)[place[0]]
    for key in place[1]:
        value = value[key]
    return value


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from _paths(part, (*above, key))


MISSING, EXTRA = object(), object()


def wrong(value: Any) -> list[Any]:
    """Values that a field should not have, or not have here."""
    deep: Any = value
    for _ in range(400):
        deep = [deep]
    other: list[Any] = [
        MISSING,
        EXTRA,
        None,
        not isinstance(value, bool),
        0,
        -1,
        10**40,
        1.5,
        "",
        [],
        {},
        [value],
        deep,
    ]
    if isinstance(value, str):
        other += [value + " ", value.upper(), "True", "x", "f", "0", "proved", "refuted", "tested", "inconsistent"]
        other += ["negation proved", "counterexample", "closed", "json", "float('nan')", "4", "[3]", "__import__('os')"]
    elif isinstance(value, int):
        other += [value + 1, value - 1, str(value), float(value)]
    elif isinstance(value, list):
        other += [value[1:], value[::-1], value + value]
    elif isinstance(value, dict):
        other += [dict(list(value.items())[1:]), {**value, "": value}]
    return [each for each in other if type(each) is not type(value) or each != value]


def replaced(certificate: Path, place: Place, value: Any, where: Path) -> Path:
    """A copy with another value at a place, and with hashes that fit."""
    file, path = place
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(certificate, where)
    documents_ = copy.deepcopy(documents(certificate))
    holder = documents_[file]
    for key in path[:-1]:
        holder = holder[key]
    if value is MISSING:
        del holder[path[-1]]
    elif value is EXTRA:
        (holder.insert(0, holder[path[-1]]) if isinstance(holder, list) else holder.update({f"{path[-1]}_": 1}))
    else:
        holder[path[-1]] = value
    manifest = documents_[MANIFEST]
    if file != MANIFEST:
        (where / file).write_bytes(canonical(documents_[file]))
        manifest["files"][file] = sha256((where / file).read_bytes())
    if path[0] != "manifest_sha256":
        manifest = sealed({key: part for key, part in manifest.items() if key != "manifest_sha256"})
    (where / MANIFEST).write_bytes(canonical(manifest))
    return where


def shown(report: CheckReport) -> tuple[Any, ...] | None:
    """What an accepted certificate shows; None of one that is not accepted."""
    return (report.verdict, report.trust_level, report.statement) if report.accepted else None


def fault(kind: str, honest: CheckReport, place: Place, forged: Path) -> str:
    """What is wrong with how the checker takes a forged certificate; "" for nothing."""
    try:
        report = check_any(forged, ABOUT.get(kind))
    except Exception as error:  # noqa: BLE001  a user would see a traceback
        return f"{kind} {place}: {type(error).__name__}: {error}"[:300]
    found = shown(report)
    if found is None:
        return "" if report.reasons or report.retry else f"{kind} {place}: not accepted, without a reason"
    return "" if found == shown(honest) else f"{kind} {place}: {found} is shown, not {shown(honest)}"
