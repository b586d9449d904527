"""Declarations that are odd and right, written as data: both kernels accept them; some may be refused, as they say."""

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

HONEST = Collection("accept", "accept")
accept, case = HONEST.accept, HONEST.case

T = const("T")


def by_refl(t: Tables, type: Term, a: Term, b: Term, level: object = 1, name: str = "x") -> None:
    t.prove(name, eq(type, a, b, level), refl(type, a, level))


def _levels(name: str, left: object, right: object, second: str = "accept", lean: str = "accept") -> None:
    def build(t: Tables) -> None:
        params = sorted({p for p in "uvw" if p in repr((left, right)).replace("succ", "").replace("imax", "")})
        t.define("x", sort(("succ", left)), sort(right), params)

    build.__name__, build.__doc__ = f"levels_{name}", f"{left} is {right}."
    case(lean, second)(build)


_levels("max_turned_round", ("max", "u", "v"), ("max", "v", "u"))
_levels("max_of_three", ("max", ("max", "u", "v"), "w"), ("max", "u", ("max", "v", "w")))
_levels("max_of_one", ("max", "u", "u"), "u")
_levels("max_absorbs", ("max", "u", ("max", "u", "v")), ("max", "u", "v"))
_levels("max_of_successors", ("max", ("succ", "u"), ("succ", "v")), ("succ", ("max", "u", "v")))
_levels("max_with_zero", ("max", "u", 0), "u")
_levels("max_with_less", ("max", ("succ", "u"), "u"), ("succ", "u"))
_levels("imax_to_zero", ("imax", "u", 0), 0)
_levels("imax_from_zero", ("imax", 0, "u"), "u")
_levels("imax_of_one", ("imax", "u", "u"), "u")
_levels("imax_of_numbers", ("imax", 3, 2), 3)
_levels("imax_inside_of_imax", ("imax", "u", ("imax", "v", 0)), 0)
_levels("imax_under_max", ("max", "v", ("imax", "u", "v")), ("max", "v", ("imax", "u", "v")))
_levels("imax_of_a_successor", ("imax", "u", ("succ", "v")), ("max", "u", ("succ", "v")), "either", "refuse")
_levels("imax_to_one", ("imax", "u", 1), ("max", "u", 1), "either", "refuse")
_levels("imax_from_one", ("imax", 1, "u"), "u", "either")
_levels("imax_of_three", ("imax", "u", ("imax", "v", "w")), ("imax", ("max", "u", "v"), "w"), "either", "refuse")
_levels("imax_under_max_on_both_sides", ("max", "u", ("imax", "v", "u")), ("max", ("imax", "v", "u"), "u"))


HONEST.add("`∀ A : Type 5, False` is a proposition.", lambda t: t.define("x", PROP, pi("A", sort(6), FALSE)))
HONEST.add("A parameter that nothing mentions.", lambda t: t.define("x", PROP, TRUE, ["u"]))


@accept()
def type_that_has_to_be_computed(t: Tables) -> None:
    """The domain of a variable is `(fun A => A) Prop`, whose values are types."""
    own = app(lam("A", TYPE, bvar(0)), PROP)
    t.define("x", PROP, pi("p", own, lambda p: arrow(p, p)))


@accept()
def function_that_has_to_be_computed(t: Tables) -> None:
    """A function whose type is a function only after reduction."""
    own = app(lam("A", TYPE, lambda A: arrow(A, A)), NAT)
    t.define("f", own, lam("n", NAT, bvar(0)))
    t.define("x", NAT, app(const("f"), number(3)))


@accept()
def lets_in_lets(t: Tables) -> None:
    """Lets whose types and values depend on earlier ones."""
    inner = lambda A: let("a", A, number(3), lambda a: let("h", eq(A, a, a), refl(A, a), lambda h: h))  # noqa: E731
    t.prove("x", eq(NAT, number(3), number(3)), let("A", TYPE, NAT, inner))


HONEST.add("The type of a theorem is a let.", lambda t: t.prove("x", let("p", PROP, TRUE, bvar(0)), TRIVIAL))
HONEST.add("A let whose variable does not occur.", lambda t: t.prove("x", TRUE, let("n", NAT, number(3), TRIVIAL)))
HONEST.add(
    "Binders with the empty name, and of every kind.",
    lambda t: t.prove("x", pi("", TRUE, TRUE, "implicit"), lam("", TRUE, bvar(0), "instImplicit")),
)


