"""Right replies are confirmed, and values at which a goal is proved."""

import json
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import REVERSE, WithModel, fenced, is_root, prompt_of

from goedels_poetry import Verdict
from goedels_poetry.checker import check_certificate
from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.language import SmtLanguage


async def judged(smt: SmtLanguage, theorem: str, **proposal: Any) -> Any:
    goal = Goal(theorem, {}, "0", "")
    read = await smt.read_sketch(goal, proposal)
    assert read.ok, read.reason
    return await smt.verify_sketch(goal, read.value["sketch"])


NUMBERS = """
(declare-datatypes ((Nat 0)) (((zero) (succ (p Nat)))))
(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ z) (succ (plus z y))))))
(define-fun-rec times ((x Nat) (y Nat)) Nat (match x ((zero zero) ((succ z) (plus y (times z y))))))
(define-fun-rec lt ((x Nat) (y Nat)) Bool
  (match y ((zero false) ((succ z) (match x ((zero true) ((succ w) (lt w z))))))))
(define-fun-rec power ((x Nat) (y Nat)) Nat (match y ((zero (succ zero)) ((succ z) (times x (power x z))))))
(define-fun-rec fact ((x Nat)) Nat (match x ((zero (succ zero)) ((succ z) (times x (fact z))))))
(assert (forall ((x Nat) (y Nat)) (= (plus x y) (plus y x))))
(assert (forall ((x Nat)) (= (plus x zero) x)))
(prove (forall ((n Nat)) (lt (power (succ (succ zero)) (succ (succ (succ (succ n)))))
                             (fact (succ (succ (succ (succ n))))))))
"""
WEAKEN = {"name": "weaken", "statement": "(forall ((a Nat) (b Nat) (c Nat)) (=> (lt a b) (lt a (plus b c))))"}
ADD = "(forall ((a Nat) (b Nat) (c Nat) (d Nat)) (=> (and (lt a b) (lt c d)) (lt (plus a c) (plus b d))))"
DOUBLE = """(forall ((a Nat) (b Nat) (k Nat))
  (=> (lt a b) (lt (times (succ (succ zero)) a) (times (succ (succ k)) b))))"""


async def test_a_case_without_variables_is_computed(smt: SmtLanguage) -> None:
    """2^4 < 4!, in unary."""
    done = await judged(smt, NUMBERS, lemmas=[WEAKEN, ADD, DOUBLE], induction="n")
    assert done.ok, done.reason
    assert not any("candidate" not in child and "sketch" not in child for child in done.value["sketch"]["children"])


FORESTS = """
(declare-datatypes ((T 0) (F 0)) (((node (val Int) (kids F))) ((nilF) (consF (first T) (rest F)))))
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x L) (a L)) L (match x ((nil a) ((cons h t) (rev t (cons h a))))))
(define-funs-rec ((pre ((t T)) L) (preF ((f F)) L))
 ((match t (((node v k) (cons v (preF k))))) (match f ((nilF nil) ((consF a r) (app (pre a) (preF r)))))))
(define-funs-rec ((go ((t T) (a L)) L) (goF ((f F) (a L)) L))
 ((match t (((node v k) (goF k (cons v a))))) (match f ((nilF a) ((consF x r) (goF r (go x a)))))))
(prove (forall ((t T)) (= (rev (go t nil) nil) (pre t))))
"""
LISTS = (
    "(forall ((x L)) (= (app x nil) x))",
    "(forall ((x L) (y L) (a L)) (= (rev (app x y) a) (rev y (rev x a))))",
    "(forall ((x L) (a L) (b L)) (= (rev (rev x a) b) (rev a (app x b))))",
)
FOREST = "(forall ((f F) (a L)) (= (goF f a) (rev (preF f) a)))"


@pytest.mark.sample(1)
@pytest.mark.parametrize("own", [{}, {"induction": {"along": "goF", "at": ["f", "a"]}}], ids=["plain", "along"])
async def test_a_lemma_about_forests_is_proved_by_mutual_induction(smt: SmtLanguage, own: Any) -> None:
    """With no word of the trees: what is defined along with it is unfolded on the way."""
    done = await judged(smt, FORESTS, lemmas=[*LISTS, {"statement": FOREST, **own}])
    assert done.ok, done.reason
    forest = done.value["sketch"]["children"][-1]
    assert "goF" in forest["statement"]
    assert "sketch" in forest, "left open"


