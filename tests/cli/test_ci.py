"""What build servers are given: formats, exit codes, what a diff can change, the action and the hook."""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
import yaml

from goedels_poetry.checker.certificate.archive import EVIDENCE
from goedels_poetry.cli.run_errors import worst_code
from goedels_poetry.interfaces.formats import FORMATS, FormatName
from goedels_poetry.interfaces.since import BadRevision, Since

ROOT = Path(__file__).parents[2]
SARIF = json.loads((Path(__file__).parent / "sarif.json").read_text("utf-8"))
JUNIT = xmlschema.XMLSchema(Path(__file__).parent / "junit.xsd")
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"
TWO = """from goedels_poetry.contracts import ensures, requires


@requires(lambda x: x >= 0)
@ensures(lambda result, x: result >= 0)
@ensures(lambda result, x: result != 7)
def half(x: int) -> int:
    return x // 2


@ensures(lambda result, x: result > x)
def up(x: int) -> int:
    return x + 1
"""
SORTED = "from goedels_poetry.contracts import ensures\n\n\n@ensures(lambda result: result >= 0)\n"
TESTED = f"import random\n{SORTED}def die() -> int:\n    return len(str(random))\n"


@pytest.fixture
def inputs(tmp_path: Path, theorems: Path) -> list[str]:
    """A refutation, a proof, a text that is none, a file that is not there, and a search that takes for ever."""
    (tmp_path / "two.py").write_text(TWO)
    (tmp_path / "broken.smt2").write_text("(declare-const x Int)\n(prove (= x tru))\n")
    return ["two.py", "broken.smt2", "gone.smt2", str(theorems / "odd_perfect.smt2")]


def test_every_format_is_valid_by_its_schema_and_points_at_what_is_wrong(cli: Any, inputs: list[str]) -> None:
    assert cli("prove", "two.py", "--timeout", "60").code == 3
    objects = cli("prove", *inputs, "--timeout", "4", "--json").objects()
    assert [found["verdict"] for found in objects] == ["refuted", "proved", "invalid", "invalid", "out_of_budget"]
    assert (objects[0]["location"]["line"], objects[0]["location"]["column"]) == (6, 28), "of the clause that fails"

    lines = cli("prove", *inputs, "--timeout", "4", "--format", "github").out.splitlines()
    assert lines[0] == (
        "::error file=two.py,line=6,col=28,title=two.py%3Ahalf::refuted: "
        "ensures result != 7 (line 6): the result on x = 14 is 7; counterexample: x = 14"
    )
    assert lines[1].startswith("::error file=broken.smt2,line=2,col=13,title=broken.smt2::invalid: ")
    assert lines[2].startswith("::error file=gone.smt2,title=gone.smt2::invalid: ")
    assert re.match(r"::warning file=\S+odd_perfect.smt2,line=\d+,col=1,title=\S+::out of budget: ", lines[3])
    assert len(lines) == 4, "nothing about what is proved"

    ran = cli("prove", *inputs, "--timeout", "4", "--format", "sarif")
    log = json.loads(ran.out)
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        "refuted",
        "invalid",
        "invalid",
        "out_of_budget",
    ]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 6, "startColumn": 28}
    assert ran.code == 2

    report = ElementTree.fromstring(cli("prove", *inputs, "--timeout", "4", "--format", "junit").out)
    JUNIT.validate(report)
    kinds = {case.get("name"): [child.tag for child in case] for case in report.iter("testcase")}
    assert kinds == {
        "two.py:half": ["failure"],
        "two.py:up": [],
        "broken.smt2": ["error"],
        "gone.smt2": ["error"],
        inputs[3]: ["failure"],
    }


def hostile(**more: Any) -> dict[str, Any]:
    reason = "50%\r\n::error::x\x1b[31m ]]> <b> \ud800"
    name = "a,b:c/\u00e9 %41\n\x01.py:f"
    return {"input": name, "verdict": "refuted", "reason": reason, "exit_code": 3, "location": None} | more


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_name_and_no_message_breaks_out_of_a_format(form: FormatName) -> None:
    said = FORMATS[form]([hostile(), hostile(input="-", counterexample={"x": "1\n2"}, seconds=1.5)])
    said.encode("utf-8", "replace").decode()
    match form:
        case FormatName.JSON:
            assert [json.loads(line)["exit_code"] for line in said.splitlines()] == [3, 3]
        case FormatName.GITHUB:
            first, second, last = said.split("\n")
            assert first.startswith("::error file=a%2Cb%3Ac/é %2541%0A\x01.py,title=")
            assert second.startswith("::error title=-::refuted: 50%25 ::error::x")
            assert "counterexample: x = 1 2" in second
            assert last == ""
        case FormatName.SARIF:
            jsonschema.validate(json.loads(said), SARIF)
        case FormatName.JUNIT:
            JUNIT.validate(ElementTree.fromstring(said))


