"""Refutations that say what declared functions and sorts are: only where premises hold under it, for both checkers."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import verify_certificate as second
from drive import verdict
from forge import evidence_of, forge, script_of_counterexample, with_ends

from goedels_poetry.checker import check_certificate
from goedels_poetry.kernel.faults import BadProof, CodecError, KernelError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.certificate import derivation_from_json
from goedels_poetry.kernel.refutation.interpretation import Interpretation, condition, interpreted_theorem
from goedels_poetry.kernel.structure import audit
from goedels_poetry.kernel.termination import termination_obligations
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.search.checks import interpreted_counterexample
from goedels_poetry.solvers.limits import Limits

Json = dict[str, Any]
LISTS = """(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun-rec each ((x L)) L (match x ((nil nil) ((cons h t) (cons (f h) (each t))))))
"""


def judged(certificate: Path) -> str:
    """What the second checker says."""
    said: str = second.judged(certificate, None, [second.find_solver("z3")], 3.0, 30.0).verdict
    return said


REFUTED = {
    "a ground fact that the goal has nothing to do with": (
        f"(declare-fun f (Int) Int){LISTS}(assert (>= (f 1) 1))(prove (forall ((a L)) (= (len a) 0)))"
    ),
    "a bound": "(declare-fun f (Int) Int)(assert (forall ((x Int)) (>= (f x) x)))(prove (= (f 1) 1))",
    "a table": (
        "(declare-fun f (Int) Int)(assert (= (f 1) 5))(assert (= (f 2) 9))(assert (= (f 7) (- 3)))"
        f"{LISTS}(prove (forall ((a L)) (= (len (each a)) (f 1))))"
    ),
    "two functions": (
        "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(assert (forall ((x Int)) (= (f (g x)) x)))"
        "(prove (forall ((x Int)) (= (g x) x)))"
    ),
    "a predicate": (
        "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))(assert (p 0))(prove (p (- 1)))"
    ),
    "a sort without fixed points": (
        "(declare-sort S 0)(declare-fun f (S) S)(assert (forall ((x S)) (distinct (f x) x)))"
        "(prove (forall ((x S)) (= (f (f x)) x)))"
    ),
    "an order": (
        "(declare-sort S 0)(declare-fun le (S S) Bool)(assert (forall ((x S)) (le x x)))"
        "(assert (forall ((x S) (y S) (z S)) (=> (and (le x y) (le y z)) (le x z))))"
        "(prove (forall ((x S) (y S)) (or (le x y) (le y x))))"
    ),
    "a sort that is called as a function is": (
        "(declare-sort S 0)(declare-fun s (S) S)(declare-const |S!0| S)(assert (forall ((x S)) (distinct (s x) x)))"
        "(prove (= (s (s |S!0|)) |S!0|))"
    ),
    "existence": (
        "(declare-fun f (Int) Int)(assert (exists ((x Int)) (= (f x) 7)))(prove (= (f 0) 0))"
    ),
    "what there is not": (
        "(declare-fun f (Int) Int)(assert (not (exists ((x Int)) (< (f x) 0))))(prove (= (f 0) 1))"
    ),
    "several functions": (
        "".join(f"(declare-fun f{i} (Int) Int)(assert (forall ((x Int)) (> (f{i} x) x)))" for i in range(4))
        + "(prove (= (f0 1) (f1 1)))"
    ),
    "bit-vectors": (
        "(declare-fun f ((_ BitVec 4)) (_ BitVec 4))(assert (forall ((x (_ BitVec 4))) (bvuge (f x) x)))"
        "(prove (= (f #x3) #x3))"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUTED.values(), ids=REFUTED.keys())
def test_premises_do_not_stand_in_the_way_of_a_refutation(text: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert (found["verdict"], found["trust_level"]) == ("refuted", "L3"), found["reason"]
    if "interpretation" in evidence_of(tmp_path / "x.cert"):
        assert any(value.startswith("(lambda") or "!" in value for value in found["details"]["counterexample"].values())
    assert judged(tmp_path / "x.cert") == "holds"


@pytest.mark.parametrize(
    "text",
    [
        '(declare-fun f (String) Int)(assert (forall ((x String)) (>= (f x) (str.len x))))(prove (= (f "ab") 2))',
        "(declare-fun |my f| (Int) Int)(declare-sort |my S| 0)(declare-fun k (|my S|) |my S|)"
        "(assert (forall ((x Int)) (> (|my f| x) x)))(assert (forall ((x |my S|)) (distinct (k x) x)))"
        "(prove (forall ((y |my S|)) (= (|my f| 0) 2)))",
    ],
    ids=["strings", "names between bars"],
)
def test_what_the_second_checker_does_not_know_is_refuted_all_the_same(text: str, tmp_path: Path) -> None:
    assert verdict(text, tmp_path)["verdict"] == "refuted"
    assert judged(tmp_path / "x.cert") == "undecided"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(declare-fun f (Int) Int)(assert (= (f 1) 5))(assert (= (f 1) 6))(prove (= (f 2) 0))", "inconsistent"),
        ("(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))(assert (forall ((x Int)) (< (f x) 10)))"
         "(prove (= (f 2) 0))", "inconsistent"),
        ("(declare-sort S 0)(declare-fun f (S) S)(assert (forall ((x S)) (distinct (f x) x)))"
         "(assert (forall ((x S) (y S)) (= x y)))(prove (exists ((x S)) (distinct x x)))", "inconsistent"),
        ("(declare-fun f (Int) Int)(assert (forall ((x Int)) (>= (f x) x)))(prove (>= (f 3) 2))", "proved"),
        ("(declare-sort S 0)(declare-fun f (S) S)(assert (forall ((x S)) (distinct (f x) x)))"
         "(prove (exists ((x S) (y S)) (distinct x y)))", "proved"),
        ("(declare-sort S 0)(declare-sort T 0)(declare-fun f (S) T)(declare-fun g (T) S)"
         "(assert (forall ((x S)) (= (g (f x)) x)))(prove (forall ((x S) (y S)) (=> (= (f x) (f y)) (= x y))))",
         "proved"),
    ],
)  # fmt: skip
def test_what_holds_or_contradicts_itself_is_not_refuted(text: str, wanted: str, tmp_path: Path) -> None:
    assert verdict(text, tmp_path)["verdict"] == wanted


def test_definitions_that_may_not_terminate_are_not_interpreted(tmp_path: Path) -> None:
    """That ``g`` has a solution means that ``c`` is 5: with another value nothing satisfies its definition."""
    text = """(declare-const c Int)(declare-fun f (Int) Int)(assert (>= (f 1) 1))
