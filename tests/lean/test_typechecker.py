"""The second Lean kernel: what it has to accept, what it has to refuse and by which rule, and its limits.

Most cases are single declarations that one process judges, each by itself, on top of one library.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from lean_data import Stream, Term, Type, app, arrow, const, lam, nat, pi, sort

import goedels_poetry
from goedels_poetry.lean.runtime.install import node_program

KERNEL = Path(goedels_poetry.__file__).parent / "lean" / "gate" / "typechecker"
PROP, TYPE = sort(0), sort(1)
NAT, BOOL, FALSE, TRUE = const("Nat"), const("Bool"), const("False"), const("True")
ZERO, NO, YES, TRIVIAL = const("Nat.zero"), const("Bool.false"), const("Bool.true"), const("True.intro")


def check(stream: Stream | str, **settings: Any) -> dict[str, Any]:
    """The answer of the kernel, run as the gate runs it."""
    text = stream if isinstance(stream, str) else stream.text()
    rights = ["--permission", "--allow-worker", f"--allow-fs-read={KERNEL}"]
    command = [str(node_program()), *rights, str(KERNEL / "main.cjs"), json.dumps(settings)]
    done = subprocess.run(command, input=text.encode(errors="surrogatepass"), capture_output=True, timeout=60)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 1, done.stderr.decode()
    return json.loads(lines[0])


# ---------------------------------------------------------------------------------------- the library


def succ(n: Term) -> Term:
    return app(const("Nat.succ"), n)


def eq(type: Term, a: Term, b: Term, level: Any = 1) -> Term:
    return app(const("Eq", level), type, a, b)


def refl(type: Term, a: Term, level: Any = 1) -> Term:
    return app(const("Eq.refl", level), type, a)


def by_rec(motive: Term, zero: Term, step: Term, n: Term, level: int = 1) -> Term:
    return app(const("Nat.rec", level), lam(NAT, motive), zero, step, n)


def function(on_zero: Callable[[Term], Term], step: Callable[[Term, Term, Term], Term]) -> Term:
    """Of x and y, by recursion on y; the step has x, the predecessor, and the value there."""
    return lam(
        NAT,
        lambda x: lam(NAT, lambda y: by_rec(NAT, on_zero(x), lam(NAT, lambda n: lam(NAT, lambda v: step(x, n, v))), y)),
    )


NAT_TYPE = Type("Nat", TYPE, [("Nat.zero", NAT), ("Nat.succ", arrow(NAT, NAT))])
EQ = Type(
    "Eq",
    pi(sort("u_1"), lambda a: arrow(a, a, PROP)),
    [("Eq.refl", pi(sort("u_1"), lambda a: pi(a, lambda x: eq(a, x, x, "u_1"))))],
    params=2,
    levels=("u_1",),
)
LIST = Type(
    "List",
    arrow(sort(("succ", "v")), sort(("succ", "v"))),
    [
        ("List.nil", pi(sort(("succ", "v")), lambda a: app(const("List", "v"), a))),
        (
            "List.cons",
            pi(sort(("succ", "v")), lambda a: arrow(a, app(const("List", "v"), a), app(const("List", "v"), a))),
        ),
    ],
    params=1,
    levels=("v",),
)
# Does not use its second parameter in what it stores.
PHANTOM = Type(
    "Phantom",
    arrow(TYPE, BOOL, TYPE),
    [("Phantom.mk", pi(TYPE, lambda a: pi(BOOL, lambda b: app(const("Phantom"), a, b))))],
    params=2,
)
PAIR_AT = const("Pair", "v", "w")
PAIR = Type(
    "Pair",
    arrow(sort("v"), sort("w"), sort(("max", 1, ("max", "v", "w")))),
    [
        (
            "Pair.mk",
            pi(sort("v"), lambda a: pi(sort("w"), lambda b: arrow(a, b, app(PAIR_AT, a, b)))),
        )
    ],
    params=2,
    levels=("v", "w"),
)
ACC = Type(
    "Acc",
    pi(sort("v"), lambda a: arrow(arrow(a, a, PROP), a, PROP)),
    [
        (
            "Acc.intro",
            pi(
                sort("v"),
                lambda a: pi(
                    arrow(a, a, PROP),
                    lambda r: pi(
                        a,
                        lambda x: arrow(
                            pi(a, lambda y: arrow(app(r, y, x), app(const("Acc", "v"), a, r, y))),
                            app(const("Acc", "v"), a, r, x),
                        ),
                    ),
                ),
            ),
        )
    ],
    params=2,
    levels=("v",),
)


def struct(name: str, *fields: Term, level: Any = 1) -> Type:
    return Type(name, sort(level), [(f"{name}.mk", arrow(*fields, const(name)))])


def library() -> Stream:
    s = Stream()
    s.inductive(Type("False", PROP, []))
    s.inductive(Type("True", PROP, [("True.intro", TRUE)]), k=True)
    s.inductive(Type("Bool", TYPE, [("Bool.false", BOOL), ("Bool.true", BOOL)]))
    s.inductive(NAT_TYPE).inductive(EQ, k=True).inductive(LIST).inductive(PHANTOM).inductive(PAIR).inductive(ACC)
    s.inductive(Type("Unit", TYPE, [("Unit.unit", const("Unit"))]))
    # Structures that are propositions: of a proof, of data, of data on which a proof depends, by another name of Prop.
    s.inductive(struct("Proof", TRUE, level=0))
    s.inductive(struct("Hidden", BOOL, level=0), large=False)
    s.inductive(struct("HiddenByImax", BOOL, level=("imax", 1, 0)), large=False)
    s.inductive(struct("AfterData", BOOL, TRUE, level=0), large=False)
    after = Type("Dependent", PROP, [("Dependent.mk", pi(BOOL, lambda b: arrow(eq(BOOL, b, b), const("Dependent"))))])
    s.inductive(after, large=False)
    maybe = const("Maybe", "v")
    s.inductive(
        Type(
            "Maybe",
            arrow(sort("v"), sort("v")),
            [("Maybe.mk", pi(sort("v"), lambda a: arrow(a, app(maybe, a))))],
            1,
            ("v",),
        ),
        large=False,
    )
    s.inductive(struct("Box", BOOL)).inductive(struct("OtherBox", BOOL)).inductive(struct("Endless", const("Endless")))
    s.define(
        "Nat.pred", arrow(NAT, NAT), lam(NAT, lambda n: by_rec(NAT, ZERO, lam(NAT, lambda m: lam(NAT, lambda _: m)), n))
    )
    two = arrow(NAT, NAT, NAT)
    s.define("Nat.add", two, function(lambda x: x, lambda x, n, v: succ(v)))
    s.define("Nat.sub", two, function(lambda x: x, lambda x, n, v: app(const("Nat.pred"), v)))
    s.define("Nat.mul", two, function(lambda x: ZERO, lambda x, n, v: app(const("Nat.add"), v, x)))
    s.define("Nat.pow", two, function(lambda x: succ(ZERO), lambda x, n, v: app(const("Nat.mul"), v, x)))
    s.assume("Nat.gcd", two)
    s.assume("Nat.shiftRight", two)
    s.assume("Nat.land", arrow(NAT, NAT, BOOL))
    # A function that takes its other argument away, one with a name that gives it away, and a false equation to want.
    s.define("Ignore", arrow(TYPE, TYPE, TYPE), lam(TYPE, lambda a: lam(TYPE, a)))
    s.define("id", pi(sort("v"), lambda a: arrow(a, a)), lam(sort("v"), lambda a: lam(a, lambda x: x)), "v")
    s.opaque("Lean.reduceBool", arrow(BOOL, BOOL), lam(BOOL, lambda b: b))
    u = "u"
    rel = lambda a: arrow(a, a, PROP)  # noqa: E731
    quot = lambda a, r: app(const("Quot", u), a, r)  # noqa: E731
    s.quot("Quot", pi(sort(u), lambda a: arrow(rel(a), sort(u))), "type", u)
    s.quot("Quot.mk", pi(sort(u), lambda a: pi(rel(a), lambda r: arrow(a, quot(a, r)))), "ctor", u)
    s.quot("Quot.lift", QUOT_LIFT, "lift", u, "v")
    s.quot("Quot.ind", QUOT_IND, "ind", u)
    return s


def _quot_lift() -> Term:
    def body(a: Term, r: Term, b: Term, f: Term) -> Term:
        respects = pi(a, lambda x: pi(a, lambda y: arrow(app(r, x, y), eq(b, app(f, x), app(f, y), "v"))))
        return arrow(respects, app(const("Quot", "u"), a, r), b)

    return pi(
        sort("u"),
        lambda a: pi(arrow(a, a, PROP), lambda r: pi(sort("v"), lambda b: pi(arrow(a, b), lambda f: body(a, r, b, f)))),
    )


def _quot_ind() -> Term:
    def body(a: Term, r: Term) -> Term:
        q = app(const("Quot", "u"), a, r)
        return pi(
            arrow(q, PROP),
            lambda m: arrow(pi(a, lambda x: app(m, app(const("Quot.mk", "u"), a, r, x))), pi(q, lambda x: app(m, x))),
        )

    return pi(sort("u"), lambda a: pi(arrow(a, a, PROP), lambda r: body(a, r)))


QUOT_LIFT, QUOT_IND = _quot_lift(), _quot_ind()

# ---------------------------------------------------------------------------------------- single declarations

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "typechecker_cases.jsonl").read_text("utf-8").splitlines()
]
"""Declarations on top of `library`: ``name``, ``verdict``, ``reason`` (a pattern) and the ``lines`` of the
stream, whose ids go on from one case to the next; a new one is appended as `Stream` writes it."""


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    """All cases, judged by one process."""
    stream = library().candidate()
    for case in CASES:
        for line in case["lines"]:
            stream.raw(line)
    answer = check(stream, mode="each", premises=["premise", "hidden"], seconds=60, secondsEach=5)
    assert answer["verdict"] == "done", answer
    assert len(answer["each"]) == len(CASES) == len({case["name"] for case in CASES})
    return dict(zip((case["name"] for case in CASES), answer["each"], strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_single_declarations(case: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> None:
    found = verdicts[case["name"]]
    assert found["verdict"] == case["verdict"], found
    assert re.search(case["reason"], found["reason"]), found


# ---------------------------------------------------------------------------------------- whole streams


def refused(stream: Stream | str, reason: str, **settings: Any) -> dict[str, Any]:
    answer = check(stream, **settings)
    assert answer["verdict"] == "refused", answer
    assert re.search(reason, answer["reason"]), answer
    return answer


def test_everything_is_counted() -> None:
    stream = library()
    stream.theorem("t1", TRUE, TRIVIAL).candidate().theorem("t2", TRUE, TRIVIAL).theorem("t3", TRUE, const("t2"))
    answer = check(stream, checked=["Nat.add", "t1"])
    assert answer["verdict"] == "accepted", answer
    assert answer["declaration"] is None
    assert answer["checked"]["candidate"] == 2
    assert answer["checked"]["assumed"] == 3
    assert answer["checked"]["skipped"] == 2
    assert answer["checked"]["library"] > 20


def test_the_first_fault_ends_it_and_is_named() -> None:
    stream = (
        library()
        .candidate()
        .theorem("good", TRUE, TRIVIAL)
        .theorem("bad", FALSE, TRIVIAL)
        .theorem("worse", FALSE, const("bad"))
    )
    answer = refused(stream, "another type")
    assert answer["declaration"] == "bad"
    assert answer["checked"]["candidate"] == 1


def test_only_library_checks_are_skipped() -> None:
    stream = library().theorem("known", FALSE, TRIVIAL).candidate().theorem("t", FALSE, TRIVIAL)
    answer = refused(stream, "another type", checked=["known", "t"])
    assert answer["declaration"] == "t"
    refused(library().theorem("known", FALSE, TRIVIAL), "another type")


def test_one_declaration_does_not_help_another_in_mode_each() -> None:
    stream = library().candidate().axiom("premise", FALSE).theorem("t", FALSE, const("premise"))
    answer = check(stream, mode="each", premises=["premise"])
    assert [e["verdict"] for e in answer["each"]] == ["accepted", "refused"]
    answer = check(stream, premises=["premise"])
    assert answer["verdict"] == "accepted"


def test_a_fault_of_the_library_ends_mode_each() -> None:
    answer = check(library().theorem("t", FALSE, TRIVIAL).candidate(), mode="each")
    assert answer["verdict"] == "refused"
    assert answer["each"] == []


def test_names_are_rendered_without_doubt() -> None:
    stream = library().candidate()
    for i, (kind, part) in enumerate(
        (("str", "a b"), ("str", "7"), ("num", 7), ("str", "«"), ("str", "x.y"), ("str", ""))
    ):
        stream.raw({"in": i + 1, kind: {"pre": i, "str" if kind == "str" else "i": part}})
    stream.raw({"ie": 0, "sort": 0})
    stream.raw({"axiom": {"name": 6, "levelParams": [], "type": 0, "isUnsafe": False}})
    name = '«a b».«7».7."«".«x.y».«»'
    assert refused(stream, "no premise")["declaration"] == name
    assert check(stream, premises=[name])["verdict"] == "accepted"


META = {"meta": {"format": {"version": "3.1.0"}}}
PROP_ROW = {"ie": 0, "sort": 0}
MALFORMED = {
    "nothing": [],
    "another format": [{"meta": {"format": {"version": "2.0.0"}}}],
    "no format": [{"in": 1, "str": {"pre": 0, "str": "a"}}],
    "no JSON": [META, "{"],
    "no object": [META, "[]"],
    "a name out of order": [META, {"in": 2, "str": {"pre": 0, "str": "a"}}],
    "a level out of order": [META, {"il": 2, "succ": 0}],
    "an expression out of order": [META, {"ie": 1, "sort": 0}],
    "a name before its parent": [META, {"in": 1, "str": {"pre": 1, "str": "a"}}],
    "a level before its parts": [META, {"il": 1, "succ": 1}],
    "an expression before its parts": [META, {"ie": 0, "app": {"fn": 0, "arg": 0}}],
    "an id that is no number": [META, PROP_ROW, {"ie": 1, "app": {"fn": "0", "arg": 0}}],
    "an id below all": [META, PROP_ROW, {"ie": 1, "app": {"fn": -1, "arg": 0}}],
    "a field too many": [META, {"ie": 0, "app": {"fn": 0, "arg": 0, "more": 0}}],
    "two kinds at once": [META, {"ie": 0, "sort": 0, "bvar": 0}],
    "a free variable": [META, {"ie": 0, "fvar": 1}],
    "a metavariable": [META, {"ie": 0, "mvar": 1}],
    "a prototype's field": [META, {"ie": 0, "constructor": 1}],
    "a record that is a prototype's field": [META, '{"__proto__":{}}'],
    "an unknown record": [META, {"recursor": {}}],
    "an unknown binder": [META, PROP_ROW, {"ie": 1, "lam": {"name": 0, "type": 0, "body": 0, "binderInfo": "odd"}}],
    "a number that is none": [META, {"ie": 0, "natVal": "0x1"}],
    "a number with a sign": [META, {"ie": 0, "natVal": "-1"}],
    "a number as a number": [META, {"ie": 0, "natVal": 1}],
    "a text with half a character": [META, '{"ie":0,"strVal":"\\ud800"}'],
    "an unknown section": [META, {"section": "library"}],
    "two candidates": [META, {"section": "candidate"}, {"section": "candidate"}],
    "an id of the section before": [
        META,
        {"in": 1, "str": {"pre": 0, "str": "a"}},
        {"section": "candidate"},
        {"il": 1, "param": 1},
    ],
    "an axiom without a name": [
        META,
        PROP_ROW,
        {"axiom": {"name": 0, "levelParams": [], "type": 0, "isUnsafe": False}},
    ],
    "no types": [META, {"inductive": {"types": [], "ctors": [], "recs": []}}],
    "no UTF-8": "surrogate",
}


@pytest.fixture(scope="module")
def malformed() -> dict[str, dict[str, Any]]:
    """The answers, two processes at a time."""

    def stream(rows: Any) -> str:
        if rows == "surrogate":
            return json.dumps(META) + "\n\udc80"
        return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(MALFORMED, pool.map(lambda rows: check(stream(rows)), MALFORMED.values()), strict=True))


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_streams_are_refused(name: str, malformed: dict[str, dict[str, Any]]) -> None:
    answer = malformed[name]
    assert answer["verdict"] == "refused", answer
    assert re.search("malformed|unknown|section|without", answer["reason"]), answer


# What a library would have to lie about.
THREE = Type("Nat", TYPE, [("Nat.zero", NAT), ("Nat.succ", arrow(NAT, NAT)), ("Nat.more", NAT)])
PRELUDE = (Type("True", PROP, [("True.intro", TRUE)]), Type("Bool", TYPE, [("Bool.false", BOOL), ("Bool.true", BOOL)]))


def small(nat: Type = NAT_TYPE, eq: Type = EQ) -> Stream:
    s = Stream()
    s.inductive(PRELUDE[0], k=True).inductive(PRELUDE[1]).inductive(nat)
    return s.inductive(eq, k=eq is EQ)


ADD = arrow(NAT, NAT, NAT)


def test_literals_need_the_natural_numbers() -> None:
    refused(small(THREE).theorem("t", eq(NAT, nat(1), nat(1)), refl(NAT, nat(1))), "not the natural numbers")


@pytest.mark.parametrize("section", ["library", "candidate"])
def test_arithmetic_is_what_the_definition_says(section: str) -> None:
    """Defined otherwise, addition is not computed as addition."""
    wrong = function(lambda x: ZERO, lambda x, n, v: succ(v))

    def stream(value: int) -> Stream:
        s = small()
        if section == "candidate":
            s.candidate()
        s.define("Nat.add", ADD, wrong)
        return s.theorem("t", eq(NAT, app(const("Nat.add"), nat(2), nat(3)), nat(value)), refl(NAT, nat(value)))

    assert check(stream(3))["verdict"] == "accepted"
    refused(stream(5), "another type")


def test_a_candidate_may_have_its_own_numbers() -> None:
    s = Stream().candidate()
    s.inductive(PRELUDE[1]).inductive(NAT_TYPE).inductive(EQ, k=True)
    s.define("Nat.add", ADD, function(lambda x: x, lambda x, n, v: succ(v)))
    s.theorem("t", eq(NAT, app(const("Nat.add"), nat(10**20), nat(1)), nat(10**20 + 1)), refl(NAT, nat(10**20 + 1)))
    assert check(s)["verdict"] == "accepted"


def test_division_is_not_computed_for_a_candidate() -> None:
    """Whose order may be no order; nor is anything that is only named like a function of Lean's."""
    stream, axioms = small().candidate(), ["Nat.mod", "Nat.lor"]
    for name in ("Nat.div", "Nat.gcd", "Nat.land"):
        stream.define(name, ADD, lam(NAT, lambda x: lam(NAT, lambda y: x)))
        stream.theorem(f"t.{name}", eq(NAT, app(const(name), nat(6), nat(3)), nat(6)), refl(NAT, nat(6)))
    for name in axioms:
        stream.axiom(name, ADD)
    assert check(stream, premises=axioms)["verdict"] == "accepted"
    for name in axioms:
        stream.theorem(f"t.{name}", eq(NAT, app(const(name), nat(6), nat(4)), nat(2)), refl(NAT, nat(2)))
    refused(stream, "another type", premises=axioms)