@accept()
def eta_for_functions(t: Tables) -> None:
    """`fun a => f a` is f, for functions of a type that depends."""
    f = pi("a", NAT, lambda a: app(const("Fin"), app(const("Nat.succ"), a)))
    statement = pi("f", f, lambda h: eq(f, lam("a", NAT, lambda a: app(h, a)), h))
    t.prove("x", statement, lam("f", f, lambda h: refl(f, h)))


@accept()
def eta_for_pairs(t: Tables) -> None:
    """`⟨p.1, p.2⟩` is p, for a variable p."""
    pair = app(const("Prod", 0, 0), NAT, BOOL)
    again = lambda p: app(const("Prod.mk", 0, 0), NAT, BOOL, proj("Prod", 0, p), proj("Prod", 1, p))  # noqa: E731
    t.prove("x", pi("p", pair, lambda p: eq(pair, again(p), p)), lam("p", pair, lambda p: refl(pair, p)))


@accept()
def eta_for_units(t: Tables) -> None:
    """All values of `PUnit` are equal."""
    unit = const("PUnit", "u")
    statement = pi("a", unit, lambda a: pi("b", unit, lambda b: eq(unit, a, b, "u")))
    t.prove("x", statement, lam("a", unit, lambda a: lam("b", unit, refl(unit, a, "u"))), ["u"])


@accept()
def eta_for_structures_of_units(t: Tables) -> None:
    """All values of `PUnit × PUnit` are equal, through their fields."""
    unit = const("PUnit", 1)
    pair = app(const("Prod", 0, 0), unit, unit)
    point = app(const("Prod.mk", 0, 0), unit, unit, const("PUnit.unit", 1), const("PUnit.unit", 1))
    t.prove("x", pi("a", pair, lambda a: eq(pair, a, point)), lam("a", pair, lambda a: refl(pair, a)))


@accept()
def proofs_are_equal(t: Tables) -> None:
    """Two proofs of one proposition."""
    statement = pi("p", PROP, lambda p: pi("a", p, lambda a: pi("b", p, lambda b: eq(p, a, b, 0))))
    t.prove("x", statement, lam("p", PROP, lambda p: lam("a", p, lambda a: lam("b", p, refl(p, a, 0)))))


@case("refuse", "either")
def proofs_of_an_imax_are_equal(t: Tables) -> None:
    """The same for a proposition of `Sort (imax 1 0)`, which this Lean does not see to be one (lean4#14613)."""
    s = sort(("imax", 1, 0))
    statement = pi("p", s, lambda p: pi("a", p, lambda a: pi("b", p, lambda b: eq(p, a, b, 0))))
    t.prove("x", statement, lam("p", s, lambda p: lam("a", p, lambda a: lam("b", p, refl(p, a, 0)))))


@accept()
def proofs_in_the_arguments(t: Tables) -> None:
    """Two numbers below 3 that differ in their proofs."""
    fin = app(const("Fin"), number(3))
    less = app(const("LT.lt", 0), NAT, const("instLTNat"), number(1), number(3))
    mk = lambda h: app(const("Fin.mk"), number(3), number(1), h)  # noqa: E731
    statement = pi("g", less, lambda g: pi("h", less, lambda h: eq(fin, mk(g), mk(h))))
    t.prove("x", statement, lam("g", less, lambda g: lam("h", less, refl(fin, mk(g)))))


@accept()
def transport_along_a_variable(t: Tables) -> None:
    """A transport along a proof of `a = a` vanishes, whatever the proof."""
    same = eq(BOOL, const("Bool.true"), const("Bool.true"))
    motive = lam("b", BOOL, lambda b: lam("h", eq(BOOL, const("Bool.true"), b), NAT))
    moved = lambda h: app(const("Eq.rec", 1, 1), BOOL, const("Bool.true"), motive, number(3), const("Bool.true"), h)  # noqa: E731
    t.prove("x", pi("h", same, lambda h: eq(NAT, moved(h), number(3))), lam("h", same, refl(NAT, number(3))))


@accept()
def lift_of_a_class(t: Tables) -> None:
    """`Quot.lift` computes."""
    relation = lam("a", NAT, lambda a: lam("b", NAT, lambda b: eq(NAT, a, b)))
    f = lam("n", NAT, lambda n: app(const("Nat.succ"), n))
    same = lam(
        "a",
        NAT,
        lambda a: lam(
            "b", NAT, lambda b: lam("h", eq(NAT, a, b), lambda h: app(const("congrArg", 1, 1), NAT, NAT, a, b, f, h))
        ),
    )
    lifted = app(const("Quot.lift", 1, 1), NAT, relation, NAT, f, same)
    by_refl(t, NAT, app(lifted, app(const("Quot.mk", 1), NAT, relation, number(3))), number(4))