POWERS = """
(define-fun-rec pw ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (pw b (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (= (mod (- (pw 2 (+ (* 4 n) 2)) (* 4 (pw 3 n))) 13) 0))))
"""
SIXTEEN = "(forall ((n Int)) (=> (>= n 0) (= (pw 2 (+ (* 4 (+ n 1)) 2)) (* 16 (pw 2 (+ (* 4 n) 2))))))"
THREE = "(forall ((n Int)) (=> (>= n 0) (= (pw 3 (+ n 1)) (* 3 (pw 3 n)))))"


async def test_a_lemma_may_take_several_unfoldings(smt: SmtLanguage) -> None:
    done = await judged(smt, POWERS, lemmas=[SIXTEEN, THREE], induction={"on": ["n"], "from": "0"})
    assert done.ok, done.reason
    lemmas = [c for c in done.value["sketch"]["children"] if "(* 16 " in c["statement"]]
    assert all("candidate" in lemma for lemma in lemmas)


PAIRS = """
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x L)) L (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun-rec add ((x L) (y L)) L
  (match x ((nil nil) ((cons h t) (match y ((nil nil) ((cons i u) (cons (+ h i) (add t u)))))))))
(prove (forall ((x L) (y L)) (=> (= (len x) (len y)) (= (rev (add x y)) (add (rev x) (rev y))))))
"""


async def test_that_lengths_are_not_negative_goes_without_saying(smt: SmtLanguage) -> None:
    """Without it a list of some length could have that of the empty one."""
    lemmas = [
        "∀ x y. len(app(x, y)) = len(x) + len(y)",
        "∀ x. len(rev(x)) = len(x)",
        "∀ x y u v. len(x) = len(y) → add(app(x, u), app(y, v)) = app(add(x, y), add(u, v))",
    ]
    done = await judged(smt, PAIRS, lemmas=lemmas, induction={"along": "add", "at": ["x", "y"]})
    assert done.ok, done.reason


MACHINE = """
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(declare-datatypes ((S 0)) (((empty) (push (top T) (rest S)))))
(define-fun-rec sum ((t T)) Int (match t ((leaf 0) ((node l k r) (+ (sum l) k (sum r))))))
(define-fun-rec steps ((t T)) Int (match t ((leaf 1) ((node l k r) (+ 1 (steps l) (steps r))))))
(define-fun-rec run ((fuel Int) (s S) (a Int)) Int
  (ite (<= fuel 0) (- a 1000)
    (match s ((empty a) ((push t u)
      (match t ((leaf (run (- fuel 1) u a))
                ((node l k r) (run (- fuel 1) (push l (push r u)) (+ a k))))))))))
(prove (forall ((t T)) (= (run (+ 1 (steps t)) (push t empty) 0) (sum t))))
"""


async def test_a_lemma_is_used_where_it_fits_up_to_arithmetic(smt: SmtLanguage) -> None:
    """``steps t + n`` is ``1 + steps t`` for n = 1, which no pattern of a solver finds."""
    lemmas = ["∀ t. steps t ≥ 1", "∀ t s a n, n ≥ 0 → run (steps t + n) (push t s) a = run n s (a + sum t)"]
    done = await judged(smt, MACHINE, lemmas=lemmas)
    assert done.ok, done.reason


PRODUCTS = """
(declare-datatypes ((P 0)) (((nil) (cons (head Int) (tail P)))))
(define-fun-rec value ((p P) (x Int)) Int (match p ((nil 0) ((cons c q) (+ c (* x (value q x)))))))
(define-fun-rec plus ((p P) (q P)) P
  (match p ((nil q) ((cons a s) (match q ((nil p) ((cons b t) (cons (+ a b) (plus s t)))))))))
(define-fun-rec scale ((k Int) (p P)) P (match p ((nil nil) ((cons c q) (cons (* k c) (scale k q))))))
(define-fun-rec times ((p P) (q P)) P (match p ((nil nil) ((cons a s) (plus (scale a q) (cons 0 (times s q)))))))
(prove (forall ((p P) (q P) (x Int)) (= (value (times p q) x) (* (value p x) (value q x)))))
"""