def test_a_theorem_that_is_assumed_has_to_be_one() -> None:
    refused(small().assume("t", NAT, kind="thm"), "no proposition")
    assert check(small().assume("t", TRUE, kind="thm"))["verdict"] == "accepted"


QUOTIENTS = {
    "lift": ("Quot.lift", QUOT_LIFT, ("u", "v")),
    "lift that respects nothing": (
        "Quot.lift",
        pi(
            sort("u"),
            lambda a: pi(
                arrow(a, a, PROP),
                lambda r: pi(sort("v"), lambda b: arrow(arrow(a, b), app(const("Quot", "u"), a, r), b)),
            ),
        ),
        ("u", "v"),
    ),
}


def test_quotients_have_fixed_types() -> None:
    u = "u"
    quot_type = pi(sort(u), lambda a: arrow(arrow(a, a, PROP), sort(u)))
    wrong = QUOTIENTS["lift that respects nothing"][1]
    refused(small().quot("Quot", quot_type, "type", u).quot("Quot.lift", wrong, "lift", u, "v"), "another type")
    refused(small().quot("Quot", quot_type, "type", "v", "u"), "universe parameters")
    refused(small().quot("Other", quot_type, "type", u), "names of the quotients")
    refused(small().quot("Quot", quot_type, "lift", u), "not the quotient's")
    refused(Stream().quot("Quot", quot_type, "type", u), "need Eq")


