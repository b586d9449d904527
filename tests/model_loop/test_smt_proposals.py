"""Sketches and proposals of models for theorems of SMT-LIB, and the forms they may have."""

from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import (
    FIBONACCI,
    FIBONACCI_GOAL,
    GOOD_SKETCH,
    REVERSE,
    REVERSE_SKETCH,
    WithModel,
    fenced,
    is_root,
    role_of,
)

from goedels_poetry import Verdict
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.lean.replies import lean_text
from goedels_poetry.models.replies import parse_json_reply
from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.smt.notation.reply_forms import EXAMPLES, PROOF_SCHEMA, THEORY
from goedels_poetry.smt.notation.text import parse_problem, parse_term

GOAL = Goal(REVERSE, {}, "0", "")
LEMMA = REVERSE_SKETCH["lemmas"][0]["statement"]


async def test_a_fingerprint_is_taken_from_the_lemmas_and_the_rule_whatever_they_are_called(smt: SmtLanguage) -> None:
    async def fingerprint(**proposal: Any) -> str:
        found = await smt.read_sketch(GOAL, proposal)
        assert found.ok, found.reason
        return str(found.value["sketch"]["fingerprint"])

    one = await fingerprint(lemmas=[LEMMA], why="first")
    renamed = LEMMA.replace("x", "p").replace("y", "q").replace("emptq", "empty")
    assert one == await fingerprint(lemmas=[{"statement": renamed}], why="quite another idea", strategy="new")
    other = "(forall ((x List)) (= (append x empty) x))"
    two = await fingerprint(lemmas=[LEMMA, other])
    assert two == await fingerprint(lemmas=[other, LEMMA]) != one
    assert one != await fingerprint(lemmas=[LEMMA], induction={"on": ["xs"]})


async def test_a_sketch_is_completed_by_the_symbolic_engine(smt: SmtLanguage) -> None:
    sketch = (await smt.read_sketch(GOAL, REVERSE_SKETCH)).value["sketch"]
    assert sketch["deterministic"] is False
    done = await smt.verify_sketch(GOAL, sketch)
    assert done.ok, done.reason
    whole = done.value["sketch"]
    assert whole["fingerprint"] == sketch["fingerprint"]
    lemma, main = whole["children"]
    assert "sketch" not in lemma, "the lemma is a goal like any other"
    assert "candidate" not in lemma
    assert main["waits_for"] == [0]


async def test_lemmas_are_proved_at_once_from_the_earlier_ones_where_one_induction_does_it(smt: SmtLanguage) -> None:
    nothing = "(forall ((x List)) (= (append x empty) x))"
    associative = "(forall ((x List) (y List) (z List)) (= (append (append x y) z) (append x (append y z))))"
    idle = "(forall ((x List)) (= (append (append x empty) (append x empty)) (append x x)))"
    sketch = (await smt.read_sketch(GOAL, {"lemmas": [idle, nothing, associative, LEMMA]})).value["sketch"]
    said = [child["waits_for"] for child in sketch["children"]]
    assert said == [[], [0], [0, 1], [0, 1, 2]], "all earlier ones, unless it says"
    whole = (await smt.verify_sketch(GOAL, sketch)).value["sketch"]
    assert all("sketch" in child for child in whole["children"])
    assert [child["waits_for"] for child in whole["children"]] == [[], [], [0, 1], [2]], "what nobody cites is left out"


async def test_a_false_lemma_is_refuted_with_a_counterexample(smt: SmtLanguage) -> None:
    wrong = "(forall ((x List) (y List)) (= (append x y) (append y x)))"
    sketch = (await smt.read_sketch(GOAL, {"lemmas": [wrong]})).value["sketch"]
    found = await smt.verify_sketch(GOAL, sketch)
    assert not found.ok
    assert found.value["refuted_child"] == 0
    assert found.value["counterexample"]["values"]


