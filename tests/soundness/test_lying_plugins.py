"""Installed plug-ins that lie: languages, agents, checkers. At most ``unknown`` comes of it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from foreign_packages import command, install

FALSE = "(prove (forall ((x Int)) (= (+ x 1) x)))\n"
TRUE = "(prove (forall ((x Int)) (= (+ x 1) (+ 1 x))))\n"
ENDLESS = "(define-fun-rec f ((x Int)) Int (+ (f x) 1))\n(prove (= 0 1))\n"
"""False, but for what its definition would make true if it were accepted unseen."""

LANGUAGE = """
from pathlib import Path
from types import SimpleNamespace
from goedels_poetry.checker import Certificate
from goedels_poetry.languages import Outcome, Theorem
from goedels_poetry.store.state import Verdict

class Fake:
    name = "fake"
    suffixes = (".fake",)
    judged = {"verdict": "open"}

    async def read(self, text, options):
        options["assume_definitions"] = True
        return Theorem(self.name, "something else, which is true", options, "1 = 2")

    async def judge(self, theorem):
        return Outcome(True, self.judged)

    async def prove(self, goal):
        return Outcome(True, {"candidate": {}, "verdict": "proved", "trust_level": "L3"})

    async def verify(self, goal, candidate):
        return Outcome(True, {"proof": {"verdict": "proved", "trust_level": "L3"}})

    async def canonical(self, theorem, statement):
        return "theory:statement"

    async def certify(self, theorem, derivation, directory, run_info, seconds=None):
        return Certificate(Verdict.PROVED, Path(directory), "L3")

    certify_answer = certify

    async def assemble(self, theorem, derivation):
        return await self.certify(theorem, derivation, ".", {})

    assemble_answer = assemble

    async def aclose(self):
        pass

    async def sketch(self, goal):
        return Outcome(False, {"verdict": "proved"}, "exhausted")

    verify_sketch = correct_sketch = correct = retrieve = sketch
"""

CHECKER = """
from goedels_poetry.checker import Certificate, CheckReport, TrustLevel
from goedels_poetry.store.state import Verdict

class Yes:
    async def certify(self, submission):
        submission.directory.mkdir(parents=True, exist_ok=True)
        (submission.directory / "manifest.json").write_text('{"language": "fake"}')
        return Certificate(submission.verdict, submission.directory, "L3", checked_by="")

    def check(self, path, against):
        return CheckReport(Verdict.PROVED, TrustLevel.CONFIRMED)

    async def aclose(self):
        pass
"""

AGENT = """
from dataclasses import replace
from goedels_poetry import agent
from goedels_poetry.store.state import NodeStatus, Verdict

async def lie_{number}(node, deps):
    {before}
    def apply(txn):
        {lie}
        return "done"
    return apply
"""

LIAR = """
@agent(queue="check_semantics", name="liar")
async def liar(node, deps):
    number = deps.theorem.text.partition("; lie ")[2].split()[0]
    with open(__file__ + ".told", "a") as told:
        told.write(f"{number}\\n")
    return await globals()[f"lie_{number}"](node, deps)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def one(done: Any) -> dict[str, Any]:
    assert "Traceback" not in done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- a language ----------------------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("claim", ["open", "refuted", "inconsistent"])
def test_a_language_without_a_checker_gets_at_most_unknown(site: Path, home: Path, tmp_path: Path, claim: str) -> None:
    lying = LANGUAGE.replace('{"verdict": "open"}', f'{{"verdict": "{claim}", "counterexample": {{"values": {{}}}}}}')
    install(site, "liars", lying, {"languages:fake": "Fake"})
    file = tmp_path / "t.fake"
    file.write_text("1 = 2")
    claimed = "proved" if claim == "open" else claim
    for more in ((), (), ("--resume",), ("--fresh",)) if claim == "open" else ((), ("--resume",)):
        done = command(site, home, "prove", file, "--json", *more)
        result = one(done)
        assert (done.returncode, result["verdict"], result["trust_level"]) == (1, "unknown", None), result
        assert f"the language fake claims {claimed}; no checker is registered for it" in result["reason"]
        assert (result["certificate"], result["counterexample"], result["core"]) == (None, None, None)
    resumed = command(site, home, "show", result["run_id"], "--json")
    assert json.loads(resumed.stdout)["result"]["verdict"] == "unknown"
    looked = command(site, home, "doctor", "--json")
    assert "fake: nothing can be proved in it" in looked.stdout