async def test_a_product_is_multiplied_out_with_lemmas_where_they_say_that_they_are_wanted(smt: SmtLanguage) -> None:
    """Evaluation of polynomials: instances for any two of them would be more products than a solver gets through."""
    added = "(forall ((p P) (q P) (x Int)) (= (value (plus p q) x) (+ (value p x) (value q x))))"
    scaled = "(forall ((k Int) (p P) (x Int)) (= (value (scale k p) x) (* k (value p x))))"
    done = await judged(smt, PRODUCTS, lemmas=[added, scaled], induction="p")
    assert done.ok, done.reason
    assert not any("candidate" not in child and "sketch" not in child for child in done.value["sketch"]["children"])


async def confirmed(smt: SmtLanguage, theorem: str, at: Any, statement: str = "") -> Outcome:
    goal = Goal(theorem, {}, "0", statement)
    found = await smt.read_sketch(goal, {"refuted": {"at": at}})
    assert found.ok, found.reason
    return await smt.confirm_refutation(goal, found.value["refutation"])


FALLING = """
(declare-fun f (Int) Int)
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ (f n) (sum (- n 1)))))
(prove (forall ((n Int)) (=> (and (>= n 9) (> (f 1) 0) (forall ((k Int)) (>= (f (+ k 1)) (- (f k) 1)))) (> (sum n) n))))
"""
RISING = """
(define-fun-rec sum ((a (Array Int Int)) (n Int)) Int (ite (<= n 0) 0 (+ (select a (- n 1)) (sum a (- n 1)))))
(prove (forall ((a (Array Int Int)) (n Int))
  (=> (and (>= n 1) (forall ((i Int)) (=> (>= i 0) (>= (select a (+ i 1)) (select a i)))))
      (<= (* n (select a 0)) (* 2 (sum a n))))))
"""
BOUNDED = """
(declare-fun f (Int) Int)
(declare-const c Int)
(define-fun-rec iter ((n Int) (x Int)) Int (ite (<= n 0) x (iter (- n 1) (f x))))
(assert (forall ((n Int) (x Int)) (=> (> x 5) (> (iter n x) 5))))
(assert (forall ((x Int)) (=> (> x c) (> (f x) c))))
(prove (forall ((x Int)) (=> (forall ((y Int)) (=> (>= y x) (>= (f y) x))) (> (f c) c))))
"""
FALLING_GOAL = "(sequent ((n Int)) ((> (f 1) 0) (forall ((k Int)) (>= (f (+ k 1)) (- (f k) 1)))) (> (sum n) (- n)))"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "at"),
    [
        pytest.param(RISING, {"a": "((as const (Array Int Int)) (- 1))", "n": "1"}, id="of an array"),
        pytest.param(
            BOUNDED,
            {"f": "(lambda ((x Int)) x)", "c": "7"},
            id="of a declared function and a constant, beside a premise",
        ),
    ],
)
async def test_a_refutation_that_is_proved_at_the_values_has_a_certificate(
    with_model: WithModel, theorem: str, at: Any
) -> None:
    with Server(lambda asked: fenced({"refuted": {"at": at}})) as server:
        result = await with_model(server, model_first=True).arun(theorem, name="proved_at_values.smt2")
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.certificate is not None and result.trust_level in ("L2", "L3")
    assert result.metrics["models"]["calls"] == 1