async def test_lemmas_that_do_not_give_the_goal_are_rejected_with_the_case_that_stays_open(smt: SmtLanguage) -> None:
    proposal = {"lemmas": ["(forall ((x List)) (= (append x empty) x))"], "induction": "xs"}
    sketch = (await smt.read_sketch(GOAL, proposal)).value["sketch"]
    found = await smt.verify_sketch(GOAL, sketch)
    assert not found.ok
    assert "cases stay open" in found.reason
    assert "(reverse (reverse (cons" in found.value["report"]
    sketch = (await smt.read_sketch(GOAL, proposal | {"leave_open": True})).value["sketch"]
    assert (await smt.verify_sketch(GOAL, sketch)).ok


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("ACCEPT", "not JSON"),
        ("[1, 2]", "object"),
        ({"lemmas": []}, "neither"),
        ({"lemmas": "true"}, "list"),
        ({"lemmas": [7]}, "text"),
        ({"lemmas": ["sorry"]}, "sorry"),
        ({"lemmas": ["(check-sat)"]}, "check-sat"),
        ({"lemmas": ["true) (assert false"]}, ""),
        ({"lemmas": ["(append xs xs)"]}, ""),
        ({"lemmas": ["(= ys ys)"]}, "ys"),
        ({"lemmas": ["(forall ((xs List)) (= (reverse (reverse xs)) xs))"]}, "goal itself"),
        ({"lemmas": ["(forall ((q List)) (= (reverse (reverse q)) q))"]}, "goal itself"),
        ({"lemmas": ["(" * 5000 + ")" * 5000]}, ""),
        ({"lemmas": ["true"] * 50}, "at most"),
        ({"lemmas": ["x" * 30_000]}, "characters"),
        ({"lemmas": [], "induction": {"on": ["zs"]}}, "variables of the goal are xs"),
        ({"lemmas": [], "induction": 7}, "induction"),
        ({"lemmas": [], "witness": ["xs"]}, "existential"),
        ({"lemmas": [], "cases": "(reverse xs)"}, ""),
    ],
)
async def test_what_cannot_be_used_is_refused_with_a_reason(smt: SmtLanguage, reply: Any, words: str) -> None:
    found = await smt.read_sketch(GOAL, reply)
    assert not found.ok
    assert words in found.reason
    assert found.reason


async def test_instances_close_a_goal_without_quantified_facts(smt: SmtLanguage) -> None:
    goal = Goal(REVERSE, {}, "0.0_0000", "(sequent () () (= (reverse empty) empty))")
    proposal = {"instances": [{"of": "definition", "name": "reverse", "at": ["empty"]}], "ground_only": True}
    found = await smt.read_candidate(goal, proposal)
    assert (await smt.verify(goal, found.value["candidate"])).ok


async def test_a_search_within_a_number_of_queries_is_the_same_each_time(smt: SmtLanguage) -> None:
    few = await smt.sketch_within(GOAL, 3, leave_open=False)
    assert few.exhausted
    assert few.cost["solver_calls"] <= 4
    found = [await smt.sketch_within(GOAL, 300, leave_open=False) for _ in range(2)]
    assert found[0].ok
    assert found[0].value == found[1].value


async def _judged(smt: SmtLanguage, theorem: str, **proposal: Any) -> Any:
    goal = Goal(theorem, {}, "0", "")
    read = await smt.read_sketch(goal, proposal)
    assert read.ok, read.reason
    return await smt.verify_sketch(goal, read.value["sketch"])


TIMES = """
(define-fun-rec times ((b Int) (n Int)) Int (ite (<= n 0) 0 (+ b (times b (- n 1)))))
(define-fun-rec fast ((b Int) (n Int)) Int
  (ite (<= n 0) 0 (ite (= (mod n 2) 0) (fast (+ b b) (div n 2)) (+ b (fast (+ b b) (div n 2))))))
(prove (forall ((b Int) (n Int)) (=> (>= n 0) (= (fast b n) (times b n)))))
"""
DOUBLED = "(forall ((b Int) (m Int)) (=> (>= m 0) (= (times b (* 2 m)) (times (+ b b) m))))"
HALVED = """(forall ((b Int) (n Int)) (=> (>= n 0) (= (times b n)
  (ite (= (mod n 2) 0) (times (+ b b) (div n 2)) (+ b (times (+ b b) (div n 2)))))))"""


async def test_a_measure_alone_is_enough_the_hypothesis_is_taken_where_functions_recurse(smt: SmtLanguage) -> None:
    """Functions of integers are unfolded by the instance; so are lemmas; the hypothesis stands at (b+b, n/2)."""
    done = await _judged(smt, TIMES, lemmas=[DOUBLED, HALVED], induction={"measure": "n"})
    assert done.ok, done.reason
    whole = done.value["sketch"]
    assert "sketch" in whole["children"][-1], "the goal itself is closed, given the lemmas"


