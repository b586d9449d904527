"""The framework: runs, streams, resumes, remembers; deterministic whatever the interleaving."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from toy_checker import ToyChecker
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.checker import Certificate, Submission
from goedels_poetry.errors import UnknownRun
from goedels_poetry.search.machine.run import CHECK_GRACE
from goedels_poetry.settings.declared import Budgets
from goedels_poetry.store.runs import identity
from goedels_poetry.store.state import NodeStatus

HOPELESS = {"proof": None, "exhausted": True}


class Shuffled(ToyLanguage):
    """Every answer takes a random time, so that every run has another interleaving."""

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        await asyncio.sleep(random.random() / 100)


async def test_any_interleaving_ends_in_the_same_tree(framework: MakeFramework) -> None:
    digests = set()
    for limit in (1, 8, 32):
        fw = framework(Shuffled(), max_concurrency=limit)
        result = await fw.arun(generated(3), name="t", fresh=True)
        assert result.verdict is Verdict.PROVED
        with fw.open_store(result.run_id) as store:
            digests.add(store.digest())
    assert len(digests) == 1


async def test_give_up_stops_at_once_where_keep_would_go_on(framework: MakeFramework) -> None:
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["bad", "slow"]}]}, "bad": HOPELESS}
    language = ToyLanguage()
    fw = framework(language, when_hopeless="give_up", decomposer_agent_max_self_corrections=0)
    result = await fw.arun(theorem(goals=goals, slow={"slow": 30}), name="t")
    assert (result.verdict, "slow" in [goal.statement for goal in result.open_goals]) == (Verdict.UNKNOWN, True)
    assert language.running == 0, "what was under way has been cancelled"


async def test_runs_lists_and_result_returns_what_was_stored(framework: MakeFramework) -> None:
    fw = framework()
    done = await fw.arun(theorem(), name="first.toy")
    left = await framework(budgets={"agent_steps": 3}).arun(generated(1), name="second.toy")
    summaries = {summary.name: summary for summary in fw.runs()}
    assert (summaries["first.toy"].status, summaries["first.toy"].verdict) == ("finished", Verdict.PROVED)
    assert (summaries["second.toy"].status, summaries["second.toy"].steps) == ("stopped", 3)
    assert fw.result(done.run_id[:6]) == done
    assert fw.result(left.run_id) == left
    for wrong in ("ffff", "../../etc", ""):
        with pytest.raises(UnknownRun):
            fw.result(wrong)


async def test_inconsistent_premises_end_the_run_with_their_core(framework: MakeFramework) -> None:
    judged = {"verdict": "inconsistent", "core": ["p1", "p2"], "reason": "p1 and p2 contradict each other"}
    result = await framework().arun(theorem(judge=judged), name="t")
    assert (result.verdict, result.core, result.exit_code) == (Verdict.INCONSISTENT, ["p1", "p2"], 4)
    assert result.reason == "p1 and p2 contradict each other"
    again = await framework().arun(theorem(judge=judged), name="t")
    assert again == result


async def test_a_certificate_that_cannot_be_written_is_tried_again_on_resume(framework: MakeFramework) -> None:
    async def full(self: ToyChecker, submission: Submission) -> Certificate:
        raise OSError("no space left on device")

    language = ToyLanguage()
    fw = framework(language)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ToyChecker, "certify", full)
        result = await fw.arun(theorem(), name="t")
    assert (result.verdict, "no space left" in result.reason) == (Verdict.UNKNOWN, True)
    calls = len(language.calls)
    result = await fw.aresume(result.run_id)
    assert (result.verdict, len(language.calls)) == (Verdict.PROVED, calls)


async def test_a_check_that_takes_too_long_is_out_of_budget_and_done_on_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certify, given = ToyChecker.certify, []

    async def slow(self: ToyChecker, submission: Submission) -> Certificate:
        given.append(submission.seconds)
        if submission.seconds is not None and submission.seconds < 100:
            raise TimeoutError("the checker had not finished")
        return await certify(self, submission)

    monkeypatch.setattr(ToyChecker, "certify", slow)
    language = ToyLanguage()
    settings = Settings(home=tmp_path, budgets=Budgets(wall_seconds=20))
    result = await GoedelsPoetryFramework(settings, language=language).arun(theorem(), name="t")
    assert (result.verdict, "can be resumed" in result.reason) == (Verdict.OUT_OF_BUDGET, True)
    assert given[0] is not None
    assert given[0] < 20 + CHECK_GRACE + 0.1
    calls = len(language.calls)
    more = Settings(home=tmp_path, budgets=Budgets(wall_seconds=200))
    result = await GoedelsPoetryFramework(more, language=language).aresume(result.run_id)
    assert (result.verdict, len(language.calls)) == (Verdict.PROVED, calls)


def test_run_ids_depend_on_every_byte_that_matters_and_not_on_the_file_name() -> None:
    base = identity("(assert true)", "smt", {"seed": 0, "file": "a.smt2"})
    assert base == identity("(assert true)", "smt", {"file": "b.smt2", "seed": 0})
    others = [("(assert True)", "smt", {"seed": 0}), ("(assert true)", "lean", {"seed": 0})]
    others += [("(assert true)", "smt", {"seed": 1}), ("(assert true)", "smt", {"seed": 0, "assume": True})]
    assert len({base, *(identity(*other) for other in others)}) == 5


async def test_a_fork_of_a_past_moment_is_a_run_that_resumes_to_the_same_proof(framework: MakeFramework) -> None:
    fw = framework()
    done = await fw.arun(generated(2), name="t")
    with fw.open_store(done.run_id) as store:
        middle, digest = store.seq // 2, store.digest()
    forked = fw.fork(done.run_id, middle)
    assert forked == f"{done.run_id}-2"
    result = await fw.aresume(forked)
    assert (result.verdict, result.run_id) == (Verdict.PROVED, forked)
    with fw.open_store(forked) as store:
        assert store.digest() == digest
        assert store.meta("forked_from") == [done.run_id, middle]
    assert fw.result(done.run_id) == done
    with pytest.raises(ValueError, match="commits 1 to"):
        fw.fork(done.run_id, 10_000)


async def test_a_tampered_checkpoint_runs_no_code(framework: MakeFramework, tmp_path: Path) -> None:
    import sqlite3

    import ormsgpack

    fw = framework(budgets={"agent_steps": 3})
    stopped = await fw.arun(generated(1), name="t")
    assert stopped.run_dir is not None
    trap = tmp_path / "trap"
    code = ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {trap}")))
    db = sqlite3.connect(stopped.run_dir / "graph.db")
    for number, body in db.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall():
        checkpoint = ormsgpack.unpackb(body, ext_hook=lambda *_: None)
        checkpoint["channel_values"]["reason"] = code
        db.execute("UPDATE checkpoints SET checkpoint=? WHERE rowid=?", (ormsgpack.packb(checkpoint), number))
    db.commit()
    db.close()
    assert (await framework().aresume(stopped.run_id)).verdict is Verdict.PROVED
    assert not trap.exists()


# -- memory ----------------------------------------------------------------------------------------------------
async def test_a_later_run_finds_a_lemma_of_an_earlier_one_proved(framework: MakeFramework) -> None:
    first = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L", "bad"]}]}, "bad": HOPELESS}
    first["L"] = {**HOPELESS, "sketches": [{"strategy": "deep", "children": ["L1", "L2"]}]}
    slow = {"bad": 0.3}
    failed = await framework().arun(theorem(goals=first, theory="arith", slow=slow), name="one")
    assert failed.verdict is Verdict.UNKNOWN, "even a failed run leaves its lemmas"
    second = {"U": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["M", "L"]}]}}
    language = ToyLanguage()
    fw = framework(language)
    result = await fw.arun(theorem(root="U", goals=second, theory="arith"), name="two")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 1)
    assert "L" not in [call[1] for call in language.calls]
    with fw.open_store(result.run_id) as store:
        assert [node.statement for node in store.nodes()] == ["", "M", "L", "L1", "L2"]
    other = await framework().arun(theorem(root="U", goals=second, theory="other"), name="three")
    assert other.metrics["lemmas_reused"] == 0, "other definitions, other lemmas"
    alone = await framework(use_memory=False).arun(theorem(root="U", goals=second, theory="arith", x=1), name="four")
    assert alone.metrics["lemmas_reused"] == 0


async def test_a_retrieved_lemma_may_be_cited_and_stands_in_the_derivation(framework: MakeFramework) -> None:
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}], "wants": ["L"]}}
    language = ToyLanguage()
    result = await framework(language).arun(theorem(goals=goals, theory="x"), name="two")
    assert result.verdict is Verdict.PROVED
    assert [offer["statement"] for offer in language.lemmas_offered[0]] == ["L"]
    scope = next(goal for goal in language.goals if goal.statement == "A").scope
    assert [statement for _, statement in scope] == ["L"]
    assert result.certificate is not None
    assert f'"id": "{scope[0][0]}"' in result.certificate.read_text()


async def test_a_proof_that_rests_on_what_stood_above_it_is_not_kept_for_later_runs(framework: MakeFramework) -> None:
    """Its lemma would be missing there, and the certificate would be refused."""
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}], "wants": ["L"]}}
    await framework().arun(theorem(goals=goals, theory="x"), name="two")
    goals = {"U": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A"]}]}}
    language = ToyLanguage()
    result = await framework(language).arun(theorem(root="U", goals=goals, theory="x"), name="three")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 0)
    assert ("prove", "A", 0) in language.calls


async def test_a_proof_of_a_cut_subtree_is_used_again(framework: MakeFramework) -> None:
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["A", "bad"]}]}, "bad": HOPELESS}
    goals["T"]["sketches"].append({"strategy": "b", "children": ["B", "A"]})
    language = ToyLanguage()
    fw = framework(language, max_concurrency=1)
    result = await fw.arun(theorem(goals=goals), name="t")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 1)
    assert language.calls.count(("prove", "A", 0)) == 1
    with fw.open_store(result.run_id) as store:
        assert store.get("0.1_0001").origin == "run:0.0_0000"
        assert store.find("0.0_0000") is not None and store.is_cut("0.0_0000")
        assert all(node.status is NodeStatus.PROVED for node in store.nodes())


async def test_lemmas_that_the_checker_rejects_leave_the_bank(framework: MakeFramework) -> None:
    goals = {"S": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    await framework().arun(theorem(root="S", goals=goals, theory="x"), name="one")
    goals = {"T": {**HOPELESS, "sketches": [{"strategy": "a", "children": ["L"]}]}}
    fw = framework()
    rejected = await fw.arun(theorem(goals=goals, theory="x", certify="rejects"), name="two")
    assert (rejected.verdict, rejected.metrics["lemmas_reused"]) == (Verdict.UNKNOWN, 1)
    result = await fw.arun(theorem(goals=goals, theory="x"), name="three")
    assert (result.verdict, result.metrics["lemmas_reused"]) == (Verdict.PROVED, 0)
