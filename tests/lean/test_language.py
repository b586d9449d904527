"""Lean theorems through the whole machine, without any model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult

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


async def test_one_theorem_of_several_is_proved_and_the_others_are_named(
    framework: GoedelsPoetryFramework, lean: LeanPool
) -> None:
    source = (THEOREMS / "order.lean").read_text()
    assert await framework.theorems(source) == ("between", "either_way")
    result = await framework.arun(source, name="order.lean", options={"theorem": "between"})
    assert result.verdict is Verdict.PROVED, result.reason
    assert any("either_way" in warning for warning in result.warnings)


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