ONCE = """
(declare-datatypes ((Row 0)) (((nil) (cons (head Int) (tail Row)))))
(define-fun-rec without ((n Int) (x Row)) Row
  (match x ((nil nil) ((cons e r) (ite (= n e) (without n r) (cons e (without n r)))))))
(define-fun-rec once ((x Row)) Row (match x ((nil nil) ((cons e r) (cons e (once (without e r)))))))
(define-fun-rec has ((n Int) (x Row)) Bool (match x ((nil false) ((cons e r) (or (= n e) (has n r))))))
(prove (forall ((n Int) (x Row)) (= (has n (once x)) (has n x))))
"""
KEPT = "(forall ((m Int) (n Int) (x Row)) (=> (not (= m n)) (= (has m (without n x)) (has m x))))"


async def test_an_induction_along_a_function_has_its_hypothesis_where_the_function_calls_itself(
    smt: SmtLanguage,
) -> None:
    for induction in ({"along": "once"}, {"along": "once", "at": ["x"]}):
        done = await _judged(smt, ONCE, lemmas=[KEPT], induction=induction)
        assert done.ok, done.reason
        *_, goal = done.value["sketch"]["children"]
        assert goal["sketch"]["scheme"]["kind"] == "recursion"


@pytest.mark.parametrize(
    ("induction", "words"),
    [
        ({"along": "nonce"}, "no recursive function"),
        ({"along": "cons"}, "no recursive function"),
        ({"along": "once", "at": ["x", "x"]}, "one term for each"),
        ({"along": "once", "at": ["n"]}, "at"),
        ({"along": "once", "at": ["(tail x)"]}, "gives a hypothesis"),
        ({"along": "without"}, "does not take such arguments"),
    ],
)
async def test_an_induction_along_what_gives_none_is_refused(smt: SmtLanguage, induction: Any, words: str) -> None:
    read = await smt.read_sketch(Goal(ONCE, {}, "0", ""), {"lemmas": [KEPT], "induction": induction})
    assert not read.ok and words in read.reason, read.reason


ACCUMULATOR = """
(define-fun-rec total ((n Int)) Int (ite (<= n 0) 0 (+ n (total (- n 1)))))
(define-fun-rec run ((n Int) (acc Int)) Int (ite (<= n 0) acc (run (- n 1) (+ n acc))))
(prove (forall ((n Int) (acc Int)) (=> (>= n 0) (= (run n acc) (+ acc (total n))))))
"""


async def test_an_induction_on_integers_holds_for_all_accumulators(smt: SmtLanguage) -> None:
    done = await _judged(smt, ACCUMULATOR, lemmas=[], induction={"on": ["n"], "from": "0"})
    assert done.ok, done.reason


CLOSURES = """
(declare-sort Elem 0)
(declare-sort Test 0)
(declare-datatypes ((Row 0)) (((nil) (cons (head Elem) (tail Row)))))
(declare-fun holds (Test Elem) Bool)
(declare-fun same (Elem) Test)
(declare-fun negated (Test) Test)
(define-fun-rec keep ((q Test) (x Row)) Row
  (ite ((_ is nil) x) nil (ite (holds q (head x)) (cons (head x) (keep q (tail x))) (keep q (tail x)))))
(define-fun-rec member ((e Elem) (x Row)) Bool
  (ite ((_ is nil) x) false (or (= e (head x)) (member e (tail x)))))
(assert (forall ((y Elem) (z Elem)) (= (holds (same y) z) (= y z))))
(assert (forall ((t Test) (z Elem)) (= (holds (negated t) z) (not (holds t z)))))
(prove (forall ((e Elem) (x Row)) (not (member e (keep (negated (same e)) (keep (negated (same e)) x))))))
"""


async def test_a_lemma_that_rests_on_the_premises_is_not_refuted_by_values_that_they_forbid(smt: SmtLanguage) -> None:
    true = "(forall ((e Elem) (x Row)) (not (member e (keep (negated (same e)) x))))"
    done = await _judged(smt, CLOSURES, lemmas=[true])
    assert done.ok, done.reason
    false = "(forall ((e Elem) (x Row)) (not (member e (keep (same e) x))))"
    done = await _judged(smt, CLOSURES, lemmas=[false])
    assert done.value["refuted_child"] == 0, "rules of tests that lead back to tests are still good for testing"


