"""Definitions and theorems that are wrong, written as data: terms, levels, projections, equalities."""

from lean_streams import (
    BOOL,
    FALSE,
    NAT,
    PROP,
    TRIVIAL,
    TRUE,
    TYPE,
    Collection,
    Tables,
    Term,
    app,
    arrow,
    bvar,
    const,
    eq,
    lam,
    let,
    number,
    pi,
    proj,
    refl,
    sort,
    text,
)

WRONG = Collection()
refuse, case = WRONG.refuse, WRONG.case

YES, NO = const("Bool.true"), const("Bool.false")


def by_refl(t: Tables, name: str, type: Term, a: Term, b: Term, level: object = 1) -> None:
    t.prove(name, eq(type, a, b, level), refl(type, a, level))


# What every kernel must see

WRONG.add("A definition whose value is no value of its type.", lambda t: t.define("x", NAT, TRUE))
WRONG.add("A theorem with the proof of another one.", lambda t: t.prove("x", FALSE, TRIVIAL))
WRONG.add(
    "The type of a theorem is no proposition: with proofs hidden, two such constants could differ.",
    lambda t: t.prove("x", NAT, number(0)),
)
WRONG.add("The type of a theorem is `Prop` itself.", lambda t: t.prove("x", PROP, TRUE))
WRONG.add(
    "The type of a theorem lives in `Sort u`, a proposition only for some u.",
    lambda t: t.prove(
        "x", pi("A", sort("u"), lambda A: arrow(A, A)), lam("A", sort("u"), lambda A: lam("a", A, bvar(0))), ["u"]
    ),
)
WRONG.add("The proof is the theorem.", lambda t: t.prove("x", FALSE, const("x")))
WRONG.add("The value is the definition.", lambda t: t.define("x", FALSE, const("x")))


@refuse()
def theorem_that_uses_a_later_one(t: Tables) -> None:
    """Two theorems that prove each other."""
    t.prove("x", FALSE, const("y"))
    t.prove("y", FALSE, const("x"))


WRONG.add("The type mentions what is declared.", lambda t: t.define("x", const("x"), TRIVIAL))
WRONG.add("A constant that nobody has declared.", lambda t: t.prove("x", FALSE, const("No.such")))
WRONG.add("A function is given what it does not take.", lambda t: t.define("x", NAT, app(const("Nat.succ"), TRIVIAL)))
WRONG.add(
    "An ill-typed argument that reduction throws away.",
    lambda t: t.define("x", NAT, app(lam("a", NAT, number(0)), TRIVIAL)),
)
WRONG.add("A number is applied.", lambda t: t.define("x", NAT, app(number(3), number(4))))
WRONG.add("A value that is a variable of no binder.", lambda t: t.define("x", NAT, bvar(0)))
WRONG.add(
    "A variable that points one binder too far out.",
    lambda t: t.prove("x", arrow(FALSE, FALSE), lam("h", FALSE, bvar(1))),
)
WRONG.add(
    "A type with a variable of no binder.", lambda t: t.define("x", pi("a", NAT, bvar(1)), lam("a", NAT, bvar(1)))
)
WRONG.add(
    "A variable whose number needs more than 64 bits, as if it could wrap to that of a binder.",
    lambda t: t.prove("x", arrow(FALSE, FALSE), lam("h", FALSE, ("bvar", 2**64))),
    "unasked",
    "refuse",
    alone=True,
)
WRONG.add("A number in the place of a type.", lambda t: t.define("x", number(1), number(0)))
WRONG.add(
    "A number in the place of the type of a variable.",
    lambda t: t.define("x", arrow(NAT, NAT), lam("a", number(5), number(0))),
)
WRONG.add("`∀ a : 5, True`.", lambda t: t.define("x", PROP, pi("a", number(5), TRUE)))
WRONG.add("`∀ a : Nat, a`.", lambda t: t.define("x", PROP, pi("a", NAT, bvar(0))))
WRONG.add("The value of a let is not of its type.", lambda t: t.prove("x", FALSE, let("h", FALSE, TRIVIAL, bvar(0))))
WRONG.add(
    "The type of a let is a number, and the variable is not used.",
    lambda t: t.prove("x", TRUE, let("h", number(3), number(3), TRIVIAL)),
)
WRONG.add(
    "A let that the body does not use is checked all the same (lean4#10475).",
    lambda t: t.prove("x", TRUE, let("h", FALSE, TRIVIAL, TRIVIAL)),
)