async def test_a_hypothesis_about_all_integers_is_proved_at_the_values(smt: SmtLanguage) -> None:
    at = {"n": "9", "f": "(lambda ((k Int)) (- 2 k))"}
    root = await confirmed(smt, FALLING, at)
    assert root.value["detail"]["reason"].startswith("false for n = 9, f = fun k. 2 - k"), root.reason
    subgoal = await confirmed(smt, FALLING, at, FALLING_GOAL)
    assert subgoal.value["refuted"]["values"]["n"] == "9", subgoal.reason


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"n": "9", "f": "(lambda ((k Int)) (ite (> k 1000) (- (* 2 k)) (- 2 k)))"}, "undecided whether H3 holds"),
        ({"n": "9", "f": "(lambda ((k Int)) 2)"}, "the goal holds"),
        ({"n": "9", "f": "(lambda ((k Int)) (ite (= k 1) 1 (* k k k k (- 1000))))"}, "H3"),
    ],
)
async def test_a_hypothesis_about_all_integers_that_is_not_proved_refutes_nothing(
    smt: SmtLanguage, at: Any, words: str
) -> None:
    done = await confirmed(smt, FALLING, at)
    assert not done.ok
    assert words in done.reason
    assert not {"refuted", "open"} & done.value.keys()


async def test_a_conclusion_that_something_exists_is_denied_by_proof(smt: SmtLanguage) -> None:
    theorem = "(define-fun-rec d ((n Int)) Int (ite (<= n 0) 0 (+ 2 (d (- n 1)))))"
    theorem += "(prove (forall ((m Int)) (exists ((n Int)) (and (>= n 0) (< (* 2 n) m)))))"
    done = await confirmed(smt, theorem, {"m": "0"})
    assert done.value["detail"]["reason"] == "false for m = 0", done.reason
    assert done.value["detail"]["refuted_by"] == "negation"


SNOC = (
    "(define-fun-rec snoc ((x List) (a Item)) List (match x ((empty (cons a empty)) ((cons h t) (cons h (snoc t a))))))"
)
SNOC_LEMMAS = [
    "(forall ((x List) (a Item)) (= (snoc x a) (append x (cons a empty))))",
    "(forall ((x List) (a Item)) (= (reverse (snoc x a)) (cons a (reverse x))))",
]
ENDLESS = "(define-fun-rec snoc ((x List) (a Item)) List (cons a (snoc x a)))"


ITREV = "(define-fun-rec itrev ((x List) (a List)) List (match x ((empty a) ((cons h t) (itrev t (cons h a))))))"


async def test_a_proof_by_an_auxiliary_function_has_it_in_its_certificate(with_model: WithModel) -> None:
    """Both lemmas are goals of their own for a while: the prompts about them show what the function is."""
    asked_about: list[str] = []

    def script(asked: Any) -> Answer:
        text = prompt_of(asked)
        if is_root(asked, "(= (reverse (reverse xs)) xs)"):
            lemmas = ["(forall ((x List)) (= (itrev x empty) (reverse x)))"]
            lemmas += ["(forall ((x List)) (= (itrev (itrev x empty) empty) x))"]
            return fenced({"definitions": [ITREV], "lemmas": [{"statement": lemma, "uses": []} for lemma in lemmas]})
        asked_about.append(text)
        whole = "(= (append x empty) x)", "(= (append (append x y) z) (append x (append y z)))"
        further = "(= (itrev x y) (append (reverse x) y))", "(= (itrev (itrev x y) z) (itrev y (append x z)))"
        return fenced({"lemmas": [*whole, *further]})

    with Server(script) as server:
        result = await with_model(server, model_first=True, symbolic_queries=0).arun(REVERSE, name="reverse.smt2")
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.certificate is not None and result.trust_level == "L3"
    assert asked_about and all("(define-fun-rec itrev_h" in text for text in asked_about)
    auxiliary = json.loads((result.certificate / "derivation.json").read_text())["auxiliary"]
    assert [text.partition("_h")[0] for text in auxiliary] == ["(define-fun-rec itrev"]
    assert check_certificate(result.certificate, REVERSE.encode()).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("definitions", "lemmas"),
    [
        pytest.param([SNOC], SNOC_LEMMAS, id="beside lemmas"),
        pytest.param([], [SNOC, *SNOC_LEMMAS], id="among lemmas"),
        pytest.param([{"statement": SNOC, "measure": "(size!List x)"}], SNOC_LEMMAS, id="with a measure"),
    ],
)
async def test_definitions_of_a_reply_are_read(smt: SmtLanguage, definitions: Any, lemmas: Any) -> None:
    done = await judged(smt, REVERSE, definitions=definitions, lemmas=lemmas)
    assert done.ok, done.reason