@pytest.mark.parametrize("form", list(FORMATS))
def test_nothing_to_report_is_a_report_too(form: FormatName) -> None:
    said = FORMATS[form]([])
    if form is FormatName.SARIF:
        jsonschema.validate(json.loads(said), SARIF)
    elif form is FormatName.JUNIT:
        JUNIT.validate(ElementTree.fromstring(said))
    else:
        assert said == ""


def test_what_is_refuted_decides_before_what_is_unfinished() -> None:
    assert worst_code([5, 3, 1, 0]) == worst_code([75, 3]) == worst_code([74, 69, 3]) == 3
    assert worst_code([3, 4]) == 4
    assert worst_code([3, 2]) == 2
    assert worst_code([3, 70]) == 70


def test_what_is_less_than_required_is_named(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "easy.smt2").write_text(EASY)
    (tmp_path / "die.py").write_text(TESTED)
    ran = cli("prove", "easy.smt2", "die.py", "--require", "proved", "--quiet")
    assert (ran.code, ran.err) == (1, "less than --require proved: die.py (tested)\n")
    assert cli("prove", "easy.smt2", "die.py", "--require", "tested", "--quiet").code == 0


def test_the_whole_call_has_a_limit(program: Any, tmp_path: Path, theorems: Path) -> None:
    (tmp_path / "easy.smt2").write_text(EASY)
    began = time.monotonic()
    ran = program("prove", theorems / "odd_perfect.smt2", "easy.smt2", "--total", "2", "--json", "--quiet")
    assert time.monotonic() - began < 12
    first, second = ran.objects()
    assert (ran.code, first["verdict"], second["verdict"]) == (5, "out_of_budget", "out_of_budget")
    assert "2 s of --total are used up" in first["reason"]
    assert second["reason"].startswith("not started: ")


def test_check_takes_several_certificates_and_folders_of_them(cli: Any, tmp_path: Path) -> None:
    for name, text in {"easy": EASY, "other": "(declare-const q Bool)\n(prove (=> q q))\n"}.items():
        (tmp_path / f"{name}.smt2").write_text(text)
    assert cli("prove", "easy.smt2", "other.smt2", "--out", "certs").code == 0
    ran = cli("check", "certs", "--json")
    assert (ran.code, [found["verdict"] for found in ran.objects()]) == (0, ["proved", "proved"])
    first, second = sorted((tmp_path / "certs").iterdir())
    (first / "manifest.json").unlink()  # what is damaged is not passed over
    ran = cli("check", "certs", str(second), "--format", "github", "--require", "proved")
    assert ran.code == 1
    assert ran.out.startswith(f"::error file=certs/{first.name},title=certs/{first.name}::unknown: ")
    assert ran.err.startswith("less than --require proved: certs/easy-")
    late = cli("check", "certs", "--total", "0", "--json")
    assert (late.code, {found["verdict"] for found in late.objects()}) == (5, {"out_of_budget"})
    assert cli("check", str(tmp_path / "home" / "bank")).code == 2


def test_bench_speaks_the_same_formats(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "easy.smt2").write_text(EASY)
    (tmp_path / "wrong.smt2").write_text("(prove (= 1 2))\n")
    ran = cli("bench", "easy.smt2", "wrong.smt2", "--format", "junit", "--require", "proved", "--total", "1m")
    report = ElementTree.fromstring(ran.out)
    JUNIT.validate(report)
    assert [len(case) for case in report.iter("testcase")] == [0, 1]
    assert (ran.code, ran.err) == (1, "less than --require proved: wrong.smt2\n")


# -- since ------------------------------------------------------------------------------------------------------------
def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def commit(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "files")