@refuse()
def let_that_stays_hidden(t: Tables) -> None:
    """A let's variable is not its value where the let is a function that is applied."""
    motive = lam("n", NAT, lambda n: eq(NAT, n, number(3)))
    t.prove("x", eq(NAT, number(3), number(3)), app(lam("n", NAT, lambda n: refl(NAT, n)), number(3)))
    t.prove(
        "y",
        app(motive, number(4)),
        app(lam("n", NAT, lambda n: app(lam("h", app(motive, n), bvar(0)), refl(NAT, n))), number(4)),
    )


# Levels

WRONG.add("`Eq` without its level.", lambda t: t.define("x", PROP, app(const("Eq"), NAT, number(0), number(0))))
WRONG.add("`Eq` with two levels.", lambda t: t.define("x", PROP, app(const("Eq", 1, 1), NAT, number(0), number(0))))
WRONG.add("`Nat` with a level.", lambda t: t.define("x", TYPE, const("Nat", 0)))
WRONG.add(
    "A level that is no parameter of the declaration.", lambda t: t.define("x", sort(("succ", "v")), sort("v"), ["u"])
)


@refuse()
def undeclared_level_that_is_thrown_away(t: Tables) -> None:
    """A level that is no parameter, in an argument that reduction drops."""
    unit = const("PUnit.unit", "v")
    t.define("x", NAT, app(lam("a", const("PUnit", "v"), number(0)), unit))


@case("refuse", "either")
def undeclared_level_that_vanishes(t: Tables) -> None:
    """A level that is no parameter, in an imax that is 0 whatever it is: what it says is right."""
    own = sort(("imax", "v", 0))
    t.prove("x", pi("p", PROP, lambda p: arrow(p, p)), lam("p", own, lambda p: lam("h", p, bvar(0))))


WRONG.add("One name for two parameters.", lambda t: t.define("x", TYPE, PROP, ["u", "u"]))
WRONG.add("`Type : Type`.", lambda t: t.define("x", TYPE, TYPE))


@refuse()
def down_by_one(t: Tables) -> None:
    """The identity from `Sort (imax u v + 1)` to `Sort (imax u v)` (nanoda, kernel arena 16)."""
    big, small = sort(("succ", ("imax", "u", "v"))), sort(("imax", "u", "v"))
    t.define("down", arrow(big, small), lam("A", big, bvar(0)), ["u", "v"])


@refuse()
def down_to_imax(t: Tables) -> None:
    """`Sort (imax 0 v + 1)` for `Sort (imax 0 v)`, equal as soon as an offset is lost (lean4lean, kernel arena 17)."""
    big, small = sort(("succ", ("imax", 0, "v"))), sort(("imax", 0, "v"))
    t.define("down", arrow(big, small), lam("A", big, bvar(0)), ["v"])


def _level_lie(t: Tables, left: object, right: object) -> None:
    params = sorted({p for p in "uvw" if p in repr((left, right))})
    t.define("x", sort(("succ", left)), sort(right), params)