TAKEN = "declared twice"


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        pytest.param("(define-fun-rec reverse ((x List)) List x)", TAKEN, id="a function of the theorem"),
        pytest.param("(define-fun first ((x List)) Item (first x))", TAKEN, id="a selector"),
        pytest.param("(define-fun cons ((a Item) (x List)) List x)", TAKEN, id="a constructor"),
        pytest.param("(define-fun + ((a Int) (b Int)) Int a)", "", id="a function of a theory"),
        pytest.param("(define-fun snoc ((x List) (a Item)) List y)", "unknown symbol `y`", id="a free variable"),
        pytest.param("(define-fun-rec snoc ((x List)) List (match x ((empty x))))", "does not cover", id="partial"),
        pytest.param("(declare-fun snoc (List Item) List)", "one definition was expected", id="no definition"),
        pytest.param("(define-fun |a b| () Int 0)", "letters and digits", id="an odd name"),
        pytest.param(f"{SNOC}(assert false)", "one definition was expected", id="another command"),
    ],
)
async def test_a_definition_that_is_none_is_refused(smt: SmtLanguage, definition: Any, words: str) -> None:
    read = await smt.read_sketch(Goal(REVERSE, {}, "0", ""), {"definitions": [definition], "lemmas": SNOC_LEMMAS})
    assert not read.ok
    assert read.reason.startswith("definitions[0]") and words in read.reason


async def test_names_of_the_theorem_that_end_as_ours_do_break_no_reading(smt: SmtLanguage) -> None:
    goal = Goal(f"(declare-fun |a(_h123abc| (Int) Int)\n(declare-fun |b_h123abc!| (Int) Int)\n{REVERSE}", {}, "0", "")
    read = await smt.read_sketch(goal, {"definitions": [SNOC], "lemmas": SNOC_LEMMAS})
    assert read.ok, read.reason


async def test_a_definition_that_does_not_end_refuses_its_sketch(smt: SmtLanguage) -> None:
    definition = {"statement": ENDLESS, "measure": "(size!List x)"}
    done = await judged(smt, REVERSE, definitions=[definition], lemmas=SNOC_LEMMAS)
    assert not done.ok
    assert "was not shown to end" in done.reason


async def test_a_name_that_two_replies_define_differently_means_two_things(smt: SmtLanguage) -> None:
    goal = Goal(REVERSE, {}, "0", "")
    other = SNOC.replace("(empty (cons a empty))", "(empty empty)")
    statements = [
        (await smt.read_sketch(goal, {"definitions": [d], "lemmas": SNOC_LEMMAS})).value["sketch"]["children"][0]
        for d in (SNOC, other)
    ]
    theorem = await smt.read(REVERSE, {})
    keys = [await smt.canonical(theorem, child["statement"]) for child in statements]
    assert keys[0] != keys[1]
    further = "(define-fun-rec twice ((x List) (a Item)) List (snoc (snoc x a) a))"
    lemma = "(forall ((x List) (a Item)) (= (twice x a) (snoc (snoc x a) a)))"
    below = Goal(REVERSE, {}, "0", statements[0]["statement"])  # which has a function that the next one is defined by
    read = await smt.read_sketch(below, {"definitions": [further], "lemmas": [lemma], "induction": "x"})
    assert await smt.canonical(theorem, read.value["sketch"]["children"][0]["statement"])
    both = Goal(REVERSE, {}, "0", statements[0]["statement"], scope=(("1", statements[1]["statement"]),))
    assert "snoc" in (await smt.describe(both))["facts"]


