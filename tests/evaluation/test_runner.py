"""A run that is cut off anywhere goes on where it stood; one bad question never stops the others."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import RunLocked
from goedels_poetry.evaluation import (
    AnswerLog,
    GoldQuestion,
    Limits,
    Run,
    Runner,
)
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.steps import QueryResult

ROOT = Path(__file__).parents[2]
COSTS = {"calls": 2, "input_tokens": 90, "output_tokens": 10, "money": 0.5}


def questions(number: int, **more: Any) -> list[GoldQuestion]:
    return [GoldQuestion(f"q{n}", "D", f"Is it {n}?", "It is so.", "true", **more) for n in range(number)]


@dataclass
class Scripted:
    """An answerer that says True at a known price, and counts."""

    script: Callable[[str, int], QueryResult] | None = None
    setup: Mapping[str, Any] = field(default_factory=lambda: {"model": "m"})
    asked: list[tuple[str, int]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    on_answer: Callable[[], None] | None = None

    async def answer(self, question: str, context: str, sample: int) -> QueryResult:
        self.asked.append((question, sample))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if self.on_answer is not None:
            self.on_answer()
        if self.script is not None:
            return self.script(question, sample)
        return QueryResult(question, True, Verdict.PROVED, context=context, program="p", attempts=1, costs=COSTS)


async def run(answerer: Scripted, file: Path, asked: list[GoldQuestion], **more: Any) -> Run:
    with AnswerLog(file) as log:
        return await Runner(answerer, log, **more).run(asked)


async def test_what_is_answered_is_not_asked_again(tmp_path: Path) -> None:
    file, answerer = tmp_path / "a.jsonl", Scripted()
    first = await run(answerer, file, questions(5)[:3])
    second = await run(answerer, file, questions(5))
    assert (first.asked, second.asked) == (3, 2)
    assert len(answerer.asked) == 5
    assert [one.id for one in second.outcomes] == ["q0", "q1", "q2", "q3", "q4"]
    assert all(one.correct and one.calls == 2 and one.tokens == 100 and one.money == 0.5 for one in second.outcomes)
    assert await run(Scripted(), file, questions(5)) == Run(second.outcomes, 0, 0)


async def test_another_question_text_model_or_sample_is_another_answer(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    (question,) = questions(1)
    await run(Scripted(), file, [question])
    others: list[tuple[GoldQuestion, dict[str, Any], int]] = [
        (GoldQuestion("q0", "D", "Is it not?", "It is so.", "true"), {"model": "m"}, 1),
        (GoldQuestion("q0", "D", "Is it 0?", "It is not so.", "true"), {"model": "m"}, 1),
        (question, {"model": "n"}, 1),
        (question, {"model": "m", "backend": "json"}, 1),
        (question, {"model": "m"}, 2),
    ]
    for asked, setup, samples in others:
        answerer = Scripted(setup=setup)
        await run(answerer, file, [asked], samples=samples)
        assert len(answerer.asked) == 1
    answerer = Scripted()
    renamed = GoldQuestion("other id", "E", "Is it 0?", "It is so.", "false")
    found = await run(answerer, file, [renamed])
    assert (answerer.asked, found.outcomes[0].correct) == ([], False)


async def test_equal_questions_are_asked_and_paid_for_once(tmp_path: Path) -> None:
    same = [GoldQuestion(f"q{n}", "D", "Is it?", "", gold) for n, gold in enumerate(("true", "false"))]  # type: ignore[arg-type]
    answerer = Scripted()
    found = await run(answerer, tmp_path / "a.jsonl", same)
    assert len(answerer.asked) == 1
    assert [(one.correct, one.calls, one.repeated) for one in found.outcomes] == [(True, 2, False), (False, 0, True)]


async def test_a_failing_question_is_counted_and_asked_again_next_time(tmp_path: Path) -> None:
    def fails(question: str, sample: int) -> QueryResult:
        if "1" in question:
            raise ConnectionError("the server went away")
        return QueryResult(question, True, Verdict.PROVED)

    found = await run(Scripted(fails), tmp_path / "a.jsonl", questions(3))
    assert [one.predicted for one in found.outcomes] == ["true", "failed", "true"]
    assert "the server went away" in found.outcomes[1].reason
    assert found.missing == 0
    again = Scripted()
    assert all(one.correct for one in (await run(again, tmp_path / "a.jsonl", questions(3))).outcomes)
    assert again.asked == [("Is it 1?", 0)]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(calls=4), "the limit of 4 model calls for the whole run is reached"),
        (Limits(tokens=200), "200 tokens"),
        (Limits(money=1.0), "1 US dollars"),
    ],
)
async def test_a_limit_stops_the_whole_run_and_a_larger_one_goes_on(
    tmp_path: Path, limits: Limits, reason: str
) -> None:
    found = await run(Scripted(), tmp_path / "a.jsonl", questions(5), limits=limits)
    assert (len(found.outcomes), found.missing) == (2, 3)
    assert reason in found.stopped
    # What was spent before counts, too.
    again = await run(Scripted(), tmp_path / "a.jsonl", questions(5), limits=limits)
    assert again.asked == 0
    assert (await run(Scripted(), tmp_path / "a.jsonl", questions(5))).missing == 0


async def test_a_torn_last_line_is_taken_away_and_its_question_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    await run(Scripted(), file, questions(3))
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    answerer = Scripted()
    with AnswerLog(file) as log:
        assert log.repaired
        found = await Runner(answerer, log).run(questions(3))
    assert answerer.asked == [("Is it 2?", 0)]
    assert [one.correct for one in found.outcomes] == [True] * 3
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == ["q0", "q1", "q2"]


def test_only_one_process_writes_a_log(tmp_path: Path) -> None:
    with AnswerLog(tmp_path / "a.jsonl"), pytest.raises(RunLocked, match="another process is working on it"):
        AnswerLog(tmp_path / "a.jsonl")
    AnswerLog(tmp_path / "a.jsonl").close()