CALLS = f"""LIMIT = 3
{TWO}
def helper(x: int) -> int:
    return x + LIMIT


def unused() -> None: ...


@ensures(lambda result, x: result == helper(x))
def by_contract(x: int) -> int:
    return x + 3


@ensures(lambda result, x: result > x)
def calls(x: int) -> "int":
    return helper(x)
"""
EVERY = ["half", "up", "by_contract", "calls"]


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        ("", "", []),
        ("LIMIT = 3", "LIMIT = 3  # a comment", []),
        ("x // 2", "x // 2 + 0", ["half"]),
        ("result != 7", "result != 8", ["half"]),
        ("return x + LIMIT", "return LIMIT + x", ["by_contract", "calls"]),
        ("def unused() -> None: ...", "def unused() -> None:\n    print()", []),
        ("def unused() -> None: ...", "def len(x: object) -> int:\n    return 0", []),
        ("def unused() -> None: ...", "def helper(x: int) -> int:\n    return x", ["by_contract", "calls"]),
        ("LIMIT = 3", "LIMIT = 4", EVERY),
        ("def unused() -> None: ...", "class Made: ...", EVERY),
        ("def unused() -> None: ...", "def unused() -> None:\n    globals()['helper'] = 1", EVERY),
        ("LIMIT = 3", "import helpers\nLIMIT = 3", EVERY),
        ("def unused() -> None: ...", "async def unused() -> None: ...", EVERY),
        ("def unused() -> None: ...", "if LIMIT:\n    def helper(x: int) -> int:\n        return x", EVERY),
        ("def unused() -> None: ...", "@helper\ndef unused(x: int) -> int:\n    return 0", []),
        ('-> "int"', '-> "len"', ["calls"]),
    ],
)
def test_a_diff_changes_the_theorems_that_rest_on_it(repository: Path, old: str, new: str, differ: list[str]) -> None:
    commit(repository, calls=CALLS)
    text = CALLS.replace(old, new, 1)
    (repository / "calls.py").write_text(text)
    assert Since("HEAD").may_differ(str(repository / "calls.py"), text, "python", EVERY) == differ


def test_a_file_that_imports_what_has_changed_is_taken_as_a_whole(repository: Path) -> None:
    commit(
        repository, calls=f"from helpers import limit\n{CALLS}", helpers="limit = 1\n", random="x = 1\n", alone=CALLS
    )
    (repository / "helpers.py").write_text("limit = 2\n")
    since = Since("HEAD")
    read = {name: (repository / f"{name}.py").read_text() for name in ("calls", "alone")}
    assert since.may_differ(str(repository / "calls.py"), read["calls"], "python", EVERY) == EVERY
    assert since.may_differ(str(repository / "alone.py"), read["alone"], "python", EVERY) == []
    loads = f"import pkgutil\n{CALLS}def unseen():\n    return pkgutil.get_data('m', 'x.txt')\n"
    commit(repository, loads=loads)
    (repository / "x.dat").write_text("2\n")
    assert Since("HEAD").may_differ(str(repository / "loads.py"), loads, "python", EVERY) == EVERY, "it may read files"
    (repository / "random.py").write_text("x = 2\n")  # in the place of the library's
    shadowed = f"import random\n{CALLS}"
    commit(repository, shadowed=shadowed)
    (repository / "random.py").write_text("x = 3\n")
    assert Since("HEAD").may_differ(str(repository / "shadowed.py"), shadowed, "python", EVERY) == EVERY


def test_a_goal_of_smt_lib_rests_on_what_stands_before_it(repository: Path) -> None:
    text = "(declare-const p Bool)\n(prove (! (or p (not p)) :named a))\n(prove (! (=> p p) :named b)) ; c\n"
    file = repository / "goals.smt2"
    file.write_text(text)
    commit(repository)
    since, both = Since("HEAD"), ["a", "b"]
    assert since.may_differ(str(file), text.replace("; c", ";\n"), "smt", both) == []
    assert since.may_differ(str(file), text.replace("(=> p p)", "(=> p  true)"), "smt", both) == ["b"]
    assert since.may_differ(str(file), text.replace("const p", "const |p q|"), "smt", both) == both
    assert since.may_differ(str(repository / "new.smt2"), text, "smt", both) == both
    assert Since("HEAD").may_differ(str(file), "theorem x : True := sorry", "lean", ["x"]) == ["x"]


def test_prove_since_a_revision_proves_what_changed_and_nothing_else(cli: Any, repository: Path) -> None:
    commit(repository, two=TWO, plain="def f(): ...\n")
    ran = cli("prove", "two.py", "plain.py", "--since", "HEAD", "--json")
    assert (ran.code, ran.out) == (0, "")
    assert "2 theorems unchanged since HEAD" in ran.err
    (repository / "two.py").write_text(TWO.replace("x + 1", "x + 2"))
    (found,) = cli("prove", ".", "--since", "HEAD", "--json").objects()
    assert (found["input"], found["verdict"]) == ("two.py:up", "proved")
    for revision, why in (("gone", "knows no such revision"), ("--help", "knows no such revision")):
        ran = cli("prove", "two.py", f"--since={revision}")
        assert (ran.code, why in ran.err) == (2, True)