GENERAL = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(define-fun-rec go ((n Int) (a Int)) Int (ite (<= n 0) a (go (- n 1) (+ a n))))
(prove (forall ((m Int)) (=> (>= m 0) (= (go m 0) (sum m)))))
"""


@pytest.mark.parametrize("by", [{"on": ["k"], "from": "0"}, {"measure": "k"}])
async def test_an_induction_beside_a_generalisation_is_over_the_variables_of_that(smt: SmtLanguage, by: Any) -> None:
    """And for all values of the accumulator."""
    done = await judged(
        smt,
        GENERAL,
        generalise="(forall ((k Int) (b Int)) (=> (>= k 0) (= (go k b) (+ b (sum k)))))",
        induction=by,
    )
    assert done.ok, done.reason
    scheme = done.value["sketch"]["children"][0]["sketch"]["scheme"]
    assert scheme["kind"] == "measure" or scheme["general"] == ["b"]


RUNS = """
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(declare-datatypes ((P 0)) (((none) (more (times Int) (what Int) (rest P)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rep ((n Int) (x Int)) L (ite (<= n 0) nil (cons x (rep (- n 1) x))))
(define-fun-rec dec ((p P)) L (match p ((none nil) ((more n x q) (app (rep n x) (dec q))))))
(define-fun-rec enc1 ((n Int) (c Int) (x L)) P
  (match x ((nil (more n c none)) ((cons h t) (ite (= h c) (enc1 (+ n 1) c t) (more n c (enc1 1 h t)))))))
(define-fun-rec enc ((x L)) P (match x ((nil none) ((cons h t) (enc1 1 h t)))))
(prove (forall ((xs L)) (= (dec (enc xs)) xs)))
"""
RUN_LEMMAS = [
    "(forall ((n Int) (c Int) (y L)) (=> (>= n 0) (= (app (rep (+ n 1) c) y) (app (rep n c) (cons c y)))))",
    "(forall ((x L) (n Int) (c Int)) (=> (>= n 1) (= (dec (enc1 n c x)) (app (rep n c) x))))",
]
COUNTS = """
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec rep ((n Int) (x Int)) L (ite (<= n 0) nil (cons x (rep (- n 1) x))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun-rec count ((v Int) (x L)) Int (match x ((nil 0) ((cons h t) (+ (ite (= h v) 1 0) (count v t))))))
(define-fun-rec all ((v Int) (x L)) Bool (match x ((nil true) ((cons h t) (and (= h v) (all v t))))))
(prove (forall ((v Int) (n Int)) (=> (>= n 0) (= (count v (rep n v)) n))))
"""
COUNT_LEMMAS = [
    "(forall ((v Int) (x L)) (=> (all v x) (= (count v x) (len x))))",
    "(forall ((v Int) (n Int)) (all v (rep n v)))",
    "(forall ((v Int) (n Int)) (=> (>= n 0) (= (len (rep n v)) n)))",
]


@pytest.mark.parametrize(("theorem", "lemmas"), [(RUNS, RUN_LEMMAS), (COUNTS, COUNT_LEMMAS)], ids=["runs", "counts"])
async def test_functions_that_only_a_lemma_brings_in_are_unfolded(smt: SmtLanguage, theorem: str, lemmas: Any) -> None:
    """``rep 1 c`` stands in no goal: the lemma about the encoder brings it, at a number."""
    done = await judged(smt, theorem, lemmas=lemmas)
    assert done.ok, done.reason
    assert not any("candidate" not in child and "sketch" not in child for child in done.value["sketch"]["children"])


async def test_what_only_lemmas_need_is_in_the_description(smt: SmtLanguage) -> None:
    known = (await smt.describe(Goal(RUNS.replace("(dec (enc xs)) xs", "(app xs nil) xs"), {}, "0", "")))["definitions"]
    needed, _, beside = known.partition("; defined as well:")
    assert "(define-fun-rec app" in needed and "(define-fun-rec enc1" in beside


HALF = """(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(define-fun-rec del ((v Int) (x L)) L (match x ((nil nil) ((cons h t) (ite (= h v) t (cons h (del v t)))))))
(define-fun-rec least ((v Int) (x L)) Int (match x ((nil v) ((cons h t) (ite (<= h v) (least h t) (least v t))))))
(define-fun-rec sorted ((x L)) L (match x ((nil nil) ((cons h t) (cons (least h t) (sorted (del (least h t) x)))))))
(prove (forall ((x L)) (= (sorted (sorted x)) (sorted x))))"""


async def test_where_the_equation_of_a_function_holds_only_in_part_is_in_the_description(smt: SmtLanguage) -> None:
    known = (await smt.describe(Goal(HALF, {}, "0", "")))["definitions"]
    assert "; sorted: not shown to end. Its measure is ((size!L x)), compared from the left" in known
    assert "; del: not shown to end" not in known