ABSTRACT = """
(declare-sort G 0)
(declare-fun op (G G) G)
(assert (forall ((x G) (y G) (z G)) (= (op (op x y) z) (op x (op y z)))))
(prove (forall ((a G) (b G) (c G) (d G)) (= (op (op a b) (op c d)) (op a (op b (op c d))))))
"""


async def test_functions_that_the_tests_cannot_interpret_as_the_premises_say_are_not_tested(smt: SmtLanguage) -> None:
    lemma = "(forall ((a G) (b G) (c G) (d G)) (= (op (op (op a b) c) d) (op a (op b (op c d)))))"
    done = await _judged(smt, ABSTRACT, lemmas=[lemma])
    assert "refuted_child" not in done.value, "op is associative, whatever random values say"


async def test_a_proof_attempt_may_be_a_sketch_and_costs_one_call(with_model: WithModel) -> None:
    """A model that sees at once which lemmas are needed says so when it is first asked."""

    def at_once(asked: dict[str, Any]) -> Answer:
        if role_of(asked) == "prover" and is_root(asked, FIBONACCI_GOAL):
            return fenced(GOOD_SKETCH)
        return Answer("no idea")

    with Server(at_once) as server:
        result = await with_model(server).arun(FIBONACCI, name="f.smt2")
        assert result.verdict is Verdict.PROVED
        assert "sketcher" not in result.metrics["models"]["by_role"], "nobody had to be asked for a sketch"


ABSORBED = """
(declare-datatypes ((Word 0)) (((end) (letter (first Int) (rest Word)))))
(declare-datatypes ((Exp 0)) (((none) (unit) (seq (left Exp) (right Exp)))))
(define-fun-rec accepts ((e Exp) (w Word)) Bool
  (ite ((_ is none) e) false (ite ((_ is unit) e) ((_ is end) w) (and (accepts (left e) end) (accepts (right e) w)))))
(define-fun join ((p Exp) (q Exp)) Exp (ite ((_ is unit) p) q (ite ((_ is none) p) none (seq p q))))
(prove (forall ((p Exp) (q Exp) (w Word)) (= (accepts (join p q) w) (accepts (seq p q) w))))
"""


async def test_a_lemma_whose_right_side_matches_everything_is_used_from_the_left_only(smt: SmtLanguage) -> None:
    """With ``accepts q w`` as a pattern the solver would write ``accepts (seq unit (seq unit ...)) w`` for ever."""
    goal = Goal(ABSORBED, {}, "0", "")
    lemma = "(forall ((q Exp) (w Word)) (= (accepts (seq unit q) w) (accepts q w)))"
    done = await smt.verify_sketch(goal, (await smt.read_sketch(goal, {"lemmas": [lemma]})).value["sketch"])
    assert done.ok, done.reason
    problem = parse_problem(ABSORBED)
    fact = sequent_of(parse_term(lemma, problem.signature), problem.signature.names)
    told = Context(problem).citation(fact)
    assert told.endswith(":pattern ((u.accepts (u.seq u.unit ?q) ?w)))))")
    assert told.count(":pattern") == 1


POWERS = """
(define-fun-rec pw ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (pw b (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0)
  (= (mod (+ (pw 2 (+ (* 4 n) 2)) (pw 3 (+ n 2))) 13) (mod (+ (* 4 (pw 3 n)) (* 9 (pw 3 n))) 13)))))
"""
SIXTEEN = "(forall ((n Int)) (=> (>= n 0) (= (pw 2 (+ (* 4 (+ n 1)) 2)) (* 16 (pw 2 (+ (* 4 n) 2))))))"
NINE = "(forall ((n Int)) (=> (>= n 0) (= (pw 3 (+ n 2)) (* 9 (pw 3 n)))))"
MODULO = "(forall ((n Int)) (=> (>= n 0) (= (mod (pw 2 (+ (* 4 n) 2)) 13) (mod (* 4 (pw 3 n)) 13))))"


async def test_every_lemma_that_the_stored_proof_cites_stands_before_it(smt: SmtLanguage) -> None:
    last = {"name": "mod13", "statement": MODULO, "uses": ["sixteen"], "induction": {"on": ["n"], "from": "0"}}
    reply = {"lemmas": [{"name": "sixteen", "statement": SIXTEEN}, {"name": "nine", "statement": NINE}, last]}
    goal = Goal(POWERS, {}, "0", "")
    done = await smt.verify_sketch(goal, (await smt.read_sketch(goal, reply)).value["sketch"])
    assert done.ok, done.reason


