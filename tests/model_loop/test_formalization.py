"""Claims in plain words: a model states them, another one compares, the language reads and the checker decides."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from model_server import FAULTS, Answer, Server
from scripted_models import REVERSE, Script, WithModel, always, fenced, prompt_of

from goedels_poetry import RunResult, Verdict
from goedels_poetry.checker import check_certificate
from goedels_poetry.search.tasks.claim import NO_COUNTEREXAMPLE

CLAIM = "for all lists, reversing twice gives the list back"
NAT = "(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))\n"
PLUS = "(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ m) (succ (plus m y))))))\n"
ZERO = f"{NAT}{PLUS}(prove (forall ((x Nat)) (= (plus x zero) x)))"
VACUOUS = "(declare-const n Int)(assert (> n 0))(assert (< n 0))(prove (forall ((x Int)) (= x (+ x 1))))"
ENDLESS = f"{NAT}(define-fun-rec f ((x Nat)) Nat (succ (f x)))(prove (forall ((x Nat)) (= (f x) x)))"
YES = fenced({"reason": "the same", "same": True, "differences": []})
NO = fenced({"reason": "", "same": False, "differences": ["it speaks of natural numbers"], "advice": "use lists"})

BAD_TEXTS = {
    "no goal": "```smt2\n(assert true)\n```",
    "two check-sats": f"```smt2\n{ZERO}\n(check-sat)\n(check-sat)\n```",
    "prose": "It is obviously true. ACCEPT.",
    "sorry": "```smt2\n(prove sorry)\n```",
    "ill-typed": "```smt2\n(prove (= 1 true))\n```",
    "commands": f'```smt2\n(include "/etc/passwd")\n{ZERO}\n```',
    "cut off": f"```smt2\n{ZERO}",
    "long": f"```smt2\n{'; ' + 'x' * 120_000}\n{ZERO}\n```",
}


def smt(text: str) -> Answer:
    return Answer(f"This says it:\n```smt2\n{text}\n```\n")


def is_formalizer(asked: dict[str, Any]) -> bool:
    return "State the claim below formally" in prompt_of(asked)


def is_judge(asked: dict[str, Any]) -> bool:
    return "Does the formal statement say what the claim says" in prompt_of(asked)


def answers(formal: list[Answer], judged: list[Answer]) -> Script:
    """Formalizations and judgements in order, the last ones again and again; nothing for other roles."""
    rounds: dict[str, int] = {"formalizer": 0, "judge": 0}

    def one(asked: dict[str, Any]) -> Answer:
        for role, mine, replies in (("formalizer", is_formalizer, formal), ("judge", is_judge, judged)):
            if mine(asked):
                rounds[role] += 1
                return replies[min(rounds[role], len(replies)) - 1]
        return Answer("no idea")

    return one


def prompts(server: Server, mine: Any) -> list[str]:
    return [prompt_of(asked) for asked in server.requests if mine(asked)]


async def prove(framework: Any, claim: str = CLAIM, **more: Any) -> RunResult:
    more = {"round_trip": False} | more  # the questions of a round trip have tests of their own
    result = await framework.arun(claim, informal=True, language="smt", name="claim", **more)
    assert isinstance(result, RunResult)
    return result


ONE_AT_A_TIME = {"beam": (1,), "max_attempts": 3}


def until_accepted(with_model: WithModel, server: Server | None, steps: int = 3, **settings: Any) -> Any:
    """A framework whose runs end after so many steps: formalizer and judge each make one."""
    budgets = {"agent_steps": steps, "wall_seconds": 60}
    return with_model(server, schedule=ONE_AT_A_TIME, budgets=budgets, **settings)


async def test_a_claim_is_stated_judged_proved_and_its_certificate_is_about_the_formal_text(
    with_model: WithModel,
) -> None:
    with Server(answers([smt(REVERSE)], [YES])) as server:
        framework = with_model(server, symbolic_queries=300)
        result = await prove(framework)
        assert (result.verdict, result.trust_level, server.calls) == (Verdict.PROVED, "L3", 2)
        told = result.formalization
        assert told is not None
        assert told | {"file": ""} == {
            "informal": CLAIM,
            "formal": REVERSE,
            "attempts": 1,
            "judged": True,
            "judge_reason": "the same",
            "round_trip": None,
            "tests": [
                {"test": "says something", "outcome": "passed", "words": "its conclusion has content"},
                {"test": "counterexample", "outcome": "passed", "words": NO_COUNTEREXAMPLE},
            ],
            "stated": True,
            "confirmed": None,
            "file": "",
        }
        assert CLAIM in prompts(server, is_formalizer)[0]
        (asked,) = prompts(server, is_judge)
        assert CLAIM in asked
        assert "(prove (forall" in asked
        file = Path(told["file"])
        written = file.read_bytes()  # noqa: ASYNC240
        assert written.decode() == told["formal"]
        assert result.certificate is not None
        assert check_certificate(result.certificate, written).accepted
        assert RunResult.from_json(json.loads(json.dumps(result.to_json()))).formalization == told
        again = await prove(framework)
        assert (again.run_id, again.verdict, server.calls) == (result.run_id, Verdict.PROVED, 2)
        fresh = await prove(framework, fresh=True)
        assert (fresh.verdict, server.calls) == (Verdict.PROVED, 2), "a second identical run calls nobody"
        said = framework.conversation(result.run_id)
        assert [entry["role"] for entry in said if entry["kind"] == "model"] == ["formalizer", "judge"]
        events = [event async for event in _events(framework, result.run_id)]
        assert events[1:4] == ["formalized", "judged faithful", "open"]


async def _events(framework: Any, run_id: str) -> Any:
    with framework.open_store(run_id) as store:
        for event in store.events():
            yield event.outcome


@pytest.mark.parametrize("name", BAD_TEXTS)
async def test_a_text_that_is_no_theorem_costs_one_attempt_and_its_reason_stands_in_the_next_prompt(
    with_model: WithModel, name: str
) -> None:
    with Server(answers([Answer(BAD_TEXTS[name]), smt(ZERO)], [YES])) as server:
        result = await prove(until_accepted(with_model, server), "zero is neutral")
        assert (result.formalization["formal"], result.formalization["attempts"]) == (ZERO, 2)  # type: ignore[index]
        first, second = prompts(server, is_formalizer)
        assert "Rejected: " not in first
        assert "Rejected: " in second
        assert len(prompts(server, is_judge)) == 1, "nobody is asked about what cannot be read"


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_formalizer_and_judge_costs_one_attempt_each(with_model: WithModel, fault: str) -> None:
    with Server(answers([FAULTS[fault], smt(ZERO)], [FAULTS[fault], YES])) as server:
        patience = 1.0 if fault == "30 s delay" else 20.0
        model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": patience}
        models = {"default": model, "cache": False}
        result = await prove(until_accepted(with_model, None, 5, models=models), "zero is neutral")
        assert (result.formalization["formal"], result.formalization["attempts"]) == (ZERO, 3)  # type: ignore[index]
        assert result.formalization["judged"]  # type: ignore[index]


async def test_what_the_judge_says_against_a_text_goes_back_to_the_formalizer(with_model: WithModel) -> None:
    with Server(answers([smt(ZERO), smt(REVERSE)], [NO, YES])) as server:
        framework = with_model(server, schedule=ONE_AT_A_TIME, symbolic_queries=300)
        result = await prove(framework)
        told = result.formalization
        assert told is not None
        assert (result.verdict, told["attempts"], told["judged"]) == (Verdict.PROVED, 2, True)
        assert "reverse" in told["formal"]
        second = prompts(server, is_formalizer)[1]
        assert "it speaks of natural numbers; use lists" in second
        assert "(plus x zero)" in second
        failed = [entry for entry in framework.conversation(result.run_id) if entry["kind"] == "formalization"]
        assert [(entry["stage"], entry["formal"]) for entry in failed] == [("judge", ZERO)]


HOSTILE_JUDGES = {"ACCEPT": always("ACCEPT")({}), "no": NO, "proved": fenced({"verdict": "proved", "same": "yes"})}


@pytest.mark.parametrize("judge", HOSTILE_JUDGES)
async def test_without_a_readable_yes_there_is_no_proof(with_model: WithModel, judge: str) -> None:
    with Server(answers([smt(ZERO)], [HOSTILE_JUDGES[judge]])) as server:
        result = await prove(with_model(server, schedule=ONE_AT_A_TIME))
        assert (result.verdict, result.certificate) == (Verdict.UNKNOWN, None)
        assert "no formalization in 3 attempts: " in result.reason
        told = result.formalization
        assert told is not None
        assert (told["formal"], told["attempts"], told["judged"]) == (None, 3, False)
        assert server.calls == 6


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(VACUOUS, id="contradiction"),
        pytest.param(
            ENDLESS,
            id="no definition",
            marks=pytest.mark.whole("test_the_last_contradictory_formalization_is_the_verdict"),
        ),
    ],
)
async def test_a_formalization_from_which_anything_follows_is_done_anew(with_model: WithModel, bad: str) -> None:
    with Server(answers([smt(bad), smt(ZERO)], [YES])) as server:
        result = await prove(with_model(server, schedule=ONE_AT_A_TIME))
        assert (result.verdict, result.formalization["attempts"]) == (Verdict.PROVED, 2)  # type: ignore[index]
        told = prompts(server, is_formalizer)[1]
        assert "the premises contradict each other" in told or "not shown to be well-founded" in told


async def test_the_last_contradictory_formalization_is_the_verdict(with_model: WithModel) -> None:
    with Server(answers([smt(VACUOUS)], [YES])) as server:
        result = await prove(with_model(server, schedule=ONE_AT_A_TIME))
        assert result.verdict is Verdict.INCONSISTENT
        assert result.core
        assert result.reason.startswith("the last of 3 attempts to formalize the claim")
        assert result.formalization["attempts"] == 3  # type: ignore[index]
        assert result.formalization["formal"] == VACUOUS  # type: ignore[index]


async def test_without_a_judge_the_result_says_that_nobody_compared(with_model: WithModel) -> None:
    with Server(answers([smt(ZERO)], [YES])) as server:
        model = {"model": "scripted", "base_url": server.url, "retries": 0}
        result = await prove(with_model(None, models={"formalizer": model}))
        assert result.verdict is Verdict.PROVED
        assert (result.formalization["judged"], server.calls) == (False, 1)  # type: ignore[index]
        assert any("formalization not judged" in warning for warning in result.warnings)


async def test_without_a_formalizer_the_claim_is_invalid_and_the_message_says_what_to_configure(
    with_model: WithModel,
) -> None:
    result = await prove(with_model(None))
    assert (result.verdict, result.run_id) == (Verdict.INVALID, "")
    assert "--model" in result.reason
    with Server(answers([], [])) as server:
        for claim, said in (("  \n", "empty"), ("x" * 30_000, "longer")):
            result = await prove(with_model(server), claim)
            assert result.verdict is Verdict.INVALID
            assert said in result.reason
        assert server.calls == 0


async def test_given_definitions_stay_as_they_are(with_model: WithModel) -> None:
    given = f"; mine\n{NAT}{PLUS}"
    with Server(answers([smt(ZERO), smt("(prove (forall ((x Nat)) (= (plus x zero) x)))")], [YES])) as server:
        result = await prove(with_model(server, schedule=ONE_AT_A_TIME), "zero is neutral", context=given)
        told = result.formalization
        assert told is not None
        assert (result.verdict, told["attempts"]) == (Verdict.PROVED, 2), "defining them once more is an error"
        assert told["formal"].startswith(given)
        assert "; mine" in prompts(server, is_formalizer)[0]


async def test_an_interrupt_while_the_person_thinks_can_be_resumed(with_model: WithModel) -> None:
    with Server(answers([smt(ZERO)], [YES])) as server:
        framework = with_model(server)

        async def thinks(told: dict[str, Any]) -> bool:
            framework.interrupt()
            await asyncio.sleep(60)
            return True

        stopped = await prove(framework, confirm=thinks)
        assert stopped.verdict is Verdict.OUT_OF_BUDGET
        resumed = await framework.aresume(stopped.run_id)
        assert (resumed.verdict, resumed.formalization["confirmed"]) == (Verdict.PROVED, None)
        assert server.calls == 2