@accept()
def large_numbers(t: Tables) -> None:
    """Arithmetic beyond 64 bits."""
    big = 2**200 + 12345
    by_refl(t, NAT, app(const("Nat.mul"), number(big), number(big)), number(big * big), name="a")
    by_refl(t, NAT, app(const("Nat.div"), number(big * big), number(big)), number(big), name="b")
    by_refl(t, NAT, app(const("Nat.pow"), number(2), number(300)), number(2**300), name="c")
    by_refl(t, NAT, app(const("Nat.sub"), number(3), number(big)), number(0), name="d")
    by_refl(t, NAT, app(const("Nat.gcd"), number(big * 6), number(big * 10)), number(big * 2), name="e")
    by_refl(t, NAT, app(const("Nat.log2"), number(2**100)), number(100), name="f")
    by_refl(t, NAT, app(const("Nat.shiftRight"), number(2**100), number(98)), number(4), name="g")


@accept()
def numbers_at_the_edges(t: Tables) -> None:
    """Division by zero, subtraction below zero, 0^0, and numbers at the borders of machine words."""
    for i, (function, a, b, c) in enumerate(
        (
            ("div", 7, 0, 0),
            ("mod", 7, 0, 7),
            ("sub", 3, 5, 0),
            ("pow", 0, 0, 1),
            ("gcd", 0, 0, 0),
            ("gcd", 0, 5, 5),
            ("add", 2**31 - 1, 1, 2**31),
            ("add", 2**32 - 1, 1, 2**32),
            ("add", 2**63 - 1, 1, 2**63),
            ("mul", 2**16, 2**16, 2**32),
            ("land", 2**40, 2**40 + 1, 2**40),
            ("lor", 2**33, 1, 2**33 + 1),
            ("xor", 2**33, 2**33 + 4, 4),
            ("shiftLeft", 1, 64, 2**64),
        )
    ):
        by_refl(t, NAT, app(const(f"Nat.{function}"), number(a), number(b)), number(c), name=f"x{i}")


@accept()
def literals_and_constructors(t: Tables) -> None:
    """A literal is succ of the one before it; a recursor sees through it."""
    by_refl(t, NAT, number(5), app(const("Nat.succ"), number(4)), name="a")
    by_refl(t, NAT, number(0), const("Nat.zero"), name="b")
    step = lam("n", NAT, lam("m", NAT, lambda m: app(const("Nat.succ"), app(const("Nat.succ"), m))))
    double = app(const("Nat.rec", 1), lam("n", NAT, NAT), number(0), step)
    by_refl(t, NAT, app(double, number(20)), number(40), name="c")


@accept()
def sum_with_a_variable(t: Tables) -> None:
    """`n + 2` is succ of `n + 1`."""
    plus = lambda n, k: app(const("Nat.add"), n, number(k))  # noqa: E731
    statement = pi("n", NAT, lambda n: eq(NAT, plus(n, 2), app(const("Nat.succ"), plus(n, 1))))
    t.prove("x", statement, lam("n", NAT, lambda n: refl(NAT, plus(n, 2))))


@accept()
def strings_and_characters(t: Tables) -> None:
    """A literal is the list of its characters, beyond 16 bits too."""
    char = const("Char")

    def characters(s: str) -> Term:
        whole = app(const("List.nil", 0), char)
        for c in reversed(s):
            whole = app(const("List.cons", 0), char, app(const("Char.ofNat"), number(ord(c))), whole)
        return app(const("String.ofList"), whole)

    for i, s in enumerate(("", "a", "Gödel", "\U0001d53d\0", '"\\\n\u2028')):
        by_refl(t, const("String"), text(s), characters(s), name=f"x{i}")


HONEST.add('`"abc".length` is 3.', lambda t: by_refl(t, NAT, app(const("String.length"), text("abc")), number(3)))


