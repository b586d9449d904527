"""The second Lean kernel: what it has to accept, what it has to refuse and by which rule, and its limits.

Most cases are single declarations that one process judges, each by itself, on top of one library.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from lean_data import Stream, Term, Type, app, arrow, const, inductive, lam, let, nat, new_local, over, pi, proj, sort

import goedels_poetry
from goedels_poetry.languages.lean.runtime.embedded import node_program

KERNEL = Path(goedels_poetry.__file__).parent / "kernel" / "lean" / "typechecker"
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


@dataclass
class Case:
    name: str
    verdict: str
    reason: str
    write: Callable[[Stream], Any]


CASES: list[Case] = []


def case(name: str, verdict: str, write: Callable[[Stream], Any], reason: str = "") -> None:
    CASES.append(Case(name, verdict, reason, write))


def yes(name: str, write: Callable[[Stream], Any]) -> None:
    case(name, "accepted", write)


def no(name: str, reason: str, write: Callable[[Stream], Any]) -> None:
    case(name, "refused", write, reason)


def computes(name: str, left: Term, right: Term, type: Term = NAT, holds: bool = True) -> None:
    """left = right, by reflexivity of the right side."""
    case(
        name,
        "accepted" if holds else "refused",
        lambda s: s.theorem("t", eq(type, left, right), refl(type, right)),
        "" if holds else "another type",
    )


def changed(record: dict[str, Any], part: str, index: int = 0, /, **fields: Any) -> dict[str, Any]:
    record[part][index].update(fields)
    return record


NEW = const("New")
ANY = lambda n=0: Type("New", TYPE, [("New.mk", NEW)])  # noqa: E731

# Definitions and theorems.
yes("a definition", lambda s: s.define("d", TYPE, PROP))
yes("a theorem", lambda s: s.theorem("t", TRUE, TRIVIAL))
yes(
    "a theorem whose type lives in Sort (imax 1 0)",
    lambda s: s.theorem("t", const("HiddenByImax"), app(const("HiddenByImax.mk"), YES)),
)
no("a value of another type", "another type", lambda s: s.define("d", PROP, TYPE))
no("a type that is none", "a type was expected", lambda s: s.define("d", YES, YES))
no("a theorem that is data", "no proposition", lambda s: s.theorem("t", NAT, ZERO))
no("a theorem that is a sort", "no proposition", lambda s: s.theorem("t", PROP, TRUE))
no("a definition by itself", "unknown constant d", lambda s: s.theorem("d", FALSE, const("d")))
no("an unknown constant", "unknown constant", lambda s: s.define("d", TYPE, const("Nowhere")))
no("a name that is taken", "already declared", lambda s: s.define("Nat", TYPE, BOOL))
no("a name of ours", "reserved", lambda s: s.define("_nested.List_1", TYPE, BOOL))
no("a name of the quotients", "quotients", lambda s: s.define("Quot.mk", TYPE, BOOL))
no("a universe parameter twice", "twice", lambda s: s.define("d", TYPE, PROP, "u", "u"))
no(
    "an undeclared universe parameter",
    "universe parameter v",
    lambda s: s.define("d", sort(("succ", "v")), sort("v"), "u"),
)
no(
    "an undeclared parameter in a constant",
    "universe parameter v",
    lambda s: s.theorem("t", TRUE, app(lam(pi(sort("v"), lambda a: arrow(a, a)), TRIVIAL), const("id", "v"))),
)
no("too few levels", "1 universe levels, not 0", lambda s: s.define("d", TYPE, app(const("id"), TYPE, PROP)))
no("too many levels", "0 universe levels, not 1", lambda s: s.define("d", TYPE, const("Nat", 0)))
no("an argument of another type", "an argument", lambda s: s.define("d", NAT, succ(YES)))
no("an argument too many", "a function was expected", lambda s: s.define("d", NAT, app(ZERO, ZERO)))
no("a loose bound variable", "loose", lambda s: s.define("d", NAT, ("bvar", 0)))
no("a loose variable in a type", "loose", lambda s: s.define("d", ("bvar", 3), ZERO))
no("a let of another type", "let", lambda s: s.define("d", NAT, let(BOOL, ZERO, lambda x: ZERO)))
yes("a let whose value counts", lambda s: s.define("d", NAT, let(TYPE, NAT, lambda t: app(lam(t, lambda x: x), ZERO))))
no("a partial definition", "partial", lambda s: s.define("d", TYPE, PROP, safety="partial"))
no("an unsafe definition", "unsafe", lambda s: s.define("d", TYPE, PROP, safety="unsafe"))
no("an unsafe axiom", "unsafe", lambda s: s.axiom("premise", FALSE, unsafe=True))
no("an axiom", "no premise", lambda s: s.axiom("a", FALSE))
yes("a premise", lambda s: s.axiom("premise", FALSE))
no("an opaque constant", "no premise", lambda s: s.opaque("o", TYPE, PROP))
no("an opaque premise of another type", "another type", lambda s: s.opaque("hidden", FALSE, TRIVIAL))
no("something assumed", "not for a candidate", lambda s: s.assume("a", FALSE, kind="thm"))
no("a quotient", "not for a candidate", lambda s: s.quot("Quot.lift2", QUOT_LIFT, "lift", "u", "v"))
no(
    "compiled code is not run",
    "another type",
    lambda s: s.theorem("t", eq(BOOL, app(const("Lean.reduceBool"), YES), YES), refl(BOOL, YES)),
)

# Universe levels.
U, V, W = "u", "v", "w"


def levels(name: str, below: Any, above: Any, holds: bool) -> None:
    """Sort below : Sort (above + 1), which asks whether the levels are equal."""
    case(
        f"levels: {name}",
        "accepted" if holds else "refused",
        lambda s: s.define("d", sort(("succ", above)), sort(below), U, V, W),
    )


levels("max commutes", ("max", U, V), ("max", V, U), True)
levels("max is associative", ("max", ("max", U, V), W), ("max", U, ("max", V, W)), True)
levels("max of the same", ("max", U, ("max", U, V)), ("max", U, V), True)
levels("imax to 0", ("imax", U, 0), 0, True)
levels("imax of the same", ("imax", U, U), U, True)
levels("imax with a successor", ("imax", U, ("succ", V)), ("max", U, ("succ", V)), True)
levels(
    "imax with a maximum over a successor",
    ("imax", U, ("max", V, ("succ", W))),
    ("max", U, ("max", V, ("succ", W))),
    True,
)
levels("imax with a maximum", ("imax", U, ("max", V, W)), ("max", U, ("max", V, W)), False)
levels("imax in imax", ("imax", U, ("imax", V, W)), ("imax", ("max", U, V), W), True)
levels("imax over max", ("imax", U, ("max", V, W)), ("max", ("imax", U, V), ("imax", U, W)), True)
levels("a successor through max", ("succ", ("max", U, V)), ("max", ("succ", U), ("succ", V)), True)
levels("imax 1 u", ("imax", 1, U), U, True)
levels("one more is absorbed", ("max", 1, ("succ", U)), ("succ", U), True)
levels("imax is not max", ("imax", U, V), ("max", U, V), False)
levels("imax u v is not v", ("imax", U, V), V, False)
levels("u is not v", U, V, False)
levels("one is not u", 1, U, False)
levels("max 1 u is not u", ("max", 1, U), U, False)
levels("imax u v and a successor", ("succ", ("imax", U, V)), ("imax", U, V), False)
levels("a successor in imax", ("imax", U, ("succ", V)), ("succ", ("imax", U, V)), False)
levels("imax 0 v and its successor", ("succ", ("imax", 0, V)), ("imax", 0, V), False)
levels("a successor over imax", ("succ", ("imax", U, V)), ("imax", ("succ", U), ("succ", V)), False)
levels("max 1 of imax", ("max", 1, ("imax", U, V)), ("imax", ("max", 1, U), V), False)
MANY = [f"u{i}" for i in range(14)]
FUNCTION = arrow(*(sort(u) for u in MANY))
OF_FUNCTION: Any = reduce(lambda above, u: ("max", above, ("succ", u)), MANY[1:], ("succ", MANY[0]))
yes(
    "levels: a function over fourteen universes",
    lambda s: s.theorem(
        "t",
        pi(FUNCTION, lambda f: eq(FUNCTION, f, f, OF_FUNCTION)),
        lam(FUNCTION, lambda f: refl(FUNCTION, f, OF_FUNCTION)),
        *MANY,
    ),
)
no(
    "levels: a universe lowered by imax",
    "another type",
    lambda s: s.define(
        "down",
        arrow(sort(("succ", ("imax", U, V))), sort(("imax", U, V))),
        lam(sort(("succ", ("imax", U, V))), lambda x: x),
        U,
        V,
    ),
)

# Equality of terms.
A_TO_A = pi(TYPE, lambda a: arrow(a, a))
yes(
    "eta for functions",
    lambda s: s.theorem(
        "t",
        pi(arrow(NAT, NAT), lambda f: eq(arrow(NAT, NAT), lam(NAT, lambda x: app(f, x)), f)),
        lam(arrow(NAT, NAT), lambda f: refl(arrow(NAT, NAT), f)),
    ),
)
no(
    "no eta with another body",
    "another type",
    lambda s: s.theorem(
        "t",
        pi(arrow(NAT, NAT), lambda f: eq(arrow(NAT, NAT), lam(NAT, lambda x: app(f, succ(x))), f)),
        lam(arrow(NAT, NAT), lambda f: refl(arrow(NAT, NAT), f)),
    ),
)
BOX = const("Box")
yes(
    "eta for structures",
    lambda s: s.theorem(
        "t", pi(BOX, lambda x: eq(BOX, app(const("Box.mk"), proj("Box", 0, x)), x)), lam(BOX, lambda x: refl(BOX, x))
    ),
)
no(
    "no eta with another structure's field",
    "another type|another type than is said",
    lambda s: s.theorem(
        "t",
        pi(BOX, lambda x: pi(BOX, lambda y: eq(BOX, app(const("Box.mk"), proj("Box", 0, y)), x))),
        lam(BOX, lambda x: lam(BOX, lambda y: refl(BOX, x))),
    ),
)
UNIT = const("Unit")
yes(
    "unit-like structures",
    lambda s: s.theorem(
        "t",
        pi(UNIT, lambda x: pi(UNIT, lambda y: eq(UNIT, x, y))),
        lam(UNIT, lambda x: lam(UNIT, lambda y: refl(UNIT, x))),
    ),
)
irrelevant = pi(PROP, lambda p: pi(p, lambda x: pi(p, lambda y: eq(p, x, y, 0))))
yes(
    "proof irrelevance",
    lambda s: s.theorem("t", irrelevant, lam(PROP, lambda p: lam(p, lambda x: lam(p, lambda y: refl(p, x, 0))))),
)
no(
    "no irrelevance of data",
    "another type",
    lambda s: s.theorem(
        "t", pi(NAT, lambda x: pi(NAT, lambda y: eq(NAT, x, y))), lam(NAT, lambda x: lam(NAT, lambda y: refl(NAT, x)))
    ),
)
no("no irrelevance of propositions", "another type", lambda s: s.theorem("t", eq(PROP, TRUE, FALSE), refl(PROP, TRUE)))
no("no irrelevance of types", "another type", lambda s: s.theorem("t", eq(TYPE, NAT, BOOL, 2), refl(TYPE, NAT, 2)))
some_prop = lam(
    eq(BOOL, YES, YES),
    lambda h: app(const("Eq.rec", 1, 1), BOOL, YES, lam(BOOL, lambda b: lam(eq(BOOL, YES, b), BOOL)), NO, YES, h),
)
yes(
    "K",
    lambda s: s.theorem(
        "t",
        pi(eq(BOOL, YES, YES), lambda h: eq(BOOL, app(some_prop, h), NO)),
        lam(eq(BOOL, YES, YES), lambda h: refl(BOOL, NO)),
    ),
)
stuck = lam(
    eq(BOOL, YES, NO),
    lambda h: app(const("Eq.rec", 1, 1), BOOL, YES, lam(BOOL, lambda b: lam(eq(BOOL, YES, b), BOOL)), NO, NO, h),
)
no(
    "no K for indices that differ",
    "another type",
    lambda s: s.theorem(
        "t",
        pi(eq(BOOL, YES, NO), lambda h: eq(BOOL, app(stuck, h), NO)),
        lam(eq(BOOL, YES, NO), lambda h: refl(BOOL, NO)),
    ),
)
# Two variables of one type below different binders are different.
no(
    "no capture of variables",
    "another type",
    lambda s: s.theorem(
        "t",
        pi(NAT, lambda x: eq(arrow(NAT, NAT), lam(NAT, lambda y: x), lam(NAT, lambda y: y))),
        lam(NAT, lambda x: refl(arrow(NAT, NAT), lam(NAT, lambda y: y))),
    ),
)
no(
    "no capture by inference",
    "an argument",
    lambda s: s.define(
        "d",
        pi(NAT, lambda x: pi(NAT, lambda y: eq(NAT, x, y))),
        lam(NAT, lambda x: app(lam(pi(NAT, lambda y: eq(NAT, x, y)), lambda h: h), lam(NAT, lambda y: refl(NAT, y)))),
    ),
)


def unit_rec(x: Term) -> Term:
    return app(const("Unit.rec", 1), lam(UNIT, NAT), nat(3), x)


yes(
    "structure eta of a major premise",
    lambda s: s.theorem("t", pi(UNIT, lambda x: eq(NAT, unit_rec(x), nat(3))), lam(UNIT, lambda x: refl(NAT, nat(3)))),
)
R = lam(NAT, lambda _: lam(NAT, FALSE))
IN_ACC = app(const("Acc", 1), NAT, R, ZERO)


def acc_rec(h: Term) -> Term:
    def smaller(x: Term, result: Callable[[Term], Term]) -> Term:
        return pi(NAT, lambda y: arrow(app(R, y, x), result(y)))

    accessible = lambda y: app(const("Acc", 1), NAT, R, y)  # noqa: E731
    step = lam(NAT, lambda x: lam(smaller(x, accessible), lambda _: lam(smaller(x, lambda y: NAT), nat(3))))
    motive = lam(NAT, lambda x: lam(accessible(x), NAT))
    return app(const("Acc.rec", 1, 1), NAT, R, motive, step, ZERO, h)


no(
    "no eta and no K of accessibility",
    "another type",
    lambda s: s.theorem(
        "t", pi(IN_ACC, lambda h: eq(NAT, acc_rec(h), nat(3))), lam(IN_ACC, lambda h: refl(NAT, nat(3)))
    ),
)
ENDLESS = const("Endless")
no(
    "no eta of a recursive structure",
    "another type",
    lambda s: s.theorem(
        "t",
        pi(ENDLESS, lambda x: eq(ENDLESS, x, app(const("Endless.mk"), proj("Endless", 0, x)))),
        lam(ENDLESS, lambda x: refl(ENDLESS, x)),
    ),
)

# Projections.


def projects(name: str, struct_type: Term, of: str, index: int, field: Term, reason: str = "") -> None:
    case(
        f"projection: {name}",
        "refused" if reason else "accepted",
        lambda s: s.define("d", arrow(struct_type, field), lam(struct_type, lambda x: proj(of, index, x))),
        reason,
    )


projects("a field", BOX, "Box", 0, BOOL)
projects("of another structure", BOX, "OtherBox", 0, BOOL, "another type")
projects("of no structure", BOX, "Nat", 0, BOOL, "another type")
projects("beyond the last", BOX, "Box", 1, BOOL, "no field number 1")
projects("of a type with two constructors", NAT, "Nat", 0, NAT, "no structure")
projects("of a family", app(const("Acc", 1), NAT, const("R"), ZERO), "Acc", 0, TRUE, "unknown constant|no structure")
projects("a proof out of a proof", const("Proof"), "Proof", 0, TRUE)
projects("data out of a proof", const("Hidden"), "Hidden", 0, BOOL, "data out of a proof")
projects("data out of a proof, by imax", const("HiddenByImax"), "HiddenByImax", 0, BOOL, "data out of a proof")
projects("a proof after data it does not depend on", const("AfterData"), "AfterData", 1, TRUE)
projects("a proof that depends on data", const("Dependent"), "Dependent", 1, TRUE, "data out of a proof")
yes(
    "projection: out of what may be a proposition",
    lambda s: s.define(
        "d",
        pi(sort("v"), lambda a: arrow(app(const("Maybe", "v"), a), a)),
        lam(sort("v"), lambda a: lam(app(const("Maybe", "v"), a), lambda x: proj("Maybe", 0, x))),
        "v",
    ),
)
no(
    "projection: the structure is checked",
    "an argument",
    lambda s: s.theorem("t", TRUE, proj("Proof", 0, app(const("Proof.mk"), YES))),
)

# Numbers.
for op, m, n, value in (
    ("add", 7, 35, 42), ("sub", 5, 7, 0), ("sub", 50, 8, 42),
    ("mul", 6, 7, 42), ("pow", 2, 100, 2**100), ("gcd", 84, 126, 42),
    ("shiftRight", 5120, 10, 5), ("shiftRight", 5120, 13, 0), ("shiftRight", 8, 3, 1),
):  # fmt: skip
    computes(f"Nat.{op} {m} {n}", app(const(f"Nat.{op}"), nat(m), nat(n)), nat(value))
    computes(f"not Nat.{op} {m} {n}", app(const(f"Nat.{op}"), nat(m), nat(n)), nat(value + 1), holds=False)
computes("literals are constructors", nat(2), succ(succ(ZERO)))
computes("literals are what they are", nat(2), succ(succ(nat(1))), holds=False)
computes("big literals", app(const("Nat.add"), nat(10**30), nat(1)), succ(nat(10**30)))
yes(
    "numbers with variables",
    lambda s: s.theorem(
        "t",
        pi(NAT, lambda x: eq(NAT, app(const("Nat.add"), x, nat(2)), succ(succ(x)))),
        lam(NAT, lambda x: refl(NAT, succ(succ(x)))),
    ),
)
no(
    "a power that is no literal is not zero",
    "another type",
    lambda s: s.theorem(
        "t", pi(NAT, lambda x: eq(NAT, app(const("Nat.pow"), x, nat(2)), nat(0))), lam(NAT, lambda x: refl(NAT, nat(0)))
    ),
)
case(
    "a power with too many digits",
    "undecided",
    lambda s: s.theorem("t", eq(NAT, app(const("Nat.pow"), nat(2), nat(2**30)), nat(0)), refl(NAT, nat(0))),
    "digits",
)
no(
    "a string literal where String is not there",
    "String|unknown constant",
    lambda s: s.theorem("t", TRUE, app(lam(const("String"), TRIVIAL), ("strVal", "a"))),
)
no(
    "an assumed function of another type is not computed",
    "an argument|another type",
    lambda s: s.theorem("t", eq(BOOL, app(const("Nat.land"), nat(1), nat(1)), YES), refl(BOOL, YES)),
)

# Quotients.
REL = lam(NAT, lambda _: lam(NAT, lambda _: TRUE))
CLASS = app(const("Quot.mk", 1), NAT, REL, ZERO)
RESPECTS = lam(NAT, lambda a: lam(NAT, lambda b: lam(TRUE, refl(BOOL, YES))))
computes("Quot.lift", app(const("Quot.lift", 1, 1), NAT, REL, BOOL, lam(NAT, YES), RESPECTS, CLASS), YES, BOOL)
computes(
    "not Quot.lift",
    app(const("Quot.lift", 1, 1), NAT, REL, BOOL, lam(NAT, YES), RESPECTS, CLASS),
    NO,
    BOOL,
    holds=False,
)
no(
    "Quot.lift of what does not respect the relation",
    "an argument",
    lambda s: s.define(
        "d",
        NAT,
        app(
            const("Quot.lift", 1, 1),
            NAT,
            REL,
            NAT,
            lam(NAT, lambda x: x),
            lam(NAT, lambda a: lam(NAT, lambda b: lam(TRUE, refl(NAT, a)))),
            CLASS,
        ),
    ),
)

# Inductive types: what is right.
VEC = Type(
    "Vec",
    arrow(TYPE, NAT, TYPE),
    [
        ("Vec.nil", pi(TYPE, lambda a: app(const("Vec"), a, ZERO))),
        (
            "Vec.cons",
            pi(TYPE, lambda a: pi(NAT, lambda n: arrow(a, app(const("Vec"), a, n), app(const("Vec"), a, succ(n))))),
        ),
    ],
    params=1,
)
ROSE = Type(
    "Rose",
    arrow(TYPE, TYPE),
    [("Rose.node", pi(TYPE, lambda a: arrow(a, app(const("List", 0), app(const("Rose"), a)), app(const("Rose"), a))))],
    params=1,
)
IN_LIST = (LIST, (0,), lambda a: [app(const("Rose"), a)])
TREE = Type("New", TYPE, [("New.leaf", NEW), ("New.node", arrow(arrow(NAT, NEW), NEW))])
EVEN, ODD = (lambda n: app(const("Even"), n)), (lambda n: app(const("Odd"), n))
MUTUAL = (
    Type(
        "Even",
        arrow(NAT, PROP),
        [("Even.zero", EVEN(ZERO)), ("Even.succ", pi(NAT, lambda n: arrow(ODD(n), EVEN(succ(n)))))],
    ),
    Type("Odd", arrow(NAT, PROP), [("Odd.succ", pi(NAT, lambda n: arrow(EVEN(n), ODD(succ(n)))))]),
)
INDEX = Type("New", arrow(BOOL, PROP), [("New.mk", pi(BOOL, lambda b: app(NEW, b)))])
yes("an indexed type", lambda s: s.inductive(VEC))
yes("a nested type", lambda s: s.inductive(ROSE, nested=[IN_LIST]))
yes("a reflexive type", lambda s: s.inductive(TREE))
yes("mutual predicates", lambda s: s.inductive(*MUTUAL, large=False))
yes("data that the index tells", lambda s: s.inductive(INDEX))
yes("a type in a higher universe", lambda s: s.inductive(struct("New", TYPE, level=2)))
yes("a predicate of anything", lambda s: s.inductive(struct("New", TYPE, level=0), large=False))
yes(
    "a former that unfolds to a sort",
    lambda s: s.inductive(Type("New", app(const("id", 3), sort(2), TYPE), [("New.mk", NEW)])),
)

# Inductive types: formers and constructors.
no("a former that ends in no sort", "sort", lambda s: s.inductive(Type("New", BOOL, [])))
no(
    "fewer parameters than is said",
    "fewer parameters",
    lambda s: s.record("inductive", changed(inductive(Type("New", TYPE, [])), "types", numParams=1)),
)
no(
    "a negative occurrence",
    "non-positive",
    lambda s: s.inductive(Type("New", TYPE, [("New.mk", arrow(arrow(NEW, NEW), NEW))])),
)
no(
    "a negative occurrence, deeper",
    "non-positive",
    lambda s: s.inductive(Type("New", TYPE, [("New.mk", arrow(arrow(NAT, NEW, NAT), NEW))])),
)
no(
    "a negative occurrence below a definition",
    "non-positive",
    lambda s: s.inductive(Type("New", TYPE, [("New.mk", arrow(arrow(app(const("Ignore"), NAT, NEW), NEW), NEW))])),
)
no(
    "the type in its own index",
    "does not end|not allowed",
    lambda s: s.inductive(Type("New", arrow(TYPE, TYPE), [("New.mk", app(NEW, app(NEW, NAT)))])),
)
no(
    "the type in an index of a field",
    "not allowed",
    lambda s: s.inductive(Type("New", arrow(TYPE, TYPE), [("New.mk", arrow(app(NEW, app(NEW, NAT)), app(NEW, NAT)))])),
)
no(
    "the type as an argument",
    "not allowed|unknown",
    lambda s: s.inductive(
        Type("New", TYPE, [("New.mk", arrow(app(const("id", 2), TYPE, app(const("Acc.Missing"), NEW)), NEW))])
    ),
)
no("a field whose universe is too high", "universe is too high", lambda s: s.inductive(struct("New", TYPE)))
no(
    "a field too high through imax",
    "universe is too high",
    lambda s: s.inductive(
        Type("New", sort(("imax", 2, "v")), [("New.mk", arrow(TYPE, const("New", "v")))], levels=("v",)), large=False
    ),
)
no(
    "data in what may be a proposition",
    "universe is too high",
    lambda s: s.inductive(
        Type("New", sort("v"), [("New.mk", arrow(BOOL, const("New", "v")))], levels=("v",)), large=False
    ),
)
no("a constructor that ends elsewhere", "does not end", lambda s: s.inductive(Type("New", TYPE, [("New.mk", NAT)])))
no(
    "a constructor type that has to be unfolded",
    "does not end",
    lambda s: s.inductive(Type("New", TYPE, [("New.mk", app(const("id", 2), TYPE, NEW))])),
)
no(
    "a constructor with another parameter",
    "parameters are not",
    lambda s: s.inductive(
        Type("New", arrow(TYPE, TYPE), [("New.mk", pi(PROP, lambda a: app(NEW, const("Nat"))))], params=1)
    ),
)
swapped = pi(TYPE, lambda a: pi(TYPE, lambda b: app(NEW, b, a)))
no(
    "parameters in another order",
    "other parameters",
    lambda s: s.inductive(Type("New", arrow(TYPE, TYPE, TYPE), [("New.mk", swapped)], params=2)),
)
swapped_levels = pi(sort("v"), lambda a: pi(sort("w"), lambda b: app(const("New", "w", "v"), b, a)))
no(
    "levels in another order",
    "other parameters|an argument",
    lambda s: s.inductive(
        Type("New", arrow(sort("v"), sort("w"), TYPE), [("New.mk", swapped_levels)], params=2, levels=("v", "w"))
    ),
)
hidden = pi(TYPE, lambda a: arrow(app(const("Ignore"), NAT, app(NEW, NAT)), app(NEW, a)))
no(
    "another parameter behind a definition",
    "other parameters",
    lambda s: s.inductive(Type("New", arrow(TYPE, TYPE), [("New.mk", hidden)], params=1)),
)
no(
    "mutual types in different universes",
    "universes",
    lambda s: s.inductive(Type("New", TYPE, []), Type("Other", sort(2), [])),
)
other = Type("Other", arrow(PROP, TYPE), [], params=1)
no(
    "mutual types with different parameters",
    "different parameters",
    lambda s: s.inductive(Type("New", arrow(TYPE, TYPE), [], params=1), other),
)
no(
    "a type that is indexed by one declared with it",
    "unknown constant New",
    lambda s: s.inductive(Type("New", TYPE, []), Type("Other", arrow(NEW, TYPE), [])),
)
no(
    "a constructor that speaks of a constructor",
    "unknown constant New.a",
    lambda s: s.inductive(
        Type("New", TYPE, [("New.a", NEW), ("New.b", arrow(eq(NEW, const("New.a"), const("New.a")), NEW))])
    ),
)
no(
    "constructors of one name",
    "differ|twice|wrong",
    lambda s: s.inductive(Type("New", TYPE, [("New.mk", NEW), ("New.mk", NEW)])),
)
no(
    "a constructor with a name that is taken",
    "already declared",
    lambda s: s.inductive(Type("New", TYPE, [("Nat.zero", NEW)])),
)
no("a constructor with the recursor's name", "twice", lambda s: s.inductive(Type("New", TYPE, [("New.rec", NEW)])))
no(
    "an undeclared parameter in a constructor",
    "universe parameter v",
    lambda s: s.inductive(Type("New", sort(2), [("New.mk", arrow(sort("v"), NEW))])),
)
no(
    "a projection out of the type itself",
    "projection|no structure",
    lambda s: s.inductive(
        Type("New", TYPE, [("New.mk", pi(NEW, lambda x: arrow(app(const("Ignore"), NAT, proj("New", 0, x)), NEW)))])
    ),
)
no(
    "a sort that takes a recursor to reach",
    "does not end in a sort",
    lambda s: s.inductive(
        Type(
            "New",
            pi(
                eq(BOOL, YES, YES),
                lambda h: app(
                    const("Eq.rec", 3, 1), BOOL, YES, lam(BOOL, lambda b: lam(eq(BOOL, YES, b), sort(2))), TYPE, YES, h
                ),
            ),
            [],
            params=1,
        )
    ),
)

# Nested types.
no(
    "a nested occurrence whose parameters are not checked elsewhere",
    "another type|no structure",
    lambda s: s.inductive(
        Type(
            "New",
            arrow(BOX, TYPE),
            [
                (
                    "New.mk",
                    pi(BOX, lambda w: arrow(app(const("Phantom"), app(NEW, w), proj("OtherBox", 0, w)), app(NEW, w))),
                )
            ],
            params=1,
        ),
        nested=[(PHANTOM, (), lambda w: [app(NEW, w), proj("OtherBox", 0, w)])],
    ),
)
no(
    "a nested occurrence with another parameter",
    "other parameters",
    lambda s: s.inductive(
        Type(
            "New",
            arrow(BOOL, TYPE),
            [("New.mk", pi(BOOL, lambda w: arrow(app(const("Phantom"), app(NEW, YES), w), app(NEW, w))))],
            params=1,
        ),
        nested=[(PHANTOM, (), lambda w: [app(NEW, YES), w])],
    ),
)
no(
    "a nested occurrence that depends on a field",
    "depend on fields",
    lambda s: s.inductive(
        Type("New", TYPE, [("New.mk", pi(BOOL, lambda b: arrow(app(const("Phantom"), NEW, b), NEW)))])
    ),
)
no(
    "a nested negative occurrence",
    "non-positive",
    lambda s: s.inductive(
        Type("New", TYPE, [("New.mk", arrow(app(const("List", 0), arrow(NEW, NAT)), NEW))]),
        nested=[(LIST, (0,), lambda: [arrow(NEW, NAT)])],
    ),
)
no(
    "a nested type in a function of predicates",
    "not allowed|an argument",
    lambda s: s.inductive(
        Type(
            "New", TYPE, [("New.mk", arrow(app(const("Acc", 2), TYPE, lam(TYPE, lambda _: lam(TYPE, TRUE)), NEW), NEW))]
        )
    ),
)
no(
    "numNested",
    "0 nested|1 nested",
    lambda s: s.record("inductive", changed(inductive(ROSE, nested=[IN_LIST]), "types", numNested=0)),
)


def without_last_recursor() -> dict[str, Any]:
    record = inductive(ROSE, nested=[IN_LIST])
    record["recs"].pop()
    return record


no("a nested recursor is missing", "has 2 recursors", lambda s: s.record("inductive", without_last_recursor()))

# Large elimination, K.
TWO = Type("New", PROP, [("New.a", NEW), ("New.b", NEW)])
no("large elimination of a proposition with two constructors", "recursor", lambda s: s.inductive(TWO))
yes("small elimination of a proposition with two constructors", lambda s: s.inductive(TWO, large=False))
no("large elimination of hidden data", "recursor", lambda s: s.inductive(struct("New", BOOL, level=0)))
no(
    "large elimination of hidden data, by imax",
    "recursor",
    lambda s: s.inductive(struct("New", BOOL, level=("imax", 1, 0))),
)
no("large elimination of mutual predicates", "recursor", lambda s: s.inductive(*MUTUAL))
maybe_new = Type("New", sort("v"), [("New.a", const("New", "v")), ("New.b", const("New", "v"))], levels=("v",))
no("large elimination of what may be a proposition", "recursor", lambda s: s.inductive(maybe_new))
yes("small elimination of what may be a proposition", lambda s: s.inductive(maybe_new, large=False))
imax_new = Type(
    "New", sort(("imax", 1, "v")), [("New.a", const("New", "v")), ("New.b", const("New", "v"))], levels=("v",)
)
no("large elimination of what may be one by imax", "recursor", lambda s: s.inductive(imax_new))
no(
    "data that a function of the index tells",
    "recursor",
    lambda s: s.inductive(Type("New", arrow(NAT, PROP), [("New.mk", pi(NAT, lambda n: app(NEW, succ(n))))])),
)
no("K for a type with a field", "K is false", lambda s: s.inductive(struct("New", TRUE, level=0), k=True))
no("K for data", "K is false", lambda s: s.inductive(ANY(), k=True))
no("K for two constructors", "K is false", lambda s: s.inductive(TWO, large=False, k=True))
no("K is missing", "K is true", lambda s: s.inductive(Type("New", PROP, [("New.mk", NEW)])))

# What else the record says.
COPY = Type("New", TYPE, [("New.zero", NEW), ("New.succ", arrow(NEW, NEW))])


def lie(about: str, reason: str, part: str, index: int = 0, /, **fields: Any) -> None:
    no(f"a lie about {about}", reason, lambda s: s.record("inductive", changed(inductive(COPY), part, index, **fields)))


lie("numIndices", "indices", "types", numIndices=1)
lie("isRec", "isRec", "types", isRec=False)
lie("isReflexive", "isReflexive", "types", isReflexive=True)
lie("all", "differ", "types", all=["New", "Nat"])
lie("the list of constructors", "list of constructors", "types", ctors=["New.zero"])
lie("their order", "list of constructors", "types", ctors=["New.succ", "New.zero"])
lie("numFields", "numFields", "ctors", 1, numFields=0)
lie("cidx", "cidx", "ctors", 1, cidx=0)
lie("a constructor's type", "list of constructors", "ctors", 1, induct="Nat")
lie("a constructor's levels", "another type", "ctors", 1, levelParams=["v"])
lie("safety", "unsafe", "types", isUnsafe=True)
lie("the recursor's name", "is missing", "recs", name="New.recursor")
lie("the recursor's levels", "universe parameters", "recs", levelParams=["u", "w"])
lie("the recursor's level", "lacks its universe", "recs", levelParams=[])
lie("the motives", "a number is not", "recs", numMotives=2)
lie("the minor premises", "a number is not", "recs", numMinors=1)
lie("the recursor's parameters", "a number is not", "recs", numParams=1)
lie("the recursor's indices", "a number is not", "recs", numIndices=1)
lie("the recursor's type", "not that of the recursor", "recs", type=FALSE)
no(
    "a recursor that is another's",
    "unknown constant|not that",
    lambda s: s.record("inductive", changed(inductive(COPY), "recs", type=inductive(ANY())["recs"][0]["type"])),
)


def wrong_rule() -> dict[str, Any]:
    record = inductive(COPY)
    rules = record["recs"][0]["rules"]
    motive, zero, step, n = (new_local() for _ in range(4))
    variables = [
        (motive, arrow(NEW, sort("u"))),
        (zero, app(motive, const("New.zero"))),
        (step, pi(NEW, lambda m: arrow(app(motive, m), app(motive, app(const("New.succ"), m))))),
        (n, NEW),
    ]
    rules[1]["rhs"] = over("lam", variables, zero)
    return record


def without_hypothesis() -> dict[str, Any]:
    record = inductive(COPY)
    record["recs"][0]["type"] = pi(
        arrow(NEW, sort("u")),
        lambda m: arrow(
            app(m, const("New.zero")),
            pi(NEW, lambda n: app(m, app(const("New.succ"), n))),
            pi(NEW, lambda t: app(m, t)),
        ),
    )
    return record


no("a rule that gives something else", "another type|rule for New.succ", lambda s: s.record("inductive", wrong_rule()))
no(
    "a recursor without the hypothesis",
    "not that of the recursor",
    lambda s: s.record("inductive", without_hypothesis()),
)
no(
    "a rule for another constructor",
    "rule for",
    lambda s: s.record(
        "inductive", {**inductive(COPY), "recs": [{**(r := inductive(COPY)["recs"][0]), "rules": r["rules"][::-1]}]}
    ),
)
no(
    "a rule too few",
    "number of rules",
    lambda s: s.record(
        "inductive", {**inductive(COPY), "recs": [{**(r := inductive(COPY)["recs"][0]), "rules": r["rules"][:1]}]}
    ),
)
no(
    "a wrong number of fields in a rule",
    "rule for",
    lambda s: s.record(
        "inductive",
        {
            **inductive(COPY),
            "recs": [{**(r := inductive(COPY)["recs"][0]), "rules": [r["rules"][0], {**r["rules"][1], "nfields": 2}]}],
        },
    ),
)
no(
    "a recursor too many",
    "has 1 recursors",
    lambda s: s.record(
        "inductive", {**(r := inductive(COPY)), "recs": [*r["recs"], {**r["recs"][0], "name": "New.rec2"}]}
    ),
)
no("no recursor", "universe parameter|recursors", lambda s: s.record("inductive", {**inductive(COPY), "recs": []}))


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    """All cases, judged by one process."""
    stream = library().candidate()
    for c in CASES:
        c.write(stream)
    answer = check(stream, mode="each", premises=["premise", "hidden"], seconds=60, secondsEach=5)
    assert answer["verdict"] == "done", answer
    assert len(answer["each"]) == len(CASES) == len({c.name for c in CASES})
    return dict(zip((c.name for c in CASES), answer["each"], strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_single_declarations(case: Case, verdicts: dict[str, dict[str, Any]]) -> None:
    found = verdicts[case.name]
    assert found["verdict"] == case.verdict, found
    assert re.search(case.reason, found["reason"]), found


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
