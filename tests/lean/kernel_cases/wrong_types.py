"""Inductive types that must not be, written as data, with the recursors of a kernel that overlooks the fault."""

from lean_streams import Collection, Tables, Term, app, arrow, bvar, const, lam, pi, proj, sort

WRONG = Collection()
refuse, case = WRONG.refuse, WRONG.case

NAT, BOOL, TRUE, FALSE = const("Nat"), const("Bool"), const("True"), const("False")
PROP, TYPE = sort(0), sort(1)
T = const("T")


def one(t: Tables, type: Term, *constructors: Term, parameters: int = 0, **more: object) -> None:
    """A type T with constructors T.c0, T.c1, …"""
    t.inductive("T", type, [(f"T.c{i}", c) for i, c in enumerate(constructors)], parameters, **more)  # type: ignore[arg-type]


# Occurrences

WRONG.add("`(T → Nat) → T`.", lambda t: one(t, TYPE, arrow(arrow(T, NAT), T)))
WRONG.add("`(T → T) → T`.", lambda t: one(t, TYPE, arrow(arrow(T, T), T)))
WRONG.add("`(Nat → (T → Nat)) → T`.", lambda t: one(t, TYPE, arrow(arrow(NAT, T, NAT), T)))
WRONG.add("`((T → Nat) → Nat) → T`.", lambda t: one(t, TYPE, arrow(arrow(arrow(T, NAT), NAT), T)))
WRONG.add("`(T → False) → T` for a proposition.", lambda t: one(t, PROP, arrow(arrow(T, FALSE), T), large=False))


@refuse()
def occurrence_in_an_argument_that_is_dropped(t: Tables) -> None:
    """`(const Nat T → Nat) → T`, where const throws its second argument away but only after reduction."""
    dropped = app(lam("A", TYPE, lambda A: lam("B", TYPE, A)), NAT, T)
    one(t, TYPE, arrow(arrow(NAT, arrow(dropped, NAT)), T))


@case("refuse", "either")
def occurrence_that_vanishes(t: Tables) -> None:
    """The same where a reduction takes the occurrence away at once; refusing it is safe (kernel arena 181)."""
    dropped = app(lam("A", TYPE, lambda A: lam("B", TYPE, A)), NAT, T)
    one(t, TYPE, arrow(arrow(dropped, T), T))


@refuse()
def occurrence_in_an_index(t: Tables) -> None:
    """`T (T A)` as a field: the type is an index of itself."""
    family = arrow(PROP, PROP)
    one(t, family, pi("A", PROP, lambda A: arrow(app(T, app(T, A)), app(T, A))), large=False)


WRONG.add("The result is `T (T True)`.", lambda t: one(t, arrow(PROP, PROP), app(T, app(T, TRUE)), large=False))


@refuse()
def occurrence_as_an_argument_of_a_function(t: Tables) -> None:
    """A field of the type `f T` for a parameter f."""
    f = arrow(TYPE, TYPE)
    one(t, arrow(f, TYPE), pi("f", f, lambda f: arrow(app(f, app(T, f)), app(T, f))), parameters=1)


@refuse()
def occurrence_in_a_quotient(t: Tables) -> None:
    """A quotient of the type is a field."""
    relation = lam("a", T, lam("b", T, TRUE))
    one(t, TYPE, arrow(app(const("Quot", 1), T, relation), T))


WRONG.add(
    "An equation between values of the type is a field.",
    lambda t: one(t, TYPE, T, pi("a", T, lambda a: pi("b", T, lambda b: arrow(app(const("Eq", 1), T, a, b), T)))),
)
WRONG.add(
    "A negative occurrence behind a let.", lambda t: one(t, TYPE, arrow(("letE", "A", TYPE, T, arrow(bvar(0), NAT)), T))
)
WRONG.add(
    "A constructor mentions the recursor of its type.",
    lambda t: one(t, TYPE, T, arrow(app(const("T.rec", 1), lam("t", T, TYPE), NAT), T)),
)
WRONG.add(
    "A constructor mentions a later one.",
    lambda t: one(t, TYPE, pi("h", app(const("Eq", 1), T, const("T.c1"), const("T.c1")), T), T),
)
WRONG.add(
    "A constructor mentions an earlier one: that is induction-recursion, and there is none.",
    lambda t: one(t, TYPE, T, pi("h", app(const("Eq", 1), T, const("T.c0"), const("T.c0")), T)),
)


