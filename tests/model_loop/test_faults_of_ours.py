"""What our own code raises is no word about a model's reply: it is tried again, and nothing is held against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import DOUBLE, DOUBLE_SKETCH, fenced, prompt_of, role_of

from goedels_poetry import GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.protocol.base import Outcome, Theorem
from goedels_poetry.search.agents.rounds import OURS, TRIES
from goedels_poetry.smt.language import SmtLanguage


class Faulty(SmtLanguage):
    """Its worker raises a KeyError the first times that a model's sketch is completed."""

    def __init__(self, faults: int) -> None:
        super().__init__(1)
        self.left = faults
        self.sketches = 0

    async def _job(self, function: str, payload: dict[str, Any]) -> Outcome:
        if function == "verify_idea":
            self.sketches += 1
            if self.left:
                self.left -= 1
                payload = {name: value for name, value in payload.items() if name != "sketch"}
        return await super()._job(function, payload)


def sketching(asked: dict[str, Any]) -> Answer:
    return fenced(DOUBLE_SKETCH) if role_of(asked) == "sketcher" else Answer("no idea")


async def proved(server: Server, language: Faulty, home: Path) -> tuple[RunResult, list[dict[str, Any]]]:
    model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0}
    settings = Settings(
        home=home, models={"default": model, "cache": False}, symbolic_queries=0, budgets={"wall_seconds": 60}
    )
    async with GoedelsPoetryFramework(settings, language=language) as framework:
        result = await framework.arun(DOUBLE, name="double.smt2")
        return result, framework.conversation(result.run_id)


async def test_the_same_reply_is_tried_again(tmp_path: Path) -> None:
    language = Faulty(faults=1)
    with Server(sketching) as server:
        result, said = await proved(server, language, tmp_path)
    assert result.verdict is Verdict.PROVED, result.reason
    assert [role_of(asked) for asked in server.requests].count("sketcher") == 1, "the model was asked once"
    assert not any(entry["kind"] in ("rejected", "failure", "ban") for entry in said)
    assert any("verify_idea raised KeyError" in warning for warning in result.warnings), "and it is not hidden"


async def test_a_fault_that_stays_is_bounded_and_neither_told_to_the_model_nor_held_against_the_strategy(
    tmp_path: Path,
) -> None:
    language = Faulty(faults=10_000)
    with Server(sketching) as server:
        result, said = await proved(server, language, tmp_path)
    assert result.verdict is not Verdict.REFUTED
    sketches = [role_of(asked) for asked in server.requests].count("sketcher")
    assert TRIES < language.sketches <= TRIES * sketches, "samples of one round that say the same are tried once"
    kinds = [entry["kind"] for entry in said if str(entry.get("strategy", "")).startswith("model")]
    assert not {"rejected", "failure", "ban"} & set(kinds)
    assert not any("KeyError" in prompt_of(asked) or OURS in prompt_of(asked) for asked in server.requests)
    assert "corrector" not in map(role_of, server.requests), "there is nothing to be corrected"


class NotReading(SmtLanguage):
    """Cannot read the first formal text, whatever it is."""

    def __init__(self, faults: int) -> None:
        super().__init__(1)
        self.left = faults

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        if self.left:
            self.left -= 1
            raise KeyError("a defect of the reader")
        return await super().read(text, options)


@pytest.mark.parametrize(("faults", "asked"), [(1, 1), (TRIES, 2)])
async def test_a_formal_text_is_read_again_and_a_fault_of_the_reader_is_not_told(
    faults: int, asked: int, tmp_path: Path
) -> None:
    language = NotReading(faults)
    with Server(lambda _: Answer("```smt2\n(prove (forall ((x Int)) (= (+ x 0) x)))\n```")) as server:
        model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0}
        settings = Settings(home=tmp_path, models={"formalizer": model, "cache": False}, budgets={"wall_seconds": 60})
        async with GoedelsPoetryFramework(settings, language=language) as framework:
            result = await framework.arun("x + 0 is x", informal=True, language="smt", only_state=True)
    assert result.formalization is not None and result.formalization["formal"], result.reason
    assert server.calls == asked
    assert not any("defect of the reader" in prompt_of(a) for a in server.requests)