@accept()
def proof_with_holes_in_its_use(t: Tables) -> None:
    """A theorem that uses another, at a level of its own."""
    own = pi("A", sort("v"), lambda A: pi("a", A, lambda a: eq(A, a, a, "v")))
    t.prove("a", own, lam("A", sort("v"), lambda A: lam("a", A, lambda a: refl(A, a, "v"))), ["v"])
    t.prove("b", eq(NAT, number(3), number(3)), app(const("a", 1), NAT, number(3)))


@accept()
def hints_that_lie(t: Tables) -> None:
    """Heights that are not those of the definitions: they say what is unfolded first and nothing more."""
    t.define("a", NAT, number(3), hints={"regular": 4000000000})
    t.define("b", NAT, app(const("Nat.succ"), const("a")), hints={"regular": 0})
    by_refl(t, NAT, const("b"), number(4))


@case("accept", "either")
def hints_that_hide(t: Tables) -> None:
    """A definition with the hint `opaque` is unfolded all the same."""
    t.define("a", NAT, number(3), hints="opaque")
    by_refl(t, NAT, const("a"), number(3))


# Types


@accept()
def proof_out_of_a_proposition(t: Tables) -> None:
    """The fields of a conjunction, by projections."""
    both = app(const("And"), TRUE, FALSE)
    t.prove("x", arrow(both, FALSE), lam("h", both, proj("And", 1, bvar(0))))


@accept()
def proof_before_data_in_a_proposition(t: Tables) -> None:
    """The first field of a proposition, a proof, though data follow."""
    t.inductive("T", PROP, [("T.c", arrow(TRUE, NAT, T))], large=False)
    t.prove("x", arrow(T, TRUE), lam("h", T, proj("T", 0, bvar(0))))


@case("accept", "either")
def proof_after_data_that_no_field_mentions(t: Tables) -> None:
    """The last field, a proof, after data that it does not mention."""
    t.inductive("T", PROP, [("T.c", arrow(NAT, TRUE, T))], large=False)
    t.prove("x", arrow(T, TRUE), lam("h", T, proj("T", 1, bvar(0))))


HONEST.add(
    "A proposition may hold what is too large for any type.",
    lambda t: t.inductive("T", PROP, [("T.c", arrow(sort(7), T))], large=False),
)
HONEST.add(
    "One constructor without data: the recursor goes into all sorts.",
    lambda t: t.inductive("T", PROP, [("T.c", arrow(TRUE, TRUE, T))]),
)


@accept()
def proposition_whose_data_are_its_indices(t: Tables) -> None:
    """One constructor whose data stand in the result, in another order."""
    mk = pi("a", BOOL, lambda a: pi("b", NAT, lambda b: app(T, b, a)))
    t.inductive("T", arrow(NAT, BOOL, PROP), [("T.c", mk)])


HONEST.add("No constructor: the recursor goes into all sorts.", lambda t: t.inductive("T", arrow(NAT, PROP), []))
HONEST.add(
    "A proposition of `Sort (imax 1 0)` with two constructors, whose recursor goes into propositions.",
    lambda t: t.inductive("T", sort(("imax", 1, 0)), [("T.a", T), ("T.b", T)], large=False),
)


@case("accept", "either")
def proofs_that_lean_takes_for_data(t: Tables) -> None:
    """A proof of a `Sort (imax 0 0)` in a proposition: Lean does not see that it is one and makes a small recursor."""
    own = sort(("imax", 0, 0))
    t.inductive("T", arrow(own, PROP), [("T.c", pi("p", own, lambda p: arrow(p, app(T, p))))], 1, large=False)


HONEST.add(
    "A tree with a branch for every number.",
    lambda t: t.inductive("T", TYPE, [("T.leaf", T), ("T.node", arrow(arrow(NAT, BOOL, T), T))]),
)


@accept()
def recursion_in_a_proposition(t: Tables) -> None:
    """Accessibility, whose recursor goes into all sorts."""
    relation = lambda A: arrow(A, A, PROP)  # noqa: E731
    own = lambda A, r, a: app(const("T", "v"), A, r, a)  # noqa: E731
    mk = pi(
        "A",
        sort("v"),
        lambda A: pi(
            "r",
            relation(A),
            lambda r: pi(
                "a", A, lambda a: arrow(pi("b", A, lambda b: arrow(app(r, b, a), own(A, r, b))), own(A, r, a))
            ),
        ),
    )
    family = pi("A", sort("v"), lambda A: pi("r", relation(A), arrow(A, PROP)))
    t.inductive("T", family, [("T.c", mk)], 2, ["v"])