# Universes

WRONG.add("`Type` as a field of a type of `Type`: Girard's paradox is near.", lambda t: one(t, TYPE, arrow(TYPE, T)))
WRONG.add("The same with `Sort (imax 1 1)`.", lambda t: one(t, TYPE, arrow(sort(("imax", 1, 1)), T)))


@refuse()
def field_of_the_same_parameter(t: Tables) -> None:
    """`Sort u` as a field of a type of `Sort u`."""
    own = const("T", "u")
    one(t, sort("u"), arrow(sort("u"), own), levels=["u"], large=False)


@refuse()
def field_too_large_for_some_parameters(t: Tables) -> None:
    """A field of `Type u` in a type of `Type v`."""
    own = const("T", "u", "v")
    family = arrow(sort(("succ", "u")), sort(("succ", "v")))
    mk = pi("A", sort(("succ", "u")), lambda A: arrow(A, app(own, A)))
    one(t, family, mk, parameters=1, levels=["u", "v"])


@refuse()
def field_too_large_where_imax_is_small(t: Tables) -> None:
    """A field of `Type u` in a type of `Sort (imax (u + 1) v)`, which a proposition may hold and no type."""
    own = const("T", "u", "v")
    result = sort(("imax", ("succ", "u"), "v"))
    mk = pi("A", sort(("succ", "u")), lambda A: arrow(A, app(own, A)))
    one(t, arrow(sort(("succ", "u")), result), mk, parameters=1, levels=["u", "v"], large=False)


WRONG.add(
    "Functions from `Type` to numbers as a field of a type of `Type`.",
    lambda t: one(t, TYPE, arrow(arrow(TYPE, NAT), T)),
)
WRONG.add(
    "A constructor whose field is the type that is its index.",
    lambda t: one(t, arrow(TYPE, TYPE), pi("A", TYPE, lambda A: app(T, A))),
)


# Large elimination: the recursor goes where it must not

WRONG.add("Two constructors, a proposition, and a recursor into all sorts.", lambda t: one(t, PROP, T, T))
WRONG.add("The same for `Sort (imax 1 0)`.", lambda t: one(t, sort(("imax", 1, 0)), T, T))


@refuse()
def choice_in_what_may_be_a_proposition(t: Tables) -> None:
    """The same for `Sort u`."""
    own = const("T", "v")
    one(t, sort("v"), own, own, levels=["v"])


WRONG.add(
    "One constructor with a Boolean, a proposition, and a recursor into all sorts.",
    lambda t: one(t, PROP, arrow(BOOL, T)),
)
WRONG.add(
    "A Boolean field, while the Boolean parameter says nothing of it.",
    lambda t: one(t, arrow(BOOL, PROP), pi("b", BOOL, lambda b: arrow(BOOL, app(T, b))), parameters=1),
)


@refuse()
def data_under_a_function_in_the_index(t: Tables) -> None:
    """The Boolean field occurs in the index only as `not b`."""
    mk = pi("b", BOOL, lambda b: app(T, app(const("Bool.not"), b)))
    one(t, arrow(BOOL, PROP), mk)


@refuse()
def data_under_the_identity_in_the_index(t: Tables) -> None:
    """The Boolean field is the index only after reduction."""
    mk = pi("b", BOOL, lambda b: app(T, app(const("id", 1), BOOL, b)))
    one(t, arrow(BOOL, PROP), mk)


@refuse()
def two_data_for_one_index(t: Tables) -> None:
    """Two Boolean fields, of which the index says one."""
    mk = pi("b", BOOL, lambda b: pi("c", BOOL, app(T, b)))
    one(t, arrow(BOOL, PROP), mk)


@refuse()
def proposition_that_holds_any_sort(t: Tables) -> None:
    """A field of `Sort u`-many kinds in a proposition with a large recursor."""
    own = const("T", "v")
    mk = pi("A", sort("v"), lambda A: arrow(A, app(own, A)))
    one(t, arrow(sort("v"), PROP), mk, parameters=1, levels=["v"])