(define-fun-rec g ((n Int)) Int (ite (= c 5) 0 (+ 1 (g n))))(prove (or (= c 5) (and (= c 7) (= (g 0) 0))))"""
    functions = {"c": {"params": [], "body": "6"}, "f": {"params": ["x"], "body": "x"}}
    assert forged(text, {}, [], {"functions": functions, "sorts": {}}, tmp_path) == (False, "undecided")


# ------------------------------------------------------------------------------------------------------ forgeries


def forged(theorem: str, values: Any, table: Any, interpretation: Any, folder: Path) -> tuple[bool, str]:
    """Whether the checker accepts, and what the second one says, with the script that belongs to the evidence."""
    evidence = {"values": values, "table": table, "interpretation": interpretation}
    return both(theorem, evidence, folder)


def both(theorem: str, evidence: Json, folder: Path) -> tuple[bool, str]:
    script = script_of_counterexample(theorem.encode(), evidence)
    made = forge(folder / "x.cert", theorem.encode(), evidence, script=script, claim="counterexample")
    accepted = check_certificate(made, theorem.encode(), limits=Limits(seconds=3.0)).accepted
    return accepted, judged(made)


BELOW = "(declare-fun f (Int) Int)(assert (>= (f 1) 1))(prove (forall ((x Int)) (= (f x) 1)))"
WIDE = """(declare-fun f ((_ BitVec 4)) (_ BitVec 4))(assert (= (f #x1) #x1))
(prove (forall ((x (_ BitVec 4))) (= (f x) #x1)))"""
CLASH = """(declare-sort S 0)(declare-fun S (S) S)(assert (forall ((e S)) (distinct (S e) e)))
(prove (forall ((e S)) (= e (S e))))"""
PAIR = """(declare-sort S 0)(declare-datatypes ((B 0)) (((box (open S)))))
(declare-fun f (S) Int)(assert (forall ((x S)) (>= (f x) 0)))
(prove (forall ((b B)) (match b (((box e) (= (f e) 0))))))"""


def of(body: str, *params: str, name: str = "f", **sorts: list[str]) -> Json:
    return {"functions": {name: {"params": list(params), "body": body}}, "sorts": sorts}


HONEST = {
    "a function": (BELOW, {"x": 2}, of("x", "x")),
    "with the name of a bound variable": (BELOW, {"x": 2}, of("(let ((x (+ x 1))) (- x 1))", "x")),
    "a bit-vector": (WIDE, {"x": 2}, of("x", "x")),
    "a sort": (PAIR, {"b": {"tuple": ["box", {"tuple": ["s1"]}]}}, of("(ite (= x s0) 0 1)", "x", S=["s0", "s1"])),
}


@pytest.mark.parametrize(("theorem", "values", "given"), HONEST.values(), ids=HONEST.keys())
def test_honest_ones_are_accepted(theorem: str, values: Json, given: Json, tmp_path: Path) -> None:
    assert forged(theorem, values, [], given, tmp_path) == (True, "holds")


FORGED = {
    "a premise is violated": (BELOW, {"x": 2}, of("0", "x")),
    "the goal is not false": (BELOW, {"x": 1}, of("x", "x")),
    "it calls itself": (BELOW, {"x": 2}, of("(+ 1 (f x))", "x")),
    "it speaks of the goal's variable": (BELOW, {"x": 2}, of("x")),
    "too many parameters": (BELOW, {"x": 2}, of("x", "x", "y")),
    "a parameter twice": (BELOW, {"x": 2}, of("x", "x", "x")),
    "of another sort": (BELOW, {"x": 2}, of("true", "x")),
    "another term follows": (BELOW, {"x": 2}, of("x x", "x")),
    "a command follows": (BELOW, {"x": 2}, of("x) (assert false", "x")),
    "a comment swallows what follows": (BELOW, {"x": 2}, of("x) ;", "x")),
    "nothing": (BELOW, {"x": 2}, of("", "x")),
    "an unknown symbol": (BELOW, {"x": 2}, of("(g x)", "x")),
    "a quoted end": (BELOW, {"x": 2}, of("x", "x| Int) (y")),
    "of what is not declared": (BELOW, {"x": 2}, of("x", "x", name="g")),
    "a sort that is not declared": (BELOW, {"x": 2}, of("x", "x", T=["t"])),
    "another width": (WIDE, {"x": 2}, of("#b00001", "x")),
    "a value that is too wide": (WIDE, {"x": 16}, of("x", "x")),
    "no elements": (PAIR, {"b": {"tuple": ["box", {"tuple": ["s1"]}]}}, of("0", "x", S=[])),
    "an element twice": (PAIR, {"b": {"tuple": ["box", {"tuple": ["s0"]}]}}, of("1", "x", S=["s0", "s0"])),
    "an element that is called as a variable is": (
        PAIR, {"b": {"tuple": ["box", {"tuple": ["e"]}]}}, of("(ite (= x x) 0 1)", "x", S=["s0", "e"])),
    "an element that is a constructor": (PAIR, {"b": {"tuple": ["box", {"tuple": ["box"]}]}}, of("1", "x", S=["box"])),
    "an element that is a symbol of a theory": (
        PAIR, {"b": {"tuple": ["box", {"tuple": ["and"]}]}}, of("1", "x", S=["and"])),
    "an element that is none": (PAIR, {"b": {"tuple": ["box", {"tuple": ["s2"]}]}}, of("1", "x", S=["s0"])),
    "an element of a declared sort": (
        PAIR, {"b": {"tuple": ["box", {"element": {"sort": "S", "number": 0}}]}}, of("1", "x", S=["s0"])),
    "a sort of one element": (CLASH, {"e": {"tuple": ["s0"]}}, {"functions": {}, "sorts": {"S": ["s0"]}}),
    "a function and a sort of one name": (
        CLASH, {"e": {"tuple": ["s0"]}}, of("(ite (= x s0) s1 s0)", "x", name="S", S=["s0", "s1"])),
}  # fmt: skip


@pytest.mark.parametrize(("theorem", "values", "given"), FORGED.values(), ids=FORGED.keys())
def test_forged_ones_are_not(theorem: str, values: Json, given: Json, tmp_path: Path) -> None:
    accepted, said = forged(theorem, values, [], given, tmp_path)
    assert not accepted
    assert said in ("refused", "undecided") or (theorem is CLASH and "s1" in str(given)), (
        "true there, but not known here"
    )


@pytest.mark.parametrize(
    "row",
    [
        [{"function": "f", "args": [2], "value": 2}],
        [{"function": "f", "args": [2], "value": 2}, {"function": "f", "args": [2], "value": 3}],
    ],
    ids=["what is defined", "a key twice"],
)
def test_a_table_beside_it_says_nothing_of_what_is_defined(row: Any, tmp_path: Path) -> None:
    accepted, said = forged(BELOW, {"x": 2}, row, of("x", "x"), tmp_path)
    assert not accepted and said != "holds"


@pytest.mark.parametrize(
    "given",
    [{}, [], None, {"functions": {}}, {"functions": [], "sorts": {}}, {"functions": {}, "sorts": {}},
     {"functions": {"f": "x"}, "sorts": {}}, {"functions": {"f": {"params": "x", "body": "x"}}, "sorts": {}},
     {"functions": {"f": {"params": [1], "body": "x"}}, "sorts": {}}, {"functions": {"f": {"body": "1"}}, "sorts": {}},
     {"functions": {"f": {"params": ["x"], "body": 1}}, "sorts": {}}, {"functions": {}, "sorts": {"S": "s"}},
     {"functions": {"f": {"params": ["x"], "body": "x", "more": 1}}, "sorts": {}}],
    ids=str,
)  # fmt: skip
def test_what_is_no_interpretation_is_refused(given: Any, tmp_path: Path) -> None:
    accepted, said = forged(BELOW, {"x": 2}, [], given, tmp_path)
    assert not accepted and said in ("refused", "undecided")


def test_a_proof_may_not_bring_an_interpretation_along(tmp_path: Path) -> None:
    text = "(declare-fun f (Int) Int)(prove (= (f 1) (f 1)))"
    assert verdict(text, tmp_path)["verdict"] == "proved"
    evidence = {**evidence_of(tmp_path / "x.cert"), "interpretation": of("x", "x")}
    made = forge(tmp_path / "y.cert", text.encode(), evidence)
    assert not check_certificate(made, text.encode()).accepted
    assert judged(made) == "refused"


def mutants(value: Any, source: random.Random) -> Iterator[Any]:
    """JSON values that differ from ``value`` in one place."""
    places: list[tuple[Callable[[Any], None], Any]] = []

    def walk(inner: Any, put: Callable[[Any], None]) -> None:
        if isinstance(inner, dict):
            for key, part in inner.items():
                walk(part, lambda new, inner=inner, key=key: inner.__setitem__(key, new))
        elif isinstance(inner, list):
            for number, part in enumerate(inner):
                walk(part, lambda new, inner=inner, number=number: inner.__setitem__(number, new))
        else:
            places.append((put, inner))

    whole = copy.deepcopy(value)
    walk(whole, lambda _: None)
    while True:
        put, old = source.choice(places)
        others = [inner for _, inner in places if type(inner) is type(old) and inner != old]
        put(source.choice([*others, 0, 1, "x", "1", "s0", "(+ x 1)", "(- x)"]))
        yield json.loads(json.dumps(whole))
        put(old)


def test_changed_at_random_they_are_accepted_only_where_they_are_right(tmp_path: Path) -> None:
    """The goal is true but for one model: whatever is accepted has to be that model."""
    theorem = """(declare-sort S 0)(declare-fun f (S) S)(declare-fun g (Int) Int)
(assert (forall ((x S)) (distinct (f x) x)))(assert (= (g 3) 4))
(prove (forall ((x S) (n Int)) (and (= (f (f x)) x) (= (g n) 4))))"""
    given = {
        "functions": {
            "f": {"params": ["x"], "body": "(ite (= x s0) s1 (ite (= x s1) s2 s0))"},
            "g": {"params": ["x"], "body": "(+ x 1)"},
        },
        "sorts": {"S": ["s0", "s1", "s2"]},
    }
    evidence = {"values": {"x": {"tuple": ["s0"]}, "n": 3}, "table": [], "interpretation": given}
    assert both(theorem, evidence, tmp_path) == (True, "holds")
    for number, changed in zip(range(15), mutants(evidence, random.Random(3)), strict=False):
        accepted, said = both(theorem, changed, tmp_path / str(number))
        model = changed["interpretation"]
        if accepted or said == "holds":  # the sort, the function on it and the premise about g are as they have to be
            assert model["sorts"]["S"] == ["s0", "s1", "s2"]
            assert eval_g(model["functions"]["g"], 3) == 4


def eval_g(function: Json, at: int) -> int:
    """``g`` at a number, by the evaluator of the kernel: an independent look at what was accepted."""
    from goedels_poetry.kernel.refutation.evaluator import evaluate

    params = " ".join(f"({p} Int)" for p in function["params"])
    problem = parse_problem(f"(define-fun g ({params}) Int {function['body']})(prove (= (g {at}) 0))")
    value = evaluate(problem.goal.args[0], {}, problem.signature)
    assert isinstance(value, int)
    return value


# --------------------------------------------------------------------------------------------- reading it into the text


def test_the_text_says_what_it_said_but_for_what_is_given() -> None:
    text = b"""; declare-fun f
(declare-fun |f| (Int) Int) (declare-const c Int) (assert (> (f c) c)) (prove (= (f c) (+ c 1)))"""
    given = Interpretation({"f": (("n",), "(+ n 2) ; two"), "c": ((), "7")}, {})
    new, problem = interpreted_theorem(text, parse_problem(text), given)
    assert b"; declare-fun f\n(define-fun |f|" in new and not problem.signature.functions
    assert [d.name for d in problem.signature.definitions] == ["f", "c"]
    assert problem.source_sha256 == parse_problem(text).source_sha256


@pytest.mark.parametrize("name", ["assert", "prove", "Int", "true", "x"])
def test_names_of_the_language_are_not_given_a_meaning(name: str) -> None:
    text = b"(declare-fun f (Int) Int)(prove (forall ((x Int)) (= (f x) x)))"
    with pytest.raises((BadProof, CodecError)):
        interpreted_theorem(text, parse_problem(text), Interpretation({name: ((), "1")}, {}))


def test_names_in_other_letters() -> None:
    text = "(declare-fun |é| (Int) Int)(assert (forall ((x Int)) (> (|é| x) x)))(prove (= (|é| 0) 2))"
    found = interpreted_counterexample(text, 0)
    assert found is not None and len(found.interpretation.functions) == 1


def test_nothing_is_found_where_premises_cannot_hold() -> None:
    text = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) (+ 1 (f x)))))(prove (= (f 1) 1))"
    assert interpreted_counterexample(text, 0) is None


# -------------------------------------------------------------------------------------------- proofs of a negation


QUERY = {"cites": [], "instances": [], "equations": True, "quantified": True}
RISING = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (>= (f x) x)))(prove (forall ((x Int)) (= (f x) x)))"
PREMISE, GOAL = "(forall ((x Int)) (>= (f x) x))", "(forall ((x Int)) (= (f x) x))"
DENIED = f"(not (=> {PREMISE} {GOAL}))"
ENDLESS = RISING.replace("(assert", "(define-fun-rec g ((n Int)) Int (+ 1 (g n)))(assert", 1)


