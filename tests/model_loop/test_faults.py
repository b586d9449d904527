"""Faults of the services, and faults of our own, while models are asked."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from kept_languages import KeptSmt
from model_server import FAULTS, Answer, Server, rate_limit
from scripted_models import DOUBLE, DOUBLE_SKETCH, Script, every_role, fenced, prompt_of, role_of

from goedels_poetry import GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.protocol.base import Outcome, Theorem
from goedels_poetry.search.agents.rounds import OURS, TRIES
from goedels_poetry.smt.language import SmtLanguage

ROLES = ("sketcher", "prover", "corrector", "decider")
WORDS = {
    "429": "rate limit",
    "500": "the server failed",
    "reset": "connection failed",
    "cut off": "connection failed",
    "30 s delay": "timeout_seconds); one that comes later is not used",
    "empty": "reply is empty",
    "invalid JSON": "not JSON",
    "10 MB": "larger than",
    "wrong content type": "cannot be understood",
    "tool call": "a tool that nobody offered",
}
FAILED = {"rejected", "sketch rejected", "banned strategy rejected", "error"}
"""Outcomes of steps that cost an attempt."""


class Told(NamedTuple):
    """A run, and what it says about its attempts."""

    result: RunResult
    failed: int
    """Attempts that failed."""
    reasons: list[tuple[str, str]]
    """Role and reason of every reply that could not be used."""

    @property
    def calls(self) -> int:
        return int(self.result.metrics["models"]["calls"])


Prove = Callable[..., Awaitable[Told]]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def prove(kept_language: KeptSmt, tmp_path_factory: pytest.TempPathFactory) -> Prove:
    async def run(
        server: Server, *, home: Path | None = None, budgets: dict[str, Any] | None = None, **model: Any
    ) -> Told:
        chosen = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0} | model
        settings = Settings(
            home=home or tmp_path_factory.mktemp("home"),
            models={"default": chosen, "cache": False},
            symbolic_queries=0,
            budgets={"wall_seconds": 60} | (budgets or {}),
        )
        async with GoedelsPoetryFramework(settings, language=kept_language) as framework:
            result = await framework.arun(DOUBLE, name="double.smt2")
            said = [entry for entry in framework.conversation(result.run_id) if entry["kind"] == "model"]
            with framework.open_store(result.run_id) as store:
                failed = sum(event.outcome in FAILED for event in store.events())
        return Told(result, failed, [(entry["role"], reason) for entry in said for reason in entry["reasons"]])

    return run


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def undisturbed(prove: Prove) -> Told:
    """The run without any fault."""
    with Server(every_role) as server:
        told = await prove(server)
        assert {role_of(asked) for asked in server.requests} == set(ROLES), "every role is asked"
    assert (told.result.verdict, told.result.trust_level) == (Verdict.PROVED, "L3")
    return told


def once(roles: Sequence[str], fault: Answer) -> tuple[Script, list[str]]:
    """The good model, but the first request of each of the roles meets the fault; and the roles asked so far."""
    asked_so_far: list[str] = []

    def script(asked: dict[str, Any]) -> Answer:
        role = role_of(asked)
        asked_so_far.append(role)
        return fault if role in roles and asked_so_far.count(role) == 1 else every_role(asked)

    return script, asked_so_far


@pytest.mark.sample(3)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_costs_one_attempt_at_most(prove: Prove, undisturbed: Told, fault: str) -> None:
    """In every role of one run: one attempt in vain for those who sketch and prove, one for those who decide."""
    script, asked = once(ROLES, FAULTS[fault])
    with Server(script) as server:
        told = await prove(server, timeout_seconds=1.0 if fault == "30 s delay" else 20.0)
    assert set(ROLES) <= set(asked)
    assert (told.result.verdict, told.result.trust_level) == (Verdict.PROVED, "L3")
    assert told.failed <= undisturbed.failed + 2
    met = sorted(who for who, reason in told.reasons if WORDS[fault] in reason)
    assert met == sorted(ROLES), "each stands in the story, once"


async def test_a_fault_that_passes_within_the_retries_costs_no_attempt(prove: Prove, undisturbed: Told) -> None:
    script, _ = once(["sketcher"], rate_limit(0))
    with Server(script) as server:
        told = await prove(server, retries=1)
    assert told.result.verdict is Verdict.PROVED
    assert told.failed == undisturbed.failed
    assert told.calls == undisturbed.calls + 1 == server.calls, "but the request is counted"


async def test_the_time_of_the_run_ends_a_request_that_takes_longer(prove: Prove, tmp_path: Path) -> None:
    script, _ = once(["sketcher"], FAULTS["30 s delay"])
    with Server(script) as server:
        stopped = await prove(server, home=tmp_path, budgets={"wall_seconds": 5}, timeout_seconds=300)
        assert stopped.result.verdict is Verdict.OUT_OF_BUDGET
        assert "can be resumed with a larger budget" in stopped.result.reason
        assert server.given_up == 1, "the connection is closed"
        went_on = await prove(server, home=tmp_path)
    assert (went_on.result.verdict, went_on.result.run_id) == (Verdict.PROVED, stopped.result.run_id)


LIMITS: dict[str, tuple[dict[str, float], str]] = {
    "calls": ({"model_calls": 3}, "3 model calls are used up"),
    "tokens": ({"model_tokens": 2000}, "2000 model tokens are used up"),
    "money": ({"money": 0.002}, "the money for models is used up (0.002 dollars)"),
}


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


async def proved(server: Server, language: SmtLanguage, home: Path) -> tuple[RunResult, list[dict[str, Any]]]:
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


class Late(SmtLanguage):
    """Its worker never has the time to find out about a model's sketch."""

    async def _job(self, function: str, payload: dict[str, Any]) -> Outcome:
        if function == "verify_idea":
            return Outcome(False, {"report": "out of time"}, "out of time before it was known")
        return await super()._job(function, payload)


async def test_what_ran_out_of_time_is_no_rejection_and_no_evidence(tmp_path: Path) -> None:
    with Server(sketching) as server:
        _, said = await proved(server, Late(1), tmp_path)
    assert not any(entry["kind"] in ("failure", "ban") and "model" in str(entry.get("strategy")) for entry in said)
    told = [prompt_of(asked) for asked in server.requests if "out of time" in prompt_of(asked)]
    assert told and not any("rejected: out of time" in prompt for prompt in told)


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