WRONG.add(
    "A type of data whose recursor goes into propositions alone: not what the kernel makes.",
    lambda t: one(t, TYPE, T, T, large=False),
)


# Shapes

WRONG.add("The type of the type is `Nat`.", lambda t: one(t, NAT))
WRONG.add("The type of the type is a number.", lambda t: one(t, const("Nat.zero")))


@case("refuse", "either")
def type_behind_a_let(t: Tables) -> None:
    """The type has its parameter behind a let; Lean wants it plain to see, and it says nothing else."""
    mk = pi("A", TYPE, lambda A: arrow(A, app(T, A)))
    d = t.inductive("T", arrow(TYPE, TYPE), [("T.c0", mk)], 1)
    d["types"][0]["type"] = t.term(("letE", "h", TRUE, const("True.intro"), arrow(TYPE, TYPE)))


WRONG.add("A constructor that makes a number.", lambda t: one(t, TYPE, arrow(NAT, NAT)))
WRONG.add("The type of a constructor is a number.", lambda t: one(t, TYPE, const("Nat.zero")))
WRONG.add(
    "The type of a constructor is `id T`: it must be plain to see.",
    lambda t: one(t, TYPE, app(const("id", 2), TYPE, T)),
)
WRONG.add(
    "A parameter of `Prop` that the constructor takes as one of `Type`.",
    lambda t: one(t, arrow(PROP, TYPE), pi("A", TYPE, app(T, TRUE)), parameters=1),
)
WRONG.add(
    "The result has `Nat` where the parameter should stand.",
    lambda t: one(t, arrow(TYPE, TYPE), pi("A", TYPE, app(T, NAT)), parameters=1),
)


@refuse()
def constructor_with_parameters_turned_round(t: Tables) -> None:
    """`T B A` instead of `T A B`."""
    mk = pi("A", TYPE, lambda A: pi("B", TYPE, lambda B: app(T, B, A)))
    one(t, arrow(TYPE, TYPE, TYPE), mk, parameters=2)


@refuse()
def field_with_parameters_turned_round(t: Tables) -> None:
    """A recursive field `T B A`: a parameter that changes must be an index."""
    mk = pi("A", TYPE, lambda A: pi("B", TYPE, lambda B: arrow(app(T, B, A), app(T, A, B))))
    one(t, arrow(TYPE, TYPE, TYPE), mk, parameters=2)


WRONG.add("The result lacks its index.", lambda t: one(t, arrow(NAT, TYPE), arrow(NAT, T)))
WRONG.add("`T.{v, u}` instead of `T.{u, v}`.", lambda t: one(t, TYPE, const("T", "v", "u"), levels=["u", "v"]))
WRONG.add(
    "A recursive field at the level 1 of a type with a parameter.",
    lambda t: one(t, sort(2), arrow(const("T", 1), const("T", "v")), levels=["v"]),
)
WRONG.add("A level that is no parameter of the type.", lambda t: one(t, sort(5), arrow(const("PUnit", "w"), T)))
WRONG.add("One name for two parameters of a type.", lambda t: one(t, TYPE, const("T", "v", "v"), levels=["v", "v"]))
WRONG.add("A field of the type `Nat.succ True`.", lambda t: one(t, TYPE, arrow(app(const("Nat.succ"), TRUE), T)))
WRONG.add("A field of the type 0.", lambda t: one(t, TYPE, arrow(const("Nat.zero"), T)))
WRONG.add(
    "The result has a proof where the index is a number.",
    lambda t: one(t, arrow(NAT, TYPE), app(T, const("True.intro"))),
)


@refuse()
def more_parameters_than_arguments(t: Tables) -> None:
    """Two parameters of a type that takes one argument."""
    d = t.inductive("T", arrow(TYPE, TYPE), [("T.c0", pi("A", TYPE, lambda A: app(T, A)))], 1)
    d["types"][0]["numParams"] = 2