def test_no_plugin_takes_over_our_checkers_or_our_names(site: Path, home: Path, tmp_path: Path) -> None:
    install(site, "liars", LANGUAGE.replace('name = "fake"', 'name = "smt"'), {"languages:fake": "Fake"})
    install(site, "taker", CHECKER, {"checkers:smt": "Yes", "checkers:lean": "Yes"})
    (tmp_path / "t.fake").write_text(TRUE)
    result = one(command(site, home, "prove", tmp_path / "t.fake", "--json"))
    assert (result["verdict"], "calls itself smt: it is not used" in result["reason"]) == ("invalid", True)
    (tmp_path / "t.smt2").write_text(FALSE)
    done = command(site, home, "prove", tmp_path / "t.smt2", "--json")
    result = one(done)
    assert (done.returncode, result["verdict"], result["checked_by"]) == (3, "refuted", None)
    assert "checker of taker 1.0 left out: smt is checked by goedels_poetry alone" in result["warnings"]
    looked = command(site, home, "doctor")
    assert "checkers: smt, lean, logic, python\n" in looked.stdout
    assert "checker left out: checker of taker 1.0 left out: lean is checked by goedels_poetry alone" in looked.stdout


# -- a checker -----------------------------------------------------------------------------------------------------


def test_a_checker_of_a_plugin_is_named_and_decides_about_its_own_language_alone(
    site: Path, home: Path, tmp_path: Path
) -> None:
    install(site, "liars", LANGUAGE, {"languages:fake": "Fake"})
    install(site, "believer", CHECKER, {"checkers:fake": "Yes"})
    file = tmp_path / "t.fake"
    file.write_text("1 = 2")
    done = command(site, home, "prove", file, "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "trust level L3: checked by believer 1.0" in done.stdout
    certificate = next((tmp_path / "out").iterdir())
    checked = command(site, home, "check", certificate)
    assert "trust level L3: checked by believer 1.0" in checked.stdout
    assert "checkers: smt, lean, logic, python, fake by believer 1.0" in command(site, home, "doctor").stdout
    # A proof of ours whose certificate was exchanged for one that the plug-in believes is proved anew.
    (tmp_path / "t.smt2").write_text(TRUE)
    first = one(command(site, home, "prove", tmp_path / "t.smt2", "--json"))
    shutil.rmtree(first["certificate"])
    shutil.copytree(certificate, first["certificate"])
    again = one(command(site, home, "prove", tmp_path / "t.smt2", "--json"))
    assert (again["verdict"], again["skipped"], again["checked_by"]) == ("proved", False, None)
    assert again["certificate"] != first["certificate"]
    # Without the checker what it said is worth nothing any more, here and in `check`.
    shutil.rmtree(site / "believer-1.0.dist-info")
    gone = command(site, home, "prove", file, "--json")
    assert (gone.returncode, one(gone)["verdict"]) == (1, "unknown")
    refused = command(site, home, "check", certificate)
    assert (refused.returncode, "no checker is registered for the language fake" in refused.stdout) == (1, True)


@pytest.mark.parametrize("suffix", [".smt2", ".lean"])
def test_no_checker_of_a_plugin_decides_about_a_file_in_a_language_of_ours(
    site: Path, home: Path, tmp_path: Path, suffix: str
) -> None:
    install(site, "believer", CHECKER, {"checkers:fake": "Yes"})
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "manifest.json").write_text('{"language": "fake"}')
    (tmp_path / f"t{suffix}").write_text(FALSE)
    done = command(site, home, "check", tmp_path / "c", "--against", tmp_path / f"t{suffix}")
    assert done.returncode == 1
    assert "the certificate in fake" in done.stdout
    (tmp_path / "t.fake").write_text(FALSE)
    assert command(site, home, "check", tmp_path / "c", "--against", tmp_path / "t.fake").returncode == 0


