"""Agents, strategies and languages from Python that lie: at most ``unknown`` comes of it, as of installed ones."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from goedels_poetry import (
    Budgets,
    Goal,
    GoedelsPoetryFramework,
    Outcome,
    RefusedPlugin,
    Settings,
    SimpleLanguage,
    Theorem,
    Verdict,
    agent,
    strategy,
)
from goedels_poetry.store.state import NodeStatus

DATA = "(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))\n"
PLUS = DATA + "(define-fun-rec plus ((x N) (y N)) N (ite ((_ is zero) x) y (succ (plus (pred x) y))))\n"
FALSE = "(prove (forall ((x Int)) (= (+ x 1) x)))\n"
TRUE = "(prove (forall ((x Int)) (= (+ x 1) (+ 1 x))))\n"
ENDLESS = "(define-fun-rec f ((x Int)) Int (+ (f x) 1))\n(prove (= 0 1))\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))
    return tmp_path


# -- a language ----------------------------------------------------------------------------------------------------
class Fake(SimpleLanguage):
    name, suffixes = "fake", (".fake",)
    judged: ClassVar[dict[str, Any]] = {"verdict": "open"}

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        return Theorem(self.name, "something true", options, "1 = 2")

    async def judge(self, theorem: Theorem) -> Outcome:
        return Outcome(True, self.judged)

    async def prove(self, goal: Goal) -> Outcome:
        return Outcome(True, {"candidate": {}, "verdict": "proved", "trust_level": "L3"})

    async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Outcome:
        return Outcome(True, {"proof": {"verdict": "proved", "trust_level": "L3"}})

    async def certify(self, submission: Any) -> Any:
        raise AssertionError("a language is no checker")


@pytest.mark.parametrize("claim", ["open", "refuted", "inconsistent"])
def test_a_language_from_python_gets_at_most_unknown_however_it_is_given(claim: str) -> None:
    lying = type("Lying", (Fake,), {"judged": {"verdict": claim, "counterexample": {"values": {}}}})
    claimed = "proved" if claim == "open" else claim
    for given in ({"languages": [lying]}, {"languages": [lying()]}, {"language": lying()}):
        with GoedelsPoetryFramework(**given) as fw:
            result = fw.run("1 = 2", name="t.fake")
            assert (result.verdict, result.trust_level, result.certificate) == (Verdict.UNKNOWN, None, None)
            assert f"the language fake claims {claimed}; no checker is registered for it" in result.reason
            assert fw.result(result.run_id).verdict is Verdict.UNKNOWN


class Shifting(Fake):
    """Has another name when it is asked again."""

    names: Iterator[str]

    def __init__(self) -> None:
        type(self).names = iter(["fake", "fake", "fake"])

    @property
    def name(self) -> str:  # type: ignore[override]
        return next(type(self).names, "smt")


@pytest.mark.parametrize("name", ["smt", "lean", "logic", "python"])
def test_no_language_from_python_takes_a_name_of_ours(name: str) -> None:
    with pytest.raises(RefusedPlugin, match="there is a language of this name already"):
        GoedelsPoetryFramework(languages=[type("Taker", (Fake,), {"name": name})])
    renamed = type("Later", (Fake,), {})
    with GoedelsPoetryFramework(languages=[renamed]) as fw:
        renamed.name = name
        result = fw.run(FALSE, name="t.smt2")
        assert (result.verdict, result.language) == (Verdict.REFUTED, "smt"), "ours has read it"


def test_a_language_that_changes_its_name_to_one_of_ours_is_checked_by_ours_on_the_users_own_text() -> None:
    with GoedelsPoetryFramework(languages=[Shifting()]) as fw:
        try:
            result = fw.run(FALSE, name="t.fake", language="fake")
        except RefusedPlugin:
            return
        assert (result.verdict in (Verdict.UNKNOWN, Verdict.REFUTED), result.trust_level) == (True, None), result


# -- an agent ------------------------------------------------------------------------------------------------------
def lies() -> dict[str, tuple[str, Any, Any]]:
    """Lie -> theorem, what is done before, and what is done in the transaction."""

    def nothing(deps: Any) -> None: ...

    def assume(deps: Any) -> None:
        deps.theorem.options["assume_definitions"] = True

    def another(deps: Any) -> None:
        deps.store.set_meta(theorem=TRUE)

    def row(txn: Any, node: Any, deps: Any) -> None:
        refs = {**node.refs, "proof": txn.save({})}
        txn.put(replace(node, queue=None, status=NodeStatus.PROVED, refs=refs))

    def says(verdict: Verdict, value: dict[str, Any]) -> Any:
        def move(txn: Any, node: Any, deps: Any) -> None:
            txn.put(replace(node, queue=None, status=NodeStatus.FAILED))
            txn.set_verdict(verdict, "trust me", {"verdict": str(verdict), "trust_level": "L3", **value})

        return move

    def proved(txn: Any, node: Any, deps: Any) -> None:
        deps.moves(txn).set_proved(node, {"query": {}})

    values = {"refuted_by": "counterexample", "evidence": {"values": {"x": 1}, "facts": None}}
    return {
        "the root is proved": (FALSE, nothing, proved),
        "the root's row says proved": (FALSE, nothing, row),
        "a verdict": (FALSE, nothing, says(Verdict.PROVED, {})),
        "it was tested": (FALSE, nothing, says(Verdict.TESTED, {})),
        "a refutation": (TRUE, nothing, says(Verdict.REFUTED, values)),
        "a contradiction": (TRUE, nothing, says(Verdict.INCONSISTENT, {"core": []})),
        "another theorem": (FALSE, another, proved),
        "definitions are assumed": (
            ENDLESS,
            assume,
            lambda txn, node, deps: txn.put(replace(node, queue="prove")),
        ),
    }


def test_an_agent_from_python_cannot_say_what_only_a_checker_says() -> None:
    told: set[str] = set()
    known = lies()

    @agent(queue="check_semantics", name="liar")
    async def liar(node: Any, deps: Any) -> Any:
        lie = deps.theorem.text.partition("; lie: ")[2].strip()
        told.add(lie)
        _, before, move = known[lie]
        before(deps)
        return lambda txn: move(txn, node, deps) or "done"

    settings = Settings(budgets=Budgets(wall_seconds=20))
    with GoedelsPoetryFramework(settings, agents=[liar]) as fw:
        for lie, (text, _, _) in known.items():
            result = fw.run(f"{text}; lie: {lie}\n", name="t.smt2")
            honest = {FALSE: (Verdict.REFUTED,), TRUE: (Verdict.PROVED,)}.get(text, ())
            assert result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET, *honest), (lie, result)
            assert result.trust_level is None or result.verdict in honest, (lie, result)
    assert told == set(known)


# -- a strategy ----------------------------------------------------------------------------------------------------
def test_a_strategy_cannot_have_a_false_goal_proved() -> None:
    said: list[str] = []
    ways = [
        lambda goal: {"children": [], "scheme": {"kind": "structural", "on": "x", "general": [], "depth": 1}},
        lambda goal: {"children": [], "query": {"cites": [], "equations": [], "instances": [], "quantified": True}},
        lambda goal: {"children": [], "query": {}, "strategy": "ours", "verified": True, "proof": {}},
        lambda goal: {"children": [{"statement": "(sequent () () true)"}], "query": {"cites": ["0"]}},
        lambda goal: goal.lemma("(forall ((x N) (y N)) (= (plus x y) x))"),
        lambda goal: goal.lemma("false").induct("x"),
        lambda goal: goal.generalise("false"),
    ]

    @strategy(name="optimist")
    async def optimist(goal: Any) -> Any:
        if ways:
            said.append(goal.node_id)
            return ways.pop(0)(goal)
        return None

    settings = Settings(budgets=Budgets(wall_seconds=60, agent_steps=4))
    false = PLUS + "(prove (forall ((x N) (y N)) (= (plus x y) (plus x (plus x y)))))\n"

    @agent(queue="check_semantics", name="lenient judge")
    async def lenient(node: Any, deps: Any) -> Any:
        return lambda txn: txn.put(replace(node, queue="sketch")) and "not looked at"

    with GoedelsPoetryFramework(settings, agents=[lenient], strategies=[optimist]) as fw:
        while ways:
            result = fw.run(f"{false}; {len(ways)}\n", name="t.smt2")
            assert result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET, Verdict.REFUTED), result
    assert said
