"""What each kind of check loads, and how long what it rests on may be: the data behind a test and a table.

``python tests/support/trusted_base.py`` measures anew and writes both `MODULES` and the table in the documentation.
Look at the difference before you keep it: whatever is new there has to be trusted.
"""

import ast
import functools
import io
import json
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

import proofs

from goedels_poetry.checker import write_certificate, write_counterexample
from goedels_poetry.checker.logic.check import LogicArchive
from goedels_poetry.checker.logic.jobs import write_logic
from goedels_poetry.checker.python.archive import PROOF
from goedels_poetry.checker.python.certify import write_python
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.python.translate.program import read_program as read_python
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.questions.entailment.program import statement_of
from goedels_poetry.questions.query_runner import read_program

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "goedels_poetry"
MODULES = ROOT / "tests" / "kernel" / "trusted_modules.json"
"""For each kind of check: our ``modules`` that it loads, and the ``packages`` of others."""
PAGE = ROOT / "docs" / "certificates.md"
BEGIN, END = "<!-- what has to be trusted -->\n", "<!-- end -->\n"

BUDGETS = {
    "kernel": (3_000, "terms, rules, obligations, termination: what an SMT proof rests on"),
    "kernel/reading": (
        2_500,
        "from the text of theorems and certificates to terms, and how that is compared with the text",
    ),
    "kernel/refutation": (1_650, "the evaluator behind counterexamples, and what solvers confirm of it"),
    "checker/cpc": (1_900, "proof objects in CPC, checked step by step, for L4"),
    "questions/entailment": (1_200, "entailment of questions"),
    "lean/gate": (950, "comparison of what Lean has accepted; the second kernel beside it is JavaScript"),
    "lean/statement": (1_100, "from a theorem of SMT-LIB to the same theorem in Lean, for L4"),
    "python/translate": (7_900, "from a Python function with a contract to the theorem that the contract is"),
}
"""Lines of code at most (without docstrings, comments, blank lines) of the modules that stand in a folder itself."""

CHECKS = {
    "SMT proof": "from goedels_poetry.checker.smt.check import check_certificate as check",
    "SMT counterexample": "from goedels_poetry.checker.smt.check import check_certificate as check",
    "SMT proof with `proof.lean`, besides": "import goedels_poetry.checker.smt.lean_proof",
    "SMT proof with proof objects, besides": "import goedels_poetry.checker.smt.proof_objects",
    "Lean": "import goedels_poetry.checker.lean.audit, goedels_poetry.checker.lean.certify",
    "logic program": "from goedels_poetry.checker.logic.check import check_logic as check",
    "Python proof": "from goedels_poetry.checker.python.check import check_python as check",
    "Python refutation": "from goedels_poetry.checker.python.check import check_python as check",
}
"""How the checker of each kind is imported; what speaks with Lean is only imported, the others check a certificate."""

_REPORT = """
import sys
sys.path.insert(0, {root!r})
before = set(sys.modules)
{load}
if {place!r}:
    from pathlib import Path
    report = check(Path({place!r}))
    assert report.accepted, report
names = {{name for name in set(sys.modules) - before if not name.startswith("_sysconfigdata")}}
ours = sorted(name for name in names if name.split(".")[0] == "goedels_poetry")
others = sorted({{name.split(".")[0] for name in names}} - set(sys.stdlib_module_names) - {{"goedels_poetry"}})
import json
print(json.dumps({{"modules": ours, "packages": others}}))
"""


def loaded(load: str, place: str = "") -> dict[str, list[str]]:
    """What a fresh, isolated interpreter has loaded after ``load`` and a check of the certificate at ``place``."""
    program = _REPORT.format(root=str(ROOT), load=load, place=place)
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def certificate(kind: str, where: Path) -> str:
    """A small certificate of this kind; "" where none is checked."""
    if kind == "SMT proof":
        return str(write_certificate(proofs.GAUSS, proofs.gauss(), where))
    if kind == "SMT counterexample":
        text = b"(define-fun-rec down ((n Int)) Int (ite (<= n 0) 0 (down (- n 1))))(prove (forall ((n Int)) (< n 5)))"
        assert parse_problem(text)
        return str(write_counterexample(text, {"n": 7}, where))
    if kind == "logic program":
        program = "(declare-const p Bool)(assert p)(define-fun goal () Bool p)(check-sat)"
        statement = statement_of(read_program(program, "smt2"))
        write_logic(where, LogicArchive(program, "smt2", "proved", "", "open", 5_000, 5_000, statement, {}), {})
        return str(where)
    if kind.startswith("Python"):
        _python_certificate(kind, where)
        return str(where)
    return ""


def _python_certificate(kind: str, where: Path) -> None:
    where.mkdir()
    claim, bound = ("proved", "n") if kind == "Python proof" else ("refuted", "0")
    source = f"from goedels_poetry.contracts import ensures\n\n\n@ensures(lambda n, result: result > {bound})\n"
    source += "def up(n: int) -> int:\n    return n + 1\n"
    if claim == "proved":
        theorem = translate(read_python(source), "up").text.encode()
        write_certificate(theorem, proofs.direct(theorem), where / PROOF)
    evidence = {} if claim == "proved" else {"arguments": {"n": "-1"}}
    write_python(where, source=source, claim=claim, function="up", evidence=evidence, versions={}, info={})


def measured(kind: str) -> dict[str, list[str]]:
    """What a check of this kind loads."""
    with tempfile.TemporaryDirectory() as folder:
        return loaded(CHECKS[kind], certificate(kind, Path(folder) / "certificate"))


@functools.cache
def lines_of(folder: str) -> int:
    """Lines of code of the modules in a folder of the package, without those below it."""
    return sum(len(_lines_of_code(path.read_text("utf-8"))) for path in (PACKAGE / folder).glob("*.py"))


def _lines_of_code(text: str) -> set[int]:
    """Numbers of the lines on which there is something else than a comment or a docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and _is_text(body[0].value):
            lines.difference_update(range(body[0].lineno, (body[0].end_lineno or 0) + 1))
    return lines


_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def table(allowed: dict[str, dict[str, list[str]]]) -> str:
    """The two tables of the documentation."""
    lines = ["| folder | what it is | lines of code at most |", "|---|---|---|"]
    lines += [f"| `{folder}` | {what} | {most:,} |" for folder, (most, what) in BUDGETS.items()]
    rooms = ["kernel", "checker", "smt", "lean", "python", "questions", "solvers", "sandbox"]
    lines += [
        "",
        f"| check of | {' | '.join(rooms)} | others of ours | packages of others |",
        "|" + "---|" * (len(rooms) + 3),
    ]
    for kind, found in allowed.items():
        places = [name.split(".")[1] if "." in name else "" for name in found["modules"]]
        counts = [places.count(room) for room in rooms]
        others = len([place for place in places if place not in rooms])
        packages = ", ".join(f"`{name}`" for name in found["packages"]) or "none"
        lines.append(f"| {kind} | {' | '.join(map(str, counts))} | {others} | {packages} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write what was found."""
    found = {kind: measured(kind) for kind in CHECKS}
    MODULES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{table(found)}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