def test_of_two_checkers_for_a_language_neither_decides(site: Path, home: Path, tmp_path: Path) -> None:
    install(site, "liars", LANGUAGE, {"languages:fake": "Fake"})
    install(site, "believer", CHECKER, {"checkers:fake": "Yes"})
    install(site, "other", CHECKER, {"checkers:fake": "Yes"})
    (tmp_path / "t.fake").write_text("1 = 2")
    result = one(command(site, home, "prove", tmp_path / "t.fake", "--json"))
    assert result["verdict"] == "unknown"
    assert "checkers left out: believer 1.0, other 1.0 all want to decide about fake" in result["warnings"]


@pytest.mark.parametrize(
    "answer", ["Certificate(Verdict.PROVED, None, None)", 'Certificate(Verdict.TESTED, None, "L3")']
)
def test_a_checker_that_gives_no_level_gives_no_verdict(site: Path, home: Path, tmp_path: Path, answer: str) -> None:
    forged = CHECKER.replace('Certificate(submission.verdict, submission.directory, "L3", checked_by="")', answer)
    forged = forged.replace("TrustLevel.CONFIRMED", "None")
    install(site, "liars", LANGUAGE, {"languages:fake": "Fake"})
    install(site, "believer", forged, {"checkers:fake": "Yes"})
    (tmp_path / "t.fake").write_text("1 = 2")
    assert command(site, home, "prove", tmp_path / "t.fake").returncode == 1
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "manifest.json").write_text('{"language": "fake"}')
    assert command(site, home, "check", tmp_path / "c").returncode == 1


# -- an agent ------------------------------------------------------------------------------------------------------

LIES = {
    "the root is proved": (FALSE, "pass", "deps.moves(txn).set_proved(node, {'query': {}})"),
    "the root's row says proved": (
        FALSE,
        "pass",
        "txn.put(replace(node, queue=None, status=NodeStatus.PROVED, refs={**node.refs, 'proof': txn.save({})}))",
    ),
    "a verdict": (FALSE, "pass", "txn.set_verdict(Verdict.PROVED, 'trust me', {'trust_level': 'L3'})"),
    "a verdict behind the back of the store": (
        FALSE,
        "pass",
        "txn.put(replace(node, queue=None, status=NodeStatus.FAILED)); "
        "txn._db.execute('INSERT INTO verdict VALUES(?,?,?,?)', (txn.seq, 'proved', '', None))",
    ),
    "it was tested": (
        FALSE,
        "pass",
        "txn.put(replace(node, queue=None, status=NodeStatus.FAILED)); "
        "txn._db.execute('INSERT INTO verdict VALUES(?,?,?,?)', (txn.seq, 'tested', '', None))",
    ),
    "a counterexample": (TRUE, "pass", "deps.moves(txn).set_refuted(node, {'values': {'x': '1'}})"),
    "a refutation": (
        TRUE,
        "pass",
        "txn.put(replace(node, queue=None, status=NodeStatus.REFUTED)); txn.set_verdict(Verdict.REFUTED, 'false', "
        "{'verdict': 'refuted', 'refuted_by': 'counterexample', 'evidence': {'values': {'x': 1}, 'facts': None}})",
    ),
    "a contradiction": (
        TRUE,
        "pass",
        "txn.put(replace(node, queue=None, status=NodeStatus.FAILED)); "
        "txn.set_verdict(Verdict.INCONSISTENT, 'they are', {'verdict': 'inconsistent', 'core': []})",
    ),
    "another theorem": (
        FALSE,
        f"deps.store.set_meta(theorem={TRUE!r})",
        "deps.moves(txn).set_proved(node, {'query': {}})",
    ),
    "definitions are assumed": (
        ENDLESS,
        "deps.theorem.options['assume_definitions'] = True",
        "txn.put(replace(node, queue='prove'))",
    ),
    "nobody wants to know": (FALSE, "from asyncio import CancelledError", "raise CancelledError"),
    "the end of the program": (FALSE, "raise SystemExit(0)", "pass"),
}


ALONE = "the end of the program"