def test_quotients_need_an_equality_that_is_one() -> None:
    ends = pi(sort("u_1"), lambda a: pi(a, lambda x: eq(a, x, x, "u_1")))
    two = Type("Eq", EQ.type, [*EQ.ctors, ("Eq.other", ends)], params=2, levels=("u_1",))
    s = Stream().inductive(two, large=False)
    refused(s.quot("Quot", pi(sort("u"), lambda a: arrow(arrow(a, a, PROP), sort("u"))), "type", "u"), "need Eq")


# ---------------------------------------------------------------------------------------- limits


def slow() -> Stream:
    """Counts down from a number that no arithmetic makes small."""
    s = small()
    count = lam(NAT, lambda n: by_rec(NAT, ZERO, lam(NAT, lambda m: lam(NAT, lambda v: v)), n))
    s.define("count", arrow(NAT, NAT), count, hints="opaque").candidate()
    return s.theorem("t", eq(NAT, app(const("count"), nat(10**9)), nat(1)), refl(NAT, nat(1)))


def test_time_runs_out() -> None:
    answer = check(slow(), seconds=0.5)
    assert (answer["verdict"], answer["declaration"]) == ("undecided", "t")
    assert answer["ms"] < 3000


def test_time_runs_out_for_one_of_each() -> None:
    stream = slow().theorem("u", TRUE, TRIVIAL)
    answer = check(stream, mode="each", secondsEach=0.5)
    assert [e["verdict"] for e in answer["each"]] == ["undecided", "accepted"]


def test_memory_runs_out() -> None:
    answer = check(slow(), memoryMb=64, seconds=30)
    assert answer["verdict"] == "undecided", answer


@pytest.mark.parametrize(("depth", "stack", "verdicts"), [(30_000, 512, {"accepted"}), (30_000, 1, {"undecided"})])
def test_deep_terms(depth: int, stack: int, verdicts: set[str]) -> None:
    """Of a stack that is too small nothing follows."""
    stream = small().candidate()
    number, f, at = stream.term(NAT), stream.term(const("Nat.succ")), stream.term(ZERO)
    for i in range(at, at + depth):
        stream.raw({"ie": i + 1, "app": {"fn": f, "arg": i}})
    more = {"hints": "abbrev", "safety": "safe", "all": []}
    stream.raw({"def": {"name": stream.name("deep"), "levelParams": [], "type": number, "value": at + depth, **more}})
    assert check(stream, stackMb=stack)["verdict"] in verdicts


def test_settings_are_checked() -> None:
    assert check(small(), seconds="many")["verdict"] == "undecided"
    assert check(small(), mode="some")["verdict"] == "undecided"