def test_check_and_bench_since_a_revision(cli: Any, repository: Path) -> None:
    for name in ("easy", "other"):
        (repository / f"{name}.smt2").write_text(EASY + f"; {name}\n")
    assert cli("prove", "easy.smt2", "other.smt2", "--out", "certs", "--quiet").code == 0
    assert len(cli("check", "certs", "--since", "HEAD", "--json").objects()) == 2, "nothing is committed yet"
    commit(repository)
    assert cli("check", "certs", "--since", "HEAD", "--json").objects() == []
    (first, second) = sorted((repository / "certs").iterdir())
    (first / EVIDENCE).unlink()
    (second / "manifest.json").write_text("{}")
    ran = cli("check", "certs", "--since", "HEAD", "--json")
    assert (ran.code, [found["verdict"] for found in ran.objects()]) == (1, ["unknown", "unknown"])
    assert cli("check", "certs", "--since", "gone").code == 2
    (repository / "other.smt2").write_text("(prove (= 1 2))\n")
    ran = cli("bench", "easy.smt2", "other.smt2", "--since", "HEAD", "--format", "junit")
    assert [case.get("name") for case in ElementTree.fromstring(ran.out).iter("testcase")] == ["other.smt2"]
    assert cli("bench", "easy.smt2", "--since", "HEAD", "--quiet").code == 0


def test_without_a_repository_or_without_a_commit(tmp_path: Path) -> None:
    file = str(tmp_path / "two.py")
    with pytest.raises(BadRevision, match="is in no repository"):
        Since("HEAD").may_differ(file, TWO, "python", ["up"])
    git(tmp_path, "init", "-q")
    assert Since("HEAD").may_differ(file, TWO, "python", ["up"]) == ["up"]


# -- the action and the hook ------------------------------------------------------------------------------------------
def wheel(folder: Path) -> Path:
    """What pip installs in a moment: the command, and where this very tree and what it needs are."""
    place, info = folder / "goedels_poetry_prover-0.1.0-py3-none-any.whl", "goedels_poetry_prover-0.1.0.dist-info"
    with zipfile.ZipFile(place, "w") as file:
        file.writestr("tree.pth", f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: goedels-poetry-prover\nVersion: 0.1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/entry_points.txt", "[console_scripts]\ngoedels-poetry = goedels_poetry.cli:run\n")
        file.writestr(f"{info}/RECORD", "")
    return place


def steps(inputs: Mapping[str, str], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """The steps of the action as a runner makes them; the first that fails ends them."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    known = {f"inputs.{name}": str(about["default"]) for name, about in action["inputs"].items()}
    known |= {f"inputs.{name}": text for name, text in inputs.items()}
    assert set(inputs) <= set(action["inputs"])
    runner = home / "runner"
    runner.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"RUNNER_TEMP": str(runner), "GITHUB_OUTPUT": str(runner / "output"), "GITHUB_ACTIONS": "true"}
    env |= {"PATH": f"{Path(sys.executable).parent}:{env['PATH']}", "GOEDELS_POETRY__HOME": str(home)}
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an input is never a part of a script"
        said = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: known[m[1]], text) for name, text in step["env"].items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=env | said, capture_output=True, text=True, timeout=110)
        if done.returncode:
            break
    return done


def test_the_action_annotates_what_a_pull_request_breaks(repository: Path, tmp_path_factory: Any) -> None:
    home = tmp_path_factory.mktemp("home")
    (repository / "a folder").mkdir()
    commit(repository, two=TWO.replace("result != 7", "result != -7"))
    base = git(repository, "rev-parse", "HEAD").strip()
    commit(repository, two=TWO)
    given = {"package": str(wheel(home)), "since": base, "paths": "two.py $(touch x)", "timeout": "20s"}
    given["budget"] = "50000000"
    done = steps(given, repository, home)
    assert done.returncode == 2, "`$(touch` is a file that is not there"
    assert not (repository / "x").exists()
    assert "::error file=two.py,line=6,col=28,title=two.py%3Ahalf::refuted: " in done.stdout
    assert "half" in done.stdout
    assert "two.py%3Aup" not in done.stdout
    assert (home / "runner" / "output").read_text() == "exit-code=2\n"


def test_the_hook_proves_what_is_about_to_be_committed(repository: Path, home: Path, tmp_path: Path) -> None:
    """As pre-commit does: the entry, its arguments, then the names of changed files that the pattern finds."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    commit(repository, two=TWO.replace("result != 7", "result != -7"), plain="x = 1\n")
    (repository / "two.py").write_text(TWO)
    (repository / "plain.py").write_text("x = 2\n")
    (repository / "notes.md").write_text("x\n")
    git(repository, "add", "-A")
    changed = [
        name for name in git(repository, "diff", "--cached", "--name-only").split() if re.search(hook["files"], name)
    ]
    assert sorted(changed) == ["plain.py", "two.py"]
    command, *entry = shlex.split(hook["entry"])
    assert (command, hook["language"]) == ("goedels-poetry", "python")
    env = os.environ | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "goedels_poetry", *entry, *hook["args"], *changed]
    done = subprocess.run(words, cwd=repository, env=env, capture_output=True, text=True, timeout=110)
    assert (done.returncode, "refuted  two.py:half" in done.stdout) == (3, True)
    assert "two.py:up" not in done.stdout