REV = EXAMPLES[0].goal
TURN = EXAMPLES[0].reply["lemmas"][2]["statement"]


async def read(smt: SmtLanguage, text: str) -> Outcome:
    goal = Goal(f"{THEORY}(prove (forall ((xs List)) (= (rev (rev xs)) xs)))", {}, "0", REV)
    return await smt.read_candidate(goal, parse_json_reply(text, PROOF_SCHEMA))


FORMS = {
    "a draft before": f'```json\n{{"induction": "xs"}}\n```\nThat is stuck, so\n```json\n{{"lemmas": ["{TURN}"]}}\n```',
    "another word for the statement": f'{{"lemmas": [{{"name": "turn", "formula": "{TURN}"}}]}}',
    "a command around the formula": f'{{"lemmas": ["(assert {TURN})"]}}',
    "the goal among the lemmas": f'{{"lemmas": ["{TURN}", "(forall ((xs List)) (= (rev (rev xs)) xs))"]}}',
    "infix": '{"lemmas": ["∀ x y. rev (append x y) = append (rev y) (rev x)"]}',
    "infix within prefix": '{"lemmas": ["(forall ((x List) (y List)) (rev (append x y)) = (append (rev y) (rev x)))"]}',
    "names with a prefix": (
        '{"lemmas": ["∀ x y, List.rev (List.append x y) = List.append (List.rev y) (List.rev x)"]}'
    ),
    "a parenthesis too few": f'{{"lemmas": ["{TURN[:-1]}"]}}',
    "variables that nobody bound": '{"lemmas": ["(= (rev (append x y)) (append (rev y) (rev x)))"]}',
    "a generalisation with an induction": f'{{"generalise": {{"statement": "{TURN}", "induction": "x"}}}}',
}


@pytest.mark.parametrize("form", FORMS)
async def test_a_lemma_is_read_in_whatever_form_it_comes(smt: SmtLanguage, form: str) -> None:
    found = await read(smt, FORMS[form])
    assert found.ok, found.reason
    (lemma,) = found.value["sketch"]["children"]
    assert lemma["words"] == TURN


REFUTATIONS = (
    '{"refuted": {"at": {"xs": "(cons 1 nil)"}, "because": "see above"}}',
    '{"refuted": {"xs": "(cons 1 nil)"}}',
    '{"refuted": "yes, it is", "at": {"xs": "(cons 1 nil)"}}',
    '{"refuted": {"at": ["(cons 1 nil)"]}}',
    '{"refuted": {"at": {"xs": [1]}}}',
    '{"refuted": {"at": {"xs": "1 :: nil"}}}',
    '{"refuted": {"at": {"xs": "cons(1, nil)"}}}',
)


@pytest.mark.parametrize("written", REFUTATIONS)
async def test_values_at_which_a_goal_is_said_to_be_false_are_read(smt: SmtLanguage, written: str) -> None:
    found = await read(smt, f"The goal is false:\n```json\n{written}\n```")
    assert found.ok, found.reason
    assert found.value["refutation"]["values"] == {"xs": "(cons 1 nil)"}


HELPER = "theorem twice (n : Nat) : n + n = 2 * n := by omega"
MAIN = "theorem goal (n : Nat) : n + n = 2 * n := twice n"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        (f"```lean\n{HELPER}\n```\nand then\n```lean\n{MAIN}\n```", f"{HELPER}\n\n{MAIN}"),
        (f"```lean\n{HELPER}\n```\nbetter:\n```lean\n{HELPER}\n{MAIN}\n```", f"{HELPER}\n{MAIN}"),
        (f"```lean\ntheorem other : True := trivial\n```\n```lean4\n{MAIN}\n```", MAIN),
        (f"```lean\n{MAIN.replace('twice n', 'by simp')}\n```\nno:\n```lean\n{MAIN}\n```", MAIN),
        (f"```lean\n{HELPER}\n```\n```text\nno goals\n```\n```lean\n{MAIN}\n```", f"{HELPER}\n\n{MAIN}"),
    ],
)
def test_lemmas_in_a_block_of_their_own_go_with_the_theorem_that_cites_them(reply: str, read: str) -> None:
    assert lean_text(reply) == read