WRONG.add(
    "`imax u v` is not `max u v`: the one is 0 where v is.",
    lambda t: _level_lie(t, ("max", "u", "v"), ("imax", "u", "v")),
)
WRONG.add("`imax u v` is not v.", lambda t: _level_lie(t, "v", ("imax", "u", "v")))
WRONG.add("`imax 1 u` is not `max 1 u`.", lambda t: _level_lie(t, ("max", 1, "u"), ("imax", 1, "u")))
WRONG.add("u is not u + 1.", lambda t: _level_lie(t, ("succ", "u"), "u"))
WRONG.add("`max u 1` is not u.", lambda t: _level_lie(t, "u", ("max", "u", 1)))
WRONG.add(
    "`max u v + 1` is not `max (u + 1) v`.",
    lambda t: _level_lie(t, ("succ", ("max", "u", "v")), ("max", ("succ", "u"), "v")),
)
WRONG.add("`imax u v` is not `imax v u`.", lambda t: _level_lie(t, ("imax", "u", "v"), ("imax", "v", "u")))
WRONG.add(
    "`imax u (imax v w)` is not `imax (imax u w) v`.",
    lambda t: _level_lie(t, ("imax", "u", ("imax", "v", "w")), ("imax", ("imax", "u", "w"), "v")),
)
WRONG.add(
    "`imax u v + 1` is not `imax (u + 1) (v + 1)`, which is `max u v + 1`.",
    lambda t: _level_lie(t, ("succ", ("imax", "u", "v")), ("imax", ("succ", "u"), ("succ", "v"))),
)
WRONG.add(
    "Functions into data are no proposition, whatever they start from.",
    lambda t: t.define("x", PROP, pi("p", PROP, NAT)),
)
WRONG.add("`Type → Type` lives above `Type`.", lambda t: t.define("x", TYPE, arrow(TYPE, TYPE)))


# Projections


def _pair(t: Tables, a: Term, b: Term) -> Term:
    return app(const("Prod.mk", 0, 0), NAT, NAT, a, b)