@accept()
def index_that_is_computed(t: Tables) -> None:
    """Constructors with indices that are no variables."""
    one = lambda n: app(const("Nat.add"), n, number(1))  # noqa: E731
    more = pi("n", NAT, lambda n: arrow(app(T, app(const("Nat.mul"), n, n)), app(T, one(n))))
    t.inductive("T", arrow(NAT, TYPE), [("T.a", app(T, number(0))), ("T.b", more)])


@accept()
def parameter_of_a_computed_type(t: Tables) -> None:
    """The constructor writes the type of the parameter in another way."""
    written = app(lam("A", sort(2), bvar(0)), TYPE)
    t.inductive("T", arrow(TYPE, TYPE), [("T.a", pi("A", written, lambda A: arrow(A, app(T, A))))], 1)


@accept()
def universes_that_are_max(t: Tables) -> None:
    """A pair in `Type (max u v)`."""
    own, first, second = const("T", "v", "w"), sort(("succ", "v")), sort(("succ", "w"))
    mk = pi("A", first, lambda A: pi("B", second, lambda B: arrow(A, B, app(own, A, B))))
    family = arrow(sort(("succ", "v")), sort(("succ", "w")), sort(("succ", ("max", "v", "w"))))
    t.inductive("T", family, [("T.c", mk)], 2, ["v", "w"])


@case("accept", "either")
def type_that_may_be_a_proposition(t: Tables) -> None:
    """A structure of `Sort v`: its recursor goes into propositions, since v may be 0."""
    own = const("T", "v")
    t.inductive("T", sort("v"), [("T.c", arrow(const("PUnit", "v"), own))], levels=["v"], large=False)


@case("accept", "either")
def projection_out_of_what_may_be_a_proposition(t: Tables) -> None:
    """And its field, which Lean's kernel gives out though v may be 0 (kernel arena 167)."""
    own = const("T", "v")
    t.inductive("T", sort("v"), [("T.c", arrow(const("PUnit", "v"), own))], levels=["v"], large=False)
    t.define("x", arrow(own, const("PUnit", "v")), lam("t", own, proj("T", 0, bvar(0))), ["v"])


@case("accept", "either")
def projection_out_of_an_indexed_structure(t: Tables) -> None:
    """A field of a type with an index and one constructor."""
    t.inductive("T", arrow(NAT, TYPE), [("T.c", pi("n", NAT, lambda n: arrow(BOOL, app(T, n))))])
    t.define("x", arrow(app(T, number(3)), BOOL), lam("t", app(T, number(3)), proj("T", 1, bvar(0))))


@accept()
def projection_out_of_a_recursive_structure(t: Tables) -> None:
    """A field of a recursive type with one constructor."""
    t.inductive("T", TYPE, [("T.c", arrow(NAT, T, T))])
    t.define("x", arrow(T, T), lam("t", T, proj("T", 1, bvar(0))))


@accept()
def recursor_that_is_used(t: Tables) -> None:
    """The recursor of a type of one's own computes."""
    t.inductive("T", TYPE, [("T.a", T), ("T.b", arrow(NAT, T, T))])
    step = lam("n", NAT, lambda n: lam("t", T, lam("ih", NAT, lambda h: app(const("Nat.add"), n, h))))
    total = app(const("T.rec", 1), lam("t", T, NAT), number(0), step)
    value = app(const("T.b"), number(3), app(const("T.b"), number(4), const("T.a")))
    by_refl(t, NAT, app(total, value), number(7))


@accept()
def structure_that_computes_on_variables(t: Tables) -> None:
    """The recursor of a structure computes on a variable, by its fields."""
    pair = app(const("Prod", 0, 0), NAT, NAT)
    first = lambda p: app(  # noqa: E731
        const("Prod.rec", 1, 0, 0), NAT, NAT, lam("p", pair, NAT), lam("a", NAT, lambda a: lam("b", NAT, a)), p
    )
    t.prove(
        "x",
        pi("p", pair, lambda p: eq(NAT, first(p), proj("Prod", 0, p))),
        lam("p", pair, lambda p: refl(NAT, first(p))),
    )


@accept()
def names_with_numbers_and_odd_parts(t: Tables) -> None:
    """Names with numbers, blanks, dots and the empty part inside."""
    t.prove(("a b", 3, "c.d", ""), TRUE, TRIVIAL)
    t.prove(("x", "«»", 0), TRUE, const(("a b", 3, "c.d", "")))