@pytest.mark.sample(1)
@pytest.mark.parametrize("lies", [[lie for lie in LIES if lie != ALONE], [ALONE]], ids=["many", ALONE])
def test_an_agent_cannot_say_what_only_a_checker_says(site: Path, home: Path, tmp_path: Path, lies: list[str]) -> None:
    """One agent, which tells each theorem another lie."""
    code, files = "", {}
    for number, lie in enumerate(lies):
        text, before, what = LIES[lie]
        code += AGENT.replace("{before}", before).replace("{lie}", what).replace("{number}", str(number))
        files[lie] = tmp_path / f"t{number}.smt2"
        files[lie].write_text(f"{text}; lie {number}\n")
    install(site, "liars", code + LIAR, {"agents:liar": "liar"})
    for more in ((), ("--resume",)):
        done = command(site, home, "prove", *files.values(), "--json", "--timeout", "20", *more)
        assert set((site / "liars.py.told").read_text().split()) == set(map(str, range(len(lies)))), "all were told"
        assert "Traceback" not in done.stderr, done.stderr
        results = {result["input"]: result for result in map(json.loads, done.stdout.splitlines())}
        for lie, file in files.items():
            result = results[str(file)]
            honest = {FALSE: (3,), TRUE: (0,)}.get(LIES[lie][0], ())
            assert result["exit_code"] in (1, 5, *honest), (lie, result)
            assert result["trust_level"] is None or result["exit_code"] in honest, (lie, result)


# -- what is raised is seen ----------------------------------------------------------------------------------------

RAISING = """
from goedels_poetry import agent, strategy

@agent(queue="retrieve", name="librarian")
async def librarian(node, deps):
    raise ConnectionError("the library is closed")

@strategy(name="halves")
async def halves(goal):
    raise RuntimeError("the strategy has a bug")
"""


def test_what_agents_and_strategies_raise_is_seen_everywhere_with_the_plugins_name(
    site: Path, home: Path, tmp_path: Path
) -> None:
    install(site, "buggy", RAISING, {"agents:library": "", "strategies:cut": "halves"})
    file = tmp_path / "t.smt2"
    file.write_text(
        "(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))\n"
        "(define-fun-rec plus ((x N) (y N)) N (ite ((_ is zero) x) y (succ (plus (pred x) y))))\n"
        "(prove (forall ((x N) (y N)) (= (plus x y) (plus y x))))\n"
    )
    result = one(command(site, home, "prove", file, "--json"))
    assert result["verdict"] == "proved"
    closed = "agent librarian of plug-in library failed: ConnectionError: the library is closed"
    bug = "strategy halves of plug-in cut failed: RuntimeError: the strategy has a bug"
    for words in (closed, bug):
        assert any(warning.startswith(words) for warning in result["warnings"]), result["warnings"]
    assert not any("plugin_errors" in name for name in result["metrics"])
    shown = " ".join(command(site, home, "show", result["run_id"]).stdout.split())
    traced = command(site, home, "trace", result["run_id"], "--format", "jsonl").stdout
    assert all(words in shown and words in traced for words in (closed, bug)), (shown, traced)


# -- what ends programs when it is imported ------------------------------------------------------------------------

ENDS = {
    "leaves": "raise SystemExit(0)",
    "closes": "raise GeneratorExit",
    "cancels": "import asyncio\nraise asyncio.CancelledError",
    "of_its_own": "class End(BaseException):\n    pass\nraise End('of all')",
    "speechless": "class Mute(Exception):\n    def __str__(self):\n        raise SystemExit(0)\nraise Mute",
}


def test_a_plugin_that_raises_whatever_it_likes_when_imported_is_left_out(
    site: Path, home: Path, tmp_path: Path
) -> None:
    for name, code in ENDS.items():
        points = {f"{group}:{name}": "thing" for group in ("agents", "strategies", "checkers", "languages")}
        install(site, name, code, points)
    file, other, certificate = tmp_path / "t.smt2", tmp_path / "t.txt", tmp_path / "of_its_own.cert"
    file.write_text(FALSE)
    other.write_text("1 = 2")
    certificate.mkdir()
    (certificate / "manifest.json").write_text('{"language": "of_its_own"}')
    done = command(site, home, "prove", file)
    assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
    assert all(f"plug-in '{name}' ({name}:thing) left out" in done.stdout for name in ENDS), done.stdout
    assert command(site, home, "prove", other, "--language", "closes").returncode not in (0, 3)
    checked = command(site, home, "check", certificate)
    assert checked.returncode == 1 and "of all" in checked.stdout, checked