@refuse()
def projection_beyond_the_fields(t: Tables) -> None:
    """The third field of a pair."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    t.define("x", arrow(pair, NAT), lam("p", pair, proj("Prod", 2, bvar(0))))


@refuse()
def projection_number_that_wraps(t: Tables) -> None:
    """Field 2^32 of a pair is field 0 where numbers are cut to 32 bits (lean4#14632; this Lean has 32)."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    t.define("x", arrow(pair, NAT), lam("p", pair, proj("Prod", 2**32, bvar(0))))


@refuse(alone=True)
def projection_number_of_65_bits(t: Tables) -> None:
    """Field 2^64 of a pair."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    t.define("x", arrow(pair, NAT), lam("p", pair, proj("Prod", 2**64, bvar(0))))


WRONG.add(
    "The predecessor of any number, by a projection.",
    lambda t: t.define("x", arrow(NAT, NAT), lam("n", NAT, proj("Nat", 0, bvar(0)))),
)
WRONG.add(
    "`(Or.inr True.intro).0 : False` (kernel arena 81).",
    lambda t: t.prove("x", FALSE, proj("Or", 0, app(const("Or.inr"), FALSE, TRUE, TRIVIAL))),
)
WRONG.add(
    "A pair is projected as if it were one of another kind (lean4#14576).",
    lambda t: t.define("x", NAT, proj("PProd", 0, _pair(t, number(1), number(2)))),
)


@refuse()
def projection_by_another_structure_that_is_thrown_away(t: Tables) -> None:
    """The same in an argument that reduction drops."""
    bad = proj("PProd", 0, _pair(t, number(1), number(2)))
    t.define("x", NAT, app(lam("a", NAT, number(7)), bad))


WRONG.add(
    "The name of a projection is that of a definition.",
    lambda t: t.define("x", NAT, proj("Nat.add", 0, _pair(t, number(1), number(2)))),
)
WRONG.add(
    "The name of a projection is that of nothing.",
    lambda t: t.define("x", NAT, proj("No.such", 0, _pair(t, number(1), number(2)))),
)


@refuse()
def projection_of_a_function(t: Tables) -> None:
    """A function that would give a pair is projected."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    t.define("x", arrow(arrow(NAT, pair), NAT), lam("f", arrow(NAT, pair), proj("Prod", 0, bvar(0))))


WRONG.add(
    "A constructor that lacks an argument is projected.",
    lambda t: t.define("x", NAT, proj("Prod", 0, app(const("Prod.mk", 0, 0), NAT, NAT, number(1)))),
)


@refuse()
def witness_out_of_a_proof(t: Tables) -> None:
    """Data are projected out of an existence."""
    exists = app(const("Exists", 1), NAT, lam("n", NAT, TRUE))
    t.define("x", arrow(exists, NAT), lam("h", exists, proj("Exists", 0, bvar(0))))


@refuse()
def proof_about_a_witness(t: Tables) -> None:
    """What is said of data that cannot be projected cannot be projected either."""
    exists = app(const("Exists", 1), NAT, lam("n", NAT, lambda n: eq(NAT, n, n)))
    value = lam("h", exists, lambda h: proj("Exists", 1, h))
    t.prove("x", pi("h", exists, lambda h: eq(NAT, proj("Exists", 0, h), proj("Exists", 0, h))), value)


@refuse()
def proof_behind_a_witness(t: Tables) -> None:
    """A field that follows data on which others depend, and does not depend itself."""
    both = lam("n", NAT, lambda n: app(const("And"), eq(NAT, n, n), TRUE))
    exists = app(const("Exists", 1), NAT, both)
    t.prove("x", arrow(exists, TRUE), lam("h", exists, proj("And", 1, proj("Exists", 1, bvar(0)))))


WRONG.add(
    "`(And.intro True.intro True.intro : False ∧ True).0 : False` (kernel arena 36).",
    lambda t: t.prove("x", FALSE, proj("And", 0, app(const("And.intro"), FALSE, TRUE, TRIVIAL, TRIVIAL))),
)


@refuse()
def witness_that_is_an_index(t: Tables) -> None:
    """Data are projected out of a proof even though the proposition says them."""
    family = arrow(NAT, PROP)
    mk = pi("n", NAT, lambda n: arrow(TRUE, app(const("At"), n)))
    t.inductive("At", family, [("At.mk", mk)])
    at = app(const("At"), number(3))
    t.define("x", arrow(at, NAT), lam("h", at, proj("At", 0, bvar(0))))


def _secret(t: Tables, level: object) -> None:
    """A proposition with a Boolean in it, whose sort is not spelled `Prop`."""
    t.inductive("Secret", sort(level), [("Secret.mk", arrow(BOOL, const("Secret")))], large=False)


@refuse()
def secret_in_an_imax(t: Tables) -> None:
    """An inductive type of `Sort (imax 1 0)` holds data as a proposition may, and gives them as data (lean4#14613)."""
    _secret(t, ("imax", 1, 0))
    t.define("out", arrow(const("Secret"), BOOL), lam("s", const("Secret"), proj("Secret", 0, bvar(0))))


@refuse()
def secret_in_a_max(t: Tables) -> None:
    """The same with `Sort (max 0 0)`."""
    _secret(t, ("max", 0, 0))
    t.define("out", arrow(const("Secret"), BOOL), lam("s", const("Secret"), proj("Secret", 0, bvar(0))))


@refuse()
def secret_of_a_unit(t: Tables) -> None:
    """A field of `PUnit.{1}` out of a proposition, though all its values are equal."""
    unit = const("PUnit", 1)
    t.inductive("Secret", PROP, [("Secret.mk", arrow(unit, const("Secret")))], large=False)
    t.define("out", arrow(const("Secret"), unit), lam("s", const("Secret"), proj("Secret", 0, bvar(0))))


@refuse()
def secret_of_a_type(t: Tables) -> None:
    """A type out of a proposition."""
    t.inductive("Secret", PROP, [("Secret.mk", arrow(TYPE, const("Secret")))], large=False)
    t.define("out", arrow(const("Secret"), TYPE), lam("s", const("Secret"), proj("Secret", 0, bvar(0))))


# Equalities that do not hold

WRONG.add("2 = 3 by reflexivity.", lambda t: by_refl(t, "x", NAT, number(2), number(3)))
WRONG.add("Two literals that differ.", lambda t: by_refl(t, "x", const("String"), text("a"), text("b")))
WRONG.add(
    "One letter as one character and as two.",
    lambda t: by_refl(t, "x", const("String"), text("\u00e9"), text("e\u0301")),
)
WRONG.add(
    "A string that a program in C would end at once.", lambda t: by_refl(t, "x", const("String"), text("\0"), text(""))
)


def _characters(*codes: int) -> Term:
    char = const("Char")
    whole = app(const("List.nil", 0), char)
    for code in reversed(codes):
        whole = app(const("List.cons", 0), char, app(const("Char.ofNat"), number(code)), whole)
    return app(const("String.ofList"), whole)


WRONG.add(
    "A literal is not another list of characters.",
    lambda t: by_refl(t, "x", const("String"), text("ab"), _characters(97, 99)),
)
WRONG.add(
    "A character beyond 65535 is one, not the two of UTF-16.",
    lambda t: by_refl(t, "x", const("String"), text("\U0001d53d"), _characters(0xD835, 0xDD3D)),
)
WRONG.add(
    "A character beyond 127 is one, not the two of UTF-8.",
    lambda t: by_refl(t, "x", const("String"), text("\u00e9"), _characters(0xC3, 0xA9)),
)
WRONG.add("A literal is a natural number and nothing else.", lambda t: t.define("x", const("Int"), number(3)))
WRONG.add("A string is no number.", lambda t: t.define("x", NAT, text("3")))
WRONG.add("5 is not succ 5.", lambda t: by_refl(t, "x", NAT, number(5), app(const("Nat.succ"), number(5))))


@refuse()
def literal_for_a_successor_of_a_variable(t: Tables) -> None:
    """0 is not succ n."""
    zero = pi("n", NAT, lambda n: eq(NAT, number(0), app(const("Nat.succ"), n)))
    t.prove("x", zero, lam("n", NAT, refl(NAT, number(0))))


WRONG.add(
    "Two numbers that are equal as floating-point numbers.",
    lambda t: by_refl(t, "x", NAT, number(2**53), number(2**53 + 1)),
)
WRONG.add("2^64 is not 0.", lambda t: by_refl(t, "x", NAT, number(2**64), number(0)))


def _arithmetic(function: str, a: int, b: int, wrong: int) -> None:
    def build(t: Tables) -> None:
        by_refl(t, "x", NAT, app(const(f"Nat.{function}"), number(a), number(b)), number(wrong))

    build.__name__ = f"arithmetic_{function}_{a}_{b}_is_not_{wrong}"
    build.__doc__ = f"`Nat.{function} {a} {b} = {wrong}` by reflexivity."
    refuse()(build)


for _function, _a, _b, _wrong in (
    ("add", 2**31 - 1, 1, 0),
    ("add", 2**32 - 1, 1, 0),
    ("sub", 3, 5, 2**64 - 2),
    ("sub", 3, 5, 1),
    ("mul", 2**32, 2**32, 0),
    ("mul", 2**31, 2, 0),
    ("div", 7, 0, 7),
    ("div", 7, 2, 4),
    ("mod", 7, 0, 0),
    ("mod", 7, 2, 3),
    ("gcd", 0, 5, 0),
    ("gcd", 12, 18, 3),
    ("pow", 2, 64, 0),
    ("pow", 0, 0, 0),
    ("land", 2**40, 2**40 + 1, 0),
    ("lor", 2**33, 1, 1),
    ("xor", 2**33, 2**33 + 4, 0),
    ("shiftLeft", 1, 32, 1),
    ("shiftLeft", 1, 64, 0),
    ("shiftRight", 2**33, 33, 0),
):
    _arithmetic(_function, _a, _b, _wrong)


WRONG.add(
    "`Nat.beq 2 3 = true` by reflexivity.",
    lambda t: by_refl(t, "x", BOOL, app(const("Nat.beq"), number(2), number(3)), YES),
)
WRONG.add(
    "`Nat.ble 3 2 = true` by reflexivity.",
    lambda t: by_refl(t, "x", BOOL, app(const("Nat.ble"), number(3), number(2)), YES),
)
WRONG.add(
    "`Nat.log2 8 = 4` by reflexivity.", lambda t: by_refl(t, "x", NAT, app(const("Nat.log2"), number(8)), number(4))
)


@refuse()
def power_of_what_is_no_literal(t: Tables) -> None:
    """`Nat.pow` with a base that is no literal, which was read as if it were one (lean4#8060)."""
    statement = pi("n", NAT, lambda n: eq(NAT, app(const("Nat.pow"), n, number(2)), number(0)))
    t.prove("x", statement, lam("n", NAT, refl(NAT, number(0))))


@refuse()
def power_of_a_hidden_number(t: Tables) -> None:
    """`Nat.pow` with a constant that is no literal (lean4#8060)."""
    base = app(const("Nat.rec", 1), lam("n", NAT, NAT), number(3), lam("n", NAT, lam("m", NAT, bvar(0))))
    statement = pi("n", NAT, lambda n: eq(NAT, app(const("Nat.pow"), app(base, n), number(5)), number(243)))
    t.prove("x", statement, lam("n", NAT, refl(NAT, number(243))))


@refuse()
def arithmetic_with_a_variable(t: Tables) -> None:
    """`0 + n = n` is not by reflexivity."""
    statement = pi("n", NAT, lambda n: eq(NAT, app(const("Nat.add"), number(0), n), n))
    t.prove("x", statement, lam("n", NAT, lambda n: refl(NAT, n)))


@refuse()
def values_of_a_type_are_not_equal(t: Tables) -> None:
    """Two values of one type, as if it were a proposition."""
    statement = pi("A", TYPE, lambda A: pi("a", A, lambda a: pi("b", A, lambda b: eq(A, a, b))))
    t.prove("x", statement, lam("A", TYPE, lambda A: lam("a", A, lambda a: lam("b", A, refl(A, a)))))


@refuse()
def values_of_any_sort_are_not_equal(t: Tables) -> None:
    """Two values of a type of `Sort u`, which is no proposition for every u."""
    s = sort("u")
    statement = pi("A", s, lambda A: pi("a", A, lambda a: pi("b", A, lambda b: eq(A, a, b, "u"))))
    t.prove("x", statement, lam("A", s, lambda A: lam("a", A, lambda a: lam("b", A, refl(A, a, "u")))), ["u"])


@refuse()
def booleans_are_no_unit(t: Tables) -> None:
    """Two values of a type with two constructors."""
    statement = pi("a", BOOL, lambda a: eq(BOOL, a, YES))
    t.prove("x", statement, lam("a", BOOL, lambda a: refl(BOOL, a)))


@refuse()
def pairs_are_no_unit(t: Tables) -> None:
    """Two values of a structure with fields."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    by_refl(t, "x", pair, _pair(t, number(1), number(2)), _pair(t, number(1), number(3)))


@refuse()
def pair_turned_round(t: Tables) -> None:
    """`⟨p.2, p.1⟩` is not p."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    turned = lambda p: _pair(t, proj("Prod", 1, p), proj("Prod", 0, p))  # noqa: E731
    statement = pi("p", pair, lambda p: eq(pair, turned(p), p))
    t.prove("x", statement, lam("p", pair, lambda p: refl(pair, p)))


@refuse()
def pair_of_two_pairs(t: Tables) -> None:
    """`⟨p.1, q.2⟩` is not p."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    mixed = lambda p, q: _pair(t, proj("Prod", 0, p), proj("Prod", 1, q))  # noqa: E731
    statement = pi("p", pair, lambda p: pi("q", pair, lambda q: eq(pair, mixed(p, q), p)))
    t.prove("x", statement, lam("p", pair, lambda p: lam("q", pair, refl(pair, p))))


@refuse()
def eta_of_another_function(t: Tables) -> None:
    """`fun a => f (g a)` is not f."""
    f = arrow(NAT, NAT)
    body = lambda f, g: lam("a", NAT, lambda a: app(f, app(g, a)))  # noqa: E731
    statement = pi("f", f, lambda h: pi("g", f, lambda g: eq(f, body(h, g), h)))
    t.prove("x", statement, lam("f", f, lambda h: lam("g", f, refl(f, h))))


@refuse()
def eta_that_captures(t: Tables) -> None:
    """`fun a => a a'` is not a function that is a variable of the same binder."""
    f = arrow(NAT, NAT)
    statement = pi("a", NAT, lambda a: pi("f", f, lambda h: eq(f, lam("b", NAT, lambda b: app(h, a)), h)))
    t.prove("x", statement, lam("a", NAT, lam("f", f, lambda h: refl(f, h))))


@refuse()
def recursive_type_with_one_constructor(t: Tables) -> None:
    """Values of a recursive type are not their constructor of their fields."""
    own = const("Chain")
    t.inductive("Chain", TYPE, [("Chain.mk", arrow(NAT, own, own))])
    again = lambda c: app(const("Chain.mk"), proj("Chain", 0, c), proj("Chain", 1, c))  # noqa: E731
    statement = pi("c", own, lambda c: eq(own, again(c), c))
    t.prove("x", statement, lam("c", own, lambda c: refl(own, c)))


@refuse()
def indexed_type_with_one_constructor(t: Tables) -> None:
    """Values of a type with an index are not equal, though each of them has no fields but the index."""
    t.inductive("Tag", arrow(NAT, TYPE), [("Tag.mk", pi("n", NAT, lambda n: app(const("Tag"), n)))])
    tag = lambda n: app(const("Tag"), n)  # noqa: E731
    statement = pi("n", NAT, lambda n: pi("a", tag(n), lambda a: pi("b", tag(n), lambda b: eq(tag(n), a, b))))
    proof = lam("n", NAT, lambda n: lam("a", tag(n), lambda a: lam("b", tag(n), refl(tag(n), a))))
    t.prove("x", statement, proof)


def _transport(h: Term, value: Term, a: Term, b: Term) -> Term:
    motive = lam("b", BOOL, lambda c: lam("h", eq(BOOL, a, c), BOOL))
    return app(const("Eq.rec", 1, 1), BOOL, a, motive, value, b, h)


@refuse()
def transport_along_a_lie(t: Tables) -> None:
    """A transport along `true = false` does not vanish: its ends are not the same."""
    false = eq(BOOL, YES, NO)
    statement = pi("h", false, lambda h: pi("a", BOOL, lambda a: eq(BOOL, _transport(h, a, YES, NO), a)))
    t.prove("x", statement, lam("h", false, lam("a", BOOL, lambda a: refl(BOOL, a))))


@refuse()
def transport_between_variables(t: Tables) -> None:
    """A transport along `a = b` does not vanish for variables."""

    def claim(a: Term, b: Term) -> Term:
        return pi("h", eq(BOOL, a, b), lambda h: pi("v", BOOL, lambda v: eq(BOOL, _transport(h, v, a, b), v)))

    def proof(a: Term, b: Term) -> Term:
        return lam("h", eq(BOOL, a, b), lam("v", BOOL, lambda v: refl(BOOL, v)))

    statement = pi("a", BOOL, lambda a: pi("b", BOOL, lambda b: claim(a, b)))
    t.prove("x", statement, lam("a", BOOL, lambda a: lam("b", BOOL, lambda b: proof(a, b))))


def _accessible() -> tuple[Term, Term]:
    relation = lam("a", NAT, lambda a: lam("b", NAT, FALSE))
    return relation, app(const("Acc", 1), NAT, relation, number(0))


@refuse()
def accessibility_does_not_vanish(t: Tables) -> None:
    """Recursion on a proof of accessibility that is a variable is stuck: there is no rule of equality for it."""
    relation, acc = _accessible()
    motive = lam("a", NAT, lambda a: lam("h", app(const("Acc", 1), NAT, relation, a), BOOL))
    step = lam(
        "a",
        NAT,
        lambda a: lam(
            "f",
            pi("b", NAT, lambda b: arrow(app(relation, b, a), app(const("Acc", 1), NAT, relation, b))),
            lam("ih", pi("b", NAT, lambda b: arrow(app(relation, b, a), BOOL)), YES),
        ),
    )
    run = lambda h: app(const("Acc.rec", 1, 1), NAT, relation, motive, step, number(0), h)  # noqa: E731
    statement = pi("h", acc, lambda h: eq(BOOL, run(h), YES))
    t.prove("x", statement, lam("h", acc, refl(BOOL, YES)))


def _quotient() -> tuple[Term, Term]:
    relation = lam("a", NAT, lambda a: lam("b", NAT, TRUE))
    return relation, app(const("Quot", 1), NAT, relation)


@refuse()
def quotients_are_no_unit(t: Tables) -> None:
    """Classes of related values are equal by an axiom, not by reflexivity."""
    relation, quotient = _quotient()
    mk = lambda n: app(const("Quot.mk", 1), NAT, relation, number(n))  # noqa: E731
    by_refl(t, "x", quotient, mk(0), mk(1))


@refuse()
def lift_of_what_is_no_function_on_classes(t: Tables) -> None:
    """A function is lifted with a proof that is none."""
    relation, quotient = _quotient()
    claim = app(const("Quot.lift", 1, 1), NAT, relation, NAT, lam("n", NAT, bvar(0)), TRIVIAL)
    t.define("x", arrow(quotient, NAT), claim)


@refuse()
def lift_of_a_function_that_differs(t: Tables) -> None:
    """A function that tells related values apart, with the proof for another."""
    relation, quotient = _quotient()
    same = lam("a", NAT, lambda a: lam("b", NAT, lambda b: lam("h", TRUE, refl(NAT, number(0)))))
    claim = app(const("Quot.lift", 1, 1), NAT, relation, NAT, lam("n", NAT, bvar(0)), same)
    t.define("x", arrow(quotient, NAT), claim)


@refuse()
def lift_that_gives_another_value(t: Tables) -> None:
    """The lift of a constant function gives another value than the function."""
    relation, _ = _quotient()
    same = lam("a", NAT, lambda a: lam("b", NAT, lambda b: lam("h", TRUE, refl(NAT, number(0)))))
    lifted = app(const("Quot.lift", 1, 1), NAT, relation, NAT, lam("n", NAT, number(0)), same)
    by_refl(t, "x", NAT, app(lifted, app(const("Quot.mk", 1), NAT, relation, number(3))), number(3))


@refuse()
def list_of_another_element(t: Tables) -> None:
    """`[1]` is not `[2]`."""
    one = lambda n: app(const("List.cons", 0), NAT, number(n), app(const("List.nil", 0), NAT))  # noqa: E731
    by_refl(t, "x", app(const("List", 0), NAT), one(1), one(2))


@refuse()
def case_of_the_other_constructor(t: Tables) -> None:
    """A case distinction takes the wrong branch."""
    chosen = app(const("Bool.rec", 1), lam("b", BOOL, NAT), number(1), number(2), YES)
    by_refl(t, "x", NAT, chosen, number(1))


WRONG.add(
    "Branches that do not fit the motive.",
    lambda t: t.define("x", NAT, app(const("Bool.rec", 1), lam("b", BOOL, NAT), TRIVIAL, number(2), YES)),
)


@refuse()
def proof_that_is_eliminated_into_data(t: Tables) -> None:
    """A disjunction decides about data."""
    either = app(const("Or"), TRUE, TRUE)
    branch = lam("h", TRUE, YES)
    chosen = app(const("Or.rec", 1), TRUE, TRUE, lam("h", either, BOOL), branch, branch)
    t.define("x", arrow(either, BOOL), lam("h", either, lambda h: app(chosen, h)))


WRONG.add(
    "A theorem that holds, whose proof mentions a term of the wrong type along the way.",
    lambda t: t.prove("x", TRUE, let("h", TRUE, app(lam("h", FALSE, TRIVIAL), TRIVIAL), bvar(0))),
)