WRONG.add("Two constructors, one name.", lambda t: t.inductive("T", TYPE, [("T.c", T), ("T.c", arrow(NAT, T))]))
WRONG.add("A constructor is called as its type.", lambda t: t.inductive("T", TYPE, [("T", T)]))
WRONG.add("A constructor is called as the recursor.", lambda t: t.inductive("T", TYPE, [("T.rec", T)]))
WRONG.add("A second `List`.", lambda t: t.inductive("List", TYPE, [("List.mk", const("List"))]))
WRONG.add(
    "A constructor with the name of a theorem of the library.", lambda t: t.inductive("T", TYPE, [("True.intro", T)])
)


@refuse()
def type_that_is_declared_twice(t: Tables) -> None:
    """One type after another of the same name."""
    one(t, TYPE, T)
    one(t, TYPE, T)


WRONG.add("A constructor with a variable of no binder.", lambda t: one(t, TYPE, arrow(bvar(3), T)))


# Nested occurrences. The recursors are not what a kernel would make: it has to stop before.


@refuse()
def nested_in_what_is_not_positive(t: Tables) -> None:
    """A type in a structure that holds functions from its parameter."""
    neg = lambda A: app(const("Test"), A)  # noqa: E731
    t.inductive("Test", arrow(TYPE, TYPE), [("Test.mk", pi("A", TYPE, lambda A: arrow(arrow(A, NAT), neg(A))))], 1)
    one(t, TYPE, arrow(neg(T), T))


WRONG.add("Lists of functions from the type.", lambda t: one(t, TYPE, arrow(app(const("List", 0), arrow(T, NAT)), T)))
WRONG.add("Functions from lists of the type.", lambda t: one(t, TYPE, arrow(arrow(app(const("List", 0), T), NAT), T)))


@refuse()
def nested_in_an_index(t: Tables) -> None:
    """The type as an index of another type."""
    holds = const("Holds")
    t.inductive("Holds", arrow(TYPE, TYPE), [("Holds.mk", app(holds, NAT))])
    one(t, TYPE, arrow(app(holds, T), T))


@refuse()
def nested_with_a_local_variable(t: Tables) -> None:
    """A nested occurrence with a parameter that is a field."""
    box = const("Box")
    mk = pi("A", TYPE, lambda A: pi("n", NAT, lambda n: arrow(A, app(box, A, n))))
    t.inductive("Box", arrow(TYPE, NAT, TYPE), [("Box.mk", mk)], 2)
    one(t, TYPE, pi("n", NAT, lambda n: arrow(app(box, T, n), T)))


@refuse()
def nested_with_an_ill_typed_parameter(t: Tables) -> None:
    """A nested occurrence whose second parameter is ill-typed and used nowhere (lean4#14576)."""
    phantom = const("Phantom")
    mk = pi("A", TYPE, lambda A: pi("n", NAT, lambda n: app(phantom, A, n)))
    t.inductive("Phantom", arrow(TYPE, NAT, TYPE), [("Phantom.mk", mk)], 2)
    one(t, TYPE, arrow(app(phantom, T, const("True.intro")), T))


WRONG.add("Lists at the wrong level.", lambda t: one(t, TYPE, arrow(app(const("List", 1), T), T)))


def _auxiliary(t: Tables, sort_of_it: Term) -> None:
    """A constant with the name that a kernel gives to `List T` while it takes nested occurrences apart."""
    t.define(("_nested", "T_1"), sort_of_it, TRUE)


@case("accept", "refuse")
def name_of_an_auxiliary_type(t: Tables) -> None:
    """A definition under `_nested` is a field: harmless, but a kernel may take it for its own (lean4#14616)."""
    _auxiliary(t, PROP)
    one(t, PROP, arrow(const(("_nested", "T_1")), T))


WRONG.add("A definition under `_nested` and nothing else.", lambda t: _auxiliary(t, PROP), "accept", "either")


@refuse()
def negative_occurrence_by_a_projection(t: Tables) -> None:
    """A type computed from the type by a projection."""
    pair = app(const("Prod.mk", 1, 1), TYPE, TYPE, arrow(T, NAT), NAT)
    one(t, TYPE, arrow(proj("Prod", 0, pair), T))