def script_of_proof(theorem: bytes, evidence: Json, claim: str) -> bytes:
    """The obligations that such evidence has; nothing where it has none."""
    problem = parse_problem(theorem)
    try:
        if "interpretation" in evidence:
            given = Interpretation.from_json(evidence["interpretation"])
            problem = condition(theorem, problem, given)
        inner = {key: value for key, value in evidence.items() if key != "interpretation"}
        derivation = derivation_from_json(inner, problem.signature)
        context = Context(problem)
        ends = termination_obligations(context.signature, derivation.termination, context.guards)
        return audit(context, derivation, claim, ends).script.encode()
    except KernelError:
        return b""


def forged_proof(folder: Path, theorem: str, stated: str, given: Json | None, claim: str) -> tuple[bool, str]:
    """Whether the checker accepts one step that states this, and what the second one says."""
    steps = [{"id": "1", "sequent": f"(sequent () () {stated})", "query": QUERY}]
    evidence = {"steps": steps, **({"interpretation": given} if given is not None else {})}
    text = theorem.encode()
    evidence = {**with_ends(text, {"steps": steps}), **evidence}
    script = script_of_proof(text, evidence, claim)
    made = forge(folder / "x.cert", text, evidence, script=script, claim=claim, honest_ends=False)
    return check_certificate(made, text, limits=Limits(seconds=3.0)).accepted, judged(made)


def test_an_honest_proof_of_the_negation_is_accepted_by_both(tmp_path: Path) -> None:
    assert forged_proof(tmp_path, RISING, DENIED, of("(+ x 1)", "x"), "negation proved") == (True, "holds")


REAL = "(declare-const x Real)(declare-const n Int)(assert (= (* x x) 2.0)){}(prove (< x 0.0))"
ROOT = "(not (forall ((x1 Real)) (=> (= (* x1 x1) 2.0) (< x1 0.0))))"
SPOKEN_OF = REAL.format("(define-fun twice () Real (* 2.0 x))")


def exist(*names: str, **functions: Json) -> Json:
    return {"functions": functions, "sorts": {}, "exist": list(names)}


def test_values_without_a_name_are_proved_to_exist(tmp_path: Path) -> None:
    accepted, said = forged_proof(tmp_path, REAL.format(""), ROOT, exist("x"), "negation proved")
    assert (accepted, said) == (True, "undecided")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(declare-const x Real)(prove (not (= (* x x) 2.0)))", "x"),
        ("(declare-const x Real)(declare-const n Int)(assert (> n 1))(prove (distinct (* x x) (to_real n)))", ""),
        ("(declare-const x Real)(declare-const y Real)(assert (= (+ (* x x) (* y y)) 1.0))(assert (= y (* 2.0 x)))"
         "(prove (< x 0.0))", "y"),
        ("(define-fun square ((x Real)) Real (* x x))(declare-const x Real)(prove (< (square x) 2.0))", ""),
    ],
)  # fmt: skip
def test_irrational_values_refute(text: str, shown: str, tmp_path: Path) -> None:
    found = verdict(text, tmp_path)
    assert found["verdict"] == "refuted" and (not shown or "exist" in str(found))


@pytest.mark.parametrize(
    "text",
    [
        "(declare-const x Real)(prove (not (= (* x x) (- 2.0))))",
        "(declare-const x Real)(assert (= (* x x) 2.0))(prove (distinct x 0.0))",
        "(declare-const x Real)(define-fun y () Real (* 2.0 x))(assert (= (* x x) 2.0))(prove (distinct y 2.0))",
    ],
)
def test_no_value_exists_that_makes_a_true_theorem_false(text: str, tmp_path: Path) -> None:
    assert verdict(text, tmp_path)["verdict"] in ("proved", "unknown")


FORGED_PROOFS = {
    "a constant that a definition speaks of exists": (SPOKEN_OF, ROOT, exist("x"), "negation proved"),
    "a constant exists twice": (REAL.format(""), ROOT, exist("x", "x"), "negation proved"),
    "what is given exists": (REAL.format(""), ROOT, exist("x", x={"params": [], "body": "1.0"}), "negation proved"),
    "a function exists": (RISING, DENIED, exist("f"), "negation proved"),
    "what is not declared exists": (REAL.format(""), ROOT, exist("x", "z"), "negation proved"),
    "a symbol of a theory exists": (REAL.format(""), ROOT, exist("x", "div"), "negation proved"),
    "a defined constant exists": (SPOKEN_OF, ROOT, exist("twice"), "negation proved"),
    "nothing exists": (REAL.format(""), ROOT, exist(), "negation proved"),
    "the value of another constant is left open": (REAL.format(""), ROOT, exist("n"), "negation proved"),
    "the premises are left out": (
        REAL.format(""),
        "(not (forall ((x1 Real)) (< x1 0.0)))",
        exist("x"),
        "negation proved",
    ),
    "a value that exists is a proof": (REAL.format(""), ROOT, exist("x"), "proved"),
    "a value that exists is a contradiction": (REAL.format(""), "false", exist("x"), "inconsistent"),
    "a premise is violated": (RISING, DENIED, of("(- x 1)", "x"), "negation proved"),
    "the goal is not false": (RISING, DENIED, of("x", "x"), "negation proved"),
    "the goal alone is denied": (RISING, f"(not {GOAL})", of("(- x 1)", "x"), "negation proved"),
    "premises as conditions without a meaning": (RISING, DENIED, None, "negation proved"),
    "it calls itself": (RISING, DENIED, of("(+ 1 (f x))", "x"), "negation proved"),
    "of nothing that is declared": (RISING, DENIED, of("x", "x", name="h"), "negation proved"),
    "beside a definition without end": (ENDLESS, DENIED, of("(+ x 1)", "x"), "negation proved"),
    "a goal that holds under it is called proved": (RISING, GOAL, of("x", "x"), "proved"),
    "premises that fail under it are called contradictory": (RISING, "false", of("(- x 1)", "x"), "inconsistent"),
}


@pytest.mark.parametrize(("theorem", "stated", "given", "claim"), FORGED_PROOFS.values(), ids=FORGED_PROOFS.keys())
def test_forged_proofs_of_a_negation_are_accepted_by_neither(
    theorem: str, stated: str, given: Json | None, claim: str, tmp_path: Path
) -> None:
    accepted, second = forged_proof(tmp_path, theorem, stated, given, claim)
    assert not accepted
    assert second in ("refused", "undecided")
